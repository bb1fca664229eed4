// SPDX-License-Identifier: Apache-2.0
// The host's side of the device: what the rings, as the host wrote them, ask for. Launches, copies and fills that the hardware
// performs are held against it, and so is every byte that goes to or comes from host memory.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host-runtime/device/contract.h"
#include "sim/cosim/events.h"

namespace heddle::cosim {

// What happens comes in order; an answer is what is wrong with it, or empty. Until a ring has an address nothing is known of
// commands, and nothing is wrong: harnesses may start kernels and write memory without any.
class Commands {
 public:
  void register_written(const RegisterWrite& e);
  void window_write(const WindowWrite& e) { window_ = e; }
  std::string host_read(const HostRead& e);
  std::string host_write(const HostWrite& e);
  std::string launch(const KernelStart& e) const;
  // The copy engine's requests, as L2 performs them.
  void device_read(uint64_t sector, const Sector& data) { arrived(sector, data); }
  void device_read_refused() { refused_ = true; }
  std::string device_write(uint64_t sector, uint32_t mask, const Sector& data);

 private:
  struct Ring {
    uint64_t address = 0;
    uint32_t entries = 0;
  };
  static constexpr uint64_t kSectorBytes = 32;
  static constexpr size_t kKept = 1 << 12;  // source sectors: more than can be between their read and their last write

  bool known() const;
  bool by_window(uint64_t sector, uint32_t mask, const Sector& data);
  // The sector's number in its command; -1 when it is in no ring.
  int place_in_ring(uint64_t address) const;
  void begin();
  void arrived(uint64_t sector, const Sector& data);
  bool copies() const;
  std::string moved(bool to_host, uint64_t sector, uint32_t mask, const Sector& data);

  std::vector<Ring> rings_;
  contract::Command command_;
  bool whole_ = false;  // all of command_ was fetched, and it has not ended
  // Copy, fill:
  std::unordered_map<uint64_t, Sector> source_;
  std::deque<uint64_t> order_;    // of its sectors
  std::vector<bool> written_;     // by byte
  uint64_t left_ = 0;             // bytes not yet written
  bool abandoned_ = false;        // by a reset: what is under way may still come, until the next command
  bool refused_ = false;          // part of its source: what is written is anything, and it must not end well
  std::optional<WindowWrite> window_;
};

}  // namespace heddle::cosim
