// SPDX-License-Identifier: Apache-2.0
// What managed memory's exchange moves, and that it is exact.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <random>

#include "tests/unit/driver/context_fixture.h"

namespace heddle::driver {
namespace {

constexpr uint64_t kPage = ManagedMemory::kPage;

class ExchangeTest : public ContextTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(reserve_window(c::kMemoryBase, heddle_device::kMemory));
    open();
    context->memory().set_window(c::kMemoryBase, heddle_device::kMemory);
    auto module = context->modules().load(image());
    ASSERT_TRUE(module);
    ASSERT_TRUE(context->waits().synchronize());
    kernel_ = (*module)->kernel("first");
  }
  void TearDown() override {
    context.reset();
    munmap(reinterpret_cast<void*>(c::kMemoryBase), heddle_device::kMemory);
  }
  char* allocate(uint64_t bytes) {
    auto place = context->memory().allocate_managed(bytes);
    EXPECT_TRUE(place);
    return reinterpret_cast<char*>(*place);
  }
  void launch_first() { ASSERT_TRUE(context->launcher().launch(*kernel_, {{1, 1, 1}, {32, 1, 1}, 0}, 0, nullptr)); }
  void launch_and_wait() {
    launch_first();
    ASSERT_TRUE(context->waits().synchronize());
  }
  static uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

  struct Moved {
    uint64_t commands = 0, bytes = 0;
    bool operator==(const Moved&) const = default;
  };
  // What copies with that flag moved since the last call.
  Moved moved(uint32_t flag) {
    Moved sum;
    for (const c::Command& command : fake.device().executed) {
      const uint32_t opcode = command.words[c::kWordOpcode];
      if ((opcode & 0xff) == c::kCommandCopy && (opcode & flag))
        ++sum.commands, sum.bytes += command.get64(c::kWordBytes);
    }
    return sum;
  }
  Moved sent() { return moved(c::kFlagSourceHost); }
  Moved fetched() { return moved(c::kFlagDestinationHost); }
  void forget() { fake.device().executed.clear(); }

  const Kernel* kernel_ = nullptr;
};

TEST_F(ExchangeTest, OnlyPagesThatTheHostChangedAreSent) {
  char* p = allocate(1 << 20);
  forget();
  launch_and_wait();
  EXPECT_EQ(sent(), (Moved{1, 1 << 20}));  // what was there before is not known
  forget();
  for (int i = 0; i < 3; ++i) launch_and_wait();
  EXPECT_EQ(sent(), Moved{});
  p[3 * kPage + 7] = 1;
  p[4 * kPage] = 1;
  p[9 * kPage - 1] = 1;
  launch_and_wait();
  EXPECT_EQ(sent(), (Moved{2, 3 * kPage}));
  forget();
  p[0] = 1;
  p[0] = 0;  // as the device has it
  launch_and_wait();
  EXPECT_EQ(sent(), Moved{});
}

TEST_F(ExchangeTest, OnlyWhatWorkMayHaveWrittenComesHome) {
  char *p = allocate(64 * kPage), *q = allocate(4 * kPage);
  launch_and_wait();
  forget();
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(fetched(), Moved{});  // no work
  ASSERT_TRUE(context->copies().fill(address(p) + 5 * kPage + 9, 0x01010101, kPage));
  ASSERT_TRUE(context->copies().fill(address(p) + 5 * kPage + 4, 0x02020202, 4));
  ASSERT_TRUE(context->copies().copy_in(address(q), "text", 4));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(fetched(), (Moved{2, 3 * kPage}));
  EXPECT_STREQ(q, "text");
  EXPECT_EQ(p[5 * kPage + 4], 2);
  EXPECT_EQ(p[6 * kPage + 8], 1);
  forget();
  char out[4];
  ASSERT_TRUE(context->copies().copy_out(out, address(q), 4));
  ASSERT_TRUE(context->waits().synchronize());
  EXPECT_EQ(fetched(), (Moved{1, 4}));  // the copy itself
  EXPECT_EQ(sent(), Moved{});
}

