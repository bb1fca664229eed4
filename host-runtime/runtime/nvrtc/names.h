// SPDX-License-Identifier: Apache-2.0
// Name expressions: behind the program's source stands a pointer to each, which makes templates real, and whose value
// in the PTX is the symbol.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace heddle::cudart::nvrtc {

// What is appended to the source. Its lines are those of a file "name expression".
std::string pointers_to(const std::vector<std::string>& expressions);

// Takes the pointers out of the PTX. The symbol of each expression; what nobody else would see is made visible.
std::map<std::string, std::string> take_names(std::string& ptx, const std::vector<std::string>& expressions);

}  // namespace heddle::cudart::nvrtc
