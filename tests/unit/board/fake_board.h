// SPDX-License-Identifier: Apache-2.0
// The board's end of the link in a few lines of C++, for tests of the host's: registers that remember, DMA on
// demand, and a serial port with a clock of its own. Perfect line; says what it is told to say.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host-runtime/device/board/frame.h"
#include "host-runtime/device/board/port.h"
#include "host-runtime/device/contract.h"

namespace heddle::test {

class FakeBoard {
 public:
  using Bytes = std::vector<uint8_t>;

  // What it says of itself.
  uint8_t version = board::kLinkVersion, window = board::kWindow;
  uint32_t preset_hash = 0, bitstream_id = 0x77, memory_bytes = 32 << 20, clock_khz = 50000;
  bool silent = false;     // hears, says nothing
  bool forgotten = false;  // no longer knows any session
  bool unplugged = false;
  uint64_t back_at = UINT64_MAX;  // when it is plugged in again
  bool deaf_to_reads = false;
  uint64_t slowness = 1;  // its clock is so many times slower than it says
  uint64_t now = 0;       // ms

  std::map<uint16_t, uint32_t> registers;
  std::vector<std::pair<uint16_t, uint32_t>> writes;
  std::vector<uint16_t> reads;
  std::deque<Bytes> answers;  // DmaData and DmaDone, as they came
  std::deque<uint8_t> to_host;
  unsigned byes = 0, data_frames = 0, acks = 0;

  void say(Bytes message) {
    kept_.push_back(std::move(message));
    send_data(static_cast<uint8_t>(next_++), kept_.back());
  }
  // The last message once more, or one that is out of turn.
  void say_again() { send_data(static_cast<uint8_t>(next_ - 1), kept_.back()); }
  void say_out_of_turn(Bytes message) { send_data(static_cast<uint8_t>(next_ + 1), message); }

  void take(uint8_t byte) {
    if (reader_.take(byte) == board::FrameReader::Event::Frame) frame(reader_.frame());
  }

 private:
  void frame(const board::Frame& f) {
    if (silent) return;
    if (forgotten && f.kind != board::kKindConnect) return send(board::kKindUnknown, f.session, 0, {});
    switch (f.kind) {
      case board::kKindConnect: {
        session_ = f.session;
        awaited_ = next_ = 0;
        Bytes p(board::kHelloBytes);
        p[0] = version;
        p[1] = window;
        std::copy(f.payload.begin(), f.payload.end(), p.begin() + 4);
        board::put_little(&p[8], preset_hash, 4);
        board::put_little(&p[12], bitstream_id, 4);
        board::put_little(&p[16], memory_bytes, 4);
        board::put_little(&p[20], clock_khz, 4);
        return send(board::kKindHello, session_, 0, p);
      }
      case board::kKindPing: return send(board::kKindAck, session_, 0, {});
      case board::kKindBye: byes++; return;
      case board::kKindAck: acks++; return;
      case board::kKindData: break;
      default: return;
    }
    data_frames++;
    if (f.sequence == awaited_) {
      awaited_++;
      message(f.payload);
    }
    send(board::kKindAck, session_, 0, {});
  }

  void message(const Bytes& m) {
    const auto offset = static_cast<uint16_t>(board::get_little(&m[1], 2));
    if (m[0] == board::kOpRegWrite) {
      registers[offset] = static_cast<uint32_t>(board::get_little(&m[3], 4));
      writes.emplace_back(offset, registers[offset]);
    } else if (m[0] == board::kOpRegRead) {
      if (deaf_to_reads) return;
      reads.push_back(offset);
      // Its clock runs as it says.
      if (offset == contract::kRegCyclesLo) registers[offset] = static_cast<uint32_t>(now * clock_khz / slowness);
      Bytes a(5);
      a[0] = board::kOpRegData;
      board::put_little(&a[1], registers[offset], 4);
      say(a);
    } else {
      answers.push_back(m);
    }
  }

  void send_data(uint8_t sequence, const Bytes& message) { send(board::kKindData, session_, sequence, message); }
  void send(uint8_t kind, uint16_t session, uint8_t sequence, const Bytes& payload) {
    Bytes out;
    board::encode({kind, session, sequence, awaited_, payload}, out);
    to_host.insert(to_host.end(), out.begin(), out.end());
  }

  board::FrameReader reader_;
  uint16_t session_ = 0;
  uint8_t awaited_ = 0;
  unsigned next_ = 0;
  std::deque<Bytes> kept_;
};

class FakePort final : public board::Port {
 public:
  explicit FakePort(FakeBoard& board) : board_(board) {}
  Result<size_t> read(uint8_t* data, size_t bytes) override {
    if (board_.unplugged) return Error("unplugged");
    size_t n = 0;
    for (; n < bytes && !board_.to_host.empty(); n++) {
      data[n] = board_.to_host.front();
      board_.to_host.pop_front();
    }
    return n;
  }
  Result<size_t> write(const uint8_t* data, size_t bytes) override {
    if (board_.unplugged) return Error("unplugged");
    for (size_t i = 0; i < bytes; i++) board_.take(data[i]);
    return bytes;
  }
  void wait(bool, int milliseconds) override {
    if (board_.to_host.empty() || board_.unplugged) board_.now += static_cast<uint64_t>(milliseconds);
  }
  Status reopen() override {
    if (board_.now >= board_.back_at) board_.unplugged = false;
    if (board_.unplugged) return Error("not there");
    return {};
  }
  uint64_t now() override { return board_.now; }
  const std::string& name() const override { return name_; }

 private:
  FakeBoard& board_;
  std::string name_ = "/dev/ttyFAKE0";
};

}  // namespace heddle::test
