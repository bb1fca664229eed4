// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/queue.h"

#include <gtest/gtest.h>

#include "tests/unit/driver/fake_device.h"
#include "tests/unit/driver/test_preset.h"

namespace heddle::driver {
namespace {

namespace c = contract;

class QueueTest : public ::testing::Test {
 protected:
  QueueTest() : fake(test::preset()) {
    backend = std::move(*device::Backend::open(fake.table(), {}));
    queue = std::make_unique<Queue>(*backend);
    queue->start();
  }
  Task nop(std::function<void()> done = {}) {
    Task task;
    Task::Item& item = task.items.emplace_back();
    item.command.words[c::kWordOpcode] = c::kCommandNop;
    if (done) item.done = [done](const c::Completion&) { done(); };
    return task;
  }
  Task launch() {
    Task task = nop();
    task.items[0].command.words[c::kWordOpcode] = c::kCommandLaunch;
    task.items[0].launch = std::make_shared<LaunchInfo>();
    return task;
  }
  static Task host(std::function<void(bool)> function) {
    Task task;
    task.host = std::move(function);
    return task;
  }
  static Task after(std::vector<Sequence> before, Task task) {
    task.after = std::move(before);
    return task;
  }
  static Task after_all(Task task) {
    task.after_all = true;
    return task;
  }
  // Everything, host functions as their turn comes.
  void work() {
    for (;;) {
      if (queue->work()) continue;
      const auto call = queue->next_host();
      if (!call) return;
      call->function(call->dropped);
      queue->host_done(call->sequence);
    }
  }

