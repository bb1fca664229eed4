// SPDX-License-Identifier: Apache-2.0
// Texts of several words: response files, variables of the environment, lists as options' values.
#pragma once

#include <string>
#include <vector>

namespace heddle::nvcc {

// The words of a text as a shell has them: quotes and backslashes keep what would part them.
std::vector<std::string> shell_words(const std::string& text, const std::string& separators = " \t\r\n");

}  // namespace heddle::nvcc
