// SPDX-License-Identifier: Apache-2.0
// The copy engine against memcpy and memset, all alignments and directions, with memories that answer
// late and, on the device side, out of order; one row and many, sectors in beats of the preset.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <random>
#include <vector>

#include "Vcopy_engine.h"
#include "tests/unit/rtl/gpu/host_beats.h"
#include "verilated.h"

namespace {

using namespace heddle::test;

constexpr unsigned kPieces = HEDDLE_PIECES;
constexpr HostReqBits kHostReq{kPieces};
constexpr HostRspBits kHostRsp{kPieces};
constexpr ReqBits kMemReq{kPieces, kPieces == 1 ? 6 : 3, kPieces == 1 ? 3 : 1};  // warp numbers of cc80, of tiny
constexpr RspBits kMemRsp{kPieces};

uint64_t seed() {
  const char* s = std::getenv("HEDDLE_SEED");
  const uint64_t value = s ? std::strtoull(s, nullptr, 0) : std::random_device{}();
  std::cout << "HEDDLE_SEED=" << value << "\n";
  return value;
}

constexpr size_t kBytes = 8192;  // of each memory; addresses 0 … kBytes

struct Copy {
  bool fill = false, source_host = false, destination_host = false;
  uint64_t source = 0, destination = 0, bytes = 0;
  uint32_t pattern = 0;
  uint32_t rows = 1, source_pitch = 0, destination_pitch = 0;
};

std::ostream& operator<<(std::ostream& out, const Copy& c) {
  return out << "source " << c.source << " destination " << c.destination << " bytes " << c.bytes << " rows " << c.rows
             << " pitches " << c.source_pitch << " " << c.destination_pitch;
}

class CopyEngine : public ::testing::Test {
 protected:
  CopyEngine() : rng_(seed()), host_(kBytes), device_(kBytes) {
    for (auto* memory : {&host_, &device_})
      for (uint8_t& b : *memory) b = static_cast<uint8_t>(rng_());
    dut_.rst_ni = 0;
    cycle();
    dut_.rst_ni = 1;
  }

  void run(const Copy& c) {
    // copy_t: fill, source_host, destination_host, source, destination, bytes, more_rows, pitches, pattern
    set_bits(dut_.copy_i, 0, 32, c.pattern);
    set_bits(dut_.copy_i, 32, 32, c.destination_pitch);
    set_bits(dut_.copy_i, 64, 32, c.source_pitch);
    set_bits(dut_.copy_i, 96, 32, c.rows - 1);
    set_bits(dut_.copy_i, 128, 64, c.bytes);
    set_bits(dut_.copy_i, 192, 64, c.destination);
    set_bits(dut_.copy_i, 256, 64, c.source);
    set_bits(dut_.copy_i, 320, 1, c.destination_host);
    set_bits(dut_.copy_i, 321, 1, c.source_host);
    set_bits(dut_.copy_i, 322, 1, c.fill);
    cycle();
    dut_.start_i = 1;
    cycle();
    dut_.start_i = 0;
    for (cycles_ = 1; cycles_ < 200000; cycles_++) {
      cycle();
      if (::testing::Test::HasFatalFailure()) return;
      if (dut_.done_o) {
        error_ = dut_.error_o;
        return;
      }
    }
    FAIL() << "the engine did not end";
  }

  void check(const Copy& c) {
    std::vector<uint8_t> host = host_, device = device_;
    std::vector<uint8_t>& destination = c.destination_host ? host : device;
    const std::vector<uint8_t>& source = c.source_host ? host_ : device_;
    for (uint64_t row = 0; row < c.rows; row++) {
      const uint64_t from = c.source + row * c.source_pitch, to = c.destination + row * c.destination_pitch;
      for (uint64_t i = 0; i < c.bytes; i++)
        destination[to + i] = c.fill ? static_cast<uint8_t>(c.pattern >> 8 * ((to + i) % 4)) : source[from + i];
    }
    run(c);
    if (HasFatalFailure()) return;
    ASSERT_FALSE(error_) << c;
    ASSERT_EQ(host, host_) << c;
    ASSERT_EQ(device, device_) << c;
  }

  // Rows in the lower half of a memory to rows in the upper, any pitch with which they fit.
  Copy rows(uint64_t bytes, uint32_t rows) {
    Copy c;
    c.source_host = rng_() & 1;
    c.destination_host = rng_() & 1;
    c.bytes = bytes;
    c.rows = rows;
    const auto place = [&](uint32_t& pitch) {
      const uint64_t room = kBytes / 2 - bytes, most = rows > 1 ? room / (rows - 1) : bytes;
      pitch = static_cast<uint32_t>(bytes + rng_() % (std::min<uint64_t>(most, bytes + 100) - bytes + 1));
      return rng_() % (room - uint64_t{rows - 1} * pitch + 1);
    };
    c.source = place(c.source_pitch);
    c.destination = kBytes / 2 + place(c.destination_pitch);
    return c;
  }

