// SPDX-License-Identifier: Apache-2.0
// order.json: which lane's value stayed where lanes of a warp wrote to one word, and what each lane's atomic found
// there. A case is a warp, 32 rows of an op: a is the word that a lane goes for (kNone: the lane is not active), b what
// it brings; o is what word `lane` holds afterwards, o2 what the lane's atomic returned.
#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/silicon.h"

namespace heddle::tools {
namespace {

constexpr uint32_t kLanes = 32, kNone = 0xffffffff;

// The recorder's address patterns.
uint32_t slot_of(uint32_t pattern, uint32_t lane, uint32_t slots) {
  switch (pattern) {
    case 0: return 0;
    case 1: return lane % slots;
    case 2: return lane * slots / kLanes;
    case 3: return (kLanes - 1 - lane) * slots / kLanes;
    default: return (lane * 7 + 3) % slots;
  }
}

// What memory holds after `winner` of lanes that each bring their number + 1; -1: nobody wrote.
uint32_t stored(int winner) { return static_cast<uint32_t>(winner + 1); }

uint32_t operand(const std::string& op, uint32_t lane) {
  if (op == "add") return 1;
  if (op == "add.f32") return std::bit_cast<uint32_t>(std::ldexp(1.0f, static_cast<int>(lane) - 12));
  return lane + 1;
}

std::string accessed(const std::string& space, uint32_t bytes) {
  return space + (bytes == 16 ? ".v4.b32" : ".b" + std::to_string(8 * bytes));
}

// Lanes' words lie side by side, in shared memory or in the rows of `out` of their warp, which are written once all
// have looked.
std::string body(const std::string& space, uint32_t bytes, const std::string& access) {
  const std::string size = std::to_string(bytes), type = accessed(space, bytes);
  const bool shared = space == "shared";
  std::string t =
      ".reg .pred %p; .reg .b32 %lane, %z, %v<4>; .reg .b64 %base, %at, %wide; .shared .align 16 .b8 words[512];\n"
      "mov.u32 %lane, %laneid; mov.b32 %z, 0; mul.wide.u32 %at, %lane, 16; cvt.u64.u32 %wide, %b;\n";
  t += shared ? "mov.u64 %base, words; add.u64 %at, %base, %at;\n"
              : "sub.u64 %base, %out, %at; add.u64 %at, %base, %at;\n";
  t += "st." + space +
       ".v4.b32 [%at], {%z, %z, %z, %z};\nbar.sync 0;\n"
       "setp.ne.u32 %p, %a, " +
       std::to_string(kNone) + "; mad.wide.u32 %at, %a, " + size + ", %base;\n" + access +
       "bar.sync 0;\nmad.wide.u32 %at, %lane, " + size + ", %base;\n";
  if (bytes == 16) t += "ld." + type + " {%v0, %v1, %v2, %v3}, [%at]; mov.b32 %o, %v0;\n";
  else if (bytes == 8) t += "ld." + type + " %wide, [%at]; cvt.u32.u64 %o, %wide;\n";
  else t += "ld." + space + ".u" + std::to_string(8 * bytes) + " %o, [%at];\n";
  return t + "bar.sync 0;\n";
}

SiliconOp store(const std::string& space, uint32_t bytes) {
  const std::string value = bytes == 16 ? "{%b, %b, %b, %b}" : bytes == 8 ? "%wide" : "%b";
  return {"order.st." + accessed(space, bytes),
          body(space, bytes, "@%p st." + accessed(space, bytes) + " [%at], " + value + ";\n"),
          {"u32", "u32"},
          {"u32"},
          {},
          0};
}

SiliconOp atomic(const std::string& space, const std::string& op) {
  static const std::map<std::string, std::string> kForms = {
      {"add", "add.u32"}, {"exch", "exch.b32"}, {"cas", "cas.b32"}, {"max", "max.u32"}, {"add.f32", "add.f32"}};
  const std::string form = kForms.at(op), swap = op == "cas" ? "%z, %b" : "%b";
  return {"order.atom." + space + "." + form,
          body(space, 4,
               "mov.b32 %o2, " + std::to_string(kNone) + ";\n@%p atom." + space + "." + form + " %o2, [%at], " + swap +
                   ";\n"),
          {"u32", "u32"},
          {"u32", "u32"},
          {},
          0};
}

void add_case(SiliconOp& op, const nlohmann::json& entry, const std::string& kind) {
  const uint32_t pattern = entry.at("pattern"), slots = entry.at("slots"), mask = entry.at("mask");
  std::vector<uint32_t> memory(kLanes);
  std::vector<uint32_t> returned;
  if (slots == 0 || slots > kLanes) throw std::out_of_range("slots");
  for (uint32_t s = 0; s < slots; s++)
    memory[s] = kind == "store" ? stored(entry.at("winner").at(s)) : entry.at("memory").at(s).get<uint32_t>();
  if (kind == "atomic") returned = entry.at("returned").get<std::vector<uint32_t>>();
  for (uint32_t lane = 0; lane < kLanes; lane++) {
    op.rows.push_back(mask >> lane & 1 ? slot_of(pattern, lane, slots) : kNone);
    op.rows.push_back(kind == "store" ? lane + 1 : operand(entry.at("op"), lane));
    op.rows.push_back(memory[lane]);
    if (kind == "atomic") op.rows.push_back(returned.at(lane));
    op.count++;
  }
}

}  // namespace

Result<std::vector<SiliconOp>> read_silicon_order(const std::filesystem::path& file) {
  const auto text = read_file(file.string());
  if (!text) return text.error();
  std::vector<SiliconOp> ops;
  try {
    for (const auto& entry : nlohmann::json::parse(*text)) {
      const std::string kind = entry.at("kind"), space = entry.at("space");
      if ((kind != "store" && kind != "atomic") || (space != "global" && space != "shared"))
        return Error(file.string() + ": a case of kind " + kind + ", space " + space + " is unknown");
      SiliconOp op = kind == "store" ? store(space, entry.at("bytes")) : atomic(space, entry.at("op"));
      if (ops.empty() || ops.back().name != op.name) ops.push_back(std::move(op));
      add_case(ops.back(), entry, kind);
    }
  } catch (const std::exception& e) {  // nlohmann's; a name or number that no recording has
    return Error(file.string() + ": " + e.what());
  }
  if (ops.empty()) return Error(file.string() + ": it has no cases");
  return ops;
}

}  // namespace heddle::tools
