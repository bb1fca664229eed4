// SPDX-License-Identifier: Apache-2.0
// Speed of the golden model: thread instructions a CPU second on tiled sgemm and on a divergent
// loop.
#include <benchmark/benchmark.h>

#include <string>

#include "tests/unit/model/machine_fixture.h"

namespace heddle::test {
namespace {

// C = A x B, 256 x 256, tiles of 16 x 16 in shared memory, a thread an element.
std::string sgemm() {
  std::string text = R"(
    S2R R0, SR_TID.X
    S2R R1, SR_TID.Y
    S2R R4, SR_CTAID.X
    S2R R5, SR_CTAID.Y
    MOV R6, 16
    IMAD R7, R5, R6, R1       # row
    IMAD R8, R4, R6, R0       # column
    MOV R9, 256
    MOV R10, 4
    IMAD R11, R7, R9, R0
    MOV R2, c[0][0x0]
    MOV R3, c[0][0x4]
    IMAD.WIDE R12, R11, R10, R2   # &A[row][tx]
    IMAD R11, R1, R9, R8
    MOV R2, c[0][0x8]
    MOV R3, c[0][0xc]
    IMAD.WIDE R14, R11, R10, R2   # &B[ty][column]
    MOV R23, 64
    IMAD R16, R1, R23, RZ         # &As[ty][0]
    IMAD R17, R0, R10, R16        # &As[ty][tx]; Bs lies 1024 bytes after
    IMAD R18, R0, R10, RZ
    MOV R19, 0                    # sum
    MOV R20, 0                    # tile
  tile:
    LDG.32 R21, [R12+0]
    LDG.32 R22, [R14+0]
    STS.32 [R17+0], R21
    STS.32 [R17+1024], R22
    BAR.SYNC.POPC RZ, 0, RZ, PT
)";
  for (int k = 0; k < 16; k++) {
    text += "LDS.32 R21, [R16+" + std::to_string(4 * k) + "]\n";
    text += "LDS.32 R22, [R18+" + std::to_string(1024 + 64 * k) + "]\n";
    text += "FFMA R19, R21, R22, R19\n";
  }
  text += R"(
    BAR.SYNC.POPC RZ, 0, RZ, PT
    IADD.64 R12, R12, 64
    IADD.64 R14, R14, 16384
    IADD R20, R20, 1
    ISETP.LT P0, PT, R20, 16, PT
    @P0 BRA $tile
    IMAD R11, R7, R9, R8
    MOV R2, c[0][0x10]
    MOV R3, c[0][0x14]
    IMAD.WIDE R12, R11, R10, R2
    STG.32 [R12+0], R19
    EXIT
)";
  return text;
}

void report(benchmark::State& state, uint64_t thread_instructions) {
  state.counters["thread_instructions"] =
      benchmark::Counter(static_cast<double>(thread_instructions), benchmark::Counter::kIsRate);
}

void Sgemm(benchmark::State& state) {
  Bench b(sgemm(), 1);
  b.launch.block[0] = b.launch.block[1] = 16;
  b.launch.grid[0] = b.launch.grid[1] = 16;
  b.launch.shared_bytes = 2048;
  b.settings.instruction_limit = 0;
  b.param(0, kData);
  b.param(8, kData + (1 << 18));
  b.param(16, kData + (2 << 18));
  uint64_t count = 0;
  for (auto _ : state) {
    if (b.run() != model::Machine::State::Done) state.SkipWithError("the kernel did not end");
    count += b.machine.counters().thread_instructions;
  }
  report(state, count);
}
BENCHMARK(Sgemm)->Unit(benchmark::kMillisecond);

// Each lane counts to its own number: half of the lanes idle on average.
void Divergent(benchmark::State& state) {
  Bench b(kPrologue + R"(
    MOV R0, 0
    LOP.AND R4, R10, 31
    MOV R5, 100
    IMAD R4, R4, R5, RZ
    BSSY B1, $join
  loop:
    ISETP.GE P0, PT, R0, R4, PT
    @P0 BRA $out
    IADD R0, R0, 1
    LOP.XOR R6, R0, R10
    BRA $loop
  out:
    BSYNC B1
  join:
    STG.32 [R12+0], R0
    EXIT
  )",
          256, 4);
  b.settings.instruction_limit = 0;
  uint64_t count = 0;
  for (auto _ : state) {
    if (b.run() != model::Machine::State::Done) state.SkipWithError("the kernel did not end");
    count += b.machine.counters().thread_instructions;
  }
  report(state, count);
}
BENCHMARK(Divergent)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::test

BENCHMARK_MAIN();
