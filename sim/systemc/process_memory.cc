// SPDX-License-Identifier: Apache-2.0
#include "sim/systemc/process_memory.h"

#include <cstring>

namespace heddle::systemc {

ProcessMemory::ProcessMemory(sc_core::sc_module_name name, const sc_core::sc_time& latency, uint64_t first,
                             uint64_t last)
    : sc_module(name), latency_(latency), first_(first), last_(last) {
  socket.register_b_transport(this, &ProcessMemory::b_transport);
  socket.register_get_direct_mem_ptr(this, &ProcessMemory::get_direct_mem_ptr);
  socket.register_transport_dbg(this, &ProcessMemory::transport_dbg);
}

tlm::tlm_response_status ProcessMemory::access(tlm::tlm_generic_payload& p) const {
  const uint64_t address = p.get_address(), bytes = p.get_data_length();
  if (!p.is_read() && !p.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (bytes == 0 || p.get_streaming_width() < bytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (address < first_ || address > last_ || bytes - 1 > last_ - address) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  auto* memory = reinterpret_cast<unsigned char*>(address);
  unsigned char* to = p.is_write() ? memory : p.get_data_ptr();
  const unsigned char* from = p.is_write() ? p.get_data_ptr() : memory;
  const unsigned char* enables = p.get_byte_enable_ptr();
  if (!enables || p.get_byte_enable_length() == 0) {
    std::memcpy(to, from, bytes);
  } else {
    for (uint64_t i = 0; i < bytes; i++)
      if (enables[i % p.get_byte_enable_length()]) to[i] = from[i];
  }
  return tlm::TLM_OK_RESPONSE;
}

void ProcessMemory::b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
  p.set_response_status(access(p));
  p.set_dmi_allowed(p.is_response_ok());
  delay += latency_;
  (p.is_write() ? writes_ : reads_)++;
}

bool ProcessMemory::get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
  dmi.init();
  if (p.get_address() < first_ || p.get_address() > last_) {
    dmi.allow_none();
    return false;
  }
  dmi.allow_read_write();
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(first_));
  dmi.set_start_address(first_);
  dmi.set_end_address(last_);
  dmi.set_read_latency(latency_);
  dmi.set_write_latency(latency_);
  return true;
}

unsigned ProcessMemory::transport_dbg(tlm::tlm_generic_payload& p) {
  return access(p) == tlm::TLM_OK_RESPONSE ? p.get_data_length() : 0;
}

}  // namespace heddle::systemc
