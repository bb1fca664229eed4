// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/trace.h"

#include <cstring>

#include "svdpi.h"

namespace heddle::rtl {
namespace {

thread_local Trace* current = nullptr;

}  // namespace

void Trace::select(Trace* trace) { current = trace; }
Trace* Trace::selected() { return current; }

void Trace::flush(uint64_t cycle) {
  for (auto& phase : events_) {
    for (cosim::Event& event : phase) {
      event.cycle = cycle;
      digest_.add(event);
      checker_->push(event);
    }
    phase.clear();
  }
  pending_ = false;
}

}  // namespace heddle::rtl

using heddle::rtl::Trace;
namespace cosim = heddle::cosim;

namespace {

template <typename T>
T narrow(int value) {
  return static_cast<T>(static_cast<uint32_t>(value));
}

void copy_words(uint32_t* out, const svBitVecVal* in, size_t words) { std::memcpy(out, in, words * sizeof(uint32_t)); }

}  // namespace

extern "C" {

int heddle_trace_wanted() { return Trace::selected() && Trace::selected()->wanted(); }

void heddle_trace_issue(int sm, int warp, int seq, int pc, int active) {
  Trace::selected()->add(Trace::kIssue, cosim::Issue{narrow<uint8_t>(sm), narrow<uint8_t>(warp), narrow<uint16_t>(seq),
                                                     narrow<uint32_t>(pc), narrow<uint32_t>(active)});
}

void heddle_trace_retire(int sm, int warp, int seq, int rd, int pd, int pq, int flags, int mask, int slice, int lanes,
                         int p, int q, const svBitVecVal* row) {
  cosim::Retire e{};
  e.sm = narrow<uint8_t>(sm);
  e.warp = narrow<uint8_t>(warp);
  e.seq = narrow<uint16_t>(seq);
  e.rd = narrow<uint8_t>(rd);
  e.pd = narrow<uint8_t>(pd);
  e.pq = narrow<uint8_t>(pq);
  e.row_we = flags & 1;
  e.p_we = flags >> 1 & 1;
  e.last = flags >> 2 & 1;
  e.index = narrow<uint8_t>(flags >> 3 & 3);
  e.mask = narrow<uint32_t>(mask);
  e.p = narrow<uint32_t>(p);
  e.q = narrow<uint32_t>(q);
  copy_words(e.row.data(), row, 32);
  Trace::selected()->retire(e, narrow<unsigned>(slice), narrow<unsigned>(lanes));
}

void heddle_trace_load(int sm, int source, int id, int warp, int seq, int lanes) {
  Trace::selected()->add(Trace::kLoad,
                         cosim::Load{narrow<uint8_t>(sm), static_cast<cosim::LoadSource>(source), narrow<uint16_t>(id),
                                     narrow<uint8_t>(warp), narrow<uint16_t>(seq), narrow<uint32_t>(lanes)});
}

void heddle_trace_shared_store(int sm, int warp, int seq, int lanes) {
  Trace::selected()->add(Trace::kSharedStore, cosim::SharedStore{narrow<uint8_t>(sm), narrow<uint8_t>(warp),
                                                                 narrow<uint16_t>(seq), narrow<uint32_t>(lanes)});
}

void heddle_trace_l1(int sm, int kind, int installed, int id, long long sector, int mask, const svBitVecVal* data) {
  cosim::L1 e{};
  e.sm = narrow<uint8_t>(sm);
  e.kind = static_cast<cosim::L1Kind>(kind);
  e.installed = installed != 0;
  e.id = narrow<uint16_t>(id);
  e.sector = static_cast<uint64_t>(sector);
  e.mask = narrow<uint32_t>(mask);
  copy_words(e.data.data(), data, 8);
  Trace::selected()->add(Trace::kL1, e);
}

void heddle_trace_l2(int client, int kind, int id, int wide, int offset, int atom_op, int atom_type, int warp, int seq,
                     int lane, int mask, long long sector, const svBitVecVal* old, const svBitVecVal* data) {
  cosim::L2 e{};
  e.client = narrow<uint8_t>(client);
  e.kind = static_cast<cosim::RequestKind>(kind);
  e.id = narrow<uint16_t>(id);
  e.wide = wide != 0;
  e.offset = narrow<uint8_t>(offset);
  e.atom_op = narrow<uint8_t>(atom_op);
  e.atom_type = narrow<uint8_t>(atom_type);
  e.warp = narrow<uint8_t>(warp);
  e.seq = narrow<uint16_t>(seq);
  e.lane = narrow<uint8_t>(lane);
  e.mask = narrow<uint32_t>(mask);
  e.sector = static_cast<uint64_t>(sector);
  copy_words(e.old.data(), old, 8);
  copy_words(e.data.data(), data, 8);
  Trace::selected()->add(Trace::kL2, e);
}

void heddle_trace_kernel_start(int entry_pc, int registers, int shared_bytes, int dynamic_shared, int local_bytes,
                               int grid_x, int grid_y, int grid_z, int block_x, int block_y, int block_z,
                               long long param_base, int param_bytes, long long const_base, long long local_base,
                               int envreg0, int envreg1, int grid_id, long long code_base, int code_size, int cluster_x,
                               int cluster_y, int cluster_z, int clusters, long long mem_end) {
  cosim::KernelStart e{};
  e.entry_pc = narrow<uint32_t>(entry_pc);
  e.registers = narrow<uint32_t>(registers);
  e.shared_bytes = narrow<uint32_t>(shared_bytes);
  e.dynamic_shared = narrow<uint32_t>(dynamic_shared);
  e.local_bytes = narrow<uint32_t>(local_bytes);
  e.grid[0] = narrow<uint32_t>(grid_x);
  e.grid[1] = narrow<uint32_t>(grid_y);
  e.grid[2] = narrow<uint32_t>(grid_z);
  e.block[0] = narrow<uint32_t>(block_x);
  e.block[1] = narrow<uint32_t>(block_y);
  e.block[2] = narrow<uint32_t>(block_z);
  e.param_base = static_cast<uint64_t>(param_base);
  e.param_bytes = narrow<uint32_t>(param_bytes);
  e.const_base = static_cast<uint64_t>(const_base);
  e.local_base = static_cast<uint64_t>(local_base);
  e.envreg0 = narrow<uint32_t>(envreg0);
  e.envreg1 = narrow<uint32_t>(envreg1);
  e.grid_id = narrow<uint32_t>(grid_id);
  e.code_base = static_cast<uint64_t>(code_base);
  e.code_size = narrow<uint32_t>(code_size);
  e.cluster[0] = narrow<uint8_t>(cluster_x);
  e.cluster[1] = narrow<uint8_t>(cluster_y);
  e.cluster[2] = narrow<uint8_t>(cluster_z);
  e.clusters = clusters != 0;
  e.mem_end = static_cast<uint64_t>(mem_end);
  Trace::selected()->add(Trace::kBegin, e);
}

void heddle_trace_kernel_end(int status) {
  Trace::selected()->add(Trace::kEnd, cosim::KernelEnd{narrow<uint32_t>(status)});
}

void heddle_trace_block_start(int sm, int slot, int first_warp, int shared_base, int x, int y, int z) {
  Trace::selected()->add(Trace::kBegin,
                         cosim::BlockStart{narrow<uint8_t>(sm),
                                           narrow<uint8_t>(slot),
                                           narrow<uint8_t>(first_warp),
                                           narrow<uint32_t>(shared_base),
                                           {narrow<uint32_t>(x), narrow<uint32_t>(y), narrow<uint32_t>(z)}});
}

void heddle_trace_block_end(int sm, int slot) {
  Trace::selected()->add(Trace::kEnd, cosim::BlockEnd{narrow<uint8_t>(sm), narrow<uint8_t>(slot)});
}

void heddle_trace_fault(int sm, int warp, int thread, int kind, int code, int pc, long long address, int x, int y,
                        int z) {
  Trace::selected()->add(Trace::kEnd, cosim::Fault{narrow<uint8_t>(sm),
                                                   narrow<uint8_t>(warp),
                                                   narrow<uint16_t>(thread),
                                                   narrow<uint32_t>(kind),
                                                   narrow<uint32_t>(code),
                                                   narrow<uint32_t>(pc),
                                                   static_cast<uint64_t>(address),
                                                   {narrow<uint32_t>(x), narrow<uint32_t>(y), narrow<uint32_t>(z)}});
}

}  // extern "C"
