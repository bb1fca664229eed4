// SPDX-License-Identifier: Apache-2.0
// What instructions do to threads and memory. Not for other folders.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {

struct Slice {
  uint8_t* bytes = nullptr;
  Space space = Space::Local;
};

struct State {
  uint64_t files[kFiles][8] = {};  // two a register of X, the low one first
  double bounds[kRegisters[static_cast<int>(File::A)]] = {};
  uint8_t local[kSliceBytes] = {};
  Slice shared, global, given;  // given: to a function
  unsigned thread = 0, depth = 0;

  uint64_t read(File f, const Value& v) const { return v.immediate ? v.bits : files[static_cast<int>(f)][v.reg]; }
  bool holds(const Guard& g) const { return g.reg < 0 || (files[static_cast<int>(File::P)][g.reg] != 0) != g.negated; }
  uint64_t& reg(File f, unsigned n) { return files[static_cast<int>(f)][f == File::X ? 2 * n : n]; }
  Slice slice(Space which) {
    return which == Space::Shared   ? shared
           : which == Space::Global ? global
           : which == Space::Given  ? given
                                    : Slice{local, Space::Local};
  }
};

struct Memory {
  explicit Memory(const std::vector<uint64_t>& input);
  const std::vector<uint64_t>& input;
  std::vector<uint8_t> shared, global;                // all threads' slices
  std::vector<uint8_t> shared_before, global_before;  // when the phase began
  uint64_t cells[2][kCellCount];                      // in shared, in global memory
  uint64_t sums[2][kSumCount][8] = {};                // element by element
};

// An instruction of one thread.
void execute(const Instruction& i, State& s, Memory& memory);
// What the threads of a block do together.
void execute_by_block(const Instruction& i, std::vector<State>& threads, const Memory& memory);
// What the lanes of a warp that `mask` names do together.
void execute_by_warp(const Instruction& i, State* warp, uint32_t mask);
// What all its lanes do together (execute_matrix.cc).
void execute_by_whole_warp(const Instruction& i, State* warp, const Memory& memory);

}  // namespace heddle::compiler::test
