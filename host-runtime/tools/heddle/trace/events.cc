// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/trace/events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

namespace heddle::tools::trace {
namespace {

using Json = nlohmann::json;
using Numbers = std::array<uint64_t, 8>;

// How many there are.
size_t numbers(std::string_view text, Numbers& out) {
  size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end && count < out.size()) {
    if (*at == ' ') {
      at++;
      continue;
    }
    const auto [rest, error] = std::from_chars(at, end, out[count]);
    if (error != std::errc{}) break;
    count++;
    at = rest;
  }
  return at == end ? count : 0;
}

Slot slot_of(const Numbers& n) { return {unsigned(n[1]), unsigned(n[2])}; }

class Reader {
 public:
  bool line(std::string_view text) {
    if (text.size() < 2 || text[1] != ' ') return false;
    const std::string_view rest = text.substr(2);
    if (text[0] == 'L') return launch(rest);
    if (launches_.empty()) return false;
    if (text[0] == 'p') return place(rest);
    Numbers n{};
    const size_t count = numbers(rest, n);
    Launch& l = launches_.back();
    switch (text[0]) {
      case '+': l.start = n[0]; return count == 1;
      case 's': return count == 4 && state(n);
      case 'b': return count == 6 && block(n);
      case 'e': return count == 3 && block_end(n);
      case 'i': return count == 6 && issue(n);
      case 'x': return count == 5 && follow(n, 'x');
      case 'r': return count == 4 && follow(n, 'r');
      case 'j': return count == 4 && follow(n, 'j');
      case 'c': l.sms.push_back({n[0], unsigned(n[1]), n[2], n[3], n[4], n[5], n[6], n[7]}); return count == 8;
      case 'm': l.memory.push_back({n[0], unsigned(n[1]), n[2], n[3]}); return count == 4;
      case 'n':
        if (!l.limited) l.limited = n[0];
        close(n[0]);
        return count == 1;
      case '-':
        l.cycles = n[0];
        l.completed = n[1] != 0;
        l.ended = true;
        close(n[0]);
        return count == 2;
      default: return false;
    }
  }

  std::vector<Launch> take() {
    end_launch();
    std::erase_if(launches_, [](const Launch& l) { return l.cycles == 0; });
    return std::move(launches_);
  }

 private:
  bool launch(std::string_view text) {
    end_launch();
    const Json j = Json::parse(text, nullptr, false);
    if (!j.is_object()) return false;
    try {
      Launch l;
      l.name = j.at("name");
      l.symbol = j.at("symbol");
      l.grid = j.at("grid");
      l.block = j.at("block");
      l.number = j.at("launch");
      l.warps_per_sm = j.at("warps_per_sm");
      l.bucket = j.at("bucket");
      l.limit = j.at("limit");
      l.kilohertz = j.at("clock_khz");
      launches_.push_back(std::move(l));
    } catch (const Json::exception&) {
      return false;
    }
    return true;
  }

  bool place(std::string_view text) {
    const size_t blank = text.find(' ');
    Numbers n{};
    if (blank == std::string_view::npos || numbers(text.substr(0, blank), n) != 1) return false;
    const Json j = Json::parse(text.substr(blank + 1), nullptr, false);
    if (!j.is_object()) return false;
    char offset[16];
    std::snprintf(offset, sizeof offset, "0x%04x", j.value("pc", 0u));
    const std::string function = j.value("function", "");
    launches_.back().texts[static_cast<uint32_t>(n[0])] =
        (function.empty() ? "" : function.substr(0, function.find('(')) + "+") + offset + ": " + j.value("text", "");
    if (j.contains("word")) launches_.back().words[static_cast<uint32_t>(n[0])] = j.value("word", uint64_t{0});
    return true;
  }

