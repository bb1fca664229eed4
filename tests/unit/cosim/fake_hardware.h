// SPDX-License-Identifier: Apache-2.0
// Plays the hardware: watches a functional machine and tells what an SM's trace ports would have
// told, with an L1 of its own a little like the real one. Events are collected, so that tests can
// spoil them.
#pragma once

#include <bit>
#include <map>
#include <set>
#include <vector>

#include "sim/cosim/events.h"
#include "sim/model/machine.h"
#include "sim/model/memory_ops.h"

namespace heddle::test {

class FakeHardware : public model::Observer {
 public:
  FakeHardware(const model::DeviceMemory& memory, uint32_t sms) : memory_(memory), l1_(sms) {}

  std::vector<cosim::Event> events;

  void kernel_start(const model::Launch& l) {
    cosim::KernelStart k{};
    k.entry_pc = l.entry_pc;
    k.registers = l.registers;
    k.shared_bytes = l.shared_bytes;
    k.dynamic_shared = l.dynamic_shared;
    k.local_bytes = l.local_bytes;
    std::copy(l.grid, l.grid + 3, k.grid);
    std::copy(l.block, l.block + 3, k.block);
    std::copy(l.cluster, l.cluster + 3, k.cluster);
    k.clusters = l.clusters;
    k.param_base = l.param_base;
    k.param_bytes = l.param_bytes;
    k.const_base = l.const_base;
    k.local_base = l.local_base;
    k.code_base = l.code_base;
    k.code_size = l.code_size;
    k.mem_end = l.mem_end;
    tell(k);
  }
  void kernel_end(uint32_t status) { tell(cosim::KernelEnd{status}); }
  void fault(const model::FaultRecord& f) {
    tell(cosim::Fault{u8(f.sm),
                      u8(f.warp),
                      u16(f.thread),
                      f.info.kind,
                      f.info.code,
                      f.pc,
                      f.info.address,
                      {f.ctaid[0], f.ctaid[1], f.ctaid[2]}});
  }

  void block_started(const model::Block& b) override {
    tell(cosim::BlockStart{
        u8(b.sm->index), u8(b.slot), u8(b.first_warp), b.shared_base, {b.ctaid[0], b.ctaid[1], b.ctaid[2]}});
    for (uint32_t w = 0; w < b.warps; w++) next_seq_[{b.sm->index, b.first_warp + w}] = 0;
  }
  void block_ended(const model::Block& b) override { tell(cosim::BlockEnd{u8(b.sm->index), u8(b.slot)}); }

  void issued(const model::Warp& w, const model::Decoded&, uint32_t pc, model::Mask active, model::Mask) override {
    seq_ = next_seq_[{w.view.sm, w.view.slot}]++;
    tell(cosim::Issue{u8(w.view.sm), u8(w.view.slot), seq_, pc, active});
  }

  void executed(const model::Warp& w, const model::Decoded& d, model::Mask mask, const model::Access* access) override {
    if (d.kind == model::Kind::Branch) return;
    if (d.kind == model::Kind::Control) {
      if (d.op == isa::Opcode::Call || d.op == isa::Opcode::Callx) retire(w, d, mask, seq_);
      if (d.op == isa::Opcode::Bar && d.get(model::field::BlockBarrier_mode) == 2) {
        if (mask) waiting_[{w.view.sm, w.view.slot}] = seq_;
        else retire(w, d, 0, seq_);
      }
      return;
    }
    if (access) memory(w, d, *access);
    if (d.op == isa::Opcode::Membar) {
      l1_[w.view.sm].clear();
      tell(l1_event(w.view.sm, cosim::L1Kind::InvalidateAll, 0));
    }
    retire(w, d, mask, seq_);
  }

  void released(const model::Released& r) override {
    const model::Decoded& d = *r.parked.instruction;
    if (d.op == isa::Opcode::Bar && d.get(model::field::BlockBarrier_mode) == 2)
      retire(*r.warp, d, r.parked.split.mask, waiting_[{r.warp->view.sm, r.warp->view.slot}]);
  }

