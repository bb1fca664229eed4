// SPDX-License-Identifier: Apache-2.0
// The device's one code segment: every module's instructions behind each other, so that a program
// counter is an offset into it and stays valid when the segment moves to a larger place. It begins with
// zeros, which are no instruction: no function is at address 0. A module that goes leaves zeros, which the next that
// fits takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "host-runtime/formats/cubin.h"

namespace heddle::driver {

// Keeps the host's copy, which is what a move or a disassembly needs.
class CodeSegment {
 public:
  static constexpr uint32_t kAlignment = formats::kCodeAlign;  // of a module's first byte
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 31;

  CodeSegment() : words_(kAlignment / 8) {}

  // The program counter of `bytes` more, all zeros for now, up to the alignment. None: there would be more than
  // kMaxBytes.
  std::optional<uint32_t> add(uint64_t bytes) {
    bytes = rounded(bytes);
    const auto hole = std::ranges::find_if(holes_, [&](const auto& h) { return h.second >= bytes; });
    if (hole == holes_.end()) {
      const uint64_t pc = this->bytes();
      if (bytes > kMaxBytes - pc) return std::nullopt;
      words_.resize((pc + bytes) / 8);
      return static_cast<uint32_t>(pc);
    }
    const auto [pc, room] = *hole;
    holes_.erase(hole);
    if (room > bytes) holes_[static_cast<uint32_t>(pc + bytes)] = room - bytes;
    return pc;
  }
  void write(uint32_t pc, const std::vector<uint64_t>& code) { std::ranges::copy(code, words_.begin() + pc / 8); }
  // What add() gave for so many bytes is free again.
  void remove(uint32_t pc, uint64_t bytes) {
    bytes = rounded(bytes);
    if (bytes == 0) return;
    std::fill_n(words_.begin() + pc / 8, bytes / 8, 0);
    auto next = holes_.lower_bound(pc);
    if (next != holes_.end() && next->first == pc + bytes) {
      bytes += next->second;
      next = holes_.erase(next);
    }
    if (next != holes_.begin())
      if (const auto before = std::prev(next); before->first + before->second == pc) {
        before->second += bytes;
        return;
      }
    holes_[pc] = bytes;
  }
  const uint64_t* words() const { return words_.data(); }
  uint64_t bytes() const { return words_.size() * 8; }
  // The instruction at `pc`; 0 outside.
  uint64_t instruction(uint32_t pc) const { return pc % 8 == 0 && pc / 8 < words_.size() ? words_[pc / 8] : 0; }

  uint64_t address = 0;   // in device memory; 0: not placed yet
  uint64_t capacity = 0;  // bytes there

 private:
  static uint64_t rounded(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

  std::vector<uint64_t> words_;
  std::map<uint32_t, uint64_t> holes_;  // program counter and bytes
};

}  // namespace heddle::driver
