// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/prof/metrics.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>

#include "host-runtime/tools/heddle/prof/roofline.h"

namespace heddle::tools::prof {
namespace {

using P = const Profile&;

constexpr const char* kUnits[] = {
#define HEDDLE_UNIT(name, doc) #name,
#include "isa/isa.def"
};

double ratio(double a, double b) { return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN(); }
double percent(double a, double b) { return 100 * ratio(a, b); }
double count(P p, const char* name) {
  return p.has_counter(name) ? double(p.counter(name)) : std::numeric_limits<double>::quiet_NaN();
}

double schedulers(P p) { return p.machine("sms") * p.machine("sub_partitions"); }
double seconds(P p) { return count(p, "Cycles") / (p.machine("clock_khz") * 1000); }
double dram_bytes(P p) { return count(p, "DramReadBytes") + count(p, "DramWriteBytes"); }
// Memory's bytes a cycle at most: those of the memory, or of the port.
double dram_peak(P p) { return std::min(p.machine("dram_bytes_per_cycle"), p.machine("l2_port_bytes")); }
double dram(P p) { return percent(dram_bytes(p), count(p, "Cycles") * dram_peak(p)); }
// A lookup a cycle in each slice.
double l2(P p) {
  return percent(count(p, "L2Reads") + count(p, "L2Writes") + count(p, "L2Atomics"),
                 count(p, "Cycles") * p.l2_slices());
}
// A register's lanes of 4 bytes a cycle, which may lie in sectors of several lines.
double l1(P p) {
  return percent(std::min(32 * count(p, "L1ReadSectors") / (4 * p.lanes("Lsu")), count(p, "L1Wavefronts")),
                 count(p, "SmActiveCycles"));
}
double issue(P p) { return percent(count(p, "IssueCycles"), count(p, "Cycles") * schedulers(p)); }
// Of a unit's cycles: a warp takes 32 / lanes of them. The tensor unit's steps are not known here.
double pipe(P p, const char* unit) {
  const double lanes = p.lanes(unit);
  return lanes > 0 ? percent(double(p.executed(unit)) * 32 / lanes, count(p, "Cycles") * schedulers(p)) : 0;
}
double compute(P p) {
  double most = issue(p);
  for (const char* unit : kUnits)
    if (std::strcmp(unit, "Lsu") != 0) most = std::max(most, pipe(p, unit));
  return most;
}
// A wavefront a cycle, where the lanes of a register come whole; else a request takes as many as they do.
double shared_memory(P p) {
  const double requests = count(p, "SharedLoads") + count(p, "SharedStores");
  const double wavefronts = count(p, "SharedLoadWavefronts") + count(p, "SharedStoreWavefronts");
  return percent(std::max(wavefronts, ratio(32 * requests, p.lanes("Lsu"))), count(p, "SmActiveCycles"));
}
double memory(P p) {
  const auto or_none = [](double value) { return std::isnan(value) ? 0 : value; };
  return std::max({dram(p), l2(p), or_none(l1(p)), or_none(shared_memory(p))});
}
double branches(P p) { return double(p.branches()); }
double divergent(P p) {
  const auto known = p.divergent();
  return known ? double(*known) : std::numeric_limits<double>::quiet_NaN();
}
template <typename F>
double over_lines(P p, const char* mnemonic, F each) {
  double sum = 0;
  for (const Line& l : p.lines())
    if (l.mnemonic.starts_with(mnemonic)) sum += double(each(l));
  return sum;
}
double waves(P p) { return ratio(double(p.blocks()), p.machine("sms") * p.occupancy("blocks")); }

std::vector<Metric> make() {
  std::vector<Metric> all;
  const char* section = "";
  const auto add = [&](const char* name, const char* raw, const char* unit, bool timed, auto value) {
    all.push_back({section, name, raw, unit, timed, value});
  };
  constexpr bool kTimed = true, kCount = false;

  section = "SpeedOfLight";
  add("SM Frequency", "smsp__cycles_elapsed.avg.per_second", "hz", kTimed,
      [](P p) { return 1e3 * p.machine("clock_khz"); });
  add("Elapsed Cycles", "gpc__cycles_elapsed.max", "cycle", kTimed, [](P p) { return count(p, "Cycles"); });
  add("Memory Throughput", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", kTimed, memory);
  add("DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%", kTimed, dram);
  add("Duration", "gpu__time_duration.sum", "second", kTimed, seconds);
  add("L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active", "%", kTimed, l1);
  add("Shared Memory Throughput", "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_active", "%",
      kTimed, shared_memory);
  add("L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed", "%", kTimed, l2);
  add("SM Active Cycles", "sm__cycles_active.avg", "cycle", kTimed,
      [](P p) { return count(p, "SmActiveCycles") / p.machine("sms"); });
  add("Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", kTimed, compute);

  section = "MemoryWorkloadAnalysis";
  add("Memory Throughput", "dram__bytes.sum.per_second", "byte/second", kTimed,
      [](P p) { return ratio(dram_bytes(p), seconds(p)); });
  add("DRAM Bytes Read", "dram__bytes_read.sum", "byte", kTimed, [](P p) { return count(p, "DramReadBytes"); });
  add("DRAM Bytes Written", "dram__bytes_write.sum", "byte", kTimed, [](P p) { return count(p, "DramWriteBytes"); });
  add("L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct", "%", kTimed,
      [](P p) { return percent(count(p, "L1ReadHits"), count(p, "L1ReadSectors")); });
  add("L2 Hit Rate", "lts__t_sector_hit_rate.pct", "%", kTimed,
      [](P p) { return percent(count(p, "L2ReadHits"), count(p, "L2Reads")); });
  add("Instruction Cache Hit Rate", "sm__icc_requests_hit_rate.pct", "%", kTimed,
      [](P p) { return percent(count(p, "InstructionHits"), count(p, "InstructionFetches")); });
  add("Constant Cache Hit Rate", "idc__request_hit_rate.pct", "%", kTimed,
      [](P p) { return percent(count(p, "ConstantHits"), count(p, "ConstantReads")); });
  add("L1/TEX Sectors Read", "l1tex__t_sectors_lookup.sum", "sector", kTimed,
      [](P p) { return count(p, "L1ReadSectors"); });
  add("L2 Sectors Read", "lts__t_sectors_op_read.sum", "sector", kTimed, [](P p) { return count(p, "L2Reads"); });
  add("L2 Sectors Written", "lts__t_sectors_op_write.sum", "sector", kTimed, [](P p) { return count(p, "L2Writes"); });
  add("L2 Sectors Changed", "lts__t_sectors_op_atom.sum", "sector", kTimed, [](P p) { return count(p, "L2Atomics"); });
  add("L1/TEX Bytes From L2", "l1tex__m_xbar2l1tex_read_bytes.sum", "byte", kTimed,
      [](P p) { return count(p, "LinkReadBytes"); });
  add("L1/TEX Bytes To L2", "l1tex__m_l1tex2xbar_write_bytes.sum", "byte", kTimed,
      [](P p) { return count(p, "LinkWriteBytes"); });
  add("L1/TEX Data Wavefronts", "l1tex__data_pipe_lsu_wavefronts.sum", "wavefront", kTimed,
      [](P p) { return count(p, "L1Wavefronts"); });
  add("L1/TEX Replays", "l1tex__data_pipe_lsu_replays.sum", "wavefront", kTimed,
      [](P p) { return count(p, "L1Replays"); });
  add("L2 Replays", "lts__t_replays.sum", "cycle", kTimed, [](P p) { return count(p, "L2Replays"); });

  section = "MemoryWorkloadAnalysis_Tables";
  const auto row = [&](const char* name, const char* raw, const char* requests, const char* sectors) {
    all.push_back({section, std::string(name) + " Requests", std::string("l1tex__t_requests_") + raw + ".sum",
                   "request", false, [=](P p) { return count(p, requests); }});
    all.push_back({section, std::string(name) + " Sectors", std::string("l1tex__t_sectors_") + raw + ".sum", "sector",
                   false, [=](P p) { return count(p, sectors); }});
    all.push_back({section, std::string(name) + " Sectors/Request",
                   std::string("l1tex__average_t_sectors_per_request_") + raw + ".ratio", "sector/request", false,
                   [=](P p) { return ratio(count(p, sectors), count(p, requests)); }});
  };
  row("Global Load", "pipe_lsu_mem_global_op_ld", "GlobalLoads", "GlobalLoadSectors");
  row("Global Store", "pipe_lsu_mem_global_op_st", "GlobalStores", "GlobalStoreSectors");
  row("Global Atomic", "pipe_lsu_mem_global_op_atom", "GlobalAtomics", "GlobalAtomicSectors");
  row("Local Load", "pipe_lsu_mem_local_op_ld", "LocalLoads", "LocalLoadSectors");
  row("Local Store", "pipe_lsu_mem_local_op_st", "LocalStores", "LocalStoreSectors");
  const auto shared = [&](const char* name, const char* op, const char* requests, const char* wavefronts) {
    const std::string of = std::string("_mem_shared_op_") + op;
    all.push_back({section, std::string(name) + " Requests",
                   "smsp__inst_executed_op_shared_" + std::string(op) + ".sum", "request", false,
                   [=](P p) { return count(p, requests); }});
    all.push_back({section, std::string(name) + " Wavefronts", "l1tex__data_pipe_lsu_wavefronts" + of + ".sum",
                   "wavefront", false, [=](P p) { return count(p, wavefronts); }});
    all.push_back({section, std::string(name) + " Wavefronts/Request",
                   "l1tex__average_wavefronts_per_request" + of + ".ratio", "wavefront/request", false,
                   [=](P p) { return ratio(count(p, wavefronts), count(p, requests)); }});
    const bool load = std::strcmp(op, "ld") == 0;
    all.push_back({section, std::string(name) + " Bank Conflicts", "l1tex__data_bank_conflicts_pipe_lsu" + of + ".sum",
                   "wavefront", false, [=](P p) {
                     return over_lines(p, load ? "LDS" : "STS", [](const Line& l) { return l.excess_wavefronts(); });
                   }});
  };
  shared("Shared Load", "ld", "SharedLoads", "SharedLoadWavefronts");
  shared("Shared Store", "st", "SharedStores", "SharedStoreWavefronts");
  add("Shared Atomic Requests", "smsp__inst_executed_op_shared_atom.sum", "request", kCount,
      [](P p) { return count(p, "SharedAtomics"); });

  section = "SchedulerStats";
  const auto a_cycle = [](double what, P p) { return ratio(what, count(p, "SchedulerCycles")); };
  add("One or More Eligible", "smsp__issue_active.avg.pct", "%", kTimed,
      [=](P p) { return 100 * a_cycle(count(p, "IssueCycles"), p); });
  add("Issued Warp Per Scheduler", "smsp__issue_active.avg.per_cycle_active", "", kTimed,
      [=](P p) { return a_cycle(count(p, "IssueCycles"), p); });
  add("No Eligible", "smsp__issue_inst0.avg.pct_of_peak_sustained_active", "%", kTimed,
      [=](P p) { return 100 - 100 * a_cycle(count(p, "IssueCycles"), p); });
  add("Active Warps Per Scheduler", "smsp__warps_active.avg.per_cycle_active", "warp", kTimed,
      [=](P p) { return a_cycle(count(p, "WarpCycles"), p); });
  add("Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active", "warp", kTimed,
      [=](P p) { return a_cycle(double(p.stall("selected") + p.stall("not_selected")), p); });
  for (const Stall& s : stalls())
    all.push_back({section, "No Eligible: " + title(s.word), std::string("smsp__idle_") + s.word + ".sum", "cycle",
                   true, [w = s.word](P p) { return double(p.idle(w)); }});

  section = "WarpStateStats";
  add("Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio", "cycle", kTimed,
      [](P p) { return ratio(count(p, "WarpCycles"), count(p, "IssueCycles")); });
  add("Warp Cycles Per Executed Instruction", "smsp__average_warps_active_per_inst_executed.ratio", "cycle", kTimed,
      [](P p) { return ratio(count(p, "WarpCycles"), count(p, "Instructions")); });
  add("Avg. Active Threads Per Warp", "smsp__thread_inst_executed_per_inst_executed.ratio", "", kCount,
      [](P p) { return ratio(count(p, "ActiveThreads"), count(p, "Instructions")); });
  add("Avg. Not Predicated Off Threads Per Warp", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "",
      kCount, [](P p) { return ratio(count(p, "ThreadInstructions"), count(p, "Instructions")); });
  for (const Stall& s : stalls())
    all.push_back({section, "Stall " + title(s.word),
                   std::string("smsp__average_warps_issue_stalled_") + s.word + "_per_issue_active.ratio", "cycle",
                   true, [w = s.word](P p) { return ratio(double(p.stall(w)), count(p, "IssueCycles")); }});

  section = "InstructionStats";
  add("Avg. Executed Instructions Per Scheduler", "smsp__inst_executed.avg", "inst", kCount,
      [](P p) { return count(p, "Instructions") / schedulers(p); });
  add("Executed Instructions", "smsp__inst_executed.sum", "inst", kCount, [](P p) { return count(p, "Instructions"); });
  add("Avg. Issued Instructions Per Scheduler", "smsp__inst_issued.avg", "inst", kTimed,
      [](P p) { return count(p, "IssueCycles") / schedulers(p); });
  add("Issued Instructions", "smsp__inst_issued.sum", "inst", kTimed, [](P p) { return count(p, "IssueCycles"); });
  add("Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active", "inst/cycle", kTimed,
      [](P p) { return ratio(count(p, "Instructions"), count(p, "SmActiveCycles")); });
  add("Executed Thread Instructions", "smsp__thread_inst_executed_pred_on.sum", "inst", kCount,
      [](P p) { return count(p, "ThreadInstructions"); });
  for (const char* unit : kUnits) {
    std::string word = unit;
    for (char& c : word) c = static_cast<char>(std::tolower(c));
    all.push_back({section, std::string("Executed ") + unit, "smsp__inst_executed_pipe_" + word + ".sum", "inst", false,
                   [unit](P p) { return double(p.executed(unit)); }});
    if (word != "tensor" && word != "ctl" && word != "warp" && word != "tex")
      all.push_back({section, std::string("Pipe Utilization ") + unit, "smsp__pipe_" + word + "_cycles_active.avg.pct",
                     "%", true, [unit](P p) { return pipe(p, unit); }});
  }

  section = "LaunchStats";
  add("Block Size", "launch__block_size", "", kCount, [](P p) { return double(p.threads()); });
  add("Grid Size", "launch__grid_size", "", kCount, [](P p) { return double(p.blocks()); });
  add("Registers Per Thread", "launch__registers_per_thread", "register/thread", kCount,
      [](P p) { return p.number("registers"); });
  add("Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic", "byte/block", kCount,
      [](P p) { return p.number("dynamic_shared_bytes"); });
  add("Static Shared Memory Per Block", "launch__shared_mem_per_block_static", "byte/block", kCount,
      [](P p) { return p.number("static_shared_bytes"); });
  add("Local Memory Per Thread", "launch__stack_size", "byte/thread", kCount,
      [](P p) { return p.number("local_bytes"); });
  add("# SMs", "launch__sm_count", "SM", kCount, [](P p) { return p.machine("sms"); });
  add("Threads", "launch__thread_count", "thread", kCount, [](P p) { return double(p.threads() * p.blocks()); });
  add("Waves Per SM", "launch__waves_per_multiprocessor", "", kCount, waves);
  add("Blocks Begun", "launch__blocks_begun", "block", kCount, [](P p) { return count(p, "Blocks"); });
  add("Warps Begun", "smsp__warps_launched.sum", "warp", kCount, [](P p) { return count(p, "Warps"); });

  section = "Occupancy";
  add("Block Limit SM", "launch__occupancy_limit_blocks", "block", kCount,
      [](P p) { return p.occupancy("limit_blocks"); });
  add("Block Limit Registers", "launch__occupancy_limit_registers", "block", kCount,
      [](P p) { return p.occupancy("limit_registers"); });
  add("Block Limit Shared Mem", "launch__occupancy_limit_shared_mem", "block", kCount,
      [](P p) { return p.occupancy("limit_shared"); });
  add("Block Limit Warps", "launch__occupancy_limit_warps", "block", kCount,
      [](P p) { return p.occupancy("limit_warps"); });
  add("Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle", "warp", kCount,
      [](P p) { return p.occupancy("warps"); });
  add("Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct", "%", kCount,
      [](P p) { return percent(p.occupancy("warps"), p.machine("warps_per_sm")); });
  add("Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", "%", kTimed,
      [](P p) { return percent(count(p, "WarpCycles"), count(p, "SmActiveCycles") * p.machine("warps_per_sm")); });
  add("Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active", "warp", kTimed,
      [](P p) { return ratio(count(p, "WarpCycles"), count(p, "SmActiveCycles")); });

  section = "SourceCounters";
  add("Branch Instructions Ratio", "smsp__inst_executed_op_branch_per_inst.ratio", "", kCount,
      [](P p) { return ratio(branches(p), count(p, "Instructions")); });
  add("Branch Instructions", "smsp__inst_executed_op_branch.sum", "inst", kCount, branches);
  add("Branch Efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct", "%", kCount,
      [](P p) { return percent(branches(p) - divergent(p), branches(p)); });
  add("Divergent Branches", "smsp__sass_branch_targets_threads_divergent.sum", "branch", kCount, divergent);
  add("Avg. Divergent Branches", "smsp__sass_branch_targets_threads_divergent.avg", "branch", kCount,
      [](P p) { return divergent(p) / schedulers(p); });
  add("Excess Global Sectors", "smsp__sectors_excess_mem_global.sum", "sector", kCount,
      [](P p) { return over_lines(p, "", [](const Line& l) { return l.excess_sectors(); }); });
  add("Excess Shared Wavefronts", "smsp__wavefronts_excess_mem_shared.sum", "wavefront", kCount,
      [](P p) { return over_lines(p, "", [](const Line& l) { return l.excess_wavefronts(); }); });
  for (Metric& m : roofline_metrics()) all.push_back(std::move(m));
  return all;
}

}  // namespace

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all = make();
  return all;
}

}  // namespace heddle::tools::prof
