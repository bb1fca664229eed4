// SPDX-License-Identifier: Apache-2.0
// Random work of 16 threads on 64 streams and their events, judged by CUDA's rules (stream_order.h). Streams have
// priorities, and some kernels take long, so that the order in which work runs is not that of its submission.
// HEDDLE_COMMANDS says how many operations.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <utility>

#include "tests/unit/runtime/cudart_fixture.h"
#include "tests/unit/runtime/stream_order.h"

namespace heddle::test {
namespace {

constexpr int kThreads = 16, kBlocking = 31, kNonBlocking = 16, kShared = 1 + kBlocking + kNonBlocking;

int commands() {
  const char* text = std::getenv("HEDDLE_COMMANDS");
  return text ? std::atoi(text) : HEDDLE_COMMANDS;
}

class Streams : public Cudart {
 protected:
  void SetUp() override {
    Cudart::SetUp();
    ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&lowest_, &highest_), cudaSuccess);
    kinds_ = {StreamKind::Legacy};
    handles_ = {cudaStreamLegacy};
    for (int s = 0; s < kBlocking + kNonBlocking; s++) {
      const bool blocking = s < kBlocking;
      kinds_.push_back(blocking ? StreamKind::Blocking : StreamKind::NonBlocking);
      ASSERT_EQ(
          cudaStreamCreateWithPriority(&handles_.emplace_back(), blocking ? cudaStreamDefault : cudaStreamNonBlocking,
                                       highest_ + 1 + s % (lowest_ - highest_)),
          cudaSuccess);
    }
    kinds_.insert(kinds_.end(), kThreads, StreamKind::Blocking);  // each thread's own
    each_ = commands() / kThreads;
    counter_ = device(1);
    slots_ = device(static_cast<size_t>(kThreads) * static_cast<size_t>(each_));
    ASSERT_EQ(cudaMemset(counter_, 0, 4), cudaSuccess);
    ASSERT_EQ(launch(&stubs.stamp, 1, 1, counter_, counter_, 0), cudaSuccess);  // loads the module
    ASSERT_EQ(cudaMemset(counter_, 0, 4), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }

  // What a thread does.
  class Worker {
   public:
    Worker(Streams& test, int number, uint64_t seed) : test_(test), number_(number), random_(seed) {}

    void run() {
      expect(cudaStreamCreateWithPriority(&own_, cudaStreamNonBlocking, test_.highest_));
      expect(cudaMallocHost(reinterpret_cast<void**>(&seen_), 4));
      for (int n = 0; n < test_.each_; n++) step(n);
      for (auto& [event, handle] : recorded_) expect(cudaEventDestroy(handle));
      expect(cudaFreeHost(seen_));
      expect(cudaStreamDestroy(own_));
    }
    std::vector<StreamOp> ops;

   private:
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    void expect(cudaError_t e) { EXPECT_EQ(e, cudaSuccess); }

    template <typename Call>
    StreamOp& timed(StreamOp::Kind kind, int stream, int event, Call call) {
      StreamOp op{kind, stream, event, test_.ticket_++, 0};
      expect(call());
      op.end = test_.ticket_++;
      return ops.emplace_back(op);
    }

    void step(int n) {
      const int slot = number_ * test_.each_ + n;
      // The legacy stream, which all wait for, seldom; the thread's own often.
      const unsigned dice = pick(100);
      const int stream = dice < 2 ? 0 : dice < 20 ? kShared + number_ : 1 + static_cast<int>(pick(kShared - 1));
      const cudaStream_t handle = stream < kShared ? test_.handles_[static_cast<size_t>(stream)] : cudaStreamPerThread;
      const unsigned what = pick(100);
      if (what < 60) {
        int *counter = test_.counter_, *to = test_.slots_ + slot;
        int turns = pick(32) ? 0 : 4000;
        void* arguments[] = {&counter, &to, &turns};
        timed(StreamOp::Kernel, stream, -1, [&] { return cudaLaunchKernel(&stubs.stamp, 1, 1, arguments, 0, handle); });
        ops.back().value = static_cast<uint32_t>(slot);
      } else if (what < 72) {
        timed(StreamOp::Copy, stream, -1, [&] {
          return cudaMemcpyAsync(test_.slots_ + slot, test_.counter_, 4, cudaMemcpyDeviceToDevice, handle);
        });
        ops.back().value = static_cast<uint32_t>(slot);
      } else if (what < 82) {
        // Now and then one that was recorded before.
        cudaEvent_t event = nullptr;
        if (!recorded_.empty() && pick(2)) {
          std::swap(recorded_[pick(static_cast<unsigned>(recorded_.size()))], recorded_.back());
          event = recorded_.back().second;
          recorded_.pop_back();
        } else {
          expect(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        }
        const int name = test_.events_++;
        timed(StreamOp::Record, stream, name, [&] { return cudaEventRecord(event, handle); });
        recorded_.emplace_back(name, event);
      } else if (what < 96) {
        if (recorded_.empty()) return;
        const auto [name, event] = recorded_[pick(static_cast<unsigned>(recorded_.size()))];
        if (what < 94) timed(StreamOp::Wait, stream, name, [&] { return cudaStreamWaitEvent(handle, event, 0); });
        else synchronized(stream, name, [&] { return cudaEventSynchronize(event); });
      } else if (what < 97) {
        synchronized(-1, -1, [&] { return cudaDeviceSynchronize(); });
      } else {
        synchronized(stream, -1, [&] { return cudaStreamSynchronize(handle); });
      }
    }

    // Then the count is read, by a stream that waits for nothing and overtakes all that others have yet to run.
    template <typename Call>
    void synchronized(int stream, int event, Call call) {
      const size_t at = ops.size();
      timed(StreamOp::Sync, stream, event, call);
      *seen_ = 0;
      expect(cudaMemcpyAsync(seen_, test_.counter_, 4, cudaMemcpyDeviceToHost, own_));
      expect(cudaStreamSynchronize(own_));
      ops[at].value = *seen_;
    }

    Streams& test_;
    int number_;
    std::mt19937_64 random_;
    cudaStream_t own_ = nullptr;
    uint32_t* seen_ = nullptr;
    std::vector<std::pair<int, cudaEvent_t>> recorded_;
  };

