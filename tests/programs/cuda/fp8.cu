// SPDX-License-Identifier: Apache-2.0
// cuda_fp8.h on device and host: each of the 256 codes of both formats, what rounds to each, conversions of all kinds; the host's are judged by
// looking for the nearest number.
#include <cuda_fp8.h>

#include <cmath>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

typedef unsigned short u16;
constexpr int kWords = 24;

// Numbers near the middle between two codes, and beyond all.
__host__ __device__ inline double sample(unsigned t) {
  const unsigned code = t & 0xff;
  if (code >= 0x7c && t % 3 == 0) return code == 0x7d ? NAN : code & 1 ? INFINITY : 1e30;
  const double here = (double)__half2float(__half(__nv_cvt_fp8_to_halfraw(code & 0x7f, t & 0x100 ? __NV_E4M3 : __NV_E5M2)));
  const double next = (double)__half2float(__half(__nv_cvt_fp8_to_halfraw((code + 1) & 0x7f, t & 0x100 ? __NV_E4M3 : __NV_E5M2)));
  const double steps[] = {0, 0.5, 0.5 - 1.0 / 1024, 0.5 + 1.0 / 1024, 0.25, 0.875, 0.5 + 1e-12, 0.5 - 1e-12};
  const double v = here + (next - here) * steps[t >> 9 & 7];
  return code & 0x80 ? -v : v;
}

template <typename One, typename Two, typename Four, __nv_fp8_interpretation_t kFormat>
__host__ __device__ inline void all(unsigned t, unsigned* o) {
  const double d = sample(t), e = sample(t * 7 + 3);
  const float f = (float)d, g = (float)e;
  const __half h = __double2half(d), k = __double2half(e);
  const __nv_bfloat16 b = __double2bfloat16(d), c = __double2bfloat16(e);
  const __nv_fp8_storage_t code = (__nv_fp8_storage_t)t;
  One one;
  one.__x = code;
  Two two;
  two.__x = (u16)(t * 257 >> 3);
  const float2 pair(two);
  o[0] = __nv_cvt_double_to_fp8(d, __NV_NOSAT, kFormat) | __nv_cvt_double_to_fp8(d, __NV_SATFINITE, kFormat) << 8;
  o[1] = __nv_cvt_float_to_fp8(f, __NV_NOSAT, kFormat) | __nv_cvt_float_to_fp8(f, __NV_SATFINITE, kFormat) << 8;
  o[2] = __nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, kFormat) | __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, kFormat) << 8;
  o[3] = __nv_cvt_bfloat16raw_to_fp8(b, __NV_NOSAT, kFormat) | __nv_cvt_bfloat16raw_to_fp8(b, __NV_SATFINITE, kFormat) << 8;
  o[4] = __nv_cvt_double2_to_fp8x2(make_double2(d, e), __NV_NOSAT, kFormat) |
         (unsigned)__nv_cvt_double2_to_fp8x2(make_double2(d, e), __NV_SATFINITE, kFormat) << 16;
  o[5] = __nv_cvt_float2_to_fp8x2(make_float2(f, g), __NV_NOSAT, kFormat) |
         (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(f, g), __NV_SATFINITE, kFormat) << 16;
  o[6] = __nv_cvt_halfraw2_to_fp8x2(__half2(h, k), __NV_NOSAT, kFormat) |
         (unsigned)__nv_cvt_halfraw2_to_fp8x2(__half2(h, k), __NV_SATFINITE, kFormat) << 16;
  o[7] = __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162(b, c), __NV_NOSAT, kFormat) |
         (unsigned)__nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162(b, c), __NV_SATFINITE, kFormat) << 16;
  o[8] = __nv_cvt_fp8_to_halfraw(code, kFormat).x;
  const __half2_raw wide = __nv_cvt_fp8x2_to_halfraw2(two.__x, kFormat);
  o[9] = wide.x | (unsigned)wide.y << 16;
  o[10] = One(d).__x | One(f).__x << 8 | One(h).__x << 16 | (unsigned)One(b).__x << 24;
  o[11] = One((short)(t * 13)).__x | One((u16)(t * 13)).__x << 8 | One((int)t - 600).__x << 16 | (unsigned)One(t).__x << 24;
  o[12] = One((long)t * -3).__x | One((unsigned long)t << 40).__x << 8 | One((long long)t).__x << 16 | (unsigned)One((unsigned long long)t).__x << 24;
  o[13] = Two(__half2(h, k)).__x | (unsigned)Two(__nv_bfloat162(b, c)).__x << 16;
  o[14] = Two(make_float2(f, g)).__x | (unsigned)Two(make_double2(d, e)).__x << 16;
  o[15] = Four(__half2(h, k), __half2(k, h)).__x;
  o[16] = Four(__nv_bfloat162(b, c), __nv_bfloat162(c, c)).__x;
  o[17] = Four(make_float4(f, g, -f, 1)).__x;
  o[18] = Four(make_double4(d, e, -d, 1)).__x;
  const float4 four(Four(make_float4(f, g, -f, 1)));
  o[19] = (pair.x == pair.x ? __half_as_ushort(__float2half(pair.x)) : 0) ^ (four.x + four.z == 0) << 16 ^ (pair.y > four.y) << 17;
  o[20] = __bfloat16_as_ushort(__nv_bfloat16(one)) | (unsigned)(bool)one << 16 | (unsigned)((float)one == (double)one) << 17;
  o[21] = (unsigned char)one | (unsigned)(unsigned char)(signed char)one << 8 | (unsigned)(u16)(short)one << 16;
  o[22] = (u16)one | (unsigned)(int)one << 16;
  o[23] = (unsigned)one ^ (unsigned)(long)one * 3 ^ (unsigned)(long long)one * 5 ^ (unsigned)((unsigned long)one >> 3) ^ (unsigned)(unsigned long long)one * 7 ^
          (unsigned)(unsigned char)(char)one;
}

