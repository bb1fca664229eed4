// SPDX-License-Identifier: Apache-2.0
// Signatures, and ld.param and st.param: a kernel's parameters, a function's, those of a call.
#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {

// ---- signature ------------------------------------------------------------------------------

void FunctionLowering::declare_signature() {
  for (int i = 0; i < 3; ++i) {
    out_.bounds.maxntid[i] = function_.max_threads[i];
    out_.bounds.reqntid[i] = function_.required_threads[i];
    out_.bounds.required_cluster[i] = function_.required_cluster[i];
  }
  out_.bounds.min_blocks_per_sm = function_.min_blocks;
  out_.bounds.max_registers = function_.max_registers;
  out_.bounds.max_cluster_blocks = function_.max_cluster_blocks;
  out_.bounds.explicit_cluster = function_.explicit_cluster;
  if (function_.is_entry) {
    lower_kernel_params();
    return;
  }
  declare_params(function_.signature.params, out_.params);
  declare_params(function_.signature.results, out_.results);
}

void FunctionLowering::lower_kernel_params() {
  uint64_t offset = 0;
  for (const ptx::Variable* p : function_.signature.params) {
    uint32_t align = std::max<uint32_t>(p->align, 1);
    offset = (offset + align - 1) / align * align;
    mir::KernelParam param;
    param.name = p->name;
    param.offset = static_cast<uint32_t>(offset);
    param.size = static_cast<uint32_t>(p->bytes());
    param.align = align;
    param_offsets_[p] = param.offset;
    out_.kernel_params.push_back(std::move(param));
    offset += p->bytes();
    if (offset > kMaxParamBytes) {
      error(p->loc, "Parameters of kernel '" + std::string(function_.name) + "' exceed " +
                        std::to_string(kMaxParamBytes) + " bytes");
      return;
    }
  }
  out_.param_bytes = static_cast<uint32_t>(offset);
}

// By the declared type alone (mir.h): a scalar of up to 8 bytes in a register, the rest in memory.
mir::AbiValue FunctionLowering::abi_value(const ptx::Variable& variable) {
  mir::AbiValue value;
  value.name = variable.name;
  value.size = static_cast<uint32_t>(variable.bytes());
  value.align = std::max<uint32_t>(variable.align, 1);
  bool scalar = variable.dims.empty() && variable.width == 1 && value.size <= 8;
  if (scalar) {
    auto it = params_.find(&variable);
    if (it == params_.end()) {
      Operand r = value.size > 4 ? t64() : t32();
      it = params_.emplace(&variable, r).first;
    }
    value.value = it->second;
  } else {
    value.value = mir::frame(frame_of(variable));
  }
  return value;
}

// A .reg parameter: as .param scalars, one for each part of a vector.
std::vector<mir::AbiValue> FunctionLowering::register_values(const ptx::Variable& variable) {
  std::vector<mir::AbiValue> values(variable.width);
  for (uint32_t i = 0; i < variable.width; ++i) {
    values[i].name = variable.name;
    values[i].size = static_cast<uint32_t>(ptx::type_bytes(variable.type));
    values[i].value = variable.type == Type::kPred ? t32() : reg(variable.reg + i);
    // The caller's.
    ++writers_[variable.reg + i].writes;
    ++mentions_[variable.reg + i];
  }
  return values;
}

void FunctionLowering::declare_params(const std::vector<ptx::Variable*>& list, std::vector<mir::AbiValue>& out) {
  for (const ptx::Variable* p : list) {
    if (p->space != ptx::Space::kReg) {
      out.push_back(abi_value(*p));
      continue;
    }
    for (mir::AbiValue& value : register_values(*p)) out.push_back(std::move(value));
  }
}

// Predicates cross a call as 0 or 1 in a register.
void FunctionLowering::store_predicate(const Operand& word, Pred p) {
  emit(Op::Sel, word, mir::imm(1), mir::imm(0)).p(p);
}