  std::mt19937_64 rng_;
  std::vector<uint8_t> host_, device_;
  unsigned max_delay_ = 20, ready_percent_ = 75, beat_percent_ = 75;
  bool fail_reads_ = false, fail_writes_ = false;
  uint64_t fail_in_ = 0, answered_ = 0;  // of what is to fail: so many do not, so many came
  bool far_ = false;                     // any device address is one of the memory's, over and over
  uint64_t highest_ = 0;                 // sector of the device that was asked for
  unsigned together_ = 0;                // answers with an acknowledgement
  bool error_ = false;                   // of the last run
  int cycles_ = 0;                       // it took
  uint64_t requests_ = 0;

 private:
  struct Answer {
    uint64_t due;
    bool write;
    uint64_t id;
    uint64_t sector;
    bool error;
  };
  // One of the two memories: what came of a write, and the answer that goes out beat by beat.
  struct Link {
    std::deque<Answer> answers;
    bool writing = false;  // beats of a write are to come
    uint64_t sector = 0;   // of it
    Join write{kPieces};
    Answer answer{};
    std::vector<Beat> beats;  // of the answer, those not sent
  };

  bool chance(unsigned percent) { return rng_() % 100 < percent; }
  uint64_t delay() { return 1 + rng_() % max_delay_; }

  // A beat of a request.
  void take(Link& link, std::vector<uint8_t>& memory, bool write, uint64_t id, uint64_t sector, const Beat& beat) {
    requests_++;
    if (&link == &mem_link_) highest_ = std::max(highest_, sector);
    if (far_) sector %= kBytes / 32;
    ASSERT_TRUE(!link.writing || (write && sector == link.sector)) << "a request between the beats of a write";
    if (write) {
      ASSERT_TRUE(link.write.take(kPieces, beat)) << "piece " << beat.piece << " last " << beat.last;
      link.writing = !link.write.done;
      link.sector = sector;
      if (link.writing) return;
      for (unsigned b = 0; b < 32; b++)
        if (link.write.mask >> b & 1) memory.at(sector * 32 + b) = link.write.bytes[b];
    } else {
      ASSERT_TRUE(beat.last);
      ASSERT_EQ(beat.piece, 0u);
      ASSERT_LE(sector * 32 + 32, kBytes) << "read of what is not the copy's";
    }
    const bool fails = (write ? fail_writes_ : fail_reads_) && answered_++ >= fail_in_;
    link.answers.push_back({now_ + delay(), write, id, sector, fails});
  }

  // The beat of an answer that goes out in this cycle, if one does. A memory need not work on what it was asked while
  // beats of a write are to come.
  bool answers(Link& link, const std::vector<uint8_t>& memory, bool in_order, Beat& beat) {
    for (size_t i = 0; link.beats.empty() && !link.writing && i < (in_order ? 1 : link.answers.size()); i++) {
      if (i >= link.answers.size() || link.answers[i].due > now_) continue;
      link.answer = link.answers[i];
      link.answers.erase(link.answers.begin() + static_cast<long>(i));
      SectorBytes bytes;
      std::copy_n(memory.begin() + static_cast<long>(link.answer.sector * 32), 32, bytes.begin());
      link.beats = split(kPieces, beats_of_answer(kPieces, link.answer.write ? kReqWrite : kReqRead), bytes);
    }
    if (link.beats.empty() || !chance(beat_percent_)) return false;
    beat = link.beats.front();
    link.beats.erase(link.beats.begin());
    return true;
  }

