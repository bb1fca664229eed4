// SPDX-License-Identifier: Apache-2.0
// Chains of instructions of several pipes, and with guards and branches: cycles of one step of a chain, by one warp. What a
// chain takes beyond its instructions alone is the way from pipe to pipe, or from a predicate to what it decides.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

constexpr int kRounds = 5;

struct State {
  uint32_t x, a, b, one;
  float g, h;
};

#define LOP "lop3.b32 %0, %0, %1, %2, 0xca; "
#define SHF "shf.l.wrap.b32 %0, %0, %1, %2; "
#define PRMT "prmt.b32 %0, %0, %1, %2; "
#define MIN "min.u32 %0, %0, %1; "
#define SELP "{ .reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %2, %1, p; } "
#define MAD "mad.lo.u32 %0, %0, %1, %2; "
#define DP4A "dp4a.u32.u32 %0, %0, %1, %2; "
#define FLOAT(...) "{ .reg .f32 f; mov.b32 f, %0; " __VA_ARGS__ " mov.b32 %0, f; } "
#define FMA FLOAT("fma.rn.f32 f, f, %4, %5;")
#define FADD FLOAT("add.rn.f32 f, f, %4;")
#define FMAX FLOAT("max.f32 f, f, %4;")
#define FSELP "{ .reg .pred p; .reg .f32 f; mov.b32 f, %0; setp.lt.f32 p, f, %4; selp.b32 %0, %2, %1, p; } "
#define HFMA "fma.rn.f16x2 %0, %0, %1, %2; "
#define EX2 FLOAT("ex2.approx.ftz.f32 f, f;")
#define POPC "popc.b32 %0, %0; "
#define VOTE "{ .reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1; } "
#define LDS "ld.shared.u32 %0, [%0]; "
#define LDS_MAD "ld.shared.u32 %0, [%0]; mad.lo.u32 %0, %0, %3, 0; "

#define CHAINS(C)                                                             \
  C(Lop3b32Shfb32, "lop3.b32, shf.b32", LOP SHF)                              \
  C(Lop3b32Setpu32Selpb32, "lop3.b32, setp.u32, selp.b32", LOP SELP)          \
  C(Madlou32, "mad.lo.u32", MAD)                                              \
  C(Madlou32Fmaf32, "mad.lo.u32, fma.f32", MAD FMA)                           \
  C(Madlou32Dp4au32, "mad.lo.u32, dp4a.u32", MAD DP4A)                        \
  C(Fmaf32Addf32, "fma.f32, add.f32", FMA FADD)                               \
  C(Lop3b32Madlou32, "lop3.b32, mad.lo.u32", LOP MAD)                         \
  C(Lop3b32Fmaf32, "lop3.b32, fma.f32", LOP FMA)                              \
  C(Lop3b32Addf32, "lop3.b32, add.f32", LOP FADD)                             \
  C(Lop3b32Dp4au32, "lop3.b32, dp4a.u32", LOP DP4A)                           \
  C(Prmtb32Madlou32, "prmt.b32, mad.lo.u32", PRMT MAD)                        \
  C(Minu32Madlou32, "min.u32, mad.lo.u32", MIN MAD)                           \
  C(Maxf32Fmaf32, "max.f32, fma.f32", FMAX FMA)                               \
  C(Setpu32Selpb32Madlou32, "setp.u32, selp.b32, mad.lo.u32", SELP MAD)       \
  C(Setpf32Selpb32Fmaf32, "setp.f32, selp.b32, fma.f32", FSELP FMA)           \
  C(Fmaf16x2, "fma.f16x2", HFMA)                                              \
  C(Fmaf16x2Lop3b32, "fma.f16x2, lop3.b32", HFMA LOP)                         \
  C(Fmaf16x2Fmaf32, "fma.f16x2, fma.f32", HFMA FMA)                           \
  C(Ex2f32, "ex2.f32", EX2)                                                   \
  C(Ex2f32Lop3b32, "ex2.f32, lop3.b32", EX2 LOP)                              \
  C(Ex2f32Madlou32, "ex2.f32, mad.lo.u32", EX2 MAD)                           \
  C(Popcb32, "popc.b32", POPC)                                                \
  C(Popcb32Lop3b32, "popc.b32, lop3.b32", POPC LOP)                           \
  C(Popcb32Madlou32, "popc.b32, mad.lo.u32", POPC MAD)                        \
  C(Setpu32Voteballot, "setp.u32, vote.ballot", VOTE)                         \
  C(Setpu32VoteballotLop3b32, "setp.u32, vote.ballot, lop3.b32", VOTE LOP)    \
  C(Setpu32VoteballotMadlou32, "setp.u32, vote.ballot, mad.lo.u32", VOTE MAD) \
  C(Ldsharedu32, "ld.shared.u32", LDS)                                        \
  C(Ldsharedu32Madlou32, "ld.shared.u32, mad.lo.u32", LDS_MAD)

