// SPDX-License-Identifier: Apache-2.0
// Operations that need no more than their operands: their PTX and what they give, side by side.
#pragma once

#include <cstdint>
#include <span>

namespace heddle::compiler::test {

// `files`: the destination's letter and those of the sources: h, w, d (16, 32, 64 bits), f, and e: f64 in a register of
// file d; upper case: a register, not an immediate. `text`: "name", or lines separated by ';' with {d} {a} {b} {c}.
struct Operation {
  const char* text;
  const char* files;
  uint64_t (*compute)(uint64_t a, uint64_t b, uint64_t c);
};

std::span<const Operation> operations();
bool uses_f64(const Operation& operation);

}  // namespace heddle::compiler::test
