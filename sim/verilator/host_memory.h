// SPDX-License-Identifier: Apache-2.0
// Host memory as the GPU's DMA port sees it: an AXI4 subordinate over this process's address space. One
// beat of 32 bytes a transfer, in order, answered a fixed number of cycles later.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>

namespace heddle::rtl {

// What the port's wires carry in one cycle; filled from and copied to the verilated model by the owner.
struct HostAxi {
  static constexpr int kBeatBytes = 32;
  // From the GPU.
  bool awvalid = false, wvalid = false, bready = false, arvalid = false, rready = false;
  uint64_t awaddr = 0, araddr = 0;
  std::array<uint8_t, kBeatBytes> wdata{};
  uint32_t wstrb = 0;
  // To the GPU.
  bool bvalid = false, rvalid = false;
  std::array<uint8_t, kBeatBytes> rdata{};
};

// Ready is always given. Call step() once a cycle with the wires as they stood before the clock edge; it
// sets those towards the GPU for the next cycle.
class HostMemory {
 public:
  explicit HostMemory(unsigned latency_cycles) : latency_(latency_cycles) {}

  // Nothing is asked and nothing is owed: step() would change nothing.
  bool quiet(const HostAxi& wires) const {
    return reads_.empty() && writes_.empty() && !wires.arvalid && !wires.awvalid && !wires.wvalid &&
           !wires.rvalid && !wires.bvalid && !address_pending_ && !data_pending_;
  }

  void step(HostAxi& wires) {
    cycle_++;
    if (wires.rvalid && wires.rready) wires.rvalid = false;
    if (wires.bvalid && wires.bready) wires.bvalid = false;
    if (wires.arvalid) {
      Read r{cycle_ + latency_, {}};
      // A sector holds at least one byte that software named, so its page is mapped.
      std::memcpy(r.data.data(), pointer(wires.araddr), HostAxi::kBeatBytes);
      reads_.push_back(r);
    }
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
      for (int i = 0; i < HostAxi::kBeatBytes; i++)
        if (strobe_ >> i & 1) pointer(address_)[i] = data_[i];
      writes_.push_back(cycle_ + latency_);
      address_pending_ = data_pending_ = false;
    }
    if (!wires.rvalid && !reads_.empty() && reads_.front().due <= cycle_) {
      wires.rvalid = true;
      wires.rdata = reads_.front().data;
      reads_.pop_front();
    }
    if (!wires.bvalid && !writes_.empty() && writes_.front() <= cycle_) {
      wires.bvalid = true;
      writes_.pop_front();
    }
  }

 private:
  struct Read {
    uint64_t due;
    std::array<uint8_t, HostAxi::kBeatBytes> data;
  };

  static uint8_t* pointer(uint64_t address) { return reinterpret_cast<uint8_t*>(address); }

  unsigned latency_;
  uint64_t cycle_ = 0;
  std::deque<Read> reads_;
  std::deque<uint64_t> writes_;  // when each is answered
  bool address_pending_ = false, data_pending_ = false;
  uint64_t address_ = 0;
  std::array<uint8_t, HostAxi::kBeatBytes> data_{};
  uint32_t strobe_ = 0;
};

}  // namespace heddle::rtl
