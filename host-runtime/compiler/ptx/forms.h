// SPDX-License-Identifier: Apache-2.0
// The table of forms.def, parsed. Immutable after its first use; safe from any thread.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host-runtime/compiler/ptx/types.h"

namespace heddle::compiler::ptx {

// One place for a modifier.
struct ModifierGroup {
  enum class Kind : uint8_t { kRequired, kOptional, kType, kRest };

  Kind kind = Kind::kRequired;
  int slot = 0;                                // kType: 0 't', 1 'u', 2 'v'
  std::vector<std::string_view> alternatives;  // kRequired, kOptional
  std::vector<Type> types;                     // kType
};

// One place for an operand.
struct OperandSpec {
  enum class Kind : uint8_t {
    kSlot,     // of the type captured in `slot`
    kWide,     // of twice that width
    kType,     // of `type`
    kAddress,  // [a]
    kInteger,  // a constant
    kAny,      // this one and all that follow, unchecked
  };

  Kind kind = Kind::kSlot;
  int slot = 0;
  Type type = Type::kNone;
  bool destination = false;
  bool predicate_too = false;  // d|p
  bool relaxed = false;        // a wider register will do
  bool vector = false;         // as many as .v2, .v4, .v8 say
  bool mixed = false;          // mov's operands
  bool minus = false;          // -a is allowed
  int lanes = 0;               // selectors: 1 a part (.b0 … .h1), 2 and 4 those of SIMD video (.h10, .b3210)
  bool optional = false;
};

struct Form {
  std::vector<ModifierGroup> modifiers;
  std::vector<OperandSpec> operands;

  // Whether any further modifiers may stand after those that it names.
  bool takes_rest() const;
};

// What matching an instruction's modifiers against a form gives.
struct ModifierMatch {
  bool ok = false;
  std::array<Type, 3> types{};
  int bad = -1;                            // the first modifier that found no place
  const ModifierGroup* missing = nullptr;  // or the required group that found no modifier
};

// The forms of an opcode, empty when the opcode is unknown.
std::span<const Form> forms_of(std::string_view opcode);
// Whether any form of any opcode takes the word.
bool is_known_modifier(std::string_view word);
// Modifiers other than types may come in any order (ptxas takes them so); types keep theirs.
ModifierMatch match_modifiers(const Form& form, std::span<const std::string_view> modifiers);

}  // namespace heddle::compiler::ptx
