// SPDX-License-Identifier: Apache-2.0
// heddle bench: well-known kernels, and kernels with one limit each, on the RTL alone and in lockstep, results checked;
// and what a launch costs the host.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/bench/works.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/session.h"
#include "host-runtime/tools/heddle/summary.h"

namespace heddle::tools {
namespace {

using bench::Benchmark;
using bench::blocks;
using bench::Bound;
using bench::Bytes;
using bench::Work;

constexpr const char *kLaunchAndWait = "launch_and_wait", *kSubmit = "submit";

struct Measured {
  driver::KernelRun run;
  double cpu_seconds = 0, wall_seconds = 0;
  bool checked = false;  // the result is what the host computes
};

// The result is what the host computes, or near it where the work says so.
bool is_right(const Work& w, const Bytes& out) {
  if (w.near == 0) return out == w.expected;
  for (size_t at = 0; at < out.size(); at += sizeof(float)) {
    float is, should;
    std::memcpy(&is, &out[at], sizeof is);
    std::memcpy(&should, &w.expected[at], sizeof should);
    if (!(std::fabs(is - should) <= w.near * std::max(1.0f, std::fabs(should)))) return false;
  }
  return true;
}

double cpu_now() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) / 1e6; };
  return seconds(r.ru_utime) + seconds(r.ru_stime);
}

// As much as the L2 holds: it writes back what it had.
Result<void> read_other_memory(driver::Context& c) {
  Bytes other(static_cast<size_t>(c.preset().structure.l2_bytes));
  auto place = c.memory().allocate(other.size());
  if (!place) return place.error();
  if (auto s = c.copies().copy_out(other.data(), *place, other.size()); !s) return s.error();
  return c.waits().synchronize();
}

// Everything a program would do is in the time: opening the device, compiling, copies, the launch.
Result<Measured> measure(const Work& w, const std::string& device, const std::string& preset) {
  using Clock = std::chrono::steady_clock;
  const double cpu = cpu_now();
  const auto begin = Clock::now();
  auto context = open_context(device, preset);
  if (!context) return context.error();
  driver::Context& c = **context;
  auto module = load_ptx(c, "kernels.ptx", w.ptx);
  if (!module) return module.error();
  const driver::Kernel* kernel = (*module)->kernel(w.kernel);
  if (!kernel) return Error("no kernel '" + w.kernel + "'");
  struct {
    uint64_t a, b, c;
    int32_t n;
  } params{0, 0, 0, w.n};
  uint64_t* places[] = {&params.a, &params.b, &params.c};
  const Bytes* arrays[] = {&w.a, &w.b, &w.expected};
  for (int i = 0; i < 3; ++i) {
    if (arrays[i]->empty()) continue;
    auto place = c.memory().allocate(arrays[i]->size());
    if (!place) return place.error();
    *places[i] = *place;
  }
  Bytes out(w.expected.size());
  if (auto s = c.copies().copy_in(params.a, w.a.data(), w.a.size()); !s) return s.error();
  if (!w.b.empty())
    if (auto s = c.copies().copy_in(params.b, w.b.data(), w.b.size()); !s) return s.error();
  if (w.adds)
    if (auto s = c.copies().copy_in(params.c, out.data(), out.size()); !s) return s.error();
  if (w.clean)
    if (auto s = read_other_memory(c); !s) return s.error();
  if (auto s = c.launcher().launch(*kernel, w.shape, 0, &params); !s) return s.error();
  if (auto s = c.copies().copy_out(out.data(), params.c, out.size()); !s) return s.error();
  if (auto s = c.waits().synchronize(); !s) return s.error();
  if (auto s = c.check_lockstep(); !s) return s.error();
  Measured m;
  m.run = c.report().total;
  m.checked = is_right(w, out);
  context->reset();
  m.cpu_seconds = cpu_now() - cpu;
  m.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return m;
}

double limit_percent(const Bound& bound, const Measured& m) { return 100 * bound.cycles / double(m.run.cycles); }

double a_cycle(const Work& w, const Measured& m) { return w.amount / double(m.run.cycles); }

nlohmann::ordered_json entry(const std::string& name, const Work& w, const std::string& device, const Preset& preset,
                             const Measured& m) {
  const Bound bound = bench::bound_of(w, preset);
  return {{"name", name},
          {"device", device},
          {"preset", preset.name},
          {"cycles", m.run.cycles},
          {"thread_instructions", m.run.thread_instructions},
          {"warp_instructions", m.run.warp_instructions},
          {"cpu_seconds", m.cpu_seconds},
          {"wall_seconds", m.wall_seconds},
          {"amount_per_cycle", a_cycle(w, m)},
          {"amount_unit", bound.unit},
          {"limit", bound.name},
          {"limit_percent", limit_percent(bound, m)},
          {"khz", m.run.wall_seconds > 0 ? double(m.run.cycles) / m.run.wall_seconds / 1000 : 0.0},
          {"checked", m.checked}};
}

// What the host needs for a launch, apart from the kernel: on the golden model, of one that does next to nothing.
struct Rates {
  double launch_and_wait = 0, submit = 0;  // microseconds each; the middle one of kRounds
};

