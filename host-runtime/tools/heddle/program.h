// SPDX-License-Identifier: Apache-2.0
// What `heddle run` and `heddle prof` do with the program that they start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace heddle::tools {

using Environment = std::vector<std::pair<std::string, std::string>>;

// As execvp finds it; empty when there is none.
std::filesystem::path find_program(const std::string& name);

// Makes sure that our libcudart serves the program, and says so when another would have.
void choose_cudart(const std::filesystem::path& program, Environment& environment);

// "regex:EXPRESSION", or a kernel's plain name: then it is the whole word. As an expression.
std::string kernel_pattern(const std::string& name);

// "FIRST:LAST" of launches; empty: all. `count` 0: to the last.
std::string launch_range(uint64_t skip, uint64_t count);

}  // namespace heddle::tools
