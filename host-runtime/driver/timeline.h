// SPDX-License-Identifier: Apache-2.0
// The timeline of a run as a file (HEDDLE_TRACE): what the program's threads called, what its streams held, and what
// the device did in its own time. In Chrome's trace format, which Perfetto (ui.perfetto.dev) and chrome://tracing show:
//
//   process "host"           a track a thread: calls of the API, and the program's own ranges and marks (NVTX)
//   process "streams"        a track a stream: kernels, copies, fills, host functions, from when the device took them,
//   in the
//                            host's time
//   process "device"         the same by the device's clock: cycles at the preset's frequency; not on the golden model
//
// Events are written as they end, so that a run that is killed leaves what it had; ranges that are open at the end are
// closed there. Any thread may call.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/result.h"

namespace heddle::driver {

class Timeline {
 public:
  using Clock = std::chrono::steady_clock;

  // The process's, opened by the first call; null when HEDDLE_TRACE is not set, or its file cannot be written (said on
  // stderr).
  static Timeline* get();

  static Result<std::unique_ptr<Timeline>> open(const std::string& file);
  ~Timeline();

  void call(uint64_t thread, const char* name, const std::string& result, Clock::time_point begin,
            Clock::time_point end);

  struct Work {
    std::string name;
    const char* kind = "";  // kernel, copy, fill, host function, event
    unsigned stream = 0;    // 0: the legacy one
    uint64_t bytes = 0;     // 0: none that count
    std::string grid, block;
    Clock::time_point submitted, began, ended;
    uint64_t first_cycle = 0, last_cycle = 0;
    double kilohertz = 0;  // 0: the device has no clock
  };
  void work(const Work& work);

  // What the program says of itself. Threads are those that call, by the numbers that calls have.
  struct Note {
    std::string name, domain, category;                               // empty: none
    std::variant<std::monostate, uint64_t, int64_t, double> payload;  // its argument
  };
  void mark(uint64_t thread, const Note& note);
  // Ranges of a thread and domain nest: the depth of the one that begins or ends, 0 for the outermost; -1: none is
  // open.
  int push(uint64_t thread, const Note& note);
  int pop(uint64_t thread, const std::string& domain);
  // Ranges that overlap as they like, from thread to thread. Numbers are not 0; an unknown one ends nothing.
  uint64_t start(uint64_t thread, const Note& note);
  void end(uint64_t range);
  // By the system's number of a thread.
  void name_thread(uint32_t system_thread, const std::string& name);

  // Ends the file. Error: it is not whole.
  Status finish();

 private:
  explicit Timeline(std::FILE* file, std::string name);
  double microseconds(Clock::time_point t) const;
  void event(const std::string& text);
  // Names a track when it is used first.
  void track(int process, uint64_t id, const std::string& name);
  void thread_track(uint64_t thread);  // that of the calling thread
  struct Open {
    Note note;
    uint64_t thread;
    Clock::time_point began;
  };
  void span(const Open& range, Clock::time_point end);
  void overlapping(const char* phase, uint64_t number, const Open& range, Clock::time_point at);

  std::mutex mutex_;
  std::FILE* file_;
  std::string name_;
  Clock::time_point zero_ = Clock::now();
  std::set<std::pair<int, uint64_t>> tracks_;     // that have a name
  std::map<uint64_t, std::vector<Open>> pushed_;  // by thread, in the order in which they began
  std::map<uint64_t, Open> started_;              // by number
  uint64_t ranges_ = 0;                           // numbers given
  std::map<uint32_t, uint64_t> threads_;          // that have a track, by the system's number
  std::map<uint32_t, std::string> thread_names_;  // as the program gave them
  bool first_ = true;
};

}  // namespace heddle::driver
