// SPDX-License-Identifier: Apache-2.0
// Mark and sweep over units: what has effects is needed; a needed instruction needs every instruction that
// writes a unit that it reads. Not SSA, so all writers of a unit count.
#include "host-runtime/compiler/passes/dead_code.h"

#include <algorithm>

#include "host-runtime/compiler/mir/access.h"

namespace heddle::compiler {

using mir::Accesses;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Unit;
using mir::UnitRange;

namespace {

bool copies_itself(const Instruction& i) {
  if (i.pseudo != mir::Pseudo::Copy) return false;
  if (i.pd != kNone) return i.p == mir::Pred{i.pd, false};
  return i.dst == i.a;
}

// A 64-bit sum or product of which only the low word is wanted is a 32-bit one.
void narrow(Instruction& i) {
  const auto low = [](Operand& o) {
    if (o.is_reg() && o.count == 2) o = o.word(0);
    else if (o.is_imm()) o.imm = static_cast<uint32_t>(o.imm);
  };
  if (i.op == isa::Opcode::Iadd64) {
    if (i.mod != 0 || i.p.present() || i.p.negated || i.pd != kNone) return;
    i.op = isa::Opcode::Iadd;
  } else if (i.op == isa::Opcode::ImadWide) {
    i.op = isa::Opcode::Imad;
    i.mod = 0;
  } else if (i.op == isa::Opcode::Shl64) {
    i.op = isa::Opcode::Shl;  // both give 0 in the low word from 32 on
  } else {
    return;
  }
  low(i.dst), low(i.a), low(i.c);
  if (i.op != isa::Opcode::Shl) low(i.b);
}

bool writes_machine_register(const Instruction& i) { return i.dst.is_phys(); }

}  // namespace

void remove_dead_code(Function& f) {
  const mir::Units units(f);
  std::vector<Instruction*> all;
  for (mir::Block& b : f.blocks) {
    std::erase_if(b.body, copies_itself);
    for (Instruction& i : b.body) all.push_back(&i);
  }
  // Writers of each unit as linked lists: head by unit, next by (instruction, word) entry.
  struct Entry {
    uint32_t instruction, next;
  };
  std::vector<uint32_t> head(units.count(), kNone);
  std::vector<Entry> entries;
  std::vector<char> needed(all.size());
  std::vector<char> unit_needed(units.count());
  std::vector<uint32_t> work;
  Accesses a;
  for (uint32_t n = 0; n < all.size(); n++) {
    a.collect(f, units, *all[n]);
    for (const UnitRange& w : a.writes)
      for (Unit u = w.first; u < w.first + w.count; u++) {
        entries.push_back({n, head[u]});
        head[u] = static_cast<uint32_t>(entries.size() - 1);
      }
    if (has_side_effects(*all[n]) || writes_machine_register(*all[n])) {
      needed[n] = 1;
      work.push_back(n);
    }
  }
  auto need_reads = [&] {
    for (const UnitRange& r : a.reads)
      for (Unit u = r.first; u < r.first + r.count; u++) {
        if (unit_needed[u]) continue;
        unit_needed[u] = 1;
        for (uint32_t e = head[u]; e != kNone; e = entries[e].next)
          if (!needed[entries[e].instruction]) {
            needed[entries[e].instruction] = 1;
            work.push_back(entries[e].instruction);
          }
      }
  };
  for (const mir::Block& b : f.blocks) {
    a.collect(f, units, b.end);
    need_reads();
  }
  // A conditional write is not a reading of the old value of its own accord: collect it unconditionally.
  while (!work.empty()) {
    const uint32_t n = work.back();
    work.pop_back();
    a.collect(f, units, *all[n]);
    if (a.conditional) a.reads.resize(a.reads.size() - a.writes.size());
    need_reads();
  }
  uint32_t n = 0;
  for (mir::Block& b : f.blocks) {
    for (Instruction& i : b.body) {
      if (!needed[n++]) {
        i.pseudo = mir::Pseudo::Undef;
        i.dst = {};
        i.pd = kNone;
        continue;
      }
      if (i.dst.is_reg() && i.pseudo == mir::Pseudo::None) {
        const Unit first = units.of(i.dst);
        bool wanted = false;
        for (Unit u = first; u < first + i.dst.count; u++) wanted |= unit_needed[u] != 0;
        if (!wanted && !slot_is_free(i, mir::Slot::Dst)) i.dst = {};
        else if (i.dst.count == 2 && !unit_needed[first + 1] && !i.guard.present()) narrow(i);
      }
      if (i.pd != kNone && !unit_needed[units.of(i.pd)]) i.pd = kNone;
      if (i.pq != kNone && !unit_needed[units.of(i.pq)]) i.pq = kNone;
    }
    std::erase_if(b.body, [](const Instruction& i) {
      return i.pseudo == mir::Pseudo::Undef && i.dst.is_none() && i.pd == kNone;
    });
  }
}

}  // namespace heddle::compiler
