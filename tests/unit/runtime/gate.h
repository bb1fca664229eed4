// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "cuda_runtime_api.h"

namespace heddle::test {

// A host function in a stream: what is behind it waits until it is opened.
class Gate {
 public:
  explicit Gate(cudaStream_t stream) {
    EXPECT_EQ(cudaLaunchHostFunc(
                  stream,
                  [](void* p) {
                    auto* gate = static_cast<Gate*>(p);
                    std::unique_lock lock(gate->lock_);
                    gate->changed_.wait(lock, [gate] { return gate->open_; });
                    gate->passed_ = true;
                    gate->changed_.notify_all();
                  },
                  this),
              cudaSuccess);
  }
  ~Gate() { open(); }
  bool passed() {
    const std::lock_guard lock(lock_);
    return passed_;
  }
  void open() {
    std::unique_lock lock(lock_);
    open_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return passed_; });
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool open_ = false, passed_ = false;
};

}  // namespace heddle::test