void FunctionLowering::load_predicate(mir::VReg p, const Operand& word) {
  emit(Op::Isetp, {}, word, mir::imm(0)).set("cmp", isa::ICmp::Ne).pd(p);
}

void FunctionLowering::enter() {
  for (size_t i = 0, at = 0; i < function_.signature.params.size(); ++i) {
    const ptx::Variable& v = *function_.signature.params[i];
    if (v.type == Type::kPred) load_predicate(vreg(v.reg), out_.params[at].value);
    at += v.space == ptx::Space::kReg ? v.width : 1u;
  }
}

void FunctionLowering::leave() {
  if (function_.is_entry) return b_.exit();
  for (size_t i = 0, at = 0; i < function_.signature.results.size(); ++i) {
    const ptx::Variable& v = *function_.signature.results[i];
    if (v.type == Type::kPred) store_predicate(out_.results[at].value, {vreg(v.reg)});
    at += v.space == ptx::Space::kReg ? v.width : 1u;
  }
  b_.ret();
}

// ---- ld.param, st.param -----------------------------------------------------------------------

void FunctionLowering::load_param(const Insn& insn) {
  Type type = insn.type();
  const ptx::Operand& from = insn.operands[1];
  const ptx::Operand& base = from.elements[0];
  const std::span<const ptx::Operand> to = elements(insn.operands[0]);
  int element = ptx::type_bytes(type);

  if (base.ref.kind != ptx::Ref::Kind::kVariable) {
    // An address computed from a parameter's.
    Address address = this->address(insn, from);
    if (!function_.is_entry) return load(insn, address, to);
    Operand at = t32();  // of its own: the first element may overwrite the address
    copy(at, iadd(in_register(address.base), address.offset));
    for (size_t i = 0; i < to.size(); ++i) {
      if (!to[i].is_register()) continue;
      Operand d = reg(to[i].ref.index);
      Operand loaded = d.count == 1 || element >= 8 ? d : t32();
      emit(Op::Ldc, loaded, i == 0 ? at : iadd(at, mir::imm(static_cast<int64_t>(i) * element)),
           mir::constant(mir::kParamBank, 0))
          .set("size", size_of(element, ptx::is_signed(type)));
      if (!(loaded == d)) copy(d, extend64(loaded, ptx::is_signed(type) ? Type::kS32 : Type::kU32));
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
      if (element >= 8) {
        for (uint32_t w = 0; w < static_cast<uint32_t>(element) / 4; w++)
          b_.mov(d.word(w), mir::constant(mir::kParamBank, at + 4 * w));
        continue;
      }
      piece = d.count == 1 && element == 4 ? d : t32();
      b_.mov(piece, mir::constant(mir::kParamBank, at & ~3u));
      if (element < 4) {
        Operand part = t32();
        emit(Op::Bfe, part, piece, mir::imm((at & 3) * 8 | element * 8 << 8)).set("sign", ptx::is_signed(type));
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
FunctionLowering::Operand FunctionLowering::param_piece(const Operand& value, uint32_t offset, Type type) {
  int bytes = ptx::type_bytes(type);
  if (bytes == 8) return value;
  Operand word = value.word(offset / 4);
  if (bytes == 4) return word;
  Operand d = t32();
  emit(Op::Bfe, d, word, mir::imm((offset & 3) * 8 | bytes * 8 << 8)).set("sign", ptx::is_signed(type));
  return d;
}

void FunctionLowering::store_param(const Insn& insn) {
  Type type = insn.type();
  const ptx::Operand& to = insn.operands[0];
  const ptx::Operand& base = to.elements[0];
  const std::span<const ptx::Operand> from = elements(insn.operands[1]);
  if (base.ref.kind != ptx::Ref::Kind::kVariable) return unsupported(insn);
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
      emit(Op::Stl, {}, mir::frame(value.id), mir::imm(offset), s).set("size", size_of(element, false));
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
