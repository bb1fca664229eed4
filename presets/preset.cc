// SPDX-License-Identifier: Apache-2.0
#include "presets/preset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace heddle {
namespace {

// Takes keys out of one table; remembers the first that is missing or wrong, and which were known.
class Section {
 public:
  enum Presence { Required, Optional };
  Section(const toml::table& root, std::string file, const char* name, Presence presence = Required)
      : table_(root[name].as_table()), file_(std::move(file)), name_(name), optional_(presence == Optional) {
    if (!table_ && !optional_) fail("section is missing");
  }

  // `why`: what of the machine sets the bounds. A key of an optional section may be missing: `out` stays.
  template <typename T>
  void integer(const char* key, T& out, int64_t low, int64_t high, const char* why = nullptr) {
    known_.insert(key);
    if (!table_ || (optional_ && !table_->contains(key))) return;
    const auto value = (*table_)[key].value<int64_t>();
    if (!value) return fail(std::string(key) + ": a whole number is expected");
    if (*value < low || *value > high)
      return fail(std::string(key) + " = " + std::to_string(*value) + " is outside " + std::to_string(low) + " to " +
                  std::to_string(high) + (why ? std::string(": ") + why : ""));
    out = static_cast<T>(*value);
  }

  // As integer(), and a power of two.
  template <typename T>
  void power(const char* key, T& out, int64_t low, int64_t high, const char* why = nullptr) {
    integer(key, out, low, high, why);
    if (error_.empty() && (out & (out - 1)) != 0)
      fail(std::string(key) + " = " + std::to_string(out) + " is not a power of two" +
           (why ? std::string(": ") + why : ""));
  }

  void choice(const char* key, std::string& out, std::set<std::string> allowed) {
    known_.insert(key);
    if (!table_) return;
    const auto value = (*table_)[key].value<std::string>();
    if (!value || !allowed.count(*value)) {
      std::string list;
      for (const auto& a : allowed) list += (list.empty() ? "" : ", ") + a;
      return fail(std::string(key) + ": one of " + list + " is expected");
    }
    out = *value;
  }

  bool good() const { return error_.empty(); }

  // A rule that several keys make together.
  void require(bool holds, const std::string& rule) {
    if (table_ && !holds) fail(rule);
  }

  // Unknown keys are errors: a typing mistake must not pass for a default.
  std::string error() {
    if (error_.empty() && table_)
      for (const auto& [key, value] : *table_)
        if (!known_.count(std::string(key.str()))) fail(std::string(key.str()) + ": unknown key");
    return error_;
  }

 private:
  void fail(const std::string& what) {
    if (error_.empty()) error_ = file_ + ": [" + name_ + "] " + what;
  }

