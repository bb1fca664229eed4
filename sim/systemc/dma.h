// SPDX-License-Identifier: Apache-2.0
// The initiator side of the device: transfers of its DMA port become TLM transactions of at most
// `burst_bytes`, none of which crosses a boundary of that size.
//
// Loosely timed: b_transport, one transaction after the other, each with the time at which the
// device asked. Approximately timed: nb_transport with the base protocol's four phases; up to
// `outstanding` transactions are under way, one of them between BEGIN_REQ and END_REQ. A target
// that holds END_REQ back thereby holds back the device, whose port has room for a few transfers
// only.
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

namespace heddle::systemc {

enum class Timing { Loose, Approximate };

struct DmaCounters {
  uint64_t reads = 0, writes = 0;  // transactions
  uint64_t read_bytes = 0, written_bytes = 0;
  uint64_t errors = 0;          // transactions answered with an error
  unsigned most_under_way = 0;  // approximately timed: transactions at once
};

class Dma : public tlm::tlm_bw_transport_if<>, private tlm::tlm_mm_interface {
 public:
  struct Transfer {
    uint64_t tag = 0;
    bool write = false;
    uint64_t address = 0;
    uint8_t* data = nullptr;     // not owned; stays until the transfer ended
    uint8_t* enables = nullptr;  // null: all bytes
    uint64_t bytes = 0;
  };
  // A transfer ended; called from a process of the simulation, not within start() or issue().
  using Done = std::function<void(uint64_t tag, bool error)>;

  Dma(tlm::tlm_initiator_socket<>& socket, unsigned burst_bytes, unsigned outstanding, Done done);
  ~Dma() override;

  // Loosely timed: transfers now, beginning `delay` from now; returns with `delay` at its end. The
  // target may call wait(): the caller must be an SC_THREAD. True: no error.
  bool transfer(const Transfer& t, sc_core::sc_time& delay);

  // Approximately timed: queues the transfer; issue() sends what may be sent at the present time.
  void start(const Transfer& t);
  void issue();
  bool busy() const { return !transfers_.empty(); }

  const DmaCounters& counters() const { return counters_; }

 private:
  struct Job {  // a transfer under way
    Transfer transfer;
    uint64_t sent = 0;       // bytes for which transactions were made
    unsigned under_way = 0;  // transactions
    bool error = false;
  };
  struct Part : tlm::tlm_generic_payload {
    explicit Part(tlm::tlm_mm_interface* mm) : tlm::tlm_generic_payload(mm) {}
    Job* job = nullptr;
    bool ended = false;  // the target said TLM_COMPLETED: no END_RESP
  };

  uint64_t next_bytes(const Transfer& t, uint64_t done) const;
  static void fill(tlm::tlm_generic_payload& p, const Transfer& t, uint64_t done, uint64_t bytes);
  void count(const tlm::tlm_generic_payload& p);
  void send(Job& job);
  void on_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void end(Part& part);

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}  // DMA takes no DMI
  void free(tlm::tlm_generic_payload* payload) override;

  tlm::tlm_initiator_socket<>& socket_;
  const uint64_t burst_bytes_;
  const unsigned outstanding_;
  Done done_;
  std::deque<std::unique_ptr<Job>> transfers_;  // in the order started; ended ones leave from anywhere
  Part* request_ = nullptr;                     // between BEGIN_REQ and END_REQ
  unsigned under_way_ = 0;
  bool issuing_ = false;
  std::vector<std::unique_ptr<Part>> parts_;  // all ever made
  std::vector<Part*> free_parts_;
  tlm_utils::peq_with_cb_and_phase<Dma> phases_;
  DmaCounters counters_;
};

}  // namespace heddle::systemc
