// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>

#include "host-runtime/tools/heddle/trace/outputs.h"
#include "isa/isa.h"

namespace heddle::tools::trace {
namespace {

// A stage of an instruction; `lane` 1: why it waits, by the state's word.
struct Stage {
  uint64_t begin, end;
  int lane;
  std::string name;
};

struct Lifetime {
  const Instruction* instruction = nullptr;
  uint64_t begin = 0, end = 0;
  bool retired = true;
  std::vector<Stage> stages;
};

// What an instruction is in while its warp is in this state.
const char* stage_of(const std::string& word, bool picked) {
  if (word == "no_instruction") return "F";
  if (word == "selected" || (word == "dispatch_stall" && picked)) return "Is";
  return "Wt";
}

// From when it is the warp's next one until it issues.
void before_issue(Lifetime& life, const std::vector<Slice>& states) {
  const uint64_t issued = life.instruction->issued;
  bool picked = false;
  std::vector<Stage> stages, reasons;
  for (const Slice& s : states) {
    if (s.begin > issued) break;
    const uint64_t begin = std::max(s.begin, life.begin), end = std::min(s.end, issued);
    const std::string& word = state_words().at(s.state);
    picked |= word == "selected" && s.end > life.begin;
    if (begin >= end) continue;
    const std::string name = stage_of(word, picked);
    if (!stages.empty() && stages.back().name == name && stages.back().end == begin) stages.back().end = end;
    else stages.push_back({begin, end, 0, name});
    if (name == "Wt") reasons.push_back({begin, end, 1, word});
  }
  if (!stages.empty() && stages.back().name == "Is" && stages.back().end == issued) stages.back().end = issued + 1;
  else stages.push_back({issued, issued + 1, 0, "Is"});
  life.stages = std::move(stages);
  life.stages.insert(life.stages.end(), reasons.begin(), reasons.end());
}

void after_issue(Lifetime& life) {
  const Instruction& i = *life.instruction;
  uint64_t at = i.issued + 1;
  const uint64_t done = life.end;
  if (i.executes && *i.executes < done) {
    const uint64_t executes = std::max(*i.executes, at);
    if (executes > at) life.stages.push_back({at, executes, 0, "Oc"});
    at = executes;
    const uint64_t written = i.retires ? done - 1 : done;
    if (written > at) life.stages.push_back({at, written, 0, unit_names().at(i.unit)});
    at = std::max(at, written);
  } else if (const uint64_t until = i.retires ? done - 1 : done; until > at) {
    life.stages.push_back({at, until, 0, "Br"});  // the front end alone has to do with it
    at = until;
  }
  if (done > at) life.stages.push_back({at, done, 0, "Wb"});
}

// Fits into a cycle's width: "long_scoreboard" is "ls", "wait" "wa".
std::string short_word(const std::string& word) {
  if (word.find('_') == std::string::npos) return word.substr(0, 2);
  std::string initials(1, word[0]);
  for (size_t at = word.find('_'); at != std::string::npos; at = word.find('_', at + 1)) initials += word[at + 1];
  return initials;
}

// ", waited: 5 long_scoreboard, 2 wait"; "" if it did not.
std::string waits(const Lifetime& life) {
  std::vector<std::pair<std::string, uint64_t>> sums;
  for (const Stage& s : life.stages) {
    if (s.lane != 1) continue;
    const auto same = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == s.name; });
    if (same == sums.end()) sums.emplace_back(s.name, s.end - s.begin);
    else same->second += s.end - s.begin;
  }
  std::string text;
  for (const auto& [word, cycles] : sums)
    text += (text.empty() ? ", waited: " : ", ") + std::to_string(cycles) + " " + word;
  return text;
}

std::vector<Lifetime> lifetimes(const Launch& l, const Window& window) {
  static const std::vector<Slice> kNone;
  std::map<Slot, uint64_t> next;  // from when on an instruction is its warp's next one
  std::vector<Lifetime> all;
  for (const Instruction& i : l.instructions) {
    const Slot slot{i.sm, i.warp};
    const auto found = l.states.find(slot);
    const std::vector<Slice>& states = found == l.states.end() ? kNone : found->second;
    // The time around its issue for which the warp is there.
    uint64_t there = i.issued, leaves = l.cycles;
    const auto state = std::find_if(states.begin(), states.end(), [&](const Slice& s) { return s.end > i.issued; });
    if (state != states.end() && state->begin <= i.issued) {
      auto first = state, last = state;
      while (first != states.begin() && std::prev(first)->end == first->begin) --first;
      while (std::next(last) != states.end() && std::next(last)->begin == last->end) ++last;
      there = first->begin;
      leaves = last->end;
    }
    Lifetime life;
    life.instruction = &i;
    life.begin = std::min(std::max({there, window.first, next[slot]}), i.issued);
    next[slot] = i.issued + 1;
    life.retired = i.retires || i.resolves || l.completed;
    life.end = std::max(i.retires ? *i.retires + 1 : i.resolves ? *i.resolves + 1 : leaves, i.issued + 1);
    before_issue(life, states);
    after_issue(life);
    all.push_back(std::move(life));
  }
  std::stable_sort(all.begin(), all.end(), [](const Lifetime& a, const Lifetime& b) { return a.begin < b.begin; });
  return all;
}

