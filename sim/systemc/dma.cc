// SPDX-License-Identifier: Apache-2.0
#include "sim/systemc/dma.h"

#include <algorithm>

namespace heddle::systemc {

using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;

Dma::Dma(tlm::tlm_initiator_socket<>& socket, unsigned burst_bytes, unsigned outstanding, Done done)
    : socket_(socket),
      burst_bytes_(std::max(burst_bytes, 1u)),
      outstanding_(std::max(outstanding, 1u)),
      done_(std::move(done)),
      phases_(this, &Dma::on_phase) {
  socket_.bind(*this);
}

Dma::~Dma() = default;

uint64_t Dma::next_bytes(const Transfer& t, uint64_t done) const {
  return std::min(t.bytes - done, burst_bytes_ - (t.address + done) % burst_bytes_);
}

void Dma::fill(tlm::tlm_generic_payload& p, const Transfer& t, uint64_t done, uint64_t bytes) {
  p.set_command(t.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  p.set_address(t.address + done);
  p.set_data_ptr(t.data + done);
  p.set_data_length(static_cast<unsigned>(bytes));
  p.set_streaming_width(static_cast<unsigned>(bytes));
  p.set_byte_enable_ptr(t.enables ? t.enables + done : nullptr);
  p.set_byte_enable_length(t.enables ? static_cast<unsigned>(bytes) : 0);
  p.set_dmi_allowed(false);
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

void Dma::count(const tlm::tlm_generic_payload& p) {
  (p.is_write() ? counters_.writes : counters_.reads)++;
  (p.is_write() ? counters_.written_bytes : counters_.read_bytes) += p.get_data_length();
  if (!p.is_response_ok()) counters_.errors++;
}

bool Dma::transfer(const Transfer& t, sc_time& delay) {
  bool ok = true;
  tlm::tlm_generic_payload payload;
  for (uint64_t done = 0; done < t.bytes && ok;) {
    const uint64_t bytes = next_bytes(t, done);
    fill(payload, t, done, bytes);
    socket_->b_transport(payload, delay);
    count(payload);
    ok = payload.is_response_ok();
    done += bytes;
  }
  return ok;
}

void Dma::start(const Transfer& t) {
  auto job = std::make_unique<Job>();
  job->transfer = t;
  transfers_.push_back(std::move(job));
}

void Dma::issue() {
  if (issuing_) return;  // a target answered from within send()
  issuing_ = true;
  bool sent = true;
  while (sent && !request_ && under_way_ < outstanding_) {
    sent = false;
    for (auto& job : transfers_) {
      if (job->sent == job->transfer.bytes || job->error) continue;
      send(*job);
      sent = true;
      break;
    }
  }
  issuing_ = false;
}

void Dma::send(Job& job) {
  if (free_parts_.empty()) {
    tlm::tlm_mm_interface* owner = this;
    parts_.push_back(std::make_unique<Part>(owner));
    free_parts_.push_back(parts_.back().get());
  }
  Part& part = *free_parts_.back();
  free_parts_.pop_back();
  part.acquire();
  part.job = &job;
  part.ended = false;
  const uint64_t bytes = next_bytes(job.transfer, job.sent);
  fill(part, job.transfer, job.sent, bytes);
  job.sent += bytes;
  job.under_way++;
  counters_.most_under_way = std::max(counters_.most_under_way, ++under_way_);
  request_ = &part;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = SC_ZERO_TIME;
  switch (socket_->nb_transport_fw(part, phase, delay)) {
    case tlm::TLM_ACCEPTED: return;
    case tlm::TLM_UPDATED: return phases_.notify(part, phase, delay);
    case tlm::TLM_COMPLETED: part.ended = true; return phases_.notify(part, tlm::BEGIN_RESP, delay);
  }
}

tlm::tlm_sync_enum Dma::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  phases_.notify(payload, phase, delay);
  return tlm::TLM_ACCEPTED;
}

void Dma::on_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  auto& part = static_cast<Part&>(payload);  // every payload of this socket is one
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
    if (request_ == &part) request_ = nullptr;  // BEGIN_RESP implies END_REQ
  }
  if (phase == tlm::BEGIN_RESP) {
    if (!part.ended) {
      tlm::tlm_phase answer = tlm::END_RESP;
      sc_time delay = SC_ZERO_TIME;
      socket_->nb_transport_fw(part, answer, delay);
    }
    end(part);
  }
  issue();
}

void Dma::end(Part& part) {
  Job& job = *part.job;
  count(part);
  if (!part.is_response_ok()) job.error = true;
  part.release();
  under_way_--;
  if (--job.under_way > 0 || (job.sent < job.transfer.bytes && !job.error)) return;
  const uint64_t tag = job.transfer.tag;
  const bool error = job.error;
  transfers_.erase(std::find_if(transfers_.begin(), transfers_.end(), [&](const auto& j) { return j.get() == &job; }));
  done_(tag, error);
}

void Dma::free(tlm::tlm_generic_payload* payload) {
  payload->reset();
  free_parts_.push_back(static_cast<Part*>(payload));
}

}  // namespace heddle::systemc
