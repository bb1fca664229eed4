// SPDX-License-Identifier: Apache-2.0
// The register file against the device contract (preset cc80: 2 SMs, 64 warps an SM).
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "Vcontrol_regs.h"
#include "host-runtime/device/contract.h"
#include "presets/preset.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

using namespace heddle::contract;

constexpr unsigned kSms = 2, kWarps = 64, kRings = 4;
using namespace settings_bits;
// gpu_pkg::fault_t, where its fields begin.
constexpr unsigned kFaultZ = 0, kFaultY = 16, kFaultX = 32, kFaultAddress = 64, kFaultPc = 128, kFaultThread = 160,
                   kFaultWarp = 170, kFaultCode = 176, kFaultKind = 208;

struct Events {
  bool completion = false, fault_irq = false, reset_done = false, start = false, fault = false, stop = false;
  unsigned warps = 0, threads = 0;
};

class ControlRegs : public ::testing::Test {
 protected:
  ControlRegs() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.s_axil_awvalid_i = top_.s_axil_wvalid_i = top_.s_axil_arvalid_i = 0;
    top_.s_axil_bready_i = top_.s_axil_rready_i = 1;
    top_.reset_done_i = top_.irq_completion_i = top_.irq_fault_i = top_.kernel_start_i = 0;
    top_.busy_i = top_.faulted_i = top_.fault_valid_i = top_.stopping_i = 0;
    top_.count_warp_i = top_.count_thread_i = 0;
    bench_.reset();
    for (const auto& [address, mask] : kWritable()) value_[address] = 0;
    const auto preset = load_preset(HEDDLE_PRESET_FILE);
    EXPECT_TRUE(preset);
    if (preset) hash_ = preset->structure_hash();
    value_[kRegYieldBranches] = 64;
    value_[kRegMaxWarpsPerSm] = kWarps;
    value_[kRegL1Enable] = 1;
  }

  static constexpr uint32_t ring(unsigned n, uint64_t offset) {
    return static_cast<uint32_t>(kRegRingBase + n * kRegRingStride + offset);
  }

  // Registers that keep what is written, and which bits.
  static const std::map<uint32_t, uint32_t>& kWritable() {
    static const std::map<uint32_t, uint32_t> m = [] {
      std::map<uint32_t, uint32_t> r = {{kRegMemSizeLo, ~0u},        {kRegMemSizeHi, ~0u},        {kRegIrqEnable, 3},
                                        {kRegCodeBaseLo, ~0u},       {kRegCodeBaseHi, ~0u},       {kRegCodeSize, ~0u},
                                        {kRegCycleLimitLo, ~0u},     {kRegCycleLimitHi, ~0u},     {kRegSchedPolicy, 3},
                                        {kRegYieldBranches, 0xffff}, {kRegMaxWarpsPerSm, 0xffff}, {kRegL1Enable, 1}};
      for (unsigned n = 0; n < kRings; n++) {
        r[ring(n, kRingAddressLo)] = r[ring(n, kRingAddressHi)] = r[ring(n, kRingTail)] = ~0u;
        r[ring(n, kRingEntries)] = 0xffff;
      }
      return r;
    }();
    return m;
  }

  // One cycle with a write and a read offered; says what was taken.
  struct Taken {
    bool write, read;
  };
  Taken cycle(const Events& e = {}, std::optional<std::pair<uint32_t, uint32_t>> write = {},
              std::optional<uint32_t> read = {}, bool aw = true, bool w = true) {
    top_.s_axil_awvalid_i = write && aw;
    top_.s_axil_wvalid_i = write && w;
    if (write) top_.s_axil_awaddr_i = write->first, top_.s_axil_wdata_i = write->second;
    top_.s_axil_arvalid_i = read.has_value();
    if (read) top_.s_axil_araddr_i = *read;
    top_.irq_completion_i = e.completion;
    top_.irq_fault_i = e.fault_irq;
    top_.reset_done_i = e.reset_done;
    top_.kernel_start_i = e.start;
    top_.fault_valid_i = e.fault;
    top_.stopping_i = e.stop;
    top_.count_warp_i = e.warps;
    top_.count_thread_i = e.threads;
    bench_.settle();
    check_outputs();
    const Taken t{write && top_.s_axil_awready_o && top_.s_axil_awvalid_i, read && top_.s_axil_arready_o};
    EXPECT_EQ(top_.s_axil_awready_o && top_.s_axil_awvalid_i, top_.s_axil_wready_o && top_.s_axil_wvalid_i)
        << "address and data go together";
    EXPECT_FALSE(t.write && !(aw && w));
    // Responses stand until taken.
    EXPECT_EQ(top_.s_axil_bvalid_o, b_due_ > 0);
    EXPECT_EQ(top_.s_axil_rvalid_o, r_due_.has_value());
    if (r_due_ && top_.s_axil_rvalid_o) {
      EXPECT_EQ(top_.s_axil_rdata_o, *r_due_) << "register " << std::hex << r_address_;
    }
    if (top_.s_axil_bready_i && b_due_) b_due_--;
    if (top_.s_axil_rready_i) r_due_.reset();
    if (t.read) {
      r_due_ = expected(*read & ~3u);
      r_address_ = *read;
    }
    bench_.tick();
    // What the cycle did.
    cycles_++;
    const unsigned raised = e.completion | e.fault_irq << 1;
    unsigned cleared = 0;
    if (e.start) code_changed_ = false;
    if (t.write) {
      b_due_++;
      if ((write->first & ~3u) == kRegCodeSize) code_changed_ = true;
      const uint32_t at = write->first & ~3u;
      if (const auto it = kWritable().find(at); it != kWritable().end()) value_[at] = write->second & it->second;
      if (at == kRegIrqStatus) cleared = write->second & 3;
    }
    irq_ = (irq_ & ~cleared) | raised;
    const bool asks_reset = t.write && (write->first & ~3u) == kRegControl && write->second & kControlReset;
    if (e.reset_done) {
      for (unsigned n = 0; n < kRings; n++)
        if (!(t.write && (write->first & ~3u) == ring(n, kRingTail))) value_[ring(n, kRingTail)] = 0;
      if (!(t.write && (write->first & ~3u) == kRegIrqStatus)) irq_ = 0;
      const uint64_t sm = fault_[1];  // says nothing when there is no fault
      fault_ = {};
      fault_[1] = sm;
      reset_ = false;
    } else if (e.fault) {
      take_fault();
    }
    reset_ |= asks_reset;
    if (e.start) warp_count_ = thread_count_ = 0;
    else if (e.warps) warp_count_ += e.warps, thread_count_ += e.threads;
    if (e.stop)
      for (unsigned s = 0; s < kSms; s++) {
        resident_[s] = top_.resident_i[s];
        waiting_[s] = top_.waiting_i[s];
      }
    return t;
  }

  void random_state() {
    top_.busy_i = rng_() & 1;
    top_.faulted_i = rng_() & 1;
    top_.kernel_cycles_i = rng_();
    top_.blocks_done_i = static_cast<uint32_t>(rng_());
    top_.blocks_total_i = static_cast<uint32_t>(rng_());
    for (unsigned n = 0; n < kRings; n++) top_.ring_head_i[n] = static_cast<uint32_t>(rng_());
    top_.fault_sm_i = rng_() & 1;
    for (unsigned w = 0; w < 7; w++) top_.fault_i[w] = static_cast<uint32_t>(rng_());
    for (unsigned s = 0; s < kSms; s++) top_.resident_i[s] = rng_(), top_.waiting_i[s] = rng_();
  }

  void take_fault() {
    const auto& f = top_.fault_i;
    fault_ = {get_bits(f, kFaultKind, 4),
              top_.fault_sm_i,
              get_bits(f, kFaultWarp, 6),
              get_bits(f, kFaultThread, 10),
              get_bits(f, kFaultPc, 32),
              get_bits(f, kFaultAddress, 32),
              get_bits(f, kFaultAddress + 32, 32),
              get_bits(f, kFaultX, 32),
              get_bits(f, kFaultY, 16),
              get_bits(f, kFaultZ, 16),
              get_bits(f, kFaultCode, 32)};
  }

  uint32_t expected(uint32_t a) {
    if (const auto it = value_.find(a); it != value_.end()) return it->second;
    if (a >= kRegFaultKind && a <= kRegFaultCode) {
      return static_cast<uint32_t>(fault_[(a - kRegFaultKind) / 4]);
    }
    switch (a) {
      case kRegId: return static_cast<uint32_t>(kIdMagic);
      case kRegVersion: return static_cast<uint32_t>(kIdContractVersion);
      case kRegPresetHash: return hash_;
      case kRegNumSms: return kSms;
      case kRegSubPartitions: return 4;
      case kRegWarpsPerSm: return kWarps;
      case kRegBlocksPerSm: return 32;
      case kRegRegistersPerSm: return 65536;
      case kRegSharedPerSm: return 167936;
      case kRegNumRings: return kRings;
      case kRegMemBaseLo: return static_cast<uint32_t>(kMemoryBase);
      case kRegMemBaseHi: return static_cast<uint32_t>(kMemoryBase >> 32);
      case kRegControl: return reset_;
      case kRegStatus: return (top_.busy_i ? kStatusBitsBusy : 0) | (top_.faulted_i ? kStatusBitsFaulted : 0);
      case kRegIrqStatus: return irq_;
      case kRegCyclesLo: cycles_high_ = static_cast<uint32_t>(cycles_ >> 32); return static_cast<uint32_t>(cycles_);
      case kRegCyclesHi: return cycles_high_;
      case kRegKernelCyclesLo: return static_cast<uint32_t>(top_.kernel_cycles_i);
      case kRegKernelCyclesHi: return static_cast<uint32_t>(top_.kernel_cycles_i >> 32);
      case kRegWarpInstructionsLo: return static_cast<uint32_t>(warp_count_);
      case kRegWarpInstructionsHi: return static_cast<uint32_t>(warp_count_ >> 32);
      case kRegThreadInstructionsLo: return static_cast<uint32_t>(thread_count_);
      case kRegThreadInstructionsHi: return static_cast<uint32_t>(thread_count_ >> 32);
      case kRegBlocksDone: return top_.blocks_done_i;
      case kRegBlocksTotal: return top_.blocks_total_i;
      default: break;
    }
    for (unsigned n = 0; n < kRings; n++)
      if (a == ring(n, kRingHead)) return top_.ring_head_i[n];
    for (unsigned s = 0; s < kSms; s++) {
      const uint64_t base = kRegSmBase + s * kRegSmStride;
      if (a == base + kSmWaitingLo) return static_cast<uint32_t>(waiting_[s]);
      if (a == base + kSmWaitingHi) return static_cast<uint32_t>(waiting_[s] >> 32);
      if (a == base + kSmResidentLo) return static_cast<uint32_t>(resident_[s]);
      if (a == base + kSmResidentHi) return static_cast<uint32_t>(resident_[s] >> 32);
    }
    return 0;
  }

  uint64_t pair(uint64_t lo) {
    return value_[static_cast<uint32_t>(lo)] | uint64_t{value_[static_cast<uint32_t>(lo + 4)]} << 32;
  }

  void check_outputs() {
    constexpr uint64_t k40 = (uint64_t{1} << 40) - 1;
    const auto& s = top_.settings_o;
    EXPECT_EQ(get_bits(s, kCodeBase, 40), pair(kRegCodeBaseLo) & k40);
    EXPECT_EQ(get_bits(s, kCodeSize, 32), value_[kRegCodeSize]);
    EXPECT_EQ(get_bits(s, kCodeChanged, 1), code_changed_);
    EXPECT_EQ(get_bits(s, kMemEnd, 40), (kMemoryBase + pair(kRegMemSizeLo)) & k40);
    EXPECT_EQ(get_bits(s, kPolicy, 2), value_[kRegSchedPolicy]);
    EXPECT_EQ(get_bits(s, kYield, 16), value_[kRegYieldBranches]);
    EXPECT_EQ(get_bits(s, kL1, 1), value_[kRegL1Enable]);
    EXPECT_EQ(top_.cycle_limit_o, pair(kRegCycleLimitLo));
    EXPECT_EQ(top_.max_warps_o, std::min(value_[kRegMaxWarpsPerSm], kWarps));
    for (unsigned n = 0; n < kRings; n++) {
      EXPECT_EQ(get_bits(top_.ring_base_o, 64 * n, 64), pair(ring(n, kRingAddressLo)));
      EXPECT_EQ(top_.ring_mask_o >> (16 * n) & 0xffff, (value_[ring(n, kRingEntries)] - 1) & 0xffff);
      EXPECT_EQ(top_.ring_tail_o[n], value_[ring(n, kRingTail)]);
    }
    EXPECT_EQ(top_.reset_o, reset_);
    EXPECT_EQ(top_.cycle_o, cycles_);
    EXPECT_EQ(top_.irq_o, (irq_ & value_[kRegIrqEnable]) != 0);
  }

  uint32_t read(uint64_t address) {
    while (!cycle({}, {}, static_cast<uint32_t>(address)).read) continue;
    bench_.settle();
    return top_.s_axil_rdata_o;
  }
  void write(uint64_t address, uint32_t value) {
    while (!cycle({}, std::pair(static_cast<uint32_t>(address), value)).write) continue;
  }

  RtlBench<Vcontrol_regs> bench_;
  Vcontrol_regs& top_;
  std::mt19937_64& rng_;
  std::map<uint32_t, uint32_t> value_;
  std::array<uint64_t, 11> fault_{};
  uint64_t cycles_ = 0, warp_count_ = 0, thread_count_ = 0, resident_[kSms] = {}, waiting_[kSms] = {};
  uint32_t cycles_high_ = 0, r_address_ = 0;
  unsigned irq_ = 0, b_due_ = 0;
  bool reset_ = false, code_changed_ = true;
  uint32_t hash_ = 0;
  std::optional<uint32_t> r_due_;
};

