// SPDX-License-Identifier: Apache-2.0
// Blocks of random size whose threads arrive, wait and end in random groups, against a count of every block's
// threads: who is told to go on, with which reduction, and that nobody else is.
#include <Vblock_barrier_top.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {
namespace {

#ifdef HEDDLE_ARRIVELAG
constexpr unsigned kArriveLag = HEDDLE_ARRIVELAG;  // cycles that follow an arrival without another one
#else
constexpr unsigned kArriveLag = 0;
#endif

struct Message {
  bool ends = false, waits = false;
  unsigned warp = 0, id = 0, expected = 0, threads = 0, ones = 0;
};

struct Told {
  unsigned slot_in_sm, id, ones;
  bool all, any;
  bool operator==(const Told&) const = default;
};

struct Barrier {
  unsigned arrived = 0, waiting = 0, expected = 0, ones = 0;
};

struct Block {
  bool resident = false;
  unsigned first = 0, live = 0;
  std::map<unsigned, Barrier> barriers;  // with arrivals
  std::map<unsigned, unsigned> counts;   // what bar.sync id, n of this block says, by id
};

struct Warp {
  unsigned block = 0, running = 0, going = 0;  // threads; going: of the message offered
  std::map<unsigned, unsigned> waiting;        // by barrier
};

class BlockBarrierTest : public ::testing::Test {
 protected:
  BlockBarrierTest() : bench(seed()), top(*bench.top) {
    top.block_valid_i = top.warp_valid_i = top.arrive_valid_i = 0;
    top.release_ready_i = 0xf;
    bench.reset();
    bench.settle();
    parts = top.sizes_o & 0xff;
    warps.resize(top.sizes_o >> 8 & 0xff);
    blocks.resize(top.sizes_o >> 16 & 0xff);
    offered.resize(parts);
  }

  void offer(unsigned part, const Message& m) {
    const std::uint64_t word = std::uint64_t{m.ends} | std::uint64_t{m.waits} << 1 | std::uint64_t{m.warp} << 8 |
                               std::uint64_t{m.id} << 16 | std::uint64_t{m.expected} << 32 |
                               std::uint64_t{m.threads} << 48 | std::uint64_t{m.ones} << 56;
    top.arrive_i[2 * part] = static_cast<std::uint32_t>(word);
    top.arrive_i[2 * part + 1] = static_cast<std::uint32_t>(word >> 32);
    top.arrive_valid_i |= static_cast<unsigned char>(1u << part);
    offered[part] = m;
    warps[m.warp].running -= m.threads;
    warps[m.warp].going += m.threads;
  }

  // Starts a block of these many threads at a free slot and free warps; block_warps is the kernel's.
  bool start_block(unsigned threads) {
    const unsigned count = top.block_warps_i;
    std::vector<unsigned> free;
    for (unsigned b = 0; b < blocks.size(); b++)
      if (!blocks[b].resident) free.push_back(b);
    const unsigned places = static_cast<unsigned>(warps.size()) / count;
    const unsigned first = static_cast<unsigned>(bench.rng() % places) * count;
    for (const Block& b : blocks)
      if (b.resident && b.first == first) return false;
    if (free.empty()) return false;
    const unsigned slot = free[bench.rng() % free.size()];
    blocks[slot] = {.resident = true, .first = first, .live = threads, .barriers = {}, .counts = {}};
    top.block_valid_i = 1;
    top.block_slot_i = static_cast<unsigned char>(slot);
    top.block_first_i = static_cast<unsigned char>(first);
    top.block_threads_i = static_cast<unsigned short>(threads);
    step();
    top.block_valid_i = 0;
    for (unsigned i = 0; i < count && !HasFatalFailure(); i++) {
      top.warp_valid_i = 1;
      top.warp_i = static_cast<unsigned char>(first + i);
      top.warp_slot_i = static_cast<unsigned char>(slot);
      step();
      top.warp_valid_i = 0;
      warps[first + i] = {.block = slot, .running = std::min(32u, threads - 32 * i), .going = 0, .waiting = {}};
    }
    return true;
  }

  // What a message does to its block; the releases it leads to.
  void apply(const Message& m) {
    Warp& w = warps[m.warp];
    Block& block = blocks[w.block];
    w.going -= m.threads;
    if (m.ends) {
      block.live -= m.threads;
    } else {
      Barrier& b = block.barriers[m.id];
      b.arrived += m.threads;
      b.waiting += m.waits ? m.threads : 0;
      b.expected = m.expected;
      b.ones += m.ones;
      (m.waits ? w.waiting[m.id] : w.running) += m.threads;
    }
    for (auto it = block.barriers.begin(); it != block.barriers.end();) {
      const auto& [id, b] = *it;
      const bool all_live = b.waiting != 0 && b.waiting == block.live;
      if ((!m.ends && id != m.id) || (!all_live && (b.expected == 0 || b.arrived < b.expected))) {
        ++it;
        continue;
      }
      (all_live ? by_all : by_count)++;
      by_end += m.ends;
      for (unsigned i = 0; i < top.block_warps_i; i++)
        told[(block.first + i) % parts].push_back({block.first + i, id, b.ones, b.ones == b.arrived, b.ones != 0});
      it = block.barriers.erase(it);
    }
    if (block.live == 0) block.resident = false;
  }

