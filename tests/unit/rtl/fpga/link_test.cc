// SPDX-License-Identifier: Apache-2.0
// The board's end of the link against the host's (the driver's own code), with a line between them that loses, flips
// and doubles bytes: every message arrives whole, once and in order, in both directions.
#include "host-runtime/device/board/link.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "Vlink_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

using board::Link;
using Bytes = std::vector<uint8_t>;

constexpr unsigned kByteCycles = 20;     // of the line
constexpr uint64_t kCyclesPerMs = 1000;  // of the clock that the host sees

// The machine in simulation, its message side driven at random, and the line.
class Machine {
 public:
  explicit Machine(uint64_t seed) : bench(seed), top(*bench.top) {
    top.rx_valid_i = top.rx_error_i = top.write_i = top.commit_i = top.message_done_i = 0;
    top.tx_ready_i = 0;
    bench.reset();
  }

  unsigned lose = 0, flip = 0, twice = 0;  // one in n bytes, each way; 0: none
  bool cut = false;                        // nothing passes
  unsigned talk = 0;                       // one in n idle cycles the machine sends a message; 0: only those queued
  unsigned slow = 1;                       // one in n cycles a message is taken

  std::deque<uint8_t> to_board, to_host;  // on the line
  std::vector<Bytes> received;            // by the machine
  std::vector<Bytes> sent;                // by the machine
  uint64_t restarts = 0, cycles = 0;

  void cycle() {
    cycles++;
    // Line to board.
    top.rx_valid_i = top.rx_error_i = 0;
    if (cycles % kByteCycles == 0 && !to_board.empty()) {
      uint8_t byte = to_board.front();
      const bool again = hit(twice);
      if (!again) to_board.pop_front();
      if (!cut && !hit(lose)) {
        top.rx_error_i = hit(8 * flip);  // some flips hit the stop bit
        top.rx_valid_i = !top.rx_error_i;
        top.rx_data_i = hit(flip) ? byte ^ (1u << bench.rng() % 8) : byte;
      }
    }
    // Board to line.
    top.tx_ready_i = cycles % kByteCycles == 1;
    talk_machine();
    listen_machine();
    bench.settle();
    if (top.tx_valid_o && top.tx_ready_i && !cut && !hit(lose)) {
      const uint8_t byte = hit(flip) ? top.tx_data_o ^ (1u << bench.rng() % 8) : top.tx_data_o;
      to_host.push_back(byte);
      if (hit(twice)) to_host.push_back(byte);
    }
    bench.tick();
    bench.settle();
    if (top.restart_o) {
      restarts++;
      writing_ = -1;
      reading_ = -1;
    }
  }

  void queue(Bytes message) { queued_.push_back(std::move(message)); }

  RtlBench<Vlink_top> bench;
  Vlink_top& top;

 private:
  bool hit(unsigned n) { return n && bench.one_in(n); }

  void talk_machine() {
    top.write_i = top.commit_i = 0;
    if (writing_ < 0 && top.connected_o && top.free_o != 0 && !top.restart_o) {
      if (!queued_.empty()) {
        message_ = queued_.front();
        queued_.pop_front();
        writing_ = 0;
      } else if (hit(talk)) {
        message_.resize(1 + bench.rng() % board::kPayloadBytes);
        for (uint8_t& b : message_) b = random_byte();
        writing_ = 0;
      }
    }
    if (writing_ < 0) return;
    top.write_i = 1;
    top.write_index_i = static_cast<uint8_t>(writing_);
    top.write_data_i = message_[static_cast<size_t>(writing_)];
    if (++writing_ < static_cast<int>(message_.size())) return;
    top.commit_i = 1;
    top.commit_length_i = static_cast<uint8_t>(message_.size());
    sent.push_back(message_);
    writing_ = -1;
  }

  void listen_machine() {
    top.message_done_i = 0;
    if (!top.message_valid_o || top.restart_o) return;
    if (reading_ < 0) {
      if (!bench.one_in(slow)) return;
      incoming_.clear();
      reading_ = 0;
    } else {
      incoming_.push_back(top.message_data_o);
    }
    top.message_index_i = static_cast<uint8_t>(reading_++);
    if (incoming_.size() < top.message_length_o) return;
    received.push_back(incoming_);
    top.message_done_i = 1;
    reading_ = -1;
  }

