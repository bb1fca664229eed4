// SPDX-License-Identifier: Apache-2.0
// Kernels that the table of docs/code-quality.md counts, each of one kind of work. kernels.ptx is what clang 19 makes
// of this file with the toolkit's headers and device library (README.md says how).
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void
__device__ inline int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---- integers ----
KERNEL divide(const int* a, const int* b, int* c, int n) {
  const int i = global_index();
  if (i < n) c[i] = a[i] / b[i] + a[i] % b[i];
}
KERNEL divide64(const unsigned long long* a, const unsigned long long* b, unsigned long long* c, int n) {
  const int i = global_index();
  if (i < n) c[i] = a[i] / b[i];
}
// Decimal digits: divisions by constants.
KERNEL decimal(const unsigned* a, unsigned char* text, int n) {
  const int i = global_index();
  if (i >= n) return;
  unsigned x = a[i];
  for (int k = 9; k >= 0; --k) {
    text[i * 10 + k] = '0' + x % 10;
    x /= 10;
  }
}
__device__ inline unsigned rotate(unsigned x, int n) { return __funnelshift_l(x, x, n); }
__device__ inline void quarter(unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
  a += b, d = rotate(d ^ a, 16), c += d, b = rotate(b ^ c, 12);
  a += b, d = rotate(d ^ a, 8), c += d, b = rotate(b ^ c, 7);
}
// ChaCha20's blocks: RFC 8439.
KERNEL chacha(const unsigned* key, unsigned* out) {
  const unsigned i = global_index();
  unsigned s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1], key[2], key[3],
                    key[4],     key[5],     key[6],     key[7],     i,      0,      0,      0};
  unsigned x[16];
  for (int k = 0; k < 16; ++k) x[k] = s[k];
  for (int round = 0; round < 10; ++round) {
    quarter(x[0], x[4], x[8], x[12]), quarter(x[1], x[5], x[9], x[13]);
    quarter(x[2], x[6], x[10], x[14]), quarter(x[3], x[7], x[11], x[15]);
    quarter(x[0], x[5], x[10], x[15]), quarter(x[1], x[6], x[11], x[12]);
    quarter(x[2], x[7], x[8], x[13]), quarter(x[3], x[4], x[9], x[14]);
  }
  for (int k = 0; k < 16; ++k) out[i * 16 + k] = x[k] + s[k];
}
__constant__ unsigned kSha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
// SHA-256's compression of one block a thread.
KERNEL sha256(const unsigned* blocks, unsigned* out) {
  const int i = global_index();
  unsigned w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, v[8];
  for (int k = 0; k < 16; ++k) w[k] = blocks[i * 16 + k];
  for (int k = 0; k < 8; ++k) v[k] = h[k];
  for (int base = 0; base < 64; base += 16) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      if (base > 0) {
        const unsigned a = w[(k + 1) % 16], b = w[(k + 14) % 16];
        w[k] += (rotate(a, 25) ^ rotate(a, 14) ^ a >> 3) + w[(k + 9) % 16] + (rotate(b, 15) ^ rotate(b, 13) ^ b >> 10);
      }
      const unsigned e = v[4], a = v[0];
      const unsigned t = v[7] + (rotate(e, 26) ^ rotate(e, 21) ^ rotate(e, 7)) + ((e & v[5]) ^ (~e & v[6])) + kSha[base + k] + w[k];
      const unsigned u = (rotate(a, 30) ^ rotate(a, 19) ^ rotate(a, 10)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
      for (int m = 7; m > 0; --m) v[m] = v[m - 1];
      v[4] += t, v[0] = t + u;
    }
  }
  for (int k = 0; k < 8; ++k) out[i * 8 + k] = h[k] + v[k];
}
KERNEL floyd_warshall(unsigned* distance, unsigned* path, unsigned n, unsigned pass) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned old = distance[y * n + x], through = distance[y * n + pass] + distance[pass * n + x];
  if (through < old) distance[y * n + x] = through, path[y * n + x] = pass;
}
KERNEL binary_search(const int* table, const int* keys, int* found, int n, int count) {
  const int i = global_index();
  if (i >= count) return;
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (table[middle] < keys[i]) low = middle + 1;
    else high = middle;
  }
  found[i] = low;
}
// A sorting network: minima and maxima.
KERNEL sort8(int* data) {
  int* p = data + 8 * global_index();
  int v[8];
  for (int k = 0; k < 8; ++k) v[k] = p[k];
#pragma unroll
  for (int size = 2; size <= 8; size *= 2)
#pragma unroll
    for (int step = size / 2; step > 0; step /= 2)
#pragma unroll
      for (int k = 0; k < 8; ++k)
        if ((k & step) == 0 && ((k & size) == 0 ? v[k] > v[k | step] : v[k] < v[k | step])) {
          const int t = v[k];
          v[k] = v[k | step], v[k | step] = t;
        }
  for (int k = 0; k < 8; ++k) p[k] = v[k];
}
// An array that is indexed by data: local memory.
KERNEL sort_local(int* data, int n) {
  int* p = data + 16 * global_index();
  int v[16];
  for (int k = 0; k < 16; ++k) v[k] = p[k];
  for (int k = 1; k < n; ++k) {
    const int x = v[k];
    int m = k;
    for (; m > 0 && v[m - 1] > x; --m) v[m] = v[m - 1];
    v[m] = x;
  }
  for (int k = 0; k < 16; ++k) p[k] = v[k];
}
// A machine of eight operations: jumps through a table.
KERNEL interpret(const unsigned char* code, int length, unsigned* out) {
  unsigned a = global_index(), b = 1, c = 7;
  for (int pc = 0; pc < length; ++pc) switch (code[pc]) {
      case 0: a += b; break;
      case 1: b ^= c * 5; break;
      case 2: c = c << 3 | c >> 29; break;
      case 3: if (a & 1) pc += 2; break;
      case 4: a = a * b + c; break;
      case 5: b -= a; break;
      case 6: c = a % (b | 1); break;
      default: a ^= 0x9e3779b9u; break;
    }
  out[global_index()] = a ^ b ^ c;
}
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
KERNEL recurse(unsigned* out) { out[global_index()] = ackermann(2, threadIdx.x % 4); }
KERNEL dot_bytes(const int* a, const int* b, int* c, int n) {
  int sum = 0;
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) sum = __dp4a(a[i], b[i], sum);
  c[global_index()] = sum;
}
KERNEL luminance(const uchar4* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const uchar4 p = in[y * width + x];
  out[y * width + x] = (p.x * 77 + p.y * 151 + p.z * 28) >> 8;
}

