// SPDX-License-Identifier: Apache-2.0
// wmma. Where a matrix' numbers are in a warp is for the machine to choose: here they lie as mma's do, 16 rows or 8
// columns of the result after the other, so that wmma.mma is two products of 16 x 8 (or one of 8 x 8):
//
//   m16n16k16, m16n16k8   A with the left and the right half of B
//   m32n8k16              the upper and the lower half of A with B
//   m8n32k16              the two are turned: B's and A's places are exchanged, and C and D are held by columns
//
// A lane's numbers of A, B and C are then those of a row g = lane / 4 and of rows 8 apart: of A and B four bytes'
// worth, beginning at column q = lane % 4 times as many, of C the columns 2 q and 2 q + 1. (Of B a row is what the
// manual calls a column.)
#include <algorithm>
#include <bit>

#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {
namespace {

constexpr int kTileRows = 16, kTileColumns = 8;

bool is_turned(const ptx::MmaForm& product) { return product.n == 32; }
bool is_small(const ptx::MmaForm& product) { return product.m == 8 && product.n == 8; }

struct Place {
  int row, column;
};

// One matrix in memory and in a warp.
struct Layout {
  int bits = 0;               // of a number
  int run = 0;                // numbers that a lane has side by side in a row
  bool along = false;         // which are side by side in memory too
  int leading = 0;            // numbers from one row in memory to the next, where no stride is given
  std::vector<Place> places;  // of lane 0's runs, in the order of the registers

  int run_bytes() const { return run * bits / 8; }
  bool at_once() const { return along && run_bytes() <= 8; }
  // From lane 0's first number to another of its: so many strides, and so many bytes.
  int strides(const Place& place, int number) const { return along ? place.row : place.column + number; }
  int bytes(const Place& place, int number) const { return (along ? place.column + number : place.row) * bits / 8; }
};

Layout layout_of(const ptx::WmmaForm& form) {
  const ptx::MmaForm& product = form.product;
  const bool is_a = form.matrix == 'a', is_b = form.matrix == 'b', factor = is_a || is_b, turned = is_turned(product);
  Layout out;
  out.bits = ptx::type_bits(product.type(form.matrix));
  out.run = factor ? std::max(1, 32 / out.bits) : 2;
  const bool sideways = is_b || (!factor && turned);  // a lane's row is a column of the matrix
  out.along = sideways == form.column;
  const int height = is_b ? product.k : product.m, width = is_a ? product.k : product.n;
  out.leading = form.column ? height : width;
  const bool tall = !factor || is_a != turned;
  const int tile = tall && !is_small(product) ? kTileRows : 8, block = factor ? 4 * out.run : kTileColumns;
  const int rows = sideways ? width : height, columns = sideways ? height : width;
  for (int first = 0; first < rows; first += tile)
    for (int column = 0; column < columns; column += block)
      for (int row = first; row < first + tile; row += 8) out.places.push_back({row, column});
  return out;
}

}  // namespace

// A stride in a register is multiplied once for each multiple.
FunctionLowering::WmmaMemory FunctionLowering::wmma_memory(const Insn& insn, const ptx::WmmaForm& form,
                                                           const ptx::Operand& operand) {
  const Layout layout = layout_of(form);
  const Address where = address(insn, operand);
  WmmaMemory out{form.matrix == 'd' ? store_op(where.space) : load_op(where.space), {}, where.offset, {}, {}};
  Operand numbers = insn.operands.size() > 2 ? src(insn.operands[2], Type::kU32) : mir::imm(layout.leading);
  if (numbers.is_imm()) {
    out.stride = mir::imm(numbers.imm * layout.bits / 8);
  } else if (layout.bits < 8) {
    out.stride = shr(numbers, mir::imm(std::countr_zero(8u / static_cast<unsigned>(layout.bits))), false);
  } else {
    out.stride = shl(numbers, mir::imm(std::countr_zero(static_cast<unsigned>(layout.bits) / 8)));
  }
  Operand lane = lane_id(), row = shr(lane, mir::imm(2), false), column = lop(isa::LogicOp::And, lane, mir::imm(3));
  Operand offset;
  if (layout.along) {
    offset = imad(row, out.stride, shl(column, mir::imm(std::countr_zero(static_cast<unsigned>(layout.run_bytes())))));
  } else {
    if (layout.run > 1) column = shl(column, mir::imm(std::countr_zero(static_cast<unsigned>(layout.run))));
    offset = imad(column, out.stride, shl(row, mir::imm(std::countr_zero(static_cast<unsigned>(layout.bits) / 8))));
  }
  Operand base = in_register(where.base);
  out.base = base.count == 2 ? add64(base, pair(offset, mir::imm(0))) : iadd(base, offset);
  emit(Op::Warpsync, {}, {}, mir::imm(-1));
  return out;
}

mir::Builder::Ref FunctionLowering::wmma_access(WmmaMemory& memory, int strides, int bytes, int size, Operand d,
                                                Operand data) {
  Operand base = memory.base, offset = memory.offset;
  offset.imm += bytes;
  if (memory.stride.is_imm()) {
    offset.imm += strides * memory.stride.imm;
  } else if (strides != 0) {
    Operand& moved = memory.bases[strides];
    if (moved.is_none())
      moved = base.count == 2 ? mul_wide(memory.stride, mir::imm(strides), false, base)
                              : imad(memory.stride, mir::imm(strides), base);
    base = moved;
  }
  return emit(memory.op, d, base, offset, data).set("size", size_of(size, false));
}

void FunctionLowering::lower_wmma(const Insn& insn) {
  ptx::WmmaForm form;
  (void)ptx::parse_wmma(insn, form);  // as the check found it
  if (form.matrix == 0) return lower_wmma_mma(insn, form);
  return form.matrix == 'd' ? lower_wmma_store(insn, form) : lower_wmma_load(insn, form);
}

