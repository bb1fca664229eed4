// SPDX-License-Identifier: Apache-2.0
// A backend (RTL, golden model, both in lockstep) opened for a system simulation: its DMA goes to a
// sink, its clock is stepped. Knows nothing of SystemC. One thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/result.h"
#include "host-runtime/device/transport.h"

namespace heddle::systemc {

// What is inside the module; strings as heddle_open_options takes them, empty: not given.
struct BackendConfig {
  std::string library;              // libheddle_rtl_<preset>.so or libheddle_model.so
  std::string device = "lockstep";  // "rtl", "lockstep"; "model" for the model's library
  std::string preset_file;          // .toml
  std::string wave_file, wave_scopes, wave_groups;
  uint64_t wave_begin = 0, wave_end = ~uint64_t{0};
  std::string inject;
  uint64_t seed = 0;
};

class PoweredBackend {
 public:
  PoweredBackend() = default;
  ~PoweredBackend() { close(); }
  PoweredBackend(const PoweredBackend&) = delete;
  PoweredBackend& operator=(const PoweredBackend&) = delete;

  // Errors: not loadable, another interface, refused by the backend, not made for a system
  // simulation.
  Status open(const BackendConfig& config, const heddle_host_port& host);
  void close();
  bool is_open() const { return device_ != nullptr; }

  uint32_t read32(uint64_t offset) { return transport_->read32(device_, static_cast<uint32_t>(offset)); }
  void write32(uint64_t offset, uint32_t value) { transport_->write32(device_, static_cast<uint32_t>(offset), value); }
  uint64_t read64(uint64_t offset) {
    const uint64_t low = read32(offset);
    return low | uint64_t{read32(offset + 4)} << 32;
  }
  // As in transport.h.
  uint64_t cycles() { return transport_->cycles(device_); }
  int step(uint64_t max_cycles) { return transport_->step(device_, max_cycles); }
  void host_done(uint64_t tag, bool error, uint64_t cycles) { transport_->host_done(device_, tag, error, cycles); }
  bool memory_read(uint64_t address, void* data, size_t bytes) {
    return transport_->memory_read(device_, address, data, bytes) == 0;
  }
  bool memory_write(uint64_t address, const void* data, const uint8_t* enables, size_t bytes) {
    return transport_->memory_write(device_, address, data, enables, bytes) == 0;
  }
  uint8_t* memory_direct(uint64_t* bytes, int* writable) {
    return static_cast<uint8_t*>(transport_->memory_direct(device_, bytes, writable));
  }
  // As heddle_transport.finish.
  bool finish() { return !transport_->finish || transport_->finish(device_) == 0; }
  std::string failure();
  heddle_stats stats();

  // Of the device as it was opened.
  uint64_t memory_base() const { return memory_base_; }
  uint64_t memory_bytes() const { return memory_bytes_; }
  // Whether a register is at this offset (a multiple of 4).
  bool has_register(uint64_t offset) const;

 private:
  const heddle_transport* transport_ = nullptr;
  heddle_device* device_ = nullptr;
  uint64_t memory_base_ = 0, memory_bytes_ = 0;
  uint32_t rings_ = 0, sms_ = 0;
};

}  // namespace heddle::systemc