TEST_F(ExchangeTest, OfManyPagesOnlyThoseComeHomeThatTheDeviceSaysWereWritten) {
  char* p = allocate(1 << 20);
  launch_and_wait();
  forget();
  launch_and_wait();
  EXPECT_EQ(fetched(), (Moved{1, 1 << 20}));  // a device that does not know
  auto& written = fake.device().written.emplace(heddle_device::kMemory);
  const auto first = address(p) - c::kMemoryBase;
  fake.kernel = [&](heddle_device& d, const c::Command&) {
    d.memory(address(p))[8 * kPage] = d.memory(address(p))[9 * kPage] = 5;
    written.add(first + 8 * kPage, 2 * kPage);
    return c::kStatusOk;
  };
  forget();
  launch_and_wait();
  EXPECT_EQ(fetched(), (Moved{1, 2 * kPage}));
  EXPECT_EQ(p[8 * kPage] + p[9 * kPage], 10);
  fake.kernel = {};
  forget();
  launch_and_wait();
  EXPECT_EQ(fetched(), Moved{});
  EXPECT_EQ(sent(), Moved{});
}

TEST_F(ExchangeTest, WhatTheHostWritesBesideARunningKernelStays) {
  char* p = allocate(16);
  p[0] = p[1] = p[2] = 1;
  fake.kernel = [&](heddle_device& d, const c::Command&) {
    d.memory(address(p))[1] = 2;
    p[2] = 3;
    return c::kStatusOk;
  };
  launch_and_wait();
  EXPECT_EQ(p[0], 1);
  EXPECT_EQ(p[1], 2);
  EXPECT_EQ(p[2], 3);
  fake.kernel = [&](heddle_device& d, const c::Command&) {
    EXPECT_EQ(d.memory(address(p))[2], 3);
    return c::kStatusOk;
  };
  launch_and_wait();
}

// ---- both sides write at random ------------------------------------------------------------------------

// One piece of managed memory, and what each side should hold of it.
struct Shared {
  uint64_t device_address = 0;
  char* at = nullptr;  // of the host
  std::vector<char> owned;
  bool variable = false;
  std::string host, device, agreed;
};

struct Write {
  size_t piece, at, bytes;
  char value;
};

