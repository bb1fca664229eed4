// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "isa/isa.h"
#include "sim/model/profile.h"
#include "svdpi.h"

namespace heddle::rtl {
namespace {

thread_local Profile* current = nullptr;

bool accesses(isa::Opcode op) { return op != isa::Opcode::Ldc && model::memory_class(op) != model::MemoryClass::Other; }

uint64_t key(unsigned sm, unsigned warp, unsigned seq) {
  return uint64_t{sm} << 32 | uint64_t{warp} << 16 | (seq & 0xffff);
}

}  // namespace

void Profile::select(Profile* profile) { current = profile; }
Profile* Profile::selected() { return current; }

void Profile::start(uint64_t local_base, uint64_t local_end) {
  local_base_ = local_base;
  local_end_ = local_end;
  began_ = cycle_;
  if (moved_) moved_before_ = moved_();
  running_ = any_ = true;
  telling_ = tells();
  if (on_start_) on_start_();
  tell(HEDDLE_EVENT_START);
  parts_of_.clear();
  busy_.clear();
  busy_since_.clear();
  memory_.clear();
  lines_.clear();
  result_ = {};
}

void Profile::stop() {
  if (!running_) return;
  close_all(cycle_);
  result_.counters[HEDDLE_COUNTER_Cycles] = cycle_ - began_;
  running_ = false;
  if (wrong_) check_sums();
  tell(HEDDLE_EVENT_END);
  telling_ = false;
}

// Each cycle of a warp has one reason, and so has each of a scheduler that has warps; memory counts for itself, too.
void Profile::check_sums() {
  const heddle_profile& r = *result();
  const auto sum = [](const auto& of) { return std::accumulate(std::begin(of), std::end(of), uint64_t{0}); };
  const uint64_t reasons = sum(r.stalls), warps = r.counters[HEDDLE_COUNTER_WarpCycles];
  if (reasons != warps)
    wrong_(fmt::format("profile: warps were there for {} cycles, of which {} have a reason", warps, reasons));
  const uint64_t known = sum(r.idle) + r.counters[HEDDLE_COUNTER_IssueCycles];
  const uint64_t schedulers = r.counters[HEDDLE_COUNTER_SchedulerCycles];
  if (known != schedulers)
    wrong_(fmt::format("profile: schedulers had warps for {} cycles, of which {} are told apart", schedulers, known));
  if (!moved_) return;
  const Moved now = moved_();
  const Moved counted{r.counters[HEDDLE_COUNTER_DramReadBytes], r.counters[HEDDLE_COUNTER_DramWriteBytes]};
  if (const Moved moved{now.read - moved_before_.read, now.written - moved_before_.written}; moved != counted)
    wrong_(fmt::format("profile: memory gave {} bytes and took {}, of which {} and {} are counted", moved.read,
                       moved.written, counted.read, counted.written));
}

Profile::Part* Profile::part_of(unsigned sm, unsigned part, unsigned warp) {
  const size_t index = size_t{sm} * parts_ + part;
  const bool known = running_ && index < parts_of_.size() && warp < parts_of_[index].warps.size();
  return known ? &parts_of_[index] : nullptr;
}

void Profile::close(Warp& warp, uint64_t until) {
  if (warp.state < HEDDLE_STALLS) warp.cycles[warp.state] += until - warp.since;
  warp.since = until;
}

void Profile::flush(Warp& warp, uint32_t pc) {
  heddle_profile_line& l = line(pc);
  for (size_t s = 0; s < warp.cycles.size(); s++) l.stalls[s] += warp.cycles[s];
  warp.cycles = {};
}

void Profile::close(Part& part, uint64_t until) {
  const uint64_t cycles = until - part.since;
  result_.counters[HEDDLE_COUNTER_WarpCycles] += part.resident * cycles;
  if (part.nearest < HEDDLE_STALLS) {
    result_.counters[HEDDLE_COUNTER_SchedulerCycles] += cycles;
    if (part.nearest == HEDDLE_STALL_Selected) result_.counters[HEDDLE_COUNTER_IssueCycles] += cycles;
    else result_.idle[part.nearest] += cycles;
  }
  part.since = until;
}

void Profile::part_changes(unsigned sm, bool gains, uint64_t at) {
  if (busy_.size() <= sm) {
    busy_.resize(sm + 1);
    busy_since_.resize(sm + 1);
  }
  if (gains && busy_[sm]++ == 0) busy_since_[sm] = at;
  if (!gains && --busy_[sm] == 0) result_.counters[HEDDLE_COUNTER_SmActiveCycles] += at - busy_since_[sm];
}

void Profile::close_all(uint64_t until) {
  for (Part& part : parts_of_) {
    close(part, until);
    for (Warp& warp : part.warps) close(warp, until);
  }
  for (size_t sm = 0; sm < busy_.size(); sm++) {
    if (busy_[sm] == 0) continue;
    result_.counters[HEDDLE_COUNTER_SmActiveCycles] += until - busy_since_[sm];
    busy_since_[sm] = until;
  }
}

void Profile::states(unsigned sm, unsigned part, std::span<const uint8_t> states) {
  if (!running_) return;
  const size_t index = size_t{sm} * parts_ + part;
  if (parts_of_.size() <= index) parts_of_.resize(index + 1);
  Part& p = parts_of_[index];
  p.warps.resize(states.size());
  close(p, cycle_);
  p.nearest = kAbsent;
  unsigned resident = 0;
  for (size_t w = 0; w < states.size(); w++) {
    Warp& warp = p.warps[w];
    if (states[w] < HEDDLE_STALLS) {
      p.nearest = std::min(p.nearest, states[w]);
      resident++;
    }
    if (warp.state == states[w]) continue;
    close(warp, cycle_);
    warp.state = states[w];
    tell_state(sm, slot(part, w), warp.state);
  }
  if ((resident != 0) != (p.resident != 0)) part_changes(sm, resident != 0, cycle_);
  p.resident = resident;
}

void Profile::issue(unsigned sm, unsigned part, unsigned warp, unsigned seq, uint32_t pc, unsigned op, unsigned active,
                    unsigned executing) {
  Part* const p = part_of(sm, part, warp);
  if (!p) return;
  Warp& w = p->warps[warp];
  close(w, cycle_ + 1);
  flush(w, pc);
  w.last_pc = pc;
  if (telling_) {
    if (const isa::OpInfo* info = isa::info(static_cast<uint8_t>(op)); info && info->unit == isa::Unit::Ctl)
      w.control = seq;
    tell(HEDDLE_EVENT_ISSUE, sm, slot(part, warp), seq, pc, active);
  }
  const auto opcode = static_cast<isa::Opcode>(op);
  model::count_issue(result_, line(pc), opcode, active, executing);
  if (!accesses(opcode)) return;
  Instruction& i = memory_[key(sm, slot(part, warp), seq)];
  i.pc = pc;
  i.op = opcode;
  i.access.mask = i.access.shared = 0;
}

void Profile::end(unsigned sm, unsigned part, unsigned warp) {
  Part* const found = part_of(sm, part, warp);
  if (!found) return;
  Part& p = *found;
  Warp& w = p.warps[warp];
  close(w, cycle_ + 1);
  flush(w, w.last_pc);
  w.state = kAbsent;
  tell_state(sm, slot(part, warp), kAbsent, true);
  // The others stay as they are until the next cycle, in which the monitor tells of what changes; it tells of this one,
  // too.
  close(p, cycle_ + 1);
  p.nearest = kAbsent;
  unsigned resident = 0;
  for (const Warp& other : p.warps) {
    p.nearest = std::min(p.nearest, other.state);
    resident += other.state < HEDDLE_STALLS;
  }
  if (resident == 0 && p.resident != 0) part_changes(sm, false, cycle_ + 1);
  p.resident = resident;
}

void Profile::tell_state(unsigned sm, unsigned warp, uint8_t state, bool later) {
  const unsigned value = state < HEDDLE_STALLS ? state : unsigned{HEDDLE_STALLS};
  tell(HEDDLE_EVENT_STATE, sm, warp, 0, value, 0, later);
}

void Profile::tell_block(bool starts, unsigned sm, unsigned slot, unsigned first_warp,
                         const std::array<uint32_t, 3>& index) {
  if (!telling_) return;
  const heddle_event event{cycle_ - first_,
                           starts ? HEDDLE_EVENT_BLOCK_START : HEDDLE_EVENT_BLOCK_END,
                           sm,
                           first_warp,
                           0,
                           slot,
                           0,
                           {index[0], index[1], index[2]}};
  sink_.event(sink_.context, &event);
}

void Profile::resolve(unsigned sm, unsigned warp) {
  if (const Part* p = part_of(sm, warp % parts_, warp / parts_))
    tell(HEDDLE_EVENT_RESOLVE, sm, warp, p->warps[warp / parts_].control);
}

void Profile::access(const Lanes& lanes) {
  const auto found = memory_.find(key(lanes.sm, lanes.warp, lanes.seq));
  if (!running_ || found == memory_.end()) return;
  Instruction& i = found->second;
  model::Access& access = i.access;
  access.shape.bytes = static_cast<uint8_t>(lanes.bytes);
  access.mask |= lanes.executing << lanes.first_lane;
  access.shared |= lanes.shared << lanes.first_lane;
  for (unsigned lane = 0; lane < 32 - lanes.first_lane; lane++) {
    const bool shared = lanes.shared >> lane & 1;
    access.address[lanes.first_lane + lane] = (shared ? 0 : uint64_t{lanes.high[lane]} << 32) | lanes.low[lane];
  }
  if (!lanes.last) return;
  const model::Mask local = model::local_lanes(i.op, access, local_base_, local_end_ - local_base_);
  model::count_access(result_, line(i.pc), model::memory_class(i.op), access, local);
  memory_.erase(found);
}

const heddle_profile* Profile::result() {
  if (!any_) return nullptr;
  // So far; what has not issued again is in no line.
  if (running_) {
    close_all(cycle_);
    result_.counters[HEDDLE_COUNTER_Cycles] = cycle_ - began_;
  }
  heddle_profile& r = result_;
  r.open_cycles = 0;
  std::fill(std::begin(r.stalls), std::end(r.stalls), 0);
  for (const Part& part : parts_of_) {
    for (const Warp& warp : part.warps) {
      for (size_t s = 0; s < warp.cycles.size(); s++) {
        r.stalls[s] += warp.cycles[s];
        r.open_cycles += warp.cycles[s];
      }
    }
  }
  sorted_.clear();
  for (auto& [pc, values] : lines_) {
    values.pc = pc;
    sorted_.push_back(values);
    for (size_t s = 0; s < std::size(values.stalls); s++) r.stalls[s] += values.stalls[s];
  }
  std::sort(sorted_.begin(), sorted_.end(), [](const auto& a, const auto& b) { return a.pc < b.pc; });
  r.lines = sorted_.data();
  r.line_count = sorted_.size();
  return &r;
}

}  // namespace heddle::rtl