void FunctionLowering::lower_wmma_load(const Insn& insn, const ptx::WmmaForm& form) {
  const Layout layout = layout_of(form);
  const std::span<const ptx::Operand> to = elements(insn.operands[0]);
  WmmaMemory memory = wmma_memory(insn, form, insn.operands[1]);
  std::vector<Operand> loaded;  // by register
  for (const Place& place : layout.places) {
    const auto load = [&](int number, int bytes) {
      Operand d = bytes > 4 ? t64() : t32();
      wmma_access(memory, layout.strides(place, number), layout.bytes(place, number), bytes, d, {});
      return d;
    };
    const auto join = [&](Operand low, int64_t bytes, Operand high) {
      Operand d = t32();
      emit(Op::Prmt, d, low, mir::imm(bytes), high);
      return d;
    };
    if (layout.at_once()) {
      Operand whole = load(0, layout.run_bytes());
      if (layout.bits < 64 && whole.count == 2) {
        loaded.push_back(whole.word(0)), loaded.push_back(whole.word(1));
      } else {
        loaded.push_back(whole);
      }
      continue;
    }
    std::vector<Operand> numbers;
    for (int n = 0; n < layout.run; ++n) numbers.push_back(load(n, layout.bits / 8));
    if (layout.bits >= 32) {
      loaded.insert(loaded.end(), numbers.begin(), numbers.end());
    } else if (layout.bits == 16) {
      loaded.push_back(join(numbers[0], 0x5410, numbers[1]));
    } else {
      Operand low = join(numbers[0], 0x40, numbers[1]), high = join(numbers[2], 0x40, numbers[3]);
      loaded.push_back(join(low, 0x5410, high));
    }
  }
  for (size_t i = 0; i < to.size(); ++i) copy(reg(to[i].ref.index), loaded[i % loaded.size()]);
}

void FunctionLowering::lower_wmma_store(const Insn& insn, const ptx::WmmaForm& form) {
  const Layout layout = layout_of(form);
  const std::span<const ptx::Operand> from = elements(insn.operands[1]);
  WmmaMemory memory = wmma_memory(insn, form, insn.operands[0]);
  const bool halves = layout.bits == 16;  // a register has both numbers
  for (size_t i = 0; i < layout.places.size(); ++i) {
    const Place& place = layout.places[i];
    const auto store = [&](int number, int bytes, Operand data) {
      wmma_access(memory, layout.strides(place, number), layout.bytes(place, number), bytes, {}, data);
    };
    const auto number_of = [&](size_t n) { return reg(from[halves ? i : 2 * i + n].ref.index); };
    if (layout.at_once()) {
      store(0, layout.run_bytes(), halves ? number_of(0) : pair(number_of(0), number_of(1)));
    } else {
      store(0, layout.bits / 8, number_of(0));
      store(1, layout.bits / 8, halves ? shr(number_of(1), mir::imm(16), false) : number_of(1));
    }
  }
}

void FunctionLowering::lower_wmma_mma(const Insn& insn, const ptx::WmmaForm& form) {
  using isa::FloatFormat;
  const ptx::MmaForm& product = form.product;
  if (is_small(product)) return lower_product(insn, product);
  if (!has_tensor_unit(insn, product.target)) return;
  const bool turned = is_turned(product), f16_c = product.c == Type::kF16, f16_d = product.d == Type::kF16,
             widens = f16_c && !f16_d;
  ptx::MmaForm tile = product;
  tile.m = kTileRows, tile.n = kTileColumns;
  if (turned) std::swap(tile.a, tile.b);
  if (!f16_c) tile.d = product.c;
  tile.c = tile.d;
  const ptx::Operand &tall = insn.operands[turned ? 2 : 1], &wide = insn.operands[turned ? 1 : 2];
  const bool one_tall = product.m == kTileRows;
  // Of tf32 two steps of four columns each.
  const size_t steps = product.a == Type::kTf32 ? 2 : 1;
  const size_t a_registers = static_cast<size_t>(tile.registers('a')) / steps,
               b_registers = static_cast<size_t>(tile.registers('b')) / steps;
  const size_t c_registers = f16_c ? 2 : 4, d_registers = f16_d ? 2 : 4;
  std::vector<Operand> results;
  for (size_t half = 0; half < 2; ++half) {
    Operand sum = fragment(insn.operands[3], half * c_registers, c_registers);
    if (widens) {
      const std::array<Operand, 4> numbers = four_numbers(sum);
      sum = new_fragment(4);
      for (unsigned i = 0; i < 4; ++i) copy(sum.word(i), numbers[i]);
    }
    for (size_t step = 0; step < steps; ++step) {
      const size_t of_a = one_tall ? step : half * steps + step, of_b = one_tall ? half * steps + step : step;
      Operand a = fragment(tall, of_a * a_registers, a_registers), b = fragment(wide, of_b * b_registers, b_registers);
      sum = multiply(insn, tile, a, b, sum);
    }
    if (f16_d && !f16_c) {
      Operand narrow = new_fragment(2);
      for (unsigned i = 0; i < 2; ++i) {
        Operand above = convert(sum.word(2 * i + 1), FloatFormat::F32, FloatFormat::F16);
        f2f(narrow.word(i), sum.word(2 * i), FloatFormat::F32, FloatFormat::F16).set("pack", 1)->a = above;
      }
      sum = narrow;
    }
    results.push_back(sum);
  }
  const std::span<const ptx::Operand> to = elements(insn.operands[0]);
  for (size_t i = 0; i < to.size(); ++i)
    copy(reg(to[i].ref.index), results[i / d_registers].word(static_cast<unsigned>(i % d_registers)));
}

}  // namespace heddle::compiler::lower
