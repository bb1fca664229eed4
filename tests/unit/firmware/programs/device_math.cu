// SPDX-License-Identifier: Apache-2.0
// The device library on the device gives the very bits that its sources give on the host (where MPFR
// judges them): what compilers do on the way changes no result.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#define FUNCTIONS(X)                                                                               \
  X(sinf) X(cosf) X(tanf) X(expf) X(exp2f) X(exp10f) X(expm1f) X(logf) X(log2f) X(log10f)          \
  X(log1pf) X(asinf) X(acosf) X(atanf) X(sinhf) X(coshf) X(tanhf) X(asinhf) X(acoshf) X(atanhf)    \
  X(cbrtf) X(rcbrtf) X(rsqrtf) X(sqrtf) X(erff) X(erfcf) X(erfcxf) X(normcdff) X(erfinvf)          \
  X(erfcinvf) X(normcdfinvf) X(tgammaf) X(lgammaf) X(sinpif) X(cospif) X(j0f) X(j1f) X(y0f) X(y1f) \
  X(floorf) X(ceilf) X(truncf) X(rintf) X(roundf) X(logbf)

#define KERNEL(f)                                              \
  __global__ void kernel_##f(const float* x, float* y, int n) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;       \
    if (i < n) y[i] = f(x[i]);                                 \
  }
FUNCTIONS(KERNEL)
__global__ void kernel_powf(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = powf(fabsf(x[i]), x[(i * 7) % n]);
}
__global__ void kernel_fmodf(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = fmodf(x[i], x[(i * 7) % n]) + atan2f(x[i], x[(i * 5) % n]);
}

extern "C" {
#define HOST(f) float __nv_##f(float);
FUNCTIONS(HOST)
float __nv_powf(float, float);
float __nv_fmodf(float, float);
float __nv_atan2f(float, float);
}

static int compare(const char* name, float device, float host, float x) {
  if (memcmp(&device, &host, 4) == 0 || (std::isnan(device) && std::isnan(host))) return 0;
  printf("%s(%a): device %a, host %a\n", name, x, device, host);
  return 1;
}

int main() {
  const int n = 128;
  std::vector<float> x(n), y(n);
  unsigned state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    const unsigned bits = state;
    if (i % 3 == 0) x[i] = (float)((int)(state >> 8) - (1 << 23)) / (1 << 20);
    else if (i % 3 == 1) x[i] = (float)(state >> 8) / (1 << 24);
    else memcpy(&x[i], &bits, 4);
  }
  float *dx, *dy;
  if (cudaMalloc(&dx, n * 4) != cudaSuccess || cudaMalloc(&dy, n * 4) != cudaSuccess) return 1;
  cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
  int bad = 0, compared = 0;
  const auto fetch = [&](const char* name) {
    const cudaError_t status = cudaMemcpy(y.data(), dy, n * 4, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess) {
      printf("%s: %s\n", name, cudaGetErrorString(status));
      ++bad;
    }
  };
#define RUN(f)                                                       \
  kernel_##f<<<1, n>>>(dx, dy, n);                                   \
  fetch(#f);                                                         \
  for (int i = 0; i < n; ++i, ++compared) bad += compare(#f, y[i], __nv_##f(x[i]), x[i]);
  FUNCTIONS(RUN)
  kernel_powf<<<1, n>>>(dx, dy, n);
  fetch("powf");
  for (int i = 0; i < n; ++i, ++compared)
    bad += compare("powf", y[i], __nv_powf(fabsf(x[i]), x[(i * 7) % n]), x[i]);
  kernel_fmodf<<<1, n>>>(dx, dy, n);
  fetch("fmodf");
  for (int i = 0; i < n; ++i, ++compared)
    bad += compare("fmodf", y[i], __nv_fmodf(x[i], x[(i * 7) % n]) + __nv_atan2f(x[i], x[(i * 5) % n]), x[i]);
  printf("%d results compared, %d differ\n%s\n", compared, bad, bad ? "FAIL" : "PASS");
  return bad != 0;
}
