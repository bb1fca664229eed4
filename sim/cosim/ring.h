// SPDX-License-Identifier: Apache-2.0
// A queue between one producer thread and one consumer thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace heddle::cosim {

template <typename T>
class Ring {
 public:
  // `capacity` is a power of two.
  explicit Ring(size_t capacity) : mask_(capacity - 1), items_(capacity) {}

  // Producer. False when full.
  bool push(const T& item) {
    const size_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_seen_ > mask_) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (head - tail_seen_ > mask_) return false;
    }
    items_[head & mask_] = item;
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // Consumer: the oldest item, nullptr when empty. It stays until pop().
  const T* front() {
    const size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_seen_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (tail == head_seen_) return nullptr;
    }
    return &items_[tail & mask_];
  }
  void pop() { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  // Either thread: all that was pushed has been popped.
  bool drained() const { return tail_.load(std::memory_order_acquire) == head_.load(std::memory_order_acquire); }

 private:
  const size_t mask_;
  std::vector<T> items_;
  alignas(64) std::atomic<size_t> head_{0};
  size_t tail_seen_ = 0;  // producer's
  alignas(64) std::atomic<size_t> tail_{0};
  size_t head_seen_ = 0;  // consumer's
};

}  // namespace heddle::cosim
