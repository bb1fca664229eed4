// SPDX-License-Identifier: Apache-2.0
// Rules of single instructions that the table of forms does not say: addresses and state spaces,
// conversions' rounding, branches, calls, barrier numbers.
#include <algorithm>

#include "host-runtime/compiler/ptx/check_impl.h"

namespace heddle::compiler::ptx {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

// The state space among the modifiers; kNone: generic.
Space space_of(const Instruction& instruction) {
  for (std::string_view m : instruction.modifiers) {
    if (m.starts_with("shared::")) return Space::kShared;
    if (m.starts_with("param::")) return Space::kParam;
    auto space = space_by_name(m);
    if (space) return *space;
  }
  return Space::kNone;
}

bool is_result_or_argument(const Variable& v) {
  return v.role == Variable::Role::kFuncResult || v.role == Variable::Role::kFunction;
}

}  // namespace

void Checker::check_special_rules(Instruction& instruction) {
  std::string_view op = instruction.opcode;
  // What is asynchronous and mbarriers may say so of the block's own memory, without a cluster.
  const bool in_cluster =
      instruction.has("shared::cluster") && !instruction.has("async") && op != "mbarrier" && op != "fence";
  if (op == "mapa" || op == "getctarank" || (op == "barrier" && instruction.has("cluster")) || in_cluster)
    module_.clusters = true;
  if (op == "setp" || op == "set") return check_comparison(instruction);
  if (op == "ld" || op == "ldu" || op == "st") check_vector(instruction);
  if (op == "ld" || op == "st") check_eviction(instruction);
  if (op == "ld" || op == "ldu" || op == "st" || op == "atom" || op == "red" || op == "prefetch") {
    for (const Operand& operand : instruction.operands) {
      if (operand.kind == Operand::Kind::kAddress) check_address(instruction, operand);
    }
  } else if (op == "cvt") {
    check_conversion(instruction);
  } else if (op == "bra" || op == "brx") {
    check_branch(instruction);
  } else if (op == "call") {
    check_call(instruction);
  } else if (op == "mma") {
    check_mma(instruction);
  } else if (op == "wmma") {
    check_wmma(instruction);
  } else if (op == "wgmma") {
    check_wgmma(instruction);
  } else if (op == "setmaxnreg") {
    check_register_count(instruction);
  } else if (op == "cp" && instruction.has("bulk")) {
    check_bulk(instruction);
  } else if (op == "mbarrier") {
    check_mbarrier(instruction);
  } else if (op == "cp" && instruction.has("mbarrier")) {
    check_address(instruction, instruction.operands[0]);
  } else if (op == "cp") {
    check_copy(instruction);
  } else if (op == "ldmatrix" || op == "stmatrix" || op == "movmatrix") {
    check_move_matrix(instruction);
  } else if ((op == "bar" || op == "barrier") && !instruction.has("warp") && !instruction.has("cluster")) {
    const Operand& number = instruction.operands[instruction.has("red") ? 1 : 0];
    if (number.is_int() && number.bits > 15) {
      error(number.loc, "Barrier number '" + std::to_string(static_cast<int64_t>(number.bits)) +
                            "' out of range, expected to be in range [0..15]");
    }
  } else if (op == "vmad" && instruction.operands[1].minus != instruction.operands[2].minus &&
             instruction.operands[3].minus) {
    error(instruction.operands[3].loc, "Instruction 'vmad' subtracts the product or the addend, not both");
  } else if ((op == "cvta" || op == "mapa" || op == "getctarank") &&
             instruction.operands[1].ref.kind == Ref::Kind::kVariable) {
    const Variable& v = *instruction.operands[1].ref.variable;
    if (v.space != space_of(instruction)) {
      error(instruction.operands[1].loc,
            "State space mismatch between instruction and address in instruction " + quoted(op));
    }
  }
}

// A warp's registers are as many as its kernel has from its start: the number changes nothing.
void Checker::check_register_count(const Instruction& instruction) {
  constexpr uint64_t kFewest = 24, kMost = 256, kUnit = 8;
  const Operand& count = instruction.operands[0];
  const std::string argument = "Argument 0 of instruction 'setmaxnreg." + std::string(instruction.modifiers[0]) + "': ";
  const std::string value = "value '" + std::to_string(static_cast<int64_t>(count.bits)) + "'";
  if (count.bits < kFewest || count.bits > kMost)
    return error(count.loc, argument + value + " out of range, expected to be in range [24..256]");
  if (count.bits % kUnit != 0) error(count.loc, argument + "unexpected " + value + ", expected to be multiple of 8");
}

