// SPDX-License-Identifier: Apache-2.0
// The software of the platform: what runs on its CPU. It sees the machine through this interface
// alone; no SystemC here.
#pragma once

#include <cstdint>
#include <string>

namespace platform {

// The CPU as its software sees it. Called in the CPU's thread.
class Machine {
 public:
  virtual ~Machine() = default;
  // False: nobody answers at this address (a bus error).
  virtual bool load(uint64_t address, uint32_t& value) = 0;
  virtual bool store(uint64_t address, uint32_t value) = 0;
  // Sleeps until the interrupt input is up (true) or the time has passed.
  virtual bool wait_interrupt(double nanoseconds) = 0;
  virtual double now_nanoseconds() = 0;
};

// The map of the bus.
inline constexpr uint64_t kInterruptController = 0x10000000;
inline constexpr unsigned kDeviceSlots = 4;
constexpr uint64_t device_slot(unsigned n) { return uint64_t{n + 1} << 40; }

// Finds the devices, runs vecadd of `elements` on each and checks it. Prints what it does. 0: all
// is right.
int host_main(Machine& machine, const std::string& preset_file, int elements);

}  // namespace platform
