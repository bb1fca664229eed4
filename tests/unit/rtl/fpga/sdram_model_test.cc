// SPDX-License-Identifier: Apache-2.0
// The SDRAM model finds each rule broken that is broken by one clock, and none that is just kept.
#include <vector>

#include "Vsdram_chip_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr int kPeriod = 5;  // ns
constexpr int clocks(int ns) { return (ns + kPeriod - 1) / kPeriod; }
enum Command { kMode = 0, kRefresh = 1, kPrecharge = 2, kActivate = 3, kWrite = 4, kRead = 5, kNop = 7 };
constexpr unsigned kAllBanks = 0x400;

class SdramModel : public ::testing::Test {
 protected:
  SdramModel() : bench_(seed()), top_(*bench_.top) {
    top_.command_i = kNop;
    top_.dq_en_i = top_.dqm_i = 0;
    bench_.reset();
  }
  void command(Command c, unsigned a = 0, unsigned bank = 0) {
    top_.command_i = c;
    top_.a_i = a;
    top_.ba_i = bank;
    bench_.tick();
    top_.command_i = kNop;
    top_.dq_en_i = 0;
  }
  void write(unsigned column, uint16_t data, unsigned bank = 0) {
    top_.dq_en_i = 1;
    top_.dq_i = data;
    command(kWrite, column, bank);
  }
  // So that the next command comes `clocks` clocks after the last one.
  void pass(int clocks) {
    for (int i = 1; i < clocks; i++) bench_.tick();
  }
  void start() {
    pass(clocks(100));
    command(kPrecharge, kAllBanks);
    for (int i = 0; i < 2; i++) {
      pass(clocks(66));
      command(kRefresh);
    }
    pass(clocks(66));
    command(kMode, 0x220);
    pass(clocks(66));
    ASSERT_EQ(top_.violations_o, 0u);
  }
  uint32_t broken() { return top_.violations_o; }

  RtlBench<Vsdram_chip_top> bench_;
  Vsdram_chip_top& top_;
};

TEST_F(SdramModel, KeepsWhatIsWrittenAndMasksBytes) {
  start();
  command(kActivate, 77, 2);
  pass(4);
  write(5, 0x1234, 2);
  top_.dqm_i = 2;
  write(5, 0xabcd, 2);
  top_.dqm_i = 0;
  command(kRead, 5, 2);
  bench_.tick();  // CAS latency 2: there at the second edge after the command
  bench_.settle();
  EXPECT_EQ(top_.dq_o, 0x12cd);
  EXPECT_EQ(broken(), 0u);
}

TEST_F(SdramModel, EachTimeIsCheckedToTheClock) {
  start();
  const auto give = [&](Command c, unsigned a = 0, unsigned bank = 0) {
    c == kWrite ? write(a, 1, bank) : command(c, a, bank);
  };
  struct Step {
    Command command;
    unsigned a = 0, bank = 0;
  };
  struct Rule {
    const char* name;
    std::vector<Step> before;  // each long after the last
    Step first;
    int ns;
    Step second;
  };
  const std::vector<Rule> rules = {
      {"tRCD", {}, {kActivate, 1}, 20, {kRead}},
      {"tRCD of a write", {}, {kActivate, 1}, 20, {kWrite}},
      {"tRAS", {}, {kActivate, 1}, 44, {kPrecharge}},
      {"tRP", {{kActivate, 1}}, {kPrecharge}, 20, {kActivate, 2}},
      {"tRP of a refresh", {{kActivate, 1}}, {kPrecharge, kAllBanks}, 20, {kRefresh}},
      {"tRRD", {}, {kActivate, 1, 0}, 15, {kActivate, 1, 1}},
      {"tWR", {{kActivate, 1}}, {kWrite}, 15, {kPrecharge}},
      {"tRFC", {}, {kRefresh}, 66, {kActivate, 1}},
      {"tRFC of a refresh", {}, {kRefresh}, 66, {kRefresh}},
  };
  for (const Rule& rule : rules) {
    for (const int late : {0, -1}) {
      for (const Step& s : rule.before) {
        give(s.command, s.a, s.bank);
        pass(30);
      }
      const uint32_t was = broken();
      give(rule.first.command, rule.first.a, rule.first.bank);
      pass(clocks(rule.ns) + late);
      give(rule.second.command, rule.second.a, rule.second.bank);
      EXPECT_EQ(broken() - was, late ? 1u : 0u) << rule.name;
      pass(30);
      give(kPrecharge, kAllBanks);
      pass(30);
    }
  }
}

TEST_F(SdramModel, BanksMustBeInTheRightState) {
  start();
  const auto breaks = [&](const char* what, Command c, unsigned a = 0) {
    const uint32_t was = broken();
    c == kWrite ? write(a, 1) : command(c, a);
    EXPECT_GT(broken(), was) << what;
    pass(30);
  };
  breaks("read of a closed bank", kRead);
  breaks("write to a closed bank", kWrite);
  command(kActivate, 1);
  pass(30);
  breaks("activate of an open bank", kActivate, 2);
  breaks("refresh with an open bank", kRefresh);
  breaks("auto-precharge", kRead, 0x400);
}

TEST_F(SdramModel, CommandsBeforeInitialisationAreWrong) {
  command(kActivate, 1);
  EXPECT_GT(broken(), 0u);
}

TEST_F(SdramModel, CellsWithoutRefreshDecay) {
  start();
  pass(clocks(12 * 7813));
  EXPECT_EQ(broken(), 0u) << "as long as nobody wants them";
  command(kActivate, 1);
  EXPECT_GT(broken(), 0u);
}

}  // namespace
}  // namespace heddle::test
