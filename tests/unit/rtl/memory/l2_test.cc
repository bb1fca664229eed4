// SPDX-License-Identifier: Apache-2.0
// The L2 by itself, with sectors in pieces (tiny), and a slice of several with whole sectors (cc80): three clients, an
// AXI4 memory that answers late and in any order. The trace tells the order in which requests are performed; in that
// order a map of sectors must give the same answers.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "Vl2_top.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/memory/atomic_reference.h"
#include "tests/unit/rtl/memory/beats.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

constexpr unsigned kClients = HEDDLE_NUMCLIENTS;
enum Kind { kRead, kWrite, kAtomic };
using Bytes = std::array<uint8_t, 32>;
constexpr uint64_t kBase = 0x1000000000 >> 5, kSectors = 1 << 16;  // in sectors

constexpr bool kWhole = sizeof(Vl2_top::mem_rsp_o) * 8 / kClients > 256;
constexpr unsigned kPieces = kWhole ? 1 : 4;
constexpr size_t kAxiBytes = sizeof(Vl2_top::m_axi_rdata_i);
constexpr uint64_t kSetLines = kWhole ? 512 : 64;  // lines this far apart are of one set
constexpr unsigned kMostTags = kWhole ? 12 : 8;    // more than there are ways
constexpr ReqBits kReq{kPieces, kWhole ? 6 : 3, kWhole ? 3 : 1};
constexpr RspBits kRsp{kPieces};
// trace_pkg::l2_t from its last bit: data 256, mask 32, old 256, req, client 8, valid.
constexpr unsigned kTraceMask = 256, kTraceOld = 288, kTraceReq = 544, kTraceClient = kTraceReq + kReq.bits(),
                   kTraceValid = kTraceClient + 8;

struct Request {
  unsigned kind, id, offset, atom_op;
  bool wide, sign;
  uint64_t sector;
  uint32_t mask;
  Bytes data;
  unsigned more = 0;  // read: further sectors of its line
  std::vector<Beat> beats{};
  // When performed.
  bool performed = false;
  Bytes seen{};
  Join answer{kPieces};
};

class L2 : public ::testing::Test {
 protected:
  L2() : bench_(seed()), top_(*bench_.top), rng_(bench_.rng) {
    std::fill_n(answering_, kClients, ~0u);
    top_.flush_i = top_.mem_req_valid_i = top_.mem_req_drop_i = 0;
    top_.mem_rsp_ready_i = (1u << kClients) - 1;
    top_.m_axi_awready_i = top_.m_axi_wready_i = top_.m_axi_arready_i = 1;
    top_.m_axi_bvalid_i = top_.m_axi_rvalid_i = top_.m_axi_rlast_i = 0;
    set_bits(top_.settings_i, settings_bits::kMemEnd, 40, (kBase + kSectors) << 5);
    bench_.reset();
    for (int i = 0; i < 100; i++) cycle();
  }

  // 1 in n cycles not ready; 0: always ready. Memory takes up to latency_ cycles.
  unsigned axi_stall_ = 0, rsp_stall_ = 0, latency_ = 20;
  unsigned idle_ = 0;     // between a request's beats
  unsigned silent_ = 0;   // clients that take no answer
  uint64_t bad_ = ~0ull;  // memory answers this sector with an error

  Bytes& memory(std::map<uint64_t, Bytes>& m, uint64_t sector) {
    const auto [it, fresh] = m.try_emplace(sector);
    if (fresh)
      for (unsigned b = 0; b < 32; b++) it->second[b] = static_cast<uint8_t>(sector * 37 + b * 11 + (sector >> 8));
    return it->second;
  }

