// SPDX-License-Identifier: Apache-2.0
// Random instruction words of all warps against isa::decode and the table of operations; slots that are filled,
// fetch their constants one at a time, and are read when issued.
#include <Vdecode_slots_top.h>

#include <array>
#include <bit>
#include <map>
#include <optional>
#include <vector>

#include "tests/unit/rtl/frontend/decode_reference.h"
#include "tests/unit/rtl/rtl_bench.h"
#include "tests/unit/rtl/sm/packed.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarps = 16;  // a sub-partition of cc80
constexpr int kWidth = 187;

// Compares a vector of core_pkg::decoded_t.
template <class Words>
void compare(const Words& words, const Decoded& d, std::uint64_t word) {
  Unpack<Words> field(words, kWidth);
  SCOPED_TRACE(isa::disassemble(word, d.pc));
  ASSERT_EQ(field(32), d.pc);
  const auto op = field(8), to = field(4), mod = field(18), guard = field(4), psrc = field(4), psrc2 = field(4);
  const auto rd = field(8), rd_log2 = field(2), pd = field(3), pq = field(3);
  const std::array<std::uint64_t, 3> r = {field(8), field(8), field(8)};
  const std::array<std::uint64_t, 3> r_log2 = {field(2), field(2), field(2)};
  const auto steps = field(2), re = field(8);
  const auto uses = field(6), reads = field(6), b_imm = field(1), special = field(1), konst = field(1);
  const auto bank = field(2), imm = field(32), drain = field(1), ordered = field(1), blocks = field(1),
             answers = field(1);
  ASSERT_EQ(field(4), d.fault);
  ASSERT_EQ(to, d.to);
  ASSERT_EQ(konst, d.konst);
  ASSERT_EQ(drain, d.drain);
  if (d.fault == kIllegalAddress) {
    ASSERT_EQ(imm, *d.imm);
  }
  if (d.fault == kIllegalPc || d.fault == kBusFault) {
    // An instruction that was not fetched names nothing.
    ASSERT_EQ(guard, 7u);
    ASSERT_EQ(rd, 255u);
    ASSERT_EQ(pd & pq, 7u);
    ASSERT_EQ(reads, 0u);
  }
  if (d.fault != kNoFault) return;
  ASSERT_EQ(op, d.op);
  ASSERT_EQ(mod, d.mod);
  ASSERT_EQ(guard, d.guard);
  ASSERT_EQ(psrc, d.psrc);
  ASSERT_EQ(psrc2, d.psrc2);
  ASSERT_EQ(rd, d.rd);
  ASSERT_TRUE(d.rd == 255 || 1u << rd_log2 == d.rows);
  ASSERT_EQ(pd, d.pd);
  ASSERT_EQ(pq, d.pq);
  ASSERT_EQ(uses, d.uses);
  for (unsigned row = 0; row < 6; row++) {
    ASSERT_EQ(reads >> row & 1, d.reads[row].has_value()) << "row " << row;
    if (d.reads[row]) {
      ASSERT_EQ(r[row / 2] + row % 2, *d.reads[row]) << "row " << row;
    }
  }
  ASSERT_EQ(steps, d.steps);
  ASSERT_EQ(re, d.re);
  for (unsigned n = 0; n < 3; n++) {
    const unsigned registers = d.steps != 0 ? d.fragments[n] : 1;
    ASSERT_TRUE(!d.reads[2 * n] || 1u << r_log2[n] == registers) << "operand " << n;
  }
  if (isa::info(static_cast<isa::Opcode>(d.op)).dst == isa::Operand::Bar) {
    ASSERT_EQ(r[0] & 15, d.bar);
  }
  ASSERT_EQ(b_imm, d.b_imm);
  ASSERT_EQ(special, d.special);
  if (d.konst) {
    ASSERT_EQ(bank, d.bank);
  }
  if (d.imm) {
    ASSERT_EQ(imm, *d.imm);
  }
  ASSERT_EQ(ordered, d.ordered);
  ASSERT_EQ(blocks, d.blocks);
  ASSERT_EQ(answers, d.answers);
}

