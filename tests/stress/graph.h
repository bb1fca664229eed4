// SPDX-License-Identifier: Apache-2.0
// Random programs without structure: functions whose blocks branch anywhere, by what each thread holds. Made, evaluated
// in C++, written as PTX.
//
// A thread holds x, which every block changes, and fuel, which every block burns; without fuel it leaves its function.
// Blocks end with a branch to a block, to one of two, or through a table; they return, or end the thread. On the way
// they may call a function (by its name, or through a pointer out of a table: so calls recur, as deep as the fuel
// lasts), or take a spin lock in shared or global memory, which threads of the same warp want as well, and count under
// it. A lock that is tried behind a call, where the compiler sees no waiting, lets lanes that have it meet those that
// still try.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle::test {

inline constexpr unsigned kLocks = 4;  // even ones in shared memory, odd ones in global memory

struct Block {
  enum class End : uint8_t { Branch, Return, Exit };
  unsigned factor = 1, add = 0;   // x = x * factor + add; x ^= x >> 13
  std::vector<unsigned> callees;  // one: called by name; more: bits of x choose; functions, 0 is the kernel's body
  int lock = -1;
  bool hidden = false,
       looped_by_table = false;  // the lock is tried inside a function; no branch closes the loop, but a table
  End end = End::Branch;
  bool indexed = false;           // Branch: through a table, also with one or two targets
  std::vector<unsigned> targets;  // bits of x choose
};
using Graph = std::vector<Block>;  // entered at block 0

struct GraphProgram {
  std::vector<Graph> functions;
  unsigned threads = 32, fuel = 8;
};

GraphProgram random_graph_program(std::mt19937_64& random);

struct GraphResult {
  std::vector<uint32_t> x, fuel;  // as threads leave them; untouched by those that end early
  std::array<uint32_t, kLocks> counts{};
};
inline constexpr uint32_t kUntouched = 0xcdcdcdcd;
GraphResult evaluate(const GraphProgram& program);

// A kernel k(out): for each thread x and fuel; then the address of the counts (64 bits).
std::string to_ptx(const GraphProgram& program);

}  // namespace heddle::test
