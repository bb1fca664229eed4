// SPDX-License-Identifier: Apache-2.0
#include "sim/model/control.h"

#include <bit>

namespace heddle::model {
namespace {

using isa::Opcode;

uint32_t register_value(const Lanes& l, uint8_t r, int lane) { return r == isa::kRz ? 0 : l.rows[r].lane[lane]; }

void write_lanes(Lanes& l, uint8_t rd, uint32_t value) {
  if (rd == isa::kRz) return;
  for (Mask left = l.mask; left; left &= left - 1) l.rows[rd].lane[std::countr_zero(left)] = value;
}

void go_on(Warp& warp, uint32_t pc, Mask lanes) {
  if (lanes) warp.ready.push_front({pc, lanes});
}

// Each lane goes on where `targets` says; lanes with one target stay together.
void jump_by_lane(Warp& warp, const Row& targets, Mask lanes) {
  while (lanes) {
    const uint32_t target = targets.lane[std::countr_zero(lanes)];
    Mask same = 0;
    for (int i = 0; i < kLanes; i++) same |= static_cast<Mask>(targets.lane[i] == target) << i;
    warp.ready.push_back({target, same & lanes});
    lanes &= ~same;
  }
}

Outcome block_barrier(Warp& warp, const Decoded& d, uint32_t next, Lanes& l, uint32_t tag) {
  const int first = std::countr_zero(l.mask);
  const unsigned id = l.b->lane[first] % isa::kNumBlockBarriers;
  const uint32_t expected = register_value(l, d.rc, first) & 0x7ff;
  const auto mode = static_cast<isa::BarMode>(d.get(field::BlockBarrier_mode));
  const Mask ones = mode == isa::BarMode::Red ? predicate(l.predicates, d.get(field::BlockBarrier_p)) : 0;
  const bool wait = mode != isa::BarMode::Arrive;
  if (wait) {
    warp.parked.push_back({{next, l.mask}, Wait::Block, id, &d, tag});
  } else {
    go_on(warp, next, l.mask);
  }
  warp.block->arrive(id, l.mask, expected, ones, wait);
  return Outcome::Barrier;
}

// Lanes that come to an open barrier are fresh: hardware may let them wait until it has heard.
Outcome cluster_barrier(Warp& warp, const Decoded& d, Split split, uint32_t next, Lanes& l, uint32_t tag) {
  if (!d.get(field::ClusterBarrier_wait)) {
    warp.block->cluster().arrived += static_cast<uint32_t>(std::popcount(l.mask & ~warp.arrived));
    warp.arrived |= l.mask;
    go_on(warp, next, split.mask);
    return Outcome::Barrier;
  }
  if (l.mask & warp.arrived) {
    warp.parked.push_back({{next, l.mask}, Wait::Block, kClusterBarrier, &d, tag});
  } else {
    warp.ready.push_front({next, l.mask, true});
  }
  go_on(warp, next, split.mask & ~l.mask);
  return Outcome::Go;
}

// Threads that end are no longer waited for.
void leave_cluster(Warp& warp, Mask lanes) {
  ClusterBarrier& cluster = warp.block->cluster();
  cluster.live -= static_cast<uint32_t>(std::popcount(lanes));
  cluster.arrived -= static_cast<uint32_t>(std::popcount(lanes & warp.arrived));
  warp.arrived &= ~lanes;
}

}  // namespace

Outcome execute_control(Warp& warp, const Decoded& d, Split split, Lanes& l, uint32_t tag) {
  const uint32_t next = split.pc + isa::kInstructionBytes;
  const Mask rest = split.mask & ~l.mask;  // lanes that the guard leaves out
  if (l.mask == 0) {
    go_on(warp, next, split.mask);
    return Outcome::Go;
  }
  switch (d.op) {
    case Opcode::Bra:
      if (rest == 0) {
        warp.ready.push_front({next + d.imm, l.mask});
      } else {
        warp.ready.push_back({next + d.imm, l.mask});
        go_on(warp, next, rest);
      }
      return Outcome::Go;
    case Opcode::Call:
      write_lanes(l, d.rd, next);
      warp.ready.push_front({next + d.imm, l.mask});
      go_on(warp, next, rest);
      return rest == 0 && static_cast<int32_t>(d.imm) < 0 ? Outcome::Loop : Outcome::Go;
    case Opcode::Brx:
    case Opcode::Ret:
    case Opcode::Callx: {
      const Row targets = d.ra == isa::kRz ? kZeroRow : l.rows[d.ra];
      if (d.op == Opcode::Callx) write_lanes(l, d.rd, next);
      const uint32_t first = targets.lane[std::countr_zero(split.mask) % 32];  // never 0: said for the compiler
      bool together = d.op == Opcode::Brx && rest == 0;
      for (Mask left = l.mask; together && left; left &= left - 1)
        together = targets.lane[std::countr_zero(left)] == first;
      if (together) {
        warp.ready.push_front({first, l.mask});
        return Outcome::Loop;
      }
      jump_by_lane(warp, targets, l.mask);
      go_on(warp, next, rest);
      return Outcome::Go;
    }
    case Opcode::Exit:
      warp.block->live_threads -= static_cast<uint32_t>(std::popcount(l.mask));
      leave_cluster(warp, l.mask);
      warp.exit(l.mask);
      go_on(warp, next, rest);
      return Outcome::Barrier;
    case Opcode::Bssy:
      warp.arm(d.rd & 15, l.mask, next + d.imm);
      go_on(warp, next, split.mask);
      return Outcome::Go;
    case Opcode::Bsync: go_on(warp, next, rest | warp.arrive(d.rd & 15, l.mask)); return Outcome::Go;
    case Opcode::Break:
      warp.leave(d.rd & 15, l.mask);
      go_on(warp, next, split.mask);
      return Outcome::Go;
    case Opcode::Warpsync:
      warp.sync(l.b->lane[std::countr_zero(l.mask)], l.mask, next);
      go_on(warp, next, rest);
      return Outcome::Go;
    case Opcode::Bar: {
      const Outcome outcome = block_barrier(warp, d, next, l, tag);
      go_on(warp, next, rest);
      return outcome;
    }
    case Opcode::Cbar: return cluster_barrier(warp, d, split, next, l, tag);
    case Opcode::Trap: return Outcome::Trap;
    case Opcode::Yield:
    case Opcode::Nanosleep: go_on(warp, next, split.mask); return Outcome::Yield;
    default:  // NOP
      go_on(warp, next, split.mask);
      return Outcome::Go;
  }
}

void write_reduction(const Released& released) {
  const Decoded& d = *released.parked.instruction;
  if (d.op != Opcode::Bar || static_cast<isa::BarMode>(d.get(field::BlockBarrier_mode)) != isa::BarMode::Red) return;
  const uint32_t value = reduce(d, released.reduction);
  Warp& warp = *released.warp;
  const Mask lanes = released.parked.split.mask;
  if (d.rows) {
    Lanes l{warp.rows, warp.predicates.data(), nullptr, lanes, lanes, &warp.view};
    write_lanes(l, d.rd, value);
  } else if (d.pd != isa::kPt) {
    uint32_t& p = warp.predicates[d.pd];
    p = value ? p | lanes : p & ~lanes;
  }
}

}  // namespace heddle::model
