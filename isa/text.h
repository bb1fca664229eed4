// SPDX-License-Identifier: Apache-2.0
// What the disassembler and the assembler must agree on: how modifiers and operands are written.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "isa/isa.h"

namespace heddle::isa::text {

inline std::string upper(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

inline bool is_pred(const FieldInfo& f) { return f.kind == "PredSrc" || f.kind == "PredDst"; }
inline bool is_enum(const FieldInfo& f) { return !is_pred(f) && f.kind != "Flag" && f.kind != "Uint"; }

// Two fields of the op have this kind: then `.name=TEXT` is written instead of `.TEXT`.
inline bool is_ambiguous(const OpInfo& op, const FieldInfo& f) {
  int n = 0;
  for (const FieldInfo& g : op.fields) n += g.kind == f.kind;
  return n > 1;
}

// Value 0 of these is what one expects and is not written.
inline bool has_default(const FieldInfo& f) {
  return f.kind == "Rounding" || f.kind == "CacheOp" || f.kind == "MemOrder" || f.kind == "Scope" ||
         f.kind == "BoolOp" || f.kind == "IntWidth" || f.kind == "PrmtMode";
}

// neg_a and abs_a are written at the operand: "-|R4|". `which` is 'a', 'b' or 'c'.
inline const FieldInfo* decoration(const OpInfo& op, std::string_view prefix, char which) {
  for (const FieldInfo& f : op.fields)
    if (f.name.size() == 5 && f.name.substr(0, 4) == prefix && f.name[4] == which) return &f;
  return nullptr;
}
inline bool is_decoration(const FieldInfo& f) {
  return f.kind == "Flag" && f.name.size() == 5 && (f.name.substr(0, 4) == "neg_" || f.name.substr(0, 4) == "abs_") &&
         f.name[4] >= 'a' && f.name[4] <= 'c';
}

// imm32 is a distance from the next PC.
inline bool is_relative(Opcode op) { return op == Opcode::Bra || op == Opcode::Call || op == Opcode::Bssy; }
// Written "[Ra+offset]".
inline bool is_address(const OpInfo& op, Form form) {
  return op.unit == Unit::Lsu && form == Form::S && op.a != Operand::None;
}

}  // namespace heddle::isa::text