  // All threads' operations, with what they saw.
  std::vector<StreamOp> run(uint64_t seed) {
    std::vector<std::unique_ptr<Worker>> workers;
    for (int t = 0; t < kThreads; t++)
      workers.push_back(std::make_unique<Worker>(*this, t, seed + static_cast<uint64_t>(t)));
    std::vector<std::thread> threads;
    for (auto& w : workers) threads.emplace_back([&w] { w->run(); });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<uint32_t> values(static_cast<size_t>(kThreads) * static_cast<size_t>(each_));
    EXPECT_EQ(cudaMemcpy(values.data(), slots_, 4 * values.size(), cudaMemcpyDeviceToHost), cudaSuccess);
    std::vector<StreamOp> all;
    for (auto& w : workers)
      for (StreamOp& op : w->ops) {
        if (op.kind == StreamOp::Kernel || op.kind == StreamOp::Copy) op.value = values[op.value];
        all.push_back(op);
      }
    return all;
  }

  std::vector<StreamKind> kinds_;
  std::vector<cudaStream_t> handles_;
  std::atomic<uint64_t> ticket_{1};
  std::atomic<int> events_{0};
  int each_ = 0, lowest_ = 0, highest_ = 0;
  int *counter_ = nullptr, *slots_ = nullptr;
};

// ---- the judge ----
constexpr StreamKind kLegacy = StreamKind::Legacy, kWaiting = StreamKind::Blocking, kFree = StreamKind::NonBlocking;

TEST(Judge, WorkOfAStreamRunsInItsOrder) {
  const std::vector<StreamOp> right = {{StreamOp::Kernel, 0, -1, 1, 2, 1}, {StreamOp::Kernel, 0, -1, 3, 4, 2}};
  EXPECT_EQ(judge({kFree}, right), "");
  std::vector<StreamOp> wrong = right;
  std::swap(wrong[0].value, wrong[1].value);
  EXPECT_EQ(judge({kFree}, wrong), "a kernel of stream 0, submitted in [3, 4], came at 2, which is not behind 4");
  wrong[1].begin = 2, wrong[0].end = 3;  // calls that overlap have no order
  EXPECT_EQ(judge({kFree}, wrong), "");
}

TEST(Judge, TheLegacyStreamTakesTurnsWithBlockingOnes) {
  for (const StreamKind other : {kWaiting, kFree}) {
    const bool free = other == kFree;
    EXPECT_EQ(judge({kLegacy, other}, {{StreamOp::Kernel, 0, -1, 1, 2, 2}, {StreamOp::Kernel, 1, -1, 3, 4, 1}}) == "",
              free);
    EXPECT_EQ(judge({kLegacy, other}, {{StreamOp::Kernel, 1, -1, 1, 2, 2}, {StreamOp::Copy, 0, -1, 3, 4, 1}}) == "",
              free);
    // Through the legacy stream's wait for an event, which is its work.
    EXPECT_EQ(judge({kLegacy, other, kWaiting}, {{StreamOp::Record, 2, 7, 1, 2},
                                                 {StreamOp::Kernel, 1, -1, 3, 4, 2},
                                                 {StreamOp::Wait, 0, 7, 5, 6},
                                                 {StreamOp::Kernel, 2, -1, 7, 8, 1}}) == "",
              free);
  }
  EXPECT_EQ(
      judge({kLegacy, kWaiting, kWaiting}, {{StreamOp::Kernel, 1, -1, 1, 2, 2}, {StreamOp::Kernel, 2, -1, 3, 4, 1}}),
      "");
}

TEST(Judge, EventsAndWaits) {
  const auto events = [](uint32_t first, uint32_t second) {
    return judge({kFree, kFree}, {{StreamOp::Kernel, 0, -1, 1, 2, first},
                                  {StreamOp::Record, 0, 3, 3, 4},
                                  {StreamOp::Wait, 1, 3, 5, 6},
                                  {StreamOp::Kernel, 1, -1, 7, 8, second}});
  };
  EXPECT_EQ(events(1, 2), "");
  EXPECT_NE(events(2, 1), "");
  const auto seen = [](int stream, int event, uint32_t count) {
    return judge({kFree, kFree}, {{StreamOp::Kernel, 0, -1, 1, 2, 1},
                                  {StreamOp::Record, 0, 3, 3, 4},
                                  {StreamOp::Kernel, 1, -1, 5, 6, 2},
                                  {StreamOp::Sync, stream, event, 7, 8, count}}) == "";
  };
  EXPECT_TRUE(seen(0, -1, 1) && seen(1, 3, 1) && seen(1, -1, 2) && seen(-1, -1, 2));
  EXPECT_FALSE(seen(0, -1, 0) || seen(1, 3, 0) || seen(1, -1, 1) || seen(-1, -1, 1));
}

TEST_F(Streams, RunInAnOrderThatCudaAllows) {
  const char* text = std::getenv("HEDDLE_SEED");
  const uint64_t seed = text ? std::strtoull(text, nullptr, 0) : std::random_device()();
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const std::vector<StreamOp> ops = run(seed);
  EXPECT_EQ(judge(kinds_, ops), "");
  EXPECT_GT(ops.size(), static_cast<size_t>(commands()) * 9 / 10);
}

}  // namespace
}  // namespace heddle::test
