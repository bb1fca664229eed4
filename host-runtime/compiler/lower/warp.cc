// SPDX-License-Identifier: Apache-2.0
// Votes, matches, shuffles, reductions, election; waiting for the lanes of a member mask.
//
// A .sync instruction is done by all live lanes that its mask names, together. A constant mask is
// the same in all lanes: WARPSYNC waits, and whoever executes takes part. A mask in a register may
// differ from lane to lane (what match.any gives, say), so that one split does the work of several
// groups:
//
//   here = BALLOT; if no lane's mask names one that is not here
//     the operation, in which each lane heeds lanes of its mask only
//   else, one mask after the other
//     the lanes that have it: WARPSYNC, the operation
//
// Each WARPSYNC stands right before the instruction that it is for: where lanes may come to several
// such places at a time, a later pass makes them one (passes/collectives.h).
#include <algorithm>

#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

mir::Builder::Ref FunctionLowering::emit_warp(const Members& members, Op op, Operand d, Operand a, Operand b,
                                              Operand c) {
  if (!members.wait.is_none()) emit(Op::Warpsync, {}, {}, members.wait)->for_next = true;
  return emit(op, d, a, b, c);
}

FunctionLowering::Operand FunctionLowering::ballot(const Members& members, Pred p) {
  Operand d = t32();
  emit_warp(members, Op::Ballot, d).p(p);
  return members.heed.is_none() ? d : lop(isa::LogicOp::And, d, members.heed);
}

// The lowest one of a mask that has some.
FunctionLowering::Operand FunctionLowering::lowest_lane(Operand mask) {
  Operand reversed = t32(), lane = t32();
  emit(Op::Brev, reversed, {}, mask);
  emit(Op::Flo, lane, {}, reversed).set("mode", isa::LeadMode::Clz);
  return lane;
}

// Of the lanes that are here and have the same key those below this one.
FunctionLowering::Operand FunctionLowering::lower_lanes_with(Operand key) {
  Operand same = t32(), lower = t32();
  emit(Op::Match, same, key);
  emit(Op::S2r, lower, {}, mir::imm(static_cast<int>(isa::SpecialReg::LanemaskLt)));
  return lop(isa::LogicOp::And, same, lower);
}

// Of the lanes that are here and wait: has this one none of the lower ones `before` before it?
mir::VReg FunctionLowering::first_waiting(Operand before, Pred waits) {
  const Operand waiting = t32();
  emit(Op::Ballot, waiting).p(waits);
  return isetp(isa::ICmp::Eq, false, lop(isa::LogicOp::And, before, waiting), mir::imm(0), waits, isa::BoolOp::And);
}

// The member mask, when the program text says what it is.
const ptx::Operand* FunctionLowering::constant_mask(const ptx::Operand& operand) const {
  if (operand.is_int()) return &operand;
  const Insn* writer = sole_writer(operand);
  return writer && writer->opcode == "mov" && writer->operands[1].is_int() ? &writer->operands[1] : nullptr;
}

// The operand that is the member mask; nullptr for instructions without one.
const ptx::Operand* FunctionLowering::member_mask(const Insn& insn) {
  static const std::string_view kOpcodes[] = {"vote", "match", "shfl", "redux", "elect"};
  const bool has = insn.opcode == "bar" ? insn.has("warp")
                                        : insn.has("sync") && std::find(std::begin(kOpcodes), std::end(kOpcodes),
                                                                        insn.opcode) != std::end(kOpcodes);
  return has ? &insn.operands.back() : nullptr;
}

