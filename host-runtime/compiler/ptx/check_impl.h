// SPDX-License-Identifier: Apache-2.0
// The check's classes, shared by check.cc (module and scopes) and check_instruction.cc.
// Not for other folders.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host-runtime/compiler/ptx/ast.h"
#include "host-runtime/compiler/ptx/forms.h"

namespace heddle::compiler::ptx {

struct MmaForm;

// A place where names are declared: the module, or one { } of a function.
struct Scope {
  struct Range {
    uint32_t first;
    uint32_t count;
    uint8_t width;  // of each register: 1, or a vector's
    Loc loc;
  };
  std::unordered_map<std::string_view, Ref> names;
  std::unordered_map<std::string_view, Range> ranges;  // .reg .b32 %r<10>: "%r"
  std::unordered_map<std::string_view, Loc> places;
};

class Checker {
 public:
  Checker(Module& module, Diagnostics& diagnostics) : module_(module), diagnostics_(diagnostics) {}

  void run();

 private:
  void error(Loc loc, std::string message) { diagnostics_.error(module_.source, loc, std::move(message)); }
  // The place of a modifier or name that is a view into the source, on the line of `near`.
  static Loc loc_of(std::string_view part, Loc near, std::string_view near_text);

  // ---- module and scopes (check.cc)
  void declare_functions();
  void declare_variables();
  void check_variable(Variable& variable);
  void check_initializer(Variable& variable);
  void check_aliases();
  void check_function(Function& function);
  void check_block(Block& block);
  void check_statement(Statement& statement);
  void declare(std::string_view name, Loc loc, Ref ref, const char* what);
  void declare_registers(RegisterDecl& decl);
  // kNone when the name means nothing here; no complaint then.
  Ref look_up(std::string_view name) const;

  // ---- instructions (check_instruction.cc)
  void check_instruction(Instruction& instruction);
  bool resolve(const Instruction& instruction, Operand& operand);
  void split_special_register(Operand& operand);
  bool resolve_name(Operand& operand);
  static void split_vector_register(Operand& operand);
  const Form* choose_form(Instruction& instruction, std::vector<const Form*>& candidates);
  void complain_modifiers(const Instruction& instruction, std::span<const Form> forms);
  // Empty when the operands fit; else why not, with the operand to point at.
  struct Mismatch {
    std::string why;
    Loc loc;
    size_t position = 0;  // how far the operands did fit
  };
  bool match_operands(const Instruction& instruction, const Form& form, Mismatch& mismatch);
  std::string operand_problem(const Instruction& instruction, const Operand& operand, const OperandSpec& spec,
                              Type type);
  static std::string selector_problem(const Operand& operand, const OperandSpec& spec);
  std::string register_problem(const Operand& operand, const OperandSpec& spec, Type type) const;
  std::string mov_problem(const Operand& operand, const OperandSpec& spec, Type type) const;
  Type register_type(const Operand& operand) const { return function_->registers[operand.ref.index]; }
  void check_address(const Instruction& instruction, const Operand& address);
  void check_address(const Instruction& instruction, const Operand& address, Space space);
  void check_copy(const Instruction& instruction);
  void check_tensor(const Instruction& instruction, const Operand& operand);
  void check_bulk(const Instruction& instruction);
  void check_mbarrier(const Instruction& instruction);
  bool check_target(const Instruction& instruction, std::string_view first);
  void check_special_rules(Instruction& instruction);
  void check_register_count(const Instruction& instruction);
  void check_comparison(const Instruction& instruction);
  void check_vector(const Instruction& instruction);
  void check_eviction(const Instruction& instruction);
  void check_conversion(const Instruction& instruction);
  void check_branch(const Instruction& instruction);
  void check_call(Instruction& instruction);
  // ---- matrices (check_mma.cc)
  void check_move_matrix(const Instruction& instruction);
  bool check_registers(const Instruction& instruction, const Operand& operand, char matrix, int count, Type type);
  void check_mma(const Instruction& instruction);
  void check_wmma(const Instruction& instruction);
  void check_wgmma(const Instruction& instruction);
  void check_group_product(const Instruction& instruction);
  bool check_choice(const Instruction& instruction, size_t place, std::array<int64_t, 2> choices);
  bool check_metadata(const Instruction& instruction, const MmaForm& form, const std::string& mismatch);
  void check_call_list(const Instruction& call, const Operand* list, const std::vector<Variable*>& formal,
                       const char* what);

  Module& module_;
  Diagnostics& diagnostics_;
  std::vector<Scope> scopes_;  // scopes_[0] is the module's
  Function* function_ = nullptr;
};

}  // namespace heddle::compiler::ptx
