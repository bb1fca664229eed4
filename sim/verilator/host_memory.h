// SPDX-License-Identifier: Apache-2.0
// Host memory as the GPU's DMA port sees it: an AXI4 subordinate over this process's address space, or over
// the transport's host port. One beat of 32 bytes a transfer, in order; this process answers a fixed number
// of cycles later, a host port when it likes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>

#include "host-runtime/device/transport.h"

namespace heddle::rtl {

// What the port's wires carry in one cycle; filled from and copied to the verilated model by the owner.
struct HostAxi {
  static constexpr int kBeatBytes = 32;
  static constexpr uint8_t kOkay = 0, kSlvErr = 2;
  // From the GPU.
  bool awvalid = false, wvalid = false, bready = false, arvalid = false, rready = false;
  uint64_t awaddr = 0, araddr = 0;
  std::array<uint8_t, kBeatBytes> wdata{};
  uint32_t wstrb = 0;
  // To the GPU.
  bool bvalid = false, rvalid = false;
  uint8_t bresp = kOkay, rresp = kOkay;
  std::array<uint8_t, kBeatBytes> rdata{};
};

// Ready is always given. Call step() once a cycle with the wires as they stood before the clock edge; it
// sets those towards the GPU for the next cycle.
class HostMemory {
 public:
  // `port`: NULL for this process's memory.
  HostMemory(unsigned latency_cycles, const heddle_host_port* port)
      : latency_(latency_cycles), hosted_(port != nullptr), port_(port ? *port : heddle_host_port{}) {}

  // How many transfers the host port was asked for.
  uint64_t started() const { return next_read_ + next_write_; }

  // The host port's answer, to be seen `cycles` cycles from now.
  void done(uint64_t tag, bool error, uint64_t cycles) {
    const uint64_t number = tag >> 1;
    if (tag & 1) {
      if (number - first_write_ >= writes_.size()) return;
      Write& w = writes_[number - first_write_];
      w.due = cycle_ + cycles;
      w.error = error;
    } else {
      if (number - first_read_ >= reads_.size()) return;
      Read& r = reads_[number - first_read_];
      r.due = cycle_ + cycles;
      r.error = error;
    }
  }

  // Nothing is asked and nothing is owed: step() would change nothing.
  bool quiet(const HostAxi& wires) const {
    return reads_.empty() && writes_.empty() && !wires.arvalid && !wires.awvalid && !wires.wvalid && !wires.rvalid &&
           !wires.bvalid && !address_pending_ && !data_pending_;
  }

  // What the last step() did: the address of a read that it answered (the answer is on the wires), a write that it
  // took.
  struct Seen {
    bool read = false, written = false;
    uint64_t read_at = 0, written_at = 0;
    std::array<uint8_t, HostAxi::kBeatBytes> data{};  // written
    uint32_t strobe = 0;
  };
  const Seen& seen() const { return seen_; }

  void step(HostAxi& wires) {
    cycle_++;
    seen_.read = seen_.written = false;
    if (wires.rvalid && wires.rready) wires.rvalid = false;
    if (wires.bvalid && wires.bready) wires.bvalid = false;
    if (wires.arvalid) read(wires.araddr);
    if (wires.awvalid) {
      address_ = wires.awaddr;
      address_pending_ = true;
    }
    if (wires.wvalid) {
      data_ = wires.wdata;
      strobe_ = wires.wstrb;
      data_pending_ = true;
    }
    if (address_pending_ && data_pending_) {
      write();
      address_pending_ = data_pending_ = false;
    }
    if (!wires.rvalid && !reads_.empty() && reads_.front().due <= cycle_) {
      wires.rvalid = true;
      wires.rdata = reads_.front().data;
      wires.rresp = reads_.front().error ? HostAxi::kSlvErr : HostAxi::kOkay;
      seen_.read = true;
      seen_.read_at = reads_.front().address;
      reads_.pop_front();
      first_read_++;
    }
    if (!wires.bvalid && !writes_.empty() && writes_.front().due <= cycle_) {
      wires.bvalid = true;
      wires.bresp = writes_.front().error ? HostAxi::kSlvErr : HostAxi::kOkay;
      writes_.pop_front();
      first_write_++;
    }
  }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};
  using Beat = std::array<uint8_t, HostAxi::kBeatBytes>;
  struct Read {
    uint64_t address = 0;
    uint64_t due = kNever;
    bool error = false;
    Beat data{};
  };
  struct Write {
    uint64_t due = kNever;
    bool error = false;
    Beat data{}, enables{};
  };

  void read(uint64_t address) {
    Read& r = reads_.emplace_back();
    r.address = address;
    const uint64_t tag = next_read_++ << 1;
    if (hosted_) return port_.read(port_.context, tag, address, r.data.data(), r.data.size());
    // A sector holds at least one byte that software named, so its page is mapped.
    std::memcpy(r.data.data(), pointer(address), HostAxi::kBeatBytes);
    r.due = cycle_ + latency_;
  }

  void write() {
    Write& w = writes_.emplace_back();
    seen_.written = true;
    seen_.written_at = address_;
    seen_.data = data_;
    seen_.strobe = strobe_;
    const uint64_t tag = next_write_++ << 1 | 1;
    if (hosted_) {
      w.data = data_;
      for (size_t i = 0; i < w.enables.size(); i++) w.enables[i] = strobe_ >> i & 1 ? 0xff : 0;
      return port_.write(port_.context, tag, address_, w.data.data(), w.enables.data(), w.data.size());
    }
    for (int i = 0; i < HostAxi::kBeatBytes; i++)
      if (strobe_ >> i & 1) pointer(address_)[i] = data_[static_cast<size_t>(i)];
    w.due = cycle_ + latency_;
  }

  static uint8_t* pointer(uint64_t address) { return reinterpret_cast<uint8_t*>(address); }

  unsigned latency_;
  bool hosted_;
  heddle_host_port port_;
  uint64_t cycle_ = 0;
  std::deque<Read> reads_;  // not yet answered, oldest first
  std::deque<Write> writes_;
  uint64_t first_read_ = 0, next_read_ = 0;  // numbers of reads_.front() and of the next read
  uint64_t first_write_ = 0, next_write_ = 0;
  bool address_pending_ = false, data_pending_ = false;
  uint64_t address_ = 0;
  std::array<uint8_t, HostAxi::kBeatBytes> data_{};
  uint32_t strobe_ = 0;
  Seen seen_;
};

}  // namespace heddle::rtl
