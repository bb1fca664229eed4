// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/random/print_instruction.h"

#include <algorithm>
#include <string_view>

#include "tests/compiler/random/operations.h"

namespace heddle::compiler::test {
namespace {

constexpr const char* kCompare[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                    "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
constexpr const char* kSpecial[] = {
    "mov.u32 {d}, %tid.x", "mov.u32 {d}, %ntid.x", "mov.u32 {d}, %laneid", "mov.u32 {d}, %lanemask_eq",
    "mov.u32 {d}, %lanemask_lt", "mov.u32 {d}, %lanemask_le", "mov.u32 {d}, %lanemask_gt", "mov.u32 {d}, %lanemask_ge",
    "mov.u32 {d}, %tid.y",
    // Questions whose answer is yes.
    "mov.u64 %td, %clock64;mov.u64 %tg, %clock64;setp.ge.u64 %q, %tg, %td;selp.u32 {d}, 1, 0, %q",
    "mov.u64 %td, %globaltimer;mov.u64 %tg, %globaltimer;setp.ge.u64 %q, %tg, %td;selp.u32 {d}, 1, 0, %q",
    "mov.u32 %tx, %clock;mov.u32 %ty, %clock;sub.u32 %ty, %ty, %tx;setp.ge.s32 %q, %ty, 0;selp.u32 {d}, 1, 0, %q",
    "activemask.b32 %tx;mov.u32 %ty, %lanemask_eq;and.b32 %tx, %tx, %ty;setp.ne.u32 %q, %tx, 0;selp.u32 {d}, 1, 0, %q",
    "mov.u32 %tx, %smid;mov.u32 %ty, %nsmid;setp.lt.u32 %q, %tx, %ty;selp.u32 {d}, 1, 0, %q",
    "mov.u32 %tx, %warpid;mov.u32 %ty, %nwarpid;setp.lt.u32 %q, %tx, %ty;selp.u32 {d}, 1, 0, %q",
    "mov.u32 %tx, %ctaid.x;mov.u32 %ty, %nctaid.x;setp.lt.u32 %q, %tx, %ty;selp.u32 {d}, 1, 0, %q"};
// clang-format off
constexpr const char* kFences[] = {"membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys",
                                   "fence.acq_rel.cluster", "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys", "fence.acquire.gpu", "fence.release.cta",
                                   "nanosleep.u32 20", "mov.u32 %tx, %laneid;nanosleep.u32 %tx", "mov.u32 %tx, %clock_hi", "mov.u32 %tx, %globaltimer_lo"};
// clang-format on
static_assert(std::size(kSpecial) == kSpecials && std::size(kFences) == kFenceKinds);

}  // namespace

std::string reg(File f, unsigned n) { return fmt::format("%{}{}", kLetter[static_cast<int>(f)], n); }

std::string value(Type t, const Value& v) {
  if (!v.immediate) return reg(file_of(t), v.reg);
  if (t == Type::F32) return fmt::format("0f{:08X}", v.bits);
  if (!is_signed(t)) return fmt::format("{}", v.bits);
  const unsigned shift = 64 - bits_of(t);
  const int64_t s = static_cast<int64_t>(v.bits << shift) >> shift;
  return s == INT64_MIN ? "0x8000000000000000" : fmt::format("{}", s);
}

std::string vector(File f, unsigned first, unsigned words) {
  std::string out = reg(f, first);
  for (unsigned n = 1; n < words; n++) out += ", " + reg(f, (first + n) % kRegisters[static_cast<int>(f)]);
  return words > 1 ? "{" + out + "}" : out;
}

// Lines of operations.h with the operands put in (no files: as they are); `after`: lines that follow.
void InstructionPrinter::lines(const std::string& guard, std::string text, std::string_view files, const Instruction& i,
                               const std::string& after) {
  const std::string d = files.empty() ? "" : reg(file_of(files[0]), i.dst);
  const Value* const sources[] = {&i.a, &i.b, &i.c};
  std::string operand[3];
  for (size_t k = 1; k < files.size(); k++) {
    constexpr std::string_view kLetters = "hwdf";
    constexpr Type kOf[] = {Type::U16, Type::U32, Type::U64, Type::F32};
    const size_t at = kLetters.find(static_cast<char>(files[k] | 32));
    const Value& v = *sources[k - 1];
    operand[k - 1] = at != kLetters.npos ? value(kOf[at], v)
                     : v.immediate       ? fmt::format("0d{:016X}", v.bits)
                                         : reg(File::D, v.reg);
  }
  if (!files.empty() && text.find('{') == text.npos) {
    text += " {d}";
    for (size_t k = 1; k < files.size(); k++) text += fmt::format(", {{{}}}", "abc"[k - 1]);
  }
  text += after;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    line("{}{}", guard,
         fmt::format(fmt::runtime(text.substr(0, end)), fmt::arg("d", d), fmt::arg("a", operand[0]),
                     fmt::arg("b", operand[1]), fmt::arg("c", operand[2])));
    text.erase(0, end + 1);
  }
}

void InstructionPrinter::table(const Instruction& i, const std::string& guard) {
  if (i.op == Op::Approx) {
    const Approximation& a = approximations()[i.extra];
    return lines(guard, a.text, a.files, i, "");
  }
  const Operation& o = operations()[i.extra];
  // A NaN's bits are the machine's affair.
  lines(guard, o.text, o.files, i,
        o.files[0] == 'e' ? ";setp.nan.f64 %q, {d}, {d};selp.b64 {d}, 0x7ff8000000000000, {d}, %q" : "");
}

void InstructionPrinter::divide(const Instruction& i, const std::string& guard) {
  const int file = static_cast<int>(file_of(i.type));
  const char* type = name_of(i.type);
  std::string divisor = value(i.type, i.b);
  if (!i.b.immediate) {
    divisor = fmt::format("%t{}", kLetter[file]);
    const uint64_t half = (uint64_t{1} << (bits_of(i.type) - 1)) - 1;
    line("and.{} {}, {}, {}", kBits[file], divisor, value(i.type, i.b), half);
    line("max.{} {}, {}, 1", type, divisor, divisor);
  }
  line("{}{}.{} {}, {}, {}", guard, i.op == Op::Div ? "div" : "rem", type, reg(file_of(i.type), i.dst),
       value(i.type, i.a), divisor);
}

void InstructionPrinter::set_predicate(const Instruction& i, const std::string& guard) {
  const std::string d = reg(File::P, i.dst), p = reg(File::P, static_cast<unsigned>(std::max(0, i.predicate.reg)));
  const std::string sources = value(i.type, i.a) + ", " + value(i.type, i.b);
  const char* type = name_of(i.type);
  constexpr const char* kJoin[] = {"and", "or", "xor"};
  switch (i.op) {
    case Op::Setp: return line("{}setp.{}.{} {}, {}", guard, kCompare[i.compare], type, d, sources);
    case Op::SetpAnd:
      return line("{}setp.{}.{}.{} {}{}, {}, {}{}", guard, kCompare[i.compare], kJoin[i.extra], type, d,
                  i.extra == 2 ? "" : "|" + reg(File::P, i.dst2), sources, i.predicate.negated ? "!" : "", p);
    case Op::PNot: return line("{}not.pred {}, {}", guard, d, p);
    default: return line("{}{}.pred {}, {}, {}", guard, i.op == Op::PAnd ? "and" : "xor", d, p, reg(File::P, i.extra));
  }
}

void InstructionPrinter::instruction(const Instruction& i) {
  if (i.op >= Op::Numbers) return by_whole_warp(i);
  std::string guard;
  if (i.guard.reg >= 0) guard = fmt::format("@{}%p{} ", i.guard.negated ? "!" : "", i.guard.reg);
  const std::string type = name_of(i.type), bits = kBits[static_cast<int>(file_of(i.type))];
  const std::string a = value(i.type, i.a), b = value(i.type, i.b), c = value(i.type, i.c),
                    d = reg(file_of(i.type), i.dst);
  const auto three = [&](const std::string& name) { line("{}{} {}, {}, {}", guard, name, d, a, b); };
  const auto two = [&](const std::string& name) { line("{}{} {}, {}", guard, name, d, a); };
  switch (i.op) {
    case Op::Pack: return line("{}mov.b128 {}, {{{}, {}}}", guard, reg(File::X, i.dst), a, b);
    case Op::Unpack:
      return line("{}mov.b128 {{{}, {}}}, {}", guard, i.variant == 1 ? "_" : d,
                  i.variant == 2 ? "_" : reg(File::D, i.dst2), reg(File::X, i.a.reg));
    case Op::Add: return three("add." + type);
    case Op::Sub: return three("sub." + type);
    case Op::MulLo: return three("mul.lo." + type);
    case Op::MulHi: return three("mul.hi." + type);
    case Op::MadLo: return line("{}mad.lo.{} {}, {}, {}, {}", guard, type, d, a, b, c);
    case Op::MulWide:
    case Op::MadWide: {
      const bool half = bits_of(i.type) == 16;
      const std::string to = reg(half ? File::W : File::D, i.dst);
      if (i.op == Op::MulWide) return line("{}mul.wide.{} {}, {}, {}", guard, type, to, a, b);
      return line("{}mad.wide.{} {}, {}, {}, {}", guard, type, to, a, b, value(half ? Type::U32 : Type::U64, i.c));
    }
    case Op::Div:
    case Op::Rem: return divide(i, guard);
    case Op::Min: return three("min." + type);
    case Op::Max: return three("max." + type);
    case Op::Neg: return two("neg." + type);
    case Op::Abs: return two("abs." + type);
    case Op::And: return three("and." + bits);
    case Op::Or: return three("or." + bits);
    case Op::Xor: return three("xor." + bits);
    case Op::Not: return two("not." + bits);
    case Op::Shl: return line("{}shl.{} {}, {}, {}", guard, bits, d, a, value(Type::U32, i.b));
    case Op::Shr: return line("{}shr.{} {}, {}, {}", guard, type, d, a, value(Type::U32, i.b));
    case Op::Popc: return line("{}popc.{} {}, {}", guard, bits, reg(File::W, i.dst), a);
    case Op::Clz: return line("{}clz.{} {}, {}", guard, bits, reg(File::W, i.dst), a);
    case Op::Brev: return two("brev." + bits);
    case Op::Bfe:
      return line("{}bfe.{} {}, {}, {}, {}", guard, type, d, a, value(Type::U32, i.b), value(Type::U32, i.c));
    case Op::Bfi: return line("{}bfi.{} {}, {}, {}, {}, {}", guard, bits, d, a, b, i.extra >> 8, i.extra & 255);
    case Op::Prmt: return line("{}prmt.b32 {}, {}, {}, {}", guard, d, a, b, c);
    case Op::FunnelLeft:
    case Op::FunnelRight:
      return line("{}shf.{}.{}.b32 {}, {}, {}, {}", guard, i.op == Op::FunnelLeft ? "l" : "r",
                  i.extra & 1 ? "clamp" : "wrap", d, a, b, c);
    case Op::Lop3: return line("{}lop3.b32 {}, {}, {}, {}, {}", guard, d, a, b, c, i.extra);
    case Op::AddCarry:
      line("{}add.cc.u32 %tx, {}, {}", guard, a, b);
      line("{}addc.u32 %ty, {}, {}", guard, c, a);
      line("{}mov.u32 {}, %tx", guard, d);
      return line("{}mov.u32 {}, %ty", guard, reg(File::W, (i.dst + 1) % kRegisters[1]));
    case Op::Selp: return line("{}selp.{} {}, {}, {}, %p{}", guard, type, d, a, b, i.predicate.reg);
    case Op::Mov: return two("mov." + type);
    case Op::Cvt: {
      constexpr const char* kRound[] = {"rn", "rz", "rm", "rp"};
      std::string mode;
      if (i.type == Type::F32) mode = std::string(".") + kRound[i.extra] + "i";
      else if (i.to == Type::F32) mode = std::string(".") + kRound[i.extra];
      return line("{}cvt{}.{}.{} {}, {}", guard, mode, name_of(i.to), type, reg(file_of(i.to), i.dst), a);
    }
    case Op::FAdd: return three("add.rn.f32");
    case Op::FSub: return three("sub.rn.f32");
    case Op::FMul: return three("mul.rn.f32");
    case Op::FFma: return line("{}fma.rn.f32 {}, {}, {}, {}", guard, d, a, b, c);
    case Op::FDiv: return three("div.rn.f32");
    case Op::FSqrt: return two("sqrt.rn.f32");
    case Op::FMin: return three("min.f32");
    case Op::FMax: return three("max.f32");
    case Op::FNeg: return two("neg.f32");
    case Op::FAbs: return two("abs.f32");
    case Op::Setp:
    case Op::SetpAnd:
    case Op::PAnd:
    case Op::PXor:
    case Op::PNot: return set_predicate(i, guard);
    case Op::Table:
    case Op::Approx: return table(i, guard);
    case Op::Special: return lines(guard, kSpecial[i.extra], "w", i, "");
    case Op::Fence: return lines(guard, kFences[i.extra], "", i, "");
    case Op::Prefetch: return prefetch(i, guard);
    case Op::IsSpace:
      return line("{}isspacep{} {}, {}", guard, kSpaces[i.extra], reg(File::P, i.dst), generic_slice(i.space));
    case Op::Load:
    case Op::Store: return access(i, guard);
    case Op::Copy: return copy(i, guard);
    case Op::Atom: return atomic(i, guard);
    case Op::Cell:
    case Op::LoadCell: return cell(i, guard);
    case Op::Sum:
    case Op::LoadSum: return sum(i, guard);
    case Op::LoadOther: return load_other(i);
    default: return together(i);
  }
}

}  // namespace heddle::compiler::test
