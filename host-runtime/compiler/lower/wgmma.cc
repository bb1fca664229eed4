// SPDX-License-Identifier: Apache-2.0
// wgmma: products of 64 rows by four warps, which take B, and A too, from shared memory. Each warp does its 16 rows by
// mma.sync's instructions, whose bits an H200's wgmma has, and at once: so there is nothing to fence, commit or await.
// What it loads are mma's fragments: 8 rows of 16 bytes are what LDSM calls a matrix, whatever is in them. A descriptor
// says where they are:
//   bits 0-13 address, 16-29 leading and 32-45 stride byte offset, each / 16; 49-51 the number, mod 8, of the 128 bytes
//   where the pattern begins; 62-63 how addresses are swizzled: 1 within rows of 128 bytes, 2 64, 3 32, 0 not at all
// Where memory has rows of m or n (K-major) a matrix follows the one before it in K by 16 bytes, unswizzled by the
// leading offset, and that before it in m or n by the stride offset. Where it has rows of k, which LDSM transposes,
// one row has 8, 4, 2 matrices of neighbouring m or n, which are followed by others after the leading offset, and after
// the stride offset there are others of k; unswizzled it has one, and the offsets change places.
#include <algorithm>
#include <cstddef>

#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

constexpr int kRowBits = 3, kChunkBits = 4;  // a matrix has 8 rows of 16 bytes

}  // namespace

// The lane has the address of `row` of the matrix that is number `part` in K.
FunctionLowering::Tiles FunctionLowering::tiles_of(Operand descriptor, bool rows_of_k, Operand row, Operand part) {
  constexpr int64_t kField = 0x3fff0;  // an address or offset, in bytes
  const Operand low = in_register(word(descriptor, 0)), high = in_register(word(descriptor, 1));
  const auto field = [&](Operand x) { return lop(isa::LogicOp::And, x, mir::imm(kField)); };
  const Operand start = field(shl(low, mir::imm(4))), leading = field(shr(low, mir::imm(12), false)),
                strides = field(shl(high, mir::imm(4)));
  // Rows of 128, 64, 32, 16 bytes are 0, 1, 2, 3.
  const Operand narrow = shr(iadd(high, mir::imm(-0x40000000)), mir::imm(30), false);
  const mir::VReg plain = isetp(isa::ICmp::Eq, false, narrow, mir::imm(3));
  const Operand pitch = shr(in_register(mir::imm(128)), narrow, false);
  const Operand begins = lop(isa::LogicOp::And, shr(high, mir::imm(17), false), mir::imm(7));
  Tiles tiles{.rows_of_k = rows_of_k, .stride = strides};
  tiles.swizzle = iadd(pitch, mir::imm(-16));
  tiles.phase = imad(begins, mir::imm(-16), mir::imm(0));
  Operand next_in_k = select(when(plain), leading, rows_of_k ? strides : mir::imm(1 << kChunkBits));
  if (rows_of_k) {
    tiles.stride = select(when(plain), strides, leading);
    tiles.group_bits = isub(in_register(mir::imm(3)), narrow);
  }
  tiles.start = imad(part, next_in_k, imad(row, pitch, start));
  return tiles;
}

// What is at `from` in the first matrix, in matrix `number` of those next in m or n.
FunctionLowering::Operand FunctionLowering::tile_place(const Tiles& tiles, Operand from, Operand number) {
  if (number.is_imm() && number.imm == 0) return from;
  if (!tiles.rows_of_k) return imad(tiles.stride, number, from);
  const Operand inside = number.is_imm() ? mir::imm(number.imm << kChunkBits) : shl(number, mir::imm(kChunkBits));
  const Operand group = shr(in_register(number), tiles.group_bits, false);
  return iadd(imad(group, tiles.stride, from), lop(isa::LogicOp::And, tiles.swizzle, inside));
}

// Bits 4 to 6 of an address are changed by bits 7 to 9, counted from where the pattern begins.
FunctionLowering::Address FunctionLowering::swizzled(const Tiles& tiles, Operand place) {
  const Operand rows = imul_hi(place, in_register(mir::imm(1 << 29)), false, tiles.phase);  // place / 8, from there
  Operand at = t32();
  emit(Op::Lop3, at, place, rows, tiles.swizzle).set("lut", 0x78);  // a ^ (b & c)
  return {.base = at, .offset = mir::imm(0), .space = ptx::Space::kShared};
}

// Which of four warps; those of a block are numbered by their threads' places in it.
FunctionLowering::Operand FunctionLowering::warp_in_group() {
  const auto read = [&](isa::SpecialReg which) {
    Operand d = t32();
    emit(Op::S2r, d, {}, mir::imm(static_cast<int>(which)));
    return d;
  };
  using R = isa::SpecialReg;
  const Operand row = imad(read(R::TidZ), read(R::NtidY), read(R::TidY));
  const Operand thread = imad(row, read(R::NtidX), read(R::TidX));
  return lop(isa::LogicOp::And, shr(thread, mir::imm(5), false), mir::imm(3));
}

