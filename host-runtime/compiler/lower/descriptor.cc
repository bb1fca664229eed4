// SPDX-License-Identifier: Apache-2.0
// Where wgmma's descriptors say that a matrix lies in shared memory, in pieces of 8 rows of 16 bytes:
//   bits 0-13 address, 16-29 leading and 32-45 stride byte offset, each / 16; 49-51 the number, mod 8, of the 128 bytes
//   where the pattern begins; 62-63 how addresses are swizzled: 1 within rows of 128 bytes, 2 64, 3 32, 0 not at all
// Where memory has rows of m or n (K-major) a matrix follows the one before it in K by 16 bytes, unswizzled by the
// leading offset, and that before it in m or n by the stride offset. Where it has rows of k, which LDSM transposes,
// one row has 8, 4, 2 matrices of neighbouring m or n, which are followed by others after the leading offset, and after
// the stride offset there are others of k; unswizzled it has one, and the offsets change places.
// Most descriptors are a constant but for the address. Of such a one the places of the pieces are constants, too.
#include <bit>

#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

constexpr int kPieceBits = 4, kPieceRows = 8;
constexpr uint32_t kField = 0x3fff0;            // an address or offset, in bytes
constexpr uint64_t kLeading = 0x3fffull << 16;  // in the descriptor

}  // namespace

// The bits of a PTX register that are the same whenever it is read: those that its only writer gives it.
FunctionLowering::Known FunctionLowering::known_bits(const ptx::Operand& operand, int depth) const {
  if (operand.is_int()) return {~uint64_t{0}, operand.bits};
  if (!operand.is_register() || depth == 0) return {};
  const int bits = ptx::type_bits(function_.registers[operand.ref.index]);
  const uint64_t all = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const Known known = bits > 64 ? Known{} : written_bits(writers_[operand.ref.index].insn, depth - 1);
  return {known.mask | ~all, known.bits & all};
}

FunctionLowering::Known FunctionLowering::written_bits(const Insn* writer, int depth) const {
  if (!writer || writer->operands.size() < 2 || writer->types[0] == Type::kPred) return {};
  const auto source = [&](size_t n) { return known_bits(writer->operands[n], depth); };
  const std::string_view op = writer->opcode;
  if (op == "mov" && writer->operands[1].kind == ptx::Operand::Kind::kVector) {
    const auto& parts = writer->operands[1].elements;
    if (parts.size() != 2 || ptx::type_bits(writer->type()) != 64) return {};
    const Known low = known_bits(parts[0], depth), high = known_bits(parts[1], depth);
    return {(low.mask & 0xffffffff) | high.mask << 32, (low.bits & 0xffffffff) | high.bits << 32};
  }
  const bool widens = op == "cvt" && writer->types[0] == Type::kU32 && ptx::type_bits(writer->types[1]) == 64;
  if (op == "mov" || widens) return source(1);
  if (writer->operands.size() != 3) return {};
  const ptx::Operand& last = writer->operands[2];
  if (op == "and" || op == "or") {
    const Known a = source(1), b = source(2);
    const uint64_t ones = op == "and" ? a.bits & b.bits : a.bits | b.bits;
    const uint64_t zeros_a = a.mask & ~a.bits, zeros_b = b.mask & ~b.bits;
    const uint64_t zeros = op == "and" ? zeros_a | zeros_b : zeros_a & zeros_b;
    return {ones | zeros, ones};
  }
  if (!last.is_int()) return {};
  const Known a = source(1);
  if (last.bits < 64 && op == "shl")
    return {a.mask << last.bits | ((uint64_t{1} << last.bits) - 1), a.bits << last.bits};
  if (last.bits < 64 && op == "shr" && !ptx::is_signed(writer->type()))
    return {a.mask >> last.bits | ~(~uint64_t{0} >> last.bits), a.bits >> last.bits};
  if (op != "add" || writer->has("cc") || last.bits >> 32) return {};
  // A bit that is zero above the addend stops what is carried.
  for (int bit = std::bit_width(last.bits); bit < 63; ++bit)
    if ((a.mask & ~a.bits) >> bit & 1) return {a.mask >> (bit + 1) << (bit + 1), a.bits >> (bit + 1) << (bit + 1)};
  return {};
}

