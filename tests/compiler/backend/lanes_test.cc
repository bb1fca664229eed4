// SPDX-License-Identifier: Apache-2.0
// Control flow that comes from structured programs, on the golden model: how many lanes run together. Each program is
// one warp whose lanes go different ways; the bounds are what lanes that meet as early as they can need, and a little.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"

namespace heddle::compiler::test {
namespace {

// `work` is what makes a step long: 16 multiplications of %v, the value that the thread stores in the end.
std::string work() {
  std::string out;
  for (int n = 0; n < 16; n++) out += "mad.lo.u32 %v, %v, 1664525, 1013904223;\n";
  return out;
}

uint32_t worked(uint32_t v, int times = 1) {
  for (int n = 0; n < 16 * times; n++) v = v * 1664525 + 1013904223;
  return v;
}

// A kernel of one thread a lane: %t is the thread, %v starts as 7 + %t, `i` as 0.
std::string kernel(const std::string& body) {
  std::string text = R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .u64 %out, %off;
    .reg .u32 %t, %v, %i, %j, %n, %m;
    .reg .pred %p, %q;
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %off, %t, 4;
    add.u64 %out, %out, %off;
    add.u32 %v, %t, 7;
    mov.u32 %i, 0;
)" + body + R"(
    st.global.u32 [%out], %v;
    ret;
}
)";
  for (size_t at; (at = text.find("WORK;")) != std::string::npos;) text.replace(at, 5, work());
  return text;
}

struct Shape {
  uint64_t most_instructions;  // issued for the warp
  std::function<uint32_t(uint32_t thread)> expected;
};

void check(const std::string& body, const Shape& shape) {
  for (unsigned optimization : {0u, 2u}) {
    const auto compiled = compile({"lanes.ptx", kernel(body)}, {.optimization = optimization,
                                                                .max_registers = 0,
                                                                .relocatable = false,
                                                                .verify = true,
                                                                .libraries = {},
                                                                .dump = {}});
    ASSERT_TRUE(compiled.ok()) << compiled.error().message();
    const auto run = run_on_model(compiled->cubin, "k", std::vector<uint8_t>(128), {}, {.threads = 32});
    ASSERT_TRUE(run.ok()) << run.error().message();
    for (uint32_t t = 0; t < 32; t++) {
      uint32_t got;
      std::memcpy(&got, &run->buffer[4 * t], 4);
      ASSERT_EQ(got, shape.expected(t)) << "thread " << t;
    }
    if (optimization) {
      EXPECT_LE(run->warp_instructions, shape.most_instructions);
    }
    std::printf("-O%u: %llu instructions of the warp, %.1f lanes each\n", optimization,
                static_cast<unsigned long long>(run->warp_instructions),
                static_cast<double>(run->thread_instructions) / static_cast<double>(run->warp_instructions));
  }
}

// Ways that go on with the next iteration early meet at the header, though the loop's end is the post-dominator.
TEST(Lanes, ContinueMeetsAtTheHeader) {
  check(R"(
HEAD:
    setp.ge.u32 %p, %i, 32;
    @%p bra DONE;
    add.u32 %i, %i, 1;
    xor.b32 %n, %i, %t;
    and.b32 %n, %n, 1;
    setp.ne.u32 %p, %n, 0;
    @%p bra HEAD;
    and.b32 %n, %i, %t;
    setp.eq.u32 %p, %n, 31;
    @%p bra DONE;
    WORK;
    bra HEAD;
DONE:
)",
        {32 * 30, [](uint32_t t) {
           uint32_t v = 7 + t;
           for (uint32_t i = 1; i <= 32; i++) {
             if ((i ^ t) & 1) continue;
             if ((i & t) == 31) break;
             v = worked(v);
           }
           return v;
         }});
}

// A loop without a block at its end that all iterations pass, and several ways out: lanes leave the barrier by BREAK.
TEST(Lanes, IterationsStayTogetherWhileLanesLeave) {
  check(R"(
HEAD:
    add.u32 %i, %i, 1;
    mul.lo.u32 %n, %t, %i;
    and.b32 %n, %n, 4;
    setp.ne.u32 %p, %n, 0;
    @%p bra OTHER;
    WORK;
    setp.lt.u32 %p, %i, %t;
    @%p bra HEAD;
    bra DONE;
OTHER:
    add.u32 %v, %v, 3;
    WORK;
    setp.lt.u32 %p, %i, 40;
    @%p bra HEAD;
DONE:
)",
        {40 * 50, [](uint32_t t) {
           uint32_t v = 7 + t;
           for (uint32_t i = 1;; i++) {
             if ((t * i) & 4) {
               v = worked(v + 3);
               if (i >= 40) break;
             } else {
               v = worked(v);
               if (i >= t) break;
             }
           }
           return v;
         }});
}

// `if (a && b) break;` inside an if: the rest of the iteration is run together.
TEST(Lanes, BreakInsideAnIfDoesNotPartTheRestOfTheIteration) {
  check(R"(
HEAD:
    and.b32 %n, %t, 3;
    and.b32 %m, %i, 3;
    setp.ne.u32 %p, %n, %m;
    @%p bra SKIP;
    setp.lt.u32 %q, %i, 20;
    @%q bra STAY;
    setp.gt.u32 %q, %t, 8;
    @%q bra DONE;
STAY:
    add.u32 %v, %v, 11;
    mul.lo.u32 %v, %v, %v;
    xor.b32 %v, %v, %i;
SKIP:
    WORK;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 40;
    @%p bra HEAD;
DONE:
)",
        {40 * 36, [](uint32_t t) {
           uint32_t v = 7 + t;
           for (uint32_t i = 0; i < 40; i++) {
             if ((t & 3) == (i & 3)) {
               if (i >= 20 && t > 8) break;
               v += 11;
               v = v * v ^ i;
             }
             v = worked(v);
           }
           return v;
         }});
}

