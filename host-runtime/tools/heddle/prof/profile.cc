// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/prof/profile.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace heddle::tools::prof {

const std::vector<Stall>& stalls() {
  static const std::vector<Stall> all = {
#define HEDDLE_STALL(name, word, doc) {word, doc},
#include "host-runtime/device/counters.def"
  };
  return all;
}

std::string title(std::string word) {
  bool first = true;
  for (char& c : word) {
    if (c == '_') c = ' ';
    if (first) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    first = c == ' ';
  }
  return word;
}

uint64_t Line::stalled() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < stalls.size(); i++)
    if (std::string_view(prof::stalls()[i].word) != "selected") sum += stalls[i];
  return sum;
}

std::string Line::place(const std::string& kernel) const {
  if (!file.empty()) return std::filesystem::path(file).filename().string() + ":" + std::to_string(line);
  char offset[16];
  std::snprintf(offset, sizeof offset, "+0x%x", pc);
  return (function.empty() ? kernel.substr(0, kernel.find('(')) : function.substr(0, function.find('('))) + offset;
}

unsigned Line::bytes() const {
  if (unit != "Lsu") return 0;
  // "LDG.U8 " or "ATOMG.ADD.64.…": the suffixes of the instruction.
  const std::string head = text.substr(0, text.find('['));
  for (const auto& [suffix, bytes] :
       {std::pair{".128", 16u}, {".64", 8u}, {".U16", 2u}, {".S16", 2u}, {".U8", 1u}, {".S8", 1u}})
    if (const size_t at = head.find(suffix); at != std::string::npos) {
      const size_t end = at + std::strlen(suffix);
      if (end == head.size() || head[end] == ' ' || head[end] == '.') return bytes;
    }
  return 4;
}

uint64_t Line::excess_sectors() const {
  const uint64_t needed = (threads * bytes() + 31) / 32;
  return bytes() && sectors > needed ? sectors - needed : 0;
}

uint64_t Line::excess_wavefronts() const {
  const uint64_t words = threads * std::max(bytes() / 4, 1u);
  const uint64_t needed = std::max((words + 31) / 32, executed);
  return wavefronts > needed ? wavefronts - needed : 0;
}

Profile::Profile(nlohmann::json json) : json_(std::move(json)) {
  for (const auto& j : json_.at("lines")) {
    Line l;
    l.pc = j.at("pc");
    l.function = j.value("function", "");
    l.text = j.at("text");
    l.mnemonic = j.value("mnemonic", "");
    l.unit = j.value("unit", "");
    l.file = j.value("file", "");
    l.line = j.value("line", 0u);
    l.ptx = j.value("ptx", "");
    l.ptx_line = j.value("ptx_line", 0u);
    if (j.contains("divergent")) l.divergent = j["divergent"].get<uint64_t>();
    l.executed = j.at("executed");
    l.threads = j.at("threads");
    l.active_threads = j.at("active_threads");
    l.sectors = j.at("sectors");
    l.wavefronts = j.at("wavefronts");
    for (const Stall& s : stalls()) l.stalls.push_back(j.at("stalls").value(s.word, uint64_t{0}));
    lines_.push_back(std::move(l));
  }
  // Everything that is read later is there.
  for (const char* name :
       {"counters", "stalls", "idle", "preset", "occupancy", "grid", "block", "has_clock", "completed"})
    (void)json_.at(name);
}

uint64_t Profile::product(const char* name) const {
  const auto& extent = json_.at(name);
  return extent.at(0).get<uint64_t>() * extent.at(1).get<uint64_t>() * extent.at(2).get<uint64_t>();
}

std::string Profile::extent(const char* name) const {
  const auto& e = json_.at(name);
  return std::string("(").append(e.at(0).dump()) + ", " + e.at(1).dump() + ", " + e.at(2).dump() + ")";
}

std::string Profile::shape() const { return extent("grid") + "x" + extent("block"); }

uint64_t Profile::executed(const char* unit) const {
  uint64_t sum = 0;
  for (const Line& l : lines_)
    if (l.unit == unit) sum += l.executed;
  return sum;
}

uint64_t Profile::branches() const {
  uint64_t sum = 0;
  for (const Line& l : lines_)
    if (l.branches()) sum += l.executed;
  return sum;
}

std::optional<uint64_t> Profile::divergent() const {
  uint64_t sum = 0;
  for (const Line& l : lines_) {
    if (!l.divergent) return std::nullopt;
    sum += *l.divergent;
  }
  return sum;
}

Result<Profiles> parse(const std::string& text) {
  Profiles profiles;
  size_t number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) {  // the writer was killed
      profiles.partial = true;
      break;
    }
    const auto fail = [&](const std::string& why) { return Error("line " + std::to_string(number) + ": " + why); };
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("profile")) return fail("no profile of a launch");
    if (json["profile"] != 1) return fail("a profile of version " + json["profile"].dump() + ", not 1");
    try {
      profiles.launches.emplace_back(std::move(json));
    } catch (const nlohmann::json::exception& e) {
      return fail(std::string("no whole profile: ") + e.what());
    }
  }
  return profiles;
}

}  // namespace heddle::tools::prof
