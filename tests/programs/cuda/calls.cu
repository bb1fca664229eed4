// SPDX-License-Identifier: Apache-2.0
// Calls: recursion, function pointers, virtual functions, structs by value, local arrays, alloca, variadic printf; how deep
// they may go (cudaDeviceSetLimit), and what a thread hears that goes deeper.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr int kThreads = 64;

__host__ __device__ inline unsigned mix(unsigned x) {
  x = (x ^ (x >> 15)) * 0x2c1b3c6du;
  x = (x ^ (x >> 12)) * 0x297a2d39u;
  return x ^ (x >> 15);
}

// ---- recursion ----------------------------------------------------------------------------------------------------------

__host__ __device__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
// Two functions that call each other, with values that live across the calls in every width.
__host__ __device__ unsigned long long odd(unsigned n, double x, unsigned char c);
__host__ __device__ unsigned long long even(unsigned n, double x, unsigned char c) {
  if (n == 0) return (unsigned long long)(x * 8) + c;
  const unsigned local = mix(n);
  return odd(n - 1, x + 0.125, (unsigned char)(c + n)) * 3 + local;
}
__host__ __device__ unsigned long long odd(unsigned n, double x, unsigned char c) {
  const unsigned long long local = (unsigned long long)mix(n) << 20;
  return even(n - 1, x * 0.5, (unsigned char)(c ^ n)) ^ local;
}
__host__ __device__ unsigned recursion(unsigned t) {
  return ackermann(t % 3, t % 5) + (unsigned)even(2 * (t % 6), t, (unsigned char)t);
}

// ---- structs by value, and as results -------------------------------------------------------------------------------------

struct Small {
  short a;
  char b[3];
};
struct Large {
  unsigned long long wide;
  unsigned words[9];
  Small small;
  float f;
};
// More arguments than registers carry.
__host__ __device__ __noinline__ Large stir(Large in, Small s, unsigned a, unsigned long long b, float c, Small s2,
                                            unsigned d, unsigned e, unsigned f, unsigned g, unsigned h, unsigned i,
                                            unsigned j, unsigned k, Large last) {
  for (unsigned& w : in.words) w = w * 3 + a + d - e + f - g + h - i + j - k;
  in.wide += b + last.words[a % 9];
  in.small.b[s.a & 1] = (char)(s2.b[2] + s.b[1]);
  in.small.a = (short)(in.small.a + s2.a);
  in.f = in.f * c + last.f;
  last.words[0] = 0;  // the callee's copy
  return in;
}
__host__ __device__ unsigned structs(unsigned t) {
  Large x{};
  x.wide = t, x.f = (float)t, x.small.a = (short)t;
  for (unsigned n = 0; n < 9; n++) x.words[n] = mix(t + n);
  for (unsigned n = 0; n < 3; n++) {
    Small s{(short)(t + n), {1, (char)t, 3}};
    const Large before = x;
    x = stir(x, s, t, x.wide * 7, 0.5f, Small{(short)n, {4, 5, (char)n}}, 1, 2, 3, 4, 5, 6, 7, n, before);
    if (before.words[0] == 0) x.wide++;
  }
  unsigned sum = (unsigned)x.wide + (unsigned)(x.wide >> 32) + (unsigned)x.small.a + (unsigned)x.small.b[0] * 3 +
                 (unsigned)x.small.b[1] * 5 + (unsigned)(int)x.f;
  for (unsigned w : x.words) sum = sum * 31 + w;
  return sum;
}