Result<Rates> measure_rates(const std::string& preset) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 15, kLaunches = 200;
  auto context = open_context("model", preset);
  if (!context) return context.error();
  driver::Context& c = **context;
  auto module = load_ptx(c, "kernels.ptx", bench::kKernels);
  if (!module) return module.error();
  const driver::Kernel* kernel = (*module)->kernel("vecadd");
  if (!kernel) return Error("no kernel 'vecadd'");
  const struct {
    uint64_t a, b, c;
    int32_t n;
  } nothing{0, 0, 0, 0};
  std::vector<double> waited, submitted;
  for (int round = 0; round < kRounds; ++round) {
    for (const bool wait : {true, false}) {
      const auto begin = Clock::now();
      for (int n = 0; n < kLaunches; ++n) {
        if (auto s = c.launcher().launch(*kernel, blocks(bench::kBlock), 0, &nothing); !s) return s.error();
        if (!wait) continue;
        if (auto s = c.waits().synchronize(); !s) return s.error();
      }
      const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
      (wait ? waited : submitted).push_back(took.count() / kLaunches);
      if (auto s = c.waits().synchronize(); !s) return s.error();
    }
  }
  for (auto* list : {&waited, &submitted}) std::nth_element(list->begin(), list->begin() + kRounds / 2, list->end());
  return Rates{waited[kRounds / 2], submitted[kRounds / 2]};
}

struct BenchOptions {
  std::string preset = "cc80", json, only;
  std::vector<std::string> devices = {"rtl", "lockstep"};
};

int run_benchmarks(const BenchOptions& o) {
  const auto preset = find_preset(o.preset);
  if (!preset) return print_error(preset.error().message()), 1;
  auto list = nlohmann::ordered_json::array();
  bool all_right = true;
  std::printf("%-15s %-9s %-6s %10s %13s %6s %11s %13s %8s %9s %9s %11s %s\n", "name", "device", "preset", "cycles",
              "thread-instr.", "IPC", "a cycle", "of its limit", "kHz", "CPU s", "wall s", "thread-i./s", "checked");
  const auto wanted = [&](const std::string& name) { return name.find(o.only) != std::string::npos; };
  const std::vector<Benchmark> all = bench::benchmarks(*preset);
  for (const Benchmark& b : all) {
    if (b.on_request ? b.name != o.only : !wanted(b.name)) continue;
    const Work w = b.work();
    for (const auto& device : o.devices) {
      const auto m = measure(w, device, o.preset);
      if (!m) return print_error(m.error().message()), 1;
      list.push_back(entry(b.name, w, device, *preset, *m));
      const Bound bound = bench::bound_of(w, *preset);
      char rate[32] = "-", of_limit[32] = "-";
      if (bound.cycles > 0) {
        std::snprintf(rate, sizeof rate, "%.1f %s", a_cycle(w, *m), bound.unit);
        std::snprintf(of_limit, sizeof of_limit, "%.1f%% %s", limit_percent(bound, *m), bound.name);
      }
      std::printf("%-15s %-9s %-6s %10llu %13llu %6.2f %11s %13s %8.0f %9.3f %9.3f %11s %s\n", b.name.c_str(),
                  device.c_str(), preset->name.c_str(), static_cast<unsigned long long>(m->run.cycles),
                  static_cast<unsigned long long>(m->run.thread_instructions), m->run.ipc(), rate, of_limit,
                  list.back()["khz"].get<double>(), m->cpu_seconds, m->wall_seconds,
                  short_number(double(m->run.thread_instructions) / m->cpu_seconds).c_str(), m->checked ? "yes" : "no");
      std::fflush(stdout);
      if (!m->checked) print_error(b.name + " on " + device + ": wrong result");
      all_right &= m->checked;
    }
  }
  if (wanted(kLaunchAndWait) || wanted(kSubmit)) {
    const auto rates = measure_rates(o.preset);
    if (!rates) return print_error(rates.error().message()), 1;
    for (const auto& [name, us] : {std::pair(kLaunchAndWait, rates->launch_and_wait), {kSubmit, rates->submit}}) {
      if (!wanted(name)) continue;
      list.push_back({{"name", name}, {"device", "model"}, {"preset", preset->name}, {"microseconds", us}});
      std::printf("%-15s %-9s %-6s %10.2f microseconds a launch\n", name, "model", preset->name.c_str(), us);
    }
  }
  if (list.empty()) {
    std::string names = std::string(kLaunchAndWait) + ", " + kSubmit;
    for (const Benchmark& b : all) names += ", " + b.name;
    return print_error("no benchmark '" + o.only + "' on " + preset->name + "; there are " + names), 2;
  }
  if (o.json.empty()) return all_right ? 0 : 1;
  const std::string text = list.dump(2) + "\n";
  if (auto ok = write_file(o.json, text.data(), text.size()); !ok) return print_error(ok.error().message()), 1;
  return all_right ? 0 : 1;
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto o = std::make_shared<BenchOptions>();
  CLI::App* c = app.add_subcommand(
      "bench",
      "cycles, what is done in a cycle, percent of the limit that binds (lanes of the unit, or a memory's bytes or "
      "atomics), kHz and CPU seconds of sgemm64, sgemm256 (8 x 8 results a thread), vecadd65536 and vecadd512k, "
      "dgemm64 (f64), "
      "hgemm64 "
      "(f16), special4096 (special functions), fma_stream, copy4m (float4), transpose1024, l2_reads, l1_reads, "
      "shared_reads, histogram256 (atomics on shared memory), atomics64 (f32 on 64 words of device memory), "
      "hgemm128_tensor, hgemm256_tensor and hgemm256x4096_tensor (f16 by the tensor unit), only by their whole names "
      "sgemm512, nbody8192 and gather256k; launch_and_wait "
      "and submit: microseconds that the host needs for a launch, on the golden model");
  c->add_option("--json", o->json, "write the table to this file as a list");
  c->add_option("--only", o->only,
                "the benchmarks whose name has this part; sgemm512, nbody8192 and gather256k by their whole names");
  c->add_option("--preset", o->preset, "name of a preset, or a .toml file")->capture_default_str();
  c->add_option("--device", o->devices, "devices, in this order")->delimiter(',')->capture_default_str();
  c->callback([o, &status] { status = run_benchmarks(*o); });
}

}  // namespace heddle::tools
