// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/bench/works.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

namespace heddle::tools::bench {

driver::LaunchShape blocks(uint32_t threads) { return {{threads / kBlock, 1, 1}, {kBlock, 1, 1}, 0}; }

namespace {

constexpr uint32_t kMatrix = 64, kTile = 16;
constexpr uint32_t kVector = 65536, kLongVector = 1 << 19, kSpecial = 4096;
constexpr uint32_t kCopied = 1 << 20;    // numbers
constexpr uint32_t kTransposed = 1024;   // numbers of a row, and rows
constexpr uint32_t kSmThreads = 2048;    // 64 warps on each SM
constexpr uint32_t kFewSmThreads = 512;  // for short latencies: fewer warps begin sooner

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

Work vecadd(uint32_t count) {
  const auto a = values(count, 1), b = values(count, 2);
  std::vector<float> c;
  for (size_t i = 0; i < count; ++i) c.push_back(a[i] + b[i]);
  Work w{"vecadd", bytes(a), bytes(b), bytes(c), static_cast<int>(count), blocks(count)};
  w.limit = Limit::Memory;
  w.amount = double(w.a.size() + w.b.size() + w.expected.size());
  w.written = double(w.expected.size());
  w.clean = true;
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
  return {"special", bytes(a), bytes(b), bytes(c), kSpecial, blocks(kSpecial)};
}

template <typename T>
Work gemm(const char* kernel, uint32_t n, const driver::LaunchShape& shape) {
  const auto a = values<T>(n * n, 3), b = values<T>(n * n, 4);
  std::vector<T> c(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) c[i * n + j] = std::fma(a[i * n + k], b[k * n + j], c[i * n + j]);
  Work w{kernel, bytes(a), bytes(b), bytes(c), static_cast<int>(n), shape};
  w.limit = sizeof(T) == 8 ? Limit::Fp64 : Limit::Fp32;
  w.amount = double(n) * n * n;
  return w;
}

template <typename T>
Work gemm(const char* kernel) {
  return gemm<T>(kernel, kMatrix, {{kMatrix / kTile, kMatrix / kTile, 1}, {kTile, kTile, 1}, 0});
}

// 8 x 8 results a thread; larger products in larger blocks. As libraries do, by the number of multiprocessors: where
// each gets four blocks, the kernel of which four fit, for of three the last blocks would be a turn of their own, on
// few multiprocessors.
Work large_gemm(uint32_t n, uint32_t sms) {
  const bool wide = n > 256;
  const uint32_t rows = 64, columns = wide ? 128 : 64;
  const bool four = n / columns * (n / rows) == 4 * sms;
  return gemm<float>(!wide  ? "sgemm_large"
                     : four ? "sgemm_wide_four"
                            : "sgemm_wide",
                     n, {{n / columns, n / rows, 1}, {columns, 1, 1}, 0});
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

// Products of small whole numbers: sums are exact in f16, too. `depth`: columns of A. `result`: a sum in C's format.
template <typename F>
Work half_gemm(const char* kernel, uint32_t n, uint32_t depth, const driver::LaunchShape& shape, F result) {
  std::vector<uint16_t> a, b;
  std::vector<decltype(result(0))> c;
  const auto x = values<int>(n * depth, 3, 1), y = values<int>(depth * n, 4, 1);
  for (size_t i = 0; i < x.size(); ++i) {
    a.push_back(half(x[i] / 32));
    b.push_back(half(y[i] / 32));
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      int sum = 0;
      for (size_t k = 0; k < depth; ++k) sum += (x[i * depth + k] / 32) * (y[k * n + j] / 32);
      c.push_back(result(sum));
    }
  Work w{kernel, bytes(a), bytes(b), bytes(c), static_cast<int>(n), shape};
  w.limit = Limit::Fp16;
  w.amount = double(n) * n * depth;
  return w;
}

// With sums in f32.
Work tensor_gemm(uint32_t n, uint32_t deep) {
  const bool large = n >= 256;  // else there are fewer blocks than multiprocessors
  const driver::LaunchShape shape = large ? driver::LaunchShape{{n / 128, n / 256, 1}, {256, 1, 1}, 0}
                                          : driver::LaunchShape{{n / 64, n / 64, 1}, {128, 1, 1}, 0};
  Work w = half_gemm(deep > 1 ? "hgemm_tensor_deep"
                     : large  ? "hgemm_tensor_large"
                              : "hgemm_tensor",
                     n, n * deep, shape, [](int sum) { return static_cast<float>(sum); });
  w.ptx = kTensorKernels;
  w.limit = Limit::Tensor;
  return w;
}

// A kernel of bench/peaks.cu.
Work peak(const char* kernel, Limit limit, double amount, Bytes a, Bytes b, Bytes expected, int n,
          driver::LaunchShape shape) {
  Work w{kernel, std::move(a), std::move(b), std::move(expected), n, shape};
  w.ptx = kPeakKernels;
  w.limit = limit;
  w.amount = amount;
  return w;
}

Work fma_stream(uint32_t threads) {
  constexpr int kSteps = 192, kChains = 8;
  const auto a = values(kBlock, 7), b = values(kBlock, 8);
  std::vector<float> factors, c;
  for (const float x : a) factors.push_back(x / 16);  // sums stay finite
  for (uint32_t t = 0; t < threads; ++t) {
    float x[kChains];
    for (int i = 0; i < kChains; ++i) {
      x[i] = static_cast<float>(i);
      for (int k = 0; k < kSteps; ++k) x[i] = std::fma(x[i], factors[t % kBlock], b[t % kBlock]);
    }
    for (int count = kChains; count > 1; count /= 2)
      for (int i = 0; i < count / 2; ++i) x[i] = x[2 * i] + x[2 * i + 1];
    c.push_back(x[0]);
  }
  return peak("fma_stream", Limit::Fp32, double(threads) * kSteps * kChains, bytes(factors), bytes(b), bytes(c), kSteps,
              blocks(threads));
}

Work copy() {
  const auto a = bytes(values(kCopied, 9));
  constexpr uint32_t kFours = kCopied / 4;
  Work w = peak("copy", Limit::Memory, 2.0 * double(a.size()), a, {}, a, kFours, blocks(kFours));
  w.written = double(a.size());
  w.clean = true;
  return w;
}

Work transpose() {
  constexpr uint32_t kSide = 32;
  const auto a = values(kTransposed * kTransposed, 10);
  std::vector<float> c(a.size());
  for (size_t i = 0; i < a.size(); ++i) c[i % kTransposed * kTransposed + i / kTransposed] = a[i];
  Work w = peak("transpose", Limit::Memory, 2.0 * double(sizeof c[0] * c.size()), bytes(a), {}, bytes(c), kTransposed,
                {{kTransposed / kSide, kTransposed / kSide, 1}, {kSide, kBlock / kSide, 1}, 0});
  w.written = w.amount / 2;
  w.clean = true;
  return w;
}

// Each thread reads 16 bytes `count` times; the buffer has room for `fours` such reads.
Work reads(const char* kernel, Limit limit, uint32_t fours, uint32_t threads, uint32_t count) {
  const uint32_t step = fours / 4, passes = count / 4;
  std::mt19937 numbers(11);
  std::vector<uint32_t> a, c;
  for (uint32_t i = 0; i < 4 * fours; ++i) a.push_back(static_cast<uint32_t>(numbers()));
  for (uint32_t t = 0; t < threads; ++t) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 4; ++i) sum += a[4 * (t % kBlock % step + i * step) + i];
    c.push_back(passes * sum);
  }
  return peak(kernel, limit, 16.0 * threads * count, bytes(a), bytes(std::vector<uint32_t>{passes}), bytes(c),
              static_cast<int>(fours), blocks(threads));
}

Work histogram(uint32_t threads) {
  constexpr int kNumbers = 32;
  std::vector<uint32_t> a, c(threads);
  std::mt19937 numbers(12);
  for (uint32_t t = 0; t < threads; ++t) {
    uint32_t x = static_cast<uint32_t>(numbers());
    a.push_back(x);
    for (int i = 0; i < kNumbers; ++i) {
      x = x * 1664525u + 1013904223u;
      ++c[t / kBlock * kBlock + (x >> 24)];
    }
  }
  return peak("histogram", Limit::SharedAtomics, double(threads) * kNumbers, bytes(a), {}, bytes(c), kNumbers,
              blocks(threads));
}

constexpr int kSummed = 64, kSummedLines = kSummed * 4 / 128;

Work atomics(uint32_t threads) {
  constexpr int kAdditions = 32;
  const auto a = values(threads, 13);
  std::vector<float> c(kSummed);
  for (size_t t = 0; t < a.size(); ++t) c[t % c.size()] += kAdditions * a[t];
  Work w = peak("atomics", Limit::L2Atomics, double(threads) * kAdditions, bytes(a), {}, bytes(c), kAdditions,
                blocks(threads));
  w.adds = true;
  return w;
}

// Numbers of 4 MiB at places that follow no order.
Work gather() {
  constexpr uint32_t kGathered = 1 << 18;
  const auto a = values(kCopied, 14);
  std::mt19937 places(15);
  std::vector<uint32_t> b;
  std::vector<float> c;
  for (uint32_t i = 0; i < kGathered; ++i) {
    b.push_back(static_cast<uint32_t>(places()) % kCopied);
    c.push_back(a[b.back()]);
  }
  Work w = peak("gather", Limit::None, 0, bytes(a), bytes(b), bytes(c), kGathered, blocks(kGathered));
  w.clean = true;
  return w;
}

// Accelerations of bodies by the first of them; each is x, y, z and its mass.
Work nbody() {
  constexpr uint32_t kBodies = 8192, kPull = 1024;
  const auto a = values(4 * kBodies, 16);
  std::vector<float> c;
  for (uint32_t i = 0; i < kBodies; ++i) {
    float sum[3] = {};
    for (uint32_t j = 0; j < kPull; ++j) {
      float d[3], squares = 1;
      for (int k = 0; k < 3; ++k) d[k] = a[4 * j + k] - a[4 * i + k], squares = std::fma(d[k], d[k], squares);
      const float inverse = 1 / std::sqrt(squares), pull = a[4 * j + 3] * inverse * inverse * inverse;
      for (int k = 0; k < 3; ++k) sum[k] = std::fma(d[k], pull, sum[k]);
    }
    c.insert(c.end(), {sum[0], sum[1], sum[2], 0});
  }
  Work w = peak("nbody", Limit::None, 0, bytes(a), {}, bytes(c), kPull, blocks(kBodies));
  w.near = 1e-3f;
  return w;
}

}  // namespace

