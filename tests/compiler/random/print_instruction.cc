// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/random/print_instruction.h"

#include <algorithm>
#include <string_view>

#include "tests/compiler/random/operations.h"

namespace heddle::compiler::test {
namespace {

constexpr const char* kTypes[] = {"u16", "s16", "u32", "s32", "u64", "s64", "f32"};
constexpr const char* kCompare[] = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

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

void InstructionPrinter::access(const Instruction& i, const std::string& guard) {
  const unsigned bytes = bits_of(i.type) / 8;
  const bool other = i.op == Op::LoadOther, input = i.op == Op::LoadInput;
  const unsigned words = other ? 1 : i.extra;
  const unsigned half = input ? kInputWords * 8 : kSliceBytes / 2;
  const unsigned base = i.type == Type::F32 && !input ? kSliceBytes / 2 : 0;
  line("and.b32 %tw, {}, {}", value(Type::U32, i.a), (half - 1) & ~(bytes * words - 1));
  std::string space = "shared", at = fmt::format("[%tw+{}]", base);
  if (input) {
    space = "global";
    line("cvt.u64.u32 %at, %tw");
    line("add.u64 %at, %at, %in");
    at = "[%at]";
  } else if (other) {
    line("add.u32 %tx, %me, {}", i.extra);
    line("and.b32 %tx, %tx, {}", kThreads - 1);
    line("mad.lo.u32 %tw, %tx, {}, %tw", kSliceBytes);
    line("mov.u32 %tx, all");
    line("add.u32 %tw, %tw, %tx");
  } else if (i.op == Op::LoadLocal || i.op == Op::StoreLocal) {
    space = "local";
    line("mov.u32 %tx, mine");
    line("add.u32 %tw, %tw, %tx");
  } else {
    line("add.u32 %tw, %tw, %slice");
  }
  const File f = file_of(i.type);
  const char* type = kTypes[static_cast<int>(i.type)];
  const bool store = i.op == Op::StoreShared || i.op == Op::StoreLocal;
  if (store && words == 2)
    line("{}st.{}.v2.{} {}, {{{}, {}}}", guard, space, type, at, value(i.type, i.b), value(i.type, i.c));
  else if (store) line("{}st.{}.{} {}, {}", guard, space, type, at, value(i.type, i.b));
  else if (words == 2) line("{}ld.{}.v2.{} {{{}, {}}}, {}", guard, space, type, reg(f, i.dst), reg(f, i.dst2), at);
  else line("{}ld.{}.{} {}, {}", guard, space, type, reg(f, i.dst), at);
}

void InstructionPrinter::access_byte(const Instruction& i, const std::string& guard) {
  std::string space = i.extra & 4 ? "shared" : "local", at = "[%tw]";
  line("and.b32 %tw, {}, {}", value(Type::U32, i.a), kSliceBytes / 2 - 1);
  line("mov.u32 %tx, {}", i.extra & 4 ? "%slice" : "mine");
  line("add.u32 %tw, %tw, %tx");
  if (i.extra & 2) {
    line("cvt.u64.u32 %at, %tw");
    line("cvta.{}.u64 %at, %at", space);
    at = "[%at]";
  }
  const std::string from = i.extra & 2 ? "" : "." + space;
  const char* type = i.extra & 1 ? "s8" : "u8";
  if (i.op == Op::StoreByte) line("{}st{}.{} {}, {}", guard, from, type, at, value(Type::U32, i.b));
  else line("{}ld{}.{} {}, {}", guard, from, type, reg(File::W, i.dst), at);
}

void InstructionPrinter::table(const Instruction& i, const std::string& guard) {
  const Operation& o = operations()[i.extra];
  const std::string_view files = o.files;
  const std::string d = reg(file_of(files[0]), i.dst);
  const Value* const sources[] = {&i.a, &i.b, &i.c};
  std::string operand[3], text = o.text;
  for (size_t k = 1; k < files.size(); k++) {
    constexpr std::string_view kLetters = "hwdf";
    constexpr Type kOf[] = {Type::U16, Type::U32, Type::U64, Type::F32};
    const size_t at = kLetters.find(static_cast<char>(files[k] | 32));
    const Value& v = *sources[k - 1];
    operand[k - 1] = at != kLetters.npos ? value(kOf[at], v) : v.immediate ? fmt::format("0d{:016X}", v.bits) : reg(File::D, v.reg);
  }
  if (text.find('{') == text.npos) {
    text += " {d}";
    for (size_t k = 1; k < files.size(); k++) text += fmt::format(", {{{}}}", "abc"[k - 1]);
  }
  // A NaN's bits are the machine's affair.
  if (files[0] == 'e') text += ";setp.nan.f64 %q, {d}, {d};selp.b64 {d}, 0x7ff8000000000000, {d}, %q";
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    line("{}{}", guard, fmt::format(fmt::runtime(text.substr(0, end)), fmt::arg("d", d), fmt::arg("a", operand[0]),
                                    fmt::arg("b", operand[1]), fmt::arg("c", operand[2])));
    text.erase(0, end + 1);
  }
}

void InstructionPrinter::together(const Instruction& i) {
  const std::string d = reg(File::W, i.dst), a = reg(File::W, i.a.reg);
  constexpr const char* kModes[] = {"idx", "up", "down", "bfly"};
  constexpr const char* kRedux[] = {"add.u32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "xor.b32"};
  const unsigned mode = i.extra & 3, segment = (32u - (1u << (i.extra >> 4))) << 8;
  switch (i.op) {
    case Op::Shuffle:
      return line("shfl.sync.{}.b32 {}, {}, {}, {}, -1", kModes[mode], d, a, i.b.bits, segment | (mode == 1 ? 0 : 31));
    case Op::Ballot:
      return line("vote.sync.ballot.b32 {}, {}%p{}, -1", d, i.predicate.negated ? "!" : "", i.predicate.reg);
    case Op::Match:
      line("and.b32 %tw, {}, 3", a);
      return line("match.any.sync.b32 {}, %tw, -1", d);
    default:
      return line("redux.sync.{} {}, {}, -1", kRedux[i.extra], d, a);
  }
}

void InstructionPrinter::divide(const Instruction& i, const std::string& guard) {
  const int file = static_cast<int>(file_of(i.type));
  const char* type = kTypes[static_cast<int>(i.type)];
  std::string divisor = value(i.type, i.b);
  if (!i.b.immediate) {
    divisor = fmt::format("%t{}", kLetter[file]);
    const uint64_t half = (uint64_t{1} << (bits_of(i.type) - 1)) - 1;
    line("and.{} {}, {}, {}", kBits[file], divisor, value(i.type, i.b), half);
    line("max.{} {}, {}, 1", type, divisor, divisor);
  }
  line("{}{}.{} {}, {}, {}", guard, i.op == Op::Div ? "div" : "rem", type, reg(file_of(i.type), i.dst), value(i.type, i.a),
       divisor);
}

void InstructionPrinter::set_predicate(const Instruction& i, const std::string& guard) {
  const std::string d = reg(File::P, i.dst), p = reg(File::P, static_cast<unsigned>(std::max(0, i.predicate.reg)));
  const std::string sources = value(i.type, i.a) + ", " + value(i.type, i.b);
  const char* type = kTypes[static_cast<int>(i.type)];
  constexpr const char* kJoin[] = {"and", "or", "xor"};
  switch (i.op) {
    case Op::Setp:
      return line("{}setp.{}.{} {}, {}", guard, kCompare[i.compare], type, d, sources);
    case Op::SetpAnd:
      return line("{}setp.{}.{}.{} {}{}, {}, {}{}", guard, kCompare[i.compare], kJoin[i.extra], type, d,
                  i.extra == 2 ? "" : "|" + reg(File::P, i.dst2), sources, i.predicate.negated ? "!" : "", p);
    case Op::PNot:
      return line("{}not.pred {}, {}", guard, d, p);
    default:
      return line("{}{}.pred {}, {}, {}", guard, i.op == Op::PAnd ? "and" : "xor", d, p, reg(File::P, i.extra));
  }
}

void InstructionPrinter::instruction(const Instruction& i) {
  std::string guard;
  if (i.guard.reg >= 0) guard = fmt::format("@{}%p{} ", i.guard.negated ? "!" : "", i.guard.reg);
  const std::string type = kTypes[static_cast<int>(i.type)], bits = kBits[static_cast<int>(file_of(i.type))];
  const std::string a = value(i.type, i.a), b = value(i.type, i.b), c = value(i.type, i.c), d = reg(file_of(i.type), i.dst);
  const auto three = [&](const std::string& name) { line("{}{} {}, {}, {}", guard, name, d, a, b); };
  const auto two = [&](const std::string& name) { line("{}{} {}, {}", guard, name, d, a); };
  switch (i.op) {
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
      return line("{}shf.{}.{}.b32 {}, {}, {}, {}", guard, i.op == Op::FunnelLeft ? "l" : "r", i.extra & 1 ? "clamp" : "wrap",
                  d, a, b, c);
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
      return line("{}cvt{}.{}.{} {}, {}", guard, mode, kTypes[static_cast<int>(i.to)], type, reg(file_of(i.to), i.dst), a);
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
    case Op::Table: return table(i, guard);
    case Op::LoadByte:
    case Op::StoreByte: return access_byte(i, guard);
    case Op::Shuffle:
    case Op::Ballot:
    case Op::Match:
    case Op::Redux: return together(i);
    default: return access(i, guard);
  }
}

}  // namespace heddle::compiler::test
