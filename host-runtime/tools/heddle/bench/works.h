// SPDX-License-Identifier: Apache-2.0
// The benchmarks of `heddle bench`: inputs, launch, expected result, and what they can't be faster than.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host-runtime/driver/context.h"
#include "host-runtime/tools/heddle/bench/kernels.h"
#include "presets/preset.h"

namespace heddle::tools::bench {

constexpr uint32_t kBlock = 256;  // threads of most blocks

using Bytes = std::vector<unsigned char>;

// What a kernel can't be faster than, of the preset: lanes that multiply and add in a cycle, bytes of a memory, or
// lanes that add to one.
enum class Limit { None, Fp32, Fp64, Fp16, Tensor, Memory, L2, L1, Shared, SharedAtomics, L2Atomics };

// Inputs, launch and expected result of one benchmark.
struct Work {
  std::string kernel;
  Bytes a, b, expected;
  int n = 0;
  driver::LaunchShape shape;
  const char* ptx = kKernels;
  Limit limit = Limit::None;
  double amount = 0;   // products, bytes or lanes
  double written = 0;  // of the amount, where that is memory's bytes
  float near = 0;      // the results are floats that may differ from the expected ones by so many times their size
  bool adds = false;   // to what is in the result's place: zero
  bool clean = false;  // the L2 has nothing of the input, and nothing to write back, when the kernel begins
};

struct Bound {
  const char *name = "", *unit = "";
  double cycles = 0;  // a kernel needs no fewer; 0: there is no limit, or the preset lacks the unit
};

Bound bound_of(const Work& w, const Preset& preset);

driver::LaunchShape blocks(uint32_t threads);

struct Benchmark {
  std::string name;
  std::function<Work()> work;
  bool on_request = false;  // only if the whole name is asked for, since it is long
};

// Sizes of those that have one limit grow with the SMs.
std::vector<Benchmark> benchmarks(const Preset& preset);

}  // namespace heddle::tools::bench
