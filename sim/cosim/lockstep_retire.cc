// SPDX-License-Identifier: Apache-2.0
// Retirement: what was written equals what the model computed.
#include <fmt/format.h>

#include <bit>

#include "sim/cosim/lockstep.h"
#include "sim/model/lsu.h"

namespace heddle::cosim {

namespace {
int lowest(Mask m) { return std::countr_zero(m); }
}  // namespace

bool Lockstep::retire(const Retire& e) {
  if (!place_exists(e.sm, e.warp, "a retirement")) return false;
  InFlight* found = find(e.sm, e.warp, e.seq);
  Place place{e.sm, e.warp, -1, found ? int64_t{found->pc} : -1};
  for (const InFlight& waiting : tracks_[e.sm].warps[e.warp].reductions)
    if (!found && waiting.seq == e.seq)
      return mismatch({e.sm, e.warp, -1, waiting.pc}, "the result of a block barrier that has not opened");
  if (!found || found->retired || !found->retires)
    return mismatch(place, fmt::format("instruction {} of the warp retires, which {}", e.seq,
                                       !found           ? "was not issued or is complete"
                                       : found->retired ? "has retired before"
                                                        : "has nothing to retire"));
  InFlight& now = *found;
  if (e.mask != now.mask) {
    place.lane = lowest(e.mask ^ now.mask);
    return mismatch(place, fmt::format("executed lanes: hardware {:08x}, model {:08x}", e.mask, now.mask));
  }
  if (e.row_we && !retire_row(now, e, place)) return false;
  if (e.p_we && !retire_predicates(now, e, place)) return false;
  if (e.last && !retire_last(now, e, place)) return false;

  Retirement r{cycle_, now.d->word, now.pc, e.mask, e.seq, e.warp, e.row_we, static_cast<uint8_t>(e.rd + e.index), 0,
               0};
  if (e.mask) r.lane = static_cast<uint8_t>(lowest(e.mask));
  r.value = e.row[r.lane];
  tracks_[e.sm].history.add(r);
  if (e.last) {
    compared_instructions_++;
    sweep(tracks_[e.sm].warps[e.warp]);
  }
  return true;
}

bool Lockstep::retire_row(InFlight& now, const Retire& e, const Place& place) {
  const model::Decoded& d = *now.d;
  model::Warp& warp = sms_[e.sm].warps[e.warp];
  if (e.index >= d.rows || e.rd != d.rd)
    return mismatch(
        place, fmt::format("hardware writes R{}, the model writes {} registers at R{}", e.rd + e.index, d.rows, d.rd));
  if (now.rows_seen >> e.index & 1) return mismatch(place, fmt::format("R{} is written twice", e.rd + e.index));
  now.rows_seen |= static_cast<uint8_t>(1 << e.index);
  if (d.rd == isa::kRz) return true;
  const bool memory = now.memory == model::MemoryClass::Load || now.memory == model::MemoryClass::Atomic;
  if (memory && now.to_do) {
    Place at = place;
    at.lane = lowest(now.to_do);
    return mismatch(at, now.memory == model::MemoryClass::Load
                            ? "a loaded row is written before this lane's bytes were read"
                            : "an atomic's result is written before it was performed");
  }
  model::Row& row = warp.rows[d.rd + e.index];
  const bool clock = !now.known;  // a time: the hardware's is as good as any
  for (Mask left = e.mask; left; left &= left - 1) {
    const int lane = lowest(left);
    if (now.unwritten >> lane & 1) {
      if (now.memory == model::MemoryClass::Load) learn_shared(e, now, lane);
      now.rows[e.index].lane[lane] = e.row[static_cast<size_t>(lane)];
    } else if (clock) {
      row.lane[lane] = e.row[static_cast<size_t>(lane)];
    } else if (e.row[static_cast<size_t>(lane)] != now.rows[e.index].lane[lane]) {
      Place at = place;
      at.lane = lane;
      return mismatch(at, fmt::format("R{}: hardware {:#010x}, model {:#010x}", d.rd + e.index,
                                      e.row[static_cast<size_t>(lane)], now.rows[e.index].lane[lane]));
    }
    if (memory) row.lane[lane] = now.rows[e.index].lane[lane];
  }
  return true;
}

bool Lockstep::retire_predicates(InFlight& now, const Retire& e, const Place& place) {
  const model::Decoded& d = *now.d;
  if (e.pd != d.pd || e.pq != d.pq)
    return mismatch(
        place, fmt::format("hardware writes predicates P{} and P{}, the model P{} and P{}", e.pd, e.pq, d.pd, d.pq));
  if (now.predicates_seen) return mismatch(place, "predicates are written twice");
  now.predicates_seen = true;
  const auto differs = [&](uint8_t p, Mask hardware, Mask model_value) {
    if (p >= isa::kPt || ((hardware ^ model_value) & e.mask) == 0) return false;
    Place at = place;
    at.lane = lowest((hardware ^ model_value) & e.mask);
    mismatch(at, fmt::format("P{}: hardware {:08x}, model {:08x} in lanes {:08x}", p, hardware & e.mask,
                             model_value & e.mask, e.mask));
    return true;
  };
  if (differs(d.pd, e.p, now.p)) return false;
  return d.pq == d.pd || !differs(d.pq, e.q, now.q);
}

bool Lockstep::retire_last(InFlight& now, const Retire& e, const Place& place) {
  const model::Decoded& d = *now.d;
  now.retired = true;
  if (now.mask == 0) return true;
  const auto all = static_cast<uint8_t>((1u << d.rows) - 1);
  if (d.rd != isa::kRz && now.rows_seen != all)
    return mismatch(place, fmt::format("R{} was not written", d.rd + std::countr_one(now.rows_seen)));
  if ((d.pd < isa::kPt || d.pq < isa::kPt) && !now.predicates_seen)
    return mismatch(place, fmt::format("P{} was not written", d.pd < isa::kPt ? d.pd : d.pq));
  // What nobody reads may be performed later, in device memory.
  const Mask late = d.rd == isa::kRz ? ~now.access.shared : 0;
  if (now.to_do & ~late && now.memory == model::MemoryClass::Atomic) {
    Place at = place;
    at.lane = lowest(now.to_do & ~late);
    return mismatch(at, "the atomic ends before it was performed");
  }
  if (now.memory == model::MemoryClass::Copy && !now.visible())
    return mismatch(place, "the copy ends before all of its bytes are in shared memory");
  if (d.op != isa::Opcode::Membar) return true;
  // A fence ends when all that came before it is visible, and beyond the block no old line serves
  // the warp.
  const auto scope = static_cast<isa::Scope>(d.get(model::field::Fence_scope));
  if (scope == isa::Scope::Cta) return true;
  for (const InFlight& older : tracks_[e.sm].warps[e.warp].in_flight) {
    const bool stores = older.memory == model::MemoryClass::Store || older.memory == model::MemoryClass::Atomic;
    if (older.issued_at < now.issued_at && stores && !older.visible())
      return mismatch(place, fmt::format("the fence ends before the store at pc {:#x} is visible", older.pc));
  }
  if (tracks_[e.sm].l1_flushes == now.flushes_before)
    return mismatch(place, "the fence ends and the L1 was not emptied");
  return true;
}

}  // namespace heddle::cosim
