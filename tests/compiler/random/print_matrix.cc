// SPDX-License-Identifier: Apache-2.0
// What whole warps do with matrices.
#include "tests/compiler/random/matrix.h"
#include "tests/compiler/random/print_instruction.h"

namespace heddle::compiler::test {
namespace {

// Of a fragment of wmma.
std::string fragment(const Instruction& i, char matrix) {
  std::string out;
  for (unsigned n = 0; n < wmma_registers(i.product, i.extra, matrix); n++)
    out += fmt::format("{}%{}m{}{}", n ? ", " : "", i.product.of == Product::Of::F64 ? "d" : "", matrix, n);
  return "{" + out + "}";
}

const char* counted(const Product& p) { return p.of != Product::Of::Bits ? "" : p.is_xor ? ".xor.popc" : ".and.popc"; }

const char* shared_space(const Instruction& i) { return i.variant & kSaysBlock ? ".shared::cta" : ".shared"; }

const char* layout(const MatrixPlace& place) { return place.by_columns ? "col" : "row"; }

}  // namespace

void InstructionPrinter::by_whole_warp(const Instruction& i) {
  if (i.op == Op::Numbers) return numbers(i);
  std::string guard;
  if (i.guard.reg >= 0) {
    line("vote.sync.{}.pred %r, {}%p{}, -1", i.variant & kGuardOfAll ? "all" : "any", i.guard.negated ? "!" : "",
         i.guard.reg);
    guard = "@%r ";
  }
  if (i.op == Op::Mma) return mma(i, guard);
  if (i.op == Op::MoveMatrix)
    return line("{}movmatrix.sync.aligned.m8n8.trans.b16 {}, {}", guard, reg(File::W, i.dst), reg(File::W, i.a.reg));
  // Lanes read what others wrote before, and write later.
  line("bar.warp.sync -1");
  if (i.op == Op::Wmma) wmma(i, guard);
  else move_matrix(i, guard);
  line("bar.warp.sync -1");
}

void InstructionPrinter::numbers(const Instruction& i) {
  const Pattern& p = i.pattern;
  line("mov.u32 %tx, %laneid");
  line("and.b32 %ty, %tx, {}", p.pairs ? 30 : 31);
  line("shfl.sync.idx.b32 %tv, {}, %ty, 31, -1", reg(File::W, i.a.reg));
  line("mad.lo.u32 %tv, %ty, {}, %tv", kLaneFactor);
  line("xor.b32 %tv, %tv, {}", i.extra);
  for (const ScrambleStep step : kScramble) {
    line("shr.u32 %tz, %tv, {}", step.shift);
    line("xor.b32 %tv, %tv, %tz");
    if (step.factor != 1) line("mul.lo.u32 %tv, %tv, {}", step.factor);
  }
  line("mul.lo.u32 %tz, %tv, {}", kRareFactor);
  line("and.b32 %tv, %tv, {}", p.keep);
  line("xor.b32 %tv, %tv, {}", p.flip);
  line("setp.lt.u32 %q, %tz, {}", p.rare);
  line("selp.b32 %tv, {}, %tv, %q", p.special);
  if (p.opposite) {
    line("and.b32 %tx, %tx, 1");
    line("mul.lo.u32 %tx, %tx, {}", p.opposite);
    line("xor.b32 %tv, %tv, %tx");
  }
  if (i.to != Type::U64) return line("mov.b32 {}, %tv", reg(file_of(i.to), i.dst));
  line("and.b32 %tz, %tz, {}", p.low);
  line("selp.b32 %tz, 0, %tz, %q");
  line("mov.b64 {}, {{%tz, %tv}}", reg(File::D, i.dst));
}

// A NaN's bits are the machine's affair.
void InstructionPrinter::one_nan(const std::string& guard, const std::string& f64) {
  line("{}setp.nan.f64 %q, {}, {}", guard, f64, f64);
  line("{}selp.f64 {}, 0d7FF8000000000000, {}, %q", guard, f64, f64);
}

void InstructionPrinter::mma(const Instruction& i, const std::string& guard) {
  const Product& p = i.product;
  std::string more;
  if (p.sparse) more = fmt::format(", {}, {}", reg(File::W, p.metadata), p.selector);
  const bool f64 = p.of == Product::Of::F64;
  const File factors = f64 ? File::D : File::W;
  const char* sparse = !p.sparse ? "" : i.variant & kOrderedMetadata ? ".sp::ordered_metadata" : ".sp";
  line("{}mma{}.sync.aligned.m{}n8k{}.{}.{}{}.{}.{}.{}.{}{} {}, {}, {}, {}{}", guard, sparse,
       p.size == Product::Size::Small ? 8 : 16, columns_of_a(p), p.column_a ? "col" : "row", p.row_b ? "row" : "col",
       p.clamps ? ".satfinite" : "", sum_name(p, 'd'), factor_name(p, p.sign_a), factor_name(p, p.sign_b),
       sum_name(p, 'c'), counted(p), vector(file_of(i.to), i.dst, registers_of(p, 'd')),
       vector(factors, i.a.reg, registers_of(p, 'a')), vector(factors, i.b.reg, registers_of(p, 'b')),
       vector(file_of(i.type), i.c.reg, registers_of(p, 'c')), more);
  for (unsigned n = 0; f64 && n < registers_of(p, 'd'); n++) one_nan(guard, reg(File::D, (i.dst + n) % kRegisters[2]));
}

// Of a row of 16 bytes: a half of the integers of a slice of the warp's.
std::string InstructionPrinter::row_address(const Instruction& i) {
  if (i.op == Op::StoreMatrix) line("xor.b32 %tx, %me, {}", i.a.bits);  // another row for each lane
  else line("mov.u32 %tx, {}", value(Type::U32, i.a));
  line("and.b32 %ty, %tx, 32");
  line("and.b32 %tx, %tx, 31");
  line("and.b32 %tz, %me, 32");
  line("or.b32 %tx, %tx, %tz");
  line("shr.u32 %ty, %ty, 1");
  line("mov.u32 %tw, all");
  line("mad.lo.u32 %tw, %tx, {}, %tw", kSliceBytes);
  line("add.u32 %tw, %tw, %ty");
  if (!i.generic) return "[%tw]";
  line("cvt.u64.u32 %at, %tw");
  line("cvta.shared.u64 %at, %at");
  line("sub.u64 %at, %at, 16");
  return "[%at+16]";
}

void InstructionPrinter::move_matrix(const Instruction& i, const std::string& guard) {
  const bool store = i.op == Op::StoreMatrix;
  const std::string at = row_address(i), registers = vector(File::W, store ? i.b.reg : i.dst, i.words);
  const std::string name = fmt::format("{}.sync.aligned.m8n8.x{}{}{}.b16", store ? "stmatrix" : "ldmatrix", i.words,
                                       i.variant & kTransposed ? ".trans" : "", i.generic ? "" : shared_space(i));
  const std::string braces = i.words > 1 ? registers : "{" + registers + "}";
  if (store) line("{}{} {}, {}", guard, name, at, braces);
  else line("{}{} {}, {}", guard, name, braces, at);
}

std::string InstructionPrinter::matrix_address(const MatrixPlace& place) {
  const unsigned offset = place.first * kSliceBytes;
  if (place.space == Space::Input) return fmt::format("[%in+{}]", offset);
  line("and.b32 %tx, %me, 32");
  if (place.space == Space::Global) {
    line("mad.wide.u32 %at, %tx, {}, %block", kSliceBytes);
    return fmt::format("[%at+{}]", offset);
  }
  line("mov.u32 %tw, all");
  line("mad.lo.u32 %tw, %tx, {}, %tw", kSliceBytes);
  if (!place.generic) return fmt::format("[%tw+{}]", offset);
  line("cvt.u64.u32 %at, %tw");
  line("cvta.shared.u64 %at, %at");
  return fmt::format("[%at+{}]", offset);
}

void InstructionPrinter::wmma(const Instruction& i, const std::string& guard) {
  const Product& p = i.product;
  const std::string shape = fmt::format("m{}n{}k{}", i.extra, wmma_columns(p, i.extra), wmma_depth(p));
  const auto access = [&](char matrix, const std::string& type) {
    const MatrixPlace& place = i.places[matrix - 'a'];
    const MatrixExtent extent = wmma_extent(p, i.extra, matrix);
    const unsigned bytes = extent.line_slices(place) * kSliceBytes, elements = 8 * bytes / extent.bits;
    const std::string at = matrix_address(place), registers = fragment(i, matrix);
    std::string stride = fmt::format(", {}", elements);
    if (i.variant & kStrideLeftOut && extent.line_bytes(place) == bytes) {
      stride = "";
    } else if (i.variant & kStrideInRegister) {
      line("mov.u32 %ty, {}", elements);
      stride = ", %ty";
    }
    const std::string space = place.generic                  ? ""
                              : place.space == Space::Shared ? shared_space(i)
                                                             : kSpaces[static_cast<int>(place.space)];
    line("{}wmma.{}.{}.sync.aligned.{}.{}{}.{} {}, {}{}", guard, matrix == 'd' ? "store" : "load", matrix,
         layout(place), shape, space, type, matrix == 'd' ? at : registers, matrix == 'd' ? registers : at, stride);
  };
  access('a', factor_name(p, p.sign_a));
  access('b', factor_name(p, p.sign_b));
  access('c', sum_name(p, 'c'));
  const bool plain = p.of <= Product::Of::F16Sums;
  const bool f64 = p.of == Product::Of::F64;
  line("{}wmma.mma{}.sync.aligned.{}.{}.{}{}.{}{}.{}{} {}, {}, {}, {}", guard, counted(p), layout(i.places[0]),
       layout(i.places[1]), shape, f64 && i.variant & kSaysRounding ? ".rn" : "", sum_name(p, 'd'),
       plain ? "" : fmt::format(".{}.{}", factor_name(p, p.sign_a), factor_name(p, p.sign_b)), sum_name(p, 'c'),
       p.clamps ? ".satfinite" : "", fragment(i, 'd'), fragment(i, 'a'), fragment(i, 'b'), fragment(i, 'c'));
  for (unsigned n = 0; f64 && n < 2; n++) one_nan(guard, fmt::format("%dmd{}", n));
  access('d', sum_name(p, 'd'));
}

}  // namespace heddle::compiler::test
