// SPDX-License-Identifier: Apache-2.0
// The parser's class, shared by parser.cc (module level), parse_function.cc (bodies and
// instructions), parse_variable.cc (variables and initialisers) and parse_expression.cc.
// Not for other folders.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host-runtime/compiler/ptx/ast.h"
#include "host-runtime/compiler/ptx/lexer.h"

namespace heddle::compiler::ptx {

// A constant expression's value.
struct ConstValue {
  enum class Kind : uint8_t { kSigned, kUnsigned, kFloat };

  Kind kind = Kind::kSigned;
  bool is_double = true;  // kFloat: bits hold a double; else a float
  uint64_t bits = 0;
};

class Parser {
 public:
  Parser(const SourcePtr& source, Diagnostics& diagnostics);

  std::unique_ptr<Module> run();

 private:
  // Thrown after a syntax error was reported; caught where the parser can go on.
  struct SyntaxError {};

  // ---- tokens
  const Token& peek(size_t ahead = 0) const;
  const Token& take();
  bool accept(std::string_view punct);
  bool accept_dot(std::string_view word);
  void expect(std::string_view punct);
  Token expect_name(const char* what);
  [[noreturn]] void fail_at(const Token& token, std::string message);
  [[noreturn]] void fail_near();  // "Parsing error near 'x': syntax error", as ptxas says it
  void error(Loc loc, std::string message);
  // Skips past the next ';' (or to a '}' or the end) of this nesting level.
  void recover_in_body();
  void recover_at_module();

  // ---- module level (parser.cc)
  void parse_header();
  void parse_module_item();
  void parse_version();
  void parse_target();
  void parse_address_size();
  void parse_file();
  void parse_section();
  void parse_alias();
  Pragma parse_pragma();
  Linkage parse_linkage();
  void parse_function(Linkage linkage, Loc loc);
  void parse_function_directives(Function& function);
  void parse_cluster_directive(Function& function);
  void parse_dimensions(std::array<uint32_t, 3>& out, const char* what);
  std::vector<Variable*> parse_params(Variable::Role role);
  Variable* parse_param(Variable::Role role);

  // ---- variables (parse_variable.cc)
  bool at_variable() const;
  void parse_variables(Linkage linkage, Variable::Role role, std::vector<std::unique_ptr<Variable>>& owner,
                       std::vector<Statement>* statements);
  void parse_attributes(Variable& variable);
  void parse_align(Variable& variable);
  void parse_array_dims(Variable& variable);
  void parse_initializer(Variable& variable);
  void parse_init_list(Variable& variable, size_t depth, uint64_t first);
  void parse_init_value(Variable& variable, uint64_t index);
  void parse_symbol_value(InitValue& value);

  // ---- bodies (parse_function.cc)
  void parse_block(Block& block);
  void parse_statement(Block& block);
  void parse_labelled(Block& block);
  void parse_registers(Block& block);
  LocDirective parse_loc();
  Signature* parse_prototype(const Token& name);
  BranchTargets* parse_targets(const Token& name);
  Instruction parse_instruction();
  Operand parse_operand();
  Operand parse_name_operand();
  Operand parse_address();
  Operand parse_group(Operand::Kind kind, std::string_view close);

  // ---- constant expressions (parse_expression.cc)
  ConstValue parse_expression();
  ConstValue parse_binary(int min_precedence);
  ConstValue parse_unary();
  ConstValue parse_literal();
  ConstValue apply_binary(const Token& op, ConstValue a, ConstValue b);
  int64_t parse_int_constant(const char* what);
  uint32_t parse_u32(const char* what);
  bool at_expression() const;

  SourcePtr source_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  size_t pos_ = 0;
  int depth_ = 0;  // of nested blocks and expressions: a bound against stack overflow
  std::unique_ptr<Module> module_;
  Function* function_ = nullptr;
};

// The value of an integer literal with its base and U suffix; empty when malformed or too large.
std::optional<ConstValue> parse_int_literal(std::string_view text);
// The bits of 0f…, 0d… or a decimal literal.
ConstValue parse_float_literal(std::string_view text);

}  // namespace heddle::compiler::ptx
