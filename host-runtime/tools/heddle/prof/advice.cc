// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/prof/advice.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "host-runtime/tools/heddle/prof/metrics.h"
#include "host-runtime/tools/heddle/prof/roofline.h"

namespace heddle::tools::prof {
namespace {

std::string number(double value, const char* unit = "") { return show(value, unit).value; }
std::string percent(double value) { return number(value) + "%"; }

// By stall: what helps.
const char* remedy(const std::string& word) {
  static const std::pair<const char*, const char*> all[] = {
      {"long_scoreboard",
       "Loads of global or local memory are waited for: access memory in whole sectors, keep what is used again in "
       "shared "
       "memory, or have more warps or independent instructions to run meanwhile."},
      {"short_scoreboard",
       "Results of shared memory, special functions or exchange between lanes are waited for: look for bank conflicts "
       "in "
       "the memory tables, and for special functions that can be moved out of loops."},
      {"wait", "Results of arithmetic are waited for: more independent instructions or warps hide their latency."},
      {"barrier", "Warps wait at barriers: balance the work between them, or use smaller blocks."},
      {"math_pipe_throttle", "A unit's instructions come faster than it takes them: the mix by unit shows which."},
      {"lg_throttle", "Instructions for global or local memory come faster than they are taken: use wider ones."},
      {"mio_throttle", "Instructions for shared memory or special functions come faster than they are taken."},
      {"no_instruction", "Instructions are waited for: the code is larger than its cache, or jumps much."},
      {"imc_miss", "Constants are waited for: the warps read many different ones."},
      {"branch_resolving", "Branches are waited for: unroll loops, or replace short branches by predicates."},
      {"not_selected", "Another warp issued instead: there are warps enough to hide latency."},
      {"membar", "Fences are waited for: use narrower scopes, or fewer."},
  };
  for (const auto& [name, text] : all)
    if (word == name) return text;
  return "";
}

class Adviser {
 public:
  explicit Adviser(const Profile& p) : p_(p) {}

  std::vector<Advice> all() {
    if (!p_.completed()) add("LaunchStats", "WRN", "The launch did not complete: these are the counts up to its end.");
    if (p_.has_clock()) {
      limits();
      roofline();
      schedulers();
      warps();
      achieved();
    }
    tables();
    divergence();
    branches();
    launch();
    occupancy();
    return std::move(advice_);
  }

 private:
  double value(const char* raw) const { return value_of(raw, p_); }
  void add(const char* section, const char* kind, const std::string& text) { advice_.push_back({section, kind, text}); }

