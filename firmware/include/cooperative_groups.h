// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: the block, static tiles of it, coalesced threads. cooperative_groups/ has tiles of several warps,
// the cluster, the grid and partitions, which come with this file, and reductions, scans and copies, which are included
// by name.
//
// A tile of up to 32 threads (a power of two) is neighbouring lanes of a warp; its collectives are the warp's with the
// tile's lane mask. A larger one is neighbouring warps, which meet in shared memory.
//
// All lies in CUDA's namespace __v1, where other libraries declare the block and tiles before they are defined here.
#if !defined(_COOPERATIVE_GROUPS_H_)
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if defined(__cplusplus) && defined(__CUDACC__)

namespace cooperative_groups {
namespace __v1 {

#pragma push_macro("HEDDLE_DEVICE")
#define HEDDLE_DEVICE __device__ __forceinline__

namespace details {
HEDDLE_DEVICE unsigned int lane() {
  unsigned int id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
HEDDLE_DEVICE unsigned int lanes_below() {
  unsigned int mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
HEDDLE_DEVICE unsigned int thread_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
HEDDLE_DEVICE unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
// A value of any type, shuffled word by word.
template <typename T, typename Shuffle>
HEDDLE_DEVICE T by_words(const T& v, const Shuffle& shuffle) {
  static_assert(__is_trivially_copyable(T) && sizeof(T) <= 32,
                "shuffles take trivially copyable types of at most 32 bytes");
  unsigned int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &v, sizeof(T));
  for (unsigned int& word : words) word = shuffle(word);
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}
}  // namespace details

template <unsigned int Size, typename Parent = void>
class thread_block_tile;

namespace details {
// What a tile does, of one warp or of several.
template <unsigned int Size, typename Parent, bool SeveralWarps = (Size > 32)>
class tile;

// For functions of tiles of one kind alone.
template <bool Wanted>
struct only_if;
template <>
struct only_if<true> {
  typedef int type;
};
template <unsigned int Size>
using if_one_warp = typename only_if<(Size <= 32)>::type;
template <unsigned int Size>
using if_several_warps = typename only_if<(Size > 32)>::type;
}  // namespace details

// All threads of the block.
class thread_block {
 public:
  HEDDLE_DEVICE explicit thread_block(unsigned int* tile_memory = nullptr) : tile_memory_(tile_memory) {}
  struct arrival_token {};
  static HEDDLE_DEVICE void sync() { __syncthreads(); }
  static HEDDLE_DEVICE void barrier_sync() { __syncthreads(); }
  // Who arrives has to wait, so it may as well wait at once for what others did before they arrived.
  static HEDDLE_DEVICE arrival_token barrier_arrive() { return {}; }
  static HEDDLE_DEVICE void barrier_wait(arrival_token&&) { __syncthreads(); }
  static HEDDLE_DEVICE unsigned int thread_rank() { return details::thread_in_block(); }
  static HEDDLE_DEVICE unsigned int size() { return details::block_size(); }
  static HEDDLE_DEVICE unsigned int num_threads() { return details::block_size(); }
  static HEDDLE_DEVICE dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static HEDDLE_DEVICE dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static HEDDLE_DEVICE dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static HEDDLE_DEVICE dim3 dim_threads() { return group_dim(); }

 private:
  template <unsigned int, typename, bool>
  friend class details::tile;
  unsigned int* tile_memory_;  // this_thread_block() was given; null: none
};
HEDDLE_DEVICE thread_block this_thread_block() { return thread_block(); }

// What tiles and coalesced groups share: a lane mask and collectives over it. `rank` counts the group's
// lanes from the lowest.
class lane_group {
 public:
  HEDDLE_DEVICE explicit lane_group(unsigned int mask) : mask_(mask) {}
  HEDDLE_DEVICE void sync() const { __syncwarp(mask_); }
  HEDDLE_DEVICE unsigned int thread_rank() const { return __popc(mask_ & details::lanes_below()); }
  HEDDLE_DEVICE unsigned int size() const { return __popc(mask_); }
  HEDDLE_DEVICE unsigned int num_threads() const { return size(); }
  HEDDLE_DEVICE int any(int predicate) const { return __any_sync(mask_, predicate); }
  HEDDLE_DEVICE int all(int predicate) const { return __all_sync(mask_, predicate); }
  HEDDLE_DEVICE unsigned int lane_mask() const { return mask_; }

