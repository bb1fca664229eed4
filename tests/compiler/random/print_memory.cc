// SPDX-License-Identifier: Apache-2.0
// Accesses to memory, atomic operations, and what threads do together.
#include <algorithm>

#include "tests/compiler/random/print_instruction.h"

namespace heddle::compiler::test {
namespace {

constexpr const char* kAtomics[] = {"add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas", "add"};

// Of bits only.
bool untyped(Atomic op) { return op == Atomic::And || op == Atomic::Or || op == Atomic::Xor || op == Atomic::Exch || op == Atomic::Cas; }
std::string atomic_type(Atomic op, Type type) {
  if (op == Atomic::AddF) return type == Type::F32 ? "f32" : "f64";
  return untyped(op) ? fmt::format("b{}", bits_of(type)) : name_of(type);
}
std::string order_and_scope(unsigned variant) {
  constexpr const char* kOrders[] = {"", ".relaxed", ".acquire", ".release", ".acq_rel"};
  constexpr const char* kScopes[] = {".cta", ".gpu", ".sys"};
  const unsigned order = variant % 5;
  return order == 0 ? "" : std::string(kOrders[order]) + kScopes[variant / 5 % 3];
}

}  // namespace

// "[…]" of an index cut by `mask`, and so many bytes. Bits of `variant`: 1 a constant index as offset; 2 addresses of 64 bits
// where 32 would do; 4 a negative offset.
std::string InstructionPrinter::address(const Instruction& i, unsigned mask, unsigned offset) {
  const bool narrow = i.space == Space::Shared || i.space == Space::Local, named = narrow || i.space == Space::Const;
  const bool wide = i.generic || !narrow || i.variant & 2;
  const char* base = i.space == Space::Shared  ? "%slice"
                     : i.space == Space::Local ? "mine"
                     : i.space == Space::Const ? "constants"
                     : i.space == Space::Input ? "%in"
                     : i.space == Space::Global ? "%far"
                                                : "%given";
  const bool direct = i.a.immediate && i.variant & 1;
  if (direct) offset += static_cast<unsigned>(i.a.bits) & mask;
  else line("and.b32 %tw, {}, {}", value(Type::U32, i.a), mask);
  if (direct && !(named && i.generic) && !(i.space == Space::Shared && wide)) return fmt::format("[{}+{}]", base, offset);
  if (!wide) {
    if (i.space != Space::Shared) line("mov.u32 %tx, {}", base);
    line("add.u32 %tw, %tw, {}", i.space == Space::Shared ? base : "%tx");
    return fmt::format("[%tw+{}]", offset);
  }
  std::string from = base;
  if (named) {
    if (i.space == Space::Shared) line("cvt.u64.u32 %td, {}", base);
    else line("mov.u64 %td, {}", base);
    from = "%td";
  }
  if (direct) {
    line("mov.u64 %at, {}", from);
  } else {
    line("cvt.u64.u32 %at, %tw");
    line("add.u64 %at, %at, {}", from);
  }
  if (i.generic && named) line("cvta.{}.u64 %at, %at", kSpaces[static_cast<int>(i.space)] + 1);
  if (!(i.variant & 4)) return fmt::format("[%at+{}]", offset);
  line("add.u64 %at, %at, 72");
  return fmt::format("[%at+{}]", static_cast<int>(offset) - 72);
}

void InstructionPrinter::access(const Instruction& i, const std::string& guard) {
  const bool store = i.op == Op::Store;
  const unsigned bytes = bits_of(i.type) / 8;
  const unsigned half = i.space == Space::Input ? kInputWords * 8 : i.space == Space::Const ? kConstWords * 8 : kSliceBytes / 2;
  const unsigned base = i.type == Type::F32 && half == kSliceBytes / 2 ? kSliceBytes / 2 : 0;
  const std::string at = address(i, (half - 1) & ~(bytes * i.words - 1), base);
  const bool generic = i.generic || i.space == Space::Given;
  const bool far = i.space == Space::Input || i.space == Space::Global;
  std::string before, after;
  switch (i.variant >> 4 & 7) {
    case 1: before = i.space == Space::Const ? "" : ".volatile"; break;
    case 2: before = i.space == Space::Const || i.space == Space::Local ? "" : ".relaxed.gpu"; break;
    case 3: before = !far && i.space != Space::Shared ? "" : store ? ".release.cta" : ".acquire.cta"; break;
    case 4: after = far ? ".cg" : ""; break;
    case 5: after = far ? ".cs" : ""; break;
    case 6: after = !far ? "" : store ? ".wt" : ".cv"; break;
    case 7: after = i.space != Space::Input ? "" : ".nc"; break;
    default: break;
  }
  if (generic && after == ".nc") after = "";
  const std::string type = i.variant & 8 && !is_signed(i.type) && i.type != Type::F32 ? fmt::format("b{}", 8 * bytes) : name_of(i.type);
  const File f = file_of(i.to);
  const unsigned first = store ? i.b.reg : i.dst;
  std::string data = reg(f, first);
  if (i.words > 1) {
    for (unsigned n = 1; n < i.words; n++) data += ", " + reg(f, (first + n) % kRegisters[static_cast<int>(f)]);
    data = "{" + data + "}";
  }
  const std::string name = fmt::format("{}{}{}{}{}.{}", store ? "st" : "ld", before, generic ? "" : kSpaces[static_cast<int>(i.space)], after,
                                       i.words > 1 ? fmt::format(".v{}", i.words) : "", type);
  if (store) line("{}{} {}, {}", guard, name, at, data);
  else line("{}{} {}, {}", guard, name, data, at);
}

void InstructionPrinter::atomic(const Instruction& i, const std::string& guard) {
  const auto op = static_cast<Atomic>(i.extra);
  const unsigned bytes = bits_of(i.type) / 8;
  const std::string at = address(i, (kSliceBytes / 2 - 1) & ~(bytes - 1), i.type == Type::F32 ? kSliceBytes / 2 : 0);
  const bool generic = i.generic || i.space == Space::Given, reduction = i.dst2 != 0;
  unsigned order = i.variant >> 4;
  if (reduction && (order % 5 == 2 || order % 5 == 4)) order++;  // .relaxed, .release
  line("{}{}{}{}.{}.{} {}{}, {}{}", guard, reduction ? "red" : "atom", reduction && order % 5 == 0 ? "" : order_and_scope(order),
       generic ? "" : kSpaces[static_cast<int>(i.space)], kAtomics[i.extra], atomic_type(op, i.type),
       reduction ? "" : reg(file_of(i.type), i.dst) + ", ", at, value(i.type, i.b), op == Atomic::Cas ? ", " + value(i.type, i.c) : "");
}

// Cells in global memory are the block's own.
void InstructionPrinter::cell(const Instruction& i, const std::string& guard) {
  const CellKind& kind = kCells[i.extra];
  const bool far = i.space == Space::Global;
  std::string at = fmt::format("[near_cells+{}]", 8 * i.extra);
  if (far) {
    line("mov.u32 %tx, %ctaid.x");
    line("mov.u64 %at, far_cells");
    line("mad.wide.u32 %at, %tx, {}, %at", 8 * kCellCount);
    at = fmt::format("[%at+{}]", 8 * i.extra);
  } else if (i.generic) {
    line("mov.u64 %at, near_cells");
    line("cvta.shared.u64 %at, %at");
    at = fmt::format("[%at+{}]", 8 * i.extra);
  }
  const std::string space = i.generic ? "" : kSpaces[static_cast<int>(i.space)];
  if (i.op == Op::LoadCell) return line("ld{}.{} {}, {}", space, name_of(kind.type), reg(file_of(kind.type), i.dst), at);
  const bool bound = kind.op == Atomic::Inc || kind.op == Atomic::Dec, reduction = i.variant & 1;
  line("{}{}{}.{}.{} {}{}, {}", guard, reduction ? "red" : "atom", space, kAtomics[static_cast<int>(kind.op)], atomic_type(kind.op, kind.type),
       reduction ? "" : bits_of(kind.type) == 64 ? "%td, " : "%tx, ", at, bound ? fmt::format("{}", kCellBound) : value(kind.type, i.b));
}

void InstructionPrinter::load_other(const Instruction& i) {
  const unsigned bytes = bits_of(i.type) / 8;
  const unsigned at = (static_cast<unsigned>(i.a.bits) & (kSliceBytes / 2 - 1) & ~(bytes - 1)) + (i.type == Type::F32 ? kSliceBytes / 2 : 0);
  line("add.u32 %tx, %me, {}", i.extra);
  line("and.b32 %tx, %tx, {}", kThreads - 1);
  const std::string d = reg(file_of(i.type), i.dst);
  if (i.space == Space::Global) {
    line("mad.wide.u32 %at, %tx, {}, %block", kSliceBytes);
    return line("ld.global.{} {}, [%at+{}]", name_of(i.type), d, at);
  }
  line("mov.u32 %tw, all");
  line("mad.lo.u32 %tw, %tx, {}, %tw", kSliceBytes);
  line("ld.shared.{} {}, [%tw+{}]", name_of(i.type), d, at);
}

void InstructionPrinter::together(const Instruction& i) {
  const std::string d = reg(File::W, i.dst), a = value(i.type, i.a), p = reg(File::P, i.dst2);
  const std::string source = i.predicate.reg < 0 ? "" : fmt::format("{}%p{}", i.predicate.negated ? "!" : "", i.predicate.reg);
  constexpr const char* kModes[] = {"idx", "up", "down", "bfly"};
  constexpr const char* kVotes[] = {"all", "any", "uni"};
  constexpr const char* kBarrier[] = {"popc.u32", "and.pred", "or.pred"};
  constexpr const char* kRedux[] = {"add.u32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "xor.b32", "or.b32"};
  const unsigned mode = i.extra & 3, segment = (32u - (1u << (i.extra >> 4))) << 8;
  switch (i.op) {
    case Op::BarrierReduce:
      return line("bar.red.{} {}, 0, {}", kBarrier[i.extra], i.extra == 0 ? d : reg(File::P, i.dst), source);
    case Op::Shuffle:
      return line("shfl.sync.{}.b32 {}|{}, {}, {}, {}, {}", kModes[mode], d, p, a, value(Type::U32, i.b), segment | (mode == 1 ? 0 : 31), members_);
    case Op::Vote: return line("vote.sync.{}.pred {}, {}, {}", kVotes[i.extra], p, source, members_);
    case Op::Ballot: return line("vote.sync.ballot.b32 {}, {}, {}", d, source, members_);
    case Op::Match: return line("match.any.sync.b{} {}, {}, {}", bits_of(i.type), d, a, members_);
    case Op::MatchAll: return line("match.all.sync.b{} {}|{}, {}, {}", bits_of(i.type), d, p, a, members_);
    case Op::Elect: return line("elect.sync {}|{}, {}", d, p, members_);
    case Op::Active:
      line("activemask.b32 %tx");
      line("mov.u32 %ty, %lanemask_eq");
      line("and.b32 %tx, %tx, %ty");
      line("setp.ne.u32 %q, %tx, 0");
      return line("selp.u32 {}, 1, 0, %q", d);
    default: return line("redux.sync.{} {}, {}, {}", kRedux[i.extra], d, a, members_);
  }
}

}  // namespace heddle::compiler::test
