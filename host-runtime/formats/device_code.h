// SPDX-License-Identifier: Apache-2.0
// Finds what a device linker has to link in the files that it is given: objects of ptxas -c, host objects of
// clang -fgpu-rdc or nvcc -dc, which hold such objects in fat binaries, and archives of either.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/formats/cubin.h"

namespace heddle::formats {

struct DeviceCode {
  std::vector<CubinSource> modules;
  // The host objects' names for themselves, under which they register their kernels (section __nv_module_id).
  std::vector<std::string> registrations;
};

// Adds what `name`, a file of these contents, holds for devices of compute capability `sm` (80 for 8.0): of several
// versions the newest that such a device runs. A host object without device code adds nothing. Errors name the file.
Status add_device_code(DeviceCode& code, const std::string& name, const std::string& contents, unsigned sm);

}  // namespace heddle::formats
