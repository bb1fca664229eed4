// SPDX-License-Identifier: Apache-2.0
// config_pkg FILE.toml: prints the SystemVerilog package config_pkg of a preset.
#include <bit>
#include <cctype>
#include <cstdio>

#include "presets/preset.h"

namespace {

std::string upper_camel(const std::string& snake) {
  std::string out;
  bool up = true;
  for (const char c : snake) {
    if (c == '_') {
      up = true;
      continue;
    }
    out += up ? static_cast<char>(std::toupper(c)) : c;
    up = false;
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: config_pkg PRESET.toml\n");
    return 2;
  }
  const auto preset = heddle::load_preset(argv[1]);
  if (!preset) {
    std::fprintf(stderr, "config_pkg: %s\n", preset.error().message().c_str());
    return 1;
  }
  std::printf(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Generated from presets/%s.toml by config_pkg; do not edit.\n"
      "// Every size of the machine.\n"
      "package config_pkg;\n",
      preset->name.c_str());
  for (const auto& [key, value] : preset->structure_items())
    std::printf("  localparam int unsigned %s = %d;\n", upper_camel(key).c_str(), value);
  std::printf(
      "  // Cycles beyond the hardware's own, by isa_pkg::latency_e.\n  localparam logic [%zu:0][10:0] Latency = {",
      preset->latency.size() - 1);
  for (size_t k = preset->latency.size(); k-- > 0;)
    std::printf("11'd%d%s", preset->latency[k].cycles, k ? ", " : "};\n");
  const auto& s = preset->structure;
  auto width = [](int n) { return n <= 1 ? 1 : std::bit_width(static_cast<unsigned>(n - 1)); };
  std::printf("  localparam int unsigned WarpsPerSm = %d;\n", s.warps_per_sm());
  std::printf("  // Index widths, at least one bit.\n");
  std::printf("  localparam int unsigned SmW = %d;\n", width(s.sms));
  std::printf("  localparam int unsigned WarpW = %d;  // warp slot in an SM: {local warp, sub-partition}\n",
              width(s.warps_per_sm()));
  std::printf("  localparam int unsigned SubPartitionW = %d;\n", width(s.sub_partitions));
  std::printf("  localparam int unsigned LocalWarpW = %d;  // warp slot in a sub-partition\n",
              width(s.warps_per_sub_partition));
  std::printf("  localparam int unsigned BlockSlotW = %d;\n", width(s.blocks_per_sm));
  std::printf("  localparam int unsigned RowW = %d;  // register row in a sub-partition\n", width(s.register_rows));
  std::printf("  localparam int unsigned SharedW = %d;  // byte address in shared memory\n", width(s.shared_bytes));
  std::printf("  localparam logic [31:0] PresetHash = 32'h%08x;\n", preset->structure_hash());
  std::printf("endpackage\n");
  return 0;
}
