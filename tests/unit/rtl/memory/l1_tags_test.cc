// SPDX-License-Identifier: Apache-2.0
// Tags of the L1 against a map of lines.
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "Vl1_tags_top.h"
#include "tests/unit/rtl/memory/l1_control_model.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

class L1Tags : public ::testing::Test {
 protected:
  L1Tags() : bench_(seed()), top_(*bench_.top) {
    quiet();
    bench_.reset();
    bench_.settle();
    ways_ = top_.ways_o;
    sets_ = top_.sets_o;
  }

  void quiet() { top_.others_i = top_.look_i = top_.empty_i = top_.drop_i = top_.install_i = top_.allocate_i = 0; }

  // Looks for a line, and holds what was found against the map. Where that takes a cycle, what is looked at afterwards
  // is not the line's.
  void look(uint64_t line) {
    top_.look_i = 1;
    top_.look_line_i = top_.line_i = line;
    if (top_.looks_o) {
      bench_.tick();
      top_.look_i = 0;
      top_.look_line_i = bench_.rng() % 64;
    }
    bench_.settle();
    if (top_.lines_o > 1) look_at_others();
    const auto there = ref_.lines.find(line);
    ASSERT_EQ(top_.hit_o, there != ref_.lines.end());
    if (there == ref_.lines.end()) return;
    ASSERT_EQ(top_.present_o, there->second.sectors);
    ASSERT_EQ(top_.place_o, there->second.place);
  }

  // Some of three lines like those that are there.
  void look_at_others() {
    const unsigned others = static_cast<unsigned>(bench_.rng() % 8) << 1;
    std::array<uint64_t, 4> lines{};
    for (unsigned n = 1; n < 4; n++) {
      lines[n] = (uint64_t{1} << 29) + bench_.rng() % 6 * sets_ + bench_.rng() % 4;
      top_.other_line_i[2 * n] = static_cast<uint32_t>(lines[n]);
      top_.other_line_i[2 * n + 1] = static_cast<uint32_t>(lines[n] >> 32);
    }
    top_.others_i = others;
    bench_.settle();
    for (unsigned n = 1; n < 4; n++) {
      const auto there = ref_.lines.find(lines[n]);
      const bool seen = others >> n & 1 && there != ref_.lines.end();
      ASSERT_EQ(top_.other_present_o >> 4 * n & 15, seen ? there->second.sectors : 0u);
      if (seen) {
        ASSERT_EQ(top_.other_place_o >> 16 * n & 0xffff, there->second.place);
      }
    }
  }

  void change() {
    bench_.tick();
    quiet();
  }

  void install(uint64_t line, unsigned sectors) {
    top_.install_i = 1;
    top_.install_sectors_i = sectors;
    change();
    ref_.lines.at(line).sectors |= sectors;
  }

  void drop(uint64_t line) {
    top_.drop_i = 1;
    change();
    ref_.lines.erase(line);
  }

  void empty() {
    top_.empty_i = 1;
    change();
    ref_.lines.clear();
  }

  // Takes the way of its set that was filled longest ago, and the line that is there goes.
  void allocate(uint64_t line) {
    top_.allocate_i = 1;
    bench_.settle();
    auto& age = ref_.age[line % sets_];
    if (age.empty())
      for (unsigned w = 0; w < ways_; w++) age.push_back(w);
    const unsigned place = static_cast<unsigned>(line % sets_) * ways_ + age.front();
    age.push_back(age.front());
    age.pop_front();
    std::optional<uint64_t> gone;
    for (const auto& [l, held] : ref_.lines)
      if (held.place == place) gone = l;
    ASSERT_EQ(top_.place_o, place);
    ASSERT_EQ(top_.evict_o, gone.has_value());
    if (gone) {
      ASSERT_EQ(top_.evict_line_o, *gone);
      ref_.lines.erase(*gone);
    }
    change();
    ref_.lines[line] = {place, 0};
  }

  RtlBench<Vl1_tags_top> bench_;
  Vl1_tags_top& top_;
  Reference ref_;
  unsigned ways_, sets_;
};

TEST_F(L1Tags, ANewLineHasNoSectorOfTheOneThatItDrivesOut) {
  for (uint64_t n = 0; n <= ways_; n++) {
    const uint64_t line = 3 + n * sets_;
    look(line);
    allocate(line);
    look(line);
    EXPECT_EQ(top_.present_o, 0);
    install(line, 5);
    look(line);
    EXPECT_EQ(top_.present_o, 5);
    quiet();
  }
  look(3);
  EXPECT_FALSE(top_.hit_o);
}

TEST_F(L1Tags, RandomLines) {
#ifdef HEDDLE_NETLIST
  const int looks = 4000;
#else
  const int looks = 100000;
#endif
  auto& rng = bench_.rng;
  for (int t = 0; t < looks && !HasFatalFailure(); t++) {
    // Few sets and tags, so that lines meet.
    const uint64_t line = (uint64_t{1} << 29) + rng() % 6 * sets_ + rng() % 4;
    look(line);
    if (HasFatalFailure()) break;
    const bool there = ref_.lines.contains(line);
    switch (rng() % 8) {
      case 0: bench_.one_in(30) ? empty() : change(); break;
      case 1: there ? drop(line) : change(); break;
      default: there ? install(line, static_cast<unsigned>(rng() % 16)) : allocate(line); break;
    }
  }
}

}  // namespace
}  // namespace heddle::test
