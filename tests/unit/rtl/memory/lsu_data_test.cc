// SPDX-License-Identifier: Apache-2.0
// The data stage of device memory, cycle by cycle, against an array of bytes: the L1's lines, requests, lanes' data,
// ends and trace events. Sectors come and go in as many pieces as the machine has.
#include <array>
#include <vector>

#include "Vlsu_data_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

enum Kind { kNone, kLoad, kStore, kAtomic, kFill };
enum Class { kClassLoad, kClassStore, kClassAtomic };
enum L1Event { kL1Fill, kL1Write, kL1Evict, kL1InvalidateAll };
using Line = std::array<uint8_t, 128>;

struct Op {
  unsigned kind = kNone, cls = kClassLoad, entry = 0, size = 4, atom_op = 0, warp = 0, seq = 0;
  bool atom_sign = false, last = false;  // atom_sign: S, else U
  bool reduces = false;                  // an atomic whose value nobody reads
  uint32_t lanes = 0;
  unsigned send = 0, update = 0, place = 0, mshr = 0, sector = 0;
  uint64_t line = 0, evict_line = 0;
  unsigned which = 0;  // of the atomics under way
  bool install = false, fill_event = false, atomic = false, evict = false, invalidate_all = false;
  unsigned pieces = 1;  // load: with words of the lanes
  // What goes with it.
  Line data{};                      // store: the line; atomic: its operands
  std::array<bool, 128> bytes{};    // store
  Line fill{};                      // what the pass reaches
  std::array<uint32_t, 8> value{};  // of an atomic: its sector, or the word
  unsigned lane = 0, offset = 0;
};

