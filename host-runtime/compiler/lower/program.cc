// SPDX-License-Identifier: Apache-2.0
// Linking: names to symbols over all modules, and which of them the output needs.
#include "host-runtime/compiler/lower/program.h"

#include <algorithm>
#include <bit>

#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/formats/cubin.h"

namespace heddle::compiler::lower {
namespace {

mir::Linkage linkage_of(ptx::Linkage linkage) {
  switch (linkage) {
    case ptx::Linkage::kInternal: return mir::Linkage::Internal;
    case ptx::Linkage::kVisible: return mir::Linkage::Visible;
    case ptx::Linkage::kExtern: return mir::Linkage::Extern;
    case ptx::Linkage::kWeak: return mir::Linkage::Weak;
    case ptx::Linkage::kCommon: return mir::Linkage::Common;
  }
  return mir::Linkage::Internal;
}

bool is_global(ptx::Linkage linkage) {
  return linkage == ptx::Linkage::kVisible || linkage == ptx::Linkage::kWeak || linkage == ptx::Linkage::kCommon;
}

bool is_weak(ptx::Linkage linkage) { return linkage == ptx::Linkage::kWeak || linkage == ptx::Linkage::kCommon; }

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

}  // namespace

mir::Module lower(std::span<const Input> inputs, const Options& options, ptx::Diagnostics& diagnostics) {
  return Program(inputs, options, diagnostics).run();
}

Program::Program(std::span<const Input> inputs, const Options& options, ptx::Diagnostics& diagnostics)
    : inputs_(inputs.begin(), inputs.end()),
      options_(options),
      clusters_(
          std::any_of(inputs.begin(), inputs.end(), [](const Input& i) { return i.module->clusters && !i.library; })),
      diagnostics_(diagnostics) {}

mir::Module Program::run() {
  for (const Input& input : inputs_) collect(input);
  if (!inputs_.empty()) {
    const ptx::Module& first = *inputs_[0].module;
    out_.target = "sm_" + std::to_string(first.target);
    out_.ptx_version = first.version_major * 10 + first.version_minor;
    out_.debug = first.debug;
  }
  keep_roots();
  while (!work_.empty()) {
    Work work = work_.front();
    work_.pop_front();
    if (work.variable) {
      lower_variable(*work.module, *work.variable, work.symbol);
    } else {
      mir::Function function;
      function.symbol = work.symbol;
      function.name = out_.symbols[work.symbol].name;
      function.linkage = out_.symbols[work.symbol].linkage;
      FunctionLowering lowering(*this, *work.module, *work.function, function);
      lowering.run();
      if (!options_.has.fp64) lowering.soften();
      if (!options_.has.fp16) lowering.soften_half();
      out_.symbols[work.symbol].index = static_cast<uint32_t>(out_.functions.size());
      out_.functions.push_back(std::move(function));
    }
  }
  return std::move(out_);
}

void Program::collect(const Input& input) {
  const ptx::Module& module = *input.module;
  add_files(module);
  for (const auto& function : module.functions) {
    if (!function->has_body || !is_global(function->linkage)) continue;
    define(function->name, {&module, function.get(), nullptr, function->linkage}, function->loc);
  }
  for (const ptx::Alias& alias : module.aliases) {
    if (alias.function) {
      const ptx::Linkage linkage = is_weak(alias.function->linkage) ? alias.function->linkage : ptx::Linkage::kVisible;
      define(alias.name, {&module, alias.function, nullptr, linkage}, alias.loc);
    }
  }
  for (const auto& variable : module.variables) {
    if (!is_global(variable->linkage)) continue;
    define(variable->name, {&module, nullptr, variable.get(), variable->linkage}, variable->loc);
  }
}

void Program::add_files(const ptx::Module& module) {
  auto& map = files_[&module];
  for (const ptx::FileEntry& file : module.files) {
    auto it = std::find(out_.files.begin(), out_.files.end(), file.name);
    map[file.index] = static_cast<uint32_t>(it - out_.files.begin());
    if (it == out_.files.end()) out_.files.emplace_back(file.name);
  }
}

uint32_t Program::file_of(const ptx::Module& from, uint32_t number) const {
  auto module = files_.find(&from);
  if (module == files_.end()) return mir::kNone;
  auto it = module->second.find(number);
  return it == module->second.end() ? mir::kNone : it->second;
}

uint32_t Program::number_of(const ptx::Module& module) const {
  const auto input = std::find_if(inputs_.begin(), inputs_.end(), [&](const Input& i) { return i.module == &module; });
  return static_cast<uint32_t>(input - inputs_.begin());
}

void Program::define(std::string_view name, Definition definition, ptx::Loc loc) {
  auto [it, fresh] = globals_.emplace(std::string(name), definition);
  if (fresh || is_weak(definition.linkage)) return;
  if (is_weak(it->second.linkage)) {
    it->second = definition;
    return;
  }
  if (it->second.module == definition.module) return;  // the check said so already
  diagnostics_.error(definition.module->source, loc, "Multiple definition of " + quoted(name));
}

void Program::keep_roots() {
  for (const Input& input : inputs_) {
    if (input.library) continue;
    for (const auto& variable : input.module->variables) {
      // Shared memory is a kernel's: it counts only where it is used.
      if (variable->linkage == ptx::Linkage::kExtern || variable->space == ptx::Space::kShared) {
        continue;
      }
      symbol_of(*input.module, *variable, variable->loc);
    }
    for (const auto& function : input.module->functions) {
      bool root = function->is_entry || (options_.relocatable && is_global(function->linkage));
      if (function->has_body && root) symbol_of(*input.module, *function, function->loc);
    }
  }
}

// ---- names to symbols -----------------------------------------------------------------------

mir::SymbolId Program::symbol_of(const ptx::Module& from, const ptx::Function& function, ptx::Loc use) {
  if (function.has_body && !is_global(function.linkage)) return use_function(from, function);
  auto it = globals_.find(std::string(function.name));
  if (it != globals_.end() && it->second.function) {
    check_agreement(from, function, *it->second.module, *it->second.function, use);
    return use_function(*it->second.module, *it->second.function);
  }
  auto known = symbols_.find(&function);
  if (known != symbols_.end()) return known->second;
  if (!options_.relocatable) {
    diagnostics_.error(from.source, use, "Unresolved extern function " + quoted(function.name));
    return mir::kNone;
  }
  std::string name(function.name);
  for (mir::SymbolId s = 0; s < out_.symbols.size(); ++s) {
    if (out_.symbols[s].kind == mir::Symbol::Kind::ExternFunction && out_.symbols[s].name == name) {
      return symbols_[&function] = s;
    }
  }
  return symbols_[&function] = new_symbol(name, mir::Symbol::Kind::ExternFunction, mir::Linkage::Extern);
}

mir::SymbolId Program::library_function(const ptx::Module& from, const std::string& name, ptx::Loc use) {
  const auto it = globals_.find(name);
  if (it != globals_.end() && it->second.function) return use_function(*it->second.module, *it->second.function);
  diagnostics_.error(from.source, use,
                     "The device library's function " + quoted(name) + " is needed, which is in no --library");
  return mir::kNone;
}

mir::SymbolId Program::symbol_of(const ptx::Module& from, const ptx::Variable& variable, ptx::Loc use) {
  bool external = variable.linkage == ptx::Linkage::kExtern;
  if (!external && !is_global(variable.linkage)) return use_variable(from, variable);
  auto it = globals_.find(std::string(variable.name));
  if (it != globals_.end() && it->second.variable) {
    check_agreement(from, variable, *it->second.module, *it->second.variable, use);
    return use_variable(*it->second.module, *it->second.variable);
  }
  // extern .shared x[]: the launch gives it its memory. All such names mean the same bytes.
  if (external && variable.space == ptx::Space::kShared && variable.unsized) {
    return use_variable(from, variable);
  }
  if (!options_.relocatable && variable.name != formats::kRuntimeBlock) {
    diagnostics_.error(from.source, use, "Unresolved extern variable " + quoted(variable.name));
    return mir::kNone;
  }
  return use_variable(from, variable);
}

// What one module declares and another defines must be the same thing: the calling convention goes by types.
void Program::check_agreement(const ptx::Module& from, const ptx::Function& declared, const ptx::Module& where,
                              const ptx::Function& defined, ptx::Loc use) {
  if (&from == &where) return;
  const auto alike = [](const std::vector<ptx::Variable*>& a, const std::vector<ptx::Variable*>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const ptx::Variable* x, const ptx::Variable* y) { return x->bytes() == y->bytes(); });
  };
  if (declared.is_entry == defined.is_entry && alike(declared.signature.params, defined.signature.params) &&
      alike(declared.signature.results, defined.signature.results))
    return;
  diagnostics_.error(from.source, use,
                     "Function " + quoted(declared.name) + " is defined otherwise in " + quoted(where.source->name()));
}

