// SPDX-License-Identifier: Apache-2.0
// mma.sync: a lane's registers of a matrix become a pair or quad, which the tensor unit's instructions take. PTX says
// that all lanes come to it together (.aligned); WARPSYNC makes it so, and a later pass drops that where they must be.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

std::span<const ptx::Operand> elements_of(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::kVector ? std::span<const ptx::Operand>(operand.elements)
                                                     : std::span(&operand, 1);
}

}  // namespace

// `count` registers side by side, of a PTX operand's those from `first` on.
FunctionLowering::Operand FunctionLowering::fragment(const ptx::Operand& operand, size_t first, size_t count) {
  const auto elements = elements_of(operand).subspan(first, count);
  if (count == 1) return reg(elements[0].ref.index);
  Operand d = b_.reg(count == 2 ? b_.r64() : b_.r128());
  for (unsigned i = 0; i < count; ++i) copy(d.word(i), reg(elements[i].ref.index));
  return d;
}

FunctionLowering::Operand FunctionLowering::new_fragment(size_t count) {
  return b_.reg(count == 1 ? b_.r32() : count == 2 ? b_.r64() : b_.r128());
}

// The whole fragment, into a PTX operand's registers from `first` on.
void FunctionLowering::store_fragment(const ptx::Operand& operand, Operand d, size_t first) {
  const auto elements = elements_of(operand).subspan(first, d.count);
  for (unsigned i = 0; i < d.count; ++i) copy(reg(elements[i].ref.index), d.count == 1 ? d : d.word(i));
}

// What the tensor unit does with the fragments; c may be none: zeros. Of A half of K, or all, as its registers say.
mir::Builder::Ref FunctionLowering::emit_mma(const Insn& insn, const ptx::MmaForm& form, Op op, Operand d, Operand a,
                                             Operand b, Operand c) {
  emit(Op::Warpsync, {}, {}, mir::imm(-1));
  mir::Builder::Ref i = emit(op, d, a, b, c);
  i.set("half_k", a.count == 2);
  if (!form.sparse) return i;
  i.set("sparse", 1).set("selector", insn.operands[form.metadata + 1].bits);
  i->metadata = reg(insn.operands[form.metadata].ref.index);
  return i;
}

void FunctionLowering::lower_mma(const Insn& insn) {
  ptx::MmaForm form;
  (void)ptx::parse_mma(insn, form);  // as the check found it
  if (form.is_quad_pairs()) return lower_mma_quads(insn, form);
  lower_product(insn, form);
}

// The registers are those of mma.
void FunctionLowering::lower_product(const Insn& insn, const ptx::MmaForm& form) {
  if (form.a == Type::kF64) return lower_mma_double(insn, form);
  if (!has_tensor_unit(insn, form.target)) return;
  Operand a = fragment(insn, form, 'a'), b = fragment(insn, form, 'b'), c = fragment(insn, form, 'c');
  store_fragment(insn.operands[0], multiply(insn, form, a, b, c));
}

bool FunctionLowering::has_tensor_unit(const Insn& insn, unsigned target) {
  if (program_.options().has.tensor) return true;
  error(insn.loc, "Instruction '" + insn.full_name() + "' needs a tensor unit, which this machine lacks: sm_" +
                      std::to_string(target) + " is the first to have it (a preset's tensor_fma)");
  return false;
}

// c may be none for f16, bf16, tf32, bits and bytes: zeros.
FunctionLowering::Operand FunctionLowering::multiply(const Insn& insn, const ptx::MmaForm& form, Operand a, Operand b,
                                                     Operand c) {
  switch (form.a) {
    case Type::kF16:
    case Type::kBf16:
    case Type::kTf32: return mma_float(insn, form, a, b, c);
    case Type::kB1:
    case Type::kU8:
    case Type::kS8: return mma_integer(insn, form, a, b, c);
    case Type::kU4:
    case Type::kS4: return mma_nibbles(insn, form, a, b, c);
    default: return mma_bytes(insn, form, a, b, c);
  }
}

// A lane's registers of matrix A, B or C.
FunctionLowering::Operand FunctionLowering::fragment(const Insn& insn, const ptx::MmaForm& form, char matrix) {
  return fragment(insn.operands[static_cast<size_t>(matrix - 'a' + 1)], 0, static_cast<size_t>(form.registers(matrix)));
}

FunctionLowering::Operand FunctionLowering::mma_float(const Insn& insn, const ptx::MmaForm& form, Operand a, Operand b,
                                                      Operand c) {
  const isa::MmaFormat format = form.a == Type::kF16    ? isa::MmaFormat::F16
                                : form.a == Type::kBf16 ? isa::MmaFormat::Bf16
                                                        : isa::MmaFormat::Tf32;
  Operand d = new_fragment(static_cast<size_t>(form.registers('d')));
  emit_mma(insn, form, Op::Hmma, d, a, b, c).set("format", format).set("f16_d", form.d == Type::kF16);
  return d;
}

