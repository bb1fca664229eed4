// SPDX-License-Identifier: Apache-2.0
// mma.sync: a lane's registers of a matrix become a pair or quad, which the tensor unit's instructions take. PTX says that all
// lanes come to it together (.aligned); WARPSYNC makes it so, and a later pass drops that where they must be.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

std::span<const ptx::Operand> elements_of(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::kVector ? std::span<const ptx::Operand>(operand.elements) : std::span(&operand, 1);
}

}  // namespace

// `count` registers side by side, of a PTX operand's those from `first` on.
FunctionLowering::Operand FunctionLowering::fragment(const ptx::Operand& operand, size_t first, size_t count) {
  const auto elements = elements_of(operand).subspan(first, count);
  if (count == 1) return reg(elements[0].ref.index);
  Operand d = b_.reg(count == 2 ? b_.r64() : b_.r128());
  for (unsigned i = 0; i < count; ++i) copy(d.word(i), reg(elements[i].ref.index));
  return d;
}

FunctionLowering::Operand FunctionLowering::new_fragment(size_t count) {
  return b_.reg(count == 1 ? b_.r32() : count == 2 ? b_.r64() : b_.r128());
}

void FunctionLowering::store_fragment(const ptx::Operand& operand, Operand d) {
  const auto elements = elements_of(operand);
  for (unsigned i = 0; i < elements.size(); ++i) copy(reg(elements[i].ref.index), elements.size() == 1 ? d : d.word(i));
}

// What the tensor unit does with the fragments; c may be none: zeros.
mir::Builder::Ref FunctionLowering::emit_mma(Op op, Operand d, Operand a, Operand b, Operand c) {
  emit(Op::Warpsync, {}, {}, mir::imm(-1));
  return emit(op, d, a, b, c);
}

void FunctionLowering::lower_mma(const Insn& insn) {
  if (insn.modifiers[0] != "sync") return unsupported(insn);  // mma.sp
  ptx::MmaForm form;
  (void)ptx::parse_mma(insn, form);  // as the check found it
  if (!program_.options().has_tensor)
    return error(insn.loc, "Instruction '" + insn.full_name() + "' needs a tensor unit, which this machine lacks: sm_" +
                               std::to_string(form.target) + " is the first to have it (a preset's tensor_fma)");
  switch (form.a) {
    case Type::kF16:
      if (form.is_quad_pairs()) return unsupported(insn);
      [[fallthrough]];
    case Type::kBf16:
    case Type::kTf32:
      return lower_mma_float(insn, form);
    default:
      return unsupported(insn);
  }
}

void FunctionLowering::lower_mma_float(const Insn& insn, const ptx::MmaForm& form) {
  const isa::MmaFormat format = form.a == Type::kF16    ? isa::MmaFormat::F16
                                : form.a == Type::kBf16 ? isa::MmaFormat::Bf16
                                                        : isa::MmaFormat::Tf32;
  const auto count = [&](char matrix) { return static_cast<size_t>(form.registers(matrix)); };
  Operand a = fragment(insn.operands[1], 0, count('a')), b = fragment(insn.operands[2], 0, count('b'));
  Operand c = fragment(insn.operands[3], 0, count('c')), d = new_fragment(count('d'));
  emit_mma(Op::Hmma, d, a, b, c)
      .set("format", format)
      .set("f16_d", form.d == Type::kF16)
      .set("half_k", count('a') == 2);
  store_fragment(insn.operands[0], d);
}

}  // namespace heddle::compiler::lower
