// SPDX-License-Identifier: Apache-2.0
// What the hardware does for the host, held against the commands in the ring.
#include "sim/cosim/commands.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace heddle::cosim {
namespace {

namespace c = heddle::contract;

constexpr uint64_t kRingAt = 0x7000'1000, kRecord = 0x7000'3000, kHost = 0x7100'0000, kDevice = 0x10'0000'0000;
constexpr uint32_t kTag = 77;

class CommandsTest : public ::testing::Test {
 protected:
  CommandsTest() {
    tell(c::kRingAddressLo, kRingAt & 0xffffffff);
    tell(c::kRingAddressHi, kRingAt >> 32);
    tell(c::kRingEntries, 4);
    tell(c::kRingTail, 1u << 20);  // more than any test takes
    for (uint8_t& b : source) b = static_cast<uint8_t>(random());
  }
  void tell(uint64_t word, uint64_t value) {
    commands.register_written({static_cast<uint32_t>(c::kRegRingBase + word), static_cast<uint32_t>(value)});
  }
  std::string fetch(const c::Command& command, bool refused = false) {
    std::string wrong;
    for (uint64_t part = 0; part < 4; part++) {
      HostRead e{kRingAt + (entry % 4) * c::kCommandBytes + 32 * part, refused && part == 2, {}};
      std::memcpy(e.data.data(), command.words + 8 * part, 32);
      if (wrong.empty()) wrong = commands.host_read(e);
    }
    entry++;
    return wrong;
  }
  std::string complete(uint32_t status = c::kStatusOk, uint32_t tag = kTag) {
    return commands.host_write({kRecord, 0xffffffff, {tag, status}});
  }
  static c::Command command(uint32_t opcode) {
    c::Command cmd;
    cmd.words[c::kWordOpcode] = opcode;
    cmd.words[c::kWordTag] = kTag;
    cmd.set64(c::kWordCompletion, kRecord);
    return cmd;
  }
  static c::Command copy(uint32_t flags, uint64_t from, uint64_t to, uint64_t bytes) {
    c::Command cmd = command(static_cast<uint32_t>(c::kCommandCopy) | flags);
    cmd.set64(c::kWordSource, from);
    cmd.set64(c::kWordDestination, to);
    cmd.set64(c::kWordBytes, bytes);
    return cmd;
  }
  static c::Command launch() {
    c::Command cmd = command(c::kCommandLaunch);
    for (uint64_t w : {c::kWordGridX, c::kWordGridY, c::kWordGridZ, c::kWordBlockX, c::kWordBlockY, c::kWordBlockZ})
      cmd.words[w] = 1;
    return cmd;
  }
  // What launch() asks for.
  static KernelStart start() {
    KernelStart e{};
    for (int i = 0; i < 3; i++) e.grid[i] = e.block[i] = e.cluster[i] = 1;
    return e;
  }
  Sector sector_of_source(uint64_t base, uint64_t sector) const {
    Sector s;
    std::memcpy(s.data(), source + (sector * 32 - base), 32);
    return s;
  }
  // Reads the source's sectors, from memory that holds `source` from `base` on.
  std::string read(bool host, uint64_t base, uint64_t from, uint64_t bytes) {
    for (uint64_t s = from / 32; s <= (from + bytes - 1) / 32; s++) {
      if (!host) commands.device_read(s, sector_of_source(base, s));
      else if (const std::string wrong = commands.host_read({s * 32, false, sector_of_source(base, s)}); !wrong.empty())
        return wrong;
    }
    return {};
  }
  // Writes the destination's bytes; `spoil`: one of them is wrong.
  std::string write(bool host, uint64_t to, uint64_t bytes, const uint8_t* data, int64_t spoil = -1) {
    for (uint64_t s = to / 32; s <= (to + bytes - 1) / 32; s++) {
      Sector words{};
      uint32_t mask = 0;
      for (uint64_t i = 0; i < 32; i++) {
        const uint64_t a = s * 32 + i;
        if (a < to || a >= to + bytes) continue;
        mask |= 1u << i;
        const auto value = static_cast<uint8_t>(data[a - to] ^ (static_cast<int64_t>(a - to) == spoil));
        words[i / 4] |= static_cast<uint32_t>(value) << (i % 4 * 8);
      }
      const std::string wrong =
          host ? commands.host_write({s * 32, mask, words}) : commands.device_write(s, mask, words);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  std::mt19937_64 random{20};
  Commands commands;
  uint64_t entry = 0;
  uint8_t source[4096] = {};
};

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST_F(CommandsTest, CopiesOfAnyAlignmentAreRight) {
  for (int n = 0; n < 500; n++) {
    const bool from_host = random() & 1, to_host = random() & 1;
    const uint64_t base = from_host ? kHost : kDevice, bytes = 1 + random() % 700, offset = random() % 100;
    const uint64_t to = (to_host ? kHost + 0x10000 : kDevice + 0x10000) + random() % 100;
    const auto flags =
        static_cast<uint32_t>((from_host ? c::kFlagSourceHost : 0) | (to_host ? c::kFlagDestinationHost : 0));
    const int64_t spoil = n % 2 ? static_cast<int64_t>(random() % bytes) : -1;
    ASSERT_EQ(fetch(copy(flags, base + offset, to, bytes)), "") << n;
    ASSERT_EQ(read(from_host, base, base + offset, bytes), "");
    const std::string wrong = write(to_host, to, bytes, source + offset, spoil);
    if (spoil < 0) {
      ASSERT_EQ(wrong, "");
      ASSERT_EQ(complete(), "");
    } else {
      ASSERT_TRUE(says(wrong, "copy of byte")) << wrong;
      ASSERT_EQ(complete(c::kStatusFault), "");
    }
  }
}

// Each row has its own place and source; what lies between two rows is nobody's.
TEST_F(CommandsTest, RowsAreRight) {
  const auto with_rows = [](c::Command cmd, uint32_t rows, uint32_t from_pitch, uint32_t to_pitch) {
    cmd.words[c::kWordMoreRows] = rows - 1;
    cmd.words[c::kWordSourcePitch] = from_pitch;
    cmd.words[c::kWordDestinationPitch] = to_pitch;
    return cmd;
  };
  for (int n = 0; n < 200; n++) {
    const uint64_t bytes = 1 + random() % 60;
    const auto rows = static_cast<uint32_t>(1 + random() % 9);
    const auto from_pitch = static_cast<uint32_t>(bytes + random() % 90);
    const auto to_pitch = static_cast<uint32_t>(bytes + 1 + random() % 90);
    const uint64_t from = kHost + random() % 100, to = kDevice + random() % 100;
    ASSERT_EQ(fetch(with_rows(copy(c::kFlagSourceHost, from, to, bytes), rows, from_pitch, to_pitch)), "");
    for (uint64_t row = 0; row < rows; row++) ASSERT_EQ(read(true, kHost, from + row * from_pitch, bytes), "");
    const auto row = [&](uint64_t r, int64_t spoil = -1) {
      return write(false, to + r * to_pitch, bytes, source + (from - kHost) + r * from_pitch, spoil);
    };
    for (uint64_t r = 0; r + 1 < rows; r++) ASSERT_EQ(row(r), "");
    EXPECT_TRUE(says(complete(), "has not written its last"));
    if (rows > 1) {
      EXPECT_TRUE(says(row(0), "twice"));
      EXPECT_TRUE(says(write(false, to + to_pitch - 1, 1, source), "outside"));
    }
    EXPECT_TRUE(says(write(false, to + uint64_t{rows} * to_pitch, 1, source), "outside"));
    EXPECT_TRUE(says(row(rows - 1, static_cast<int64_t>(bytes - 1)), "copy of byte"));
    ASSERT_EQ(complete(c::kStatusFault), "");
  }
  ASSERT_EQ(fetch(with_rows(copy(c::kFlagSourceHost, kHost, kDevice, 32), 3, 96, 32)), "");
  EXPECT_EQ(read(true, kHost, kHost + 192, 32), "");
  for (const uint64_t between : {32, 64, 160, 224, 288})
    EXPECT_TRUE(says(read(true, kHost, kHost + between, 32), "which no command asks for")) << between;
}

TEST_F(CommandsTest, FillsRepeatThePattern) {
  uint8_t pattern[300];
  for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = static_cast<uint8_t>(0xa1b2c3d4 >> i % 4 * 8);
  c::Command fill = copy(0, 0, kDevice + 64, sizeof pattern);
  fill.words[c::kWordOpcode] = c::kCommandFill;
  fill.words[c::kWordPattern] = 0xa1b2c3d4;
  ASSERT_EQ(fetch(fill), "");
  EXPECT_EQ(write(false, kDevice + 64, sizeof pattern, pattern), "");
  EXPECT_EQ(complete(), "");
  ASSERT_EQ(fetch(fill), "");
  EXPECT_TRUE(says(write(false, kDevice + 64, sizeof pattern, pattern, 299), "fill of byte 0x100000016b"));
}

TEST_F(CommandsTest, ACopyIsWholeAndOnceAndWithin) {
  const c::Command cmd = copy(c::kFlagSourceHost, kHost, kDevice, 64);
  ASSERT_EQ(fetch(cmd), "");
  EXPECT_TRUE(says(write(false, kDevice, 8, source), "before its source"));
  ASSERT_EQ(read(true, kHost, kHost, 64), "");
  EXPECT_TRUE(says(write(false, kDevice + 60, 8, source + 60), "outside"));
  ASSERT_EQ(complete(c::kStatusFault), "");
  ASSERT_EQ(fetch(cmd), "");
  ASSERT_EQ(read(true, kHost, kHost, 64), "");
  EXPECT_EQ(write(false, kDevice, 63, source), "");
  EXPECT_TRUE(says(write(false, kDevice + 10, 1, source + 10), "twice"));
  EXPECT_TRUE(says(write(true, kHost + 0x10000, 1, source), "host memory is written"));
  EXPECT_TRUE(says(complete(), "last 1 bytes"));
  EXPECT_TRUE(says(fetch(cmd), "last 1 bytes"));
}

// What a copy writes whose source was refused is anything, but it must not end well.
TEST_F(CommandsTest, ARefusedSourceIsNoSuccess) {
  for (const bool host : {false, true}) {
    ASSERT_EQ(fetch(copy(host ? c::kFlagSourceHost : 0, host ? kHost : kDevice, kDevice + 4096, 32)), "");
    if (host) ASSERT_EQ(commands.host_read({kHost, true, {}}), "");
    else commands.device_read_refused();
    EXPECT_EQ(write(false, kDevice + 4096, 32, source), "");
    EXPECT_TRUE(says(complete(), "refused"));
    EXPECT_EQ(complete(c::kStatusBadCommand), "");
  }
}

TEST_F(CommandsTest, NobodyMovesBytesUnasked) {
  EXPECT_TRUE(says(write(false, kDevice, 4, source), "which no command asks for"));
  ASSERT_EQ(fetch(copy(0, kDevice, kDevice + 256, 64)), "");
  EXPECT_TRUE(says(read(true, kHost, kHost, 32), "which no command asks for"));
  ASSERT_EQ(fetch(command(c::kCommandNop)), "a command is fetched before the copy has written its last 64 bytes");
}

TEST_F(CommandsTest, TheRecordHasTheCommandsTag) {
  ASSERT_EQ(fetch(command(c::kCommandNop)), "");
  EXPECT_TRUE(says(complete(c::kStatusOk, kTag + 1), "tag 0x4e"));
}

TEST_F(CommandsTest, EachWordOfALaunchIsTheRings) {
  c::Command cmd = command(c::kCommandLaunch);
  for (uint64_t w = c::kWordEntryPc; w <= c::kWordGridId; w++) cmd.words[w] = 0x100 + static_cast<uint32_t>(w);
  KernelStart right{};
  const auto word = [&](uint64_t w) { return cmd.words[w]; };
  right.entry_pc = word(c::kWordEntryPc);
  right.registers = word(c::kWordRegisters);
  right.shared_bytes = word(c::kWordSharedBytes);
  right.dynamic_shared = word(c::kWordDynamicShared);
  right.local_bytes = word(c::kWordLocalBytes);
  for (uint64_t i = 0; i < 3; i++) {
    right.grid[i] = word(c::kWordGridX + i);
    right.block[i] = word(c::kWordBlockX + i);
    cmd.words[c::kWordClusterX + i] = static_cast<uint32_t>(2 + i);
    right.cluster[i] = static_cast<uint8_t>(2 + i);
  }
  right.clusters = true;
  right.param_base = cmd.get64(c::kWordParamBase);
  right.param_bytes = word(c::kWordParamBytes);
  right.const_base = cmd.get64(c::kWordConstBase);
  right.local_base = cmd.get64(c::kWordLocalBase);
  right.envreg0 = word(c::kWordEnvreg0);
  right.envreg1 = word(c::kWordEnvreg1);
  right.grid_id = word(c::kWordGridId);
  EXPECT_TRUE(says(commands.kernel_start(right), "no command asks for"));
  ASSERT_EQ(fetch(cmd), "");
  int fields = 0;
  const auto wrong = [&](auto change, const char* name) {
    KernelStart e = right;
    change(e);
    const std::string said = commands.kernel_start(e);
    EXPECT_TRUE(says(said, name)) << name << ": " << said;
    fields++;
  };
  wrong([](KernelStart& e) { e.entry_pc += 8; }, "first PC");
  wrong([](KernelStart& e) { e.registers++; }, "registers");
  wrong([](KernelStart& e) { e.shared_bytes++; }, "shared bytes");
  wrong([](KernelStart& e) { e.dynamic_shared++; }, "dynamic shared bytes");
  wrong([](KernelStart& e) { e.local_bytes++; }, "local bytes");
  for (int i = 0; i < 3; i++) {
    wrong([i](KernelStart& e) { e.grid[i]++; }, i == 0 ? "grid x" : i == 1 ? "grid y" : "grid z");
    wrong([i](KernelStart& e) { e.block[i]++; }, i == 0 ? "block x" : i == 1 ? "block y" : "block z");
  }
  for (int i = 0; i < 3; i++)
    wrong([i](KernelStart& e) { e.cluster[i]++; }, i == 0 ? "cluster x" : i == 1 ? "cluster y" : "cluster z");
  wrong([](KernelStart& e) { e.clusters = false; }, "clusters");
  wrong([](KernelStart& e) { e.param_base ^= uint64_t{1} << 33; }, "parameters' address");
  wrong([](KernelStart& e) { e.param_bytes++; }, "parameters' bytes");
  wrong([](KernelStart& e) { e.const_base++; }, "constants' address");
  wrong([](KernelStart& e) { e.local_base++; }, "local memory's address");
  wrong([](KernelStart& e) { e.envreg0++; }, "envreg0");
  wrong([](KernelStart& e) { e.envreg1++; }, "envreg1");
  wrong([](KernelStart& e) { e.grid_id++; }, "grid id");
  EXPECT_EQ(fields, 22);
  EXPECT_EQ(commands.kernel_start(right), "");
}

TEST_F(CommandsTest, ALaunchEndsOnceItsKernelHasRunOnce) {
  const c::Command cmd = launch();
  ASSERT_EQ(fetch(cmd), "");
  EXPECT_TRUE(says(complete(), "never started"));
  ASSERT_EQ(commands.kernel_start(start()), "");
  EXPECT_TRUE(says(complete(), "while its kernel runs"));
  EXPECT_TRUE(says(commands.kernel_start(start()), "second time"));
  commands.kernel_end({c::kStatusOk});
  EXPECT_TRUE(says(commands.kernel_start(start()), "second time"));
  EXPECT_TRUE(says(complete(c::kStatusBadCommand), "ended with 1"));
  EXPECT_EQ(complete(), "");
  EXPECT_TRUE(says(complete(), "no command has been taken"));
}

TEST_F(CommandsTest, ALaunchThatNobodyHearsOfRunsAsWell) {
  c::Command cmd = launch();
  cmd.set64(c::kWordCompletion, 0);
  ASSERT_EQ(fetch(cmd), "");
  EXPECT_TRUE(says(fetch(cmd), "never started"));
  entry--;
  ASSERT_EQ(commands.kernel_start(start()), "");
  EXPECT_TRUE(says(fetch(cmd), "before the last one's kernel has ended"));
  entry--;
  commands.kernel_end({c::kStatusOk});
  cmd.words[c::kWordBlockX] = 1025;  // no device runs that
  ASSERT_EQ(fetch(cmd), "");
  ASSERT_EQ(fetch(cmd), "");
}

// Until its reset a faulted device takes commands and does nothing.
TEST_F(CommandsTest, AfterAFaultNothingRuns) {
  ASSERT_EQ(fetch(launch()), "");
  ASSERT_EQ(commands.kernel_start(start()), "");
  commands.kernel_end({c::kStatusFault});
  EXPECT_EQ(complete(c::kStatusFault), "");
  for (c::Command cmd : {launch(), copy(0, kDevice, kDevice + 64, 8)}) {
    cmd.set64(c::kWordCompletion, 0);
    ASSERT_EQ(fetch(cmd), "");
  }
  ASSERT_EQ(fetch(launch()), "");
  EXPECT_EQ(complete(c::kStatusAborted), "");
}

TEST_F(CommandsTest, EntriesAreTakenInOrderOnceAndBelowTheTail) {
  tell(c::kRingTail, 3);
  const c::Command nop = command(c::kCommandNop);
  ASSERT_EQ(fetch(nop), "");
  entry = 0;
  EXPECT_TRUE(says(fetch(nop), "byte 0x80, of its entry 1, comes next")) << "twice";
  entry = 2;
  EXPECT_TRUE(says(fetch(nop), "byte 0x80, of its entry 1, comes next")) << "one is skipped";
  entry = 1;
  ASSERT_EQ(fetch(nop), "");
  ASSERT_EQ(fetch(nop), "");
  EXPECT_TRUE(says(fetch(nop), "entry 3 of a ring is fetched, which the host has not handed over"));
}

TEST_F(CommandsTest, ARefusedEntryCountsAsTaken) {
  ASSERT_EQ(fetch(launch(), true), "");
  ASSERT_EQ(fetch(command(c::kCommandNop)), "");
}

TEST_F(CommandsTest, TheWindowWritesWhatTheHostSaid) {
  const uint64_t sector = kDevice / 32;
  commands.window_write({sector, 0xff, {1, 2}});
  EXPECT_EQ(commands.device_write(sector, 0xff, {1, 2}), "");
  EXPECT_TRUE(says(commands.device_write(sector, 0xff, {1, 2}), "no command")) << "once";
  commands.window_write({sector, 0xff, {1, 2}});
  EXPECT_TRUE(says(commands.device_write(sector, 0xff, {1, 3}), "no command"));
}

TEST_F(CommandsTest, AResetAbandonsTheCommand) {
  ASSERT_EQ(fetch(copy(c::kFlagSourceHost, kHost, kDevice, 64)), "");
  commands.register_written({static_cast<uint32_t>(c::kRegControl), static_cast<uint32_t>(c::kControlReset)});
  EXPECT_EQ(read(true, kHost, kHost, 64), "") << "still under way";
  EXPECT_EQ(write(false, kDevice, 32, source), "");
  EXPECT_EQ(commands.host_read({kRingAt + c::kCommandBytes, false, {}}), "") << "of the next command, too";
  tell(c::kRingTail, 1);
  entry = 0;
  EXPECT_EQ(fetch(command(c::kCommandNop)), "");
  EXPECT_TRUE(says(write(false, kDevice, 32, source), "no command"));
}

TEST(Commands, WithoutARingNothingIsKnown) {
  Commands commands;
  EXPECT_EQ(commands.kernel_start({}), "");
  EXPECT_EQ(commands.device_write(kDevice / 32, 0xff, {}), "");
  EXPECT_EQ(commands.host_read({kHost, false, {}}), "");
}

}  // namespace
}  // namespace heddle::cosim