  void cycle() {
    dut_.host_req_ready_i = chance(ready_percent_);
    dut_.mem_req_ready_i = chance(ready_percent_);
    dut_.clk_i = 0;
    dut_.eval();
    now_++;
    if (dut_.host_req_valid_o && dut_.host_req_ready_i)
      take(host_link_, host_, get_bits(dut_.host_req_o, kHostReq.write(), 1), 0,
           get_bits(dut_.host_req_o, kHostReq.sector(), 59), get_beat(dut_.host_req_o, 0, kHostReq));
    if (dut_.mem_req_valid_o && dut_.mem_req_ready_i)
      take(mem_link_, device_, get_bits(dut_.mem_req_o, kMemReq.kind(), 2) == kReqWrite,
           get_bits(dut_.mem_req_o, kMemReq.id(), kIdBits), get_bits(dut_.mem_req_o, kMemReq.sector(), 35),
           get_beat(dut_.mem_req_o, 0, kMemReq));
    dut_.clk_i = 1;
    dut_.eval();
    // Between beats the links carry anything.
    for (auto& word : dut_.host_rsp_i.m_storage) word = static_cast<uint32_t>(rng_());
    for (auto& word : dut_.mem_rsp_i.m_storage) word = static_cast<uint32_t>(rng_());
    Beat beat;
    dut_.host_rsp_valid_i = answers(host_link_, host_, true, beat);
    if (dut_.host_rsp_valid_i) {
      set_bits(dut_.host_rsp_i, kHostRsp.write(), 1, host_link_.answer.write);
      set_bits(dut_.host_rsp_i, kHostRsp.error(), 1, host_link_.answer.error);
      set_beat(dut_.host_rsp_i, 0, kHostRsp, beat);
    }
    dut_.mem_rsp_valid_i = answers(mem_link_, device_, false, beat);
    if (dut_.mem_rsp_valid_i) {
      set_answer(dut_.mem_rsp_i, 0, kMemRsp, mem_link_.answer.write ? kReqWrite : kReqRead, mem_link_.answer.id,
                 mem_link_.answer.error);
      // Beside what was read an acknowledgement may come.
      const auto ack = std::find_if(mem_link_.answers.begin(), mem_link_.answers.end(),
                                    [&](const Answer& a) { return a.write && a.due <= now_; });
      if (kPieces == 1 && !mem_link_.answer.write && ack != mem_link_.answers.end()) {
        set_bits(dut_.mem_rsp_i, kMemRsp.ack_valid(), 1, 1);
        set_bits(dut_.mem_rsp_i, kMemRsp.ack_error(), 1, ack->error);
        mem_link_.answers.erase(ack);
        together_++;
      }
      set_beat(dut_.mem_rsp_i, 0, kMemRsp, beat);
    }
  }

