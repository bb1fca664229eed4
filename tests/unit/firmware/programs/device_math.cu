// SPDX-License-Identifier: Apache-2.0
// The device library on the device gives the very bits that its sources give on the host (where MPFR
// judges them): what compilers do on the way changes no result.
//   device_math [threads] [floats]     128 threads and all functions by default
// Compiled with -fcuda-flush-denormals-to-zero and -DFLUSHING the results may differ by what flushed
// intermediate values cost; subnormal arguments and results are left out then.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#ifdef FLUSHING
constexpr int64_t kTolerance = 4;
#else
constexpr int64_t kTolerance = 0;
#endif

#define FLOAT1(X)                                                                                  \
  X(sinf) X(cosf) X(tanf) X(expf) X(exp2f) X(exp10f) X(expm1f) X(logf) X(log2f) X(log10f)          \
  X(log1pf) X(asinf) X(acosf) X(atanf) X(sinhf) X(coshf) X(tanhf) X(asinhf) X(acoshf) X(atanhf)    \
  X(cbrtf) X(rcbrtf) X(rsqrtf) X(sqrtf) X(erff) X(erfcf) X(erfcxf) X(normcdff) X(erfinvf)          \
  X(erfcinvf) X(normcdfinvf) X(tgammaf) X(lgammaf) X(sinpif) X(cospif) X(j0f) X(j1f) X(y0f) X(y1f) \
  X(floorf) X(ceilf) X(truncf) X(rintf) X(roundf) X(logbf) X(cyl_bessel_i0f) X(cyl_bessel_i1f)
#define FLOAT2(X) \
  X(powf) X(atan2f) X(hypotf) X(rhypotf) X(fmodf) X(remainderf) X(fdimf) X(nextafterf) X(fminf) X(fmaxf)
#define INTRINSIC1(X) X(sinf) X(cosf) X(tanf) X(expf) X(exp10f) X(logf) X(log2f) X(log10f)
#define INTRINSIC2(X) X(powf) X(fdividef)
#define DOUBLE1(X)                                                                                 \
  X(sin) X(cos) X(tan) X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(asin)   \
  X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(cbrt) X(rcbrt) X(rsqrt)     \
  X(sqrt) X(erf) X(erfc) X(erfcx) X(normcdf) X(erfinv) X(erfcinv) X(normcdfinv) X(tgamma)          \
  X(lgamma) X(sinpi) X(cospi) X(j0) X(j1) X(y0) X(y1) X(floor) X(ceil) X(trunc) X(rint) X(round)   \
  X(logb) X(cyl_bessel_i0) X(cyl_bessel_i1)
#define DOUBLE2(X) \
  X(pow) X(atan2) X(hypot) X(rhypot) X(fmod) X(remainder) X(fdim) X(nextafter) X(fmin) X(fmax)

// kernel_f(x, y, n), and the host copy's prototype.
#define KERNEL1(type, kernel, f, host)                          \
  __global__ void kernel(const type* x, type* y, int n) {       \
    const int i = threadIdx.x;                                  \
    if (i < n) y[i] = f(x[i]);                                  \
  }                                                             \
  extern "C" type host(type);
#define KERNEL2(type, kernel, f, host)                          \
  __global__ void kernel(const type* x, type* y, int n) {       \
    const int i = threadIdx.x;                                  \
    if (i < n) y[i] = f(x[i], x[(i * 7 + 3) % n]);              \
  }                                                             \
  extern "C" type host(type, type);
#define KERNEL_FLOAT1(f) KERNEL1(float, kernel_##f, f, __nv_##f)
#define KERNEL_FLOAT2(f) KERNEL2(float, kernel_##f, f, __nv_##f)
#define KERNEL_INTRINSIC1(f) KERNEL1(float, kernel_fast_##f, __##f, __nv_fast_##f)
#define KERNEL_INTRINSIC2(f) KERNEL2(float, kernel_fast_##f, __##f, __nv_fast_##f)
#define KERNEL_DOUBLE1(f) KERNEL1(double, kernel_##f, f, __nv_##f)
#define KERNEL_DOUBLE2(f) KERNEL2(double, kernel_##f, f, __nv_##f)
FLOAT1(KERNEL_FLOAT1) FLOAT2(KERNEL_FLOAT2) INTRINSIC1(KERNEL_INTRINSIC1) INTRINSIC2(KERNEL_INTRINSIC2)
DOUBLE1(KERNEL_DOUBLE1) DOUBLE2(KERNEL_DOUBLE2)

