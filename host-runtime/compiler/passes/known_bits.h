// SPDX-License-Identifier: Apache-2.0
// Which bits of 32-bit words are the same whatever the program is run on: of registers from all that write them,
// through loops to a fixed point. A register of several writers has what all of them have in common. Parameters,
// special registers, results of calls and what memory holds are unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "host-runtime/compiler/mir/access.h"

namespace heddle::compiler {

struct KnownWord {
  uint32_t zeros = 0, ones = 0;  // a bit in both: no value has come here yet

  uint32_t known() const { return zeros | ones; }
  // The lowest `bits` bits are all known.
  bool knows_low(unsigned bits) const { return (~known() & ((uint64_t{1} << bits) - 1)) == 0; }
  bool operator==(const KnownWord&) const = default;
};

class KnownBits {
 public:
  // What the address of a global variable is a multiple of; 1 when unknown.
  using SymbolAlign = std::function<uint32_t(mir::SymbolId)>;

  // The function must not change while this is in use.
  KnownBits(const mir::Function& f, const mir::Units& units, SymbolAlign symbol_align);

  // Of the operand's word; of a 64-bit number, and of a register that has no such word, the word is asked for by
  // number.
  KnownWord word(const mir::Operand& o, unsigned n = 0);

 private:
  struct Write {
    mir::Unit unit;
    const mir::Instruction* by;
  };

  KnownWord of(const mir::Operand& o, unsigned n = 0) const;
  KnownWord written(const Write& w) const;
  KnownWord result(const mir::Instruction& i, unsigned n) const;
  void solve(mir::Unit unit);

  const mir::Units& units_;
  SymbolAlign symbol_align_;
  std::vector<Write> writes_;    // by unit
  std::vector<uint32_t> first_;  // by unit: where its writes begin; one more at the end
  std::vector<char> unknown_;    // by unit: also written by a call or by the caller
  std::vector<KnownWord> value_;
  enum class State : uint8_t { New, Open, Solved };
  std::vector<State> state_;
};

}  // namespace heddle::compiler