 protected:
  unsigned int mask_;
};

// Its collectives that give a mask: lane bits of the warp, which Group::packed() makes rank bits of the group.
template <typename Group>
class ranked_lane_group : public lane_group {
 public:
  HEDDLE_DEVICE explicit ranked_lane_group(unsigned int mask) : lane_group(mask) {}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  template <typename T>
  HEDDLE_DEVICE unsigned int match_any(T v) const {
    return group().packed(__match_any_sync(mask_, v));
  }
  template <typename T>
  HEDDLE_DEVICE unsigned int match_all(T v, int& predicate) const {
    return group().packed(__match_all_sync(mask_, v, &predicate));
  }
#endif
  HEDDLE_DEVICE unsigned int ballot(int predicate) const { return group().packed(__ballot_sync(mask_, predicate)); }

 private:
  HEDDLE_DEVICE const Group& group() const { return static_cast<const Group&>(*this); }
};

namespace details {
template <typename Parent>
struct size_of_parent {
  static HEDDLE_DEVICE unsigned int threads() { return block_size(); }
};
template <unsigned int Size, typename Parent>
struct size_of_parent<thread_block_tile<Size, Parent>> {
  static HEDDLE_DEVICE unsigned int threads() { return Size; }
};
template <typename Parent>
HEDDLE_DEVICE unsigned int parent_size() {
  return size_of_parent<Parent>::threads();
}

template <unsigned int Size, typename Parent>
class tile<Size, Parent, false> : public ranked_lane_group<tile<Size, Parent>> {
  using lanes_of_tile = ranked_lane_group<tile>;
  using lanes_of_tile::mask_;
  friend lanes_of_tile;
  static_assert(Size >= 1 && (Size & (Size - 1)) == 0, "a tile is a power of two of threads");

 public:
  HEDDLE_DEVICE tile() : lanes_of_tile((0xffffffffu >> (32 - Size)) << (thread_in_block() & 31u & ~(Size - 1))) {}
  template <typename OtherParent>
  HEDDLE_DEVICE tile(const tile<Size, OtherParent>& other) : lanes_of_tile(other.lane_mask()) {}
  template <typename Group>
  static HEDDLE_DEVICE tile of(const Group&) {
    return tile();
  }
  HEDDLE_DEVICE unsigned int thread_rank() const { return thread_in_block() & (Size - 1); }
  static HEDDLE_DEVICE constexpr unsigned int size() { return Size; }
  static HEDDLE_DEVICE constexpr unsigned int num_threads() { return Size; }
  // Which of the parent's tiles this is, and how many it has.
  HEDDLE_DEVICE unsigned int meta_group_rank() const { return thread_in_block() % parent_size<Parent>() / Size; }
  HEDDLE_DEVICE unsigned int meta_group_size() const { return (parent_size<Parent>() + Size - 1) / Size; }
  template <typename T>
  HEDDLE_DEVICE T shfl(T v, int rank) const {
    return by_words(v, [&](unsigned int word) { return __shfl_sync(mask_, word, rank, Size); });
  }
  template <typename T>
  HEDDLE_DEVICE T shfl_up(T v, unsigned int delta) const {
    return by_words(v, [&](unsigned int word) { return __shfl_up_sync(mask_, word, delta, Size); });
  }
  template <typename T>
  HEDDLE_DEVICE T shfl_down(T v, unsigned int delta) const {
    return by_words(v, [&](unsigned int word) { return __shfl_down_sync(mask_, word, delta, Size); });
  }
  template <typename T>
  HEDDLE_DEVICE T shfl_xor(T v, unsigned int lanes) const {
    return by_words(v, [&](unsigned int word) { return __shfl_xor_sync(mask_, word, lanes, Size); });
  }

 private:
  // The tile's lanes stand in a row.
  HEDDLE_DEVICE unsigned int packed(unsigned int lanes) const {
    return lanes >> (thread_in_block() & 31u & ~(Size - 1));
  }
};
}  // namespace details

template <unsigned int Size, typename Parent>
class thread_block_tile : public details::tile<Size, Parent> {
  using tile = details::tile<Size, Parent>;

