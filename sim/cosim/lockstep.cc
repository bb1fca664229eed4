// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "host-runtime/device/contract.h"

namespace heddle::cosim {

Lockstep::Lockstep(const Preset& preset, model::DeviceMemory memory)
    : preset_(preset), memory_(std::move(memory)), written_(memory_.size()), code_(preset.structure.features()) {
  const auto sms = static_cast<size_t>(preset.structure.sms);
  for (size_t s = 0; s < sms; s++) {
    sms_.emplace_back(preset_.structure, static_cast<uint32_t>(s));
    tracks_.emplace_back();
    tracks_.back().warps.resize(static_cast<size_t>(preset.structure.warps_per_sm()));
    tracks_.back().shared_written.resize(sms_.back().shared.size());
  }
  fills_.resize(sms + 1);
}

bool Lockstep::handle(const Event& event) {
  if (failed()) return false;
  cycle_ = event.cycle;
  number_++;
  switch (event.kind) {
    case EventKind::KernelStart: return kernel_start(event.kernel_start);
    case EventKind::KernelEnd: return kernel_end(event.kernel_end);
    case EventKind::BlockStart: return block_start(event.block_start);
    case EventKind::BlockEnd: return block_end(event.block_end);
    case EventKind::Issue: return issue(event.issue);
    case EventKind::Retire: return retire(event.retire);
    case EventKind::Load: return load(event.load);
    case EventKind::SharedStore: return shared_store(event.shared_store);
    case EventKind::L1: return l1(event.l1);
    case EventKind::L2: return l2(event.l2);
    case EventKind::Fault: return fault(event.fault);
    case EventKind::RegisterWrite: commands_.register_written(event.register_write); return true;
    case EventKind::HostRead: return right(commands_.host_read(event.host_read));
    case EventKind::HostWrite: return right(commands_.host_write(event.host_write));
    case EventKind::WindowWrite: commands_.window_write(event.window_write); return true;
    case EventKind::MemoryLoad: memory_load(event.memory_load); return true;
  }
  return mismatch({}, fmt::format("an event of unknown kind {}", static_cast<int>(event.kind)));
}

void Lockstep::write_memory(uint64_t address, const void* data, size_t bytes) {
  if (bytes == 0 || !memory_.contains(address, bytes)) return;
  std::memcpy(memory_.at(address), data, bytes);
  for (uint64_t a = address - address % PageSet::kPageBytes; a < address + bytes; a += PageSet::kPageBytes)
    written_.add(a - model::DeviceMemory::kBase);
}

void Lockstep::memory_load(const MemoryLoad& e) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(e.data.data());
  write_memory(e.sector * sizeof e.data + e.first, bytes + e.first, e.count);
}

bool Lockstep::equals_memory(const uint8_t* bytes, const PageSet& written) {
  if (failed()) return false;
  for (uint64_t page = 0; page < written_.pages(); page++) {
    if (!written_.has(page) && !written.has(page)) continue;
    const uint64_t offset = page * PageSet::kPageBytes, n = std::min(PageSet::kPageBytes, memory_.size() - offset);
    const uint8_t *hardware = bytes + offset, *model = memory_.at(model::DeviceMemory::kBase + offset);
    if (std::memcmp(hardware, model, n) == 0) continue;
    const uint64_t at = static_cast<uint64_t>(std::mismatch(hardware, hardware + n, model).first - hardware);
    return mismatch({}, fmt::format("device memory at the end, byte {:#x}: hardware {:#04x}, model {:#04x}",
                                    model::DeviceMemory::kBase + offset + at, hardware[at], model[at]));
  }
  return true;
}

// ---- the report
// -----------------------------------------------------------------------------------------

std::string Lockstep::where(const Place& place) const {
  std::string s;
  const auto add = [&s](const std::string& part) { s += (s.empty() ? "" : ", ") + part; };
  if (place.sm >= 0) add(fmt::format("SM {}", place.sm));
  if (place.warp >= 0) add(fmt::format("warp {}", place.warp));
  if (place.lane >= 0) add(fmt::format("lane {}", place.lane));
  if (place.pc >= 0) {
    const auto pc = static_cast<uint32_t>(place.pc);
    const model::Decoded* d = code_.at(pc);
    add(fmt::format("pc {:#x}: {}", pc, d ? isa::disassemble(d->word, pc) : "outside the code"));
  }
  if (place.sm >= 0 && place.warp >= 0) {
    const model::Warp& warp = sms_[static_cast<size_t>(place.sm)].warps[static_cast<size_t>(place.warp)];
    if (warp.resident) {
      s += fmt::format("\n  block ({}, {}, {})", warp.view.ctaid[0], warp.view.ctaid[1], warp.view.ctaid[2]);
      if (place.lane >= 0)
        s += fmt::format(", thread {}", warp.view.warp_in_block * model::kLanes + static_cast<uint32_t>(place.lane));
    }
  }
  return s;
}