// Bits are equal or not; they have no order.
void Checker::check_comparison(const Instruction& instruction) {
  const bool ordered = !instruction.has("eq") && !instruction.has("ne");
  if (ordered && type_class(instruction.types[0]) == TypeClass::kBits) {
    error(instruction.loc, "Mismatch between instruction type and comparison qualifier: " + quoted(instruction.opcode) +
                               " of bits takes '.eq' and '.ne'");
  }
}

void Checker::check_vector(const Instruction& instruction) {
  const int kMost = instruction.has("async") ? 128 : 256;
  const int elements = instruction.has("v8") ? 8 : instruction.has("v4") ? 4 : instruction.has("v2") ? 2 : 1;
  if (elements * type_bits(instruction.types[0]) > kMost) {
    error(instruction.loc, "Vector type too large, exceeds " + std::to_string(kMost) + " bits");
  }
}

// What is to become of the L1's line is said by a cache operator or by an eviction priority, not by both.
void Checker::check_eviction(const Instruction& instruction) {
  const std::string_view* priority = nullptr;
  const std::string_view* cache_operator = nullptr;
  for (const std::string_view& m : instruction.modifiers) {
    if (m.starts_with("L1::")) priority = &m;
    for (const char* name : {"ca", "cg", "cs", "lu", "cv", "wb", "wt"})
      if (m == name) cache_operator = &m;
  }
  if (!priority || !cache_operator) return;
  error(instruction.loc, "Modifier '." + std::string(*priority) + "' cannot be combined with modifier '." +
                             std::string(*cache_operator) + "'");
}

void Checker::check_address(const Instruction& instruction, const Operand& address) {
  check_address(instruction, address, space_of(instruction));
}

void Checker::check_address(const Instruction& instruction, const Operand& address, Space space) {
  const Operand& base = address.elements[0];
  std::string_view op = instruction.opcode;
  if (address.elements.size() > 1) {
    error(address.elements[1].loc, "An address of instruction " + quoted(op) + " has one part");
    return;
  }
  bool writes = op == "st" || op == "atom" || op == "red";
  if (writes && space == Space::kConst) {
    error(instruction.loc, "State space incorrect for instruction " + quoted(op));
    return;
  }
  if (base.is_int()) return;
  if (base.is_register()) {
    Type type = register_type(base);
    bool windowed = space != Space::kNone && space != Space::kGlobal;
    bool fits = is_integer_or_bits(type) && (type_bits(type) == 64 || (type_bits(type) == 32 && windowed));
    if (!fits) {
      error(base.loc, "Arguments mismatch for instruction " + quoted(op) + ": address " + quoted(base.name) + " is ." +
                          std::string(type_name(type)) + (windowed ? "" : ", a 64-bit register expected"));
    }
    return;
  }
  if (base.ref.kind != Ref::Kind::kVariable) {
    error(base.loc, "Illegal operand type to instruction " + quoted(op) + ": " + quoted(base.name) +
                        " is not a variable or register");
    return;
  }
  const Variable& v = *base.ref.variable;
  // Without a space the address is generic: a global variable's address is its own generic one.
  bool agree = space == v.space || (space == Space::kNone && v.space == Space::kGlobal) ||
               (space == Space::kNone && v.space != Space::kParam);
  if (!agree) {
    error(base.loc, "State space mismatch between instruction and address in instruction " + quoted(op));
    return;
  }
  if (space == Space::kParam && op == "st" && !is_result_or_argument(v)) {
    error(base.loc, "Illegal to write to function input parameter " + quoted(v.name));
  }
}

void Checker::check_copy(const Instruction& instruction) {
  if (!check_target(instruction, "80")) return;
  const bool l2_only = instruction.has("cg");
  if (!l2_only && !instruction.has("ca")) return;
  check_address(instruction, instruction.operands[0], Space::kShared);
  check_address(instruction, instruction.operands[1], Space::kGlobal);
  const Operand& size = instruction.operands[2];
  const bool good = size.bits == 16 || (!l2_only && (size.bits == 4 || size.bits == 8));
  if (!good)
    error(size.loc, std::string("Illegal copy size for instruction 'cp.async': ") + (l2_only ? "16" : "4, 8 or 16") +
                        " expected");
}

