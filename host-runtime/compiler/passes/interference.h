// SPDX-License-Identifier: Apache-2.0
// Which units may not share a register. Edges are between 32-bit words (and between predicates), so that the
// dead word of a pair can hold something else. The source and the target of a copy do not interfere by the copy.
#pragma once

#include <cstdint>
#include <vector>

#include "host-runtime/compiler/passes/liveness.h"
#include "host-runtime/compiler/passes/machine.h"

namespace heddle::compiler {

// Pairs of units below `universe`: a matrix of bits while that is small, else a hash table with open addressing.
class PairSet {
 public:
  explicit PairSet(size_t universe);
  bool contains(uint32_t a, uint32_t b) const;
  bool insert(uint32_t a, uint32_t b);  // true when new
  size_t size() const { return used_; }

 private:
  static constexpr size_t kDense = 24576;  // 72 MiB
  uint64_t& word(uint32_t a, uint32_t b) { return matrix_[a * row_words_ + b / 64]; }
  static uint64_t key(uint32_t a, uint32_t b) {
    return a < b ? uint64_t{a} << 32 | b : uint64_t{b} << 32 | a;
  }
  size_t slot(uint64_t k) const { return (k * 0x9e3779b97f4a7c15u) >> shift_; }
  bool insert_sparse(uint32_t a, uint32_t b);
  void grow();
  size_t row_words_ = 0;  // 0: sparse
  std::vector<uint64_t> matrix_;
  std::vector<uint64_t> table_;
  unsigned shift_ = 0;
  size_t used_ = 0;
};

class InterferenceGraph {
 public:
  InterferenceGraph(const mir::Function& f, const mir::Units& units, const Graph& g);

  bool interferes(mir::Unit a, mir::Unit b) const;
  const std::vector<mir::Unit>& neighbours(mir::Unit u) const { return adjacent_[u]; }
  // Machine registers that the unit may not have. A predicate across a call: clobbered() is true.
  const RegMask& forbidden(mir::Unit u) const { return forbidden_[u]; }
  bool clobbered(mir::Unit u) const { return clobbered_[u]; }
  size_t edges() const { return pairs_.size(); }

  // `from` takes the register of `into`: its edges become `into`'s. Ask for `into` from then on.
  void merge(mir::Unit into, mir::Unit from);

 private:
  void add(mir::Unit a, mir::Unit b);

  const mir::Function& f_;
  const mir::Units& units_;
  PairSet pairs_;
  std::vector<std::vector<mir::Unit>> adjacent_;
  std::vector<RegMask> forbidden_;
  std::vector<char> clobbered_;
  std::vector<char> is_predicate_;
};

}  // namespace heddle::compiler