  bool all_told() const {
    return std::all_of(told.begin(), told.end(), [](const auto& part) { return part.empty(); });
  }

  void step() {
    bench.settle();
    // One message at a time.
    const unsigned taken = top.arrive_valid_i & top.arrive_ready_o;
    ASSERT_LE(std::popcount(taken), 1);
    taken_meanwhile += taken != 0 && !all_told();
    const unsigned hears = top.release_valid_o & top.release_ready_i;
    for (unsigned part = 0; part < parts; part++) {
      if ((top.release_valid_o >> part & 1) == 0) continue;
      ASSERT_FALSE(told[part].empty()) << "warp told without a reason, cycle " << bench.cycle;
      const Told now = {(top.release_warp_o >> 8 * part & 0xff) * parts + part, top.release_id_o, top.release_ones_o,
                        top.release_all_o != 0, top.release_any_o != 0};
      const Told& next = told[part].front();
      ASSERT_TRUE(now == next) << "cycle " << bench.cycle << ": warp " << now.slot_in_sm << " id " << now.id << " ones "
                               << now.ones << ", expected warp " << next.slot_in_sm << " id " << next.id << " ones "
                               << next.ones;
    }
    ASSERT_TRUE(top.busy_o || (all_told() && top.arrive_valid_i == 0));
    bench.tick();
    for (unsigned part = 0; part < parts; part++) {
      if ((hears >> part & 1) == 0) continue;
      const Told now = told[part].front();
      told[part].pop_front();
      Warp& w = warps[now.slot_in_sm];
      w.running += w.waiting[now.id];
      w.waiting.erase(now.id);
      quiet = 0;
    }
    if (taken != 0) {
      const unsigned part = static_cast<unsigned>(std::countr_zero(taken));
      ASSERT_TRUE(!last_arrival || bench.cycle > *last_arrival + kArriveLag) << "cycle " << bench.cycle;
      if (!offered[part]->ends) last_arrival = bench.cycle;
      apply(*offered[part]);
      offered[part].reset();
      top.arrive_valid_i &= static_cast<unsigned char>(~taken);
      messages++;
      quiet = 0;
    }
    // Sixteen barriers to look at, and refusals at random: more silence is a hang.
    ASSERT_LT(quiet += all_told() && top.arrive_valid_i == 0 ? 0 : 1, 300u) << "cycle " << bench.cycle;
  }

  // Threads of a warp do something.
  void act(unsigned part, unsigned end_one_in) {
    const auto w = static_cast<unsigned>(bench.rng() % (warps.size() / parts)) * parts + part;
    if (warps[w].running == 0) return;
    Block& block = blocks[warps[w].block];
    Message m;
    m.warp = w;
    m.threads = bench.one_in(3) ? 1 + static_cast<unsigned>(bench.rng() % warps[w].running) : warps[w].running;
    m.id = bench.one_in(4) ? static_cast<unsigned>(bench.rng() % 16) : 3;
    m.ends = bench.one_in(end_one_in);
    m.ones = bench.one_in(3) ? static_cast<unsigned>(bench.rng() % (m.threads + 1)) : bench.one_in(2) ? m.threads : 0;
    // All messages to one barrier name one number of threads.
    auto count = block.counts.find(m.id);
    if (count == block.counts.end()) {
      const unsigned n = bench.one_in(2) ? 0 : 32 * (1 + static_cast<unsigned>(bench.rng() % top.block_warps_i));
      count = block.counts.emplace(m.id, n).first;
    }
    m.expected = count->second;
    m.waits = m.expected == 0 || !bench.one_in(3);
    if (m.ends) m.waits = bench.one_in(2);  // means nothing then
    offer(part, m);
  }

