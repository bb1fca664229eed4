// SPDX-License-Identifier: Apache-2.0
// Copies by all threads of a group. They are done when memcpy_async returns to its thread; wait() makes each thread's
// part seen by the others, as it must be called for anyway.
#if !defined(_CG_MEMCPY_ASYNC_H)
#define _CG_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#pragma push_macro("HEDDLE_DEVICE")
#undef HEDDLE_DEVICE
#define HEDDLE_DEVICE static __device__ __forceinline__

namespace cooperative_groups {
namespace __v1 {

namespace details {
template <typename Group>
HEDDLE_DEVICE void copy_bytes(const Group& group, void* destination, const void* source, size_t bytes) {
  auto* to = static_cast<char*>(destination);
  const auto* from = static_cast<const char*>(source);
  const size_t rank = group.thread_rank(), step = group.size();
  const bool aligned = ((reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from)) & 3) == 0;
  const size_t words = aligned ? bytes / 4 : 0;
  for (size_t i = rank; i < words; i += step)
    __builtin_memcpy(__builtin_assume_aligned(to + 4 * i, 4), __builtin_assume_aligned(from + 4 * i, 4), 4);
  for (size_t i = 4 * words + rank; i < bytes; i += step) to[i] = from[i];
}
}  // namespace details

// `shape`: bytes, a number or a cuda::aligned_size_t.
template <typename Group, typename Element, typename Shape>
HEDDLE_DEVICE void memcpy_async(const Group& group, Element* destination, const Element* source, const Shape& shape) {
  details::copy_bytes(group, destination, source, static_cast<size_t>(shape));
}
template <typename Group, typename Shape>
HEDDLE_DEVICE void memcpy_async(const Group& group, void* destination, const void* source, const Shape& shape) {
  details::copy_bytes(group, destination, source, static_cast<size_t>(shape));
}
// Layouts: elements; the smaller number is copied.
template <typename Group, typename Element, typename ToLayout, typename FromLayout>
HEDDLE_DEVICE void memcpy_async(const Group& group, Element* destination, const ToLayout& to_layout,
                                const Element* source, const FromLayout& from_layout) {
  const size_t to = static_cast<size_t>(to_layout), from = static_cast<size_t>(from_layout);
  details::copy_bytes(group, destination, source, (to < from ? to : from) * sizeof(Element));
}

template <typename Group>
HEDDLE_DEVICE void wait(const Group& group) {
  group.sync();
}
template <unsigned int Stage, typename Group>
HEDDLE_DEVICE void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace __v1
}  // namespace cooperative_groups

#pragma pop_macro("HEDDLE_DEVICE")

#endif  // __cplusplus && __CUDACC__

#endif  // _CG_MEMCPY_ASYNC_H
