// SPDX-License-Identifier: Apache-2.0
// Proof that an allocation is right, independent of how it was found: follows which unit's value each machine register
// holds along every path, and reports the first read that would get another's.
#pragma once

#include <optional>
#include <string>

#include "host-runtime/compiler/passes/allocate.h"

namespace heddle::compiler {

std::optional<std::string> check_allocation(const mir::Function& f, const Allocation& allocation, unsigned limit);

}  // namespace heddle::compiler
