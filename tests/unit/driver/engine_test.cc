// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/engine.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <optional>
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
  Sequence submit(Stream& stream, Task task) {
    task.after = streams.before(stream);
    const Sequence s = push(std::move(task));
    streams.submitted(stream, s);
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
  Streams streams;
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

TEST_F(EngineTest, TheEndOfTheProgramWaitsForWhatRunsWithoutTheLock) {
  bool ends = false, done = false;
  std::atomic<bool> apart{false};
  std::thread other([&] {
    const std::lock_guard held(lock);
    engine->apart([&] {
      apart = true;
      for (bool seen = false; !seen;) {
        const std::lock_guard again(lock);
        seen = ends;
      }
      std::this_thread::sleep_for(10ms);
      done = true;
    });
  });
  while (!apart) std::this_thread::yield();
  {
    const std::lock_guard held(lock);
    ends = true;
    EXPECT_TRUE(engine->finish());
    EXPECT_TRUE(done);
  }
  other.join();
}

TEST_F(EngineTest, TheEndOfTheProgramDoesNotWaitForThreadsThatGoOnSubmitting) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      const std::lock_guard held(lock);
      for (int i = 0; i < 100; ++i) push(nop());
    }
  });
  while (true) {
    const std::lock_guard held(lock);
    if (queue->submitted() > 1000) break;
  }
  {
    const std::lock_guard held(lock);
    const Sequence last = queue->submitted();
    engine->finish();
    EXPECT_TRUE(queue->done_through(last));
  }
  stop = true;
  other.join();
}

// ---- any order that the streams allow, and no other ------------------------------------------------------

// What a submission is given to wait for, and what an error in the rules makes of it.
struct Submission {
  const Stream& stream;
  bool legacy, host;
  size_t number;                      // of the submission
  std::vector<Sequence> own, others;  // of its own stream, of those that it takes turns with
  std::vector<Sequence> events;       // that its stream waits for
};
using Rule = std::function<std::vector<Sequence>(const Submission&)>;

std::vector<Sequence> joined(std::initializer_list<std::vector<Sequence>> lists) {
  std::vector<Sequence> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

class OrderTest : public EngineTest {
 protected:
  // Threads submit tasks to streams. Which must run before which is computed here from the calls alone, by the rules of
  // streams. Returns how many ran before one that they had to wait for. `rule`: in place of the driver's.
  size_t violations(unsigned seed, size_t threads, size_t stream_count, size_t tasks, const Rule& rule = {}) {
    Streams rules;
    std::vector<std::shared_ptr<Stream>> all{rules.legacy()};
    for (size_t i = 1; i < stream_count; ++i) all.push_back(rules.open(i % 3 != 0));
    std::vector<std::vector<size_t>> before(tasks);         // direct predecessors
    std::vector<std::optional<size_t>> last(stream_count);  // of each stream
    std::vector<std::vector<size_t>> waits(stream_count);   // events that its next task waits for
    std::vector<Sequence> number(tasks);
    std::vector<std::atomic<size_t>> turn(tasks);
    std::atomic<size_t> turns{0};
    size_t submitted = 0;
    const auto submit = [&](std::mt19937& rng) {
      const auto random = [&](size_t n) { return size_t{rng()} % n; };
      const size_t t = submitted++, s = random(stream_count);
      Submission call{*all[s], s == 0, random(8) == 0, t, {}, {}, {}};
      const auto from = [&](size_t stream, std::vector<Sequence>& list, std::vector<Sequence>& events) {
        if (last[stream]) before[t].push_back(*last[stream]), list.push_back(number[*last[stream]]);
        for (const size_t w : waits[stream]) before[t].push_back(w), events.push_back(number[w]);
      };
      from(s, call.own, call.events);
      for (size_t o = 0; o < stream_count; ++o)
        if (o != s && all[o]->blocking() && (s == 0 || (o == 0 && all[s]->blocking())))
          from(o, call.others, call.others);
      const auto ran = [&turn, &turns, t] { turn[t] = ++turns; };
      // Host functions that take long enough to be overtaken.
      const auto slowly = [ran, spin = random(4) == 0] {
        if (spin) std::this_thread::sleep_for(50us);
        ran();
      };
      Task task = call.host ? host(slowly) : nop(ran);
      task.after = rule ? rule(call) : rules.before(*all[s]);
      number[t] = push(std::move(task));
      rules.submitted(*all[s], number[t]);
      last[s] = t;
      waits[s].clear();
      if (random(5) == 0) {  // another stream waits for this task's event
        const size_t o = random(stream_count);
        rules.wait_for(*all[o], number[t], *queue);
        // That is the legacy stream's work: behind what the others hold.
        for (size_t q = 1; o == 0 && q < stream_count; ++q) {
          if (!all[q]->blocking()) continue;
          if (last[q]) waits[0].push_back(*last[q]);
          waits[0].insert(waits[0].end(), waits[q].begin(), waits[q].end());
        }
        waits[o].push_back(t);
      }
      if (random(500) == 0) engine->wait(number[random(t + 1)]);
    };
    std::vector<std::thread> submitters;
    for (size_t n = 0; n < threads; ++n)
      submitters.emplace_back([&, n] {
        std::mt19937 rng(seed * 100 + static_cast<unsigned>(n));
        for (bool more = true; more;) {
          const std::lock_guard held(lock);
          for (size_t i = 0; (more = submitted < tasks) && i < 20; ++i) submit(rng);
        }
      });
    for (auto& thread : submitters) thread.join();
    const std::lock_guard held(lock);
    engine->wait_through(queue->submitted());
    EXPECT_EQ(turns, tasks);
    size_t wrong = 0;
    for (size_t t = 0; t < tasks; ++t)
      for (const size_t b : before[t]) wrong += turn[b] > turn[t];
    return wrong;
  }
};

TEST_F(OrderTest, EveryOrderIsOneThatTheStreamsAllow) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) EXPECT_EQ(violations(seed, 4, 8, 3000), 0u) << "seed " << seed;
  EXPECT_EQ(violations(5, 16, 64, 100000), 0u);
}