std::vector<Benchmark> benchmarks(const Preset& preset) {
  const auto sms = static_cast<uint32_t>(preset.structure.sms);
  const uint32_t most = kSmThreads * sms, few = kFewSmThreads * sms;
  const driver::LaunchShape half_shape{{kMatrix / kTile / 2, kMatrix / kTile, 1}, {kTile, kTile, 1}, 0};
  std::vector<Benchmark> all = {
      {"sgemm64", [] { return gemm<float>("sgemm"); }},
      {"sgemm256", [sms] { return large_gemm(256, sms); }},
      {"vecadd65536", [] { return vecadd(kVector); }},
      {"vecadd512k", [] { return vecadd(kLongVector); }},
      {"dgemm64", [] { return gemm<double>("dgemm"); }},
      {"hgemm64", [half_shape] { return half_gemm("hgemm", kMatrix, kMatrix, half_shape, half); }},
      {"special4096", special},
      {"fma_stream", [most] { return fma_stream(most); }},
      {"copy4m", copy},
      {"transpose1024", transpose},
      {"l2_reads", [most] { return reads("l2_reads", Limit::L2, 1024, most, 40); }},
      {"l1_reads", [few] { return reads("l1_reads", Limit::L1, 256, few, 384); }},
      {"shared_reads", [few] { return reads("shared_reads", Limit::Shared, 256, few, 384); }},
      {"histogram256", [most] { return histogram(most); }},
      {"atomics64", [most] { return atomics(most); }}};
  if (preset.structure.tensor_fma > 0) {
    all.push_back({"hgemm128_tensor", [] { return tensor_gemm(128, 1); }});
    all.push_back({"hgemm256_tensor", [] { return tensor_gemm(256, 1); }});
    all.push_back({"hgemm256x4096_tensor", [] { return tensor_gemm(256, 16); }});
  }
  all.push_back({"sgemm512", [sms] { return large_gemm(512, sms); }, true});
  all.push_back({"nbody8192", nbody, true});
  all.push_back({"gather256k", gather, true});
  return all;
}

