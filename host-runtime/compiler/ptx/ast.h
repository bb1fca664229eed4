// SPDX-License-Identifier: Apache-2.0
// The parsed module. The parser fills in what the text says; the check (check.h) then resolves
// names (Operand::ref) and chooses each instruction's form (Instruction::types).
//
// Every name is a view into Module::source's text. Nodes that others point to (Variable, Function,
// Label, Signature) live at stable addresses, owned by the Module.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host-runtime/compiler/ptx/source.h"
#include "host-runtime/compiler/ptx/types.h"

namespace heddle::compiler::ptx {

struct Variable;
struct Function;
struct Label;
struct Signature;
struct BranchTargets;

// What a name means.
struct Ref {
  enum class Kind : uint8_t {
    kNone,
    kRegister,   // index: number in Function::registers; component: 0 once the check is done
                 // (before, of a vector register: its width; the check makes a kVector of it)
    kSpecial,    // index: SpecialRegister (special_registers.h); component: 0…3 for .x….w, or the
                 // number of %envreg<n>
    kVariable,   // variable: of any space, parameters included
    kFunction,   // function
    kLabel,      // label
    kSignature,  // signature: a .callprototype
    kTargets,    // targets: a .branchtargets or .calltargets list
  };

  Kind kind = Kind::kNone;
  uint8_t component = 0;
  uint32_t index = 0;
  union {
    Variable* variable = nullptr;
    Function* function;
    Label* label;
    Signature* signature;
    BranchTargets* targets;
  };
};

// One operand of an instruction.
//   %r1  !%p1  %tid.x  %a.b1  sym+8  $L__BB0_1   kName (selector: x, b1; offset: 8)
//   -5  0x10                                     kInt
//   0f3F800000  1.5                              kFloat
//   {%r1, _, 0}, a vector register               kVector (elements)
//   [%rd1+-8]  [sym]  [64]  [tex, {%f1, %f2}]    kAddress: elements[0] the base (kName, or kInt 0
//                                                for none), offset; elements[1…] what follows
//   (a, b)                                       kList (elements), for call
//   _                                            kSink
//   %r1|%p1                                      kName with elements[0] = %p1
struct Operand {
  enum class Kind : uint8_t { kName, kInt, kFloat, kVector, kAddress, kList, kSink };

  Kind kind = Kind::kSink;
  bool negated = false;   // !p
  bool minus = false;     // -%r (vmad)
  bool is_double = true;  // kFloat: 64-bit literal (0d…, decimal); else 32-bit (0f…)
  Loc loc;
  std::string_view name;
  std::string_view selector;
  int64_t offset = 0;
  uint64_t bits = 0;  // kInt: the value; kFloat: the bit pattern
  std::vector<Operand> elements;
  Ref ref;

  bool is_register() const { return kind == Kind::kName && ref.kind == Ref::Kind::kRegister; }
  bool is_int() const { return kind == Kind::kInt; }
};

struct Instruction {
  Loc loc;
  std::string_view opcode;                  // "add"
  std::vector<std::string_view> modifiers;  // {"rn", "ftz", "f32"}
  bool guarded = false;
  Operand guard;  // a predicate register; negated for @!p
  std::vector<Operand> operands;
  // Chosen by the check: the types captured by the form ('t', 'u', 'v' of forms.def).
  std::array<Type, 3> types{};

  Type type() const { return types[0]; }
  bool has(std::string_view modifier) const {
    for (std::string_view m : modifiers) {
      if (m == modifier) return true;
    }
    return false;
  }
  // "add.rn.ftz.f32"
  std::string full_name() const;
};

struct Label {
  std::string_view name;
  Loc loc;
  uint32_t index = 0;  // number within its function
};

struct LabelStatement {
  Label* label = nullptr;
};

// .reg .b32 %r<10>; or .reg .v4 .f32 v; one per declared name.
struct RegisterDecl {
  Loc loc;
  Type type = Type::kNone;
  std::string_view name;
  int32_t range = -1;  // <n>, -1 when the name is declared alone
  uint8_t width = 1;   // .v2: 2, .v4: 4
  uint32_t first = 0;  // number in Function::registers; set by the check
};

// .loc file line column [, function_name label [+ offset], inlined_at file line column]
struct LocDirective {
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t column = 0;
};

struct BranchTargets {
  std::string_view name;
  Loc loc;
  std::vector<Operand> targets;  // labels (.branchtargets) or functions (.calltargets)
};

struct Pragma {
  Loc loc;
  std::string_view text;
};

struct Block;
struct VariableStatement {
  Variable* variable = nullptr;
};
struct SignatureStatement {
  Signature* signature = nullptr;
};
struct TargetsStatement {
  BranchTargets* targets = nullptr;
};

using Statement = std::variant<Instruction, LabelStatement, std::unique_ptr<Block>, RegisterDecl, VariableStatement,
                               SignatureStatement, TargetsStatement, LocDirective, Pragma>;

// { … }: a scope.
struct Block {
  Loc loc;
  std::vector<Statement> statements;
};

// One element of an initialiser.
struct InitValue {
  enum class Kind : uint8_t { kInt, kFloat, kSymbol };

