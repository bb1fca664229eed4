// SPDX-License-Identifier: Apache-2.0
// What is random in a launch of a litmus test: when its threads begin, where its variables lie, which blocks run it.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "host-runtime/tools/heddle/litmus/translate.h"

namespace heddle::tools::litmus {

struct Plan {
  uint32_t rounds = 0, instances = 0;
  bool spread = false;                           // which kernel
  std::vector<uint32_t> map, plan, place, vars;  // as the kernel reads them (translate.h)

  uint32_t slots() const { return rounds * instances; }
};

using Random = std::mt19937_64;

// `number` of the launch decides between the kernels and how blocks are dealt to runs.
Plan make_plan(const Test& test, uint32_t rounds, uint32_t instances, uint32_t number, Random& random);

}  // namespace heddle::tools::litmus
