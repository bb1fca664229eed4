// SPDX-License-Identifier: Apache-2.0
// Which machines have an instruction. Matrix products and moves are not here: see mma.h and check_mma.cc.
#include "host-runtime/compiler/ptx/targets.h"

#include <algorithm>
#include <charconv>

namespace heddle::compiler::ptx {
namespace {

// Whoever has one of the opcodes, and of each group of modifiers one, begins with the target `first`.
struct Rule {
  std::string_view first;
  std::string_view opcodes;    // "min|max"; empty: any
  std::string_view modifiers;  // "bf16|bf16x2 rni|rzi": groups; empty: none
};

constexpr Rule kRules[] = {
    {"80", "", "bf16|bf16x2|e4m3x2|e5m2x2"},
    {"80", "cvt", "f16x2|bf16x2|tf32|relu"},
    {"90", "cvt", "tf32 rn|rz"},
    {"100", "cvt", "tf32 rn|rz satfinite"},
    {"80", "min|max", "f16|f16x2|NaN"},
    {"86", "min|max", "xorsign"},
    {"90", "min|max", "relu|u16x2|s16x2"},
    {"90", "add", "u16x2|s16x2"},
    {"100", "add|sub|mul|fma", "f32x2"},
    {"80", "fma", "relu"},
    {"90", "fma", "oob"},
    {"90", "atom|red", "v2|v4|v8|b128"},
    {"80", "", "L2::cache_hint|L2::256B"},
    {"100", "ld|st", "v8 b32|u32|s32|f32"},
    {"100", "ld|st", "v4 b64|u64|s64|f64"},
    {"80", "prefetch", "L2::evict_last|L2::evict_normal"},
    {"80", "cp|applypriority|discard|createpolicy|redux", ""},
    {"100a", "redux", "f32"},
    {"90", "elect|griddepcontrol", ""},
    {"90", "", "cluster|shared::cluster"},
};

// Calls `f` for each part of `text` until it says true; whether it did.
template <typename F>
bool any_part(std::string_view text, char separator, F f) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (f(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool applies(const Rule& rule, const Instruction& instruction) {
  const auto is_opcode = [&](std::string_view word) { return word == instruction.opcode; };
  const auto is_missing = [&](std::string_view group) {
    return !any_part(group, '|', [&](std::string_view word) { return instruction.has(word); });
  };
  return (rule.opcodes.empty() || any_part(rule.opcodes, '|', is_opcode)) && !any_part(rule.modifiers, ' ', is_missing);
}

}  // namespace

unsigned target_number(std::string_view target) {
  unsigned number = 0;
  std::from_chars(target.data(), target.data() + target.size(), number);
  return number;
}

std::string_view first_target(const Instruction& instruction) {
  std::string_view first;
  for (const Rule& rule : kRules)
    if (target_number(rule.first) > target_number(first) && applies(rule, instruction)) first = rule.first;
  return first;
}

}  // namespace heddle::compiler::ptx
