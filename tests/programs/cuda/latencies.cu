// SPDX-License-Identifier: Apache-2.0
// Cycles from an instruction to one that needs its result, beside an H200's: within one cycle below 16, within a tenth above.
// One warp, chains of dependent instructions: the clock, n steps, the clock, 3 n steps, the clock; the difference of the two
// spans over 2 n. Silicon's figures are of the same chains.
#include <cmath>
#include <cstdio>

#include "../../../examples/common/example.h"

constexpr int kSteps = 32;

struct Arguments {
  unsigned seed, never, *global;
};

// Two registers that change places, so that no two steps are one instruction; a third that stays.
struct State {
  unsigned x, y, z;
  float f, g;
  double d;
  unsigned long long w;
};

// Not clock64(), which may be read before what the program has in front of it.
__device__ __forceinline__ long long now() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

template <class Form, int N>
__device__ __forceinline__ void steps(State& s) {
#pragma unroll
  for (int i = 0; i < N; i++) Form::step(s);
}

template <class Form>
__global__ void chain(Arguments arguments, long long* cycles) {
  __shared__ unsigned own[1024];  // each word its own address
  for (unsigned i = threadIdx.x; i < 1024; i += 32) own[i] = static_cast<unsigned>(__cvta_generic_to_shared(&own[i]));
  __syncwarp();
  State s{arguments.seed + threadIdx.x, arguments.seed + 7, arguments.seed + 3, 1.5f, 1.25f, 1.5, 0};
  Form::begin(s, own, arguments.global);
  long long first = 0, second = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; pass++) {  // the first brings the code
    Form::step(s);
    const long long t0 = now();
    steps<Form, kSteps>(s);
    const long long t1 = now();
    steps<Form, 3 * kSteps>(s);
    const long long t2 = now();
    first = t1 - t0;
    second = t2 - t1;
  }
  if (threadIdx.x == 0) *cycles = second - first;
  const unsigned made = s.x ^ s.y ^ __float_as_uint(s.f + s.g) ^ static_cast<unsigned>(__double_as_longlong(s.d)) ^
                        static_cast<unsigned>(s.w);
  if (made == arguments.never) *cycles = 0;  // what the chain made is needed
}

struct Registers {
  static __device__ void begin(State&, unsigned*, unsigned*) {}
};
struct Shared {
  static __device__ void begin(State& s, unsigned* own, unsigned*) { s.x = own[threadIdx.x]; }
};
struct Global {
  static __device__ void begin(State& s, unsigned*, unsigned* global) {
    s.w = reinterpret_cast<unsigned long long>(global) + 8 * threadIdx.x;
  }
};
__constant__ unsigned offsets[1024];  // each its own
template <unsigned Addresses>
struct Constant {
  static __device__ void begin(State& s, unsigned*, unsigned*) { s.x = 4 * (threadIdx.x % Addresses); }
};
__device__ __noinline__ unsigned called(unsigned x) {
  asm volatile("xor.b32 %0, %0, 0x55;" : "+r"(x));
  return x;
}
#define FORM(Id, Base, Body)                                             \
  struct Id : Base {                                                     \
    static __device__ __forceinline__ void step(State& s) { Body; }      \
  };
#define SWAP(a, b) { auto t = a; a = b; b = t; }
FORM(Logic, Registers, asm volatile("xor.b32 %0, %0, %1;" : "+r"(s.x) : "r"(s.y)); SWAP(s.x, s.y))
FORM(MulHi, Registers, asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(s.x) : "r"(s.y)); SWAP(s.x, s.y))
FORM(MulWide, Registers, asm volatile("{ .reg .b32 a, b; mov.b64 {a, b}, %0; mul.wide.u32 %0, a, b; }" : "+l"(s.w)))
FORM(Popc, Registers, asm volatile("popc.b32 %0, %0;" : "+r"(s.x)))
FORM(Zeros, Registers, asm volatile("clz.b32 %0, %0;" : "+r"(s.x)))
FORM(Brev, Registers, asm volatile("brev.b32 %0, %0;" : "+r"(s.x)))
FORM(AddFloat, Registers, asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(s.f) : "f"(s.g)); SWAP(s.f, s.g))
FORM(MulFloat, Registers, asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(s.f) : "f"(s.g)); SWAP(s.f, s.g))
FORM(FmaOne, Registers, asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(s.f)))
FORM(AddHalf, Registers, asm volatile("add.rn.f16x2 %0, %0, %1;" : "+r"(s.x) : "r"(s.y)); SWAP(s.x, s.y))
FORM(MulDouble, Registers, asm volatile("mul.rn.f64 %0, %0, %0;" : "+d"(s.d)))
FORM(Rsqrt, Registers, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(s.f)))
FORM(Exp2, Registers, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(s.f)))
FORM(FloatOfInt, Registers, asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(s.f) : "r"(s.x)); s.x = __float_as_uint(s.f))
FORM(IntOfFloat, Registers, asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(s.x) : "f"(s.f)); s.f = __uint_as_float(s.x))
FORM(FloatOfDouble, Registers, asm volatile("{ .reg .f32 f; cvt.rn.f32.f64 f, %0; cvt.f64.f32 %0, f; }" : "+d"(s.d)))
FORM(DoubleOfInt, Registers, asm volatile("{ .reg .b32 a, b; mov.b64 {a, b}, %0; cvt.rn.f64.s32 %0, a; }" : "+d"(s.d)))
FORM(Shuffle, Registers, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(s.x)))
FORM(Vote, Registers, asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "+r"(s.x)))
FORM(Reduce, Registers, asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(s.x)))
FORM(LoadShared, Shared, asm volatile("ld.shared.u32 %0, [%0];" : "+r"(s.x)::"memory"))
FORM(AtomicShared, Shared, asm volatile("atom.shared.add.u32 %0, [%0], 0;" : "+r"(s.x)::"memory"))
FORM(CasShared, Shared, asm volatile("atom.shared.cas.b32 %0, [%0], 0, 0;" : "+r"(s.x)::"memory"))
template <unsigned Addresses>
FORM(LoadConstant, Constant<Addresses>,
     asm volatile("{ .reg .b64 a, b; mov.u64 a, %1; cvt.u64.u32 b, %0; add.s64 a, a, b; ld.const.u32 %0, [a]; }"
                  : "+r"(s.x) : "l"(__cvta_generic_to_constant(offsets))))
