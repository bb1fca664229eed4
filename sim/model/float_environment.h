// SPDX-License-Identifier: Apache-2.0
// Keeps a host program's floating-point settings (another rounding, subnormals flushed by
// -ffast-math) away from the model while in scope, and its exception flags away from the model's.
#pragma once

#include <cfenv>

namespace heddle::model {

class FloatEnvironment {
 public:
  FloatEnvironment() {
    fegetenv(&saved_);
    fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { fesetenv(&saved_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  fenv_t saved_;
};

}  // namespace heddle::model
