// SPDX-License-Identifier: Apache-2.0
// The one platform of a test process (SystemC allows no other): a master, a bus, two memories,
// devices with the golden model and the RTL inside. Tests run in the master's SC_THREAD.
//
//   0x00000000'80000000  ram, 16 MiB          device n at (n + 1) * 0x100'00000000: registers, and
//   its 0x00000000'90000000  code and rings        memory 0x10'00000000 further on
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "host-runtime/device/contract.h"
#include "sim/systemc/heddle_device.h"
#include "sim/systemc/router.h"
#include "tests/unit/systemc/memory.h"

namespace heddle::test {

namespace contract = heddle::contract;
using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::sc_time_stamp;
using sc_core::SC_US;
using sc_core::SC_ZERO_TIME;
using systemc::HeddleDevice;
using systemc::Timing;

// The master. Functions are called in its thread.
class Cpu : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_initiator_socket<Cpu> socket{"socket"};
  sc_time local;  // its time before SystemC's

  explicit Cpu(sc_core::sc_module_name name);

  // Runs `work` in the thread and the simulation until it returned. False: the simulation ran dry
  // first.
  bool run(std::function<void()> work);

  struct Access {
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    uint64_t address = 0;
    void* data = nullptr;
    unsigned bytes = 0;
    const std::vector<uint8_t>* enables = nullptr;
    unsigned streaming_width = 0;  // 0: bytes
  };
  tlm::tlm_response_status access(const Access& a);
  tlm::tlm_response_status read(uint64_t address, void* data, unsigned bytes) {
    return access({tlm::TLM_READ_COMMAND, address, data, bytes, nullptr, 0});
  }
  tlm::tlm_response_status write(uint64_t address, const void* data, unsigned bytes) {
    return access({tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(data), bytes, nullptr, 0});
  }
  uint32_t read32(uint64_t address);
  void write32(uint64_t address, uint32_t value);
  void sync();

  bool dmi(tlm::tlm_command command, uint64_t address, tlm::tlm_dmi& dmi);
  unsigned debug(tlm::tlm_command command, uint64_t address, void* data, unsigned bytes);
  struct Range {
    uint64_t first, last;
  };
  std::vector<Range> invalidated;

  // Approximately timed: sends all, each BEGIN_REQ as soon as the rules allow, and waits for the
  // answers.
  struct Sent {
    Access access;
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    sc_time begun, accepted, answered;
    unsigned order = 0;  // of the answers
  };
  void send(std::vector<Sent>& all, const sc_time& response_accept);

 private:
  void thread();
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_time& delay);
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { invalidated.push_back({first, last}); }
  void free(tlm::tlm_generic_payload* p) override { delete p; }

  std::function<void()> work_;
  sc_core::sc_event begin_, phase_came_;
  bool done_ = true;
  tlm::tlm_generic_payload* request_ = nullptr;
  std::vector<std::pair<tlm::tlm_generic_payload*, sc_time>> responses_;
};

// A device driven by hand over the bus, with its ring and records in the bus's memory.
class Gpu {
 public:
  Gpu(Cpu& cpu, HeddleDevice& device, Memory& memory, const sc_core::sc_signal<bool>& irq, unsigned number);

  HeddleDevice& device;
  const uint64_t base;  // of its registers on the bus
  const uint64_t window;
  static constexpr uint64_t kRam = 0x80000000, kCommands = 0x90000000;

  uint32_t reg(uint64_t offset) { return cpu_.read32(base + offset); }
  uint64_t reg64(uint64_t offset) { return reg(offset) | uint64_t{reg(offset + 4)} << 32; }
  void set(uint64_t offset, uint32_t value) { cpu_.write32(base + offset, value); }
  void set64(uint64_t offset, uint64_t value) {
    set(offset, static_cast<uint32_t>(value));
    set(offset + 4, static_cast<uint32_t>(value >> 32));
  }
  bool irq() const { return irq_.read(); }
  const sc_core::sc_signal<bool>& irq_signal() const { return irq_; }

  void reset(uint64_t ring_address = 0);  // 0: its own place
  // Rings the doorbell; finish() waits for the interrupt and the record.
  void begin(contract::Command command);
  contract::Completion finish(const sc_time& limit = sc_time(20, sc_core::SC_MS));
  contract::Completion execute(const contract::Command& command) {
    begin(command);
    return finish();
  }
  // Waits for the interrupt; false: `limit` passed.
  bool wait_irq(const sc_time& limit = sc_time(20, sc_core::SC_MS));

  static contract::Command copy(uint32_t flags, uint64_t from, uint64_t to, uint64_t bytes);
  // Through the ram.
  contract::Completion copy_in(uint64_t to, const void* from, size_t bytes, size_t offset = 0);
  contract::Completion copy_out(void* to, uint64_t from, size_t bytes, size_t offset = 0);
  contract::Command launch(const std::vector<uint64_t>& code, uint64_t argument, uint32_t grid, uint32_t block);

  static constexpr uint64_t kCode = contract::kMemoryBase + 0x10000;
  static constexpr uint64_t kParams = contract::kMemoryBase + 0x20000;
  static constexpr uint64_t kData = contract::kMemoryBase + 0x800000;

 private:
  static constexpr unsigned kEntries = 8;
  Cpu& cpu_;
  Memory& memory_;
  const sc_core::sc_signal<bool>& irq_;
  const uint64_t place_;  // in the memory of commands: ring, then the record
  uint32_t tail_ = 0;
};

// Which devices there are.
enum DeviceNumber : unsigned { kModelLoose, kModelApproximate, kRtlLoose, kRtlApproximate, kDevices };

struct Bench {
  static Bench& get();

  // Runs in the simulation; a test fails if the simulation ends before.
  void run(const std::function<void()>& work) {
    ram->manners = {};
    ram->watch = {};
    cpu.invalidated.clear();
    EXPECT_TRUE(cpu.run(work)) << "nothing moves any more";
  }

  Cpu cpu{"cpu"};
  systemc::Router bus{"bus"};
  std::unique_ptr<Memory> ram, commands;
  std::vector<std::unique_ptr<HeddleDevice>> devices;
  std::vector<std::unique_ptr<sc_core::sc_signal<bool>>> irqs;
  std::vector<std::unique_ptr<Gpu>> gpus;
  std::vector<systemc::DeviceConfig> configs;

 private:
  Bench();
};

// A test on one device.
class OnDevice : public ::testing::TestWithParam<DeviceNumber> {
 protected:
  OnDevice() : bench(Bench::get()), cpu(bench.cpu), gpu(*bench.gpus[GetParam()]) {}
  void run(const std::function<void()>& work) {
    bench.run([&] {
      gpu.reset();
      cpu.invalidated.clear();
      work();
      cpu.sync();
      EXPECT_EQ(gpu.device.failure(), "");
    });
  }
  bool is_rtl() const { return GetParam() >= kRtlLoose; }

  Bench& bench;
  Cpu& cpu;
  Gpu& gpu;
};

std::string device_name(const ::testing::TestParamInfo<DeviceNumber>& info);
// From HEDDLE_SEED, or at random; printed.
uint64_t seed();

}  // namespace heddle::test
