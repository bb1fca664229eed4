// SPDX-License-Identifier: Apache-2.0
// mma: its shape and types, and a lane's registers of each matrix.
#include "host-runtime/compiler/ptx/check_impl.h"
#include "host-runtime/compiler/ptx/mma.h"

namespace heddle::compiler::ptx {

void Checker::check_mma(const Instruction& instruction) {
  MmaForm form;
  if (const std::string problem = parse_mma(instruction, form); !problem.empty()) return error(instruction.loc, problem);
  if (module_.target < form.target)
    return error(instruction.loc, "Instruction '" + instruction.full_name() + "' requires .target sm_" + std::to_string(form.target) + " or higher");
  constexpr std::string_view kMatrices = "dabc";
  const size_t given = instruction.operands.size();
  if (given != kMatrices.size())
    return error(instruction.loc, "Arguments mismatch for instruction 'mma': 4 operands expected, " + std::to_string(given) + " given");
  for (size_t i = 0; i < given; ++i) {
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
      if (!why.empty()) return error(element.loc, "Arguments mismatch for instruction 'mma': " + why);
    }
  }
}

}  // namespace heddle::compiler::ptx
