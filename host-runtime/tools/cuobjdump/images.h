// SPDX-License-Identifier: Apache-2.0
// The device code in a file, piece by piece: of a cubin, a fat binary, a host program, object or library, or an
// archive.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/formats/fatbinary.h"

namespace heddle::tools {

struct DeviceImage {
  std::string name;  // "app.1.sm_80.cubin": the file's name, the container's number in it
  formats::FatKind kind = formats::FatKind::kElf;
  unsigned sm = 0;
  std::string_view bytes;  // of the file's contents
};

// What `contents` of the file `name` holds, in its order; nothing when a host file has no device code. Errors name the
// file.
Result<std::vector<DeviceImage>> find_images(const std::string& name, std::string_view contents);

}  // namespace heddle::tools
