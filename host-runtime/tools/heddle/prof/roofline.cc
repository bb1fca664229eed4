// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/prof/roofline.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace heddle::tools::prof {
namespace {

using P = const Profile&;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double ratio(double a, double b) { return b > 0 ? a / b : kNothing; }
double count(P p, const char* name) { return double(p.counter(name)); }
double cycles_a_second(P p) { return 1000 * p.machine("clock_khz"); }
double a_second(P p, double what) { return ratio(what, count(p, "Cycles")) * cycles_a_second(p); }

// Operations by opcode, of a thread.
struct Opcode {
  const char *mnemonic, *kind;
  double operations;
};
constexpr Opcode kOpcodes[] = {
    {"FADD", "fp32", 1},  {"FMUL", "fp32", 1},  {"FFMA", "fp32", 2},   // a number
    {"DADD", "fp64", 1},  {"DMUL", "fp64", 1},  {"DFMA", "fp64", 2},   // a number
    {"HADD2", "fp16", 2}, {"HMUL2", "fp16", 2}, {"HFMA2", "fp16", 4},  // two halves
};

// HMMA: 16 x 8 results of K products and sums; of sparse operands, K counts those that are there.
double of_matrices(const std::string& text) {
  const bool half = text.find(".HALF_K") != std::string::npos, tf32 = text.find(".TF32") != std::string::npos;
  return 2.0 * 16 * 8 * (tf32 ? 8 : 16) / (half ? 2 : 1);
}

bool is(const char* a, const char* b) { return std::strcmp(a, b) == 0; }

}  // namespace

Operations operations(const Line& line) {
  if (line.mnemonic == "HMMA") return {"tensor", 0, of_matrices(line.text)};
  if (line.mnemonic == "DMMA") return {"fp64", 0, 2.0 * 8 * 8 * 4};  // the FP64 lanes do it
  for (const Opcode& o : kOpcodes)
    if (line.mnemonic == o.mnemonic) return {o.kind, o.operations, 0};
  return {};
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {{"fp32", "FP32"}, {"fp64", "FP64"}, {"fp16", "FP16"}, {"tensor", "Tensor"}};
  return all;
}

double work(P p, const char* kind) {
  double sum = 0;
  for (const Line& l : p.lines())
    if (const Operations o = operations(l); is(o.kind, kind))
      sum += o.thread * double(l.threads) + o.warp * double(l.executed);
  return sum;
}

double peak_a_cycle(P p, const char* kind) {
  // A lane does a fused product and sum a cycle, one of half precision two.
  const double lane = is(kind, "fp32")   ? 2 * p.lanes("Fp32")
                      : is(kind, "fp64") ? 2 * p.lanes("Fp64")
                      : is(kind, "fp16") ? 4 * p.lanes("Fp16")
                                         : 2 * p.json().at("preset").value("tensor_fma", 0.0);
  return lane * p.machine("sub_partitions") * p.machine("sms");
}

const std::vector<Level>& levels() {
  static const std::vector<Level> all = {{"dram", "DRAM"}, {"l2", "L2"}, {"l1", "L1"}};
  return all;
}

double moved(P p, const char* level) {
  if (is(level, "dram")) return count(p, "DramReadBytes") + count(p, "DramWriteBytes");
  if (is(level, "l2")) return 32 * (count(p, "L2Reads") + count(p, "L2Writes") + count(p, "L2Atomics"));
  double sectors = 0;
  for (const char* name :
       {"GlobalLoadSectors", "GlobalStoreSectors", "GlobalAtomicSectors", "LocalLoadSectors", "LocalStoreSectors"})
    sectors += count(p, name);
  return 32 * sectors;
}

double bandwidth_a_cycle(P p, const char* level) {
  if (is(level, "dram")) return std::min(p.machine("dram_bytes_per_cycle"), p.machine("l2_port_bytes"));
  if (is(level, "l2")) return 32 * p.l2_slices();  // a sector each
  return 4 * p.lanes("Lsu") * p.machine("sms");
}

std::vector<Metric> roofline_metrics() {
  std::vector<Metric> all;
  const auto add = [&](const std::string& name, const std::string& raw, const char* unit, bool timed, auto value) {
    all.push_back({"SpeedOfLight_RooflineChart", name, raw, unit, timed, value});
  };
  for (const Kind& k : kinds()) {
    const char* id = k.id;
    const bool always = is(id, "fp32") || is(id, "fp64");
    const auto here = [=](P p) { return peak_a_cycle(p, id) > 0 && (always || work(p, id) > 0); };
    const std::string raw = std::string("smsp__ops_") + id, name = k.name;
    add(name + " Work", raw + ".sum", "flop", false, [=](P p) { return here(p) ? work(p, id) : kNothing; });
    add(name + " Achieved Work", raw + ".sum.per_second", "flop/second", true,
        [=](P p) { return here(p) ? a_second(p, work(p, id)) : kNothing; });
    add(name + " Peak Work", raw + ".sum.peak_sustained_per_second", "flop/second", true,
        [=](P p) { return here(p) ? peak_a_cycle(p, id) * cycles_a_second(p) : kNothing; });
    add(name + " Of Peak", raw + ".sum.pct_of_peak_sustained_elapsed", "%", true,
        [=](P p) { return here(p) ? 100 * ratio(work(p, id), count(p, "Cycles") * peak_a_cycle(p, id)) : kNothing; });
    for (const Level& l : levels()) {
      const char* level = l.id;
      add(name + " Arithmetic Intensity " + l.name, raw + "_per_" + level + "_byte.ratio", "flop/byte",
          !is(level, "l1"), [=](P p) { return here(p) ? ratio(work(p, id), moved(p, level)) : kNothing; });
    }
  }
  for (const Level& l : levels()) {
    const char* level = l.id;
    const std::string raw = std::string("roofline__") + level + "_bytes";
    add(std::string(l.name) + " Achieved Traffic", raw + ".sum.per_second", "byte/second", true,
        [=](P p) { return a_second(p, moved(p, level)); });
    add(std::string(l.name) + " Peak Traffic", raw + ".sum.peak_sustained_per_second", "byte/second", true,
        [=](P p) { return bandwidth_a_cycle(p, level) * cycles_a_second(p); });
  }
  return all;
}

}  // namespace heddle::tools::prof