Bound bound_of(const Work& w, const Preset& preset) {
  const Preset::Structure& s = preset.structure;
  const auto bound = [&w](const char* name, const char* unit, double rate) {
    return Bound{name, unit, rate > 0 ? w.amount / rate : 0};
  };
  const double parts = double(s.sms) * s.sub_partitions, lanes = double(s.sms) * s.row_lanes, sector = 32;
  switch (w.limit) {
    case Limit::Fp32: return bound("fp32", "FMA", parts * s.fp32_lanes);
    case Limit::Fp64: return bound("fp64", "FMA", parts * s.fp64_lanes);
    case Limit::Fp16: return bound("fp16", "FMA", parts * s.fp16_lanes * 2);
    case Limit::Tensor: return bound("tensor", "FMA", parts * s.tensor_fma);
    case Limit::Memory: {  // the channels have this width each way
      const double port = s.memory_channels * s.axi_data_bits / 8, both = preset.dram.bytes_per_cycle;
      // What the L2 may keep of the results need not go to memory.
      const double read = w.amount - w.written, sent = std::max(0.0, w.written - s.l2_bytes);
      return {"memory", "bytes", std::max({read / port, sent / port, (read + sent) / both})};
    }
    case Limit::L2: return bound("l2", "bytes", sector * std::min(s.l2_slices, s.sms * s.l2_links));
    case Limit::L1: return bound("l1", "bytes", 4 * lanes);
    case Limit::Shared: return bound("shared", "bytes", 4 * lanes);
    case Limit::SharedAtomics: return bound("shared", "lanes", lanes);
    // A sector's words, or a word, a cycle in each slice that has some.
    case Limit::L2Atomics:
      return bound("l2", "lanes", (s.axi_data_bits == 256 ? 8 : 1) * std::min(s.l2_slices, kSummedLines));
    case Limit::None: break;
  }
  return {};
}

}  // namespace heddle::tools::bench
