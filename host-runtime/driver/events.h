// SPDX-License-Identifier: Apache-2.0
// Events of profiled launches as a file (HEDDLE_EVENTS), for `heddle trace`: a line each, a letter and numbers with
// blanks between them. Cycles count from the launch's start.
//
//   L {…}                     a launch: its name and shape, the machine
//   + cycle                   it starts in this cycle of the device
//   s cycle sm warp state     a warp's state from then on, an index of counters.def's stalls or one beyond: not there
//   b cycle sm slot x y z     a block starts; e cycle sm slot: it ends
//   i cycle sm warp seq pc active, x cycle sm warp seq unit, r cycle sm warp seq, j cycle sm warp seq
//                             an instruction's issue, execution, retirement, decision where the warp goes on; in the
//                             window of the first launch
//   c cycle sm issued warps sectors hits read written
//                             in kBucket cycles from then on: instructions issued; resident warps at their end; sectors
//                             looked up and found in the L1 cache, bytes from and to the L2 cache
//   m cycle channel read written
//                             in such cycles: bytes from and to memory
//   n cycle                   the limit is reached: from then on only what is in the window
//   p pc {…}                  what stands there; word: its encoding
//   - cycles completed        the launch has ended, or was stopped (0)
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/queue.h"
#include "host-runtime/driver/settings.h"
#include "presets/preset.h"

namespace heddle::driver {

class Modules;

class Events {
 public:
  static constexpr uint64_t kBucket = 100;

  // Error: the file cannot be written.
  static Result<std::unique_ptr<Events>> open(const Settings& settings, const Preset& preset);
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // The launch enters the ring of `device`, which tells of it if it is profiled.
  void begin(device::Backend& device, const LaunchInfo& launch);
  // It has ended, or was stopped. Error: the file could not be written; said once.
  Status end(device::Backend& device, const LaunchInfo& launch, bool completed, const Modules& modules);

 private:
  Events(const Settings& settings, const Preset& preset, std::FILE* file);
  void take(const heddle_event& event);
  void take_window(const heddle_event& event, uint64_t cycle);
  // Lines that count for the limit: false, they must not be written at this cycle.
  bool may_write(uint64_t cycle);
  bool in_window(uint64_t cycle) const { return windowed_ && window_first_ <= cycle && cycle <= window_last_; }
  void advance(uint64_t cycle);  // ends buckets that lie before
  void end_bucket();

  // As in their lines.
  enum SmCount { kIssued, kWarps, kSectors, kHits, kFromL2, kToL2, kSmCounts };
  enum ChannelCount { kRead, kWritten, kChannelCounts };
  struct Sm {
    std::vector<uint32_t> states;  // of warps
    std::array<uint64_t, kSmCounts> counts{}, told{};
  };
  struct Channel {
    std::array<uint64_t, kChannelCounts> counts{}, told{};
  };
  Sm& sm(uint32_t index);
  void count(const heddle_event& event);

  std::string name_;
  const Preset preset_;
  std::FILE* file_;
  uint64_t window_first_, window_last_, limit_;
  bool windowed_;
  // Of the launch.
  bool begun_ = false, limited_ = false, window_begun_ = false, window_ended_ = false;
  uint64_t start_ = 0, last_ = 0, lines_ = 0, bucket_ = 0;
  std::vector<Sm> sms_;
  std::vector<Channel> channels_;
  std::set<uint32_t> pcs_;
  std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> followed_;  // numbers of instructions, by SM and warp
};

}  // namespace heddle::driver
