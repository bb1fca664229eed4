// SPDX-License-Identifier: Apache-2.0
// The initiator socket: all that the device does with host memory, in both timings, before memories
// of all manners.
#include <random>

#include "tests/unit/systemc/bench.h"
#include "tests/unit/systemc/kernels.h"

namespace heddle::test {
namespace {

class DmaOf : public OnDevice {
 protected:
  bool approximate() const { return GetParam() == kModelApproximate || GetParam() == kRtlApproximate; }

  // Cycles of a copy of `bytes` out of the ram.
  uint64_t copy_cycles(size_t bytes) {
    const auto c = gpu.execute(Gpu::copy(contract::kFlagSourceHost, Gpu::kRam, Gpu::kData, bytes));
    EXPECT_EQ(c.status, contract::kStatusOk);
    return c.last_cycle - c.first_cycle;
  }
};

TEST_P(DmaOf, CopiesOfAnyAlignmentGoThroughTheSocket) {
  run([&] {
    std::mt19937_64 rng(seed());
    std::vector<uint8_t> image(3000);
    for (uint8_t& b : image) b = static_cast<uint8_t>(rng());
    ASSERT_EQ(gpu.copy_in(Gpu::kData, image.data(), image.size()).status, contract::kStatusOk);
    const auto before = gpu.device.dma_counters();
    for (int i = 0; i < 12; i++) {
      const size_t bytes = 1 + rng() % 400, from = rng() % (image.size() - bytes), to = rng() % (image.size() - bytes);
      std::vector<uint8_t> piece(bytes);
      for (uint8_t& b : piece) b = static_cast<uint8_t>(rng());
      ASSERT_EQ(gpu.copy_in(Gpu::kData + to, piece.data(), bytes, 1 + rng() % 100).status, contract::kStatusOk);
      std::copy(piece.begin(), piece.end(), image.begin() + static_cast<long>(to));
      std::vector<uint8_t> back(bytes);
      ASSERT_EQ(gpu.copy_out(back.data(), Gpu::kData + from, bytes, 1 + rng() % 100).status, contract::kStatusOk);
      EXPECT_TRUE(std::equal(back.begin(), back.end(), image.begin() + static_cast<long>(from)));
    }
    const auto after = gpu.device.dma_counters();
    EXPECT_GT(after.read_bytes, before.read_bytes + 24 * contract::kCommandBytes);
    EXPECT_GE(after.written_bytes, before.written_bytes + 24 * contract::kCompletionBytes);
    EXPECT_EQ(after.errors, before.errors);
    EXPECT_EQ(approximate() ? bench.ram->watch.blocking : bench.ram->watch.begun, 0u);
    EXPECT_EQ(bench.ram->watch.broken_rules, 0u);
  });
}

TEST_P(DmaOf, BytesAroundACopyStayAsTheyAre) {
  run([&] {
    std::memset(bench.ram->data(), 0xcc, 256);
    ASSERT_EQ(gpu.execute(Gpu::copy(contract::kFlagDestinationHost, Gpu::kData, Gpu::kRam + 45, 70)).status,
              contract::kStatusOk);
    for (size_t i = 0; i < 45; i++) EXPECT_EQ(bench.ram->data()[i], 0xcc) << i;
    for (size_t i = 115; i < 256; i++) EXPECT_EQ(bench.ram->data()[i], 0xcc) << i;
  });
}

TEST_P(DmaOf, CopiesBetweenTwoPlacesOfHostMemory) {
  run([&] {
    std::vector<uint8_t> in(500);
    for (size_t i = 0; i < in.size(); i++) in[i] = static_cast<uint8_t>(i * 5);
    std::memcpy(bench.ram->data() + 10, in.data(), in.size());
    ASSERT_EQ(gpu.execute(Gpu::copy(contract::kFlagSourceHost | contract::kFlagDestinationHost, Gpu::kRam + 10,
                                    Gpu::kRam + 5003, 500))
                  .status,
              contract::kStatusOk);
    EXPECT_EQ(std::memcmp(bench.ram->data() + 5003, in.data(), in.size()), 0);
  });
}

TEST_P(DmaOf, ASlowMemoryMakesASlowCopy) {
  run([&] {
    const uint64_t quick = copy_cycles(4096);
    bench.ram->manners.latency = sc_time(2, SC_US);
    const uint64_t slow = copy_cycles(4096);
    // At least one latency longer; how many overlap is the device's business.
    EXPECT_GT(slow, quick + 90) << quick;
    bench.ram->manners.blocks = true;
    EXPECT_GT(copy_cycles(4096), quick + 90) << "a memory that calls wait()";
  });
}

TEST_P(DmaOf, WrongAddressesEndTheCommandOrFaultTheDevice) {
  run([&] {
    const uint64_t errors = gpu.device.dma_counters().errors;
    EXPECT_EQ(gpu.execute(Gpu::copy(contract::kFlagSourceHost, 0x5000, Gpu::kData, 64)).status,
              contract::kStatusBadCommand);
    EXPECT_EQ(gpu.execute(Gpu::copy(contract::kFlagDestinationHost, Gpu::kData, 0x5000, 64)).status,
              contract::kStatusBadCommand);
    // The end of the ram in the middle of the copy.
    EXPECT_EQ(
        gpu.execute(Gpu::copy(contract::kFlagSourceHost, Gpu::kRam + bench.ram->size() - 64, Gpu::kData, 128)).status,
        contract::kStatusBadCommand);
    EXPECT_GE(gpu.device.dma_counters().errors, errors + 3);
    EXPECT_EQ(gpu.execute({}).status, contract::kStatusOk) << "the device goes on";

    gpu.reset(0x7000);  // a ring where nothing is
    gpu.begin({});
    ASSERT_TRUE(gpu.wait_irq());
    EXPECT_TRUE(gpu.reg(contract::kRegIrqStatus) & contract::kIrqFault);
    EXPECT_TRUE(gpu.reg(contract::kRegStatus) & contract::kStatusBitsFaulted);
    gpu.reset();
    EXPECT_EQ(gpu.execute({}).status, contract::kStatusOk);
  });
}

TEST_P(DmaOf, ARecordThatCannotBeWrittenFaultsTheDevice) {
  run([&] {
    contract::Command c;
    gpu.begin(c);
    ASSERT_EQ(gpu.finish().status, contract::kStatusOk);
    // The second command in the ring names a record at an address without memory.
    contract::Command bad;
    bad.words[0] = static_cast<uint32_t>(contract::kFlagIrq);
    bad.set64(contract::kWordCompletion, 0x6000);
    std::memcpy(bench.commands->data() + 0x1000 * GetParam() + sizeof bad, &bad, sizeof bad);
    gpu.set(contract::kRegRingBase + contract::kRingTail, 2);
    ASSERT_TRUE(gpu.wait_irq());
    EXPECT_TRUE(gpu.reg(contract::kRegStatus) & contract::kStatusBitsFaulted);
    gpu.reset();
  });
}

TEST_P(DmaOf, ResetDuringACopyEndsInOrder) {
  run([&] {
    bench.ram->manners.latency = sc_time(1, SC_US);
    gpu.begin(Gpu::copy(contract::kFlagSourceHost, Gpu::kRam, Gpu::kData, 2048));
    wait(sc_time(2, SC_US));
    gpu.reset();
    EXPECT_EQ(gpu.reg(contract::kRegRingBase + contract::kRingHead), 0u);
    EXPECT_EQ(gpu.execute({}).status, contract::kStatusOk);
  });
}

INSTANTIATE_TEST_SUITE_P(All, DmaOf, ::testing::Values(kModelLoose, kModelApproximate, kRtlLoose, kRtlApproximate),
                         device_name);

// ---- approximately timed: the base protocol
// ------------------------------------------------------------

class Protocol : public DmaOf {};

TEST_P(Protocol, EveryMannerOfTargetIsUnderstood) {
  run([&] {
    std::vector<uint8_t> in(700), out(700);
    for (size_t i = 0; i < in.size(); i++) in[i] = static_cast<uint8_t>(i * 11);
    for (const auto style : {Memory::Style::FourPhases, Memory::Style::NoEndReq, Memory::Style::EndReqInReturn,
                             Memory::Style::CompleteInReturn}) {
      bench.ram->manners.style = style;
      bench.commands->manners.style = style;
      ASSERT_EQ(gpu.copy_in(Gpu::kData + 7, in.data(), in.size()).status, contract::kStatusOk);
      std::fill(out.begin(), out.end(), uint8_t{0});
      ASSERT_EQ(gpu.copy_out(out.data(), Gpu::kData + 7, out.size(), 9).status, contract::kStatusOk);
      EXPECT_EQ(out, in) << static_cast<int>(style);
    }
    bench.commands->manners = {};
    EXPECT_EQ(bench.ram->watch.broken_rules, 0u);
    EXPECT_GT(bench.ram->watch.begun, 40u);
  });
}

TEST_P(Protocol, TransactionsOverlap) {
  run([&] {
    bench.ram->manners.latency = sc_time(4, SC_US);
    const uint64_t cycles = copy_cycles(1024);
    EXPECT_GT(bench.ram->watch.most_under_way, 4u);
    // One after the other they would take 16 or 32 latencies of 200 cycles.
    if (is_rtl()) {
      EXPECT_LT(cycles, 16 * 200u);
    }
  });
}

TEST_P(Protocol, AMemoryThatHoldsEndReqHoldsTheDeviceBack) {
  run([&] {
    bench.ram->manners.latency = sc_time(1, SC_US);
    sc_time begin = sc_time_stamp();
    copy_cycles(1024);
    const sc_time open = sc_time_stamp() - begin;
    bench.ram->watch = {};
    bench.ram->manners.places = 1;
    begin = sc_time_stamp();
    copy_cycles(1024);
    const sc_time held = sc_time_stamp() - begin;
    EXPECT_LE(bench.ram->watch.most_under_way, 2u);  // one has its place, one waits for it
    EXPECT_EQ(bench.ram->watch.broken_rules, 0u);
    EXPECT_GT(held, 2 * open);
    EXPECT_EQ(gpu.execute({}).status, contract::kStatusOk);
  });
}

TEST_P(Protocol, RequestsKeepTheDistanceOfTheAcceptDelay) {
  run([&] {
    bench.ram->manners.accept = sc_time(500, SC_NS);
    copy_cycles(512);
    const auto& times = bench.ram->watch.begin_times;
    ASSERT_GE(times.size(), 8u);
    for (size_t i = 1; i < times.size(); i++) EXPECT_GE(times[i], times[i - 1] + sc_time(500, SC_NS));
  });
}

INSTANTIATE_TEST_SUITE_P(All, Protocol, ::testing::Values(kModelApproximate, kRtlApproximate), device_name);

}  // namespace
}  // namespace heddle::test
