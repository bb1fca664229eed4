// SPDX-License-Identifier: Apache-2.0
// Lines of a load's pass, by the rules that coalescer.sv tells.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace heddle::test {

struct PassLine {
  uint64_t line = 0;  // address / 128
  uint32_t lanes = 0;
  unsigned number = 0;       // among the pass's lines
  std::set<unsigned> banks;  // in which words of its lanes lie
};

// The line of the lowest lane, and of the next ones (as many as `most` in all are looked at) those whose banks are
// free.
inline std::vector<PassLine> pass_lines(uint32_t lanes, const std::array<uint64_t, 32>& address, unsigned words,
                                        unsigned most) {
  std::vector<PassLine> lines;
  std::set<unsigned> used;
  for (unsigned n = 0; n < most && lanes != 0; n++) {
    PassLine l{.line = address[static_cast<unsigned>(__builtin_ctz(lanes))] >> 7, .lanes = 0, .number = n, .banks = {}};
    bool free = true;
    for (unsigned lane = 0; lane < 32; lane++) {
      if (!(lanes >> lane & 1) || address[lane] >> 7 != l.line) continue;
      l.lanes |= 1u << lane;
      for (unsigned w = 0; w < words; w++) l.banks.insert(static_cast<unsigned>(address[lane] % 128 / 4) + w);
    }
    for (const unsigned bank : l.banks) free &= !used.contains(bank);
    lanes &= ~l.lanes;
    if (!free) continue;
    used.insert(l.banks.begin(), l.banks.end());
    lines.push_back(l);
  }
  return lines;
}

}  // namespace heddle::test
