// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of a cubin on the golden model: loads the module, passes parameters, copies memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/formats/cubin.h"

namespace heddle::compiler::test {

struct RunOptions {
  uint32_t blocks = 1;
  uint32_t threads = 32;
  uint32_t dynamic_shared = 0;
  uint64_t instruction_limit = 50'000'000;
  uint32_t undefined = 0xdeadbeef;  // in registers and predicates before they are written
};

struct RunResult {
  std::vector<uint8_t> buffer;
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
};

// The kernel's first parameter is the device address of `buffer` (read before, returned after); `params` are the bytes
// of the parameters that follow it.
Result<RunResult> run_on_model(const formats::Cubin& cubin, const char* kernel, std::vector<uint8_t> buffer,
                               const std::vector<uint8_t>& params, const RunOptions& options);

// PTX of kernel k: %r1 is the thread's index, %r2 and %r3 are its two words, which lie at %rd1; `result` becomes the
// first. The body's own registers: %r4 to %r79, %f0 to %f7 (f64), %rd3 to %rd7, %p0 to %p7. `functions` stand before
// it.
std::string kernel_on_words(const std::string& body, const std::string& result, const std::string& functions = {});
// What it leaves of 64 words, each a hash of its index. The test fails where the run does.
std::vector<uint32_t> run_on_words(const formats::Cubin& cubin);

}  // namespace heddle::compiler::test
