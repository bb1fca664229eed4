// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/spill.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

#include "host-runtime/compiler/mir/access.h"
#include "host-runtime/compiler/passes/cfg.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Pred;
using mir::Pseudo;
using mir::RegClass;
using mir::VReg;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Computes its result from nothing that could change.
bool is_rematerialisable(const Instruction& i) {
  if (i.pseudo != Pseudo::None || i.guard.present() || !i.dst.is_reg()) return false;
  const auto constant = [](const Operand& o) {
    return o.is_none() || o.is_imm() || o.is_const() || o.is_symbol() || o.is_frame() || o.is_table();
  };
  if (!constant(i.a) || !constant(i.b) || !constant(i.c)) return false;
  if (i.op == Opcode::Mov || i.op == Opcode::Ldc) return true;
  return i.op == Opcode::S2r && !mir::is_volatile_read(i);
}

// How to compute a register anew: by one instruction, or a pair word by word (a parameter of 64 bits is two MOVs).
struct Recipe {
  Instruction parts[2];
  unsigned count = 0;
};

// The recipe of each vreg that is written by nothing else; where there is none, its count is 0.
class Recipes {
 public:
  explicit Recipes(const Function& f) : f_(f), written_(f.vregs.size()), at_(f.vregs.size()) {
    for (const mir::Block& b : f.blocks)
      for (const Instruction& i : b.body) {
        if (i.dst.is_reg()) write(i);
        if (i.pd != kNone) written_[i.pd] = kLost;
        if (i.pq != kNone) written_[i.pq] = kLost;
      }
  }
  bool has(VReg v) const { return written_[v] == (1u << words_of(f_.vregs[v])) - 1 && f_.vregs[v] != RegClass::P; }
  Recipe of(VReg v) const {
    Recipe r;
    for (const Instruction* i : at_[v])
      if (i && has(v)) r.parts[r.count++] = *i;
    return r;
  }

 private:
  static constexpr uint8_t kLost = 0xff;

  void write(const Instruction& i) {
    const VReg v = i.dst.id;
    const auto words = static_cast<uint8_t>(((1u << i.dst.count) - 1) << i.dst.sub);
    const bool fits = is_rematerialisable(i) && i.dst.sub < 2 && (written_[v] & words) == 0;
    written_[v] = fits ? written_[v] | words : kLost;
    if (fits) at_[v][i.dst.sub] = &i;
  }

  const Function& f_;
  std::vector<uint8_t> written_;  // by vreg: a bit for each word that has an instruction
  std::vector<std::array<const Instruction*, 2>> at_;
};

// Says that what a temporary held before its guarded definition does not matter.
Instruction undefined(const Operand& dst, VReg pd) {
  Instruction i;
  i.pseudo = Pseudo::Undef;
  i.dst = dst;
  i.pd = pd;
  return i;
}

// After the instruction its guard no longer tells whether it was executed.
bool overwrites_guard(const Instruction& i) {
  return i.guard.present() && (i.pd == i.guard.reg || i.pq == i.guard.reg);
}

Instruction memory(Opcode op, isa::MemSize size, mir::FrameId slot, int64_t offset, mir::Loc loc) {
  Instruction i;
  i.op = op;
  i.a = mir::frame(slot);
  i.b = mir::imm(offset);
  i.set_field("size", static_cast<unsigned>(size));
  i.loc = loc;
  return i;
}

isa::MemSize size_of(unsigned words) {
  return words == 4 ? isa::MemSize::B128 : words == 2 ? isa::MemSize::B64 : isa::MemSize::B32;
}
RegClass class_of(unsigned words) { return words == 4 ? RegClass::R128 : words == 2 ? RegClass::R64 : RegClass::R32; }

}  // namespace

VReg Spiller::temporary(RegClass c) {
  const VReg v = f_.new_vreg(c);
  is_temporary_.resize(f_.vregs.size());
  is_temporary_[v] = 1;
  return v;
}

std::vector<double> Spiller::costs() const {
  std::vector<double> cost(f_.vregs.size());
  const std::vector<double> frequency = block_frequencies(f_);
  for (mir::BlockId b = 0; b < f_.blocks.size(); b++) {
    auto reg = [&](const Operand& o) { cost[o.id] += frequency[b]; };
    auto pred = [&](VReg v) { cost[v] += frequency[b]; };
    mir::Block& block = f_.blocks[b];
    for (Instruction& i : block.body) mir::for_each_operand(f_, i, reg, pred);
    mir::for_each_operand(block.end, reg, pred);
  }
  const Recipes recipes(f_);
  for (VReg v = 0; v < f_.vregs.size(); v++) {
    if (v < is_temporary_.size() && is_temporary_[v]) cost[v] = kInfinite;
    else if (recipes.has(v)) cost[v] *= 0.25;
    else if (f_.vregs[v] != RegClass::P) cost[v] *= 2;
  }
  return cost;
}

