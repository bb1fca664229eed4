// SPDX-License-Identifier: Apache-2.0
// Time, several devices on one bus, power, and a device whose backend fails.
#include <thread>

#include "tests/unit/systemc/bench.h"
#include "tests/unit/systemc/kernels.h"

namespace heddle::test {
namespace {

// ---- temporal decoupling
// -------------------------------------------------------------------------------

class Decoupled : public OnDevice {
 protected:
  void TearDown() override { tlm::tlm_global_quantum::instance().set(sc_time(1, SC_US)); }

  struct Outcome {
    contract::Completion record;
    sc_time took;  // doorbell to interrupt
    std::vector<uint32_t> words;
  };
  Outcome kernel(const sc_time& quantum) {
    tlm::tlm_global_quantum::instance().set(quantum);
    Outcome o;
    bench.run([&] {  // all from the same state
      gpu.device.power_off();
      EXPECT_TRUE(gpu.device.power_on(bench.configs[GetParam()]));
    });
    run([&] {
      gpu.begin(gpu.launch(index_kernel(), Gpu::kData, 6, 64));
      cpu.sync();
      const sc_time begin = sc_time_stamp();
      EXPECT_TRUE(gpu.wait_irq());
      o.took = sc_time_stamp() - begin;
      o.record = gpu.finish();
      o.words.resize(384);
      EXPECT_EQ(gpu.copy_out(o.words.data(), Gpu::kData, 1536).status, contract::kStatusOk);
    });
    return o;
  }
};

TEST_P(Decoupled, ResultsAndCyclesDoNotDependOnTheQuantum) {
  const Outcome exact = kernel(SC_ZERO_TIME);
  ASSERT_EQ(exact.record.status, contract::kStatusOk);
  for (uint32_t i = 0; i < exact.words.size(); i++) EXPECT_EQ(exact.words[i], i);
  for (const double us : {0.5, 3.0, 50.0}) {
    const Outcome o = kernel(sc_time(us, SC_US));
    EXPECT_EQ(o.words, exact.words) << us;
    // The host's pauses are the quantum's. The RTL's cycles have been seen to differ by one with them, presumably by
    // what of the copies before (write-backs) still goes on when the kernel begins.
    const auto cycles = [](const Outcome& of) {
      return static_cast<double>(of.record.last_cycle - of.record.first_cycle);
    };
    EXPECT_NEAR(cycles(o), cycles(exact), is_rtl() ? 8 : 0) << us;
    // The interrupt comes at the device's time, not at the quantum's end; what a quantum may shift
    // is where the looks at the status register fall.
    const sc_time difference = o.took > exact.took ? o.took - exact.took : exact.took - o.took;
    EXPECT_LE(difference, 60 * bench.configs[GetParam()].clock_period) << us;
  }
}

TEST_P(Decoupled, TheDeviceRunsAheadByAQuantumAndNoFurther) {
  tlm::tlm_global_quantum::instance().set(sc_time(5, SC_US));
  run([&] {
    const uint32_t zero = 0;
    cpu.write(gpu.window + 0x800000, &zero, 4);
    gpu.begin(gpu.launch(wait_kernel(), Gpu::kData, 1, 1));
    cpu.sync();
    wait(sc_time(20, SC_US));  // long enough to be past its DMA
    sc_time most;
    for (int i = 0; i < 40; i++) {
      wait(sc_time(700, SC_NS));
      const sc_time& local = gpu.device.local_time();
      if (local > sc_time_stamp() + most) most = local - sc_time_stamp();
    }
    EXPECT_GT(most, sc_time(1, SC_US));
    // The golden model stops only between turns of 512 instructions.
    EXPECT_LE(most, sc_time(5, SC_US) + (is_rtl() ? 10 : 522) * bench.configs[GetParam()].clock_period);
    cpu.write32(gpu.window + 0x800000, 1);
    EXPECT_EQ(gpu.finish().status, contract::kStatusOk);
  });
}

TEST_P(Decoupled, ABiggerQuantumNeedsFewerSwitches) {
  if (!is_rtl()) GTEST_SKIP() << "the golden model runs this kernel in one turn";
  const auto switches = [&](const sc_time& quantum) {
    const auto before = sc_core::sc_delta_count();
    kernel(quantum);
    return sc_core::sc_delta_count() - before;
  };
  EXPECT_GT(switches(SC_ZERO_TIME), 2 * switches(sc_time(50, SC_US)));
}

INSTANTIATE_TEST_SUITE_P(All, Decoupled, ::testing::Values(kModelLoose, kRtlLoose), device_name);

class Asleep : public OnDevice {};

TEST_P(Asleep, AnIdleDeviceCostsNothingAndItsClockStands) {
  run([&] {
    EXPECT_EQ(gpu.execute({}).status, contract::kStatusOk);
    wait(sc_time(100, SC_US));
    const auto deltas = sc_core::sc_delta_count();
    const uint64_t cycle = gpu.reg64(contract::kRegCyclesLo);
    cpu.sync();
    wait(sc_time(1, sc_core::SC_SEC));
    EXPECT_LT(sc_core::sc_delta_count() - deltas, 10u);
    EXPECT_LT(gpu.reg64(contract::kRegCyclesLo), cycle + 100);
    EXPECT_EQ(gpu.execute({}).status, contract::kStatusOk);
  });
}

INSTANTIATE_TEST_SUITE_P(All, Asleep, ::testing::Values(kModelApproximate, kRtlLoose, kRtlApproximate), device_name);

// ---- several devices
// -------------------------------------------------------------------------------------

class Several : public ::testing::Test {
 protected:
  Bench& bench = Bench::get();
};

TEST_F(Several, DevicesOnOneBusRunAtTheSameTimeAndKeepToThemselves) {
  bench.run([&] {
    for (auto& g : bench.gpus) g->reset();
    std::vector<contract::Command> launches;
    for (unsigned n = 0; n < kDevices; n++)
      launches.push_back(bench.gpus[n]->launch(index_kernel(), Gpu::kData + 0x1000 * n, 8, 64));
    for (unsigned n = 0; n < kDevices; n++) bench.gpus[n]->begin(launches[n]);
    for (auto& g : bench.gpus) EXPECT_EQ(g->finish().status, contract::kStatusOk);
    for (unsigned n = 0; n < kDevices; n++) {
      std::vector<uint32_t> words(512), none(512);
      Gpu& g = *bench.gpus[n];
      EXPECT_EQ(g.copy_out(words.data(), Gpu::kData + 0x1000 * n, 2048).status, contract::kStatusOk);
      for (uint32_t i = 0; i < 512; i++) EXPECT_EQ(words[i], i) << n;
      EXPECT_EQ(g.device.failure(), "");
    }
  });
}

TEST_F(Several, KernelsOfTwoRtlDevicesReallyOverlap) {
  bench.run([&] {
    Gpu& a = *bench.gpus[kRtlLoose];
    Gpu& b = *bench.gpus[kRtlApproximate];
    for (Gpu* g : {&a, &b}) {
      g->reset();
      bench.cpu.write32(g->window + 0x800000, 0);
      g->begin(g->launch(wait_kernel(), Gpu::kData, 1, 1));
    }
    EXPECT_FALSE(a.wait_irq(sc_time(100, SC_US)));
    EXPECT_FALSE(b.wait_irq(sc_time(100, SC_US)));
    bench.cpu.write32(b.window + 0x800000, 1);
    EXPECT_EQ(b.finish().status, contract::kStatusOk);
    EXPECT_FALSE(a.irq()) << "not its interrupt";
    bench.cpu.write32(a.window + 0x800000, 2);
    EXPECT_EQ(a.finish().status, contract::kStatusOk);
    EXPECT_EQ(bench.cpu.read32(a.window + 0x800000), 102u);
    EXPECT_EQ(bench.cpu.read32(b.window + 0x800000), 101u);
  });
}

TEST_F(Several, AFaultOfOneIsNoFaultOfTheOther) {
  bench.run([&] {
    Gpu& a = *bench.gpus[kRtlLoose];
    Gpu& b = *bench.gpus[kRtlApproximate];
    a.reset();
    b.reset();
    EXPECT_EQ(a.execute(a.launch(fault_kernel(), 0, 1, 32)).status, contract::kStatusFault);
    EXPECT_EQ(a.reg(contract::kRegFaultKind), contract::kFaultIllegalAddress);
    EXPECT_EQ(b.execute({}).status, contract::kStatusOk);
    EXPECT_EQ(a.execute({}).status, contract::kStatusAborted);
    a.reset();
    EXPECT_EQ(a.execute({}).status, contract::kStatusOk);
  });
}

TEST_F(Several, ADeviceReachesTheOthersMemoryThroughTheBus) {
  bench.run([&] {
    Gpu& a = *bench.gpus[kModelApproximate];
    Gpu& b = *bench.gpus[kRtlApproximate];
    a.reset();
    b.reset();
    std::vector<uint8_t> in(300), out(300);
    for (size_t i = 0; i < in.size(); i++) in[i] = static_cast<uint8_t>(i * 7 + 1);
    ASSERT_EQ(a.copy_in(Gpu::kData, in.data(), 300).status, contract::kStatusOk);
    ASSERT_EQ(b.execute(Gpu::copy(contract::kFlagSourceHost, a.window + 0x800000, Gpu::kData, 300)).status,
              contract::kStatusOk);
    ASSERT_EQ(b.copy_out(out.data(), Gpu::kData, 300).status, contract::kStatusOk);
    EXPECT_EQ(out, in);
  });
}

// ---- power
// -------------------------------------------------------------------------------------------------

class Power : public OnDevice {};

TEST_P(Power, OffInTheMiddleOfWorkAndOnAgainIsAFreshDevice) {
  run([&] {
    bench.ram->manners.latency = sc_time(3, SC_US);
    gpu.begin(Gpu::copy(contract::kFlagSourceHost, Gpu::kRam, Gpu::kData, 8192));
    cpu.sync();
    wait(sc_time(6, SC_US));
    gpu.device.power_off();
    uint32_t word = 0;
    EXPECT_EQ(cpu.read(gpu.base, &word, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(cpu.dmi(tlm::TLM_READ_COMMAND, gpu.window, dmi));
    EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, gpu.window, &word, 4), 0u);
    wait(sc_time(20, SC_US));
    EXPECT_FALSE(gpu.irq());
    ASSERT_TRUE(gpu.device.power_on(bench.configs[GetParam()]));
    EXPECT_FALSE(gpu.device.power_on(bench.configs[GetParam()])) << "it is on";
    EXPECT_EQ(gpu.reg(contract::kRegIrqEnable), 0u);
    gpu.reset();
    EXPECT_EQ(gpu.execute({}).status, contract::kStatusOk);
  });
}

TEST_P(Power, WhatCannotBeOpenedSaysWhy) {
  run([&] {
    gpu.device.power_off();
    auto config = bench.configs[GetParam()];
    config.library = "/nonexistent/libheddle.so";
    const auto missing = gpu.device.power_on(config);
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message().find("/nonexistent/libheddle.so"), std::string::npos);
    config = bench.configs[GetParam()];
    config.device = "abacus";
    EXPECT_FALSE(gpu.device.power_on(config));
    ASSERT_TRUE(gpu.device.power_on(bench.configs[GetParam()]));
  });
}

INSTANTIATE_TEST_SUITE_P(All, Power, ::testing::Values(kModelLoose, kModelApproximate, kRtlLoose, kRtlApproximate),
                         device_name);

// ---- a broken device
// ---------------------------------------------------------------------------------------

class Broken : public OnDevice {};

TEST_P(Broken, AMismatchOfTheCheckerLeavesADeadDeviceThatSaysWhy) {
  run([&] {
    gpu.device.power_off();
    auto config = bench.configs[GetParam()];
    config.library = HEDDLE_TEST_MUTANTS;
    config.inject = HEDDLE_TEST_BUG;
    const auto on = gpu.device.power_on(config);
    ASSERT_TRUE(on) << on.error().message();
    gpu.reset();
    gpu.begin(gpu.launch(index_kernel(), Gpu::kData, 4, 64));
    cpu.sync();
    if (gpu.device.failure().empty()) wait(sc_time(20, sc_core::SC_MS), gpu.device.failed());
    EXPECT_NE(gpu.device.failure().find("SM 0"), std::string::npos) << gpu.device.failure();
    uint32_t word = 0;
    EXPECT_EQ(cpu.read(gpu.base, &word, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(cpu.read(gpu.window, &word, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
    gpu.device.power_off();
    ASSERT_TRUE(gpu.device.power_on(bench.configs[GetParam()]));
  });
}

INSTANTIATE_TEST_SUITE_P(All, Broken, ::testing::Values(kRtlLoose, kRtlApproximate), device_name);

}  // namespace
}  // namespace heddle::test
