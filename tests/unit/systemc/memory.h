// SPDX-License-Identifier: Apache-2.0
// A memory for tests, whose manners as a target can be chosen. Watches the base protocol's rules.
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

namespace heddle::test {

class Memory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<> socket{"socket"};

  enum class Style {
    FourPhases,  // END_REQ, then BEGIN_RESP, both on the backward path
    NoEndReq,    // BEGIN_RESP stands for END_REQ, too
    EndReqInReturn,
    CompleteInReturn  // TLM_COMPLETED with the latency
  };

  struct Manners {
    Style style = Style::FourPhases;
    sc_core::sc_time accept{20, sc_core::SC_NS};    // BEGIN_REQ to END_REQ
    sc_core::sc_time latency{100, sc_core::SC_NS};  // to BEGIN_RESP
    unsigned places = 64;                           // END_REQ waits while so many are not yet answered
    bool blocks = false;                            // b_transport waits by itself instead of annotating the time
  };
  Manners manners;

  struct Watch {
    unsigned begun = 0, blocking = 0;  // nb_transport, b_transport
    unsigned broken_rules = 0;         // BEGIN_REQ before END_REQ, END_RESP without BEGIN_RESP
    unsigned most_under_way = 0;
    std::vector<sc_core::sc_time> begin_times;
  };
  Watch watch;

  Memory(sc_core::sc_module_name name, size_t bytes) : sc_module(name), bytes_(bytes), events_(this, &Memory::event) {
    socket.bind(*this);
  }

  uint8_t* data() { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }

 private:
  void access(tlm::tlm_generic_payload& p) {
    const uint64_t a = p.get_address(), n = p.get_data_length();
    if (a >= bytes_.size() || n > bytes_.size() - a) return p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (p.get_streaming_width() != n) return p.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    for (uint64_t i = 0; i < n; i++) {
      if (p.get_byte_enable_ptr() && !p.get_byte_enable_ptr()[i % p.get_byte_enable_length()]) continue;
      if (p.is_write()) bytes_[a + i] = p.get_data_ptr()[i];
      else p.get_data_ptr()[i] = bytes_[a + i];
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) override {
    watch.blocking++;
    watch.begin_times.push_back(sc_core::sc_time_stamp() + delay);
    if (manners.blocks) {
      sc_core::wait(delay + manners.latency);
      delay = sc_core::SC_ZERO_TIME;
    } else {
      delay += manners.latency;
    }
    access(p);
  }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      if (response_ != &p) watch.broken_rules++;
      response_ = nullptr;
      respond();
      return tlm::TLM_COMPLETED;
    }
    watch.begun++;
    watch.begin_times.push_back(sc_core::sc_time_stamp() + delay);
    if (request_) watch.broken_rules++;
    if (manners.style == Style::CompleteInReturn) {
      access(p);
      delay += manners.latency;
      return tlm::TLM_COMPLETED;
    }
    p.acquire();
    under_way_++;
    if (under_way_ > watch.most_under_way) watch.most_under_way = under_way_;
    if (manners.style == Style::EndReqInReturn) {
      events_.notify(p, tlm::BEGIN_RESP, delay + manners.accept + manners.latency);
      phase = tlm::END_REQ;
      delay += manners.accept;
      return tlm::TLM_UPDATED;
    }
    request_ = &p;
    if (manners.style == Style::FourPhases) events_.notify(p, tlm::END_REQ, delay + manners.accept);
    else events_.notify(p, tlm::BEGIN_RESP, delay + manners.accept + manners.latency);
    return tlm::TLM_ACCEPTED;
  }

  void event(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase) {
    if (phase == tlm::END_REQ) {
      if (under_way_ > manners.places) {
        full_ = true;  // END_REQ comes with the next answer
        events_.notify(p, tlm::BEGIN_RESP, manners.latency);
        return;
      }
      end_request(p);
      events_.notify(p, tlm::BEGIN_RESP, manners.latency);
      return;
    }
    answers_.push_back(&p);
    respond();
  }

  void end_request(tlm::tlm_generic_payload& p) {
    request_ = nullptr;
    full_ = false;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_bw(p, phase, delay);
  }

  void respond() {
    if (response_ || answers_.empty()) return;
    tlm::tlm_generic_payload& p = *answers_.front();
    answers_.pop_front();
    access(p);
    under_way_--;
    if (full_ && request_ != &p) end_request(*request_);
    if (request_ == &p) request_ = nullptr;
    full_ = false;
    response_ = &p;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (socket->nb_transport_bw(p, phase, delay) == tlm::TLM_COMPLETED) response_ = nullptr;
    p.release();
    respond();
  }

  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& p) override {
    access(p);
    return p.is_response_ok() ? p.get_data_length() : 0;
  }

  std::vector<uint8_t> bytes_;
  tlm::tlm_generic_payload* request_ = nullptr;   // BEGIN_REQ came, END_REQ not sent
  tlm::tlm_generic_payload* response_ = nullptr;  // BEGIN_RESP sent, END_RESP not come
  std::deque<tlm::tlm_generic_payload*> answers_;
  unsigned under_way_ = 0;
  bool full_ = false;
  tlm_utils::peq_with_cb_and_phase<Memory> events_;
};

}  // namespace heddle::test
