// SPDX-License-Identifier: Apache-2.0
// The tensor core against an H200's recorded tiles and against arithmetic in 128-bit integers, with
// stalls on both links. HEDDLE_TILES in the environment: how many random tiles. HEDDLE_INJECT: which planted bug
// the unit has, where there are some.
#include <Vmma_top.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"
#include "tests/unit/rtl/tensor/mma_random.h"
#include "tests/unit/rtl/tensor/mma_tile.h"

namespace heddle::test {
namespace {

constexpr int kWidth = HEDDLE_WIDTH;
constexpr unsigned kRowLanes = sizeof(Vmma_top::row_o) / 8, kSlices = 32 / kRowLanes;
constexpr int kPatience = 10'000;

class MmaUnit : public ::testing::Test {
 protected:
  MmaUnit() {
    bench.top->req_valid_i = 0;
    bench.top->rsp_ready_i = 0;
    bench.reset();
  }

  // Gives all steps; results that come meanwhile are compared.
  void send(const MmaTile& tile, const WarpRows& want) {
    const std::uint32_t mask = bench.one_in(2) ? ~0u : static_cast<std::uint32_t>(bench.rng());
    pending.push_back({tile, want, mask, sequence});
    const unsigned steps = tile.flag("sparse") ? 3 : 2;
    for (unsigned step = 0; step < steps; step++) {
      for (unsigned slice = 0; slice < kSlices && !HasFatalFailure(); slice++) {
        while (!bench.one_in(request_every)) cycle(false);
        present(tile, mask, step, slice);
        for (int waited = 0; !cycle(true); waited++) ASSERT_LT(waited, kPatience) << "a step is never taken";
      }
    }
    sequence++;
  }

  void drain() {
    for (int waited = 0; !pending.empty() && !HasFatalFailure(); waited++) {
      cycle(false);
      ASSERT_LT(waited, kPatience) << pending.size() << " results never come";
    }
    cycle(false);
    EXPECT_EQ(bench.top->busy_o, 0);
  }

  struct Pending {
    MmaTile tile;
    WarpRows want;
    std::uint32_t mask;
    std::uint16_t sequence;
  };

  RtlBench<Vmma_top> bench{seed()};
  std::uint32_t request_every = 1, response_every = 1;
  bool row_a_cycle = false;  // a pair is taken in the second cycle in which it is there
  std::deque<Pending> pending;
  std::uint16_t sequence = 0;
  unsigned next_slice = 0;  // of the rows that come next
  int next_step = 0;
  std::uint64_t step_taken = 0;              // the cycle in which a step was taken last
  std::vector<std::uint64_t> result_cycles;  // of each result step

 private:
  bool half_taken_ = false;

  void present(const MmaTile& tile, std::uint32_t mask, unsigned step, unsigned slice) {
    auto& t = *bench.top;
    t.seq_i = sequence;
    t.rd_i = static_cast<CData>(sequence * 4);
    t.slice_i = static_cast<CData>(slice);
    t.mask_i = mask;
    t.op_i = static_cast<CData>(tile.op);
    t.mod_i = tile.mod;
    t.step_i = static_cast<CData>(step);
    const auto row = [&](unsigned r, const WarpRow& words) {
      for (unsigned i = 0; i < kRowLanes; i++) set_port_word(t.row_i, r * kRowLanes + i, words[slice * kRowLanes + i]);
    };
    const WarpRow& any = tile.a[bench.rng() % 4];
    for (unsigned r = 0; r < 6; r++) row(r, any);
    for (unsigned r = 0; r < 4 && step < 2; r++) row(2 + r, step == 0 ? tile.a[r] : tile.c[r]);
    for (unsigned r = 0; r < 2 && step < 2; r++) row(r, tile.b[2 * step + r]);
    if (step == 2) row(0, tile.metadata);
  }

  // True when the step was taken.
  bool cycle(bool request) {
    auto& t = *bench.top;
    t.req_valid_i = request;
    t.rsp_ready_i = row_a_cycle ? half_taken_ : bench.one_in(response_every);
    bench.settle();
    half_taken_ = t.rsp_valid_o && !half_taken_;
    const bool taken = request && t.req_ready_o;
    if (taken) step_taken = bench.cycle;
    if (t.rsp_valid_o && t.rsp_ready_i) check();
    bench.tick();
    return taken;
  }

