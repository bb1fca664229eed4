// SPDX-License-Identifier: Apache-2.0
// The host's end of the serial link: messages arrive whole, once and in order, whatever the line
// does to the bytes; or the link fails with a reason, and stays failed. The board's end:
// fpga/rtl/link.sv.
//
// Nothing happens between calls: pump() moves the bytes. The board waits meanwhile, so a program
// may take its time; silence counts only while pump() waits.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/board/frame.h"
#include "host-runtime/device/board/port.h"

namespace heddle::board {

// What a board says of itself.
struct Identity {
  uint8_t link_version = 0, window = 0;
  uint32_t preset_hash = 0, bitstream_id = 0, memory_bytes = 0, clock_khz = 0;
};

struct LinkLimits {
  uint64_t connect_ms = 3000;   // until the first answer
  uint64_t silence_ms = 10000;  // without a whole frame, or without the port
};

// Counts since connect().
struct LinkCounters {
  uint64_t frames = 0, damaged = 0, resent = 0, reopened = 0;
};

class Link {
 public:
  using OnMessage = std::function<void(const std::vector<uint8_t>&)>;

  // Begins a session, which resets the machine behind the link. `nonce`: new each time.
  static Result<std::unique_ptr<Link>> connect(std::unique_ptr<Port> port, uint32_t nonce, const LinkLimits& limits,
                                               OnMessage on_message);
  // Says good-bye if the board still listens.
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const Identity& identity() const { return identity_; }
  const LinkCounters& counters() const { return counters_; }

  // Takes a message of 1 to kPayloadBytes bytes; does not wait. Allowed within the message handler.
  void send(std::vector<uint8_t> message);
  // Moves bytes and hands messages to the handler; returns after the first ones, or after so many
  // milliseconds.
  Status pump(uint64_t milliseconds);
  // Ends the link for a reason of the layer above.
  void fail(const std::string& why);
  const Status& status() const { return status_; }
  uint64_t now() { return port_->now(); }  // milliseconds

 private:
  Link(std::unique_ptr<Port> port, uint32_t nonce, const LinkLimits& limits, OnMessage on_message);
  Status open();
  void say(uint8_t kind, std::vector<uint8_t> payload = {});
  void flush();
  bool receive();
  void take(const Frame& frame);
  bool take_data(const Frame& frame);
  void heard(uint8_t acknowledge, bool go_back);
  void speak();
  void lost();
  void count_silence();

  std::unique_ptr<Port> port_;
  uint32_t nonce_;
  LinkLimits limits_;
  OnMessage on_message_;
  Identity identity_;
  LinkCounters counters_;
  Status status_;
  FrameReader reader_;
  bool connected_ = false, gone_ = false;
  uint64_t bytes_heard_ = 0;               // for the diagnosis of a failed connect
  std::vector<uint8_t> out_;               // bytes for the port
  std::deque<std::vector<uint8_t>> kept_;  // messages from base_ on, not acknowledged or not sent
  uint8_t base_ = 0;                       // sequence number of kept_.front()
  size_t sent_ = 0;                        // of kept_
  uint8_t awaited_ = 0;                    // from the board
  bool ack_due_ = false, nak_due_ = false, nak_said_ = false;
  uint64_t resend_at_ = 0, resend_after_;
  uint64_t silent_ms_ = 0, last_look_ = 0, ping_at_ = 0;
};

}  // namespace heddle::board
