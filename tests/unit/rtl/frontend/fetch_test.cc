// SPDX-License-Identifier: Apache-2.0
// Warps that run, stop at control instructions and jump, near and far, while sectors come late and out of order:
// what goes to decode is each warp's code, instruction by instruction; and each choice of a warp and of a
// sector to ask for is that of a model with two sectors a warp.
#include <Vfetch.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kWarps = 8 * sizeof(Vfetch::free_i);        // of the preset's sub-partition: 16 or 8
constexpr unsigned kPieces = 32 / sizeof(Vfetch::rsp_data_i);  // of a sector
using Free = std::remove_cvref_t<decltype(std::declval<Vfetch&>().free_i)>;
constexpr unsigned kBra = 0x03, kBsync = 0x09;  // opcodes
constexpr unsigned kAll = (1u << kWarps) - 1;
#ifdef HEDDLE_ONEPORT
constexpr bool kOnePort = true;  // no decode in the cycle of a jump or a start
#else
constexpr bool kOnePort = false;
#endif
#ifdef HEDDLE_JUMPLAG
constexpr unsigned kJumpLag = HEDDLE_JUMPLAG;  // cycles more until a warp goes on elsewhere than behind its jump
#else
constexpr unsigned kJumpLag = 0;
#endif
#ifdef HEDDLE_INDIRECTLAG
constexpr unsigned kIndirectLag = HEDDLE_INDIRECTLAG;  // where the jump had its target from a register
#else
constexpr unsigned kIndirectLag = 0;
#endif
#ifdef HEDDLE_FALLLAG
constexpr unsigned kFallLag = HEDDLE_FALLLAG;  // until it goes on behind a BRA
#else
constexpr unsigned kFallLag = 0;
#endif
#ifdef HEDDLE_JOINLAG
constexpr unsigned kJoinLag = HEDDLE_JOINLAG;  // behind a BSYNC
#else
constexpr unsigned kJoinLag = 0;
#endif
#ifdef HEDDLE_BARLAG
constexpr unsigned kBarLag = HEDDLE_BARLAG;  // behind a BAR, wherever it goes on
#else
constexpr unsigned kBarLag = 0;
#endif
enum Error { Ok = 0, Pc = 1, Bus = 2 };

struct Warp {
  bool runs = false;
  unsigned late = 0;    // cycles until it runs
  unsigned lag = 0;     // before it goes on elsewhere than behind the control instruction at which it stands
  unsigned behind = 0;  // and behind it
  std::uint32_t pc = 0;
  std::array<std::optional<std::uint32_t>, 2> holds;  // sectors
  std::optional<std::uint32_t> asked;

  bool has(std::uint32_t sector) const { return holds[sector % 2] == sector; }
  std::uint32_t sector() const { return pc / 32; }
  std::uint32_t next_sector() const { return (pc / 32 + 1) & 0x7ffffff; }
};

// The first of the set after `last`, round robin.
unsigned next_of(std::uint32_t set, unsigned last) {
  for (unsigned i = 1; i <= kWarps; i++)
    if ((set >> (last + i) % kWarps & 1) != 0) return (last + i) % kWarps;
  return last;
}

class FetchTest : public ::testing::Test {
 protected:
  FetchTest() : bench(seed()), top(*bench.top) {
    top.start_valid_i = top.jump_valid_i = top.req_ready_i = top.rsp_valid_i = 0;
    top.code_size_i = 0;
    top.free_i = 0;
    bench.reset();
  }

