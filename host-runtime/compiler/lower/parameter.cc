// SPDX-License-Identifier: Apache-2.0
// ld.param and st.param: a kernel's parameters, a function's, those of a call.
#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {

void FunctionLowering::load_param(const Insn& insn) {
  Type type = insn.type();
  const ptx::Operand& from = insn.operands[1];
  const ptx::Operand& base = from.elements[0];
  const std::vector<ptx::Operand> to = elements(insn.operands[0]);
  if (to.size() != vector_width(insn)) return unsupported(insn);
  int element = ptx::type_bytes(type);

  if (base.ref.kind != ptx::Ref::Kind::kVariable) {
    // An address computed from a parameter's.
    Address address = this->address(insn, from);
    if (!function_.is_entry) return load(insn, address, to);
    if (to.size() != 1 || !to[0].is_register()) return unsupported(insn);
    Operand d = reg(to[0].ref.index);
    Operand loaded = d.count * 4 == static_cast<unsigned>(element) || element < 4 ? d : t32();
    if (d.count == 2 && element < 8) loaded = t32();
    emit(Op::Ldc, loaded, iadd(in_register(address.base), address.offset),
         mir::constant(mir::kParamBank, 0))
        .set("size", size_of(element, ptx::is_signed(type)));
    if (!(loaded == d)) {
      copy(d, extend64(loaded, ptx::is_signed(type) ? Type::kS32 : Type::kU32));
    }
    return;
  }
  const ptx::Variable& v = *base.ref.variable;
  auto kernel = param_offsets_.find(&v);
  Operand value;
  if (kernel == param_offsets_.end()) {
    value = abi_value(v).value;
    if (value.is_frame()) {
      Address address{mir::frame(value.id), mir::imm(from.offset), Space::kLocal};
      return load(insn, address, to);
    }
  }
  for (size_t i = 0; i < to.size(); ++i) {
    if (!to[i].is_register()) continue;
    Operand d = reg(to[i].ref.index);
    int64_t offset = from.offset + static_cast<int64_t>(i) * element;
    bool inside = offset >= 0 && offset + element <= static_cast<int64_t>(v.bytes());
    if (!inside || offset % element != 0) {
      if (offset < 0 || offset % std::min(element, 4) != 0 || !inside) {
        return error(from.loc, "Access outside or across parameter '" + std::string(v.name) + "'");
      }
    }
    Operand piece;
    if (kernel != param_offsets_.end()) {
      uint32_t at = kernel->second + static_cast<uint32_t>(offset);
      if (element == 8) {
        b_.mov(d.word(0), mir::constant(mir::kParamBank, at));
        b_.mov(d.word(1), mir::constant(mir::kParamBank, at + 4));
        continue;
      }
      piece = d.count == 1 && element == 4 ? d : t32();
      b_.mov(piece, mir::constant(mir::kParamBank, at & ~3u));
      if (element < 4) {
        Operand part = t32();
        emit(Op::Bfe, part, piece, mir::imm((at & 3) * 8 | element * 8 << 8))
            .set("sign", ptx::is_signed(type));
        piece = part;
      }
      if (piece == d) continue;
    } else {
      piece = param_piece(value, static_cast<uint32_t>(offset), type);
    }
    Type loaded = element < 4 ? (ptx::is_signed(type) ? Type::kS32 : Type::kU32) : type;
    copy(d, d.count == 2 && element < 8 ? extend64(piece, loaded) : piece);
  }
}

// `type` at byte `offset` of a parameter that lives in a register, extended to 32 bits.
FunctionLowering::Operand FunctionLowering::param_piece(const Operand& value, uint32_t offset,
                                                        Type type) {
  int bytes = ptx::type_bytes(type);
  if (bytes == 8) return value;
  Operand word = value.word(offset / 4);
  if (bytes == 4) return word;
  Operand d = t32();
  emit(Op::Bfe, d, word, mir::imm((offset & 3) * 8 | bytes * 8 << 8))
      .set("sign", ptx::is_signed(type));
  return d;
}

void FunctionLowering::store_param(const Insn& insn) {
  Type type = insn.type();
  const ptx::Operand& to = insn.operands[0];
  const ptx::Operand& base = to.elements[0];
  const std::vector<ptx::Operand> from = elements(insn.operands[1]);
  if (base.ref.kind != ptx::Ref::Kind::kVariable || from.size() != vector_width(insn)) {
    return unsupported(insn);
  }
  const ptx::Variable& v = *base.ref.variable;
  Operand value = abi_value(v).value;
  int element = ptx::type_bytes(type);
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t offset = to.offset + static_cast<int64_t>(i) * element;
    if (offset < 0 || offset + element > static_cast<int64_t>(v.bytes())) {
      return error(to.loc, "Access outside parameter '" + std::string(v.name) + "'");
    }
    Operand s = src(from[i], type);
    if (value.is_frame()) {
      emit(Op::Stl, {}, mir::frame(value.id), mir::imm(offset), s)
          .set("size", size_of(element, false));
    } else if (element == 8) {
      copy(value, s);
    } else if (element == 4 || static_cast<int64_t>(v.bytes()) == element) {
      copy(value.word(static_cast<unsigned>(offset / 4)), s);
    } else {
      Operand word = value.word(static_cast<unsigned>(offset / 4));
      emit(Op::Bfi, word, in_register(s), mir::imm((offset & 3) * 8 | element * 8 << 8), word);
    }
  }
}

}  // namespace heddle::compiler::lower