struct Slot {
  Decoded d;
  std::uint64_t word = 0;
  bool asked = false, waits = false;
};

class DecodeSlotsTest : public ::testing::Test {
 protected:
  DecodeSlotsTest() : bench(seed()), top(*bench.top) {
    top.fetch_valid_i = top.issue_valid_i = top.konst_rsp_valid_i = top.konst_ready_i = top.empty_i = 0;
    top.registers_i = 32;
    bench.reset();
    for (const isa::OpInfo& op : isa::all())
      if (is_built(op)) ops.push_back(&op);
  }

  // Constants that are known, as the cache answered: place -> bank and word, value.
  std::optional<std::uint32_t> known(const Decoded& d) const {
    const auto held = words.find(*d.imm / 4 % 16);
    if (held == words.end() || held->second.first != key(d)) return std::nullopt;
    return held->second.second;
  }
  static std::uint32_t key(const Decoded& d) { return d.bank << 16 | (*d.imm & 0xfffc); }

  std::uint64_t random_word() {
    std::uint64_t word = bench.rng();
    const isa::OpInfo& op = *ops[bench.rng() % ops.size()];
    if (bench.one_in(16)) return word;  // anything
    word = (word & ~0xffull) | static_cast<std::uint64_t>(op.op);
    if (!bench.one_in(16)) {
      const char form = op.forms[bench.rng() % op.forms.size()];
      word = (word & ~(3ull << 28)) | std::uint64_t{form == 'R' ? 0u : form == 'C' ? 1u : form == 'S' ? 2u : 3u} << 28;
    }
    // Registers inside the file, even ones, multiples of four, the last ones, RZ.
    const auto reg = [&]() -> std::uint64_t {
      switch (bench.rng() % 8) {
        case 0: return 255;
        case 1: return (top.registers_i + bench.rng() % 4 - 2) & 0xff;
        case 2: return bench.rng() & 0xff;
        case 3:
        case 4: return bench.rng() % top.registers_i & 0xfc;
        case 5: return bench.rng() % top.registers_i & 0xfe;
        default: return bench.rng() % top.registers_i;
      }
    };
    const unsigned form = word >> 28 & 3;
    word = (word & ~(0xffull << 12)) | reg() << 12;
    word = (word & ~(0xffull << 20)) | reg() << 20;
    if (form == 0) word = (word & ~(0xffull << 30)) | reg() << 30;
    // Constants of a few offsets, so that they meet.
    if (form == 1 && !bench.one_in(4)) word = (word & ~(0xffffull << 30)) | (bench.rng() % 24) << 30;
    if (form != 3) word = (word & ~(0xffull << 46)) | reg() << 46;
    return word;
  }

  RtlBench<Vdecode_slots_top> bench;
  Vdecode_slots_top& top;
  std::vector<const isa::OpInfo*> ops;
  std::array<std::optional<Slot>, kWarps> slots;
  std::map<unsigned, std::pair<std::uint32_t, std::uint32_t>> words;
};

TEST_F(DecodeSlotsTest, DecodesAsTheTableSays) {
  std::array<unsigned, 256> good{};
  unsigned illegal = 0;
  for (int n = 0; n < 200000 && !HasFatalFailure(); n++) {
    if (n % 100 == 0) top.registers_i = static_cast<unsigned char>(1 + bench.rng() % 255);
    // The output is combinational; nothing is clocked here.
    top.fetch_valid_i = 1;
    top.fetch_warp_i = 0;
    top.fetch_word_i = random_word();
    top.fetch_pc_i = static_cast<std::uint32_t>(bench.rng()) & ~7u;
    top.fetch_error_i = 0;
    bench.settle();
    const Decoded d = reference_decode(top.fetch_word_i, top.fetch_pc_i, top.registers_i);
    compare(top.decoded_o, d, top.fetch_word_i);
    if (d.fault == kNoFault) good[d.op]++;
    else illegal++;
  }
  for (const isa::OpInfo* op : ops)
    if (op->op != isa::Opcode::Cbar || kClusters) EXPECT_GT(good[static_cast<unsigned>(op->op)], 20u) << op->mnemonic;
  EXPECT_GT(illegal, 1000u);
}