  // Flags and escapes often.
  uint8_t random_byte() {
    return bench.one_in(4) ? (bench.one_in(2) ? board::kFlag : board::kEscape) : static_cast<uint8_t>(bench.rng());
  }

  std::deque<Bytes> queued_;
  Bytes message_, incoming_;
  int writing_ = -1, reading_ = -1;
};

// The host's serial port: waiting lets the machine run.
class MachinePort final : public board::Port {
 public:
  explicit MachinePort(Machine& machine) : machine_(machine) {}
  Result<size_t> read(uint8_t* data, size_t bytes) override {
    if (machine_.cut && unplugged) return Error("unplugged");
    size_t n = 0;
    for (; n < bytes && !machine_.to_host.empty(); n++) {
      data[n] = machine_.to_host.front();
      machine_.to_host.pop_front();
    }
    return n;
  }
  Result<size_t> write(const uint8_t* data, size_t bytes) override {
    if (machine_.cut && unplugged) return Error("unplugged");
    const size_t n = machine_.to_board.size() < 256 ? std::min<size_t>(bytes, 256) : 0;
    machine_.to_board.insert(machine_.to_board.end(), data, data + n);
    return n;
  }
  void wait(bool to_write, int milliseconds) override {
    for (uint64_t i = 0; i < kCyclesPerMs * static_cast<uint64_t>(milliseconds); i++) {
      machine_.cycle();
      if (machine_.to_host.size() > 16 || (to_write && machine_.to_board.size() < 64)) return;
    }
  }
  Status reopen() override {
    if (machine_.cut) return Error("not there");
    return {};
  }
  uint64_t now() override { return machine_.cycles / kCyclesPerMs; }
  const std::string& name() const override { return name_; }
  bool unplugged = false;

 private:
  Machine& machine_;
  std::string name_ = "machine";
};

class LinkTest : public ::testing::Test {
 protected:
  LinkTest() : machine_(seed()) { Verilated::assertOn(true); }

  void connect(uint32_t nonce = 0x12345678) {
    auto port = std::make_unique<MachinePort>(machine_);
    port_ = port.get();
    auto link = Link::connect(std::move(port), nonce, {5000, 4000}, [this](const Bytes& m) { heard_.push_back(m); });
    ASSERT_TRUE(link) << link.error().message();
    link_ = std::move(*link);
  }

  Bytes random_message() {
    Bytes m(1 + machine_.bench.rng() % board::kPayloadBytes);
    for (uint8_t& b : m) b = machine_.bench.one_in(4) ? board::kFlag : static_cast<uint8_t>(machine_.bench.rng());
    return m;
  }

  // Messages both ways until the host has sent `count`, and then until all have arrived.
  void converse(size_t count) {
    std::vector<Bytes> sent;
    for (size_t n = 0; n < count; n++) {
      sent.push_back(random_message());
      link_->send(sent.back());
      if (!machine_.bench.one_in(4)) continue;
      ASSERT_TRUE(link_->pump(machine_.bench.rng() % 4)) << failure();
    }
    machine_.talk = 0;
    for (int i = 0; i < 20000 && (machine_.received.size() < count || heard_.size() < machine_.sent.size()); i++)
      ASSERT_TRUE(link_->pump(5)) << failure();
    EXPECT_EQ(machine_.received, sent);
    EXPECT_EQ(heard_, machine_.sent);
  }
  std::string failure() { return link_->status() ? "" : link_->status().error().message(); }

  Machine machine_;
  MachinePort* port_ = nullptr;
  std::vector<Bytes> heard_;
  std::unique_ptr<Link> link_;
};

TEST_F(LinkTest, ABoardSaysWhatItIs) {
  connect();
  EXPECT_EQ(link_->identity().link_version, board::kLinkVersion);
  EXPECT_EQ(link_->identity().window, board::kWindow);
  EXPECT_EQ(link_->identity().preset_hash, 0x01020304u);
  EXPECT_EQ(link_->identity().bitstream_id, 0x11121314u);
  EXPECT_EQ(link_->identity().memory_bytes, 0x21222324u);
  EXPECT_EQ(link_->identity().clock_khz, 0x31323334u);
  EXPECT_EQ(machine_.restarts, 1u);
}