  const toml::table* table_;
  std::string file_, name_, error_;
  bool optional_;
  std::set<std::string> known_;
};

std::vector<Preset::Latency> latency_classes() {
  std::vector<Preset::Latency> classes = {
#define HEDDLE_LATENCY(name, doc) {#name, 0},
#include "isa/isa.def"
  };
  for (Preset::Latency& l : classes)
    for (char& c : l.name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return classes;
}

Result<toml::table> parse(const std::string& file) {
  toml::parse_result parsed = toml::parse_file(file);
  if (parsed) return std::move(parsed).table();
  std::ostringstream text;
  text << file << ":" << parsed.error().source().begin.line << ": " << parsed.error().description();
  return Error(text.str());
}

// Gives `root` the keys that it lacks and the preset named as its base has.
Status take_base(toml::table& root, const std::string& file) {
  const toml::node* key = root.get("base");
  if (!key) return {};
  const auto name = key->value<std::string>();
  if (!name) return Error(file + ": base: the name of a preset in the same folder is expected");
  const Result<toml::table> base = parse(std::filesystem::path(file).replace_filename(*name + ".toml").string());
  if (!base) return Error(file + ": base: " + base.error().message());
  if (base->contains("base")) return Error(file + ": base: " + *name + " has a base itself");
  for (const auto& [section, keys] : *base) {
    if (!keys.is_table()) continue;
    toml::table& mine = *root.emplace<toml::table>(section).first->second.as_table();
    for (const auto& [k, value] : *keys.as_table()) mine.insert(k, value);
  }
  return {};
}

// Machines that the hardware cannot be, though each key is within its range. Modules check what concerns them at
// elaboration, too: a config_pkg may be written by hand.
void require_possible(const Preset& p, Section& structure, Section& runtime, Section& dram, Section& limits) {
  const auto& s = p.structure;
  const auto& l = p.limits;
  if (!structure.good() || !runtime.good() || !dram.good() || !limits.good())
    return;  // sizes that were not read mean nothing
  constexpr int kLine = 128, kContractWarps = 64;
  const int slices = 32 / s.row_lanes;
  const int l1_sets = s.l1_bytes / kLine / s.l1_ways, l2_sets = s.l2_bytes / kLine / s.l2_slices / s.l2_ways;
  const int l2_slots = s.l2_mshrs > 16 ? 4 * s.l2_mshrs : s.l2_mshrs > 4 ? 8 * s.l2_mshrs : 16;
  const int most_rows = (l.registers_per_thread + 1) / 2 * 2;
  const int most_shared =
      (l.shared_per_block_optin + l.shared_allocation - 1) / l.shared_allocation * l.shared_allocation;
  structure.require(
      s.warps_per_sm() <= kContractWarps,
      fmt::format("sub_partitions x warps_per_sub_partition = {} is above {}: the registers that tell of an SM's "
                  "warps have a bit for each of so many",
                  s.warps_per_sm(), kContractWarps));
  structure.require(s.tensor_fma == 0 || s.tensor_fma >= 4,
                    fmt::format("tensor_fma = {} is below 4: a result takes that many beats of its 16 products at most",
                                s.tensor_fma));
  structure.require(
      s.shared_bytes % kLine == 0,
      fmt::format("shared_bytes = {} is not a multiple of {}, a row of the banks", s.shared_bytes, kLine));
  structure.require(l1_sets >= 2,
                    fmt::format("l1_bytes = {} in {} ways leaves {} sets of lines of {} bytes: at least 2 are needed",
                                s.l1_bytes, s.l1_ways, l1_sets, kLine));
  structure.require(
      s.lsu_entries * slices <= 64,
      fmt::format("lsu_entries = {} with row_lanes = {} makes {} places of an instruction's slice: L1 finds who waits "
                  "for an answer among 64",
                  s.lsu_entries, s.row_lanes, s.lsu_entries * slices));
  structure.require(
      l2_sets >= l2_slots,
      fmt::format("l2_bytes = {} in {} ways and l2_slices = {} are {} sets a slice: with l2_mshrs = {} it holds {} "
                  "requests, and clears a set for each after reset",
                  s.l2_bytes, s.l2_ways, s.l2_slices, l2_sets, s.l2_mshrs, l2_slots));
  structure.require(s.l2_slices / s.memory_channels <= 8,
                    fmt::format("l2_slices = {} share memory_channels = {}: an AXI id has 3 bits for which of a "
                                "channel's slices asks",
                                s.l2_slices, s.memory_channels));
  structure.require(
      s.l1_mshrs >= 2 * s.l2_links,
      fmt::format("l1_mshrs = {} is below 2 x l2_links = {}: each link has MSHRs of its own, two at least", s.l1_mshrs,
                  s.l2_links));
  structure.require(s.l2_links == 1 || s.axi_data_bits == 256,
                    fmt::format("l2_links = {} with axi_data_bits = {}: sectors that come in pieces come on one link",
                                s.l2_links, s.axi_data_bits));
  structure.require(s.icache_l0_bytes == 0 || s.icache_l0_bytes >= 64,
                    fmt::format("icache_l0_bytes = {} is less than two sectors of 32 bytes", s.icache_l0_bytes));
  structure.require(s.write_combine_lines != 1, "write_combine_lines = 1: a line has a number");
  structure.require(
      s.write_combine_lines == 0 || (s.row_lanes == 32 && s.axi_data_bits == 256),
      fmt::format("write_combine_lines = {} with row_lanes = {} and axi_data_bits = {}: stores are joined where "
                  "rows and sectors move whole",
                  s.write_combine_lines, s.row_lanes, s.axi_data_bits));
  structure.require(s.icache_l0_bytes == 0 || s.axi_data_bits == 256,
                    fmt::format("icache_l0_bytes = {} with axi_data_bits = {}: it keeps no sectors that come in pieces",
                                s.icache_l0_bytes, s.axi_data_bits));
  dram.require(p.dram.bytes_per_cycle % s.memory_channels == 0 && p.dram.queue % s.memory_channels == 0,
               fmt::format("bytes_per_cycle = {} and queue = {} are not the same for each of memory_channels = {}",
                           p.dram.bytes_per_cycle, p.dram.queue, s.memory_channels));
  runtime.require(p.runtime.mem_bytes % 32 == 0,
                  fmt::format("mem_bytes = {} is not a multiple of 32, a sector", p.runtime.mem_bytes));
  limits.require(most_rows <= s.register_rows,
                 fmt::format("registers_per_thread = {} exceeds register_rows = {}: not even one warp would fit",
                             l.registers_per_thread, s.register_rows));
  limits.require(l.threads_per_block <= 32 * s.warps_per_sm(),
                 fmt::format("threads_per_block = {} exceeds an SM's {} warps", l.threads_per_block, s.warps_per_sm()));
  limits.require(l.shared_per_block <= l.shared_per_block_optin,
                 fmt::format("shared_per_block = {} exceeds shared_per_block_optin = {}", l.shared_per_block,
                             l.shared_per_block_optin));
  limits.require(most_shared <= s.shared_bytes,
                 fmt::format("shared_per_block_optin = {} in steps of shared_allocation = {} exceeds shared_bytes = {}",
                             l.shared_per_block_optin, l.shared_allocation, s.shared_bytes));
}

}  // namespace

std::vector<std::pair<std::string, int>> Preset::structure_items() const {
  const Structure& s = structure;
  return {{"compute_major", s.compute_major},
          {"compute_minor", s.compute_minor},
          {"sms", s.sms},
          {"sub_partitions", s.sub_partitions},
          {"warps_per_sub_partition", s.warps_per_sub_partition},
          {"blocks_per_sm", s.blocks_per_sm},
          {"cluster_blocks", s.cluster_blocks},
          {"row_lanes", s.row_lanes},
          {"int_lanes", s.int_lanes},
          {"imad_lanes", s.imad_lanes},
          {"fp32_lanes", s.fp32_lanes},
          {"cvt_lanes", s.cvt_lanes},
          {"fp64_lanes", s.fp64_lanes},
          {"fp16_lanes", s.fp16_lanes},
          {"tensor_fma", s.tensor_fma},
          {"float_atomics", s.float_atomics},
          {"sfu_lanes", s.sfu_lanes},
          {"register_rows", s.register_rows},
          {"register_banks", s.register_banks},
          {"collectors", s.collectors},
          {"icache_bytes", s.icache_bytes},
          {"icache_l0_bytes", s.icache_l0_bytes},
          {"constant_cache_bytes", s.constant_cache_bytes},
          {"shared_bytes", s.shared_bytes},
          {"l1_bytes", s.l1_bytes},
          {"l1_ways", s.l1_ways},
          {"lsu_entries", s.lsu_entries},
          {"l1_mshrs", s.l1_mshrs},
          {"write_combine_lines", s.write_combine_lines},
          {"l2_slices", s.l2_slices},
          {"l2_bytes", s.l2_bytes},
          {"l2_ways", s.l2_ways},
          {"l2_mshrs", s.l2_mshrs},
          {"l2_links", s.l2_links},
          {"l2_distance", s.l2_distance},
          {"memory_channels", s.memory_channels},
          {"axi_data_bits", s.axi_data_bits},
          {"rings", s.rings}};
}

uint32_t Preset::structure_hash() const {
  uint32_t hash = 2166136261u;  // FNV-1a over "key=value;"
  auto add = [&hash](const std::string& key, int value) {
    for (const char c : key + "=" + std::to_string(value) + ";")
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  };
  for (const auto& [key, value] : structure_items()) add(key, value);
  for (const Latency& l : latency) add(l.name, l.cycles);
  return hash;
}

Result<Preset> load_preset(const std::string& file) {
  Result<toml::table> parsed = parse(file);
  if (!parsed) return Error(parsed.error());
  if (Status s = take_base(*parsed, file); !s) return Error(s.error());
  const toml::table& root = *parsed;
  Preset p{};
  p.name = std::filesystem::path(file).stem().string();
  p.latency = latency_classes();

  Section structure(root, file, "structure");
  auto& s = p.structure;
  structure.integer("compute_major", s.compute_major, 1, 12);
  structure.integer("compute_minor", s.compute_minor, 0, 9);
  structure.integer("sms", s.sms, 1, 63,
                    "they and the copy engine are clients of one round-robin arbiter, of 64 at most");
  structure.power("sub_partitions", s.sub_partitions, 1, 4);
  structure.integer("warps_per_sub_partition", s.warps_per_sub_partition, 1, 32);
  structure.integer("blocks_per_sm", s.blocks_per_sm, 1, 32);
  structure.integer("cluster_blocks", s.cluster_blocks, 1, std::min(16, s.blocks_per_sm), "all lie on one SM");
  structure.power("row_lanes", s.row_lanes, 2, 32);
  structure.power("int_lanes", s.int_lanes, 1, s.row_lanes);
  structure.power("imad_lanes", s.imad_lanes, 1, s.row_lanes);
  structure.power("fp32_lanes", s.fp32_lanes, 1, s.row_lanes);
  structure.power("cvt_lanes", s.cvt_lanes, 1, s.row_lanes);
  structure.power("fp64_lanes", s.fp64_lanes, 0, s.row_lanes);  // 0 passes: no such unit
  structure.power("fp16_lanes", s.fp16_lanes, 0, s.row_lanes);
  structure.power("tensor_fma", s.tensor_fma, 0, 16 * s.row_lanes, "16 products for each of row_lanes results");
  structure.integer("float_atomics", s.float_atomics, 0, 1);
  structure.power("sfu_lanes", s.sfu_lanes, 1, s.row_lanes);
  structure.power("register_rows", s.register_rows, 64, 4096);
  structure.power("register_banks", s.register_banks, 2, 8, "a pair's two registers lie in two banks");
  structure.power("collectors", s.collectors, 2, 8, "a collector has a number");
  structure.power("icache_bytes", s.icache_bytes, 1024, 1 << 20);
  structure.power("icache_l0_bytes", s.icache_l0_bytes, 0, std::min(s.icache_bytes, 1 << 16));  // 0 passes: none
  structure.power("constant_cache_bytes", s.constant_cache_bytes, 256, 1 << 16);
  structure.integer("shared_bytes", s.shared_bytes, 4096, (1 << 18) - 128, "a block's size travels in 18 bits");
  structure.power("l1_bytes", s.l1_bytes, 1024, 1 << 20);
  structure.power("l1_ways", s.l1_ways, 2, 16, "a way has a number");
  structure.power("lsu_entries", s.lsu_entries, 2, 64, "L1 finds who waits for an answer among 64");
  structure.power("l1_mshrs", s.l1_mshrs, 2, 256, "L1 finds a line's MSHR among 256");
  structure.power("write_combine_lines", s.write_combine_lines, 0, 64);  // 0 passes: none
  structure.power("l2_slices", s.l2_slices, 1, 64, "bits of a line's number, xored, say which slice is its");
  structure.power("l2_bytes", s.l2_bytes, 4096, 1 << 26);
  structure.power("l2_ways", s.l2_ways, 2, 16, "a way has a number");
  structure.power("l2_mshrs", s.l2_mshrs, 2, 32, "an AXI id is the MSHR in 5 bits");
  structure.power("l2_links", s.l2_links, 1, std::min(s.l2_slices, 2),
                  "each brings the answers of some slices, to one of two banks");
  structure.integer("l2_distance", s.l2_distance, 0, 1023);
  structure.power("memory_channels", s.memory_channels, 1, s.l2_slices, "a slice uses one of them");
  structure.power("axi_data_bits", s.axi_data_bits, 32, 256, "a beat is a sector of 32 bytes, or less");
  structure.integer("rings", s.rings, 1, 16);

  Section latency(root, file, "latency", Section::Optional);
  for (Preset::Latency& l : p.latency) {
    if (l.name == "sysfence") latency.integer(l.name.c_str(), l.cycles, 0, 2047, "its lag has 11 bits");
    else if (l.name == "mask") latency.integer(l.name.c_str(), l.cycles, 0, 1, "one turn tells the bytes of a line");
    else if (l.name == "crossing")
      latency.integer(l.name.c_str(), l.cycles, 0, 1, "the scoreboard holds a reader back for one cycle");
    else latency.integer(l.name.c_str(), l.cycles, 0, 255, "a lag has 8 bits");
  }

  Section runtime(root, file, "runtime");
  runtime.choice("scheduler", p.runtime.scheduler, {"lrr", "gto", "two_level"});
  runtime.integer("yield_branches", p.runtime.yield_branches, 1, 65535);
  runtime.integer("mem_bytes", p.runtime.mem_bytes, 1 << 20, int64_t{1} << 36,
                  "device memory lies between 2^36 and 2^37");
  runtime.integer("clock_khz", p.runtime.clock_khz, 1, 10000000);

  Section dram(root, file, "dram");
  dram.power("banks", p.dram.banks, s.memory_channels, 1024, "each channel has its banks");
  dram.power("row_bytes", p.dram.row_bytes, 64, 65536);
  dram.integer("row_hit_cycles", p.dram.row_hit_cycles, 1, 10000);
  dram.integer("row_miss_cycles", p.dram.row_miss_cycles, 1, 10000);
  dram.integer("bytes_per_cycle", p.dram.bytes_per_cycle, s.memory_channels, 4096);
  dram.integer("queue", p.dram.queue, s.memory_channels, 4096, "each channel takes its share of the bursts");

  Section limits(root, file, "limits");
  limits.integer("registers_per_thread", p.limits.registers_per_thread, 16, 255);
  limits.integer("threads_per_block", p.limits.threads_per_block, 32, 1024);
  limits.integer("shared_per_block", p.limits.shared_per_block, 0, s.shared_bytes);
  limits.integer("shared_per_block_optin", p.limits.shared_per_block_optin, 0, s.shared_bytes);
  limits.power("register_allocation", p.limits.register_allocation, 64, 4096,
               "a warp takes pairs of registers, each of 32 lanes");
  limits.power("shared_allocation", p.limits.shared_allocation, 16, 4096, "the widest access is 16 bytes, aligned");

  require_possible(p, structure, runtime, dram, limits);
  for (Section* section : {&structure, &latency, &runtime, &dram, &limits})
    if (const std::string e = section->error(); !e.empty()) return Error(e);
  return p;
}

}  // namespace heddle
