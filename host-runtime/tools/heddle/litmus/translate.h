// SPDX-License-Identifier: Apache-2.0
// A litmus test as PTX. One launch makes `rounds` times `instances` runs of it. A thread of the test is the first
// thread of a warp, a cta of it a block: the warps of a block are the cta's threads in their order. A run is in slot
// round * instances + instance of each array that the kernel reads and writes:
//
//   plan    4 words a thread: turns of a loop before it begins; eight gaps of 4 bits each, turns between its
//           instructions (kernel `spread` only); variables that it reads beforehand, a bit each
//   place   a word a variable: its distance from `vars`, in bytes
//   out     the observed registers, then 3 words a thread: 1 (ended) or 2 (a loop ran out of turns), its SM, a sum
//   meet    a word, where its threads wait for each other before they begin
//
// and map has for each block: instance * ctas + cta.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/result.h"
#include "host-runtime/tools/heddle/litmus/test.h"

namespace heddle::tools::litmus {

// Kernels' names: without and with gaps between a thread's instructions.
inline constexpr const char *kTight = "tight", *kSpread = "spread";
inline constexpr uint32_t kPlanWords = 4, kThreadWords = 3;
inline constexpr uint32_t kEnded = 1, kOutOfTurns = 2;

// The kernels' parameters.
struct Params {
  uint64_t map, plan, place, vars, out, meet;
  uint32_t rounds, instances;
};

// Where things are in a row of `out`.
struct OutRow {
  explicit OutRow(const Test& test);
  size_t registers = 0, words = 0;
  size_t status(size_t thread) const { return registers + kThreadWords * thread; }
  size_t sm(size_t thread) const { return status(thread) + 1; }
};

// Warps of the largest cta.
uint32_t warps_of(const Test& test);

// How many runs a block may make one after the other, `most` at most: one where a barrier might be left with threads
// that a later run would find there.
uint32_t rounds_of(const Test& test, uint32_t most);

// Errors say what the machine cannot do, with file and line. `turns`: how often a thread may go back in a run.
Result<std::string> translate(const Test& test, uint32_t turns);

}  // namespace heddle::tools::litmus