TEST_F(LinkTest, ACleanLineNeedsNoSecondSending) {
  connect();
  machine_.talk = 500;
  converse(300);
  EXPECT_EQ(link_->counters().damaged, 0u);
  EXPECT_EQ(link_->counters().resent, 0u);
  EXPECT_GT(heard_.size(), 20u);
}

TEST_F(LinkTest, LostBytes) {
  machine_.lose = 300;
  connect();
  machine_.talk = 500;
  converse(300);
  EXPECT_GT(link_->counters().damaged, 0u);
}

TEST_F(LinkTest, FlippedBits) {
  machine_.flip = 300;
  connect();
  machine_.talk = 500;
  converse(300);
}

TEST_F(LinkTest, DoubledBytes) {
  machine_.twice = 300;
  connect();
  machine_.talk = 500;
  converse(300);
}

TEST_F(LinkTest, AllAtOnceAndASlowMachine) {
  machine_.lose = machine_.flip = machine_.twice = 400;
  machine_.slow = 1000;
  connect();
  machine_.talk = 500;
  converse(100);
}

TEST_F(LinkTest, GarbageBeforeTheFirstWordIsSkipped) {
  for (int i = 0; i < 2000; i++) machine_.to_board.push_back(static_cast<uint8_t>(machine_.bench.rng()));
  connect();
  converse(20);
}

TEST_F(LinkTest, ACableThatIsPulledAndPutBackCostsOnlyTime) {
  connect();
  machine_.talk = 500;
  port_->unplugged = true;
  std::vector<Bytes> sent;
  for (int round = 0; round < 6; round++) {
    for (int n = 0; n < 30; n++) {
      sent.push_back(random_message());
      link_->send(sent.back());
    }
    ASSERT_TRUE(link_->pump(3));
    machine_.cut = true;
    machine_.to_board.clear();
    machine_.to_host.clear();
    for (int i = 0; i < 40; i++) ASSERT_TRUE(link_->pump(20)) << failure();
    machine_.cut = false;
  }
  machine_.talk = 0;
  for (int i = 0; i < 20000 && (machine_.received.size() < sent.size() || heard_.size() < machine_.sent.size()); i++)
    ASSERT_TRUE(link_->pump(5)) << failure();
  EXPECT_EQ(machine_.received, sent);
  EXPECT_EQ(heard_, machine_.sent);
  EXPECT_GT(link_->counters().reopened, 0u);
  EXPECT_EQ(machine_.restarts, 1u) << "the session went on";
}

TEST_F(LinkTest, ACableThatStaysAwayEndsInAnError) {
  connect();
  machine_.cut = true;
  Status status;
  const uint64_t begin = machine_.cycles;
  while ((status = link_->pump(100)) && machine_.cycles - begin < 20000 * kCyclesPerMs) {
  }
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message().find("no answer for 4 s"), std::string::npos) << status.error().message();
}

TEST_F(LinkTest, ABoardThatWasResetIsFoundOut) {
  connect();
  converse(10);
  machine_.bench.reset();
  machine_.received.clear();
  for (int i = 0; i < 5; i++) link_->send(random_message());
  Status status;
  for (int i = 0; i < 1000 && (status = link_->pump(10)); i++) {
  }
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message().find("no longer knows this session"), std::string::npos);
  EXPECT_TRUE(machine_.received.empty());
}

TEST_F(LinkTest, ANewSessionHearsNothingOfTheOldOne) {
  connect(1);
  machine_.talk = 50;
  for (int n = 0; n < 40; n++) link_->send(random_message());
  ASSERT_TRUE(link_->pump(2));  // both directions are full of messages
  Machine& m = machine_;
  // The old program dies without a word; what is on the line stays there.
  auto old = std::move(link_);
  m.talk = 0;
  m.received.clear();
  m.sent.clear();
  heard_.clear();
  connect(0x10002);
  m.received.clear();
  m.sent.clear();
  heard_.clear();
  converse(50);
  EXPECT_EQ(m.restarts, 2u);
  m.cut = true;  // so that the old one's good-bye does not matter
}

TEST_F(LinkTest, GoodByeEndsTheSession) {
  connect();
  EXPECT_TRUE(machine_.top.connected_o);
  link_.reset();
  for (int i = 0; i < 20000; i++) machine_.cycle();
  EXPECT_FALSE(machine_.top.connected_o);
  EXPECT_EQ(machine_.restarts, 2u);
}

}  // namespace
}  // namespace heddle::test
