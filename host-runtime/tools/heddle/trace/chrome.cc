// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "host-runtime/tools/heddle/trace/outputs.h"

namespace heddle::tools::trace {
namespace {

using Json = nlohmann::ordered_json;

// Behind those of the timeline.
enum Process { kLaunches = 4, kFirstSm = 10 };
constexpr unsigned kFirstWarp = 1000;  // tracks of an SM: slots of blocks, then of warps

class Writer {
 public:
  explicit Writer(std::FILE* file) : file_(file) {}

  void line(const std::string& text) {
    std::fputs(first_ ? "\n" : ",\n", file_);
    std::fwrite(text.data(), 1, text.size(), file_);
    first_ = false;
  }
  void event(const Json& j) { line(j.dump(-1, ' ', false, Json::error_handler_t::replace)); }

  void process(unsigned pid, const std::string& name) {
    if (!named_.insert({pid, ~0u}).second) return;
    event({{"ph", "M"}, {"name", "process_name"}, {"pid", pid}, {"tid", 0}, {"args", {{"name", name}}}});
    event({{"ph", "M"}, {"name", "process_sort_index"}, {"pid", pid}, {"tid", 0}, {"args", {{"sort_index", pid}}}});
  }
  void track(unsigned pid, unsigned tid, const std::string& name) {
    if (!named_.insert({pid, tid}).second) return;
    event({{"ph", "M"}, {"name", "thread_name"}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}});
    event({{"ph", "M"}, {"name", "thread_sort_index"}, {"pid", pid}, {"tid", tid}, {"args", {{"sort_index", tid}}}});
  }

  // The launch whose cycles are meant.
  void begin(const Launch& launch) { launch_ = &launch; }
  void slice(unsigned pid, unsigned tid, const std::string& name, const char* kind, uint64_t begin, uint64_t end,
             Json args = Json::object()) {
    args["cycle"] = begin;
    args["cycles"] = end - begin;
    timed("X", pid, tid, name, kind, begin, ",\"dur\":" + microseconds(time(end) - time(begin)), args);
  }
  void counter(unsigned pid, const std::string& name, uint64_t cycle, const Json& values) {
    timed("C", pid, 0, name, "counter", cycle, "", values);
  }
  void mark(unsigned pid, unsigned tid, const std::string& name, uint64_t cycle) {
    timed("i", pid, tid, name, "note", cycle, ",\"s\":\"p\"", Json::object());
  }

 private:
  // In millionths of a microsecond: whole numbers, so that what ends where another begins does so in the file, too.
  uint64_t time(uint64_t cycle) const {
    return static_cast<uint64_t>(std::llround(double(launch_->start + cycle) * 1e9 / launch_->kilohertz));
  }
  static std::string microseconds(uint64_t time) {
    char text[32];
    std::snprintf(text, sizeof text, "%llu.%06llu", static_cast<unsigned long long>(time / 1000000),
                  static_cast<unsigned long long>(time % 1000000));
    return text;
  }
  void timed(const char* phase, unsigned pid, unsigned tid, const std::string& name, const char* kind, uint64_t cycle,
             const std::string& more, const Json& args) {
    line("{\"ph\":\"" + std::string(phase) +
         "\",\"name\":" + Json(name).dump(-1, ' ', false, Json::error_handler_t::replace) + ",\"cat\":\"" + kind +
         "\",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) +
         ",\"ts\":" + microseconds(time(cycle)) + more + ",\"args\":" + args.dump() + "}");
  }

  std::FILE* file_;
  const Launch* launch_ = nullptr;
  bool first_ = true;
  std::set<std::pair<unsigned, unsigned>> named_;
};

// Its events, a line each; one that is cut off is left out.
void copy_timeline(Writer& out, const std::string& timeline) {
  for (size_t at = 0; at < timeline.size();) {
    const size_t end = std::min(timeline.find('\n', at), timeline.size());
    std::string line = timeline.substr(at, end - at);
    at = end + 1;
    if (line.ends_with(',')) line.pop_back();
    if (line.starts_with('{') && Json::accept(line)) out.line(line);
  }
}

void write_launch(Writer& out, const Launch& l) {
  out.begin(l);
  out.process(kLaunches, "launches (the device's time)");
  out.track(kLaunches, 0, "launches");
  out.slice(kLaunches, 0, l.name, "launch", 0, l.cycles,
            {{"launch", l.number}, {"grid", l.grid}, {"block", l.block}, {"completed", l.completed}});
  if (l.limited)
    out.mark(kLaunches, 0,
             "the limit of " + std::to_string(l.limit) + " events is reached: from here on only the window's",
             *l.limited);
  const auto process = [&](unsigned sm) {
    out.process(kFirstSm + sm, "SM " + std::to_string(sm) + " (the device's time)");
    return kFirstSm + sm;
  };
  for (const BlockSlice& b : l.blocks) {
    const unsigned pid = process(b.sm);
    out.track(pid, b.slot, "block slot " + std::to_string(b.slot));
    out.slice(pid, b.slot, "block " + b.index, "block", b.begin, b.end);
  }
  for (const auto& [slot, slices] : l.states) {
    const unsigned pid = process(slot.first), tid = kFirstWarp + slot.second;
    out.track(pid, tid, "warp slot " + std::to_string(slot.second));
    for (const Slice& s : slices) out.slice(pid, tid, state_words().at(s.state), "warp state", s.begin, s.end);
  }
  const std::string per = " per " + std::to_string(l.bucket) + " cycles";
  for (const SmCounts& c : l.sms) {
    const unsigned pid = process(c.sm);
    out.counter(pid, "instructions" + per, c.cycle, {{"issued", c.issued}});
    out.counter(pid, "resident warps", c.cycle, {{"warps", c.warps}});
    out.counter(pid, "L1 sectors" + per, c.cycle, {{"hits", c.hits}, {"misses", c.sectors - c.hits}});
    out.counter(pid, "L2 bytes" + per, c.cycle, {{"read", c.read}, {"written", c.written}});
  }
  for (const MemoryCounts& c : l.memory)
    out.counter(kLaunches, "memory channel " + std::to_string(c.channel) + ": bytes" + per, c.cycle,
                {{"read", c.read}, {"written", c.written}});
}

}  // namespace

Status write_chrome(const std::string& file, const std::string& timeline, const std::vector<Launch>& launches,
                    const std::vector<std::string>& notes) {
  const auto fail = [&] { return Error("cannot write '" + file + "': " + std::strerror(errno)); };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> f(std::fopen(file.c_str(), "wbe"), &std::fclose);
  if (!f) return fail();
  std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", f.get());
  Writer out(f.get());
  copy_timeline(out, timeline);
  for (const Launch& l : launches) write_launch(out, l);
  std::fprintf(f.get(), "\n],\"otherData\":{\"notes\":%s}}\n",
               Json(notes).dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  if (std::fflush(f.get()) != 0 || std::ferror(f.get())) return fail();
  return {};
}

}  // namespace heddle::tools::trace
