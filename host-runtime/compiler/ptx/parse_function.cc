// SPDX-License-Identifier: Apache-2.0
// Function bodies: scopes, labels, registers, instructions and their operands.
#include "host-runtime/compiler/ptx/parser_impl.h"

namespace heddle::compiler::ptx {

std::string Instruction::full_name() const {
  std::string name(opcode);
  for (std::string_view m : modifiers) {
    name += '.';
    name += m;
  }
  return name;
}

// After the '{'; takes the matching '}'.
void Parser::parse_block(Block& block) {
  constexpr int kMaxDepth = 200;
  Loc open = block.loc;
  if (++depth_ > kMaxDepth) fail_at(peek(), "Blocks are nested too deeply");
  int depth = depth_;
  while (!accept("}")) {
    if (peek().kind == TokenKind::kEnd) {
      error(open, "Unclosed '{'");
      fail_near();
    }
    try {
      parse_statement(block);
    } catch (SyntaxError) {
      if (depth_ > kMaxDepth) throw;
      depth_ = depth;
      recover_in_body();
    }
  }
  depth_ = depth - 1;
}

void Parser::parse_statement(Block& block) {
  const Token& token = peek();
  if (accept(";")) return;
  if (token.is("{")) {
    auto inner = std::make_unique<Block>();
    inner->loc = token.loc;
    take();
    Block& body = *inner;
    block.statements.push_back(std::move(inner));
    parse_block(body);
    return;
  }
  if (token.is("@")) {
    block.statements.push_back(parse_instruction());
    return;
  }
  if (token.kind == TokenKind::kName) {
    if (peek(1).is(":")) {
      parse_labelled(block);
    } else {
      block.statements.push_back(parse_instruction());
    }
    return;
  }
  if (token.kind != TokenKind::kDotWord) fail_near();
  if (token.is_dot("reg")) return parse_registers(block);
  if (token.is_dot("loc")) {
    block.statements.push_back(parse_loc());
  } else if (token.is_dot("file")) {
    parse_file();
  } else if (token.is_dot("pragma")) {
    block.statements.push_back(parse_pragma());
  } else {
    Linkage linkage = parse_linkage();
    if (!at_variable()) {
      if (peek().kind != TokenKind::kDotWord) fail_near();
      fail_at(peek(), "Unknown directive '." + std::string(peek().text) + "'");
    }
    parse_variables(linkage, Variable::Role::kFunction, module_->inner_variables, &block.statements);
  }
}

void Parser::parse_labelled(Block& block) {
  const Token name = take();
  take();  // ':'
  if (accept_dot("callprototype")) {
    block.statements.push_back(SignatureStatement{parse_prototype(name)});
  } else if (peek().is_dot("branchtargets") || peek().is_dot("calltargets")) {
    take();
    block.statements.push_back(TargetsStatement{parse_targets(name)});
  } else {
    auto label = std::make_unique<Label>();
    label->name = name.text;
    label->loc = name.loc;
    label->index = static_cast<uint32_t>(function_->labels.size());
    block.statements.push_back(LabelStatement{label.get()});
    function_->labels.push_back(std::move(label));
  }
}

// .reg .b32 %r<10>, a, b;   .reg .v4 .f32 v;
void Parser::parse_registers(Block& block) {
  take();
  RegisterDecl base;
  while (peek().kind == TokenKind::kDotWord) {
    std::string_view word = peek().text;
    if (word == "v2" || word == "v4") {
      base.width = word == "v2" ? 2 : 4;
    } else if (auto type = type_by_name(word); type && base.type == Type::kNone) {
      base.type = *type;
    } else {
      fail_at(peek(), "Unknown register type '." + std::string(word) + "'");
    }
    take();
  }
  if (base.type == Type::kNone) fail_near();
  if (type_bits(base.type) == 8 && is_float(base.type)) {
    fail_at(peek(), "Registers of type '." + std::string(type_name(base.type)) + "' do not exist");
  }
  do {
    RegisterDecl decl = base;
    Token name = expect_name("a register name");
    decl.loc = name.loc;
    decl.name = name.text;
    if (accept("<")) {
      Loc loc = peek().loc;
      // Not an expression: its '>' would be taken for a comparison.
      auto literal = peek().kind == TokenKind::kInt ? parse_int_literal(peek().text) : std::nullopt;
      if (!literal) fail_near();
      take();
      if (literal->bits > 1'000'000) {
        error(loc, "Too many registers");
        literal->bits = 1;
      }
      decl.range = static_cast<int32_t>(literal->bits);
      expect(">");
    }
    block.statements.push_back(decl);
  } while (accept(","));
  expect(";");
}

// .loc 1 12 5   .loc 1 12 5, function_name $L__info_string0 + 4, inlined_at 1 30 2
LocDirective Parser::parse_loc() {
  take();
  LocDirective loc;
  loc.file = parse_u32("a file number");
  loc.line = parse_u32("a line number");
  loc.column = parse_u32("a column number");
  while (accept(",")) {
    Token word = expect_name("'function_name' or 'inlined_at'");
    if (word.text == "function_name") {
      if (peek().kind != TokenKind::kName && peek().kind != TokenKind::kDotWord) fail_near();
      take();
      if (accept("+")) parse_u32("an offset");
    } else if (word.text == "inlined_at") {
      parse_u32("a file number");
      parse_u32("a line number");
      parse_u32("a column number");
    } else {
      fail_at(word, "Parsing error near '" + std::string(word.text) + "': syntax error");
    }
  }
  return loc;
}

// After 'name: .callprototype':  (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]);
Signature* Parser::parse_prototype(const Token& name) {
  auto signature = std::make_unique<Signature>();
  signature->loc = name.loc;
  signature->name = name.text;
  if (peek().is("(")) signature->results = parse_params(Variable::Role::kFuncResult);
  Token sink = expect_name("'_'");
  if (sink.text != "_") {
    fail_at(sink, "Parsing error near '" + std::string(sink.text) + "': syntax error");
  }
  if (peek().is("(")) signature->params = parse_params(Variable::Role::kFuncParam);
  for (;;) {
    if (accept_dot("noreturn")) {
      signature->noreturn = true;
    } else if (accept_dot("abi_preserve") || accept_dot("abi_preserve_control")) {
      parse_u32("a number of registers");
    } else {
      break;
    }
  }
  expect(";");
  module_->signatures.push_back(std::move(signature));
  return module_->signatures.back().get();
}

BranchTargets* Parser::parse_targets(const Token& name) {
  auto targets = std::make_unique<BranchTargets>();
  targets->name = name.text;
  targets->loc = name.loc;
  do {
    Token target = expect_name("a label");
    Operand operand;
    operand.kind = Operand::Kind::kName;
    operand.loc = target.loc;
    operand.name = target.text;
    // 'L<5>' stands for L0 … L4.
    if (accept("<")) {
      fail_at(target, "Label ranges are not supported by this version");
    }
    targets->targets.push_back(std::move(operand));
  } while (accept(","));
  expect(";");
  module_->targets.push_back(std::move(targets));
  return module_->targets.back().get();
}

// ---- instructions ---------------------------------------------------------------------------

Instruction Parser::parse_instruction() {
  Instruction instruction;
  if (accept("@")) {
    instruction.guarded = true;
    bool negated = accept("!");
    Token name = expect_name("a predicate");
    instruction.guard.kind = Operand::Kind::kName;
    instruction.guard.negated = negated;
    instruction.guard.loc = name.loc;
    instruction.guard.name = name.text;
  }
  Token opcode = expect_name("an instruction");
  instruction.loc = opcode.loc;
  instruction.opcode = opcode.text;
  while (peek().kind == TokenKind::kDotWord) instruction.modifiers.push_back(take().text);
  bool is_call = opcode.text == "call";
  if (!peek().is(";")) {
    do {
      instruction.operands.push_back(is_call && peek().is("(") ? parse_group(Operand::Kind::kList, ")")
                                                               : parse_operand());
      // 'call (r), f, (a)' separates by commas; some writers leave the first one out.
    } while (accept(",") ||
             (is_call && peek().kind == TokenKind::kName && instruction.operands.back().kind == Operand::Kind::kList));
  }
  expect(";");
  return instruction;
}

Operand Parser::parse_operand() {
  const Token& token = peek();
  if (token.is("{")) return parse_group(Operand::Kind::kVector, "}");
  if (token.is("[")) return parse_address();
  if (token.is("!") && peek(1).kind == TokenKind::kName) {
    take();
    Operand operand = parse_name_operand();
    operand.negated = true;
    return operand;
  }
  if (token.is("-") && peek(1).kind == TokenKind::kName && peek(1).text != "WARP_SZ") {
    take();
    Operand operand = parse_name_operand();
    operand.minus = true;
    return operand;
  }
  if (token.kind == TokenKind::kName && token.text != "WARP_SZ") return parse_name_operand();
  if (!at_expression()) fail_near();
  Operand operand;
  operand.loc = token.loc;
  ConstValue value = parse_expression();
  operand.kind = value.kind == ConstValue::Kind::kFloat ? Operand::Kind::kFloat : Operand::Kind::kInt;
  operand.bits = value.bits;
  operand.is_double = value.is_double;
  return operand;
}

Operand Parser::parse_name_operand() {
  Operand operand;
  const Token name = expect_name("an operand");
  operand.loc = name.loc;
  operand.name = name.text;
  if (name.text == "_") {
    operand.kind = Operand::Kind::kSink;
  } else {
    operand.kind = Operand::Kind::kName;
    if (peek().kind == TokenKind::kDotWord) operand.selector = take().text;
    if (peek().is("+") || peek().is("-")) {
      bool minus = take().is("-");
      int64_t n = parse_int_constant("an offset");
      operand.offset = minus ? -n : n;
    }
  }
  if (accept("|")) operand.elements.push_back(parse_name_operand());
  return operand;
}

// [base], [base+offset], [base+-offset], [offset], [base, more…]
Operand Parser::parse_address() {
  Operand address;
  address.kind = Operand::Kind::kAddress;
  address.loc = peek().loc;
  expect("[");
  Operand base;
  base.kind = Operand::Kind::kInt;
  base.loc = peek().loc;
  if (peek().kind == TokenKind::kName && peek().text != "WARP_SZ") {
    base = parse_name_operand();
    address.offset = base.offset;
    base.offset = 0;
  } else if (peek().is("{")) {
    base = parse_group(Operand::Kind::kVector, "}");
  } else {
    address.offset = parse_int_constant("an address");
  }
  address.elements.push_back(std::move(base));
  while (accept(",")) address.elements.push_back(parse_operand());
  expect("]");
  return address;
}

// { a, b } or ( a, b )
Operand Parser::parse_group(Operand::Kind kind, std::string_view close) {
  Operand group;
  group.kind = kind;
  group.loc = peek().loc;
  take();
  if (accept(close)) return group;
  do {
    if (peek().is("{") || peek().is("(")) fail_near();
    group.elements.push_back(parse_operand());
  } while (accept(","));
  expect(close);
  return group;
}

}  // namespace heddle::compiler::ptx