bool Lockstep::mismatch(const Place& place, const std::string& what) {
  report_ = fmt::format("lockstep mismatch at cycle {}: {}\n", cycle_, what);
  if (const std::string s = where(place); !s.empty()) report_ += "  " + s + "\n";
  if (place.sm >= 0) {
    const std::string history = tracks_[static_cast<size_t>(place.sm)].history.text(place.warp);
    report_ += history.empty() ? "nothing has retired there yet\n" : "last retirements there:\n" + history;
  }
  return false;
}

bool Lockstep::place_exists(unsigned sm, unsigned warp, const char* what) {
  if (sm >= sms_.size() || warp >= sms_[sm].warps.size())
    return mismatch({}, fmt::format("{} names SM {}, warp {}, which does not exist", what, sm, warp));
  return true;
}

std::string Lockstep::standing(const model::Warp& warp, int lane) const {
  const Mask bit = 1u << lane;
  if (!warp.resident) return "the warp slot holds no warp";
  if (!(warp.live & bit)) return fmt::format("lane {} has ended", lane);
  for (int i = 0; i < warp.ready.count; i++)
    if (warp.ready[i].mask & bit)
      return fmt::format("lane {} is at {:#x} with mask {:08x}", lane, warp.ready[i].pc, warp.ready[i].mask);
  for (int i = 0; i < warp.parked.count; i++) {
    const model::Parked& p = warp.parked[i];
    if (!(p.split.mask & bit)) continue;
    if (p.wait == model::Wait::Block && p.what == model::kClusterBarrier)
      return fmt::format("lane {} waits at the cluster's barrier", lane);
    return p.wait == model::Wait::Block ? fmt::format("lane {} waits at block barrier {}", lane, p.what)
                                        : fmt::format("lane {} waits at WARPSYNC {:08x}", lane, p.what);
  }
  for (size_t b = 0; b < warp.convergence.size(); b++)
    if (warp.convergence[b].arrived & bit)
      return fmt::format("lane {} waits at convergence barrier B{} (expected {:08x}, arrived {:08x})", lane, b,
                         warp.convergence[b].expected, warp.convergence[b].arrived);
  return fmt::format("lane {} is nowhere", lane);
}

// ---- kernels and blocks
// -----------------------------------------------------------------------------------

void Lockstep::forget() {
  for (model::Sm& sm : sms_) {
    for (model::Warp& warp : sm.warps) warp.resident = false;
    for (model::Block& block : sm.blocks) block.resident = false;
  }
  for (SmTrack& track : tracks_)
    for (WarpTrack& warp : track.warps) {
      warp.in_flight.clear();
      warp.reductions.clear();
    }
  started_.clear();
  blocks_ended_ = 0;
}

bool Lockstep::kernel_start(const KernelStart& e) {
  if (running_) return mismatch({}, "a kernel starts while another runs");
  if (!right(commands_.kernel_start(e))) return false;
  forget();
  running_ = true;
  faulted_ = false;
  compared_at_start_ = compared_instructions_;
  launch_.entry_pc = e.entry_pc;
  launch_.registers = e.registers;
  launch_.shared_bytes = e.shared_bytes;
  launch_.dynamic_shared = e.dynamic_shared;
  launch_.local_bytes = e.local_bytes;
  std::copy(e.grid, e.grid + 3, launch_.grid);
  std::copy(e.block, e.block + 3, launch_.block);
  for (size_t d = 0; d < 3; d++) launch_.cluster[d] = std::max<uint32_t>(e.cluster[d], 1);
  launch_.clusters = e.clusters;
  launch_.param_base = e.param_base;
  launch_.param_bytes = e.param_bytes;
  launch_.const_base = e.const_base;
  launch_.local_base = e.local_base;
  launch_.envreg0 = e.envreg0;
  launch_.envreg1 = e.envreg1;
  launch_.grid_id = e.grid_id;
  launch_.code_base = e.code_base;
  launch_.code_size = e.code_size;
  launch_.mem_end = std::min(e.mem_end, memory_.end());
  const bool inside = memory_.contains(e.code_base, e.code_size);
  code_.load(inside ? memory_.at(e.code_base) : nullptr, inside ? e.code_size : 0, e.registers);
  return true;
}

