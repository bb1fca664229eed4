// SPDX-License-Identifier: Apache-2.0
#include "sim/model/machine.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "host-runtime/device/contract.h"
#include "sim/model/control.h"
#include "sim/model/float_environment.h"
#include "sim/model/memory_ops.h"

namespace heddle::model {
namespace {

// Warp instructions that a warp runs before the next one's turn: short enough that warps waiting
// for each other's stores get on, long enough that a warp's registers stay in the host's cache. Who completes a block
// barrier ends its turn, and behind the barrier turns begin short and grow: hardware, too, has no warp far ahead there.
constexpr uint32_t kTurn = 512, kFirstTurn = 8;

Mask guard(const Warp& warp, const Decoded& d, Mask active) {
  return active & (warp.predicates[d.guard] ^ (d.guard_negated ? kAllLanes : 0));
}

}  // namespace

Machine::Machine(const Preset::Structure& structure, DeviceMemory& memory)
    : structure_(structure), memory_(memory), code_(structure.features()) {
  for (int s = 0; s < structure.sms; s++) sms_.emplace_back(structure, static_cast<uint32_t>(s));
}

bool Machine::fit() {
  const Preset::Structure& s = structure_;
  const auto partitions = static_cast<uint32_t>(s.sub_partitions);
  const uint32_t max_warps = std::min(settings_.max_warps, static_cast<uint32_t>(s.warps_per_sm()));
  places_.clear();
  uint32_t warps = 0, shared = 0;
  while (places_.size() < static_cast<size_t>(s.blocks_per_sm)) {
    const uint32_t warps_next = warps + launch_.warps();
    const uint64_t shared_next = uint64_t{shared} + launch_.shared_bytes;
    const uint64_t rows_next = uint64_t{(warps_next + partitions - 1) / partitions} * launch_.rows();
    if (warps_next > max_warps || rows_next > static_cast<uint64_t>(s.register_rows) ||
        shared_next > static_cast<uint64_t>(s.shared_bytes))
      break;
    places_.push_back({warps, shared});
    warps = warps_next;
    shared = static_cast<uint32_t>(shared_next);
  }
  // Whole clusters.
  const uint32_t cluster = launch_.cluster_blocks();
  places_.resize(places_.size() / cluster * cluster);
  return !places_.empty() && cluster <= static_cast<uint32_t>(s.cluster_blocks);
}

bool Machine::start(const Launch& launch, const MachineSettings& settings) {
  launch_ = launch;
  launch_.mem_end = std::min(launch.mem_end, memory_.end());
  settings_ = settings;
  counters_ = {};
  fault_ = {};
  if (!fit()) return false;
  const bool code_inside = memory_.contains(launch_.code_base, launch_.code_size);
  code_.load(code_inside ? memory_.at(launch_.code_base) : nullptr, code_inside ? launch_.code_size : 0,
             launch_.registers);
  next_block_ = 0;
  turn_ = idle_turns_ = 0;
  state_ = State::Running;
  for (Sm& sm : sms_) {
    for (Warp& warp : sm.warps) warp.resident = false;
    for (Block& block : sm.blocks) block.resident = false;
  }
  fill_slots();
  return true;
}

void Machine::stop() { state_ = State::Idle; }

// Gives blocks to free slots, a cluster after the other, an SM after the other.
void Machine::fill_slots() {
  const uint32_t size = launch_.cluster_blocks();
  const uint32_t *cluster = launch_.cluster, *grid = launch_.grid;
  const uint32_t clusters_x = grid[0] / cluster[0], clusters_y = grid[1] / cluster[1];
  for (uint32_t slot = 0; slot < places_.size(); slot += size) {
    for (Sm& sm : sms_) {
      if (next_block_ == launch_.blocks()) return;
      const auto first = sm.blocks.begin() + slot;
      if (std::any_of(first, first + size, [](const Block& b) { return b.resident; })) continue;
      const uint64_t n = next_block_ / size;
      const uint32_t at[3] = {static_cast<uint32_t>(n % clusters_x) * cluster[0],
                              static_cast<uint32_t>(n / clusters_x % clusters_y) * cluster[1],
                              static_cast<uint32_t>(n / clusters_x / clusters_y) * cluster[2]};
      for (uint32_t rank = 0; rank < size; rank++, next_block_++) {
        const uint32_t ctaid[3] = {at[0] + rank % cluster[0], at[1] + rank / cluster[0] % cluster[1],
                                   at[2] + rank / cluster[0] / cluster[1]};
        const Block& block = sm.start_block(structure_, launch_, slot + rank, places_[slot + rank].first_warp,
                                            places_[slot + rank].shared_base, ctaid, &cycle_);
        if (observer_) observer_->block_started(block);
      }
    }
  }
}

Machine::State Machine::run(uint64_t max_instructions) {
  const FloatEnvironment environment;
  const size_t slots = static_cast<size_t>(structure_.warps_per_sm());
  const size_t all = sms_.size() * slots;
  const uint64_t end = counters_.warp_instructions + max_instructions;
  while (state_ == State::Running && counters_.warp_instructions < end) {
    Sm& sm = sms_[turn_ / slots];
    Warp& warp = sm.warps[turn_ % slots];
    turn_ = (turn_ + 1) % all;
    const uint64_t before = counters_.warp_instructions;
    if (warp.resident) run_warp(sm, warp, std::exchange(warp.turn_length, std::min(2 * warp.turn_length, kTurn)));
    if (state_ != State::Running) break;
    if (counters_.warp_instructions != before) {
      idle_turns_ = 0;
      if (settings_.instruction_limit && counters_.warp_instructions >= settings_.instruction_limit)
        state_ = State::Timeout;
    } else if (++idle_turns_ > all) {
      state_ = State::Deadlock;
    }
  }
  return state_;
}

// A split that can run stands at the front. When none is ready, lanes that wait at a convergence
// barrier go on without the rest, since those wait for something else.
bool Machine::choose_split(Warp& warp) { return !warp.ready.empty() || warp.force_any(); }

// A split that loops while others of its warp wait gives way in time. Where those have all arrived
// at convergence barriers, loops that load nothing count little: they cannot be waiting for another
// lane, and leaving them together is worth much.
void Machine::count_loop(Warp& warp) {
  const bool queued = warp.ready.count > 1;
  const uint32_t step = queued || warp.loaded ? 64 : 1;
  warp.spins = queued || warp.gathers() ? warp.spins + step : 0;
  warp.loaded = false;
  if (warp.spins / 64 >= settings_.yield_branches) warp.give_way();
}

void Machine::run_warp(Sm& sm, Warp& warp, int64_t budget) {
  Lanes l{warp.rows, warp.predicates.data(), nullptr, 0, 0, &warp.view};
  Row constant;
  while (budget-- > 0 && state_ == State::Running && warp.resident && choose_split(warp)) {
    Split& split = warp.ready[0];
    const Decoded* d = code_.at(split.pc);
    if (!d || d->kind == Kind::Illegal) {
      FaultInfo info;
      info.kind = d ? contract::kFaultIllegalInstruction : contract::kFaultIllegalPc;
      info.lane = static_cast<uint32_t>(std::countr_zero(split.mask));
      return raise(warp, info, split.pc);
    }
    l.active = split.mask;
    l.mask = guard(warp, *d, split.mask);
    if (observer_) observer_->issued(warp, *d, split.pc, l.active, l.mask);
    counters_.warp_instructions++;
    cycle_++;
    counters_.thread_instructions += static_cast<uint64_t>(std::popcount(l.mask));

    if (d->kind == Kind::Branch && (l.mask == 0 || l.mask == l.active)) {  // all one way
      split.pc += isa::kInstructionBytes + (l.mask ? d->imm : 0);
      if (l.mask && static_cast<int32_t>(d->imm) < 0) count_loop(warp);
      continue;
    }
    if (l.mask == 0) {
      split.pc += isa::kInstructionBytes;
      if (observer_) observer_->executed(warp, *d, 0, nullptr);
      continue;
    }
    if (d->b == Source::Register) {
      l.b = d->rb == isa::kRz ? &kZeroRow : &warp.rows[d->rb];
    } else if (d->b == Source::Immediate) {
      l.b = &d->imm_row;
    } else if (d->kind == Kind::Alu) {
      uint32_t word = 0;
      FaultInfo info;
      if (!constant_operand(*d, launch_, memory_, word, info)) {
        info.lane = static_cast<uint32_t>(std::countr_zero(l.mask));
        return raise(warp, info, split.pc);
      }
      for (uint32_t& lane : constant.lane) lane = word;
      l.b = &constant;
    }
    switch (d->kind) {
      case Kind::Alu:
        d->execute(*d, l);
        split.pc += isa::kInstructionBytes;
        if (observer_) observer_->executed(warp, *d, l.mask, nullptr);
        break;
      case Kind::Memory:
        if (!memory(sm, warp, *d, l)) return;
        split.pc += isa::kInstructionBytes;
        break;
      default:
        if (control(sm, warp, *d, l)) return;
        break;
    }
  }
}

bool Machine::memory(Sm& sm, Warp& warp, const Decoded& d, Lanes& l) {
  if (memory_class(d.op) == MemoryClass::Other) {  // fences, cache control: nothing to order here
    if (observer_) observer_->executed(warp, d, l.mask, nullptr);
    return true;
  }
  Access access;
  FaultInfo info;
  if (!resolve(d, l, access, info)) {
    raise(warp, info, warp.ready[0].pc);
    return false;
  }
  if (!execute_memory(d, access, l, memory_, sm.shared.data())) {
    info.kind = contract::kFaultBus;
    info.lane = static_cast<uint32_t>(std::countr_zero(l.mask));
    raise(warp, info, warp.ready[0].pc);
    return false;
  }
  if (d.rows) warp.loaded = true;
  if (observer_) observer_->executed(warp, d, l.mask, &access);
  return true;
}

bool Machine::control(Sm& sm, Warp& warp, const Decoded& d, Lanes& l) {
  const Split split = warp.ready[0];
  warp.ready.remove(0);
  const Outcome outcome = execute_control(warp, d, split, l, 0);
  if (outcome == Outcome::Trap) {
    warp.ready.push_front(split);
    FaultInfo info;
    info.kind = contract::kFaultTrap;
    info.code = d.imm;
    info.lane = static_cast<uint32_t>(std::countr_zero(l.mask));
    raise(warp, info, split.pc);
    return true;
  }
  if (observer_) observer_->executed(warp, d, l.mask, nullptr);
  if (outcome == Outcome::Barrier) return open_barriers(sm, *warp.block);
  if (outcome == Outcome::Loop) count_loop(warp);
  if (outcome == Outcome::Yield) warp.give_way();
  return false;
}

bool Machine::open_barriers(Sm& sm, Block& block) {
  released_.clear();
  sm.open_barriers(block, released_);
  for (const Released& r : released_) {
    write_reduction(r);
    r.warp->ready.push_back(r.parked.split);
    r.warp->turn_length = kFirstTurn;
    if (observer_) observer_->released(r);
  }
  if (block.live_threads == 0) end_block(sm, block);
  return !released_.empty();
}

void Machine::end_block(Sm& sm, Block& block) {
  for (uint32_t w = 0; w < block.warps; w++) sm.warps[block.first_warp + w].resident = false;
  block.resident = false;
  counters_.blocks_done++;
  if (observer_) observer_->block_ended(block);
  fill_slots();
  if (counters_.blocks_done == launch_.blocks()) state_ = State::Done;
}

void Machine::raise(const Warp& warp, const FaultInfo& info, uint32_t pc) {
  fault_.info = info;
  fault_.sm = warp.view.sm;
  fault_.warp = warp.view.slot;
  fault_.thread = warp.view.warp_in_block * kLanes + info.lane;
  fault_.pc = pc;
  std::copy(warp.view.ctaid, warp.view.ctaid + 3, fault_.ctaid);
  state_ = State::Fault;
}

uint64_t Machine::resident_warps(uint32_t sm) const {
  uint64_t bits = 0;
  for (size_t w = 0; w < sms_[sm].warps.size(); w++) bits |= uint64_t{sms_[sm].warps[w].resident} << w;
  return bits;
}

uint64_t Machine::waiting_warps(uint32_t sm) const {
  uint64_t bits = 0;
  for (size_t w = 0; w < sms_[sm].warps.size(); w++) {
    const Warp& warp = sms_[sm].warps[w];
    bits |= uint64_t{warp.resident && warp.live && warp.ready.empty()} << w;
  }
  return bits;
}

}  // namespace heddle::model
