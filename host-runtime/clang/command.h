// SPDX-License-Identifier: Apache-2.0
// The command lines of clang and of the host's compiler for nvcc's options, which NVRTC's are turned into.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host-runtime/clang/options.h"

namespace heddle::nvcc {

// The toolkit that a file belongs to, a program or a library: its folder's parent, or the folder `toolkit` of the build
// that it lies in.
std::filesystem::path toolkit(const std::filesystem::path& file);
// HEDDLE_CLANG's, -ccbin's, or the one that was there when this was built.
std::string clang(const Options& options);
// One run of clang that does what the options ask of all their inputs together.
std::vector<std::string> command(const Options& options, const std::filesystem::path& toolkit);
// One run of the host's compiler over the options' only input, which is C or C++.
std::vector<std::string> host_command(const Options& options, const std::filesystem::path& toolkit);

}  // namespace heddle::nvcc
