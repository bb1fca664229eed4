// SPDX-License-Identifier: Apache-2.0
// The device that HEDDLE_TEST_DEVICE names, through the driver, with one compiled kernel(out, in) on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host-runtime/driver/context.h"

namespace heddle::test {

using Data = std::vector<uint32_t>;

// Words of random lengths.
Data random_data(uint64_t seed, size_t words);

// Whether the device multiplies matrices: its preset has a tensor unit.
bool has_tensor_unit();

// Whether it has double precision in hardware.
bool has_doubles();

// The text of the .ptx file beside this one.
std::string source(const std::string& name);

struct Shape {
  uint32_t blocks = 3, threads = 96;
  uint32_t dynamic_shared = 0;
  uint64_t cycle_limit = 0;
  bool loops = false;  // sums in memory are loops of compare and swap, as where memory does not add
};

class Device {
 public:
  Device(const std::string& ptx, const Shape& shape, unsigned optimization);

  // What went wrong in compiling or loading; empty: nothing.
  const std::string& error() const { return error_; }
  uint64_t seed() const { return seed_; }

  // Runs the kernel; `in` comes back as it left it.
  Status run(Data& out, Data& in);

 private:
  Status open(const std::string& ptx, unsigned optimization);

  Shape shape_;
  uint64_t seed_;
  std::unique_ptr<driver::Context> context_;
  const driver::Kernel* kernel_ = nullptr;
  std::string error_;
};

}  // namespace heddle::test
