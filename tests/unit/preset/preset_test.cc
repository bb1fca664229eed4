// SPDX-License-Identifier: Apache-2.0
// Machines that cannot be are refused, by the name of the key and with the reason; those at the edge of what can be are
// read.
#include "presets/preset.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace heddle {
namespace {

namespace fs = std::filesystem;

// A preset of the project with some lines changed: "key = value", or "key" to leave it out.
Result<Preset> changed(const std::string& preset, const std::vector<std::string>& lines) {
  std::stringstream text;
  text << std::ifstream(fs::path(PRESETS) / (preset + ".toml")).rdbuf();
  std::string toml = text.str();
  for (const std::string& line : lines) {
    const std::string key = line.substr(0, line.find(' '));
    const std::regex at("(^|\n)" + key + " = [^\n]*");
    EXPECT_TRUE(std::regex_search(toml, at)) << key << " is not in " << preset;
    toml = std::regex_replace(toml, at, line == key ? "$1" : "$1" + line);
  }
  const fs::path file = fs::path(::testing::TempDir()) / "heddle_preset.toml";
  std::ofstream(file) << toml;
  return load_preset(file.string());
}

struct Refused {
  const char* preset;
  std::vector<std::string> lines;
  const char* says;
};

class RefusedPreset : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedPreset, NamesTheKeyAndTheReason) {
  const auto p = changed(GetParam().preset, GetParam().lines);
  ASSERT_FALSE(p) << GetParam().lines.front() << " is accepted";
  const std::string message = p.error().message();
  const std::string key = GetParam().lines.front().substr(0, GetParam().lines.front().find(' '));
  EXPECT_NE(message.find("heddle_preset.toml"), std::string::npos) << message;
  EXPECT_NE(message.find(key), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam().says), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, RefusedPreset,
    ::testing::Values(
        Refused{"cc80", {"sms = 64"}, "one round-robin arbiter, of 64"},
        Refused{"cc80", {"sms = 0"}, "outside 1 to 63"}, Refused{"cc80", {"register_banks = 1"}, "two banks"},
        Refused{"cc80", {"register_banks = 3"}, "not a power of two"},
        Refused{"cc80", {"collectors = 1"}, "has a number"}, Refused{"cc80", {"lsu_entries = 128"}, "among 64"},
        Refused{"cc80", {"l1_mshrs = 512"}, "among 256"},
        Refused{"tiny", {"lsu_entries = 8"}, "row_lanes = 2 makes 128 places"},
        Refused{"tiny", {"tensor_fma = 64"}, "outside 0 to 32: 16 products for each"},
        Refused{"cc80", {"l2_slices = 0"}, "outside 1 to 64: bits of a line's number"},
        Refused{"cc80", {"l2_slices = 3"}, "not a power of two: bits of a line's number"},
        Refused{"cc80", {"l2_slices = 8", "l2_bytes = 524288"}, "64 sets a slice"},
        Refused{"cc80", {"l2_slices = 32", "l2_bytes = 4194304"}, "3 bits"},
        Refused{"cc80", {"memory_channels = 8"}, "outside 1 to 4: a slice uses one"},
        Refused{"cc80", {"bytes_per_cycle = 63"}, "not the same for each of memory_channels = 2"},
        Refused{"cc20", {"l2_links = 2"}, "outside 1 to 1: each brings the answers of some slices"},
        Refused{"cc80", {"l2_links = 4"}, "outside 1 to 2"}, Refused{"cc80", {"l1_mshrs = 2"}, "below 2 x l2_links"},
        Refused{"cc80", {"axi_data_bits = 128"}, "come on one link"},
        Refused{"cc80", {"l2_distance = 1024"}, "outside 0 to 1023"},
        Refused{"cc80", {"icache_l0_bytes = 32"}, "less than two sectors"},
        Refused{"cc80", {"icache_l0_bytes = 65536"}, "outside 0 to 32768"},
        Refused{"tiny", {"icache_l0_bytes = 1024"}, "in pieces"},
        Refused{"cc80", {"write_combine_lines = 1"}, "a line has a number"},
        Refused{"tiny", {"write_combine_lines = 4"}, "rows and sectors move whole"},
        Refused{"cc90", {"mask = 2"}, "outside 0 to 1"}, Refused{"cc80", {"imad_lanes = 0"}, "outside 1 to 32"},
        Refused{"cc90", {"shfl = 256"}, "outside 0 to 255: a lag has 8 bits"},
        Refused{"cc90", {"crossing = 2"}, "outside 0 to 1: the scoreboard holds a reader back for one cycle"},
        Refused{"cc90", {"sysfence = 2048"}, "outside 0 to 2047: its lag has 11 bits"},
        Refused{"cc90", {"shfl = 1.5"}, "a whole number"}, Refused{"cc80", {"l2_mshrs = 64"}, "5 bits"},
        Refused{"cc80", {"axi_data_bits = 512"}, "a sector of 32 bytes"},
        Refused{"cc80", {"l1_ways = 1"}, "a way has a number"}, Refused{"cc80", {"l2_ways = 1"}, "a way has a number"},
        Refused{"cc80", {"l1_bytes = 1024", "l1_ways = 8"}, "leaves 1 sets"},
        Refused{"cc80", {"l2_bytes = 4096"}, "clears a set"},
        Refused{"cc80", {"shared_bytes = 167940"}, "not a multiple of 128"},
        Refused{"cc80", {"shared_bytes = 262144"}, "18 bits"},
        Refused{"cc80", {"warps_per_sub_partition = 32"}, "a bit for each"},
        Refused{"cc80", {"mem_bytes = 1048592"}, "not a multiple of 32"},
        Refused{"cc80", {"mem_bytes = 137438953472"}, "2^36 and 2^37"},
        Refused{"cc80", {"registers_per_thread = 255", "register_rows = 64"}, "not even one warp"},
        Refused{"tiny", {"threads_per_block = 1024"}, "8 warps"},
        Refused{"cc80", {"register_allocation = 48"}, "outside 64"},
        Refused{"cc80", {"shared_allocation = 8"}, "16 bytes"},
        Refused{"cc80", {"shared_per_block = 1000000"}, "outside"}, Refused{"cc80", {"fp32_lanes = 64"}, "outside"},
        Refused{"cc80", {"scheduler = \"best\""}, "scheduler"}, Refused{"cc80", {"clock_khz"}, "whole number"}));

