// SPDX-License-Identifier: Apache-2.0
// Groups within tiles and coalesced groups: by a bit, by a label, by rank. Their threads are together.
#if !defined(_CG_PARTITION_H)
#define _CG_PARTITION_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#pragma push_macro("HEDDLE_DEVICE")
#undef HEDDLE_DEVICE
#define HEDDLE_DEVICE __device__ __forceinline__

namespace cooperative_groups {
namespace __v1 {

HEDDLE_DEVICE coalesced_group binary_partition(const lane_group& parent, bool bit) {
  const unsigned int set = __ballot_sync(parent.lane_mask(), bit);
  return coalesced_group(bit ? set : parent.lane_mask() & ~set, bit, 2);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
// The groups are counted by their first threads.
template <typename Label>
HEDDLE_DEVICE coalesced_group labeled_partition(const lane_group& parent, Label label) {
  // Word by word: clang 14 writes the match of 64 bits with a result of 64.
  const unsigned long long bits = (unsigned long long)label;
  unsigned int mask = __match_any_sync(parent.lane_mask(), (unsigned int)bits);
  if (sizeof(Label) > 4) mask &= __match_any_sync(parent.lane_mask(), (unsigned int)(bits >> 32));
  const unsigned int first = mask & (0u - mask);
  const unsigned int firsts = __ballot_sync(parent.lane_mask(), first == 1u << details::lane());
  return coalesced_group(mask, __popc(firsts & (first - 1)), __popc(firsts));
}
#endif

// `size` threads each, by rank; the last group has what is left.
HEDDLE_DEVICE coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
  const unsigned int mine = parent.thread_rank() / size, groups = (parent.size() + size - 1) / size;
  unsigned int mask = 0, rank = 0;
  for (unsigned int rest = parent.lane_mask(); rest; rest &= rest - 1, ++rank)
    if (rank / size == mine) mask |= rest & (0u - rest);
  return coalesced_group(mask, mine, groups);
}
template <unsigned int Size>
HEDDLE_DEVICE coalesced_group tiled_partition(const coalesced_group& parent) {
  return tiled_partition(parent, Size);
}

// One thread of the group does it; broadcast: all get its answer.
template <typename Group, typename F, typename... Arguments>
HEDDLE_DEVICE void invoke_one(const Group& group, F&& f, Arguments&&... arguments) {
  if (group.thread_rank() == 0) f(static_cast<Arguments&&>(arguments)...);
}
template <typename Group, typename F, typename... Arguments>
HEDDLE_DEVICE auto invoke_one_broadcast(const Group& group, F&& f, Arguments&&... arguments)
    -> decltype(f(static_cast<Arguments&&>(arguments)...)) {
  decltype(f(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = f(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace __v1
}  // namespace cooperative_groups

#pragma pop_macro("HEDDLE_DEVICE")

#endif

#endif  // _CG_PARTITION_H