void Program::check_agreement(const ptx::Module& from, const ptx::Variable& declared, const ptx::Module& where,
                              const ptx::Variable& defined, ptx::Loc use) {
  if (&from == &where) return;
  const bool sizes = declared.unsized || defined.unsized || declared.bytes() == defined.bytes();
  if (sizes && declared.space == defined.space) return;
  diagnostics_.error(from.source, use,
                     "Variable " + quoted(declared.name) + " is defined otherwise in " + quoted(where.source->name()));
}

mir::SymbolId Program::new_symbol(std::string name, mir::Symbol::Kind kind, mir::Linkage linkage) {
  // Internal names of different modules or functions may be alike; the later ones get a suffix.
  unsigned& seen = names_[name];
  if (seen++ > 0) name += "$" + std::to_string(seen);
  mir::Symbol symbol;
  symbol.name = std::move(name);
  symbol.kind = kind;
  symbol.linkage = linkage;
  out_.symbols.push_back(std::move(symbol));
  return static_cast<mir::SymbolId>(out_.symbols.size() - 1);
}

// A variable without bytes, which lies where its segment begins.
mir::SymbolId Program::constant_bank() {
  if (constant_bank_ == mir::kNone) constant_bank_ = own_variable("$constants", mir::Space::Const, 0);
  return constant_bank_;
}

