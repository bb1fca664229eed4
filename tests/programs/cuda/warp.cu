// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp tell each other: every warp function, converged, diverged, with masks that differ from lane to
// lane, after lanes have ended. The host computes the same from all lanes' values.
#include <functional>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr unsigned kAll = 0xffffffffu;
constexpr int kWarps = 3, kResults = 48;

__host__ __device__ inline unsigned mix(unsigned x) {
  x = (x ^ (x >> 15)) * 0x2c1b3c6du;
  x = (x ^ (x >> 12)) * 0x297a2d39u;
  return x ^ (x >> 15);
}
// A lane's value; `few`: of few different ones.
__host__ __device__ inline unsigned input(unsigned thread, unsigned which) { return mix(thread * 97 + which * 7919 + 1); }
__host__ __device__ inline unsigned few(unsigned thread, unsigned which) { return input(thread, which) % 3; }

__device__ unsigned lanemask(int which) {
  unsigned m;
  switch (which) {
    case 0: asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(m)); break;
    case 1: asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(m)); break;
    case 2: asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(m)); break;
    case 3: asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(m)); break;
    default: asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(m)); break;
  }
  return m;
}

// ---- one split, all lanes -----------------------------------------------------------------------------------

__global__ void shuffles(unsigned* out) {
  const unsigned t = threadIdx.x, v = input(t, 0), lane = t % 32;
  const long long wide = (long long)((unsigned long long)input(t, 1) << 32 | v);
  unsigned* o = out + t * kResults;
  *o++ = __shfl_sync(kAll, v, 5);
  *o++ = __shfl_sync(kAll, v, (int)(input(t, 2) % 40));
  *o++ = __shfl_sync(kAll, v, (int)(lane + 3), 8);
  *o++ = __shfl_up_sync(kAll, v, 3);
  *o++ = __shfl_up_sync(kAll, v, input(t, 3) % 33, 16);
  *o++ = __shfl_down_sync(kAll, v, 1);
  *o++ = __shfl_down_sync(kAll, v, input(t, 4) % 33, 4);
  *o++ = __shfl_xor_sync(kAll, v, 21);
  *o++ = __shfl_xor_sync(kAll, v, (int)(input(t, 5) % 32), 16);
  *o++ = __float_as_uint(__shfl_down_sync(kAll, __uint_as_float(v), 7));
  const long long moved = __shfl_xor_sync(kAll, wide, 9);
  *o++ = (unsigned)moved;
  *o++ = (unsigned)(moved >> 32);
  const long long bits = __double_as_longlong(__shfl_up_sync(kAll, __longlong_as_double(wide), 2, 8));
  *o++ = (unsigned)bits;
  *o++ = (unsigned)(bits >> 32);
}

void shuffles_on_host(const unsigned* thread, int lane, std::vector<unsigned>& o) {
  const auto v = [&](int l, unsigned which = 0) { return input(thread[l], which); };
  const auto idx = [&](int s, int w) { return (lane & ~(w - 1)) | (s & (w - 1)); };
  const auto up = [&](int d, int w) { d &= 31; return lane - d >= (lane & ~(w - 1)) ? lane - d : lane; };
  const auto down = [&](int d, int w) { d &= 31; return lane + d <= (lane | (w - 1)) ? lane + d : lane; };
  const auto cross = [&](int m, int w) { return (lane ^ m) <= (lane | (w - 1)) ? lane ^ m : lane; };
  const auto mine = [&](unsigned which) { return (int)input(thread[lane], which); };
  const auto number = [&](unsigned which, unsigned n) { return (int)((unsigned)mine(which) % n); };
  o = {v(5), v(idx(number(2, 40), 32)), v(idx(lane + 3, 8)), v(up(3, 32)), v(up(number(3, 33), 16)), v(down(1, 32)),
       v(down(number(4, 33), 4)), v(cross(21, 32)), v(cross(number(5, 32), 16)), v(down(7, 32)), v(cross(9, 32)),
       v(cross(9, 32), 1), v(up(2, 8)), v(up(2, 8), 1)};
}

