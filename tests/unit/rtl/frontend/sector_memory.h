// SPDX-License-Identifier: Apache-2.0
// Memory behind a read-only cache: sectors of 32 bytes with contents made from the address, answered in pieces as wide
// as the memory port (top.pieces_o of a sector), after random delays and with gaps; in any order. Some sectors fail.
// The contents change with `generation`.
#ifndef HEDDLE_TESTS_UNIT_RTL_FRONTEND_SECTOR_MEMORY_H_
#define HEDDLE_TESTS_UNIT_RTL_FRONTEND_SECTOR_MEMORY_H_

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <utility>

namespace heddle::test {

class SectorMemory {
 public:
  explicit SectorMemory(std::mt19937_64& rng) : rng_(rng) {}

  std::uint32_t word(std::uint64_t sector, unsigned index) const {
    std::uint64_t h = (sector * 8 + index + 1) * 0x9e3779b97f4a7c15u ^ generation * 0xd1b54a32d192ed03u;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
    return static_cast<std::uint32_t>(h >> 32);
  }
  bool fails(std::uint64_t sector) const { return fail_one_in != 0 && word(sector, 9) % fail_one_in == 0; }

  // Inputs for this cycle.
  template <class Top>
  void drive(Top& top) {
    top.mem_req_ready_i = rng_() % busy_one_in != 0;
    const bool answer = !asked_.empty() && rng_() % late_one_in != 0;
    if (answer && piece_ == 0) std::swap(asked_.front(), asked_[rng_() % asked_.size()]);
    const std::uint64_t sector = answer ? asked_.front().sector : 0;
    top.mem_rsp_valid_i = answer;
    top.mem_rsp_error_i = answer ? fails(sector) : rng_() % 2 != 0;
    // What is no answer, and what failed, is noise.
    const unsigned words = 8 / top.pieces_o;
    for (unsigned i = 0; i < 8; i++)
      top.mem_rsp_data_i[i] =
          answer && !fails(sector) && i < words ? word(sector, piece_ * words + i) : static_cast<std::uint32_t>(rng_());
    top.mem_rsp_piece_i = static_cast<unsigned char>(answer ? piece_ : rng_() % top.pieces_o);
    if constexpr (requires { top.mem_rsp_place_i; })
      top.mem_rsp_place_i = static_cast<unsigned char>(answer ? asked_.front().place : rng_() % 4);
    answers_ = answer;
  }
  // Outputs of this cycle, before its edge.
  template <class Top>
  void follow(const Top& top) {
    if (answers_ && ++piece_ == top.pieces_o) {
      piece_ = 0;
      asked_.pop_front();
      answered++;
    }
    if (top.mem_req_valid_o && top.mem_req_ready_i) {
      unsigned place = 0;
      if constexpr (requires { top.mem_req_place_o; }) place = top.mem_req_place_o;
      asked_.push_back({top.mem_req_sector_o, place});
      reads[top.mem_req_sector_o]++;
    }
  }

  unsigned busy_one_in = 4, late_one_in = 3, fail_one_in = 0;
  std::uint64_t generation = 0;
  std::map<std::uint64_t, unsigned> reads;  // how often a sector was asked for
  std::uint64_t answered = 0;               // sectors

 private:
  std::mt19937_64& rng_;
  struct Read {
    std::uint64_t sector;
    unsigned place;
  };
  std::deque<Read> asked_;
  unsigned piece_ = 0;  // of the first of them, answered next
  bool answers_ = false;
};

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_FRONTEND_SECTOR_MEMORY_H_
