// SPDX-License-Identifier: Apache-2.0
// A warp as the convergence unit must treat it: every live lane is in the running split, in the queue, at a convergence
// barrier or parked. One call an instruction or opened block barrier; no cycles. What comes out: where
// the warp goes on (or that it waits, sleeps, has ended), results, messages to the block barriers.
#ifndef HEDDLE_TESTS_UNIT_RTL_SCHEDULE_CONVERGENCE_MODEL_H_
#define HEDDLE_TESTS_UNIT_RTL_SCHEDULE_CONVERGENCE_MODEL_H_

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "isa/isa.h"

namespace heddle::test {

using Mask = std::uint32_t;

struct Control {
  unsigned warp = 0, seq = 0;
  std::uint32_t pc = 0;
  isa::Opcode op = isa::Opcode::Nop;
  isa::BarMode mode = isa::BarMode::Sync;
  isa::BarRed red = isa::BarRed::Popc;
  unsigned rd = 255, pd = 7, bar = 0;
  std::uint32_t imm = 0;
  Mask taken = 0, p = 0;
  std::uint32_t b = 0, c = 0;
  std::array<std::uint32_t, 32> row{};
};

inline constexpr unsigned kClusterBarrier = 16;  // as a release's id

struct Release {
  unsigned warp = 0, id = 0, ones = 0;
  bool all = false, any = false;
};

struct Result {
  unsigned warp, seq, rd, pd;
  Mask mask;
  std::uint32_t value;
  bool ends;  // the scoreboard waits for it
  bool operator==(const Result&) const = default;
};

struct Arrival {
  unsigned warp;
  bool ends, cluster, waits;
  unsigned id, expected, threads, ones;
  bool phase;
  bool operator==(const Arrival&) const = default;
};

// What all warps send.
struct Sent {
  std::deque<Result> results;
  std::deque<Arrival> arrivals;
};

class WarpModel {
 public:
  enum State { Off, Runs, Waits, Sleeps, Trapped, Ended };

  void start(Mask mask) {
    *this = WarpModel();
    live = running = mask;
    state = Runs;
  }
  void load() { loaded_ = true; }
  void execute(const Control& c, unsigned yield_branches, Sent& sent);
  void open(const Release& r, Sent& sent);

  State state = Off;
  Mask live = 0, running = 0;
  Mask came = 0;                      // at the cluster's barrier, which has not opened since
  bool phase = false;                 // how often it has, modulo 2
  std::uint32_t pc = 0;               // where the running split goes on; of a sleeper: when it wakes
  std::optional<std::uint32_t> jump;  // a jump is due

  bool lanes_in_one_place() const;
  std::size_t queued() const { return queue_.size(); }
  // Block barriers at which lanes wait.
  std::vector<unsigned> ids() const {
    std::vector<unsigned> list;
    for (const auto& [place, p] : parked_)
      if (p.block) list.push_back(p.id);
    return list;
  }
  struct Counts {
    unsigned converged = 0, forced = 0, forced_syncs = 0, yields = 0, looping = 0, impatient = 0, syncs = 0,
             longest = 0;
  } counts;

 private:
  struct Split {
    std::uint32_t pc;
    Mask mask;
  };
  struct Barrier {
    std::uint32_t target;
    Mask expected, arrived;
    bool stale = false;  // lanes have waited since a round ended
  };
  struct Parked {
    Split split;
    bool block;
    Mask expected;  // WARPSYNC
    unsigned id, rd, pd, seq;
    bool reduces;
    isa::BarRed red;
  };

  void go(std::uint32_t to) {
    state = Runs;
    pc = to;
    jump = to;
  }
  void queue(std::uint32_t at, Mask mask) {
    queue_.push_back({at, mask});
    if (queue_.size() > counts.longest) counts.longest = static_cast<unsigned>(queue_.size());
  }
  // The lanes leave the running split; the others go on at `rest_pc`, or another split runs.
  void leave(Mask lanes, std::uint32_t rest_pc) {
    running &= ~lanes;
    if (running != 0) go(rest_pc);
  }
  void park(const Parked& p) {
    unsigned place = 0;
    while (parked_.contains(place)) place++;
    parked_[place] = p;
  }
  bool complete(const Barrier& b) const { return b.arrived == (b.expected & live); }
  void converge(unsigned bar) {
    counts.converged++;
    queue(barriers_.at(bar).target, barriers_.at(bar).arrived);
    barriers_.erase(bar);
  }
  bool someone_arrived() const {
    for (const auto& [bar, b] : barriers_)
      if (b.arrived != 0) return true;
    return false;
  }
  bool someone_stale() const {
    for (const auto& [bar, b] : barriers_)
      if (b.stale) return true;
    return false;
  }
  bool spun(unsigned yield_branches);
  void settle_syncs();
  void yield(std::uint32_t at);
  void choose(bool stale = false);

