// SPDX-License-Identifier: Apache-2.0
// Metrics, advice and pages of a profile made by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "host-runtime/tools/heddle/prof/advice.h"
#include "host-runtime/tools/heddle/prof/options.h"
#include "tests/unit/tools/prof_profile.h"

namespace heddle::tools::prof {
namespace {

double of(const char* raw, const Profile& p) { return value_of(raw, p); }

TEST(ProfMetrics, FollowTheirFormulas) {
  const Profile p(made());
  EXPECT_DOUBLE_EQ(of("gpc__cycles_elapsed.max", p), 1000);
  EXPECT_DOUBLE_EQ(of("gpu__time_duration.sum", p), 1e-6);
  EXPECT_DOUBLE_EQ(of("sm__cycles_active.avg", p), 800);
  EXPECT_DOUBLE_EQ(of("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", p), 50);  // of the port's 32 bytes
  EXPECT_DOUBLE_EQ(of("lts__throughput.avg.pct_of_peak_sustained_elapsed", p), 20);
  EXPECT_DOUBLE_EQ(of("l1tex__throughput.avg.pct_of_peak_sustained_active", p), 25);
  EXPECT_DOUBLE_EQ(of("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", p), 50);
  EXPECT_DOUBLE_EQ(of("sm__throughput.avg.pct_of_peak_sustained_elapsed", p),
                   6.25);  // 250 of the integer unit, 2 cycles each
  EXPECT_DOUBLE_EQ(of("dram__bytes.sum.per_second", p), 16e9);
  EXPECT_DOUBLE_EQ(of("l1tex__t_sector_hit_rate.pct", p), 25);
  EXPECT_DOUBLE_EQ(of("lts__t_sector_hit_rate.pct", p), 25);
  EXPECT_DOUBLE_EQ(of("smsp__issue_active.avg.pct", p), 10);
  EXPECT_DOUBLE_EQ(of("smsp__warps_active.avg.per_cycle_active", p), 1);
  EXPECT_DOUBLE_EQ(of("smsp__warps_eligible.avg.per_cycle_active", p), 0.1);
  EXPECT_DOUBLE_EQ(of("smsp__average_warp_latency_per_inst_issued.ratio", p), 10);
  EXPECT_DOUBLE_EQ(of("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", p), 7.5);
  EXPECT_DOUBLE_EQ(of("sm__warps_active.avg.pct_of_peak_sustained_active", p), 100 * 4000.0 / 1600 / 64);
}

TEST(ProfMetrics, ThatNeedNoClock) {
  const Profile p(made(false));
  EXPECT_DOUBLE_EQ(of("smsp__thread_inst_executed_per_inst_executed.ratio", p), 24);
  EXPECT_DOUBLE_EQ(of("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", p), 16);
  EXPECT_DOUBLE_EQ(of("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", p), 16);
  EXPECT_DOUBLE_EQ(of("l1tex__average_wavefronts_per_request_mem_shared_op_ld.ratio", p), 4);
  EXPECT_DOUBLE_EQ(of("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", p), 100);  // 2 of 4 are needed
  EXPECT_DOUBLE_EQ(of("smsp__sectors_excess_mem_global.sum", p), 1200);
  EXPECT_DOUBLE_EQ(of("smsp__inst_executed_pipe_lsu.sum", p), 150);
  EXPECT_DOUBLE_EQ(of("launch__waves_per_multiprocessor", p), 4.0 / 32);
  EXPECT_DOUBLE_EQ(of("sm__maximum_warps_per_active_cycle_pct", p), 50);
  EXPECT_DOUBLE_EQ(of("launch__shared_mem_per_block_dynamic", p), 256);
  for (const Metric& m : metrics()) EXPECT_FALSE(m.timed && value_of(m, p)) << m.name;
}

TEST(ProfMetrics, WhatAFileDoesNotHaveHasNoValue) {
  auto j = made();
  j["counters"]["LinkReadBytes"] = 640;
  EXPECT_DOUBLE_EQ(of("l1tex__m_xbar2l1tex_read_bytes.sum", Profile(j)), 640);
  j["counters"].erase("LinkReadBytes");
  for (const Metric& m : metrics())
    if (m.raw == "l1tex__m_xbar2l1tex_read_bytes.sum") EXPECT_EQ(value_of(m, Profile(j)), std::nullopt);
  EXPECT_FALSE(text(Profile(j), Page::Raw, sections()).empty());
}

TEST(ProfMetrics, SharedMemoryIsPartOfMemorysThroughput) {
  auto j = made();
  j["counters"]["SharedLoadWavefronts"] = 1400, j["counters"]["SharedStoreWavefronts"] = 40;
  const Profile p(j);
  EXPECT_DOUBLE_EQ(of("l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_active", p), 90);
  EXPECT_DOUBLE_EQ(of("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", p), 90);
  const auto all = advice(p);
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const Advice& a) {
    return a.text.find(
               "Memory limits this kernel (compute throughput 6.25%, memory throughput 90%, that of shared memory)") !=
           std::string::npos;
  }));
  // Registers that come in slices of 8 lanes: each request takes 4 cycles.
  j["preset"]["lanes"]["Lsu"] = 8, j["counters"]["SharedLoads"] = 380, j["counters"]["SharedStores"] = 0;
  EXPECT_DOUBLE_EQ(of("l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_active", Profile(j)), 95);
}

