// SPDX-License-Identifier: Apache-2.0
// Verilator's context of one device. What the model prints comes here, and what would end the process (a failed
// assertion, $stop, a fatal error of the simulator) ends the device's run instead.
#pragma once

#include <string>

#include "verilated.h"

namespace heddle::rtl {

class ModelContext final : public VerilatedContext {
 public:
  // Thrown out of eval() by an error after which the model can't go on.
  struct Fatal {};

  // Undefined state begins with values that `seed` chooses. Only a checked model has such state, all others begin with
  // zeros.
  explicit ModelContext(uint64_t seed);

  bool stopped() const { return !why_.empty(); }
  // Of the first thing that stopped it: source line, assertion with the path of its instance, words.
  const std::string& why() const { return why_; }

  void say(const char* text) { said_ = text; }
  void stop(const std::string& otherwise);  // why: what was said last, or this when nothing was

 private:
  std::string said_, why_;
};

}  // namespace heddle::rtl