  Request random_request(uint64_t sector) {
    Request r{};
    r.kind = static_cast<unsigned>(rng_() % 3);
    r.sector = sector;
    r.mask = bench_.one_in(3) ? ~0u : static_cast<uint32_t>(rng_());
    for (unsigned p = 0; p < kPieces; p++)
      if (bench_.one_in(3)) r.mask |= 0xffu << 8 * p;
    if (bench_.one_in(50)) r.mask = 0;
    for (uint8_t& b : r.data) b = static_cast<uint8_t>(rng_());
    r.wide = rng_() & 1;
    r.offset = static_cast<unsigned>(r.wide ? rng_() % 4 * 8 : rng_() % 8 * 4);
    r.atom_op = static_cast<unsigned>(rng_() % 10);
    r.sign = rng_() & 1;
    if (r.kind == kAtomic && kWhole) {
      r.mask = random_words(rng_, r.wide, r.atom_op == static_cast<unsigned>(isa::AtomOp::Cas));
      r.offset = static_cast<unsigned>(std::countr_zero(r.mask));
    }
    return r;
  }
  // On one word.
  static void at_word(Request& r, unsigned word) {
    r.kind = kAtomic, r.wide = false, r.offset = 4 * word;
    if (kWhole) r.mask = 0xfu << r.offset;
  }
  static std::vector<AtomicWord> words(const Request& r) { return atomic_words(kWhole, r.mask, r.offset, r.wide); }

  void offer(unsigned client, Request r) {
    // Of a read of several sectors each has an id, which ends with its number.
    r.id = kWhole ? next_id_[client]++ % 64 * 4 + static_cast<unsigned>(r.sector % 4) : next_id_[client]++ & 0xff;
    r.beats = split(kPieces, beats_of_request(kPieces, r.kind), r.data, kWhole && r.kind == kRead ? r.more : r.mask);
    offered_[client].push_back(r);
  }

  void cycle() {
    const auto stall = [&](unsigned n) { return n != 0 && bench_.one_in(n); };
    top_.mem_req_valid_i = 0;
    for (unsigned c = 0; c < kClients; c++) {
      // Ids are unique among those in flight.
      if (offered_[c].empty() || sent_[c].size() >= 200) continue;
      const auto taken = [&](const Request& q) { return q.id / 4 == offered_[c].front().id / 4; };
      if (kWhole && std::any_of(sent_[c].begin(), sent_[c].end(), taken)) continue;
      // A beat stays until it is taken; before it the link may be idle.
      if (!(stands_ >> c & 1) && sent_beats_[c] != 0 && stall(idle_)) continue;
      stands_ |= 1u << c;
      top_.mem_req_valid_i |= 1u << c;
      const Request& r = offered_[c].front();
      const unsigned at = c * kReq.bits();
      set_bits(top_.mem_req_i, at + kReq.kind(), 2, r.kind);
      set_bits(top_.mem_req_i, at + kReq.id(), kIdBits, r.id);
      set_bits(top_.mem_req_i, at + kReq.sector(), 35, r.sector);
      set_bits(top_.mem_req_i, at + kReq.offset(), 5, r.offset);
      set_bits(top_.mem_req_i, at + kReq.wide(), 1, r.wide);
      set_bits(top_.mem_req_i, at + kReq.atom_op(), 4, r.atom_op);
      set_bits(top_.mem_req_i, at + kReq.atom_type(), kReq.type_bits, r.sign);
      set_beat(top_.mem_req_i, at, kReq, r.beats[sent_beats_[c]]);
    }
    top_.mem_rsp_ready_i = 0;
    for (unsigned c = 0; c < kClients; c++)
      top_.mem_rsp_ready_i |=
          static_cast<unsigned>((HEDDLE_PROMPT >> c & 1) || (!(silent_ >> c & 1) && !stall(rsp_stall_))) << c;
    axi_drive();
    bench_.settle();
    trace();
    if (HasFatalFailure()) return;
    for (unsigned c = 0; c < kClients; c++) {
      if (top_.mem_req_valid_i & top_.mem_req_ready_o & 1u << c) {
        stands_ &= ~(1u << c);
        for (unsigned other = 0; other < kClients; other++) {
          ASSERT_TRUE(other == c || sent_beats_[other] == 0) << "beats of two requests";
        }
        if (++sent_beats_[c] == offered_[c].front().beats.size()) {
          sent_beats_[c] = 0;
          Request r = offered_[c].front();
          offered_[c].pop_front();
          sent_[c].push_back(r);
          for (unsigned left = r.more; left != 0; left &= left - 1) {
            const auto s = static_cast<unsigned>(std::countr_zero(left));
            r.id = r.id / 4 * 4 + s;
            r.sector = r.sector / 4 * 4 + s;
            sent_[c].push_back(r);
          }
        }
      }
      const bool comes = top_.mem_rsp_valid_o >> c & 1;
      // What identifies a beat, and its acknowledgement, stays until it is taken.
      std::vector<uint64_t> shows;
      for (unsigned b = kRsp.last(); comes && b < kRsp.bits(); b += 8)
        shows.push_back(get_bits(top_.mem_rsp_o, c * kRsp.bits() + b, std::min(8u, kRsp.bits() - b)));
      ASSERT_TRUE(waits_[c].empty() || waits_[c] == shows) << "a beat changes while it waits";
      waits_[c] = comes && !(top_.mem_rsp_ready_i >> c & 1) ? shows : std::vector<uint64_t>{};
      if (comes && waits_[c].empty()) responses(c);
      if (HasFatalFailure()) return;
    }
    const bool r = top_.m_axi_rvalid_i && top_.m_axi_rready_o, b = top_.m_axi_bvalid_i && top_.m_axi_bready_o;
    axi_take();
    if (HasFatalFailure()) return;
    bench_.tick();
    if (r) top_.m_axi_rvalid_i = 0;
    if (b) top_.m_axi_bvalid_i = 0;
  }