// Sizes and alignments that fill no register, go beyond the last one, or are nothing at all.
template <int Size, int Align>
struct alignas(Align) Odd {
  unsigned char bytes[Size];
};
struct Empty {};
template <int Size, int Align>
__host__ __device__ __noinline__ Odd<Size, Align> turn(Odd<Size, Align> x, unsigned char c, Empty, Odd<Size, Align> y) {
  for (int i = 0; i < Size; i++) x.bytes[i] = (unsigned char)(x.bytes[i] * 3 + y.bytes[(i + 1) % Size] + c);
  return x;
}
template <int Size, int Align = 1>
__host__ __device__ unsigned turned(unsigned t) {
  Odd<Size, Align> x, y;
  for (int i = 0; i < Size; i++) x.bytes[i] = (unsigned char)(t + i), y.bytes[i] = (unsigned char)mix(t + i);
  Odd<Size, Align> (*const f)(Odd<Size, Align>, unsigned char, Empty, Odd<Size, Align>) = t % 2 ? turn<Size, Align> : nullptr;
  const Odd<Size, Align> z = f ? f(x, (unsigned char)t, {}, y) : turn(y, (unsigned char)t, {}, x);
  unsigned sum = 0;
  for (const unsigned char b : z.bytes) sum = sum * 7 + b;
  return sum;
}
__host__ __device__ unsigned odd_sizes(unsigned t) {
  return turned<1>(t) + turned<3>(t) * 3 + turned<5>(t) * 5 + turned<6, 2>(t) * 7 + turned<7>(t) * 9 + turned<12, 4>(t) * 11 +
         turned<13>(t) * 13 + turned<16, 16>(t) * 15 + turned<24, 8>(t) * 17 + turned<33>(t) * 19 + turned<96, 32>(t) * 21;
}

// ---- virtual functions, function pointers ---------------------------------------------------------------------------------

struct Shape {
  unsigned size;
  __host__ __device__ explicit Shape(unsigned s) : size(s) {}
  __host__ __device__ virtual unsigned area() const = 0;
  __host__ __device__ virtual unsigned twice() const { return 2 * area(); }
};
struct Square : Shape {
  using Shape::Shape;
  __host__ __device__ unsigned area() const override { return size * size; }
};
struct Tower : Shape {
  const Shape* below;
  __host__ __device__ Tower(unsigned s, const Shape* b) : Shape(s), below(b) {}
  __host__ __device__ unsigned area() const override { return below->area() + size; }
  __host__ __device__ unsigned twice() const override { return below->twice() * 3 + 1; }
};
__host__ __device__ __noinline__ unsigned measure(const Shape& s) { return s.area() * 7 + s.twice(); }
__host__ __device__ unsigned virtuals(unsigned t) {
  const Square square(t % 9);
  const Tower low(t, &square), high(t * 2, &low);
  const Shape* all[] = {&square, &low, &high};
  unsigned sum = measure(*all[t % 3]);
  for (const Shape* s : all) sum = sum * 5 + measure(*s);
  return sum;
}

// Functions found by way of a second base, a base that two others share, and pointers to members.
struct Named {
  unsigned name = 3;
  __host__ __device__ virtual unsigned call(unsigned x) { return x + name; }
};
struct Numbered {
  unsigned number = 5;
  __host__ __device__ virtual unsigned count(unsigned x) { return x * number; }
  __host__ __device__ virtual Numbered* self() { return this; }
};
struct Both : Named, Numbered {
  unsigned both = 11;
  __host__ __device__ unsigned call(unsigned x) override { return x ^ both; }
  __host__ __device__ unsigned count(unsigned x) override { return x * both + name; }
  __host__ __device__ Both* self() override { return this; }
};
struct Left : virtual Named {
  unsigned left = 2;
  __host__ __device__ unsigned call(unsigned x) override { return x * 2 + left + name; }
};
struct Right : virtual Named {
  unsigned right = 4;
};
struct Diamond : Left, Right {
  __host__ __device__ virtual unsigned last() { return left * right + name; }
};
__host__ __device__ __noinline__ unsigned through(Named& n, Numbered& m, unsigned (Numbered::*f)(unsigned), unsigned x) {
  return n.call(x) * 3 + m.count(x) + (m.*f)(x + 1) + m.self()->number;
}
__host__ __device__ unsigned inheritance(unsigned t) {
  Both both;
  Numbered plain;
  Diamond diamond;
  Right& right = diamond;
  right.name = t;
  unsigned (Numbered::*const f)(unsigned) = t % 3 ? &Numbered::count : nullptr;
  unsigned sum = f ? through(both, t % 2 ? both : plain, f, t) : through(right, both, &Numbered::count, t);
  return sum * 5 + right.call(t) + diamond.last();
}

