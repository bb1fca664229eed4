// SPDX-License-Identifier: Apache-2.0
// The host's side of the device: what the rings, as the host wrote them, ask for. Entries are taken in order, each
// once, and none that the host has not handed over; launches, copies and fills that the hardware performs are held
// against them, and so is every byte that goes to or comes from host memory. A launch completes once its kernel has
// started, once, and has ended.
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

// What happens comes in order; an answer is what is wrong with it, or empty. Until a ring has an address nothing is
// known of commands, and nothing is wrong: harnesses may start kernels and write memory without any.
class Commands {
 public:
  void register_written(const RegisterWrite& e);
  void window_write(const WindowWrite& e) { window_ = e; }
  std::string host_read(const HostRead& e);
  std::string host_write(const HostWrite& e);
  std::string kernel_start(const KernelStart& e);
  void kernel_end(const KernelEnd& e);
  // The copy engine's requests, as L2 performs them.
  void device_read(uint64_t sector, const Sector& data) { arrived(sector, data); }
  void device_read_refused() { refused_ = true; }
  std::string device_write(uint64_t sector, uint32_t mask, const Sector& data);

 private:
  struct Ring {
    uint64_t address = 0;
    uint32_t entries = 0;
    uint32_t head = 0, tail = 0;  // entries that were taken, and handed over, since the last reset
  };
  static constexpr uint64_t kSectorBytes = 32;
  static constexpr size_t kKept = 1 << 12;  // source sectors: more than can be between their read and their last write

  bool known() const;
  bool by_window(uint64_t sector, uint32_t mask, const Sector& data);
  Ring* ring_of(uint64_t address);
  std::string fetched(Ring& ring, const HostRead& e);
  void begin();
  bool is_launch() const;
  // What the last command still owes when the next one begins.
  std::string unfinished() const;
  std::string ends_as(uint32_t status) const;
  void arrived(uint64_t sector, const Sector& data);
  bool copies() const;
  bool in_source(uint64_t sector) const;
  std::string moved(bool to_host, uint64_t sector, uint32_t mask, const Sector& data);

  std::vector<Ring> rings_;
  contract::Command command_;
  uint64_t sectors_ = 0;  // of command_, fetched so far
  bool whole_ = false;    // all of command_ was fetched, and it has not ended
  bool faulted_ = false;  // the device refuses work until its reset
  enum class Kernel : uint8_t { None, Runs, Ended };
  Kernel kernel_ = Kernel::None;  // of command_
  uint32_t kernel_status_ = 0;    // as which it ended
  // Copy, fill:
  std::unordered_map<uint64_t, Sector> source_;
  std::deque<uint64_t> order_;  // of its sectors
  std::vector<bool> written_;   // by byte, row behind row
  uint64_t left_ = 0;           // bytes not yet written
  bool abandoned_ = false;      // by a reset: what is under way may still come, until the next command
  bool refused_ = false;        // part of its source: what is written is anything, and it must not end well
  std::optional<WindowWrite> window_;
};

}  // namespace heddle::cosim