  void trace() {
    const auto& t = top_.trace_l2_o;
    if (!get_bits(t, kTraceValid, 1)) return;
    const auto client = static_cast<unsigned>(get_bits(t, kTraceClient, 8));
    const uint64_t sector = get_bits(t, kTraceReq + kReq.sector(), 35);
    ASSERT_LT(client, kClients);
    Request* r = nullptr;
    for (Request& q : sent_[client])
      if (!q.performed && q.sector == sector) {
        r = &q;
        break;
      }
    ASSERT_NE(r, nullptr) << "performs what nobody asked for";
    ASSERT_EQ(get_bits(t, kTraceReq + kReq.id(), kIdBits), r->id) << "requests to a sector change their order";
    r->performed = true;
    turns_[sector] += !last_performer_.contains(sector) || last_performer_[sector] != client;
    last_performer_[sector] = client;
    Bytes& bytes = memory(golden_, sector);
    r->seen = bytes;
    switch (r->kind) {
      case kRead:
        for (unsigned b = 0; b < 32; b++) ASSERT_EQ(get_bits(t, 8 * b, 8), bytes[b]) << "byte " << b;
        break;
      case kWrite:
        ASSERT_EQ(get_bits(t, kTraceMask, 32), r->mask);
        for (unsigned b = 0; b < 32; b++) {
          ASSERT_EQ(get_bits(t, 8 * b, 8), r->data[b]) << "byte " << b;
          if (r->mask >> b & 1) bytes[b] = r->data[b];
        }
        break;
      default: {
        const unsigned size = r->wide ? 8 : 4;
        for (const AtomicWord& w : words(*r)) {
          uint64_t old = 0, b = 0, c = 0;
          std::memcpy(&old, bytes.data() + w.at, size);
          std::memcpy(&b, r->data.data() + w.operand, size);
          std::memcpy(&c, r->data.data() + w.fresh, size);
          ASSERT_EQ(get_bits(t, kTraceOld + 8 * w.operand, 8 * size), old) << "byte " << w.at;
          const isa::AtomType type = r->sign ? isa::AtomType::S : isa::AtomType::U;
          const uint64_t result =
              atomic_reference(static_cast<isa::AtomOp>(r->atom_op), type, r->wide, false, old, b, c);
          std::memcpy(bytes.data() + w.at, &result, size);
        }
        break;
      }
    }
    performed_++;
  }

