// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "Vlsu_gather_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kPlaces = 64;  // at most
enum Size { kU8, kS8, kU16, kS16, kB32, kB64, kB128 };
constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 8, 16};
constexpr unsigned kMatrix = 8, kTransposed = 4;  // lsu_pkg::matrix_t

class LsuGather : public ::testing::Test {
 protected:
  LsuGather() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    quiet();
    bench_.reset();
    bench_.settle();
    lanes_ = top_.row_lanes_o;
    reach_ = 4 * top_.words_o;
    pieces_ = top_.pieces_o;
    places_ = top_.places_o;
    // Rows are written before they are read.
    for (unsigned e = 0; e < places_; e++) {
      note(e, kB128);
      cycle();
      gather(e, kB128, ~0u);
      cycle();
    }
  }

  void quiet() { top_.note_i = top_.valid_i = top_.read_i = top_.matrix_i = 0; }

  void note(unsigned entry, unsigned size) {
    top_.note_i = 1;
    top_.note_place_i = entry;
    for (unsigned w = 0; w < 8; w++) top_.note_offset_i[w] = 0;
    for (unsigned l = 0; l < lanes_; l++) {
      const unsigned offset = static_cast<unsigned>(rng_() % (reach_ / kBytes[size])) * kBytes[size];
      top_.note_offset_i[l / 4] |= offset << (8 * (l % 4));
      noted_[l] = offset;
    }
    note_entry_ = entry;
    size_[entry] = size;
  }

  void gather(unsigned entry, unsigned size, uint32_t lanes) {
    top_.valid_i = 1;
    top_.place_i = entry;
    top_.size_i = size;
    top_.lanes_i = lanes;
    // An atomic's old value stands at the line's begin.
    top_.at_zero_i = size >= kB32 && size <= kB64 && bench_.one_in(4);
    for (unsigned w = 0; w < 32; w++) top_.line_i[w] = static_cast<uint32_t>(rng_());
  }

  uint8_t line_byte(unsigned i) const { return static_cast<uint8_t>(top_.line_i[i / 4] >> (8 * (i % 4))); }

  void cycle() {
    // Reading what is written in the same cycle gives the old row.
    if (top_.read_i) seen_ = row_[top_.read_place_i][top_.read_index_i], known_ = true;
    for (unsigned l = 0; top_.valid_i && l < lanes_; l++) {
      if (!(top_.lanes_i >> l & 1)) continue;
      if (top_.matrix_i & kMatrix) {
        matrix_row(l);
        continue;
      }
      const unsigned at = top_.at_zero_i ? 0 : offset_[top_.place_i][l], bytes = kBytes[top_.size_i];
      for (unsigned i = 0; i < (bytes + 3) / 4; i++) {
        uint32_t word = 0;
        for (unsigned b = 0; b < std::min(4u, bytes); b++)
          word |= static_cast<uint32_t>(line_byte(at + 4 * i + b)) << 8 * b;
        if (top_.size_i == kS8) word = static_cast<uint32_t>(static_cast<int8_t>(word));
        if (top_.size_i == kS16) word = static_cast<uint32_t>(static_cast<int16_t>(word));
        row_[top_.place_i][i][l] = word;
      }
    }
    if (top_.note_i)
      for (unsigned l = 0; l < lanes_; l++) offset_[note_entry_][l] = noted_[l];
    // An atomic's old value comes alone; else piece after piece, now and then with idle cycles between them.
    const bool valid = top_.valid_i;
    const unsigned pieces = valid && !top_.at_zero_i ? pieces_ : 1;
    for (unsigned piece = 0; piece < pieces; piece++) {
      top_.piece_i = piece;
      const unsigned beats = valid ? beats_of(top_.size_i, top_.lanes_i, piece) : 1;
      for (unsigned beat = 1; beat <= beats; beat++) {
        bench_.settle();
        if (valid) {
          ASSERT_EQ(top_.done_o, beat == beats) << "beat " << beat << " of " << beats;
        }
        bench_.tick();
        top_.note_i = top_.read_i = 0;
      }
      if (piece + 1 < pieces && bench_.one_in(8)) {
        top_.valid_i = 0;
        bench_.tick();
        top_.valid_i = 1;
      }
    }
    quiet();
    bench_.settle();
    for (unsigned l = 0; known_ && l < lanes_; l++) ASSERT_EQ(top_.row_o[l], seen_[l]) << "lane " << l;
  }

  // Number c of row l % 8 of matrix l / 8.
  void matrix_row(unsigned l) {
    for (unsigned c = 0; c < 8; c++) {
      const unsigned byte = offset_[top_.place_i][l] + 2 * c, r = l % 8;
      const bool transposed = top_.matrix_i & kTransposed;
      const unsigned row = transposed ? c : r, column = transposed ? r : c;
      const uint32_t number = line_byte(byte) | static_cast<uint32_t>(line_byte(byte + 1)) << 8,
                     shift = column % 2 * 16;
      uint32_t& to = row_[top_.place_i][l / 8][4 * row + column / 2];
      to = (to & ~(0xffffu << shift)) | number << shift;
    }
  }

  // A machine of full width takes one; else one for each row and each part of a slice that has lanes, of the piece.
  unsigned beats_of(unsigned size, uint32_t lanes, unsigned piece) const {
    if (lanes_ == 32) return 1;
    const unsigned piece_bytes = 32 / pieces_;
    unsigned parts = 0;
    for (unsigned l = 0; l < lanes_; l += top_.beat_lanes_o) {
      bool any = false;
      for (unsigned lane = l; lane < l + top_.beat_lanes_o; lane++) {
        const unsigned at = top_.at_zero_i ? 0 : offset_[top_.place_i][lane] % 32;
        any |= (lanes >> lane & 1) && at / piece_bytes <= piece && piece <= (at + kBytes[size] - 1) / piece_bytes;
      }
      parts += any;
    }
    return std::max(parts, 1u) * ((std::min(kBytes[size], piece_bytes) + 3) / 4);
  }

  void read(unsigned entry, unsigned index) {
    top_.read_i = 1;
    top_.read_place_i = entry;
    top_.read_index_i = index;
  }

  RtlBench<Vlsu_gather_top> bench_;
  Vlsu_gather_top& top_;
  std::mt19937_64& rng_;
  std::array<std::array<unsigned, 32>, kPlaces> offset_{};
  std::array<unsigned, 32> noted_{};
  std::array<unsigned, kPlaces> size_{};
  unsigned note_entry_ = 0, lanes_ = 0, reach_ = 0, places_ = 0, pieces_ = 1;
  std::array<std::array<std::array<uint32_t, 32>, 4>, kPlaces> row_{};
  std::array<uint32_t, 32> seen_{};
  bool known_ = false;
};