FORM(CallReturn, Registers, s.x = called(s.x))
FORM(LoadGlobal, Global, asm volatile("ld.global.u64 %0, [%0];" : "+l"(s.w)::"memory"))
FORM(LoadL2, Global, asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(s.w)::"memory"))

template <class Form>
bool check(const char* name, double silicon, const Arguments& arguments, long long* cycles) {
  chain<Form><<<1, 32>>>(arguments, cycles);
  long long both = 0;
  CHECK(cudaMemcpy(&both, cycles, sizeof both, cudaMemcpyDeviceToHost));
  const double here = static_cast<double>(both) / (2 * kSteps);
  const bool near = silicon < 16 ? std::abs(here - silicon) < 1.05 : std::abs(here / silicon - 1) <= 0.1;
  std::printf("%-28s %7.2f cycles, silicon %7.2f%s\n", name, here, silicon, near ? "" : "  FAR");
  return near;
}

int main() {
  long long* cycles = nullptr;
  Arguments arguments{12345, 0x5eed1234, nullptr};
  CHECK(cudaMalloc(&cycles, sizeof *cycles));
  CHECK(cudaMalloc(&arguments.global, 32 * 8));
  unsigned long long own[32];  // each its own address
  for (int i = 0; i < 32; i++) own[i] = reinterpret_cast<unsigned long long>(arguments.global) + 8 * i;
  CHECK(cudaMemcpy(arguments.global, own, sizeof own, cudaMemcpyHostToDevice));
  unsigned words[1024];
  for (unsigned i = 0; i < 1024; i++) words[i] = 4 * i;
  CHECK(cudaMemcpyToSymbol(offsets, words, sizeof words));
  int far = 0;
#define MEASURE(Form, name, silicon) far += !check<Form>(name, silicon, arguments, cycles)
  MEASURE(Logic, "xor.b32", 4);
  MEASURE(MulHi, "mul.hi.u32", 9.01);
  MEASURE(MulWide, "mul.wide.u32", 9.01);
  MEASURE(Popc, "popc.b32", 16.82);
  MEASURE(Zeros, "clz.b32", 23);
  MEASURE(Brev, "brev.b32", 16.82);
  MEASURE(AddFloat, "add.rn.f32", 4);
  MEASURE(MulFloat, "mul.rn.f32", 4);
  MEASURE(FmaOne, "fma.rn.f32, one register", 4);
  MEASURE(AddHalf, "add.rn.f16x2", 8.02);
  MEASURE(MulDouble, "mul.rn.f64", 8);
  MEASURE(Rsqrt, "rsqrt.approx.ftz.f32", 17);
  MEASURE(Exp2, "ex2.approx.ftz.f32", 17);
  MEASURE(FloatOfInt, "cvt.rn.f32.s32", 4);
  MEASURE(IntOfFloat, "cvt.rzi.s32.f32", 16.82);
  MEASURE(FloatOfDouble, "cvt.rn.f32.f64, cvt.f64.f32", 36);
  MEASURE(DoubleOfInt, "cvt.rn.f64.s32", 17);
  MEASURE(Shuffle, "shfl.sync.bfly.b32", 23.88);
  MEASURE(Vote, "setp.ne.u32, vote.ballot", 17);
  MEASURE(Reduce, "redux.sync.add.u32", 43.99);
  MEASURE(LoadShared, "ld.shared.u32", 22.89);
  MEASURE(AtomicShared, "atom.shared.add.u32", 25.69);
  MEASURE(CasShared, "atom.shared.cas.b32", 30);
  MEASURE(LoadConstant<1>, "ld.const.u32", 28.02);
  MEASURE(LoadConstant<2>, "ld.const.u32, 2 addresses", 39.02);
  MEASURE(LoadConstant<8>, "ld.const.u32, 8 addresses", 105.02);
  MEASURE(LoadConstant<32>, "ld.const.u32, 32 addresses", 369.02);
  MEASURE(CallReturn, "call, ret, xor.b32", 59.03);
  MEASURE(LoadGlobal, "ld.global.u64 (L1)", 34);
  MEASURE(LoadL2, "ld.global.cg.u64 (L2)", 279.09);
  std::printf("%s\n", far == 0 ? "PASS" : "FAIL");
  return far == 0 ? 0 : 1;
}