// A tensor's map with as many coordinates as the instruction says.
void Checker::check_tensor(const Instruction& instruction, const Operand& operand) {
  const auto is_dimensions = [](std::string_view m) { return m.size() == 2 && m[1] == 'd'; };
  const auto& modifiers = instruction.modifiers;
  const size_t dimensions =
      static_cast<size_t>((*std::find_if(modifiers.begin(), modifiers.end(), is_dimensions))[0] - '0');
  const auto fits = [&](const Operand& o) {
    return o.is_int() || (o.is_register() && type_bits(register_type(o)) == 32 && !is_float(register_type(o)));
  };
  if (operand.elements.size() != 2 || operand.elements[1].kind != Operand::Kind::kVector ||
      operand.elements[1].elements.size() != dimensions ||
      !std::all_of(operand.elements[1].elements.begin(), operand.elements[1].elements.end(), fits))
    return error(operand.loc, "Address of a tensor with " + std::to_string(dimensions) + " coordinate" +
                                  (dimensions == 1 ? "" : "s") + " of 32 bits expected for instruction 'cp'");
  Operand map = operand;
  map.elements.resize(1);
  check_address(instruction, map, Space::kNone);
}

// The table of forms knows modifiers, not their order: here they name the destination first. What no form but those by
// name takes is not looked at.
void Checker::check_bulk(const Instruction& instruction) {
  if (instruction.has("tensor")) {
    for (std::string_view m : instruction.modifiers)
      if (m.starts_with("im2col") || m.starts_with("tile::") || m.starts_with("cta_group")) return;
    const bool loads = instruction.has("mbarrier::complete_tx::bytes");
    check_tensor(instruction, instruction.operands[loads ? 1 : 0]);
    if (instruction.has("prefetch")) return;
    check_address(instruction, instruction.operands[loads ? 0 : 1], Space::kShared);
    if (loads) check_address(instruction, instruction.operands[2], Space::kShared);
    return;
  }
  const bool in_group = instruction.has("bulk_group");
  const auto& modifiers = instruction.modifiers;
  if (in_group && std::find(modifiers.begin(), modifiers.end(), "global") >
                      std::find(modifiers.begin(), modifiers.end(), "shared::cta"))
    return error(instruction.loc, "State spaces of instruction 'cp' are exchanged: '.global.shared::cta' expected");
  if (in_group || instruction.has("prefetch")) check_address(instruction, instruction.operands[0], Space::kGlobal);
  if (in_group) check_address(instruction, instruction.operands[1], Space::kShared);
  if (!instruction.has("mbarrier::complete_tx::bytes")) return;
  const auto is_space = [](std::string_view m) { return m == "global" || m.starts_with("shared::"); };
  const auto to = std::find_if(modifiers.begin(), modifiers.end(), is_space);
  const auto from = std::find_if(to + 1, modifiers.end(), is_space);
  const std::string name = instruction.has("reduce") ? "'cp.reduce.async.bulk'" : "'cp.async.bulk'";
  if (*to == "global" || *from == "shared::cluster")
    return error(instruction.loc, "State space incorrect for instruction " + name);
  check_address(instruction, instruction.operands[0], Space::kShared);
  check_address(instruction, instruction.operands[1], *from == "global" ? Space::kGlobal : Space::kShared);
  check_address(instruction, instruction.operands[3], Space::kShared);
  const Operand& size = instruction.operands[2];
  if (size.is_int() && size.bits % 16 != 0)
    error(size.loc, "Argument 2 of instruction " + name + ": unexpected value '" + std::to_string(size.bits) +
                        "', expected to be multiple of 16");
}

void Checker::check_mbarrier(const Instruction& instruction) {
  if (instruction.has("pending_count")) return;
  const bool arrives = instruction.has("arrive") || instruction.has("arrive_drop");
  std::string name = "'mbarrier";
  for (std::string_view m : instruction.modifiers)
    if (m.find("wait") != m.npos || m.starts_with("arrive") || m.ends_with("_tx") || m == "parity")
      name += "." + std::string(m);
  name += "'";
  std::string_view order, scope;
  for (std::string_view m : instruction.modifiers) {
    if (m == "release" || m == "acquire" || m == "relaxed") order = m;
    if (m == "cta" || m == "cluster") scope = m;
  }
  if (!order.empty() && scope.empty())
    return error(instruction.loc,
                 "Modifier '." + std::string(order) + "' requires scope with " + name + " instruction");
  if (order.empty() && !scope.empty())
    return error(instruction.loc,
                 "Modifier '." + std::string(scope) + "' requires order with " + name + " instruction");
  const auto& operands = instruction.operands;
  if (arrives && instruction.has("shared::cluster") && operands[0].kind != Operand::Kind::kSink)
    return error(operands[0].loc,
                 "Sink '_' is expected as a destination operand for instruction " + name + " with '.shared::cluster'");
  for (const Operand& operand : operands)
    if (operand.kind == Operand::Kind::kAddress) check_address(instruction, operand);
  if (operands.size() < 3 || !operands[2].is_int()) return;
  const uint64_t value = operands[2].bits;
  const std::string argument = "Argument 2 of instruction " + name;
  if (arrives && !instruction.has("expect_tx") && value == 0)
    error(operands[2].loc, argument + ": value '0' expected to be a non-zero positive");
  if (instruction.has("parity") && value > 1)
    error(operands[2].loc, argument + ": unexpected value '" + std::to_string(value) + "', expected to be 0 or 1");
}