TEST(ProfMetrics, ARatioToNothingIsNoValue) {
  auto j = made();
  for (auto& c : j["counters"]) c = 0;
  const Profile p(std::move(j));
  for (const Metric& m : metrics())
    EXPECT_FALSE((m.raw.find("hit_rate") != std::string::npos || m.raw.find("per_request") != std::string::npos) &&
                 value_of(m, p))
        << m.raw;
  EXPECT_FALSE(text(p, Page::Details, sections()).empty());
}

TEST(ProfMetrics, HaveNamesOfTheirOwnAndASection) {
  std::set<std::string> raw, names;
  for (const Metric& m : metrics()) {
    EXPECT_TRUE(raw.insert(m.raw).second) << m.raw;
    EXPECT_TRUE(names.insert(m.section + m.name).second) << m.name;
    EXPECT_TRUE(std::any_of(sections().begin(), sections().end(), [&](const Section& s) {
      return std::string(s.id) == m.section;
    })) << m.section;
  }
}

TEST(ProfMetrics, AreShownInUnitsToRead) {
  const auto shown = [](double value, const char* unit) {
    const Shown s = show(value, unit);
    return s.value + " " + s.unit;
  };
  EXPECT_EQ(shown(1234567, "cycle"), "1,234,567 cycle");
  EXPECT_EQ(shown(0.25, "%"), "0.25 %");
  EXPECT_EQ(shown(6978.987, "cycle"), "6,978.99 cycle");
  EXPECT_EQ(shown(1.5e-6, "second"), "1.50 us");
  EXPECT_EQ(shown(2, "second"), "2 s");
  EXPECT_EQ(shown(16e9, "byte/second"), "16 Gbyte/s");
  EXPECT_EQ(shown(999, "byte"), "999 byte");
}

std::string kinds(const std::vector<Advice>& all, const char* section) {
  std::string found;
  for (const Advice& a : all)
    if (std::string(a.section) == section) found += std::string(a.kind) + " " + a.text + "\n";
  return found;
}

TEST(ProfAdvice, HasItsNumbers) {
  const auto all = advice(Profile(made()));
  EXPECT_NE(kinds(all, "SpeedOfLight").find("compute throughput 6.25%, memory throughput 50%"), std::string::npos);
  EXPECT_NE(kinds(all, "SchedulerStats").find("every 10 cycles"), std::string::npos);
  EXPECT_NE(kinds(all, "WarpStateStats").find("Long Scoreboard is 75% of the 10 cycles"), std::string::npos);
  EXPECT_NE(kinds(all, "WarpStateStats").find("24 threads of 32"), std::string::npos);
  EXPECT_NE(kinds(all, "MemoryWorkloadAnalysis_Tables").find("1,200 of 1,600 sectors (75%)"), std::string::npos);
  EXPECT_NE(kinds(all, "MemoryWorkloadAnalysis_Tables").find("100 of 200 wavefronts of shared memory (50%)"),
            std::string::npos);
  EXPECT_NE(kinds(all, "Occupancy").find("50%: 16 blocks an SM, limited by shared memory."), std::string::npos);
}

TEST(ProfAdvice, SaysNothingOfTimeWithoutAClock) {
  for (const Advice& a : advice(Profile(made(false)))) EXPECT_EQ(a.text.find("cycles"), std::string::npos) << a.text;
}