void FunctionLowering::with_members(const Insn& insn, bool one_mask,
                                    const std::function<void(const Members&)>& operation) {
  const ptx::Operand* members = member_mask(insn);
  if (!members) return operation({});
  if (const ptx::Operand* constant = constant_mask(*members)) {
    return operation({{}, src(*constant, Type::kB32)});
  }
  Operand mask = in_register(src(*members, Type::kB32));
  Operand absent = t32();
  emit(Op::Lop, absent, mask, ballot({}, {})).set("op", isa::LogicOp::Andn);
  mir::VReg apart = tp();
  if (one_mask) {
    mir::VReg same = tp();
    emit(Op::Match, t32(), mask).set("all", 1).pd(same);
    apart = isetp(isa::ICmp::Ne, false, absent, mir::imm(0), unless(same), isa::BoolOp::Or);
  } else {
    apart = isetp(isa::ICmp::Ne, false, absent, mir::imm(0));
  }
  mir::VReg some = tp();
  emit(Op::Vote, {}).set("mode", isa::VoteMode::Any).p(when(apart)).pd(some);
  mir::BlockId together = b_.new_block(), groups = b_.new_block("mask_groups"), group = b_.new_block(),
               next = b_.new_block(), done = b_.new_block();
  b_.branch(when(some), groups, together, true);
  set_block(together);
  operation({mask, {}});
  b_.jump(done);
  for (mir::BlockId block : {groups, group, next}) {
    rare_.push_back(block);
    b_.function().blocks[block].rare = true;
  }
  // Those with the lowest lane's mask wait and do it, then leave. Nothing may stand between waiting
  // and doing, where lanes could meet those of other masks: so both are inside the loop.
  b_.set_block(groups);
  Operand first = t32();
  emit(Op::Shfl, first, mask, lowest_lane(ballot({}, {}))).set("mode", isa::ShflMode::Idx).set("clamp", 1);
  mir::VReg turn = isetp(isa::ICmp::Eq, false, mask, first);
  b_.branch(when(turn), group, next);
  b_.set_block(group);
  operation({mask, mask});
  b_.jump(next);
  b_.set_block(next);
  b_.branch(when(turn), done, groups);
  set_block(done);
}

void FunctionLowering::lower_vote(const Insn& insn) {
  Pred p = pred(insn.operands[1]);
  if (insn.has("ballot")) {
    Operand d = dst(insn.operands[0], Type::kB32);
    return with_members(insn, false, [&](const Members& members) { copy(d, ballot(members, p)); });
  }
  mir::VReg d = pred_dst(insn.operands[0]);
  with_members(insn, false, [&](const Members& members) {
    if (members.heed.is_none()) {
      emit_warp(members, Op::Vote, {})
          .set("mode", insn.has("all")   ? isa::VoteMode::All
                       : insn.has("any") ? isa::VoteMode::Any
                                         : isa::VoteMode::Uni)
          .p(p)
          .pd(d);
      return;
    }
    if (insn.has("any")) {
      emit(Op::Isetp, {}, ballot(members, p), mir::imm(0)).set("cmp", isa::ICmp::Ne).pd(d);
    } else if (insn.has("all")) {
      emit(Op::Isetp, {}, ballot(members, !p), mir::imm(0)).set("cmp", isa::ICmp::Eq).pd(d);
    } else {
      Operand ones = ballot(members, p), zeros = ballot(members, !p);
      mir::VReg none = isetp(isa::ICmp::Eq, false, ones, mir::imm(0));
      emit(Op::Isetp, {}, zeros, mir::imm(0)).set("cmp", isa::ICmp::Eq).set("op", isa::BoolOp::Or).p(when(none)).pd(d);
    }
  });
}

void FunctionLowering::lower_match(const Insn& insn) {
  Type type = insn.type();
  bool all = insn.has("all");
  Operand d = dst(insn.operands[0], Type::kB32);
  mir::VReg pd = second_dst(insn.operands[0]);
  Operand a = ptx::type_bits(type) == 64 ? in_register64(src(insn.operands[1], type))
                                         : in_register(src(insn.operands[1], type));
  with_members(insn, false, [&](const Members& members) {
    if (all && members.heed.is_none() && a.count == 1) {
      emit_warp(members, Op::Match, d, a).set("all", 1).pd(pd);
      return;
    }
    Operand same = t32();
    emit_warp(members, Op::Match, same, a.word(0));
    if (a.count == 2) {
      Operand high = t32();
      emit_warp(members, Op::Match, high, a.word(1));
      same = lop(isa::LogicOp::And, same, high);
    }
    if (!members.heed.is_none()) same = lop(isa::LogicOp::And, same, members.heed);
    if (!all) {
      copy(d, same);
      return;
    }
    Operand here = ballot(members, {});
    mir::VReg p = isetp(isa::ICmp::Eq, false, same, here);
    emit(Op::Sel, d, here, mir::imm(0)).p(when(p));
    if (pd != mir::kNone) b_.copy_pred(pd, when(p));
  });
}

