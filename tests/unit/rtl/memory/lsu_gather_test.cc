// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include "Vlsu_gather_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kPlaces = 64;  // at most
enum Size { kU8, kS8, kU16, kS16, kB32, kB64, kB128 };
constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 8, 16};
constexpr unsigned kMatrix = 8, kTransposed = 4;  // lsu_pkg::matrix_t

// What a data stage shows.
struct Access {
  unsigned place = 0, size = kB32, matrix = 0;
  uint32_t lanes = 0;
  bool at_zero = false, other_bank = false;
  std::array<uint32_t, 32> line{};
  unsigned late = 0;  // cycles until it is shown

  uint8_t byte(unsigned i) const { return static_cast<uint8_t>(line[i / 4] >> (8 * (i % 4))); }
};

class LsuGather : public ::testing::Test {
 protected:
  LsuGather() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.note_i = top_.valid_i = top_.read_i = top_.atomic_valid_i = 0;
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

  void note(unsigned place, unsigned size, bool turned = false) {
    top_.note_i = 1;
    top_.note_place_i = place;
    for (unsigned w = 0; w < 8; w++) top_.note_offset_i[w] = 0;
    for (unsigned l = 0; l < lanes_; l++) {
      unsigned offset = static_cast<unsigned>(rng_() % (reach_ / kBytes[size])) * kBytes[size];
      if (size == kB128 && turned && (lanes_ < 32 || rng_() % 2)) offset += 8;  // its halves are turned
      top_.note_offset_i[l / 4] |= offset << (8 * (l % 4));
      noted_[l] = offset;
    }
    size_[place] = size;
  }

  // By device memory (0), shared memory (1), or where it waits an atomic's old value (2).
  Access& gather(unsigned place, unsigned size, uint32_t lanes) { return gather(place, size, lanes, rng_() & 1); }
  Access& gather(unsigned place, unsigned size, uint32_t lanes, unsigned side) {
    Access& a = shown_[side].emplace();
    a.place = place;
    a.size = size;
    a.lanes = lanes;
    // An atomic's old value stands at the line's begin.
    a.at_zero = side != 2 && size >= kB32 && size <= kB64 && bench_.one_in(4);
    for (uint32_t& w : a.line) w = static_cast<uint32_t>(rng_());
    for (unsigned w = 8; w < 32 && side == 2; w++) a.line[w] = a.line[w % 8];  // a sector, at each place
    return a;
  }

  // All that is shown is gathered, piece after piece, with idle cycles between them now and then. A note and a read go
  // in the first cycle.
  void cycle() {
    // Reading what is written in the same cycle gives the old row.
    if (top_.read_i) seen_ = row_[top_.read_place_i][top_.read_index_i], known_ = true;
    for (const auto& a : shown_)
      if (a && !a->other_bank) expect(*a);
    const bool notes = top_.note_i;
    std::array<unsigned, 3> piece{}, left{};
    std::array<bool, 3> shows{};
    bool began = false;  // beats of what shared memory shows
    do {
      for (unsigned side = 0; side < 3; side++) {
        auto& a = shown_[side];
        if (a && a->late) a->late--;
        else if (a && !shows[side])
          shows[side] = true, left[side] = beats_of(*a, piece[side]), drive(side, *a, piece[side]);
      }
      top_.valid_i = shows[0] | shows[1] << 1;
      top_.atomic_valid_i = shows[2];
      bench_.settle();
      // Device memory goes first, then atomics, but it does not come between the beats of shared memory's.
      std::array<bool, 3> here{};
      for (unsigned side = 0; side < 3; side++) here[side] = shows[side] && !shown_[side]->other_bank;
      const unsigned turn = here[0] && !began ? 0 : here[2] ? 2 : 1;
      unsigned done = 0;
      if (here[turn]) {
        done = left[turn]-- == 1 ? 1u << turn : 0;
        began = turn == 1 && !done;
      }
      ASSERT_EQ(top_.done_o, done & 3);
      ASSERT_EQ(top_.atomic_done_o, done >> 2);
      ASSERT_EQ(top_.gathered_o, done != 0);
      if (done) {
        ASSERT_EQ(top_.gathered_place_o, shown_[turn]->place);
        ASSERT_EQ(top_.gathered_lanes_o, shown_[turn]->lanes & ~0u >> (32 - lanes_));
      }
      bench_.tick();
      top_.note_i = top_.read_i = 0;
      for (unsigned side = 0; side < 3; side++) {
        // That of another bank is gathered there.
        if (!(done >> side & 1) && !(shows[side] && shown_[side]->other_bank)) continue;
        shows[side] = false;
        const bool more = !shown_[side]->at_zero && ++piece[side] < pieces_;
        if (more) shown_[side]->late = bench_.one_in(8);
        else shown_[side].reset();
      }
    } while (shown_[0] || shown_[1] || shown_[2]);
    top_.valid_i = top_.atomic_valid_i = 0;
    bench_.settle();
    if (notes) offset_[top_.note_place_i] = noted_;
    for (unsigned l = 0; known_ && l < lanes_; l++) ASSERT_EQ(top_.row_o[l], seen_[l]) << "lane " << l;
  }