  bool state(const Numbers& n) {
    const Slot slot = slot_of(n);
    saw(n[0]);
    auto& slices = launches_.back().states[slot];
    const bool open = open_.contains(slot);
    const bool there = n[3] < state_words().size();
    if (open && there && slices.back().state == n[3]) return true;
    if (open) close_slice(slices, n[0]);
    open_.erase(slot);
    if (!there) return true;
    open_.insert(slot);
    // What was cut in two by nothing.
    if (!slices.empty() && slices.back().end == n[0] && slices.back().state == n[3]) return true;
    slices.push_back({n[0], n[0], static_cast<unsigned>(n[3])});
    return true;
  }

  static void close_slice(std::vector<Slice>& slices, uint64_t at) {
    if (slices.empty()) return;
    slices.back().end = std::max(at, slices.back().begin);
    if (slices.back().begin == slices.back().end) slices.pop_back();
  }

  bool block(const Numbers& n) {
    saw(n[0]);
    auto& blocks = launches_.back().blocks;
    blocks_[slot_of(n)] = blocks.size();
    blocks.push_back({n[0], n[0], unsigned(n[1]), unsigned(n[2]),
                      "(" + std::to_string(n[3]) + "," + std::to_string(n[4]) + "," + std::to_string(n[5]) + ")"});
    return true;
  }

  bool block_end(const Numbers& n) {
    saw(n[0]);
    const auto found = blocks_.find(slot_of(n));
    if (found == blocks_.end()) return true;
    launches_.back().blocks[found->second].end = n[0];
    blocks_.erase(found);
    return true;
  }

  bool issue(const Numbers& n) {
    saw(n[0]);
    Instruction i;
    i.sm = unsigned(n[1]), i.warp = unsigned(n[2]), i.seq = unsigned(n[3]);
    i.pc = static_cast<uint32_t>(n[4]), i.active = static_cast<uint32_t>(n[5]);
    i.issued = n[0];
    auto& all = launches_.back().instructions;
    under_way_[{{i.sm, i.warp}, i.seq}] = all.size();
    all.push_back(i);
    return true;
  }

  bool follow(const Numbers& n, char what) {
    saw(n[0]);
    const auto found = under_way_.find({slot_of(n), unsigned(n[3])});
    if (found == under_way_.end()) return true;  // issued outside the window
    Instruction& i = launches_.back().instructions[found->second];
    if (what == 'x' && !i.executes) i.executes = n[0], i.unit = unsigned(n[4]);
    if (what == 'r' && !i.retires) i.retires = n[0];
    if (what == 'j' && !i.resolves) i.resolves = n[0];
    return true;
  }

  void saw(uint64_t cycle) {
    Launch& l = launches_.back();
    if (!l.ended) l.cycles = std::max(l.cycles, cycle);
  }

  // All that is open ends in this cycle.
  void close(uint64_t cycle) {
    Launch& l = launches_.back();
    for (const Slot& slot : open_) close_slice(l.states[slot], cycle);
    for (const auto& [slot, index] : blocks_) l.blocks[index].end = cycle;
    open_.clear();
    blocks_.clear();
  }

  void end_launch() {
    if (launches_.empty()) return;
    close(launches_.back().cycles);
    under_way_.clear();
  }

  std::vector<Launch> launches_;
  std::set<Slot> open_;                                    // warps whose last slice has no end yet
  std::map<Slot, size_t> blocks_;                          // that have none
  std::map<std::pair<Slot, unsigned>, size_t> under_way_;  // the newest instruction of a warp's number
};

}  // namespace

const std::vector<std::string>& state_words() {
  static const std::vector<std::string> words = {
#define HEDDLE_STALL(name, word, doc) word,
#include "host-runtime/device/counters.def"
  };
  return words;
}

const std::vector<std::string>& unit_names() {
  static const std::vector<std::string> names = {
#define HEDDLE_UNIT(name, doc) #name,
#include "isa/isa.def"
  };
  return names;
}

Result<std::vector<Launch>> parse_events(const std::string& text) {
  Reader reader;
  size_t number = 1;
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1, number++)
    if (!reader.line(std::string_view(text).substr(at, end - at)))
      return Error("line " + std::to_string(number) +
                   " is no event: " + text.substr(at, std::min<size_t>(end - at, 60)));
  return reader.take();
}

}  // namespace heddle::tools::trace
