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

// The buffer that a kernel is given: records, then the input, then slices of global memory.
std::vector<uint8_t> buffer_of(const std::vector<uint64_t>& input);
// What it must leave; nullopt when it runs for too long to be of use.
std::optional<Outcome> expected_outcome(const Case& c);

// The first difference, for people; empty when there is none. Any NaN is as good as any other.
std::string difference(const std::vector<uint8_t>& got, const Outcome& expected, unsigned blocks = 1);

// Takes out statements, phases, registers of the record; simplifies what stays, for as long as something stays wrong.
Program shrink(Program program, const std::function<bool(const Program&)>& wrong);

}  // namespace heddle::compiler::test
