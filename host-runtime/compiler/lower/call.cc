// SPDX-License-Identifier: Apache-2.0
// Calls: direct, and indirect through a prototype. The registers and the stack are the backend's.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

// An argument or the place of a result. Caller and callee must agree on registers or memory, which
// the declared type alone decides; so a call that passes an array where the callee has a scalar is
// refused.
mir::AbiValue FunctionLowering::call_value(const ptx::Operand& actual,
                                           const ptx::Variable& formal) {
  mir::AbiValue value;
  value.name = formal.name;
  value.size = static_cast<uint32_t>(formal.bytes());
  value.align = std::max<uint32_t>(formal.align, 1);
  bool in_memory = formal.space != ptx::Space::kReg &&
                   (!formal.dims.empty() || formal.width != 1 || value.size > 8);
  if (actual.ref.kind == ptx::Ref::Kind::kVariable) {
    mir::AbiValue given = abi_value(*actual.ref.variable);
    value.value = given.value;
    if (formal.unsized) value.size = given.size;
  } else if (actual.kind == ptx::Operand::Kind::kSink) {
    value.value = value.size > 4 ? t64() : t32();
  } else {
    value.value = src(actual, formal.type);
    if (value.value.is_imm() && value.size > 4) value.value = in_register64(value.value);
  }
  if (value.value.is_frame() != in_memory) {
    error(actual.loc, "Parameter '" + std::string(actual.name) +
                          "' and its declaration differ in kind (array and scalar); this is not "
                          "supported by this version");
  }
  return value;
}

void FunctionLowering::lower_call(const Insn& insn) {
  const auto& operands = insn.operands;
  size_t at = 0;
  const ptx::Operand* results = nullptr;
  const ptx::Operand* arguments = nullptr;
  if (operands[at].kind == ptx::Operand::Kind::kList) results = &operands[at++];
  const ptx::Operand& callee = operands[at++];
  if (at < operands.size() && operands[at].kind == ptx::Operand::Kind::kList) {
    arguments = &operands[at++];
  }
  mir::Call call;
  const ptx::Signature* signature = nullptr;
  if (callee.ref.kind == ptx::Ref::Kind::kFunction) {
    signature = &callee.ref.function->signature;
    call.callee = program_.symbol_of(module_, *callee.ref.function, callee.loc);
    if (call.callee == mir::kNone) return;
  } else {
    const ptx::Ref& list = operands[at].ref;
    signature = list.kind == ptx::Ref::Kind::kSignature
                    ? list.signature
                    : &list.targets->targets[0].ref.function->signature;
    call.target = src(callee, Type::kB64);
  }
  for (size_t i = 0; i < signature->params.size(); ++i) {
    call.args.push_back(call_value(arguments->elements[i], *signature->params[i]));
  }
  for (size_t i = 0; i < signature->results.size(); ++i) {
    call.results.push_back(call_value(results->elements[i], *signature->results[i]));
  }
  b_.call(std::move(call));
}

}  // namespace heddle::compiler::lower
