// SPDX-License-Identifier: Apache-2.0
// The Heddle GPU as a SystemC module with TLM-2.0 sockets. Inside runs any backend: the verilated
// RTL, the golden model, or both in lockstep. C++17.
//
//   heddle::systemc::HeddleDevice gpu("gpu", {});
//   gpu.target.bind(…);  gpu.initiator.bind(…);  gpu.irq.bind(…);
//   gpu.power_on({"libheddle_rtl_tiny.so", "rtl", "tiny.toml"});
//
// target     addresses as the socket sees them (a bus subtracts the device's base):
//              [0, 64 KiB)               registers and doorbells of
//              host-runtime/device/contract.def [window_base, + MemSize)  device memory
//            Registers: 4 or 8 bytes, aligned to 4; two registers are two accesses, the low one
//            first. A word is written whole or (byte enables) not at all. Memory: any length,
//            alignment and byte enables. Streaming is not supported. b_transport and nb_transport
//            (base protocol, at most `target_depth` requests accepted and not answered, then
//            END_REQ waits). DMI: for the golden model always, for RTL read-only and only while it
//            is idle. Debug: memory both ways, registers read only.
// initiator  all host memory accesses: commands, completion records, copies. Never DMI.
// irq        the interrupt line.
//
// Errors: no register or memory there, misaligned: TLM_ADDRESS_ERROR_RESPONSE; neither read nor
// write: TLM_COMMAND_ERROR_RESPONSE; length or streaming width: TLM_BURST_ERROR_RESPONSE; a part of
// a register written: TLM_BYTE_ENABLE_ERROR_RESPONSE; power off, or the backend failed:
// TLM_GENERIC_ERROR_RESPONSE.
//
// Time: a device cycle is `clock_period`. The clock stands while the device has nothing to do.
// Loosely timed, the device runs ahead of SystemC by the global quantum (with quantum 0, by one
// cycle), asks its DMA with its local time, and waits for it before the interrupt line changes.
// Approximately timed, it is in step with SystemC whenever a transfer begins, and cycle by cycle
// while one is under way. The golden model counts a warp instruction as a cycle.
//
// A backend that fails (a lockstep mismatch) leaves the device dead: failure() says why, `failed`
// is notified, a report of severity SC_WARNING is made. One simulation thread calls; a process that
// calls b_transport needs a stack for the RTL (kStackBytes).
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "heddle/result.h"
#include "sim/systemc/dma.h"
#include "sim/systemc/powered_backend.h"

namespace heddle::systemc {

// For set_stack_size() of threads that access the device.
inline constexpr int kStackBytes = 1 << 20;

struct DeviceParameters {
  uint64_t window_base = 0x1000000000;  // of device memory in the target socket: its own addresses
  unsigned target_depth = 4;
  unsigned dma_burst_bytes = 64;  // the RTL never asks for more than 32 at once
  unsigned dma_outstanding = 16;
};

struct DeviceConfig : BackendConfig {
  DeviceConfig() = default;
  DeviceConfig(std::string library_, std::string device_, std::string preset_file_) {
    library = std::move(library_);
    device = std::move(device_);
    preset_file = std::move(preset_file_);
  }
  Timing dma = Timing::Loose;
  sc_core::sc_time clock_period{20, sc_core::SC_NS};
};

struct DeviceCounters {
  uint64_t registers = 0, window = 0;  // accesses
  uint64_t refused = 0;                // answered with an error
  uint64_t dmi_granted = 0, dmi_invalidated = 0;
  uint64_t held_requests = 0;  // nb_transport: END_REQ had to wait for a place
};

class HeddleDevice : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<> target{"target"};
  tlm::tlm_initiator_socket<> initiator{"initiator"};
  sc_core::sc_out<bool> irq{"irq"};

  static constexpr uint64_t kRegisterBytes = 0x10000;

  HeddleDevice(sc_core::sc_module_name name, const DeviceParameters& parameters);
  ~HeddleDevice() override;

  // Opens the backend: before the simulation or, from an SC_THREAD, in it. Errors: already on; the
  // backend's.
  Status power_on(const DeviceConfig& config);
  // Closes it, from an SC_THREAD: waits for transactions under way.
  void power_off();
  // As heddle_transport.finish, before power_off(): false, and failure(), when the last comparisons fail.
  bool finish() {
    if (failure_.empty() && !backend_.finish()) fail();
    return failure_.empty();
  }
  bool powered() const { return backend_.is_open(); }

  const std::string& failure() const { return failure_; }
  const sc_core::sc_event& failed() const { return failed_; }

  heddle_stats stats() { return backend_.stats(); }
  const DeviceCounters& counters() const { return counters_; }
  const DmaCounters& dma_counters() const { return dma_.counters(); }
  // How far the device has got; not before sc_time_stamp() while it works.
  const sc_core::sc_time& local_time() const { return local_; }
  uint64_t window_base() const { return parameters_.window_base; }

 private:
  // ---- heddle_device.cc: the device's clock, its DMA and interrupt ----
  void run();
  bool work();
  uint64_t slice(const sc_core::sc_time& now) const;
  void serve_dma();
  void host_done(uint64_t tag, bool error, const sc_core::sc_time& end);
  void sleep_if_idle();
  void catch_up();
  void catch_up_and_publish();
  void publish(bool level, const sc_core::sc_time& delay);
  void update_irq();
  void fail();
  void post(const Dma::Transfer& t);
  static void read_host(void* self, uint64_t tag, uint64_t address, void* data, size_t bytes);
  static void write_host(void* self, uint64_t tag, uint64_t address, const void* data, const uint8_t* enables,
                         size_t bytes);

  // ---- target.cc: accesses ----
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& p) override;
  tlm::tlm_response_status access(tlm::tlm_generic_payload& p);
  tlm::tlm_response_status access_registers(tlm::tlm_generic_payload& p);
  tlm::tlm_response_status access_window(tlm::tlm_generic_payload& p);
  bool in_window(uint64_t address, uint64_t bytes) const;
  void disturb();
  void on_phase(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase);
  void accept(tlm::tlm_generic_payload& p);
  void answer();

  const DeviceParameters parameters_;
  PoweredBackend backend_;
  Timing timing_ = Timing::Loose;
  sc_core::sc_time period_;
  std::string failure_;
  sc_core::sc_event failed_;

  // The clock.
  sc_core::sc_time local_;            // device time
  bool working_ = false;              // may have something to do
  bool parked_ = true;                // the thread waits for something to do
  bool leaving_ = false;              // power_off() waits for that
  bool perhaps_idle_ = false;         // since the status was last seen, something happened that may be its last
  uint64_t idle_check_ = 0;           // cycles since the last look at the status register
  sc_core::sc_event kick_;            // a register was written, a transfer ended
  std::deque<Dma::Transfer> posted_;  // by the backend, not yet given to dma_
  unsigned transfers_ = 0;            // approximately timed: under way in dma_
  bool level_ = false;                // of the interrupt line
  sc_core::sc_event level_changed_;

  // The target's approximately timed side.
  tlm_utils::peq_with_cb_and_phase<HeddleDevice> phases_;
  std::deque<tlm::tlm_generic_payload*> accepted_;  // END_REQ sent
  tlm::tlm_generic_payload* held_ = nullptr;        // BEGIN_REQ came, no place yet
  tlm::tlm_generic_payload* response_ = nullptr;    // BEGIN_RESP sent
  sc_core::sc_event request_came_, response_went_;

  bool dmi_revocable_ = false;  // a grant that ends when the device works
  DeviceCounters counters_;
  Dma dma_;
};

}  // namespace heddle::systemc
