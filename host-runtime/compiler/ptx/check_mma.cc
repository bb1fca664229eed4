// SPDX-License-Identifier: Apache-2.0
// mma, wmma, wgmma: shape and types, and a lane's registers of each matrix. ldmatrix, stmatrix, movmatrix: which
// machines have them.
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
  if (form.sparse) (void)check_metadata(instruction, form, mismatch);
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

// One of two constants.
bool Checker::check_choice(const Instruction& instruction, size_t place, std::array<int64_t, 2> choices) {
  const Operand& operand = instruction.operands[place];
  const auto value = static_cast<int64_t>(operand.bits);
  if (operand.is_int() && (value == choices[0] || value == choices[1])) return true;
  error(operand.loc, "Argument " + std::to_string(place) + " of instruction 'wgmma.mma_async': " +
                         (operand.is_int() ? "unexpected value '" + std::to_string(value) + "', expected to be "
                                           : "a constant expected, ") +
                         std::to_string(choices[0]) + " or " + std::to_string(choices[1]));
  return false;
}

void Checker::check_wgmma(const Instruction& instruction) {
  if (module_.target != 90 || !module_.exact_target)
    return error(instruction.loc, "Instruction '" + instruction.full_name() + "' requires .target sm_90a");
  if (instruction.has("mma_async")) return check_group_product(instruction);
  if (!instruction.has("wait_group") || static_cast<int64_t>(instruction.operands[0].bits) >= 0) return;
  error(instruction.operands[0].loc, "Argument 0 of instruction 'wgmma.wait_group': unexpected value '" +
                                         std::to_string(static_cast<int64_t>(instruction.operands[0].bits)) +
                                         "', expected to be non-negative integer");
}

// d, a or its descriptor, b's descriptor, of a sparse a metadata and selector, scale-d, then the signs of a and b, and
// the layouts of those that have descriptors.
void Checker::check_group_product(const Instruction& instruction) {
  WgmmaForm form;
  if (const std::string problem = parse_wgmma(instruction, form); !problem.empty())
    return error(instruction.loc, problem);
  const MmaForm& product = form.product;
  const std::string mismatch = "Arguments mismatch for instruction 'wgmma.mma_async': ";
  const auto& operands = instruction.operands;
  const bool registers = operands.size() > 1 && operands[1].kind == Operand::Kind::kVector;
  const size_t scale = product.sparse ? 5 : 3, signs = form.has_signs() ? 2 : 0,
               layouts = !form.has_layouts() ? 0
                         : registers         ? 1
                                             : 2,
               expected = scale + 1 + signs + layouts;
  if (operands.size() != expected)
    return error(instruction.loc, mismatch + std::to_string(expected) + " operands expected, " +
                                      std::to_string(operands.size()) + " given");
  const auto check_operand = [&](const Operand& operand, Type type) {
    const OperandSpec spec{.kind = OperandSpec::Kind::kType, .type = type};
    const bool constant = operand.is_int() && type != Type::kPred;
    const std::string why = constant                ? ""
                            : operand.is_register() ? register_problem(operand, spec, type)
                                                    : "a register expected";
    if (!why.empty()) error(operand.loc, mismatch + why);
    return why.empty();
  };
  if (!check_registers(instruction, operands[0], 'd', form.tiles() * product.registers('d'),
                       product.register_type('d')))
    return;
  if (registers ? !check_registers(instruction, operands[1], 'a', product.registers('a'), product.register_type('a'))
                : !check_operand(operands[1], Type::kB64))
    return;
  if (!check_operand(operands[2], Type::kB64)) return;
  if (product.sparse && !check_metadata(instruction, product, mismatch)) return;
  if (operands[scale].is_int() ? !check_choice(instruction, scale, {0, 1})
                               : !check_operand(operands[scale], Type::kPred))
    return;
  for (size_t i = 0; i < signs; ++i)
    if (!check_choice(instruction, scale + 1 + i, {-1, 1})) return;
  for (size_t i = 0; i < layouts; ++i)
    if (!check_choice(instruction, scale + 1 + signs + i, {0, 1})) return;
}

bool Checker::check_metadata(const Instruction& instruction, const MmaForm& form, const std::string& mismatch) {
  const Operand &metadata = instruction.operands[form.metadata], &selector = instruction.operands[form.metadata + 1];
  const OperandSpec spec{.kind = OperandSpec::Kind::kType, .type = Type::kB32};
  const std::string why = metadata.is_register() ? register_problem(metadata, spec, spec.type) : "a register expected";
  if (!why.empty()) {
    error(metadata.loc, mismatch + why);
    return false;
  }
  if (selector.is_int() && selector.bits < static_cast<uint64_t>(form.selectors())) return true;
  error(selector.loc, mismatch + "a sparsity selector below " + std::to_string(form.selectors()) + " expected");
  return false;
}

}  // namespace heddle::compiler::ptx
