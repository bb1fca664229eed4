// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/aggregate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "host-runtime/compiler/mir/access.h"
#include "host-runtime/compiler/passes/cfg.h"
#include "host-runtime/compiler/passes/divergence.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Instruction;
using mir::Operand;

namespace {

bool is_sum(const Instruction& i) { return i.field("op") == static_cast<unsigned>(isa::AtomOp::Add); }

// A sum of 32-bit integers, or what a second time changes nothing; nobody reads the old value or waits for others'
// accesses.
bool may_join(const Instruction& i) {
  if (!i.is(Opcode::Atomg) && !i.is(Opcode::Atom) && !i.is(Opcode::Atoms)) return false;
  if (!i.dst.is_none() || i.guard.present() || i.guard.negated) return false;
  if (i.field("size") != static_cast<unsigned>(isa::MemSize::B32) ||
      i.field("type") > static_cast<unsigned>(isa::AtomType::S) ||
      i.field("order") > static_cast<unsigned>(isa::MemOrder::Relaxed))
    return false;
  switch (static_cast<isa::AtomOp>(i.field("op"))) {
    case isa::AtomOp::Add:
    case isa::AtomOp::Min:
    case isa::AtomOp::Max:
    case isa::AtomOp::And:
    case isa::AtomOp::Or: return true;
    default: return false;
  }
}

Instruction like(const Instruction& i, Opcode op, Operand dst, Operand a, Operand b) {
  Instruction made;
  made.op = op;
  made.loc = i.loc;
  made.dst = dst;
  made.a = a;
  made.b = b;
  return made;
}

}  // namespace

unsigned aggregate_reductions(mir::Function& f) {
  const auto any = [](const mir::Block& b) { return std::any_of(b.body.begin(), b.body.end(), may_join); };
  if (std::none_of(f.blocks.begin(), f.blocks.end(), any)) return 0;
  const Graph graph = block_graph(f);
  const PostDominators post(f, graph);
  const Divergence divergence = find_divergence(f, graph, post, true);
  const mir::Units units(f);
  const auto is_uniform = [&](const Operand& o) {
    if (o.is_phys()) return false;
    if (!o.is_reg()) return true;
    for (unsigned k = 0; k < o.count; k++)
      if (divergence.value[units.of(o) + k]) return false;
    return true;
  };

  unsigned joined = 0;
  for (mir::Block& block : f.blocks) {
    if (!any(block)) continue;
    std::vector<Instruction> body;
    body.reserve(block.body.size() + 8);
    for (Instruction& i : block.body) {
      if (may_join(i) && is_uniform(i.a) && is_uniform(i.b)) {
        const Operand here = f.reg(f.new_vreg(mir::RegClass::R32)), lower = f.reg(f.new_vreg(mir::RegClass::R32));
        const mir::VReg first = f.new_vreg(mir::RegClass::P);
        body.push_back(like(i, Opcode::Ballot, here, {}, {}));
        body.push_back(like(i, Opcode::S2r, lower, {}, mir::imm(static_cast<int>(isa::SpecialReg::LanemaskLt))));
        Instruction test = like(i, Opcode::Isetp, {}, here, lower);
        test.set_field("cmp", static_cast<unsigned>(isa::ICmp::None));
        test.pd = first;
        body.push_back(test);
        if (is_sum(i)) {
          const Operand lanes = f.reg(f.new_vreg(mir::RegClass::R32));
          body.push_back(like(i, Opcode::Popc, lanes, {}, here));
          Operand sum = lanes;
          if (!i.b.is_imm(1)) {
            sum = f.reg(f.new_vreg(mir::RegClass::R32));
            body.push_back(like(i, Opcode::Imad, sum, lanes, i.b));
          }
          i.b = sum;
        }
        i.guard = {first, false};
        joined++;
      }
      body.push_back(std::move(i));
    }
    block.body = std::move(body);
  }
  return joined;
}

}  // namespace heddle::compiler
