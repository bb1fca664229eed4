// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/engine.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <condition_variable>
#include <random>
#include <stdexcept>
#include <thread>

#include "host-runtime/driver/stream.h"
#include "tests/unit/driver/fake_device.h"
#include "tests/unit/driver/test_preset.h"

namespace heddle::driver {
namespace {

namespace c = contract;
using namespace std::chrono_literals;

double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) / 1e6; };
  return seconds(u.ru_utime) + seconds(u.ru_stime);
}

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() : fake(test::preset()) {
    backend = std::move(*device::Backend::open(fake.table(), {}));
    queue = std::make_unique<Queue>(*backend);
    queue->start();
    queue->set_failure_handler([this](const Failure& f, const Task::Item*) { failure = f.backend_text; });
    engine = std::make_unique<Engine>(*backend, *queue, &lock, [this](const std::string& what) { thrown = what; });
  }
  ~EngineTest() override {
    const std::lock_guard held(lock);
    engine->stop();
  }
  Task nop(std::function<void()> done = {}) {
    Task task;
    Task::Item& item = task.items.emplace_back();
    item.command.words[c::kWordOpcode] = c::kCommandNop;
    if (done) item.done = [done](const c::Completion&) { done(); };
    return task;
  }
  static Task host(std::function<void()> function) {
    Task task;
    task.host = [function](bool) { function(); };
    return task;
  }
  Sequence push(Task task) {
    const Sequence s = queue->push(std::move(task));
    engine->wake();
    return s;
  }
  // A host function that ends when open() is called.
  Task gate() {
    return host([this] {
      std::unique_lock l(gate_lock);
      gate_changed.wait(l, [this] { return open; });
    });
  }
  void open_gate() {
    const std::lock_guard l(gate_lock);
    open = true;
    gate_changed.notify_all();
  }

  test::FakeTransport fake;
  std::mutex lock;
  std::unique_ptr<device::Backend> backend;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Engine> engine;
  std::string failure, thrown;
  std::mutex gate_lock;
  std::condition_variable gate_changed;
  bool open = false;
};

TEST_F(EngineTest, WorkIsDoneThoughNobodyWaits) {
  std::atomic<int> done{0};
  {
    const std::lock_guard held(lock);
    push(nop([&] { ++done; }));
    push(host([&] { ++done; }));
  }
  for (int i = 0; i < 5000 && done < 2; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(done, 2);
}

TEST_F(EngineTest, WithoutWorkNoTimeIsSpent) {
  std::this_thread::sleep_for(20ms);  // both threads have begun to wait
  const double before = cpu_seconds();
  std::this_thread::sleep_for(200ms);
  EXPECT_LT(cpu_seconds() - before, 0.02);
}

TEST_F(EngineTest, OthersGoOnWhileOneWaits) {
  fake.device().stuck = true;
  std::atomic<bool> waiting{false}, ended{false};
  std::thread waiter([&] {
    const std::lock_guard held(lock);
    const Sequence s = push(nop());
    waiting = true;
    engine->wait(s);
    ended = true;
  });
  while (!waiting) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) {
    const std::lock_guard held(lock);
    EXPECT_FALSE(ended);
  }
  {
    const std::lock_guard held(lock);
    engine->hold();
    fake.device().stuck = false;
  }
  waiter.join();
}

TEST_F(EngineTest, AHostFunctionRunsWithoutTheLockAndOthersPassIt) {
  const std::lock_guard held(lock);
  const Sequence g = push(gate());
  const Sequence n = push(nop());
  engine->wait(n);
  EXPECT_TRUE(queue->done(n));
  EXPECT_FALSE(queue->done(g));
  open_gate();
  engine->wait(g);
  EXPECT_TRUE(queue->idle());
}

TEST_F(EngineTest, AHostFunctionMayWaitForAThreadThatUsesTheDevice) {
  std::atomic<bool> used{false};
  const std::lock_guard held(lock);
  const Sequence s = push(host([&] {
    while (!used) std::this_thread::yield();
  }));
  std::thread other([&] {
    const std::lock_guard inner(lock);
    engine->wait(push(nop()));
    used = true;
  });
  engine->wait(s);
  EXPECT_TRUE(queue->done(s));
  other.join();
}

TEST_F(EngineTest, WhatAHostFunctionThrowsIsTold) {
  const std::lock_guard held(lock);
  engine->wait(push(host([] { throw std::runtime_error("no more room"); })));
  EXPECT_EQ(thrown, "an exception: no more room");
  engine->wait(push(host([] { throw 5; })));
  EXPECT_EQ(thrown, "an exception: not a std::exception");
}

TEST_F(EngineTest, ADeviceThatFailsWhileNobodyWaitsLetsEverybodyGo) {
  {
    const std::lock_guard held(lock);
    engine->hold();
    fake.device().failure_text = "mismatch";
    for (int i = 0; i < 10; ++i) push(nop());
  }
  std::this_thread::sleep_for(10ms);
  const std::lock_guard held(lock);
  engine->wait_through(queue->submitted());
  EXPECT_EQ(failure, "mismatch");
  EXPECT_TRUE(queue->idle());
}

