// SPDX-License-Identifier: Apache-2.0
// One instruction against the table of forms: modifiers, operand counts, operand types.
#include <algorithm>

#include "host-runtime/compiler/ptx/check_impl.h"
#include "host-runtime/compiler/ptx/special_registers.h"
#include "host-runtime/compiler/ptx/targets.h"

namespace heddle::compiler::ptx {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }
std::string dotted(Type type) { return "." + std::string(type_name(type)); }

// How many values .v2, .v4, .v8 ask for, or the matrices of .x2, .x4; 1 without.
size_t vector_width(const Instruction& instruction) {
  if (instruction.has("v2") || instruction.has("x2")) return 2;
  if (instruction.has("v4") || instruction.has("x4")) return 4;
  return instruction.has("v8") ? 8 : 1;
}

// Loads and stores of Triton's have their one element in braces, too, and PTX's own examples have one matrix so.
bool may_brace_one(std::string_view opcode) {
  return opcode == "ld" || opcode == "st" || opcode == "ldmatrix" || opcode == "stmatrix";
}

// PTX's "Operand Type Checking Rules": equal sizes; bits go with everything, integers with
// integers, floats with the same float. Relaxed (ld, st, cvt): an integer or bit register may be
// wider.
bool compatible(Type reg, Type type, bool relaxed) {
  if (reg == Type::kPred || type == Type::kPred) return reg == type;
  int have = type_bits(reg), want = type_bits(type);
  if (have < want || (have > want && !relaxed)) return false;
  TypeClass rc = type_class(reg), tc = type_class(type);
  if (rc == TypeClass::kOpaque || tc == TypeClass::kOpaque) return have == want;
  if (rc == TypeClass::kBits || tc == TypeClass::kBits) return true;
  if (rc == TypeClass::kFloat || tc == TypeClass::kFloat) {
    // tf32 lives in .b32 and .f32 registers.
    return reg == type || (type == Type::kTf32 && reg == Type::kF32);
  }
  return true;
}

bool may_discard(const Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (opcode == "mbarrier") return instruction.has("arrive") || instruction.has("arrive_drop");
  return opcode == "atom" || opcode == "shfl" || opcode == "setp" || opcode == "match" || opcode == "lop3" ||
         opcode == "elect";
}

// Why a constant does not fit, empty when it does.
std::string constant_problem(const Operand& operand, const OperandSpec& spec, Type type) {
  if (spec.destination) return "a register expected as destination";
  if (operand.kind == Operand::Kind::kInt) {
    return is_float(type) ? dotted(type) + " operand expected, not an integer constant" : "";
  }
  return is_float(type) || type_class(type) == TypeClass::kBits
             ? ""
             : dotted(type) + " operand expected, not a floating-point constant";
}

}  // namespace

Loc Checker::loc_of(std::string_view part, Loc near, std::string_view near_text) {
  // Opcode and modifiers stand on one line, or nearly so; blanks between them are not written.
  if (part.data() < near_text.data()) return near;
  return {near.line, near.column + static_cast<uint32_t>(part.data() - near_text.data())};
}

// ---- names ----------------------------------------------------------------------------------

bool Checker::resolve(const Instruction& instruction, Operand& operand) {
  bool ok = true;
  if (operand.kind == Operand::Kind::kName && instruction.has("v4")) split_special_register(operand);
  if (operand.kind == Operand::Kind::kName) ok = resolve_name(operand);
  if (ok && operand.minus && !(operand.is_register() && instruction.opcode == "vmad")) {
    error(operand.loc, "'-' is not allowed before " + quoted(operand.name));
    ok = false;
  }
  for (Operand& element : operand.elements) ok &= resolve(instruction, element);
  if (ok && operand.is_register() && operand.ref.component != 0) split_vector_register(operand);
  return ok;
}

// A vector register named whole is the list of its parts: nothing later knows vector registers.
void Checker::split_vector_register(Operand& operand) {
  Operand part = operand;
  part.ref.component = 0;
  const size_t width = operand.ref.component;
  operand.kind = Operand::Kind::kVector;
  operand.ref = {};
  for (size_t i = 0; i < width; ++i, ++part.ref.index) operand.elements.push_back(part);
}

// Likewise %tid and its like, in mov.v4 alone.
void Checker::split_special_register(Operand& operand) {
  const SpecialRegisterInfo* info = special_register(operand.name);
  if (!info || !info->is_vector || !operand.selector.empty()) return;
  Operand part = operand;
  operand.kind = Operand::Kind::kVector;
  for (const char* component : {"x", "y", "z", "w"}) {
    part.selector = component;
    operand.elements.push_back(part);
  }
}

