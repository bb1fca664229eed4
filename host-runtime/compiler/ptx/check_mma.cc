// SPDX-License-Identifier: Apache-2.0
// mma, wmma: shape and types, and a lane's registers of each matrix. ldmatrix, stmatrix, movmatrix: which machines have
// them.
#include "host-runtime/compiler/ptx/check_impl.h"
#include "host-runtime/compiler/ptx/mma.h"

namespace heddle::compiler::ptx {

void Checker::check_move_matrix(const Instruction& instruction) {
  const bool words = instruction.has("b16");
  if (!check_target(instruction, !words ? "100a" : instruction.opcode == "stmatrix" ? "90" : "75")) return;
  for (const Operand& operand : instruction.operands)
    if (operand.kind == Operand::Kind::kAddress) check_address(instruction, operand);
}

// A lane's registers of a matrix.
bool Checker::check_registers(const Instruction& instruction, const Operand& operand, char matrix, int count,
                              Type type) {
  const std::string name = " for instruction '" + std::string(instruction.opcode) + "': ";
  const bool braces = operand.kind == Operand::Kind::kVector;
  const std::span<const Operand> registers =
      braces ? std::span<const Operand>(operand.elements) : std::span(&operand, 1);
  if (registers.size() != static_cast<size_t>(count)) {
    error(operand.loc, "Argument vector size mismatch" + name + "a lane has " + std::to_string(count) +
                           (count == 1 ? " register" : " registers") + " of matrix " +
                           static_cast<char>(matrix - 'a' + 'A'));
    return false;
  }
  const bool destination = matrix == 'd' && instruction.modifiers[0] != "store";
  for (const Operand& element : registers) {
    const OperandSpec spec{.kind = OperandSpec::Kind::kType, .type = type, .destination = destination};
    const std::string why = element.is_register() ? register_problem(element, spec, type) : "a register expected";
    if (why.empty()) continue;
    error(element.loc, "Arguments mismatch" + name + why);
    return false;
  }
  return true;
}

void Checker::check_mma(const Instruction& instruction) {
  MmaForm form;
  if (const std::string problem = parse_mma(instruction, form); !problem.empty())
    return error(instruction.loc, problem);
  if (!check_target(instruction, std::to_string(form.target))) return;
  constexpr std::string_view kMatrices = "dabc";
  const std::string mismatch = "Arguments mismatch for instruction 'mma': ";
  const size_t given = instruction.operands.size(), expected = kMatrices.size() + (form.sparse ? 2 : 0);
  if (given != expected)
    return error(instruction.loc,
                 mismatch + std::to_string(expected) + " operands expected, " + std::to_string(given) + " given");
  for (size_t i = 0; i < kMatrices.size(); ++i) {
    const char matrix = kMatrices[i];
    if (!check_registers(instruction, instruction.operands[i], matrix, form.registers(matrix),
                         form.register_type(matrix)))
      return;
  }
  if (form.sparse) check_metadata(instruction, form.selectors(), mismatch);
}

void Checker::check_wmma(const Instruction& instruction) {
  WmmaForm form;
  if (const std::string problem = parse_wmma(instruction, form); !problem.empty())
    return error(instruction.loc, problem);
  if (!check_target(instruction, std::to_string(form.product.target))) return;
  const std::string mismatch = "Arguments mismatch for instruction 'wmma': ";
  const auto& operands = instruction.operands;
  const size_t expected = form.matrix ? 2 : 4, given = operands.size();
  if (given != expected && !(form.matrix && given == expected + 1))
    return error(instruction.loc,
                 mismatch + std::to_string(expected) + " operands expected, " + std::to_string(given) + " given");
  const auto check = [&](const Operand& operand, char matrix) {
    return check_registers(instruction, operand, matrix, form.registers(matrix), form.product.register_type(matrix));
  };
  if (!form.matrix) {
    for (size_t i = 0; i < given; ++i)
      if (!check(operands[i], "dabc"[i])) return;
    return;
  }
  const size_t place = form.matrix == 'd' ? 0 : 1;
  if (operands[place].kind != Operand::Kind::kAddress)
    return error(operands[place].loc, mismatch + "an address in [ ] expected");
  if (!check(operands[1 - place], form.matrix)) return;
  check_address(instruction, operands[place]);
  if (given == expected || operands[2].is_int()) return;
  const OperandSpec spec{.kind = OperandSpec::Kind::kType, .type = Type::kU32};
  const std::string why =
      operands[2].is_register() ? register_problem(operands[2], spec, spec.type) : "a stride expected";
  if (!why.empty()) error(operands[2].loc, mismatch + why);
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
