// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/ptx/special_registers.h"

#include <string>
#include <unordered_map>

namespace heddle::compiler::ptx {
namespace {

using Map = std::unordered_map<std::string, SpecialRegisterInfo>;
using S = SpecialRegister;

Map make_map() {
  Map m;
  auto add = [&](const char* name, S id, Type type = Type::kU32, bool vector = false) {
    m[name] = {id, type, vector, 0};
  };
  add("%tid", S::kTid, Type::kU32, true);
  add("%ntid", S::kNtid, Type::kU32, true);
  add("%ctaid", S::kCtaid, Type::kU32, true);
  add("%nctaid", S::kNctaid, Type::kU32, true);
  add("%laneid", S::kLaneId);
  add("%warpid", S::kWarpId);
  add("%nwarpid", S::kNwarpId);
  add("%smid", S::kSmId);
  add("%nsmid", S::kNsmId);
  add("%gridid", S::kGridId, Type::kU64);
  add("%lanemask_eq", S::kLanemaskEq);
  add("%lanemask_lt", S::kLanemaskLt);
  add("%lanemask_le", S::kLanemaskLe);
  add("%lanemask_gt", S::kLanemaskGt);
  add("%lanemask_ge", S::kLanemaskGe);
  add("%clock", S::kClock);
  add("%clock_hi", S::kClockHi);
  add("%clock64", S::kClock64, Type::kU64);
  add("%globaltimer", S::kGlobaltimer, Type::kU64);
  add("%globaltimer_lo", S::kGlobaltimerLo);
  add("%globaltimer_hi", S::kGlobaltimerHi);
  add("%total_smem_size", S::kTotalSmemSize);
  add("%dynamic_smem_size", S::kDynamicSmemSize);
  for (uint8_t i = 0; i < 32; ++i) {
    m["%envreg" + std::to_string(i)] = {S::kEnvreg, Type::kU32, false, i};
  }
  for (int i = 0; i < 8; ++i) {
    m["%pm" + std::to_string(i)] = {S::kZero, Type::kU32, false, 0};
    m["%pm" + std::to_string(i) + "_64"] = {S::kZero, Type::kU64, false, 0};
  }
  add("%clusterid", S::kClusterid, Type::kU32, true);
  add("%nclusterid", S::kNclusterid, Type::kU32, true);
  add("%cluster_ctaid", S::kClusterCtaid, Type::kU32, true);
  add("%cluster_nctaid", S::kClusterNctaid, Type::kU32, true);
  add("%cluster_ctarank", S::kClusterCtarank);
  add("%cluster_nctarank", S::kClusterNctarank);
  add("%is_explicit_cluster", S::kIsExplicitCluster, Type::kPred);
  for (const auto& [name, number] : {std::pair{"begin", 0}, {"0", 0}, {"1", 0}, {"end", 1}, {"cap", 2}}) {
    m[std::string("%reserved_smem_offset_") + name] = {S::kReservedSmem, Type::kU32, false,
                                                       static_cast<uint8_t>(number)};
  }
  add("%aggr_smem_size", S::kTotalSmemSize);
  add("%current_graph_exec", S::kZero, Type::kU64);
  return m;
}

}  // namespace

const SpecialRegisterInfo* special_register(std::string_view name) {
  static const Map map = make_map();
  auto it = map.find(std::string(name));
  return it == map.end() ? nullptr : &it->second;
}

}  // namespace heddle::compiler::ptx
