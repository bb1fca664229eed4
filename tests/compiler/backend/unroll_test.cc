// SPDX-License-Identifier: Apache-2.0
// Which loops do four turns at a time, and that they do as many turns as before: each form of condition, near both ends
// of the numbers, on the golden model. Lanes do different numbers of turns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"
#include "tests/rounds.h"

namespace heddle::compiler::test {
namespace {

constexpr uint32_t kLanes = 32, kMostTurns = 40;
constexpr size_t kResults = kLanes * 8, kData = kResults + kLanes * 16, kBytes = kData + 4 * 64;

// The loop's block is `top`: {} by default. %i starts as the lane's number in the buffer, %p at the data; a lane stores
// its sum, what it loaded last and the counter.
std::string kernel(const std::string& type, const std::string& loop, const std::string& before = "") {
  const bool wide = type.ends_with("64");
  return fmt::format(R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 buffer, .param .u64 bound)
{{
    .reg .u64 %buffer, %p, %q, %at, %d;
    .reg .b{0} %i, %n, %s;
    .reg .u32 %t, %v, %w, %x, %y, %z, %sum;
    .reg .pred %go, %g;
    .shared .u32 words[32];
    ld.param.u64 %buffer, [buffer];
    ld.param.u{0} %n, [bound];
    ld.param.u{0} %s, [bound];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %at, %t, 8;
    add.u64 %at, %buffer, %at;
    ld.global.u{0} %i, [%at];
    add.u64 %at, %at, %at;
    sub.u64 %at, %at, %buffer;
    add.u64 %p, %buffer, {1};
    mov.u64 %q, %p;
    mov.u32 %sum, 7;
    mov.u32 %w, %t;
    mov.u32 %x, 1;
    mov.u32 %y, 2;
    mov.u32 %z, 3;
    mov.u32 %v, 0;
    {2}
top:
    {3}
    xor.b32 %w, %w, %x;
    xor.b32 %y, %y, %z;
    xor.b32 %v, %v, %w;
    xor.b32 %v, %v, %y;
    st.global.u32 [%at + {4}], %sum;
    st.global.u32 [%at + {5}], %v;
    st.global.u{0} [%at + {6}], %i;
    ret;
}}
)",
                     wide ? 64 : 32, kData, before, loop, kResults, kResults + 4, kResults + 8);
}

const std::string kBody = "ld.global.u32 %v, [%p]; mad.lo.u32 %sum, %sum, 31, %v; add.u64 %p, %p, 4;\n";

struct Compiled {
  formats::Cubin cubin;
  int loads = 0;  // global ones, of 32 and 64 bits, behind the pass
  bool unrolled() const { return loads >= 6; }
};

std::optional<Compiled> build(const std::string& text, unsigned optimization = 2, unsigned registers = 0) {
  Compiled out;
  const auto count = [&](std::string_view pass, const mir::Function& f) {
    if (pass != "unroll") return;
    for (const mir::Block& b : f.blocks)
      for (const mir::Instruction& i : b.body) out.loads += i.is(isa::Opcode::Ldg) || i.is(isa::Opcode::Ld);
  };
  auto compiled = compile({"unroll.ptx", text}, {.optimization = optimization,
                                                 .max_registers = registers,
                                                 .relocatable = false,
                                                 .verify = true,
                                                 .libraries = {},
                                                 .dump = count});
  EXPECT_TRUE(compiled.ok()) << compiled.error().message() << text;
  if (!compiled.ok()) return std::nullopt;
  out.cubin = std::move(compiled->cubin);
  return out;
}

uint32_t datum(size_t n) { return static_cast<uint32_t>(n * 0x9e3779b1u + 5); }