// Of each of these instructions the earlier ones whose results it reads: for each register, lane by lane, the last that
// wrote it. What is guarded may leave what was there.
std::vector<std::set<size_t>> producers(const Launch& l, const std::vector<Lifetime>& all) {
  struct Writer {
    size_t id;
    uint32_t lanes;  // that nothing has written since, for sure
  };
  struct Warp {
    std::map<size_t, std::vector<Writer>> writers;  // by register
    unsigned seq = 0;
  };
  std::vector<size_t> issued(all.size());
  std::iota(issued.begin(), issued.end(), size_t{0});
  std::stable_sort(issued.begin(), issued.end(),
                   [&](size_t a, size_t b) { return all[a].instruction->issued < all[b].instruction->issued; });
  std::map<Slot, Warp> warps;
  std::vector<std::set<size_t>> found(all.size());
  for (const size_t id : issued) {
    const Instruction& i = *all[id].instruction;
    Warp& warp = warps[{i.sm, i.warp}];
    if (i.seq < warp.seq) warp.writers.clear();  // another warp
    warp.seq = i.seq;
    const auto word = l.words.find(i.pc);
    const auto decoded = word == l.words.end() ? std::nullopt : isa::decode(word->second);
    if (!decoded) continue;
    const isa::Accesses accesses = isa::accesses(*decoded);
    // A matrix is in the registers of all lanes.
    const uint32_t lanes = isa::info(decoded->op).unit == isa::Unit::Tensor ? ~0u : i.active;
    for (size_t r = 0; r < accesses.reads.size(); r++)
      if (accesses.reads[r])
        for (const Writer& w : warp.writers[r])
          if (w.lanes & lanes) found[id].insert(w.id);
    for (size_t r = 0; r < accesses.writes.size(); r++) {
      if (!accesses.writes[r]) continue;
      std::vector<Writer>& writers = warp.writers[r];
      if (decoded->guard == isa::kPt && !decoded->guard_negated) {
        for (Writer& w : writers) w.lanes &= ~i.active;
        std::erase_if(writers, [](const Writer& w) { return w.lanes == 0; });
      }
      writers.push_back({id, i.active});
    }
  }
  return found;
}

struct Line {
  uint64_t cycle;
  int order;  // within the cycle: what ends, then what begins, then what is over
  std::string text;
};

std::string hexadecimal(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08" PRIx32, value);
  return text;
}

std::vector<Line> lines(const Launch& l, const Window& window) {
  const auto all = lifetimes(l, window);
  const auto needed = producers(l, all);
  std::vector<Line> out;
  for (size_t id = 0; id < all.size(); id++) {
    const Lifetime& life = all[id];
    const Instruction& i = *life.instruction;
    const std::string number = std::to_string(id);
    const auto text = l.texts.find(i.pc);
    const std::string label = text == l.texts.end() ? hexadecimal(i.pc) : text->second;
    const auto add = [&](uint64_t cycle, int order, const std::string& line) { out.push_back({cycle, order, line}); };
    add(life.begin, 1,
        "I\t" + number + "\t" + std::to_string(i.seq) + "\t" + std::to_string(i.sm * l.warps_per_sm + i.warp));
    add(life.begin, 1, "L\t" + number + "\t0\t" + label);
    add(life.begin, 1,
        "L\t" + number + "\t1\tactive " + hexadecimal(i.active) + ", SM " + std::to_string(i.sm) + " warp " +
            std::to_string(i.warp) + ", issued in cycle " + std::to_string(i.issued) + waits(life));
    for (const Stage& s : life.stages) {
      const std::string stage =
          number + "\t" + std::to_string(s.lane) + "\t" + (s.lane == 1 ? short_word(s.name) : s.name);
      add(s.begin, 1, "S\t" + stage);
      add(s.end, 0, "E\t" + stage);
    }
    for (const size_t producer : needed[id]) add(i.issued, 1, "D\t" + number + "\t" + std::to_string(producer) + "\t0");
  }
  // Retired in the order in which they end.
  std::vector<size_t> order(all.size());
  for (size_t id = 0; id < order.size(); id++) order[id] = id;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return all[a].end < all[b].end; });
  for (size_t n = 0; n < order.size(); n++) {
    const Lifetime& life = all[order[n]];
    out.push_back(
        {life.end, 2, "R\t" + std::to_string(order[n]) + "\t" + std::to_string(n) + "\t" + (life.retired ? "0" : "1")});
  }
  std::stable_sort(out.begin(), out.end(), [](const Line& a, const Line& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.order < b.order;
  });
  return out;
}

}  // namespace

Status write_konata(const std::string& file, const Launch& launch, const Window& window) {
  const auto fail = [&] { return Error("cannot write '" + file + "': " + std::strerror(errno)); };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> f(std::fopen(file.c_str(), "wbe"), &std::fclose);
  if (!f) return fail();
  uint64_t now = window.first;
  std::fprintf(f.get(), "Kanata\t0004\nC=\t%" PRIu64 "\n", now);
  for (const Line& line : lines(launch, window)) {
    if (line.cycle > now) std::fprintf(f.get(), "C\t%" PRIu64 "\n", line.cycle - now);
    now = std::max(now, line.cycle);
    std::fprintf(f.get(), "%s\n", line.text.c_str());
  }
  if (std::fflush(f.get()) != 0 || std::ferror(f.get())) return fail();
  return {};
}

}  // namespace heddle::tools::trace