  Kind kind = Kind::kInt;
  bool is_double = true;  // as Operand
  bool generic = false;   // generic(sym): the generic address, not the one within its space
  Loc loc;
  uint32_t index = 0;       // which element of the flattened array
  uint64_t bits = 0;        // kInt, kFloat
  std::string_view symbol;  // kSymbol
  int64_t addend = 0;
  uint64_t mask = 0;  // 0xFF00(sym): the byte of the address that goes here; 0: all of it
  Ref ref;            // kVariable or kFunction, set by the check
};

enum class Linkage : uint8_t { kInternal, kVisible, kExtern, kWeak, kCommon };

struct Variable {
  enum class Role : uint8_t { kModule, kFunction, kEntryParam, kFuncParam, kFuncResult };

  Loc loc;
  Role role = Role::kModule;
  Space space = Space::kNone;
  Linkage linkage = Linkage::kInternal;
  Type type = Type::kNone;
  uint8_t width = 1;     // .v2, .v4
  bool managed = false;  // .attribute(.managed)
  bool pointer = false;  // .ptr on a kernel parameter
  bool unsized = false;  // x[]: extern shared memory, or sized by the initialiser
  uint32_t align = 0;    // bytes; natural when the text gave none
  std::string_view name;
  std::vector<uint64_t> dims;   // empty: a scalar
  std::vector<InitValue> init;  // elements not listed are zero
  bool has_init = false;
  uint32_t reg = 0;  // of a .reg parameter: its register's number, set by the check

  uint64_t elements() const {
    uint64_t n = width;
    for (uint64_t d : dims) n *= d;
    return n;
  }
  uint64_t bytes() const { return elements() * static_cast<uint64_t>(type_bytes(type)); }
};

// Parameters and results: of a function, or of a .callprototype (whose names are '_').
struct Signature {
  Loc loc;
  std::string_view name;
  std::vector<Variable*> params;
  std::vector<Variable*> results;
  bool noreturn = false;
};

struct Function {
  Loc loc;
  std::string_view name;
  Linkage linkage = Linkage::kInternal;
  bool is_entry = false;
  bool has_body = false;
  Signature signature;
  std::array<uint32_t, 3> max_threads{};       // .maxntid; 0: not given
  std::array<uint32_t, 3> required_threads{};  // .reqntid
  uint32_t min_blocks = 0;                     // .minnctapersm
  uint32_t max_registers = 0;                  // .maxnreg
  std::array<uint32_t, 3> required_cluster{};  // .reqnctapercluster
  uint32_t max_cluster_blocks = 0;             // .maxclusterrank
  bool explicit_cluster = false;               // .explicitcluster
  Block body;
  std::vector<std::unique_ptr<Label>> labels;
  std::vector<Type> registers;  // by register number; set by the check
};

// .alias name, target;
struct Alias {
  Loc loc;
  std::string_view name;
  std::string_view target;
  Function* function = nullptr;  // the target, set by the check
};

struct FileEntry {
  uint32_t index = 0;
  std::string_view name;
};

// .section .debug_info { … }: kept as text, for tools that want it.
struct Section {
  Loc loc;
  std::string_view name;
  std::string_view text;
};

struct Module {
  SourcePtr source;
  uint32_t version_major = 0;
  uint32_t version_minor = 0;
  uint32_t target = 0;        // 80 for sm_80
  bool exact_target = false;  // sm_90a: with what no later machine need have
  Loc target_loc{};
  bool debug = false;  // .target …, debug
  // It has instructions, registers or kernels of clusters; set by the parser and the check.
  bool clusters = false;
  uint32_t address_size = 32;
  std::vector<FileEntry> files;
  std::vector<std::unique_ptr<Variable>> variables;  // module scope, in order
  std::vector<std::unique_ptr<Function>> functions;  // declarations and definitions, in order
  std::vector<Alias> aliases;
  std::vector<Section> sections;
  std::vector<Pragma> pragmas;

  // Owned here, pointed to from inside functions.
  std::vector<std::unique_ptr<Variable>> inner_variables;
  std::vector<std::unique_ptr<Signature>> signatures;
  std::vector<std::unique_ptr<BranchTargets>> targets;
};

}  // namespace heddle::compiler::ptx