  void drive(unsigned side, const Access& a, unsigned piece) {
    if (side == 2) {
      top_.atomic_place_i = a.place;
      top_.atomic_size_i = a.size;
      top_.atomic_lanes_i = a.lanes;
      top_.atomic_other_bank_i = a.other_bank;
      for (unsigned w = 0; w < 8; w++) top_.atomic_value_i[w] = a.line[w];
      return;
    }
    const auto put = [&](auto& port, unsigned width, unsigned value) {
      const unsigned mask = ((1u << width) - 1) << side * width;
      port = static_cast<std::remove_reference_t<decltype(port)>>((port & ~mask) | value << side * width);
    };
    put(top_.place_i, 8, a.place);
    put(top_.size_i, 3, a.size);
    put(top_.matrix_i, 4, a.matrix);
    put(top_.at_zero_i, 1, a.at_zero);
    put(top_.piece_i, 8, piece);
    put(top_.other_bank_i, 1, a.other_bank);
    top_.lanes_i = (top_.lanes_i & 0xffffffff00000000 >> 32 * side) | uint64_t{a.lanes} << 32 * side;
    for (unsigned w = 0; w < 32; w++) top_.line_i[32 * side + w] = a.line[w];
  }

  void expect(const Access& a) {
    for (unsigned l = 0; l < lanes_; l++) {
      if (!(a.lanes >> l & 1)) continue;
      if (a.matrix & kMatrix) {
        matrix_row(a, l);
        continue;
      }
      const unsigned at = a.at_zero ? 0 : offset_[a.place][l], bytes = kBytes[a.size];
      for (unsigned i = 0; i < (bytes + 3) / 4; i++) {
        uint32_t word = 0;
        for (unsigned b = 0; b < std::min(4u, bytes); b++)
          word |= static_cast<uint32_t>(a.byte((at ^ 4 * i) + b)) << 8 * b;
        if (a.size == kS8) word = static_cast<uint32_t>(static_cast<int8_t>(word));
        if (a.size == kS16) word = static_cast<uint32_t>(static_cast<int16_t>(word));
        row_[a.place][i][l] = word;
      }
    }
  }

  // Number c of row l % 8 of matrix l / 8.
  void matrix_row(const Access& a, unsigned l) {
    for (unsigned c = 0; c < 8; c++) {
      const unsigned byte = offset_[a.place][l] + 2 * c, r = l % 8;
      const bool transposed = a.matrix & kTransposed;
      const unsigned row = transposed ? c : r, column = transposed ? r : c;
      const uint32_t number = a.byte(byte) | static_cast<uint32_t>(a.byte(byte + 1)) << 8, shift = column % 2 * 16;
      uint32_t& to = row_[a.place][l / 8][4 * row + column / 2];
      to = (to & ~(0xffffu << shift)) | number << shift;
    }
  }

