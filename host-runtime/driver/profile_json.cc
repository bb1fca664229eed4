// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host-runtime/driver/modules.h"
#include "host-runtime/driver/occupancy.h"
#include "host-runtime/driver/profiles.h"
#include "isa/isa.h"

namespace heddle::driver {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCounterNames[] = {
#define HEDDLE_COUNTER(name, unit, timed, doc) #name,
#include "host-runtime/device/counters.def"
};
constexpr const char* kStallWords[] = {
#define HEDDLE_STALL(name, word, doc) word,
#include "host-runtime/device/counters.def"
};
constexpr const char* kUnitNames[] = {
#define HEDDLE_UNIT(name, doc) #name,
#include "isa/isa.def"
};

Json dim(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

Json by_word(const uint64_t (&values)[HEDDLE_STALLS], bool zeros) {
  Json j = Json::object();
  for (int i = 0; i < HEDDLE_STALLS; i++)
    if (zeros || values[i]) j[kStallWords[i]] = values[i];
  return j;
}

Json machine(const Preset& p) {
  const auto& s = p.structure;
  Json j;
  j["name"] = p.name;
  j["compute_major"] = s.compute_major;
  j["compute_minor"] = s.compute_minor;
  j["sms"] = s.sms;
  j["sub_partitions"] = s.sub_partitions;
  j["warps_per_sm"] = s.warps_per_sm();
  j["blocks_per_sm"] = s.blocks_per_sm;
  j["registers_per_sm"] = s.registers_per_sm();
  j["shared_bytes_per_sm"] = s.shared_bytes;
  j["l1_bytes"] = s.l1_bytes;
  j["l2_bytes"] = s.l2_bytes;
  j["l2_slices"] = s.l2_slices;
  j["l2_port_bytes"] = s.memory_channels * s.axi_data_bits / 8;
  j["dram_bytes_per_cycle"] = p.dram.bytes_per_cycle;
  j["clock_khz"] = p.runtime.clock_khz;
  j["scheduler"] = p.runtime.scheduler;
  // Of a sub-partition; 0: no such unit. A warp takes 32 / lanes cycles.
  j["lanes"] = {{"Int", s.int_lanes}, {"Imad", s.imad_lanes}, {"Fp32", s.fp32_lanes}, {"Fp16", s.fp16_lanes},
                {"Cvt", s.cvt_lanes}, {"Sfu", s.sfu_lanes},   {"Fp64", s.fp64_lanes}, {"Lsu", s.row_lanes}};
  j["tensor_fma"] = s.tensor_fma;
  return j;
}

Json occupancy(const Preset& p, const KernelRun& run) {
  const BlockNeeds needs{static_cast<uint32_t>(run.block.count()), run.registers, run.shared_bytes};
  const BlockLimits limits = block_limits(p, needs);
  const uint32_t blocks = blocks_per_sm(p, needs);
  const uint64_t warps = (needs.threads + isa::kWarpSize - 1) / isa::kWarpSize;
  Json j;
  j["blocks"] = blocks;
  j["warps"] = blocks * warps;
  j["limit_blocks"] = limits.slots;
  j["limit_registers"] = limits.registers;
  j["limit_shared"] = limits.shared;
  j["limit_warps"] = limits.warps;
  return j;
}

// Where an instruction stands: in which function, how far from its first one, and what it is.
void place(Json& j, uint32_t pc, const LaunchInfo& launch, const Modules& modules) {
  const Module* module = modules.holding(pc);
  uint32_t entry = launch.pc;
  if (module) {
    const auto& cubin = module->cubin();
    const uint32_t base = module->placement().code_pc, offset = pc - base;
    const std::string name(cubin.find_function(offset));
    if (name != launch.run.symbol && !name.empty()) j["function"] = demangle(name);
    for (const auto& k : cubin.kernels)
      if (offset - k.entry < k.bytes) entry = base + k.entry;
    for (const auto& f : cubin.functions)
      if (offset - f.entry < f.bytes) entry = base + f.entry;
  }
  j["pc"] = pc - entry;
  const uint64_t word = modules.instruction(pc);
  j["text"] = isa::disassemble(word, pc - entry);
  if (const isa::OpInfo* op = isa::info(static_cast<uint8_t>(word))) {
    j["mnemonic"] = op->mnemonic;
    j["unit"] = kUnitNames[static_cast<int>(op->unit)];
  }
  if (!module) return;
  const auto& cubin = module->cubin();
  const uint32_t offset = pc - module->placement().code_pc;
  if (const formats::CubinLine* line = cubin.find_line(offset); line && line->file < cubin.files.size()) {
    j["file"] = cubin.files[line->file];
    j["line"] = line->line;
  }
  if (const formats::CubinStatement* statement = cubin.find_ptx(offset)) {
    j["ptx_line"] = statement->line;
    j["ptx"] = statement->text;
  }
}

}  // namespace

std::string place(uint32_t pc, const LaunchInfo& launch, const Modules& modules) {
  Json j;
  place(j, pc, launch, modules);
  j["word"] = modules.instruction(pc);
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const heddle_profile& profile, const ProfiledLaunch& what, const Preset& preset,
                    const Modules& modules) {
  const KernelRun& run = what.launch.run;
  Json j;
  j["profile"] = 1;
  j["launch"] = what.launch.number;
  j["name"] = run.name;
  j["symbol"] = run.symbol;
  j["grid"] = dim(run.grid);
  j["block"] = dim(run.block);
  j["completed"] = what.completed;
  j["registers"] = run.registers;
  j["static_shared_bytes"] = run.shared_bytes - what.launch.dynamic_shared;
  j["dynamic_shared_bytes"] = what.launch.dynamic_shared;
  j["local_bytes"] = what.launch.local_bytes;
  j["device"] = what.device;
  j["has_clock"] = what.has_clock;
  j["preset"] = machine(preset);
  j["occupancy"] = occupancy(preset, run);
  for (int i = 0; i < HEDDLE_COUNTERS; i++) j["counters"][kCounterNames[i]] = profile.counters[i];
  j["stalls"] = by_word(profile.stalls, true);
  j["idle"] = by_word(profile.idle, true);
  j["open_cycles"] = profile.open_cycles;
  j["lines"] = Json::array();
  for (size_t i = 0; i < profile.line_count; i++) {
    const heddle_profile_line& line = profile.lines[i];
    Json l;
    place(l, line.pc, what.launch, modules);
    l["executed"] = line.executed;
    l["threads"] = line.threads;
    l["active_threads"] = line.active_threads;
    l["divergent"] = line.divergent;
    l["sectors"] = line.sectors;
    l["wavefronts"] = line.wavefronts;
    l["stalls"] = by_word(line.stalls, false);
    j["lines"].push_back(std::move(l));
  }
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heddle::driver