template <typename F>
__host__ __device__ __noinline__ unsigned apply(F f, unsigned x) { return f(x) + f(x + 1); }
__host__ __device__ __noinline__ unsigned square_of(unsigned x) { return x * x; }
__host__ __device__ __noinline__ unsigned mixed(unsigned x) { return mix(x); }
__host__ __device__ unsigned pointers(unsigned t) {
  unsigned (*f)(unsigned) = t % 3 == 0 ? square_of : t % 3 == 1 ? mixed : [](unsigned x) { return x ^ 0x55; };
  return apply(f, t) + apply([t](unsigned x) { return x * t; }, t);
}

// Pointers in variables: initialized, in constant memory, inside structs, and written by a kernel.
using Function = unsigned (*)(unsigned);
struct Entry {
  unsigned weight;
  Function f;
};
__device__ Function in_global = mixed;
__constant__ Entry in_constant[] = {{3, square_of}, {5, mixed}, {7, nullptr}};
__device__ Function written[2];
__global__ void write_pointers() { written[threadIdx.x] = threadIdx.x ? square_of : mixed; }
__global__ void tables(unsigned* out) {
  const unsigned t = threadIdx.x;
  const Entry e = in_constant[t % 3];
  out[t] = in_global(t) + written[t % 2](t) * 3 + (e.f ? e.f(t) : 1) * e.weight;
}
unsigned tables_on_host(unsigned t) {
  return mixed(t) + (t % 2 ? square_of(t) : mixed(t)) * 3 + (t % 3 == 0 ? square_of(t) * 3 : t % 3 == 1 ? mixed(t) * 5 : 7);
}

// ---- local arrays, alloca ---------------------------------------------------------------------------------------------------

__host__ __device__ __noinline__ unsigned sum_of(const unsigned* p, unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++) sum = sum * 3 + p[i];
  return sum;
}
__host__ __device__ unsigned arrays(unsigned t) {
  unsigned a[40];
  unsigned char bytes[17];
  double wide[5];
  for (unsigned i = 0; i < 40; i++) a[i] = mix(t + i);
  for (unsigned i = 0; i < 17; i++) bytes[i] = (unsigned char)a[(i * t) % 40];
  for (unsigned i = 0; i < 5; i++) wide[i] = bytes[(i + t) % 17] * 0.25;
  for (unsigned i = 0; i < 20; i++) a[mix(i + t) % 40] ^= bytes[i % 17] + (unsigned)wide[i % 5];
  return sum_of(a + t % 7, 33);
}
__host__ __device__ __noinline__ unsigned with_alloca(unsigned t, unsigned depth) {
  unsigned* p = (unsigned*)__builtin_alloca((t % 13 + 1) * sizeof(unsigned));
  for (unsigned i = 0; i < t % 13 + 1; i++) p[i] = mix(t + i + depth);
  const unsigned below = depth ? with_alloca(t + 5, depth - 1) : 1;
  return sum_of(p, t % 13 + 1) + below;
}
__host__ __device__ unsigned allocas(unsigned t) { return with_alloca(t, t % 3); }

// In the kernel itself, with calls that take arguments in memory behind it.
__host__ __device__ inline unsigned alloca_and_structs(unsigned t) {
  unsigned* p = (unsigned*)__builtin_alloca((t % 5 + 3) * sizeof(unsigned));
  for (unsigned i = 0; i < t % 5 + 3; i++) p[i] = mix(t * i);
  const unsigned s = structs(t) + with_alloca(t, 1);
  return sum_of(p, t % 5 + 3) * 3 + s;
}

