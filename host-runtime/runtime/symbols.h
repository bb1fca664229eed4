// SPDX-License-Identifier: Apache-2.0
// The functions of both APIs by their exported names, as the core has them.
#pragma once

#include <string_view>

namespace heddle::cudart {

// Null: there is none.
void* exported_function(std::string_view symbol);

}  // namespace heddle::cudart
