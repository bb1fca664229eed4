// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/compiler/random/operations.h"
#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {
namespace {

using Kind = Statement::Kind;

class Generator {
 public:
  Generator(std::mt19937_64& random, const Shape& shape) : random_(random), shape_(shape) {}

  Program run() {
    Program p;
    for (unsigned n = 0; n < shape_.functions; n++) {
      Function f;
      constexpr File kResults[] = {File::W, File::D, File::F};
      f.result = kResults[below(3)];
      results_.push_back(f.result);
      p.functions.push_back(f);
    }
    for (unsigned n = shape_.functions; n-- > 0;) {
      first_callee_ = n + 1;
      in_function_ = true;
      fill(p.functions[n], std::max(4u, shape_.statements / 2), std::max(1u, shape_.depth - 1));
    }
    first_callee_ = 0;
    in_function_ = false;
    p.silent_return = chance(20);
    for (unsigned n = 0; n < shape_.phases; n++) {
      Function f;
      last_phase_ = n + 1 == shape_.phases;
      fill(f, shape_.statements, shape_.depth);
      if (n > 0) {  // what another thread wrote
        Body body;
        for (int k = 0; k < 2; k++) body.push_back(plain(read_other()));
        for (int k = 0; k < 2; k++) body.push_back(plain(warp_instruction()));
        f.body.insert(f.body.begin(), body.begin(), body.end());
      }
      p.phases.push_back(std::move(f));
    }
    return p;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T, size_t N>
  T pick_from(const T (&list)[N]) {
    return list[below(N)];
  }

  void fill(Function& f, unsigned statements, unsigned depth) {
    loops_ = 0;
    f.body = body(statements, depth, 0);
    f.loops = loops_;
  }

  unsigned reg(File f) { return below(kRegisters[static_cast<int>(f)]); }
  Guard predicate() { return {static_cast<int>(reg(File::P)), chance(50)}; }

  uint64_t constant(Type t) {
    if (t == Type::F32) {
      constexpr uint32_t kFloats[] = {0x3f800000, 0xbf800000, 0x40490fdb, 0x00000000, 0x80000000, 0x3e99999a,
                                      0x4b000001, 0xcb7fffff, 0x00000001, 0x007fffff, 0x7f7fffff, 0x5f000000};
      return chance(80) ? pick_from(kFloats) : random_() & 0xbf7fffff;
    }
    constexpr uint64_t kSpecial[] = {0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 63, 255, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
                                     0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~uint64_t{0}};
    const uint64_t v = chance(60) ? pick_from(kSpecial) : random_() >> below(64);
    return bits_of(t) == 64 ? v : v & ((uint64_t{1} << bits_of(t)) - 1);
  }

  Value value(Type t, unsigned constants = 25) {
    if (chance(constants)) return {true, 0, constant(t)};
    return {false, reg(file_of(t)), 0};
  }
  Value only_register(File f) { return {false, reg(f), 0}; }

  Type integer() { return pick({Type::U16, Type::S16, Type::U32, Type::S32, Type::U32, Type::S32, Type::U64, Type::S64}); }
  template <typename T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<unsigned>(list.size()))];
  }

  static Statement plain(const Instruction& i) {
    Statement s;
    s.instruction = i;
    return s;
  }

  Instruction integer_instruction() {
    Instruction i;
    i.type = integer();
    i.op = pick({Op::Add, Op::Add, Op::Sub, Op::MulLo, Op::MulHi, Op::MulWide, Op::MadLo, Op::MadWide, Op::Div, Op::Rem,
                 Op::Min, Op::Max, Op::Neg, Op::Abs, Op::And, Op::Or, Op::Xor, Op::Not, Op::Shl, Op::Shr, Op::Popc,
                 Op::Clz, Op::Brev, Op::Bfe, Op::Bfi, Op::Prmt, Op::FunnelLeft, Op::FunnelRight, Op::Lop3, Op::AddCarry,
                 Op::Selp, Op::Mov, Op::Cvt, Op::Cvt, Op::Cvt});
    const auto only = [&](std::initializer_list<Type> types) {
      if (std::find(types.begin(), types.end(), i.type) == types.end()) i.type = pick(types);
    };
    switch (i.op) {
      case Op::MulWide:
      case Op::MadWide:
        only({Type::U16, Type::S16, Type::U32, Type::S32});
        break;
      case Op::Neg:
      case Op::Abs:
        only({Type::S16, Type::S32, Type::S64});
        break;
      case Op::Popc:
      case Op::Clz:
      case Op::Brev:
      case Op::Bfi:
        only({Type::U32, Type::U64});
        break;
      case Op::Bfe:
        only({Type::U32, Type::S32, Type::U64, Type::S64});
        break;
      case Op::Prmt:
      case Op::FunnelLeft:
      case Op::FunnelRight:
      case Op::Lop3:
      case Op::AddCarry:
        only({Type::U32});
        break;
      default:
        break;
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
      case Op::Clz:
        to = File::W;
        break;
      case Op::Selp:
        i.predicate = predicate();
        break;
      case Op::Cvt:
        i.to = chance(75) ? integer() : Type::F32;
        if (chance(15)) i.type = Type::F32, i.to = i.to == Type::F32 ? Type::S32 : i.to;
        i.a = only_register(file_of(i.type));
        i.extra = below(4);
        to = file_of(i.to);
        break;
      default:
        break;
    }
    i.dst = reg(to);
    return i;
  }

  Instruction float_instruction() {
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

  Instruction predicate_instruction() {
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

  Instruction memory_instruction() {
    Instruction i;
    i.op = pick({Op::LoadInput, Op::LoadShared, Op::StoreShared, Op::LoadLocal, Op::StoreLocal});
    if (in_function_ && i.op == Op::LoadInput) i.op = Op::LoadLocal;
    if (in_function_ && i.op == Op::LoadShared) i.op = Op::StoreLocal;
    if (in_function_ && i.op == Op::StoreShared) i.op = Op::StoreLocal;
    i.type = pick({Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64, Type::F32});
    i.extra = i.type != Type::F32 && bits_of(i.type) == 32 && chance(30) ? 2 : 1;
    i.a = value(Type::U32, 40);
    i.b = only_register(file_of(i.type));
    i.c = only_register(file_of(i.type));
    i.dst = reg(file_of(i.type));
    i.dst2 = (i.dst + 1) % kRegisters[static_cast<int>(file_of(i.type))];
    return i;
  }

  // A byte of what is not f32's, in a W register; through a generic address, too.
  Instruction byte_instruction() {
    Instruction i;
    i.op = pick({Op::LoadByte, Op::StoreByte});
    i.extra = below(in_function_ ? 4 : 8);
    i.a = value(Type::U32, 40);
    i.b = only_register(File::W);
    i.dst = reg(File::W);
    return i;
  }

  Instruction read_other() {
    Instruction i;
    i.op = Op::LoadOther;
    i.type = pick({Type::U16, Type::U32, Type::S64, Type::F32});
    i.a = {true, 0, below(kSliceBytes)};
    i.extra = below(kThreads);
    i.dst = reg(file_of(i.type));
    return i;
  }

  Instruction table_instruction() {
    Instruction i;
    i.op = Op::Table;
    do i.extra = below(static_cast<unsigned>(operations().size()));
    while (!shape_.f64 && uses_f64(operations()[i.extra]));
    const std::string_view files = operations()[i.extra].files;
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
    return i;
  }

  // All lanes of a warp are there.
  Instruction warp_instruction() {
    Instruction i;
    i.op = pick({Op::Shuffle, Op::Shuffle, Op::Ballot, Op::Match, Op::Redux});
    i.a = only_register(File::W);
    i.b = {true, 0, below(32)};
    i.predicate = predicate();
    i.extra = below(4) | below(6) << 4;  // segments of 1 … 32 lanes
    if (i.op == Op::Redux) i.extra = below(7);
    i.dst = reg(File::W);
    return i;
  }

  Statement simple(unsigned guarded) {
    const unsigned kind = below(100);
    Instruction i = kind < 18   ? table_instruction()
                    : kind < 50 ? integer_instruction()
                    : kind < 68 ? float_instruction()
                    : kind < 82 ? predicate_instruction()
                : kind < 97 ? memory_instruction()
                            : byte_instruction();
    if (chance(guarded)) i.guard = predicate();
    return plain(i);
  }

  std::vector<Term> condition() {
    std::vector<Term> out;
    const unsigned terms = chance(65) ? 1 : 2 + below(2);
    for (unsigned n = 0; n < terms; n++) {
      Term t;
      if (chance(25)) t.before.push_back(simple(10));
      if (chance(80)) t.before.push_back(plain(predicate_instruction()));
      t.predicate = predicate();
      t.is_or = chance(50);
      out.push_back(std::move(t));
    }
    return out;
  }

  Body body(unsigned statements, unsigned depth, unsigned loops_around) {
    Body out;
    const unsigned n = 1 + below(2 * statements);
    for (unsigned k = 0; k < n; k++) out.push_back(statement(statements, depth, loops_around));
    return out;
  }

  Statement statement(unsigned statements, unsigned depth, unsigned loops_around) {
    Statement s;
    const unsigned kind = below(100);
    const unsigned less = std::max(2u, statements / 2);
    if (kind < 12 && depth > 0) {
      s.kind = Kind::If;
      s.condition = condition();
      s.bodies.push_back(body(less, depth - 1, loops_around));
      if (chance(50)) s.bodies.push_back(body(less, depth - 1, loops_around));
    } else if (kind >= 12 && kind < 20 && depth > 0 && loops_around < 3) {
      s.kind = Kind::Loop;
      s.counter = loops_++;
      s.trips = 1 + below(loops_around == 0 ? 9 : 4);
      s.bound = value(Type::U32, 30);
      s.test_at_end = chance(50);
      s.bodies.push_back(body(less, depth - 1, loops_around + 1));
    } else if (kind >= 20 && kind < 27 && loops_around > 0) {
      s.kind = chance(60) ? Kind::Break : Kind::Continue;
      s.condition = condition();
    } else if (kind >= 27 && kind < 31 && first_callee_ < results_.size() && loops_around < 2) {
      s.kind = Kind::Call;
      s.callee = first_callee_ + below(static_cast<unsigned>(results_.size()) - first_callee_);
      s.arguments[0] = value(Type::U32);
      s.arguments[1] = value(Type::U64);
      s.arguments[2] = value(Type::F32);
      s.arguments[3] = only_register(File::H);
      s.dst = reg(results_[s.callee]);
    } else if (kind >= 31 && kind < 33 && depth > 0) {
      s.kind = Kind::Switch;
      s.counter = reg(File::W);
      for (unsigned n = 2 + below(4); n-- > 0;) s.bodies.push_back(body(less / 2 + 1, depth - 1, loops_around));
    } else if (kind == 33 && (in_function_ || last_phase_)) {
      s.kind = Kind::Return;
      s.condition = condition();
    } else {
      s = simple(20);
    }
    return s;
  }

  std::mt19937_64& random_;
  const Shape& shape_;
  std::vector<File> results_;
  unsigned first_callee_ = 0;
  unsigned loops_ = 0;
  bool in_function_ = false;
  bool last_phase_ = false;
};

}  // namespace

Program random_program(std::mt19937_64& random, const Shape& shape) { return Generator(random, shape).run(); }

}  // namespace heddle::compiler::test