// Votes and the like over `mask`, the calling lane's; p, key and v: its values.
__device__ unsigned* collectives(unsigned mask, unsigned* o, bool p, unsigned key, unsigned v, unsigned long long wide) {
  *o++ = __ballot_sync(mask, p);
  *o++ = (unsigned)(__any_sync(mask, p) != 0) | (unsigned)(__all_sync(mask, p) != 0) << 1 |
         (unsigned)(__any_sync(mask, !p) != 0) << 2 | (unsigned)(__all_sync(mask, !p) != 0) << 3;
  *o++ = (unsigned)__uni_sync(mask, p);
  *o++ = __match_any_sync(mask, key);
  *o++ = __match_any_sync(mask, wide);
  int all = 0;
  *o++ = __match_all_sync(mask, key, &all);
  *o++ = (unsigned)(all != 0);
  *o++ = __match_all_sync(mask, wide, &all);
  *o++ = (unsigned)(all != 0);
  *o++ = __reduce_add_sync(mask, v);
  *o++ = (unsigned)__reduce_min_sync(mask, (int)v);
  *o++ = __reduce_min_sync(mask, v);
  *o++ = (unsigned)__reduce_max_sync(mask, (int)v);
  *o++ = __reduce_max_sync(mask, v);
  *o++ = __reduce_and_sync(mask, v | 0xff);
  *o++ = __reduce_or_sync(mask, v);
  *o++ = __reduce_xor_sync(mask, v);
  unsigned leader, elected;
#if __CUDA_ARCH__ >= 900
  asm volatile("{.reg .pred q; elect.sync %0|q, %2; selp.u32 %1, 1, 0, q;}" : "=r"(leader), "=r"(elected) : "r"(mask));
#else
  unsigned own;
  asm("mov.u32 %0, %%laneid;" : "=r"(own));
  leader = __ffs(mask) - 1, elected = own == leader;
#endif
  *o++ = leader;
  *o++ = elected;
  *o++ = __shfl_sync(mask, v, (int)leader);
  return o;
}

struct Lane {
  bool p;
  unsigned key, v;
  unsigned long long wide;
};

void collectives_on_host(unsigned mask, int lane, const std::function<Lane(int)>& of, std::vector<unsigned>& o) {
  unsigned ones = 0, same = 0, same_wide = 0, add = 0, least = ~0u, most = 0, both = ~0u, either = 0, odd = 0;
  int low = 0x7fffffff, high = (int)0x80000000;
  const Lane me = of(lane);
  for (int l = 0; l < 32; l++) {
    if (!(mask >> l & 1)) continue;
    const Lane x = of(l);
    ones |= (unsigned)x.p << l;
    same |= (unsigned)(x.key == me.key) << l;
    same_wide |= (unsigned)(x.wide == me.wide) << l;
    add += x.v, both &= x.v | 0xff, either |= x.v, odd ^= x.v;
    least = x.v < least ? x.v : least, most = x.v > most ? x.v : most;
    low = (int)x.v < low ? (int)x.v : low, high = (int)x.v > high ? (int)x.v : high;
  }
  const unsigned zeros = mask & ~ones;
  const int leader = __builtin_ctz(mask);
  const unsigned more[] = {ones, (unsigned)(ones != 0) | (unsigned)(ones == mask) << 1 | (unsigned)(zeros != 0) << 2 |
                           (unsigned)(zeros == mask) << 3, ones == 0 || ones == mask, same, same_wide,
                           same == mask ? mask : 0, same == mask, same_wide == mask ? mask : 0, same_wide == mask,
                           add, (unsigned)low, least, (unsigned)high, most, both, either, odd,
                           (unsigned)leader, lane == leader, of(leader).v};
  o.insert(o.end(), std::begin(more), std::end(more));
}