// Atomics on a thread's own array, through generic addresses: PTX does not promise them, an H200 performs them.
__device__ __noinline__ unsigned add_at(unsigned* p, unsigned x) { return atomicAdd(p, x); }
__device__ __noinline__ unsigned long long add_wide(unsigned long long* p, unsigned long long x) { return atomicAdd(p, x); }
__device__ __noinline__ unsigned swap_at(unsigned* p, unsigned old, unsigned x) { return atomicCAS(p, old, x); }
__host__ __device__ inline void fill(unsigned t, unsigned* a, unsigned long long* wide) {
  for (unsigned i = 0; i < 6; i++) a[i] = mix(t + i);
  for (unsigned i = 0; i < 3; i++) wide[i] = (unsigned long long)a[2 * i] << 20 | a[2 * i + 1];
}
__global__ void local_atomics(unsigned* out) {
  const unsigned t = threadIdx.x;
  unsigned a[6];
  unsigned long long wide[3];
  fill(t, a, wide);
  unsigned r = add_at(a + t % 6, t);
  const unsigned old = a[(t + t % 2) % 6];
  r ^= swap_at(a + (t + 1) % 6, old, 77);
  r += (unsigned)(add_wide(wide + t % 3, 0xfffffffffULL * t) >> 7);
  out[t] = r ^ sum_of(a, 6) ^ (unsigned)(wide[t % 3] >> 13);
}
unsigned local_atomics_on_host(unsigned t) {
  unsigned a[6];
  unsigned long long wide[3];
  fill(t, a, wide);
  const unsigned added = a[t % 6];
  a[t % 6] += t;
  const unsigned found = a[(t + 1) % 6];
  if (found == a[(t + t % 2) % 6]) a[(t + 1) % 6] = 77;
  unsigned r = added ^ found;
  r += (unsigned)(wide[t % 3] >> 7);
  wide[t % 3] += 0xfffffffffULL * t;
  return r ^ sum_of(a, 6) ^ (unsigned)(wide[t % 3] >> 13);
}

// ---- run and compare ----------------------------------------------------------------------------------------------------------

struct Program {
  const char* name;
  unsigned (*on_host)(unsigned);
  void (*kernel)(unsigned*);
};
template <unsigned (*F)(unsigned)>
__global__ void run(unsigned* out) { out[threadIdx.x] = F(threadIdx.x); }
const Program kPrograms[] = {{"recursion", recursion, run<recursion>}, {"structs", structs, run<structs>},
                             {"structs of odd sizes", odd_sizes, run<odd_sizes>}, {"inheritance", inheritance, run<inheritance>},
                             {"tables", tables_on_host, tables}, {"virtual functions", virtuals, run<virtuals>}, {"function pointers", pointers, run<pointers>},
                             {"local arrays", arrays, run<arrays>}, {"atomics on local arrays", local_atomics_on_host, local_atomics}, {"alloca", allocas, run<allocas>},
                             {"alloca before calls", alloca_and_structs, run<alloca_and_structs>}};

// ---- how deep -----------------------------------------------------------------------------------------------------------------

__device__ __noinline__ unsigned dig(unsigned depth, volatile unsigned* sink) {
  unsigned room[8];
  for (unsigned i = 0; i < 8; i++) room[i] = depth * i + *sink;
  const unsigned below = depth ? dig(depth - 1, sink) : 0;
  return below + room[depth % 8];
}
__global__ void deep(unsigned* out, unsigned depth) { out[threadIdx.x] = dig(threadIdx.x == 5 ? depth : 1, out + kThreads); }

