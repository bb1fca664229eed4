// SPDX-License-Identifier: Apache-2.0
// One vecadd as work for the driver core: memory, two copies to the device, a launch, a copy back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/driver/context.h"

namespace driver_core {

class Vecadd {
 public:
  // Compiles and loads the kernel, and takes device memory, which the context's end gives back.
  static heddle::Result<std::unique_ptr<Vecadd>> create(heddle::driver::Context& driver, int elements, unsigned seed);

  // Into the stream; without one behind everything submitted before. Waits for nothing: this object stays until the
  // work has ended.
  heddle::Status submit(heddle::driver::Stream* stream = nullptr);
  // When it has ended: how many elements are wrong.
  int wrong() const;

 private:
  Vecadd(heddle::driver::Context& driver, const heddle::driver::Kernel& kernel, int elements, unsigned seed);

  heddle::driver::Context& driver_;
  const heddle::driver::Kernel& kernel_;
  std::vector<float> a_, b_, sum_;
  uint64_t place_[3] = {};  // in device memory
};

}  // namespace driver_core