// What lane's threads put into case number `n`.
__host__ __device__ Lane values(unsigned t, unsigned n) {
  Lane x;
  x.p = n % 4 == 1 ? true : n % 4 == 2 ? false : input(t, 10 + n) % 4 != 0;
  x.key = n % 3 == 1 ? 7 : few(t, 20 + n);
  x.v = input(t, 30 + n);
  x.wide = n % 5 == 1 ? 0x500000007ull : (unsigned long long)few(t, 40 + n) << 32 | few(t, 50 + n) % 2;
  return x;
}
__device__ unsigned* collectives(unsigned mask, unsigned* o, unsigned t, unsigned n) {
  const Lane x = values(t, n);
  return collectives(mask, o, x.p, x.key, x.v, x.wide);
}

__global__ void together(unsigned* out, unsigned n) {
  const unsigned t = threadIdx.x;
  unsigned* o = collectives(kAll, out + t * kResults, t, n);
  *o++ = __activemask();
  for (int k = 0; k < 5; k++) *o++ = lanemask(k);
}

// ---- masks that differ from lane to lane --------------------------------------------------------------------

// Groups of lanes: halves, quarters, by parity, by value.
__host__ __device__ unsigned group_of(unsigned t, unsigned n) {
  const unsigned lane = t % 32;
  switch (n % 5) {
    case 0: return lane / 16;
    case 1: return lane / 8;
    case 2: return lane & 1;
    case 3: return few(t, 60 + n);
    default: return input(t, 60 + n) % 9;
  }
}

__global__ void grouped(unsigned* out, unsigned n) {
  const unsigned t = threadIdx.x;
  const unsigned mask = __match_any_sync(kAll, group_of(t, n));
  collectives(mask, out + t * kResults, t, n);
}

// The same, but lanes come at different times and from two places, a group's not together.
__device__ __noinline__ void collectives_called(unsigned mask, unsigned* o, unsigned t, unsigned n) {
  collectives(mask, o, t, n);
}
__global__ void grouped_late(unsigned* out, unsigned n) {
  const unsigned t = threadIdx.x;
  const unsigned mask = __match_any_sync(kAll, group_of(t, n));
  unsigned x = t;
  if (input(t, 70 + n) % 3 != 0) {
    for (unsigned k = 0; k < input(t, 80 + n) % 7; k++) x = mix(x);
    collectives_called(mask, out + t * kResults, t, n);
    if (x == 12345u) out[0] = x;
    return;
  }
  collectives_called(mask, out + t * kResults, t, n);
}

// ---- diverged -----------------------------------------------------------------------------------------------

__global__ void diverged(unsigned* out, unsigned n) {
  const unsigned t = threadIdx.x, lane = t % 32;
  unsigned* o = out + t * kResults;
  if (lane % 4 == 1) {
    collectives(0x22222222u, o, t, n);
  } else if (lane < 16) {
    collectives(0x0000ddddu, o, t, n);
  } else {
    collectives(0xdddd0000u, o, t, n);
  }
}
unsigned diverged_mask(int lane) { return lane % 4 == 1 ? 0x22222222u : lane < 16 ? 0xddddu : 0xdddd0000u; }

// One instruction, to which lanes come on two ways, through calls from two places.
__device__ __noinline__ unsigned rotated(unsigned v, int by) { return __shfl_sync(kAll, v, (int)(threadIdx.x % 32) + by); }
__global__ void two_ways(unsigned* out, unsigned n) {
  const unsigned t = threadIdx.x;
  unsigned v;
  if (input(t, 90 + n) % 2) {
    v = rotated(input(t, n), 3) + 1;
  } else {
    for (unsigned k = 0; k < t % 5; k++) v = mix(k);
    v = rotated(input(t, n), 3) + 2;
  }
  __syncwarp();
  out[t * kResults] = v;
}

