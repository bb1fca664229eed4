// SPDX-License-Identifier: Apache-2.0
// Launches, for both APIs.
#pragma once

#include "host-runtime/driver/occupancy.h"
#include "host-runtime/runtime/state.h"

namespace heddle::cudart {

// A kernel's arguments: where each is, or the block of all of them.
struct Arguments {
  void** list = nullptr;
  const void* block = nullptr;
  size_t bytes = 0;
};

cudaError_t launch(const char* api_name, const void* function, driver::LaunchShape shape, const Arguments& arguments,
                   cudaStream_t stream);

// The shape and the stream are all that a launch's configuration says; of its attributes the rest are hints.
driver::LaunchShape shape_of(const cudaLaunchConfig_t& config);
bool is_complete(const cudaLaunchConfig_t* config);

}  // namespace heddle::cudart