__host__ __device__ inline void both(unsigned t, unsigned* o) {
  all<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3>(t, o);
  all<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2>(t, o + kWords);
}

__global__ void kernel(unsigned* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  both(t * 61 % 4096, out + t * 2 * kWords);
}

// The nearest of all codes, of two the even one; `beyond` stands for a next number that the format lacks.
unsigned nearest(double v, __nv_fp8_interpretation_t format) {
  if (v != v) return 0x7f;
  const unsigned sign = std::signbit(v) ? 0x80 : 0, end = format == __NV_E4M3 ? 0x7f : 0x7c;
  const double beyond = format == __NV_E4M3 ? 480 : 65536, magnitude = std::fabs(v);
  unsigned best = 0;
  double distance = INFINITY;
  for (unsigned code = 0; code <= end; code++) {
    const double d = code == end ? std::fabs(beyond - magnitude)
                                 : std::fabs((double)__half2float(__half(__nv_cvt_fp8_to_halfraw(code, format))) - magnitude);
    if (d < distance || (d == distance && !(code & 1))) best = code, distance = d;
  }
  return sign | (magnitude > beyond ? end : best);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned blocks = (unsigned)example_argument(argc, argv, 1, 64);
  std::vector<unsigned> got(blocks * 64 * 2 * kWords), expected(2 * kWords);
  unsigned* out = nullptr;
  CHECK(cudaMalloc(&out, got.size() * sizeof(unsigned)));
  kernel<<<blocks, 64>>>(out);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  int wrong = 0;
  for (unsigned i = 0; i < blocks * 64; i++) {
    const unsigned t = i * 61 % 4096;
    both(t, expected.data());
    for (int k = 0; k < 2 * kWords; k++) {
      const unsigned g = got[i * 2 * kWords + k];
      if (g != expected[k] && wrong++ < 20) printf("%u, word %d: %08x, on the host %08x\n", t, k, g, expected[k]);
    }
    for (auto format : {__NV_E4M3, __NV_E5M2}) {
      const unsigned answer = __nv_cvt_double_to_fp8(sample(t), __NV_NOSAT, format), exact = nearest(sample(t), format);
      if (answer != exact && wrong++ < 20) printf("%a: %02x, expected %02x\n", sample(t), answer, exact);
    }
  }
  const struct {
    unsigned code;
    float value;
  } known[] = {{0x38, 1}, {0x7e, 448}, {0x01, 0x1p-9f}, {0x08, 0x1p-6f}, {0xb9, -1.125f}};
  for (const auto& n : known) {
    const float v = __half2float(__half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)n.code, __NV_E4M3)));
    if (v != n.value) wrong++, printf("code %02x: %g, expected %g\n", n.code, v, n.value);
  }
  printf(wrong ? "FAIL\n" : "PASS\n");
  return wrong != 0;
}