  std::uint64_t word(std::uint32_t pc) const {
    std::uint64_t h = (pc / 8 + 1) * 0x9e3779b97f4a7c15u + generation;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
    h ^= h >> 32;
    // Opcodes below 0x20 are control instructions; one in `run` here.
    return (h & ~0xffull) | (h >> 8 & 0xff) % 0x20 | ((h >> 16 & 0xffff) % run == 0 ? 0 : 0x20 + (h >> 40 & 0x60));
  }
  static bool is_control(std::uint64_t word) { return (word & 0xff) < 0x20; }
  static bool is_indirect(std::uint64_t word) {  // BRX, CALLX, RET
    return (word & 0xff) == 0x04 || (word & 0xff) == 0x06 || (word & 0xff) == 0x07;
  }
  static bool is_bar(std::uint64_t word) { return (word & 0xff) == 0x10 || (word & 0xff) == 0x12; }
  // The next piece of the sector that a warp asked for. What has begun is ended before others are answered.
  void answer(unsigned w) {
    ASSERT_TRUE(piece == 0 || answered == w);
    const std::uint32_t sector = *warps[w].asked;
    top.rsp_valid_i = 1;
    top.rsp_warp_i = static_cast<unsigned char>(w);
    top.rsp_piece_i = static_cast<unsigned char>(piece);
    top.rsp_error_i = static_cast<unsigned char>(sector_error(sector));
    const std::uint32_t from = sector * 32 + piece * (32 / kPieces);
    drive_data(top.rsp_data_i,
               [&](unsigned i) { return sector_error(sector) == Ok ? word(from + 8 * i) : bench.rng(); });
    answered = w;
  }
  template <typename Data, typename Instruction>
  static void drive_data(Data& data, Instruction instruction) {
    for (unsigned i = 0; i < 4 / kPieces; i++) {
      const std::uint64_t v = instruction(i);
      set_port_word(data, 2 * i, static_cast<std::uint32_t>(v));
      set_port_word(data, 2 * i + 1, static_cast<std::uint32_t>(v >> 32));
    }
  }
  // As the instruction cache answers.
  Error sector_error(std::uint32_t sector) const {
    if (std::uint64_t{sector} * 32 >= top.code_size_i) return Pc;
    return fails && word(sector * 32) % 61 == 7 ? Bus : Ok;
  }