// ---- threads together ----
KERNEL scan(const int* in, int* out) {
  __shared__ int s[2][128];
  const int t = threadIdx.x;
  int from = 0;
  s[0][t] = in[global_index()];
  for (int d = 1; d < 128; d *= 2, from ^= 1) {
    __syncthreads();
    s[from ^ 1][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
  }
  __syncthreads();
  out[global_index()] = s[from][t];
}
KERNEL warp_sum(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
KERNEL histogram_atomic(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned s[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) s[k] = 0;
  __syncthreads();
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[in[i]], 1);
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&bins[k], s[k]);
}

// ---- floating point ----
KERNEL stencil7(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= nx - 1 || y >= ny - 1) return;
  for (int z = 1; z < nz - 1; ++z) {
    const float* p = in + (z * ny + y) * nx + x;
    out[(z * ny + y) * nx + x] = 0.4f * p[0] + 0.1f * (p[-1] + p[1] + p[-nx] + p[nx] + p[-nx * ny] + p[nx * ny]);
  }
}
__constant__ float kWeights[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};
KERNEL convolve(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const int u = min(max(x + dx, 0), width - 1), v = min(max(y + dy, 0), height - 1);
      sum += kWeights[(dy + 2) * 5 + dx + 2] * in[v * width + u];
    }
  out[y * width + x] = sum * (1.0f / 256);
}
KERNEL spmv(const int* rows, const int* columns, const float* values, const float* x, float* y, int n) {
  const int i = global_index();
  if (i >= n) return;
  float sum = 0;
  for (int k = rows[i]; k < rows[i + 1]; ++k) sum += values[k] * x[columns[k]];
  y[i] = sum;
}
KERNEL black_scholes(const float* price, const float* strike, const float* years, float* call, int n) {
  const int i = global_index();
  if (i >= n) return;
  const float root = sqrtf(years[i]), d1 = (logf(price[i] / strike[i]) + (0.02f + 0.045f) * years[i]) / (0.3f * root), d2 = d1 - 0.3f * root;
  call[i] = price[i] * normcdff(d1) - strike[i] * expf(-0.02f * years[i]) * normcdff(d2);
}
KERNEL functions(const float* a, float* c, int n) {
  const int i = global_index();
  if (i < n) c[i] = sinf(a[i]) + cosf(a[i]) * powf(a[i], 1.7f) + tanhf(a[i]) / atan2f(a[i], 2.0f);
}
KERNEL functions64(const double* a, double* c, int n) {
  const int i = global_index();
  if (i < n) c[i] = exp(a[i]) + log(a[i]) / sqrt(a[i]);
}
KERNEL fast_functions(const float* a, float* c, int n) {
  const int i = global_index();
  if (i < n) c[i] = __sinf(a[i]) + __expf(a[i]) * __logf(a[i]) + __fdividef(a[i], 3.1f) + rsqrtf(a[i]);
}
KERNEL normalise(float4* v, int n) {
  const int i = global_index();
  if (i >= n) return;
  float4 p = v[i];
  const float scale = 1.0f / sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
  p.x *= scale, p.y *= scale, p.z *= scale;
  v[i] = p;
}
// Four by four values of C a thread: registers.
KERNEL __launch_bounds__(256) gemm_blocked(const float* a, const float* b, float* c, int n) {
  __shared__ float as[8][64], bs[8][64];
  const int t = threadIdx.x, tx = t % 16 * 4, ty = t / 16 * 4, row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int tile = 0; tile < n; tile += 8) {
    for (int k = t; k < 512; k += 256) {
      as[k % 8][k / 8] = a[(row + k / 8) * n + tile + k % 8];
      bs[k / 64][k % 64] = b[(tile + k / 64) * n + column + k % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += as[k][ty + i] * bs[k][tx + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row + ty + i) * n + column + tx + j] = sum[i][j];
}
// Eight points a thread.
KERNEL fft8(float2* data) {
  float2* p = data + 8 * global_index();
  float2 v[8];
  for (int k = 0; k < 8; ++k) v[k] = p[(k & 1) << 2 | (k & 2) | (k & 4) >> 2];
  const float h = 0.70710678f, cosine[4] = {1, h, 0, -h}, sine[4] = {0, -h, -1, -h};
#pragma unroll
  for (int half = 1; half < 8; half *= 2)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if ((k & half) == 0) {
        const int w = (k & (half - 1)) * (4 / half);
        const float2 x = v[k], y = v[k | half];
        const float2 z = {y.x * cosine[w] - y.y * sine[w], y.x * sine[w] + y.y * cosine[w]};
        v[k] = {x.x + z.x, x.y + z.y}, v[k | half] = {x.x - z.x, x.y - z.y};
      }
  for (int k = 0; k < 8; ++k) p[k] = v[k];
}
KERNEL monte_carlo(unsigned* hits, int turns) {
  unsigned state = global_index() * 747796405u + 2891336453u, count = 0;
  for (int k = 0; k < turns; ++k) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    const float x = (state & 0xffff) * 0x1p-16f, y = (state >> 16) * 0x1p-16f;
    count += x * x + y * y < 1;
  }
  hits[global_index()] = count;
}
KERNEL gravity64(const double* x, const double* m, double* f, int n) {
  const int i = global_index();
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    const double d = x[k] - x[i], r = d * d + 1e-3;
    sum += m[k] * d / (r * sqrt(r));
  }
  f[i] = sum;
}
KERNEL axpy_half(__half2 alpha, const __half2* x, __half2* y, int n) {
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) y[i] = __hfma2(alpha, x[i], y[i]);
}