// The inner loop's ways out and the ways around it all lead back to the outer header: the barrier is armed on the way
// in.
TEST(Lanes, InnerLoopWithoutLatchMeetsAtTheOuterHeader) {
  check(R"(
OUTER:
    setp.ge.u32 %p, %i, 24;
    @%p bra DONE;
    mov.u32 %j, 0;
    add.u32 %i, %i, 1;
INNER:
    add.u32 %j, %j, 1;
    add.u32 %n, %j, %t;
    and.b32 %n, %n, 3;
    setp.eq.u32 %p, %n, 0;
    @%p bra LEAVE;
    add.u32 %v, %v, %j;
    setp.lt.u32 %p, %j, 3;
    @%p bra INNER;
    bra OUTER;
LEAVE:
    add.u32 %v, %v, 5;
    WORK;
    bra OUTER;
DONE:
)",
        {24 * 60, [](uint32_t t) {
           uint32_t v = 7 + t;
           for (uint32_t i = 0; i < 24; i++)
             for (uint32_t j = 1;; j++) {
               if (((j + t) & 3) == 0) {
                 v = worked(v + 5);
                 break;
               }
               v += j;
               if (j >= 3) break;
             }
           return v;
         }});
}

// `goto out` from the inner of two loops.
TEST(Lanes, LeavingTwoLoopsAtOnce) {
  check(R"(
OUTER:
    mov.u32 %j, 0;
INNER:
    mul.lo.u32 %n, %t, 3;
    mad.lo.u32 %m, %i, 5, %j;
    setp.eq.u32 %p, %n, %m;
    @%p bra DONE;
    xor.b32 %n, %j, %t;
    and.b32 %n, %n, 1;
    setp.eq.u32 %p, %n, 0;
    @%p bra NEXT;
    WORK;
NEXT:
    add.u32 %j, %j, 1;
    and.b32 %n, %t, 3;
    setp.le.u32 %p, %j, %n;
    @%p bra INNER;
    WORK;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 20;
    @%p bra OUTER;
DONE:
    WORK;
)",
        {20 * (4 * 30 + 30), [](uint32_t t) {
           uint32_t v = 7 + t;
           for (uint32_t i = 0; i < 20; i++) {
             for (uint32_t j = 0; j <= (t & 3); j++) {
               if (3 * t == 5 * i + j) return worked(v);
               if ((j ^ t) & 1) v = worked(v);
             }
             v = worked(v);
           }
           return worked(v);
         }});
}

// Short-circuit conditions make an arm with several ways in.
TEST(Lanes, ShortCircuitConditionsMeetBehindTheIf) {
  check(R"(
HEAD:
    and.b32 %n, %t, 1;
    setp.ne.u32 %p, %n, 0;
    @%p bra THEN;
    add.u32 %n, %t, %i;
    and.b32 %n, %n, 7;
    setp.eq.u32 %p, %n, 3;
    @%p bra THEN;
    setp.gt.u32 %p, %t, 28;
    @!%p bra REST;
THEN:
    WORK;
REST:
    WORK;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 30;
    @%p bra HEAD;
)",
        {30 * 56, [](uint32_t t) {
           uint32_t v = 7 + t;
           for (uint32_t i = 0; i < 30; i++) {
             if ((t & 1) || ((t + i) & 7) == 3 || t > 28) v = worked(v);
             v = worked(v);
           }
           return v;
         }});
}

// An early end of some lanes keeps nobody waiting, and their barriers open.
TEST(Lanes, LanesThatEndInsideALoopAreNotWaitedFor) {
  check(R"(
HEAD:
    setp.eq.u32 %p, %i, %t;
    and.b32 %n, %t, 3;
    setp.eq.u32 %q, %n, 2;
    and.pred %q, %p, %q;
    @!%q bra GO;
    st.global.u32 [%out], %i;
    ret;
GO:
    xor.b32 %n, %i, %t;
    and.b32 %n, %n, 1;
    setp.eq.u32 %p, %n, 0;
    @%p bra EVEN;
    add.u32 %v, %v, 1;
    WORK;
    bra NEXT;
EVEN:
    add.u32 %v, %v, 2;
    WORK;
NEXT:
    WORK;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 32;
    @%p bra HEAD;
)",
        {32 * 75, [](uint32_t t) {
           uint32_t v = 7 + t;
           for (uint32_t i = 0; i < 32; i++) {
             if (i == t && (t & 3) == 2) return i;
             v = worked(worked(v + ((i ^ t) & 1 ? 1 : 2)));
           }
           return v;
         }});
}

// Two entries into one loop: computed right, and gathered behind it.
TEST(Lanes, IrreducibleLoopsAreLeftTogether) {
  check(R"(
    and.b32 %n, %t, 1;
    setp.eq.u32 %p, %n, 0;
    @%p bra TWO;
ONE:
    add.u32 %v, %v, 1;
    add.u32 %i, %i, 1;
    setp.ge.u32 %p, %i, 8;
    @%p bra DONE;
TWO:
    mul.lo.u32 %v, %v, 3;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, %t;
    @%p bra ONE;
DONE:
    WORK;
    WORK;
    WORK;
    WORK;
)",
        {9 * 8 * 4 + 4 * 20, [](uint32_t t) {
           uint32_t v = 7 + t, i = 0;
           bool one = (t & 1) != 0;
           for (;; one = !one) {
             if (one) {
               v++;
               if (++i >= 8) break;
             } else {
               v *= 3;
               if (++i >= t) break;
             }
           }
           return worked(v, 4);
         }});
}

}  // namespace
}  // namespace heddle::compiler::test
