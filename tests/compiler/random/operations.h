// SPDX-License-Identifier: Apache-2.0
// Operations that need no more than their operands: their PTX and what they give, side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace heddle::compiler::test {

// `files`: the destination's letter and those of the sources: h, w, d (16, 32, 64 bits), f, and e: f64 in a register of
// file d; upper case: a register, not an immediate. `text`: "name", or lines separated by ';' with {d} {a} {b} {c};
// %tx %ty %tz %tv (32 bits), %td %tg (64), %th (16), %q %r (predicates) are free for use.
struct Operation {
  std::string text;
  std::string files;
  std::function<uint64_t(uint64_t a, uint64_t b, uint64_t c)> compute;
};
using Operations = std::vector<Operation>;

// One group a kind of operation, so that large groups do not crowd out small ones.
Operations integer_operations();  // operations.cc
Operations video_operations();
Operations f32_operations();  // operations_float.cc
Operations f64_operations();
Operations half_operations();
Operations integer_conversions();  // operations_convert.cc
Operations number_conversions();
Operations comparisons();  // operations_compare.cc
Operations selections();

// All groups, one behind the other; ends()[g]: where group g ends.
std::span<const Operation> operations();
std::span<const unsigned> ends();

// .approx and .full: into a register of file a; the result must be as near to `exact` as the PTX manual says.
struct Approximation {
  std::string text, files;
  double (*exact)(double x, double y);
  double (*bound)(double x, double y, double exact);  // absolute; infinity: anything may come
};
std::span<const Approximation> approximations();

}  // namespace heddle::compiler::test
