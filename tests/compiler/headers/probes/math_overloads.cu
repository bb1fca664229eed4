// SPDX-License-Identifier: Apache-2.0
// The float overloads of <cmath>'s names are float functions, min and max take every pair of types.
// NOT: .f64
// NOT: .extern
#include <cmath>
#include <algorithm>
__global__ void k(float* f, int* i, unsigned* u, long long* l) {
  f[0] = std::sin(f[1]) + std::pow(f[2], f[3]) + std::abs(f[4]) + std::fmin(f[1], f[2]);
  f[1] = exp2(f[0]) + expm1(f[1]) + log2(f[2]) + cbrt(f[3]) + trunc(f[4]) + round(f[5]) + hypot(f[6], f[7]);
  f[2] = fma(f[0], f[1], f[2]) + asinh(f[3]) + tgamma(f[4]) + rsqrt(f[5]) + sinpi(f[6]) + copysign(f[7], f[8]);
  f[3] = min(f[1], f[2]) + max(f[3], 1.0f) + std::max(f[4], f[5]);
  i[0] = min(i[1], i[2]) + max(i[3], 7) + abs(i[4]) + lrint(f[4]);
  u[0] = min(u[1], u[2]) + max(u[3], 5u) + umin(u[4], u[5]);
  l[0] = max(l[1], l[2]) + llabs(l[3]);
}