  // A machine of full width takes one; else one for each row and each part of a slice that has lanes, of the piece.
  unsigned beats_of(const Access& a, unsigned piece) const {
    if (lanes_ == 32) return 1;
    const unsigned piece_bytes = 32 / pieces_;
    unsigned parts = 0;
    for (unsigned l = 0; l < lanes_; l += top_.beat_lanes_o) {
      bool any = false;
      for (unsigned lane = l; lane < l + top_.beat_lanes_o; lane++) {
        const unsigned at = a.at_zero ? 0 : offset_[a.place][lane] % 32, low = at & ~(kBytes[a.size] - 1);
        any |= (a.lanes >> lane & 1) && low / piece_bytes <= piece && piece <= (low + kBytes[a.size] - 1) / piece_bytes;
      }
      parts += any;
    }
    return std::max(parts, 1u) * ((std::min(kBytes[a.size], piece_bytes) + 3) / 4);
  }

  void read(unsigned place, unsigned index) {
    top_.read_i = 1;
    top_.read_place_i = place;
    top_.read_index_i = index;
  }

  RtlBench<Vlsu_gather_top> bench_;
  Vlsu_gather_top& top_;
  std::mt19937_64& rng_;
  std::array<std::optional<Access>, 3> shown_;
  std::array<std::array<unsigned, 32>, kPlaces> offset_{};
  std::array<unsigned, 32> noted_{};
  std::array<unsigned, kPlaces> size_{};
  unsigned lanes_ = 0, reach_ = 0, places_ = 0, pieces_ = 1;
  std::array<std::array<std::array<uint32_t, 32>, 4>, kPlaces> row_{};
  std::array<uint32_t, 32> seen_{};
  std::array<bool, kPlaces> turned_{};
  bool known_ = false;
};

TEST_F(LsuGather, EverySizeIsExtendedAsItSays) {
  for (unsigned size = kU8; size <= kB128; size++) {
    for (int n = 0; n < 50; n++) {
      note(1, size, true);
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

// Both pipes and atomics, of places of this bank and of the other, each with delays of its own.
TEST_F(LsuGather, OtherLanesAndEntriesStayAsTheyAre) {
  for (int t = 0; t < 30000; t++) {
    std::optional<unsigned> noted;
    if (bench_.one_in(4)) {
      noted = static_cast<unsigned>(rng_() % places_);
      turned_[*noted] = bench_.one_in(2);  // then no rows of matrices
      note(*noted, static_cast<unsigned>(rng_() % 7), turned_[*noted]);
    }
    const auto first = static_cast<unsigned>(rng_() % places_);
    for (unsigned side = 0; side < (top_.atomics_o ? 3u : 2u); side++) {
      const unsigned place = (first + side) % places_;
      // An entry's offsets are noted a pass before they are used.
      if (place == noted || bench_.one_in(2)) continue;
      if (side == 2 && size_[place] != kB32 && size_[place] != kB64) continue;
      if (side == 2 && places_ == 2 && shown_[0]) continue;  // its place
      Access& a = gather(place, size_[place], static_cast<uint32_t>(rng_()), side);
      if (lanes_ == 32 && side != 2 && size_[place] == kB128 && !a.at_zero && !turned_[place] && bench_.one_in(2))
        a.matrix = kMatrix | static_cast<unsigned>(rng_() % 8);
      a.other_bank = lanes_ == 32 && bench_.one_in(4);
      a.late = bench_.one_in(3) ? static_cast<unsigned>(rng_() % 3) : 0;
    }
    if (bench_.one_in(2)) read(static_cast<unsigned>(rng_() % places_), static_cast<unsigned>(rng_() % 4));
    cycle();
    ASSERT_FALSE(HasFatalFailure()) << "cycle " << t;
  }
}

}  // namespace
}  // namespace heddle::test
