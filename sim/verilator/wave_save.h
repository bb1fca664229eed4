// SPDX-License-Identifier: Apache-2.0
// The GTKWave save file beside a waveform: which signals to look at first, grouped by SM, sub-partition and signal
// group; a line a warp that names its state; opcodes by name, instruction words disassembled.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle::rtl {

// Patterns of the signals that it shows, where a waveform holds them.
std::vector<std::string_view> shown_patterns();

class WaveSave {
 public:
  // "run.fst": writes run.gtkw, run.warps.txt and run.opcodes.txt. `begin`: the cycle that is shown first.
  explicit WaveSave(const std::string& wave_file, uint64_t begin = 0);

  // A signal that the waveform holds.
  void add(const std::vector<std::string>& scopes, const std::string& name, const std::string& range, uint32_t bits);
  Status write() const;
  void remove() const;

 private:
  struct Line {
    std::string signal;
    uint32_t bits;
  };
  std::string warp_lines(const std::string& scope) const;

  std::string wave_, base_;
  uint64_t begin_;
  // By scope ("sm00.part01", so that they sort) and place in the table of what is shown.
  std::map<std::string, std::map<size_t, Line>> shown_;
  std::map<std::string, std::string> scope_names_;
  std::map<std::string, std::map<std::string, Line>> warp_bits_;  // by scope and name
};

}  // namespace heddle::rtl
