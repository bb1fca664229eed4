// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/queue.h"

#include <atomic>

namespace heddle::driver {
namespace {

namespace c = contract;
using Clock = std::chrono::steady_clock;

// A slice of device time takes about this long, so that Ctrl-C and the status line stay lively.
constexpr auto kSliceShort = std::chrono::milliseconds(40);
constexpr auto kSliceLong = std::chrono::milliseconds(160);
constexpr uint64_t kMinSlice = 256, kMaxSlice = uint64_t{1} << 30;
// A device that says it is idle while a command is open, so many times running, has lost it.
constexpr int kLostSlices = 4;

}  // namespace

Queue::Queue(device::Backend& backend) : backend_(backend), ring_(kEntries), records_(kEntries) {}

void Queue::start() {
  const uint64_t ring = c::kRegRingBase;
  backend_.write64(ring + c::kRingAddressLo, reinterpret_cast<uint64_t>(ring_.data()));
  backend_.write32(ring + c::kRingEntries, kEntries);
  tail_ = backend_.read32(ring + c::kRingHead);  // a reset leaves the counters at 0
  backend_.write32(c::kRegIrqStatus, c::kIrqCompletion | c::kIrqFault);
  backend_.write32(c::kRegIrqEnable, c::kIrqCompletion | c::kIrqFault);
}

Sequence Queue::push(Item item) {
  waiting_.push_back(std::move(item));
  return ++submitted_;
}

void Queue::put(Item item) {
  const uint32_t slot = tail_ % kEntries;
  records_[slot] = {};
  if (!item.quiet) item.command.words[c::kWordOpcode] |= c::kFlagIrq;
  item.command.words[c::kWordTag] = tail_;
  item.command.set64(c::kWordCompletion, reinterpret_cast<uint64_t>(&records_[slot]));
  ring_[slot] = item.command;
  if (item.begin) item.begin();
  flight_.push_back(std::move(item));
  ++tail_;
}

void Queue::ring_doorbell() { backend_.write32(c::kRegRingBase + c::kRingTail, tail_); }

void Queue::feed() {
  bool wrote = false;
  while (!waiting_.empty() && flight_.size() < kEntries && !launch_running()) {
    if (waiting_.front().host) break;
    put(std::move(waiting_.front()));
    waiting_.pop_front();
    wrote = true;
  }
  if (wrote) ring_doorbell();
}

bool Queue::run_now(const c::Command& command) {
  Item item;
  item.command = command;
  item.counted = false;
  put(std::move(item));
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
    idle_slices_ = 0;
    if (status != c::kStatusOk) {
      fail(read_failure(backend_, status));
      return false;
    }
    const Item item = std::move(flight_.front());
    flight_.pop_front();
    completed_ += item.counted;
    if (item.done) item.done(records_[slot]);
  }
  return true;
}

bool Queue::slice() {
  const auto begin = Clock::now();
  const int result = backend_.wait(slice_cycles_);
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
  } else {
    const auto took = Clock::now() - begin;
    if (took < kSliceShort && slice_cycles_ < kMaxSlice) slice_cycles_ *= 2;
    if (took > kSliceLong && slice_cycles_ > kMinSlice) slice_cycles_ /= 2;
    const bool busy = backend_.read32(c::kRegStatus) & c::kStatusBitsBusy;
    idle_slices_ = busy ? 0 : idle_slices_ + 1;
  }
  if (!collect()) return false;
  if (!flight_.empty() && idle_slices_ >= kLostSlices) {
    Failure failure;
    failure.backend_text = "the device is idle but has not completed a command";
    fail(std::move(failure));
    return false;
  }
  if (observer_ && !observer_()) {
    interrupted_ = true;
    return false;
  }
  return true;
}

void Queue::fail(Failure failure) {
  failure_ = std::move(failure);
  if (on_failure_) on_failure_(*failure_, flight_.empty() ? nullptr : &flight_.front());
}

void Queue::drop_all() {
  flight_.clear();
  waiting_.clear();
  completed_ = submitted_;
}

void Queue::run_host(const Item& item) {
  try {
    item.host();
  } catch (...) {
    drop_all();
    throw;
  }
  ++completed_;
}

bool Queue::drain(Sequence s) {
  while (completed_ < s) {
    if (failure_ || interrupted_ || stopped_) {
      drop_all();
      return false;
    }
    if (flight_.empty() && !waiting_.empty() && waiting_.front().host) {
      const Item item = std::move(waiting_.front());
      waiting_.pop_front();
      run_host(item);
      if (!stopped_ && !failure_) continue;
      drop_all();
      return false;
    }
    feed();
    if (flight_.empty()) return false;
    if (!slice()) {
      drop_all();
      return false;
    }
  }
  return true;
}

bool Queue::poll() {
  if (completed_ == submitted_) return true;
  if (flight_.empty() && waiting_.front().host) return drain(completed_ + 1);
  feed();
  if (slice()) return true;
  drop_all();
  return false;
}

}  // namespace heddle::driver
