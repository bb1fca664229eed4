// SPDX-License-Identifier: Apache-2.0
// What `heddle run`, `heddle prof` and `heddle trace` do with the program that they start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;  // its header takes seconds to read
}

namespace heddle::tools {

using Environment = std::vector<std::pair<std::string, std::string>>;

// Options end where the words of the program begin, or at "--", behind which `program` has them. Runs it with them.
void take_program(CLI::App& command, const std::vector<std::string>& program, int& status,
                  std::function<int(const std::vector<std::string>&)> run);

// As execvp finds it; empty when there is none.
std::filesystem::path find_program(const std::string& name);

// Makes sure that our libcudart serves the program, and says so when another would have.
void choose_cudart(const std::filesystem::path& program, Environment& environment);

// "regex:EXPRESSION", or a kernel's plain name: then it is the whole word. As an expression.
std::string kernel_pattern(const std::string& name);

// "FIRST:LAST" of launches; empty: all. `count` 0: to the last.
std::string launch_range(uint64_t skip, uint64_t count);

}  // namespace heddle::tools
