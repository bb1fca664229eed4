// SPDX-License-Identifier: Apache-2.0
// This process's memory as a TLM target: addresses are its pointers, so that a driver in this
// process and the device's DMA see the same bytes. Answers addresses outside [first, last] with an
// error; within, whoever started the transaction vouches that the bytes are there. Loosely and
// approximately timed, with a latency a transaction; DMI and debug.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

namespace heddle::systemc {

class ProcessMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ProcessMemory> socket{"socket"};

  // Page 0 is never memory.
  ProcessMemory(sc_core::sc_module_name name, const sc_core::sc_time& latency, uint64_t first = 0x1000,
                uint64_t last = ~uint64_t{0});

  uint64_t reads() const { return reads_; }
  uint64_t writes() const { return writes_; }

 private:
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(tlm::tlm_generic_payload& p);
  tlm::tlm_response_status access(tlm::tlm_generic_payload& p) const;

  const sc_core::sc_time latency_;
  const uint64_t first_, last_;
  uint64_t reads_ = 0, writes_ = 0;
};

}  // namespace heddle::systemc
