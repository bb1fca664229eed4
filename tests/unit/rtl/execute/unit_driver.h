// SPDX-License-Identifier: Apache-2.0
// Feeds an execution unit (through its *_top wrapper) with the slices of warp instructions and compares every
// response with a reference, under random gaps and back-pressure.
#ifndef HEDDLE_TESTS_UNIT_RTL_EXECUTE_UNIT_DRIVER_H_
#define HEDDLE_TESTS_UNIT_RTL_EXECUTE_UNIT_DRIVER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <sstream>

#include "isa/isa.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle::test {

inline constexpr unsigned kWarp = 32;
inline constexpr int kPatience = 10'000;  // cycles: MATCH in slices goes over all lanes for each
using Row = std::array<std::uint32_t, kWarp>;

struct Request {
  std::uint8_t op = 0;
  std::uint32_t mod = 0;
  std::uint32_t mask = ~0u, p = 0, p2 = 0;
  Row a{}, b{}, c{}, a_hi{}, b_hi{}, c_hi{};

  std::uint64_t wide_a(unsigned lane) const { return std::uint64_t{a_hi[lane]} << 32 | a[lane]; }
  std::uint64_t wide_b(unsigned lane) const { return std::uint64_t{b_hi[lane]} << 32 | b[lane]; }
  std::uint64_t wide_c(unsigned lane) const { return std::uint64_t{c_hi[lane]} << 32 | c[lane]; }

  // A modifier field of the op by its name in isa.def; the test fails when there is none.
  std::uint32_t get(std::string_view name) const {
    for (const isa::FieldInfo& f : isa::info(op)->fields) {
      if (f.name == name) return mod >> f.lsb & ((1u << f.width) - 1);
    }
    ADD_FAILURE() << isa::info(op)->mnemonic << " has no field " << name;
    return 0;
  }
};

// What one lane must give.
struct LaneResult {
  std::uint64_t d = 0;
  bool p = false, q = false;
};

// What an operation writes, and its result in one lane.
struct Reference {
  bool we = true, wide = false, p_we = false, q_defined = true;
  std::function<LaneResult(const Request&, unsigned lane)> lane;
};

// Any legal modifier of an op: enumerations stay within their values.
template <class Rng>
std::uint32_t random_modifiers(std::uint8_t op, Rng& rng) {
  std::uint32_t mod = 0;
  for (const isa::FieldInfo& f : isa::info(op)->fields) {
    std::uint32_t value = rng() % (1u << f.width);
    if (f.kind != "Flag" && f.kind != "Uint" && f.kind != "PredSrc" && f.kind != "PredDst") {
      while (isa::enum_text(f.kind, value).empty()) value = rng() % (1u << f.width);
    }
    mod |= value << f.lsb;
  }
  return mod;
}

template <class Model>
class UnitDriver {
 public:
  explicit UnitDriver(std::uint64_t seed) : bench(seed) {
    bench.top->req_valid_i = 0;
    bench.top->rsp_ready_i = 0;
    bench.reset();
  }

  // Gaps before requests and after responses: 1 never, 2 every second cycle on average, …
  std::uint32_t request_every = 1, response_every = 1;
  // Responses may have to wait. Whole rows of lanes do not: their cycle is free.
  bool stalls = kSlices;

  // Sends one instruction, taking responses that come meanwhile.
  void send(const Request& request, const Reference& reference) {
    for (unsigned slice = 0; slice < kWarp / kLanes; ++slice) {
      while (!bench.one_in(request_every) && !::testing::Test::HasFatalFailure()) step(false);
      present(request, slice);
      pending_.push_back({request, reference, sequence_, slice});
      int waited = 0;
      while (!step(true) && !::testing::Test::HasFatalFailure()) {
        ASSERT_LT(++waited, kPatience) << "the unit never becomes ready";
      }
    }
    ++sequence_;
  }

  // Waits for all responses.
  void drain() {
    int waited = 0;
    while (!pending_.empty() && !::testing::Test::HasFatalFailure()) {
      step(false);
      ASSERT_LT(++waited, kPatience) << pending_.size() << " responses never come";
    }
    step(false);
    EXPECT_EQ(bench.top->busy_o, 0) << "busy with nothing to do";
  }