void Spiller::spill_registers(const std::vector<VReg>& registers) {
  const Recipes recipes(f_);
  constexpr uint32_t kRemat = kNone - 1;
  std::vector<mir::FrameId> slot(f_.vregs.size(), kNone);
  std::unordered_map<VReg, Recipe> recipe;
  for (const VReg v : registers) {
    if (recipes.has(v)) {
      recipe[v] = recipes.of(v);
      slot[v] = kRemat;
    } else {
      const uint32_t bytes = 4 * words_of(f_.vregs[v]);
      slot[v] = static_cast<mir::FrameId>(f_.frame.size());
      f_.frame.push_back({.name = "spill", .size = bytes, .align = bytes});
    }
  }
  const auto spilled = [&](const Operand& o) { return o.is_reg() && o.id < slot.size() && slot[o.id] != kNone; };
  for (mir::Block& block : f_.blocks) {
    std::vector<Instruction> out;
    out.reserve(block.body.size() + 8);
    std::vector<std::pair<Operand, Operand>> loaded;  // of this instruction: what, where
    auto load = [&](Operand& o, mir::Loc loc) {
      if (!spilled(o)) return;
      for (const auto& [what, where] : loaded)
        if (what == o) {
          o = where;
          return;
        }
      const Operand what = o;
      if (slot[o.id] == kRemat) {
        const Recipe& r = recipe[o.id];
        const bool one_word = r.count > 1 && o.count == 1;  // of a pair
        const VReg t = temporary(one_word ? RegClass::R32 : f_.vregs[o.id]);
        for (unsigned n = 0; n < r.count; n++) {
          Instruction i = r.parts[n];
          if (one_word && i.dst.sub != o.sub) continue;
          i.dst.id = t;
          if (one_word) i.dst.sub = 0;
          i.loc = loc;
          out.push_back(i);
        }
        o.id = t;
        if (one_word) o.sub = 0;
        stats_.rematerialised++;
      } else {
        Instruction i = memory(Opcode::Ldl, size_of(o.count), slot[o.id], 4 * o.sub, loc);
        i.dst = f_.reg(temporary(class_of(o.count)));
        out.push_back(i);
        o = i.dst;
        stats_.load_bytes += 4 * what.count;
      }
      loaded.emplace_back(what, o);
    };
    for (Instruction& i : block.body) {
      loaded.clear();
      if (i.dst.is_reg() && spilled(i.dst) && slot[i.dst.id] == kRemat) continue;  // made anew at each use
      load(i.a, i.loc), load(i.b, i.loc), load(i.c, i.loc), load(i.metadata, i.loc);
      if (i.pseudo == Pseudo::Call) load(f_.calls[i.call].target, i.loc);
      if (!spilled(i.dst)) {
        out.push_back(std::move(i));
        continue;
      }
      const Operand home = i.dst;
      Pred guard = i.guard;
      if (overwrites_guard(i)) {  // the store cannot ask the guard any more: start from the old value
        i.dst = {};
        Operand old = home;
        load(old, i.loc);
        i.dst = old;
        guard = {};
      } else {
        i.dst = f_.reg(temporary(class_of(home.count)));
        if (guard.present()) out.push_back(undefined(i.dst, kNone));
      }
      const Operand value = i.dst;
      const mir::Loc loc = i.loc;
      if (i.pseudo == Pseudo::Undef) continue;
      out.push_back(std::move(i));
      Instruction store = memory(Opcode::Stl, size_of(home.count), slot[home.id], 4 * home.sub, loc);
      store.c = value;
      store.guard = guard;
      out.push_back(store);
      stats_.store_bytes += 4 * home.count;
    }
    loaded.clear();
    load(block.end.index, block.end.loc);
    block.body = std::move(out);
  }
}

void Spiller::spill_predicates(const std::vector<VReg>& predicates) {
  std::vector<VReg> home(f_.vregs.size(), kNone);
  for (VReg v : predicates) home[v] = f_.new_vreg(RegClass::R32);
  const auto spilled = [&](VReg v) { return v != kNone && v < home.size() && home[v] != kNone; };
  for (mir::Block& block : f_.blocks) {
    std::vector<Instruction> out;
    out.reserve(block.body.size() + 8);
    std::vector<std::pair<VReg, VReg>> loaded;
    auto load = [&](Pred& p, mir::Loc loc) {
      if (!spilled(p.reg)) return;
      for (const auto& [what, where] : loaded)
        if (what == p.reg) {
          p.reg = where;
          return;
        }
      const VReg t = temporary(RegClass::P);
      Instruction i;  // t = home != 0
      i.op = Opcode::Isetp;
      i.a = f_.reg(home[p.reg]);
      i.b = mir::imm(0);
      i.set_field("cmp", static_cast<unsigned>(isa::ICmp::Ne));
      i.pd = t;
      i.loc = loc;
      out.push_back(i);
      loaded.emplace_back(p.reg, t);
      p.reg = t;
    };
    for (Instruction& i : block.body) {
      loaded.clear();
      load(i.guard, i.loc), load(i.p, i.loc), load(i.p2, i.loc);
      const VReg pd = i.pd, pq = i.pq;
      Pred guard = i.guard;
      const bool restart = overwrites_guard(i);
      auto rename = [&](VReg& p) {
        if (!spilled(p)) return;
        if (!restart) {
          p = temporary(RegClass::P);
          if (guard.present()) out.push_back(undefined({}, p));
          return;
        }
        Pred old{p, false};
        load(old, i.loc);
        p = old.reg;
      };
      rename(i.pd);
      rename(i.pq);
      if (restart) guard = {};
      const Instruction written = i;
      out.push_back(std::move(i));
      auto store = [&](VReg v, VReg t) {
        if (!spilled(v)) return;
        Instruction s;  // home = t ? 1 : 0
        s.op = Opcode::Sel;
        s.dst = f_.reg(home[v]);
        s.b = mir::imm(1);
        s.p = {t, true};
        s.guard = guard;
        s.loc = written.loc;
        out.push_back(s);
      };
      store(pd, written.pd);
      store(pq, written.pq);
    }
    loaded.clear();
    load(block.end.cond, block.end.loc);
    block.body = std::move(out);
  }
}

}  // namespace heddle::compiler
