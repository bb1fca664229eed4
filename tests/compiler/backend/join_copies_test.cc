// SPDX-License-Identifier: Apache-2.0
// Copies of 16 bytes in two halves: which become one, and that each lane leaves what it left before, wherever its two
// places lie and however they overlap. On the golden model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "host-runtime/compiler/compile.h"
#include "host-runtime/compiler/mir/access.h"
#include "tests/compiler/backend/model_run.h"
#include "tests/rounds.h"

namespace heddle::compiler::test {
namespace {

constexpr uint32_t kLanes = 32, kPlace = 128;  // bytes of a lane's own
constexpr size_t kData = kLanes * 8, kBytes = kData + kLanes * kPlace;

// %a and %b: a lane's two places, which it finds in the buffer as offsets.
std::string kernel(const std::string& body) {
  return fmt::format(R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 buffer)
{{
    .reg .u64 %buffer, %at, %a, %b, %x, %y, %z, %w;
    .reg .u32 %t, %from, %to;
    .reg .pred %p;
    ld.param.u64 %buffer, [buffer];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %at, %t, 8;
    add.u64 %at, %buffer, %at;
    ld.global.v2.u32 {{%from, %to}}, [%at];
    cvt.u64.u32 %a, %from;
    add.u64 %a, %buffer, %a;
    cvt.u64.u32 %b, %to;
    add.u64 %b, %buffer, %b;
    setp.ne.u32 %p, %t, 5;
{0}
    ret;
}}
)",
                     body);
}

struct Compiled {
  formats::Cubin cubin;
  int quads = 0;  // loads and stores of 128 bits, behind the pass
};

std::optional<Compiled> build(const std::string& body) {
  Compiled out;
  const auto count = [&](std::string_view pass, const mir::Function& f) {
    if (pass != "join-copies") return;
    for (const mir::Block& b : f.blocks)
      for (const mir::Instruction& i : b.body)
        out.quads += i.pseudo == mir::Pseudo::None && mir::is_memory(i) && mir::access_bytes(i) == 16;
  };
  auto compiled = compile({"copies.ptx", kernel(body)}, {.verify = true, .dump = count});
  EXPECT_TRUE(compiled.ok()) << compiled.error().message() << body;
  if (!compiled.ok()) return std::nullopt;
  out.cubin = std::move(compiled->cubin);
  return out;
}

// The copy as PTX, its two halves at these offsets, in this order.
struct Halves {
  int from[2], to[2];
  std::string text() const {
    return fmt::format(
        "ld.global.u64 %x, [%a+{}]; st.global.u64 [%b+{}], %x; ld.global.u64 %y, [%a+{}]; st.global.u64 [%b+{}], %y;\n",
        from[0], to[0], from[1], to[1]);
  }
  void run(uint8_t* a, uint8_t* b) const {
    for (int k = 0; k < 2; k++) {
      uint64_t v;
      std::memcpy(&v, a + from[k], 8);
      std::memcpy(b + to[k], &v, 8);
    }
  }
};
constexpr Halves kDown{{8, 0}, {8, 0}}, kUp{{16, 24}, {0, 8}};

std::vector<uint8_t> random_buffer(std::mt19937_64& rng, int granule) {
  std::vector<uint8_t> buffer(kBytes);
  for (size_t n = kData; n < kBytes; n++) buffer[n] = static_cast<uint8_t>(rng());
  for (uint32_t lane = 0; lane < kLanes; lane++) {
    for (int k = 0; k < 2; k++) {
      const uint32_t steps = (kPlace - 32) / static_cast<uint32_t>(granule) + 1;
      const auto at = static_cast<uint32_t>(kData + lane * kPlace + rng() % steps * static_cast<uint32_t>(granule));
      std::memcpy(&buffer[8 * lane + 4 * static_cast<size_t>(k)], &at, 4);
    }
  }
  return buffer;
}

// Every lane leaves what `lane_does` leaves, given its two places.
template <typename Does>
void expect_same(const Compiled& c, const std::vector<uint8_t>& before, Does lane_does) {
  const auto result = run_on_model(c.cubin, "k", before, {}, {.threads = kLanes});
  ASSERT_TRUE(result.ok()) << result.error().message();
  std::vector<uint8_t> expected = before;
  for (uint32_t lane = 0; lane < kLanes; lane++) {
    uint32_t from, to;
    std::memcpy(&from, &before[8 * lane], 4);
    std::memcpy(&to, &before[8 * lane + 4], 4);
    lane_does(&expected[from], &expected[to]);
  }
  ASSERT_EQ(result->buffer, expected);
}

