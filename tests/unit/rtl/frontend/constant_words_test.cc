// SPDX-License-Identifier: Apache-2.0
// Words by place, against a map: what was written last at a place is found, and nothing after it is emptied.
#include <map>
#include <utility>

#include "Vconstant_words.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kWords = 16;

class ConstantWords : public ::testing::Test {
 protected:
  ConstantWords() : bench_(seed()), top_(*bench_.top) {
    top_.empty_i = top_.look_i = top_.write_i = 0;
    bench_.reset();
  }

  void cycle(unsigned bank, unsigned word, bool write, bool empty) {
    auto& rng = bench_.rng;
    top_.look_i = !bench_.one_in(8);
    top_.look_bank_i = bank;
    top_.look_word_i = word;
    top_.write_i = write;
    top_.write_bank_i = static_cast<unsigned>(rng() % 4);
    top_.write_word_i = static_cast<unsigned>(rng() % 48);
    top_.write_data_i = static_cast<uint32_t>(rng());
    top_.empty_i = empty;
    bench_.settle();
    const auto held = held_.find(word % kWords);
    const bool found = top_.look_i && held != held_.end() && held->second.first == key(bank, word);
    ASSERT_EQ(top_.found_o, found) << "bank " << bank << " word " << word;
    if (found) {
      ASSERT_EQ(top_.data_o, held->second.second);
      found_++;
    }
    if (write) held_[top_.write_word_i % kWords] = {key(top_.write_bank_i, top_.write_word_i), top_.write_data_i};
    if (empty) held_.clear();
    bench_.tick();
  }
  static unsigned key(unsigned bank, unsigned word) { return bank << 14 | word; }

  RtlBench<Vconstant_words> bench_;
  Vconstant_words& top_;
  std::map<unsigned, std::pair<unsigned, uint32_t>> held_;  // by place
  unsigned found_ = 0;
};

TEST_F(ConstantWords, NothingIsFoundAfterReset) {
  for (unsigned word = 0; word < 64; word++) cycle(word % 4, word, false, false);
  EXPECT_EQ(found_, 0u);
}

TEST_F(ConstantWords, RandomWords) {
  for (int n = 0; n < 50000 && !HasFatalFailure(); n++)
    cycle(static_cast<unsigned>(bench_.rng() % 4), static_cast<unsigned>(bench_.rng() % 48), bench_.one_in(3),
          bench_.one_in(300));
  EXPECT_GT(found_, 2000u);
}

}  // namespace
}  // namespace heddle::test
