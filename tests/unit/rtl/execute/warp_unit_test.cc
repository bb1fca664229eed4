// SPDX-License-Identifier: Apache-2.0
// Votes, matches, shuffles and reductions of random lanes against the PTX manual's words.
#include <Vwarp_top.h>

#include <algorithm>
#include <bit>

#include "tests/unit/rtl/execute/unit_test.h"

namespace heddle::test {
namespace {

constexpr int kScale = scale_of(50);

constexpr isa::Opcode kOps[] = {isa::Opcode::Vote, isa::Opcode::Ballot, isa::Opcode::Match, isa::Opcode::Shfl,
                                isa::Opcode::Redux};

bool in(std::uint32_t mask, unsigned lane) { return mask >> lane & 1; }

// Lanes that execute and whose predicate holds: negation is done where predicates are read.
std::uint32_t ones_of(const Request& r) { return r.p & r.mask; }

LaneResult vote(const Request& r, unsigned) {
  const std::uint32_t ones = ones_of(r);
  bool holds = false;
  switch (static_cast<isa::VoteMode>(r.get("mode"))) {
    case isa::VoteMode::All: holds = ones == r.mask; break;
    case isa::VoteMode::Any: holds = ones != 0; break;
    case isa::VoteMode::Uni: holds = ones == r.mask || ones == 0; break;
  }
  return {.p = holds, .q = !holds};
}

LaneResult match(const Request& r, unsigned lane) {
  std::uint32_t same = 0;
  for (unsigned i = 0; i < kWarp; ++i) same |= std::uint32_t{in(r.mask, i) && r.a[i] == r.a[lane]} << i;
  const bool all = same == r.mask;
  return {.d = r.get("all") && !all ? 0 : same, .p = all, .q = !all};
}

LaneResult shfl(const Request& r, unsigned lane) {
  const std::uint32_t narrow = std::min(r.get("narrow"), 5u);
  const std::uint32_t c = r.c[lane] ^ (r.get("clamp") ? 31 : 0) ^ (~(31u >> narrow) & 31) << 8;
  const int b = static_cast<int>(r.b[lane] & 31), me = static_cast<int>(lane);
  const int segment = static_cast<int>(c >> 8 & 31), clamp = static_cast<int>(c & 31);
  const int last = (me & segment) | (clamp & ~segment & 31);
  int from = 0;
  bool found = false;
  switch (static_cast<isa::ShflMode>(r.get("mode"))) {
    // clang-format off
    case isa::ShflMode::Up: from = me - b; found = from >= last; break;
    case isa::ShflMode::Down: from = me + b; found = from <= last; break;
    case isa::ShflMode::Bfly: from = me ^ b; found = from <= last; break;
    case isa::ShflMode::Idx: from = (me & segment) | (b & ~segment & 31); found = from <= last; break;
      // clang-format on
  }
  const unsigned taken = found ? static_cast<unsigned>(from) : lane;
  return {.d = in(r.mask, taken) ? r.a[taken] : 0, .p = found, .q = !found};
}

LaneResult redux(const Request& r, unsigned) {
  const bool sign = r.get("sign");
  const auto less = [&](std::uint32_t x, std::uint32_t y) {
    return sign ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y) : x < y;
  };
  std::uint32_t value = 0;
  bool some = false;
  for (unsigned i = 0; i < kWarp; ++i) {
    if (!in(r.mask, i)) continue;
    const std::uint32_t x = value, y = r.a[i];
    switch (static_cast<isa::ReduxOp>(r.get("op"))) {
      case isa::ReduxOp::Add: value = x + y; break;
      case isa::ReduxOp::Min: value = less(x, y) ? x : y; break;
      case isa::ReduxOp::Max: value = less(x, y) ? y : x; break;
      case isa::ReduxOp::And: value = x & y; break;
      case isa::ReduxOp::Or: value = x | y; break;
      case isa::ReduxOp::Xor: value = x ^ y; break;
    }
    if (!some) value = y;
    some = true;
  }
  return {.d = value};
}

Reference warp_reference(const Request& r) {
  switch (static_cast<isa::Opcode>(r.op)) {
    case isa::Opcode::Vote: return {.we = false, .p_we = true, .lane = vote};
    case isa::Opcode::Ballot: return {.lane = [](const Request& x, unsigned) { return LaneResult{.d = ones_of(x)}; }};
    case isa::Opcode::Match: return {.p_we = true, .lane = match};
    case isa::Opcode::Shfl: return {.p_we = true, .lane = shfl};
    default: return {.lane = redux};
  }
}

class WarpUnit : public UnitTest<Vwarp_top> {
 protected:
  WarpUnit() : UnitTest(kScale) { driver.stalls = true; }

