// SPDX-License-Identifier: Apache-2.0
// What a profile suggests, section by section, each with the number that supports it.
#pragma once

#include <string>
#include <vector>

#include "host-runtime/tools/heddle/prof/profile.h"

namespace heddle::tools::prof {

struct Advice {
  const char* section;
  const char* kind;  // OPT: what could be changed; INF: what to know; WRN: what limits these numbers
  std::string text;
};
std::vector<Advice> advice(const Profile& profile);

}  // namespace heddle::tools::prof
