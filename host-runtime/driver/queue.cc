// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace heddle::driver {
namespace {

namespace c = contract;
using Clock = std::chrono::steady_clock;

// A slice of device time takes about this long, so that Ctrl-C and the status line stay lively.
constexpr auto kSliceShort = std::chrono::milliseconds(40);
constexpr auto kSliceLong = std::chrono::milliseconds(160);
constexpr uint64_t kMinSlice = 256, kMaxSlice = uint64_t{1} << 30;
// A completion is taken when its interrupt comes, and else looked for each time that so many cycles passed: neither
// depends on where a slice ends, which depends on the host's speed. A device that says it is idle while a command is
// open, so many times running, has lost it.
constexpr int kLostLooks = 4;
constexpr uint64_t kLookCycles = uint64_t{1} << 16;

}  // namespace

bool reset(device::Backend& backend) {
  backend.write32(c::kRegControl, c::kControlReset);
  for (int i = 0; i < 1000 && (backend.read32(c::kRegControl) & c::kControlReset); ++i)
    if (backend.wait(64) < 0) return false;
  return true;
}

Queue::Queue(device::Backend& backend)
    : backend_(backend),
      wait_([&backend](uint64_t cycles) { return backend.wait(cycles); }),
      ring_(kEntries),
      records_(kEntries) {}

void Queue::start() {
  const uint64_t ring = c::kRegRingBase;
  backend_.write64(ring + c::kRingAddressLo, reinterpret_cast<uint64_t>(ring_.data()));
  backend_.write32(ring + c::kRingEntries, kEntries);
  tail_ = backend_.read32(ring + c::kRingHead);  // a reset leaves the counters at 0
  backend_.write32(c::kRegIrqStatus, c::kIrqCompletion | c::kIrqFault);
  backend_.write32(c::kRegIrqEnable, c::kIrqCompletion | c::kIrqFault);
}

// ---- order -------------------------------------------------------------------------------------------

Sequence Queue::push(Task task) {
  const Sequence s = ++submitted_;
  size_t unmet = task.after_all && !tasks_.empty();
  std::sort(task.after.begin(), task.after.end());
  task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
  for (const Sequence before : task.after) {
    const auto it = tasks_.find(before);
    if (it == tasks_.end()) continue;
    it->second.dependents.push_back(s);
    ++unmet;
  }
  const auto it = tasks_.emplace_hint(tasks_.end(), s, Entry{std::move(task), unmet, {}});
  if (unmet == 0) make_ready(s, it->second.task);
  return s;
}

void Queue::make_ready(Sequence s, const Task& task) {
  if (task.host) ready_hosts_.insert(s);
  else ready_.insert({task.priority, s});
}

void Queue::finish(Sequence s) {
  const auto ended = tasks_.find(s);
  if (ended == tasks_.end()) return;  // dropped meanwhile
  const std::vector<Sequence> dependents = std::move(ended->second.dependents);
  tasks_.erase(ended);
  for (const Sequence d : dependents) {
    const auto it = tasks_.find(d);
    if (it != tasks_.end() && --it->second.unmet == 0) make_ready(d, it->second.task);
  }
  if (tasks_.empty()) return;
  // The oldest has nothing earlier to wait for.
  Entry& oldest = tasks_.begin()->second;
  if (!oldest.task.after_all || oldest.unmet == 0) return;
  oldest.task.after_all = false;
  if (--oldest.unmet == 0) make_ready(tasks_.begin()->first, oldest.task);
}

void Queue::drop_all() {
  for (auto& [s, entry] : tasks_)
    if (entry.task.host_when_dropped && s != host_running_)
      dropped_hosts_.push_back({s, std::move(entry.task.host), true});
  flight_.clear();
  tasks_.clear();
  ready_.clear();
  ready_hosts_.clear();
  running_ = 0;
}

// ---- host functions ----------------------------------------------------------------------------------

std::optional<Queue::Call> Queue::next_host() {
  if (host_running_) return std::nullopt;
  Call call;
  if (!dropped_hosts_.empty()) {
    call = std::move(dropped_hosts_.front());
    dropped_hosts_.pop_front();
  } else if (!ready_hosts_.empty()) {
    const Sequence s = *ready_hosts_.begin();
    ready_hosts_.erase(ready_hosts_.begin());
    call = {s, std::move(tasks_.at(s).task.host), false};
  } else {
    return std::nullopt;
  }
  host_running_ = call.sequence;
  return call;
}

void Queue::host_done(Sequence s) {
  host_running_ = 0;
  finish(s);
}

