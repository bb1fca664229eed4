// SPDX-License-Identifier: Apache-2.0
// inclusive_scan() and exclusive_scan() over tiles and coalesced groups, in the order of ranks.
#if !defined(_CG_SCAN_H)
#define _CG_SCAN_H

#include "../cooperative_groups.h"
#include "reduce.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#pragma push_macro("HEDDLE_DEVICE")
#undef HEDDLE_DEVICE
#define HEDDLE_DEVICE __device__ __forceinline__

namespace cooperative_groups {
namespace __v1 {

// What the thread and all of lower rank have, combined; of the first of the group: what it has.
template <typename Group, typename T, typename Operation>
HEDDLE_DEVICE T inclusive_scan(const Group& group, T v, Operation operation) {
  const unsigned int rank = (unsigned int)group.thread_rank(), size = (unsigned int)group.size();
  for (unsigned int step = 1; step < size; step *= 2) {
    const T below = group.shfl_up(v, step);
    if (rank >= step) v = operation(below, v);
  }
  return v;
}

namespace details {
// What the threads of lower warps have, combined; nothing for those of the first. `v`: an inclusive scan of the warp.
template <unsigned int Size, typename Parent, typename T, typename Operation>
HEDDLE_DEVICE T lower_warps(const thread_block_tile<Size, Parent>& group, const T& v, Operation operation) {
  const T warps = inclusive_scan(thread_block_tile<Size / 32>(), group.of_each_warp(v, 31), operation);
  const unsigned int warp = group.thread_rank() / 32;
  return thread_block_tile<32>().shfl(warps, warp == 0 ? 0 : (int)warp - 1);
}
}  // namespace details

template <unsigned int Size, typename Parent, typename T, typename Operation, details::if_several_warps<Size> = 0>
HEDDLE_DEVICE T inclusive_scan(const thread_block_tile<Size, Parent>& group, T v, Operation operation) {
  v = inclusive_scan(thread_block_tile<32>(), v, operation);
  const T lower = details::lower_warps(group, v, operation);
  return group.thread_rank() < 32 ? v : operation(lower, v);
}
template <typename Group, typename T>
HEDDLE_DEVICE T inclusive_scan(const Group& group, T v) {
  return inclusive_scan(group, v, plus<T>());
}

// The same without the thread's own; the first of the group gets T().
template <typename Group, typename T, typename Operation>
HEDDLE_DEVICE T exclusive_scan(const Group& group, T v, Operation operation) {
  const T below = group.shfl_up(inclusive_scan(group, v, operation), 1);
  return group.thread_rank() == 0 ? T() : below;
}
template <unsigned int Size, typename Parent, typename T, typename Operation, details::if_several_warps<Size> = 0>
HEDDLE_DEVICE T exclusive_scan(const thread_block_tile<Size, Parent>& group, T v, Operation operation) {
  const thread_block_tile<32> warp;
  v = inclusive_scan(warp, v, operation);
  const T lower = details::lower_warps(group, v, operation), below = warp.shfl_up(v, 1);
  if (group.thread_rank() < 32) return warp.thread_rank() == 0 ? T() : below;
  return warp.thread_rank() == 0 ? lower : operation(lower, below);
}
template <typename Group, typename T>
HEDDLE_DEVICE T exclusive_scan(const Group& group, T v) {
  return exclusive_scan(group, v, plus<T>());
}

}  // namespace __v1
}  // namespace cooperative_groups

#pragma pop_macro("HEDDLE_DEVICE")

#endif

#endif  // _CG_SCAN_H