void Checker::check_conversion(const Instruction& instruction) {
  if (instruction.types[1] == Type::kNone || instruction.has("pack")) return;
  Type to = instruction.types[1], from = instruction.types[0];
  // The packed and tf32 forms say their rounding in the table of forms.
  auto plain = [](Type t) {
    return !is_float(t) || t == Type::kF16 || t == Type::kBf16 || t == Type::kF32 || t == Type::kF64;
  };
  if (!plain(to) || !plain(from)) return;
  bool integer_rounding =
      instruction.has("rni") || instruction.has("rzi") || instruction.has("rmi") || instruction.has("rpi");
  bool float_rounding = instruction.has("rn") || instruction.has("rz") || instruction.has("rm") ||
                        instruction.has("rp") || instruction.has("rna") || instruction.has("rs");
  bool to_float = is_float(to), from_float = is_float(from);
  const bool needs_float = to_float && (!from_float || type_bits(to) < type_bits(from));
  // f16 and bf16: neither holds the other's numbers. Without a modifier the nearest is taken.
  const bool may_float = needs_float || (to_float && to != from && type_bits(to) == 16 && type_bits(from) == 16);
  bool needs_integer = from_float && !to_float;
  if ((needs_float && !float_rounding) || (needs_integer && !integer_rounding)) {
    error(instruction.loc, "Rounding modifier required for instruction 'cvt'");
    return;
  }
  bool same = to == from && to_float;  // f32 to f32: integer rounding, or none
  bool illegal = (integer_rounding && !needs_integer && !same) || (float_rounding && !may_float);
  if (illegal) error(instruction.loc, "Illegal rounding modifier for instruction 'cvt'");
  if (instruction.has("ftz") && to != Type::kF32 && from != Type::kF32) {
    error(instruction.loc, "Illegal modifier '.ftz' for instruction 'cvt'");
  }
}

// Video instructions. A source may name a part (.b2, .h1), of SIMD ones a lane of a or b for each
// lane (.h20, .b7610); a destination the part that it merges into, of SIMD ones the lanes written
// (.h1, .b310).
std::string Checker::selector_problem(const Operand& operand, const OperandSpec& spec) {
  const std::string_view s = operand.selector;
  const std::string bad = "'." + std::string(s) + "' is not allowed here";
  if (spec.lanes == 0) return s.empty() ? "" : bad;
  if (s.empty()) {
    const bool needed = spec.destination && spec.lanes == 1;
    return needed ? "a part of " + quoted(operand.name) + " expected (.b0 to .b3, .h0, .h1)" : "";
  }
  const bool bytes = s[0] == 'b';
  if (!bytes && s[0] != 'h') return bad;
  const std::string_view digits = s.substr(1);
  const int choices = spec.lanes == 1 ? (bytes ? 4 : 2) : spec.destination ? spec.lanes : 2 * spec.lanes;
  for (char c : digits)
    if (c < '0' || c >= '0' + choices) return bad;
  if (spec.lanes == 1) return digits.size() == 1 ? "" : bad;
  if (bytes != (spec.lanes == 4)) return bad;
  if (!spec.destination) return digits.size() == static_cast<size_t>(spec.lanes) ? "" : bad;
  for (size_t i = 1; i < digits.size(); ++i)
    if (digits[i] >= digits[i - 1]) return bad;
  return digits.empty() ? bad : "";
}

