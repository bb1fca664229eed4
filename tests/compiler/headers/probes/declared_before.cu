// SPDX-License-Identifier: Apache-2.0
// Libraries declare cooperative groups where CUDA has them, before or without the header.
namespace cooperative_groups {
namespace __v1 {
class thread_block;
template <unsigned int Size, typename Parent>
class thread_block_tile;
}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

template <typename Group>
struct threads_of {
  static constexpr int value = 0;
};
template <>
struct threads_of<cooperative_groups::thread_block> {
  static constexpr int value = -1;
};
template <unsigned int Size, typename Parent>
struct threads_of<cooperative_groups::thread_block_tile<Size, Parent>> {
  static constexpr int value = Size;
};

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <typename Group>
__device__ int all_of_it(const Group& group, int v) {
  return threads_of<Group>::value + cg::reduce(group, v, cg::plus<int>()) + cg::inclusive_scan(group, v) +
         cg::exclusive_scan(group, v);
}
__global__ void k(int* p) {
  const auto block = cg::this_thread_block();
  const auto half = cg::tiled_partition<64>(block);
  const auto few = cg::tiled_partition<4>(cg::tiled_partition<32>(half));
  const cg::thread_block_tile<4> copy = few;
  const cg::thread_block_tile<64> large = half;
  static_assert(threads_of<cg::__v1::thread_block>::value == -1 && threads_of<decltype(half)>::value == 0, "");
  *p = all_of_it(block.size() ? copy : cg::thread_block_tile<4>(), *p) + all_of_it(large, *p);
}