  static constexpr unsigned kLanes = sizeof(Model::d_o) / 4;  // of a slice
  static constexpr bool kSlices = kLanes < kWarp;
#ifdef HEDDLE_LANES
  // Beats from the one on with which a request is taken: the last one where rows move in slices.
  static constexpr unsigned kBeatsToCome = kSlices ? 1 : kLanes / HEDDLE_LANES;
#endif

  RtlBench<Model> bench;
  std::uint64_t lanes_checked = 0;

 private:
  struct Pending {
    Request request;
    Reference reference;
    std::uint16_t sequence;
    unsigned slice;
  };

  void present(const Request& r, unsigned slice) {
    auto& t = *bench.top;
    const unsigned first = slice * kLanes;
    const auto lanes = [&](auto& port, std::uint32_t mask) {
      port = static_cast<std::remove_reference_t<decltype(port)>>(mask >> first & ~0u >> (32 - kLanes));
    };
    t.seq_i = sequence_;
    t.slice_i = static_cast<CData>(slice);
    t.mask_i = r.mask;
    t.op_i = r.op;
    t.mod_i = r.mod;
    lanes(t.p_i, r.p);
    lanes(t.p2_i, r.p2);
    for (unsigned i = 0; i < kLanes; ++i) {
      set_port_word(t.a_i, i, r.a[first + i]);
      set_port_word(t.b_i, i, r.b[first + i]);
      set_port_word(t.c_i, i, r.c[first + i]);
      set_port_word(t.a_hi_i, i, r.a_hi[first + i]);
      set_port_word(t.b_hi_i, i, r.b_hi[first + i]);
      set_port_word(t.c_hi_i, i, r.c_hi[first + i]);
    }
  }

  // One cycle; true when the request was taken.
  bool step(bool request) {
    auto& t = *bench.top;
    t.req_valid_i = request;
    t.rsp_ready_i = !stalls || bench.one_in(response_every);
    bench.settle();
    if (promised_) {
      EXPECT_TRUE(t.req_ready_o) << "not ready a cycle after req_soon_o, cycle " << bench.cycle;
    }
    promised_ = t.req_soon_o;
    const bool taken = request && t.req_ready_o;
    if (t.rsp_valid_o && t.rsp_ready_i) check();
    bench.tick();
    return taken;
  }

  void check() {
    const auto& t = *bench.top;
    ASSERT_FALSE(pending_.empty()) << "a response that nobody asked for";
    const Pending& x = pending_.front();
    const Request& r = x.request;
    ASSERT_EQ(t.seq_o, x.sequence);
    ASSERT_EQ(t.slice_o, x.slice);
    ASSERT_EQ(t.mask_o, r.mask);
    ASSERT_EQ(t.we_o, x.reference.we);
    ASSERT_EQ(t.p_we_o, x.reference.p_we);
    if (x.reference.we) {
      ASSERT_EQ(t.wide_o, x.reference.wide);
    }
    for (unsigned i = 0; i < kLanes; ++i) {
      const unsigned lane = x.slice * kLanes + i;
      if ((r.mask >> lane & 1) == 0) continue;
      const LaneResult want = x.reference.lane(r, lane);
      if (x.reference.we) {
        const std::uint64_t got =
            port_word(t.d_o, i) | (x.reference.wide ? std::uint64_t{port_word(t.d_hi_o, i)} << 32 : 0);
        ASSERT_EQ(got, want.d) << describe(r, lane) << " got 0x" << std::hex << got << " want 0x" << want.d;
      }
      if (x.reference.p_we) {
        ASSERT_EQ(t.p_o >> i & 1, want.p) << describe(r, lane);
        if (x.reference.q_defined) {
          ASSERT_EQ(t.q_o >> i & 1, want.q) << describe(r, lane);
        }
      }
      ++lanes_checked;
    }
    pending_.pop_front();
  }

  static std::string describe(const Request& r, unsigned lane) {
    std::ostringstream out;
    out << isa::info(r.op)->mnemonic << std::hex << " mod 0x" << r.mod << " lane " << std::dec << lane << std::hex
        << " a 0x" << r.wide_a(lane) << " b 0x" << r.wide_b(lane) << " c 0x" << r.wide_c(lane) << " p "
        << (r.p >> lane & 1) << " p2 " << (r.p2 >> lane & 1);
    return out.str();
  }

  bool promised_ = false;  // the unit is ready in this cycle
  std::deque<Pending> pending_;
  std::uint16_t sequence_ = 0;
};

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_EXECUTE_UNIT_DRIVER_H_