  Vcopy_engine dut_;
  uint64_t now_ = 0;
  Link host_link_, mem_link_;
};

TEST_F(CopyEngine, CopiesAnyAlignmentInEveryDirection) {
  for (int i = 0; i < 600; i++) {
    Copy c;
    c.source_host = rng_() & 1;
    c.destination_host = rng_() & 1;
    c.bytes = rng_() % (i % 2 ? 70 : 1500) + 1;
    // Apart from each other, as memcpy asks.
    c.source = rng_() % (kBytes / 2 - c.bytes);
    c.destination = kBytes / 2 + rng_() % (kBytes / 2 - c.bytes);
    check(c);
    if (HasFatalFailure()) return;
  }
}

TEST_F(CopyEngine, FillsWithAPatternFixedToAddresses) {
  for (int i = 0; i < 200; i++) {
    Copy c;
    c.fill = true;
    c.pattern = static_cast<uint32_t>(rng_());
    c.bytes = rng_() % 300 + 1;
    c.destination = rng_() % (kBytes - c.bytes);
    check(c);
    if (HasFatalFailure()) return;
  }
}

TEST_F(CopyEngine, RowsOfAnyAlignmentAndPitch) {
  for (int i = 0; i < 600; i++) {
    max_delay_ = i & 1 ? 1 : 40;
    ready_percent_ = i & 2 ? 100 : 60;
    const uint64_t bytes = 1 + rng_() % (i % 3 ? 40 : 300);
    Copy c = rows(bytes, static_cast<uint32_t>(1 + rng_() % std::min<uint64_t>(40, 4096 / bytes)));
    if (i % 5 == 0) {
      c.fill = true;
      c.source_host = c.destination_host = false;
      c.pattern = static_cast<uint32_t>(rng_());
    }
    check(c);
    if (HasFatalFailure()) return;
  }
}

// A source pitch of 0 repeats a row.
TEST_F(CopyEngine, ARowIsRepeated) {
  Copy c;
  c.bytes = 50;
  c.rows = 30;
  c.source = 1003;
  c.destination = 4096;
  c.destination_pitch = 57;
  for (const bool host : {false, true}) {
    c.source_host = host;
    check(c);
  }
}

// Memories that answer so late that the engine has asked for all it can hold, links that are rarely ready, and none of
// that: a write that has begun must not wait for a read that its link cannot carry.
TEST_F(CopyEngine, EndsHoweverSlowTheMemories) {
  for (int i = 0; i < 160; i++) {
    max_delay_ = i & 1 ? 1 : 400;
    ready_percent_ = i & 2 ? 100 : 15;
    beat_percent_ = i & 4 ? 100 : 25;
    const uint64_t bytes = 1 + rng_() % (i % 5 ? 1200 : 60);
    Copy c = rows(bytes, i & 64 ? static_cast<uint32_t>(1 + rng_() % (3000 / bytes)) : 1);
    c.source_host = i & 8;
    c.destination_host = i & 16;
    check(c);
    if (HasFatalFailure()) return;
  }
}

TEST_F(CopyEngine, SendsABeatEachCycle) {
  max_delay_ = 1;
  ready_percent_ = beat_percent_ = 100;
  Copy c;
  c.bytes = 2048;
  c.source_host = true;
  c.source = 4096 + 3;
  check(c);
  EXPECT_LE(cycles_, static_cast<int>(64 * kPieces + 40));
}

// A beat each cycle, whichever side has more of them, and two cycles between two rows; late answers hold up the first
// rows alone.
TEST_F(CopyEngine, ReadsAheadOfTheRow) {
  ready_percent_ = beat_percent_ = 100;
  for (const uint64_t offset : {0, 3}) {
    Copy c;
    c.bytes = 64;
    c.rows = 30;
    c.source_host = true;
    c.source = 4096 + offset;
    c.source_pitch = 128;
    c.destination_pitch = 96;
    check(c);
    EXPECT_LE(cycles_, static_cast<int>(30 * ((offset ? 3 : 2) * kPieces + 2) + 60));
  }
}

TEST_F(CopyEngine, CopyOfNothingEnds) {
  Copy c;
  c.source_host = true;
  check(c);
  c.rows = 10;
  c.source_pitch = c.destination_pitch = 5;
  check(c);
}

TEST_F(CopyEngine, ReportsARefusedAddress) {
  Copy c;
  c.bytes = 64;
  c.destination = 4096;
  fail_reads_ = true;
  run(c);
  EXPECT_TRUE(error_);
  fail_reads_ = false;
  run(c);
  EXPECT_FALSE(error_);
  // Writes that fail beside reads that do not.
  c.bytes = 2000;
  fail_writes_ = true;
  run(c);
  EXPECT_TRUE(error_);
  fail_writes_ = false;
  run(c);
  EXPECT_FALSE(error_);
  EXPECT_GE(together_, kPieces == 1 ? 1u : 0u);
}

// The copy ends, and the next one is right: nothing of what was read ahead is left.
TEST_F(CopyEngine, AnErrorEndsTheRows) {
  for (int i = 0; i < 200; i++) {
    max_delay_ = i & 1 ? 1 : 60;
    const uint64_t bytes = 1 + rng_() % 100;
    Copy c = rows(bytes, static_cast<uint32_t>(2 + rng_() % 30));
    fail_in_ = rng_() % 40;
    (i & 2 ? fail_reads_ : fail_writes_) = true;
    answered_ = 0;
    run(c);
    if (HasFatalFailure()) return;
    EXPECT_EQ(error_, answered_ > fail_in_) << i;
    fail_reads_ = fail_writes_ = false;
    fail_in_ = 0;
    check(rows(1 + rng_() % 100, 3));
    if (HasFatalFailure()) return;
  }
}

// Rows before are copied, and no address is asked for that is not there.
TEST_F(CopyEngine, RefusesARowBeyondTheDevice) {
  const uint64_t end = uint64_t{1} << 40;
  for (const bool read : {false, true}) {
    Copy c;
    c.bytes = 64;
    c.rows = 1000;
    c.source_host = !read;
    c.destination_host = read;
    (read ? c.source_pitch : c.destination_pitch) = 0xffffffe0;  // the second row is within 40 bits, the 257th is not
    far_ = true;
    requests_ = 0;
    run(c);
    far_ = false;
    if (HasFatalFailure()) return;
    EXPECT_TRUE(error_);
    EXPECT_LE(highest_, end / 32 - 1);
    EXPECT_GE(requests_, 240u * 2 * (1 + kPieces));
    check(rows(70, 3));
  }
}

// Device addresses have 40 bits: one beyond is refused, not taken for another.
TEST_F(CopyEngine, RefusesAddressesThatNoDeviceHas) {
  const uint64_t end = uint64_t{1} << 40;
  for (const Copy c :
       {Copy{.source = end + 64, .destination = 128, .bytes = 32},
        Copy{.source = 64, .destination = end + 128, .bytes = 32},
        Copy{.source = end - 32, .destination = 128, .bytes = 64},
        Copy{.fill = true, .destination = end - 32, .bytes = 64},
        Copy{.source_host = true, .destination_host = true, .source = 64, .destination = 4096, .bytes = end}}) {
    requests_ = 0;
    run(c);
    EXPECT_TRUE(error_);
    EXPECT_EQ(requests_, 0u);
  }
}

}  // namespace
