// SPDX-License-Identifier: Apache-2.0
// What a program should leave, what it left, and making a program that goes wrong small.
#pragma once

#include <functional>
#include <optional>

#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {

// HEDDLE_SEED, HEDDLE_PROGRAMS and the like: numbers.
uint64_t environment(const char* name, uint64_t otherwise);
// HEDDLE_SEED, or drawn; printed.
uint64_t seed();

struct Case {
  Program program;
  std::vector<uint64_t> input;
};
Case random_case(uint64_t seed, const Shape& shape);

// The buffer that a kernel is given: records, then the input.
std::vector<uint8_t> buffer_of(const std::vector<uint64_t>& input);
// The records that it must leave; nullopt when it runs for too long to be of use.
std::optional<std::vector<uint8_t>> expected_records(const Case& c);

// The first difference, for people; empty when there is none. Any NaN is as good as any other.
std::string difference(const std::vector<uint8_t>& got, const std::vector<uint8_t>& expected);

// Takes statements out, and conditions and loops away from around others, for as long as something stays wrong.
Program shrink(Program program, const std::function<bool(const Program&)>& wrong);

}  // namespace heddle::compiler::test