 public:
  thread_block_tile() = default;
  HEDDLE_DEVICE explicit thread_block_tile(const tile& as) : tile(as) {}
  template <typename OtherParent>
  HEDDLE_DEVICE thread_block_tile(const thread_block_tile<Size, OtherParent>& other) : tile(other) {}
};

template <unsigned int Size, typename Parent>
HEDDLE_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<Size, Parent>(details::tile<Size, Parent>::of(parent));
}

// The threads of a warp that arrive together.
class coalesced_group : public ranked_lane_group<coalesced_group> {
  friend ranked_lane_group;

 public:
  HEDDLE_DEVICE explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0, unsigned int meta_size = 1)
      : ranked_lane_group(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  template <typename T>
  HEDDLE_DEVICE T shfl(T v, unsigned int rank) const {
    return from(v, rank);
  }
  template <typename T>
  HEDDLE_DEVICE T shfl_up(T v, unsigned int delta) const {
    const int rank = (int)thread_rank() - (int)delta;
    const T r = from(v, rank < 0 ? 0 : (unsigned int)rank);
    return rank < 0 ? v : r;
  }
  template <typename T>
  HEDDLE_DEVICE T shfl_down(T v, unsigned int delta) const {
    const unsigned int rank = thread_rank() + delta;
    const T r = from(v, rank >= size() ? 0 : rank);
    return rank >= size() ? v : r;
  }
  // Of a partition: which of the groups this is, and how many there are.
  HEDDLE_DEVICE unsigned int meta_group_rank() const { return meta_rank_; }
  HEDDLE_DEVICE unsigned int meta_group_size() const { return meta_size_; }

 private:
  HEDDLE_DEVICE unsigned int packed(unsigned int lanes) const {
    unsigned int ranks = 0, rank = 0;
    for (unsigned int rest = mask_; rest; rest &= rest - 1, ++rank)
      ranks |= ((lanes >> (__ffs((int)rest) - 1)) & 1u) << rank;
    return ranks;
  }
  template <typename T>
  HEDDLE_DEVICE T from(const T& v, unsigned int rank) const {
    const int lane = (int)__fns(mask_, 0, (int)rank + 1);
    return details::by_words(v, [&](unsigned int word) { return __shfl_sync(mask_, word, lane); });
  }
  unsigned int meta_rank_, meta_size_;
};
HEDDLE_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// Groups by value where no type is to be named.
class thread_group {
 public:
  HEDDLE_DEVICE thread_group(const thread_block&) : mask_(0) {}
  HEDDLE_DEVICE thread_group(const lane_group& g) : mask_(g.lane_mask()) {}
  HEDDLE_DEVICE void sync() const {
    if (mask_) __syncwarp(mask_);
    else __syncthreads();
  }
  HEDDLE_DEVICE unsigned int thread_rank() const {
    return mask_ ? __popc(mask_ & details::lanes_below()) : details::thread_in_block();
  }
  HEDDLE_DEVICE unsigned int size() const { return mask_ ? __popc(mask_) : details::block_size(); }
  HEDDLE_DEVICE unsigned int num_threads() const { return size(); }
  HEDDLE_DEVICE unsigned int lane_mask() const { return mask_; }

 private:
  unsigned int mask_;  // 0: the whole block
};

// A tile whose size is known at run time only.
HEDDLE_DEVICE thread_group tiled_partition(const thread_group&, unsigned int size) {
  const unsigned int first = details::thread_in_block() & 31u & ~(size - 1);
  return lane_group((0xffffffffu >> (32 - size)) << first);
}

template <typename Group>
HEDDLE_DEVICE void sync(const Group& g) {
  g.sync();
}
template <typename Group>
HEDDLE_DEVICE unsigned int thread_rank(const Group& g) {
  return (unsigned int)g.thread_rank();
}
template <typename Group>
HEDDLE_DEVICE unsigned int group_size(const Group& g) {
  return (unsigned int)g.size();
}

#pragma pop_macro("HEDDLE_DEVICE")

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#include "cooperative_groups/cluster.h"
#include "cooperative_groups/grid.h"
#include "cooperative_groups/partition.h"
#include "cooperative_groups/tile_of_warps.h"

#endif

#endif  // _COOPERATIVE_GROUPS_H_
