// SPDX-License-Identifier: Apache-2.0
// The verilated GPU of one preset with what stands around the chip: clock, reset, the host's register
// port, host memory, the DRAM model, and (in lockstep) the checker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "heddle/result.h"
#include "host-runtime/device/transport.h"
#include "presets/preset.h"
#include "sim/verilator/wave_options.h"

namespace heddle::rtl {

struct RtlOptions {
  bool lockstep = true;
  WaveOptions wave;
  std::string inject;  // planted bug, empty: none
  uint64_t seed = 0;
  const heddle_host_port* host = nullptr;  // copied; null: host addresses are pointers
};

// Not thread-safe: one thread at a time.
class RtlDevice {
 public:
  // An error when the preset is not the one this library was built for, or a file can't be written.
  static Result<std::unique_ptr<RtlDevice>> open(const Preset& preset, const RtlOptions& options);
  virtual ~RtlDevice() = default;

  virtual uint32_t read32(uint32_t offset) = 0;
  virtual void write32(uint32_t offset, uint32_t value) = 0;
  // As heddle_transport.wait: 1 interrupt, 0 after max_cycles, -1 failed.
  virtual int wait(uint64_t max_cycles) = 0;
  virtual const std::string& failure() const = 0;
  virtual heddle_stats stats() const = 0;

  // As in heddle_transport.
  virtual uint64_t cycles() const = 0;
  virtual int step(uint64_t max_cycles) = 0;
  virtual void host_done(uint64_t tag, bool error, uint64_t cycles) = 0;
  virtual bool memory_read(uint64_t address, uint8_t* data, size_t bytes) = 0;
  virtual bool memory_write(uint64_t address, const uint8_t* data, const uint8_t* enables, size_t bytes) = 0;
  // Read only, and only while no command runs: the L2 is flushed first.
  virtual void* memory_direct(uint64_t* bytes) = 0;
  virtual bool memory_written(uint64_t address, size_t pages, uint8_t* written) = 0;
  virtual bool memory_load(uint64_t address, const uint8_t* data, size_t bytes) = 0;
  virtual bool finish() = 0;
  virtual void profile(bool on) = 0;
  virtual const heddle_profile* profiled() = 0;
  virtual void events(const heddle_event_sink* sink) = 0;
};

}  // namespace heddle::rtl
