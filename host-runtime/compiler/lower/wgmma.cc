// SPDX-License-Identifier: Apache-2.0
// wgmma: products of 64 rows by four warps, which take B, and A too, from shared memory. Each warp does its 16 rows by
// mma.sync's instructions, whose bits an H200's wgmma has, and at once: so there is nothing to fence, commit or await.
// What it loads are mma's fragments: 8 rows of 16 bytes are what LDSM calls a matrix, whatever is in them. Where they
// are: descriptor.cc.
#include <algorithm>
#include <cstddef>

#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

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
  const Pieces pieces =
      pieces_of(descriptor, rows_of_k, lop(isa::LogicOp::And, lane, mir::imm(7)), shr(lane, mir::imm(4), false));
  const Operand number = imad(warp_in_group(), mir::imm(2), lower);
  return load_matrices(swizzled(pieces, place_of(pieces, pieces.start, number)), 4, rows_of_k);
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
  Pieces pieces = pieces_of(operands[2], rows_of_k(0), lop(isa::LogicOp::And, lane, mir::imm(7)), part);
  const Operand start = together == 1 ? pieces.start : place_of(pieces, pieces.start, shr(lane, mir::imm(4), false));
  const auto words = static_cast<size_t>(product.registers('c'));
  for (int tile = 0; tile < form.tiles(); tile += together) {
    const int count = std::min(together, form.tiles() - tile);
    const Operand loaded =
        load_matrices(address_of(pieces, start, tile), static_cast<size_t>(count * parts), rows_of_k(0));
    for (int i = 0; i < count; ++i) {
      const size_t first = static_cast<size_t>(tile + i) * words;
      const Operand b = static_cast<unsigned>(parts) == loaded.count ? loaded : loaded.pair(static_cast<unsigned>(i));
      const Operand c = keeps ? fragment(operands[0], first, words) : Operand{};
      store_fragment(operands[0], multiply(insn, product, a, b, c), first);
    }
  }
}

}  // namespace heddle::compiler::lower