TEST_F(LsuGather, EverySizeIsExtendedAsItSays) {
  for (unsigned size = kU8; size <= kB128; size++) {
    for (int n = 0; n < 50; n++) {
      note(1, size);
      cycle();
      gather(1, size, ~0u);
      cycle();
      for (unsigned i = 0; i < (kBytes[size] + 3) / 4; i++) {
        read(1, i);
        cycle();
        ASSERT_FALSE(HasFatalFailure()) << "size " << size << " row " << i;
      }
    }
  }
}

TEST_F(LsuGather, OtherLanesAndEntriesStayAsTheyAre) {
  for (int t = 0; t < 30000; t++) {
    if (bench_.one_in(4)) note(static_cast<unsigned>(rng_() % places_), static_cast<unsigned>(rng_() % 7));
    const auto entry = static_cast<unsigned>(rng_() % places_);
    // An entry's offsets are noted a pass before they are used.
    if (!(top_.note_i && note_entry_ == entry) && bench_.one_in(2))
      gather(entry, size_[entry], static_cast<uint32_t>(rng_()));
    if (top_.valid_i && lanes_ == 32 && size_[entry] == kB128 && !top_.at_zero_i && bench_.one_in(2))
      top_.matrix_i = kMatrix | static_cast<unsigned>(rng_() % 8);
    if (bench_.one_in(2)) read(static_cast<unsigned>(rng_() % places_), static_cast<unsigned>(rng_() % 4));
    cycle();
    ASSERT_FALSE(HasFatalFailure()) << "cycle " << t;
  }
}

}  // namespace
}  // namespace heddle::test
