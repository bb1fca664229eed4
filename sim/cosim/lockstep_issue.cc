// SPDX-License-Identifier: Apache-2.0
// Issue: the lanes stood there, and the model executes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "host-runtime/device/contract.h"
#include "sim/cosim/lockstep.h"
#include "sim/model/control.h"
#include "sim/model/memory_ops.h"
#include "sim/model/ops_special.h"

namespace heddle::cosim {

using model::Decoded;
using model::Kind;
using model::Split;
using model::Warp;

namespace {

int lowest(Mask m) { return std::countr_zero(m); }

// Splits that stand ready and are sure to do so in the hardware too: what a block barrier has let
// go may not have got there yet.
int settled(const Warp& warp) {
  int n = 0;
  for (int i = 0; i < warp.ready.count; i++) n += !warp.ready[i].fresh;
  return n;
}

// The sectors that a store writes, in the order in which it does. Slices of `row_lanes` lanes, and groups of those that
// store together (model::store_group), write one after the other: lanes of two that store to one byte are two writes of
// it.
void spread(InFlight& now, int row_lanes) {
  const uint32_t bytes = now.access.shape.bytes;
  const int together = std::min(row_lanes, model::store_group(bytes));
  const Mask stores = now.mask & ~now.access.shared;
  for (int n = 0; n < model::kLanes; n++) {
    const int lane = model::storing_lane(bytes, n);
    if (!(stores >> lane & 1)) continue;
    const uint64_t a = now.access.address[lane];
    const uint64_t sector = a / 32;
    const uint32_t mask = static_cast<uint32_t>(((uint64_t{1} << bytes) - 1) << a % 32);
    const int part = lane / together;
    SectorWrite* found = nullptr;
    for (size_t k = now.writes.size(); k-- > 0 && !found;)
      if (now.writes[k].sector == sector && now.writes[k].part == part) found = &now.writes[k];
    if (!found) {
      now.writes.push_back({sector, part});
      found = &now.writes.back();
    }
    found->lanes |= Mask{1} << lane;
    found->bytes |= mask;
    found->at_l2 |= mask;
  }
}

bool reduces(const Decoded& d) {
  return d.op == isa::Opcode::Bar && d.get(model::field::BlockBarrier_mode) == static_cast<uint32_t>(isa::BarMode::Red);
}

void copy_row(const Warp& warp, uint8_t r, model::Row& to) { to = r == isa::kRz ? model::kZeroRow : warp.rows[r]; }

}  // namespace

bool Lockstep::explain(const Warp& warp, const Issue& e, Mask missing) {
  return mismatch({e.sm, e.warp, lowest(missing), e.pc},
                  fmt::format("hardware issues {:#x} for lanes {:08x}; in the model {}", e.pc, e.active,
                              standing(warp, lowest(missing))));
}

// Lanes that wait in the warp may go on without the rest when nothing else of it can run, or when all splits that can
// have yielded in turn, since they came and since lanes last went on so.
bool Lockstep::force(Warp& warp, WarpTrack& track, const Issue& e, Mask missing) {
  const auto others = static_cast<uint64_t>(settled(warp));
  for (unsigned b = 0; b < warp.convergence.size(); b++) {
    const model::ConvergenceBarrier& c = warp.convergence[b];
    if (others > 1 && others > track.yields - std::max(track.forced, track.came[b])) continue;
    if (c.arrived && c.target == e.pc && (c.arrived & ~e.active) == 0 && (c.arrived & missing)) {
      if (others) track.forced = track.yields;
      return warp.force(b);
    }
  }
  if (settled(warp) != 0) return false;
  for (int i = 0; i < warp.parked.count; i++)
    if (warp.parked[i].wait == model::Wait::Block) return false;
  for (int i = 0; i < warp.parked.count; i++) {
    const Split s = warp.parked[i].split;
    if (s.pc != e.pc || (s.mask & ~e.active) || !(s.mask & missing)) continue;
    warp.parked.remove(i);
    warp.ready.push_back(s);
    return true;
  }
  return false;
}

// Takes the issued lanes out of the ready splits. Splits may have merged, never come apart.
bool Lockstep::take(Warp& warp, WarpTrack& track, const Issue& e) {
  for (int i = 0; i < warp.ready.count; i++) {
    if ((track.running & e.active) == 0 && (warp.ready[i].mask & track.running)) {
      track.yields++;
      break;
    }
  }
  track.running = e.active;
  for (;;) {
    Mask found = 0;
    for (int i = 0; i < warp.ready.count; i++) {
      const Split& s = warp.ready[i];
      if (s.pc != e.pc || !(s.mask & e.active)) continue;
      if (s.mask & ~e.active)
        return mismatch(
            {e.sm, e.warp, lowest(s.mask & ~e.active), e.pc},
            fmt::format("hardware issues {:#x} for lanes {:08x}, the model for {:08x}", e.pc, e.active, s.mask));
      found |= s.mask;
    }
    const Mask missing = e.active & ~found;
    if (missing == 0) break;
    if (!force(warp, track, e, missing)) return explain(warp, e, missing);
  }
  for (int i = 0; i < warp.ready.count;) {
    if (warp.ready[i].mask & e.active) warp.ready.remove(i);
    else i++;
  }
  return true;
}

// An operand that a load has not brought yet, a block barrier's result that is not yet written: the hardware must not
// have issued.
bool Lockstep::hazards(const WarpTrack& track, const InFlight& now, const Place& place) {
  const auto meets = [](uint8_t a, uint32_t a_count, uint8_t b, uint32_t b_count) {
    return a_count && b_count && a != isa::kRz && b != isa::kRz && a < b + b_count && b < a + a_count;
  };
  const Decoded& d = *now.d;
  for (const InFlight& older : track.in_flight) {
    if (&older == &now) continue;
    if (older.d->op == isa::Opcode::Bar && older.retires && !older.retired && (older.mask & now.active))
      return mismatch(place, fmt::format("issued before the block barrier's result of pc {:#x} is written", older.pc));
    const bool pending =
        !older.retired && older.d->rows &&
        (older.memory == model::MemoryClass::Load || older.memory == model::MemoryClass::Atomic || !older.known);
    if (!pending || !(older.mask & now.mask)) continue;
    const uint8_t rd = older.d->rd;
    const uint32_t n = older.d->rows;
    if (meets(d.ra, d.ra_rows, rd, n) || meets(d.rb, d.rb_rows, rd, n) || meets(d.rc, d.rc_rows, rd, n) ||
        meets(d.rd, d.rows, rd, n))
      return mismatch(place, fmt::format("issued while R{} is under way from pc {:#x}", rd, older.pc));
  }
  return true;
}

void Lockstep::expect_fault(InFlight& now, uint32_t kind, uint32_t code, uint64_t address, Mask lanes) {
  now.retires = false;
  now.faults = true;
  now.fault.kind = kind;
  now.fault.code = code;
  now.fault.address = address;
  now.fault.lane = static_cast<uint32_t>(lowest(lanes));
}

bool Lockstep::issue(const Issue& e) {
  if (!place_exists(e.sm, e.warp, "an issue")) return false;
  const Place place{e.sm, e.warp, -1, e.pc};
  Warp& warp = sms_[e.sm].warps[e.warp];
  WarpTrack& track = tracks_[e.sm].warps[e.warp];
  if (!warp.resident) return mismatch(place, "hardware issues for a warp slot that holds no warp");
  if (e.active == 0) return mismatch(place, "hardware issues for no lane");
  if (e.seq != track.next_seq)
    return mismatch(place, fmt::format("hardware counts instruction {}, the model {}", e.seq, track.next_seq));
  track.next_seq++;
  if (!take(warp, track, e)) return false;

  InFlight& now = track.in_flight.push();
  now.seq = e.seq;
  now.pc = e.pc;
  now.active = e.active;
  now.issued_at = number_;
  now.d = code_.at(e.pc);
  static const Decoded kNothing;
  if (!now.d || now.d->kind == Kind::Illegal) {
    const uint64_t kind = now.d ? contract::kFaultIllegalInstruction : contract::kFaultIllegalPc;
    if (!now.d) now.d = &kNothing;
    now.mask = e.active;
    warp.ready.push_front({e.pc, e.active});
    expect_fault(now, static_cast<uint32_t>(kind), 0, 0, e.active);
    return true;
  }
  now.mask = e.active & (warp.predicates[now.d->guard] ^ (now.d->guard_negated ? model::kAllLanes : 0));
  if (!hazards(track, now, place) || !execute(warp, now, place)) return false;
  if (!now.retires && !now.faults) compared_instructions_++;
  const isa::Opcode op = now.d->op;
  const bool arrives = now.mask && (op == isa::Opcode::Bar || op == isa::Opcode::Cbar || op == isa::Opcode::Exit);
  if (reduces(*now.d) && now.mask) {
    track.reductions.push_back(now);
    track.in_flight.pop_back();
  }
  if (arrives) open_barriers(sms_[e.sm], *warp.block);
  sweep(track);
  return true;
}

bool Lockstep::execute(Warp& warp, InFlight& now, const Place& place) {
  const Decoded& d = *now.d;
  model::Lanes l{warp.rows, warp.predicates.data(), nullptr, now.mask, now.active, &warp.view};
  model::Row constant;
  if (d.b == model::Source::Register) {
    l.b = d.rb == isa::kRz ? &model::kZeroRow : &warp.rows[d.rb];
  } else if (d.b == model::Source::Immediate) {
    l.b = &d.imm_row;
  } else if (d.kind == Kind::Alu && now.mask) {
    uint32_t word = 0;
    model::FaultInfo info;
    if (!model::constant_operand(d, launch_, memory_, word, info)) {
      warp.ready.push_front({now.pc, now.active});
      expect_fault(now, info.kind, info.code, info.address, now.mask);
      return true;
    }
    for (uint32_t& lane : constant.lane) lane = word;
    l.b = &constant;
  }
  const uint32_t next = now.pc + isa::kInstructionBytes;
  switch (d.kind) {
    case Kind::Alu:
      warp.ready.push_front({next, now.active});
      now.known = !model::reads_clock(d);
      if (now.mask) d.execute(d, l);
      for (uint8_t k = 0; k < d.rows; k++) copy_row(warp, d.rd == isa::kRz ? isa::kRz : d.rd + k, now.rows[k]);
      now.p = d.pd < isa::kPt ? warp.predicates[d.pd] : 0;
      now.q = d.pq < isa::kPt ? warp.predicates[d.pq] : 0;
      return true;
    case Kind::Memory: return issue_memory(warp, now, l);
    default: break;
  }
  now.retires = d.op == isa::Opcode::Call || d.op == isa::Opcode::Callx || (reduces(d) && now.mask);
  if (d.op == isa::Opcode::Bsync && warp.convergence[d.rd & 15].arrived == 0) {
    WarpTrack& track = tracks_[static_cast<size_t>(place.sm)].warps[static_cast<size_t>(place.warp)];
    track.came[d.rd & 15] = track.yields;
  }
  const auto tag = static_cast<uint32_t>(now.issued_at);
  if (model::execute_control(warp, d, {now.pc, now.active}, l, tag) == model::Outcome::Trap) {
    warp.ready.push_front({now.pc, now.active});
    expect_fault(now, contract::kFaultTrap, d.imm, 0, now.mask);
    return true;
  }
  if (d.rows) copy_row(warp, d.rd, now.rows[0]);
  return true;
}

void Lockstep::open_barriers(model::Sm& sm, model::Block& block) {
  released_.clear();
  sm.open_barriers(block, released_);
  for (const model::Released& r : released_) {
    model::write_reduction(r);
    Split split = r.parked.split;
    split.fresh = true;
    r.warp->ready.push_back(split);
    WarpTrack& track = tracks_[sm.index].warps[r.warp->view.slot];
    const auto waiting = std::find_if(track.reductions.begin(), track.reductions.end(), [&](const InFlight& i) {
      return static_cast<uint32_t>(i.issued_at) == r.parked.tag;
    });
    if (waiting == track.reductions.end()) continue;
    InFlight& now = track.in_flight.push();
    now = *waiting;
    track.reductions.erase(waiting);
    const Decoded& d = *now.d;
    if (d.rows) copy_row(*r.warp, d.rd, now.rows[0]);
    now.p = d.pd < isa::kPt ? r.warp->predicates[d.pd] : 0;
  }
}

// Groups of copies: one is closed, or the instruction waits for some.
bool Lockstep::follow_groups(const Warp& warp, const InFlight& now) {
  WarpTrack& track = tracks_[warp.view.sm].warps[warp.view.slot];
  if (now.d->op == isa::Opcode::Ldgdepbar) track.open_group++;
  if (now.d->op != isa::Opcode::Depbar) return true;
  const bool all = now.d->get(model::field::CopyWait_all);
  for (const InFlight& older : track.in_flight)
    if (older.memory == model::MemoryClass::Copy && !older.visible() &&
        (all || older.group + now.d->imm < track.open_group))
      return mismatch({static_cast<int>(warp.view.sm), static_cast<int>(warp.view.slot), -1, now.pc},
                      fmt::format("issued while the copy of pc {:#x} is under way", older.pc));
  return true;
}

bool Lockstep::issue_memory(Warp& warp, InFlight& now, model::Lanes& l) {
  const Decoded& d = *now.d;
  const uint32_t next = now.pc + isa::kInstructionBytes;
  now.memory = model::memory_class(d.op);
  now.flushes_before = tracks_[warp.view.sm].l1_flushes;
  if (!follow_groups(warp, now)) return false;
  if (now.mask == 0 || now.memory == model::MemoryClass::Other) {
    warp.ready.push_front({next, now.active});
    return true;
  }
  model::FaultInfo info;
  if (!model::resolve(d, l, now.access, info)) {
    warp.ready.push_front({next, now.active});  // found later: the warp may have gone on
    expect_fault(now, info.kind, info.code, info.address, 1u << info.lane);
    return true;
  }
  warp.ready.push_front({next, now.active});
  switch (now.memory) {
    case model::MemoryClass::Load:
      now.to_do = now.access.mask;
      if (d.op == isa::Opcode::Ldsm)
        for (Mask missing = model::matrix_lanes(d) & ~now.mask; missing; missing &= missing - 1)
          now.unwritten |= model::matrix_row_lanes(d, std::countr_zero(missing));
      break;
    case model::MemoryClass::Copy:
      now.to_do = now.to_store = now.access.mask;
      now.group = tracks_[warp.view.sm].warps[warp.view.slot].open_group;
      break;
    case model::MemoryClass::Atomic:
      now.to_do = now.mask;
      copy_row(warp, d.rb, now.data[0]);
      copy_row(warp, d.rb == isa::kRz ? d.rb : d.rb + 1, now.data[1]);
      copy_row(warp, d.rc, now.data[2]);
      copy_row(warp, d.rc == isa::kRz ? d.rc : d.rc + 1, now.data[3]);
      break;
    default:
      now.to_do = now.access.shared;
      for (uint8_t k = 0; k < now.access.shape.registers; k++)
        copy_row(warp, d.rc == isa::kRz ? d.rc : d.rc + k, now.data[k]);
      spread(now, preset_.structure.row_lanes);
      break;
  }
  return true;
}

}  // namespace heddle::cosim
