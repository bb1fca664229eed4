// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "Vshared_memory_top.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kRows = 512;  // 16 KiB in 8 banks

class SharedMemory : public ::testing::Test {
 protected:
  SharedMemory() : bench_(seed()), top_(*bench_.top) {
    top_.read_i = top_.write_i = top_.atomic_i = 0;
    bench_.settle();
    banks_ = top_.banks_o;
    rows_ = top_.rows_o;
    pieces_ = top_.pieces_o;
    // Every word is written once, so that nothing is read that nobody wrote.
    for (unsigned row = 0; row < rows_; row++) {
      for (unsigned b = 0; b < banks_; b++) set(b, row, static_cast<uint32_t>(bench_.rng()), 15);
      access(true, ~0u);
    }
  }

  void set(unsigned bank, unsigned row, uint32_t word, unsigned bytes) {
    row_[bank] = row;
    const uint32_t keep = ~(0xffffu << (16 * (bank % 2)));
    top_.row_i[bank / 2] = top_.write_row_i[bank / 2] = (top_.row_i[bank / 2] & keep) | row << (16 * (bank % 2));
    top_.data_i[bank] = word;
    bytes_[bank] = bytes;
    const uint32_t nibble = 15u << (4 * (bank % 8));
    top_.bytes_i[bank / 8] = (top_.bytes_i[bank / 8] & ~nibble) | bytes << (4 * (bank % 8));
  }

  // Reads all banks at once, writes those of one piece after the other.
  void access(bool write, uint32_t used) {
    for (unsigned piece = 0; piece < (write ? pieces_ : 1); piece++) access(write, used, piece);
  }

  void access(bool write, uint32_t used, unsigned piece) {
    top_.piece_i = write ? piece : static_cast<unsigned>(bench_.rng() % pieces_);
    top_.read_i = !write;
    top_.write_i = write;
    top_.used_i = top_.write_used_i = used;
    bench_.tick();
    top_.read_i = top_.write_i = 0;
    for (unsigned b = 0; b < banks_; b++) {
      if (!(used >> b & 1) || (write && b % 8 * pieces_ / 8 != piece)) continue;
      uint32_t& word = memory_[row_[b]][b];
      if (!write) seen_[b] = word;
      for (unsigned i = 0; write && i < 4; i++)
        if (bytes_[b] >> i & 1) word = (word & ~(0xffu << 8 * i)) | (top_.data_i[b] & (0xffu << 8 * i));
      if (!write) known_ |= 1u << b;
    }
    bench_.settle();
    check();
  }

  // An atomic's value, to the words of a doubleword that `used` has.
  void change(unsigned pair, unsigned row, unsigned used, uint64_t value) {
    set(2 * pair, row, static_cast<uint32_t>(bench_.rng()), static_cast<unsigned>(bench_.rng() & 15));
    set(2 * pair + 1, row, static_cast<uint32_t>(bench_.rng()), static_cast<unsigned>(bench_.rng() & 15));
    top_.value_i = value;
    top_.atomic_i = top_.write_i = 1;
    top_.used_i = top_.write_used_i = used << 2 * pair;
    top_.piece_i = 2 * pair % 8 * pieces_ / 8;
    // Beside it all banks are read, each at a row of its own: what was there before.
    if (top_.both_o && bench_.one_in(2)) {
      top_.read_i = 1;
      top_.used_i = ~0u;
      for (unsigned b = 0; b < banks_; b++) {
        const unsigned other = bench_.one_in(2) ? row : static_cast<unsigned>(bench_.rng() % rows_);
        top_.row_i[b / 2] = (top_.row_i[b / 2] & ~(0xffffu << (16 * (b % 2)))) | other << (16 * (b % 2));
        seen_[b] = memory_[other][b];
      }
      known_ = ~0u;
    }
    bench_.tick();
    top_.read_i = top_.write_i = top_.atomic_i = 0;
    for (unsigned w = 0; w < 2; w++)
      if (used >> w & 1) memory_[row][2 * pair + w] = static_cast<uint32_t>(value >> 32 * w);
    bench_.settle();
    check();
  }

  // data_o holds what each bank read last.
  void check() {
    for (unsigned b = 0; b < banks_; b++)
      if (known_ >> b & 1) {
        ASSERT_EQ(top_.data_o[b], seen_[b]) << "bank " << b;
      }
  }

  RtlBench<Vshared_memory_top> bench_;
  Vshared_memory_top& top_;
  std::array<std::array<uint32_t, 32>, kRows> memory_{};
  std::array<uint32_t, 32> seen_{};
  std::array<unsigned, 32> row_{}, bytes_{};
  uint32_t known_ = 0;
  unsigned banks_ = 0, rows_ = 0, pieces_ = 1;
};

TEST_F(SharedMemory, EveryWordIsItsOwn) {
  for (unsigned row = 0; row < rows_; row++) {
    for (unsigned b = 0; b < banks_; b++) set(b, row, 0, 0);
    access(false, ~0u);
  }
}

TEST_F(SharedMemory, AsleepItDoesNothing) {
  set(3, 5, 0x12345678, 15);
  top_.used_i = top_.write_used_i = ~0u;
  top_.read_i = top_.write_i = 0;
  bench_.tick();
  bench_.settle();
  access(false, 8);
}

TEST_F(SharedMemory, AnAtomicsValueGoesToItsWords) {
  for (int n = 0; n < 2000; n++) {
    const unsigned pair = static_cast<unsigned>(bench_.rng() % (banks_ / 2)),
                   row = static_cast<unsigned>(bench_.rng() % rows_);
    change(pair, row, 1 + static_cast<unsigned>(bench_.rng() % 3), bench_.rng());
    access(false, 3u << 2 * pair);
    if (HasFatalFailure()) return;
  }
}

TEST_F(SharedMemory, EachBankHasItsRowAndItsBytes) {
  for (int n = 0; n < 20000; n++) {
    for (unsigned b = 0; b < banks_; b++)
      set(b, static_cast<unsigned>(bench_.rng() % (n % 2 ? 4 : rows_)), static_cast<uint32_t>(bench_.rng()),
          static_cast<unsigned>(bench_.rng() & 15));
    access(bench_.one_in(2), static_cast<uint32_t>(bench_.rng()));
    if (HasFatalFailure()) return;
    if (bench_.one_in(4)) {
      bench_.tick();
      bench_.settle();
      check();
    }
  }
}

}  // namespace
}  // namespace heddle::test
