// SPDX-License-Identifier: Apache-2.0
// Which signals a waveform holds: names as a user knows them, scopes, signal groups.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle::rtl {

// A signal group: signals whose path fits one of the patterns. * is any text in a name; alone at the end, all that is
// below.
struct WaveGroup {
  std::string_view name, patterns;  // patterns: separated by blanks
};
std::span<const WaveGroup> wave_groups();

// The instances on the way to a signal as waveforms name them, from below the GPU on: "g_sm[0]", "u_sm", "g_part[1]",
// "u_sub_partition", "u_front_end" are "sm0", "part1", "front_end". Nothing for what waveforms leave out: monitors,
// variables of unnamed blocks.
struct WavePath {
  std::vector<std::string> scopes;
  bool shown = false;
};
WavePath wave_path(const std::vector<std::string>& verilated);

// Whether a path ("sm0", "part1", "ready") fits such a pattern, split at its dots.
bool wave_matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path);
std::vector<std::string> wave_split(std::string_view text, char separator);

class WaveSelection {
 public:
  // Lists with commas, empty: everything. Scopes: "sm0", "sm0.part1", "l2", with * for any name ("sm*.part0").
  // Error: no such group, and which there are.
  static Result<WaveSelection> parse(const std::string& scopes, const std::string& groups);

  bool wants(const std::vector<std::string>& scopes, const std::string& signal);
  // After every signal was asked for: each scope named has been met. Error: one was not, and which there are.
  Status check() const;

 private:
  struct Scope {
    std::string text;
    std::vector<std::string> parts;
    bool met = false;
  };
  std::vector<Scope> scopes_;
  std::vector<std::vector<std::string>> patterns_;  // of the groups asked for, split at the dots
  std::set<std::string> seen_;                      // every scope of the model
};

}  // namespace heddle::rtl
