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

// The lanes that execute an instruction: whether a lane is the first of them, and how many there are.
struct Lanes {
  Operand mask;
  mir::VReg first = mir::kNone;
  Operand count;
};

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
    Lanes lanes;  // within a block the same, from one instruction at which lanes meet or end to the next
    for (Instruction& i : block.body) {
      if (mir::is_convergent(i) || i.is(Opcode::Exit)) lanes = {};
      if (may_join(i) && is_uniform(i.a) && is_uniform(i.b)) {
        if (lanes.first == mir::kNone) {
          lanes.mask = f.reg(f.new_vreg(mir::RegClass::R32));
          lanes.first = f.new_vreg(mir::RegClass::P);
          const Operand lower = f.reg(f.new_vreg(mir::RegClass::R32));
          body.push_back(like(i, Opcode::Ballot, lanes.mask, {}, {}));
          body.push_back(like(i, Opcode::S2r, lower, {}, mir::imm(static_cast<int>(isa::SpecialReg::LanemaskLt))));
          Instruction test = like(i, Opcode::Isetp, {}, lanes.mask, lower);
          test.set_field("cmp", static_cast<unsigned>(isa::ICmp::None));
          test.pd = lanes.first;
          body.push_back(test);
        }
        if (is_sum(i)) {
          if (lanes.count.is_none()) {
            lanes.count = f.reg(f.new_vreg(mir::RegClass::R32));
            body.push_back(like(i, Opcode::Popc, lanes.count, {}, lanes.mask));
          }
          Operand sum = lanes.count;
          if (!i.b.is_imm(1)) {
            sum = f.reg(f.new_vreg(mir::RegClass::R32));
            body.push_back(like(i, Opcode::Imad, sum, lanes.count, i.b));
          }
          i.b = sum;
        }
        i.guard = {lanes.first, false};
        joined++;
      }
      body.push_back(std::move(i));
    }
    block.body = std::move(body);
  }
  return joined;
}

}  // namespace heddle::compiler
