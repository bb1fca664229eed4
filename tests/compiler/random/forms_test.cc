// SPDX-License-Identifier: Apache-2.0
// Random programs use every form of the front end's table, or it stands here with the reason. HEDDLE_MODIFIERS=1 prints
// which modifiers and types of each form no program has.
#include "host-runtime/compiler/ptx/forms.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "tests/compiler/random/check.h"

namespace heddle::compiler::test {
namespace {

struct Row {
  std::string_view opcode, modifiers;
};
constexpr Row kTable[] = {
#define HEDDLE_ALTERNATIVES(...)
#define HEDDLE_FORM(opcode, modifiers, operands) {opcode, modifiers},
#include "host-runtime/compiler/ptx/forms.def"
};

// Empty modifiers: all forms of the opcode.
constexpr Row kUnused[] = {
    // Refused by name.
    // clang-format off
    {"add", "[$rnd] [ftz] t=f32x2"}, {"mul", "[$rnd] [ftz] t=f32x2"}, {"fma", "$rnd [ftz] t=f32x2"}, 
    {"red", "async ..."}, {"multimem", ""},
    {"tensormap", ""}, {"clusterlaunchcontrol", ""},     {"tcgen05", ""}, {"tex", ""}, {"tld4", ""}, {"txq", ""}, {"istypep", ""}, {"suld", ""}, {"sust", ""}, {"sured", ""}, {"suq", ""},
    {"redux", "sync min|max [abs] [NaN] t=f32"},
    // Of matrices of bytes and less.
    {"ldmatrix", "sync aligned m16n16 x1|x2 trans [shared|shared::cta] t=b8"},
    {"ldmatrix", "sync aligned m8n16|m16n16 x1|x2|x4 [trans] [shared|shared::cta] b8x16 b6x16_p32|b4x16_p64"},
    {"stmatrix", "sync aligned m16n8 x1|x2|x4 trans [shared|shared::cta] t=b8"},
    // Of machines before sm_70.
    {"vote", "all|any|uni t=pred"}, {"vote", "ballot t=b32"}, {"shfl", "up|down|bfly|idx t=b32"},
    // Leave nothing that could be compared, or end the program.
    {"applypriority", ""}, {"discard", ""}, {"createpolicy", ""}, {"trap", ""}, {"brkpt", ""}, {"pmevent", ""}, {"griddepcontrol", ""}, {"setmaxnreg", ""},
    {"membar", "proxy alias"}, {"fence", "proxy alias"}, {"fence", "mbarrier_init release cluster"},
    {"fence", "proxy async::generic ..."}, {"fence", "proxy tensormap::generic acquire $scope"}, {"fence", "proxy tensormap::generic release $scope"},
    {"prefetch", "[const|param] tensormap"}, {"fence", "acquire|release sync_restrict::shared::cta|sync_restrict::shared::cluster ..."},
    {"membar", "proxy async [global|shared::cta|shared::cluster]"}, {"fence", "proxy async [global|shared::cta|shared::cluster]"},
    // Need a cluster.
    {"barrier", "cluster arrive [release|relaxed] [aligned]"}, {"barrier", "cluster wait [acquire] [aligned]"}, {"mapa", ""},
    {"getctarank", ""},
    // Need a program around them.
    {"wgmma", ""},
    {"cp", "async ca|cg shared|shared::cta global L2::cache_hint [$l2]"}, {"mbarrier", ""}, {"st", "async [weak] [shared::cta|shared::cluster] mbarrier::complete_tx::bytes [v2|v4] t=b32|b64|u32|u64|s32|s64|f32|f64"},
    {"red", "async relaxed cluster [shared::cluster] mbarrier::complete_tx::bytes and|or|xor t=b32"},
    {"red", "async relaxed cluster [shared::cluster] mbarrier::complete_tx::bytes add t=u32|s32|u64|s64"},
    {"red", "async relaxed cluster [shared::cluster] mbarrier::complete_tx::bytes inc|dec t=u32"},
    {"red", "async relaxed cluster [shared::cluster] mbarrier::complete_tx::bytes min|max t=u32|s32"},
    {"cp", "async mbarrier arrive [noinc] [shared|shared::cta] t=b64"},
    {"cp", "async bulk shared::cluster global mbarrier::complete_tx::bytes multicast::cluster"},
    {"cp", "async bulk shared::cluster global mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint"},
    {"cp", "async bulk tensor $dim shared::cta|shared::cluster global [tile] mbarrier::complete_tx::bytes"},
    {"cp", "async bulk tensor $dim shared::cta|shared::cluster global [tile] mbarrier::complete_tx::bytes L2::cache_hint"},
    {"cp", "async bulk tensor $dim shared::cluster global [tile] mbarrier::complete_tx::bytes multicast::cluster"},
    {"cp", "async bulk tensor $dim shared::cluster global [tile] mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint"},
    {"cp", "async bulk tensor $dim global shared::cta [tile] bulk_group [L2::cache_hint]"},
    {"cp", "async bulk prefetch tensor $dim L2 global [tile] [L2::cache_hint]"},
    {"cp", "reduce async bulk tensor $dim global shared::cta add|min|max|inc|dec|and|or|xor [tile] bulk_group [L2::cache_hint]"},
    {"cp", "async bulk tensor $dim shared::cta|shared::cluster global $im2col ..."},
    {"cp", "async bulk tensor $dim shared::cluster global [tile] mbarrier::complete_tx::bytes [multicast::cluster] cta_group::1|cta_group::2 ..."},
    {"cp", "async bulk tensor $dim global shared::cta $im2col ..."}, {"cp", "async bulk prefetch tensor $dim L2 global $im2col ..."},
    {"cp", "reduce async bulk tensor $dim global shared::cta add|min|max|inc|dec|and|or|xor $im2col ..."},
    {"cp", "async bulk shared::cta|shared::cluster global mbarrier::complete_tx::bytes"},
    {"cp", "async bulk shared::cta|shared::cluster global mbarrier::complete_tx::bytes L2::cache_hint"},
    {"cp", "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes"},
    {"cp", "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes and|or|xor t=b32"},
    {"cp", "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes add t=u32|s32|u64"},
    {"cp", "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes inc|dec t=u32"},
    {"cp", "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes min|max t=u32|s32"},
    {"cp", "async bulk global shared::cta bulk_group [L2::cache_hint] cp_mask"},
    {"cp", "async bulk global shared::cta bulk_group"}, {"cp", "async bulk global shared::cta bulk_group L2::cache_hint"},
    {"cp", "async bulk prefetch L2 global"}, {"cp", "async bulk prefetch L2 global L2::cache_hint"},
    {"cp", "async bulk commit_group"}, {"cp", "async bulk wait_group [read]"},
    {"cp", "reduce async bulk global shared::cta bulk_group [L2::cache_hint] and|or|xor t=b32|b64"},
    {"cp", "reduce async bulk global shared::cta bulk_group [L2::cache_hint] add t=u32|s32|u64|f32|f64"},
    {"cp", "reduce async bulk global shared::cta bulk_group [L2::cache_hint] add noftz t=f16|bf16"},
    {"cp", "reduce async bulk global shared::cta bulk_group [L2::cache_hint] inc|dec t=u32"},
    {"cp", "reduce async bulk global shared::cta bulk_group [L2::cache_hint] min|max t=u32|s32|u64|s64|f16|bf16"},
    {"bar", "[cta] arrive"}, {"barrier", "[cta] arrive [aligned]"}, {"alloca", ""}, {"stacksave", ""}, {"stackrestore", ""},
    // clang-format on
};
bool is_unused(const Row& row) {
  for (const Row& u : kUnused)
    if (u.opcode == row.opcode && (u.modifiers.empty() || u.modifiers == row.modifiers)) return true;
  return false;
}

// Opcodes with their modifiers, of a program's instructions.
void collect(const std::string& text, std::set<std::string>& out) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    size_t begin = text.find_first_not_of(' ', at);
    at = end + 1;
    if (begin == text.npos) return;
    if (text[begin] == '@') begin = text.find(' ', begin) + 1;
    out.insert(text.substr(begin, text.find_first_of(" ;\n", begin) - begin));
  }
}

