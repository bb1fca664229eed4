// SPDX-License-Identifier: Apache-2.0
// A unit test on modules with planted bugs: HEDDLE_INJECT says which is on.
#include <cstdio>
#include <cstdlib>

#include "sim/verilator/inject.h"

namespace heddle::rtl {
namespace {

[[maybe_unused]] const bool chosen = [] {
  const char* bug = std::getenv("HEDDLE_INJECT");
  if (bug == nullptr) return false;
  if (!has_bug(bug)) std::fprintf(stderr, "HEDDLE_INJECT: no bug %s\n", bug), std::exit(2);
  select_bug(bug);
  return true;
}();

}  // namespace
}  // namespace heddle::rtl