bool Lockstep::kernel_complete() {
  for (size_t s = 0; s < sms_.size(); s++) {
    for (size_t w = 0; w < sms_[s].warps.size(); w++) {
      const Place place{static_cast<int>(s), static_cast<int>(w), -1, -1};
      const model::Warp& warp = sms_[s].warps[w];
      if (warp.resident && warp.live)
        return mismatch(place, "the kernel ended, but " + standing(warp, std::countr_zero(warp.live)));
      for (const InFlight& i : tracks_[s].warps[w].in_flight) {
        const Place at{static_cast<int>(s), static_cast<int>(w), -1, i.pc};
        if (i.faults) return mismatch(at, "the kernel ended, but this instruction must fault");
        if (!i.visible())
          return mismatch(at, "the kernel ended, but not all of this instruction's memory effects were seen");
        if (i.retires && !i.retired && i.mask)
          return mismatch(at, "the kernel ended, but this instruction did not retire");
      }
    }
    for (const model::Block& block : sms_[s].blocks)
      if (block.resident)
        return mismatch({static_cast<int>(s)}, fmt::format("the kernel ended, but block slot {} did not", block.slot));
  }
  if (blocks_ended_ != launch_.blocks())
    return mismatch({}, fmt::format("the kernel ended after {} of {} blocks", blocks_ended_, launch_.blocks()));
  if (compared_instructions_ == compared_at_start_) return mismatch({}, "the kernel ended and nothing was compared");
  return true;
}

// True, or a mismatch naming a warp that could go on.
bool Lockstep::deadlocked() {
  for (size_t s = 0; s < sms_.size(); s++) {
    for (size_t w = 0; w < sms_[s].warps.size(); w++) {
      model::Warp warp = sms_[s].warps[w];
      if (!warp.resident || !warp.live) continue;
      if (!warp.ready.empty() || warp.force_any())
        return mismatch(
            {static_cast<int>(s), static_cast<int>(w), std::countr_zero(warp.ready[0].mask), warp.ready[0].pc},
            "the device reports a deadlock, but this lane can go on");
    }
  }
  return true;
}

bool Lockstep::kernel_end(const KernelEnd& e) {
  if (!running_) return mismatch({}, "a kernel ends while none runs");
  running_ = false;
  commands_.kernel_end(e);
  if (e.status == contract::kStatusOk) {
    if (!kernel_complete()) return false;
  } else {
    if (e.status == contract::kStatusFault && !faulted_)
      return mismatch({}, "the kernel ended with a fault that was not reported");
    if (e.status == contract::kStatusDeadlock && !deadlocked()) return false;
    // The SMs are reset: what they held is gone.
    for (SmTrack& track : tracks_) track.l1.clear();
    for (auto& client : fills_) client.fill({});
  }
  forget();
  return true;
}

bool Lockstep::same_cluster(const model::Block& block, const BlockStart& e) const {
  for (int d = 0; d < 3; d++)
    if (block.ctaid[d] / launch_.cluster[d] != e.ctaid[d] / launch_.cluster[d]) return false;
  return true;
}

bool Lockstep::block_start(const BlockStart& e) {
  const auto sm_number = static_cast<int>(e.sm);
  if (!running_) return mismatch({}, "a block starts while no kernel runs");
  if (e.sm >= sms_.size() || e.slot >= sms_[e.sm].blocks.size())
    return mismatch({}, fmt::format("a block starts in SM {}, slot {}, which does not exist", e.sm, e.slot));
  model::Sm& sm = sms_[e.sm];
  const auto partitions = static_cast<uint32_t>(preset_.structure.sub_partitions);
  const uint32_t end = e.first_warp + launch_.warps();
  const uint32_t rows = (end + partitions - 1) / partitions * launch_.rows();
  if (end > sm.warps.size() || rows > static_cast<uint32_t>(preset_.structure.register_rows) ||
      uint64_t{e.shared_base} + launch_.shared_bytes > sm.shared.size())
    return mismatch({sm_number}, fmt::format("block slot {} exceeds the SM (warps {} to {}, shared memory from {})",
                                             e.slot, e.first_warp, end - 1, e.shared_base));
  for (const model::Block& b : sm.blocks) {
    if (!b.resident) continue;
    const bool warps_meet = e.first_warp < b.first_warp + b.warps && b.first_warp < end;
    const bool shared_meets =
        e.shared_base < b.shared_base + launch_.shared_bytes && b.shared_base < e.shared_base + launch_.shared_bytes;
    if (b.slot == e.slot || warps_meet || shared_meets)
      return mismatch({sm_number}, fmt::format("block slot {} overlaps slot {}, which holds a block", e.slot, b.slot));
  }
  const uint64_t linear = (uint64_t{e.ctaid[2]} * launch_.grid[1] + e.ctaid[1]) * launch_.grid[0] + e.ctaid[0];
  if (e.ctaid[0] >= launch_.grid[0] || e.ctaid[1] >= launch_.grid[1] || e.ctaid[2] >= launch_.grid[2])
    return mismatch({sm_number},
                    fmt::format("block ({}, {}, {}) is outside the grid", e.ctaid[0], e.ctaid[1], e.ctaid[2]));
  if (!started_.insert(linear).second)
    return mismatch({sm_number}, fmt::format("block ({}, {}, {}) starts twice", e.ctaid[0], e.ctaid[1], e.ctaid[2]));
  // A cluster's blocks start by rank, in slots that follow each other.
  const uint32_t rank = launch_.rank(e.ctaid), size = launch_.cluster_blocks();
  const bool follows = rank == 0 || (e.slot >= rank && sm.blocks[e.slot - 1].cluster_blocks == size &&
                                     sm.blocks[e.slot - 1].rank == rank - 1 && same_cluster(sm.blocks[e.slot - 1], e));
  if (!follows || e.slot - rank + size > sm.blocks.size())
    return mismatch({sm_number},
                    fmt::format("block ({}, {}, {}) starts in slot {}, not behind the cluster's block before",
                                e.ctaid[0], e.ctaid[1], e.ctaid[2], e.slot));
  sm.start_block(preset_.structure, launch_, e.slot, e.first_warp, e.shared_base, e.ctaid, &clock_);
  for (uint32_t w = e.first_warp; w < end; w++) tracks_[e.sm].warps[w].next_seq = 0;
  return true;
}

