// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/separate.h"

#include <numeric>
#include <vector>

#include "host-runtime/compiler/mir/access.h"

namespace heddle::compiler {

using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Pseudo;
using mir::VReg;

namespace {

class Separator {
 public:
  explicit Separator(Function& f) : f_(f), last_(f.vregs.size()), name_(f.vregs.size()) {
    std::iota(name_.begin(), name_.end(), 0);
  }

  void run() {
    for (mir::Block& b : f_.blocks) {
      for (Instruction& i : b.body) for_each_value(i, [&](VReg& v) { last_[v] = &i; });
      for (Instruction& i : b.body) rename(i);
    }
  }

 private:
  // Results that replace all that was in their register. A call's do not count.
  template <typename F>
  void for_each_value(Instruction& i, F visit) const {
    if (i.guard.present() || i.guard.negated || i.pseudo == Pseudo::Call) return;
    if (i.dst.is_reg() && i.dst.count == words_of(f_.vregs[i.dst.id])) visit(i.dst.id);
    if (i.pd != kNone) visit(i.pd);
    if (i.pq != kNone) visit(i.pq);
  }

  void rename(Instruction& i) {
    const Instruction before = i;
    const auto current = [&](VReg& v) { v = name_[v]; };
    mir::for_each_operand(
        f_, i, [&](Operand& o) { current(o.id); }, current);
    if (before.pseudo == Pseudo::Call) return;
    i.dst = before.dst, i.pd = before.pd, i.pq = before.pq;
    for_each_value(i, [&](VReg v) { name_[v] = last_[v] == &i ? v : f_.new_vreg(f_.vregs[v]); });
    if (i.dst.is_reg()) current(i.dst.id);
    if (i.pd != kNone) current(i.pd);
    if (i.pq != kNone) current(i.pq);
  }

  Function& f_;
  std::vector<const Instruction*> last_;  // by vreg: of those that write it in the block at hand
  std::vector<VReg> name_;                // by vreg: which has its value; itself at a block's ends
};

}  // namespace

void separate_values(Function& f) { Separator(f).run(); }

}  // namespace heddle::compiler