 private:
  static uint8_t u8(uint32_t v) { return static_cast<uint8_t>(v); }
  static uint16_t u16(uint32_t v) { return static_cast<uint16_t>(v); }

  template <typename T>
  void tell(const T& e) {
    events.emplace_back(e, events.size());
  }

  cosim::Sector sector(uint64_t number) const {
    cosim::Sector s;
    std::memcpy(s.data(), memory_.at(number * 32), 32);
    return s;
  }

  cosim::L1 l1_event(uint32_t sm, cosim::L1Kind kind, uint64_t number) const {
    cosim::L1 e{};
    e.sm = u8(sm);
    e.kind = kind;
    e.sector = number;
    return e;
  }
  cosim::L2 l2_event(const model::Warp& w, cosim::RequestKind kind, uint64_t number) const {
    cosim::L2 e{};
    e.client = u8(w.view.sm);
    e.kind = kind;
    e.sector = number;
    e.warp = u8(w.view.slot);
    e.seq = seq_;
    return e;
  }

  void retire(const model::Warp& w, const model::Decoded& d, model::Mask mask, uint16_t seq) {
    const int rows = d.rd == isa::kRz ? 0 : d.rows;
    const bool predicates = d.pd < isa::kPt || d.pq < isa::kPt;
    for (int k = 0; k < std::max(rows, 1); k++) {
      cosim::Retire e{};
      e.sm = u8(w.view.sm);
      e.warp = u8(w.view.slot);
      e.seq = seq;
      e.rd = d.rd;
      e.pd = d.pd;
      e.pq = d.pq;
      e.mask = mask;
      e.index = u8(static_cast<uint32_t>(k));
      e.last = k + 1 >= rows;
      if (k < rows) {
        e.row_we = true;
        std::copy(w.rows[d.rd + k].lane, w.rows[d.rd + k].lane + 32, e.row.begin());
      }
      if (e.last && predicates) {
        e.p_we = true;
        e.p = d.pd < isa::kPt ? w.predicates[d.pd] : 0;
        e.q = d.pq < isa::kPt ? w.predicates[d.pq] : 0;
      }
      tell(e);
    }
  }

  void memory(const model::Warp& w, const model::Decoded& d, const model::Access& a) {
    switch (model::memory_class(d.op)) {
      case model::MemoryClass::Load: return load(w, a);
      case model::MemoryClass::Store: return store(w, d, a);
      case model::MemoryClass::Atomic: return atomics(w, d, a);
      case model::MemoryClass::Copy:
        load(w, a);
        return tell(cosim::SharedStore{u8(w.view.sm), u8(w.view.slot), seq_, a.mask});
      default: return;
    }
  }

  void load(const model::Warp& w, const model::Access& a) {
    if (a.mask & a.shared)
      tell(cosim::Load{u8(w.view.sm), cosim::LoadSource::Shared, 0, u8(w.view.slot), seq_, a.mask & a.shared});
    for (const auto& [number, lanes] : by_sector(a)) {
      const bool direct = number % 5 == 0;  // some come straight from the fill
      cosim::LoadSource source = cosim::LoadSource::L1;
      if (!l1_[w.view.sm].contains(number)) {
        id_ = (id_ + 1) % 16;  // an MSHR; its sectors' ids follow each other
        const unsigned id = static_cast<unsigned>(id_) * 4 + static_cast<unsigned>(number % 4);
        cosim::L2 read = l2_event(w, cosim::RequestKind::Read, number);
        read.id = u8(id);
        read.data = sector(number);
        tell(read);
        cosim::L1 fill = l1_event(w.view.sm, cosim::L1Kind::Fill, number);
        fill.id = u8(id);
        fill.installed = !direct;
        fill.data = read.data;
        tell(fill);
        if (direct) source = cosim::LoadSource::Fill;
        else l1_[w.view.sm].insert(number);
      }
      tell(cosim::Load{u8(w.view.sm), source, u8(id_ * 4), u8(w.view.slot), seq_, lanes});
    }
  }