  void step() {
    bench.settle();
    std::uint32_t ready = 0, want = 0, want_next = 0, pending = 0;
    for (unsigned w = 0; w < kWarps; w++) {
      const Warp& m = warps[w];
      if (m.asked) pending |= 1u << w;
      if (!m.runs) continue;
      if (m.has(m.sector()) && (top.free_i >> w & 1) != 0) ready |= 1u << w;
      if (m.asked) continue;
      if (!m.has(m.sector())) want |= 1u << w;
      else if (!m.has(m.next_sector())) want_next |= 1u << w;
    }
    // With one port a warp is chosen a cycle before.
    std::optional<unsigned> decodes, chosen_next;
    std::optional<Request> asking_next;
    if (ready != 0) decodes = next_of(ready, turn_decode);
    std::optional<Request> request;
    if ((want | want_next) != 0) request = Request{next_of(want != 0 ? want : want_next, turn_ask), want == 0};
    if (kOnePort) {
      const bool taken = top.start_valid_i || top.jump_valid_i;
      if (!chosen) chosen_next = decodes;
      else if (taken) chosen_next = chosen;
      // A whole sector that came to its warp a cycle before may have been written over the word as it was read.
      const bool written = kPieces == 1 && came && came == chosen;
      decodes = taken || !chosen || !warps[*chosen].has(warps[*chosen].sector()) || written ? std::nullopt : chosen;
      asking_next = asking ? (top.req_ready_i ? std::nullopt : asking) : request;
      request = asking;
    }
    ASSERT_EQ(top.busy_o, pending != 0 || asking);
    chosen = chosen_next;
    asking = asking_next;
    ASSERT_EQ(top.decode_valid_o, decodes.has_value()) << "cycle " << bench.cycle;
    ASSERT_EQ(top.req_valid_o, request.has_value()) << "cycle " << bench.cycle;
    const bool asks = top.req_valid_o && top.req_ready_i;
    const unsigned asker = request ? request->warp : 0;
    const std::uint32_t sector = request && request->ahead ? warps[asker].next_sector() : warps[asker].sector();
    if (top.req_valid_o) {
      ASSERT_EQ(top.req_warp_o, asker) << "cycle " << bench.cycle;
      ASSERT_EQ(top.req_sector_o, sector) << "cycle " << bench.cycle;
    }
    if (decodes) {
      const unsigned w = *decodes;
      Warp& m = warps[w];
      ASSERT_EQ(top.decode_warp_o, w) << "cycle " << bench.cycle;
      ASSERT_EQ(top.decode_pc_o, m.pc) << "warp " << w;
      const Error error = m.pc % 8 != 0 || m.pc >= top.code_size_i ? Pc : sector_error(m.sector());
      ASSERT_EQ(top.decode_error_o, error) << "warp " << w << " pc " << std::hex << m.pc;
      if (error == Ok) {
        ASSERT_EQ(top.decode_word_o, word(m.pc))
            << "warp " << w << " pc " << std::hex << m.pc << " cycle " << std::dec << bench.cycle;
      }
      errors[error]++;
      m.runs = error == Ok && !is_control(word(m.pc));
      if (!m.runs) {
        const unsigned op = top.decode_word_o & 0xff;
        const bool bar = is_bar(top.decode_word_o);
        m.lag = bar ? kBarLag : is_indirect(top.decode_word_o) ? kIndirectLag : kJumpLag;
        m.behind = bar ? kBarLag : op == kBra ? kFallLag : op == kBsync ? kJoinLag : 0;
      }
      m.pc += 8;
      turn_decode = w;
      decoded = w;
    } else {
      decoded.reset();
    }
    came.reset();
    if (top.rsp_valid_i) {
      came = top.rsp_warp_i;
      Warp& m = warps[top.rsp_warp_i];
      // The first piece takes the place of what was there.
      m.holds[*m.asked % 2].reset();
      if (++piece == kPieces) {
        piece = 0;
        m.holds[*m.asked % 2] = m.asked;
        m.asked.reset();
      }
    }
    if (asks) {
      warps[asker].asked = sector;
      turn_ask = asker;
    }
    for (Warp& m : warps)
      if (m.late != 0 && --m.late == 0) m.runs = true;
    if (top.jump_valid_i) {
      Warp& m = warps[top.jump_warp_i];
      const bool behind = top.jump_pc_i == m.pc;
      m.late = behind ? m.behind : m.lag;
      m.runs = m.late == 0;
      m.pc = top.jump_pc_i;
      if (m.late != 0) late[m.late]++;
    }
    if (top.start_valid_i) {
      Warp& m = warps[top.start_warp_i];
      m.runs = true;
      m.pc = top.start_pc_i;
      m.holds = {};
    }
    bench.tick();
    top.start_valid_i = top.jump_valid_i = 0;
  }

  void drive_memory(std::uint32_t late_one_in) {
    top.rsp_valid_i = 0;
    const auto w = piece != 0 ? answered : static_cast<unsigned>(bench.rng() % kWarps);
    if (!warps[w].asked || bench.one_in(late_one_in)) {
      drive_data(top.rsp_data_i, [&](unsigned) { return bench.rng(); });
      top.rsp_piece_i = static_cast<unsigned char>(bench.rng() % kPieces);
      return;
    }
    answer(w);
  }

  std::uint32_t target(std::uint32_t from) {
    const std::uint32_t size = top.code_size_i;
    switch (bench.rng() % 64) {
      case 0: return from + 4;
      case 1: return static_cast<std::uint32_t>(bench.rng());
      case 2: return 0xfffffff8;
      case 3: return size - 8;
      case 4: return size;
      default:
        // Mostly loops over a few sectors.
        if (bench.one_in(8)) return static_cast<std::uint32_t>(bench.rng() % size) & ~7u;
        return (from - 8 * static_cast<std::uint32_t>(bench.rng() % 16) +
                8 * static_cast<std::uint32_t>(bench.rng() % 6)) &
               ~7u;
    }
  }

  RtlBench<Vfetch> bench;
  Vfetch& top;
  std::array<Warp, kWarps> warps;
  struct Request {
    unsigned warp;
    bool ahead;
  };
  std::optional<unsigned> decoded, chosen, came;
  std::optional<Request> asking;
  std::uint64_t generation = 0;
  bool fails = false;  // memory, at some sectors
  unsigned run = 8, turn_decode = 0, turn_ask = 0;
  unsigned answered = 0, piece = 0;  // the warp answered last; the piece that comes next
  unsigned errors[3] = {};
  std::map<unsigned, unsigned> late;  // jumps, by their lag
};

