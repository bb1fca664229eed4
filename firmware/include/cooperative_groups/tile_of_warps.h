// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 to 1024 threads: neighbouring warps of a block, which is a whole number of them. Their barriers and what
// their warps show each other lie in shared memory: a block_tile_memory that this_thread_block() was given, else memory
// of this file's, which only programs with such tiles have. All threads of the block make the tiles together.
#if !defined(_CG_TILE_OF_WARPS_H)
#define _CG_TILE_OF_WARPS_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#pragma push_macro("HEDDLE_DEVICE")
#undef HEDDLE_DEVICE
#define HEDDLE_DEVICE __device__ __forceinline__

namespace cooperative_groups {
namespace __v1 {

namespace details {
// Of a value that a warp shows: what shuffles take at most.
constexpr unsigned int words_of_value = 8;
// For each warp its value, then for each warp a counter of arrivals. A tile's is that of the warp in its middle: tiles
// of no other size or place have that one in theirs, so tiles within tiles meet apart.
template <unsigned int Threads>
struct tile_memory {
  unsigned int words[(Threads + 31) / 32 * (words_of_value + 1)];
};
HEDDLE_DEVICE unsigned int warps_in_block() { return (block_size() + 31) / 32; }
HEDDLE_DEVICE unsigned int* arrivals(unsigned int* memory) { return memory + warps_in_block() * words_of_value; }
HEDDLE_DEVICE unsigned int* ready_tile_memory(unsigned int* memory) {
  __syncthreads();  // nobody waits there any more
  if (lane() == 0) arrivals(memory)[thread_in_block() / 32] = 0;
  __syncthreads();
  return memory;
}
HEDDLE_DEVICE unsigned int* own_tile_memory() {
  static __shared__ tile_memory<1024> memory;
  return memory.words;
}
}  // namespace details

template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory : details::tile_memory<MaxBlockSize> {};

// All threads of the block call it.
template <unsigned int MaxBlockSize>
HEDDLE_DEVICE thread_block this_thread_block(block_tile_memory<MaxBlockSize>& memory) {
  return thread_block(details::ready_tile_memory(memory.words));
}

namespace details {
template <unsigned int Size, typename Parent>
class tile<Size, Parent, true> {
  static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "a tile is a power of two of at most 1024 threads");
  static constexpr unsigned int warps = Size / 32;
  typedef thread_block_tile<warps> lane_of_each_warp;

 public:
  template <typename OtherParent>
  HEDDLE_DEVICE tile(const tile<Size, OtherParent, true>& other) : tile(other.memory_) {}
  static HEDDLE_DEVICE tile of(const thread_block& block) {
    return tile(block.tile_memory_ ? block.tile_memory_ : ready_tile_memory(own_tile_memory()));
  }
  template <unsigned int OtherSize, typename OtherParent>
  static HEDDLE_DEVICE tile of(const tile<OtherSize, OtherParent, true>& whole) {
    static_assert(Size <= OtherSize, "a part of a tile is not larger than the tile");
    return tile(whole.memory_);
  }

  HEDDLE_DEVICE void sync() const {
    __syncwarp();
    if (lane() == 0) {
      __threadfence_block();
      const unsigned int before = atomicAdd(arrived_, 1u);
      const volatile unsigned int* const now = arrived_;
      while (*now / warps == before / warps) {
      }
      __threadfence_block();
    }
    __syncwarp();
  }
  HEDDLE_DEVICE unsigned int thread_rank() const { return thread_in_block() & (Size - 1); }
  static HEDDLE_DEVICE constexpr unsigned int size() { return Size; }
  static HEDDLE_DEVICE constexpr unsigned int num_threads() { return Size; }
  HEDDLE_DEVICE unsigned int meta_group_rank() const { return thread_in_block() % parent_size<Parent>() / Size; }
  HEDDLE_DEVICE unsigned int meta_group_size() const { return (parent_size<Parent>() + Size - 1) / Size; }
  // All threads name the same one.
  template <typename T>
  HEDDLE_DEVICE T shfl(const T& v, unsigned int rank) const {
    return shown(v, thread_rank() == rank, 0, 0);
  }
  HEDDLE_DEVICE int any(int predicate) const {
    return lane_of_each_warp().any(of_each_warp(__any_sync(0xffffffffu, predicate), 0));
  }
  HEDDLE_DEVICE int all(int predicate) const {
    return lane_of_each_warp().all(of_each_warp(__all_sync(0xffffffffu, predicate), 0));
  }
  // For reductions and scans: what that lane of each warp has, those of the first warp to the first lane, and so on;
  // again from the first one where there are fewer warps than lanes.
  template <typename T>
  HEDDLE_DEVICE T of_each_warp(const T& v, unsigned int lane) const {
    return shown(v, details::lane() == lane, thread_rank() / 32, details::lane() % warps);
  }

 private:
  template <unsigned int, typename, bool>
  friend class tile;
  HEDDLE_DEVICE explicit tile(unsigned int* memory)
      : memory_(memory), arrived_(arrivals(memory) + first_warp() + warps / 2) {}
  static HEDDLE_DEVICE unsigned int first_warp() { return thread_in_block() / Size * warps; }
  // Who is to show `v` puts it into the place of the warp `to`; everybody gets what the place `from` has then.
  template <typename T>
  HEDDLE_DEVICE T shown(const T& v, bool shows, unsigned int to, unsigned int from) const {
    unsigned int word = 0;
    if (shows) by_words(v, [&](unsigned int value) { return place(to)[word++] = value; });
    sync();
    word = 0;
    const T result = by_words(v, [&](unsigned int) { return place(from)[word++]; });
    sync();
    return result;
  }
  HEDDLE_DEVICE volatile unsigned int* place(unsigned int warp) const {
    return memory_ + (first_warp() + warp) * words_of_value;
  }
  unsigned int *memory_, *arrived_;
};
}  // namespace details

}  // namespace __v1
}  // namespace cooperative_groups

#pragma pop_macro("HEDDLE_DEVICE")

#endif

#endif  // _CG_TILE_OF_WARPS_H