TEST_F(EngineTest, StopEndsAWaitInTheMiddleOfAKernel) {
  fake.device().stuck = true;
  std::atomic<bool> waiting{false};
  std::thread waiter([&] {
    const std::lock_guard held(lock);
    waiting = true;
    engine->wait(push(nop()));
  });
  while (!waiting) std::this_thread::yield();
  {
    const std::lock_guard held(lock);
    engine->stop();
  }
  waiter.join();
}

TEST_F(EngineTest, TheEndOfTheProgramDoesNotWaitForAHostFunctionThatDoesNotEnd) {
  const std::lock_guard held(lock);
  push(gate());
  bool ran = false;
  const Sequence n = push(nop([&] { ran = true; }));
  EXPECT_FALSE(engine->finish());  // it must stay: the function still runs
  EXPECT_TRUE(ran);
  EXPECT_TRUE(queue->done(n));
  open_gate();
  while (queue->host_runs()) {
    lock.unlock();
    std::this_thread::sleep_for(1ms);
    lock.lock();
  }
}

// ---- any order that the streams allow, and no other ------------------------------------------------------

// Predecessors are computed here from the calls, by the rules of streams.
TEST_F(EngineTest, EveryOrderIsOneThatTheStreamsAllow) {
  constexpr size_t kStreams = 8, kTasks = 3000;
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    std::mt19937 rng(seed);
    const auto random = [&](size_t n) { return size_t{rng()} % n; };
    Streams streams;
    std::vector<std::shared_ptr<Stream>> all{streams.legacy()};
    for (size_t i = 1; i < kStreams; ++i) all.push_back(streams.open(i % 3 != 0));
    std::vector<std::vector<size_t>> before(kTasks);    // direct predecessors by the rules
    std::vector<std::optional<size_t>> last(kStreams);  // of each stream
    std::vector<std::vector<size_t>> waits(kStreams);   // events that its next task waits for
    std::vector<Sequence> number(kTasks);
    std::vector<std::atomic<int>> turn(kTasks);
    std::atomic<int> turns{0};
    {
      const std::lock_guard held(lock);
      for (size_t t = 0; t < kTasks; ++t) {
        const size_t s = random(kStreams);
        const auto from = [&](size_t other) {
          if (last[other]) before[t].push_back(*last[other]);
          for (const size_t w : waits[other]) before[t].push_back(w);
        };
        from(s);
        if (s == 0) {
          for (size_t o = 1; o < kStreams; ++o)
            if (all[o]->blocking()) from(o);
        } else if (all[s]->blocking()) {
          from(0);
        }
        const auto ran = [&turn, &turns, t] { turn[t] = ++turns; };
        Task task = random(4) == 0 ? host(ran) : nop(ran);
        task.after = streams.before(*all[s]);
        number[t] = push(std::move(task));
        streams.submitted(*all[s], number[t]);
        last[s] = t;
        waits[s].clear();
        if (random(5) == 0) {  // another stream waits for this task's event
          const size_t o = random(kStreams);
          all[o]->wait_for(number[t]);
          waits[o].push_back(t);
        }
        if (random(200) == 0) engine->wait(number[random(t + 1)]);
      }
      engine->wait_through(queue->submitted());
    }
    ASSERT_EQ(turns, static_cast<int>(kTasks));
    for (size_t t = 0; t < kTasks; ++t)
      for (const size_t b : before[t])
        ASSERT_LT(turn[b], turn[t]) << "seed " << seed << ": task " << t << " before " << b;
  }
}

TEST_F(EngineTest, TheLegacyStreamTakesTurnsWithBlockingOnes) {
  Streams streams;
  const auto blocking = streams.open(true), own = streams.open(false);
  std::string order;
  const std::lock_guard held(lock);
  const auto submit = [&](Stream& stream, Task task) {
    task.after = streams.before(stream);
    const Sequence s = push(std::move(task));
    streams.submitted(stream, s);
    return s;
  };
  submit(*blocking, gate());
  submit(*blocking, nop([&] { order += 'b'; }));
  submit(*streams.legacy(), nop([&] { order += 'l'; }));
  engine->wait(submit(*own, nop([&] { order += 'o'; })));
  EXPECT_EQ(order, "o");  // the non-blocking one alone passes
  const auto second = streams.open(true);
  const Sequence last = submit(*second, nop([&] { order += 's'; }));
  open_gate();
  engine->wait(last);
  EXPECT_EQ(order, "obls");
}

TEST_F(EngineTest, AStreamThatIsClosedIsStillWaitedForByTheLegacyOne) {
  Streams streams;
  auto blocking = streams.open(true);
  std::string order;
  const std::lock_guard held(lock);
  const auto submit = [&](Stream& stream, Task task) {
    task.after = streams.before(stream);
    const Sequence s = push(std::move(task));
    streams.submitted(stream, s);
    return s;
  };
  submit(*blocking, gate());
  submit(*blocking, nop([&] { order += 'b'; }));
  streams.close(blocking, *queue);
  const Sequence last = submit(*streams.legacy(), nop([&] { order += 'l'; }));
  open_gate();
  engine->wait(last);
  EXPECT_EQ(order, "bl");
}

}  // namespace
}  // namespace heddle::driver