// ---- commands ----------------------------------------------------------------------------------------

void Queue::put(const Task::Item& item, bool interrupt) {
  const uint32_t slot = tail_ % kEntries;
  records_[slot] = {};
  c::Command& command = ring_[slot];
  command = item.command;
  if (interrupt) command.words[c::kWordOpcode] |= c::kFlagIrq;
  command.words[c::kWordTag] = tail_;
  command.set64(c::kWordCompletion, reinterpret_cast<uint64_t>(&records_[slot]));
  if (item.begin) item.begin();
  flight_.push_back(item);
  ++tail_;
}

void Queue::ring_doorbell() {
  silent_cycles_ = 0;
  idle_looks_ = 0;
  backend_.write32(c::kRegRingBase + c::kRingTail, tail_);
}

bool Queue::choose() {
  if (running_) return true;
  if (ready_.empty()) return false;
  running_ = ready_.begin()->second;
  ready_.erase(ready_.begin());
  fed_ = 0;
  Task& task = tasks_.at(running_).task;
  if (task.begin) task.begin(task.items);
  return true;
}

void Queue::feed() {
  if (!flight_.empty()) return;
  // The last of them tells that all have ended.
  const auto& items = tasks_.at(running_).task.items;
  const size_t end = std::min<size_t>(items.size(), fed_ + kEntries);
  for (; fed_ < end; ++fed_) put(items[fed_], fed_ + 1 == end);
  ring_doorbell();
}

bool Queue::run_now(const c::Command& command) {
  Task::Item item;
  item.command = command;
  put(item, true);
  ring_doorbell();
  while (!flight_.empty())
    if (!slice()) return false;
  return true;
}

bool Queue::collect() {
  while (!flight_.empty()) {
    const uint32_t slot = (tail_ - static_cast<uint32_t>(flight_.size())) % kEntries;
    const uint32_t status = std::atomic_ref<uint32_t>(records_[slot].status).load(std::memory_order_acquire);
    if (status == 0) return true;
    silent_cycles_ = 0;
    idle_looks_ = 0;
    if (status != c::kStatusOk) {
      fail(read_failure(backend_, status));
      return false;
    }
    const Task::Item item = std::move(flight_.front());
    flight_.pop_front();
    if (item.done) item.done(records_[slot]);
  }
  return true;
}

bool Queue::look() {
  if (!collect()) return false;
  silent_cycles_ = 0;
  if (flight_.empty()) return true;
  const bool busy = backend_.read32(c::kRegStatus) & c::kStatusBitsBusy;
  idle_looks_ = busy ? 0 : idle_looks_ + 1;
  if (idle_looks_ < kLostLooks) return true;
  Failure failure;
  failure.backend_text = "the device is idle but has not completed a command";
  fail(std::move(failure));
  return false;
}

bool Queue::slice() {
  const auto begin = Clock::now();
  const uint64_t cycles = std::min(slice_cycles_, kLookCycles - silent_cycles_);
  const int result = wait_(cycles);
  if (result < 0) {
    Failure failure;
    failure.gone = result == HEDDLE_UNAVAILABLE;
    failure.backend_text = backend_.failure();
    fail(std::move(failure));
    return false;
  }
  if (result == 1) {
    const uint32_t irq = backend_.read32(c::kRegIrqStatus);
    if (irq) backend_.write32(c::kRegIrqStatus, irq);
    if (!collect()) return false;
  } else {
    const auto took = Clock::now() - begin;
    if (took < kSliceShort && slice_cycles_ < kMaxSlice) slice_cycles_ *= 2;
    if (took > kSliceLong && slice_cycles_ > kMinSlice) slice_cycles_ /= 2;
    silent_cycles_ += cycles;
    if (silent_cycles_ >= kLookCycles && !look()) return false;
  }
  if (observer_) observer_();
  return true;
}

void Queue::fail(Failure failure) {
  const std::optional<Task::Item> item =
      flight_.empty() ? std::nullopt : std::optional<Task::Item>(std::move(flight_.front()));
  drop_all();
  if (on_failure_) on_failure_(failure, item ? &*item : nullptr);
}

bool Queue::work() {
  if (!choose()) return false;
  if (const auto control = tasks_.at(running_).task.control) {
    control();
  } else if (!tasks_.at(running_).task.items.empty()) {
    feed();
    if (!slice()) return true;
  }
  if (!running_ || !flight_.empty()) return true;
  if (fed_ < tasks_.at(running_).task.items.size()) return true;
  const Sequence ended = running_;
  running_ = 0;
  finish(ended);
  return true;
}

}  // namespace heddle::driver
