// SPDX-License-Identifier: Apache-2.0
// The control registers of the model's processor.
#include "sim/model/processor.h"

namespace heddle::model {

using namespace contract;  // NOLINT(google-build-using-namespace): the constants are this file's
                           // subject

namespace {

void set_low(uint64_t& v, uint32_t low) { v = (v & ~uint64_t{0xffffffffu}) | low; }
void set_high(uint64_t& v, uint32_t high) { v = (v & 0xffffffffu) | uint64_t{high} << 32; }
uint32_t low(uint64_t v) { return static_cast<uint32_t>(v); }
uint32_t high(uint64_t v) { return static_cast<uint32_t>(v >> 32); }

}  // namespace

// Plain read-write registers.
uint32_t* Processor::setting(uint32_t offset) {
  switch (offset) {
    case kRegIrqEnable: return &irq_enable_;
    case kRegCodeSize: return &code_size_;
    case kRegSchedPolicy: return &sched_policy_;
    case kRegYieldBranches: return &yield_branches_;
    case kRegMaxWarpsPerSm: return &max_warps_;
    case kRegL1Enable: return &l1_enable_;
    default: return nullptr;
  }
}

void Processor::write32(uint32_t offset, uint32_t value) {
  if (uint32_t* s = setting(offset)) {
    *s = value;
    return;
  }
  switch (offset) {
    case kRegMemSizeLo: return set_low(mem_size_, value);
    case kRegMemSizeHi: return set_high(mem_size_, value);
    case kRegControl:
      if (value & kControlReset) reset();
      return;
    case kRegIrqStatus: irq_status_ &= ~value; return;
    case kRegCodeBaseLo: return set_low(code_base_, value);
    case kRegCodeBaseHi: return set_high(code_base_, value);
    case kRegCycleLimitLo: return set_low(cycle_limit_, value);
    case kRegCycleLimitHi: return set_high(cycle_limit_, value);
    default: break;
  }
  if (offset < kRegRingBase || offset >= kRegRingBase + rings_.size() * kRegRingStride) return;
  Ring& r = rings_[(offset - kRegRingBase) / kRegRingStride];
  switch ((offset - kRegRingBase) % kRegRingStride) {
    case kRingAddressLo: return set_low(r.address, value);
    case kRingAddressHi: return set_high(r.address, value);
    case kRingEntries: r.entries = value; return;
    case kRingTail: r.tail = value; return;
    default: return;
  }
}

uint32_t Processor::read32(uint32_t offset) {
  if (const uint32_t* s = setting(offset)) return *s;
  if (offset >= kRegRingBase && offset < kRegSmBase) return ring_register(offset);
  if (offset >= kRegSmBase) return sm_register(offset);
  if (offset >= kRegFaultKind) return fault(offset);
  if (offset >= kRegCyclesLo) return progress(offset);
  return fixed(offset);
}

uint32_t Processor::fixed(uint32_t offset) const {
  const Preset::Structure& s = preset_.structure;
  switch (offset) {
    case kRegId: return kIdMagic;
    case kRegVersion: return kIdContractVersion;
    case kRegPresetHash: return preset_.structure_hash();
    case kRegNumSms: return static_cast<uint32_t>(s.sms);
    case kRegSubPartitions: return static_cast<uint32_t>(s.sub_partitions);
    case kRegWarpsPerSm: return static_cast<uint32_t>(s.warps_per_sm());
    case kRegBlocksPerSm: return static_cast<uint32_t>(s.blocks_per_sm);
    case kRegRegistersPerSm: return static_cast<uint32_t>(s.registers_per_sm());
    case kRegSharedPerSm: return static_cast<uint32_t>(s.shared_bytes);
    case kRegNumRings: return static_cast<uint32_t>(s.rings);
    case kRegMemBaseLo: return low(kMemoryBase);
    case kRegMemBaseHi: return high(kMemoryBase);
    case kRegMemSizeLo: return low(mem_size_);
    case kRegMemSizeHi: return high(mem_size_);
    case kRegControl: return reset_wanted_ ? static_cast<uint32_t>(kControlReset) : 0;
    case kRegStatus: {
      bool waiting = executing_ || transfer_ != Transfer::None;
      for (const Ring& r : rings_) waiting |= r.head != r.tail;
      return static_cast<uint32_t>((waiting ? kStatusBitsBusy : 0) | (faulted_ ? kStatusBitsFaulted : 0));
    }
    case kRegIrqStatus: return irq_status_;
    case kRegCodeBaseLo: return low(code_base_);
    case kRegCodeBaseHi: return high(code_base_);
    case kRegCycleLimitLo: return low(cycle_limit_);
    case kRegCycleLimitHi: return high(cycle_limit_);
    default: return 0;
  }
}

uint32_t Processor::progress(uint32_t offset) {
  const KernelCounters& k = machine_.counters();
  switch (offset) {
    case kRegCyclesLo: cycles_high_ = high(machine_.cycle()); return low(machine_.cycle());
    case kRegCyclesHi: return cycles_high_;
    case kRegKernelCyclesLo:
    case kRegWarpInstructionsLo: return low(k.warp_instructions);
    case kRegKernelCyclesHi:
    case kRegWarpInstructionsHi: return high(k.warp_instructions);
    case kRegThreadInstructionsLo: return low(k.thread_instructions);
    case kRegThreadInstructionsHi: return high(k.thread_instructions);
    case kRegBlocksDone: return low(k.blocks_done);
    case kRegBlocksTotal: return blocks_total_;
    default: return 0;
  }
}

uint32_t Processor::fault(uint32_t offset) const {
  switch (offset) {
    case kRegFaultKind: return fault_.info.kind;
    case kRegFaultSm: return fault_.sm;
    case kRegFaultWarp: return fault_.warp;
    case kRegFaultThread: return fault_.thread;
    case kRegFaultPc: return fault_.pc;
    case kRegFaultAddressLo: return low(fault_.info.address);
    case kRegFaultAddressHi: return high(fault_.info.address);
    case kRegFaultBlockX: return fault_.ctaid[0];
    case kRegFaultBlockY: return fault_.ctaid[1];
    case kRegFaultBlockZ: return fault_.ctaid[2];
    case kRegFaultCode: return fault_.info.code;
    default: return 0;
  }
}

uint32_t Processor::ring_register(uint32_t offset) const {
  const size_t index = (offset - kRegRingBase) / kRegRingStride;
  if (index >= rings_.size()) return 0;
  const Ring& r = rings_[index];
  switch ((offset - kRegRingBase) % kRegRingStride) {
    case kRingAddressLo: return low(r.address);
    case kRingAddressHi: return high(r.address);
    case kRingEntries: return r.entries;
    case kRingHead: return r.head;
    case kRingTail: return r.tail;
    default: return 0;
  }
}

uint32_t Processor::sm_register(uint32_t offset) const {
  const size_t sm = (offset - kRegSmBase) / kRegSmStride;
  if (sm >= waiting_.size()) return 0;
  switch ((offset - kRegSmBase) % kRegSmStride) {
    case kSmWaitingLo: return low(waiting_[sm]);
    case kSmWaitingHi: return high(waiting_[sm]);
    case kSmResidentLo: return low(resident_[sm]);
    case kSmResidentHi: return high(resident_[sm]);
    default: return 0;
  }
}

}  // namespace heddle::model
