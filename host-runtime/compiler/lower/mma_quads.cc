// SPDX-License-Identifier: Apache-2.0
// mma.m8n8k4 of f16: four products of an 8 x 4 and a 4 x 8 matrix at a time, each by two quads of lanes, 4 g + q and 16
// + 4 g + q. Tensor cores after compute capability 7.x do not have it; silicon computes it in f32, and so does this,
// with the same bits:
//
//   f32 D   a0 b0, fused with a1 b1, a2 b2, a3 b3, then + c
//   f16 D   ((a0 b0 fused with a1 b1) + c) + (a2 b2 fused with a3 b3), then to f16
//
// Lane (q, upper) holds row q + 4 upper of A and that column of B, four numbers in two registers (the other layouts are
// turned first). Of D it computes what it holds of it: of f16 that row; of f32 register i is row q % 2 + i & 2 + 4
// upper, column i & 4 + (q & 2) + i % 2.
#include <array>

#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

using isa::FloatFormat;

FunctionLowering::Operand FunctionLowering::from_lane(Operand x, Operand lane) {
  Operand d = t32();
  emit(Op::Shfl, d, x, lane).set("mode", isa::ShflMode::Idx).set("clamp", 1);
  return d;
}

// Four numbers in two registers of each lane of a quad: lane q gets number q of the quad's lanes 0 to 3.
FunctionLowering::Operand FunctionLowering::turn_quads(Operand x, Operand lane) {
  Operand first = lop(isa::LogicOp::And, lane, mir::imm(~3));
  mir::VReg upper = isetp(isa::ICmp::Ne, false, lop(isa::LogicOp::And, lane, mir::imm(2)), mir::imm(0));
  mir::VReg odd = isetp(isa::ICmp::Ne, false, lop(isa::LogicOp::And, lane, mir::imm(1)), mir::imm(0));
  Operand which = select(when(odd), in_register(mir::imm(0x7632)), mir::imm(0x5410));  // bytes of two words
  Operand d = new_fragment(2);
  std::array<Operand, 4> words;
  for (int k = 0; k < 4; ++k) {
    Operand from = lop(isa::LogicOp::Or, first, mir::imm(k));
    Operand low = from_lane(x.word(0), from), high = from_lane(x.word(1), from);
    words[static_cast<size_t>(k)] = select(when(upper), high, low);
  }
  for (unsigned i = 0; i < 2; ++i) emit(Op::Prmt, d.word(i), words[2 * i], which, words[2 * i + 1]);
  return d;
}

// Four numbers as f32.
std::array<FunctionLowering::Operand, 4> FunctionLowering::four_numbers(Operand x) {
  std::array<Operand, 4> out;
  for (unsigned k = 0; k < 4; ++k) out[k] = convert(x.word(k / 2), FloatFormat::F16, FloatFormat::F32, k % 2);
  return out;
}

void FunctionLowering::lower_mma_quads(const Insn& insn, const ptx::MmaForm& form) {
  const bool f32_d = form.d == Type::kF32, f32_c = form.c == Type::kF32;
  Operand lane = lane_id();
  Operand a = fragment(insn, form, 'a'), b = fragment(insn, form, 'b');
  const auto c_register = [&](unsigned i) { return fragment(insn.operands[3], i, 1); };
  emit(Op::Warpsync, {}, {}, mir::imm(-1));
  if (form.column_a) a = turn_quads(a, lane);
  if (form.row_b) b = turn_quads(b, lane);
  // Lane `keep` of this lane's bits, the others as given.
  const auto pair_of = [&](Operand x, int keep, int other) {
    Operand from = lop(isa::LogicOp::And, lane, mir::imm(keep));
    if (other) from = lop(isa::LogicOp::Or, from, mir::imm(other));
    Operand d = new_fragment(2);
    for (unsigned i = 0; i < 2; ++i) copy(d.word(i), from_lane(x.word(i), from));
    return d;
  };
  std::vector<Operand> results;
  if (!f32_d) {
    const std::array<Operand, 4> row = four_numbers(a);
    for (unsigned column = 0; column < 8; ++column) {
      const int from = static_cast<int>(column % 4 + column / 4 * 16);
      const std::array<Operand, 4> other = four_numbers(pair_of(b, 0x0C, from));
      Operand c = convert(c_register(column / 2), FloatFormat::F16, FloatFormat::F32, column % 2);
      Operand low = ffma(row[1], other[1], fmul(row[0], other[0])),
              high = ffma(row[3], other[3], fmul(row[2], other[2]));
      results.push_back(fadd(fadd(low, c), high));
    }
    for (unsigned i = 0; i < 4; ++i) {
      Operand above = convert(results[2 * i + 1], FloatFormat::F32, FloatFormat::F16);
      f2f(reg(insn.operands[0].elements[i].ref.index), results[2 * i], FloatFormat::F32, FloatFormat::F16)
          .set("pack", 1)
          ->a = above;
    }
    return;
  }
  std::array<std::array<Operand, 4>, 2> rows;
  std::array<std::array<Operand, 4>, 4> columns;
  for (int r = 0; r < 2; ++r) rows[static_cast<size_t>(r)] = four_numbers(pair_of(a, 0x1D, 2 * r));
  for (int j = 0; j < 4; ++j) columns[static_cast<size_t>(j)] = four_numbers(pair_of(b, 0x0E, j % 2 + j / 2 * 16));
  // Of C in f16, rows lie as A's do; which half of a row, the lane's second bit says.
  const auto c_pair = [&](unsigned row, unsigned columns_of) {
    mir::VReg upper = isetp(isa::ICmp::Ne, false, lop(isa::LogicOp::And, lane, mir::imm(2)), mir::imm(0));
    Operand from = lop(isa::LogicOp::And, lane, mir::imm(0x1D));
    if (row) from = lop(isa::LogicOp::Or, from, mir::imm(2));
    Operand low = from_lane(c_register(2 * columns_of), from), high = from_lane(c_register(2 * columns_of + 1), from);
    return select(when(upper), high, low);
  };
  for (unsigned i = 0; i < 8; ++i) {
    const std::array<Operand, 4>&x = rows[i / 2 % 2], &y = columns[i / 4 * 2 + i % 2];
    Operand sum = fmul(x[0], y[0]);
    for (size_t k = 1; k < 4; ++k) sum = ffma(x[k], y[k], sum);
    Operand c = f32_c ? c_register(i) : convert(c_pair(i / 2 % 2, i / 4), FloatFormat::F16, FloatFormat::F32, i % 2);
    results.push_back(fadd(sum, c));
  }
  for (unsigned i = 0; i < 8; ++i) copy(reg(insn.operands[0].elements[i].ref.index), results[i]);
}

}  // namespace heddle::compiler::lower
