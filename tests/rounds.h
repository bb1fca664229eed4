// SPDX-License-Identifier: Apache-2.0
// How often a random test repeats itself. With sanitizers, under which everything takes some ten times as long, an
// eighth of that: they look for other errors than the test does, and find them in fewer rounds.
#pragma once

#include <cstdint>

namespace heddle::test {

constexpr uint64_t rounds(uint64_t n) {
#ifdef HEDDLE_SANITIZED
  return (n + 7) / 8;
#else
  return n;
#endif
}

}  // namespace heddle::test