struct Use {
  bool used = false;
  std::set<std::string> modifiers;  // and types: "t=u32"
};
std::string typed(int slot, ptx::Type t) { return std::string(1, "tuv"[slot]) + "=" + std::string(ptx::type_name(t)); }

// By opcode, each of its forms.
std::map<std::string, std::map<size_t, Use>, std::less<>> uses(const std::set<std::string>& names) {
  std::map<std::string, std::map<size_t, Use>, std::less<>> out;
  for (const std::string& name : names) {
    std::vector<std::string_view> parts;
    for (size_t at = 0; at <= name.size(); at += parts.back().size() + 1)
      parts.push_back(std::string_view(name).substr(at, name.find('.', at) - at));
    const std::span<const std::string_view> modifiers = std::span(parts).subspan(1);
    const auto forms = ptx::forms_of(parts[0]);
    for (size_t n = 0; n < forms.size(); n++) {
      const ptx::ModifierMatch match = ptx::match_modifiers(forms[n], modifiers);
      if (!match.ok) continue;
      Use& use = out[std::string(parts[0])][n];
      use.used = true;
      use.modifiers.insert(modifiers.begin(), modifiers.end());
      for (int slot = 0; slot < 3; slot++)
        if (match.types[static_cast<size_t>(slot)] != ptx::Type::kNone)
          use.modifiers.insert(typed(slot, match.types[static_cast<size_t>(slot)]));
    }
  }
  return out;
}

void print_missing(const Row& row, const ptx::Form& form, const Use& use) {
  std::string missing;
  for (const ptx::ModifierGroup& g : form.modifiers) {
    for (const std::string_view a : g.alternatives)
      if (!use.modifiers.contains(std::string(a))) missing += " ." + std::string(a);
    for (const ptx::Type t : g.types)
      if (!use.modifiers.contains(typed(g.slot, t))) missing += " " + typed(g.slot, t);
  }
  if (!missing.empty())
    std::printf("%s [%s] without%s\n", std::string(row.opcode).c_str(), std::string(row.modifiers).c_str(),
                missing.c_str());
}

TEST(Generator, UsesEveryForm) {
  constexpr Shape kShapes[] = {{.phases = 1, .functions = 0, .statements = 40, .depth = 0},
                               {.phases = 1, .functions = 0, .statements = 5, .depth = 4},
                               {.phases = 4, .functions = 0, .statements = 3, .depth = 2},
                               {.phases = 2, .functions = 3, .statements = 4, .depth = 2},
                               {.phases = 2, .functions = 1, .statements = 3, .depth = 2, .matrices = true}};
  std::set<std::string> names;
  for (uint64_t n = 0, first = seed(); n < 2500; n++)
    collect(to_ptx(random_case(first + n, kShapes[n % std::size(kShapes)]).program), names);
  auto all = uses(names);
  std::map<std::string_view, size_t> number;
  for (const Row& row : kTable) {
    const size_t n = number[row.opcode]++;
    const Use& use = all[std::string(row.opcode)][n];
    EXPECT_NE(use.used, is_unused(row)) << row.opcode << " [" << row.modifiers << "]";
    if (use.used && environment("HEDDLE_MODIFIERS", 0)) print_missing(row, ptx::forms_of(row.opcode)[n], use);
  }
}

}  // namespace
}  // namespace heddle::compiler::test