void FunctionLowering::lower_shfl(const Insn& insn) {
  Type type = insn.type();
  Operand d = dst(insn.operands[0], type);
  mir::VReg pd = second_dst(insn.operands[0]);
  Operand a = in_register(src(insn.operands[1], type));
  Operand b = src(insn.operands[2], Type::kB32), c = src(insn.operands[3], Type::kB32);
  if (b.is_imm()) b = mir::imm(b.imm & 31);
  // The bounds of a whole warp, or of a segment whose width is a power of two, are modifiers.
  unsigned clamp = 0, narrow = 0;
  if (c.is_imm()) {
    const auto segment = static_cast<uint32_t>(c.imm >> 8 & 31);
    while (narrow < 5 && segment >> (4 - narrow) & 1) ++narrow;
    clamp = (c.imm & 31) == 31;
    const uint32_t said = (31u << (5 - narrow) & 31) << 8 | (clamp ? 31 : 0);
    if (((static_cast<uint32_t>(c.imm) ^ said) & 0x1f1f) == 0) {
      c = {};
    } else {
      clamp = narrow = 0;
      c = in_register(c);
    }
  }
  const isa::ShflMode mode = insn.has("up")     ? isa::ShflMode::Up
                             : insn.has("down") ? isa::ShflMode::Down
                             : insn.has("bfly") ? isa::ShflMode::Bfly
                                                : isa::ShflMode::Idx;
  with_members(insn, false, [&](const Members& members) {
    emit_warp(members, Op::Shfl, d, a, b, c).set("mode", mode).set("clamp", clamp).set("narrow", narrow).pd(pd);
  });
}

void FunctionLowering::lower_redux(const Insn& insn) {
  Type type = insn.type();
  if (ptx::is_float(type)) return unsupported(insn);
  const isa::ReduxOp op = insn.has("add")   ? isa::ReduxOp::Add
                          : insn.has("min") ? isa::ReduxOp::Min
                          : insn.has("max") ? isa::ReduxOp::Max
                          : insn.has("and") ? isa::ReduxOp::And
                          : insn.has("or")  ? isa::ReduxOp::Or
                                            : isa::ReduxOp::Xor;
  Operand d = dst(insn.operands[0], type), a = in_register(src(insn.operands[1], type));
  with_members(insn, true, [&](const Members& members) {
    emit_warp(members, Op::Redux, d, a).set("op", op).set("sign", ptx::is_signed(type));
  });
}

// elect.sync d|p, mask: d = the lowest lane, and p tells each lane whether it is the one.
void FunctionLowering::lower_elect(const Insn& insn) {
  Operand d = dst(insn.operands[0], Type::kB32);
  mir::VReg pd = second_dst(insn.operands[0]);
  with_members(insn, false, [&](const Members& members) {
    Operand leader = lowest_lane(ballot(members, {})), lane = lane_id();
    if (pd != mir::kNone) {
      emit(Op::Isetp, {}, lane, leader).set("cmp", isa::ICmp::Eq).pd(pd);
    }
    copy(d, leader);
  });
}

// The lanes that execute it: under a guard, those where it holds.
// The register knows the lanes that run, not which of them a guard leaves out.
void FunctionLowering::lower_activemask(const Insn& insn) {
  const Operand mask = dst(insn.operands[0], Type::kB32);
  if (insn.guarded) emit(Op::Ballot, mask);
  else emit(Op::S2r, mask, {}, mir::imm(static_cast<int>(isa::SpecialReg::ActiveMask)));
}

void FunctionLowering::lower_warp_barrier(const Insn& insn) {
  with_members(insn, false, [&](const Members& members) {
    if (!members.wait.is_none()) emit(Op::Warpsync, {}, {}, members.wait);
  });
}

}  // namespace heddle::compiler::lower
