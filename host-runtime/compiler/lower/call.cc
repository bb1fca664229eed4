// SPDX-License-Identifier: Apache-2.0
// Calls: direct, and indirect through a prototype. The registers and the stack are the backend's.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

// An argument or the place of a result. Caller and callee must agree on registers or memory, which
// the declared type alone decides; so a call that passes an array where the callee has a scalar is
// refused.
mir::AbiValue FunctionLowering::call_value(const ptx::Operand& actual, const ptx::Variable& formal) {
  mir::AbiValue value;
  value.name = formal.name;
  value.size = static_cast<uint32_t>(formal.bytes());
  value.align = std::max<uint32_t>(formal.align, 1);
  bool in_memory = !formal.dims.empty() || formal.width != 1 || value.size > 8;
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

// The same for a .reg parameter, whose parts are values of their own.
std::vector<mir::AbiValue> FunctionLowering::call_registers(std::span<const ptx::Operand> actual,
                                                            const ptx::Variable& formal) {
  std::vector<mir::AbiValue> values(actual.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    values[i].name = formal.name;
    values[i].size = static_cast<uint32_t>(ptx::type_bytes(formal.type));
    if (formal.type == Type::kPred || actual[i].kind == ptx::Operand::Kind::kSink) {
      values[i].value = values[i].size > 4 ? t64() : t32();
    } else {
      values[i].value = src(actual[i], formal.type);
      if (values[i].value.is_imm() && values[i].size > 4) values[i].value = in_register64(values[i].value);
    }
  }
  return values;
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
    signature =
        list.kind == ptx::Ref::Kind::kSignature ? list.signature : &list.targets->targets[0].ref.function->signature;
    call.target = src(callee, Type::kB64);
  }
  std::vector<std::pair<mir::VReg, Operand>> predicates;  // results
  auto add = [&](std::vector<mir::AbiValue>& to, const ptx::Operand& actual, const ptx::Variable& formal, bool result) {
    if (formal.space != ptx::Space::kReg) return to.push_back(call_value(actual, formal));
    for (mir::AbiValue& value : call_registers(elements(actual), formal)) {
      if (formal.type == Type::kPred && !result) store_predicate(value.value, pred(actual));
      if (formal.type == Type::kPred && result && actual.is_register())
        predicates.emplace_back(pred_dst(actual), value.value);
      to.push_back(std::move(value));
    }
  };
  for (size_t i = 0; i < signature->params.size(); ++i)
    add(call.args, arguments->elements[i], *signature->params[i], false);
  for (size_t i = 0; i < signature->results.size(); ++i)
    add(call.results, results->elements[i], *signature->results[i], true);
  b_.call(std::move(call));
  for (const auto& [p, word] : predicates) load_predicate(p, word);
}

}  // namespace heddle::compiler::lower