TEST_F(FetchTest, EachWarpDecodesItsCode) {
  fails = true;
  unsigned jumps_while_asked = 0;
  for (int kernel = 0; kernel < 60 && !HasFatalFailure(); kernel++) {
    // The last kernel's fetches end before the next one's code is there.
    top.req_ready_i = 0;
    top.free_i = 0;
    const auto pending = [&] {
      return std::any_of(warps.begin(), warps.end(), [](const Warp& w) { return w.asked.has_value(); });
    };
    while (pending() && !HasFatalFailure()) {
      drive_memory(1000);
      step();
    }
    top.rsp_valid_i = 0;
    generation = bench.rng();
    run = static_cast<unsigned>(2 + bench.rng() % 14);
    top.code_size_i = 8 * static_cast<std::uint32_t>(1 + bench.rng() % 512);
    for (unsigned w = 0; w < kWarps && !HasFatalFailure(); w++) {
      top.start_valid_i = 1;
      top.start_warp_i = static_cast<unsigned char>(w);
      top.start_pc_i = static_cast<std::uint32_t>(bench.rng() % 8) * 8;
      step();
    }
    const auto late = static_cast<std::uint32_t>(2 + bench.rng() % 6),
               busy = static_cast<std::uint32_t>(2 + bench.rng() % 4),
               jump_gap = static_cast<std::uint32_t>(1 + bench.rng() % 8);
    std::uint32_t full = 0;  // decoded slots
    for (int n = 0; n < 4000 && !HasFatalFailure(); n++) {
      drive_memory(late);
      top.req_ready_i = !bench.one_in(busy);
      if (decoded) full |= 1u << *decoded;
      full &= static_cast<std::uint32_t>(bench.rng() | bench.rng());
      top.free_i = static_cast<Free>(~full & kAll);
      const auto w = static_cast<unsigned>(bench.rng() % kWarps);
      if (!warps[w].runs && warps[w].late == 0 && bench.one_in(jump_gap)) {
        if (bench.one_in(30)) {
          top.start_valid_i = 1;
          top.start_warp_i = static_cast<unsigned char>(w);
          top.start_pc_i = static_cast<std::uint32_t>(bench.rng() % top.code_size_i) & ~7u;
        } else {
          top.jump_valid_i = 1;
          top.jump_warp_i = static_cast<unsigned char>(w);
          top.jump_pc_i = target(warps[w].pc);
          jumps_while_asked += warps[w].asked.has_value();
        }
      }
      step();
    }
  }
  std::printf("decoded %u, outside %u, failed %u, jumps with a fetch under way %u\n", errors[Ok], errors[Pc],
              errors[Bus], jumps_while_asked);
  EXPECT_GT(errors[Ok], 10000u);
  EXPECT_GT(errors[Pc], 500u);
  EXPECT_GT(errors[Bus], 100u);
  EXPECT_GT(jumps_while_asked, 1000u);
  // Each lag that there is has a length of its own.
  for (const unsigned lag : {kJumpLag, kIndirectLag, kBarLag, kFallLag, kJoinLag})
    if (lag != 0) EXPECT_GT(late[lag], 20u) << lag;
}

