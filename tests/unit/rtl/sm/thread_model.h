// SPDX-License-Identifier: Apache-2.0
// One thread that executes a small part of the instruction set, in the words of isa.def; and random programs of it.
#ifndef HEDDLE_TESTS_UNIT_RTL_SM_THREAD_MODEL_H_
#define HEDDLE_TESTS_UNIT_RTL_SM_THREAD_MODEL_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "isa/isa.h"

namespace heddle::test {

inline constexpr unsigned kRegisters = 16;

inline std::uint32_t hash32(std::uint64_t x) {
  x = (x + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::uint32_t>(x >> 32);
}

// What an instruction did to a thread.
struct Effect {
  bool executes = false;  // the guard held
  std::optional<std::uint32_t> low, high;
  std::optional<bool> p, q;
  std::optional<std::uint64_t> address;
  std::array<std::uint32_t, 2> data{};  // of a store
};

struct Thread {
  std::uint32_t pc = 0;
  bool ended = false;
  std::array<std::uint32_t, 256> r{};
  std::array<bool, 8> p{};
  unsigned lane = 0, tid_x = 0, ctaid_x = 0, ntid_x = 0;

  std::uint64_t pair(unsigned reg) const { return reg == isa::kRz ? 0 : std::uint64_t{r[reg + 1]} << 32 | r[reg]; }
  bool predicate(unsigned source) const { return ((source & 7) == 7 || p[source & 7]) != ((source & 8) != 0); }
  Effect execute(const isa::Instruction& i);
};

inline std::uint32_t float_bits(float f) { return std::isnan(f) ? 0x7fffffff : std::bit_cast<std::uint32_t>(f); }

inline Effect Thread::execute(const isa::Instruction& i) {
  using isa::Opcode;
  Effect e;
  pc += isa::kInstructionBytes;
  e.executes = predicate(i.guard | (i.guard_negated ? 8u : 0));
  if (!e.executes) return e;
  r[isa::kRz] = 0;
  p[isa::kPt] = true;
  const std::uint32_t a = r[i.ra], c = r[i.rc];
  const std::uint32_t b = i.form == isa::Form::R   ? r[i.rb]
                          : i.form == isa::Form::C ? hash32(static_cast<std::uint32_t>(i.imm) * 4)
                                                   : i.immediate();
  const auto fa = std::bit_cast<float>(a), fb = std::bit_cast<float>(b);
  switch (i.op) {
    case Opcode::Mov: e.low = b; break;
    case Opcode::Iadd: e.low = a + b; break;
    case Opcode::Iadd3: e.low = a + b + c; break;
    case Opcode::Iadd64: {
      const std::uint64_t sum =
          pair(i.ra) + (i.form == isa::Form::R ? pair(i.rb) : static_cast<std::uint64_t>(std::int64_t{i.imm}));
      e.low = static_cast<std::uint32_t>(sum);
      e.high = static_cast<std::uint32_t>(sum >> 32);
      break;
    }
    case Opcode::Imad: e.low = a * b + c; break;
    case Opcode::ImadWide: {
      const std::uint64_t sum = std::uint64_t{a} * b + pair(i.rc);
      e.low = static_cast<std::uint32_t>(sum);
      e.high = static_cast<std::uint32_t>(sum >> 32);
      break;
    }
    case Opcode::Lop: e.low = a ^ b; break;  // the programs use .XOR alone
    case Opcode::Sel: e.low = predicate(i.field("p")) ? a : b; break;
    case Opcode::Isetp:  // a < b, unsigned, and pc
      e.p = a < b && predicate(i.field("pc"));
      e.q = a >= b && predicate(i.field("pc"));
      break;
    case Opcode::Fadd: e.low = float_bits(fa + fb); break;
    case Opcode::Fmul: e.low = float_bits(fa * fb); break;
    case Opcode::Hmnmx2:  // of positive numbers
      e.low = std::min(a & 0xffff0000, b & 0xffff0000) | std::min(a & 0xffff, b & 0xffff);
      break;
    case Opcode::Dadd: {
      const auto sum =
          std::bit_cast<std::uint64_t>(std::bit_cast<double>(pair(i.ra)) + std::bit_cast<double>(pair(i.rb)));
      e.low = static_cast<std::uint32_t>(sum);
      e.high = static_cast<std::uint32_t>(sum >> 32);
      break;
    }
    case Opcode::I2f: e.low = float_bits(static_cast<float>(b)); break;
    case Opcode::S2r:
      switch (static_cast<isa::SpecialReg>(i.imm)) {
        case isa::SpecialReg::LaneId: e.low = lane; break;
        case isa::SpecialReg::TidX: e.low = tid_x; break;
        case isa::SpecialReg::CtaidX: e.low = ctaid_x; break;
        default: e.low = ntid_x;
      }
      break;
    case Opcode::Ldg:
      e.address = pair(i.ra) + static_cast<std::uint64_t>(std::int64_t{i.imm});
      e.low = hash32(*e.address);
      if (i.field("size") == static_cast<unsigned>(isa::MemSize::B64)) e.high = hash32(*e.address + 4);
      break;
    case Opcode::Stg:
      e.address = pair(i.ra) + static_cast<std::uint64_t>(std::int64_t{i.imm});
      e.data = {c, i.rc == isa::kRz ? 0 : r[i.rc + 1]};
      break;
    case Opcode::Call:
      e.low = pc;
      pc += static_cast<std::uint32_t>(i.imm);
      break;
    case Opcode::Bra: pc += static_cast<std::uint32_t>(i.imm); break;
    case Opcode::Exit: ended = true; break;
    // WARPSYNC moves no thread; every barrier's target is the instruction after its BSYNC.
    default: break;
  }
  if (i.rd != isa::kRz) {
    if (e.low) r[i.rd] = *e.low;
    if (e.high) r[i.rd + 1] = *e.high;
  }
  if (e.q && (i.rd >> 3 & 7) != isa::kPt) p[i.rd >> 3 & 7] = *e.q;
  if (e.p && (i.rd & 7) != isa::kPt) p[i.rd & 7] = *e.p;
  return e;
}

// Forward branches and calls anywhere, convergence barriers (one a region), loads, stores, arithmetic; ends with EXIT.
class ProgramMaker {
 public:
  explicit ProgramMaker(std::mt19937_64& rng) : rng_(rng) {}

  std::vector<isa::Instruction> make(unsigned length) {
    std::vector<isa::Instruction> program;
    unsigned barriers = 0;
    while (program.size() < length) {
      const auto kind = rng_() % 16;
      if (kind == 0 && barriers < isa::kNumConvergenceBarriers) {
        const auto body = static_cast<int>(1 + rng_() % 6);
        isa::Instruction region = control(isa::Opcode::Bssy, 8 * (body + 2));
        region.rd = static_cast<std::uint8_t>(barriers);
        program.push_back(region);
        program.push_back(guarded(control(isa::Opcode::Bra, 8 * body)));
        for (int n = 0; n < body; n++) program.push_back(work());
        isa::Instruction sync = control(isa::Opcode::Bsync, 0);
        sync.rd = static_cast<std::uint8_t>(barriers++);
        program.push_back(sync);
      } else if (kind == 1) {
        program.push_back(guarded(control(isa::Opcode::Bra, 8 * static_cast<int>(rng_() % 8))));
      } else if (kind == 3 && rng_() % 4 == 0) {
        isa::Instruction call = guarded(control(isa::Opcode::Call, 8 * static_cast<int>(rng_() % 8)));
        call.rd = reg8();
        program.push_back(call);
      } else if (kind == 4 && rng_() % 2 == 0) {
        // A mask that any number may be: what cannot gather goes on in the end.
        isa::Instruction sync = guarded(control(isa::Opcode::Warpsync, static_cast<int>(rng_())));
        if (rng_() % 2 == 0) {
          sync.form = isa::Form::R;
          sync.imm = 0;
          sync.rb = reg8();
        }
        program.push_back(sync);
      } else if (kind == 2 && rng_() % 8 == 0) {
        program.push_back(guarded(control(isa::Opcode::Exit, 0)));
      } else {
        program.push_back(work());
      }
    }
    for (int n = 0; n < 8; n++) program.push_back(control(isa::Opcode::Exit, 0));  // branches reach that far
    return program;
  }

 private:
  unsigned reg(unsigned align = 1) {
    if (rng_() % 16 == 0) return isa::kRz;
    return static_cast<unsigned>(rng_() % (rng_() % 2 == 0 ? 4 : kRegisters)) / align * align;
  }
  std::uint8_t reg8(unsigned align = 1) { return static_cast<std::uint8_t>(reg(align)); }
  static isa::Instruction control(isa::Opcode op, int imm) {
    isa::Instruction i;
    i.op = op;
    i.form = isa::Form::L;
    i.imm = imm;
    return i;
  }
  isa::Instruction guarded(isa::Instruction i) {
    i.guard = static_cast<std::uint8_t>(rng_() % 4);
    i.guard_negated = rng_() % 2 == 0;
    return i;
  }

  isa::Instruction work() {
    using isa::Opcode;
    static constexpr Opcode kOps[] = {Opcode::Mov,      Opcode::Iadd, Opcode::Iadd64, Opcode::Imad,
                                      Opcode::ImadWide, Opcode::Lop,  Opcode::Sel,    Opcode::Isetp,
                                      Opcode::Isetp,    Opcode::Fadd, Opcode::Fmul,   Opcode::I2f,
                                      Opcode::S2r,      Opcode::Ldg,  Opcode::Stg,    Opcode::Iadd3};
    isa::Instruction i;
    i.op = kOps[rng_() % std::size(kOps)];
    if (rng_() % 3 == 0) i = guarded(i);
    const std::string_view forms = isa::info(i.op).forms;
    const char form = forms[rng_() % forms.size()];
    i.form = form == 'R' ? isa::Form::R : form == 'C' ? isa::Form::C : form == 'S' ? isa::Form::S : isa::Form::L;
    i.rd = reg8();
    i.ra = isa::info(i.op).a == isa::Operand::None ? isa::kRz : reg8();
    if (i.form == isa::Form::R && isa::info(i.op).b != isa::Operand::None) i.rb = reg8();
    if (i.form != isa::Form::L && isa::info(i.op).c != isa::Operand::None) i.rc = reg8();
    switch (i.form) {
      case isa::Form::C: i.imm = static_cast<int>(rng_() % 64); break;
      case isa::Form::S: i.imm = static_cast<int>(rng_() % 256) - 128; break;
      case isa::Form::L: i.imm = static_cast<int>(rng_()); break;
      default: break;
    }
    switch (i.op) {
      case Opcode::Iadd64:
        i.rd = reg8(2);
        i.ra = reg8(2);
        if (i.form == isa::Form::R) i.rb = reg8(2);
        i.set_field("use_cin", 0);
        break;
      case Opcode::ImadWide:
        i.rd = reg8(2);
        if (i.form != isa::Form::L) i.rc = reg8(2);
        break;
      case Opcode::Lop: i.set_field("op", static_cast<unsigned>(isa::LogicOp::Xor)); break;
      case Opcode::Sel: i.set_field("p", static_cast<unsigned>(rng_() % 16)); break;
      case Opcode::Isetp:
        i.set_field("cmp", static_cast<unsigned>(isa::ICmp::Lt));
        i.set_field("pc", rng_() % 3 == 0 ? static_cast<unsigned>(rng_() % 16) : isa::kPt);
        i.rd = static_cast<std::uint8_t>(rng_() % 4 | (rng_() % 8) << 3);
        if ((i.rd & 7) == (i.rd >> 3 & 7)) i.rd |= 7u << 3;
        break;
      case Opcode::S2r: {
        static constexpr isa::SpecialReg kRegs[] = {isa::SpecialReg::LaneId, isa::SpecialReg::TidX,
                                                    isa::SpecialReg::CtaidX, isa::SpecialReg::NtidX};
        i.imm = static_cast<int>(kRegs[rng_() % 4]);
        break;
      }
      case Opcode::Ldg:
      case Opcode::Stg: {
        const bool wide = rng_() % 2 == 0;
        i.set_field("size", static_cast<unsigned>(wide ? isa::MemSize::B64 : isa::MemSize::B32));
        i.ra = reg8(2);
        if (i.op == Opcode::Ldg) i.rd = reg8(wide ? 2 : 1);
        else i.rd = isa::kRz, i.rc = reg8(wide ? 2 : 1);
        break;
      }
      default: break;
    }
    return i;
  }

  std::mt19937_64& rng_;
};

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_SM_THREAD_MODEL_H_