using heddle::rtl::Profile;

extern "C" {

int heddle_profile_wanted() {
  const Profile* profile = Profile::selected();
  return profile ? int{profile->wanted()} | int{profile->tells()} << 1 : 0;
}

void heddle_event_block(int starts, int sm, int slot, int first_warp, int x, int y, int z) {
  Profile::selected()->tell_block(starts != 0, static_cast<unsigned>(sm), static_cast<unsigned>(slot),
                                  static_cast<unsigned>(first_warp),
                                  {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)});
}

void heddle_event_execute(int sm, int warp, int seq, int unit) {
  Profile::selected()->tell(HEDDLE_EVENT_EXECUTE, static_cast<unsigned>(sm), static_cast<unsigned>(warp),
                            static_cast<unsigned>(seq), static_cast<unsigned>(unit));
}

void heddle_event_retire(int sm, int warp, int seq) {
  Profile::selected()->tell(HEDDLE_EVENT_RETIRE, static_cast<unsigned>(sm), static_cast<unsigned>(warp),
                            static_cast<unsigned>(seq));
}

void heddle_event_resolve(int sm, int warp) {
  Profile::selected()->resolve(static_cast<unsigned>(sm), static_cast<unsigned>(warp));
}

void heddle_profile_kernel(int starts, int64_t local_base, int64_t local_end) {
  if (starts) Profile::selected()->start(static_cast<uint64_t>(local_base), static_cast<uint64_t>(local_end));
  else Profile::selected()->stop();
}

