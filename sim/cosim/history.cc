// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isa/isa.h"

namespace heddle::cosim {

std::string History::text(int warp) const {
  constexpr size_t kLines = 32;
  std::vector<std::string> lines;
  for (uint64_t i = count_; i > 0 && count_ - i < items_.size() && lines.size() < kLines; i--) {
    const Retirement& r = items_[(i - 1) % items_.size()];
    if (warp >= 0 && r.warp != warp) continue;
    std::string line = fmt::format("  cycle {:>8}  warp {:>2}  #{:<5} {:06x}  {:08x}  {}", r.cycle, r.warp, r.seq, r.pc,
                                   r.mask, isa::disassemble(r.word, r.pc));
    if (r.has_row) line += fmt::format("   R{}[lane {}] = {:#010x}", r.rd, r.lane, r.value);
    lines.push_back(std::move(line));
  }
  std::reverse(lines.begin(), lines.end());
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

}  // namespace heddle::cosim