int check_depth() {
  int bad = 0;
  unsigned* d = nullptr;
  const auto launch = [&](size_t stack, unsigned depth) {
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, stack));
    CHECK(cudaMalloc(&d, (kThreads + 1) * sizeof *d));
    CHECK(cudaMemset(d, 0, (kThreads + 1) * sizeof *d));
    deep<<<1, kThreads>>>(d, depth);
    return cudaDeviceSynchronize();
  };
  size_t limit = 0;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  bad += limit != 1024;
  bad += launch(limit, 2) != cudaSuccess;
  bad += launch(20000, 200) != cudaSuccess;
  unsigned got[kThreads], want = 0;
  CHECK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
  for (unsigned n = 0; n <= 200; n++) want += n * (n % 8);
  bad += got[5] != want;
  // One thread goes too deep: an error that says so, and the device is good again after a reset.
  const cudaError_t error = launch(2048, 200);
  if (error != cudaErrorHardwareStackError) printf("overflow: %s\n", cudaGetErrorName(error)), bad++;
  CHECK(cudaDeviceReset());
  bad += launch(20000, 100) != cudaSuccess;
  if (bad) printf("depth: %d wrong\n", bad);
  return bad;
}

// ---- printf: the same lines on the device and on the host --------------------------------------------------------------------

#define LINES(PRINT, t)                                                                                                     \
  PRINT("%s %d %c %u %lld %5.2f %x %%\n", "thread", t, 'x', 7u, -(1ll << 40), 2.5 * t, 0xbeef);                             \
  PRINT("%*d|%-6d|%+d|%e|%g|%p\n", 5, 42, 42, 42, 1.5e10, (double)0.1f, (void*)0x1234);                                     \
  PRINT("%hhd %hd %ld %zu %o %#o %X %#x %08.3f % d\n", (char)-7, (short)-300, -1l, sizeof(int), 8u, 8u, 255u, 255u, -1.5, 9); \
  PRINT("%a %A %E %G %.0f %.10s|%10s|%-10s|%.*f\n", 1.0, 0.5, 12345.678, 1e-10, 2.5, "0123456789abc", "right", "left", 3, 2.0 / 3); \
  PRINT("%llu %llx %i %jd %td %5c|%-3c| no arguments\n", ~0ull, 1ull << 63, -2147483647 - 1, (long)5, (long)-6, 'a', 'b');   \
  PRINT("%d %d %d %d %d %d %d %d %d %d %d %d %f %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13.5, t);                       \
  PRINT("plain\n")

__global__ void prints(int thread) {
  const int t = (int)threadIdx.x;
  if (t == thread) {
    LINES(printf, t);
  }
}
int check_printf() {
  std::string want;
  const auto add = [&](const char* format, auto... values) {
    char line[300];
    if constexpr (sizeof...(values) == 0) {
      want += format;
    } else {
      snprintf(line, sizeof line, format, values...);
      want += line;
    }
  };
  LINES(add, 3);
  // What the program prints meanwhile goes to a file.
  fflush(stdout);
  FILE* const file = tmpfile();
  const int before = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  prints<<<1, 32>>>(3);
  CHECK_LAUNCH();
  fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  std::string got((size_t)lseek(fileno(file), 0, SEEK_END), '\0');
  const bool read = pread(fileno(file), &got[0], got.size(), 0) == (ssize_t)got.size();
  fclose(file);
  if (read && got == want) return 0;
  printf("printf:\n%sinstead of\n%s", got.c_str(), want.c_str());
  return 1;
}

}  // namespace

int main() {
  int bad = 0;
  unsigned* d = nullptr;
  CHECK(cudaMalloc(&d, kThreads * sizeof *d));
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  write_pointers<<<1, 2>>>();
  for (const Program& p : kPrograms) {
    std::vector<unsigned> got(kThreads);
    p.kernel<<<1, kThreads>>>(d);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got.data(), d, kThreads * sizeof *d, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < kThreads; t++)
      if (got[t] != p.on_host(t) && bad++ < 5)
        printf("%s, thread %u: %x, expected %x\n", p.name, t, got[t], p.on_host(t));
  }
  bad += check_printf();
  CHECK(cudaFree(d));
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
  bad += check_depth();
  return verdict(bad);
}
