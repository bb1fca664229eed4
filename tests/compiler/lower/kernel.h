// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of the lowering, from a few lines of PTX.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "host-runtime/compiler/lower/lower.h"
#include "host-runtime/compiler/mir/mir.h"
#include "tests/compiler/lower/mir_eval.h"

namespace heddle::compiler::lower::test {

// PTX modules parsed, checked and lowered together. `complaints` holds what was printed; the
// machine IR is verified when there was nothing.
struct Compiled {
  std::string complaints;
  mir::Module module;
};
// `text` without its .version lines. The modules after the first are libraries.
Compiled compile_modules(const std::vector<std::string>& texts, const Options& options = {});

// One PTX instruction or short idiom as a kernel. `body` reads %a, %b, %c, %d and writes %o, %o2,
// of the types listed ("s32 u16"): 8- and 16-bit ones are .b16 registers, "pred" results 0 or 1.
class OpKernel {
 public:
  OpKernel(const std::string& body, const std::string& inputs, const std::string& outputs);
  ~OpKernel();

  bool ok() const { return eval_ != nullptr; }
  const Compiled& compiled() const { return *compiled_; }
  // The outputs, zero-extended. Fails the test when the kernel cannot run.
  std::vector<uint64_t> operator()(const std::vector<uint64_t>& inputs) const;

 private:
  std::unique_ptr<Compiled> compiled_;
  std::unique_ptr<MirEval> eval_;
  size_t outputs_ = 0;
};

// Random operands: plain bits, small numbers, corner cases, in a mix. The seed is HEDDLE_SEED or
// drawn, and printed with every failure by way of SCOPED_TRACE(values.trace()).
class Values {
 public:
  Values();
  std::string trace() const { return "HEDDLE_SEED=" + std::to_string(seed_); }
  uint64_t integer(int bits);
  uint32_t f32();
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

 private:
  uint64_t seed_;
  std::mt19937_64 random_;
};

}  // namespace heddle::compiler::lower::test