  std::deque<Split> queue_;
  std::map<unsigned, Barrier> barriers_;  // armed
  std::map<unsigned, Parked> parked_;     // by place: the lowest free one is taken
  unsigned spins_ = 0;                    // in 64ths
  unsigned yields_ = 0;                   // since lanes are at barriers, or a round ended
  unsigned turn_ = 0;                     // the barrier to force first
  bool loaded_ = false;
};

inline bool WarpModel::lanes_in_one_place() const {
  Mask seen = 0;
  bool once = true;
  const auto add = [&](Mask mask) {
    once = once && (seen & mask) == 0;
    seen |= mask;
  };
  add(running);
  for (const Split& s : queue_) add(s.mask);
  for (const auto& [bar, b] : barriers_) add(b.arrived);
  for (const auto& [place, p] : parked_) add(p.split.mask);
  return once && seen == live;
}

// Complete WARPSYNC masks, the one of the lowest place first; those that wait at one PC go on together.
inline void WarpModel::settle_syncs() {
  std::vector<Mask> masks;
  for (const auto& [place, p] : parked_)
    if (!p.block) masks.push_back(p.expected);
  for (const Mask mask : masks) {
    Mask here = 0;
    std::vector<Split> together;
    std::vector<unsigned> places;
    for (const auto& [place, p] : parked_) {
      if (p.block || p.expected != mask) continue;
      here |= p.split.mask;
      places.push_back(place);
      bool joined = false;
      for (Split& s : together) {
        if (s.pc != p.split.pc) continue;
        s.mask |= p.split.mask;
        joined = true;
      }
      if (!joined) together.push_back(p.split);
    }
    if ((mask & live & ~here) != 0 || places.empty()) continue;
    counts.syncs++;
    for (const unsigned place : places) parked_.erase(place);
    for (const Split& s : together) queue(s.pc, s.mask);
  }
}

// Nothing runs: the queue's head; else lanes arrived at a barrier, the next from the one whose turn it is; else a
// WARPSYNC group, unless a block barrier may still bring what it waits for. `stale`: lanes of a stale barrier, not the
// queue.
inline void WarpModel::choose(bool stale) {
  if (!queue_.empty() && !stale) {
    running = queue_.front().mask;
    const std::uint32_t at = queue_.front().pc;
    queue_.pop_front();
    return go(at);
  }
  for (unsigned n = 0; n < 16; n++) {
    const auto it = barriers_.find((turn_ + n) % 16);
    if (it == barriers_.end() || it->second.arrived == 0 || (stale && !it->second.stale)) continue;
    Barrier& b = it->second;
    counts.forced++;
    running = b.arrived;
    b.expected &= ~b.arrived;
    b.arrived = 0;
    b.stale = false;
    return go(b.target);
  }
  bool blocked = parked_.empty();
  for (const auto& [place, p] : parked_) blocked = blocked || p.block;
  if (!blocked) {
    counts.forced_syncs++;
    const Split s = parked_.begin()->second.split;
    parked_.erase(parked_.begin());
    running = s.mask;
    return go(s.pc);
  }
  state = Waits;
}

inline void WarpModel::yield(std::uint32_t at) {
  spins_ = 0;
  const std::size_t others = queue_.size();
  const bool round = someone_arrived() && yields_ >= others, forces = round && someone_stale();
  yields_ = round || !someone_arrived() ? 0 : yields_ + 1;
  if (others == 0 && !someone_arrived()) return go(at);
  counts.yields++;
  counts.impatient += forces && others != 0;
  queue(at, running);
  running = 0;
  turn_ = (turn_ + round) % 16;
  choose(forces);
  if (!round) return;
  for (auto& [bar, b] : barriers_) b.stale = b.arrived != 0;
}

// All lanes went to one place, and it may be a loop.
inline bool WarpModel::spun(unsigned yield_branches) {
  const bool waiting = !queue_.empty(), counted = waiting || someone_arrived();
  spins_ = counted ? spins_ + (waiting || loaded_ ? 64 : 1) : 0;
  loaded_ = false;
  return spins_ / 64 >= yield_branches;
}

inline void WarpModel::open(const Release& r, Sent& sent) {
  if (r.id == kClusterBarrier) {
    came = 0;
    phase = !phase;
  }
  for (auto it = parked_.begin(); it != parked_.end();) {
    const Parked p = it->second;
    if (!p.block || p.id != r.id) {
      ++it;
      continue;
    }
    if (p.reduces) {
      const std::uint32_t value = p.red == isa::BarRed::Popc                    ? r.ones
                                  : (p.red == isa::BarRed::And ? r.all : r.any) ? ~0u
                                                                                : 0u;
      sent.results.push_back({r.warp, p.seq, p.rd, p.pd, p.split.mask, value, false});
    }
    queue(p.split.pc, p.split.mask);
    it = parked_.erase(it);
  }
  if (state == Waits && !queue_.empty()) choose();
}

inline void WarpModel::execute(const Control& c, unsigned yield_branches, Sent& sent) {
  using isa::Opcode;
  const std::uint32_t next = c.pc + 8, target = next + c.imm;
  const Mask taken = c.taken;
  const bool backward = static_cast<std::int32_t>(c.imm) < 0;
  if (c.op == Opcode::Call || c.op == Opcode::Callx) {
    sent.results.push_back({c.warp, c.seq, c.rd, c.pd, taken, next, true});
  }
  const bool comes = c.op == Opcode::Cbar && c.mode == isa::BarMode::Arrive;
  if (taken != 0 && (c.op == Opcode::Exit || c.op == Opcode::Bar || comes)) {
    const bool ends = c.op == Opcode::Exit, reduces = !ends && !comes && c.mode == isa::BarMode::Red;
    const auto count = [](Mask lanes) { return static_cast<unsigned>(std::popcount(lanes)); };
    sent.arrivals.push_back({c.warp, ends, comes, c.mode != isa::BarMode::Arrive, c.b & 15, c.c & 0x7ff,
                             count(comes ? taken & ~came : taken),
                             ends      ? count(taken & came)
                             : reduces ? count(taken & c.p)
                                       : 0,
                             phase});
    if (ends) came &= ~taken;
    if (comes) came |= taken;
  }
  switch (c.op) {
    case Opcode::Bra:
    case Opcode::Call:
      if (taken == 0) return go(next);
      if (taken != running) {
        queue(target, taken);
        return leave(taken, next);
      }
      if (backward && spun(yield_branches)) return yield(target);
      return go(target);
    case Opcode::Brx:
    case Opcode::Callx:
    case Opcode::Ret: {
      Mask left = taken;
      while (left != 0) {
        const std::uint32_t to = c.row[static_cast<unsigned>(std::countr_zero(left))];
        Mask same = 0;
        for (unsigned lane = 0; lane < 32; lane++)
          if ((left >> lane & 1) != 0 && c.row[lane] == to) same |= 1u << lane;
        left &= ~same;
        if (same == running) {  // the last of them
          if (c.op == Opcode::Brx && spun(yield_branches)) {
            counts.looping++;
            return yield(to);
          }
          return go(to);
        }
        queue(to, same);
        running &= ~same;
      }
      return go(next);
    }
    case Opcode::Exit: {
      if (taken == 0) return go(next);
      live &= ~taken;
      leave(taken, next);
      std::vector<unsigned> bars;
      for (const auto& [bar, b] : barriers_)
        if (b.arrived != 0 && complete(b)) bars.push_back(bar);
      for (const unsigned bar : bars) converge(bar);
      settle_syncs();
      if (live == 0) state = Ended;
      else if (running == 0) choose();
      return;
    }
    case Opcode::Bssy: {
      const auto it = barriers_.find(c.bar);
      if (taken != 0 && (it == barriers_.end() || (it->second.expected & live) == 0))
        barriers_[c.bar] = {target, taken, 0};
      return go(next);
    }
    case Opcode::Bsync: {
      const auto it = barriers_.find(c.bar);
      const Mask arrives = it == barriers_.end() ? 0 : taken & it->second.expected;
      if (arrives == 0) return go(next);
      Barrier& b = it->second;
      b.arrived |= arrives;
      leave(arrives, next);
      if (complete(b)) {
        if (running != 0) return converge(c.bar);
        counts.converged++;
        running = b.arrived;
        go(b.target);
        barriers_.erase(it);
      } else if (running == 0) {
        choose();
      }
      return;
    }
    case Opcode::Break: {
      const auto it = barriers_.find(c.bar);
      if (it != barriers_.end()) {
        it->second.expected &= ~taken;
        if (it->second.arrived != 0 && complete(it->second)) converge(c.bar);
      }
      return go(next);
    }
    case Opcode::Warpsync:
      if (taken == 0 || (c.b & live & ~taken) == 0) return go(next);
      park({{next, taken}, false, c.b, 0, 0, 0, 0, false, isa::BarRed::Popc});
      leave(taken, next);
      settle_syncs();
      if (running == 0) choose();
      return;
    case Opcode::Yield: return yield(next);
    case Opcode::Nanosleep:
      if (!queue_.empty() || someone_arrived()) return yield(next);
      spins_ = 0;
      state = Sleeps;
      pc = next;
      return;
    case Opcode::Bar:
      if (taken == 0) {
        return go(next);
      }
      if (c.mode == isa::BarMode::Arrive) return go(next);
      park({{next, taken}, true, 0, c.b & 15, c.rd, c.pd, c.seq, c.mode == isa::BarMode::Red, c.red});
      leave(taken, next);
      if (running == 0) choose();
      return;
    case Opcode::Cbar:
      if (c.mode == isa::BarMode::Arrive || (taken & came) == 0) return go(next);
      park({{next, taken}, true, 0, kClusterBarrier, c.rd, c.pd, c.seq, false, c.red});
      leave(taken, next);
      if (running == 0) choose();
      return;
    case Opcode::Trap:
      if (taken == 0) return go(next);
      state = Trapped;
      return;
    default: return go(next);
  }
}

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_SCHEDULE_CONVERGENCE_MODEL_H_