  void limits() {
    const double compute = value("sm__throughput.avg.pct_of_peak_sustained_elapsed");
    const double memory = value("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
    const std::string both = "compute throughput " + percent(compute) + ", memory throughput " + percent(memory);
    if (compute < 60 && memory < 60)
      add("SpeedOfLight", "OPT",
          "Neither compute nor memory is used to 60% of its peak (" + both +
              "): latency limits this kernel. Look at Scheduler Statistics and Warp State Statistics.");
    else if (compute >= memory)
      add("SpeedOfLight", "OPT",
          "Compute limits this kernel (" + both + "): the mix by unit in Instruction Statistics shows which unit.");
    else
      add("SpeedOfLight", "OPT",
          "Memory limits this kernel (" + both + ", that of " + busiest_memory() +
              "): Memory Workload Analysis shows what is moved, and where.");
  }

  std::string busiest_memory() const {
    const std::pair<const char*, const char*> all[] = {
        {"DRAM", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
        {"the L2 cache", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
        {"the L1 cache", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
        {"shared memory", "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_active"}};
    return std::max_element(std::begin(all), std::end(all),
                            [&](const auto& a, const auto& b) { return value(a.second) < value(b.second); })
        ->first;
  }

  void roofline() {
    const double single = peak_a_cycle(p_, "fp32"), twice = peak_a_cycle(p_, "fp64");
    if (single <= 0) return;
    std::string text;
    if (twice > 0)
      text = "The ratio of peak FP32 to FP64 performance on this device is " + number(single / twice) + ":1. ";
    text += "The kernel achieved " + percent(value("smsp__ops_fp32.sum.pct_of_peak_sustained_elapsed")) +
            " of this device's FP32 peak performance";
    if (twice > 0)
      text += " and " + percent(value("smsp__ops_fp64.sum.pct_of_peak_sustained_elapsed")) +
              " of its FP64 peak performance";
    if (work(p_, "tensor") > 0)
      text += ", " + percent(value("smsp__ops_tensor.sum.pct_of_peak_sustained_elapsed")) + " of the tensor units'";
    add("SpeedOfLight_RooflineChart", "INF", text + ".");
  }

  void schedulers() {
    const double issued = value("smsp__issue_active.avg.per_cycle_active");
    if (issued >= 0.6 || issued <= 0) return;
    add("SchedulerStats", "OPT",
        "Each scheduler can issue an instruction a cycle, and issues one every " + number(1 / issued) + " cycles: of " +
            number(value("smsp__warps_active.avg.per_cycle_active")) + " active warps only " +
            number(value("smsp__warps_eligible.avg.per_cycle_active")) + " were eligible in a cycle.");
  }

  void warps() {
    uint64_t sum = 0, most = 0;
    std::string top;
    for (const Stall& s : stalls()) {
      const uint64_t cycles = p_.stall(s.word);
      sum += cycles;
      if (std::strcmp(s.word, "selected") != 0 && cycles > most) most = cycles, top = s.word;
    }
    if (sum == 0 || double(most) < 0.3 * double(sum)) return;
    const double share = 100 * double(most) / double(sum);
    add("WarpStateStats", top == "not_selected" ? "INF" : "OPT",
        title(top) + " is " + percent(share) + " of the " +
            number(value("smsp__average_warp_latency_per_inst_issued.ratio")) +
            " cycles between a warp's instructions. " + remedy(top));
  }

  void achieved() {
    const double theory = value("sm__maximum_warps_per_active_cycle_pct");
    const double real = value("sm__warps_active.avg.pct_of_peak_sustained_active");
    if (theory - real >= 10)
      add("Occupancy", "OPT",
          "Achieved occupancy is " + percent(real) + " where " + percent(theory) +
              " is possible: blocks or their warps end at different times, or the grid is small.");
  }

  void tables() {
    uint64_t sectors = 0, excess = 0, wavefronts = 0, conflicts = 0;
    for (const Line& l : p_.lines()) {
      sectors += l.sectors;
      excess += l.excess_sectors();
      wavefronts += l.wavefronts;
      conflicts += l.excess_wavefronts();
    }
    if (double(excess) > 0.1 * double(sectors))
      add("MemoryWorkloadAnalysis_Tables", "OPT",
          number(double(excess)) + " of " + number(double(sectors)) + " sectors (" +
              percent(100 * double(excess) / double(sectors)) +
              ") hold nothing else that the instruction needs: let neighbouring threads access neighbouring "
              "addresses.");
    if (double(conflicts) > 0.1 * double(wavefronts))
      add("MemoryWorkloadAnalysis_Tables", "OPT",
          number(double(conflicts)) + " of " + number(double(wavefronts)) + " wavefronts of shared memory (" +
              percent(100 * double(conflicts) / double(wavefronts)) +
              ") are bank conflicts: let the lanes of a warp access different banks, for instance by padding rows.");
    const double spills = value("l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum") +
                          value("l1tex__t_requests_pipe_lsu_mem_local_op_st.sum");
    if (spills > 0)
      add("MemoryWorkloadAnalysis_Tables", "INF",
          number(spills) +
              " requests are for local memory: spilled registers, or arrays that are indexed at run time.");
  }

  void divergence() {
    const double active = value("smsp__thread_inst_executed_per_inst_executed.ratio");
    const double on = value("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio");
    if (on > 0 && on < 24)
      add("WarpStateStats", "OPT",
          "An instruction is executed by " + number(active) + " threads of 32 on average, and for " + number(on) +
              " of them its predicate holds: threads of a warp take different ways, or blocks are not whole warps.");
  }

  void branches() {
    const double all = double(p_.branches()), divergent = double(p_.divergent().value_or(0));
    if (divergent > 0.1 * all)
      add("SourceCounters", "OPT",
          number(divergent) + " of " + number(all) + " branches (" + percent(100 * divergent / all) +
              ") diverge: the threads of a warp take different ways, which it goes one after the other. The page of "
              "sources says which.");
  }

  void launch() {
    const double sms = p_.machine("sms"), blocks = double(p_.blocks());
    if (p_.threads() % 32 != 0)
      add("LaunchStats", "OPT",
          "A block of " + number(double(p_.threads())) + " threads is not whole warps of 32: the last one has " +
              number(double(p_.threads() % 32)) + ".");
    if (blocks < sms) {
      add("LaunchStats", "OPT",
          "The grid has fewer blocks (" + number(blocks) + ") than the device has SMs (" + number(sms) +
              "): some are idle.");
      return;
    }
    const double wave = sms * p_.occupancy("blocks");
    if (wave <= 0) return;
    const auto full = static_cast<uint64_t>(blocks / wave),
               rest = static_cast<uint64_t>(blocks) % static_cast<uint64_t>(wave);
    if (full > 0 && rest > 0 && double(full) < 5)
      add("LaunchStats", "OPT",
          "The grid is " + number(double(full)) + " full waves and one of " + number(double(rest)) + " of " +
              number(wave) + " blocks, which takes up to " + percent(100.0 / double(full + 1)) + " of the time.");
  }

  void occupancy() {
    const double theory = value("sm__maximum_warps_per_active_cycle_pct");
    if (theory >= 100) return;
    std::string by;
    for (const auto& [name, what] : {std::pair{"limit_blocks", "the number of blocks"},
                                     {"limit_registers", "registers"},
                                     {"limit_shared", "shared memory"},
                                     {"limit_warps", "the number of warps"}})
      if (p_.occupancy(name) <= p_.occupancy("blocks")) by += (by.empty() ? "" : " and ") + std::string(what);
    add("Occupancy", "OPT",
        "Theoretical occupancy is " + percent(theory) + ": " + number(p_.occupancy("blocks")) +
            " blocks an SM, limited by " + (by.empty() ? "their warps' registers" : by) + ".");
  }

  const Profile& p_;
  std::vector<Advice> advice_;
};

}  // namespace

std::vector<Advice> advice(const Profile& profile) { return Adviser(profile).all(); }

}  // namespace heddle::tools::prof