  test::FakeTransport fake;
  std::unique_ptr<device::Backend> backend;
  std::unique_ptr<Queue> queue;
};

TEST_F(QueueTest, NothingRunsBeforeSomeoneLetsItWork) {
  const Sequence s = queue->push(nop());
  EXPECT_TRUE(fake.device().executed.empty());
  EXPECT_FALSE(queue->done(s));
  EXPECT_TRUE(queue->work());
  EXPECT_TRUE(queue->done(s));
  EXPECT_EQ(fake.device().executed.size(), 1u);
  EXPECT_FALSE(queue->work());
}

TEST_F(QueueTest, WhatWaitsForNothingRunsInTheOrderOfSubmission) {
  std::vector<int> order;
  for (int i = 0; i < 300; ++i) queue->push(nop([&order, i] { order.push_back(i); }));
  work();
  ASSERT_EQ(order.size(), 300u);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST_F(QueueTest, MoreCommandsOfOneTaskThanTheRingHoldsAllRunBeforeAnother) {
  std::vector<int> order;
  Task rows;
  for (int i = 0; i < 150; ++i) rows.items.push_back(nop([&order, i] { order.push_back(i); }).items[0]);
  queue->push(std::move(rows));
  queue->push(nop([&] { order.push_back(150); }));
  work();
  ASSERT_EQ(order.size(), 151u);
  for (int i = 0; i < 151; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

// Cycles depend on the order alone: nothing enters the ring before the task in front of it has left.
TEST_F(QueueTest, ATaskEntersAnEmptyRing) {
  size_t most = 0;
  const auto look = [&] {
    const auto& r = fake.device().registers;
    most = std::max<size_t>(most, r.at(c::kRegRingBase + c::kRingTail) - r.at(c::kRegRingBase + c::kRingHead));
  };
  queue->set_wait([&](uint64_t cycles) {
    look();
    return backend->wait(cycles);
  });
  for (int i = 0; i < 10; ++i) queue->push(nop());
  work();
  EXPECT_EQ(most, 1u);
}

TEST_F(QueueTest, ATaskWaitsForThoseThatItNames) {
  std::string order;
  const auto note = [&](char c) { return [&order, c](bool) { order += c; }; };
  const Sequence a = queue->push(host(note('a')));
  queue->push(after({a}, nop([&] { order += 'b'; })));
  queue->push(nop([&] { order += 'c'; }));  // waits for nothing
  const Sequence d = queue->push(after({a, a}, host(note('d'))));
  queue->push(after({d, 77}, nop([&] { order += 'e'; })));  // 77: not submitted, nothing to wait for
  work();
  EXPECT_EQ(order, "cabde");
  EXPECT_TRUE(queue->idle());
}

TEST_F(QueueTest, OfTasksThatCanBeginTheHighestPriorityGoesFirst) {
  std::string order;
  const auto task = [&](char name, int priority) {
    Task t = nop([&order, name] { order += name; });
    t.priority = priority;
    return t;
  };
  queue->push(task('a', 0));
  queue->push(task('b', -1));
  const Sequence c = queue->push(task('c', -5));
  queue->push(task('d', -1));
  queue->push(after({c}, task('e', -5)));
  work();
  EXPECT_EQ(order, "cebda");
}

TEST_F(QueueTest, ATaskThatWaitsForAllWaitsForAllBeforeIt) {
  std::string order;
  queue->push(host([&](bool) { order += 'a'; }));
  queue->push(nop([&] { order += 'b'; }));
  queue->push(after_all(nop([&] { order += 'c'; })));
  queue->push(after_all(nop([&] { order += 'd'; })));
  queue->push(nop([&] { order += 'e'; }));
  work();
  EXPECT_EQ(order, "beacd");
}

TEST_F(QueueTest, DoneThroughCountsEverythingBefore) {
  const Sequence a = queue->push(host([](bool) {}));
  const Sequence b = queue->push(nop());
  EXPECT_TRUE(queue->work());
  EXPECT_TRUE(queue->done(b));
  EXPECT_FALSE(queue->done_through(b));
  work();
  EXPECT_TRUE(queue->done(a));
  EXPECT_TRUE(queue->done_through(b));
}

TEST_F(QueueTest, ACommandMayRunAtOnceBetweenTasks) {
  auto first = nop();
  first.items[0].done = [&](const c::Completion&) {
    EXPECT_TRUE(queue->run_now(nop().items[0].command));
    EXPECT_EQ(fake.device().executed.size(), 2u);
  };
  queue->push(std::move(first));
  const Sequence last = queue->push(nop());
  work();
  EXPECT_TRUE(queue->done_through(last));
  EXPECT_EQ(fake.device().executed.size(), 3u);
}

TEST_F(QueueTest, DroppedTasksCountAsDoneAndSomeHostFunctionsHearOfIt) {
  std::string told;
  auto wants = host([&](bool dropped) { told += dropped ? "dropped" : "in turn"; });
  wants.host_when_dropped = true;
  const Sequence a = queue->push(nop());
  queue->push(after({a}, host([&](bool) { told += "never"; })));
  const Sequence last = queue->push(after({a}, std::move(wants)));
  queue->drop_all();
  EXPECT_TRUE(queue->done_through(last));
  work();
  EXPECT_EQ(told, "dropped");
  EXPECT_TRUE(fake.device().executed.empty());
}

TEST_F(QueueTest, ALaunchEntersTheRingWithWhatItNeedsInFront) {
  fake.kernel = [](heddle_device& d, const c::Command&) {
    EXPECT_EQ(d.registers[c::kRegRingBase + c::kRingTail], 3u);
    return c::kStatusOk;
  };
  Task group = nop();
  group.items.push_back(nop().items[0]);
  group.items.push_back(launch().items[0]);
  queue->push(std::move(group));
  queue->push(nop());
  work();
  EXPECT_EQ(fake.device().executed.size(), 4u);
}

TEST_F(QueueTest, AFailureDropsWhatFollows) {
  fake.kernel = [](heddle_device&, const c::Command&) { return c::kStatusFault; };
  bool later = false, told = false;
  queue->set_failure_handler([&](const Failure& f, const Task::Item* item) {
    told = true;
    EXPECT_EQ(f.status, c::kStatusFault);
    ASSERT_NE(item, nullptr);
    EXPECT_NE(item->launch, nullptr);
    EXPECT_TRUE(queue->idle());
  });
  queue->push(launch());
  const Sequence last = queue->push(nop([&] { later = true; }));
  work();
  EXPECT_TRUE(told);
  EXPECT_FALSE(later);
  EXPECT_TRUE(queue->done_through(last));
  EXPECT_EQ(fake.device().executed.size(), 1u);
}

TEST_F(QueueTest, ABackendThatFailsGivesItsText) {
  std::string text;
  queue->set_failure_handler([&](const Failure& f, const Task::Item*) { text = f.backend_text; });
  fake.device().failure_text = "mismatch at PC 0x40";
  queue->push(nop());
  work();
  EXPECT_EQ(text, "mismatch at PC 0x40");
  EXPECT_TRUE(queue->idle());
}

TEST_F(QueueTest, ADeviceThatLosesACommandIsFoundOut) {
  std::string text;
  queue->set_failure_handler([&](const Failure& f, const Task::Item*) { text = f.backend_text; });
  fake.device().forgetful = true;
  queue->push(nop());
  work();
  EXPECT_NE(text.find("idle"), std::string::npos);
}

TEST_F(QueueTest, TheObserverSeesEachSlice) {
  fake.device().stuck = true;
  int slices = 0;
  queue->set_observer([&] { ++slices; });
  queue->push(nop());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue->work());
  EXPECT_EQ(slices, 3);
}

TEST_F(QueueTest, KeptMemoryLivesUntilItsCommandEnded) {
  auto memory = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = memory;
  auto task = nop();
  task.items[0].keep = std::move(memory);
  queue->push(std::move(task));
  EXPECT_FALSE(watch.expired());
  work();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace heddle::driver
