// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/random/generate_instruction.h"

#include <algorithm>

#include "tests/compiler/random/operations.h"

namespace heddle::compiler::test {
namespace {

bool uses_f64(std::string_view files) { return files.find_first_of("eE") != files.npos; }

}  // namespace

uint64_t InstructionGenerator::constant(Type t) {
  if (t == Type::F32) {
    constexpr uint32_t kFloats[] = {0x3f800000, 0xbf800000, 0x40490fdb, 0x00000000, 0x80000000, 0x3e99999a,
                                    0x4b000001, 0xcb7fffff, 0x00000001, 0x007fffff, 0x7f7fffff, 0x5f000000};
    return chance(80) ? pick_from(kFloats) : random_() & 0xbf7fffff;
  }
  constexpr uint64_t kSpecial[] = {0,
                                   1,
                                   2,
                                   3,
                                   5,
                                   7,
                                   8,
                                   16,
                                   31,
                                   32,
                                   63,
                                   255,
                                   0x7fff,
                                   0x8000,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   ~uint64_t{0}};
  const uint64_t v = chance(60) ? pick_from(kSpecial) : random_() >> below(64);
  return bits_of(t) == 64 ? v : v & ((uint64_t{1} << bits_of(t)) - 1);
}

Instruction InstructionGenerator::integer_instruction() {
  Instruction i;
  i.type = integer();
  i.op = pick({Op::Add,     Op::Add,      Op::Sub,  Op::MulLo, Op::MulHi, Op::MulWide,    Op::MadLo,
               Op::MadWide, Op::Div,      Op::Rem,  Op::Min,   Op::Max,   Op::Neg,        Op::Abs,
               Op::And,     Op::Or,       Op::Xor,  Op::Not,   Op::Shl,   Op::Shr,        Op::Popc,
               Op::Clz,     Op::Brev,     Op::Bfe,  Op::Bfi,   Op::Prmt,  Op::FunnelLeft, Op::FunnelRight,
               Op::Lop3,    Op::AddCarry, Op::Selp, Op::Mov,   Op::Cvt,   Op::Cvt,        Op::Cvt});
  const auto only = [&](std::initializer_list<Type> types) {
    if (std::find(types.begin(), types.end(), i.type) == types.end()) i.type = pick(types);
  };
  switch (i.op) {
    case Op::MulWide:
    case Op::MadWide: only({Type::U16, Type::S16, Type::U32, Type::S32}); break;
    case Op::Neg:
    case Op::Abs: only({Type::S16, Type::S32, Type::S64}); break;
    case Op::Popc:
    case Op::Clz:
    case Op::Brev:
    case Op::Bfi: only({Type::U32, Type::U64}); break;
    case Op::Bfe: only({Type::U32, Type::S32, Type::U64, Type::S64}); break;
    case Op::Prmt:
    case Op::FunnelLeft:
    case Op::FunnelRight:
    case Op::Lop3:
    case Op::AddCarry: only({Type::U32}); break;
    default: break;
  }
  i.a = i.op == Op::Neg || i.op == Op::Abs || i.op == Op::Not ? only_register(file_of(i.type)) : value(i.type, 12);
  i.b = value(i.type, 40);
  i.c = value(i.type, 25);
  i.extra = below(256);
  File to = file_of(i.type);
  switch (i.op) {
    case Op::Shl:
    case Op::Shr:
      i.b = value(Type::U32, 50);
      if (i.b.immediate && chance(80)) i.b.bits = below(72);
      break;
    case Op::Bfe:
      i.b = value(Type::U32, 70), i.c = value(Type::U32, 70);
      if (i.b.immediate) i.b.bits = below(70);
      if (i.c.immediate) i.c.bits = below(70);
      break;
    case Op::Bfi:
      i.extra = below(72) << 8 | below(72);  // position, length
      break;
    case Op::Div:
    case Op::Rem:  // b is kept positive and not 0 by what is written
      if (i.b.immediate) i.b.bits = std::max<uint64_t>(1, i.b.bits & ((uint64_t{1} << (bits_of(i.type) - 1)) - 1));
      break;
    case Op::Prmt:
      if (i.c.immediate) i.c.bits &= 0x7777;
      break;
    case Op::MulWide:
    case Op::MadWide:
      to = bits_of(i.type) == 16 ? File::W : File::D;
      if (i.op == Op::MadWide) i.c = value(to == File::W ? Type::U32 : Type::U64, 25);
      break;
    case Op::Popc:
    case Op::Clz: to = File::W; break;
    case Op::Selp: i.predicate = predicate(); break;
    case Op::Cvt:
      i.to = chance(75) ? integer() : Type::F32;
      if (chance(15)) i.type = Type::F32, i.to = i.to == Type::F32 ? Type::S32 : i.to;
      i.a = only_register(file_of(i.type));
      i.extra = below(4);
      to = file_of(i.to);
      break;
    default: break;
  }
  i.dst = reg(to);
  return i;
}

Instruction InstructionGenerator::float_instruction() {
  Instruction i;
  i.type = Type::F32;
  i.op = pick({Op::FAdd, Op::FSub, Op::FMul, Op::FMul, Op::FFma, Op::FFma, Op::FDiv, Op::FSqrt, Op::FMin, Op::FMax,
               Op::FNeg, Op::FAbs, Op::Selp, Op::Mov});
  i.a = i.op == Op::FNeg || i.op == Op::FAbs || i.op == Op::FSqrt ? only_register(File::F) : value(Type::F32, 10);
  i.b = value(Type::F32, 30);
  i.c = value(Type::F32, 30);
  i.predicate = predicate();
  i.dst = reg(File::F);
  return i;
}

Instruction InstructionGenerator::predicate_instruction() {
  Instruction i;
  i.op = pick({Op::Setp, Op::Setp, Op::Setp, Op::SetpAnd, Op::PAnd, Op::PXor, Op::PNot});
  i.type = chance(20) ? Type::F32 : integer();
  i.compare = below(i.type == Type::F32 ? 14 : 6);
  i.a = only_register(file_of(i.type));
  i.b = value(i.type, 40);
  i.predicate = predicate();
  i.extra = i.op == Op::SetpAnd ? below(3) : reg(File::P);
  i.dst = reg(File::P);
  i.dst2 = (i.dst + 1) % kRegisters[static_cast<int>(File::P)];
  return i;
}

// Element and registers: as wide, or the registers wider; vectors up to 16 bytes, some of 32.
Instruction InstructionGenerator::memory_instruction() {
  Instruction i;
  i.op = pick({Op::Load, Op::Load, Op::Store});
  i.type = pick(
      {Type::U8, Type::S8, Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64, Type::F32, Type::F32});
  i.to = i.type == Type::U8 || i.type == Type::S8 ? Type::U16 : i.type;
  if (i.type != Type::F32 && chance(30)) i.to = bits_of(i.type) < 32 && chance(60) ? Type::U32 : Type::U64;
  i.space = slice();
  if (i.op == Op::Load && chance(25)) i.space = in_function_ || chance(40) ? Space::Const : Space::Input;
  i.generic = i.space != Space::Const && i.space != Space::Given && chance(30);
  i.words = bits_of(i.type) == 64 ? pick({1u, 1u, 2u}) : pick({1u, 1u, 1u, 2u, 4u});
  i.variant = below(512);
  if (i.type == i.to && (i.space == Space::Global || i.space == Space::Input) && chance(15)) {
    if (bits_of(i.type) == 64) i.words = 4;
    else if (file_of(i.type) == File::W) i.words = 8;
  }
  i.a = value(Type::U32, 40);
  i.b = only_register(file_of(i.to));
  i.dst = reg(file_of(i.to));
  return i;
}

// Asynchronous copies, from global memory to the thread's slice of shared memory.
Instruction InstructionGenerator::copy_instruction() {
  Instruction i;
  i.op = Op::Copy;
  i.type = pick({Type::U32, Type::U64});
  i.words = i.type == Type::U64 ? pick({1u, 2u}) : 1;
  i.space = pick({Space::Input, Space::Global});
  i.extra = pick({0u, 0u, 1u, 2u});
  i.predicate = predicate();
  i.variant = below(512);
  i.a = value(Type::U32, 40);
  i.b = value(Type::U32, 40);
  i.c = {true, 0, below(kSliceBytes / 2)};
  return i;
}

// Prefetches, and whose address one is.
Instruction InstructionGenerator::address_instruction() {
  Instruction i;
  i.op = pick({Op::Prefetch, Op::IsSpace});
  i.space = slice();
  if (i.op == Op::Prefetch && !in_function_ && chance(40)) i.space = Space::Input;
  i.generic = i.op == Op::IsSpace || i.space == Space::Shared || (i.space != Space::Given && chance(30));
  i.a = value(Type::U32, 40);
  i.variant = below(32);
  i.extra = static_cast<unsigned>(pick({Space::Shared, Space::Local, Space::Global}));
  i.dst = reg(File::P);
  return i;
}

Instruction InstructionGenerator::sum_instruction() {
  Instruction i;
  i.op = Op::Sum;
  i.extra = below(kSumCount);
  i.space = kSums[i.extra].elements > 1 ? Space::Global : pick({Space::Shared, Space::Global});
  i.generic = chance(30);
  i.a = value(Type::U32, 30);  // a bit an element: whether it adds
  i.variant = below(32);
  return i;
}

Instruction InstructionGenerator::atomic_instruction() {
  Instruction i;
  i.variant = below(512);
  i.a = value(Type::U32, 40);
  if (chance(40)) {
    i.op = Op::Cell;
    i.extra = below(kCellCount);
    i.space = pick({Space::Shared, Space::Global});
    i.type = kCells[i.extra].type;
    i.generic = chance(30);
    i.b = value(i.type, 20);
    return i;
  }
  i.op = Op::Atom;
  const Atomic op =
      pick({Atomic::Add, Atomic::Min, Atomic::Max, Atomic::And, Atomic::Or, Atomic::Xor, Atomic::Inc, Atomic::Dec,
            Atomic::Exch, Atomic::Cas, Atomic::Cas, Atomic::AddF, Atomic::AddF16, Atomic::AddBf16});
  i.extra = static_cast<unsigned>(op);
  const bool orders = op == Atomic::Min || op == Atomic::Max;
  const bool half = op == Atomic::AddF16 || op == Atomic::AddBf16;
  i.type = op == Atomic::Inc || op == Atomic::Dec ? Type::U32
           : half                                 ? pick({Type::U16, Type::U32})
           : op == Atomic::AddF                   ? (f64_ ? pick({Type::F32, Type::U64}) : Type::F32)
           : orders                               ? pick({Type::U32, Type::S32, Type::U64, Type::S64})
           : op == Atomic::Cas                    ? pick({Type::U16, Type::U32, Type::U64})
                                                  : pick({Type::U32, Type::U64});
  i.space = in_function_ ? Space::Given : pick({Space::Shared, Space::Global});
  i.generic = i.space != Space::Given && chance(30);
  if (i.space == Space::Global && (half || i.type == Type::F32) && chance(40)) i.words = pick({2u, 4u});
  i.b = value(i.type, half || i.words > 1 || (op == Atomic::AddF && i.type == Type::U64) ? 0 : 20);
  i.c = value(i.type, 20);
  i.dst = reg(file_of(i.type));
  i.dst2 = op != Atomic::Exch && op != Atomic::Cas && chance(30);  // red
  return i;
}

// Of 128 bits.
Instruction InstructionGenerator::wide_instruction() {
  Instruction i;
  i.op = pick({Op::Pack, Op::Pack, Op::Unpack, Op::Unpack, Op::Mov, Op::Load, Op::Load, Op::Store, Op::Store, Op::Atom,
               Op::Atom});
  i.variant = below(512);
  i.type = i.to = Type::B128;
  i.dst = reg(File::X);
  i.a = only_register(File::X);
  if (i.op == Op::Pack || i.op == Op::Unpack) i.type = i.to = Type::U64;
  if (i.op == Op::Pack) {
    i.a = value(Type::U64, 15), i.b = value(Type::U64, 15);
  } else if (i.op == Op::Unpack) {
    constexpr unsigned kCount = kRegisters[static_cast<int>(File::D)];
    i.dst = reg(File::D);
    i.dst2 = (i.dst + 1 + below(kCount - 1)) % kCount;
    i.variant %= 6;
  }
  if (i.op < Op::Special) return i;
  i.space = i.op != Op::Atom ? slice() : in_function_ ? Space::Given : pick({Space::Shared, Space::Global});
  if (i.op == Op::Load && chance(25)) i.space = in_function_ || chance(40) ? Space::Const : Space::Input;
  i.generic = i.space != Space::Const && i.space != Space::Given && chance(30);
  i.extra = static_cast<unsigned>(pick({Atomic::Exch, Atomic::Cas}));
  i.a = value(Type::U32, 40);
  i.b = only_register(File::X);
  i.c = only_register(File::X);
  return i;
}

void InstructionGenerator::operands(Instruction& i, std::string_view files) {
  Value* const sources[] = {&i.a, &i.b, &i.c};
  for (size_t k = 1; k < files.size(); k++) {
    const char letter = static_cast<char>(files[k] | 32);
    const Type type = letter == 'f' ? Type::F32 : letter == 'w' ? Type::U32 : letter == 'h' ? Type::U16 : Type::U64;
    *sources[k - 1] = value(type, files[k] == letter ? 20 : 0);
    constexpr uint64_t kDoubles[] = {0x3ff0000000000000, 0xbfe0000000000000, 0x8000000000000000, 0x0000000000000001,
                                     0x000fffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0x41dfffffffc00000,
                                     0xc1e0000000200000, 0x36a0000000000000, 0x47efffffefffffff, 0x3fd5555555555555};
    if (letter == 'e' && sources[k - 1]->immediate) sources[k - 1]->bits = pick_from(kDoubles);
  }
  i.dst = reg(file_of(files[0]));
}

Instruction InstructionGenerator::table_instruction() {
  Instruction i;
  i.op = Op::Table;
  do {
    const size_t group = below(static_cast<unsigned>(ends().size()));
    const unsigned first = group == 0 ? 0 : ends()[group - 1];
    i.extra = first + below(ends()[group] - first);
  } while (!f64_ && uses_f64(operations()[i.extra].files));
  operands(i, operations()[i.extra].files);
  return i;
}

Instruction InstructionGenerator::approximate_instruction() {
  Instruction i;
  i.op = Op::Approx;
  do i.extra = below(static_cast<unsigned>(approximations().size()));
  while (!f64_ && uses_f64(approximations()[i.extra].files));
  operands(i, approximations()[i.extra].files);
  return i;
}

Instruction InstructionGenerator::block_instruction() {
  Instruction i;
  i.op = pick({Op::LoadOther, Op::LoadOther, Op::LoadCell, Op::LoadSum, Op::BarrierReduce});
  i.space = pick({Space::Shared, Space::Global});
  if (i.op == Op::LoadOther) {
    i.type = pick({Type::U16, Type::U32, Type::S64, Type::F32});
    i.a = {true, 0, below(kSliceBytes)};
    i.extra = below(kThreads);
    i.dst = reg(file_of(i.type));
  } else if (i.op == Op::LoadCell) {
    i.extra = below(kCellCount);
    i.dst = reg(file_of(kCells[i.extra].type));
  } else if (i.op == Op::LoadSum) {
    i.extra = below(kSumCount);
    const SumKind& kind = kSums[i.extra];
    i.extra |= below(kind.elements) << 8;
    if (kind.elements > 1) i.space = Space::Global;
    i.dst = reg(file_of(kind.type));
  } else {
    i.extra = below(3);
    i.variant = below(32);
    i.a = only_register(File::W);
    i.b.reg = below(2);  // unaligned: whether from two places
    i.predicate = predicate();
    i.dst = reg(i.extra == 0 ? File::W : File::P);
  }
  return i;
}

Instruction InstructionGenerator::warp_instruction() {
  Instruction i;
  i.op = pick({Op::Shuffle, Op::Shuffle, Op::Vote, Op::Ballot, Op::Match, Op::MatchAll, Op::Redux, Op::Elect});
  if (i.op == Op::Match || i.op == Op::MatchAll) i.type = pick({Type::U32, Type::U64});
  i.a = only_register(file_of(i.type));
  i.b = chance(50) ? Value{true, 0, below(32)} : only_register(File::W);
  if (i.op == Op::Vote || i.op == Op::Ballot) i.predicate = predicate();
  i.extra = below(4) | below(6) << 4;  // segments of 1 … 32 lanes
  if (i.op == Op::Redux) i.extra = below(8);
  if (i.op == Op::Vote) i.extra = below(3);
  i.dst = reg(File::W);
  i.dst2 = reg(File::P);
  return i;
}

Instruction InstructionGenerator::simple(unsigned guarded) {
  const unsigned kind = below(100);
  Instruction i;
  if (wide_ && chance(20)) i = wide_instruction();
  else if (kind < 30) i = table_instruction();
  else if (kind < 50) i = integer_instruction();
  else if (kind < 60) i = float_instruction();
  else if (kind < 70) i = predicate_instruction();
  else if (kind < 86) i = !in_function_ && chance(20) ? copy_instruction() : memory_instruction();
  else if (kind < 92) i = atomic_instruction();
  else if (kind < 93) i = sum_instruction();
  else if (kind < 95) i = address_instruction();
  else if (kind < 97) i = approximate_instruction();
  else
    i.op = pick({Op::Special, Op::Special, Op::Fence}), i.dst = reg(File::W),
    i.extra = below(i.op == Op::Special ? kSpecials : kFenceKinds);
  if (chance(guarded)) i.guard = predicate();
  return i;
}

}  // namespace heddle::compiler::test
