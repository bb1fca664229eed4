// SPDX-License-Identifier: Apache-2.0
// An interrupt controller: up to 32 lines into one. Registers, 32 bits each:
//   0x0 pending   RO  lines that are up and enabled
//   0x4 enable    RW
//   0x8 lines     RO  how many there are
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace platform {

class InterruptController : public sc_core::sc_module {
 public:
  static constexpr uint64_t kPending = 0, kEnable = 4, kLines = 8, kBytes = 16;

  tlm_utils::simple_target_socket<InterruptController> socket{"socket"};
  sc_core::sc_out<bool> cpu{"cpu"};
  std::vector<std::unique_ptr<sc_core::sc_in<bool>>> lines;

  InterruptController(sc_core::sc_module_name name, unsigned count) : sc_module(name) {
    typedef InterruptController SC_CURRENT_USER_MODULE;
    for (unsigned i = 0; i < count; i++)
      lines.push_back(std::make_unique<sc_core::sc_in<bool>>(("line" + std::to_string(i)).c_str()));
    socket.register_b_transport(this, &InterruptController::b_transport);
    SC_METHOD(update);
    for (auto& line : lines) sensitive << *line;
    sensitive << enable_changed_;
  }

 private:
  uint32_t pending() const {
    uint32_t bits = 0;
    for (size_t i = 0; i < lines.size(); i++)
      if (lines[i]->read()) bits |= 1u << i;
    return bits & enable_;
  }

  void update() { cpu.write(pending() != 0); }

  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(10, sc_core::SC_NS);
    if (p.get_data_length() != 4 || p.get_streaming_width() < 4)
      return p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    if (p.get_byte_enable_ptr()) return p.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    const uint64_t at = p.get_address();
    if (at != kPending && at != kEnable && at != kLines) return p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (p.is_write() && at == kEnable) {
      std::memcpy(&enable_, p.get_data_ptr(), 4);
      enable_changed_.notify(sc_core::SC_ZERO_TIME);
    } else if (p.is_read()) {
      const uint32_t value = at == kPending ? pending() : at == kEnable ? enable_ : static_cast<uint32_t>(lines.size());
      std::memcpy(p.get_data_ptr(), &value, 4);
    } else {
      return p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  uint32_t enable_ = 0;
  sc_core::sc_event enable_changed_;
};

}  // namespace platform
