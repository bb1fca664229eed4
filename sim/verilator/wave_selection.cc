// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/wave_selection.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>

namespace heddle::rtl {
namespace {

// docs/waves.md tells them.
constexpr std::array<WaveGroup, 5> kGroups = {{
    {"frontend",
     "sm*.icache.* sm*.constant_cache.* sm*.part*.front_end.* sm*.part*.fetch_* sm*.part*.fetched_* sm*.part*.konst_* "
     "sm*.part*.decode* sm*.part*.jump_* sm*.part*.slot_*"},
    {"schedule",
     "command_processor.* block_dispatcher.* sm*.block_slots.* sm*.barriers.* sm*.resident_o sm*.waiting_o "
     "sm*.part*.warp_scheduler.* sm*.part*.scoreboard.* sm*.part*.unsent.* sm*.part*.convergence.* sm*.part*.issue.* "
     "sm*.part*.issue_* sm*.part*.ready sm*.part*.hazards.* sm*.part*.sb_* sm*.part*.room sm*.part*.waiting_o "
     "sm*.part*.active sm*.part*.guard sm*.part*.issue_stage.taken sm*.part*.resident_q sm*.part*.start_* "
     "sm*.part*.arrive_* "
     "sm*.part*.release_*"},
    {"operands",
     "sm*.part*.operand_collector.* sm*.part*.register_file.* sm*.part*.predicate_file.* "
     "sm*.part*.issue_stage.special_registers.* "
     "sm*.part*.execution.result* sm*.part*.execution.unit*.* sm*.part*.req sm*.part*.req_* sm*.part*.bank_* "
     "sm*.part*.collect*"},
    {"memory",
     "l2.* copy_engine.* host_port.* host_window.* mem_req* mem_rsp* m_axi_* h_axi_* sm*.lsu.* sm*.lsu_port.* "
     "sm*.mem_hub.* sm*.mem_req_* sm*.mem_rsp_* sm*.lsu_* sm*.rsp* sm*.store_pending sm*.part*.lsu_* "
     "sm*.part*.access.*"},
    {"retirement",
     "sm*.part*.execution.writeback.* sm*.part*.retire.* sm*.part*.trace_* sm*.part*.wb_* sm*.part*.row_valid "
     "sm*.part*.row_row "
     "sm*.part*.outcome sm*.part*.result* sm*.part*.trap* sm*.part*.fault_* sm*.part*.count_* "
     "sm*.fault* sm*.done_* kernel_* blocks_*"},
}};

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ".") + part;
  return text;
}

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// "u_l2" -> "l2", "g_part[1]" -> "part1".
std::string plain(std::string name) {
  if (name.starts_with("u_") || name.starts_with("g_")) name.erase(0, 2);
  std::erase_if(name, [](char c) { return c == '[' || c == ']'; });
  return name;
}

}  // namespace

std::vector<std::string> wave_split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool wave_matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  const bool below = pattern.back() == "*";
  return (below ? path.size() >= pattern.size() : path.size() == pattern.size()) &&
         std::equal(pattern.begin(), pattern.end(), path.begin(), matches);
}

std::span<const WaveGroup> wave_groups() { return kGroups; }

WavePath wave_path(const std::vector<std::string>& verilated) {
  // The model's own name, then the top module; the ports stand a second time beside it.
  if (verilated.size() < 2) return {};
  WavePath path;
  path.shown = true;
  for (size_t i = 2; i < verilated.size(); i++) {
    const std::string& name = verilated[i];
    if (name == "u_monitor" || name.starts_with("unnamedblk")) return {};
    // A generate block with one instance in it is one scope.
    if (name == "u_sm" || name == "u_sub_partition") continue;
    if (name.starts_with("g_") && name.find('[') == std::string::npos) continue;
    path.scopes.push_back(plain(name));
  }
  return path;
}

Result<WaveSelection> WaveSelection::parse(const std::string& scopes, const std::string& groups) {
  WaveSelection selection;
  for (std::string& text : wave_split(scopes, ',')) {
    std::vector<std::string> parts = wave_split(text, '.');
    if (!parts.empty() && parts[0] == "gpu") parts.erase(parts.begin());
    if (parts.empty()) selection.scopes_.push_back({text, {}, true});
    else selection.scopes_.push_back({text, std::move(parts), false});
  }
  for (const std::string& name : wave_split(groups, ',')) {
    const auto group = std::find_if(kGroups.begin(), kGroups.end(), [&](const WaveGroup& g) { return g.name == name; });
    if (group == kGroups.end()) {
      std::string known;
      for (const WaveGroup& g : kGroups) known += (known.empty() ? "" : ", ") + std::string(g.name);
      return Error("no signal group '" + name + "' for waveforms; there are " + known);
    }
    for (const std::string& pattern : wave_split(group->patterns, ' '))
      selection.patterns_.push_back(wave_split(pattern, '.'));
  }
  return selection;
}

bool WaveSelection::wants(const std::vector<std::string>& scopes, const std::string& signal) {
  seen_.insert(joined(scopes));
  bool inside = scopes_.empty();
  for (Scope& wanted : scopes_) {
    if (wanted.parts.size() > scopes.size()) continue;
    if (!std::equal(wanted.parts.begin(), wanted.parts.end(), scopes.begin(), matches)) continue;
    wanted.met = inside = true;
  }
  if (!inside || patterns_.empty()) return inside;
  std::vector<std::string> path = scopes;
  path.push_back(signal);
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const auto& pattern) { return wave_matches(pattern, path); });
}

Status WaveSelection::check() const {
  for (const Scope& wanted : scopes_) {
    if (wanted.met) continue;
    // What stands where the name goes wrong.
    std::vector<std::string> good;
    for (const std::string& part : wanted.parts) {
      std::vector<std::string> longer = good;
      longer.push_back(part);
      const auto is_it = [&](const std::string& s) { return matches(joined(longer), s); };
      if (std::none_of(seen_.begin(), seen_.end(), is_it)) break;
      good = std::move(longer);
    }
    std::set<std::string> here;
    for (const std::string& scope : seen_) {
      const std::vector<std::string> parts = wave_split(scope, '.');
      if (parts.size() > good.size() && std::equal(good.begin(), good.end(), parts.begin(), matches))
        here.insert(parts[good.size()]);
    }
    std::string known;
    for (const std::string& name : here) known += (known.empty() ? "" : ", ") + name;
    const std::string place = good.empty() ? "in the GPU" : "in " + joined(good);
    return Error("no scope '" + wanted.text + "' for waveforms; " + place + " there are " +
                 (known.empty() ? "none" : known));
  }
  return {};
}

}  // namespace heddle::rtl
