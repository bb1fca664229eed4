// SPDX-License-Identifier: Apache-2.0
// Module level: header directives, functions' heads, sections, aliases.
#include "host-runtime/compiler/ptx/parser.h"

#include <charconv>

#include "host-runtime/compiler/ptx/parser_impl.h"

namespace heddle::compiler::ptx {

std::unique_ptr<Module> parse(const SourcePtr& source, Diagnostics& diagnostics) {
  return Parser(source, diagnostics).run();
}

Parser::Parser(const SourcePtr& source, Diagnostics& diagnostics)
    : source_(source),
      diagnostics_(diagnostics),
      tokens_(lex(source, diagnostics)),
      module_(std::make_unique<Module>()) {
  module_->source = source;
}

// ---- tokens ---------------------------------------------------------------------------------

const Token& Parser::peek(size_t ahead) const { return tokens_[std::min(pos_ + ahead, tokens_.size() - 1)]; }

const Token& Parser::take() {
  const Token& token = tokens_[pos_];
  if (pos_ + 1 < tokens_.size()) ++pos_;
  return token;
}

bool Parser::accept(std::string_view punct) {
  if (!peek().is(punct)) return false;
  take();
  return true;
}

bool Parser::accept_dot(std::string_view word) {
  if (!peek().is_dot(word)) return false;
  take();
  return true;
}

void Parser::expect(std::string_view punct) {
  if (!accept(punct)) fail_near();
}

Token Parser::expect_name(const char* what) {
  if (peek().kind != TokenKind::kName) {
    if (peek().kind == TokenKind::kEnd) fail_near();
    fail_at(peek(), std::string("Expected ") + what + " near '" + std::string(peek().text) + "'");
  }
  return take();
}

void Parser::fail_at(const Token& token, std::string message) {
  error(token.loc, std::move(message));
  throw SyntaxError{};
}

void Parser::fail_near() {
  const Token& token = peek();
  if (token.kind == TokenKind::kEnd) fail_at(token, "Unexpected end of file");
  std::string text = token.kind == TokenKind::kDotWord ? "." : "";
  text += token.text;
  fail_at(token, "Parsing error near '" + text + "': syntax error");
}

void Parser::error(Loc loc, std::string message) { diagnostics_.error(source_, loc, std::move(message)); }

void Parser::recover_in_body() {
  int depth = 0;
  while (peek().kind != TokenKind::kEnd) {
    if (depth == 0 && peek().is("}")) return;
    if (depth == 0 && accept(";")) return;
    // A forgotten ';' : the next line that begins with a guard, a directive or a label is a
    // statement of its own.
    const Token& token = take();
    if (token.is("{")) ++depth;
    if (token.is("}")) --depth;
    if (depth == 0 && peek().loc.line != token.loc.line &&
        (peek().kind == TokenKind::kName || peek().is("@") || peek().kind == TokenKind::kDotWord)) {
      return;
    }
  }
}

void Parser::recover_at_module() {
  int depth = 0;
  while (peek().kind != TokenKind::kEnd) {
    const Token& token = take();
    if (token.is("{")) ++depth;
    if (token.is("}") && --depth <= 0) {
      accept(";");  // the end of an initialiser
      return;
    }
    if (depth == 0 && token.is(";")) return;
  }
}

// ---- module ---------------------------------------------------------------------------------

std::unique_ptr<Module> Parser::run() {
  try {
    parse_header();
  } catch (SyntaxError) {
    recover_at_module();
  }
  while (peek().kind != TokenKind::kEnd) {
    try {
      parse_module_item();
    } catch (SyntaxError) {
      function_ = nullptr;
      depth_ = 0;
      recover_at_module();
    }
  }
  return std::move(module_);
}

void Parser::parse_header() {
  if (!peek().is_dot("version")) {
    error(peek().loc, "Missing .version directive at start of file");
    // Whatever this is, it is hardly PTX: one message is enough.
    pos_ = tokens_.size() - 1;
    return;
  }
  parse_version();
  if (!peek().is_dot("target")) {
    error(peek().loc, "Missing .target directive after .version directive");
    return;
  }
  parse_target();
}

void Parser::parse_module_item() {
  const Token& token = peek();
  if (token.kind != TokenKind::kDotWord) fail_near();
  if (token.is_dot("version")) return parse_version();
  if (token.is_dot("target")) return parse_target();
  if (token.is_dot("address_size")) return parse_address_size();
  if (token.is_dot("file")) return parse_file();
  if (token.is_dot("section")) return parse_section();
  if (token.is_dot("alias")) return parse_alias();
  if (token.is_dot("pragma")) {
    module_->pragmas.push_back(parse_pragma());
    return;
  }
  if (token.is_dot("loc")) {
    parse_loc();
    return;
  }
  Loc loc = token.loc;
  Linkage linkage = parse_linkage();
  if (peek().is_dot("entry") || peek().is_dot("func")) return parse_function(linkage, loc);
  if (at_variable()) {
    return parse_variables(linkage, Variable::Role::kModule, module_->variables, nullptr);
  }
  if (peek().kind == TokenKind::kDotWord) {
    fail_at(peek(), "Unknown directive '." + std::string(peek().text) + "'");
  }
  fail_near();
}

void Parser::parse_version() {
  take();
  const Token token = take();
  size_t dot = token.text.find('.');
  const char* end = token.text.data() + token.text.size();
  bool ok = token.kind == TokenKind::kFloat && dot != std::string_view::npos;
  if (ok) {
    auto major = std::from_chars(token.text.data(), end, module_->version_major);
    auto minor = std::from_chars(token.text.data() + dot + 1, end, module_->version_minor);
    ok = major.ec == std::errc() && minor.ec == std::errc() && minor.ptr == end;
  }
  if (!ok) fail_at(token, "Invalid .version '" + std::string(token.text) + "'");
  if (module_->version_major > 9) {
    error(token.loc, "Unsupported .version " + std::string(token.text) + "; versions up to 9.9 are supported");
  }
}

void Parser::parse_target() {
  take();
  do {
    Token token = expect_name("a target");
    std::string_view text = token.text;
    if (text.starts_with("sm_")) {
      module_->target_loc = token.loc;
      auto [end, ec] = std::from_chars(text.data() + 3, text.data() + text.size(), module_->target);
      std::string_view suffix(end, text.data() + text.size() - end);
      if (ec != std::errc() || !(suffix.empty() || suffix == "a" || suffix == "f")) {
        error(token.loc, "Unknown target '" + std::string(text) + "'");
      }
      module_->exact_target = !suffix.empty();
    } else if (text == "debug") {
      module_->debug = true;
    } else if (text == "texmode_independent") {
      error(token.loc, "Target option 'texmode_independent' is not supported by this version");
    } else if (text != "texmode_unified" && text != "map_f64_to_f32") {
      error(token.loc, "Unknown target option '" + std::string(text) + "'");
    }
  } while (accept(","));
}

void Parser::parse_address_size() {
  take();
  Loc loc = peek().loc;
  module_->address_size = parse_u32("an address size");
  if (module_->address_size != 64) {
    error(loc, "Only .address_size 64 is supported");
  }
}

void Parser::parse_file() {
  take();
  FileEntry file;
  file.index = parse_u32("a file number");
  if (peek().kind != TokenKind::kString) fail_near();
  file.name = take().text;
  while (accept(",")) parse_int_constant("a number");
  module_->files.push_back(file);
}

void Parser::parse_section() {
  Section section;
  section.loc = take().loc;
  if (peek().kind != TokenKind::kDotWord && peek().kind != TokenKind::kName) fail_near();
  section.name = take().text;
  const Token open = peek();
  expect("{");
  // Debug data: its own little language of labels and numbers, kept as text.
  int depth = 1;
  while (depth > 0) {
    if (peek().kind == TokenKind::kEnd) fail_near();
    if (peek().is("{")) ++depth;
    if (peek().is("}") && --depth == 0) break;
    take();
  }
  const char* begin = open.text.data() + 1;
  section.text = std::string_view(begin, peek().text.data() - begin);
  take();
  module_->sections.push_back(section);
}

void Parser::parse_alias() {
  Alias alias;
  take();
  Token name = expect_name("a function name");
  alias.loc = name.loc;
  alias.name = name.text;
  expect(",");
  alias.target = expect_name("a function name").text;
  expect(";");
  module_->aliases.push_back(alias);
}

Pragma Parser::parse_pragma() {
  Pragma pragma;
  pragma.loc = take().loc;
  do {
    if (peek().kind != TokenKind::kString) fail_near();
    pragma.text = take().text;
  } while (accept(","));
  expect(";");
  return pragma;
}

Linkage Parser::parse_linkage() {
  Linkage linkage = Linkage::kInternal;
  for (;;) {
    if (accept_dot("visible")) {
      linkage = Linkage::kVisible;
    } else if (accept_dot("extern")) {
      linkage = Linkage::kExtern;
    } else if (accept_dot("weak")) {
      linkage = Linkage::kWeak;
    } else if (accept_dot("common")) {
      linkage = Linkage::kCommon;
    } else {
      return linkage;
    }
  }
}

// ---- functions' heads -----------------------------------------------------------------------

void Parser::parse_function(Linkage linkage, Loc loc) {
  auto owned = std::make_unique<Function>();
  Function& function = *owned;
  function.linkage = linkage;
  function.loc = loc;
  function.is_entry = take().is_dot("entry");
  // .attribute(.unified(…)) may follow .func.
  while (accept_dot("attribute")) {
    expect("(");
    while (!accept(")")) {
      if (take().kind == TokenKind::kEnd) fail_near();
    }
  }
  if (!function.is_entry && peek().is("(")) {
    function.signature.results = parse_params(Variable::Role::kFuncResult);
  }
  Token name = expect_name("a function name");
  function.loc = function.signature.loc = name.loc;
  function.name = function.signature.name = name.text;
  if (peek().is("(")) {
    function.signature.params =
        parse_params(function.is_entry ? Variable::Role::kEntryParam : Variable::Role::kFuncParam);
  }
  parse_function_directives(function);
  if (accept(";")) {
    module_->functions.push_back(std::move(owned));
    return;
  }
  function.has_body = true;
  function_ = &function;
  // Kept even when its body has errors, so that calls to it do not raise more of them.
  module_->functions.push_back(std::move(owned));
  function.body.loc = peek().loc;
  expect("{");
  parse_block(function.body);
  function_ = nullptr;
}

void Parser::parse_function_directives(Function& function) {
  for (;;) {
    if (accept_dot("maxntid")) {
      parse_dimensions(function.max_threads, "a number of threads");
    } else if (accept_dot("reqntid")) {
      parse_dimensions(function.required_threads, "a number of threads");
    } else if (accept_dot("minnctapersm")) {
      function.min_blocks = parse_u32("a number of blocks");
    } else if (accept_dot("maxnctapersm")) {
      parse_u32("a number of blocks");  // an upper bound that every launch on this machine keeps
    } else if (peek().is_dot("explicitcluster") || peek().is_dot("reqnctapercluster") ||
               peek().is_dot("maxclusterrank")) {
      parse_cluster_directive(function);
    } else if (accept_dot("maxnreg")) {
      function.max_registers = parse_u32("a number of registers");
    } else if (accept_dot("noreturn")) {
      function.signature.noreturn = true;
    } else if (accept_dot("abi_preserve") || accept_dot("abi_preserve_control")) {
      parse_u32("a number of registers");
    } else if (accept_dot("unreachable")) {
    } else if (peek().is_dot("pragma")) {
      parse_pragma();
    } else if (peek().is_dot("blocksareclusters")) {
      fail_at(peek(), "Directive '." + std::string(peek().text) + "' is not supported by this version");
    } else {
      return;
    }
  }
}

void Parser::parse_cluster_directive(Function& function) {
  const Token directive = take();
  if (module_->target < 90)
    error(directive.loc, "Directive '." + std::string(directive.text) + "' requires .target sm_90 or higher");
  if (directive.is_dot("maxclusterrank")) {
    function.max_cluster_blocks = parse_u32("a number of blocks");
    return;
  }
  module_->clusters = true;
  if (directive.is_dot("reqnctapercluster")) parse_dimensions(function.required_cluster, "a number of blocks");
  else function.explicit_cluster = true;
}

void Parser::parse_dimensions(std::array<uint32_t, 3>& out, const char* what) {
  out = {1, 1, 1};
  for (size_t i = 0; i < 3; ++i) {
    out[i] = parse_u32(what);
    if (!accept(",")) return;
  }
  fail_near();
}

std::vector<Variable*> Parser::parse_params(Variable::Role role) {
  std::vector<Variable*> params;
  expect("(");
  if (accept(")")) return params;
  if (peek().kind == TokenKind::kName && peek().text == "_" && peek(1).is(")")) {
    take();
    take();
    return params;
  }
  do {
    params.push_back(parse_param(role));
  } while (accept(","));
  expect(")");
  return params;
}

Variable* Parser::parse_param(Variable::Role role) {
  auto owned = std::make_unique<Variable>();
  Variable& param = *owned;
  param.role = role;
  param.loc = peek().loc;
  if (accept_dot("reg")) {
    param.space = Space::kReg;
  } else if (accept_dot("param")) {
    param.space = Space::kParam;
  } else {
    fail_near();
  }
  // .param .align 8 .b8 x[16]   .param .u64 .ptr .global .align 4 x
  bool explicit_align = false;
  while (peek().kind == TokenKind::kDotWord) {
    std::string_view word = peek().text;
    if (word == "align") {
      take();
      uint32_t align = parse_u32("an alignment");
      if (!param.pointer) {
        param.align = align;
        explicit_align = true;
      }
    } else if (word == "ptr") {
      take();
      param.pointer = true;
    } else if (word == "attribute") {
      parse_attributes(param);
    } else if (auto type = type_by_name(word); type && param.type == Type::kNone) {
      take();
      param.type = *type;
    } else if ((word == "v2" || word == "v4") && param.type == Type::kNone) {
      take();
      param.width = word == "v2" ? 2 : 4;
    } else if (param.pointer && space_by_name(word)) {
      take();
    } else {
      fail_near();
    }
  }
  if (param.type == Type::kNone) fail_near();
  if (!explicit_align) param.align = static_cast<uint32_t>(type_bytes(param.type)) * param.width;
  Token name = expect_name("a parameter name");
  param.loc = name.loc;
  param.name = name.text;
  parse_array_dims(param);
  module_->inner_variables.push_back(std::move(owned));
  return module_->inner_variables.back().get();
}

}  // namespace heddle::compiler::ptx
