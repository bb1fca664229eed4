// SPDX-License-Identifier: Apache-2.0
// PTX's predefined, read-only registers (%tid, %clock64, …).
#pragma once

#include <cstdint>
#include <string_view>

#include "host-runtime/compiler/ptx/types.h"

namespace heddle::compiler::ptx {

enum class SpecialRegister : uint8_t {
  kTid,
  kNtid,
  kCtaid,
  kNctaid,
  kLaneId,
  kWarpId,
  kNwarpId,
  kSmId,
  kNsmId,
  kGridId,
  kLanemaskEq,
  kLanemaskLt,
  kLanemaskLe,
  kLanemaskGt,
  kLanemaskGe,
  kClock,
  kClockHi,
  kClock64,
  kGlobaltimer,
  kGlobaltimerLo,
  kGlobaltimerHi,
  kTotalSmemSize,
  kDynamicSmemSize,
  kEnvreg,        // with the number in SpecialRegisterInfo::number
  kReservedSmem,  // %reserved_smem_offset_…; SpecialRegisterInfo::number 0: begin (and the first parts'), 1: end, 2:
                  // capacity
  kZero,          // %pm0 … (nobody counts), %current_graph_exec (of no graph)
  kClusterid,     // those of clusters from here on
  kNclusterid,
  kClusterCtaid,
  kClusterNctaid,
  kClusterCtarank,
  kClusterNctarank,
  kIsExplicitCluster,
};

struct SpecialRegisterInfo {
  SpecialRegister id;
  Type type;       // of one component
  bool is_vector;  // has .x .y .z
  uint8_t number;  // of %envreg<n>
};

// The register named `name` (with its %); nullptr when there is none.
const SpecialRegisterInfo* special_register(std::string_view name);

}  // namespace heddle::compiler::ptx
