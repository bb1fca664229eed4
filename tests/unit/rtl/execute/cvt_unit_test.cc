// SPDX-License-Identifier: Apache-2.0
// The conversion unit against the golden model's arithmetic (128-bit integers, one rounding), every
// operation and modifier, with corner values and back-pressure.
#include <deque>
#include <vector>

#include "Vcvt_unit.h"
#include "isa/isa.h"
#include "sim/model/float.h"
#include "tests/unit/rtl/gpu/bits.h"
#include "tests/unit/rtl/rtl_bench.h"

namespace heddle {
namespace {

using isa::Opcode;
using isa::Rounding;
using test::get_bits;
using test::set_bits;

// sm_pkg::exec_req_t, exec_hi_t and exec_rsp_t, from their lowest bit.
constexpr unsigned kReqB = 1024, kReqPc = 3136, kReqMod = 3168, kReqOp = 3186, kReqTag = 3194, kHiB = 1024;
constexpr unsigned kRspHigh = 64, kRspLow = 1088, kRspWide = 2113, kRspWe = 2114, kRspTag = 2115;
constexpr unsigned kTagBits = 32 + 3 + 3 + 8 + 16;  // without the warp

struct Operation {
  Opcode op;
  unsigned mod;
};

struct Lane {
  uint32_t low, high;
};

// What silicon gives; high only of wide results.
Lane expected(const Operation& o, uint32_t b, uint32_t b_hi) {
  isa::Instruction i;
  i.op = o.op;
  i.mod = o.mod;
  const auto rounding = static_cast<Rounding>(i.field("rnd"));
  const model::FloatMode mode{rounding, i.field("ftz") != 0, i.field("sat") != 0};
  const uint64_t wide = b | uint64_t{b_hi} << 32;
  const auto split = [](uint64_t v) { return Lane{static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32)}; };
  switch (o.op) {
    case Opcode::I2f: {
      const bool negative = i.field("sign") && b >> 31;
      return {model::f32_from_int(negative, negative ? 0 - b : b, rounding), 0};
    }
    case Opcode::I642f: {
      const bool negative = i.field("sign") && b_hi >> 31;
      return {model::f32_from_int(negative, negative ? 0 - wide : wide, rounding), 0};
    }
    case Opcode::F2i: {
      const int bits = i.field("width") == 0 ? 32 : i.field("width") == 1 ? 16 : 8;
      return {static_cast<uint32_t>(model::f32_to_int(b, bits, i.field("sign"), rounding, mode.ftz)), 0};
    }
    case Opcode::F2i64:
      return split(model::f32_to_int(b, 64, i.field("sign"), rounding, mode.ftz));
    case Opcode::F2d:
      return split(model::f64_from_f32(b, mode.ftz, mode.sat));
    case Opcode::D2f:
      return {model::f32_from_f64(wide, mode), 0};
    default: {
      uint32_t x = mode.ftz ? model::f32_normalize(b, {rounding, true, false}) : b;
      if (i.field("integral")) x = model::f32_round_integral(x, rounding);
      return {model::f32_normalize(x, mode), 0};
    }
  }
}

class CvtUnit : public ::testing::Test {
 protected:
  CvtUnit() : bench_(test::seed()) {
    bench_.top->req_valid_i = 0;
    bench_.top->rsp_ready_i = 0;
    bench_.reset();
  }

  uint32_t draw_f32() {
    static constexpr uint32_t kCorners[] = {0,          1,          0x7fffff,   0x800000,   0x3f000000, 0x3effffff,
                                            0x3f000001, 0x3f800000, 0x3fc00000, 0x40200000, 0x4b000000, 0x4b000001,
                                            0x4affffff, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff,
                                            0x5f000000, 0x5f7fffff, 0x5f800000, 0x7f7fffff, 0x7f800000, 0x7f800001,
                                            0x7fc00000, 0x7fffffff, 0x437f0000, 0x437f8000, 0x42fe0000, 0x47000000};
    const auto r = static_cast<uint32_t>(bench_.rng());
    switch (bench_.rng() % 4) {
      case 0:
        return kCorners[bench_.rng() % std::size(kCorners)] | (r & 0x80000000u);
      case 1:
        return r;
      default:  // around the integers
        return (r & 0x807fffffu) | static_cast<uint32_t>(110 + bench_.rng() % 90) << 23;
    }
  }

  uint64_t draw_f64() {
    const uint64_t r = bench_.rng();
    switch (bench_.rng() % 4) {
      case 0:
        return model::f64_from_f32(draw_f32(), false, false) + r % 3 - 1;
      case 1:
        return r;
      default:  // f32's range and its subnormals, ties
        return ((r & 0x800fffffffffffffull) | (uint64_t{860} + bench_.rng() % 300) << 52) &
               (bench_.rng() % 2 ? ~0ull : ~0ull << 28);
    }
  }

