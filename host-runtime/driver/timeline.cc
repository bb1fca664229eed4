// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/timeline.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

namespace heddle::driver {
namespace {

using Json = nlohmann::ordered_json;

enum Process { kHost = 1, kStreams, kDevice };
constexpr const char* kProcesses[] = {"", "host", "streams (the host's time)", "device (its own time)"};

Json metadata(const char* what, int process, uint64_t track, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}};
}

Json span(const std::string& name, const char* kind, int process, uint64_t track, double begin, double microseconds) {
  return {{"ph", "X"},    {"name", name}, {"cat", kind},        {"pid", process},
          {"tid", track}, {"ts", begin},  {"dur", microseconds}};
}

Json note_event(const char* phase, uint64_t track, double at, const std::string& name) {
  return {{"ph", phase}, {"name", name}, {"cat", "nvtx"}, {"pid", kHost}, {"tid", track}, {"ts", at}};
}

void add_arguments(Json& event, const Timeline::Note& note) {
  if (!note.domain.empty()) event["args"]["domain"] = note.domain;
  if (!note.category.empty()) event["args"]["category"] = note.category;
  std::visit(
      [&](const auto& value) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) event["args"]["payload"] = value;
      },
      note.payload);
}

std::string text(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Timeline* Timeline::get() {
  static Timeline* const timeline = []() -> Timeline* {
    const char* file = std::getenv("HEDDLE_TRACE");
    if (!file || !*file) return nullptr;
    auto opened = open(file);
    if (opened) return opened->release();
    std::fprintf(stderr, "heddle: trace: %s\n", opened.error().message().c_str());
    return nullptr;
  }();
  return timeline;
}

Result<std::unique_ptr<Timeline>> Timeline::open(const std::string& name) {
  std::FILE* file = std::fopen(name.c_str(), "wbe");
  if (!file) return Error("cannot write '" + name + "': " + std::strerror(errno));
  std::setvbuf(file, nullptr, _IONBF, 0);  // an event is a write: nothing is left to a forked process
  return std::unique_ptr<Timeline>(new Timeline(file, name));
}

Timeline::Timeline(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {
  for (const int process : {kHost, kStreams, kDevice})
    event(text(metadata("process_name", process, 0, kProcesses[process])));
}

Timeline::~Timeline() {
  if (file_) std::fclose(file_);
}

double Timeline::microseconds(Clock::time_point t) const {
  return std::chrono::duration<double, std::micro>(t - zero_).count();
}

// With the lock. An array that does not end is one that viewers take.
void Timeline::event(const std::string& text) {
  if (!file_) return;
  const std::string line = (first_ ? "[\n" : ",\n") + text;
  std::fwrite(line.data(), 1, line.size(), file_);
  first_ = false;
}

void Timeline::track(int process, uint64_t id, const std::string& name) {
  if (tracks_.emplace(process, id).second) event(text(metadata("thread_name", process, id, name)));
}

void Timeline::call(uint64_t thread, const char* name, const std::string& result, Clock::time_point begin,
                    Clock::time_point end) {
  const std::lock_guard lock(mutex_);
  thread_track(thread);
  Json e = driver::span(name, "call", kHost, thread, microseconds(begin), microseconds(end) - microseconds(begin));
  if (!result.empty()) e["args"]["result"] = result;
  event(text(e));
}

void Timeline::work(const Work& w) {
  const std::lock_guard lock(mutex_);
  const std::string name = w.stream ? "stream " + std::to_string(w.stream) : "default stream";
  Json args;
  args["submitted_us"] = microseconds(w.submitted);
  if (w.bytes) args["bytes"] = w.bytes;
  if (!w.grid.empty()) args["grid"] = w.grid, args["block"] = w.block;
  if (w.kilohertz) args["first_cycle"] = w.first_cycle, args["cycles"] = w.last_cycle - w.first_cycle;
  const auto add = [&](Process process, double begin, double length) {
    track(process, w.stream, name);
    Json e = driver::span(w.name, w.kind, process, w.stream, begin, length);
    e["args"] = args;
    event(text(e));
  };
  add(kStreams, microseconds(w.began), microseconds(w.ended) - microseconds(w.began));
  const double cycle = w.kilohertz ? 1000 / w.kilohertz : 0;  // in microseconds
  if (w.kilohertz) add(kDevice, double(w.first_cycle) * cycle, double(w.last_cycle - w.first_cycle) * cycle);
}

// ---- the program's own ranges ------------------------------------------------------------------------

void Timeline::thread_track(uint64_t thread) {
  if (tracks_.contains({kHost, thread})) return;
  const auto system = static_cast<uint32_t>(gettid());
  threads_[system] = thread;
  const auto given = thread_names_.find(system);
  track(kHost, thread, given == thread_names_.end() ? "thread " + std::to_string(thread) : given->second);
}

void Timeline::name_thread(uint32_t system_thread, const std::string& name) {
  const std::lock_guard lock(mutex_);
  thread_names_[system_thread] = name;
  const auto known = threads_.find(system_thread);
  if (known != threads_.end()) event(text(metadata("thread_name", kHost, known->second, name)));
}

void Timeline::span(const Open& range, Clock::time_point end) {
  const double began = microseconds(range.began);
  Json e = driver::span(range.note.name, "nvtx", kHost, range.thread, began, microseconds(end) - began);
  add_arguments(e, range.note);
  event(text(e));
}

void Timeline::overlapping(const char* phase, uint64_t number, const Open& range, Clock::time_point at) {
  Json e = note_event(phase, range.thread, microseconds(at), range.note.name);
  e["id"] = number;
  add_arguments(e, range.note);
  event(text(e));
}

void Timeline::mark(uint64_t thread, const Note& note) {
  const std::lock_guard lock(mutex_);
  thread_track(thread);
  Json e = note_event("i", thread, microseconds(Clock::now()), note.name);
  e["s"] = "t";
  add_arguments(e, note);
  event(text(e));
}

int Timeline::push(uint64_t thread, const Note& note) {
  const std::lock_guard lock(mutex_);
  thread_track(thread);
  std::vector<Open>& open = pushed_[thread];
  const auto depth =
      std::count_if(open.begin(), open.end(), [&](const Open& o) { return o.note.domain == note.domain; });
  open.push_back({note, thread, Clock::now()});
  return static_cast<int>(depth);
}

int Timeline::pop(uint64_t thread, const std::string& domain) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  std::vector<Open>& open = pushed_[thread];
  const auto same = [&](const Open& o) { return o.note.domain == domain; };
  const auto last = std::find_if(open.rbegin(), open.rend(), same);
  if (last == open.rend()) return -1;
  if (last == open.rbegin()) {
    span(*last, now);
  } else {  // another domain's range is open within it: on a track they would have to nest
    overlapping("b", ++ranges_, *last, last->began);
    overlapping("e", ranges_, *last, now);
  }
  open.erase(std::next(last).base());
  return static_cast<int>(std::count_if(open.begin(), open.end(), same));
}

uint64_t Timeline::start(uint64_t thread, const Note& note) {
  const std::lock_guard lock(mutex_);
  thread_track(thread);
  const Open range{note, thread, Clock::now()};
  started_[++ranges_] = range;
  overlapping("b", ranges_, range, range.began);
  return ranges_;
}

void Timeline::end(uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto range = started_.find(number);
  if (range == started_.end()) return;
  overlapping("e", number, range->second, Clock::now());
  started_.erase(range);
}

Status Timeline::finish() {
  const std::lock_guard lock(mutex_);
  if (!file_) return {};
  const Clock::time_point now = Clock::now();
  for (auto& [thread, open] : pushed_)
    for (; !open.empty(); open.pop_back()) span(open.back(), now);
  for (const auto& [number, range] : started_) overlapping("e", number, range, now);
  const bool wrote = std::fputs("\n]\n", file_) >= 0 && std::fflush(file_) == 0 && !std::ferror(file_);
  const int error = errno;
  std::fclose(file_);
  file_ = nullptr;
  if (wrote) return {};
  return Error("cannot write '" + name_ + "': " + std::strerror(error));
}

}  // namespace heddle::driver
