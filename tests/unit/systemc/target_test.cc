// SPDX-License-Identifier: Apache-2.0
// The target socket: what it answers, and what it refuses with which response.
#include <random>

#include "tests/unit/systemc/bench.h"
#include "tests/unit/systemc/kernels.h"

namespace heddle::test {
namespace {

class Target : public OnDevice {};

TEST_P(Target, RegistersAreReadByWordsAndPairs) {
  run([&] {
    EXPECT_EQ(gpu.reg(contract::kRegId), contract::kIdMagic);
    uint64_t pair = 0;
    EXPECT_EQ(cpu.read(gpu.base + contract::kRegMemBaseLo, &pair, 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(pair, contract::kMemoryBase);
    const uint64_t limit = 0x123456789abcdef0;
    EXPECT_EQ(cpu.write(gpu.base + contract::kRegCycleLimitLo, &limit, 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(gpu.reg64(contract::kRegCycleLimitLo), limit);
  });
}

TEST_P(Target, WrongAddressesAreAddressErrors) {
  run([&] {
    uint64_t word = 0;
    const auto refused = [&](uint64_t address, unsigned bytes) {
      EXPECT_EQ(cpu.read(address, &word, bytes), tlm::TLM_ADDRESS_ERROR_RESPONSE) << std::hex << address;
      EXPECT_EQ(cpu.write(address, &word, bytes), tlm::TLM_ADDRESS_ERROR_RESPONSE) << std::hex << address;
    };
    const uint64_t size = gpu.reg64(contract::kRegMemSizeLo);
    const uint64_t before = gpu.device.counters().refused;
    refused(gpu.base + 0x1000, 4);                    // no register
    refused(gpu.base + contract::kRegStatus + 2, 4);  // misaligned
    refused(gpu.base + contract::kRegRingBase + 64 * contract::kRegRingStride, 4);
    refused(gpu.base + HeddleDevice::kRegisterBytes, 4);  // between registers and memory
    refused(gpu.window - 4, 4);
    refused(gpu.window + size, 4);
    refused(gpu.window + size - 2, 4);  // half of it
    EXPECT_EQ(gpu.device.counters().refused, before + 14);
    refused(0x1000, 4);  // the bus has nobody there
    EXPECT_EQ(gpu.reg(contract::kRegId), contract::kIdMagic) << "and works on";
  });
}

TEST_P(Target, MemoryThatSoftwareHasTakenAwayIsAnAddressError) {
  run([&] {
    uint32_t word = 0;
    gpu.set64(contract::kRegMemSizeLo, 1 << 20);
    EXPECT_EQ(cpu.read(gpu.window + (1 << 20) - 4, &word, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(cpu.read(gpu.window + (1 << 20), &word, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_P(Target, NeitherReadNorWriteIsACommandError) {
  run([&] {
    uint32_t word = 0;
    EXPECT_EQ(cpu.access({tlm::TLM_IGNORE_COMMAND, gpu.base, &word, 4, nullptr, 0}), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(cpu.access({tlm::TLM_IGNORE_COMMAND, gpu.window, &word, 4, nullptr, 0}), tlm::TLM_COMMAND_ERROR_RESPONSE);
  });
}

TEST_P(Target, LengthsAndStreamsThatItDoesNotKnowAreBurstErrors) {
  run([&] {
    uint64_t words[4] = {};
    for (const unsigned bytes : {1u, 2u, 3u, 12u, 16u})
      EXPECT_EQ(cpu.read(gpu.base, words, bytes), tlm::TLM_BURST_ERROR_RESPONSE) << bytes;
    EXPECT_EQ(cpu.access({tlm::TLM_READ_COMMAND, gpu.base, words, 8, nullptr, 4}), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(cpu.access({tlm::TLM_WRITE_COMMAND, gpu.window, words, 32, nullptr, 8}), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(cpu.access({tlm::TLM_READ_COMMAND, gpu.window, words, 8, nullptr, 64}), tlm::TLM_OK_RESPONSE);
  });
}

TEST_P(Target, ARegisterIsWrittenWholeOrNotAtAll) {
  run([&] {
    gpu.set64(contract::kRegCycleLimitLo, 0x1111111122222222);
    const std::vector<uint8_t> part = {0xff, 0xff, 0, 0}, high = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
    uint64_t value = 0xaaaaaaaabbbbbbbb;
    EXPECT_EQ(cpu.access({tlm::TLM_WRITE_COMMAND, gpu.base + contract::kRegCycleLimitLo, &value, 4, &part, 0}),
              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(gpu.reg64(contract::kRegCycleLimitLo), 0x1111111122222222u);
    EXPECT_EQ(cpu.access({tlm::TLM_WRITE_COMMAND, gpu.base + contract::kRegCycleLimitLo, &value, 8, &high, 0}),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(gpu.reg64(contract::kRegCycleLimitLo), 0xaaaaaaaa22222222u);
    gpu.set64(contract::kRegCycleLimitLo, 0);
  });
}

TEST_P(Target, ReadsTouchOnlyEnabledBytes) {
  run([&] {
    const std::vector<uint8_t> middle = {0, 0xff, 0xff, 0};
    uint32_t word = 0xeeeeeeee;
    EXPECT_EQ(cpu.access({tlm::TLM_READ_COMMAND, gpu.base + contract::kRegId, &word, 4, &middle, 0}),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(word, 0xee0000eeu | (static_cast<uint32_t>(contract::kIdMagic) & 0x00ffff00u));
  });
}

TEST_P(Target, WindowTakesAnyAlignmentLengthAndByteEnables) {
  run([&] {
    std::mt19937_64 rng(seed());
    std::vector<uint8_t> image(600);
    ASSERT_EQ(cpu.write(gpu.window + 0x800000, image.data(), 600), tlm::TLM_OK_RESPONSE);
    for (int i = 0; i < 60; i++) {
      const unsigned bytes = 1 + static_cast<unsigned>(rng() % 100);
      const size_t at = rng() % (image.size() - bytes);
      std::vector<uint8_t> data(bytes), enables(1 + rng() % 8);
      for (uint8_t& b : data) b = static_cast<uint8_t>(rng());
      for (uint8_t& e : enables) e = rng() % 2 ? 0xff : 0;
      if (i % 2) {
        EXPECT_EQ(cpu.access({tlm::TLM_WRITE_COMMAND, gpu.window + 0x800000 + at, data.data(), bytes, &enables, 0}),
                  tlm::TLM_OK_RESPONSE);
        for (size_t k = 0; k < bytes; k++)
          if (enables[k % enables.size()]) image[at + k] = data[k];
      } else {
        std::vector<uint8_t> expected = data;
        EXPECT_EQ(cpu.access({tlm::TLM_READ_COMMAND, gpu.window + 0x800000 + at, data.data(), bytes, &enables, 0}),
                  tlm::TLM_OK_RESPONSE);
        for (size_t k = 0; k < bytes; k++)
          if (enables[k % enables.size()]) expected[k] = image[at + k];
        EXPECT_EQ(data, expected);
      }
    }
    std::vector<uint8_t> all(600);
    EXPECT_EQ(gpu.copy_out(all.data(), Gpu::kData, 600).status, contract::kStatusOk);
    EXPECT_EQ(all, image) << "the device's own view";
  });
}

TEST_P(Target, WindowAndKernelsSeeEachOthersStores) {
  run([&] {
    ASSERT_EQ(gpu.execute(gpu.launch(index_kernel(), Gpu::kData, 5, 64)).status, contract::kStatusOk);
    std::vector<uint32_t> words(320);
    EXPECT_EQ(cpu.read(gpu.window + 0x800000, words.data(), 1280), tlm::TLM_OK_RESPONSE);
    for (uint32_t i = 0; i < 320; i++) EXPECT_EQ(words[i], i);

    // The master writes while a kernel waits for it.
    const uint32_t zero = 0, seven = 7;
    ASSERT_EQ(cpu.write(gpu.window + 0x800000, &zero, 4), tlm::TLM_OK_RESPONSE);
    gpu.begin(gpu.launch(wait_kernel(), Gpu::kData, 1, 1));
    EXPECT_FALSE(gpu.wait_irq(sc_time(200, SC_US))) << "it must wait";
    ASSERT_EQ(cpu.write(gpu.window + 0x800000, &seven, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(gpu.finish().status, contract::kStatusOk);
    EXPECT_EQ(cpu.read32(gpu.window + 0x800000), 107u);
  });
}

TEST_P(Target, WindowAccessTakesTime) {
  run([&] {
    cpu.sync();
    const sc_time before = sc_time_stamp() + cpu.local;
    uint64_t words[8];
    cpu.read(gpu.window, words, 64);
    EXPECT_GE(sc_time_stamp() + cpu.local, before + bench.configs[GetParam()].clock_period);
  });
}

TEST_P(Target, InterruptFollowsStatusAndEnable) {
  run([&] {
    EXPECT_FALSE(gpu.irq());
    gpu.begin({});
    ASSERT_TRUE(gpu.wait_irq());
    EXPECT_EQ(gpu.reg(contract::kRegIrqStatus), contract::kIrqCompletion);
    gpu.set(contract::kRegIrqEnable, 0);
    cpu.sync();
    wait(sc_time(1, SC_US));
    EXPECT_FALSE(gpu.irq());
    gpu.set(contract::kRegIrqEnable, contract::kIrqCompletion);
    cpu.sync();
    wait(sc_time(1, SC_US));
    EXPECT_TRUE(gpu.irq()) << "the cause is still there";
    gpu.set(contract::kRegIrqStatus, contract::kIrqCompletion);
    cpu.sync();
    wait(sc_time(1, SC_US));
    EXPECT_FALSE(gpu.irq());
  });
}

INSTANTIATE_TEST_SUITE_P(All, Target, ::testing::Values(kModelLoose, kModelApproximate, kRtlLoose, kRtlApproximate),
                         device_name);

// ---- direct memory and debug
// ---------------------------------------------------------------------------

class Direct : public OnDevice {
 protected:
  tlm::tlm_dmi dmi;
};

TEST_P(Direct, ReadPointerShowsWhatTheDeviceStored) {
  run([&] {
    ASSERT_EQ(gpu.execute(gpu.launch(index_kernel(), Gpu::kData, 4, 32)).status, contract::kStatusOk);
    wait(sc_time(50, SC_US));
    ASSERT_TRUE(cpu.dmi(tlm::TLM_READ_COMMAND, gpu.window + 0x800010, dmi));
    EXPECT_TRUE(dmi.is_read_allowed());
    EXPECT_EQ(dmi.get_start_address(), gpu.window);
    EXPECT_EQ(dmi.get_end_address(), gpu.window + (uint64_t{256} << 20) - 1);
    uint32_t words[128];
    std::memcpy(words, dmi.get_dmi_ptr() + 0x800000, sizeof words);
    for (uint32_t i = 0; i < 128; i++) EXPECT_EQ(words[i], i);
  });
}

TEST_P(Direct, RtlTakesThePointerBackBeforeItWorks) {
  run([&] {
    wait(sc_time(50, SC_US));
    ASSERT_TRUE(cpu.dmi(tlm::TLM_READ_COMMAND, gpu.window, dmi));
    EXPECT_TRUE(cpu.invalidated.empty());
    EXPECT_EQ(gpu.execute({}).status, contract::kStatusOk);
    if (!is_rtl()) {
      EXPECT_TRUE(cpu.invalidated.empty()) << "the golden model's memory stays where it is";
      return;
    }
    ASSERT_EQ(cpu.invalidated.size(), 1u);
    EXPECT_EQ(cpu.invalidated[0].first, gpu.window);
    EXPECT_EQ(cpu.invalidated[0].last, gpu.window + (uint64_t{256} << 20) - 1);
    // So does a write of the window.
    wait(sc_time(50, SC_US));
    ASSERT_TRUE(cpu.dmi(tlm::TLM_READ_COMMAND, gpu.window, dmi));
    cpu.write32(gpu.window + 64, 1);
    EXPECT_EQ(cpu.invalidated.size(), 2u);
  });
}

TEST_P(Direct, WritePointerIsTheModelsOnly) {
  run([&] {
    wait(sc_time(50, SC_US));
    const bool granted = cpu.dmi(tlm::TLM_WRITE_COMMAND, gpu.window, dmi);
    EXPECT_EQ(granted, !is_rtl());
    if (!granted) return;
    EXPECT_TRUE(dmi.is_read_write_allowed());
    const uint32_t value = 0x600df00d;
    std::memcpy(dmi.get_dmi_ptr() + 0x800000, &value, 4);
    uint32_t back = 0;
    EXPECT_EQ(gpu.copy_out(&back, Gpu::kData, 4).status, contract::kStatusOk);
    EXPECT_EQ(back, value);
  });
}

TEST_P(Direct, NoPointerToRegistersNorToABusyRtl) {
  run([&] {
    EXPECT_FALSE(cpu.dmi(tlm::TLM_READ_COMMAND, gpu.base, dmi));
    EXPECT_LT(dmi.get_end_address(), gpu.window);
    const uint32_t zero = 0;
    cpu.write(gpu.window + 0x800000, &zero, 4);
    gpu.begin(gpu.launch(wait_kernel(), Gpu::kData, 1, 1));
    EXPECT_FALSE(gpu.wait_irq(sc_time(100, SC_US)));
    EXPECT_EQ(cpu.dmi(tlm::TLM_READ_COMMAND, gpu.window, dmi), !is_rtl());
    cpu.write32(gpu.window + 0x800000, 1);
    EXPECT_EQ(gpu.finish().status, contract::kStatusOk);
  });
}

TEST_P(Direct, DebugReadsAndWritesMemoryInNoTime) {
  run([&] {
    std::vector<uint8_t> in(100), out(100);
    for (size_t i = 0; i < in.size(); i++) in[i] = static_cast<uint8_t>(3 * i);
    cpu.sync();
    const sc_time now = sc_time_stamp();
    EXPECT_EQ(cpu.debug(tlm::TLM_WRITE_COMMAND, gpu.window + 0x800003, in.data(), 100), 100u);
    EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, gpu.window + 0x800003, out.data(), 100), 100u);
    EXPECT_EQ(sc_time_stamp(), now);
    EXPECT_EQ(out, in);
    std::fill(out.begin(), out.end(), uint8_t{0});
    EXPECT_EQ(gpu.copy_out(out.data(), Gpu::kData + 3, 100).status, contract::kStatusOk);
    EXPECT_EQ(out, in);
  });
}

TEST_P(Direct, DebugStopsAtTheEndAndDoesNotWriteRegisters) {
  run([&] {
    uint8_t bytes[64] = {};
    uint32_t id = 0;
    EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, gpu.window + (uint64_t{256} << 20) - 10, bytes, 64), 10u);
    EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, gpu.window + (uint64_t{256} << 20), bytes, 64), 0u);
    EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, gpu.base, &id, 4), 4u);
    EXPECT_EQ(id, contract::kIdMagic);
    EXPECT_EQ(cpu.debug(tlm::TLM_WRITE_COMMAND, gpu.base + contract::kRegIrqEnable, &id, 4), 0u);
    EXPECT_EQ(gpu.reg(contract::kRegIrqEnable), contract::kIrqCompletion | contract::kIrqFault);
  });
}

INSTANTIATE_TEST_SUITE_P(All, Direct, ::testing::Values(kModelLoose, kRtlLoose, kRtlApproximate), device_name);

// ---- approximately timed accesses
// ------------------------------------------------------------------------

class Phases : public OnDevice {};

TEST_P(Phases, RequestsAreAnsweredInOrderWithOneResponseAtATime) {
  run([&] {
    std::vector<uint32_t> in(12), out(12);
    std::vector<Cpu::Sent> writes(12), reads(12);
    for (size_t i = 0; i < 12; i++) {
      in[i] = static_cast<uint32_t>(i * 77);
      writes[i].access = {tlm::TLM_WRITE_COMMAND, gpu.window + 0x800000 + 40 * i, &in[i], 4, nullptr, 0};
      reads[i].access = {tlm::TLM_READ_COMMAND, gpu.window + 0x800000 + 40 * i, &out[i], 4, nullptr, 0};
    }
    cpu.send(writes, SC_ZERO_TIME);
    cpu.send(reads, sc_time(300, SC_NS));
    for (unsigned i = 0; i < 12; i++) {
      EXPECT_EQ(reads[i].status, tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(reads[i].order, i);
      EXPECT_GT(reads[i].answered, reads[i].begun);
      if (i > 0) {
        EXPECT_GE(reads[i].answered, reads[i - 1].answered + sc_time(300, SC_NS));
      }
    }
    EXPECT_EQ(out, in);
  });
}

TEST_P(Phases, AFullQueueHoldsTheNextRequestBack) {
  run([&] {
    const uint64_t held = gpu.device.counters().held_requests;
    std::vector<uint32_t> words(10);
    std::vector<Cpu::Sent> reads(10);
    for (size_t i = 0; i < 10; i++)
      reads[i].access = {tlm::TLM_READ_COMMAND, gpu.base + contract::kRegId, &words[i], 4, nullptr, 0};
    cpu.send(reads, sc_time(1, SC_US));
    EXPECT_GT(gpu.device.counters().held_requests, held);
    // Four are accepted at once, the fifth when a place is free.
    EXPECT_EQ(reads[3].accepted, reads[0].accepted);
    EXPECT_GT(reads[4].accepted, reads[3].accepted);
    for (const uint32_t w : words) EXPECT_EQ(w, contract::kIdMagic);
  });
}

TEST_P(Phases, ErrorsArriveAsResponses) {
  run([&] {
    uint32_t word = 0;
    std::vector<Cpu::Sent> bad(3);
    bad[0].access = {tlm::TLM_READ_COMMAND, gpu.base + 0x2000, &word, 4, nullptr, 0};
    bad[1].access = {tlm::TLM_WRITE_COMMAND, gpu.base + contract::kRegIrqEnable, &word, 3, nullptr, 0};
    bad[2].access = {tlm::TLM_READ_COMMAND, 0x3000, &word, 4, nullptr, 0};
    cpu.send(bad, SC_ZERO_TIME);
    EXPECT_EQ(bad[0].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(bad[1].status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(bad[2].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

INSTANTIATE_TEST_SUITE_P(All, Phases, ::testing::Values(kModelLoose, kRtlApproximate), device_name);

}  // namespace
}  // namespace heddle::test
