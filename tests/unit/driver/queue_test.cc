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
  Queue::Item nop() {
    Queue::Item item;
    item.command.words[c::kWordOpcode] = c::kCommandNop;
    return item;
  }
  Queue::Item launch() {
    Queue::Item item;
    item.command.words[c::kWordOpcode] = c::kCommandLaunch;
    item.launch = std::make_shared<LaunchInfo>();
    return item;
  }

  test::FakeTransport fake;
  std::unique_ptr<device::Backend> backend;
  std::unique_ptr<Queue> queue;
};

TEST_F(QueueTest, NothingRunsBeforeSomeoneWaits) {
  queue->push(nop());
  EXPECT_TRUE(fake.device().executed.empty());
  EXPECT_FALSE(queue->done(1));
  EXPECT_TRUE(queue->drain(1));
  EXPECT_TRUE(queue->done(1));
  EXPECT_EQ(fake.device().executed.size(), 1u);
}

TEST_F(QueueTest, MoreCommandsThanTheRingHoldsAllRunInOrder) {
  std::vector<int> order;
  for (int i = 0; i < 300; ++i) {
    auto item = nop();
    item.done = [&order, i](const c::Completion&) { order.push_back(i); };
    queue->push(std::move(item));
  }
  ASSERT_TRUE(queue->drain(300));
  ASSERT_EQ(order.size(), 300u);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST_F(QueueTest, AHostFunctionRunsBetweenTheCommandsAroundIt) {
  std::string order;
  auto first = nop(), last = nop();
  first.done = [&](const c::Completion&) { order += "a"; };
  last.done = [&](const c::Completion&) { order += "c"; };
  Queue::Item host;
  host.host = [&] {
    order += "b";
    EXPECT_EQ(fake.device().executed.size(), 1u);
  };
  queue->push(std::move(first));
  queue->push(std::move(host));
  queue->push(std::move(last));
  ASSERT_TRUE(queue->drain(3));
  EXPECT_EQ(order, "abc");
}

TEST_F(QueueTest, AHostFunctionMayRunACommandAtOnce) {
  Queue::Item host;
  host.host = [&] {
    EXPECT_TRUE(queue->run_now(nop().command));
    EXPECT_EQ(fake.device().executed.size(), 1u);
  };
  queue->push(std::move(host));
  queue->push(nop());
  EXPECT_TRUE(queue->drain(2));
  EXPECT_EQ(queue->completed(), 2u);
}

TEST_F(QueueTest, AHostFunctionMayStopTheQueue) {
  Queue::Item host;
  host.host = [&] { queue->stop(); };
  queue->push(std::move(host));
  queue->push(nop());
  EXPECT_FALSE(queue->drain(1));  // also when it was the last item waited for
  EXPECT_TRUE(fake.device().executed.empty());
  EXPECT_TRUE(queue->done(2));
}

TEST_F(QueueTest, AHostFunctionThatThrowsDropsWhatFollows) {
  Queue::Item host;
  host.host = [] { throw 1; };
  queue->push(std::move(host));
  queue->push(nop());
  EXPECT_THROW(queue->drain(2), int);
  EXPECT_TRUE(queue->done(2));
  EXPECT_TRUE(fake.device().executed.empty());
  EXPECT_TRUE(queue->drain(2));
}

TEST_F(QueueTest, WhatWasNeverSubmittedIsNotWaitedFor) {
  queue->push(nop());
  EXPECT_FALSE(queue->drain(2));
  EXPECT_EQ(fake.device().executed.size(), 1u);
  EXPECT_FALSE(queue->failure());
}

TEST_F(QueueTest, NothingFollowsALaunchIntoTheRing) {
  fake.kernel = [](heddle_device& d, const c::Command&) {
    EXPECT_EQ(d.registers[c::kRegRingBase + c::kRingTail], 2u);  // the copy before it, and the launch
    return c::kStatusOk;
  };
  queue->push(nop());
  queue->push(launch());
  queue->push(nop());
  EXPECT_TRUE(queue->drain(3));
}

TEST_F(QueueTest, AFailureDropsWhatFollows) {
  fake.kernel = [](heddle_device&, const c::Command&) { return c::kStatusFault; };
  bool later = false, told = false;
  queue->set_failure_handler([&](const Failure& f, const Queue::Item* item) {
    told = true;
    EXPECT_EQ(f.status, c::kStatusFault);
    ASSERT_NE(item, nullptr);
    EXPECT_NE(item->launch, nullptr);
  });
  queue->push(launch());
  auto after = nop();
  after.done = [&](const c::Completion&) { later = true; };
  queue->push(std::move(after));
  EXPECT_FALSE(queue->drain(2));
  EXPECT_TRUE(told);
  EXPECT_FALSE(later);
  EXPECT_TRUE(queue->done(2));
  EXPECT_EQ(fake.device().executed.size(), 1u);
}

TEST_F(QueueTest, ABackendThatFailsGivesItsText) {
  fake.device().failure_text = "mismatch at PC 0x40";
  queue->push(nop());
  EXPECT_FALSE(queue->drain(1));
  ASSERT_TRUE(queue->failure());
  EXPECT_EQ(queue->failure()->backend_text, "mismatch at PC 0x40");
}

TEST_F(QueueTest, ADeviceThatLosesACommandIsFoundOut) {
  fake.device().forgetful = true;
  queue->push(nop());
  EXPECT_FALSE(queue->drain(1));
  ASSERT_TRUE(queue->failure());
  EXPECT_NE(queue->failure()->backend_text.find("idle"), std::string::npos);
}

TEST_F(QueueTest, TheObserverStopsAnEndlessWait) {
  fake.device().stuck = true;
  int slices = 0;
  queue->set_observer([&] { return ++slices < 3; });
  queue->push(nop());
  EXPECT_FALSE(queue->drain(1));
  EXPECT_TRUE(queue->interrupted());
  EXPECT_FALSE(queue->failure());
  EXPECT_EQ(slices, 3);
}

TEST_F(QueueTest, PollingWorksALittleAtATime) {
  queue->push(nop());
  queue->push(nop());
  EXPECT_TRUE(queue->poll());
  EXPECT_TRUE(queue->done(1));
  EXPECT_FALSE(queue->done(2));
  EXPECT_TRUE(queue->poll());
  EXPECT_TRUE(queue->done(2));
}

TEST_F(QueueTest, KeptMemoryLivesUntilItsCommandEnded) {
  auto memory = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = memory;
  auto item = nop();
  item.keep = std::move(memory);
  queue->push(std::move(item));
  EXPECT_FALSE(watch.expired());
  ASSERT_TRUE(queue->drain(1));
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace heddle::driver