// The classes are isa.def's; what a file does not name, or one without the section, adds nothing.
TEST(Preset, LatenciesAreByClass) {
  const auto cycles = [](const Preset& p, const std::string& name) {
    for (const Preset::Latency& l : p.latency)
      if (l.name == name) return l.cycles;
    ADD_FAILURE() << "no class " << name;
    return -1;
  };
  const auto cc80 = changed("cc80", {}), cc90 = changed("cc90", {"shfl = 255", "sfu"});
  ASSERT_TRUE(cc80 && cc90);
  for (const Preset::Latency& l : cc80->latency) EXPECT_EQ(l.cycles, 0) << l.name;
  EXPECT_EQ(cycles(*cc90, "shfl"), 255);
  EXPECT_EQ(cycles(*cc90, "sfu"), 0);
  EXPECT_NE(cc90->structure_hash(), changed("cc90", {"shfl = 62", "sfu"})->structure_hash());
}

// Writes presets into a folder of their own and reads the first.
Result<Preset> with_base(const std::string& first, const std::string& second) {
  const fs::path folder = fs::path(::testing::TempDir()) / "heddle_preset_base";
  fs::create_directories(folder);
  fs::copy_file(fs::path(PRESETS) / "cc80.toml", folder / "cc80.toml", fs::copy_options::overwrite_existing);
  std::ofstream(folder / "first.toml") << first;
  std::ofstream(folder / "second.toml") << second;
  return load_preset((folder / "first.toml").string());
}

TEST(Preset, OneWithABaseSaysOnlyWhatDiffers) {
  const auto p = with_base("base = \"cc80\"\n[structure]\nsms = 7\n[latency]\nshfl = 3\n", "");
  const auto cc80 = changed("cc80", {});
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_EQ(p->name, "first");
  EXPECT_EQ(p->structure.sms, 7);
  EXPECT_EQ(p->structure.l2_bytes, cc80->structure.l2_bytes);
  EXPECT_EQ(p->dram.banks, cc80->dram.banks);
  EXPECT_NE(p->structure_hash(), cc80->structure_hash());
}

TEST(Preset, ABaseThatCannotBeIsNamed) {
  const auto says = [](const Result<Preset>& p, const char* what) {
    ASSERT_FALSE(p);
    EXPECT_NE(p.error().message().find(what), std::string::npos) << p.error().message();
  };
  says(with_base("base = 80\n", ""), "base: the name of a preset");
  says(with_base("base = \"third\"\n", ""), "third.toml");
  says(with_base("base = \"second\"\n", "base = \"cc80\"\n"), "second has a base itself");
  says(with_base("base = \"cc80\"\n[structure]\nsm = 4\n", ""), "sm: unknown key");
}

TEST(Preset, AnUnknownKeyIsNamed) {
  const auto p = changed("cc80", {"rings = 1\nring = 1"});
  ASSERT_FALSE(p);
  EXPECT_NE(p.error().message().find("ring: unknown key"), std::string::npos) << p.error().message();
}

struct Accepted {
  const char* preset;
  std::vector<std::string> lines;
};

class AcceptedPreset : public ::testing::TestWithParam<Accepted> {};

TEST_P(AcceptedPreset, IsAtTheEdge) {
  const auto p = changed(GetParam().preset, GetParam().lines);
  EXPECT_TRUE(p) << p.error().message();
}

INSTANTIATE_TEST_SUITE_P(Table, AcceptedPreset,
                         ::testing::Values(Accepted{"cc80", {"sms = 63"}}, Accepted{"cc80", {"l1_mshrs = 256"}},
                                           Accepted{"cc80", {"l2_mshrs = 32"}}, Accepted{"cc80", {"l2_slices = 4"}},
                                           Accepted{"cc80", {"axi_data_bits = 256"}},
                                           Accepted{"cc80", {"register_banks = 8", "collectors = 8"}},
                                           Accepted{"cc80",
                                                    {"row_lanes = 16", "lsu_entries = 32", "write_combine_lines = 0"}},
                                           Accepted{"tiny", {"axi_data_bits = 32"}},
                                           Accepted{"tiny", {"row_lanes = 8", "lsu_entries = 16"}}));

}  // namespace
}  // namespace heddle