TEST_F(ControlRegs, AfterResetEveryRegisterReadsItsDefault) {
  random_state();
  for (uint32_t a = 0; a < 0x800; a += 4) read(a);
  cycle();
}

TEST_F(ControlRegs, AReadOfCyclesLoLatchesHi) {
  const uint32_t low = read(kRegCyclesLo);
  for (int i = 0; i < 10; i++) cycle();
  EXPECT_EQ(read(kRegCyclesHi), 0u);
  EXPECT_GT(read(kRegCyclesLo), low + 10);
}

TEST_F(ControlRegs, AnInterruptRaisedWhileOthersAreClearedIsNotLost) {
  write(kRegIrqEnable, 3);
  cycle({.completion = true});
  cycle({.fault_irq = true}, std::pair(static_cast<uint32_t>(kRegIrqStatus), 1u));
  EXPECT_EQ(read(kRegIrqStatus), kIrqFault);
  cycle({.completion = true}, std::pair(static_cast<uint32_t>(kRegIrqStatus), 3u));
  EXPECT_EQ(read(kRegIrqStatus), kIrqCompletion);
}

TEST_F(ControlRegs, AResetLastsUntilDoneAndClearsTailFaultAndInterrupt) {
  random_state();
  write(ring(2, kRingTail), 7);
  cycle({.completion = true, .fault = true});
  write(kRegControl, static_cast<uint32_t>(kControlReset));
  for (int i = 0; i < 5; i++) cycle();
  EXPECT_TRUE(top_.reset_o);
  cycle({.reset_done = true}, std::pair(static_cast<uint32_t>(kRegControl), 0u));
  cycle();
  EXPECT_FALSE(top_.reset_o);
  EXPECT_EQ(read(kRegFaultKind), 0u);
  EXPECT_EQ(read(ring(2, kRingTail)), 0u);
}

