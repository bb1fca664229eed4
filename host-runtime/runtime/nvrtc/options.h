// SPDX-License-Identifier: Apache-2.0
// NVRTC's options, turned into nvcc's (host-runtime/clang/options.h), which say what clang is told.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/clang/options.h"

namespace heddle::cudart::nvrtc {

struct Request {
  nvcc::Options options;
  bool machine_code = false;       // -arch=sm_80: a cubin beside the PTX
  bool device_by_default = false;  // what has no execution space is the device's
  bool move_forward = true;        // std::move and std::forward are built in
  bool source_folder = true;       // headers are looked for where the program's name says that its source is
};

// Of each option the value may stand behind '=', behind a blank, or be the next one. An Error is a line for the log.
Result<Request> read_options(const std::vector<std::string>& options);

}  // namespace heddle::cudart::nvrtc
