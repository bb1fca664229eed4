// SPDX-License-Identifier: Apache-2.0
// The roofline's numbers, on profiles made by hand.
#include <gtest/gtest.h>

#include "host-runtime/tools/heddle/prof/advice.h"
#include "host-runtime/tools/heddle/prof/pages.h"
#include "host-runtime/tools/heddle/prof/roofline.h"
#include "tests/unit/tools/prof_profile.h"

namespace heddle::tools::prof {
namespace {

nlohmann::json line(const char* mnemonic, const char* text, const char* unit, uint64_t executed, uint64_t threads) {
  return {{"pc", 64},
          {"text", text},
          {"mnemonic", mnemonic},
          {"unit", unit},
          {"executed", executed},
          {"threads", threads},
          {"active_threads", threads},
          {"sectors", 0},
          {"wavefronts", 0},
          {"stalls", nlohmann::json::object()}};
}

// Arithmetic of each kind, on a machine that has units for it.
nlohmann::json computing(bool clock = true) {
  auto j = made(clock);
  j["preset"]["lanes"]["Fp64"] = 8;
  j["preset"]["lanes"]["Fp16"] = 16;
  j["preset"]["tensor_fma"] = 256;
  for (const auto& l :
       {line("FFMA", "FFMA R0, R1, R2, R3", "Fp32", 100, 3200), line("FADD", "FADD R0, R1, R2", "Fp32", 10, 200),
        line("FSETP", "FSETP.LT P0, PT, R1, R2", "Fp32", 10, 320), line("MUFU", "MUFU.RCP R1, R2", "Sfu", 10, 320),
        line("DFMA", "DFMA R0, R2, R4, R6", "Fp64", 10, 320), line("DADD", "DADD R0, R2, R4", "Fp64", 10, 160),
        line("HFMA2", "HFMA2 R0, R1, R2, R3", "Fp16", 5, 160)})
    j["lines"].push_back(l);
  return j;
}

double of(const char* raw, const Profile& p) { return value_of(raw, p); }

const Metric& metric(const std::string& raw) {
  for (const Metric& m : metrics())
    if (m.raw == raw) return m;
  throw std::runtime_error(raw);
}

TEST(ProfRoofline, CountsWhatThreadsCompute) {
  const Profile p(computing());
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp32.sum", p), 2 * 3200 + 200);
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp64.sum", p), 2 * 320 + 160);
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp16.sum", p), 4 * 160);
  EXPECT_FALSE(value_of(metric("smsp__ops_tensor.sum"), p));            // nothing of this kind
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp32.sum.per_second", p), 6.6 * 1e9);  // 1000 cycles at 1 GHz
}

TEST(ProfRoofline, PeaksAreThoseOfThePreset) {
  const Profile p(computing());
  // 2 SMs of 4 sub-partitions.
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp32.sum.peak_sustained_per_second", p), 2 * 16 * 8 * 1e9);
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp64.sum.peak_sustained_per_second", p), 2 * 8 * 8 * 1e9);
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp16.sum.peak_sustained_per_second", p), 4 * 16 * 8 * 1e9);
  EXPECT_DOUBLE_EQ(peak_a_cycle(p, "tensor"), 2 * 256 * 8);
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp32.sum.pct_of_peak_sustained_elapsed", p), 100 * 6.6 / 256);
  EXPECT_DOUBLE_EQ(of("roofline__dram_bytes.sum.peak_sustained_per_second", p), 32e9);  // of the port
  EXPECT_DOUBLE_EQ(of("roofline__l2_bytes.sum.peak_sustained_per_second", p), 32e9);
  EXPECT_DOUBLE_EQ(of("roofline__l1_bytes.sum.peak_sustained_per_second", p), 2 * 128e9);
  EXPECT_DOUBLE_EQ(of("roofline__l2_bytes.sum.per_second", p), 6.4e9);
}

TEST(ProfRoofline, IntensityIsWorkAByteOfEachMemory) {
  const Profile p(computing());
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp32_per_dram_byte.ratio", p), 6600.0 / 16000);
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp32_per_l2_byte.ratio", p), 6600.0 / 6400);
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp64_per_l1_byte.ratio", p), 800.0 / 51200);
  auto still = computing();
  still["counters"]["DramReadBytes"] = still["counters"]["DramWriteBytes"] = 0;
  EXPECT_FALSE(value_of(metric("smsp__ops_fp32_per_dram_byte.ratio"), Profile(still)));  // no byte, no ratio
}

TEST(ProfRoofline, MatricesCountByTheirShape) {
  const auto a_warp = [](const char* text) {
    Line l;
    l.mnemonic = "HMMA", l.text = text;
    return operations(l).warp;
  };
  EXPECT_EQ(a_warp("HMMA.F16 R12, R0, R4, R8"), 4096);
  EXPECT_EQ(a_warp("HMMA.BF16.HALF_K R12, R0, R4, R8"), 2048);
  EXPECT_EQ(a_warp("HMMA.TF32 R12, R0, R4, R8"), 2048);
  EXPECT_EQ(a_warp("HMMA.TF32.HALF_K R12, R0, R4, R8"), 1024);
  Line doubles;
  doubles.mnemonic = "DMMA";
  EXPECT_EQ(operations(doubles).warp, 512);
  EXPECT_STREQ(operations(doubles).kind, "fp64");
  auto j = computing();
  j["lines"].push_back(line("HMMA", "HMMA.F16 R12, R0, R4, R8", "Tensor", 100, 3200));
  const Profile p(j);
  EXPECT_DOUBLE_EQ(of("smsp__ops_tensor.sum", p), 409600);
  EXPECT_DOUBLE_EQ(of("smsp__ops_tensor.sum.pct_of_peak_sustained_elapsed", p), 10);
}

TEST(ProfRoofline, AUnitThatIsNotThereHasNoPeak) {
  const Profile p(made());  // without FP64
  for (const Metric& m : roofline_metrics()) EXPECT_FALSE(m.name.starts_with("FP64") && value_of(m, p)) << m.name;
}

TEST(ProfRoofline, IsToldInWordsAndLeftOutWithoutAClock) {
  const Profile p(computing());
  const std::string page = text(p, Page::Details, sections());
  EXPECT_NE(page.find("    Section: GPU Speed Of Light Roofline Chart\n"), std::string::npos);
  EXPECT_NE(page.find("The ratio of peak FP32 to FP64 performance on this device is 2:1. The kernel achieved 2.58%"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("6.60"), std::string::npos);
  const Profile still(computing(false));
  EXPECT_DOUBLE_EQ(of("smsp__ops_fp32.sum", still), 6600);  // needs none
  for (const Metric& m : roofline_metrics()) EXPECT_FALSE(m.timed && value_of(m, still)) << m.name;
  for (const Advice& a : advice(still)) EXPECT_STRNE(a.section, "SpeedOfLight_RooflineChart");
}

}  // namespace
}  // namespace heddle::tools::prof