  void store(const model::Warp& w, const model::Decoded&, const model::Access& a) {
    if (a.mask & a.shared) tell(cosim::SharedStore{u8(w.view.sm), u8(w.view.slot), seq_, a.mask & a.shared});
    for (const auto& [number, lanes] : by_sector(a)) {
      uint32_t bytes = 0;
      for (model::Mask left = lanes; left; left &= left - 1)
        bytes |= static_cast<uint32_t>(((uint64_t{1} << a.shape.bytes) - 1) << a.address[std::countr_zero(left)] % 32);
      if (l1_[w.view.sm].contains(number)) {
        cosim::L1 write = l1_event(w.view.sm, cosim::L1Kind::Write, number);
        write.mask = bytes;
        write.data = sector(number);
        tell(write);
      }
      cosim::L2 e = l2_event(w, cosim::RequestKind::Write, number);
      e.mask = bytes;
      e.data = sector(number);
      tell(e);
      evict_elsewhere(w.view.sm, number);
    }
  }

  void atomics(const model::Warp& w, const model::Decoded& d, const model::Access& a) {
    for (model::Mask left = a.mask; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (a.shared >> lane & 1) {
        tell(cosim::SharedStore{u8(w.view.sm), u8(w.view.slot), seq_, 1u << lane});
        continue;
      }
      cosim::L2 e = l2_event(w, cosim::RequestKind::Atomic, a.address[lane] / 32);
      e.offset = u8(a.address[lane] % 32);
      e.wide = a.shape.bytes == 8;
      e.atom_op = u8(d.get(model::field::Atomic_op));
      e.atom_type = u8(d.get(model::field::Atomic_type));
      e.lane = u8(static_cast<uint32_t>(lane));
      e.data[0] = w.rows[d.rb].lane[lane];
      e.data[1] = e.wide ? w.rows[d.rb + 1].lane[lane] : 0;
      e.data[2] = d.rc == isa::kRz ? 0 : w.rows[d.rc].lane[lane];
      e.old[0] = d.rd == isa::kRz ? found_by_addition(e) : w.rows[d.rd].lane[lane];
      if (d.rd != isa::kRz && e.wide) e.old[1] = w.rows[d.rd + 1].lane[lane];
      tell(e);
      evict_elsewhere(~0u, a.address[lane] / 32);
    }
  }

  // Without a result: what a lane that is alone with its word of 32 bits has added to.
  uint32_t found_by_addition(const cosim::L2& e) const {
    uint32_t now = 0;
    std::memcpy(&now, memory_.at(e.sector * 32 + e.offset), 4);
    return now - e.data[0];
  }

  // The functional machine has one memory: other SMs must not keep what has changed.
  void evict_elsewhere(uint32_t sm, uint64_t number) {
    for (uint32_t other = 0; other < l1_.size(); other++) {
      if (other == sm || !l1_[other].contains(number)) continue;
      tell(l1_event(other, cosim::L1Kind::Evict, number));
      for (uint64_t k = 0; k < 4; k++) l1_[other].erase((number & ~uint64_t{3}) + k);
    }
  }

  static std::map<uint64_t, model::Mask> by_sector(const model::Access& a) {
    std::map<uint64_t, model::Mask> lanes;
    for (model::Mask left = a.mask & ~a.shared; left; left &= left - 1)
      lanes[a.address[std::countr_zero(left)] / 32] |= left & -left;
    return lanes;
  }

  const model::DeviceMemory& memory_;
  std::vector<std::set<uint64_t>> l1_;
  std::map<std::pair<uint32_t, uint32_t>, uint16_t> next_seq_, waiting_;
  uint16_t seq_ = 0;
  uint32_t id_ = 0;
};

}  // namespace heddle::test