bool Lockstep::block_end(const BlockEnd& e) {
  if (e.sm >= sms_.size() || e.slot >= sms_[e.sm].blocks.size() || !sms_[e.sm].blocks[e.slot].resident)
    return mismatch({}, fmt::format("a block ends in SM {}, slot {}, which holds none", e.sm, e.slot));
  model::Sm& sm = sms_[e.sm];
  model::Block& block = sm.blocks[e.slot];
  for (uint32_t w = block.first_warp; w < block.first_warp + block.warps; w++) {
    model::Warp& warp = sm.warps[w];
    const Place place{static_cast<int>(e.sm), static_cast<int>(w)};
    if (warp.live) return mismatch(place, "the block ended, but " + standing(warp, std::countr_zero(warp.live)));
    for (const InFlight& i : tracks_[e.sm].warps[w].in_flight)
      if (i.retires && !i.retired && i.mask)
        return mismatch({place.sm, place.warp, -1, i.pc}, "the block ended, but this instruction did not retire");
  }
  for (uint32_t w = block.first_warp; w < block.first_warp + block.warps; w++) sm.warps[w].resident = false;
  block.resident = false;
  blocks_ended_++;
  return true;
}

// ---- faults
// -------------------------------------------------------------------------------------------------

bool Lockstep::fault(const Fault& e) {
  if (!place_exists(e.sm, e.warp, "a fault")) return false;
  const Place place{e.sm, e.warp, e.thread % model::kLanes, e.pc};
  const model::Warp& warp = sms_[e.sm].warps[e.warp];
  if (!warp.resident) return mismatch(place, "a fault in a warp slot that holds no warp");
  faulted_ = true;
  if (e.kind == contract::kFaultBus) return true;  // the world outside failed, not the machine
  for (InFlight& i : tracks_[e.sm].warps[e.warp].in_flight) {
    if (!i.faults || i.pc != e.pc) continue;
    const uint32_t thread = warp.view.warp_in_block * model::kLanes + i.fault.lane;
    const bool same = i.fault.kind == e.kind && i.fault.code == e.code && i.fault.address == e.address &&
                      thread == e.thread && std::equal(e.ctaid, e.ctaid + 3, warp.view.ctaid);
    if (!same)
      return mismatch(place, fmt::format("hardware reports fault kind {} code {:#x} thread {} address {:#x} block "
                                         "({}, {}, {}); "
                                         "the model kind {} code {:#x} thread {} address {:#x} block ({}, {}, {})",
                                         e.kind, e.code, e.thread, e.address, e.ctaid[0], e.ctaid[1], e.ctaid[2],
                                         i.fault.kind, i.fault.code, thread, i.fault.address, warp.view.ctaid[0],
                                         warp.view.ctaid[1], warp.view.ctaid[2]));
    i.faults = false;
    compared_instructions_++;
    return true;
  }
  return mismatch(place, fmt::format("hardware reports a fault of kind {} (code {:#x}, address "
                                     "{:#x}); the model has none there",
                                     e.kind, e.code, e.address));
}

// ---- instructions in flight
// -----------------------------------------------------------------------------------

InFlight* Lockstep::find(unsigned sm, unsigned warp, uint16_t seq) {
  for (InFlight& i : tracks_[sm].warps[warp].in_flight)
    if (i.seq == seq) return &i;
  return nullptr;
}

void Lockstep::sweep(WarpTrack& track) {
  while (!track.in_flight.empty() && track.in_flight.front().finished()) track.in_flight.pop_front();
}

}  // namespace heddle::cosim
