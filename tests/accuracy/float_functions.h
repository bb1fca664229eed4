// SPDX-License-Identifier: Apache-2.0
// The device library's float functions of one argument, and a fast reference for each: the correctly
// rounded result for every one of the 2^32 inputs.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::test {

// f(-x) = f(x), or -f(x): the reference need only be asked for one sign.
enum class Parity : uint8_t { kNone, kEven, kOdd };

struct FloatFunction {
  const char* name;
  float (*function)(float);
  // The C library's double precision, or what is put together from it: see rounded().
  double (*reference)(double);
  Parity parity;
  // The most that the guide allows between the result and the correctly rounded one, in units in the
  // last place; negative: it says nothing.
  int bound;
  // Where the bound does not hold.
  float exempt_low = 1.0f, exempt_high = -1.0f;

  bool exempt(float x) const { return x >= exempt_low && x <= exempt_high; }
};

const std::vector<FloatFunction>& float_functions();

// The references' relative error is taken to be at most this, 4096 units in the last place of a double;
// the accuracy test asserts it against MPFR.
constexpr double kReferenceError = 0x1p-40;

// The float nearest the exact value. The double reference decides unless it lies within its error of the
// middle between two floats; MPFR decides then, and `undecided` counts it.
float rounded(const FloatFunction& f, float x, uint64_t& undecided);

// The intrinsics of reduced accuracy. The guide bounds their error as a number of units in the last place
// or, where a logarithm or a sine may be near zero, absolutely.
struct Intrinsic {
  const char* name;
  float (*function)(float);
  double (*reference)(double);
  float low, high;  // the bound holds between
  // The error allowed for an argument: absolute, or in units in the last place.
  struct Allowed {
    bool absolute;
    double error;
  };
  Allowed (*allowed)(double x);
  // The error at x as a share of what is allowed.
  double share(float x) const;
};

const std::vector<Intrinsic>& intrinsics();

}  // namespace heddle::test
