// SPDX-License-Identifier: Apache-2.0
// mma: its shape and types, and a lane's registers of each matrix.
#include "host-runtime/compiler/ptx/check_impl.h"
#include "host-runtime/compiler/ptx/mma.h"

namespace heddle::compiler::ptx {

void Checker::check_mma(const Instruction& instruction) {
  MmaForm form;
  if (const std::string problem = parse_mma(instruction, form); !problem.empty()) return error(instruction.loc, problem);
  if (module_.target < form.target)
    return error(instruction.loc, "Instruction '" + instruction.full_name() + "' requires .target sm_" +
                                      std::to_string(form.target) + " or higher");
  constexpr std::string_view kMatrices = "dabc";
  const std::string mismatch = "Arguments mismatch for instruction 'mma': ";
  const size_t given = instruction.operands.size(), expected = kMatrices.size() + (form.sparse ? 2 : 0);
  if (given != expected)
    return error(instruction.loc, mismatch + std::to_string(expected) + " operands expected, " + std::to_string(given) + " given");
  for (size_t i = 0; i < kMatrices.size(); ++i) {
    const char matrix = kMatrices[i];
    const Operand& operand = instruction.operands[i];
    const auto wanted = static_cast<size_t>(form.registers(matrix));
    const bool braces = operand.kind == Operand::Kind::kVector;
    const std::span<const Operand> registers = braces ? std::span<const Operand>(operand.elements) : std::span(&operand, 1);
    if (registers.size() != wanted)
      return error(operand.loc, "Argument vector size mismatch for instruction 'mma': a lane has " + std::to_string(wanted) +
                                    (wanted == 1 ? " register" : " registers") + " of matrix " + static_cast<char>(matrix - 'a' + 'A'));
    for (const Operand& element : registers) {
      const OperandSpec spec{.kind = OperandSpec::Kind::kType, .type = form.register_type(matrix), .destination = matrix == 'd'};
      std::string why = element.is_register() ? register_problem(element, spec, spec.type) : "a register expected";
      if (!why.empty()) return error(element.loc, mismatch + why);
    }
  }
  if (form.sparse) check_metadata(instruction, form.selectors(), mismatch);
}

void Checker::check_metadata(const Instruction& instruction, int selectors, const std::string& mismatch) {
  const Operand &metadata = instruction.operands[4], &selector = instruction.operands[5];
  const OperandSpec spec{.kind = OperandSpec::Kind::kType, .type = Type::kB32};
  const std::string why = metadata.is_register() ? register_problem(metadata, spec, spec.type) : "a register expected";
  if (!why.empty()) return error(metadata.loc, mismatch + why);
  if (!selector.is_int() || selector.bits >= static_cast<uint64_t>(selectors))
    error(selector.loc, mismatch + "a sparsity selector below " + std::to_string(selectors) + " expected");
}

}  // namespace heddle::compiler::ptx