// The sector asked for ahead takes the place of the one that a loop goes back to, while that one is decoded.
TEST_F(FetchTest, ASectorThatComesLateDoesNotReplaceTheOneInUse) {
  run = 6;
  top.code_size_i = 1 << 20;
  const auto first_control = [&] {
    std::uint32_t pc = 0x20;
    while (!is_control(word(pc))) pc += 8;
    return pc;
  };
  while (first_control() / 32 != 2) generation++;
  top.start_valid_i = 1;
  top.start_warp_i = 3;
  top.start_pc_i = 0x20;
  step();
  top.req_ready_i = 1;
  top.free_i = 1 << 3;
  for (int n = 0; n < 40 && !HasFatalFailure(); n++) {
    top.rsp_valid_i = 0;
    if (warps[3].asked && *warps[3].asked <= 2) answer(3);
    step();
  }
  ASSERT_FALSE(warps[3].runs);
  ASSERT_EQ(warps[3].asked, 3u);
  top.rsp_valid_i = 0;
  top.jump_valid_i = 1;
  top.jump_warp_i = 3;
  top.jump_pc_i = 0x20;
  step();
  const unsigned choosing = kOnePort ? 1 : 0;
  for (unsigned n = 0; n < warps[3].lag + choosing + 1; n++) step();
  ASSERT_EQ(warps[3].pc, 0x28u) << "decodes what it still holds";
  for (unsigned n = 0; n < choosing; n++) step();
  answer(3);
  step();
  ASSERT_EQ(warps[3].pc, 0x30u);
  for (int n = 0; n < 40 && !HasFatalFailure(); n++) {
    top.rsp_valid_i = 0;
    if (warps[3].asked) answer(3);
    step();
  }
  EXPECT_FALSE(warps[3].runs) << "at the loop's end again";
  EXPECT_EQ(warps[3].pc, first_control() + 8);
}

// The sector after the next begins to come in the cycle in which its place is left: it is there with its last piece
// only.
TEST_F(FetchTest, ASectorThatBeginsToComeAsItsPlaceIsLeft) {
  run = 0xffffff;
  top.code_size_i = 1 << 20;
  top.start_valid_i = 1;
  top.start_warp_i = 3;
  top.start_pc_i = 0x38;
  step();
  top.req_ready_i = 1;
  const auto steps = [&](int count) {
    for (int n = 0; n < count && !HasFatalFailure(); n++) {
      top.rsp_valid_i = 0;
      if (warps[3].asked && *warps[3].asked <= 2) answer(3);
      step();
    }
  };
  top.free_i = 1 << 3;
  while (warps[3].pc != 0x40 && !HasFatalFailure()) steps(1);
  top.free_i = 0;
  steps(20);
  ASSERT_EQ(warps[3].asked, 3u);
  // It stops within sector 2, with sector 1 still in the place of 3, and goes back.
  top.code_size_i = 0x40;
  top.free_i = 1 << 3;
  steps(4);
  ASSERT_FALSE(warps[3].runs);
  top.code_size_i = 1 << 20;
  top.jump_valid_i = 1;
  top.jump_warp_i = 3;
  top.jump_pc_i = 0x38;
  steps(1);
  steps((kOnePort ? 1 : 0) + static_cast<int>(warps[3].lag));
  answer(3);
  step();
  ASSERT_EQ(warps[3].pc, 0x40u);
  steps(20);
  if (kPieces > 1) {
    EXPECT_EQ(warps[3].pc, 0x60u) << "waits for sector 3";
  }
  for (int n = 0; n < 20 && !HasFatalFailure(); n++) {
    top.rsp_valid_i = 0;
    if (warps[3].asked) answer(3);
    step();
  }
  EXPECT_GT(warps[3].pc, 0x60u);
}

// Straight code goes to decode every cycle once it has come; with one port every second.
TEST_F(FetchTest, OneInstructionACycle) {
  run = 0xffffff;
  top.code_size_i = 1 << 20;
  for (unsigned w = 0; w < kWarps; w++) {
    top.start_valid_i = 1;
    top.start_warp_i = static_cast<unsigned char>(w);
    top.start_pc_i = 0x1000 * w;
    step();
  }
  top.req_ready_i = 1;
  unsigned count = 0;
  for (int n = 0; n < 500 && !HasFatalFailure(); n++) {
    // Answers two cycles after the request, as hits of the instruction cache.
    top.rsp_valid_i = 0;
    for (unsigned w = piece != 0 ? answered : 0; w < kWarps && !top.rsp_valid_i; w++) {
      if (warps[w].asked) answer(w);
    }
    top.free_i = static_cast<Free>(kAll);
    step();
    count += decoded.has_value();
  }
  EXPECT_GT(count, kOnePort ? 225u : 450u);
}

}  // namespace
}  // namespace heddle::test
