// SPDX-License-Identifier: Apache-2.0
// Module level, scopes and declarations.
#include "host-runtime/compiler/ptx/check.h"

#include <algorithm>

#include "host-runtime/compiler/ptx/check_impl.h"

namespace heddle::compiler::ptx {
namespace {

Ref ref_to(Variable* variable) {
  Ref ref;
  ref.kind = Ref::Kind::kVariable;
  ref.variable = variable;
  return ref;
}

Ref ref_to(Function* function) {
  Ref ref;
  ref.kind = Ref::Kind::kFunction;
  ref.function = function;
  return ref;
}

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

// Two declarations of one function must agree in what callers see.
bool same_signature(const Signature& a, const Signature& b) {
  auto same = [](const std::vector<Variable*>& x, const std::vector<Variable*>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](Variable* p, Variable* q) {
      return type_bits(p->type) == type_bits(q->type) && p->elements() == q->elements();
    });
  };
  return same(a.params, b.params) && same(a.results, b.results);
}

}  // namespace

void check(Module& module, Diagnostics& diagnostics) { Checker(module, diagnostics).run(); }

void Checker::run() {
  scopes_.emplace_back();
  declare_functions();
  declare_variables();
  check_aliases();
  for (auto& variable : module_.variables) check_initializer(*variable);
  for (auto& function : module_.functions) {
    if (function->has_body) check_function(*function);
  }
}

// A name may be declared often and defined once; it stands for its definition.
void Checker::declare_functions() {
  for (auto& function : module_.functions) {
    Scope& scope = scopes_[0];
    auto it = scope.names.find(function->name);
    if (it == scope.names.end()) {
      declare(function->name, function->loc, ref_to(function.get()), "function");
      continue;
    }
    Function* known = it->second.function;
    if (known->has_body && function->has_body) {
      error(function->loc, "Duplicate definition of function " + quoted(function->name));
      continue;
    }
    if (known->is_entry != function->is_entry || !same_signature(known->signature, function->signature)) {
      error(function->loc, "Declaration of function " + quoted(function->name) + " conflicts with line " +
                               std::to_string(known->loc.line));
      continue;
    }
    if (function->has_body) {
      it->second = ref_to(function.get());
      if (function->linkage == Linkage::kInternal) function->linkage = known->linkage;
      if (function->linkage == Linkage::kExtern) function->linkage = Linkage::kVisible;
    }
  }
}

void Checker::declare_variables() {
  for (auto& variable : module_.variables) {
    auto it = scopes_[0].names.find(variable->name);
    bool again = it != scopes_[0].names.end() && it->second.kind == Ref::Kind::kVariable;
    if (again) {
      // 'extern' before or after the definition names the same object.
      Variable* known = it->second.variable;
      bool agree = known->space == variable->space && known->type == variable->type;
      if (agree && variable->linkage == Linkage::kExtern) continue;
      if (agree && known->linkage == Linkage::kExtern) {
        it->second = ref_to(variable.get());
        check_variable(*variable);
        continue;
      }
    }
    declare(variable->name, variable->loc, ref_to(variable.get()), "variable");
    check_variable(*variable);
  }
}

void Checker::check_variable(Variable& variable) {
  if (variable.space == Space::kParam && variable.role == Variable::Role::kModule) {
    error(variable.loc, "Variable " + quoted(variable.name) + ": '.param' is not allowed at module scope");
  }
  if (variable.unsized && variable.linkage != Linkage::kExtern) {
    error(variable.loc, "Array size required for variable " + quoted(variable.name));
  }
  if (variable.linkage == Linkage::kExtern && variable.has_init) {
    error(variable.loc, "Initialization is not allowed for extern variable " + quoted(variable.name));
  }
  if (type_class(variable.type) == TypeClass::kOpaque) {
    error(variable.loc,
          "Variables of type '." + std::string(type_name(variable.type)) + "' are not supported by this version");
  }
  bool external = variable.linkage == Linkage::kExtern;
  if (!external && !variable.unsized && variable.bytes() == 0 && !variable.dims.empty()) {
    // Empty C++ arrays and structs arrive as x[0]; they have an address and no bytes.
    return;
  }
}

void Checker::check_initializer(Variable& variable) {
  for (InitValue& value : variable.init) {
    if (value.kind == InitValue::Kind::kSymbol) {
      value.ref = look_up(value.symbol);
      if (value.ref.kind != Ref::Kind::kVariable && value.ref.kind != Ref::Kind::kFunction) {
        error(value.loc, "Unknown symbol " + quoted(value.symbol));
        continue;
      }
      int bits = type_bits(variable.type);
      if (is_float(variable.type) || (value.mask == 0 && bits < 32)) {
        error(value.loc, "Address of " + quoted(value.symbol) + " does not fit type '." +
                             std::string(type_name(variable.type)) + "'");
      }
    } else if (value.kind == InitValue::Kind::kFloat && !is_float(variable.type) &&
               type_class(variable.type) != TypeClass::kBits) {
      error(value.loc, "Initial value of variable " + quoted(variable.name) + " must be an integer");
    }
  }
}

void Checker::check_aliases() {
  for (Alias& alias : module_.aliases) {
    Ref target = look_up(alias.target);
    if (target.kind != Ref::Kind::kFunction) {
      error(alias.loc, "Unknown symbol " + quoted(alias.target));
      continue;
    }
    if (target.function->is_entry) {
      error(alias.loc, "Alias to kernel " + quoted(alias.target) + " is not allowed");
      continue;
    }
    alias.function = target.function;
    // The alias was declared as a function without a body: from now on it means its target.
    scopes_[0].names[alias.name] = target;
  }
}

