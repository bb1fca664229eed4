// SPDX-License-Identifier: Apache-2.0
// Takes registers out of the colouring's way: cheap constants are computed anew at each use, others live in
// local memory between uses, predicates in a register.
#pragma once

#include <vector>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler {

struct SpillStats {
  unsigned store_bytes = 0;  // of STL made
  unsigned load_bytes = 0;
  unsigned rematerialised = 0;
};

class Spiller {
 public:
  explicit Spiller(mir::Function& f) : f_(f) {}

  // What spilling each register would cost, weighed by block frequency; infinite for those that spilling made.
  std::vector<double> costs() const;
  void spill_registers(const std::vector<mir::VReg>& registers);
  void spill_predicates(const std::vector<mir::VReg>& predicates);
  const SpillStats& stats() const { return stats_; }

 private:
  mir::VReg temporary(mir::RegClass c);
  mir::Function& f_;
  std::vector<char> is_temporary_;  // by vreg
  SpillStats stats_;
};

}  // namespace heddle::compiler