TEST_F(DecodeSlotsTest, SlotsWaitForTheirConstants) {
  constexpr unsigned kNobody = kWarps;
  unsigned asker = kNobody;  // whose constant is under way
  unsigned last = 0;         // who asked last: then it is the turn of the next one
  std::uint32_t constant = 0;
  bool bad = false;
  unsigned issued = 0, constants = 0, errors = 0, found = 0;
  for (int n = 0; n < 100000 && !HasFatalFailure(); n++) {
    const auto w = static_cast<unsigned>(bench.rng() % kWarps);
    std::uint32_t free = 0, ready = 0, drain = 0, ordered = 0;
    std::array<std::uint32_t, kUnits> to{};
    std::optional<unsigned> next_ask;
    for (unsigned i = 0; i < kWarps; i++) {
      if (!slots[i]) free |= 1u << i;
      else if (!slots[i]->waits) ready |= 1u << i;
    }
    for (unsigned k = 1; k <= kWarps && !next_ask; k++) {
      const unsigned i = (last + k) % kWarps;
      if (slots[i] && slots[i]->d.konst && !slots[i]->asked) next_ask = i;
    }
    // Issue one, fill one, also the same, answer the constant under way.
    const auto v = bench.one_in(2) ? w : static_cast<unsigned>(bench.rng() % kWarps);
    top.issue_valid_i = (ready >> v & 1) != 0 && !bench.one_in(3);
    top.issue_warp_i = static_cast<unsigned char>(v);
    if (top.issue_valid_i) free |= 1u << v;
    top.fetch_valid_i = (free >> w & 1) != 0 && !bench.one_in(3);
    std::optional<Slot> filled;
    if (top.fetch_valid_i) {
      filled.emplace();
      top.fetch_warp_i = static_cast<unsigned char>(w);
      top.fetch_word_i = filled->word = random_word();
      top.fetch_pc_i = static_cast<std::uint32_t>(bench.rng());
      top.fetch_error_i = static_cast<unsigned char>(bench.one_in(20) ? 1 + bench.rng() % 2 : 0);
      filled->d = reference_decode(filled->word, top.fetch_pc_i, top.registers_i);
      if (top.fetch_error_i != 0) {
        filled->d = Decoded();
        filled->d.pc = top.fetch_pc_i;
        filled->d.fault = top.fetch_error_i == 1 ? kIllegalPc : kBusFault;
      }
      filled->waits = filled->d.konst;
      if (const auto value = filled->d.konst ? known(filled->d) : std::nullopt) {
        filled->waits = false;
        filled->asked = true;
        filled->d.imm = *value;
        found++;
      }
    }
    // Now and then all that is known is forgotten.
    top.empty_i = asker == kNobody && bench.one_in(500);
    top.konst_ready_i = bench.one_in(2);
    top.konst_rsp_valid_i = asker != kNobody && bench.one_in(3);
    constant = static_cast<std::uint32_t>(bench.rng());
    bad = bench.one_in(6);
    top.konst_rsp_data_i = constant;
    top.konst_rsp_error_i = bad;

    bench.settle();
    ASSERT_EQ(top.free_o, free);
    ASSERT_EQ(top.ready_o, ready) << "cycle " << n;
    for (unsigned i = 0; i < kWarps; i++) {
      if ((ready >> i & 1) == 0) continue;
      to[slots[i]->d.to] |= 1u << i;
      drain |= (slots[i]->d.drain ? 1u : 0) << i;
      if (slots[i]->d.fault == kNoFault) {
        ordered |= (slots[i]->d.ordered ? 1u : 0) << i;
        ASSERT_EQ(top.ordered_o >> i & 1, slots[i]->d.ordered);
      }
    }
    for (unsigned u = 0; u < to.size(); u++) {
      std::uint32_t seen = 0;
      for (unsigned i = 0; i < kWarps; i++)
        seen |= static_cast<std::uint32_t>((top.to_o[u * kWarps / 32] >> (u * kWarps + i) % 32 & 1)) << i;
      ASSERT_EQ(seen & ready, to[u]) << "unit " << u;
    }
    ASSERT_EQ(top.drain_o & ready, drain);
    ASSERT_EQ(top.busy_o, asker != kNobody);
    ASSERT_EQ(top.konst_valid_o, next_ask.has_value() && asker == kNobody) << "cycle " << n;
    const bool asks = top.konst_valid_o && top.konst_ready_i;
    if (top.konst_valid_o) {
      ASSERT_EQ(top.konst_bank_o, slots[*next_ask]->d.bank);
      ASSERT_EQ(top.konst_offset_o, *slots[*next_ask]->d.imm);
    }
    if (top.issue_valid_i) {
      compare(top.issue_o, slots[v]->d, slots[v]->word);
      issued++;
    }
    if (HasFatalFailure()) return;
    bench.tick();
    if (top.issue_valid_i) slots[v].reset();
    if (top.konst_rsp_valid_i) {
      // An error is a fault of the instruction, with the offset in its place.
      Slot& s = *slots[asker];
      s.waits = false;
      if (bad) {
        s.d.fault = kIllegalAddress;
      } else {
        words[*s.d.imm / 4 % 16] = {key(s.d), constant};
        s.d.imm = constant;
      }
      (bad ? errors : constants)++;
      asker = kNobody;
    }
    if (top.empty_i) words.clear();
    if (asks) {
      slots[*next_ask]->asked = true;
      asker = last = *next_ask;
    }
    if (filled) slots[w] = filled;
  }
  std::printf("issued %u, constants %u, errors %u, found %u\n", issued, constants, errors, found);
  EXPECT_GT(issued, 10000u);
  EXPECT_GT(constants, 1000u);
  EXPECT_GT(errors, 200u);
  EXPECT_GT(found, 200u);
}