bool Checker::resolve_name(Operand& operand) {
  operand.ref = look_up(operand.name);
  static constexpr std::string_view kComponents = "xyzwrgba";
  size_t component = operand.selector.size() == 1 ? kComponents.find(operand.selector[0]) : std::string_view::npos;
  if (operand.ref.kind == Ref::Kind::kNone) {
    const SpecialRegisterInfo* info = special_register(operand.name);
    if (!info) {
      error(operand.loc, "Unknown symbol " + quoted(operand.name));
      return false;
    }
    if (info->id >= SpecialRegister::kClusterid) module_.clusters = true;
    if (info->is_vector && (component == std::string_view::npos || component > 3)) {
      error(operand.loc, "Special register " + quoted(operand.name) + " needs .x, .y or .z");
      return false;
    }
    operand.ref.kind = Ref::Kind::kSpecial;
    operand.ref.index = static_cast<uint32_t>(info->id);
    operand.ref.component = info->is_vector ? static_cast<uint8_t>(component) : info->number;
    return true;
  }
  if (operand.ref.kind == Ref::Kind::kRegister && operand.ref.component != 0 && !operand.selector.empty()) {
    if (component == std::string_view::npos || component % 4 >= operand.ref.component) {
      error(operand.loc,
            "Vector register " + quoted(operand.name) + " has no element '." + std::string(operand.selector) + "'");
      return false;
    }
    operand.ref.index += static_cast<uint32_t>(component % 4);
    operand.ref.component = 0;
    operand.selector = {};
  }
  return true;
}

// ---- the form -------------------------------------------------------------------------------

void Checker::check_instruction(Instruction& instruction) {
  bool resolved = true;
  if (instruction.guarded) {
    resolved = resolve(instruction, instruction.guard);
    bool predicate = resolved && instruction.guard.is_register() && register_type(instruction.guard) == Type::kPred;
    if (resolved && !predicate) error(instruction.guard.loc, "Predicate expression expected");
  }
  std::span<const Form> forms = forms_of(instruction.opcode);
  if (forms.empty()) {
    error(instruction.loc, "Not a name of any known instruction: " + quoted(instruction.opcode));
    return;
  }
  for (Operand& operand : instruction.operands) resolved &= resolve(instruction, operand);

  std::vector<const Form*> candidates;
  const Form* form = choose_form(instruction, candidates);
  if (candidates.empty()) {
    complain_modifiers(instruction, forms);
    return;
  }
  // With unknown names every operand rule would complain once more.
  if (!resolved) return;
  if (!form) {
    Mismatch best;
    for (const Form* candidate : candidates) {
      instruction.types = match_modifiers(*candidate, instruction.modifiers).types;
      Mismatch mismatch;
      match_operands(instruction, *candidate, mismatch);
      if (best.why.empty() || mismatch.position > best.position) best = mismatch;
    }
    error(best.loc, best.why.starts_with("!") ? best.why.substr(1)
                                              : "Arguments mismatch for instruction " + quoted(instruction.opcode) +
                                                    (best.why.empty() ? "" : ": " + best.why));
    return;
  }
  if (check_target(instruction, first_target(instruction))) check_special_rules(instruction);
}

// `first`: the first .target that has the instruction, "80" or "100a".
bool Checker::check_target(const Instruction& instruction, std::string_view first) {
  const bool exact = first.ends_with('a');
  if (module_.target >= target_number(first) && (module_.exact_target || !exact)) return true;
  error(instruction.loc,
        "Instruction '" + instruction.full_name() + "' requires .target sm_" + std::string(first) + " or higher");
  return false;
}

// The first form that fits in modifiers and operands (nullptr: none); `candidates` are those that
// fit in modifiers.
const Form* Checker::choose_form(Instruction& instruction, std::vector<const Form*>& candidates) {
  for (const Form& form : forms_of(instruction.opcode)) {
    ModifierMatch match = match_modifiers(form, instruction.modifiers);
    if (!match.ok) continue;
    candidates.push_back(&form);
    instruction.types = match.types;
    Mismatch mismatch;
    if (match_operands(instruction, form, mismatch)) return &form;
  }
  return nullptr;
}

