// SPDX-License-Identifier: Apache-2.0
// Reference values of mathematical functions by MPFR, and their rounding.
#pragma once

#include <mpfr.h>

#include <functional>
#include <string>

namespace heddle::test {

// An mpfr_t of 200 bits with a lifetime.
class Mp {
 public:
  Mp() { mpfr_init2(v_, 200); }
  explicit Mp(double x) : Mp() { mpfr_set_d(v_, x, MPFR_RNDN); }
  ~Mp() { mpfr_clear(v_); }
  Mp(const Mp&) = delete;
  Mp& operator=(const Mp&) = delete;
  mpfr_ptr get() { return v_; }
  operator mpfr_ptr() { return v_; }

 private:
  mpfr_t v_;
};

// Sets `result` to the exact value (to 200 bits) of a function of `x`, or of `x` and `y`.
using Reference1 = std::function<void(mpfr_ptr result, mpfr_ptr x)>;
using Reference2 = std::function<void(mpfr_ptr result, mpfr_ptr x, mpfr_ptr y)>;

// The reference for a function of one argument by the name of the C function without suffix, e.g.
// "exp"; empty when there is none.
Reference1 reference1(const std::string& name);
Reference2 reference2(const std::string& name);

// The T nearest `exact`.
template <typename T>
T nearest(mpfr_ptr exact);

}  // namespace heddle::test