void heddle_profile_states(int sm, int part, int warps, const svBitVecVal* states) {
  std::array<uint8_t, 64> each;
  for (unsigned w = 0; w < static_cast<unsigned>(warps); w++) {
    const unsigned bit = 5 * w;
    uint64_t words = states[bit / 32];
    if (bit / 32 + 1 < 10) words |= uint64_t{states[bit / 32 + 1]} << 32;
    each[w] = words >> (bit % 32) & 31;
  }
  Profile::selected()->states(static_cast<unsigned>(sm), static_cast<unsigned>(part),
                              std::span(each).first(static_cast<size_t>(warps)));
}

void heddle_profile_issue(int sm, int part, int warp, int seq, int pc, int op, int active, int executing) {
  Profile::selected()->issue(static_cast<unsigned>(sm), static_cast<unsigned>(part), static_cast<unsigned>(warp),
                             static_cast<unsigned>(seq), static_cast<uint32_t>(pc), static_cast<unsigned>(op),
                             static_cast<unsigned>(active), static_cast<unsigned>(executing));
}

void heddle_profile_end(int sm, int part, int warp) {
  Profile::selected()->end(static_cast<unsigned>(sm), static_cast<unsigned>(part), static_cast<unsigned>(warp));
}

void heddle_profile_access(int sm, int warp, int seq, int slice, int lanes, int last, int bytes, int executing,
                           int shared, const svBitVecVal* low, const svBitVecVal* high) {
  Profile::selected()->access({.sm = static_cast<unsigned>(sm),
                               .warp = static_cast<unsigned>(warp),
                               .seq = static_cast<unsigned>(seq),
                               .first_lane = static_cast<unsigned>(slice * lanes),
                               .last = last != 0,
                               .bytes = static_cast<unsigned>(bytes),
                               .executing = static_cast<uint32_t>(executing),
                               .shared = static_cast<uint32_t>(shared),
                               .low = low,
                               .high = reinterpret_cast<const uint8_t*>(high)});
}