void Checker::complain_modifiers(const Instruction& instruction, std::span<const Form> forms) {
  for (std::string_view modifier : instruction.modifiers) {
    if (!is_known_modifier(modifier)) {
      error(loc_of(modifier, instruction.loc, instruction.opcode), "Unknown modifier '." + std::string(modifier) + "'");
      return;
    }
  }
  // The form that came furthest tells what is wrong. One that takes whatever follows a word of its own tells nothing:
  // that word is not there.
  ModifierMatch best;
  for (const Form& form : forms) {
    if (form.takes_rest()) continue;
    ModifierMatch match = match_modifiers(form, instruction.modifiers);
    bool better = match.missing ? !best.missing : match.bad > best.bad && !best.missing;
    if (better) best = match;
  }
  std::string name = " for instruction " + quoted(instruction.opcode);
  if (best.missing && best.missing->kind == ModifierGroup::Kind::kRequired) {
    const auto& words = best.missing->alternatives;
    if (std::find(words.begin(), words.end(), "rn") != words.end()) {
      error(instruction.loc, "Rounding modifier required" + name);
      return;
    }
    std::string list;
    for (std::string_view word : words) list += (list.empty() ? "." : ", .") + std::string(word);
    error(instruction.loc, "Modifier required" + name + ": " + list);
    return;
  }
  if (best.missing) {
    error(instruction.loc, "Unexpected instruction types specified" + name);
    return;
  }
  std::string_view word = instruction.modifiers[std::max(best.bad, 0)];
  Loc loc = loc_of(word, instruction.loc, instruction.opcode);
  if (type_by_name(word)) {
    error(loc, "Unexpected instruction types specified" + name);
  } else {
    error(loc, "Illegal modifier '." + std::string(word) + "'" + name);
  }
}

// ---- operands -------------------------------------------------------------------------------

bool Checker::match_operands(const Instruction& instruction, const Form& form, Mismatch& mismatch) {
  size_t given = instruction.operands.size();
  for (size_t i = 0; i < form.operands.size(); ++i) {
    const OperandSpec& spec = form.operands[i];
    if (spec.kind == OperandSpec::Kind::kAny) return true;
    if (i >= given) {
      if (spec.optional) return true;
      size_t needed = 0;
      for (const OperandSpec& s : form.operands) needed += !s.optional;
      mismatch = {std::to_string(needed) + " operands expected, " + std::to_string(given) + " given", instruction.loc,
                  i};
      return false;
    }
    Type type = spec.type;
    if (spec.kind == OperandSpec::Kind::kSlot) type = instruction.types[spec.slot];
    if (spec.kind == OperandSpec::Kind::kWide) type = widened(instruction.types[spec.slot]);
    std::string why = operand_problem(instruction, instruction.operands[i], spec, type);
    if (!why.empty()) {
      mismatch = {why, instruction.operands[i].loc, i};
      return false;
    }
  }
  if (given > form.operands.size()) {
    mismatch = {"too many operands", instruction.operands[form.operands.size()].loc, form.operands.size()};
    return false;
  }
  return true;
}

// Why the operand does not fit, empty when it does. A text beginning with '!' is a whole message.
std::string Checker::operand_problem(const Instruction& instruction, const Operand& operand, const OperandSpec& spec,
                                     Type type) {
  using Kind = Operand::Kind;
  std::string name = " for instruction " + quoted(instruction.opcode);
  if (spec.kind == OperandSpec::Kind::kAddress) {
    return operand.kind == Kind::kAddress ? "" : "an address in [ ] expected";
  }
  if (spec.kind == OperandSpec::Kind::kInteger) {
    return operand.kind == Kind::kInt ? "" : "an integer constant expected";
  }
  if (operand.kind == Kind::kAddress || operand.kind == Kind::kList) {
    return dotted(type) + " operand expected";
  }
  if (operand.kind == Kind::kName && !operand.elements.empty()) {
    // d|p
    if (!spec.predicate_too) return "a second destination is not allowed";
    const Operand& second = operand.elements[0];
    bool ok = second.kind == Kind::kSink || (second.is_register() && register_type(second) == Type::kPred);
    if (!ok) return quoted(second.name) + " must be a predicate";
  }
  if (spec.vector) {
    size_t width = vector_width(instruction);
    const bool alone = width == 1 && operand.kind != Kind::kVector;
    const bool may_brace = width > 1 || may_brace_one(instruction.opcode);
    const bool fits = alone || (may_brace && operand.kind == Kind::kVector && operand.elements.size() == width);
    if (!fits) return "!Argument vector size mismatch" + name;
    OperandSpec scalar = spec;
    scalar.vector = false;
    if (alone) return operand_problem(instruction, operand, scalar, type);
    for (const Operand& element : operand.elements) {
      if (element.kind == Kind::kSink && spec.destination) continue;
      std::string why = operand_problem(instruction, element, scalar, type);
      if (!why.empty()) return why;
    }
    return "";
  }
  if (spec.mixed) return mov_problem(operand, spec, type);
  switch (operand.kind) {
    case Kind::kSink:
      if (spec.destination && may_discard(instruction)) return "";
      return "!Result discard mode is not allowed" + name;
    case Kind::kVector: return "!Argument vector size mismatch" + name;
    case Kind::kInt:
    case Kind::kFloat: return constant_problem(operand, spec, type);
    default: break;
  }
  if (operand.ref.kind == Ref::Kind::kSpecial) {
    if ((instruction.opcode == "cvt" || instruction.opcode == "mov") && !spec.destination) return "";
    return "!Special register argument not allowed" + name;
  }
  const bool may_name_variable =
      instruction.opcode == "cvta" || instruction.opcode == "mapa" || instruction.opcode == "getctarank";
  if (operand.ref.kind == Ref::Kind::kVariable && may_name_variable && &operand == &instruction.operands[1]) return "";
  if (!operand.is_register()) return quoted(operand.name) + " must be a register";
  return register_problem(operand, spec, type);
}

