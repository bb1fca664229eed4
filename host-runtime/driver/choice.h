// SPDX-License-Identifier: Apache-2.0
// Which launches of a program something is for.
#pragma once

#include <cstdint>
#include <regex>
#include <string>

namespace heddle::driver {

class Choice {
 public:
  // `kernels`: an expression, found in a kernel's name; of those launches the first-th to the last-th, counted from 1.
  Choice(const std::string& kernels, uint64_t first, uint64_t last) : kernels_(kernels), first_(first), last_(last) {}

  // Asked once a launch, in the order of submission; names as the program has them and as the object file has.
  bool takes(const std::string& name, const std::string& symbol) {
    if (!std::regex_search(name, kernels_) && !std::regex_search(symbol, kernels_)) return false;
    ++matches_;
    return first_ <= matches_ && matches_ <= last_;
  }

 private:
  std::regex kernels_;
  uint64_t first_, last_, matches_ = 0;
};

}  // namespace heddle::driver