FunctionLowering::Operand FunctionLowering::mma_integer(const Insn& insn, const ptx::MmaForm& form, Operand a,
                                                        Operand b, Operand c) {
  Operand d = new_fragment(static_cast<size_t>(form.registers('d')));
  emit_mma(insn, form, Op::Imma, d, a, b, c)
      .set("m8", form.m == 8)
      .set("sign_a", form.a == Type::kS8)
      .set("sign_b", form.b == Type::kS8)
      .set("sat", form.satfinite)
      .set("bits", form.a == Type::kB1)
      .set("xor", form.is_xor);
  return d;
}

// Every other nibble of each register as a byte: the even ones, or the odd.
FunctionLowering::Operand FunctionLowering::nibbles(Operand x, bool odd, bool is_signed) {
  Operand d = new_fragment(x.count);
  for (unsigned i = 0; i < x.count; ++i) {
    Operand word = odd ? shr(x.word(i), mir::imm(4), false) : x.word(i);
    Operand low = lop(isa::LogicOp::And, word, mir::imm(0x0F0F0F0F));
    if (!is_signed) {
      copy(d.word(i), low);
      continue;
    }
    // The sign, 8 in each byte, times 30 is in the byte's upper half.
    Operand sign = lop(isa::LogicOp::And, word, mir::imm(0x08080808));
    emit(Op::Imad, d.word(i), sign, mir::imm(30), low);
  }
  return d;
}

// Of 4-bit integers: two products of bytes, of the columns of A and rows of B with even numbers and of those with odd
// ones. The sum is exact before C is added, which alone may need to be clamped. (Of a sparse A, metadata name pairs of
// columns: those of one pair are in the same place of the two products.)
FunctionLowering::Operand FunctionLowering::mma_nibbles(const Insn& insn, const ptx::MmaForm& form, Operand a,
                                                        Operand b, Operand c) {
  const bool sign_a = form.a == Type::kS4, sign_b = form.b == Type::kS4;
  Operand sum = form.satfinite ? Operand{} : c;
  for (const bool odd : {false, true}) {
    Operand next = new_fragment(c.count);
    emit_mma(insn, form, Op::Imma, next, nibbles(a, odd, sign_a), nibbles(b, odd, sign_b), sum)
        .set("m8", form.m == 8)
        .set("sign_a", sign_a)
        .set("sign_b", sign_b);
    sum = next;
  }
  if (form.satfinite) {
    Operand d = new_fragment(c.count);
    for (unsigned i = 0; i < c.count; ++i) emit(Op::Iadd, d.word(i), sum.word(i), c.word(i)).set("sat", 1);
    sum = d;
  }
  return sum;
}

// Of the four 8-bit numbers in each register the lower two, or the upper, as a pair of f16; that is exact.
FunctionLowering::Operand FunctionLowering::halves_of_bytes(Operand x, bool upper, Type type) {
  constexpr int64_t kIntoUpperBytes[] = {0x1404, 0x3424};  // e5m2 is f16 without its lower byte
  Operand d = new_fragment(x.count);
  for (unsigned i = 0; i < x.count; ++i) {
    if (type == Type::kE5m2) {
      emit(Op::Prmt, d.word(i), x.word(i), mir::imm(kIntoUpperBytes[upper]), {});
      continue;
    }
    Operand bytes = upper ? shr(x.word(i), mir::imm(16), false) : x.word(i);
    Operand above = convert(bytes, isa::FloatFormat::E4m3, isa::FloatFormat::F16, true);
    f2f(d.word(i), bytes, isa::FloatFormat::E4m3, isa::FloatFormat::F16).set("pack", 1)->a = above;
  }
  return d;
}

// Of 8-bit numbers, as compute capability 9.0 does it: the products of k mod 4 in {0, 1}, to their sum those of {2, 3},
// and to that C, rounded to nearest. With a sparse A, the products of every other group of four columns.
FunctionLowering::Operand FunctionLowering::mma_bytes(const Insn& insn, const ptx::MmaForm& form, Operand a, Operand b,
                                                      Operand c) {
  const bool f16 = form.d == Type::kF16;
  std::array<SparseHalf, 2> halves;
  if (form.sparse) halves = sparse_halves(b, reg(insn.operands[form.metadata].ref.index));
  Operand sum, d = new_fragment(c.count);
  for (const bool upper : {false, true}) {
    Operand next = new_fragment(c.count);
    Operand factors = halves_of_bytes(form.sparse ? halves[upper].b : b, upper && !form.sparse, form.b);
    mir::Builder::Ref i =
        emit_mma(insn, form, Op::Hmma, next, halves_of_bytes(a, upper, form.a), factors, sum).set("f16_d", f16);
    if (form.sparse) i.set("selector", 0)->metadata = halves[upper].metadata;
    sum = next;
  }
  for (unsigned i = 0; i < c.count; ++i) emit(f16 ? Op::Hadd2 : Op::Fadd, d.word(i), sum.word(i), c.word(i));
  return d;
}