void Checker::check_branch(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (instruction.opcode == "bra") {
    bool label =
        operands.size() == 1 && operands[0].kind == Operand::Kind::kName && operands[0].ref.kind == Ref::Kind::kLabel;
    if (!label) {
      error(operands.empty() ? instruction.loc : operands[0].loc, "Label expected for argument 0 of instruction 'bra'");
    }
    return;
  }
  bool fits = operands.size() == 2 && operands[1].ref.kind == Ref::Kind::kTargets;
  bool index =
      fits && (operands[0].is_int() || (operands[0].is_register() && type_bits(register_type(operands[0])) == 32));
  if (!index) {
    error(instruction.loc,
          "Arguments mismatch for instruction 'brx': an index of 32 bits and a list of "
          "branch targets expected");
  }
}

void Checker::check_call(Instruction& instruction) {
  auto& operands = instruction.operands;
  size_t at = 0;
  const Operand* results = nullptr;
  const Operand* arguments = nullptr;
  if (at < operands.size() && operands[at].kind == Operand::Kind::kList) results = &operands[at++];
  if (at >= operands.size() || operands[at].kind != Operand::Kind::kName) {
    error(instruction.loc, "Function name expected for instruction 'call'");
    return;
  }
  const Operand& callee = operands[at++];
  if (at < operands.size() && operands[at].kind == Operand::Kind::kList) {
    arguments = &operands[at++];
  }
  const Signature* signature = nullptr;
  if (callee.ref.kind == Ref::Kind::kFunction) {
    if (callee.ref.function->is_entry) {
      error(callee.loc, "Call to kernel " + quoted(callee.name) + " is not allowed");
      return;
    }
    signature = &callee.ref.function->signature;
  } else if (callee.is_register() && at < operands.size() && operands[at].ref.kind == Ref::Kind::kSignature) {
    signature = operands[at].ref.signature;
    if (type_bits(register_type(callee)) != 64) {
      error(callee.loc, "Arguments mismatch for instruction 'call': function address " + quoted(callee.name) +
                            " must be 64 bits wide");
    }
  } else if (callee.is_register() && at < operands.size() && operands[at].ref.kind == Ref::Kind::kTargets &&
             operands[at].ref.targets->targets.size() > 0 &&
             operands[at].ref.targets->targets[0].ref.kind == Ref::Kind::kFunction) {
    signature = &operands[at].ref.targets->targets[0].ref.function->signature;
  } else {
    error(callee.loc, "Call to " + quoted(callee.name) + " requires call prototype");
    return;
  }
  check_call_list(instruction, results, signature->results, "results");
  check_call_list(instruction, arguments, signature->params, "parameters");
}

void Checker::check_call_list(const Instruction& call, const Operand* list, const std::vector<Variable*>& formal,
                              const char* what) {
  size_t given = list ? list->elements.size() : 0;
  if (given != formal.size()) {
    error(list ? list->loc : call.loc, "Mismatch in number of " + std::string(what) +
                                           " for instruction 'call': " + std::to_string(formal.size()) + " expected, " +
                                           std::to_string(given) + " given");
    return;
  }
  for (size_t i = 0; i < given; ++i) {
    const Operand& actual = list->elements[i];
    uint64_t have = 0;
    if (actual.is_register()) {
      have = static_cast<uint64_t>(type_bytes(register_type(actual)));
      if ((register_type(actual) == Type::kPred) != (formal[i]->type == Type::kPred)) {
        error(actual.loc, "Type mismatch for instruction 'call': " + quoted(actual.name) + " is ." +
                              std::string(type_name(register_type(actual))) + ", ." +
                              std::string(type_name(formal[i]->type)) + " expected");
        continue;
      }
    } else if (actual.kind == Operand::Kind::kVector && actual.elements.size() == formal[i]->width) {
      for (const Operand& part : actual.elements) have += static_cast<uint64_t>(type_bytes(register_type(part)));
    } else if (actual.ref.kind == Ref::Kind::kVariable) {
      have = actual.ref.variable->bytes();
      if (actual.ref.variable->space != Space::kParam) {
        error(actual.loc, quoted(actual.name) + " must be in the .param state space");
        continue;
      }
    } else if ((actual.kind == Operand::Kind::kInt || actual.kind == Operand::Kind::kFloat ||
                actual.kind == Operand::Kind::kSink) &&
               formal[i]->width == 1) {
      continue;
    } else {
      error(actual.loc, "Illegal operand type to instruction 'call'");
      continue;
    }
    // An unsized formal (.param .b8 x[]) takes what comes.
    if (!formal[i]->unsized && have != formal[i]->bytes()) {
      error(actual.loc, "Type mismatch for instruction 'call': " + quoted(actual.name) + " has " +
                            std::to_string(have) + " bytes, " + std::to_string(formal[i]->bytes()) + " expected");
    }
  }
}

}  // namespace heddle::compiler::ptx