// Branches that all lanes take, or none; what a compiler may not replace by guards.
#define MAD4 MAD MAD MAD MAD
#define MAD12 MAD4 MAD4 MAD4
#define MAD36 MAD12 MAD12 MAD12
#define NEVER "setp.eq.u32 p, %0, %1; "
#define WITH(...) "{ .reg .pred p; " __VA_ARGS__ "}"
// 1/x as ptxas has it: normal numbers go on at FAST, others where they are divided otherwise.
#define RECIPROCAL                                                                                               \
  "{ .reg .pred p; .reg .b32 t; .reg .f32 x, r, e; or.b32 %0, %0, 0x3f800000; "                                  \
  "add.u32 t, %0, 0x1800000; and.b32 t, t, 0x7f800000; "                                                         \
  "setp.gt.u32 p, t, 0x1ffffff; mov.b32 x, %0; @p bra FAST; mul.f32 x, x, 0f5f800000; rcp.rn.f32 x, x; "         \
  "mul.f32 x, x, 0f5f800000; bra.uni DONE; FAST: rcp.approx.ftz.f32 r, x; fma.rn.f32 e, r, x, 0fbf800000; "      \
  "neg.f32 e, e; fma.rn.f32 x, r, e, r; DONE: mov.b32 %0, x; }"

#define CONTROLS(C)                                                                                              \
  C(GuardLop, "setp.u32, @p xor.b32", WITH(NEVER "@!p xor.b32 %0, %0, %2; "))                                    \
  C(GuardMad, "setp.u32, @p mad.lo.u32", WITH(NEVER "@!p mad.lo.u32 %0, %0, %1, %2; "))                          \
  C(GuardBoth, "setp.u32, @p xor.b32, @!p xor.b32", WITH(NEVER "@!p xor.b32 %0, %0, %2; @p xor.b32 %0, %0, %1; ")) \
  C(GuardLate, "setp.u32, 4 mad.lo.u32, @p xor.b32", WITH(NEVER MAD4 "@!p xor.b32 %0, %0, %2; "))                \
  C(Fall12, "setp.u32, bra (falls), 16 mad.lo.u32", WITH(NEVER "@p bra L; " MAD12 "L: " MAD4))                   \
  C(Fall36, "setp.u32, bra (falls), 40 mad.lo.u32", WITH(NEVER "@p bra L; " MAD36 "L: " MAD4))                   \
  C(Skip12, "setp.u32, bra over 12, 4 mad.lo.u32", WITH(NEVER "@!p bra L; " MAD12 "L: " MAD4))                   \
  C(Skip36, "setp.u32, bra over 36, 4 mad.lo.u32", WITH(NEVER "@!p bra L; " MAD36 "L: " MAD4))                   \
  C(Else12, "setp.u32, bra to the other of 12 and 4 mad.lo.u32",                                                 \
    WITH(NEVER "@!p bra F; " MAD12 "bra J; F: " MAD4 "J: "))                                                     \
  C(RcpRnf32, "or.b32, rcp.rn.f32 as ptxas has it", RECIPROCAL)