// Two places in the program that are one operation, each lane's mask naming lanes at both.
__global__ void two_places(unsigned* out, unsigned n) {
  const unsigned t = threadIdx.x, mask = n % 2 ? __match_any_sync(kAll, group_of(t, n)) : kAll;
  unsigned* o = out + t * kResults;
  if (input(t, 120 + n) % 2) {
    o = collectives(mask, o, t, n);
    *o = __shfl_sync(kAll, input(t, n), (int)(t % 32) + 5);
  } else {
    unsigned x = t;
    for (unsigned k = 0; k < t % 4; k++) x = mix(x);
    o = collectives(mask, o, t, n);
    *o = __shfl_sync(kAll, input(t, n) + 1000, (int)(t % 32) + 9);
    if (x == 12345u) out[0] = x;
  }
}

// Lanes leave a loop one after the other, those that stay vote.
__global__ void leaving(unsigned* out, unsigned n) {
  const unsigned t = threadIdx.x, turns = input(t, 100 + n) % 6;
  unsigned sum = 0, here = kAll;
  for (unsigned k = 0;; k++) {
    here = __ballot_sync(here, k < turns);
    if (k >= turns) break;
    sum = sum * 31 + here + __reduce_max_sync(here, input(t, k)) + __shfl_xor_sync(here, input(t, k), 1, 2) * (here >> (t % 32 ^ 1) & 1);
  }
  out[t * kResults] = sum;
}

// Some lanes have ended: full masks still name them.
__global__ void ended(unsigned* out, unsigned n) {
  const unsigned t = threadIdx.x;
  if (input(t, 110 + n) % 3 == 0) return;
  unsigned* o = out + t * kResults;
  *o++ = __ballot_sync(kAll, true);
  *o++ = __reduce_add_sync(kAll, t);
  *o++ = __activemask();
}

// Halves that diverge hand each other values through shared memory.
__global__ void handed(unsigned* out, unsigned n) {
  __shared__ unsigned box[kWarps * 32];
  const unsigned t = threadIdx.x;
  unsigned got = 0;
  for (unsigned k = 0; k < 3; k++) {
    if (t % 32 < 16) {
      box[t] = input(t, n + k);
      __syncwarp();
      __syncwarp();
    } else {
      __syncwarp();
      got += box[t - 16];
      __syncwarp();
    }
  }
  out[t * kResults] = got;
}

// ---- the host's side ------------------------------------------------------------------------------------------

using Want = std::function<std::vector<unsigned>(const unsigned* thread, int lane)>;
unsigned* device_out;
int failures;

void check(const char* name, unsigned n, const std::function<void()>& launch, const Want& want) {
  const size_t words = size_t{kWarps} * 32 * kResults;
  CHECK(cudaMemset(device_out, 0xee, words * 4));
  launch();
  CHECK_LAUNCH();
  std::vector<unsigned> got(words);
  CHECK(cudaMemcpy(got.data(), device_out, words * 4, cudaMemcpyDeviceToHost));
  for (int w = 0; w < kWarps; w++) {
    unsigned thread[32];
    for (int l = 0; l < 32; l++) thread[l] = (unsigned)(w * 32 + l);
    for (int l = 0; l < 32; l++) {
      const std::vector<unsigned> expected = want(thread, l);
      for (size_t k = 0; k < expected.size(); k++) {
        const unsigned g = got[thread[l] * kResults + k];
        if (g == expected[k]) continue;
        if (failures++ < 20)
          printf("%s %u, warp %d, lane %d, result %zu: %08x, expected %08x\n", name, n, w, l, k, g, expected[k]);
      }
    }
  }
}

unsigned lanes_where(const unsigned* thread, const std::function<bool(unsigned)>& holds) {
  unsigned mask = 0;
  for (int l = 0; l < 32; l++) mask |= (unsigned)holds(thread[l]) << l;
  return mask;
}