  RtlBench<Vblock_barrier_top> bench;
  Vblock_barrier_top& top;
  unsigned parts = 0;
  std::vector<Warp> warps;
  std::vector<Block> blocks;
  std::vector<std::optional<Message>> offered;
  std::array<std::deque<Told>, 4> told;       // by sub-partition
  std::optional<std::uint64_t> last_arrival;  // cycle
  unsigned messages = 0, by_all = 0, by_count = 0, by_end = 0, taken_meanwhile = 0, quiet = 0;
};

TEST_F(BlockBarrierTest, TellsABlocksWarpsWhenItsThreadsAreThere) {
  for (int kernel = 0; kernel < 800 && !HasFatalFailure(); kernel++) {
    const unsigned most = std::min<unsigned>(32, static_cast<unsigned>(warps.size()));
    top.block_warps_i = static_cast<unsigned char>(bench.one_in(3)   ? 1
                                                   : bench.one_in(6) ? most
                                                                     : 1 + bench.rng() % most);
    const unsigned threads = 32u * top.block_warps_i - static_cast<unsigned>(bench.one_in(2) ? 0 : bench.rng() % 32);
    const auto gap = static_cast<std::uint32_t>(1 + bench.rng() % 5);
    const auto ends = static_cast<std::uint32_t>(bench.one_in(2) ? 8 : 100);
    for (int n = 0; n < 1500 && !HasFatalFailure(); n++) {
      if (bench.one_in(100)) start_block(threads);
      top.release_ready_i = static_cast<unsigned char>(bench.rng() | bench.rng());
      for (unsigned part = 0; part < parts; part++)
        if (!offered[part] && bench.one_in(gap)) act(part, ends);
      step();
    }
    // To the kernel's end: all threads exit.
    const auto resident = [&] {
      return std::any_of(blocks.begin(), blocks.end(), [](const Block& b) { return b.resident; });
    };
    for (int n = 0; n < 200000 && resident() && !HasFatalFailure(); n++) {
      top.release_ready_i = static_cast<unsigned char>(bench.rng());
      for (unsigned part = 0; part < parts; part++)
        if (!offered[part]) act(part, 1);
      bool stuck = all_told() && top.arrive_valid_i == 0;
      for (const Warp& w : warps) stuck = stuck && w.running == 0;
      // Waiting for one another at different barriers: such a kernel would hang; here it is dropped.
      if (stuck) {
        for (Block& b : blocks) b.resident = false;
        for (Warp& w : warps) w = {};
      }
      step();
    }
    // A dropped block's barriers may still be looked at: no other takes its slot before.
    for (int n = 0; n < 400 && (top.busy_o || !all_told()) && !HasFatalFailure(); n++) step();
    ASSERT_TRUE(HasFatalFailure() || !resident());
  }
  std::printf("messages %u, barriers complete by all %u, by count %u, by an exit %u\n", messages, by_all, by_count,
              by_end);
  EXPECT_GT(messages, 5000u);
  EXPECT_GT(by_all, 100u);
  EXPECT_GT(by_count, 100u);
  EXPECT_GT(by_end, 20u);
  if (parts > 1) {
    EXPECT_GT(taken_meanwhile, 100u);
  }
}

// The example of the module's header.
TEST_F(BlockBarrierTest, ExitedThreadsAreNotWaitedFor) {
  if (warps.size() < 2) GTEST_SKIP();
  top.block_warps_i = 2;
  while (!start_block(64)) {
  }
  const auto it = std::find_if(blocks.begin(), blocks.end(), [](const Block& b) { return b.resident; });
  const unsigned first = it->first;
  const auto send = [&](const Message& m) {
    offer(m.warp % parts, m);
    for (int n = 0; n < 10 && !HasFatalFailure(); n++) step();
  };
  send({.waits = true, .warp = first, .threads = 32});
  send({.ends = true, .warp = first + 1, .threads = 20});
  EXPECT_EQ(by_all, 0u);
  send({.waits = true, .warp = first + 1, .threads = 12});
  EXPECT_EQ(by_all, 1u);
  EXPECT_EQ(warps[first].running, 32u);
  EXPECT_EQ(warps[first + 1].running, 12u);
}

// No sub-partition waits while others send without end.
TEST_F(BlockBarrierTest, ServesTheSubPartitionsInTurn) {
  if (parts == 1) GTEST_SKIP();
  top.block_warps_i = static_cast<unsigned char>(parts);
  while (!start_block(32 * parts)) {
  }
  const auto it = std::find_if(blocks.begin(), blocks.end(), [](const Block& b) { return b.resident; });
  std::vector<unsigned> sent(parts);
  for (int n = 0; n < 400 && !HasFatalFailure(); n++) {
    for (unsigned part = 0; part < parts; part++) {
      if (offered[part]) continue;
      sent[part]++;
      offer(part, {.warp = it->first + part, .id = part, .expected = 2, .threads = 1});  // arrives, does not wait
    }
    step();
  }
  EXPECT_LE(*std::max_element(sent.begin(), sent.end()) - *std::min_element(sent.begin(), sent.end()), 2u);
  EXPECT_GT(sent[0], 10u);
}

}  // namespace
}  // namespace heddle::test