// The lane has the address of `row` of the piece that is number `part` in K.
FunctionLowering::Pieces FunctionLowering::pieces_of(const ptx::Operand& descriptor, bool rows_of_k, Operand row,
                                                     Operand part) {
  const Known known = known_bits(descriptor);
  const bool knows_high = known.mask >> 32 == 0xffffffff, knows_leading = (known.mask & kLeading) == kLeading;
  const Operand whole = src(descriptor, Type::kB64), low = in_register(word(whole, 0)),
                high = in_register(knows_high ? mir::imm(static_cast<int64_t>(known.bits >> 32)) : word(whole, 1));
  const auto field = [&](Operand x) { return lop(isa::LogicOp::And, x, mir::imm(kField)); };
  const auto constant = [&](int shift) { return mir::imm(static_cast<int64_t>(known.bits >> shift & kField)); };
  const Operand start = field(shl(low, mir::imm(4))),
                leading = knows_leading ? constant(12) : field(shr(low, mir::imm(12), false)),
                strides = knows_high ? constant(28) : field(shl(high, mir::imm(4)));
  // Rows of 128, 64, 32, 16 bytes are 0, 1, 2, 3.
  const Operand narrow = shr(iadd(high, mir::imm(-0x40000000)), mir::imm(30), false);
  const Operand begins = lop(isa::LogicOp::And, shr(high, mir::imm(17), false), mir::imm(kPieceRows - 1));
  const mir::VReg plain = isetp(isa::ICmp::Eq, false, narrow, mir::imm(3));
  const auto either = [&](Operand if_plain, Operand otherwise) {
    if (knows_high) return known.bits >> 62 == 0 ? if_plain : otherwise;
    return select(when(plain), in_register(if_plain), otherwise);
  };
  const Operand pitch = shr(in_register(mir::imm(128)), narrow, false);
  Pieces pieces{.rows_of_k = rows_of_k};
  if (knows_high) pieces.pitch = 128 >> ((known.bits >> 62) - 1 & 3);
  pieces.swizzle = iadd(pitch, mir::imm(-16));
  pieces.phase = imad(begins, mir::imm(-16), mir::imm(0));
  pieces.stride = rows_of_k ? either(strides, leading) : strides;
  if (rows_of_k) pieces.group_bits = isub(in_register(mir::imm(3)), narrow);
  const Operand next_in_k = either(leading, rows_of_k ? strides : mir::imm(1 << kPieceBits));
  pieces.start = imad(part, in_register(next_in_k), imad(row, pitch, start));
  return pieces;
}

// What is at `from` in the first piece, in piece `number` of those next in m or n; the address before it is swizzled.
FunctionLowering::Operand FunctionLowering::place_of(const Pieces& pieces, Operand from, Operand number) {
  if (!pieces.rows_of_k) return imad(in_register(number), in_register(pieces.stride), from);
  const Operand inside = lop(isa::LogicOp::And, shl(in_register(number), mir::imm(kPieceBits)), pieces.swizzle);
  const Operand group = shr(in_register(number), pieces.group_bits, false);
  return iadd(imad(group, in_register(pieces.stride), from), inside);
}

// The address at `from` in a later piece. A pattern's repetitions are a constant apart, where descriptors are.
FunctionLowering::Address FunctionLowering::address_of(Pieces& pieces, Operand from, int number) {
  if (!pieces.pitch || !pieces.stride.is_imm()) return swizzled(pieces, place_of(pieces, from, mir::imm(number)));
  const int in_row = pieces.rows_of_k ? pieces.pitch >> kPieceBits : 1, pattern = kPieceRows * pieces.pitch;
  const int64_t place = pieces.stride.imm * (number / in_row) + (number % in_row << kPieceBits), rest = place % pattern;
  Operand& repeated = pieces.repeated[rest];
  if (repeated.is_none()) repeated = swizzled(pieces, iadd(from, mir::imm(rest))).base;
  return {.base = repeated, .offset = mir::imm(place - rest), .space = ptx::Space::kShared};
}

// Bits 4 to 6 of an address are changed by bits 7 to 9, counted from where the pattern begins.
FunctionLowering::Address FunctionLowering::swizzled(const Pieces& pieces, Operand place) {
  const Operand rows = imul_hi(place, in_register(mir::imm(1 << 29)), false, pieces.phase);  // place / 8, from there
  Operand at = t32();
  emit(Op::Lop3, at, place, rows, pieces.swizzle).set("lut", 0x78);  // a ^ (b & c)
  return {.base = at, .offset = mir::imm(0), .space = ptx::Space::kShared};
}

}  // namespace heddle::compiler::lower