// ---- scopes ---------------------------------------------------------------------------------

Ref Checker::look_up(std::string_view name) const {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  // '%r07' is not in the range %r<10>; longer numbers cannot be in any.
  bool numbered = digits < name.size() && digits > 0 && name.size() - digits <= 7 &&
                  (name[digits] != '0' || name.size() - digits == 1);
  uint32_t number = 0;
  for (size_t i = digits; numbered && i < name.size(); ++i) number = number * 10 + (name[i] - '0');

  for (size_t s = scopes_.size(); s-- > 0;) {
    auto it = scopes_[s].names.find(name);
    if (it != scopes_[s].names.end()) return it->second;
    if (!numbered) continue;
    auto range = scopes_[s].ranges.find(name.substr(0, digits));
    if (range != scopes_[s].ranges.end() && number < range->second.count) {
      Ref ref;
      ref.kind = Ref::Kind::kRegister;
      ref.index = range->second.first + number * range->second.width;
      ref.component = range->second.width == 1 ? 0 : range->second.width;
      return ref;
    }
  }
  return {};
}

void Checker::declare(std::string_view name, Loc loc, Ref ref, const char* what) {
  Scope& scope = scopes_.back();
  auto [it, fresh] = scope.names.emplace(name, ref);
  if (!fresh) {
    error(loc, std::string("Duplicate definition of ") + what + " " + quoted(name));
    return;
  }
  scope.places.emplace(name, loc);
}

void Checker::declare_registers(RegisterDecl& decl) {
  uint32_t count = decl.range >= 0 ? static_cast<uint32_t>(decl.range) : 1;
  decl.first = static_cast<uint32_t>(function_->registers.size());
  function_->registers.insert(function_->registers.end(), size_t{count} * decl.width, decl.type);
  if (decl.range >= 0) {
    Scope& scope = scopes_.back();
    if (!scope.ranges.emplace(decl.name, Scope::Range{decl.first, count, decl.width, decl.loc}).second) {
      error(decl.loc, "Duplicate definition of variable " + quoted(decl.name));
    }
    return;
  }
  Ref ref;
  ref.kind = Ref::Kind::kRegister;
  ref.index = decl.first;
  ref.component = decl.width == 1 ? 0 : decl.width;  // of a vector register: how many elements
  declare(decl.name, decl.loc, ref, "variable");
}

// ---- functions ------------------------------------------------------------------------------

void Checker::check_function(Function& function) {
  function_ = &function;
  scopes_.emplace_back();
  auto declare_all = [&](std::vector<Variable*>& list) {
    for (Variable* v : list) {
      if (v->space == Space::kReg) {
        RegisterDecl decl;
        decl.loc = v->loc;
        decl.type = v->type;
        decl.name = v->name;
        decl.width = v->width;
        declare_registers(decl);
        v->reg = decl.first;
      } else if (v->name != "_") {
        declare(v->name, v->loc, ref_to(v), "parameter");
      }
    }
  };
  declare_all(function.signature.results);
  declare_all(function.signature.params);
  for (Variable* v : function.signature.params) {
    if (type_class(v->type) == TypeClass::kOpaque) {
      error(v->loc, "Parameters of type '." + std::string(type_name(v->type)) + "' are not supported by this version");
    }
  }
  check_block(function.body);
  scopes_.pop_back();
  function_ = nullptr;
}

void Checker::check_block(Block& block) {
  scopes_.emplace_back();
  // Labels may be used before they stand: all of the block's are declared first.
  for (Statement& statement : block.statements) {
    if (auto* label = std::get_if<LabelStatement>(&statement)) {
      Ref ref;
      ref.kind = Ref::Kind::kLabel;
      ref.label = label->label;
      declare(label->label->name, label->label->loc, ref, "label");
    }
    if (auto* signature = std::get_if<SignatureStatement>(&statement)) {
      Ref ref;
      ref.kind = Ref::Kind::kSignature;
      ref.signature = signature->signature;
      declare(signature->signature->name, signature->signature->loc, ref, "label");
    }
    if (auto* targets = std::get_if<TargetsStatement>(&statement)) {
      Ref ref;
      ref.kind = Ref::Kind::kTargets;
      ref.targets = targets->targets;
      declare(targets->targets->name, targets->targets->loc, ref, "label");
    }
  }
  for (Statement& statement : block.statements) check_statement(statement);
  scopes_.pop_back();
}

void Checker::check_statement(Statement& statement) {
  if (auto* instruction = std::get_if<Instruction>(&statement)) {
    check_instruction(*instruction);
  } else if (auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) {
    check_block(**inner);
  } else if (auto* decl = std::get_if<RegisterDecl>(&statement)) {
    declare_registers(*decl);
  } else if (auto* variable = std::get_if<VariableStatement>(&statement)) {
    declare(variable->variable->name, variable->variable->loc, ref_to(variable->variable), "variable");
    check_variable(*variable->variable);
    check_initializer(*variable->variable);
  } else if (auto* targets = std::get_if<TargetsStatement>(&statement)) {
    for (Operand& target : targets->targets->targets) {
      target.ref = look_up(target.name);
      if (target.ref.kind != Ref::Kind::kLabel && target.ref.kind != Ref::Kind::kFunction) {
        error(target.loc, "Unknown symbol " + quoted(target.name));
      }
    }
  }
}

}  // namespace heddle::compiler::ptx
