// SPDX-License-Identifier: Apache-2.0
// C++20, as the encoder is; the tests around it are C++17.
#include "tests/unit/systemc/kernels.h"

#include "tests/unit/device/bench_device.h"

namespace heddle::test {
namespace {

using code::constant;
using code::imm16;
using code::imm32;
using code::reg;
using isa::kRz;
using isa::Opcode;

constexpr unsigned k32 = static_cast<unsigned>(isa::MemSize::B32);

uint64_t exit() { return imm32(Opcode::Exit, kRz, kRz, 0); }
uint64_t s2r(unsigned rd, isa::SpecialReg r) { return imm16(Opcode::S2r, rd, kRz, static_cast<int>(r)); }

}  // namespace

std::vector<uint64_t> index_kernel() {
  return {s2r(0, isa::SpecialReg::CtaidX),
          s2r(1, isa::SpecialReg::NtidX),
          s2r(6, isa::SpecialReg::TidX),
          reg(Opcode::Imad, 0, 0, 1, 6),
          constant(Opcode::Mov, 2, kRz, 0),
          constant(Opcode::Mov, 3, kRz, 4),
          imm16(Opcode::ImadWide, 4, 0, 4, 2),
          imm16(Opcode::Stg, kRz, 4, 0, 0, {{"size", k32}}),
          exit()};
}

std::vector<uint64_t> wait_kernel() {
  // Atomics are served by L2, whatever the L1 holds.
  return {constant(Opcode::Mov, 2, kRz, 0),
          constant(Opcode::Mov, 3, kRz, 4),
          imm16(Opcode::Mov, 6, kRz, 0),
          reg(Opcode::Atomg, 8, 2, 6, kRz, {{"size", k32}, {"op", 0}}),
          imm16(Opcode::Isetp, 0 | 7 << 3, 8, 0, kRz, {{"cmp", 4}, {"pc", isa::kPt}}),
          imm32(Opcode::Bra, kRz, kRz, -3 * 8, {}, 0),
          imm16(Opcode::Mov, 6, kRz, 100),
          reg(Opcode::Atomg, 8, 2, 6, kRz, {{"size", k32}, {"op", 0}}),
          exit()};
}

std::vector<uint64_t> fault_kernel() {
  return {imm16(Opcode::Mov, 4, kRz, 0), imm16(Opcode::Mov, 5, kRz, 0),
          imm16(Opcode::Stg, kRz, 4, 0, 4, {{"size", k32}}), exit()};
}

}  // namespace heddle::test
