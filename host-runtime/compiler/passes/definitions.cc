// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/definitions.h"

namespace heddle::compiler {

using mir::Operand;
using mir::Unit;

Definitions::Definitions(const mir::Function& f)
    : f_(f),
      units_(f),
      graph_(block_graph(f)),
      dominators_(graph_, 0),
      writes_(units_.count()),
      sites_(units_.count()) {
  mir::Accesses a;
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    const std::vector<mir::Instruction>& body = f.blocks[b].body;
    for (uint32_t n = 0; n < body.size(); n++) {
      a.collect(f, units_, body[n]);
      for (const mir::UnitRange& w : a.writes)
        for (Unit u = w.first; u < w.first + w.count; u++) {
          writes_[u] += body[n].guard.present() ? 2 : 1;
          sites_[u] = {b, n};
        }
    }
  }
  for (const mir::AbiValue& p : f.params)  // written at the entry
    if (p.value.is_reg())
      for (unsigned n = 0; n < p.value.count; n++) writes_[units_.of(p.value) + n] += 2;
  for (Unit u = 0; u < mir::kMachineUnits; u++) writes_[u] = 2;
}

bool Definitions::single(const Operand& reg) const {
  const Unit first = units_.of(reg);
  for (unsigned n = 0; n < reg.count; n++)
    if (!single(first + n)) return false;
  return true;
}

const mir::Instruction* Definitions::of(Unit u) const {
  return single(u) ? &f_.blocks[sites_[u].block].body[sites_[u].index] : nullptr;
}

const mir::Instruction* Definitions::of(const Operand& reg) const {
  if (!reg.is_reg()) return nullptr;
  const mir::Instruction* i = of(units_.of(reg));
  return i && single(reg) && i->dst.is_reg() && units_.of(i->dst) == units_.of(reg) && i->dst.count == reg.count
             ? i
             : nullptr;
}

bool Definitions::before(Unit u, Site place) const {
  if (!single(u)) return false;
  const Site s = sites_[u];
  if (s.block == place.block) return s.index < place.index;
  return dominators_.dominates(s.block, place.block);
}

bool Definitions::before(const Operand& reg, Site place) const {
  const Unit first = units_.of(reg);
  for (unsigned n = 0; n < reg.count; n++)
    if (!before(first + n, place)) return false;
  return true;
}

}  // namespace heddle::compiler
