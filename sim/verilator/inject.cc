// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/inject.h"

#ifdef HEDDLE_BUGS
#include <algorithm>
#include <iterator>

#include "svdpi.h"

namespace heddle::rtl {
namespace {

#define HEDDLE_BUG(name, program) name,
constexpr const char* kBugs[] = {
#include HEDDLE_BUGS
};
#undef HEDDLE_BUG

int selected = 0;

int number(const std::string& name) {
  const auto at = std::find(std::begin(kBugs), std::end(kBugs), name);
  return at == std::end(kBugs) ? 0 : static_cast<int>(at - std::begin(kBugs)) + 1;
}

}  // namespace

bool has_bug(const std::string& name) { return number(name) != 0; }
void select_bug(const std::string& name) { selected = number(name); }

}  // namespace heddle::rtl

// Asked once, when the model's initial blocks run.
extern "C" int heddle_injected_bug() { return heddle::rtl::selected; }

#else

namespace heddle::rtl {

bool has_bug(const std::string&) { return false; }
void select_bug(const std::string&) {}

}  // namespace heddle::rtl

#endif
