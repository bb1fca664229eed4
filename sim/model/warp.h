// SPDX-License-Identifier: Apache-2.0
// A warp: where each of its lanes stands. Lanes that run together form a split (a PC and a mask). A
// live lane is in exactly one place: a ready split, a convergence barrier where it has arrived, or
// a parked split (at a block barrier or a WARPSYNC).
//
//   @P0 BRA far           lanes 0-3 jump: ready splits {far, 0x0000000f} and {next, 0xfffffff0}
//   BSYNC B0 (each side)  the side that comes first arrives and waits; with the second B0 opens:
//                         ready split {target of B0, 0xffffffff}
#pragma once

#include <array>
#include <cstdint>

#include "sim/model/decode.h"
#include "sim/model/row.h"
#include "sim/model/warp_view.h"

namespace heddle::model {

struct Split {
  uint32_t pc = 0;
  Mask mask = 0;
  bool fresh = false;  // let go by a barrier of block or cluster, and not run since (for the lockstep checker)
};

enum class Wait : uint8_t { Block, Sync };

// Lanes that wait until others come; they go on at pc.
struct Parked {
  Split split;
  Wait wait = Wait::Block;
  uint32_t what = 0;  // Block: barrier; Sync: mask
  const Decoded* instruction = nullptr;
  uint32_t tag = 0;  // the caller's, returned on release
};

struct ConvergenceBarrier {
  Mask expected = 0;
  Mask arrived = 0;
  uint32_t target = 0;
  bool stale = false;  // lanes have waited since a round of the splits ended
};

struct Block;

// At most 32 entries, since masks are disjoint; the front runs.
template <typename T>
struct LaneList {
  std::array<T, kLanes> items;
  int count = 0;

  bool empty() const { return count == 0; }
  T& operator[](int i) { return items[static_cast<size_t>(i)]; }
  const T& operator[](int i) const { return items[static_cast<size_t>(i)]; }
  void push_back(const T& item) { items[static_cast<size_t>(count++)] = item; }
  void push_front(const T& item) {
    for (int i = count++; i > 0; i--) (*this)[i] = (*this)[i - 1];
    (*this)[0] = item;
  }
  void remove(int index) {
    count--;
    for (int i = index; i < count; i++) (*this)[i] = (*this)[i + 1];
  }
};

struct Warp {
  bool resident = false;
  Mask live = 0;
  LaneList<Split> ready;
  LaneList<Parked> parked;
  Mask arrived = 0;  // lanes whose arrival at the cluster's barrier, which is still closed, has been counted
  std::array<ConvergenceBarrier, isa::kNumConvergenceBarriers> convergence;
  std::array<uint32_t, 8> predicates{};  // [7] is PT
  Row* rows = nullptr;                   // R0 in the SM's register file
  Block* block = nullptr;
  WarpView view;
  uint32_t spins = 0;        // backward branches since a split gave way or was alone, in 64ths
  bool loaded = false;       // it has loaded since the last of them
  uint8_t yields = 0;        // since lanes wait at convergence barriers, or a round ended
  uint8_t turn = 0;          // the barrier that is the first to let lanes go on
  uint32_t turn_length = 1;  // instructions of its next turn among warps (machine.cc)

  // A new block's warp: `lanes` stand at `pc`.
  // `undefined`: what its predicates hold.
  void start(uint32_t pc, Mask lanes, uint32_t undefined = 0);

  // ---- convergence ----
  void arm(unsigned barrier, Mask lanes, uint32_t target);
  // BSYNC: `lanes` (no longer in a ready split) arrive. Returns those that the barrier does not
  // expect.
  Mask arrive(unsigned barrier, Mask lanes);
  void leave(unsigned barrier, Mask lanes);
  // `lanes`, no longer in a ready split, end.
  void exit(Mask lanes);
  // WARPSYNC: `lanes` wait for the live lanes of `mask`, and go on at `next`.
  void sync(Mask mask, Mask lanes, uint32_t next);
  // Lanes that wait at `barrier` go on without the rest. False when none waits.
  bool force(unsigned barrier);
  // Do lanes wait at a convergence barrier?
  bool gathers() const;
  // The running split, at the front, goes to the tail. When each of those that are ready did so once, a round ends:
  // lanes that waited at a barrier already when the last one ended go on, since splits that spin, each in its turn, may
  // all wait for them. Who came since then still has time to meet the others.
  void give_way();
  // What happens when nothing else can run: lanes at a barrier go on, else,
  // with no lane at a block barrier, lanes that wait at a WARPSYNC go on without the rest.
  bool force_any();
  bool force_sync();

  // Takes parked entries out that `select` names.
  template <typename F, typename G>
  void release_parked(F select, G each) {
    for (int i = 0; i < parked.count;) {
      if (!select(parked[i])) {
        i++;
        continue;
      }
      const Parked p = parked[i];
      parked.remove(i);
      each(p);
    }
  }

 private:
  // force() on the first barrier at which lanes wait, counted from the one whose turn it is; of all, or of the stale
  // ones.
  bool force_next(bool stale);
  void settle(ConvergenceBarrier& b);
  void settle_syncs();
};

}  // namespace heddle::model