std::optional<RunResult> run(const Compiled& c, const std::vector<uint64_t>& starts, uint64_t bound) {
  std::vector<uint8_t> buffer(kBytes), params(8);
  std::memcpy(buffer.data(), starts.data(), 8 * kLanes);
  for (size_t n = 0; n < 64; n++) {
    const uint32_t v = datum(n);
    std::memcpy(&buffer[kData + 4 * n], &v, 4);
  }
  std::memcpy(params.data(), &bound, 8);
  auto result = run_on_model(c.cubin, "k", buffer, params, {.threads = kLanes, .instruction_limit = 100'000});
  EXPECT_TRUE(result.ok()) << result.error().message();
  if (!result.ok()) return std::nullopt;
  return std::move(*result);
}

// ---- conditions

struct Form {
  std::string compare, type;
  int64_t step;
  bool swapped = false, inverted = false;  // bound first; leaves where the opposite holds

  unsigned bits() const { return type.ends_with("64") ? 64 : 32; }
  uint64_t cut(uint64_t v) const { return bits() == 64 ? v : static_cast<uint32_t>(v); }
  bool holds(uint64_t i, uint64_t n) const {
    if (compare == "ne") return i != n;
    const uint64_t top = type[0] == 's' ? uint64_t{1} << (bits() - 1) : 0;  // signed order
    i ^= top, n ^= top;
    return compare == "lt" ? i < n : compare == "le" ? i <= n : compare == "gt" ? i > n : i >= n;
  }
  std::string text(const std::string& bound) const {
    const auto other = [](const std::string& of, const std::string& pairs) {
      const size_t at = pairs.find(of + ":");
      return pairs.substr(at + 3, 2);
    };
    std::string cmp = compare;
    if (swapped) cmp = other(cmp, "lt:gt le:ge gt:lt ge:le ne:ne");
    if (inverted) cmp = other(cmp, "lt:ge le:gt gt:le ge:lt ne:eq");
    return kBody + fmt::format("add.{0} %i, %i, {1}; setp.{2}.{0} %go, {3}, {4}; @{5}%go bra top;", type, step, cmp,
                               swapped ? bound : "%i", swapped ? "%i" : bound, inverted ? "!" : "");
  }
  // None: too many.
  std::optional<uint32_t> turns(uint64_t start, uint64_t bound) const {
    for (uint32_t n = 1; n <= kMostTurns; n++)
      if (!holds(cut(start + n * static_cast<uint64_t>(step)), bound)) return n;
    return std::nullopt;
  }
};

// Lanes do 1 to 13 turns, and some of them other numbers that go past the end of the numbers; all that end.
std::vector<uint64_t> starts_of(const Form& form, uint64_t bound) {
  std::vector<uint64_t> starts;
  for (uint64_t lane = 0; lane < kLanes; lane++) {
    const uint64_t turns = lane % 13 + 1, past = lane / 13;
    uint64_t start = form.cut(bound - static_cast<uint64_t>(form.step) * turns + (form.compare == "ne" ? 0 : past));
    for (int tries = 0; !form.turns(start, bound) && tries < 40; tries++)
      start = form.cut(start + static_cast<uint64_t>(form.step));
    if (!form.turns(start, bound))
      start = starts.empty() ? form.cut(bound - static_cast<uint64_t>(form.step)) : starts[0];
    starts.push_back(start);
  }
  return starts;
}

void check(const Form& form, const Compiled& c, uint64_t bound) {
  const std::vector<uint64_t> starts = starts_of(form, bound);
  for (uint64_t s : starts)
    if (!form.turns(s, bound)) return;  // a bound that this comparison never meets
  const auto result = run(c, starts, bound);
  ASSERT_TRUE(result);
  for (uint32_t lane = 0; lane < kLanes; lane++) {
    const uint32_t turns = *form.turns(starts[lane], bound);
    uint32_t sum = 7;
    for (uint32_t n = 0; n < turns; n++) sum = sum * 31 + datum(n);
    const uint64_t end = form.cut(starts[lane] + turns * static_cast<uint64_t>(form.step));
    uint32_t got;
    uint64_t counter = 0;
    std::memcpy(&got, &result->buffer[kResults + 16 * lane], 4);
    std::memcpy(&counter, &result->buffer[kResults + 16 * lane + 8], form.bits() / 8);
    ASSERT_TRUE(got == sum && counter == end)
        << form.text("bound") << " bound " << bound << ", lane " << lane << " from " << starts[lane] << ": " << turns
        << " turns, counter " << counter;
  }
}

std::vector<uint64_t> bounds_of(const Form& form) {
  std::vector<uint64_t> out;
  const uint64_t middle = uint64_t{1} << (form.bits() - 1);
  for (uint64_t at : {uint64_t{0}, middle})
    for (int64_t off : {-97, -13, -4, -3, -2, -1, 0, 1, 2, 3, 4, 12, 96, 1000})
      out.push_back(form.cut(at + static_cast<uint64_t>(off)));
  return out;
}

std::vector<Form> forms() {
  std::vector<Form> out;
  for (const char* type : {"s32", "u32", "s64", "u64"})
    for (int64_t step : {1, 4, 33})
      for (const char* compare : {"lt", "le", "gt", "ge", "ne"}) {
        const bool down = compare[0] == 'g';
        const size_t n = out.size();
        out.push_back({compare, type, down ? -step : step, n % 3 == 1, n % 2 == 1});
        if (compare[0] == 'n') out.push_back({compare, type, -step, n % 3 == 2, n % 2 == 0});
      }
  return out;
}

TEST(Unroll, DoesAsManyTurnsWithTheBoundInARegister) {
  for (const Form& form : forms()) {
    const auto c = build(kernel(form.type, form.text("%n")));
    ASSERT_TRUE(c && c->unrolled()) << form.text("%n");
    for (uint64_t bound : bounds_of(form)) {
      check(form, *c, bound);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Unroll, DoesAsManyTurnsWithAConstantBound) {
  size_t turn = 0;
  for (const Form& form : forms())
    for (uint64_t bound : bounds_of(form)) {
      if (turn++ % 5) continue;
      const std::string number = form.type[0] == 'u' ? fmt::format("{}", bound)
                                 : form.bits() == 32 ? fmt::format("{}", static_cast<int32_t>(bound))
                                                     : fmt::format("{}", static_cast<int64_t>(bound));
      Form plain = form;
      plain.swapped = false;
      const auto c = build(kernel(form.type, plain.text(number)));
      ASSERT_TRUE(c && c->unrolled()) << plain.text(number);
      check(plain, *c, bound);
      if (HasFatalFailure()) return;
    }
}

// ---- what it is for

TEST(Unroll, ExecutesLessAndLoadsAtOneBaseRegister) {
  struct Case {
    Form form;
    uint64_t bound;
  };
  // The last ones count up from below 0, and down to it.
  for (const auto& [form, bound] : {Case{{"lt", "s32", 32}, 1000}, Case{{"ne", "u64", -1}, 1000},
                                    Case{{"ne", "s32", 1}, 0}, Case{{"ne", "s32", -1}, 0}}) {
    const std::string loop = form.text(bound == 0 ? "0" : "%n");
    const auto c = build(kernel(form.type, loop));
    const auto plain = build(kernel(form.type, ".pragma \"nounroll\";\n" + loop));
    ASSERT_TRUE(c && plain && c->unrolled() && !plain->unrolled());
    const std::vector<uint64_t> starts(kLanes, bound - static_cast<uint64_t>(form.step) * kMostTurns);
    const auto fast = run(*c, starts, bound), slow = run(*plain, starts, bound);
    ASSERT_TRUE(fast && slow);
    EXPECT_EQ(fast->buffer, slow->buffer);
    // Six instructions a turn: a load, a product, two steps, a comparison, a jump; then 2 and a quarter of four.
    EXPECT_LT(fast->warp_instructions + 2 * kMostTurns, slow->warp_instructions) << loop;
  }
}

// One goes on straight to the other, which is unrolled after it, or before it.
TEST(Unroll, LoopsBehindEachOther) {
  const std::string second =
      "second: ld.global.u32 %y, [%q]; add.u32 %w, %w, %y; add.u64 %q, %q, 4; add.s32 %x, %x, 3; "
      "setp.lt.s32 %go, %x, %n; @%go bra second; ";
  const std::string first = kBody + "add.s32 %i, %i, 1; setp.lt.s32 %go, %i, %n; @%go bra top; ";
  for (const std::string& text :
       {kernel("s32", first + second),
        kernel("s32", first + "bra.uni second; end:", "bra.uni top; " + second + "bra.uni end;")}) {
    const auto fast = build(text), plain = build(text, 0);
    ASSERT_TRUE(fast && plain);
    EXPECT_EQ(fast->loads, 11);  // the counter; five turns of each
    std::vector<uint64_t> starts;
    for (uint64_t lane = 0; lane < kLanes; lane++) starts.push_back(60 - lane);
    const auto want = run(*plain, starts, 60), got = run(*fast, starts, 60);
    ASSERT_TRUE(want && got);
    EXPECT_EQ(want->buffer, got->buffer);
  }
}

// ---- which not

bool unrolls(const std::string& loop, unsigned registers = 0, const std::string& before = "") {
  const auto c = build(kernel("s32", loop, before), 2, registers);
  return c && c->unrolled();
}
const std::string kEnd = "add.s32 %i, %i, 1; setp.lt.s32 %go, %i, %n; @%go bra top;";

TEST(Unroll, LeavesLoopsWhoseTurnsItCannotTell) {
  ASSERT_TRUE(unrolls(kBody + kEnd));
  EXPECT_FALSE(unrolls(kBody + "add.s32 %i, %i, %s; setp.lt.s32 %go, %i, %n; @%go bra top;"));
  EXPECT_FALSE(unrolls(kBody + "add.s32 %i, %i, -1; setp.lt.s32 %go, %i, %n; @%go bra top;"));
  EXPECT_FALSE(unrolls(kBody + "add.s32 %i, %i, 1; setp.gt.s32 %go, %i, %n; @%go bra top;"));
  EXPECT_FALSE(unrolls(kBody + "add.s32 %i, %i, 1; setp.eq.s32 %go, %i, %n; @%go bra top;"));
  EXPECT_FALSE(unrolls(kBody + "add.s32 %i, %i, 1; setp.ne.s32 %go, %i, %n; @!%go bra top;"));
  EXPECT_FALSE(unrolls(kBody + "setp.lt.s32 %go, %i, %n; add.s32 %i, %i, 1; @%go bra top;"));
  EXPECT_FALSE(unrolls(kBody + "add.s32 %n, %n, 3; " + kEnd));
  EXPECT_FALSE(unrolls(kBody + "setp.lt.u32 %g, %v, 9; @%g add.s32 %i, %i, 1; setp.lt.s32 %go, %i, %n; @%go bra top;"));
  EXPECT_FALSE(unrolls(kBody + "setp.lt.u32 %g, %v, 9; @%g add.s32 %i, %i, 1; " + kEnd));
  EXPECT_FALSE(
      unrolls(kBody + "setp.lt.u32 %g, %v, 9; add.s32 %i, %i, 1; setp.lt.and.s32 %go, %i, %n, %g; @%go bra top;"));
  EXPECT_FALSE(unrolls(kBody + "xor.b32 %i, %i, 5; setp.lt.s32 %go, %i, %n; @%go bra top;"));
}

TEST(Unroll, LeavesWhatLanesDoTogetherAndWhatIsInOrder) {
  const auto with = [](const std::string& more) { return unrolls(kBody + more + kEnd); };
  ASSERT_TRUE(with(""));
  ASSERT_TRUE(with("st.shared.u32 [words], %v; "));
  EXPECT_FALSE(with("bar.sync 0; "));
  EXPECT_FALSE(with("shfl.sync.down.b32 %w, %v, 1, 31, -1; "));
  EXPECT_FALSE(with("vote.sync.any.pred %g, %go, -1; "));
  EXPECT_FALSE(with("red.shared.add.u32 [words], %v; "));
  EXPECT_FALSE(with("membar.gl; "));
  EXPECT_FALSE(with("ld.volatile.global.u32 %w, [%q]; "));
  EXPECT_FALSE(with("mov.u32 %w, %clock; "));
}

TEST(Unroll, LeavesWhatWouldNotGainByIt) {
  EXPECT_FALSE(unrolls("add.u32 %sum, %sum, %sum; " + kEnd));          // no load
  EXPECT_FALSE(unrolls(kBody + "st.global.u32 [%q], %sum; " + kEnd));  // loads wait for the store
  EXPECT_FALSE(unrolls(kBody + kBody + kBody + kBody + kEnd));         // four turns already
  std::string middling = kBody, large = kBody;
  for (int n = 0; n < 16; n++) middling += "mad.lo.u32 %sum, %sum, 5, %v; ";
  for (int n = 0; n < 24; n++) large += "mad.lo.u32 %sum, %sum, 5, %v; ";
  EXPECT_TRUE(unrolls(middling + kEnd));
  EXPECT_FALSE(unrolls(large + kEnd));
  EXPECT_FALSE(unrolls(".pragma \"nounroll\"; " + kBody + kEnd));
}

TEST(Unroll, LeavesLoopsWhereRegistersAreFew) {
  const std::string wide = "ld.global.v4.u32 {%v, %x, %y, %z}, [%q]; add.u32 %sum, %sum, %x; " + kBody + kEnd;
  EXPECT_TRUE(unrolls(wide));
  EXPECT_FALSE(unrolls(wide, 24));
}

// ---- random bodies, against the compiler without optimisation

std::string random_body(std::mt19937_64& random) {
  static constexpr const char* kNames[] = {"%v", "%w", "%x", "%y", "%z", "%sum"};
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto any = [&] { return std::string(kNames[below(6)]); };
  std::string out;
  const unsigned count = 3 + below(10), load = below(count), step = below(count);
  for (unsigned n = 0; n < count; n++) {
    if (n == load) out += "ld.global.u32 " + any() + ", [%p]; ";
    if (n == step) out += "add.u64 %p, %p, 4; ";
    const std::string guard = below(3) == 0 ? below(2) ? "@%g " : "@!%g " : "";
    switch (below(6)) {
      case 0: out += guard + "add.u32 " + any() + ", " + any() + ", " + any() + "; "; break;
      case 1: out += guard + "mad.lo.u32 " + any() + ", " + any() + ", 5, " + any() + "; "; break;
      case 2: out += guard + "xor.b32 " + any() + ", " + any() + ", 77; "; break;
      case 3: out += "setp.lt.u32 %g, " + any() + ", " + any() + "; "; break;
      case 4: out += guard + "mov.u32 " + any() + ", " + any() + "; "; break;
      default:
        out += guard + "mov.b64 %d, {" + any() + ", " + any() + "}; shr.u64 %d, %d, 7; cvt.u32.u64 " + any() + ", %d; ";
    }
  }
  return out;
}

TEST(Unroll, RandomBodiesComputeWhatTheyDoWithout) {
  const char* s = std::getenv("HEDDLE_SEED");
  const uint64_t seed = s ? std::strtoull(s, nullptr, 0) : std::random_device{}();
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const uint64_t rounds = heddle::test::rounds(150);
  uint64_t unrolled = 0;
  for (uint64_t n = 0; n < rounds || unrolled <= rounds / 4; n++) {
    ASSERT_LT(n, 4 * rounds) << unrolled << " bodies were unrolled";
    std::mt19937_64 random(seed + n);
    const std::string text = kernel("s32", random_body(random) + kEnd, "setp.lt.u32 %g, %t, 9; mov.u64 %d, 3;");
    const auto plain = build(text, 0), fast = build(text);
    ASSERT_TRUE(plain && fast);
    unrolled += fast->unrolled();
    std::vector<uint64_t> starts(kLanes);
    for (uint64_t& start : starts) start = 100 - random() % kMostTurns;
    const auto want = run(*plain, starts, 100), got = run(*fast, starts, 100);
    ASSERT_TRUE(want && got);
    ASSERT_EQ(want->buffer, got->buffer) << text << "HEDDLE_SEED=" << seed + n;
  }
}

}  // namespace
}  // namespace heddle::compiler::test
