// SPDX-License-Identifier: Apache-2.0
// Which API a thread is called by: both share their bodies.
#pragma once

namespace heddle::cudart {

// While there is one, this thread's call is the driver API's: its errors are not for cudaGetLastError, it fails before
// cuInit and without a current context, and messages have its name.
class DriverCall {
 public:
  explicit DriverCall(const char* function);
  ~DriverCall();
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;

 private:
  const char* before_;
};

// Its name; null in a call of the runtime.
const char* driver_call();

}  // namespace heddle::cudart
