// SPDX-License-Identifier: Apache-2.0
// Thrust on vectors of the device: transformations, sums, scans, sorts by comparison and by radix, sets. One argument: elements.
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include "../../../examples/common/example.h"

namespace {

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct ByLastDigit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

int failures = 0;

void check(const char* what, const thrust::device_vector<int>& got, const std::vector<int>& wanted) {
  std::vector<int> here(got.size());
  thrust::copy(got.begin(), got.end(), here.begin());
  if (here == wanted) return;
  printf("%s differs\n", what);
  ++failures;
}

void check(const char* what, int got, int wanted) {
  if (got == wanted) return;
  printf("%s: %d, not %d\n", what, got, wanted);
  ++failures;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = example_argument(argc, argv, 1, 700);
  ExampleRandom random(11);
  std::vector<int> host(n);
  for (int& x : host) x = int(random.bits() >> 8) % 1000;
  const thrust::device_vector<int> in(host.begin(), host.end());

  check("sum", thrust::reduce(in.begin(), in.end()), std::accumulate(host.begin(), host.end(), 0));
  check("largest", thrust::reduce(in.begin(), in.end(), -1, thrust::maximum<int>()), *std::max_element(host.begin(), host.end()));
  int squares = 0;
  for (int x : host) squares += x * x;
  check("squares", thrust::transform_reduce(in.begin(), in.end(), Square(), 0, thrust::plus<int>()), squares);

  thrust::device_vector<int> out(n);
  std::vector<int> wanted(n);
  thrust::inclusive_scan(in.begin(), in.end(), out.begin());
  std::partial_sum(host.begin(), host.end(), wanted.begin());
  check("scan", out, wanted);

  out = in;
  wanted = host;
  thrust::sort(out.begin(), out.end());
  std::sort(wanted.begin(), wanted.end());
  check("sort", out, wanted);

  thrust::device_vector<int> some = out;
  some.resize(thrust::unique(some.begin(), some.end()) - some.begin());
  std::vector<int> each = wanted;
  each.erase(std::unique(each.begin(), each.end()), each.end());
  check("unique", some, each);

  thrust::device_vector<int> hundreds(10), common(10);
  thrust::sequence(hundreds.begin(), hundreds.end(), 0, 100);
  common.resize(thrust::set_intersection(some.begin(), some.end(), hundreds.begin(), hundreds.end(), common.begin()) - common.begin());
  std::vector<int> round;
  for (int x : each)
    if (x % 100 == 0) round.push_back(x);
  check("intersection", common, round);

  thrust::device_vector<int> keys = in, values(n);
  thrust::sequence(values.begin(), values.end());
  thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin(), ByLastDigit());
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ByLastDigit()(host[a], host[b]); });
  check("sort by key", values, order);

  printf("%s\n", failures ? "FAIL" : "PASS");
  return failures != 0;
}
