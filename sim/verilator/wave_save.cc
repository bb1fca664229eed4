// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/wave_save.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "heddle/files.h"
#include "isa/isa.h"
#include "sim/verilator/wave_selection.h"

namespace heddle::rtl {
namespace {

namespace fs = std::filesystem;

// How a signal is shown. The numbers are GTKWave's flags: 2 hexadecimal, 4 decimal, 8 binary, 20 right-justified,
// 2000 translated by a file, 4000 by a process.
enum class Look { Plain, Decimal, Word, Opcode };

struct Shown {
  std::string_view group, pattern;  // of the path below the GPU
  Look look = Look::Plain;
};
constexpr std::array<Shown, 60> kShown = {{
    // clang-format off
    {"frontend", "sm*.part*.fetch_valid_o"}, {"frontend", "sm*.part*.fetch_warp_o", Look::Decimal},
    {"frontend", "sm*.part*.front_end.decode.valid_i"}, {"frontend", "sm*.part*.front_end.decode.warp", Look::Decimal},
    {"frontend", "sm*.part*.front_end.decode.pc"}, {"frontend", "sm*.part*.front_end.decode.word", Look::Word},
    {"frontend", "sm*.part*.jump_valid"}, {"frontend", "sm*.part*.jump_warp", Look::Decimal},
    {"frontend", "sm*.part*.jump_pc"}, {"frontend", "sm*.part*.slot_valid"},
    {"schedule", "sm*.part*.issue.valid_i"}, {"schedule", "sm*.part*.issue.warp_i", Look::Decimal},
    {"schedule", "sm*.part*.issue.pc"}, {"schedule", "sm*.part*.issue.op", Look::Opcode},
    {"schedule", "sm*.part*.issue.rd", Look::Decimal}, {"schedule", "sm*.part*.issue.taken_i"},
    {"schedule", "sm*.part*.ready"}, {"schedule", "sm*.part*.sb_clear"}, {"schedule", "sm*.part*.waiting_o"},
    {"schedule", "block_dispatcher.state_q"}, {"schedule", "command_processor.state_q"},
    {"operands", "sm*.part*.bank_valid"}, {"operands", "sm*.part*.req_valid"}, {"operands", "sm*.part*.req_ready"},
    {"operands", "sm*.part*.req_soon"}, {"operands", "sm*.part*.collected_valid"},
    {"operands", "sm*.part*.execution.result_valid"}, {"operands", "sm*.part*.execution.result_turn"},
    {"memory", "sm*.part*.access.valid_i"}, {"memory", "sm*.part*.access.ready_i"},
    {"memory", "sm*.part*.access.warp", Look::Decimal}, {"memory", "sm*.part*.access.pc"},
    {"memory", "sm*.part*.access.op", Look::Opcode}, {"memory", "sm*.part*.access.mask"},
    {"memory", "sm*.part*.access.slice", Look::Decimal},
    {"memory", "sm*.part*.access.addr"}, {"memory", "sm*.part*.lsu_rsp_valid_i"},
    {"memory", "sm*.part*.lsu_rsp_ready_o"}, {"memory", "sm*.mem_req_valid_o"}, {"memory", "sm*.mem_req_ready_i"},
    {"memory", "sm*.mem_rsp_valid_i"}, {"memory", "mem_req_valid"}, {"memory", "mem_rsp_valid"},
    {"memory", "m_axi_arvalid_o"}, {"memory", "m_axi_araddr_o"}, {"memory", "m_axi_awvalid_o"},
    {"memory", "m_axi_awaddr_o"}, {"memory", "m_axi_rvalid_i"},
    {"retirement", "sm*.part*.retire.valid"}, {"retirement", "sm*.part*.retire.warp", Look::Decimal},
    {"retirement", "sm*.part*.retire.seq", Look::Decimal}, {"retirement", "sm*.part*.retire.rd", Look::Decimal},
    {"retirement", "sm*.part*.retire.slice", Look::Decimal}, {"retirement", "sm*.part*.retire.row_we"}, {"retirement", "sm*.part*.retire.mask"},
    {"retirement", "sm*.part*.retire.row"}, {"retirement", "sm*.part*.retire.last"},
    {"retirement", "sm*.fault_valid_o"}, {"retirement", "kernel_start"}, {"retirement", "kernel_end"},
    // clang-format on
}};

// What a warp does, from one bit of each of these, the first the highest.
constexpr std::array<const char*, 5> kWarpBits = {"resident_q", "waiting_o", "slot_valid", "sb_clear", "ready"};
const char* warp_state(unsigned bits) {
  if (!(bits & 16)) return "-";
  if (bits & 1) return "ready";
  if (bits & 8) return "barrier";
  if (!(bits & 4)) return "fetch";
  if (!(bits & 2)) return "scoreboard";
  return "unit";  // or its order in memory, or its constant
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ".") + part;
  return text;
}

// "sm3.part1" -> "sm003.part001".
std::string sortable(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) end++;
    if (end > i) out += std::string(end - i < 4 ? 4 - (end - i) : 0, '0') + text.substr(i, end - i);
    else out += text[end++];
    i = end;
  }
  return out;
}

// heddle-disasm of the build or installation that this library belongs to: <root>/lib/heddle/libheddle_rtl_*.so.
std::string disassembler() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&disassembler), &info) && info.dli_fname) {
    std::error_code ec;
    const fs::path tool = fs::weakly_canonical(info.dli_fname, ec).parent_path() / "../../bin/heddle-disasm";
    if (access(tool.c_str(), X_OK) == 0) return fs::weakly_canonical(tool, ec).string();
  }
  return "heddle-disasm";
}

