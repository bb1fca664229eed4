// SPDX-License-Identifier: Apache-2.0
// Copies and reductions in bulk (cp.async.bulk, cp.reduce.async.bulk): the thread's own loads, and stores or atomics,
// 16 bytes a turn, at once, but from global to shared memory asynchronous copies, awaited at once, where the machine
// has them. So groups are nothing, and neither is the fence between the proxies of memory: here there is one. Those to
// shared memory then tell their mbarrier how many bytes came; it learns of them after the bytes, for a thread's
// accesses to shared memory keep their order. Copies to several blocks and of tensors: tensor_copy.cc.
#include <algorithm>

#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {

namespace {

constexpr int kBulkBytes = 16;
// An H200 takes bits 4 to 23 of the size: what goes beyond whole 16 bytes, or beyond 16 MiB, is not looked at.
constexpr int kBulkShift = 4, kMostUnits = (1 << 20) - 1;
constexpr int kPrefetchBytes = 128;

// The bulk reduction's instruction for one element, or of 16-bit ones for two.
ptx::Instruction one_reduction(const ptx::Instruction& insn) {
  ptx::Instruction one = insn;
  one.opcode = "red";
  const bool to_shared = insn.has("mbarrier::complete_tx::bytes");
  const std::string_view last = to_shared ? "mbarrier::complete_tx::bytes" : "bulk_group";
  one.modifiers.assign(std::find(insn.modifiers.begin(), insn.modifiers.end(), last) + 1, insn.modifiers.end());
  one.modifiers.insert(one.modifiers.begin(), {"relaxed", "gpu", to_shared ? "shared::cluster" : "global"});
  if (insn.type() == Type::kF16) one.types[0] = Type::kF16x2;
  if (insn.type() == Type::kBf16) one.types[0] = Type::kBf16x2;
  return one;
}

}  // namespace

// How often, of a number of bytes, units of 16 are complete.
FunctionLowering::Operand FunctionLowering::bulk_units(const ptx::Operand& size) {
  return lop(isa::LogicOp::And, shr(in_register(src(size, Type::kU32)), mir::imm(kBulkShift), false),
             mir::imm(kMostUnits));
}

// `turn` so often, if at all. What changes from turn to turn it changes itself.
void FunctionLowering::repeat(Operand times, const std::function<void()>& turn) {
  Operand left = own(times);
  const mir::BlockId again = b_.new_block(), done = b_.new_block();
  b_.branch(when(isetp(isa::ICmp::Ne, false, left, mir::imm(0))), again, done);
  set_block(again);
  turn();
  emit(Op::Iadd, left, left, mir::imm(-1));
  b_.branch(when(isetp(isa::ICmp::Ne, false, left, mir::imm(0))), again, done);
  set_block(done);
}

// Where a copy begins, in registers that the copy moves on.
FunctionLowering::Address FunctionLowering::moving(const ptx::Operand& operand, Space space) {
  Address where = address(operand, space);
  const Operand place = place_of(where);
  if (space == Space::kGlobal) copy(where.base = t64(), place);
  else where.base = own(place);
  where.offset = mir::imm(0);
  return where;
}

void FunctionLowering::advance(const Address& where, int bytes) {
  if (where.space == Space::kGlobal) copy(where.base, add64(where.base, mir::imm(bytes)));
  else emit(Op::Iadd, where.base, where.base, mir::imm(bytes));
}

// From global to shared memory by asynchronous copies, of which many are under way; they are awaited.
void FunctionLowering::copy_units_async(Operand units, const Address& from, const Address& to) {
  constexpr int kTogether = 8;
  Operand left = own(units);
  repeat(shr(iadd(units, mir::imm(kTogether - 1)), mir::imm(3), false), [&] {
    for (int n = 0; n < kTogether; ++n) {
      const Operand place = n ? iadd(to.base, mir::imm(n * kBulkBytes)) : to.base;
      if (n) b_.set_guard(when(isetp(isa::ICmp::Gt, false, left, mir::imm(n))));
      emit(Op::Ldgsts, {}, from.base, mir::imm(n * kBulkBytes), place)
          .set("size", isa::MemSize::B128)
          .set("cache", isa::CacheOp::Cg);
      b_.set_guard({});
    }
    emit(Op::Iadd, left, left, mir::imm(-kTogether));
    advance(from, kTogether * kBulkBytes);
    advance(to, kTogether * kBulkBytes);
  });
  emit(Op::Depbar, {}).set("all", 1);
}

// 16 bytes of the reduction, element by element.
void FunctionLowering::reduce_unit(const Insn& one, const Address& to, Operand data) {
  const unsigned words = ptx::type_bits(one.type()) == 64 ? 2 : 1;
  for (unsigned w = 0; w < kBulkBytes / 4; w += words) {
    Address where = to;
    const Operand beyond = mir::imm(4 * w);
    if (w) where.base = to.space == Space::kGlobal ? add64(to.base, beyond) : iadd(to.base, beyond);
    Operand value = words == 2 ? pair(data.word(w), data.word(w + 1)) : data.word(w);
    if (ptx::is_float(one.type())) atomic_sum(one, where, {}, value, true);
    else emit_atomic(one, where, operation_of(one), {}, value, {});
  }
}

void FunctionLowering::lower_bulk(const Insn& insn) {
  if (insn.has("commit_group") || insn.has("wait_group")) return;
  Operand units = bulk_units(insn.operands[insn.has("prefetch") ? 1 : 2]);
  const bool to_shared = insn.has("mbarrier::complete_tx::bytes"), from_global = to_shared && insn.has("global");
  const Address to = moving(insn.operands[0], to_shared ? Space::kShared : Space::kGlobal);
  if (insn.has("prefetch")) {
    // A hint, by line.
    Operand lines = shr(iadd(units, mir::imm(kPrefetchBytes / kBulkBytes - 1)), mir::imm(3), false);
    return repeat(lines, [&] {
      emit(Op::Cctl, {}, to.base, to.offset).set("op", isa::CctlOp::PrefetchL2);
      advance(to, kPrefetchBytes);
    });
  }
  const Address from = moving(insn.operands[1], from_global ? Space::kGlobal : Space::kShared);
  const bool reduces = insn.has("reduce");
  if (reduces) {
    // Elements are less aligned than the whole has to be: where that is not at a multiple of 16, none is.
    Operand rest = lop(isa::LogicOp::And, to.base.word(0), mir::imm(kBulkBytes - 1));
    b_.set_guard(when(isetp(isa::ICmp::Ne, false, rest, mir::imm(0))));
    emit(Op::Lop, to.base.word(0), to.base.word(0), mir::imm(1)).set("op", isa::LogicOp::Or);
    b_.set_guard({});
  }
  if (from_global && program_.options().has.async_copy) copy_units_async(units, from, to);
  else
    repeat(units, [&] {
      Operand data = b_.reg(b_.r128());
      emit(load_op(from.space), data, from.base, from.offset).set("size", isa::MemSize::B128);
      if (reduces) reduce_unit(one_reduction(insn), to, data);
      else emit(store_op(to.space), {}, to.base, to.offset, data).set("size", isa::MemSize::B128);
      advance(from, kBulkBytes);
      advance(to, kBulkBytes);
    });
  if (!to_shared) return;
  Operand bytes = shl(units, mir::imm(kBulkShift));
  mbarrier_arrive(address(insn.operands[3], Space::kShared), {}, mbarrier_word(mir::imm(0), false, negative(bytes)),
                  isa::Scope::Cta);
}

}  // namespace heddle::compiler::lower
