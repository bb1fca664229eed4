// SPDX-License-Identifier: Apache-2.0
// What clang says, as NVRTC says it: programs look for names and lines, and for headers that are missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::cudart::nvrtc {

// `name:3:7: error: …` becomes `name(3): error: …`, a header that was not found "could not open source file", and the
// count at the end the one of the program `name`. What lies in these folders, of the compilation's own, is named
// without them.
std::string rewritten(std::string_view log, const std::string& name, const std::vector<std::string>& folders);

// Whether an error is among them.
bool has_error(std::string_view rewritten_log);

}  // namespace heddle::cudart::nvrtc