  // An answer, an acknowledgement, or both.
  void responses(unsigned c) {
    const unsigned at = c * kRsp.bits();
    const auto& rsp = top_.mem_rsp_o;
    const bool answer = get_bits(rsp, at + kRsp.kind(), 2) != kWrite, ack = get_bits(rsp, at + kRsp.ack_valid(), 1);
    ASSERT_TRUE(answer || ack);
    ASSERT_TRUE(kWhole || !answer || !ack) << "pieces come alone";
    together_ += answer && ack;
    if (ack)
      response(c, static_cast<unsigned>(get_bits(rsp, at + kRsp.ack_id(), kIdBits)), kWrite,
               get_bits(rsp, at + kRsp.ack_error(), 1));
    if (answer && !HasFatalFailure())
      response(c, static_cast<unsigned>(get_bits(rsp, at + kRsp.id(), kIdBits)),
               static_cast<unsigned>(get_bits(rsp, at + kRsp.kind(), 2)), get_bits(rsp, at + kRsp.error(), 1));
  }

  void response(unsigned c, unsigned id, unsigned kind, bool error) {
    const unsigned at = c * kRsp.bits();
    const auto& rsp = top_.mem_rsp_o;
    auto it = sent_[c].begin();
    while (it != sent_[c].end() && it->id != id) ++it;
    ASSERT_NE(it, sent_[c].end()) << "answer to nothing";
    ASSERT_EQ(kind, it->kind);
    // Beats of one answer follow each other.
    ASSERT_TRUE(answering_[c] == ~0u || answering_[c] == id) << "beats of two answers";
    ASSERT_TRUE(it->answer.take(beats_of_answer(kPieces, kind), get_beat(rsp, at, kRsp)))
        << "not the beat that follows";
    ASSERT_TRUE(answering_[c] == ~0u || error == answer_error_[c]) << "an error of some beats only";
    answer_error_[c] = error;
    answering_[c] = it->answer.done ? ~0u : id;
    if (!it->answer.done) return;
    const Request r = *it;
    if (r.sector < kBase || r.sector >= kBase + kSectors) {
      ASSERT_TRUE(error);
    } else if (r.sector != bad_) {
      ASSERT_FALSE(error);
    }
    ASSERT_EQ(r.performed, !error) << "answered before it is performed";
    if (!error && r.kind == kRead) {
      ASSERT_EQ(r.answer.bytes, r.seen);
    }
    if (!error && r.kind == kAtomic) {
      for (const AtomicWord& w : words(r))
        for (unsigned b = 0; b < (r.wide ? 8u : 4u); b++)
          ASSERT_EQ(r.answer.bytes[w.operand + b], r.seen[w.at + b]) << "byte " << w.at + b;
    }
    errors_ += error;
    answered_++;
    sent_[c].erase(it);
  }

  // ---- memory ---------------------------------------------------------------------------------------
  struct Read {
    uint64_t address;
    unsigned beats, id;
    uint64_t due;
  };
  struct Write {
    uint64_t address;
    unsigned beats, id;
  };

