// SPDX-License-Identifier: Apache-2.0
// reduce() over tiles and coalesced groups: every thread of the group gets the result. The order of operations is the
// group's own, so sums of floating-point numbers may differ in their last bits from another one's.
#if !defined(_CG_REDUCE_H)
#define _CG_REDUCE_H

#include "../cooperative_groups.h"

#pragma push_macro("HEDDLE_DEVICE")
#undef HEDDLE_DEVICE
#define HEDDLE_DEVICE static __device__ __forceinline__

namespace cooperative_groups {
namespace __v1 {

#define HEDDLE_OPERATION(name, expression)                                                       \
  template <typename T>                                                                          \
  struct name {                                                                                  \
    __device__ __forceinline__ T operator()(const T& a, const T& b) const { return expression; } \
  };
HEDDLE_OPERATION(plus, a + b)
HEDDLE_OPERATION(less, b < a ? b : a)
HEDDLE_OPERATION(greater, a < b ? b : a)
HEDDLE_OPERATION(bit_and, a& b)
HEDDLE_OPERATION(bit_or, a | b)
HEDDLE_OPERATION(bit_xor, a ^ b)
#undef HEDDLE_OPERATION

template <unsigned int Size, typename Parent, typename T, typename Operation, details::if_one_warp<Size> = 0>
HEDDLE_DEVICE T reduce(const thread_block_tile<Size, Parent>& group, T v, Operation operation) {
  for (unsigned int i = 1; i < Size; i *= 2) v = operation(v, group.shfl_xor(v, i));
  return v;
}

// Each warp, then the warps.
template <unsigned int Size, typename Parent, typename T, typename Operation, details::if_several_warps<Size> = 0>
HEDDLE_DEVICE T reduce(const thread_block_tile<Size, Parent>& group, T v, Operation operation) {
  const T of_warp = reduce(thread_block_tile<32>(), v, operation);
  return reduce(thread_block_tile<Size / 32>(), group.of_each_warp(of_warp, 0), operation);
}

template <typename T, typename Operation>
HEDDLE_DEVICE T reduce(const coalesced_group& group, T v, Operation operation) {
  T result = group.shfl(v, 0);
  for (unsigned int rank = 1; rank < group.size(); ++rank) result = operation(result, group.shfl(v, rank));
  return result;
}

}  // namespace __v1
}  // namespace cooperative_groups

#pragma pop_macro("HEDDLE_DEVICE")

#endif