  Reference reference(const Request& r) const override { return warp_reference(r); }

  Request random_request(isa::Opcode op) override {
    auto& rng = driver.bench.rng;
    const auto word = [&] { return static_cast<std::uint32_t>(rng()); };
    Request r;
    r.op = static_cast<std::uint8_t>(op);
    r.mod = random_modifiers(r.op, rng);
    switch (rng() % 8) {
      case 0: r.mask = word(); break;
      case 1: r.mask = 1u << rng() % 32; break;
      case 2: r.mask = word() & word() & word(); break;  // may be empty
      default: break;
    }
    r.p = word();
    if (driver.bench.one_in(3)) r.p = driver.bench.one_in(2) ? 0 : ~0u;
    if (driver.bench.one_in(4)) r.p ^= 1u << rng() % 32;
    // Few or many different values; MATCH's alike but for one at times.
    const std::uint32_t base = word(), spread = driver.bench.one_in(2) ? ~0u : word() & word() & word() & word();
    for (std::uint32_t& a : r.a) a = base ^ (word() & spread);
    if (driver.bench.one_in(4)) {
      r.a.fill(base);
      if (driver.bench.one_in(2)) r.a[rng() % 32] ^= 1u << rng() % 32;
    }
    const std::uint32_t c = word();
    for (unsigned i = 0; i < kWarp; ++i) {
      r.b[i] = word();
      r.c[i] = driver.bench.one_in(40) ? word() : c;
    }
    if (driver.bench.one_in(2)) r.c.fill(0);  // RZ: the modifiers say it
    return r;
  }

  void run(isa::Opcode op, int instructions) {
    UnitTest::run(op, instructions);
    EXPECT_GT(driver.lanes_checked, static_cast<unsigned>(instructions / kScale) * 15u);
  }
};

TEST_F(WarpUnit, Vote) { run(isa::Opcode::Vote, 10'000); }
TEST_F(WarpUnit, Ballot) { run(isa::Opcode::Ballot, 10'000); }
TEST_F(WarpUnit, Match) { run(isa::Opcode::Match, 4'000); }
TEST_F(WarpUnit, Shuffle) { run(isa::Opcode::Shfl, 20'000); }
TEST_F(WarpUnit, Reduction) { run(isa::Opcode::Redux, 10'000); }

TEST_F(WarpUnit, MixedStreamWithGapsAndBackPressure) { run_mixed(kOps, 60, kScale > 1 ? 15 : 60); }

// Whole rows: SHFL a cycle each, REDUX five. In slices a cycle a lane on the way in and out, and one a slice.
TEST_F(WarpUnit, TakesItsTime) {
  constexpr std::uint64_t kMany = 20,
                          kSlices = UnitDriver<Vwarp_top>::kSlices ? kWarp / UnitDriver<Vwarp_top>::kLanes : 0;
  for (const auto& [op, steps] : {std::pair{isa::Opcode::Shfl, 1u}, std::pair{isa::Opcode::Redux, 5u}}) {
    const std::uint64_t start = driver.bench.cycle;
    for (std::uint64_t i = 0; i < kMany; ++i) send(random_request(op));
    const std::uint64_t cycles = driver.bench.cycle - start;
    driver.drain();
    const std::uint64_t each = driver.kSlices ? 2 * kWarp + kSlices + 1 : steps;
    EXPECT_LE(cycles, kMany * each);
    EXPECT_GE(cycles, (kMany - 1) * each);
  }
}

}  // namespace
}  // namespace heddle::test
