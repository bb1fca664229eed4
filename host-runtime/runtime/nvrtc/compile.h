// SPDX-License-Identifier: Apache-2.0
// One compilation: clang in a folder of its own, which goes with it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nvrtc.h"

namespace heddle::cudart::nvrtc {

struct Header {
  std::string name, text;
};

struct Source {
  std::string name, text;
  std::vector<Header> headers;
  std::vector<std::string> expressions;
};

struct Compiled {
  nvrtcResult result = NVRTC_SUCCESS;
  std::string log, ptx;
  std::vector<uint8_t> cubin;
  std::map<std::string, std::string> names;  // symbols of expressions
};

// `go_on` is asked now and then; false ends it (NVRTC_ERROR_CANCELLED).
Compiled compile(const Source& source, const std::vector<std::string>& options, const std::function<bool()>& go_on);

}  // namespace heddle::cudart::nvrtc