// The warp's 16 rows of A from shared memory: lanes 8 to 15 and 24 to 31 have the addresses of the lower eight.
FunctionLowering::Operand FunctionLowering::group_factor(const ptx::Operand& descriptor, bool rows_of_k) {
  const Operand lane = lane_id(), lower = lop(isa::LogicOp::And, shr(lane, mir::imm(3), false), mir::imm(1));
  const Tiles tiles = tiles_of(src(descriptor, Type::kB64), rows_of_k, lop(isa::LogicOp::And, lane, mir::imm(7)),
                               shr(lane, mir::imm(4), false));
  const Operand number = imad(warp_in_group(), mir::imm(2), lower);
  return load_matrices(swizzled(tiles, tile_place(tiles, tiles.start, number)), 4, rows_of_k);
}

FunctionLowering::Operand FunctionLowering::negative_factor(Operand a, Type type) {
  const mir::Operand signs = mir::imm(ptx::type_bits(type) == 16 ? 0x80008000 : 0x80000000);
  Operand d = new_fragment(a.count);
  for (unsigned i = 0; i < a.count; ++i) emit(Op::Lop, d.word(i), a.word(i), signs).set("op", isa::LogicOp::Xor);
  return d;
}

// Sums that are not to be kept are zeros to begin with.
void FunctionLowering::clear_unless(Pred kept, const ptx::Operand& sums) {
  const mir::BlockId clear = b_.new_block(), join = b_.new_block();
  b_.branch(kept, join, clear);
  set_block(clear);
  for (const ptx::Operand& sum : sums.elements) copy(reg(sum.ref.index), mir::imm(0));
  start_block(join);
}

void FunctionLowering::lower_wgmma(const Insn& insn) {
  if (!insn.has("mma_async")) return;
  ptx::WgmmaForm form;
  (void)ptx::parse_wgmma(insn, form);  // as the check found it
  const ptx::MmaForm& product = form.product;
  if (ptx::type_bits(product.a) == 8 && ptx::is_float(product.a))
    return error(insn.loc, "Instruction '" + insn.full_name() +
                               "' is not supported by this version: sums of wgmma's products of 8-bit floating point "
                               "are not those of mma");
  if (!has_tensor_unit(insn, 90)) return;
  const auto& operands = insn.operands;
  const size_t scale = product.sparse ? 5 : 3;
  const bool keeps = !operands[scale].is_int() || operands[scale].bits != 0;
  if (!operands[scale].is_int()) clear_unless(pred(operands[scale]), operands[0]);
  const bool from_registers = operands[1].kind == ptx::Operand::Kind::kVector;
  const auto rows_of_k = [&](size_t from_last) {
    return form.has_layouts() && operands.rbegin()[static_cast<std::ptrdiff_t>(from_last)].bits != 0;
  };
  Operand a = from_registers ? fragment(insn, product, 'a') : group_factor(operands[1], rows_of_k(1));
  // The product of a negative and a positive number is that of the positive and the negative one.
  if (form.has_signs() && operands[scale + 1].bits != operands[scale + 2].bits) a = negative_factor(a, product.a);

  // Two matrices in K make a fragment of B, of a sparse A's product four; four are loaded at a time.
  const int parts = product.registers('b'), together = 4 / parts;
  const Operand lane = lane_id(), matrix = shr(lane, mir::imm(3), false);
  const Operand part = lop(isa::LogicOp::And, matrix, mir::imm(parts - 1));
  const Tiles tiles =
      tiles_of(src(operands[2], Type::kB64), rows_of_k(0), lop(isa::LogicOp::And, lane, mir::imm(7)), part);
  const Operand start = together == 1 ? tiles.start : tile_place(tiles, tiles.start, shr(lane, mir::imm(4), false));
  const auto words = static_cast<size_t>(product.registers('c'));
  for (int tile = 0; tile < form.tiles(); tile += together) {
    const int count = std::min(together, form.tiles() - tile);
    const Operand loaded = load_matrices(swizzled(tiles, tile_place(tiles, start, mir::imm(tile))),
                                         static_cast<size_t>(count * parts), rows_of_k(0));
    for (int i = 0; i < count; ++i) {
      const size_t first = static_cast<size_t>(tile + i) * words;
      const Operand b = static_cast<unsigned>(parts) == loaded.count ? loaded : loaded.pair(static_cast<unsigned>(i));
      const Operand c = keeps ? fragment(operands[0], first, words) : Operand{};
      store_fragment(operands[0], multiply(insn, product, a, b, c), first);
    }
  }
}

}  // namespace heddle::compiler::lower