mir::SymbolId Program::parameter_bank() {
  if (parameter_bank_ == mir::kNone) parameter_bank_ = driver_variable(formats::kParameterBlock);
  return parameter_bank_;
}

mir::SymbolId Program::reserved_shared() {
  if (reserved_shared_ == mir::kNone)
    reserved_shared_ = own_variable("$reserved_smem", mir::Space::Shared, kReservedShared);
  return reserved_shared_;
}

mir::SymbolId Program::wide_locks() {
  if (wide_locks_ == mir::kNone) wide_locks_ = driver_variable(formats::kWideLocks);
  return wide_locks_;
}

// Global memory of which the driver knows the place.
mir::SymbolId Program::driver_variable(const char* name) {
  const mir::SymbolId symbol = own_variable(name, mir::Space::Global, 0);
  out_.symbols[symbol].linkage = out_.variables.back().linkage = mir::Linkage::Extern;
  return symbol;
}

mir::SymbolId Program::own_variable(const char* name, mir::Space space, uint32_t bytes) {
  const mir::SymbolId symbol = new_symbol(name, mir::Symbol::Kind::Variable, mir::Linkage::Internal);
  mir::Variable variable;
  variable.name = out_.symbols[symbol].name;
  variable.symbol = symbol;
  variable.space = space;
  variable.size = bytes;
  variable.align = std::clamp(bytes, 1u, 16u);
  out_.symbols[symbol].index = static_cast<uint32_t>(out_.variables.size());
  out_.variables.push_back(std::move(variable));
  return symbol;
}

mir::SymbolId Program::use_function(const ptx::Module& module, const ptx::Function& function) {
  auto it = symbols_.find(&function);
  if (it != symbols_.end()) return it->second;
  mir::SymbolId symbol =
      new_symbol(std::string(function.name), mir::Symbol::Kind::Function, linkage_of(function.linkage));
  symbols_[&function] = symbol;
  work_.push_back({&module, &function, nullptr, symbol});
  return symbol;
}

mir::SymbolId Program::use_variable(const ptx::Module& module, const ptx::Variable& variable) {
  auto it = symbols_.find(&variable);
  if (it != symbols_.end()) return it->second;
  mir::SymbolId symbol =
      new_symbol(std::string(variable.name), mir::Symbol::Kind::Variable, linkage_of(variable.linkage));
  symbols_[&variable] = symbol;
  work_.push_back({&module, nullptr, &variable, symbol});
  return symbol;
}

// ---- variables ------------------------------------------------------------------------------

void Program::lower_variable(const ptx::Module& module, const ptx::Variable& variable, mir::SymbolId symbol) {
  mir::Variable out;
  out.name = out_.symbols[symbol].name;
  out.symbol = symbol;
  out.linkage = linkage_of(variable.linkage);
  out.space = variable.space == ptx::Space::kShared  ? mir::Space::Shared
              : variable.space == ptx::Space::kConst ? mir::Space::Const
                                                     : mir::Space::Global;
  out.managed = variable.managed;
  out.align = variable.align;
  out.size = variable.unsized ? 0 : variable.bytes();
  const uint32_t size = static_cast<uint32_t>(ptx::type_bytes(variable.type));
  for (const ptx::InitValue& value : variable.init) {
    const uint64_t offset = uint64_t{value.index} * size;
    if (value.kind == ptx::InitValue::Kind::kSymbol) {
      mir::DataReloc reloc;
      reloc.offset = static_cast<uint32_t>(offset);
      reloc.size = static_cast<uint8_t>(size);
      reloc.addend = value.addend;
      reloc.shift = value.mask == 0 ? 0 : static_cast<uint8_t>(std::countr_zero(value.mask));
      if (value.ref.kind == ptx::Ref::Kind::kFunction) {
        reloc.symbol = symbol_of(module, *value.ref.function, value.loc);
      } else {
        // A shared or const variable's plain address is its offset; others have one address for all uses.
        const ptx::Space space = value.ref.variable->space;
        reloc.space = !value.generic && (space == ptx::Space::kShared || space == ptx::Space::kConst);
        reloc.symbol = symbol_of(module, *value.ref.variable, value.loc);
      }
      if (reloc.symbol != mir::kNone) out.relocs.push_back(reloc);
      continue;
    }
    uint64_t bits = value.bits;
    if (value.kind == ptx::InitValue::Kind::kFloat) {
      bits = float_bits(value.bits, value.is_double, variable.type);
    }
    if (out.init.size() < offset + size) out.init.resize(offset + size);
    for (uint32_t i = 0; i < size; ++i) {
      out.init[offset + i] = static_cast<uint8_t>(i < 8 ? bits >> (8 * i) : 0);
    }
  }
  out_.symbols[symbol].index = static_cast<uint32_t>(out_.variables.size());
  out_.variables.push_back(std::move(out));
}

}  // namespace heddle::compiler::lower
