// SPDX-License-Identifier: Apache-2.0
// The device's one code segment: every module's instructions behind each other, so that a program
// counter is an offset into it and stays valid when the segment moves to a larger place. It begins with
// zeros, which are no instruction: no function is at address 0.
#pragma once

#include <cstdint>
#include <vector>

#include "host-runtime/formats/cubin.h"

namespace heddle::driver {

// Keeps the host's copy, which is what a move or a disassembly needs.
class CodeSegment {
 public:
  static constexpr uint32_t kAlignment = formats::kCodeAlign;  // of a module's first byte
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 31;

  CodeSegment() : words_(kAlignment / 8) {}

  // Program counter at which `bytes` more bytes will start.
  uint32_t next() const { return static_cast<uint32_t>(bytes()); }
  // Appends code and pads with zeros (which decode to nothing) up to the alignment.
  uint32_t append(const std::vector<uint64_t>& code) {
    constexpr size_t kWords = kAlignment / 8;
    const uint32_t pc = next();
    words_.insert(words_.end(), code.begin(), code.end());
    words_.resize((words_.size() + kWords - 1) / kWords * kWords);
    return pc;
  }
  const uint64_t* words() const { return words_.data(); }
  uint64_t bytes() const { return words_.size() * 8; }
  // The instruction at `pc`; 0 outside.
  uint64_t instruction(uint32_t pc) const { return pc % 8 == 0 && pc / 8 < words_.size() ? words_[pc / 8] : 0; }

  uint64_t address = 0;   // in device memory; 0: not placed yet
  uint64_t capacity = 0;  // bytes there

 private:
  std::vector<uint64_t> words_;
};

}  // namespace heddle::driver
