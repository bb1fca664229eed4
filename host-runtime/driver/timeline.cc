// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/timeline.h"

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
  track(kHost, thread, "thread " + std::to_string(thread));
  Json e = span(name, "call", kHost, thread, microseconds(begin), microseconds(end) - microseconds(begin));
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
    Json e = span(w.name, w.kind, process, w.stream, begin, length);
    e["args"] = args;
    event(text(e));
  };
  add(kStreams, microseconds(w.began), microseconds(w.ended) - microseconds(w.began));
  const double cycle = w.kilohertz ? 1000 / w.kilohertz : 0;  // in microseconds
  if (w.kilohertz) add(kDevice, double(w.first_cycle) * cycle, double(w.last_cycle - w.first_cycle) * cycle);
}

Status Timeline::finish() {
  const std::lock_guard lock(mutex_);
  if (!file_) return {};
  const bool wrote = std::fputs("\n]\n", file_) >= 0 && std::fflush(file_) == 0 && !std::ferror(file_);
  const int error = errno;
  std::fclose(file_);
  file_ = nullptr;
  if (wrote) return {};
  return Error("cannot write '" + name_ + "': " + std::strerror(error));
}

}  // namespace heddle::driver
