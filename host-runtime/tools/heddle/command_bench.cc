// SPDX-License-Identifier: Apache-2.0
// heddle bench: well-known kernels on the RTL alone and in lockstep, results checked; and what a launch costs the host.
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/bench/kernels.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/session.h"
#include "host-runtime/tools/heddle/summary.h"

namespace heddle::tools {
namespace {

constexpr uint32_t kMatrix = 64, kTile = 16;
constexpr uint32_t kVector = 65536, kSpecial = 4096, kVectorBlock = 256;
constexpr const char *kLaunchAndWait = "launch_and_wait", *kSubmit = "submit";

using Bytes = std::vector<unsigned char>;

// What a kernel can't be faster than, of the preset: lanes that multiply and add in a cycle, or memory's bytes.
enum class Limit { None, Fp32, Fp64, Fp16, Tensor, Memory };

// Inputs, launch and expected result of one benchmark.
struct Work {
  std::string name, kernel;
  Bytes a, b, expected;
  int n = 0;
  driver::LaunchShape shape;
  const char* ptx = bench::kKernels;
  Limit limit = Limit::None;
  double amount = 0;  // products, or bytes that go one way
};

struct Measured {
  driver::KernelRun run;
  double cpu_seconds = 0, wall_seconds = 0;
  bool checked = false;  // the result is what the host computes
};

template <typename T>
Bytes bytes(const std::vector<T>& v) {
  Bytes b(v.size() * sizeof(T));
  std::memcpy(b.data(), v.data(), b.size());
  return b;
}

// The same values on every machine: small multiples of `step`, 1/16 so that sums are exact in any
// order.
template <typename T = float>
std::vector<T> values(size_t count, uint32_t seed, T step = T{1} / 16) {
  std::vector<T> v(count);
  for (auto& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<int>(seed >> 24) - 128) * step;
  }
  return v;
}

driver::LaunchShape blocks(uint32_t threads) { return {{threads / kVectorBlock, 1, 1}, {kVectorBlock, 1, 1}, 0}; }

Work vecadd() {
  const auto a = values(kVector, 1), b = values(kVector, 2);
  std::vector<float> c;
  for (size_t i = 0; i < kVector; ++i) c.push_back(a[i] + b[i]);
  Work w{"vecadd65536", "vecadd", bytes(a), bytes(b), bytes(c), kVector, blocks(kVector)};
  w.limit = Limit::Memory;
  w.amount = double(w.a.size() + w.b.size());
  return w;
}

// Special functions where they are exact: whole numbers and powers of two.
Work special() {
  auto a = values(kSpecial, 5), b = values(kSpecial, 6);
  std::vector<float> c;
  for (size_t i = 0; i < kSpecial; ++i) {
    a[i] = std::trunc(a[i]);
    b[i] = std::trunc(b[i]);
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += std::ldexp(2.0f, -(static_cast<int>(a[i]) + k));
    c.push_back(b[i] * sum);
  }
  return {"special4096", "special", bytes(a), bytes(b), bytes(c), kSpecial, blocks(kSpecial)};
}

template <typename T>
Work gemm(const char* name, const char* kernel, uint32_t n, const driver::LaunchShape& shape) {
  const auto a = values<T>(n * n, 3), b = values<T>(n * n, 4);
  std::vector<T> c(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) c[i * n + j] = std::fma(a[i * n + k], b[k * n + j], c[i * n + j]);
  Work w{name, kernel, bytes(a), bytes(b), bytes(c), static_cast<int>(n), shape};
  w.limit = sizeof(T) == 8 ? Limit::Fp64 : Limit::Fp32;
  w.amount = double(n) * n * n;
  return w;
}

template <typename T>
Work gemm(const char* name, const char* kernel) {
  return gemm<T>(name, kernel, kMatrix, {{kMatrix / kTile, kMatrix / kTile, 1}, {kTile, kTile, 1}, 0});
}

// 8 x 8 results a thread.
Work large_gemm() {
  constexpr uint32_t kSize = 256, kBlock = 64;
  return gemm<float>("sgemm256", "sgemm_large", kSize, {{kSize / kBlock, kSize / kBlock, 1}, {kBlock, 1, 1}, 0});
}

// f16 of a whole number up to 2048.
uint16_t half(int v) {
  const auto sign = static_cast<uint16_t>(v < 0 ? 0x8000 : 0);
  const unsigned magnitude = static_cast<unsigned>(std::abs(v));
  if (magnitude == 0) return sign;
  const unsigned exponent = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
  const unsigned fraction = exponent <= 10 ? magnitude << (10 - exponent) : magnitude >> 1;
  return static_cast<uint16_t>(sign | ((exponent + 15) << 10) | (fraction & 0x3FF));
}

// Products of small whole numbers: sums are exact in f16, too. `result`: a sum in C's format.
template <typename F>
Work half_gemm(std::string name, const char* kernel, uint32_t n, const driver::LaunchShape& shape, F result) {
  std::vector<uint16_t> a, b;
  std::vector<decltype(result(0))> c;
  const auto x = values<int>(n * n, 3, 1), y = values<int>(n * n, 4, 1);
  for (size_t i = 0; i < x.size(); ++i) {
    a.push_back(half(x[i] / 32));
    b.push_back(half(y[i] / 32));
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      int sum = 0;
      for (size_t k = 0; k < n; ++k) sum += (x[i * n + k] / 32) * (y[k * n + j] / 32);
      c.push_back(result(sum));
    }
  Work w{std::move(name), kernel, bytes(a), bytes(b), bytes(c), static_cast<int>(n), shape};
  w.limit = Limit::Fp16;
  w.amount = double(n) * n * n;
  return w;
}

// With sums in f32.
Work tensor_gemm(uint32_t n) {
  const bool large = n >= 256;  // else there are fewer blocks than multiprocessors
  const uint32_t block = large ? 128 : 64, threads = large ? 256 : 128;
  Work w = half_gemm("hgemm" + std::to_string(n) + "_tensor", large ? "hgemm_tensor_large" : "hgemm_tensor", n,
                     {{n / block, n / block, 1}, {threads, 1, 1}, 0}, [](int sum) { return static_cast<float>(sum); });
  w.ptx = bench::kTensorKernels;
  w.limit = Limit::Tensor;
  return w;
}

std::vector<Work> works(const Preset& preset) {
  std::vector<Work> all = {
      gemm<float>("sgemm64", "sgemm"),
      large_gemm(),
      vecadd(),
      gemm<double>("dgemm64", "dgemm"),
      half_gemm("hgemm64", "hgemm", kMatrix, {{kMatrix / kTile / 2, kMatrix / kTile, 1}, {kTile, kTile, 1}, 0}, half),
      special()};
  if (preset.structure.tensor_fma > 0)
    for (const uint32_t n : {128u, 256u}) all.push_back(tensor_gemm(n));
  return all;
}

double cpu_now() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) / 1e6; };
  return seconds(r.ru_utime) + seconds(r.ru_stime);
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
    auto place = c.memory().allocate(arrays[i]->size());
    if (!place) return place.error();
    *places[i] = *place;
  }
  Bytes out(w.expected.size());
  if (auto s = c.copies().copy_in(params.a, w.a.data(), w.a.size()); !s) return s.error();
  if (auto s = c.copies().copy_in(params.b, w.b.data(), w.b.size()); !s) return s.error();
  if (auto s = c.launcher().launch(*kernel, w.shape, 0, &params); !s) return s.error();
  if (auto s = c.copies().copy_out(out.data(), params.c, out.size()); !s) return s.error();
  if (auto s = c.waits().synchronize(); !s) return s.error();
  if (auto s = c.check_lockstep(); !s) return s.error();
  Measured m;
  m.run = c.report().total;
  m.checked = out == w.expected;
  context->reset();
  m.cpu_seconds = cpu_now() - cpu;
  m.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return m;
}

