// SPDX-License-Identifier: Apache-2.0
// PTX lines compiled a second, on one core: kernels as clang writes them, one block of 60,000 lines, a kernel of 8,000
// branches, and one of f64, 300 divisions among it, with more values alive than there
// are registers.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>

#include "heddle/files.h"
#include "host-runtime/compiler/compile.h"

namespace {

using namespace heddle;

void compile_text(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    auto compiled = compiler::compile({"bench.ptx", text}, {});
    if (!compiled) return state.SkipWithError(compiled.error().message().c_str());
    benchmark::DoNotOptimize(compiled->cubin.code.data());
  }
  const auto lines = std::count(text.begin(), text.end(), '\n');
  state.counters["lines/s"] =
      benchmark::Counter(static_cast<double>(lines), benchmark::Counter::kIsIterationInvariantRate);
}

constexpr const char* kHead =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<65536>;\n.reg "
    ".b64 %p;\n"
    ".reg .f64 %d<8192>;\n.reg .pred %q<16384>;\nld.param.u64 %p, [p];\n";
constexpr uint32_t kLive = 32;

std::string loads_and(const std::string& body, const std::vector<uint32_t>& last) {
  std::string text = kHead;
  for (uint32_t i = 0; i < kLive; i++) text += fmt::format("ld.global.u32 %r{}, [%p+{}];\n", i, 4 * i);
  text += body;
  for (uint32_t i = 0; i < kLive; i++) text += fmt::format("st.global.u32 [%p+{}], %r{};\n", 4 * i, last[i]);
  return text + "ret;\n}\n";
}

std::vector<uint32_t> first_values() {
  std::vector<uint32_t> v;
  for (uint32_t i = 0; i < kLive; i++) v.push_back(i);
  return v;
}

void straight_line(benchmark::State& state) {
  static constexpr const char* kOps[] = {"add.s32", "xor.b32", "mul.lo.s32", "min.s32",
                                         "max.s32", "sub.s32", "and.b32"};
  std::vector<uint32_t> live = first_values();
  std::string body;
  uint32_t seed = 1;
  const auto below = [&](uint32_t n) { return ((seed = seed * 1664525u + 1013904223u) >> 16) % n; };
  for (uint32_t r = kLive; r < 60000 + kLive; r++) {
    const uint32_t a = live[below(kLive)], b = live[below(kLive)];
    body += fmt::format("{} %r{}, %r{}, %r{};\n", kOps[below(std::size(kOps))], r, a, b);
    live[below(kLive)] = r;
  }
  compile_text(state, loads_and(body, live));
}
BENCHMARK(straight_line)->Unit(benchmark::kMillisecond);

void branches(benchmark::State& state) {
  std::string body;
  for (uint32_t n = 0; n < 8000; n++) {
    const uint32_t a = n * 7 % kLive, b = (n * 7 + 1 + n % 5) % kLive;
    body += fmt::format(
        "setp.lt.s32 %q{}, %r{}, %r{};\n@%q{} bra L{};\nadd.s32 %r{}, %r{}, {};\nxor.b32 %r{}, %r{}, %r{};\n"
        "st.global.u32 [%p+{}], %r{};\nmembar.gl;\nL{}:\n",
        n, a, b, n, n, b, a, n, a, a, b, n % 1000 * 4, a, n);
  }
  compile_text(state, loads_and(body, first_values()));
}
BENCHMARK(branches)->Unit(benchmark::kMillisecond);

void divisions(benchmark::State& state) {
  static constexpr uint32_t kValues = 130;  // of two registers
  static constexpr const char* kOps[] = {"add.rn.f64", "mul.rn.f64", "sub.rn.f64"};
  std::string text = kHead;
  for (uint32_t i = 0; i < kValues; i++) text += fmt::format("ld.global.f64 %d{}, [%p+{}];\n", i, 8 * i);
  std::vector<uint32_t> live;
  for (uint32_t i = 0; i < kValues; i++) live.push_back(i);
  for (uint32_t n = 0, next = kValues; n < 4800; n++, next++) {
    uint32_t& v = live[n * 7 % kValues];
    const uint32_t other = live[(n * 11 + 1) % kValues];
    text +=
        fmt::format("{} %d{}, %d{}, %d{};\n", n % 16 == 0 ? "div.rn.f64" : kOps[n % std::size(kOps)], next, v, other);
    v = next;
  }
  for (uint32_t i = 0; i < kValues; i++) text += fmt::format("st.global.f64 [%p+{}], %d{};\n", 8 * i, live[i]);
  compile_text(state, text + "ret;\n}\n");
}
BENCHMARK(divisions)->Unit(benchmark::kMillisecond);

void kernels_of_clang(benchmark::State& state) {
  const auto text = read_file(KERNELS_PTX);
  if (!text) return state.SkipWithError(text.error().message().c_str());
  compile_text(state, *text);
}
BENCHMARK(kernels_of_clang)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