TEST(ProfPages, ShowTheSameLaunchInEachForm) {
  const std::vector<Profile> one = {Profile(made())};
  const std::string details = text(one[0], Page::Details, sections());
  EXPECT_TRUE(details.starts_with("  add(int*) (4, 1, 1)x(64, 1, 1), Device rtl, Preset cc80, CC 8.0\n"));
  EXPECT_NE(details.find("    Elapsed Cycles"), std::string::npos);
  EXPECT_NE(details.find("add.cu:3"), std::string::npos);
  EXPECT_NE(details.find("long_scoreboard"), std::string::npos);
  const std::string lines = text(one[0], Page::Source, sections());
  EXPECT_LT(lines.find("LDG.32"), lines.find("IADD"));
  const std::string table = csv(one, Page::Details, sections());
  EXPECT_NE(table.find("\"7\",\"add(int*)\",\"(64, 1, 1)\",\"(4, 1, 1)\",\"rtl\",\"cc80\",\"1\",\"GPU Speed Of Light "
                       "Throughput\",\"Elapsed Cycles\",\"cycle\",\"1000\"\n"),
            std::string::npos);
  const auto j = nlohmann::json::parse(json(one, Page::Raw, sections()));
  EXPECT_EQ(j[0]["metrics"]["gpc__cycles_elapsed.max"], 1000);
  EXPECT_EQ(nlohmann::json::parse(json(one, Page::Source, sections()))[0]["lines"].size(), 3u);
  EXPECT_FALSE(nlohmann::json::parse(json(one, Page::Details, sections()))[0]["advice"].empty());
}

// The launch, with PTX below two lines of the program, and a branch.
nlohmann::json with_ptx() {
  auto j = made();
  const auto put = [&](size_t n, uint32_t line, uint32_t ptx_line, const char* ptx, uint64_t divergent) {
    auto& l = j["lines"][n];
    l["file"] = "/src/add.cu", l["line"] = line, l["ptx_line"] = ptx_line, l["ptx"] = ptx, l["divergent"] = divergent;
  };
  put(0, 3, 20, "ld.global.u32 %r1, [%rd1];", 0);
  put(1, 4, 21, "@%p1 bra $L1;", 50);
  put(2, 3, 20, "ld.global.u32 %r1, [%rd1];", 0);
  j["lines"][1]["mnemonic"] = "BRA";
  return j;
}

TEST(ProfMetrics, BranchesThatDiverge) {
  const Profile p(with_ptx());
  EXPECT_DOUBLE_EQ(of("smsp__inst_executed_op_branch.sum", p), 250);
  EXPECT_DOUBLE_EQ(of("smsp__sass_average_branch_targets_threads_uniform.pct", p), 80);
  EXPECT_DOUBLE_EQ(of("smsp__sass_branch_targets_threads_divergent.sum", p), 50);
  EXPECT_DOUBLE_EQ(of("smsp__sass_branch_targets_threads_divergent.avg", p), 50.0 / 8);
  // What a profile does not tell has no value.
  for (const Metric& m : metrics())
    if (m.name.find("Divergent") != std::string::npos || m.name == "Branch Efficiency")
      EXPECT_FALSE(value_of(m, Profile(made()))) << m.name;
  EXPECT_NE(kinds(advice(p), "SourceCounters").find("OPT 50 of 250 branches (20%) diverge"), std::string::npos);
  EXPECT_EQ(kinds(advice(Profile(made())), "SourceCounters"), "");
}

TEST(ProfPages, SourceHasThePtxOfEachInstruction) {
  const std::vector<Profile> one = {Profile(with_ptx())};
  const std::string table = text(one[0], Page::Source, sections());
  EXPECT_NE(table.find("add.cu:3 20: ld.global.u32 %r1, [%rd1]; LDG.32 R4, [R12+0]"), std::string::npos) << table;
  EXPECT_NE(
      csv(one, Page::Source, sections())
          .find("\"\",\"8\",\"/src/add.cu:4\",\"21\",\"@%p1 bra $L1;\",\"IADD R4, R4, 1\",\"Int\",\"250\",\"1600\","
                "\"4800\",\"50\",\"0\",\"0\",\"250\""),
      std::string::npos);
  const auto lines = nlohmann::json::parse(json(one, Page::Source, sections()))[0]["lines"];
  EXPECT_EQ(lines[1]["ptx"], "@%p1 bra $L1;");
  EXPECT_EQ(lines[1]["ptx_line"], 21);
  // A profile without PTX has no column for it.
  EXPECT_EQ(text(Profile(made()), Page::Source, sections()).find("PTX"), std::string::npos);
}