std::string opcode_names() {
  std::string text = "# opcodes of Heddle's instructions\n";
  char line[8];
  for (unsigned op = 0; op < 256; op++) {
    const isa::OpInfo* info = isa::info(static_cast<uint8_t>(op));
    std::snprintf(line, sizeof line, "%02x ", op);
    if (info) text += line + std::string(info->mnemonic) + "\n";
  }
  return text;
}

std::string warp_names() {
  std::string text = "# states of a warp\n";
  char line[8];
  for (unsigned bits = 0; bits < 32; bits++) {
    std::snprintf(line, sizeof line, "%02x ", bits);
    text += line + std::string(warp_state(bits)) + "\n";
  }
  return text;
}

}  // namespace

std::vector<std::string_view> shown_patterns() {
  std::vector<std::string_view> patterns;
  for (const Shown& s : kShown) patterns.push_back(s.pattern);
  return patterns;
}

WaveSave::WaveSave(const std::string& wave_file, uint64_t begin) : begin_(begin) {
  std::error_code ec;
  const fs::path wave = fs::absolute(wave_file, ec);
  wave_ = wave.string();
  base_ = (wave.parent_path() / wave.stem()).string();
}

void WaveSave::add(const std::vector<std::string>& scopes, const std::string& name, const std::string& range,
                   uint32_t bits) {
  std::vector<std::string> names = scopes;
  names.push_back(name);
  const std::string path = joined(scopes) + (scopes.empty() ? "" : ".") + name;
  // GTKWave writes "pc [31:0]" without the blank.
  const Line line = {"gpu." + path + (range.empty() ? "" : range.substr(1)), bits};
  // Whose line it is: the sub-partition's, the SM's or the GPU's.
  const bool in_sm = !scopes.empty() && scopes[0].starts_with("sm");
  const bool in_part = in_sm && scopes.size() > 1 && scopes[1].starts_with("part");
  const long depth = in_part ? 2 : in_sm ? 1 : 0;
  const std::string scope = joined({scopes.begin(), scopes.begin() + depth});
  const std::string key = sortable(scope);
  for (size_t i = 0; i < kShown.size(); i++) {
    if (!wave_matches(wave_split(kShown[i].pattern, '.'), names)) continue;
    scope_names_[key] = scope;
    shown_[key].emplace(i, line);
  }
  if (depth == 2 && scopes.size() == 2)
    for (const char* bit : kWarpBits)
      if (name == bit) scope_names_[key] = scope, warp_bits_[key].emplace(name, line);
}

// A line a warp, of one bit of several signals. GTKWave counts bits from the left.
std::string WaveSave::warp_lines(const std::string& key) const {
  const auto bits = warp_bits_.find(key);
  if (bits == warp_bits_.end() || bits->second.size() != kWarpBits.size()) return {};
  const std::string& scope = scope_names_.at(key);
  const uint32_t warps = bits->second.at("ready").bits;
  std::string text = "@2022\n";
  for (uint32_t warp = 0; warp < warps; warp++) {
    text += "^2 " + base_ + ".warps.txt\n#{" + scope + ".warp" + std::to_string(warp) + "}";
    for (const char* bit : kWarpBits)
      text += " (" + std::to_string(warps - 1 - warp) + ")" + bits->second.at(bit).signal;
    text += "\n";
  }
  return text;
}

Status WaveSave::write() const {
  std::string text = "[*] of " + wave_ + ", written by Heddle\n[dumpfile] \"" + wave_ + "\"\n[savefile] \"" + base_ +
                     ".gtkw\"\n[timestart] " + std::to_string(begin_) +
                     "\n[size] 1600 1000\n*-4.000000 -1\n[signals_width] 300\n[sst_expanded] 1\n";
  const std::string tool = disassembler();
  for (const auto& [key, name] : scope_names_) {
    std::string_view open;
    const auto close = [&] {
      if (!open.empty()) text += "@1000200\n-" + (name.empty() ? "gpu" : name) + " " + std::string(open) + "\n";
    };
    const auto lines = shown_.find(key);
    if (lines == shown_.end()) continue;
    for (const auto& [i, line] : lines->second) {
      const Shown& s = kShown[i];
      if (s.group != open) {
        close();
        open = s.group;
        text += "@800200\n-" + (name.empty() ? "gpu" : name) + " " + std::string(open) + "\n";
        if (open == "schedule") text += warp_lines(key);
      }
      if (line.bits == 1) text += "@28\n";
      else if (s.look == Look::Decimal) text += "@24\n";
      else if (s.look == Look::Opcode) text += "@2022\n^1 " + base_ + ".opcodes.txt\n";
      else if (s.look == Look::Word) text += "@4022\n^>1 " + tool + "\n";
      else text += "@22\n";
      text += line.signal + "\n";
    }
    close();
  }
  const std::string opcodes = opcode_names(), warps = warp_names();
  if (auto ok = write_file(base_ + ".gtkw", text.data(), text.size()); !ok) return ok;
  if (auto ok = write_file(base_ + ".opcodes.txt", opcodes.data(), opcodes.size()); !ok) return ok;
  return write_file(base_ + ".warps.txt", warps.data(), warps.size());
}

void WaveSave::remove() const {
  for (const char* ending : {".gtkw", ".opcodes.txt", ".warps.txt"}) std::remove((base_ + ending).c_str());
}

}  // namespace heddle::rtl
