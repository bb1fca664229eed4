// SPDX-License-Identifier: Apache-2.0
// What Verilator's tracing tells of a signal, and who decides whether it is kept.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace heddle::rtl {

// A signal as the model declares it. `scopes`: from the model down, as Verilator names them.
struct Declaration {
  std::vector<std::string> scopes;
  std::string name;   // without its range
  std::string range;  // " [31:0]" or empty
  uint32_t bits;
  unsigned type, direction;  // of fstapi.h
  uint32_t enumeration;      // table of its names, 0: none
  uint32_t alias;            // handle of the same signal declared before, 0: none
};

// Given to VerilatedFstC's constructor: takes the signals that the model declares, and their values.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual uint32_t enumeration(const std::string& name, const std::vector<std::string>& names,
                               const std::vector<std::string>& values) = 0;
  // A handle, or 0: not wanted.
  virtual uint32_t declare(const Declaration& declaration) = 0;
  virtual void time(uint64_t now) = 0;
  virtual void change(uint32_t handle, uint64_t value) = 0;
  virtual void change(uint32_t handle, const uint32_t* words) = 0;

  // A byte each run of comparisons in the model's tracing (wave_guard.cc): some of its signals are wanted.
  std::vector<unsigned char> wanted;
};

}  // namespace heddle::rtl
