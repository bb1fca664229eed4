// SPDX-License-Identifier: Apache-2.0
// Accesses to memory, atomic operations, and what threads do together.
#include <algorithm>

#include "tests/compiler/random/print_instruction.h"

namespace heddle::compiler::test {
namespace {

constexpr const char* kAtomics[] = {"add", "min",  "max", "and", "or",        "xor",      "inc",
                                    "dec", "exch", "cas", "add", "add.noftz", "add.noftz"};

// Of bits only.
bool untyped(Atomic op) {
  return op == Atomic::And || op == Atomic::Or || op == Atomic::Xor || op == Atomic::Exch || op == Atomic::Cas;
}
std::string atomic_type(Atomic op, Type type) {
  if (op == Atomic::AddF) return type == Type::F32 ? "f32" : "f64";
  if (op > Atomic::AddF) return fmt::format("{}16{}", op == Atomic::AddF16 ? "f" : "bf", type == Type::U32 ? "x2" : "");
  return untyped(op) ? fmt::format("b{}", bits_of(type)) : name_of(type);
}
std::string order_and_scope(unsigned variant) {
  constexpr const char* kOrders[] = {"", ".relaxed", ".acquire", ".release", ".acq_rel"};
  constexpr const char* kScopes[] = {".cta", ".gpu", ".sys", ".cluster"};
  const unsigned order = variant % 5;
  return order == 0 ? "" : std::string(kOrders[order]) + kScopes[variant / 5 % 4];
}

// clang-format off
// What may stand around the space (@) of an access: of any space; of what others see, too; of global memory; of what nobody writes.
constexpr std::string_view kLoads[] = {
    "@", "@.ca", "@.cg", "@.cs", ".weak@", ".volatile@", "@.L1::evict_last", "@.L1::evict_first", "@.L1::evict_unchanged", "@.L1::evict_normal",
    "@.cv", ".relaxed.cta@", ".relaxed.gpu@", ".relaxed.sys@", ".acquire.cta@", ".acquire.gpu@",
    ".acquire.sys@", ".acquire.cluster@", "@.L1::no_allocate.L2::128B", ".relaxed.cluster@.L1::evict_first", ".mmio.relaxed.sys@", "@.L2::64B", "@.L2::256B",
    "@.lu", "@.nc", "@.cs.nc", "@.L1::no_allocate.nc.L2::256B", "u@"};
constexpr std::string_view kStores[] = {
    "@", "@.wb", "@.cg", "@.cs", ".weak@", ".volatile@", "@.L1::evict_last", "@.L1::evict_first", "@.L1::evict_unchanged", "@.L1::evict_normal",
    "@.wt", ".relaxed.cta@", ".relaxed.gpu@", ".relaxed.sys@", ".release.cta@", ".release.gpu@",
    ".release.sys@", ".release.cluster@", "@.L1::no_allocate", ".relaxed.cluster@.L1::evict_first", ".mmio.relaxed.sys@",
    ".release.gpu@.L1::no_allocate", ".relaxed.gpu@.L1::evict_last"};
// clang-format on
constexpr size_t kOwn = 10, kSeen = 16, kFar = 23;  // so many of them

// By one name or the other.
std::string space_of(const Instruction& i, bool generic) {
  const std::string space = generic ? "" : kSpaces[static_cast<int>(i.space)];
  return i.space == Space::Shared && !generic && i.variant % 3 == 1 ? space + "::cta" : space;
}

std::string around(const Instruction& i, bool store, bool generic) {
  const std::string space = space_of(i, generic);
  if (i.space == Space::Const) return space;
  const bool untouched = i.space == Space::Input && !i.generic;
  const size_t count = i.space == Space::Local                               ? kOwn
                       : i.space == Space::Shared || i.space == Space::Given ? kSeen
                       : untouched                                           ? std::size(kLoads)
                                                                             : kFar;
  std::string_view text = (store ? kStores : kLoads)[(i.variant >> 4) % count];
  const bool large = i.words * bits_of(i.type) > 128;
  if ((i.words > 1 && text[1] == 'm') || (large && (text[1] == 'v' || text[0] == 'u'))) text = "@";
  const size_t at = text.find('@');
  return std::string(text.substr(0, at)) + space + std::string(text.substr(at + 1));
}

}  // namespace

// The generic address of a slice, in a register.
std::string InstructionPrinter::generic_slice(Space space) {
  if (space == Space::Given) return "%given";
  if (space == Space::Global) return "%far";
  line("{} %at, {}", space == Space::Local ? "mov.u64" : "cvt.u64.u32", space == Space::Local ? "mine" : "%slice");
  line("cvta{}.u64 %at, %at", kSpaces[static_cast<int>(space)]);
  return "%at";
}

void InstructionPrinter::prefetch(const Instruction& i, const std::string& guard) {
  constexpr const char* kGeneric[] = {"prefetch.L1", "prefetch.L2", "prefetchu.L1", "prefetch.L1"};
  constexpr const char* kLocal[] = {"prefetch.local.L1", "prefetch.local.L2", "prefetch.local.L1", "prefetch.local.L2"};
  constexpr const char* kGlobal[] = {"prefetch.global.L1", "prefetch.global.L2", "prefetch.global.L2::evict_last",
                                     "prefetch.global.L2::evict_normal"};
  const std::string at = address(i, kSliceBytes - 1, 0);
  const auto& names = i.generic || i.space == Space::Given ? kGeneric : i.space == Space::Local ? kLocal : kGlobal;
  line("{}{} {}", guard, names[i.variant >> 3], at);
}

// "[…]" of an index cut by `mask`, and so many bytes. Bits of `variant`: 1 a constant index as offset; 2 addresses of
// 64 bits where 32 would do; 4 a negative offset.
std::string InstructionPrinter::address(const Instruction& i, unsigned mask, unsigned offset) {
  const bool narrow = i.space == Space::Shared || i.space == Space::Local, named = narrow || i.space == Space::Const;
  const bool wide = i.generic || !narrow || i.variant & 2;
  const char* base = i.space == Space::Shared   ? "%slice"
                     : i.space == Space::Local  ? "mine"
                     : i.space == Space::Const  ? "constants"
                     : i.space == Space::Input  ? "%in"
                     : i.space == Space::Global ? "%far"
                                                : "%given";
  const bool direct = i.a.immediate && i.variant & 1;
  if (direct) offset += static_cast<unsigned>(i.a.bits) & mask;
  else line("and.b32 %tw, {}, {}", value(Type::U32, i.a), mask);
  if (direct && !(named && i.generic) && !(i.space == Space::Shared && wide))
    return fmt::format("[{}+{}]", base, offset);
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
  const unsigned half = i.space == Space::Input   ? kInputWords * 8
                        : i.space == Space::Const ? kConstWords * 8
                                                  : kSliceBytes / 2;
  const unsigned base = i.type == Type::F32 && half == kSliceBytes / 2 ? kSliceBytes / 2 : 0;
  const std::string at = address(i, (half - 1) & ~(bytes * i.words - 1), base);
  const bool generic = i.generic || i.space == Space::Given;
  const std::string type =
      i.variant & 8 && !is_signed(i.type) && i.type != Type::F32 ? fmt::format("b{}", 8 * bytes) : name_of(i.type);
  const File f = file_of(i.to);
  const unsigned first = store ? i.b.reg : i.dst;
  const std::string data = vector(f, first, i.words);
  const std::string name = fmt::format("{}{}{}.{}", store ? "st" : "ld", around(i, store, generic),
                                       i.words > 1 ? fmt::format(".v{}", i.words) : "", type);
  if (store) line("{}{} {}, {}", guard, name, at, data);
  else line("{}{} {}, {}", guard, name, data, at);
}

void InstructionPrinter::copy(const Instruction& i, const std::string& guard) {
  constexpr const char* kWaits[][4] = {{"wait_all", "", "", ""},
                                       {"commit_group", "wait_group 0", "", ""},
                                       {"commit_group", "commit_group", "wait_group 1", ""},
                                       {"wait_group 0", "commit_group", "wait_group 5", "wait_all"}};
  const unsigned bytes = bits_of(i.type) / 8 * i.words;
  std::string part;
  if (i.extra == 1) {
    line("and.b32 %tv, {}, {}", value(Type::U32, i.b), 2 * bytes - 1);
    line("min.u32 %tv, %tv, {}", bytes);
    part = ", %tv";
  } else if (i.extra == 2) {
    line("setp.ne.u32 %q, 0, 0");
    line("@{}%p{} setp.eq.u32 %q, 0, 0", i.predicate.negated ? "!" : "", i.predicate.reg);
    part = ", %q";
  }
  const std::string from =
      address(i, ((i.space == Space::Input ? kInputWords * 8 : kSliceBytes / 2) - 1) & ~(bytes - 1), 0);
  line("{}cp.async.{}.shared{}.global{} [%slice+{}], {}, {}{}", guard, bytes == 16 && i.variant & 16 ? "cg" : "ca",
       i.variant & 32 ? "::cta" : "", i.variant & 64 ? ".L2::128B" : "",
       i.c.bits & (kSliceBytes / 2 - 1) & ~(bytes - 1), from, bytes, part);
  for (const char* wait : kWaits[i.variant >> 7])
    if (*wait) line("cp.async.{}", wait);
}

void InstructionPrinter::atomic(const Instruction& i, const std::string& guard) {
  const auto op = static_cast<Atomic>(i.extra);
  const unsigned bytes = bits_of(i.type) / 8;
  const std::string at =
      address(i, (kSliceBytes / 2 - 1) & ~(bytes * i.words - 1), i.type == Type::F32 ? kSliceBytes / 2 : 0);
  const bool generic = i.generic || i.space == Space::Given, reduction = i.dst2 != 0;
  unsigned order = i.variant >> 4;
  if (reduction && (order % 5 == 2 || order % 5 == 4)) order++;  // .relaxed, .release
  const std::string values = i.words > 1 ? vector(file_of(i.type), i.b.reg, i.words) : value(i.type, i.b);
  line("{}{}{}{}.{}{}.{} {}{}, {}{}", guard, reduction ? "red" : "atom",
       reduction && order % 5 == 0 ? "" : order_and_scope(order), space_of(i, generic), kAtomics[i.extra],
       i.words > 1 ? fmt::format(".v{}", i.words) : "", atomic_type(op, i.type),
       reduction ? "" : vector(file_of(i.type), i.dst, i.words) + ", ", at, values,
       op == Atomic::Cas ? ", " + value(i.type, i.c) : "");
}

// Where cells or sums are, which belong to all threads; in global memory to those of a block.
std::string InstructionPrinter::of_all(std::string_view what, bool generic) {
  const bool far = what[0] == 'f';
  if (!far && !generic) return std::string(what);
  line("mov.u64 %at, {}", what);
  if (far) {
    line("mov.u32 %tx, %ctaid.x");
    line("mad.wide.u32 %at, %tx, {}, %at", what == "far_cells" ? 8 * kCellCount : kSumBytes * kSumCount);
  } else {
    line("cvta.shared.u64 %at, %at");
  }
  return "%at";
}
void InstructionPrinter::first_values(std::string_view what) {
  const bool cells = what.ends_with("cells");
  const std::string at = of_all(what, false);
  for (unsigned n = 0; n < (cells ? kCellCount : kSumBytes * kSumCount / 8); n++)
    line("st.{}.u64 [{}+{}], {}", what[0] == 'f' ? "global" : "shared", at, 8 * n, cells ? kCells[n].first : 0);
}

void InstructionPrinter::sum(const Instruction& i, const std::string& guard) {
  const SumKind& kind = kSums[i.extra & 255];
  const unsigned element = i.extra >> 8, bits = bits_of(kind.type);
  const std::string base = of_all(i.space == Space::Global ? "far_sums" : "near_sums", i.generic);
  const std::string at = fmt::format("[{}+{}]", base, kSumBytes * (i.extra & 255) + element * bits / 8);
  const std::string space = i.generic ? "" : kSpaces[static_cast<int>(i.space)];
  if (i.op == Op::LoadSum)
    return line("ld{}.{} {}, {}", space, kBits[static_cast<int>(file_of(kind.type))], reg(file_of(kind.type), i.dst),
                at);
  std::string data;
  for (unsigned n = 0; n < kind.elements; n++) {
    const std::string part = fmt::format("%{}{}", bits == 16 ? 'e' : 's', n);
    line("and.b32 %tx, {}, {}", value(Type::U32, i.a), 1u << n);
    line("setp.ne.u32 %q, %tx, 0");
    line("selp.b{} {}, {}, 0, %q", bits, part, kind.step);
    data += (n ? ", " : "") + part;
  }
  if (kind.elements > 1) data = "{" + data + "}";
  const bool reduction = i.variant & 1;
  line("{}{}{}.{}{}.{} {}{}, {}", guard, reduction ? "red" : "atom", space, kAtomics[static_cast<int>(kind.op)],
       kind.elements > 1 ? fmt::format(".v{}", kind.elements) : "", atomic_type(kind.op, kind.type),
       reduction ? "" : data + ", ", at, data);
}

void InstructionPrinter::cell(const Instruction& i, const std::string& guard) {
  const CellKind& kind = kCells[i.extra];
  const std::string at =
      fmt::format("[{}+{}]", of_all(i.space == Space::Global ? "far_cells" : "near_cells", i.generic), 8 * i.extra);
  const std::string space = i.generic ? "" : kSpaces[static_cast<int>(i.space)];
  if (i.op == Op::LoadCell)
    return line("ld{}.{} {}, {}", space, name_of(kind.type), reg(file_of(kind.type), i.dst), at);
  const bool bound = kind.op == Atomic::Inc || kind.op == Atomic::Dec, reduction = i.variant & 1;
  line("{}{}{}.{}.{} {}{}, {}", guard, reduction ? "red" : "atom", space, kAtomics[static_cast<int>(kind.op)],
       atomic_type(kind.op, kind.type),
       reduction                  ? ""
       : bits_of(kind.type) == 64 ? "%td, "
                                  : "%tx, ",
       at, bound ? fmt::format("{}", kCellBound) : value(kind.type, i.b));
}

void InstructionPrinter::load_other(const Instruction& i) {
  const unsigned bytes = bits_of(i.type) / 8;
  const unsigned at = (static_cast<unsigned>(i.a.bits) & (kSliceBytes / 2 - 1) & ~(bytes - 1)) +
                      (i.type == Type::F32 ? kSliceBytes / 2 : 0);
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
  const std::string source =
      i.predicate.reg < 0 ? "" : fmt::format("{}%p{}", i.predicate.negated ? "!" : "", i.predicate.reg);
  constexpr const char* kModes[] = {"idx", "up", "down", "bfly"};
  constexpr const char* kVotes[] = {"all", "any", "uni"};
  constexpr const char* kBarrier[] = {"popc.u32", "and.pred", "or.pred"};
  constexpr const char* kRedux[] = {"add.u32", "min.u32", "max.u32", "min.s32",
                                    "max.s32", "and.b32", "xor.b32", "or.b32"};
  const unsigned mode = i.extra & 3, segment = (32u - (1u << (i.extra >> 4))) << 8;
  switch (i.op) {
    case Op::BarrierReduce: {
      constexpr const char *kName[] = {"bar.red", "barrier.red", "bar.cta.red", "barrier.cta.red"},
                           *kNumber[] = {"0", "1", "2, 64", "%tx, %ty"};
      const bool aligned = !(i.variant & 1) || i.variant & 16;
      const unsigned number = i.variant >> 2 & 3;
      line("mov.u32 %tx, 3");
      line("mov.u32 %ty, %ntid.x");
      std::string how = kBarrier[i.extra];
      if (i.variant & 1 && aligned) how.insert(how.find('.'), ".aligned");
      const std::string text = fmt::format("{}.{} {}, {}, {}", kName[i.variant & 3], how,
                                           i.extra == 0 ? d : reg(File::P, i.dst), kNumber[number], source);
      if (aligned || i.b.reg == 0) return line("{}", text);
      // Parts of the warp come one after the other, from two places.
      line("setp.lt.u32 %q, {}, {}", value(Type::U32, i.a), 0x80000000);
      line("@%q {}", text);
      return line("@!%q {}", text);
    }
    case Op::Shuffle:
      return line("shfl.sync.{}.b32 {}|{}, {}, {}, {}, {}", kModes[mode], d, p, a, value(Type::U32, i.b),
                  segment | (mode == 1 ? 0 : 31), members_);
    case Op::Vote: return line("vote.sync.{}.pred {}, {}, {}", kVotes[i.extra], p, source, members_);
    case Op::Ballot: return line("vote.sync.ballot.b32 {}, {}, {}", d, source, members_);
    case Op::Match: return line("match.any.sync.b{} {}, {}, {}", bits_of(i.type), d, a, members_);
    case Op::MatchAll: return line("match.all.sync.b{} {}|{}, {}, {}", bits_of(i.type), d, p, a, members_);
    case Op::Elect: return line("elect.sync {}|{}, {}", d, p, members_);
    default: return line("redux.sync.{} {}, {}, {}", kRedux[i.extra], d, a, members_);
  }
}

}  // namespace heddle::compiler::test