// B and the metadata for the groups of four columns with even numbers, and for those with odd ones. A lane has a whole
// group in a register of B; of f16 a group lies in two lanes: so the even lane's group is the even half's, the odd
// lane's the odd half's, and of both the lanes take their two bytes, into the lower half of a word. Of 16 groups a lane
// has metadata of eight of one row; of 8 groups it has those of four of two rows.
std::array<FunctionLowering::SparseHalf, 2> FunctionLowering::sparse_halves(Operand b, Operand metadata) {
  Operand lane = lane_id();
  Operand odd = lop(isa::LogicOp::And, lane, mir::imm(1));
  mir::VReg is_odd = isetp(isa::ICmp::Ne, false, odd, mir::imm(0));
  Operand shift = shl(odd, mir::imm(4)), neighbour = lop(isa::LogicOp::Xor, lane, mir::imm(1));
  Operand source = lop(isa::LogicOp::Or, lop(isa::LogicOp::And, lane, mir::imm(~3)), shl(odd, mir::imm(1)));
  emit(Op::Warpsync, {}, {}, mir::imm(-1));
  std::array<SparseHalf, 2> out;
  for (SparseHalf& half : out) half = {new_fragment(b.count), t32()};
  for (unsigned i = 0; i < b.count; ++i) {
    Operand own = b.word(i), other = from_lane(own, neighbour);
    emit(Op::Shr, out[0].b.word(i), select(when(is_odd), other, own), shift);
    emit(Op::Shr, out[1].b.word(i), select(when(is_odd), own, other), shift);
  }
  const std::array<Operand, 2> rows = {from_lane(metadata, source),
                                       from_lane(metadata, lop(isa::LogicOp::Or, source, mir::imm(1)))};
  for (const bool upper : {false, true}) {
    std::array<Operand, 2> packed;
    for (size_t h = 0; h < 2; ++h) {
      Operand nibbles = upper ? shr(rows[h], mir::imm(4), false) : rows[h];
      nibbles = lop(isa::LogicOp::And, nibbles, mir::imm(0x0F0F0F0F));
      packed[h] = lop(isa::LogicOp::Or, nibbles, shr(nibbles, mir::imm(4), false));
    }
    emit(Op::Prmt, out[upper].metadata, packed[0], mir::imm(0x6420), packed[1]);
  }
  return out;
}

// Of f64 each result is a chain of DFMA over ascending k, as silicon has it: of q and g, lane 4 g + k has A's element k
// of row g, and lane 4 j + k B's of column j; the lane's results are columns 2 q and 2 q + 1, of the upper eight rows
// and of the lower. DMMA does it for eight rows and four columns of A.
void FunctionLowering::lower_mma_double(const Insn& insn, const ptx::MmaForm& form) {
  if (!program_.options().has.fp64)
    return error(insn.loc,
                 "Instruction '" + insn.full_name() + "' needs double precision in hardware, which this machine lacks");
  const auto register_of = [&](size_t operand, int n) {
    return reg(elements_of(insn.operands[operand])[static_cast<size_t>(n)].ref.index);
  };
  const int halves = form.m / 8;
  if (program_.options().has.dmma) {
    std::array<Operand, 2> sums;
    for (int half = 0; half < halves; ++half) {
      Operand& sum = sums[static_cast<size_t>(half)];
      sum = new_fragment(4);
      for (int e = 0; e < 2; ++e) copy(sum.pair(static_cast<unsigned>(e)), register_of(3, 2 * half + e));
      for (int k = 0; k < form.k / 4; ++k) {
        Operand next = new_fragment(4);
        emit(Op::Warpsync, {}, {}, mir::imm(-1));
        emit(Op::Dmma, next, register_of(1, halves * k + half), register_of(2, k), sum);
        sum = next;
      }
    }
    for (int n = 0; n < 2 * halves; ++n)
      copy(register_of(0, n), sums[static_cast<size_t>(n / 2)].pair(static_cast<unsigned>(n % 2)));
    return;
  }
  Operand lane = lane_id(), row = lop(isa::LogicOp::And, lane, mir::imm(~3)),
          column = shl(lop(isa::LogicOp::And, lane, mir::imm(3)), mir::imm(3));
  emit(Op::Warpsync, {}, {}, mir::imm(-1));
  const auto double_from = [&](Operand x, Operand of, int k) {
    Operand from = k ? lop(isa::LogicOp::Or, of, mir::imm(k)) : of, d = t64();
    for (unsigned i = 0; i < 2; ++i) copy(d.word(i), from_lane(x.word(i), from));
    return d;
  };
  std::vector<Operand> sums;
  for (int n = 0; n < 2 * halves; ++n) sums.push_back(register_of(3, n));
  for (int k = 0; k < form.k; ++k) {
    const std::array<Operand, 2> b = {double_from(register_of(2, k / 4), column, k % 4),
                                      double_from(register_of(2, k / 4), column, 4 + k % 4)};
    for (int half = 0; half < halves; ++half) {
      Operand a = double_from(register_of(1, halves * (k / 4) + half), row, k % 4);
      for (size_t e = 0; e < 2; ++e) {
        Operand& sum = sums[2 * static_cast<size_t>(half) + e];
        Operand next = t64();
        emit(Op::Dfma, next, a, b[e], sum);
        sum = next;
      }
    }
  }
  for (int n = 0; n < 2 * halves; ++n) copy(register_of(0, n), sums[static_cast<size_t>(n)]);
}

}  // namespace heddle::compiler::lower
