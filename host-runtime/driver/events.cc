// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/events.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <nlohmann/json.hpp>

#include "host-runtime/driver/profiles.h"

namespace heddle::driver {

Result<std::unique_ptr<Events>> Events::open(const Settings& settings, const Preset& preset) {
  std::FILE* file = std::fopen(settings.events.c_str(), "ae");
  if (!file)
    return Error("HEDDLE_EVENTS: cannot write '" + settings.events + "': " + std::strerror(errno), Code::Unknown);
  return std::unique_ptr<Events>(new Events(settings, preset, file));
}

Events::Events(const Settings& settings, const Preset& preset, std::FILE* file)
    : name_(settings.events),
      preset_(preset),
      file_(file),
      window_first_(settings.events_first),
      window_last_(settings.events_last),
      limit_(settings.events_limit),
      windowed_(settings.events_window) {}

Events::~Events() {
  if (file_) std::fclose(file_);
}

void Events::begin(device::Backend& device, const LaunchInfo& launch) {
  const heddle_event_sink sink{this, [](void* self, const heddle_event* e) { static_cast<Events*>(self)->take(*e); }};
  begun_ = false;
  if (!device.events(launch.profiled && file_ ? &sink : nullptr) || !launch.profiled || !file_) return;
  const KernelRun& run = launch.run;
  nlohmann::ordered_json j;
  j["launch"] = launch.number;
  j["name"] = run.name;
  j["symbol"] = run.symbol;
  j["grid"] = to_string(run.grid);
  j["block"] = to_string(run.block);
  j["preset"] = preset_.name;
  j["clock_khz"] = preset_.runtime.clock_khz;
  j["sms"] = preset_.structure.sms;
  j["warps_per_sm"] = preset_.structure.warps_per_sm();
  j["bucket"] = kBucket;
  j["limit"] = limit_;
  std::fprintf(file_, "L %s\n", j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

Status Events::end(device::Backend& device, const LaunchInfo& launch, bool completed, const Modules& modules) {
  device.events(nullptr);
  if (!begun_ || !file_) return {};
  begun_ = windowed_ = false;
  if (const heddle_profile* p = device.profiled()) last_ = std::max(last_, p->counters[HEDDLE_COUNTER_Cycles]);
  end_bucket();
  for (const uint32_t pc : pcs_) std::fprintf(file_, "p %" PRIu32 " %s\n", pc, place(pc, launch, modules).c_str());
  std::fprintf(file_, "- %" PRIu64 " %d\n", last_, completed ? 1 : 0);
  if (std::fflush(file_) == 0 && !std::ferror(file_)) return {};
  const Error error("HEDDLE_EVENTS: cannot write '" + name_ + "': " + std::strerror(errno));
  std::fclose(file_);
  file_ = nullptr;
  return error;
}

namespace {

template <typename T>
T& grown(std::vector<T>& all, size_t index) {
  if (all.size() <= index) all.resize(index + 1);
  return all[index];
}

// A line of counts, with a blank before each.
template <typename Counts>
void write_counts(std::FILE* file, char letter, uint64_t cycle, size_t of, const Counts& counts) {
  std::fprintf(file, "%c %" PRIu64 " %zu", letter, cycle, of);
  for (const uint64_t n : counts) std::fprintf(file, " %" PRIu64, n);
  std::fputc('\n', file);
}

}  // namespace

Events::Sm& Events::sm(uint32_t index) { return grown(sms_, index); }

bool Events::may_write(uint64_t cycle) {
  if (in_window(cycle)) return true;
  if (limited_) return false;
  if (++lines_ <= limit_) return true;
  limited_ = true;
  if (!in_window(last_)) std::fprintf(file_, "n %" PRIu64 "\n", last_);
  return false;
}

void Events::end_bucket() {
  const uint64_t cycle = bucket_ * kBucket;
  const auto end = [&](char letter, size_t i, auto& of) {
    if (of.counts == of.told || !may_write(cycle)) return;
    of.told = of.counts;
    write_counts(file_, letter, cycle, i, of.counts);
  };
  for (size_t i = 0; i < sms_.size(); i++) {
    end('c', i, sms_[i]);
    const uint64_t warps = sms_[i].counts[kWarps];
    sms_[i].counts = {};
    sms_[i].counts[kWarps] = warps;
  }
  for (size_t i = 0; i < channels_.size(); i++) {
    end('m', i, channels_[i]);
    channels_[i].counts = {};
  }
}

void Events::count(const heddle_event& e) {
  switch (e.value) {
    case HEDDLE_COUNTER_L1ReadSectors: sm(e.sm).counts[kSectors] += e.mask; break;
    case HEDDLE_COUNTER_L1ReadHits: sm(e.sm).counts[kHits] += e.mask; break;
    case HEDDLE_COUNTER_LinkReadBytes: sm(e.sm).counts[kFromL2] += e.mask; break;
    case HEDDLE_COUNTER_LinkWriteBytes: sm(e.sm).counts[kToL2] += e.mask; break;
    case HEDDLE_COUNTER_DramReadBytes: grown(channels_, e.sm).counts[kRead] += e.mask; break;
    case HEDDLE_COUNTER_DramWriteBytes: grown(channels_, e.sm).counts[kWritten] += e.mask; break;
    default: break;
  }
}

void Events::advance(uint64_t cycle) {
  last_ = std::max(last_, cycle);
  if (windowed_ && !window_begun_ && cycle >= window_first_) {
    window_begun_ = true;
    for (size_t i = 0; limited_ && i < sms_.size(); i++)
      for (size_t w = 0; w < sms_[i].states.size(); w++)
        std::fprintf(file_, "s %" PRIu64 " %zu %zu %" PRIu32 "\n", window_first_, i, w, sms_[i].states[w]);
  }
  if (window_begun_ && !window_ended_ && cycle > window_last_) {
    window_ended_ = true;
    if (limited_) std::fprintf(file_, "n %" PRIu64 "\n", window_last_ + 1);
  }
  // One with something in it, and the next one, which has nothing: those behind it are the same.
  for (int i = 0; i < 2 && bucket_ < cycle / kBucket; i++, bucket_++) end_bucket();
  bucket_ = std::max(bucket_, cycle / kBucket);
}

void Events::take(const heddle_event& e) {
  if (e.kind == HEDDLE_EVENT_START) {
    begun_ = true;
    window_begun_ = window_ended_ = false;
    start_ = e.cycle;
    last_ = bucket_ = 0;
    sms_.clear();
    channels_.clear();
    pcs_.clear();
    followed_.clear();
    std::fprintf(file_, "+ %" PRIu64 "\n", start_);
    if (limited_) std::fputs("n 0\n", file_);
  }
  if (!begun_) return;
  const uint64_t cycle = e.cycle - start_;
  advance(cycle);
  switch (e.kind) {
    case HEDDLE_EVENT_STATE: {
      Sm& s = sm(e.sm);
      if (s.states.size() <= e.warp) s.states.resize(e.warp + 1, HEDDLE_STALLS);
      s.counts[kWarps] += (e.value < HEDDLE_STALLS) - (s.states[e.warp] < HEDDLE_STALLS);
      s.states[e.warp] = e.value;
      if (e.value >= HEDDLE_STALLS) followed_.erase({e.sm, e.warp});
      if (may_write(cycle))
        std::fprintf(file_, "s %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", cycle, e.sm, e.warp, e.value);
      break;
    }
    case HEDDLE_EVENT_BLOCK_START:
      if (may_write(cycle))
        std::fprintf(file_, "b %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", cycle, e.sm,
                     e.value, e.block[0], e.block[1], e.block[2]);
      break;
    case HEDDLE_EVENT_BLOCK_END:
      if (may_write(cycle)) std::fprintf(file_, "e %" PRIu64 " %" PRIu32 " %" PRIu32 "\n", cycle, e.sm, e.value);
      break;
    case HEDDLE_EVENT_COUNT: count(e); break;
    default: take_window(e, cycle);
  }
}

void Events::take_window(const heddle_event& e, uint64_t cycle) {
  if (e.kind == HEDDLE_EVENT_ISSUE) sm(e.sm).counts[kIssued]++;
  // What has issued in the window is followed to its end.
  if (!windowed_) return;
  const std::pair<uint32_t, uint32_t> warp{e.sm, e.warp};
  if (e.kind == HEDDLE_EVENT_ISSUE) {
    if (!in_window(cycle)) return;
    followed_[warp].insert(e.seq);
  } else {
    const auto found = followed_.find(warp);
    if (found == followed_.end() || !found->second.contains(e.seq)) return;
    if (e.kind == HEDDLE_EVENT_RETIRE) found->second.erase(e.seq);
  }
  const char letter = e.kind == HEDDLE_EVENT_ISSUE     ? 'i'
                      : e.kind == HEDDLE_EVENT_EXECUTE ? 'x'
                      : e.kind == HEDDLE_EVENT_RETIRE  ? 'r'
                      : e.kind == HEDDLE_EVENT_RESOLVE ? 'j'
                                                       : '\0';
  if (!letter) return;
  std::fprintf(file_, "%c %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32, letter, cycle, e.sm, e.warp, e.seq);
  if (letter == 'i') {
    pcs_.insert(e.value);
    std::fprintf(file_, " %" PRIu32 " %" PRIu32, e.value, e.mask);
  } else if (letter == 'x') {
    std::fprintf(file_, " %" PRIu32, e.value);
  }
  std::fputc('\n', file_);
}

}  // namespace heddle::driver
