// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp at an operation of 64 bits on shared memory: they come in the order of silicon's loop.
#include <gtest/gtest.h>

#include <random>

#include "tests/programs/ptx/device.h"
#include "tests/silicon/shared_loop.h"

namespace heddle::test {
namespace {

constexpr uint32_t kColumns = 8, kResults = 4;  // words a lane
enum class Operation : uint32_t { kAdd, kMax, kXor, kSumOfDoubles };
const WarpAtomic kAtomics[] = {{std::plus<uint64_t>()}, {greater_s64, true}, {std::bit_xor<uint64_t>()}, {sum_of_f64}};

// One warp's words and values. Many values change nothing where they come late: small ones of f64, zeros, low ones for
// max.
WarpWords random_warp(std::mt19937_64& random, Operation operation, uint32_t slots, uint32_t stride, uint32_t mask) {
  const auto value = [&]() -> uint64_t {
    const uint64_t bits = random();
    if (operation == Operation::kSumOfDoubles) return (bits & 0x800fffffffffffff) | (1000 + bits % 64 * 2) << 52;
    if (operation == Operation::kMax) return bits % 64 - 32;
    return bits % 3 ? bits : 0;
  };
  WarpWords warp;
  for (uint32_t lane = 0; lane < kLanes; lane++) {
    warp.at[lane] = mask >> lane & 1 ? static_cast<uint32_t>(random() % slots) * stride : kAbsent;
    warp.value[lane] = value();
    warp.memory[lane * stride] = value();
  }
  return warp;
}

uint64_t pair(const Data& words, size_t at) { return words[at] | uint64_t{words[at + 1]} << 32; }

// `operations` of the program `text`, each with the number by which it goes there.
void check(const std::string& text, const std::vector<std::pair<uint32_t, Operation>>& operations) {
  Data in, out;
  std::vector<std::pair<WarpWords, Operation>> warps;
  const uint32_t kSlots[] = {1, 3, 32}, kStrides[] = {8, 32, 128};
  Device device(text, {static_cast<uint32_t>(operations.size()) * 9, kLanes}, 2);
  ASSERT_EQ(device.error(), "");
  std::mt19937_64 random(device.seed());
  for (const auto& [number, operation] : operations)
    for (const uint32_t slots : kSlots)
      for (const uint32_t stride : kStrides) {
        const uint32_t mask = slots == 1 ? 0xffffffff : static_cast<uint32_t>(random() | random());
        const WarpWords warp = random_warp(random, operation, slots, stride, mask);
        warps.emplace_back(warp, operation);
        for (uint32_t lane = 0; lane < kLanes; lane++) {
          const uint64_t value = warp.value[lane], word = warp.memory.at(lane * stride);
          in.insert(in.end(), {warp.at[lane], number, static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32),
                               static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32), stride, 0});
        }
      }
  out.resize(in.size() / kColumns * kResults);
  const Status status = device.run(out, in);
  ASSERT_TRUE(status.ok()) << status.error().message();
  uint32_t apart = 0;
  for (size_t n = 0; n < warps.size(); n++) {
    const auto& [before, operation] = warps[n];
    WarpWords ascends = before, loop = before;
    const WarpAtomic& atomic = kAtomics[static_cast<uint32_t>(operation)];
    ascending(ascends, atomic);
    in_silicons_loop(loop, atomic);
    apart += ascends != loop;
    uint32_t lane = 0;
    for (const auto& [at, unused] : before.memory) {
      const size_t row = (n * kLanes + lane) * kResults;
      EXPECT_EQ(pair(out, row), loop.returned[lane]) << "warp " << n << ", lane " << lane;
      EXPECT_EQ(pair(out, row + 2), loop.memory[at]) << "warp " << n << ", word " << lane;
      lane++;
    }
  }
  EXPECT_GT(apart, warps.size() / 4) << "the two orders have to be told apart";
}

const std::vector<std::pair<uint32_t, Operation>> kIntegers = {
    {0, Operation::kAdd}, {1, Operation::kMax}, {2, Operation::kXor}};

void replace_all(std::string& text, const std::string& was, const std::string& now) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(was, at)) != std::string::npos; at += now.size(), found++)
    text.replace(at, was.size(), now);
  ASSERT_GT(found, 0u) << was;
}

TEST(SharedOrder, IsThatOfSiliconsLoop) { check(source("shared_order"), kIntegers); }

TEST(SharedOrder, IsTheSameAtGenericAddresses) {
  std::string text = source("shared_order");
  replace_all(text, "atom.shared.", "atom.");
  replace_all(text, "%old, [%at]", "%old, [%ptr]");
  check(text, kIntegers);
}

// Here the order decides what memory holds, too. In the program xor makes place for the sum.
TEST(SharedOrder, RoundsSumsOfDoublesInIt) {
  if (!has_doubles()) GTEST_SKIP() << "no double precision";
  for (const char* where : {"atom.shared.add.f64 %y, [%at]", "atom.add.f64 %y, [%ptr]"}) {
    std::string text = source("shared_order");
    replace_all(text, "atom.shared.xor.b64 %old, [%at], %value;",
                "{ .reg .f64 %x, %y; mov.b64 %x, %value; " + std::string(where) + ", %x; mov.b64 %old, %y; }");
    check(text, {{2, Operation::kSumOfDoubles}});
  }
}

}  // namespace
}  // namespace heddle::test