class LsuData : public ::testing::Test {
 protected:
  LsuData() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    top_.op_valid_i = 0;
    top_.gather_done_i = 1;
    bench_.reset();
    bench_.settle();
    reach_ = top_.reach_o, pieces_ = top_.sector_pieces_o, lanes_ = top_.row_lanes_o;
    words_ = 8 / pieces_;
    l1_.resize(top_.lines_o);
    // It is written before it is read.
    for (unsigned place = 0; place < l1_.size(); place++) {
      for (unsigned s = 0; s < 4; s++) {
        Op op = random_op(kFill);
        op.atomic = false;
        op.install = op.fill_event = true;
        op.place = place;
        op.sector = s;
        op.update = reach_ == 8 ? 1u << s : 15;
        run(op);
      }
    }
  }

  Op random_op(unsigned kind) {
    Op op;
    op.kind = kind;
    op.cls = kind == kStore ? kClassStore : kind == kAtomic ? kClassAtomic : kClassLoad;
    op.entry = static_cast<unsigned>(rng_() % 4);
    op.size = static_cast<unsigned>(rng_() % 7);
    op.atom_op = static_cast<unsigned>(rng_() % 10);
    op.atom_sign = rng_() & 1;
    op.warp = static_cast<unsigned>(rng_() % 8);
    op.seq = static_cast<unsigned>(rng_() & 0xffff);
    op.last = rng_() & 1;
    op.lanes = bench_.one_in(4) ? 0 : static_cast<uint32_t>(rng_()) & ~0u >> (32 - lanes_);
    op.pieces = 1 + static_cast<unsigned>(rng_() % ((1u << pieces_) - 1));
    op.place = static_cast<unsigned>(rng_() % l1_.size());
    op.mshr = static_cast<unsigned>(rng_() % 4);
    op.sector = static_cast<unsigned>(rng_() % 4);
    op.line = rng_() & 0x1ffffffff;
    op.evict_line = rng_() & 0x1ffffffff;
    for (uint8_t& b : op.data) b = static_cast<uint8_t>(rng_());
    for (bool& b : op.bytes) b = rng_() & 1;
    for (uint8_t& b : op.fill) b = static_cast<uint8_t>(rng_());
    for (uint32_t& w : op.value) w = static_cast<uint32_t>(rng_());
    op.lane = static_cast<unsigned>(rng_() % 32);
    switch (kind) {
      case kNone: op.invalidate_all = bench_.one_in(3); break;
      case kLoad:
        op.send = bench_.one_in(2) ? 0 : some_sectors(op);
        if (reach_ == 8 && op.send) op.lanes = 0;  // the one sector is missing
        op.evict = op.send && bench_.one_in(3);
        break;
      case kStore:
        op.send = some_sectors(op);
        op.update = static_cast<unsigned>(rng_() % 16);
        op.lanes |= 1;
        break;
      case kAtomic:
        op.size = 4 + static_cast<unsigned>(rng_() % 2);
        op.offset = static_cast<unsigned>(rng_() % 8) * 4;
        op.send = reach_ == 8 ? 1u << op.sector : 1u << rng_() % 4;
        op.lanes = 0;
        op.which = static_cast<unsigned>(rng_() % 2);
        op.reduces = bench_.one_in(2);
        op.evict = bench_.one_in(3);
        break;
      default:
        op.last = false;
        op.atomic = bench_.one_in(4);
        if (op.atomic) op.size = 4 + static_cast<unsigned>(rng_() % 2);
        op.install = !op.atomic && bench_.one_in(2);
        op.fill_event = !op.atomic && (op.install || bench_.one_in(2));
        op.update = some_sectors(op);
        break;
    }
    return op;
  }

  // Of what stands beside each other in a piece: its word in what the pass reaches.
  unsigned word_of(unsigned i, unsigned piece) const { return i / words_ * 8 + piece * words_ + i % words_; }
  // What a pass reaches: any of the line, or one.
  unsigned some_sectors(const Op& op) { return reach_ == 8 ? 1u << op.sector : 1 + static_cast<unsigned>(rng_() % 15); }
  // Of a sector: its first byte in what the pass reaches.
  unsigned in_pass(unsigned sector) const { return reach_ == 8 ? 0 : 32 * sector; }

  void drive(const Op& op) {
    top_.kind_i = op.kind;
    top_.cls_i = op.cls;
    top_.entry_i = op.entry;
    top_.size_i = op.size;
    top_.atom_op_i = op.atom_op;
    top_.atom_type_i = op.atom_sign;
    top_.reduces_i = op.reduces;
    top_.warp_i = op.warp;
    top_.seq_i = op.seq;
    top_.last_i = op.last;
    top_.lanes_i = op.lanes;
    top_.send_i = op.send;
    top_.update_i = op.update;
    top_.place_i = op.place;
    top_.mshr_i = op.mshr;
    top_.line_i = op.line;
    top_.sector_i = op.sector;
    top_.install_i = op.install;
    top_.fill_event_i = op.fill_event;
    top_.atomic_i = op.atomic;
    top_.which_i = op.which;
    top_.evict_i = op.evict;
    top_.evict_line_i = op.evict_line;
    top_.invalidate_all_i = op.invalidate_all;
    top_.atom_lane_i = op.lane;
    top_.atom_offset_i = op.offset;
    for (unsigned w = 0; w < 32; w++) top_.words_i[w] = word(op.data, w);
    for (unsigned w = 0; w < 4; w++) top_.bytes_i[w] = 0;
    for (unsigned b = 0; b < 128; b++) top_.bytes_i[b / 32] |= static_cast<uint32_t>(op.bytes[b]) << b % 32;
    top_.pieces_i = op.pieces;
  }

  template <typename Bytes>
  static uint32_t word(const Bytes& b, unsigned w) {
    return b[4 * w] | b[4 * w + 1] << 8 | b[4 * w + 2] << 16 | static_cast<uint32_t>(b[4 * w + 3]) << 24;
  }

  // Pieces that an operation goes through, for each sector if it sends them in beats.
  unsigned pieces(const Op& op) const {
    if (pieces_ == 1) return 1;
    if (op.kind == kStore) return (1u << pieces_) - 1;
    if (op.kind == kAtomic) return pieces_ == 4 ? 3 : 1;
    if (op.kind == kFill) return op.atomic ? 1 : (1u << pieces_) - 1;
    return op.kind != kNone && op.lanes ? op.pieces : 0;
  }

  // Runs one operation to its end; each of its cycles is checked.
  void run(const Op& op) {
    drive(op);
    top_.op_valid_i = 1;
    const bool beats = op.kind == kStore || op.kind == kAtomic;
    unsigned left = op.send, pieces_left = pieces(op);
    for (bool first = true, ends = false; !ends; first = false) {
      const unsigned piece = pieces_left ? static_cast<unsigned>(__builtin_ctz(pieces_left)) : 0;
      const bool final_piece = (pieces_left & (pieces_left - 1)) == 0;
      const bool gathers_now = gathers(op) && (pieces_ == 1 ? first : pieces_left != 0);
      for (unsigned i = 0; i < 32; i++)
        top_.fill_data_i[i] = i < reach_ / pieces_ ? word(op.fill, word_of(i, piece)) : static_cast<uint32_t>(rng_());
      for (unsigned w = 0; w < 8; w++) top_.fill_value_i[w] = op.value[w];
      wait(op, gathers_now);
      if (HasFatalFailure()) return;
      bench_.settle();
      ASSERT_EQ(top_.req_valid_o, left != 0);
      unsigned sectors = 0;  // sent now
      if (left) {
        sectors = top_.req_sectors_o;
        ASSERT_TRUE(sectors && (sectors & ~left) == 0) << "sends a sector that it need not, or twice";
        if (!beats || pieces_ == 1) {
          ASSERT_EQ(sectors, left) << "not all at once";
        } else {
          ASSERT_EQ(sectors & (sectors - 1), 0u) << "pieces of several sectors";
        }
        ASSERT_TRUE(!last_sectors_ || sectors == last_sectors_) << "goes on before the sector's last beat";
        request(op, sectors, piece, final_piece);
        if (!beats || final_piece) left &= ~sectors;
        last_sectors_ = beats && !final_piece ? sectors : 0;
      }
      ASSERT_EQ(top_.store_sent_o, (op.kind == kStore || (op.kind == kAtomic && op.reduces)) && final_piece
                                       ? __builtin_popcount(sectors)
                                       : 0);
      ASSERT_EQ(top_.fill_take_o, op.kind == kFill);
      if (op.kind == kFill) {
        ASSERT_EQ(top_.fill_last_o, final_piece);
      }
      pieces_left &= pieces_left - 1;
      ends = left == 0 && pieces_left == 0;
      if (beats && pieces_left == 0) pieces_left = pieces(op);
      if (pieces_ == 1) pieces_left = 1;
      if (pieces_ == 1) ends = left == 0;
      ASSERT_EQ(top_.op_ready_o, ends);
      bench_.tick();
      effects(op, piece, first, sectors);
      top_.op_valid_i = !ends;
      top_.fill_valid_i = 0;
      bench_.settle();
      ASSERT_EQ(top_.end_valid_o, ends && op.last);
      if (top_.end_valid_o) {
        ASSERT_EQ(top_.end_entry_o, op.entry);
      }
      gather(op, gathers_now, piece, final_piece);
      trace(op, first, gathers_now, final_piece, sectors);
      if (HasFatalFailure()) return;
    }
  }

  // Now and then the answer's beat is late, or the gather stage still at what it got: all of the operation waits.
  void wait(const Op& op, bool gathers_now) {
    const bool held = top_.gather_valid_o && gathers_now && bench_.one_in(3),
               late = op.kind == kFill && bench_.one_in(4);
    std::vector<uint32_t> line(&top_.gather_line_o[0], &top_.gather_line_o[0] + reach_ / pieces_);
    const unsigned entry = top_.gather_entry_o, lanes = top_.gather_lanes_o, piece = top_.gather_piece_o;
    for (unsigned n = held || late ? 1 + static_cast<unsigned>(rng_() % 3) : 0; n > 0; n--) {
      top_.gather_done_i = !held;
      top_.fill_valid_i = late ? 0 : op.kind == kFill;
      bench_.settle();
      ASSERT_FALSE(top_.op_ready_o || top_.req_valid_o || top_.fill_take_o);
      bench_.tick();
      bench_.settle();
      ASSERT_EQ(top_.gather_valid_o, held);
      ASSERT_FALSE(top_.end_valid_o || top_.load_valid_o || top_.l1_valid_o);
      if (!held) continue;
      ASSERT_EQ(top_.gather_entry_o, entry);
      ASSERT_EQ(top_.gather_lanes_o, lanes);
      ASSERT_EQ(top_.gather_piece_o, piece);
      for (unsigned w = 0; w < line.size(); w++) ASSERT_EQ(top_.gather_line_o[w], line[w]);
    }
    top_.gather_done_i = 1;
    top_.fill_valid_i = op.kind == kFill;
  }

  void idle() {
    top_.op_valid_i = 0;
    top_.gather_done_i = 1;
    bench_.tick();
    bench_.settle();
    ASSERT_FALSE(top_.end_valid_o || top_.gather_valid_o || top_.req_valid_o || top_.load_valid_o || top_.l1_valid_o);
  }

  void request(const Op& op, unsigned sectors, unsigned piece, bool final_piece) {
    ASSERT_EQ(top_.req_line_o, op.line);
    ASSERT_EQ(top_.req_warp_o, op.warp);
    ASSERT_EQ(top_.req_seq_o, op.seq);
    if (op.kind != kStore && op.kind != kAtomic) {
      ASSERT_EQ(top_.req_kind_o, 0);
      ASSERT_TRUE(top_.req_last_o);
      ASSERT_EQ(top_.req_id_o, op.mshr * 4);
      return;
    }
    ASSERT_EQ(top_.req_last_o, final_piece);
    ASSERT_EQ(top_.req_piece_o, pieces_ > 1 ? piece : 0);
    if (op.kind == kAtomic) {
      ASSERT_EQ(top_.req_kind_o, op.reduces ? 3 : 2);
      ASSERT_EQ(top_.req_id_o, op.reduces ? op.warp : op.which << 5 | op.lane);
      ASSERT_EQ(top_.req_lane_o, op.lane);
      ASSERT_EQ(top_.req_several_o, (op.lanes & (op.lanes - 1)) != 0);
      ASSERT_EQ(top_.req_offset_o, op.offset);
      ASSERT_EQ(top_.req_wide_o, op.size == 5);
      ASSERT_EQ(top_.req_atom_op_o, op.atom_op);
      ASSERT_EQ(top_.req_atom_type_o, op.atom_sign);
    } else {
      ASSERT_EQ(top_.req_kind_o, 1);
      ASSERT_EQ(top_.req_id_o, op.warp);
    }
    for (unsigned s = 0; s < 4; s++) {
      if (!(sectors >> s & 1)) continue;
      const unsigned at = in_pass(s) + 32 / pieces_ * piece,
                     sent = in_pass(s) / pieces_;  // bytes: stored, in the request
      if (op.kind == kAtomic && pieces_ == 1 && lanes_ < 32) {
        // The lane's operand at its word, what else it brings in the other half.
        const bool wide = op.size == 5;
        for (unsigned w = 0; w < 8; w++) {
          const bool here = w / 2 == op.offset / 8;
          if (here || (w / 2 ^ 2) == op.offset / 8) {
            ASSERT_EQ(top_.req_data_o[sent / 4 + w], word(op.data, (here ? 0 : 2) + (wide ? w % 2 : 0)));
          }
          ASSERT_EQ(top_.req_mask_o[sent / 32] >> 4 * w & 15, here && (wide || w == op.offset / 4) ? 15u : 0u);
        }
        continue;
      }
      if (op.kind == kAtomic && pieces_ > 1) {
        // Operands b and c: pairs of registers, of which 32-bit atomics use the low ones.
        for (unsigned w = 0; w < std::min(words_, 4u); w++) {
          const unsigned n = piece * words_ + w;
          ASSERT_EQ(top_.req_data_o[sent / 4 + w], n % 2 == 0 || op.size == 5 ? word(op.data, n) : 0);
        }
        continue;
      }
      for (unsigned b = 0; b < 32 / pieces_; b++)
        ASSERT_EQ(top_.req_mask_o[(sent + b) / 32] >> (sent + b) % 32 & 1, op.bytes[at + b]);
      for (unsigned w = 0; w < words_; w++) ASSERT_EQ(top_.req_data_o[sent / 4 + w], word(op.data, at / 4 + w));
    }
  }

  bool gathers(const Op& op) const { return op.lanes && (op.kind == kFill || op.kind == kLoad); }

  // What the cycle does to the array; what was read stands beside it.
  void effects(const Op& op, unsigned piece, bool first, unsigned sectors) {
    if (op.kind == kLoad && first && op.lanes) {
      read_ = l1_[op.place];
      if (reach_ == 8) std::copy_n(l1_[op.place].begin() + 32 * op.sector, 32, read_.begin());
    }
    const unsigned size = 32 / pieces_, from = size * piece;
    for (unsigned s = 0; s < 4 && op.kind == kFill && op.install; s++)
      for (unsigned b = from; op.update >> s & 1 && b < from + size; b++)
        l1_[op.place][32 * s + b] = op.fill[in_pass(s) + b];
    for (unsigned s = 0; s < 4 && op.kind == kStore; s++)
      for (unsigned b = from; (op.update & sectors) >> s & 1 && b < from + size; b++)
        if (op.bytes[in_pass(s) + b]) l1_[op.place][32 * s + b] = op.data[in_pass(s) + b];
  }

  void gather(const Op& op, bool gathers_now, unsigned piece, bool final_piece) {
    ASSERT_EQ(top_.gather_valid_o, gathers_now);
    if (!top_.gather_valid_o) return;
    ASSERT_EQ(top_.gather_entry_o, op.entry);
    ASSERT_EQ(top_.gather_size_o, op.size);
    ASSERT_EQ(top_.gather_lanes_o, op.lanes);
    ASSERT_EQ(top_.gather_at_zero_o, op.kind == kFill && op.atomic && pieces_ > 1);
    ASSERT_EQ(top_.gather_last_o, final_piece);
    if (pieces_ > 1) {
      ASSERT_EQ(top_.gather_piece_o, piece);
    }
    for (unsigned i = 0; i < reach_ / pieces_; i++) {
      const unsigned w = word_of(i, piece);
      uint32_t want = word(read_, w);
      if (op.kind == kFill) {
        // An old value at the line's begin, or its sector at each place.
        if (op.atomic && pieces_ > 1 && w >= 2) continue;
        want = op.atomic ? op.value[w % 8] : word(op.fill, w);
      }
      ASSERT_EQ(top_.gather_line_o[i], want) << "word " << w << " kind " << op.kind;
    }
  }

  void trace(const Op& op, bool first, bool gathers_now, bool final_piece, unsigned sectors) {
    ASSERT_EQ(top_.load_valid_o, gathers_now && final_piece && !(op.kind == kFill && op.atomic));
    if (top_.load_valid_o) {
      ASSERT_EQ(top_.load_source_o, op.kind == kLoad ? 1u : 2u);
      if (op.kind == kFill) {
        ASSERT_EQ(top_.load_id_o, op.mshr * 4);
      }
      ASSERT_EQ(top_.load_seq_o, op.seq);
      ASSERT_EQ(top_.load_lanes_o, op.lanes);
    }
    const unsigned writes = op.kind == kStore && final_piece ? op.update & sectors : 0;
    const bool fill = op.kind == kFill && op.fill_event && final_piece;
    ASSERT_EQ(top_.l1_valid_o, op.invalidate_all || (op.evict && first) || fill || writes != 0);
    if (!top_.l1_valid_o) return;
    if (op.invalidate_all) {
      ASSERT_EQ(top_.l1_kind_o, kL1InvalidateAll);
    } else if (op.evict && first) {
      ASSERT_EQ(top_.l1_kind_o, kL1Evict);
      ASSERT_EQ(top_.l1_line_o, op.evict_line);
    } else if (fill) {
      ASSERT_EQ(top_.l1_kind_o, kL1Fill);
      ASSERT_EQ(top_.l1_installed_o, op.install);
      ASSERT_EQ(top_.l1_id_o, op.mshr * 4);
      ASSERT_EQ(top_.l1_line_o, op.line);
      ASSERT_EQ(top_.l1_sectors_o, op.update);
      for (unsigned s = 0; s < 4; s++)
        for (unsigned w = 0; op.update >> s & 1 && w < 8; w++)
          ASSERT_EQ(top_.l1_data_o[8 * s + w], word(op.fill, in_pass(s) / 4 + w));
    } else {
      ASSERT_EQ(top_.l1_kind_o, kL1Write);
      ASSERT_EQ(top_.l1_line_o, op.line);
      ASSERT_EQ(top_.l1_sectors_o, writes);
      for (unsigned s = 0; s < 4; s++) {
        if (!(writes >> s & 1)) continue;
        for (unsigned b = 0; b < 32; b++) ASSERT_EQ(top_.l1_mask_o[s] >> b & 1, op.bytes[in_pass(s) + b]);
        for (unsigned w = 0; w < 8; w++) ASSERT_EQ(top_.l1_data_o[8 * s + w], word(op.data, in_pass(s) / 4 + w));
      }
    }
  }

  RtlBench<Vlsu_data_top> bench_;
  Vlsu_data_top& top_;
  std::mt19937_64& rng_;
  std::vector<Line> l1_;
  unsigned last_sectors_ = 0;        // of which beats are to come
  unsigned reach_ = 0, lanes_ = 0;   // words of a pass, its lanes
  unsigned pieces_ = 1, words_ = 8;  // of a sector; in a piece
  Line read_{};
};

// The header's examples.
TEST_F(LsuData, AHalfMissReadsTheLineAndAsksForTheRest) {
  Op op = random_op(kLoad);
  op.send = reach_ == 8 ? 1u << op.sector : 12;
  op.lanes = reach_ == 8 ? 0 : 0xffff;
  run(op);
}
TEST_F(LsuData, AStoreOfAPresentLineUpdatesAndSendsEachSector) {
  Op op = random_op(kStore);
  op.send = op.update = reach_ == 8 ? 1u << op.sector : 15;
  run(op);
  Op load = random_op(kLoad);
  load.send = 0;
  load.evict = false;
  load.lanes = 1;
  load.place = op.place;
  load.sector = op.sector;
  load.pieces = (1u << pieces_) - 1;
  run(load);
}
TEST_F(LsuData, IdleItSaysNothing) {
  run(random_op(kFill));
  idle();
  idle();
}

TEST_F(LsuData, RandomOperations) {
  for (int n = 0; n < 20000; n++) {
    run(random_op(static_cast<unsigned>(rng_() % 5)));
    ASSERT_FALSE(HasFatalFailure()) << "operation " << n;
    if (bench_.one_in(5)) idle();
  }
}

}  // namespace
}  // namespace heddle::test