  uint64_t draw_int() { return bench_.rng() >> bench_.rng() % 64; }

  void run(const std::vector<Operation>& operations, int count) {
    struct Pending {
      Operation operation;
      std::vector<Lane> lanes;
      uint64_t tag;
    };
    std::deque<Pending> pending;
    auto& top = *bench_.top;
    int sent = 0, received = 0;
    bool offering = false;
    Pending next;
    for (int guard = 0; received < count && guard < 200 * count; guard++) {
      if (!offering && sent < count && !bench_.one_in(4)) {
        next = {operations[bench_.rng() % operations.size()], {}, bench_.rng() & ((uint64_t{1} << kTagBits) - 1)};
        const bool from_int = next.operation.op == Opcode::I2f || next.operation.op == Opcode::I642f;
        const bool from_f64 = next.operation.op == Opcode::D2f;
        for (unsigned lane = 0; lane < 32; lane++) {
          const uint64_t value = from_f64 ? draw_f64() : from_int ? draw_int() * (bench_.one_in(2) ? 1 : ~0ull) : draw_f32();
          const auto b = static_cast<uint32_t>(value), b_hi = static_cast<uint32_t>(value >> 32);
          set_bits(top.req_i, kReqB + 32 * lane, 32, b);
          set_bits(top.hi_i, kHiB + 32 * lane, 32, b_hi);
          next.lanes.push_back(expected(next.operation, b, b_hi));
        }
        set_bits(top.req_i, kReqMod, 18, next.operation.mod);
        set_bits(top.req_i, kReqOp, 8, static_cast<uint64_t>(next.operation.op));
        set_bits(top.req_i, kReqTag, kTagBits, next.tag);
        offering = true;
        sent++;
      }
      top.req_valid_i = offering;
      top.rsp_ready_i = !bench_.one_in(3);
      bench_.settle();
      if (top.rsp_valid_o && top.rsp_ready_i) {
        ASSERT_FALSE(pending.empty()) << "a result nobody asked for";
        const Pending& p = pending.front();
        const bool wide = p.operation.op == Opcode::F2i64 || p.operation.op == Opcode::F2d;
        ASSERT_EQ(get_bits(top.rsp_o, kRspTag, kTagBits), p.tag);
        ASSERT_EQ(get_bits(top.rsp_o, kRspWide, 1), wide);
        ASSERT_EQ(get_bits(top.rsp_o, kRspWe, 1), 1u);
        for (unsigned lane = 0; lane < 32; lane++) {
          ASSERT_EQ(get_bits(top.rsp_o, kRspLow + 32 * lane, 32), p.lanes[lane].low)
              << isa::info(p.operation.op).mnemonic << " mod " << p.operation.mod << " lane " << lane;
          if (wide) {
            ASSERT_EQ(get_bits(top.rsp_o, kRspHigh + 32 * lane, 32), p.lanes[lane].high)
                << isa::info(p.operation.op).mnemonic << " mod " << p.operation.mod << " lane " << lane;
          }
        }
        pending.pop_front();
        received++;
      }
      if (top.req_valid_i && top.req_ready_o) {
        pending.push_back(next);
        offering = false;
      }
      bench_.tick();
    }
    ASSERT_EQ(received, count) << "the unit hangs";
  }

  // Every value of the op's modifier bits that means something.
  static std::vector<Operation> all(Opcode op, unsigned mod_bits) {
    std::vector<Operation> out;
    for (unsigned mod = 0; mod < 1u << mod_bits; mod++) {
      if (op == Opcode::F2i && mod >> 4 == 3) continue;  // no such width
      out.push_back({op, mod});
    }
    return out;
  }

  test::RtlBench<Vcvt_unit> bench_;
};

TEST_F(CvtUnit, IntegerToFloat) { run(all(Opcode::I2f, 3), 2000); }
TEST_F(CvtUnit, LongToFloat) { run(all(Opcode::I642f, 3), 2000); }
TEST_F(CvtUnit, FloatToInteger) { run(all(Opcode::F2i, 6), 6000); }
TEST_F(CvtUnit, FloatToLong) { run(all(Opcode::F2i64, 4), 3000); }
TEST_F(CvtUnit, FloatToIntegralFloat) { run(all(Opcode::Frnd, 5), 3000); }
TEST_F(CvtUnit, FloatToDouble) { run(all(Opcode::F2d, 4), 2000); }
TEST_F(CvtUnit, DoubleToFloat) { run(all(Opcode::D2f, 4), 4000); }

TEST_F(CvtUnit, MixedStreamStaysInOrder) {
  std::vector<Operation> mixed;
  for (const Opcode op : {Opcode::I2f, Opcode::I642f, Opcode::F2i64, Opcode::Frnd, Opcode::F2d, Opcode::D2f})
    for (const Operation& o : all(op, 3)) mixed.push_back(o);
  run(mixed, 2000);
}

}  // namespace
}  // namespace heddle
