// SPDX-License-Identifier: Apache-2.0
// What a program asks of the compiler when it loads a module or links, and the texts that it wants back.
#pragma once

#include <string>

#include "host-runtime/runtime/cu/calls.h"
#include "host-runtime/runtime/load.h"

namespace heddle::cudart::cu {

// A text for the program: where to, and where the bytes that were written are said.
struct Log {
  char* to = nullptr;
  size_t room = 0;
  void** written = nullptr;

  void put(const std::string& text) const;
};

struct JitOptions {
  Jit jit;
  Log info, error;
  float* milliseconds = nullptr;
  bool verbose = false;
};

// An option's value is a pointer, or a number in a pointer's place. What is not here changes nothing.
cudaError_t read_options(unsigned count, const CUjit_option* names, void** values, JitOptions& options);

}  // namespace heddle::cudart::cu