class RandomExchange : public ExchangeTest {
 protected:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  void add() {
    Shared& s = pieces_.emplace_back();
    const size_t bytes = 1 + below(12 * kPage);
    s.variable = below(3) == 0;
    if (s.variable) {
      s.owned.assign(bytes + 16, static_cast<char>(below(256)));
      s.at = s.owned.data() + below(16);
      s.device_address = *context->memory().allocate(bytes);
      ASSERT_TRUE(context->memory().share_variable(s.device_address, bytes, s.at));
    } else {
      s.at = allocate(bytes);
      s.device_address = address(s.at);
    }
    on_device_home();
    s.host.assign(s.at, bytes);
  }
  void remove(size_t i) {
    if (pieces_[i].variable) {
      ASSERT_TRUE(context->memory().unshare_variable(pieces_[i].device_address));
    }
    ASSERT_TRUE(context->memory().release(pieces_[i].device_address));
    pieces_.erase(pieces_.begin() + static_cast<ptrdiff_t>(i));
    on_device_home();
  }
  Write any_write() {
    Write w{below(pieces_.size()), 0, 0, static_cast<char>(below(4))};
    const size_t bytes = pieces_[w.piece].host.size();
    w.at = below(bytes);
    w.bytes = 1 + below(std::min<size_t>(bytes - w.at, below(4) ? 12 : bytes));
    return w;
  }
  void host_writes() {
    const Write w = any_write();
    Shared& s = pieces_[w.piece];
    std::memset(s.at + w.at, w.value, w.bytes);
    std::memset(s.host.data() + w.at, w.value, w.bytes);
  }
  // As the calls are defined: the device gets all that the host has, the host all that the device has changed.
  void lend() {
    if (!on_device_)
      for (Shared& s : pieces_) s.device = s.agreed = s.host;
    on_device_ = true;
  }
  void on_device_home() {
    if (on_device_)
      for (Shared& s : pieces_)
        for (size_t i = 0; i < s.device.size(); ++i)
          if (s.device[i] != s.agreed[i]) s.host[i] = s.device[i];
    on_device_ = false;
  }
  // A kernel that looks at all it can see, and writes while the host does.
  void run() {
    lend();
    std::vector<Write> ours(below(4)), theirs(below(3));
    std::vector<std::pair<uint64_t, std::string>> seen;
    for (const Shared& s : pieces_) seen.emplace_back(s.device_address, s.device);
    for (Write& w : ours) w = any_write();
    for (Write& w : theirs) w = any_write();
    std::vector<std::pair<char*, Write>> host_side;
    std::vector<std::pair<uint64_t, Write>> device_side;
    for (const Write& w : ours) {
      std::memset(pieces_[w.piece].device.data() + w.at, w.value, w.bytes);
      device_side.emplace_back(pieces_[w.piece].device_address + w.at, w);
    }
    for (const Write& w : theirs) {
      std::memset(pieces_[w.piece].host.data() + w.at, w.value, w.bytes);
      host_side.emplace_back(pieces_[w.piece].at + w.at, w);
    }
    kernels_.push_back([=, this](heddle_device& d) {
      for (const auto& [at, bytes] : seen)
        if (std::memcmp(d.memory(at), bytes.data(), bytes.size()) != 0) ++wrong_;
      for (const auto& [at, w] : device_side) {
        std::memset(d.memory(at), w.value, w.bytes);
        if (d.written) d.written->add(at - c::kMemoryBase, w.bytes);
      }
      for (const auto& [at, w] : host_side) std::memset(at, w.value, w.bytes);
    });
    launch_first();
  }
  void fill() {
    const Write w = any_write();
    lend();
    std::memset(pieces_[w.piece].device.data() + w.at, w.value, w.bytes);
    const auto pattern = static_cast<uint32_t>(w.value) * 0x01010101u;
    ASSERT_TRUE(context->copies().fill(pieces_[w.piece].device_address + w.at, pattern, w.bytes));
  }
  void copy() {
    Write from = any_write(), to = any_write();
    lend();
    const size_t bytes = std::min(from.bytes, to.bytes);
    if (from.piece == to.piece) return;
    std::memcpy(pieces_[to.piece].device.data() + to.at, pieces_[from.piece].device.data() + from.at, bytes);
    ASSERT_TRUE(context->copies().copy_device(pieces_[to.piece].device_address + to.at,
                                              pieces_[from.piece].device_address + from.at, bytes));
  }
  void wait() {
    ASSERT_TRUE(context->waits().synchronize());
    on_device_home();
    for (const Shared& s : pieces_)
      if (std::memcmp(s.at, s.host.data(), s.host.size()) != 0) ++wrong_;
  }

  std::mt19937 random_;
  std::vector<Shared> pieces_;
  std::deque<std::function<void(heddle_device&)>> kernels_;
  bool on_device_ = false;
  int wrong_ = 0;
};

// With one that tells what was written and one that does not.
TEST_F(RandomExchange, IsExact) {
  const char* given = std::getenv("HEDDLE_SEED");
  const unsigned first = given ? static_cast<unsigned>(std::atoi(given)) : std::random_device{}();
  fake.kernel = [&](heddle_device& d, const c::Command&) {
    kernels_.front()(d);
    kernels_.pop_front();
    return c::kStatusOk;
  };
  for (unsigned seed = first; seed < first + 300; ++seed) {
    random_.seed(seed);
    fake.device().written.reset();
    if (seed % 2) fake.device().written.emplace(heddle_device::kMemory);
    for (int step = 0; step < 60; ++step) {
      if (pieces_.size() < 2) add();
      switch (below(10)) {
        case 0: add(); break;
        case 1: remove(below(pieces_.size())); break;
        case 2:
        case 3: fill(); break;
        case 4: copy(); break;
        case 5:  // the contents are on their way home, and the next launch comes
          ASSERT_TRUE(context->waits().query(context->work().submitted()));
          on_device_home();
          run();
          break;
        default:
          wait();
          for (size_t n = below(4); n > 0; --n) host_writes();
          run();
      }
    }
    wait();
    while (!pieces_.empty()) remove(0);
    ASSERT_EQ(wrong_, 0) << "HEDDLE_SEED=" << seed;
  }
}

}  // namespace
}  // namespace heddle::driver
