// SPDX-License-Identifier: Apache-2.0
// Waveforms of a process that dies by a signal (abort, a crash, hang-up): what they hold in memory reaches the file.
#pragma once

#include <pthread.h>

#include <atomic>

#include "sim/verilator/fst_writer.h"

namespace heddle::rtl {

// While one exists, deadly signals of which nobody knows better write out the file first; then they do what they
// would have done. Nothing is written while a Change exists, nor changes while something is written.
class WaveRescue {
 public:
  explicit WaveRescue(FstWriter& writer);
  ~WaveRescue();
  WaveRescue(const WaveRescue&) = delete;
  WaveRescue& operator=(const WaveRescue&) = delete;

  // The writer is at work. `allowed`: not while another thread of the process dies.
  class Change {
   public:
    explicit Change(WaveRescue& rescue) : rescue_(rescue) {
      rescue_.changer_.store(pthread_self());
      rescue_.changing_.store(true);
      allowed_ = !rescue_.dying_.load();
    }
    ~Change() {
      rescue_.changing_.store(false);
      if (rescue_.postponed_.load()) rescue_.die();
    }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;
    bool allowed() const { return allowed_; }

   private:
    WaveRescue& rescue_;
    bool allowed_;
  };

  // From the signal handler. A hang-up that meets its own thread in the middle of a change waits for its end.
  void write();
  bool postpone(int number);

 private:
  void die();

  FstWriter& writer_;
  std::atomic<pthread_t> changer_{};
  std::atomic<int> postponed_{0};
  std::atomic<bool> changing_{false}, dying_{false};
};

}  // namespace heddle::rtl