// The check bites: each error in the rules is found.
TEST_F(OrderTest, AnErrorInTheRulesIsFound) {
  const auto without_last = [](std::vector<Sequence> list) {
    if (!list.empty()) list.pop_back();
    return list;
  };
  const auto without_first = [](std::vector<Sequence> list) {
    if (!list.empty()) list.erase(list.begin());
    return list;
  };
  const std::pair<const char*, Rule> errors[] = {
      {"nothing waits", [](const Submission&) { return std::vector<Sequence>{}; }},
      {"no order within a stream",
       [](const Submission& c) {
         return joined({c.others, c.events});
       }},
      {"events are not waited for",
       [](const Submission& c) {
         return joined({c.own, c.others});
       }},
      {"no turns with the legacy stream",
       [](const Submission& c) {
         return joined({c.own, c.events});
       }},
      {"the legacy stream waits for nobody",
       [](const Submission& c) {
         return c.legacy ? joined({c.own, c.events}) : joined({c.own, c.others, c.events});
       }},
      {"nobody waits for the legacy stream",
       [](const Submission& c) {
         return c.legacy ? joined({c.own, c.others, c.events}) : joined({c.own, c.events});
       }},
      {"the legacy stream waits for others alone",
       [](const Submission& c) {
         return c.legacy ? c.others : joined({c.own, c.others, c.events});
       }},
      {"the legacy stream leaves out the last",
       [=](const Submission& c) {
         return joined({c.own, c.legacy ? without_last(c.others) : c.others, c.events});
       }},
      {"the legacy stream leaves out the first",
       [=](const Submission& c) {
         return joined({c.own, c.legacy ? without_first(c.others) : c.others, c.events});
       }},
      {"the last event is forgotten",
       [=](const Submission& c) {
         return joined({c.own, c.others, without_last(c.events)});
       }},
      {"the first event is forgotten",
       [=](const Submission& c) {
         return joined({c.own, c.others, without_first(c.events)});
       }},
      {"host functions wait for nothing",
       [](const Submission& c) {
         return c.host ? std::vector<Sequence>{} : joined({c.own, c.others, c.events});
       }},
      {"host functions do not wait for their stream",
       [](const Submission& c) {
         return c.host ? joined({c.others, c.events}) : joined({c.own, c.others, c.events});
       }},
      {"commands do not wait for their stream",
       [](const Submission& c) {
         return c.host ? joined({c.own, c.others, c.events}) : joined({c.others, c.events});
       }},
      {"commands do not wait for events",
       [](const Submission& c) {
         return c.host ? joined({c.own, c.others, c.events}) : joined({c.own, c.others});
       }},
      {"every seventh waits for nothing",
       [](const Submission& c) {
         return c.number % 7 == 0 ? std::vector<Sequence>{} : joined({c.own, c.others, c.events});
       }},
      {"every fiftieth forgets its stream",
       [](const Submission& c) {
         return c.number % 50 == 0 ? joined({c.others, c.events}) : joined({c.own, c.others, c.events});
       }},
      {"non-blocking streams have no order",
       [](const Submission& c) {
         return c.stream.blocking() ? joined({c.own, c.others, c.events}) : joined({c.others, c.events});
       }},
      {"non-blocking streams wait for no event",
       [](const Submission& c) {
         return c.stream.blocking() ? joined({c.own, c.others, c.events}) : c.own;
       }},
      {"what is waited for is one too early",
       [](const Submission& c) {
         std::vector<Sequence> all = joined({c.own, c.others, c.events});
         for (Sequence& s : all) --s;
         return all;
       }},
  };
  for (const auto& [name, rule] : errors) {
    size_t wrong = 0;
    for (unsigned seed = 1; seed <= 5 && wrong == 0; ++seed) wrong = violations(seed, 4, 8, 1500, rule);
    EXPECT_GT(wrong, 0u) << name;
  }
}

TEST_F(EngineTest, TheLegacyStreamTakesTurnsWithBlockingOnes) {
  const auto blocking = streams.open(true), own = streams.open(false);
  std::string order;
  const std::lock_guard held(lock);
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
  auto blocking = streams.open(true);
  std::string order;
  const std::lock_guard held(lock);
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