TEST_F(ControlRegs, WritesElsewhereChangeNothing) {
  for (uint32_t a = 0; a < 0x600; a += 4)
    if (!kWritable().contains(a) && a != kRegControl) write(a, ~0u);
  for (uint32_t a = 0; a < 0x600; a += 4) read(a);
  cycle();
}

TEST_F(ControlRegs, RandomAccessesAndEvents) {
  std::vector<uint32_t> addresses;
  for (const auto& [a, mask] : kWritable()) addresses.push_back(a);
  for (const uint64_t a : {kRegIrqStatus, kRegIrqStatus, kRegControl, kRegCyclesLo, kRegCyclesHi})
    addresses.push_back(static_cast<uint32_t>(a));
  std::pair<uint32_t, uint32_t> w;
  uint32_t r = 0;
  bool writes = false, reads = false;
  for (int t = 0; t < 40000; t++) {
    if (bench_.one_in(8)) random_state();
    const auto address = [&] {
      return bench_.one_in(4) ? static_cast<uint32_t>(rng_() % 0x800) : addresses[rng_() % addresses.size()];
    };
    if (!writes && bench_.one_in(2)) {
      writes = true;
      w = {address(), bench_.one_in(3) ? static_cast<uint32_t>(rng_() % 4) : static_cast<uint32_t>(rng_())};
    }
    if (!reads && bench_.one_in(2)) reads = true, r = address();
    Events e;
    e.completion = bench_.one_in(10);
    e.fault_irq = bench_.one_in(20);
    e.reset_done = bench_.one_in(60);
    e.start = bench_.one_in(100);
    e.fault = bench_.one_in(30);
    e.stop = bench_.one_in(30);
    e.warps = bench_.one_in(2) ? static_cast<unsigned>(rng_() % 9) : 0;
    e.threads = e.warps * static_cast<unsigned>(rng_() % 33);
    top_.s_axil_bready_i = !bench_.one_in(3);
    top_.s_axil_rready_i = !bench_.one_in(3);
    const Taken taken = cycle(e, writes ? std::optional(w) : std::nullopt, reads ? std::optional(r) : std::nullopt,
                              !bench_.one_in(5), !bench_.one_in(5));
    if (taken.write) writes = false;
    if (taken.read) reads = false;
    ASSERT_FALSE(HasFailure()) << "cycle " << t;
  }
}

}  // namespace
}  // namespace heddle::test
