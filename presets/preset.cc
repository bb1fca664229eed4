// SPDX-License-Identifier: Apache-2.0
#include "presets/preset.h"

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
  Section(const toml::table& root, std::string file, const char* name)
      : table_(root[name].as_table()), file_(std::move(file)), name_(name) {
    if (!table_) fail("section is missing");
  }

  template <typename T>
  void integer(const char* key, T& out, int64_t low, int64_t high) {
    known_.insert(key);
    if (!table_) return;
    const auto value = (*table_)[key].value<int64_t>();
    if (!value) return fail(std::string(key) + ": a whole number is expected");
    if (*value < low || *value > high)
      return fail(std::string(key) + " = " + std::to_string(*value) + " is outside " +
                  std::to_string(low) + " to " + std::to_string(high));
    out = static_cast<T>(*value);
  }

  // As integer(), and a power of two.
  template <typename T>
  void power(const char* key, T& out, int64_t low, int64_t high) {
    integer(key, out, low, high);
    if (error_.empty() && (out & (out - 1)) != 0)
      fail(std::string(key) + " = " + std::to_string(out) + " is not a power of two");
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
  std::set<std::string> known_;
};

}  // namespace

std::vector<std::pair<std::string, int>> Preset::structure_items() const {
  const Structure& s = structure;
  return {{"compute_major", s.compute_major},
          {"compute_minor", s.compute_minor},
          {"sms", s.sms},
          {"sub_partitions", s.sub_partitions},
          {"warps_per_sub_partition", s.warps_per_sub_partition},
          {"blocks_per_sm", s.blocks_per_sm},
          {"row_lanes", s.row_lanes},
          {"int_lanes", s.int_lanes},
          {"fp32_lanes", s.fp32_lanes},
          {"cvt_lanes", s.cvt_lanes},
          {"fp64_lanes", s.fp64_lanes},
          {"fp16_lanes", s.fp16_lanes},
          {"sfu_lanes", s.sfu_lanes},
          {"register_rows", s.register_rows},
          {"register_banks", s.register_banks},
          {"collectors", s.collectors},
          {"icache_bytes", s.icache_bytes},
          {"constant_cache_bytes", s.constant_cache_bytes},
          {"shared_bytes", s.shared_bytes},
          {"l1_bytes", s.l1_bytes},
          {"l1_ways", s.l1_ways},
          {"l1_mshrs", s.l1_mshrs},
          {"l2_bytes", s.l2_bytes},
          {"l2_ways", s.l2_ways},
          {"l2_mshrs", s.l2_mshrs},
          {"axi_data_bits", s.axi_data_bits},
          {"rings", s.rings}};
}

uint32_t Preset::structure_hash() const {
  uint32_t hash = 2166136261u;  // FNV-1a over "key=value;"
  for (const auto& [key, value] : structure_items())
    for (const char c : key + "=" + std::to_string(value) + ";")
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

Result<Preset> load_preset(const std::string& file) {
  const toml::parse_result parsed = toml::parse_file(file);
  if (!parsed) {
    std::ostringstream text;
    text << file << ":" << parsed.error().source().begin.line << ": " << parsed.error().description();
    return Error(text.str());
  }
  const toml::table& root = parsed.table();
  Preset p{};
  p.name = std::filesystem::path(file).stem().string();

  Section structure(root, file, "structure");
  auto& s = p.structure;
  structure.integer("compute_major", s.compute_major, 1, 12);
  structure.integer("compute_minor", s.compute_minor, 0, 9);
  structure.integer("sms", s.sms, 1, 64);
  structure.power("sub_partitions", s.sub_partitions, 1, 4);
  structure.integer("warps_per_sub_partition", s.warps_per_sub_partition, 1, 32);
  structure.integer("blocks_per_sm", s.blocks_per_sm, 1, 32);
  structure.power("row_lanes", s.row_lanes, 2, 32);
  structure.power("int_lanes", s.int_lanes, 1, s.row_lanes);
  structure.power("fp32_lanes", s.fp32_lanes, 1, s.row_lanes);
  structure.power("cvt_lanes", s.cvt_lanes, 1, s.row_lanes);
  structure.power("fp64_lanes", s.fp64_lanes, 0, s.row_lanes);  // 0 passes: no such unit
  structure.power("fp16_lanes", s.fp16_lanes, 0, s.row_lanes);
  structure.power("sfu_lanes", s.sfu_lanes, 1, s.row_lanes);
  structure.power("register_rows", s.register_rows, 64, 4096);
  structure.power("register_banks", s.register_banks, 1, 8);
  structure.integer("collectors", s.collectors, 1, 8);
  structure.power("icache_bytes", s.icache_bytes, 1024, 1 << 20);
  structure.power("constant_cache_bytes", s.constant_cache_bytes, 256, 1 << 16);
  structure.integer("shared_bytes", s.shared_bytes, 4096, 1 << 18);
  structure.power("l1_bytes", s.l1_bytes, 1024, 1 << 20);
  structure.power("l1_ways", s.l1_ways, 1, 16);
  structure.power("l1_mshrs", s.l1_mshrs, 1, 64);
  structure.power("l2_bytes", s.l2_bytes, 4096, 1 << 26);
  structure.power("l2_ways", s.l2_ways, 1, 16);
  structure.power("l2_mshrs", s.l2_mshrs, 1, 64);
  structure.power("axi_data_bits", s.axi_data_bits, 32, 512);
  structure.integer("rings", s.rings, 1, 16);

  Section runtime(root, file, "runtime");
  runtime.choice("scheduler", p.runtime.scheduler, {"lrr", "gto", "two_level"});
  runtime.integer("yield_branches", p.runtime.yield_branches, 1, 65535);
  runtime.integer("alu_latency", p.runtime.alu_latency, 1, 32);
  runtime.integer("mem_bytes", p.runtime.mem_bytes, 1 << 20, int64_t{1} << 38);
  runtime.integer("clock_khz", p.runtime.clock_khz, 1, 10000000);

  Section dram(root, file, "dram");
  dram.power("banks", p.dram.banks, 1, 64);
  dram.power("row_bytes", p.dram.row_bytes, 64, 65536);
  dram.integer("row_hit_cycles", p.dram.row_hit_cycles, 1, 10000);
  dram.integer("row_miss_cycles", p.dram.row_miss_cycles, 1, 10000);
  dram.integer("bytes_per_cycle", p.dram.bytes_per_cycle, 1, 1024);
  dram.integer("queue", p.dram.queue, 1, 256);

  Section limits(root, file, "limits");
  limits.integer("registers_per_thread", p.limits.registers_per_thread, 16, 255);
  limits.integer("threads_per_block", p.limits.threads_per_block, 32, 1024);
  limits.integer("shared_per_block", p.limits.shared_per_block, 0, s.shared_bytes);
  limits.integer("shared_per_block_optin", p.limits.shared_per_block_optin, 0, s.shared_bytes);
  limits.integer("register_allocation", p.limits.register_allocation, 32, 4096);
  limits.integer("shared_allocation", p.limits.shared_allocation, 1, 4096);
  limits.integer("warp_allocation", p.limits.warp_allocation, 1, 8);

  for (Section* section : {&structure, &runtime, &dram, &limits})
    if (const std::string e = section->error(); !e.empty()) return Error(e);
  return p;
}

}  // namespace heddle
