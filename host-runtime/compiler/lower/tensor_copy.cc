// SPDX-License-Identifier: Apache-2.0
// Copies of tensors' boxes and copies to several blocks of a cluster (cp.async.bulk.tensor,
// cp.reduce.async.bulk.tensor, .multicast::cluster): calls of the device library (firmware/devrt/tensor_copy.cu), done
// when it returns. So groups are nothing, as for all copies in bulk (bulk.cc).
#include <algorithm>
#include <array>

#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {

namespace {

constexpr size_t kMostDimensions = 5;

// The library's number of what a reduction does; 0: none, a store.
int operation_number(const ptx::Instruction& insn) {
  static constexpr std::string_view kNames[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
  for (size_t n = 0; n < std::size(kNames); ++n)
    if (insn.has(kNames[n])) return static_cast<int>(n) + 1;
  return 0;
}

}  // namespace

// A function of the device library without a result.
void FunctionLowering::call_library(const Insn& insn, const std::string& name, const std::vector<Operand>& arguments) {
  mir::Call call;
  call.callee = program_.library_function(module_, name, insn.loc);
  if (call.callee == mir::kNone) return;
  for (const Operand& argument : arguments) {
    mir::AbiValue value;
    value.size = value.align = argument.count == 2 ? 8 : 4;
    value.value = argument.is_reg() ? argument : in_register(argument);
    call.args.push_back(value);
  }
  b_.call(std::move(call));
}

// Where a tensor's map is, in the instruction's operand with the coordinates, which follow.
std::vector<FunctionLowering::Operand> FunctionLowering::tensor_arguments(const ptx::Operand& tensor) {
  std::vector<Operand> out = {in_register64(place_of(address(tensor, Space::kNone)))};
  const std::vector<ptx::Operand>& coordinates = tensor.elements[1].elements;
  out.push_back(mir::imm(static_cast<int>(coordinates.size())));
  for (size_t d = 0; d < kMostDimensions; ++d)
    out.push_back(d < coordinates.size() ? in_register(src(coordinates[d], Type::kS32)) : mir::imm(0));
  return out;
}

FunctionLowering::Operand FunctionLowering::shared_place(const ptx::Operand& operand) {
  return in_register(place_of(address(operand, Space::kShared)));
}

void FunctionLowering::lower_tensor_copy(const Insn& insn) {
  if (insn.has("prefetch")) return;  // a hint
  const bool to_shared = insn.has("mbarrier::complete_tx::bytes");
  std::vector<Operand> arguments = tensor_arguments(insn.operands[to_shared ? 1 : 0]);
  std::vector<Operand> places;
  if (to_shared) {
    places = {shared_place(insn.operands[0]), shared_place(insn.operands[2])};
    places.push_back(insn.has("multicast::cluster") ? in_register(src(insn.operands[3], Type::kU16)) : mir::imm(0));
  } else {
    places = {shared_place(insn.operands[1]), mir::imm(operation_number(insn))};
  }
  arguments.insert(arguments.begin() + 2, places.begin(), places.end());
  call_library(insn, to_shared ? "__heddle_tensor_load" : "__heddle_tensor_store", arguments);
}

void FunctionLowering::lower_multicast(const Insn& insn) {
  const Operand from = in_register64(place_of(address(insn.operands[1], Space::kGlobal)));
  call_library(insn, "__heddle_multicast",
               {shared_place(insn.operands[0]), from, shl(bulk_units(insn.operands[2]), mir::imm(4)),
                shared_place(insn.operands[3]), in_register(src(insn.operands[4], Type::kU16))});
}

}  // namespace heddle::compiler::lower