// Every warp wants one constant after the other: each gets its share.
TEST_F(DecodeSlotsTest, NoWarpStarvesForConstants) {
  std::uint64_t word = static_cast<std::uint64_t>(isa::Opcode::Iadd);
  while (!reference_decode(word, 0, 32).konst || reference_decode(word, 0, 32).fault != kNoFault) word = random_word();
  std::array<unsigned, kWarps> served{};
  bool under_way = false;
  std::uint32_t filled = 0;
  for (int n = 0; n < 4000; n++) {
    const std::uint32_t ready = top.ready_o;
    top.issue_valid_i = ready != 0;
    top.issue_warp_i = static_cast<unsigned char>(std::countr_zero(ready));
    const auto empty = static_cast<unsigned>(std::countr_one(filled));
    top.fetch_valid_i = empty < kWarps;
    top.fetch_warp_i = static_cast<unsigned char>(empty);
    top.fetch_word_i = word;
    top.empty_i = 1;  // none is known
    top.fetch_pc_i = 8 * empty;
    top.fetch_error_i = 0;
    top.konst_ready_i = 1;
    top.konst_rsp_valid_i = under_way;
    top.konst_rsp_error_i = 0;
    bench.settle();
    under_way = top.konst_valid_o != 0;
    if (top.issue_valid_i) served[top.issue_warp_i]++, filled &= ~(1u << top.issue_warp_i);
    if (top.fetch_valid_i) filled |= 1u << empty;
    bench.tick();
  }
  for (unsigned w = 0; w < kWarps; w++) EXPECT_GT(served[w], 1000 / kWarps) << "warp " << w;
}

}  // namespace
}  // namespace heddle::test
