// SPDX-License-Identifier: Apache-2.0
// The linker's state, seen by the lowering of each function: which symbol a name means.
// Not for other folders.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "host-runtime/compiler/lower/lower.h"

namespace heddle::compiler::lower {

class Program {
 public:
  Program(std::span<const Input> inputs, const Options& options, ptx::Diagnostics& diagnostics);

  mir::Module run();

  mir::Module& out() { return out_; }
  ptx::Diagnostics& diagnostics() { return diagnostics_; }
  const Options& options() const { return options_; }
  // Blocks may see each other's shared memory.
  bool clusters() const { return clusters_; }

  // The symbol of a function or variable named in module `from`; it will be part of the output.
  // kNone after reporting, at `use`, that nothing defines it.
  mir::SymbolId symbol_of(const ptx::Module& from, const ptx::Function& function, ptx::Loc use);
  mir::SymbolId symbol_of(const ptx::Module& from, const ptx::Variable& variable, ptx::Loc use);
  // Where the constant bank begins: its Lo and Hi are the bank's device address.
  mir::SymbolId constant_bank();
  // Likewise the parameter bank, whose place the driver knows (kParameterBlock).
  mir::SymbolId parameter_bank();
  // Shared memory of every block for the libraries of other compilers (cooperative groups of several warps).
  static constexpr uint32_t kReservedShared = 288;  // bytes, as much as silicon has
  mir::SymbolId reserved_shared();
  // And the locks of atomics of 128 bits (kWideLocks).
  mir::SymbolId wide_locks();
  // The function of that name, which is a library's; kNone after reporting that there is none.
  mir::SymbolId library_function(const ptx::Module& from, const std::string& name, ptx::Loc use);
  // Index into mir::Module::files of a module's .file entry; kNone when there is none.
  uint32_t file_of(const ptx::Module& from, uint32_t number) const;
  // Which of the inputs the module is.
  uint32_t number_of(const ptx::Module& module) const;

 private:
  struct Definition {
    const ptx::Module* module = nullptr;
    const ptx::Function* function = nullptr;  // one of the two
    const ptx::Variable* variable = nullptr;
    ptx::Linkage linkage = ptx::Linkage::kInternal;
    bool used = false;
  };

  void collect(const Input& input);
  void add_files(const ptx::Module& module);
  void define(std::string_view name, Definition definition, ptx::Loc loc);
  void keep_roots();
  void check_agreement(const ptx::Module& from, const ptx::Function& declared, const ptx::Module& where,
                       const ptx::Function& defined, ptx::Loc use);
  void check_agreement(const ptx::Module& from, const ptx::Variable& declared, const ptx::Module& where,
                       const ptx::Variable& defined, ptx::Loc use);
  mir::SymbolId use_function(const ptx::Module& module, const ptx::Function& function);
  mir::SymbolId use_variable(const ptx::Module& module, const ptx::Variable& variable);
  mir::SymbolId own_variable(const char* name, mir::Space space, uint32_t bytes);
  mir::SymbolId driver_variable(const char* name);
  mir::SymbolId new_symbol(std::string name, mir::Symbol::Kind kind, mir::Linkage linkage);
  void lower_variable(const ptx::Module& module, const ptx::Variable& variable, mir::SymbolId symbol);

  std::vector<Input> inputs_;
  Options options_;
  bool clusters_;
  ptx::Diagnostics& diagnostics_;
  mir::Module out_;
  mir::SymbolId constant_bank_ = mir::kNone, parameter_bank_ = mir::kNone, reserved_shared_ = mir::kNone,
                wide_locks_ = mir::kNone;
  std::unordered_map<std::string, Definition> globals_;
  std::unordered_map<const void*, mir::SymbolId> symbols_;  // Function* and Variable* -> symbol
  std::unordered_map<std::string, unsigned> names_;         // names given so far
  std::unordered_map<const ptx::Module*, std::unordered_map<uint32_t, uint32_t>> files_;
  struct Work {
    const ptx::Module* module;
    const ptx::Function* function;
    const ptx::Variable* variable;
    mir::SymbolId symbol;
  };
  std::deque<Work> work_;
};

}  // namespace heddle::compiler::lower
