// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "Vl1_data_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kLines = 64;  // 8 KiB, preset tiny
using Line = std::array<uint32_t, 32>;

enum class Act { None, Read, Fill, Store };

class L1Data : public ::testing::Test {
 protected:
  L1Data() : bench_(seed()), top_(*bench_.top) {
    top_.read_i = 0;
    bench_.settle();
    sectors_ = top_.sectors_o;
    pieces_ = top_.pieces_o;
    words_ = 8 / pieces_;
    for (unsigned p = 0; p < kLines; p++)
      for (unsigned i = 0; i < 4 * pieces_; i++) cycle(Act::Fill, p, i / pieces_, i % pieces_);
  }

  // `full`: all bytes are stored, else nearly all or any; one sector is filled, else any that are reached.
  void cycle(Act act, unsigned place, unsigned sector, unsigned piece, bool full = true) {
    const unsigned first = sector / sectors_ * sectors_;
    unsigned write = 0;
    if (act == Act::Fill && full) write = 1u << sector;
    else if (act == Act::Fill || act == Act::Store)
      write = static_cast<unsigned>(bench_.rng()) & ((1u << sectors_) - 1) << first;
    top_.read_i = act == Act::Read;
    top_.write_i = write;
    top_.fill_i = act == Act::Fill;
    // A read takes each word from one of the lines; a write goes to the first.
    std::array<unsigned, 4> places{};
    std::array<unsigned, 32> of_word{};
    const bool several = act == Act::Read && top_.lines_o > 1;
    for (auto& p : places) p = static_cast<unsigned>(bench_.rng() % kLines);
    places[0] = place;
    top_.place_i = 0;
    top_.bank_line_i = 0;
    for (unsigned n = 0; n < 4; n++) top_.place_i |= places[n] << 8 * n;
    for (unsigned w = 0; w < 32; w++) {
      if (several) of_word[w] = static_cast<unsigned>(bench_.rng() % (bench_.one_in(2) ? 1 : top_.lines_o));
      top_.bank_line_i |= uint64_t{of_word[w]} << 2 * w;
    }
    top_.sector_i = sector;
    top_.piece_i = piece;
    Line data{}, mask{};
    for (unsigned w = 0; w < 32; w++) {
      data[w] = static_cast<uint32_t>(bench_.rng());
      for (unsigned b = 0; b < 4; b++)
        if (full || !bench_.one_in(w % 2 ? 2 : 30)) mask[w] |= 0xffu << 8 * b;
      top_.data_i[w] = data[w];
    }
    for (unsigned i = 0; i < 4; i++) top_.mask_i[i] = 0;
    for (unsigned b = 0; b < 128; b++) top_.mask_i[b / 32] |= (mask[b / 4] >> 8 * (b % 4) & 1) << b % 32;
    for (unsigned w = 0; w < 32; w++) top_.filled_i[w] = static_cast<uint32_t>(bench_.rng());
    bench_.tick();
    if (act == Act::Read) {
      for (unsigned w = 0; w < 32; w++) seen_[w] = lines_[places[of_word[w]]][w];
      first_ = first, piece_ = piece, known_ = true;
    }
    for (unsigned s = 0; s < 4; s++) {
      if (!(write >> s & 1)) continue;
      for (unsigned w = 0; w < words_; w++) {
        const unsigned n = 8 * s + piece * words_ + w;
        uint32_t& word = lines_[place][n];
        word = act == Act::Fill ? top_.filled_i[n] : (word & ~mask[n]) | (data[n] & mask[n]);
      }
    }
    bench_.settle();
    for (unsigned w = 0; known_ && w < words_ * sectors_; w++)
      ASSERT_EQ(top_.data_o[w], seen_[8 * (first_ + w / words_) + piece_ * words_ + w % words_]) << "word " << w;
  }

  RtlBench<Vl1_data_top> bench_;
  Vl1_data_top& top_;
  std::array<Line, kLines> lines_{};
  Line seen_{};
  unsigned sectors_ = 0, pieces_ = 0, words_ = 0;  // read at once; of a sector; of a piece
  unsigned first_ = 0, piece_ = 0;                 // of what was read last
  bool known_ = false;
};

TEST_F(L1Data, EveryLineIsItsOwn) {
  for (unsigned p = 0; p < kLines; p++)
    for (unsigned i = 0; i < 4 * pieces_; i++) cycle(Act::Read, p, i / pieces_, i % pieces_);
}

TEST_F(L1Data, MasksAndSectors) {
  constexpr std::array kActs = {Act::None, Act::Read, Act::Read, Act::Fill, Act::Store, Act::Store};
  for (int n = 0; n < 30000; n++) {
    cycle(kActs[bench_.rng() % kActs.size()], static_cast<unsigned>(bench_.rng() % (n % 2 ? 3 : kLines)),
          static_cast<unsigned>(bench_.rng() % 4), static_cast<unsigned>(bench_.rng() % pieces_), bench_.one_in(3));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::test
