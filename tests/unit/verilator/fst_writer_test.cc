// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/fst_writer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "gtkwave/fstapi.h"
#include "sim/verilator/wave_rescue.h"
#include "tests/unit/verilator/fst_reader.h"

namespace heddle::rtl {
namespace {

namespace fs = std::filesystem;

uint64_t seed() {
  const char* text = std::getenv("HEDDLE_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 0) : 1;
}

std::string digits(const std::vector<uint32_t>& words, uint32_t bits) {
  std::string text;
  for (uint32_t i = bits; i-- > 0;) text += static_cast<char>('0' + (words[i / 32] >> i % 32 & 1));
  return text;
}

class FstWriterTest : public ::testing::Test {
 protected:
  const std::string file = ::testing::TempDir() + "heddle_fst_writer_test.fst";
  void SetUp() override { fs::remove(file); }
  void TearDown() override { fs::remove(file); }

  // Runs in a process of its own; returns what waitpid tells.
  template <typename Body>
  static int in_child(Body body) {
    const pid_t pid = fork();
    if (pid == 0) {
      body();
      _exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
  }

  // A type and a length each, up to the end of the file.
  bool is_chain_of_blocks() const {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    size_t at = 0;
    while (at + 9 <= bytes.size()) {
      uint64_t length = 0;
      for (size_t i = 1; i < 9; i++) length = length << 8 | static_cast<uint8_t>(bytes[at + i]);
      at += 1 + length;
    }
    return at == bytes.size();
  }

  // A counter of 64 bits, and noise that does not compress.
  struct Counter {
    explicit Counter(FstWriter& w) : writer(w) {
      writer.scope(FST_ST_VCD_MODULE, "top");
      counter = writer.variable(FST_VT_SV_LOGIC, FST_VD_IMPLICIT, 64, "counter [63:0]", 0);
      noise = writer.variable(FST_VT_SV_LOGIC, FST_VD_IMPLICIT, 64, "noise [63:0]", 0);
    }
    void run(uint64_t from, uint64_t to) {
      for (uint64_t t = from; t < to; t++) {
        writer.time(t);
        writer.change(counter, t);
        writer.change(noise, random());
      }
    }
    FstWriter& writer;
    uint32_t counter, noise;
    std::mt19937_64 random{1};
  };
  static std::string counted(uint64_t value) {
    return digits({static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)}, 64);
  }
};

TEST_F(FstWriterTest, WhatIsWrittenIsRead) {
  std::mt19937_64 random(seed());
  RecordProperty("seed", std::to_string(seed()));
  struct Signal {
    uint32_t handle, bits;
    std::vector<uint32_t> words;
    std::vector<std::pair<uint64_t, std::string>> wanted;
  };
  FstWriter writer(file, 3000);  // many blocks
  std::vector<Signal> signals;
  writer.scope(FST_ST_VCD_MODULE, "top");
  for (uint32_t i = 0; i < 90; i++) {
    const uint32_t bits = i < 70 ? i + 1 : static_cast<uint32_t>(random() % 2000 + 1);
    signals.push_back({writer.variable(FST_VT_SV_LOGIC, FST_VD_IMPLICIT, bits, "s" + std::to_string(i), 0),
                       bits,
                       std::vector<uint32_t>((bits + 31) / 32),
                       {}});
  }
  ASSERT_TRUE(writer.begin());
  const uint64_t begin = 1000;
  uint64_t now = begin;
  for (int step = 0; step < 400; step++, now += random() % 3 + 1) {
    writer.time(now);
    for (Signal& s : signals) {
      if (step > 0 && random() % 8 != 0) continue;
      for (uint32_t& word : s.words) word = static_cast<uint32_t>(random());
      if (s.bits % 32) s.words.back() &= (1u << s.bits % 32) - 1;
      writer.change(s.handle, s.words.data());
      s.wanted.emplace_back(now, digits(s.words, s.bits));
    }
  }
  ASSERT_TRUE(writer.close());
  const auto read = test::read_fst(file);
  ASSERT_TRUE(read.readable);
  EXPECT_EQ(read.begin, begin);
  EXPECT_EQ(read.end, writer.last());
  for (size_t i = 0; i < signals.size(); i++) {
    const auto name = read.names.find("top.s" + std::to_string(i));
    ASSERT_NE(name, read.names.end()) << i;
    EXPECT_EQ(name->second.second, signals[i].bits);
    EXPECT_EQ(read.values.at(name->second.first), signals[i].wanted) << i << " seed " << seed();
  }
}

TEST_F(FstWriterTest, AliasesAndScopesAndEnumerationsAreTold) {
  FstWriter writer(file);
  writer.scope(FST_ST_VCD_MODULE, "top");
  const uint32_t table = writer.enumeration("state_e", {"Idle", "Busy"}, {"0", "1"});
  writer.enumeration_of_next(table);
  const uint32_t a = writer.variable(FST_VT_SV_LOGIC, FST_VD_IMPLICIT, 1, "a", 0);
  writer.scope(FST_ST_VCD_MODULE, "below");
  EXPECT_EQ(writer.variable(FST_VT_VCD_WIRE, FST_VD_INPUT, 1, "a_i", a), a);
  writer.up_scope();
  writer.variable(FST_VT_SV_LOGIC, FST_VD_IMPLICIT, 8, "b [7:0]", 0);
  ASSERT_TRUE(writer.begin());
  writer.time(5);
  writer.change(a, uint64_t{1});
  ASSERT_TRUE(writer.close());
  const auto read = test::read_fst(file);
  EXPECT_EQ(read.names.size(), 3u);
  EXPECT_EQ(read.at("top.below.a_i", 5), "1");
  EXPECT_EQ(read.names.at("top.b [7:0]").second, 8u);
}

TEST_F(FstWriterTest, TheFileCanBeReadBeforeItIsClosed) {
  FstWriter writer(file, 5000);
  Counter counter(writer);
  ASSERT_TRUE(writer.begin());
  counter.run(1, 2000);
  const auto read = test::read_fst(file);
  EXPECT_GT(read.end, 1000u);
  EXPECT_EQ(read.end, writer.last());
  EXPECT_EQ(read.at("top.counter [63:0]", read.end), counted(read.end));
}

TEST_F(FstWriterTest, WithoutValuesThereIsNoFile) {
  {
    FstWriter writer(file);
    Counter counter(writer);
    ASSERT_TRUE(writer.begin());
    EXPECT_TRUE(fs::exists(file));
  }
  EXPECT_FALSE(fs::exists(file));
}

// A file size limit is a full disk that a test can have; it adds SIGXFSZ, which would kill.
TEST_F(FstWriterTest, AFullDiskEndsTheWaveformAndNothingElse) {
  const int status = in_child([&] {
    const rlimit limit{20000, 20000};
    setrlimit(RLIMIT_FSIZE, &limit);
    FstWriter writer(file, 5000);
    Counter counter(writer);
    if (!writer.begin()) _exit(1);
    counter.run(1, 5000);
    if (writer.state().ok()) _exit(2);
    if (writer.state().error().message().find("File too large") == std::string::npos) _exit(3);
    if (writer.close().ok()) _exit(4);
    if (writer.last() < 100 || writer.last() > 4900) _exit(5);
    _exit(42);
  });
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_LE(fs::file_size(file), 20000u);
  EXPECT_TRUE(is_chain_of_blocks());
  const auto read = test::read_fst(file);
  ASSERT_TRUE(read.readable);
  EXPECT_GT(read.end, 100u);
  EXPECT_EQ(read.at("top.counter [63:0]", read.end), counted(read.end));
}

TEST_F(FstWriterTest, NoRoomForTheNamesIsAnErrorAtTheBeginning) {
  const int status = in_child([&] {
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    FstWriter writer(file);
    Counter counter(writer);
    _exit(!writer.begin() && !fs::exists(file) ? 42 : 1);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
}

TEST_F(FstWriterTest, AProcessThatDiesBySignalLeavesAllOfIt) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGHUP}) {
    const int status = in_child([&] {
      FstWriter writer(file, 2000);  // some blocks, and what is not yet one
      Counter counter(writer);
      if (!writer.begin()) _exit(1);
      WaveRescue rescue(writer);
      counter.run(1, 501);
      const rlimit none{0, 0};
      setrlimit(RLIMIT_CORE, &none);
      if (signal == SIGABRT) std::abort();
      raise(signal);
      _exit(2);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    const auto read = test::read_fst(file);
    EXPECT_EQ(read.end, 500u) << signal;
    EXPECT_TRUE(is_chain_of_blocks());
    EXPECT_EQ(read.at("top.counter [63:0]", 500), counted(500)) << signal;
    EXPECT_EQ(read.at("top.counter [63:0]", 77), counted(77)) << signal;
  }
}

TEST_F(FstWriterTest, AHangUpInTheMiddleOfACycleWaitsForItsEnd) {
  const int status = in_child([&] {
    FstWriter writer(file);
    Counter counter(writer);
    if (!writer.begin()) _exit(1);
    WaveRescue rescue(writer);
    {
      const WaveRescue::Change change(rescue);
      counter.run(1, 100);
      raise(SIGHUP);
      counter.run(100, 501);
    }
    _exit(2);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP) << status;
  const auto read = test::read_fst(file);
  EXPECT_EQ(read.end, 500u);
  EXPECT_EQ(read.at("top.counter [63:0]", 500), counted(500));
}

TEST_F(FstWriterTest, ACrashInTheMiddleOfACycleLeavesTheBlocksBefore) {
  const int status = in_child([&] {
    FstWriter writer(file, 2000);
    Counter counter(writer);
    if (!writer.begin()) _exit(1);
    WaveRescue rescue(writer);
    counter.run(1, 1000);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    const WaveRescue::Change change(rescue);
    std::abort();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  const auto read = test::read_fst(file);
  EXPECT_GT(read.end, 500u);
  EXPECT_EQ(read.at("top.counter [63:0]", read.end), counted(read.end));
}

TEST_F(FstWriterTest, SignalsThatAProgramHandlesAreItsOwn) {
  static volatile sig_atomic_t seen = 0;
  struct sigaction mine {
  }, now{};
  mine.sa_handler = [](int) { seen = 1; };
  struct sigaction before {};
  sigaction(SIGHUP, &mine, &before);
  {
    FstWriter writer(file);
    WaveRescue rescue(writer);
    raise(SIGHUP);
    EXPECT_EQ(seen, 1);
    sigaction(SIGABRT, nullptr, &now);
    EXPECT_NE(now.sa_handler, SIG_DFL);
  }
  sigaction(SIGABRT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  sigaction(SIGHUP, &before, nullptr);
}

}  // namespace
}  // namespace heddle::rtl