// As many steps as lie in an instruction cache.
#define CHAIN(Id, Name, Text) CHAIN_OF(64, Id, Name, Text)
#define CONTROL(Id, Name, Text) CHAIN_OF(8, Id, Name, Text)
#define CHAIN_OF(Steps, Id, Name, Text)                                                             \
  struct Id {                                                                                       \
    static constexpr const char* name = Name;                                                       \
    static constexpr int steps = Steps;                                                             \
    static __device__ __forceinline__ void step(State& s) {                                         \
      asm volatile("{ " Text "}" : "+r"(s.x) : "r"(s.a), "r"(s.b), "r"(s.one), "f"(s.g), "f"(s.h)); \
    }                                                                                               \
  };
CHAINS(CHAIN)
CONTROLS(CONTROL)

// A function's body between its call and its return.
#define CALLS(C)                                         \
  C(CallLop, "call, lop3.b32, ret", LOP)                 \
  C(CallLopShf, "call, lop3.b32, shf.b32, ret", LOP SHF) \
  C(CallLopShfLop, "call, lop3.b32, shf.b32, lop3.b32, ret", LOP SHF LOP)

#define CALL(Id, Name, Text)                                                                      \
  __device__ __noinline__ uint32_t function_##Id(uint32_t x, uint32_t a, uint32_t b) {            \
    asm volatile("{ " Text "}" : "+r"(x) : "r"(a), "r"(b));                                       \
    return x;                                                                                     \
  }                                                                                               \
  struct Id {                                                                                     \
    static constexpr const char* name = Name;                                                     \
    static constexpr int steps = 64;                                                              \
    static __device__ __forceinline__ void step(State& s) { s.x = function_##Id(s.x, s.a, s.b); } \
  };
CALLS(CALL)

template <class Chain, int Steps>
__device__ __forceinline__ long long best_of(State& s) {
  long long best = 1ll << 40;
#pragma unroll 1
  for (int round = 0; round < kRounds; round++) {
    const long long begin = clock64();
#pragma unroll
    for (int n = 0; n < Steps; n++) Chain::step(s);
    const long long cycles = clock64() - begin;
    if (cycles < best) best = cycles;
  }
  return best;
}

template <class Chain>
__global__ void measure(long long* cycles, uint32_t* out, State s) {
  // Each word holds its own address, so that a chain of loads stays where it is.
  __shared__ uint32_t words[32];
  const uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(words + threadIdx.x));
  words[threadIdx.x] = address;
  __syncwarp();
  s.x = address;
  const long long few = best_of<Chain, Chain::steps>(s), many = best_of<Chain, 2 * Chain::steps>(s);
  out[threadIdx.x] = s.x;
  if (threadIdx.x == 0) *cycles = many - few;
}

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

template <class Chain>
static void run(const char* separator) {
  long long *cycles = nullptr, taken = 0;
  uint32_t* out = nullptr;
  check(cudaMalloc(&cycles, sizeof *cycles));
  check(cudaMalloc(&out, 32 * sizeof *out));
  measure<Chain><<<1, 32>>>(cycles, out, State{0, 7, 9, 1, 1.5f, 0.25f});
  check(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
  printf("%s\n    {\"name\": \"%s\", \"latency_cycles\": %.3f}", separator, Chain::name,
         static_cast<double>(taken) / Chain::steps);
  check(cudaFree(cycles));
  check(cudaFree(out));
}

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  printf("{\n  \"device\": \"%s\", \"compute_capability\": \"%d.%d\",\n  \"results\": [", device.name, device.major,
         device.minor);
  const char* separator = "";
#define RUN(Id, Name, Text) run<Id>(separator), separator = ",";
  CHAINS(RUN)
  CONTROLS(RUN)
  CALLS(RUN)
  printf("\n  ]\n}\n");
}
