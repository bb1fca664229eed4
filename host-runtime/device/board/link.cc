// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/device/board/link.h"

#include <algorithm>
#include <array>

namespace heddle::board {
namespace {

constexpr uint64_t kConnectEvery = 100;                     // ms
constexpr uint64_t kResendFirst = 250, kResendMost = 2000;  // ms without progress
constexpr uint64_t kPingAfter = 500;                        // ms of silence
constexpr uint64_t kLookEvery = 50;                         // ms: the longest sleep
constexpr uint64_t kStall = 250;   // ms between looks that count as silence at most: we may have been stopped
constexpr size_t kOutBytes = 512;  // in out_, so that a resend is not stuck behind old bytes

}  // namespace

Link::Link(std::unique_ptr<Port> port, uint32_t nonce, const LinkLimits& limits, OnMessage on_message)
    : port_(std::move(port)),
      nonce_(nonce),
      limits_(limits),
      on_message_(std::move(on_message)),
      resend_after_(kResendFirst) {}

Result<std::unique_ptr<Link>> Link::connect(std::unique_ptr<Port> port, uint32_t nonce, const LinkLimits& limits,
                                            OnMessage on_message) {
  std::unique_ptr<Link> link(new Link(std::move(port), nonce, limits, std::move(on_message)));
  if (auto ok = link->open(); !ok) return ok.error();
  return link;
}

Link::~Link() {
  if (!connected_ || gone_ || !status_) return;
  // Twice: nobody answers it.
  say(kKindBye);
  say(kKindBye);
  for (int i = 0; i < 20 && !out_.empty() && !gone_; i++) {
    flush();
    if (!out_.empty() && !gone_) port_->wait(true, 10);
  }
}

Status Link::open() {
  const uint64_t begin = port_->now();
  uint64_t next = begin;
  std::vector<uint8_t> nonce(4);
  put_little(nonce.data(), nonce_, 4);
  last_look_ = begin;
  while (!connected_) {
    const uint64_t now = port_->now();
    if (now - begin > limits_.connect_ms || gone_) {
      const std::string where = "serial port " + port_->name() + ": ";
      if (gone_) return Error(where + "unplugged");
      if (bytes_heard_ == 0)
        return Error(where + "nothing answers: is the board on, does it hold a Heddle bitstream, is this its port?");
      return Error(where + "bytes come (" + std::to_string(bytes_heard_) +
                   "), but no frame of Heddle's: another baud "
                   "rate, or another device");
    }
    if (now >= next) {
      say(kKindConnect, nonce);
      next = now + kConnectEvery;
    }
    flush();
    receive();
    if (!connected_ && !gone_) port_->wait(!out_.empty(), 10);
  }
  last_look_ = port_->now();
  ping_at_ = last_look_ + kPingAfter;
  return {};
}

void Link::fail(const std::string& why) {
  if (status_) status_ = Error("board at " + port_->name() + ": " + why);
}

// ---- bytes
// ---------------------------------------------------------------------------------------------

void Link::say(uint8_t kind, std::vector<uint8_t> payload) {
  Frame frame;
  frame.kind = kind;
  frame.session = static_cast<uint16_t>(nonce_);
  frame.acknowledge = awaited_;
  frame.payload = std::move(payload);
  encode(frame, out_);
}

void Link::lost() {
  gone_ = true;
  out_.clear();
  reader_.restart();
}

void Link::flush() {
  while (!out_.empty() && !gone_) {
    const auto n = port_->write(out_.data(), out_.size());
    if (!n) return lost();
    if (*n == 0) return;
    out_.erase(out_.begin(), out_.begin() + static_cast<long>(*n));
  }
}

// True when a message was handed over.
bool Link::receive() {
  bool any = false;
  std::array<uint8_t, 4096> bytes;
  // Bounded: a port that never runs dry must not keep us.
  for (int round = 0; round < 8 && !gone_ && status_; round++) {
    const auto n = port_->read(bytes.data(), bytes.size());
    if (!n) {
      lost();
      break;
    }
    if (*n == 0) break;
    bytes_heard_ += *n;
    for (size_t i = 0; i < *n && status_; i++) {
      const auto event = reader_.take(bytes[i]);
      if (event == FrameReader::Event::Damaged) {
        counters_.damaged++;
        if (connected_ && !nak_said_) nak_due_ = nak_said_ = true;
      } else if (event == FrameReader::Event::Frame && reader_.frame().session == static_cast<uint16_t>(nonce_)) {
        counters_.frames++;
        silent_ms_ = 0;
        const uint8_t before = awaited_;
        take(reader_.frame());
        any |= awaited_ != before;
      }
    }
  }
  return any;
}

// ---- frames
// --------------------------------------------------------------------------------------------

void Link::take(const Frame& frame) {
  const auto& p = frame.payload;
  if (frame.kind == kKindHello) {
    if (connected_ || p.size() < 8 || get_little(&p[4], 4) != nonce_) return;
    identity_.link_version = p[0];
    identity_.window = p[1];
    // Another version may say less.
    if (p.size() >= kHelloBytes) {
      identity_.preset_hash = static_cast<uint32_t>(get_little(&p[8], 4));
      identity_.bitstream_id = static_cast<uint32_t>(get_little(&p[12], 4));
      identity_.memory_bytes = static_cast<uint32_t>(get_little(&p[16], 4));
      identity_.clock_khz = static_cast<uint32_t>(get_little(&p[20], 4));
    }
    connected_ = true;
    return;
  }
  if (!connected_) return;
  if (frame.kind == kKindUnknown)
    return fail(
        "it no longer knows this session: it was reset or switched off and on, or another program "
        "has taken it");
  if (frame.kind != kKindData && frame.kind != kKindAck && frame.kind != kKindNak) return;
  heard(frame.acknowledge, frame.kind == kKindNak);
  if (frame.kind == kKindData) take_data(frame);
}

bool Link::take_data(const Frame& frame) {
  const auto ahead = static_cast<uint8_t>(frame.sequence - awaited_);
  if (ahead == 0) {
    awaited_++;
    ack_due_ = true;
    nak_said_ = nak_due_ = false;
    on_message_(frame.payload);
    return true;
  }
  if (ahead >= 0x80) ack_due_ = true;  // seen before: the acknowledgement was lost
  else if (!nak_said_) nak_due_ = nak_said_ = true;
  return false;
}

void Link::heard(uint8_t acknowledge, bool go_back) {
  const auto count = static_cast<uint8_t>(acknowledge - base_);
  if (count > std::min<size_t>(kept_.size(), kWindow)) return;  // of long ago
  if (count != 0) {
    kept_.erase(kept_.begin(), kept_.begin() + count);
    base_ = acknowledge;
    sent_ = sent_ > count ? sent_ - count : 0;
    resend_after_ = kResendFirst;
    resend_at_ = port_->now() + resend_after_;
  }
  if (go_back && sent_ != 0) {
    counters_.resent++;
    sent_ = 0;
  }
}

void Link::send(std::vector<uint8_t> message) { kept_.push_back(std::move(message)); }

// Puts into out_ what is due.
void Link::speak() {
  if (gone_) return;
  const uint64_t now = port_->now();
  if (sent_ != 0 && now >= resend_at_ && out_.empty()) {
    counters_.resent++;
    sent_ = 0;
    resend_after_ = std::min(2 * resend_after_, kResendMost);
    nak_said_ = false;  // and ask again for what we lack
  }
  if (nak_due_) {
    say(kKindNak);
    nak_due_ = ack_due_ = false;
  }
  while (sent_ < kept_.size() && sent_ < kWindow && out_.size() < kOutBytes) {
    Frame frame;
    frame.kind = kKindData;
    frame.session = static_cast<uint16_t>(nonce_);
    frame.sequence = static_cast<uint8_t>(base_ + sent_);
    frame.acknowledge = awaited_;
    frame.payload = kept_[sent_];
    encode(frame, out_);
    sent_++;
    ack_due_ = false;
    resend_at_ = now + resend_after_;
  }
  if (ack_due_) {
    say(kKindAck);
    ack_due_ = false;
  }
  if (silent_ms_ < kPingAfter) {
    ping_at_ = now + kPingAfter - silent_ms_;
  } else if (now >= ping_at_ && out_.empty()) {
    say(kKindPing);
    nak_said_ = false;
    ping_at_ = now + kPingAfter;
  }
}

void Link::count_silence() {
  const uint64_t now = port_->now();
  silent_ms_ += std::min(now - last_look_, kStall);
  last_look_ = now;
  if (silent_ms_ <= limits_.silence_ms || !status_) return;
  const std::string seconds = std::to_string(limits_.silence_ms / 1000) + " s";
  fail(gone_ ? "the serial port has been gone for " + seconds + ": was the cable pulled?"
             : "no answer for " + seconds + ": cable, power, or the board hangs");
}

Status Link::pump(uint64_t milliseconds) {
  if (!status_) return status_;
  const uint64_t begin = port_->now();
  for (;;) {
    if (gone_ && port_->reopen()) {
      gone_ = false;
      counters_.reopened++;
      sent_ = 0;
      nak_said_ = false;
      say(kKindPing);  // and so learns at once whether the board is the one we knew
    }
    const bool any = !gone_ && receive();
    count_silence();
    if (!status_) return status_;
    speak();
    flush();
    const uint64_t passed = port_->now() - begin;
    if (any || passed >= milliseconds) return {};
    port_->wait(!out_.empty(), static_cast<int>(std::min(milliseconds - passed, kLookEvery)));
  }
}

}  // namespace heddle::board