// Its word, and what of it a cycle has; 0: the preset lacks it.
std::pair<const char*, double> limit_of(const Work& w, const Preset& preset) {
  const Preset::Structure& s = preset.structure;
  const double parts = double(s.sms) * s.sub_partitions;
  switch (w.limit) {
    case Limit::Fp32: return {"fp32", parts * s.fp32_lanes};
    case Limit::Fp64: return {"fp64", parts * s.fp64_lanes};
    case Limit::Fp16: return {"fp16", parts * s.fp16_lanes * 2};
    case Limit::Tensor: return {"tensor", parts * s.tensor_fma};
    case Limit::Memory: return {"memory", std::min(s.axi_data_bits / 8, preset.dram.bytes_per_cycle)};
    case Limit::None: break;
  }
  return {"", 0};
}

double limit_percent(const Work& w, const Preset& preset, const Measured& m) {
  const double most = double(m.run.cycles) * limit_of(w, preset).second;
  return most > 0 ? 100 * w.amount / most : 0;
}

nlohmann::ordered_json entry(const Work& w, const std::string& device, const Preset& preset, const Measured& m) {
  return {{"name", w.name},
          {"device", device},
          {"preset", preset.name},
          {"cycles", m.run.cycles},
          {"thread_instructions", m.run.thread_instructions},
          {"warp_instructions", m.run.warp_instructions},
          {"cpu_seconds", m.cpu_seconds},
          {"wall_seconds", m.wall_seconds},
          {"limit", limit_of(w, preset).first},
          {"limit_percent", limit_percent(w, preset, m)},
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
        if (auto s = c.launcher().launch(*kernel, blocks(kVectorBlock), 0, &nothing); !s) return s.error();
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
  std::printf("%-15s %-9s %-6s %10s %13s %6s %13s %8s %9s %9s %11s %s\n", "name", "device", "preset", "cycles",
              "thread-instr.", "IPC", "of its limit", "kHz", "CPU s", "wall s", "thread-i./s", "checked");
  const std::vector<Work> all = works(*preset);
  for (const Work& w : all) {
    if (!o.only.empty() && w.name.find(o.only) == std::string::npos) continue;
    for (const auto& device : o.devices) {
      const auto m = measure(w, device, o.preset);
      if (!m) return print_error(m.error().message()), 1;
      list.push_back(entry(w, device, *preset, *m));
      const auto [limit, rate] = limit_of(w, *preset);
      char of_limit[32] = "-";
      if (rate > 0) std::snprintf(of_limit, sizeof of_limit, "%.1f%% %s", limit_percent(w, *preset, *m), limit);
      std::printf("%-15s %-9s %-6s %10llu %13llu %6.2f %13s %8.0f %9.3f %9.3f %11s %s\n", w.name.c_str(),
                  device.c_str(), preset->name.c_str(), static_cast<unsigned long long>(m->run.cycles),
                  static_cast<unsigned long long>(m->run.thread_instructions), m->run.ipc(), of_limit,
                  list.back()["khz"].get<double>(), m->cpu_seconds, m->wall_seconds,
                  short_number(double(m->run.thread_instructions) / m->cpu_seconds).c_str(), m->checked ? "yes" : "no");
      std::fflush(stdout);
      if (!m->checked) print_error(w.name + " on " + device + ": wrong result");
      all_right &= m->checked;
    }
  }
  const auto wanted = [&](const std::string& name) { return o.only.empty() || name.find(o.only) != std::string::npos; };
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
    for (const Work& w : all) names += (names.empty() ? "" : ", ") + w.name;
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
      "cycles, percent of the limit that binds (lanes of the unit, or memory's bytes), kHz and CPU seconds of "
      "sgemm64, sgemm256 (8 x 8 results a thread), vecadd65536, dgemm64 (f64), hgemm64 (f16), special4096 (special "
      "functions), hgemm128_tensor and hgemm256_tensor (f16 by the tensor unit); launch_and_wait and submit: "
      "microseconds that the host needs for a launch, on the golden model");
  c->add_option("--json", o->json, "write the table to this file as a list");
  c->add_option("--only", o->only, "the benchmarks whose name has this part");
  c->add_option("--preset", o->preset, "name of a preset, or a .toml file")->capture_default_str();
  c->add_option("--device", o->devices, "devices, in this order")->delimiter(',')->capture_default_str();
  c->callback([o, &status] { status = run_benchmarks(*o); });
}

}  // namespace heddle::tools
