// SPDX-License-Identifier: Apache-2.0
// The device library's functions in both precisions where they are judged on samples, by MPFR.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "distance.h"
#include "mpfr_reference.h"

namespace heddle::test {

template <typename T>
struct Range {
  T low, high;
};
inline Range<double> wide(Range<float> r) { return {r.low, r.high}; }

// Bounds are the guide's, and our own for functions that its tables leave out.
struct Sampled1 {
  const char* name;
  float (*f)(float);
  double (*d)(double);
  std::vector<Range<float>> ranges;
  int bound, double_bound;
  int count = 4000;
  std::vector<Range<double>> double_ranges = {};

  std::vector<Range<double>> ranges_of_double() const;
};
struct Sampled2 {
  const char* name;
  float (*f)(float, float);
  double (*d)(double, double);
  Range<float> x, y;
  int bound, double_bound;
};
const std::vector<Sampled1>& one_argument_functions();
const std::vector<Sampled2>& two_argument_functions();

// Samples: the ranges' ends, evenly spread values and values spread evenly over exponents, of either
// sign as the range has it.
template <typename T>
std::vector<T> samples(const Range<T>& range, int count, std::mt19937_64& random) {
  std::vector<T> v = {range.low, range.high};
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto clip = [&](double x) {
    if (x >= range.low && x <= range.high) v.push_back(static_cast<T>(x));
  };
  const double largest = std::max(std::abs(double(range.low)), std::abs(double(range.high)));
  const double top = std::log2(largest);
  const double bottom = std::max(top - 60.0, sizeof(T) == 4 ? -149.0 : -1074.0);
  for (int i = 0; i < count; ++i) {
    clip(range.low * (1 - unit(random)) + range.high * unit(random));
    const double magnitude = std::exp2(bottom + (top - bottom) * unit(random));
    clip(magnitude);
    clip(-magnitude);
  }
  return v;
}

template <typename T>
struct Worst {
  int64_t units = 0;
  T x = 0, y = 0;
  void see(int64_t distance, T at, T at_y = 0) {
    if (distance > units) {
      units = distance;
      x = at;
      y = at_y;
    }
  }
};

template <typename T>
Worst<T> worst_of(const Reference1& reference, T (*f)(T), const std::vector<Range<T>>& ranges, int count,
                  unsigned long seed) {
  std::mt19937_64 random(seed);
  Worst<T> worst;
  Mp exact;
  for (const auto& range : ranges)
    for (const T x : samples(range, count, random)) {
      Mp argument(x);
      reference(exact, argument);
      worst.see(distance(f(x), nearest<T>(exact)), x);
    }
  return worst;
}

template <typename T>
Worst<T> worst_of(const Reference2& reference, T (*f)(T, T), Range<T> xs, Range<T> ys, int count, unsigned long seed) {
  std::mt19937_64 random(seed);
  Worst<T> worst;
  Mp exact;
  const auto x = samples(xs, count / 2, random), y = samples(ys, count / 2, random);
  for (int i = 0; i < count; ++i) {
    const T a = x[random() % x.size()], b = y[random() % y.size()];
    Mp ma(a), mb(b);
    reference(exact, ma, mb);
    worst.see(distance(f(a, b), nearest<T>(exact)), a, b);
  }
  return worst;
}

}  // namespace heddle::test
