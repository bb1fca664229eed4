// SPDX-License-Identifier: Apache-2.0
// Between registers with a single definition, as in SSA form. Constants are cheaper made anew than kept; what seldom
// runs shall not keep the registers of what often does.
#include "host-runtime/compiler/passes/common.h"

#include <algorithm>
#include <unordered_map>

#include "host-runtime/compiler/passes/definitions.h"

namespace heddle::compiler {

using mir::Instruction;
using mir::kNone;
using mir::Operand;

namespace {

constexpr size_t kTried = 8;  // of those that look alike, the latest: bounds the work

class Sharer {
 public:
  explicit Sharer(mir::Function& f) : f_(f), defs_(f) {}

  bool run() {
    for (BlockId b : reverse_post_order(defs_.graph(), 0)) {
      if (f_.blocks[b].rare) continue;
      for (uint32_t n = 0; n < f_.blocks[b].body.size(); n++) instruction({b, n});
    }
    return changed_;
  }

 private:
  // A source that has the same value wherever this place comes before.
  bool is_fixed(const Operand& o, Definitions::Site here) const {
    return !o.is_phys() && (!o.is_reg() || (defs_.single(o) && defs_.before(o, here)));
  }
  bool is_fixed(const mir::Pred& p, Definitions::Site here) const {
    return !p.present() || (defs_.single(defs_.units().of(p.reg)) && defs_.before(defs_.units().of(p.reg), here));
  }

  bool may_share(const Instruction& i, Definitions::Site here) const {
    return i.pseudo == mir::Pseudo::None && !i.is(isa::Opcode::Mov) && !i.guard.present() && !i.guard.negated &&
           i.dst.is_reg() && i.pd == kNone && i.pq == kNone && !mir::has_side_effects(i) && !mir::is_memory(i) &&
           !mir::is_convergent(i) && !mir::is_volatile_read(i) && defs_.single(i.dst) && is_fixed(i.a, here) &&
           is_fixed(i.b, here) && is_fixed(i.c, here) && is_fixed(i.p, here) && is_fixed(i.p2, here);
  }

  static bool same_value(const Instruction& x, const Instruction& y) {
    return x.op == y.op && x.mod == y.mod && x.dst.count == y.dst.count && x.a == y.a && x.b == y.b && x.c == y.c &&
           x.p == y.p && x.p2 == y.p2;
  }

  static uint64_t hash(const Instruction& i) {
    uint64_t h = static_cast<uint64_t>(i.op) << 32 | i.mod;
    for (const Operand* o : {&i.a, &i.b, &i.c})
      h = (h ^ (static_cast<uint64_t>(o->id) << 16 | static_cast<uint64_t>(o->kind) << 8 | o->sub) ^
           static_cast<uint64_t>(o->imm)) *
          0x9e3779b97f4a7c15u;
    return h;
  }

  void instruction(Definitions::Site here) {
    Instruction& i = f_.blocks[here.block].body[here.index];
    if (!may_share(i, here)) return;
    std::vector<Definitions::Site>& alike = known_[hash(i)];
    const size_t first = alike.size() > kTried ? alike.size() - kTried : 0;
    for (size_t n = alike.size(); n-- > first;) {
      const Instruction& other = f_.blocks[alike[n].block].body[alike[n].index];
      if (!same_value(i, other) || !defs_.before(other.dst, here)) continue;
      const Operand value = other.dst;
      const mir::Loc loc = i.loc;
      const Operand dst = i.dst;
      i = Instruction{};
      i.pseudo = mir::Pseudo::Copy;
      i.loc = loc;
      i.dst = dst;
      i.a = value;
      changed_ = true;
      return;
    }
    alike.push_back(here);
  }

  mir::Function& f_;
  Definitions defs_;
  std::unordered_map<uint64_t, std::vector<Definitions::Site>> known_;
  bool changed_ = false;
};

}  // namespace

bool share_common_values(mir::Function& f) { return Sharer(f).run(); }

}  // namespace heddle::compiler
