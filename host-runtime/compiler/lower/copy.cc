// SPDX-License-Identifier: Apache-2.0
// cp.async from global to shared memory: a load and a store at once. A copy may be seen before its thread waits for it,
// so that commit_group, wait_group and wait_all are nothing. What needs mbarriers or copies in bulk is refused by name.
#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {

// Of a word that ends at byte `end` those before byte `bytes`; the others are zero.
FunctionLowering::Operand FunctionLowering::first_bytes(Operand word, Operand bytes, int end) {
  Operand beyond = t32();
  emit(Op::Imnmx, beyond, isub(in_register(mir::imm(end)), bytes), mir::imm(0)).set("max", 1).set("sign", 1);
  return lop(isa::LogicOp::And, word, shr(in_register(mir::imm(0xffffffff)), shl(beyond, mir::imm(3)), false));
}

// The fourth operand says how many bytes are copied, or (a predicate) that none is.
void FunctionLowering::lower_copy(const Insn& insn) {
  if (insn.has("bulk") || insn.has("mbarrier") || insn.has("reduce")) return unsupported(insn);
  const bool l2_only = insn.has("cg");
  if (!l2_only && !insn.has("ca")) return;
  const Address to = address(insn.operands[0], Space::kShared), from = address(insn.operands[1], Space::kGlobal);
  const int size = static_cast<int>(insn.operands[2].bits);
  const auto words = static_cast<unsigned>(size) / 4;
  Operand data = words == 4 ? b_.reg(b_.r128()) : words == 2 ? t64() : t32();
  const auto load = [&] {
    emit(Op::Ldg, data, from.base, from.offset)
        .set("size", size_of(size, false))
        .set("cache", l2_only ? isa::CacheOp::Cg : isa::CacheOp::Ca);
  };
  if (is_partial_copy(insn)) {
    const ptx::Operand& part = insn.operands[3];
    const bool is_predicate = part.is_register() && function_.registers[part.ref.index] == Type::kPred;
    Operand bytes;
    Pred some;
    if (is_predicate) {
      some = !pred(part);
    } else {
      bytes = in_register(src(part, Type::kU32));
      some = when(isetp(isa::ICmp::Ne, false, bytes, mir::imm(0)));
    }
    for (unsigned i = 0; i < words; ++i) copy(data.word(i), mir::imm(0));
    b_.set_guard(some);  // where nothing is copied, the address need not be one
    load();
    b_.set_guard({});
    for (unsigned i = 0; i < words && !is_predicate; ++i)
      copy(data.word(i), first_bytes(data.word(i), bytes, static_cast<int>(4 * i + 4)));
  } else {
    load();
  }
  emit(Op::Sts, {}, to.base, to.offset, data).set("size", size_of(size, false));
}

}  // namespace heddle::compiler::lower
