// SPDX-License-Identifier: Apache-2.0
// The report of a run as a table for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace heddle::tools {

// One line a kernel (launches of the same name summed), a line of totals, and what lockstep compared.
// Takes the JSON that driver::to_json made.
std::string summary(const nlohmann::json& report);

// True when the run was one in lockstep, came to its end, ran instructions, and compared none: a failed run.
bool compared_nothing(const nlohmann::json& report);

// 1234567 -> "1.23 M".
std::string short_number(double value);

}  // namespace heddle::tools
