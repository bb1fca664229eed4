// SPDX-License-Identifier: Apache-2.0
// A backend loaded into this process, and an open device of it. Owns both; closing happens in the
// destructor. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "heddle/result.h"
#include "host-runtime/device/transport.h"

namespace heddle::device {

// What heddle_transport::open needs, with owned strings; empty: not given.
struct OpenOptions {
  std::string device = "lockstep";
  std::string preset_file;
  std::string wave_file, wave_scopes, wave_groups;
  uint64_t wave_begin = 0, wave_end = 0;
  bool wave_launch = false;
  std::string inject;
  uint64_t seed = 0;
};

// Loads the shared object and returns its function table, which lives as long as the process: backends
// are never unloaded, their threads may outlive the device. Errors: not loadable, no entry point,
// another version of the interface.
Result<const heddle_transport*> load_transport(const std::string& shared_object);

class Backend {
 public:
  // Code::DevicesUnavailable: the device is not there, or in use.
  static Result<std::unique_ptr<Backend>> open(const heddle_transport* transport, const OpenOptions& options);
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  uint32_t read32(uint64_t offset) { return transport_->read32(device_, static_cast<uint32_t>(offset)); }
  void write32(uint64_t offset, uint32_t value) { transport_->write32(device_, static_cast<uint32_t>(offset), value); }
  // A pair of registers, the low one first (reading Lo latches Hi).
  uint64_t read64(uint64_t offset) {
    const uint64_t low = read32(offset);
    return low | uint64_t{read32(offset + 4)} << 32;
  }
  void write64(uint64_t offset, uint64_t value) {
    write32(offset, static_cast<uint32_t>(value));
    write32(offset + 4, static_cast<uint32_t>(value >> 32));
  }
  // 1 interrupt, 0 bound reached, negative: failure(); see transport.h.
  int wait(uint64_t max_cycles) { return transport_->wait(device_, max_cycles); }
  // Before closing: false when the device's last comparisons fail; failure() says what.
  bool finish() { return !transport_->finish || transport_->finish(device_) == 0; }
  // Device memory itself, from MemBase on, or null; see transport.h.
  void* memory(uint64_t& bytes) {
    int writable = 0;
    return transport_->memory_direct ? transport_->memory_direct(device_, &bytes, &writable) : nullptr;
  }
  // After a reset. False: refused, or not offered.
  bool load_memory(uint64_t address, const void* data, size_t bytes) {
    return transport_->memory_load && transport_->memory_load(device_, address, data, bytes) == 0;
  }
  // Pages that were written since this was last asked, by the page; see transport.h. False: not known.
  static constexpr uint64_t kWrittenPage = HEDDLE_WRITTEN_PAGE;
  bool written(uint64_t address, size_t pages, uint8_t* written) {
    return transport_->memory_written && transport_->memory_written(device_, address, pages, written) == 0;
  }
  // Launches are profiled from the next one on, or no more; between commands. False: this device counts nothing.
  bool profile(bool on) { return transport_->profile && transport_->profile(device_, on) == 0; }
  // Of the last launch that was profiled, until the device works again; null: none.
  const heddle_profile* profiled() { return transport_->profiled ? transport_->profiled(device_) : nullptr; }
  // Where events of profiled launches go, null: nowhere; between commands. False: this device tells nothing.
  bool events(const heddle_event_sink* sink) { return transport_->events && transport_->events(device_, sink) == 0; }
  std::string failure();
  heddle_stats stats();

 private:
  Backend(const heddle_transport* transport, heddle_device* device) : transport_(transport), device_(device) {}

  const heddle_transport* transport_;
  heddle_device* device_;
};

}  // namespace heddle::device
