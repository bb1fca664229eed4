// SPDX-License-Identifier: Apache-2.0
// Division by a constant: a shift for a power of two, else a product with a multiplier for the divisor (divisor.h).
#include <bit>

#include "host-runtime/compiler/lower/divisor.h"
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

namespace {
uint64_t magnitude(int64_t v) { return v < 0 ? ~static_cast<uint64_t>(v) + 1 : static_cast<uint64_t>(v); }
}  // namespace

// What the operand surely is: itself a constant, or a register that nothing but the move of one writes.
std::optional<int64_t> FunctionLowering::constant_divisor(const ptx::Operand& operand, Type type) {
  const ptx::Operand* constant = &operand;
  if (const Insn* writer = sole_writer(operand); writer && writer->opcode == "mov") constant = &writer->operands[1];
  if (!constant->is_int()) return {};
  const int64_t value = src(*constant, type).imm;
  if (ptx::type_bits(type) == 64) return value;
  return ptx::is_signed(type) ? static_cast<int32_t>(value) : static_cast<int64_t>(static_cast<uint32_t>(value));
}

void FunctionLowering::divide_by_constant(Operand d, Operand a, int64_t divisor, bool is_signed, bool wide,
                                          bool remainder) {
  if (wide) a = in_register64(a);
  const Operand q =
      is_signed ? signed_quotient(a, divisor, wide) : unsigned_quotient(a, static_cast<uint64_t>(divisor), wide);
  if (!remainder) return copy(d, q);
  copy(d, wide ? sub64(a, mul_lo64(q, mir::imm(divisor))) : imad(q, mir::imm(static_cast<uint32_t>(-divisor)), a));
}

FunctionLowering::Operand FunctionLowering::unsigned_quotient(Operand a, uint64_t divisor, bool wide) {
  const unsigned bits = wide ? 64 : 32;
  const auto shifted = [&](Operand v, unsigned n) {
    return wide ? shr64(v, mir::imm(n), false) : shr(v, mir::imm(n), false);
  };
  if (std::has_single_bit(divisor)) return shifted(a, static_cast<unsigned>(std::countr_zero(divisor)));
  Multiplier m = multiplier_for(divisor, bits, 0);
  if (m.carry && divisor % 2 == 0) {
    const auto spare = static_cast<unsigned>(std::countr_zero(divisor));
    m = multiplier_for(divisor >> spare, bits, spare);
    a = shifted(a, spare);
  }
  const Operand multiplier = mir::imm(static_cast<int64_t>(m.low));
  const Operand high = wide ? mul_hi64(a, multiplier, false) : imul_hi(a, multiplier, false);
  if (!m.carry) return shifted(high, m.shift);
  // high + a may have one bit too many: half of that, high + (a - high) / 2, has not.
  const Operand half = shifted(wide ? sub64(a, high) : isub(a, high), 1);
  return shifted(wide ? add64(half, high) : iadd(half, high), m.shift - 1);
}

// Rounds down first, then up by one where the quotient is below zero.
FunctionLowering::Operand FunctionLowering::signed_quotient(Operand a, int64_t divisor, bool wide) {
  const unsigned bits = wide ? 64 : 32;
  const uint64_t size = magnitude(divisor);
  const auto shifted = [&](Operand v, unsigned n) {
    return wide ? shr64(v, mir::imm(n), true) : shr(v, mir::imm(n), true);
  };
  const auto minus = [&](Operand x, Operand y) { return wide ? sub64(x, y) : isub(x, y); };
  if (size == 1) return divisor > 0 ? a : minus(mir::imm(0), a);
  const Operand below = shifted(a, bits - 1);  // -1 where a is below zero
  if (std::has_single_bit(size)) {
    const auto n = static_cast<unsigned>(std::countr_zero(size));
    const Operand up = wide ? shr64(below, mir::imm(bits - n), false) : shr(below, mir::imm(bits - n), false);
    const Operand q = shifted(wide ? add64(a, up) : iadd(a, up), n);
    return divisor > 0 ? q : minus(mir::imm(0), q);
  }
  const Multiplier m = multiplier_for(size, bits, 1);
  const Operand multiplier = mir::imm(static_cast<int64_t>(m.low));
  Operand high;
  if (wide) {  // a * m, where a without its sign is 2^64 too large
    const Operand too_much = pair(lop(isa::LogicOp::And, below.word(0), word(multiplier, 0)),
                                  lop(isa::LogicOp::And, below.word(1), word(multiplier, 1)));
    high = sub64(mul_hi64(a, multiplier, false), too_much);
  } else {  // the machine takes a multiplier of 32 bits for 2^32 less
    high = imul_hi(a, multiplier, true, m.low >> 31 ? a : Operand{});
  }
  const Operand q = shifted(high, m.shift);
  return divisor > 0 ? minus(q, below) : minus(below, q);
}

}  // namespace heddle::compiler::lower
