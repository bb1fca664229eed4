// SPDX-License-Identifier: Apache-2.0
// The target socket: registers, the window on device memory, DMI, debug, and the base protocol.
#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/systemc/heddle_device.h"

namespace heddle::systemc {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using sc_core::SC_ZERO_TIME;

namespace {

// Whether byte i of a transaction is enabled; the enables repeat.
bool enabled(const tlm::tlm_generic_payload& p, unsigned i) {
  const unsigned length = p.get_byte_enable_length();
  return !p.get_byte_enable_ptr() || length == 0 || p.get_byte_enable_ptr()[i % length] != 0;
}

}  // namespace

// ---- accesses
// ------------------------------------------------------------------------------------------

void HeddleDevice::b_transport(tlm::tlm_generic_payload& p, sc_time& delay) {
  const sc_time now = sc_time_stamp();
  if (!working_) local_ = std::max(local_, now + delay);
  const uint64_t before = powered() ? backend_.cycles() : 0;
  p.set_dmi_allowed(false);
  p.set_response_status(access(p));
  if (!p.is_response_ok()) counters_.refused++;
  if (!powered() || !failure_.empty()) return;
  const uint64_t cycles = backend_.cycles() - before;
  local_ += cycles * period_;
  delay += std::max<uint64_t>(cycles, 1) * period_;
  const int level = backend_.step(0);
  if (level < 0) return fail();
  if ((level > 0) != level_) publish(level > 0, level > 0 && local_ > now ? local_ - now : SC_ZERO_TIME);
}

tlm::tlm_response_status HeddleDevice::access(tlm::tlm_generic_payload& p) {
  if (!powered() || !failure_.empty()) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (!p.is_read() && !p.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (p.get_data_length() == 0 || !p.get_data_ptr() || p.get_streaming_width() < p.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (p.get_address() < kRegisterBytes) return access_registers(p);
  return access_window(p);
}

tlm::tlm_response_status HeddleDevice::access_registers(tlm::tlm_generic_payload& p) {
  const uint64_t address = p.get_address();
  const unsigned bytes = p.get_data_length();
  if (bytes != 4 && bytes != 8) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (address % 4 != 0) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  // All is checked before anything is done.
  bool whole[2] = {};
  for (unsigned word = 0; word < bytes / 4; word++) {
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++) count += enabled(p, 4 * word + i);
    whole[word] = count > 0;
    if (count > 0 && !backend_.has_register(address + 4 * word)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (p.is_write() && count % 4 != 0) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  counters_.registers++;
  if (p.is_write()) disturb();
  for (unsigned word = 0; word < bytes / 4; word++) {
    if (!whole[word]) continue;
    unsigned char* data = p.get_data_ptr() + 4 * word;
    uint32_t value = 0;
    if (p.is_write()) {
      std::memcpy(&value, data, 4);
      backend_.write32(address + 4 * word, value);
      working_ = true;
      perhaps_idle_ = true;
      idle_check_ = 0;
      kick_.notify(SC_ZERO_TIME);
      continue;
    }
    value = backend_.read32(address + 4 * word);
    for (unsigned i = 0; i < 4; i++)
      if (enabled(p, 4 * word + i)) data[i] = static_cast<unsigned char>(value >> 8 * i);
  }
  return tlm::TLM_OK_RESPONSE;
}

bool HeddleDevice::in_window(uint64_t address, uint64_t bytes) const {
  const uint64_t offset = address - parameters_.window_base, size = backend_.memory_bytes();
  return address >= parameters_.window_base && offset < size && bytes <= size - offset;
}

tlm::tlm_response_status HeddleDevice::access_window(tlm::tlm_generic_payload& p) {
  const unsigned bytes = p.get_data_length();
  if (!in_window(p.get_address(), bytes)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  counters_.window++;
  const uint64_t address = p.get_address() - parameters_.window_base + backend_.memory_base();
  const bool all = !p.get_byte_enable_ptr() || p.get_byte_enable_length() == 0;
  std::vector<uint8_t> buffer;
  bool ok;
  if (p.is_read()) {
    buffer.resize(all ? 0 : bytes);
    ok = backend_.memory_read(address, all ? p.get_data_ptr() : buffer.data(), bytes);
    for (unsigned i = 0; ok && !all && i < bytes; i++)
      if (enabled(p, i)) p.get_data_ptr()[i] = buffer[i];
  } else {
    disturb();
    buffer.resize(all ? 0 : bytes);
    for (unsigned i = 0; !all && i < bytes; i++) buffer[i] = enabled(p, i);
    ok = backend_.memory_write(address, p.get_data_ptr(), all ? nullptr : buffer.data(), bytes);
  }
  // The memory is there, but software gave the device less of it (MemSize).
  if (!ok) return backend_.step(0) < 0 ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  p.set_dmi_allowed(true);  // a hint: get_direct_mem_ptr decides
  return tlm::TLM_OK_RESPONSE;
}

// ---- direct memory and debug
// -----------------------------------------------------------------------------

bool HeddleDevice::get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
  const uint64_t address = p.get_address(), base = parameters_.window_base;
  dmi.init();
  dmi.allow_none();
  if (!powered() || !failure_.empty()) return false;
  if (!in_window(address, 1)) {
    if (address < base) dmi.set_end_address(base - 1);
    else dmi.set_start_address(base + backend_.memory_bytes());
    return false;
  }
  dmi.set_start_address(base);
  dmi.set_end_address(base + backend_.memory_bytes() - 1);
  const uint64_t before = backend_.cycles();
  uint64_t bytes = 0;
  int writable = 0;
  uint8_t* memory = backend_.memory_direct(&bytes, &writable);
  local_ += (backend_.cycles() - before) * period_;
  if (!memory || (!writable && p.is_write())) return false;
  dmi.set_dmi_ptr(memory);
  if (writable) {
    dmi.allow_read_write();
  } else {
    dmi.allow_read();
    dmi_revocable_ = true;
  }
  dmi.set_read_latency(period_);
  dmi.set_write_latency(period_);
  counters_.dmi_granted++;
  return true;
}

// Takes revocable grants back before the device works or its memory changes.
void HeddleDevice::disturb() {
  if (!dmi_revocable_) return;
  dmi_revocable_ = false;
  counters_.dmi_invalidated++;
  target->invalidate_direct_mem_ptr(parameters_.window_base, parameters_.window_base + backend_.memory_bytes() - 1);
}

unsigned HeddleDevice::transport_dbg(tlm::tlm_generic_payload& p) {
  if (!powered() || !failure_.empty() || !p.get_data_ptr() || (!p.is_read() && !p.is_write())) return 0;
  const uint64_t address = p.get_address();
  uint64_t bytes = p.get_data_length();
  const uint64_t before = backend_.cycles();
  if (address < kRegisterBytes) {
    if (!p.is_read()) return 0;
    bytes = std::min(bytes, kRegisterBytes - address);
    unsigned done = 0;
    for (; done < bytes; done++) {
      const uint64_t at = address + done;
      if (!backend_.has_register(at / 4 * 4)) break;
      p.get_data_ptr()[done] = static_cast<unsigned char>(backend_.read32(at / 4 * 4) >> 8 * (at % 4));
    }
    local_ += (backend_.cycles() - before) * period_;
    return done;
  }
  if (!in_window(address, 1)) return 0;
  bytes = std::min(bytes, parameters_.window_base + backend_.memory_bytes() - address);
  const uint64_t at = address - parameters_.window_base + backend_.memory_base();
  if (p.is_write()) disturb();
  const bool ok = p.is_read() ? backend_.memory_read(at, p.get_data_ptr(), bytes)
                              : backend_.memory_write(at, p.get_data_ptr(), nullptr, bytes);
  local_ += (backend_.cycles() - before) * period_;
  return ok ? static_cast<unsigned>(bytes) : 0;
}

// ---- the base protocol
// -----------------------------------------------------------------------------------

tlm::tlm_sync_enum HeddleDevice::nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    if (!p.has_mm()) {  // it may be gone when its turn comes: served at once
      b_transport(p, delay);
      return tlm::TLM_COMPLETED;
    }
    p.acquire();
  }
  phases_.notify(p, phase, delay);
  return phase == tlm::END_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

void HeddleDevice::on_phase(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase) {
  if (phase == tlm::BEGIN_REQ) {
    if (accepted_.size() < parameters_.target_depth) return accept(p);
    counters_.held_requests++;
    held_ = &p;
  } else if (phase == tlm::END_RESP && response_ == &p) {
    response_ = nullptr;
    response_went_.notify(SC_ZERO_TIME);
  }
}

void HeddleDevice::accept(tlm::tlm_generic_payload& p) {
  accepted_.push_back(&p);
  request_came_.notify(SC_ZERO_TIME);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_time delay = SC_ZERO_TIME;
  target->nb_transport_bw(p, phase, delay);
}

// Serves the accepted requests in their order, a response at a time.
void HeddleDevice::answer() {
  for (;;) {
    while (accepted_.empty()) sc_core::wait(request_came_);
    tlm::tlm_generic_payload& p = *accepted_.front();
    sc_time delay = SC_ZERO_TIME;
    b_transport(p, delay);
    sc_core::wait(delay);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    delay = SC_ZERO_TIME;
    response_ = &p;
    const tlm::tlm_sync_enum sync = target->nb_transport_bw(p, phase, delay);
    if (sync == tlm::TLM_COMPLETED || (sync == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
      response_ = nullptr;
      if (delay > SC_ZERO_TIME) sc_core::wait(delay);
    }
    while (response_) sc_core::wait(response_went_);
    accepted_.pop_front();
    p.release();
    if (held_) {
      tlm::tlm_generic_payload& waiting = *held_;
      held_ = nullptr;
      accept(waiting);
    }
  }
}

}  // namespace heddle::systemc
