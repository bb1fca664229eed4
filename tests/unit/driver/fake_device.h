// SPDX-License-Identifier: Apache-2.0
// A device behind the transport ABI, for tests of the driver: registers, one ring, copies and fills on a
// block of memory. A launch calls the test's own "kernel". Records what it was told.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heddle/page_set.h"
#include "host-runtime/device/contract.h"
#include "host-runtime/device/transport.h"
#include "presets/preset.h"

struct heddle_device {
  static constexpr uint64_t kMemory = 16 << 20;

  explicit heddle_device(const heddle::Preset& preset);

  uint32_t read(uint64_t offset);
  void write(uint64_t offset, uint32_t value);
  int wait(uint64_t cycles);

  void set64(uint64_t offset, uint64_t value);
  uint8_t* memory(uint64_t address);  // of a device address
  // Puts a fault into the registers; the launch should then return kStatusFault.
  void fault(uint32_t kind, uint64_t address, uint32_t thread, uint32_t pc, uint32_t code);

  std::map<uint64_t, uint32_t> registers;
  std::vector<uint8_t> bytes;
  std::vector<heddle::contract::Command> executed;
  bool faulted = false;
  bool stuck = false;        // never completes anything, and says it is busy
  bool forgetful = false;    // never completes anything, and says it is idle
  std::string failure_text;  // if set, wait() fails
  int failure_result = -1;   // … with this
  uint64_t cycles = 0;
  uint64_t step = 100;  // cycles a command takes
  // Pages that were written since somebody asked, if it is to tell; a kernel of the test adds its own.
  std::optional<heddle::PageSet> written;
  heddle_stats counts{};

 private:
  uint32_t execute(const heddle::contract::Command& command);
  void copy_row(const heddle::contract::Command& command, uint64_t source, uint64_t destination);
};

namespace heddle::test {

// A launch: returns its status. Reset by FakeTransport's constructor.
using FakeKernel = std::function<uint32_t(heddle_device&, const contract::Command&)>;

// The transport table, the device opened last through it, and what the next one shall do.
struct FakeTransport {
  explicit FakeTransport(const Preset& preset);
  ~FakeTransport();
  const heddle_transport* table() const;
  heddle_device& device() const;

  FakeKernel kernel;
  std::string open_error;         // if set, opening fails with it
  int open_result = -1;           // … and this result
  uint32_t wrong_id = 0;          // if set, what the Id register reads
  heddle_open_options options{};  // of the last open; its strings are gone
};

}  // namespace heddle::test
