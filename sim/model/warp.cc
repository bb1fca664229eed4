// SPDX-License-Identifier: Apache-2.0
#include "sim/model/warp.h"

#include <algorithm>

namespace heddle::model {

void Warp::start(uint32_t pc, Mask lanes, uint32_t undefined) {
  resident = true;
  live = lanes;
  ready.count = parked.count = 0;
  ready.push_back({pc, lanes});
  arrived = 0;
  convergence.fill({});
  predicates.fill(undefined);
  predicates[isa::kPt] = kAllLanes;
  spins = 0;
  loaded = false;
  yields = turn = 0;
  turn_length = 1;
}

// Opens the barrier when all that it expects have come.
void Warp::settle(ConvergenceBarrier& b) {
  if (b.arrived == 0 || b.arrived != b.expected) return;
  ready.push_back({b.target, b.arrived});
  b = {};
}

void Warp::arm(unsigned barrier, Mask lanes, uint32_t target) {
  ConvergenceBarrier& b = convergence[barrier];
  if (b.expected != 0) return;
  b = {lanes, 0, target};
}

Mask Warp::arrive(unsigned barrier, Mask lanes) {
  ConvergenceBarrier& b = convergence[barrier];
  const Mask rest = lanes & ~b.expected;
  b.arrived |= lanes & b.expected;
  settle(b);
  return rest;
}

void Warp::leave(unsigned barrier, Mask lanes) {
  ConvergenceBarrier& b = convergence[barrier];
  b.expected &= ~(lanes & ~b.arrived);
  settle(b);
}

void Warp::exit(Mask lanes) {
  live &= ~lanes;
  for (ConvergenceBarrier& b : convergence) {
    if ((b.expected & lanes) == 0) continue;
    b.expected &= ~lanes;
    settle(b);
  }
  settle_syncs();
}

void Warp::sync(Mask mask, Mask lanes, uint32_t next) {
  parked.push_back({{next, lanes}, Wait::Sync, mask, nullptr, 0});
  settle_syncs();
}

void Warp::settle_syncs() {
  for (int i = 0; i < parked.count; i++) {
    if (parked[i].wait != Wait::Sync) continue;
    const uint32_t mask = parked[i].what;
    Mask here = 0;
    for (int k = 0; k < parked.count; k++) {
      if (parked[k].wait == Wait::Sync && parked[k].what == mask) here |= parked[k].split.mask;
    }
    if (mask & live & ~here) continue;
    // Those that wait at one place go on together.
    LaneList<Split> together;
    release_parked([&](const Parked& p) { return p.wait == Wait::Sync && p.what == mask; },
                   [&](const Parked& p) {
                     for (int k = 0; k < together.count; k++) {
                       if (together[k].pc == p.split.pc) {
                         together[k].mask |= p.split.mask;
                         return;
                       }
                     }
                     together.push_back(p.split);
                   });
    for (int k = 0; k < together.count; k++) ready.push_back(together[k]);
    i = -1;
  }
}

bool Warp::force(unsigned barrier) {
  ConvergenceBarrier& b = convergence[barrier];
  if (b.arrived == 0) return false;
  ready.push_front({b.target, b.arrived});
  b.expected &= ~b.arrived;
  b.arrived = 0;
  b.stale = false;
  return true;
}

bool Warp::force_next(bool stale) {
  const unsigned count = static_cast<unsigned>(convergence.size());
  for (unsigned n = 0; n < count; n++) {
    const unsigned b = (turn + n) % count;
    if ((convergence[b].stale || !stale) && force(b)) return true;
  }
  return false;
}

bool Warp::force_any() { return force_next(false) || force_sync(); }

bool Warp::gathers() const {
  return std::any_of(convergence.begin(), convergence.end(),
                     [](const ConvergenceBarrier& b) { return b.arrived != 0; });
}

void Warp::give_way() {
  spins = 0;
  const int others = ready.count - 1;
  const Split split = ready[0];
  ready.remove(0);
  ready.push_back(split);
  const bool round = gathers() && yields >= others;
  yields = round || !gathers() ? 0 : yields + 1;
  if (!round) return;
  turn = (turn + 1) % convergence.size();
  force_next(true);
  for (ConvergenceBarrier& b : convergence) b.stale = b.arrived != 0;
}

bool Warp::force_sync() {
  for (int i = 0; i < parked.count; i++) {
    if (parked[i].wait == Wait::Block) return false;
  }
  if (parked.empty()) return false;
  ready.push_back(parked[0].split);
  parked.remove(0);
  return true;
}

}  // namespace heddle::model
