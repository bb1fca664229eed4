// SPDX-License-Identifier: Apache-2.0
// Which machines have an instruction. Matrix products and moves are not here: see mma.h and check_mma.cc.
#include "host-runtime/compiler/ptx/targets.h"

#include <algorithm>
#include <charconv>

namespace heddle::compiler::ptx {
namespace {

// Whoever has one of the opcodes, and of each group of modifiers one, in the order of the groups, begins with the
// target `first`.
struct Rule {
  std::string_view first;
  std::string_view opcodes;    // "min|max"; empty: any
  std::string_view modifiers;  // "bf16|bf16x2 rni|rzi": groups; empty: none
};

constexpr Rule kRules[] = {
    {"53", "add|sub|mul|fma|abs|neg|setp|set", "f16|f16x2"},
    {"75", "ex2", "f16|f16x2"},
    {"75", "tanh", ""},
    {"60", "atom|red", "f16x2"},
    {"70", "atom|red", "f16"},
    {"80", "", "bf16|bf16x2"},
    {"90", "add|sub|mul|ex2|tanh|setp|set|atom|red", "bf16|bf16x2"},
    {"90", "cvt", "bf16 f16|bf16|f64|u16|u32|u64|s16|s32|s64"},
    {"90", "cvt", "f16|f64|u16|u32|u64|s16|s32|s64 bf16"},
    {"90", "cvt", "ftz f32 bf16"},
    {"70", "cvt", "satfinite f16"},
    {"80", "cvt", "f16x2|bf16x2|tf32|relu"},
    {"89", "cvt", "e4m3x2|e5m2x2"},
    {"90", "cvt", "rn|rz tf32"},
    {"100", "cvt", "rn|rz satfinite tf32"},
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
    {"90", "prefetch", "tensormap"},
    {"80", "prefetch", "L2::evict_last|L2::evict_normal"},
    {"90", "cp", "bulk"},
    {"90", "fence|membar", "proxy async|tensormap::generic"},
    {"80", "mbarrier", ""},
    {"90", "st|red", "async"},
    {"90", "mbarrier", "expect_tx|complete_tx|try_wait|relaxed"},
    {"80", "cp|applypriority|discard|createpolicy|redux", ""},
    {"100a", "redux", "f32"},
    {"90", "elect|griddepcontrol|mapa|getctarank", ""},
    {"90a", "setmaxnreg", ""},
    {"90", "", "cluster|shared::cluster"},
};

// Takes what stands before the separator.
std::string_view take(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool is_one_of(std::string_view alternatives, std::string_view word) {
  while (!alternatives.empty())
    if (take(alternatives, '|') == word) return true;
  return false;
}

bool applies(const Rule& rule, const Instruction& instruction) {
  if (!rule.opcodes.empty() && !is_one_of(rule.opcodes, instruction.opcode)) return false;
  std::string_view groups = rule.modifiers, group = take(groups, ' ');
  for (std::string_view modifier : instruction.modifiers)
    if (is_one_of(group, modifier)) group = take(groups, ' ');
  return group.empty();
}

// An arrival of several at once, which may complete the phase.
bool is_counted_arrival(const Instruction& instruction) {
  return instruction.opcode == "mbarrier" && (instruction.has("arrive") || instruction.has("arrive_drop")) &&
         !instruction.has("noComplete") && instruction.operands.size() > 2;
}

}  // namespace

unsigned target_number(std::string_view target) {
  unsigned number = 0;
  std::from_chars(target.data(), target.data() + target.size(), number);
  return number;
}

std::string_view first_target(const Instruction& instruction) {
  std::string_view first = is_counted_arrival(instruction) ? "90" : "";
  for (const Rule& rule : kRules)
    if (target_number(rule.first) > target_number(first) && applies(rule, instruction)) first = rule.first;
  return first;
}

}  // namespace heddle::compiler::ptx