  void check() {
    const auto& t = *bench.top;
    ASSERT_FALSE(pending.empty()) << "rows that nobody asked for";
    const Pending& x = pending.front();
    result_cycles.push_back(bench.cycle);
    ASSERT_EQ(t.seq_o, x.sequence);
    ASSERT_EQ(t.rd_o, static_cast<CData>(x.sequence * 4));
    ASSERT_EQ(t.mask_o, x.mask);
    ASSERT_EQ(t.slice_o, next_slice);
    ASSERT_EQ(t.step_o, next_step);
    const bool last_step = 2 * next_step + 2 == x.tile.c_rows(), last_slice = next_slice == kSlices - 1;
    ASSERT_EQ(t.last_o, last_step && last_slice);
    for (unsigned r = 0; r < 2; r++) {
      for (unsigned i = 0; i < kRowLanes; i++) {
        const std::size_t at = 2 * static_cast<unsigned>(next_step) + r, lane = next_slice * kRowLanes + i;
        ASSERT_EQ(port_word(t.row_o, r * kRowLanes + i), x.want[at][lane])
            << x.tile.text() << " row " << at << " lane " << lane << std::hex << " C 0x" << x.tile.c[at][lane];
      }
    }
    next_slice = last_slice ? 0 : next_slice + 1;
    if (last_slice) next_step = last_step ? 0 : next_step + 1;
    if (last_slice && last_step) pending.pop_front();
  }
};

// ---- recorded tiles ----
// Whether an instruction of PTX is one of the unit's; then what it is.
bool instruction(const nlohmann::json& shape, MmaTile& t) {
  const auto name = shape.at("instruction").get<std::string>();
  const auto has = [&](const char* text) { return name.find(text) != std::string::npos; };
  const auto words = shape.at("a").get<int>();
  const bool integer = has(".s32.");
  for (const char* other : {"f64", "e4m3", "e5m2", "m8n8k4.", ".u4.", ".s4."})
    if (has(other)) return false;
  t = {};
  t.op = integer ? isa::Opcode::Imma : isa::Opcode::Hmma;
  t.set("half_k", words == 2);
  if (has("mma.sp")) {
    t.set("sparse", 1);
    t.set("selector", shape.at("selector").get<std::uint32_t>());
  }
  if (!integer) {
    t.set("format", has(".bf16.") ? 1 : has(".tf32.") ? 2 : 0);
    t.set("f16_d", has(".f16.f16.f16.f16"));
    return true;
  }
  t.set("m8", words == 1);
  t.set("sat", has("satfinite"));
  t.set("bits", has(".b1."));
  t.set("xor", has(".xor."));
  t.set("sign_a", has(".s32.s8."));
  t.set("sign_b", has(".s8.s32"));
  return true;
}

// The registers of a lane stand side by side, A, B, C, (E,) D; lanes follow each other, then tiles.
class MmaRecords : public MmaUnit, public ::testing::WithParamInterface<const char*> {};

TEST_P(MmaRecords, AreEqual) {
  const std::string path = std::string(HEDDLE_MMA_RECORDS) + "/" + GetParam();
  std::ifstream json(path + ".json"), bin(path + ".bin", std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(bin)), {});
  const nlohmann::json index = nlohmann::json::parse(json);
  int tiles = 0;
  for (const nlohmann::json& shape : index.at("shapes")) {
    MmaTile tile;
    if (!instruction(shape, tile)) continue;
    SCOPED_TRACE(shape.at("instruction").get<std::string>());
    const auto count = [&](const char* key) { return shape.value(key, 0); };
    const int a = count("a"), b = count("b"), c = count("c"), e = count("e"), d = count("d"), all = a + b + c + e + d;
    ASSERT_EQ(a, tile.a_rows());
    ASSERT_EQ(b, tile.b_rows());
    ASSERT_EQ(d, tile.c_rows());
    request_every = 1 + static_cast<std::uint32_t>(bench.rng() % 3),
    response_every = 1 + static_cast<std::uint32_t>(bench.rng() % 4);
    for (int n = 0; n < count("tiles"); n++, tiles++) {
      WarpRows want{};
      for (std::size_t lane = 0; lane < 32; lane++) {
        const char* at =
            bytes.data() + count("offset") +
            4 * static_cast<std::ptrdiff_t>((static_cast<std::size_t>(n) * 32 + lane) * static_cast<std::size_t>(all));
        const auto take = [&](WarpRows& rows, int registers) {
          for (int r = 0; r < registers; r++, at += 4) std::memcpy(&rows[static_cast<std::size_t>(r)][lane], at, 4);
        };
        WarpRows metadata{};
        take(tile.a, a), take(tile.b, b), take(tile.c, c), take(metadata, e), take(want, d);
        tile.metadata[lane] = metadata[0][lane];
        // Registers beyond are not read.
        for (std::size_t r = 0; r < 4; r++) {
          if (r >= static_cast<std::size_t>(a)) tile.a[r][lane] = ~0u;
          if (r >= static_cast<std::size_t>(b)) tile.b[r][lane] = ~0u;
          if (r >= static_cast<std::size_t>(c)) tile.c[r][lane] = ~0u;
        }
      }
      send(tile, want);
      ASSERT_FALSE(HasFatalFailure()) << "tile " << n;
    }
  }
  drain();
  std::printf("%d tiles\n", tiles);
  EXPECT_GT(tiles, 100);
}

INSTANTIATE_TEST_SUITE_P(H200, MmaRecords, ::testing::Values("mma", "mma_sp"),
                         [](const auto& info) { return std::string(info.param); });

// ---- random tiles ----
// What a tile of half K is, without selectors and signs: 8 forms of HMMA, 5 of IMMA.
std::uint32_t half_form(const MmaTile& tile) {
  if (tile.floats()) return tile.flag("format") << 2 | tile.flag("f16_d") << 1 | tile.flag("sparse");
  return 16 | tile.flag("bits") << 2 | tile.flag("m8") << 1 | tile.flag("sparse");
}

TEST_F(MmaUnit, RandomTilesEqualExactArithmetic) {
  const char* text = std::getenv("HEDDLE_TILES");
  const long tiles = text != nullptr ? std::atol(text) : HEDDLE_TILES;
  MmaRandom random(bench.rng());
  std::set<std::uint32_t> half_forms;
  for (long n = 0; n < tiles && !HasFatalFailure(); n++) {
    if (n % 64 == 0) {
      request_every = 1 + static_cast<std::uint32_t>(bench.rng() % 3),
      response_every = 1 + static_cast<std::uint32_t>(bench.rng() % 4);
      if (n % 256 == 0) request_every = response_every = 1;
    }
    const MmaTile tile = random.tile();
    if (tile.half_k()) half_forms.insert(half_form(tile));
    send(tile, mma_reference(tile));
  }
  drain();
  if (tiles >= 1000 && !HasFatalFailure()) {
    EXPECT_EQ(half_forms.size(), 13u);
  }
  if (!HasFatalFailure()) std::printf("%ld tiles\n", tiles);
}

// 2^-10 * 2^-15 + 2^-24 * 2^-24: half of the smallest f16 and a little, 23 places below.
TEST_F(MmaUnit, AnF16IsRoundedByAllPlacesOfTheSum) {
  MmaTile tile;
  tile.set("f16_d", 1);
  tile.a[0][0] = 0x00011400;
  tile.b[0][0] = 0x00010200;
  WarpRows want{};
  want[0][0] = 1;
  EXPECT_EQ(mma_reference(tile), want);
  send(tile, want);
  tile.a[0][0] = 0x00001400;
  send(tile, {});
  drain();
}

// ---- time ----
// Width 512: the last rows come 8 cycles after the last step, an HMMA every 4; 256: 12 and 8.
TEST_F(MmaUnit, TakesAsManyCyclesAsItHasProducts) {
  constexpr std::uint64_t kBeats = 2048 / kWidth, kParts = kWidth < 16 ? 16 / kWidth : 1;
  constexpr std::uint64_t kFillsASet = kWidth >= 256 ? 0 : 2 * kSlices;  // while nothing is computed
  constexpr std::size_t kResults = 2 * kSlices;
  MmaTile tile;  // HMMA.16816.F32
  const WarpRows zeros{};
  send(tile, zeros);
  const std::uint64_t last_step = step_taken;
  drain();
  ASSERT_EQ(result_cycles.size(), kResults);
  EXPECT_EQ(result_cycles[kResults / 2 - 1] - last_step, kBeats / 2 + kParts + 3);
  EXPECT_EQ(result_cycles[kResults - 1] - last_step, kBeats + kParts + 3);
  result_cycles.clear();
  for (int n = 0; n < 20; n++) send(tile, zeros);
  drain();
  ASSERT_EQ(result_cycles.size(), 20 * kResults);
  for (std::size_t n = kResults; n < 20 * kResults; n++)
    EXPECT_EQ(result_cycles[n] - result_cycles[n - kResults], kBeats + kFillsASet);
}

// Width 512: the last rows of an HMMA of half K come 6 cycles after its last step, one every 2 (sparse 3, for its
// steps); 256: 8 and 4. Below, half K takes the time of full K. m8 is half of either.
TEST_F(MmaUnit, HalfKTakesHalfTheTimeWhereABeatHasTwoResults) {
  struct Form {
    const char* name;
    isa::Opcode op;
    std::vector<const char*> flags;
  };
  const Form forms[] = {{"f16", isa::Opcode::Hmma, {"half_k"}},
                        {"f16 D", isa::Opcode::Hmma, {"half_k", "f16_d"}},
                        {"sparse f16", isa::Opcode::Hmma, {"half_k", "sparse"}},
                        {"bytes", isa::Opcode::Imma, {"half_k"}},
                        {"bytes m8", isa::Opcode::Imma, {"m8"}},
                        {"bits m8", isa::Opcode::Imma, {"m8", "bits"}}};
  constexpr std::uint64_t kParts = kWidth < 16 ? 16 / kWidth : 1;
  constexpr bool kTwo = kWidth >= 256;
  const WarpRows zeros{};
  for (const Form& form : forms) {
    SCOPED_TRACE(form.name);
    MmaTile tile;
    tile.op = form.op;
    for (const char* flag : form.flags) tile.set(flag, 1);
    const std::uint64_t beats = 2048 / kWidth / (kTwo ? 2 : 1) / (tile.flag("m8") ? 2 : 1);
    const std::uint64_t steps = (tile.flag("sparse") ? 3 : 2) * kSlices;
    const std::size_t results = static_cast<std::size_t>(tile.c_rows()) / 2 * kSlices;
    result_cycles.clear();
    send(tile, zeros);
    const std::uint64_t last_step = step_taken;
    drain();
    ASSERT_EQ(result_cycles.size(), results);
    EXPECT_EQ(result_cycles.back() - last_step, beats + kParts + 3);
    result_cycles.clear();
    for (int n = 0; n < 20; n++) send(tile, zeros);
    drain();
    ASSERT_EQ(result_cycles.size(), 20 * results);
    for (std::size_t n = results; n < 20 * results; n++)
      EXPECT_EQ(result_cycles[n] - result_cycles[n - results], kTwo ? std::max(beats, steps) : beats + steps);
  }
}

// Rows are written one a cycle: a pair that leaves in two does not hold up the next one. Two pairs of half K come every
// four cycles.
TEST_F(MmaUnit, PairsThatLeaveInTwoCyclesHoldUpNothing) {
  row_a_cycle = true;
  MmaTile tile;
  const WarpRows zeros{};
  for (const std::uint32_t half_k : {0u, 1u}) {
    tile.set("half_k", half_k);
    result_cycles.clear();
    for (int n = 0; n < 20; n++) send(tile, zeros);
    drain();
    ASSERT_EQ(result_cycles.size(), 40u * kSlices);
    if (kWidth >= 256) {
      EXPECT_EQ(result_cycles.back() - result_cycles[1], 19u * (half_k ? 4 : 2048 / kWidth));
    }
  }
}

}  // namespace
}  // namespace heddle::test
