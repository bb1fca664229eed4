// SPDX-License-Identifier: Apache-2.0
// A bus for virtual platforms and tests: any number of initiators, targets by address range,
// addresses given to a target relative to its base. Loosely and approximately timed, DMI and debug
// pass through. No arbitration, no time of its own.
//
//   Router bus("bus");
//   bus.add_target(gpu.target, 0x40000000, 0x1000, /*base=*/0x40000000);
//   bus.add_initiator(cpu.socket);
//
// An address that no target has is answered with TLM_ADDRESS_ERROR_RESPONSE by the bus itself.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <map>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

namespace heddle::systemc {

class Router : public sc_core::sc_module {
 public:
  explicit Router(sc_core::sc_module_name name) : sc_module(name) {
    from_.register_b_transport(this, &Router::b_transport);
    from_.register_nb_transport_fw(this, &Router::nb_transport_fw);
    from_.register_get_direct_mem_ptr(this, &Router::get_direct_mem_ptr);
    from_.register_transport_dbg(this, &Router::transport_dbg);
    to_.register_nb_transport_bw(this, &Router::nb_transport_bw);
    to_.register_invalidate_direct_mem_ptr(this, &Router::invalidate_direct_mem_ptr);
  }

  // [first, first + bytes) goes to `target`, which sees addresses minus `base`. Ranges are searched
  // in the order added; a target may have several if they have one base.
  template <typename Socket>
  void add_target(Socket& target, uint64_t first, uint64_t bytes, uint64_t base) {
    int port = -1;
    for (const Range& r : ranges_)
      if (r.socket == static_cast<void*>(&target)) port = r.port;
    if (port < 0) {
      port = ports_++;
      to_.bind(target);
    }
    ranges_.push_back({first, first + (bytes - 1), base, port, &target});
  }

  template <typename Socket>
  void add_initiator(Socket& initiator) {
    initiator.bind(from_);
  }

 private:
  struct Range {
    uint64_t first, last, base;
    int port;
    void* socket;
  };

  const Range* find(const tlm::tlm_generic_payload& p) const {
    const uint64_t address = p.get_address();
    for (const Range& r : ranges_)
      if (address >= r.first && address <= r.last) return &r;
    return nullptr;
  }

  void b_transport(int, tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const Range* r = find(p);
    if (!r) return p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    const uint64_t address = p.get_address();
    p.set_address(address - r->base);
    to_[r->port]->b_transport(p, delay);
    p.set_address(address);
  }

  tlm::tlm_sync_enum nb_transport_fw(int from, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
      const Range* r = find(p);
      if (!r) {
        p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
      }
      routes_[&p] = {from, r->port, p.get_address()};
      p.set_address(p.get_address() - r->base);
    }
    const auto at = routes_.find(&p);
    if (at == routes_.end()) return tlm::TLM_COMPLETED;
    const Route route = at->second;
    const bool last = phase == tlm::END_RESP;
    if (last) routes_.erase(at);
    const tlm::tlm_sync_enum sync = to_[route.to]->nb_transport_fw(p, phase, delay);
    if (sync == tlm::TLM_COMPLETED && !last) routes_.erase(&p);
    if (last || sync == tlm::TLM_COMPLETED) p.set_address(route.address);
    return sync;
  }

  tlm::tlm_sync_enum nb_transport_bw(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const auto at = routes_.find(&p);
    if (at == routes_.end()) return tlm::TLM_COMPLETED;
    const Route route = at->second;
    const tlm::tlm_sync_enum sync = from_[route.from]->nb_transport_bw(p, phase, delay);
    if (sync == tlm::TLM_COMPLETED) {
      routes_.erase(&p);
      p.set_address(route.address);
    }
    return sync;
  }

  bool get_direct_mem_ptr(int, tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
    const Range* r = find(p);
    if (!r) {
      dmi.init();
      dmi.allow_none();
      return false;
    }
    const uint64_t address = p.get_address();
    p.set_address(address - r->base);
    const bool granted = to_[r->port]->get_direct_mem_ptr(p, dmi);
    p.set_address(address);
    // What the range shows of the target's region.
    const uint64_t low = r->first - r->base, high = r->last - r->base;
    if (granted && dmi.get_start_address() < low) {
      dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (low - dmi.get_start_address()));
    }
    dmi.set_start_address((dmi.get_start_address() < low ? low : dmi.get_start_address()) + r->base);
    dmi.set_end_address((dmi.get_end_address() > high ? high : dmi.get_end_address()) + r->base);
    return granted;
  }

  unsigned transport_dbg(int, tlm::tlm_generic_payload& p) {
    const Range* r = find(p);
    if (!r) return 0;
    const uint64_t address = p.get_address();
    p.set_address(address - r->base);
    const unsigned done = to_[r->port]->transport_dbg(p);
    p.set_address(address);
    return done;
  }

  void invalidate_direct_mem_ptr(int port, sc_dt::uint64 first, sc_dt::uint64 last) {
    for (const Range& r : ranges_) {
      if (r.port != port) continue;
      const uint64_t low = first + r.base < r.first ? r.first : first + r.base;
      const uint64_t high = last > r.last - r.base ? r.last : last + r.base;
      if (low > high) continue;
      for (unsigned i = 0; i < from_.size(); i++) from_[static_cast<int>(i)]->invalidate_direct_mem_ptr(low, high);
    }
  }

  struct Route {
    int from, to;
    uint64_t address;
  };
  tlm_utils::multi_passthrough_target_socket<Router> from_{"from"};
  tlm_utils::multi_passthrough_initiator_socket<Router> to_{"to"};
  std::vector<Range> ranges_;
  int ports_ = 0;
  std::map<tlm::tlm_generic_payload*, Route> routes_;  // under way
};

}  // namespace heddle::systemc