TEST(ProfPages, SourceMayHaveARowAStatementOrALine) {
  auto j = with_ptx();
  j["lines"].push_back(j["lines"][2]);  // of another function, whose PTX has the same number of lines
  j["lines"][3]["function"] = "other(int)", j["lines"][3]["line"] = 9;
  const std::vector<Profile> one = {Profile(std::move(j))};
  const auto rows = [&](Page page) { return nlohmann::json::parse(json(one, page, sections()))[0]["lines"]; };
  const auto ptx = rows(Page::SourcePtx);
  ASSERT_EQ(ptx.size(), 3u);
  EXPECT_EQ(ptx[0]["ptx_line"], 20);
  EXPECT_EQ(ptx[0]["executed"], 150);
  EXPECT_EQ(ptx[0]["wavefronts"], 200);
  EXPECT_EQ(ptx[1]["divergent"], 50);
  EXPECT_EQ(ptx[1]["stalls"]["long_scoreboard"], 3000);
  EXPECT_EQ(ptx[2]["function"], "other(int)");
  EXPECT_EQ(ptx[2]["executed"], 50);
  const auto cuda = rows(Page::SourceCuda);
  ASSERT_EQ(cuda.size(), 3u);
  EXPECT_EQ(cuda[0]["line"], 3);
  EXPECT_EQ(cuda[0]["executed"], 150);
  EXPECT_FALSE(cuda[0].contains("ptx"));
  EXPECT_EQ(cuda[2]["line"], 9);
  const std::string table = text(one[0], Page::SourcePtx, sections());
  EXPECT_EQ(table.find("LDG"), std::string::npos);
  EXPECT_LT(table.find("20: ld.global"), table.find("21: @%p1 bra"));
  EXPECT_NE(csv(one, Page::SourcePtx, sections()).find("\"20\",\"ld.global.u32 %r1, [%rd1];\",\"\",\"\",\"150\""),
            std::string::npos);
}

TEST(ProfFiles, DamageIsNamedAndACutEndLeftOut) {
  const std::string line = made().dump();
  const auto cut = parse(line + "\n" + line.substr(0, 50));
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->partial);
  EXPECT_EQ(cut->launches.size(), 1u);
  const auto damaged = parse(line + "\n{\"profile\":1}\n");
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().message().find("line 2: no whole profile"), std::string::npos) << damaged.error().message();
  EXPECT_FALSE(parse("GIF89a\n"));
  EXPECT_FALSE(parse("{\"profile\":2}\n"));
  EXPECT_TRUE(parse("")->launches.empty());
}

TEST(ProfOptions, ChooseSectionsAndLaunches) {
  Options o;
  o.page = "source";
  EXPECT_EQ(*page(o), Page::Source);
  o.print_source = "ptx";
  EXPECT_EQ(*page(o), Page::SourcePtx);
  o.print_source = "cuda";
  EXPECT_EQ(*page(o), Page::SourceCuda);
  o.print_source = "c";
  EXPECT_FALSE(page(o));
  EXPECT_EQ(sections(o)->size(), sections().size());
  o.set = "basic";
  EXPECT_EQ(sections(o)->size(), 3u);
  o.section = {"occupancy", "regex:^Memory"};
  ASSERT_EQ(sections(o)->size(), 3u);
  EXPECT_STREQ((*sections(o))[2].id, "Occupancy");
  o.section = {"Caches"};
  EXPECT_NE(sections(o).error().message().find("known: SpeedOfLight"), std::string::npos);
  o.section = {"regex:("};
  EXPECT_FALSE(sections(o));
  o.launch_skip = 1;
  o.launch_count = 1;
  const std::vector<Profile> three(3, Profile(made()));
  EXPECT_EQ(choose(three, o)->size(), 1u);
  o.kernel_name = "add";
  EXPECT_EQ(choose(three, o)->size(), 1u);
  o.kernel_name = "ad";  // the whole word
  EXPECT_EQ(choose(three, o)->size(), 0u);
  o.kernel_name = "regex:(";
  EXPECT_FALSE(choose(three, o));
}

}  // namespace
}  // namespace heddle::tools::prof
