// SPDX-License-Identifier: Apache-2.0
// Atomics, fences, prefetches.
#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {

void FunctionLowering::lower_atom(const Insn& insn) {
  Type type = insn.type();
  bool reduction = insn.opcode == "red";
  struct Row {
    std::string_view name;
    isa::AtomOp op;
  };
  static constexpr Row kOps[] = {{"add", isa::AtomOp::Add},   {"min", isa::AtomOp::Min},
                                 {"max", isa::AtomOp::Max},   {"inc", isa::AtomOp::Inc},
                                 {"dec", isa::AtomOp::Dec},   {"and", isa::AtomOp::And},
                                 {"or", isa::AtomOp::Or},     {"xor", isa::AtomOp::Xor},
                                 {"exch", isa::AtomOp::Exch}, {"cas", isa::AtomOp::Cas}};
  const Row* row = nullptr;
  for (const Row& r : kOps) {
    if (insn.has(r.name)) row = &r;
  }
  int bits = ptx::type_bits(type);
  bool plain = !ptx::is_float(type) || type == Type::kF32;
  if (!row || (bits != 32 && bits != 64) || !plain || insn.has("noftz")) return unsupported(insn);
  bool cas = row->op == isa::AtomOp::Cas;

  size_t at = reduction ? 0 : 1;
  Address where = address(insn, insn.operands[at]);
  Op op = where.space == Space::kGlobal   ? Op::Atomg
          : where.space == Space::kShared ? Op::Atoms
                                          : Op::Atom;
  // Atomics have no offset field.
  Operand base = where.base;
  if (where.offset.is_imm() && !where.offset.is_imm(0)) {
    base = op == Op::Atoms ? (base.is_none() ? in_register(where.offset) : iadd(base, where.offset))
                           : add64(base, where.offset);
  }
  bool release = insn.has("release") || insn.has("acq_rel");
  bool acquire = insn.has("acquire") || insn.has("acq_rel");
  if (release) fence(scope_of(insn), false);
  Operand b = src(insn.operands[at + 1], type);
  Operand c = cas ? src(insn.operands[at + 2], type) : Operand{};
  if (bits == 64) {
    b = in_register64(b);
    if (cas) c = in_register64(c);
  }
  Operand d = reduction ? Operand{} : dst(insn.operands[0], type);
  isa::AtomType kind = type == Type::kF32     ? isa::AtomType::F32
                       : ptx::is_signed(type) ? isa::AtomType::S
                                              : isa::AtomType::U;
  emit(op, d, base, b, c)
      .set("size", bits == 64 ? isa::MemSize::B64 : isa::MemSize::B32)
      .set("op", row->op)
      .set("type", kind)
      .set("order", isa::MemOrder::Relaxed)
      .set("scope", scope_of(insn));
  if (acquire) fence(scope_of(insn), false);
}

// ---- fences, prefetch -----------------------------------------------------------------------

void FunctionLowering::fence(isa::Scope scope, bool sc) {
  emit(Op::Membar, {}).set("scope", scope).set("sc", sc);
}

void FunctionLowering::lower_fence(const Insn& insn) {
  if (insn.has("proxy") || insn.has("mbarrier_init") || insn.has("sync_restrict") ||
      insn.modifiers.empty()) {
    return unsupported(insn);
  }
  // membar is the strong fence; fence without .sc orders acquire and release only.
  fence(scope_of(insn), insn.has("sc") || insn.opcode == "membar");
}

void FunctionLowering::lower_prefetch(const Insn& insn) {
  if (insn.operands.size() != 1 || insn.operands[0].kind != ptx::Operand::Kind::kAddress ||
      insn.has("tensormap")) {
    return unsupported(insn);
  }
  // A hint: local memory is this thread's own and needs none.
  if (insn.has("local")) return;
  Address where = address(insn, insn.operands[0]);
  bool l2 = !insn.has("L1");
  emit(Op::Cctl, {}, where.base, where.offset)
      .set("op", l2 ? isa::CctlOp::PrefetchL2 : isa::CctlOp::Prefetch);
}

}  // namespace heddle::compiler::lower