TEST(JoinCopies, EachLaneLeavesWhatItLeft) {
  std::mt19937_64 rng(7);
  for (const Halves& halves : {kDown, kUp}) {
    const auto c = build(halves.text());
    ASSERT_TRUE(c);
    EXPECT_EQ(c->quads, 2) << halves.text();
    for (unsigned round = 0; round < heddle::test::rounds(20); round++) {
      SCOPED_TRACE(fmt::format("{}round {}", halves.text(), round));
      expect_same(*c, random_buffer(rng, round % 3 == 0 ? 16 : 8), [&](uint8_t* a, uint8_t* b) { halves.run(a, b); });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(JoinCopies, SeveralInARowAndWhatComesAfter) {
  std::mt19937_64 rng(7);
  constexpr Halves kUpper{{24, 16}, {24, 16}};
  const auto c = build(kUpper.text() + kDown.text() + "xor.b64 %z, %x, %y; st.global.u64 [%b+8], %z;\n");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->quads, 4);
  for (unsigned round = 0; round < heddle::test::rounds(10); round++) {
    SCOPED_TRACE(fmt::format("round {}", round));
    expect_same(*c, random_buffer(rng, 8), [&](uint8_t* a, uint8_t* b) {
      kUpper.run(a, b);
      uint64_t x, y;  // as they were loaded
      std::memcpy(&x, a + 8, 8), std::memcpy(b + 8, &x, 8);
      std::memcpy(&y, a, 8), std::memcpy(b, &y, 8);
      x ^= y;
      std::memcpy(b + 8, &x, 8);
    });
    if (HasFatalFailure()) return;
  }
}

TEST(JoinCopies, OthersAreLeftAlone) {
  for (
      const char* body : {
          // Not the two halves of 16 bytes; crosswise; something between.
          "ld.global.u64 %x, [%a+16]; st.global.u64 [%b+16], %x; ld.global.u64 %y, [%a+8]; st.global.u64 [%b+8], %y;",
          "ld.global.u64 %x, [%a+8]; st.global.u64 [%b], %x; ld.global.u64 %y, [%a]; st.global.u64 [%b+8], %y;",
          "ld.global.u64 %x, [%a+8]; st.global.u64 [%b+8], %x; ld.global.u64 %y, [%a+16]; st.global.u64 [%b+16], %y;",
          "ld.global.u64 %x, [%a+8]; st.global.u64 [%b+8], %x; st.global.u64 [%b+64], %a; ld.global.u64 %y, [%a]; "
          "st.global.u64 [%b], %y;",
          "ld.global.u64 %x, [%a+8]; st.global.u64 [%b+8], %x; membar.gl; ld.global.u64 %y, [%a]; st.global.u64 [%b], "
          "%y;",
          "ld.global.u64 %x, [%a+8]; add.u64 %x, %x, 1; st.global.u64 [%b+8], %x; ld.global.u64 %y, [%a]; "
          "st.global.u64 [%b], %y;",
          "ld.global.u64 %x, [%a+8]; st.global.u64 [%b+8], %x; add.u64 %a, %a, 16; ld.global.u64 %y, [%a]; "
          "st.global.u64 [%b], %y;",
          "ld.volatile.global.u64 %x, [%a+8]; st.global.u64 [%b+8], %x; ld.volatile.global.u64 %y, [%a]; st.global.u64 "
          "[%b], %y;",
          "ld.global.u64 %x, [%a+8]; st.volatile.global.u64 [%b+8], %x; ld.global.u64 %y, [%a]; st.volatile.global.u64 "
          "[%b], %y;",
          "@%p ld.global.u64 %x, [%a+8]; st.global.u64 [%b+8], %x; @%p ld.global.u64 %y, [%a]; st.global.u64 [%b], %y;",
          "ld.global.u64 %x, [%a+8]; @%p st.global.u64 [%b+8], %x; ld.global.u64 %y, [%a]; @%p st.global.u64 [%b], %y;",
      }) {
    const auto c = build(body);
    ASSERT_TRUE(c);
    EXPECT_EQ(c->quads, 0) << body;
  }
}

}  // namespace
}  // namespace heddle::compiler::test
