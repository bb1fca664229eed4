// SPDX-License-Identifier: Apache-2.0
// ldmatrix, stmatrix, movmatrix: matrices of 8 x 8 numbers of 16 bits. A warp holds one in a register of each lane:
// lane 4 g + q has columns 2 q and 2 q + 1 of row g. In memory a row is 16 bytes anywhere; lane 8 i + g has the address
// of row g of matrix i, which the row's four lanes get by a shuffle.
#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {

FunctionLowering::Operand FunctionLowering::lane_id() {
  Operand lane = t32();
  emit(Op::S2r, lane, {}, mir::imm(static_cast<int>(isa::SpecialReg::LaneId)));
  return lane;
}

// Column g of rows 2 q and 2 q + 1: one half of what lanes 8 q + g / 2 and 8 q + 4 + g / 2 have.
FunctionLowering::Operand FunctionLowering::transpose(Operand x, Operand lane) {
  Operand first =
      lop(isa::LogicOp::Or, shl(lop(isa::LogicOp::And, lane, mir::imm(3)), mir::imm(3)), shr(lane, mir::imm(3), false));
  Operand low = from_lane(x, first), high = from_lane(x, lop(isa::LogicOp::Or, first, mir::imm(4)));
  mir::VReg odd = isetp(isa::ICmp::Ne, false, lop(isa::LogicOp::And, lane, mir::imm(4)), mir::imm(0));
  Operand d = t32();
  emit(Op::Prmt, d, low, select(when(odd), in_register(mir::imm(0x7632)), mir::imm(0x5410)),
       high);  // bytes of two words
  return d;
}

// Of each matrix the address of this lane's two numbers, without the offset.
std::vector<FunctionLowering::Operand> FunctionLowering::row_addresses(const Address& rows, Operand lane,
                                                                       size_t matrices) {
  Operand base = in_register(rows.base), row = shr(lane, mir::imm(2), false);
  Operand inside = shl(lop(isa::LogicOp::And, lane, mir::imm(3)), mir::imm(2));
  std::vector<Operand> out;
  for (size_t i = 0; i < matrices; ++i) {
    Operand from = i ? lop(isa::LogicOp::Or, row, mir::imm(static_cast<int64_t>(8 * i))) : row;
    out.push_back(iadd(from_lane(base, from), inside));
  }
  return out;
}

// Generic addresses of shared memory have the address there in their lower word.
FunctionLowering::Address FunctionLowering::shared_address(const Insn& insn, const ptx::Operand& operand) {
  Address out = address(insn, operand);
  if (out.base.is_reg() && out.base.count == 2) out.base = out.base.word(0);
  out.space = Space::kShared;
  return out;
}

// One, two or four matrices, of whose rows the lanes have the addresses: a register of each.
FunctionLowering::Operand FunctionLowering::load_matrices(const Address& from, size_t count, bool transposed) {
  Operand loaded = new_fragment(count);
  if (program_.options().has.matrix_load) {
    emit(Op::Warpsync, {}, {}, mir::imm(-1));
    emit(Op::Ldsm, loaded, in_register(from.base), from.offset)
        .set("size", count == 1   ? isa::MemSize::B32
                     : count == 2 ? isa::MemSize::B64
                                  : isa::MemSize::B128)
        .set("trans", transposed);
    return loaded;
  }
  Operand lane = lane_id();
  emit(Op::Warpsync, {}, {}, mir::imm(-1));
  const std::vector<Operand> addresses = row_addresses(from, lane, count);
  std::vector<Operand> words;
  for (Operand at : addresses) {
    words.push_back(t32());
    emit(Op::Lds, words.back(), at, from.offset).set("size", isa::MemSize::B32);
  }
  for (unsigned i = 0; i < count; ++i)
    copy(count == 1 ? loaded : loaded.word(i), transposed ? transpose(words[i], lane) : words[i]);
  return loaded;
}

void FunctionLowering::lower_ldmatrix(const Insn& insn) {
  if (!insn.has("b16")) return unsupported(insn);
  const std::span<const ptx::Operand> to = elements(insn.operands[0]);
  Operand loaded = load_matrices(shared_address(insn, insn.operands[1]), to.size(), insn.has("trans"));
  for (unsigned i = 0; i < to.size(); ++i)
    if (to[i].is_register()) copy(reg(to[i].ref.index), to.size() == 1 ? loaded : loaded.word(i));
}

void FunctionLowering::lower_stmatrix(const Insn& insn) {
  if (!insn.has("b16")) return unsupported(insn);
  const std::span<const ptx::Operand> from = elements(insn.operands[1]);
  const Address to = shared_address(insn, insn.operands[0]);
  Operand lane = lane_id();
  emit(Op::Warpsync, {}, {}, mir::imm(-1));
  const std::vector<Operand> addresses = row_addresses(to, lane, from.size());
  std::vector<Operand> stored;
  for (const ptx::Operand& operand : from) {
    Operand x = in_register(src(operand, Type::kB32));
    stored.push_back(insn.has("trans") ? transpose(x, lane) : x);
  }
  for (size_t i = 0; i < from.size(); ++i)
    emit(Op::Sts, {}, addresses[i], to.offset, stored[i]).set("size", isa::MemSize::B32);
}

void FunctionLowering::lower_movmatrix(const Insn& insn) {
  Operand x = in_register(src(insn.operands[1], Type::kB32)), lane = lane_id();
  emit(Op::Warpsync, {}, {}, mir::imm(-1));
  copy(dst(insn.operands[0], Type::kB32), transpose(x, lane));
}

}  // namespace heddle::compiler::lower