  void axi_drive() {
    const auto stall = [&](unsigned n) { return n != 0 && bench_.one_in(n); };
    top_.m_axi_arready_i = !stall(axi_stall_);
    top_.m_axi_awready_i = !stall(axi_stall_);
    top_.m_axi_wready_i = !stall(axi_stall_);
    if (!top_.m_axi_rvalid_i && !stall(axi_stall_)) {
      // Bursts of one id are answered in order.
      std::vector<size_t> ready;
      for (size_t n = 0; n < reads_.size(); n++) {
        bool first = reads_[n].due <= bench_.cycle;
        for (size_t m = 0; m < n; m++) first &= reads_[m].id != reads_[n].id;
        if (first) ready.push_back(n);
      }
      if (!ready.empty()) {
        beat_of_ = ready[rng_() % ready.size()];
        const Read& r = reads_[beat_of_];
        std::memcpy(&top_.m_axi_rdata_i, memory(memory_, r.address / 32).data() + r.address % 32, kAxiBytes);
        top_.m_axi_rid_i = r.id;
        top_.m_axi_rresp_i = r.address / 32 == bad_ ? 2 : 0;
        top_.m_axi_rlast_i = r.beats == 1;
        top_.m_axi_rvalid_i = 1;
      }
    }
    if (!top_.m_axi_bvalid_i && !written_.empty() && bench_.one_in(1 + latency_ / 4)) {
      const size_t n = rng_() % written_.size();
      top_.m_axi_bid_i = written_[n];
      top_.m_axi_bresp_i = 0;
      top_.m_axi_bvalid_i = 1;
      written_.erase(written_.begin() + static_cast<long>(n));
    }
  }

  void axi_take() {
    if (top_.m_axi_rvalid_i && top_.m_axi_rready_o) {
      Read& r = reads_[beat_of_];
      r.address += kAxiBytes;
      if (--r.beats == 0) reads_.erase(reads_.begin() + static_cast<long>(beat_of_));
    }
    if (top_.m_axi_arvalid_o && top_.m_axi_arready_i) {
      // No order is kept between reads and writes: a line on its way to memory must not be read.
      for (const Write& w : writes_) ASSERT_NE(w.address / 128, top_.m_axi_araddr_o / 128);
      reads_.push_back({top_.m_axi_araddr_o, top_.m_axi_arlen_o + 1u, top_.m_axi_arid_o,
                        bench_.cycle + 1 + rng_() % (latency_ + 1)});
      fetched_++;
    }
    if (top_.m_axi_awvalid_o && top_.m_axi_awready_i)
      writes_.push_back({top_.m_axi_awaddr_o, top_.m_axi_awlen_o + 1u, top_.m_axi_awid_o});
    if (top_.m_axi_wvalid_o && top_.m_axi_wready_i) {
      beats_.push_back({{}, top_.m_axi_wstrb_o});
      std::memcpy(beats_.back().first.data(), &top_.m_axi_wdata_o, kAxiBytes);
    }
    while (!writes_.empty() && !beats_.empty()) {
      Write& w = writes_.front();
      for (unsigned b = 0; b < kAxiBytes; b++)
        if (beats_.front().second >> b & 1)
          memory(memory_, w.address / 32)[w.address % 32 + b] = beats_.front().first[b];
      beats_.pop_front();
      w.address += kAxiBytes;
      if (--w.beats == 0) {
        written_.push_back(w.id);
        writes_.pop_front();
      }
    }
  }