std::string Checker::register_problem(const Operand& operand, const OperandSpec& spec, Type type) const {
  if (operand.offset != 0) return "an offset is allowed in an address only";
  Type have = register_type(operand);
  if (operand.negated && (type != Type::kPred || spec.destination)) {
    return "'!' is allowed before a predicate operand only";
  }
  if (operand.minus && !spec.minus) return "'-' is not allowed before " + quoted(operand.name);
  if (std::string why = selector_problem(operand, spec); !why.empty()) return why;
  if (compatible(have, type, spec.relaxed)) return "";
  return quoted(operand.name) + " is " + dotted(have) + ", " + dotted(type) + " expected";
}

// mov takes, besides registers and constants: {a, b}, special registers, addresses of variables,
// functions and labels, and vector registers with .v2, .v4.
std::string Checker::mov_problem(const Operand& operand, const OperandSpec& spec, Type type) const {
  using Kind = Operand::Kind;
  switch (operand.kind) {
    case Kind::kSink: return "a register expected";
    case Kind::kVector: {
      int bits = 0;
      for (const Operand& element : operand.elements) {
        if (element.kind == Kind::kSink && spec.destination) {
          bits += type_bits(type) / static_cast<int>(operand.elements.size());
        } else if (element.is_register()) {
          bits += type_bits(register_type(element));
        } else if (element.is_int() && !spec.destination) {
          bits += type_bits(type) / static_cast<int>(operand.elements.size());
        } else {
          return "registers expected in { }";
        }
      }
      if (type_class(type) != TypeClass::kBits && !is_float(type)) {
        return "a vector needs a .b type";
      }
      return bits == type_bits(type) ? "" : "the elements in { } must have together the size of " + dotted(type);
    }
    case Kind::kInt:
    case Kind::kFloat: return constant_problem(operand, spec, type);
    case Kind::kName: break;
    default: return dotted(type) + " operand expected";
  }
  if (operand.is_register()) return register_problem(operand, spec, type);
  if (spec.destination) return quoted(operand.name) + " must be a register";
  const bool special = operand.ref.kind == Ref::Kind::kSpecial;
  if (special && type == Type::kPred && special_register(operand.name)->type == type) return "";
  if (!is_integer_or_bits(type)) return quoted(operand.name) + " is not of type " + dotted(type);
  switch (operand.ref.kind) {
    case Ref::Kind::kSpecial: {
      Type have = special_register(operand.name)->type;
      // %gridid was 32 bits wide before PTX 3.0 and may still be read so.
      bool grid = operand.ref.index == static_cast<uint32_t>(SpecialRegister::kGridId);
      if (type_bits(have) == type_bits(type) || (grid && type_bits(type) == 32)) return "";
      // So were the indices and sizes of the thread's place, of 16 bits, in PTX 1.
      if (type == Type::kU16 && (grid || special_register(operand.name)->is_vector)) return "";
      return quoted(operand.name) + " is " + dotted(have) + ", " + dotted(type) + " expected";
    }
    case Ref::Kind::kVariable: {
      Space space = operand.ref.variable->space;
      bool windowed =
          space == Space::kShared || space == Space::kLocal || space == Space::kConst || space == Space::kParam;
      if (type_bits(type) == 64 || (windowed && type_bits(type) == 32)) return "";
      return "the address of " + quoted(operand.name) + " needs a 64-bit type";
    }
    case Ref::Kind::kFunction:
    case Ref::Kind::kLabel:
      return type_bits(type) == 64 ? "" : "the address of " + quoted(operand.name) + " needs a 64-bit type";
    default: return quoted(operand.name) + " has no value";
  }
}

}  // namespace heddle::compiler::ptx
