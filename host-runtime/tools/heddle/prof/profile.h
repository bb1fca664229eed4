// SPDX-License-Identifier: Apache-2.0
// A launch's profile as the driver wrote it (HEDDLE_PROFILE, docs/profiling.md).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/result.h"

namespace heddle::tools::prof {

// A word of Nsight Compute's and what a warp does then.
struct Stall {
  const char* word;
  const char* doc;
};
const std::vector<Stall>& stalls();
// "long_scoreboard" -> "Long Scoreboard".
std::string title(std::string word);

// An instruction of the launch.
struct Line {
  uint32_t pc = 0;                                   // from the function's first instruction
  std::string function, text, mnemonic, unit, file;  // function: empty for the kernel; file: empty where unknown
  uint32_t line = 0;
  std::string ptx;  // the statement it was made of; empty: unknown
  uint32_t ptx_line = 0;
  uint64_t executed = 0, threads = 0, active_threads = 0, sectors = 0, wavefronts = 0;
  std::optional<uint64_t> divergent;  // profiles of before do not know
  std::vector<uint64_t> stalls;       // in the order of stalls()

  bool branches() const { return mnemonic == "BRA" || mnemonic == "BRX"; }
  uint64_t stalled() const;  // cycles, without those in which it issued
  // "a.cu:12", or the function's name and the place in it.
  std::string place(const std::string& kernel) const;
  // Beyond what as many threads need at best.
  uint64_t excess_sectors() const;
  uint64_t excess_wavefronts() const;
  // A lane's bytes, of a memory instruction; else 0.
  unsigned bytes() const;
};

class Profile {
 public:
  // Throws nlohmann::json::exception when a part is not there.
  explicit Profile(nlohmann::json json);

  uint64_t counter(const char* name) const { return json_.at("counters").at(name); }
  // A file of an older Heddle lacks newer ones.
  bool has_counter(const char* name) const { return json_.at("counters").contains(name); }
  uint64_t stall(const char* word) const { return json_.at("stalls").at(word); }
  uint64_t idle(const char* word) const { return json_.at("idle").at(word); }
  double machine(const char* name) const { return json_.at("preset").at(name); }
  // Profiles of before had L2s of one slice.
  double l2_slices() const { return json_.at("preset").value("l2_slices", 1.0); }
  double lanes(const char* unit) const { return json_.at("preset").at("lanes").value(unit, 0.0); }
  double occupancy(const char* name) const { return json_.at("occupancy").at(name); }
  double number(const char* name) const { return json_.at(name); }
  std::string text(const char* name) const { return json_.at(name); }
  std::string preset() const { return json_.at("preset").at("name"); }
  uint64_t blocks() const { return product("grid"); }
  uint64_t threads() const { return product("block"); }  // of a block
  std::string shape() const;                             // "(4, 1, 1)x(256, 1, 1)"
  std::string extent(const char* name) const;            // "(4, 1, 1)"
  bool has_clock() const { return json_.at("has_clock"); }
  bool completed() const { return json_.at("completed"); }
  const std::vector<Line>& lines() const { return lines_; }
  // Executed by warps, of a unit's instructions.
  uint64_t executed(const char* unit) const;
  // Branches that warps executed; those whose threads went different ways, none: not known.
  uint64_t branches() const;
  std::optional<uint64_t> divergent() const;
  const nlohmann::json& json() const { return json_; }

 private:
  uint64_t product(const char* name) const;

  nlohmann::json json_;
  std::vector<Line> lines_;
};

// A file's lines. `partial`: its end was cut off, and was left out. Error: the first line that is no profile.
struct Profiles {
  std::vector<Profile> launches;
  bool partial = false;
};
Result<Profiles> parse(const std::string& text);

}  // namespace heddle::tools::prof
