// SPDX-License-Identifier: Apache-2.0
// A profile made by hand.
#pragma once

#include <nlohmann/json.hpp>

namespace heddle::tools::prof {

// A launch of 4 blocks of 64 threads on 2 SMs of 4 schedulers, in 1000 cycles.
inline nlohmann::json made(bool clock = true) {
  nlohmann::json j = {{"profile", 1},
                      {"launch", 7},
                      {"name", "add(int*)"},
                      {"symbol", "_Z3addPi"},
                      {"grid", {4, 1, 1}},
                      {"block", {64, 1, 1}},
                      {"completed", true},
                      {"registers", 16},
                      {"static_shared_bytes", 128},
                      {"dynamic_shared_bytes", 256},
                      {"local_bytes", 0},
                      {"device", clock ? "rtl" : "model"},
                      {"has_clock", clock},
                      {"open_cycles", 0}};
  j["preset"] = {{"name", "cc80"},
                 {"compute_major", 8},
                 {"compute_minor", 0},
                 {"sms", 2},
                 {"sub_partitions", 4},
                 {"warps_per_sm", 64},
                 {"blocks_per_sm", 32},
                 {"l2_port_bytes", 32},
                 {"dram_bytes_per_cycle", 64},
                 {"clock_khz", 1000000},
                 {"lanes", {{"Int", 16}, {"Fp32", 16}, {"Lsu", 32}}}};
  j["occupancy"] = {{"blocks", 16},          {"warps", 32},        {"limit_blocks", 32},
                    {"limit_registers", 64}, {"limit_shared", 16}, {"limit_warps", 32}};
#define HEDDLE_COUNTER(name, unit, timed, doc) j["counters"][#name] = 0;
#define HEDDLE_STALL(name, word, doc) j["stalls"][word] = 0, j["idle"][word] = 0;
#include "host-runtime/device/counters.def"
  auto& c = j["counters"];
  c["Warps"] = 8, c["Blocks"] = 4, c["Instructions"] = 400, c["ThreadInstructions"] = 6400, c["ActiveThreads"] = 9600;
  c["GlobalLoads"] = 100, c["GlobalLoadSectors"] = 1600, c["SharedLoads"] = 50, c["SharedLoadWavefronts"] = 200;
  j["lines"] = {
      {{"pc", 0},
       {"text", "LDG.32 R4, [R12+0]"},
       {"mnemonic", "LDG"},
       {"unit", "Lsu"},
       {"executed", 100},
       {"threads", 3200},
       {"active_threads", 3200},
       {"sectors", 1600},
       {"wavefronts", 0},
       {"stalls", {{"selected", clock ? 100 : 0}}}},
      {{"pc", 8},
       {"text", "IADD R4, R4, 1"},
       {"mnemonic", "IADD"},
       {"unit", "Int"},
       {"file", "/src/add.cu"},
       {"line", 3},
       {"executed", 250},
       {"threads", 1600},
       {"active_threads", 4800},
       {"sectors", 0},
       {"wavefronts", 0},
       {"stalls", {{"selected", clock ? 250 : 0}, {"long_scoreboard", clock ? 3000 : 0}, {"wait", clock ? 600 : 0}}}},
      {{"pc", 16},
       {"text", "LDS.64 R6, [R4+0]"},
       {"mnemonic", "LDS"},
       {"unit", "Lsu"},
       {"executed", 50},
       {"threads", 1600},
       {"active_threads", 1600},
       {"sectors", 0},
       {"wavefronts", 200},
       {"stalls", {{"selected", clock ? 50 : 0}}}}};
  if (!clock) return j;
  c["Cycles"] = 1000, c["SmActiveCycles"] = 1600, c["SchedulerCycles"] = 4000, c["IssueCycles"] = 400,
  c["WarpCycles"] = 4000;
  c["L1Wavefronts"] = 500, c["L1ReadSectors"] = 1600, c["L1ReadHits"] = 400, c["L2Reads"] = 200, c["L2ReadHits"] = 50;
  c["DramReadBytes"] = 12800, c["DramWriteBytes"] = 3200;
  j["stalls"]["selected"] = 400, j["stalls"]["long_scoreboard"] = 3000, j["stalls"]["wait"] = 600;
  j["idle"]["long_scoreboard"] = 3600;
  return j;
}

}  // namespace heddle::tools::prof