static int bad, compared;

// Numbers between two of one sign.
template <typename T>
int64_t distance(T a, T b) {
  std::conditional_t<sizeof(T) == 4, int32_t, int64_t> x, y;
  memcpy(&x, &a, sizeof a);
  memcpy(&y, &b, sizeof b);
  return (x < 0) != (y < 0) ? INT64_MAX : std::llabs(int64_t{x} - int64_t{y});
}

template <typename T>
bool subnormal(T x) {
  return kTolerance && std::abs(x) < std::numeric_limits<T>::min();
}

template <typename T>
void compare(const char* name, T device, T host, T x) {
  if (sizeof(T) == 4 && (subnormal(x) || subnormal(host))) return;
  ++compared;
  if ((std::isnan(device) && std::isnan(host)) || distance(device, host) <= kTolerance) return;
  if (++bad < 20) printf("%s(%a): device %a, host %a\n", name, double(x), double(device), double(host));
}

template <typename T>
struct Arrays {
  int n;
  std::vector<T> x, y;
  T *dx = nullptr, *dy = nullptr;

  explicit Arrays(int count) : n(count), x(count), y(count) {
    if (cudaMalloc(&dx, n * sizeof(T)) != cudaSuccess || cudaMalloc(&dy, n * sizeof(T)) != cudaSuccess) exit(1);
  }
  // Values of moderate size, of (0, 1), and any.
  void fill() {
    uint64_t state = 1;
    for (int i = 0; i < n; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> bits = state >> (64 - 8 * sizeof(T));
      const double unit = double(state >> 11) / 9007199254740992.0;
      if (i % 3 == 0) x[i] = T(16 * unit - 8);
      else if (i % 3 == 1) x[i] = T(unit);
      else memcpy(&x[i], &bits, sizeof bits);
    }
    cudaMemcpy(dx, x.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  void fetch(const char* name) {
    const cudaError_t status = cudaMemcpy(y.data(), dy, n * sizeof(T), cudaMemcpyDeviceToHost);
    if (status == cudaSuccess) return;
    printf("%s: %s\n", name, cudaGetErrorString(status));
    ++bad;
  }
  T other(int i) const { return x[(i * 7 + 3) % n]; }
};

#define RUN1(a, name, kernel, host)       \
  kernel<<<1, a.n>>>(a.dx, a.dy, a.n);    \
  a.fetch(name);                          \
  for (int i = 0; i < a.n; ++i) compare(name, a.y[i], host(a.x[i]), a.x[i]);
#define RUN2(a, name, kernel, host)       \
  kernel<<<1, a.n>>>(a.dx, a.dy, a.n);    \
  a.fetch(name);                          \
  for (int i = 0; i < a.n; ++i)           \
    if (!(sizeof a.x[0] == 4 && subnormal(a.other(i)))) compare(name, a.y[i], host(a.x[i], a.other(i)), a.x[i]);
#define RUN_FLOAT1(f) RUN1(floats, #f, kernel_##f, __nv_##f)
#define RUN_FLOAT2(f) RUN2(floats, #f, kernel_##f, __nv_##f)
#define RUN_INTRINSIC1(f) RUN1(floats, "__" #f, kernel_fast_##f, __nv_fast_##f)
#define RUN_INTRINSIC2(f) RUN2(floats, "__" #f, kernel_fast_##f, __nv_fast_##f)
#define RUN_DOUBLE1(f) RUN1(doubles, #f, kernel_##f, __nv_##f)
#define RUN_DOUBLE2(f) RUN2(doubles, #f, kernel_##f, __nv_##f)

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 128;
  if (n < 1 || n > 1024) return 2;
  Arrays<float> floats(n);
  floats.fill();
  FLOAT1(RUN_FLOAT1) FLOAT2(RUN_FLOAT2)
  INTRINSIC1(RUN_INTRINSIC1) INTRINSIC2(RUN_INTRINSIC2)
  if (argc < 3) {
    Arrays<double> doubles(n);
    doubles.fill();
    DOUBLE1(RUN_DOUBLE1) DOUBLE2(RUN_DOUBLE2)
  }
  printf("%d results compared, %d differ\n%s\n", compared, bad, bad || compared < 20 * n ? "FAIL" : "PASS");
  return bad != 0;
}
