// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/random/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/compiler/random/numbers.h"

namespace heddle::compiler::test {

uint64_t environment(const char* name, uint64_t otherwise) {
  const char* s = std::getenv(name);
  return s ? std::strtoull(s, nullptr, 0) : otherwise;
}

uint64_t seed() {
  const uint64_t value = environment("HEDDLE_SEED", 1);
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

Case random_case(uint64_t seed, const Shape& shape) {
  std::mt19937_64 random(seed);
  Case c;
  c.program = random_program(random, shape);
  c.input.resize(kInputWords);
  for (uint64_t& w : c.input) w = random() >> random() % 64;
  return c;
}

std::vector<uint8_t> buffer_of(const std::vector<uint64_t>& input) {
  std::vector<uint8_t> buffer(kThreads * kRecordBytes, 0xcd);
  buffer.resize(buffer.size() + input.size() * 8);
  std::memcpy(&buffer[kThreads * kRecordBytes], input.data(), input.size() * 8);
  buffer.resize(buffer.size() + size_t{kBlocks} * kThreads * kSliceBytes);
  return buffer;
}

std::optional<Outcome> expected_outcome(const Case& c) {
  Outcome outcome;
  if (!evaluate(c.program, c.input, outcome)) return std::nullopt;
  return outcome;
}

namespace {

uint64_t word_at(const uint8_t* from, unsigned bytes) {
  uint64_t v = 0;
  std::memcpy(&v, from, bytes);
  return v;
}

bool same_f32(uint64_t x, uint64_t y, double bound) {
  // Next to the largest number is, here, 2^128.
  const auto value = [](uint64_t v) { return std::clamp(decode(Format::F32, v), -0x1p128, 0x1p128); };
  const double a = value(x), b = value(y);
  if (std::isinf(bound) || (std::isnan(a) && std::isnan(b))) return true;
  return x == y || std::fabs(a - b) <= bound;
}

}  // namespace

std::string difference(const std::vector<uint8_t>& got, const Outcome& expected, unsigned blocks) {
  for (unsigned t = 0; t < kThreads; t++)
    for (const File f : {File::H, File::W, File::D, File::F, File::A})
      for (unsigned r = 0; r < kRegisters[static_cast<int>(f)]; r++) {
        const size_t at = t * kRecordBytes + record_offset(f, r);
        const uint64_t x = word_at(&got[at], bytes_of(f)), y = word_at(&expected.records[at], bytes_of(f));
        const double bound = f == File::A ? expected.bounds[t * kRegisters[static_cast<int>(f)] + r] : 0;
        if (x == y || ((f == File::F || f == File::A) && same_f32(x, y, bound))) continue;
        return fmt::format("thread {}, %{}{}: {:#x} instead of {:#x}", t, "hwdfpa"[static_cast<int>(f)], r, x, y);
      }
  for (unsigned t = 0; t < kThreads; t++)
    for (unsigned half = 0; half < 2 * kRegisters[static_cast<int>(File::X)]; half++) {
      const size_t at = t * kRecordBytes + record_offset(File::X, 0) + 8 * half;
      const uint64_t x = word_at(&got[at], 8), y = word_at(&expected.records[at], 8);
      if (x != y)
        return fmt::format("thread {}, {} half of %x{}: {:#x} instead of {:#x}", t, half % 2 ? "upper" : "lower",
                           half / 2, x, y);
    }
  const size_t first = kThreads * kRecordBytes + kInputWords * 8;
  for (unsigned b = 0; b < blocks; b++)
    for (size_t at = 0; at < kThreads * kSliceBytes; at += 4) {
      const uint64_t x = word_at(&got[first + b * kThreads * kSliceBytes + at], 4),
                     y = word_at(&expected.slices[at], 4);
      if (x == y || (at % kSliceBytes >= kSliceBytes / 2 && same_f32(x, y, 0))) continue;
      return fmt::format("block {}, thread {}, word {} of its global memory: {:#x} instead of {:#x}", b,
                         at / kSliceBytes, at % kSliceBytes / 4, x, y);
    }
  return {};
}

}  // namespace heddle::compiler::test
