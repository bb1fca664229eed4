// SPDX-License-Identifier: Apache-2.0
// S2R: special registers.
#include "sim/model/ops_special.h"

#include <cstring>

#include "sim/model/warp_view.h"

namespace heddle::model {
namespace {

using isa::SpecialReg;

// tid along one axis for every lane: x, y, z from the linear index.
void thread_index(const WarpView& v, int axis, Row& r) {
  const uint32_t* block = v.launch->block;
  const uint32_t divisor = axis == 0 ? 1 : axis == 1 ? block[0] : block[0] * block[1];
  for (uint32_t i = 0; i < kLanes; i++) {
    r.lane[i] = (v.warp_in_block * kLanes + i) / divisor % (axis == 2 ? ~0u : block[axis]);
  }
}

Mask lanemask(SpecialReg which, uint32_t lane) {
  const Mask eq = 1u << lane;
  switch (which) {
    case SpecialReg::LanemaskEq: return eq;
    case SpecialReg::LanemaskLt: return eq - 1;
    case SpecialReg::LanemaskLe: return eq | (eq - 1);
    case SpecialReg::LanemaskGt: return ~(eq | (eq - 1));
    default: return ~(eq - 1);
  }
}

// A special register that is the same in every lane.
uint64_t uniform(SpecialReg which, const Lanes& l) {
  const WarpView& v = *l.view;
  const Launch& launch = *v.launch;
  const auto index = static_cast<unsigned>(which);
  switch (which) {
    case SpecialReg::NtidX:
    case SpecialReg::NtidY:
    case SpecialReg::NtidZ: return launch.block[index - static_cast<unsigned>(SpecialReg::NtidX)];
    case SpecialReg::CtaidX:
    case SpecialReg::CtaidY:
    case SpecialReg::CtaidZ: return v.ctaid[index - static_cast<unsigned>(SpecialReg::CtaidX)];
    case SpecialReg::NctaidX:
    case SpecialReg::NctaidY:
    case SpecialReg::NctaidZ: return launch.grid[index - static_cast<unsigned>(SpecialReg::NctaidX)];
    case SpecialReg::WarpId: return v.slot;
    case SpecialReg::SmId: return v.sm;
    case SpecialReg::NSmId: return v.sms;
    case SpecialReg::NWarpId: return v.warps_per_sm;
    case SpecialReg::GridId: return launch.grid_id;
    case SpecialReg::ActiveMask: return l.active;
    case SpecialReg::Clock:
    case SpecialReg::GlobaltimerLo: return *v.clock;
    case SpecialReg::ClockHi:
    case SpecialReg::GlobaltimerHi: return *v.clock >> 32;
    case SpecialReg::DynSmemSize: return launch.dynamic_shared;
    case SpecialReg::TotalSmemSize: return launch.shared_bytes;
    case SpecialReg::LocalSize: return launch.local_bytes;
    case SpecialReg::Envreg0: return launch.envreg0;
    case SpecialReg::Envreg1: return launch.envreg1;
    case SpecialReg::ClusterCtaidX:
    case SpecialReg::ClusterCtaidY:
    case SpecialReg::ClusterCtaidZ: {
      const unsigned axis = index - static_cast<unsigned>(SpecialReg::ClusterCtaidX);
      return v.ctaid[axis] % launch.cluster[axis];
    }
    case SpecialReg::ClusterNctaidX:
    case SpecialReg::ClusterNctaidY:
    case SpecialReg::ClusterNctaidZ: return launch.cluster[index - static_cast<unsigned>(SpecialReg::ClusterNctaidX)];
    case SpecialReg::ClusterCtaRank: return v.rank;
    case SpecialReg::ClusterNctaRank: return launch.cluster_blocks();
    case SpecialReg::ClusterExplicit: return launch.clusters;
    default: return 0;
  }
}

void write_row(Lanes& l, uint8_t rd, const Row& value) {
  if (rd == isa::kRz) return;
  for (int i = 0; i < kLanes; i++) {
    if (l.mask >> i & 1) l.rows[rd].lane[i] = value.lane[i];
  }
}

void s2r(const Decoded& d, Lanes& l) {
  const auto which = static_cast<SpecialReg>(d.imm);
  Row r;
  switch (which) {
    case SpecialReg::TidX: thread_index(*l.view, 0, r); break;
    case SpecialReg::TidY: thread_index(*l.view, 1, r); break;
    case SpecialReg::TidZ: thread_index(*l.view, 2, r); break;
    case SpecialReg::LaneId:
      for (uint32_t i = 0; i < kLanes; i++) r.lane[i] = i;
      break;
    case SpecialReg::LanemaskEq:
    case SpecialReg::LanemaskLt:
    case SpecialReg::LanemaskLe:
    case SpecialReg::LanemaskGt:
    case SpecialReg::LanemaskGe:
      for (uint32_t i = 0; i < kLanes; i++) r.lane[i] = lanemask(which, i);
      break;
    default: {
      const auto value = static_cast<uint32_t>(uniform(which, l));
      for (uint32_t& lane : r.lane) lane = value;
    }
  }
  write_row(l, d.rd, r);
}

void s2r64(const Decoded& d, Lanes& l) {
  const uint64_t value = uniform(static_cast<SpecialReg>(d.imm), l);
  Row low, high;
  for (int i = 0; i < kLanes; i++) {
    low.lane[i] = static_cast<uint32_t>(value);
    high.lane[i] = static_cast<uint32_t>(value >> 32);
  }
  write_row(l, d.rd, low);
  if (d.rd != isa::kRz) write_row(l, static_cast<uint8_t>(d.rd + 1), high);
}

}  // namespace

bool reads_clock(const Decoded& d) {
  if (d.op != isa::Opcode::S2r && d.op != isa::Opcode::S2r64) return false;
  switch (static_cast<SpecialReg>(d.imm)) {
    case SpecialReg::Clock:
    case SpecialReg::ClockHi:
    case SpecialReg::GlobaltimerLo:
    case SpecialReg::GlobaltimerHi: return true;
    default: return false;
  }
}

void add_special(OpTable& table) {
  table[static_cast<uint8_t>(isa::Opcode::S2r)] = s2r;
  table[static_cast<uint8_t>(isa::Opcode::S2r64)] = s2r64;
}

}  // namespace heddle::model
