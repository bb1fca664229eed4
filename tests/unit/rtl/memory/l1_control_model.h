// SPDX-License-Identifier: Apache-2.0
// What the L1's tags and MSHRs hold, as lists and maps.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace heddle::test {

inline constexpr unsigned kMaxSlices = 16;  // of a row

enum Class { kLoad, kStore, kAtomic, kFence, kPrefetch, kInvalidate };
enum Kind { kNone, kDataLoad, kDataStore, kDataAtomic, kDataFill };

struct Op {
  unsigned cls = kLoad, entry = 0, seq = 0;
  bool bypass = false, invalidate = false, waits = false;
  bool reduces = false;  // an atomic whose value nobody reads

  bool answered() const { return cls == kAtomic && !reduces; }
};

struct Pass {
  Op op;
  bool first = true, last = true;
  uint32_t lanes = 0;
  std::array<uint32_t, 4> sector_lanes{};
  uint64_t line = 0;
  // Lanes of them that are in another line, by its number in the pass.
  struct Other {
    uint64_t line = 0;
    uint32_t lanes = 0;
  };
  std::array<Other, 4> others{};
  uint64_t bank_line = 0;

  // What of it is in line number n.
  Pass of_line(unsigned n) const {
    Pass p = *this;
    uint32_t mine = n == 0 ? lanes : others[n].lanes;
    if (n == 0)
      for (const Other& o : others) mine &= ~o.lanes;
    else p.line = others[n].line;
    p.lanes = mine;
    for (uint32_t& s : p.sector_lanes) s &= mine;
    return p;
  }
};

inline unsigned sectors_of(const Pass& p) {
  unsigned m = 0;
  for (unsigned s = 0; s < 4; s++) m |= (p.sector_lanes[s] != 0) << s;
  return m;
}

// The cache as its header tells it.
class Reference {
 public:
  struct Mshr {
    uint64_t line = 0;
    bool open = true;
    unsigned flying = 0, arrived = 0;  // sectors asked for and not yet served; of them those that came
    // By the first sector of a part, who waits: kMaxSlices * entry + slice -> lanes.
    std::map<unsigned, std::map<unsigned, uint32_t>> waiting;
  };
  struct Line {
    unsigned place = 0;
    unsigned sectors = 0;
  };
  struct Atomic {
    unsigned entry = 0;
    bool sent = false;
    std::map<unsigned, uint32_t> lanes;  // of each request, by its lowest
  };

  std::map<uint64_t, Line> lines;      // present
  std::map<unsigned, Mshr> mshrs;      // used, by number
  std::map<unsigned, Atomic> atomics;  // by bank
  std::map<unsigned, Op> ops;          // by entry
  // Ways of a set, the one filled longest ago in front.
  std::map<uint64_t, std::deque<unsigned>> age;

  Mshr* open_for(uint64_t line, unsigned* number = nullptr) {
    for (auto& [n, m] : mshrs)
      if (m.open && m.line == line) {
        if (number) *number = n;
        return &m;
      }
    return nullptr;
  }
  // The place that a line takes: that of its set which was filled longest ago; and who is there.
  unsigned next_place(uint64_t line, unsigned sets, unsigned ways) {
    auto& ways_of_set = age[line % sets];
    if (ways_of_set.empty())
      for (unsigned w = 0; w < ways; w++) ways_of_set.push_back(w);
    return static_cast<unsigned>(line % sets) * ways + ways_of_set.front();
  }
  std::optional<uint64_t> line_at(unsigned place) const {
    for (const auto& [l, held] : lines)
      if (held.place == place) return l;
    return std::nullopt;
  }
  bool has_all(const Pass& p) const {
    const auto there = lines.find(p.line);
    return there != lines.end() && (sectors_of(p) & ~there->second.sectors) == 0;
  }
  void close(uint64_t line) {
    if (Mshr* m = open_for(line)) m->open = false;
  }
  void empty() {
    lines.clear();
    for (auto& [n, m] : mshrs) m.open = false;
  }
};

}  // namespace heddle::test