  bool idle() const {
    for (unsigned c = 0; c < kClients; c++)
      if (!offered_[c].empty() || !sent_[c].empty()) return false;
    return true;
  }
  void run(int limit = 20000) {
    for (int t = 0; t < limit && !idle(); t++) {
      cycle();
      if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(idle()) << "hangs";
  }
  void flush_and_compare() {
    top_.flush_i = 1;
    for (int t = 0; t < 20000 && !top_.flush_done_o; t++) {
      cycle();
      if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(top_.flush_done_o);
    top_.flush_i = 0;
    for (int i = 0; i < 4; i++) cycle();
    EXPECT_FALSE(top_.busy_o);
    EXPECT_FALSE(top_.error_o);
    for (const auto& [sector, bytes] : golden_)
      ASSERT_EQ(memory(memory_, sector), bytes) << "sector " << std::hex << sector;
  }

  RtlBench<Vl2_top> bench_;
  Vl2_top& top_;
  std::mt19937_64& rng_;
  std::map<uint64_t, Bytes> golden_, memory_;
  std::map<uint64_t, unsigned> last_performer_,
      turns_;  // of each sector: whose request came last, how often that changed
  std::deque<Request> offered_[kClients];
  std::vector<Request> sent_[kClients];
  unsigned next_id_[kClients] = {};
  unsigned stands_ = 0;                 // clients that show a beat
  unsigned sent_beats_[kClients] = {};  // of the first that is offered
  unsigned answering_[kClients];        // the id whose answer has begun; none: ~0
  bool answer_error_[kClients] = {};
  std::vector<uint64_t> waits_[kClients];  // the beat that its client has not taken
  std::vector<Read> reads_;
  std::deque<Write> writes_;
  std::deque<std::pair<Bytes, uint64_t>> beats_;
  std::vector<unsigned> written_;
  size_t beat_of_ = 0;
  uint64_t performed_ = 0, answered_ = 0, errors_ = 0, fetched_ = 0, together_ = 0;
};

TEST_F(L2, OutsideMemoryIsAnsweredWithAnError) {
  for (const uint64_t s : {kBase - 1, kBase + kSectors, uint64_t{0}}) offer(0, random_request(s));
  offer(1, random_request(kBase));
  run();
  EXPECT_EQ(errors_, 3u);
}

TEST_F(L2, ABusErrorGoesToWhoWaitsAndLeavesNoTrace) {
  bad_ = kBase + 77;
  Request r = random_request(bad_);
  r.kind = kRead;
  for (unsigned c = 0; c < kClients; c++) offer(c, r);
  run();
  EXPECT_EQ(errors_, kClients);
  bad_ = ~0ull;
  offer(0, r);
  run();
  EXPECT_EQ(performed_, 1u);
}

TEST_F(L2, NeighbouringReadsAreOneBurst) {
  for (unsigned s = 0; s < 4; s++) {
    Request r = random_request(kBase + 400 + s);
    r.kind = kRead;
    offer(0, r);
  }
  run();
  EXPECT_EQ(fetched_, 1u);
}

// The link takes them at once, and looks at nothing else before the last of them.
TEST_F(L2, AReadOfSeveralSectorsIsOneBurst) {
  if (!kWhole) GTEST_SKIP() << "a sector a request";
  Request r = random_request(kBase + 400);
  r.kind = kRead, r.more = 0xe;
  offer(0, r);
  r = random_request(kBase + 403);
  r.kind = kWrite;
  offer(0, r);
  offer(1, r);
  run();
  EXPECT_EQ(performed_, 6u);
  EXPECT_EQ(fetched_, 1u);
}

// Two clients add to all words of a sector: one after the other, so that no sum waits for the one before.
TEST_F(L2, AClientGoesOnWithTheHigherWordsOfItsLine) {
  if (!kWhole) GTEST_SKIP() << "a client is chosen a cycle before its request is looked up";
  const uint64_t sector = kBase + 400;
  for (unsigned again = 0; again < 3; again++)
    for (unsigned c = 0; c < 2; c++)
      for (unsigned word = 0; word < 8; word++) {
        Request r = random_request(sector);
        at_word(r, word);
        offer(c, r);
      }
  run();
  EXPECT_EQ(performed_, 48u);
  // Three times eight words each.
  EXPECT_LE(turns_[sector], 6u);
}

// As long as words fall, clients have turns.
TEST_F(L2, AClientDoesNotGoOnWithLowerWords) {
  const uint64_t sector = kBase + 400;
  for (unsigned word = 8; word-- > 0;)
    for (unsigned c = 0; c < 2; c++) {
      Request r = random_request(sector);
      at_word(r, word);
      offer(c, r);
    }
  run();
  EXPECT_EQ(turns_[sector], 16u);
}

TEST_F(L2, AnswersLeftStandingKeepNoOtherClientWaiting) {
  for (int i = 0; i < 100; i++) {
    Request r = random_request(kBase + 8);
    r.kind = kRead;
    if (i < 4) offer(0, r);
    offer(1, r);
  }
  silent_ = 1;
  for (int t = 0; t < 600; t++) cycle();  // a request every fourth
  EXPECT_TRUE(offered_[1].empty());
  silent_ = 0;
  run();
}

// Beats of a request for which there is no slot yet stay outside.
TEST_F(L2, MoreRequestsThanSlotsWait) {
  latency_ = 4000;
  for (int i = 0; i < 60; i++) {
    Request r = random_request(kBase + 5);
    if (r.kind == kRead || i == 0) r.kind = kWrite;
    if (i == 0) at_word(r, 0);
    offer(static_cast<unsigned>(i % kClients), r);
  }
  run();
}

TEST_F(L2, AnswersLeftStandingStopTheirClientInTime) {
  for (int i = 0; i < 80; i++) {
    Request r = random_request(kBase + 8);
    r.kind = i % 4 ? kRead : kWrite;
    offer(0, r);
  }
  silent_ = 1;
  for (int t = 0; t < 1000; t++) cycle();
  EXPECT_FALSE(offered_[0].empty());
  silent_ = 0;
  run();
}

// A client is reset between the beats of its request: the others go on, and so does it afterwards.
TEST_F(L2, ARequestWhoseRestDoesNotComeIsForgotten) {
  Request half = random_request(kBase + 3), whole = random_request(kBase + 3);
  half.kind = kWrite, whole.kind = kRead;
  for (unsigned beats = 1; beats < kPieces; beats++) {
    offer(0, half);
    for (int t = 0; t < 100 && sent_beats_[0] != beats; t++) cycle();
    ASSERT_EQ(sent_beats_[0], beats);
    offered_[0].clear();
    stands_ = sent_beats_[0] = 0;
    offer(1, whole);
    for (int t = 0; t < 50; t++) cycle();
    EXPECT_FALSE(idle()) << "the grant was given away between beats";
    top_.mem_req_drop_i = 1;
    for (int t = 0; t < 3; t++) cycle();
    top_.mem_req_drop_i = 0;
    run();
    ASSERT_FALSE(HasFatalFailure());
    whole.kind = kWrite;
    offer(0, whole);
    whole.kind = kRead;
    offer(1, whole);
    run();
    ASSERT_FALSE(HasFatalFailure());
  }
  flush_and_compare();
}

TEST_F(L2, RandomRequests) {
  for (int round = 0; round < 12; round++) {
    axi_stall_ = round % 3 ? 2 + static_cast<unsigned>(rng_() % 4) : 0;
    rsp_stall_ = round % 2 ? 2 + static_cast<unsigned>(rng_() % 4) : 0;
    idle_ = round % 4 == 1 ? 0 : 2 + static_cast<unsigned>(rng_() % 3);
    latency_ = 1u << rng_() % 7;
    const unsigned tags = 1 + static_cast<unsigned>(rng_() % kMostTags), sets = 1 + static_cast<unsigned>(rng_() % 8);
    for (int t = 0; t < 2400; t++) {
      for (unsigned c = 0; c < kClients; c++) {
        if (offered_[c].size() > 3 || !bench_.one_in(2 + static_cast<unsigned>(round) % 3)) continue;
        const uint64_t line = (rng_() % tags) * kSetLines + rng_() % sets;
        const uint64_t sector = bench_.one_in(100) ? kBase + kSectors + rng_() % 9 : kBase + line * 4 + rng_() % 4;
        Request r = random_request(sector);
        if (kWhole && r.kind == kRead) r.more = static_cast<unsigned>(rng_() & 0xf & ~((2u << sector % 4) - 1));
        offer(c, r);
      }
      cycle();
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " cycle " << t;
    }
    run();
    ASSERT_FALSE(HasFatalFailure()) << "round " << round;
    flush_and_compare();
    ASSERT_FALSE(HasFatalFailure()) << "round " << round;
  }
  EXPECT_GT(performed_, 3000u);
  EXPECT_GE(together_, kWhole ? 10u : 0u);
}

}  // namespace
}  // namespace heddle::test