std::vector<unsigned> collective_results(unsigned mask, const unsigned* thread, int lane, unsigned n) {
  std::vector<unsigned> o;
  collectives_on_host(mask, lane, [&](int l) { return values(thread[l], n); }, o);
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = (unsigned)example_argument(argc, argv, 1, 5);
  CHECK(cudaMalloc((void**)&device_out, size_t{kWarps} * 32 * kResults * 4));
  const int threads = kWarps * 32;
  check("shuffles", 0, [&] { shuffles<<<1, threads>>>(device_out); }, [](const unsigned* t, int l) {
    std::vector<unsigned> o;
    shuffles_on_host(t, l, o);
    return o;
  });
  for (unsigned n = 0; n < rounds; n++) {
    check("together", n, [&] { together<<<1, threads>>>(device_out, n); }, [&](const unsigned* t, int l) {
      std::vector<unsigned> o = collective_results(kAll, t, l, n);
      const unsigned eq = 1u << l;
      for (const unsigned m : {kAll, eq, eq - 1, eq | (eq - 1), ~(eq | (eq - 1)), ~(eq - 1)}) o.push_back(m);
      return o;
    });
    const Want by_group = [&](const unsigned* t, int l) {
      const unsigned mask = lanes_where(t, [&](unsigned x) { return group_of(x, n) == group_of(t[l], n); });
      return collective_results(mask, t, l, n);
    };
    check("grouped", n, [&] { grouped<<<1, threads>>>(device_out, n); }, by_group);
    check("grouped_late", n, [&] { grouped_late<<<1, threads>>>(device_out, n); }, by_group);
    check("diverged", n, [&] { diverged<<<1, threads>>>(device_out, n); },
          [&](const unsigned* t, int l) { return collective_results(diverged_mask(l), t, l, n); });
    check("two_ways", n, [&] { two_ways<<<1, threads>>>(device_out, n); }, [&](const unsigned* t, int l) {
      return std::vector<unsigned>{input(t[(l + 3) % 32], n) + (input(t[l], 90 + n) % 2 ? 1 : 2)};
    });
    check("two_places", n, [&] { two_places<<<1, threads>>>(device_out, n); }, [&](const unsigned* t, int l) {
      const auto first = [&](int m) { return input(t[m], 120 + n) % 2 != 0; };
      const unsigned mask =
          n % 2 ? lanes_where(t, [&](unsigned x) { return group_of(x, n) == group_of(t[l], n); }) : kAll;
      std::vector<unsigned> o = collective_results(mask, t, l, n);
      const int from = (l + (first(l) ? 5 : 9)) % 32;
      o.push_back(input(t[from], n) + (first(from) ? 0 : 1000));
      return o;
    });
    check("leaving", n, [&] { leaving<<<1, threads>>>(device_out, n); }, [&](const unsigned* t, int l) {
      unsigned sum = 0;
      const auto turns = [&](unsigned x) { return input(x, 100 + n) % 6; };
      for (unsigned k = 0; k < turns(t[l]); k++) {
        const unsigned here = lanes_where(t, [&](unsigned x) { return k < turns(x); });
        unsigned most = 0;
        for (int m = 0; m < 32; m++)
          if (here >> m & 1) most = input(t[m], k) > most ? input(t[m], k) : most;
        sum = sum * 31 + here + most + input(t[l ^ 1], k) * (here >> (l ^ 1) & 1);
      }
      return std::vector<unsigned>{sum};
    });
    check("ended", n, [&] { ended<<<1, threads>>>(device_out, n); }, [&](const unsigned* t, int l) {
      const unsigned here = lanes_where(t, [&](unsigned x) { return input(x, 110 + n) % 3 != 0; });
      if (!(here >> l & 1)) return std::vector<unsigned>{};
      unsigned sum = 0;
      for (int m = 0; m < 32; m++) sum += (here >> m & 1) * t[m];
      return std::vector<unsigned>{here, sum, here};
    });
    check("handed", n, [&] { handed<<<1, threads>>>(device_out, n); }, [&](const unsigned* t, int l) {
      unsigned got = 0;
      for (unsigned k = 0; l >= 16 && k < 3; k++) got += input(t[l - 16], n + k);
      return std::vector<unsigned>{got};
    });
  }
  printf("%d results differ\n", failures);
  printf("%s\n", failures ? "FAIL" : "PASS");
  return failures != 0;
}