// profile_dpi::counter_e.
void heddle_profile_count(int counter, int place, int amount) {
  constexpr heddle_counter kHits[] = {HEDDLE_COUNTER_InstructionHits, HEDDLE_COUNTER_ConstantHits};
  constexpr heddle_counter kCounters[] = {HEDDLE_COUNTER_Warps,
                                          HEDDLE_COUNTER_Blocks,
                                          HEDDLE_COUNTER_L1Wavefronts,
                                          HEDDLE_COUNTER_L1Replays,
                                          HEDDLE_COUNTER_L1ReadSectors,
                                          HEDDLE_COUNTER_L1ReadHits,
                                          HEDDLE_COUNTER_InstructionFetches,
                                          HEDDLE_COUNTER_InstructionHits,
                                          HEDDLE_COUNTER_ConstantReads,
                                          HEDDLE_COUNTER_ConstantHits,
                                          HEDDLE_COUNTER_LinkReadBytes,
                                          HEDDLE_COUNTER_LinkWriteBytes,
                                          HEDDLE_COUNTER_L2Reads,
                                          HEDDLE_COUNTER_L2ReadHits,
                                          HEDDLE_COUNTER_L2Writes,
                                          HEDDLE_COUNTER_L2Atomics,
                                          HEDDLE_COUNTER_L2Replays,
                                          HEDDLE_COUNTER_DramReadBytes,
                                          HEDDLE_COUNTER_DramWriteBytes};
  Profile& profile = *Profile::selected();
  const heddle_counter which = kCounters[counter];
  const auto n = static_cast<uint64_t>(amount);
  // Of these two caches misses are told: what is looked up hits unless it is said to have missed.
  const bool misses = which == kHits[0] || which == kHits[1];
  profile.count(which, misses ? 0 - n : n, static_cast<unsigned>(place));
  if (which == HEDDLE_COUNTER_InstructionFetches) profile.count(kHits[0], n);
  if (which == HEDDLE_COUNTER_ConstantReads) profile.count(kHits[1], n);
}
}
