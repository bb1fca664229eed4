// SPDX-License-Identifier: Apache-2.0
// What a program means, in C++ (compiled without contraction of floating-point operations).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/compiler/random/operations.h"
#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {
namespace {

using Kind = Statement::Kind;
__extension__ typedef unsigned __int128 Wide;

enum class Flow : uint8_t { Next, Break, Continue, Return };

struct State {
  uint64_t files[kFiles][8] = {};
  uint8_t local[kSliceBytes] = {};
  uint8_t* shared = nullptr;
};

uint64_t mask(unsigned bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
int64_t extend(uint64_t v, unsigned bits) { return static_cast<int64_t>(v << (64 - bits)) >> (64 - bits); }
float number(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
uint64_t word(float f) { return std::bit_cast<uint32_t>(f); }

float smaller(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

bool compare(Type t, unsigned how, uint64_t a, uint64_t b) {
  if (t == Type::F32) {
    const float x = number(a), y = number(b);
    const bool nan = std::isnan(x) || std::isnan(y);
    switch (how) {
      case 0: return x == y;
      case 1: return !nan && x != y;
      case 2: return x < y;
      case 3: return x <= y;
      case 4: return x > y;
      case 5: return x >= y;
      case 6: return nan || x == y;
      case 7: return nan || x != y;
      case 8: return nan || x < y;
      case 9: return nan || x <= y;
      case 10: return nan || x > y;
      case 11: return nan || x >= y;
      case 12: return !nan;
      default: return nan;
    }
  }
  const int64_t x = extend(a, bits_of(t)), y = extend(b, bits_of(t));
  const bool less = is_signed(t) ? x < y : a < b;
  switch (how) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return less;
    case 3: return less || a == b;
    case 4: return !less && a != b;
    default: return !less;
  }
}

// 0 nearest even, 1 to zero, 2 down, 3 up.
float to_float(long double exact, unsigned rounding) {
  const auto f = static_cast<float>(exact);
  const auto back = static_cast<long double>(f);
  if (back == exact || rounding == 0) return f;
  const bool down = rounding == 2 || (rounding == 1 && exact > 0);
  if (down && back > exact) return std::nextafter(f, -std::numeric_limits<float>::infinity());
  if (!down && back < exact) return std::nextafter(f, std::numeric_limits<float>::infinity());
  return f;
}

uint64_t to_integer(float f, Type t, unsigned rounding) {
  if (std::isnan(f)) return bits_of(t) == 64 ? uint64_t{1} << 63 : 0;  // as silicon does
  const float whole = rounding == 0   ? std::nearbyint(f)
                      : rounding == 1 ? std::trunc(f)
                      : rounding == 2 ? std::floor(f)
                                      : std::ceil(f);
  const unsigned bits = bits_of(t);
  const int top = static_cast<int>(is_signed(t) ? bits - 1 : bits);
  const float limit = std::ldexp(1.0f, top);
  if (whole >= limit) return mask(static_cast<unsigned>(top));
  if (is_signed(t)) return whole < -limit ? (uint64_t{1} << (bits - 1)) : static_cast<uint64_t>(static_cast<int64_t>(whole)) & mask(bits);
  return whole < 0 ? 0 : static_cast<uint64_t>(whole);
}

uint64_t field(uint64_t a, unsigned bits, uint64_t pos, uint64_t len, bool sign) {
  if (bits == 32) pos &= 255, len &= 255;  // silicon does not cut those of the 64-bit form
  const unsigned msb = bits - 1;
  const uint64_t fill = sign && len ? a >> std::min<uint64_t>(pos + len - 1, msb) & 1 : 0;
  uint64_t d = 0;
  for (unsigned i = 0; i < bits; i++) d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : fill) << i;
  return d;
}

uint64_t insert(uint64_t a, uint64_t b, unsigned bits, unsigned pos, unsigned len) {
  for (unsigned i = 0; i < len && pos + i < bits; i++) {
    b &= ~(uint64_t{1} << (pos + i));
    b |= (a >> i & 1) << (pos + i);
  }
  return b;
}

uint64_t permute(uint64_t a, uint64_t b, uint64_t selector) {
  const uint64_t bytes = a | b << 32;
  uint64_t d = 0;
  for (unsigned i = 0; i < 4; i++) {
    const uint64_t s = selector >> 4 * i & 15;
    uint64_t v = bytes >> 8 * (s & 7) & 255;
    if (s & 8) v = v & 128 ? 255 : 0;
    d |= v << 8 * i;
  }
  return d;
}

uint64_t reversed(uint64_t a, unsigned bits) {
  uint64_t d = 0;
  for (unsigned i = 0; i < bits; i++) d |= (a >> i & 1) << (bits - 1 - i);
  return d;
}

// The result in the destination's bits.
uint64_t compute(const Instruction& i, uint64_t a, uint64_t b, uint64_t c, bool predicate) {
  const unsigned n = bits_of(i.type);
  const bool sign = is_signed(i.type);
  const int64_t sa = extend(a, n), sb = extend(b, n);
  const uint64_t m = mask(n);
  const Wide product = sign ? static_cast<Wide>(static_cast<__int128>(sa) * sb) : static_cast<Wide>(a) * b;
  switch (i.op) {
    case Op::Add: return (a + b) & m;
    case Op::Sub: return (a - b) & m;
    case Op::MulLo: return static_cast<uint64_t>(product) & m;
    case Op::MulHi: return static_cast<uint64_t>(product >> n) & m;
    case Op::MulWide: return static_cast<uint64_t>(product) & mask(2 * n);
    case Op::MadLo: return (static_cast<uint64_t>(product) + c) & m;
    case Op::MadWide: return (static_cast<uint64_t>(product) + c) & mask(2 * n);
    case Op::Div:
    case Op::Rem: {
      const uint64_t d = std::max<uint64_t>(1, b & (m >> 1));
      if (sign) return static_cast<uint64_t>(i.op == Op::Div ? sa / static_cast<int64_t>(d) : sa % static_cast<int64_t>(d)) & m;
      return i.op == Op::Div ? a / d : a % d;
    }
    case Op::Min: return (sign ? sa < sb : a < b) ? a : b;
    case Op::Max: return (sign ? sa < sb : a < b) ? b : a;
    case Op::Neg: return (0 - a) & m;
    case Op::Abs: return (sa < 0 ? 0 - a : a) & m;
    case Op::And: return a & b;
    case Op::Or: return a | b;
    case Op::Xor: return a ^ b;
    case Op::Not: return ~a & m;
    case Op::Shl: return b >= n ? 0 : a << b & m;
    case Op::Shr:
      if (sign) return static_cast<uint64_t>(sa >> std::min<uint64_t>(b, n - 1)) & m;
      return b >= n ? 0 : a >> b;
    case Op::Popc: return static_cast<uint64_t>(std::popcount(a));
    case Op::Clz: return static_cast<uint64_t>(std::countl_zero(a)) - (64 - n);
    case Op::Brev: return reversed(a, n);
    case Op::Bfe: return field(a, n, b, c, sign);
    case Op::Bfi: return insert(a, b, n, i.extra >> 8, i.extra & 255);
    case Op::Prmt: return permute(a, b, c);
    case Op::FunnelLeft:
    case Op::FunnelRight: {
      const uint64_t both = a | b << 32;
      const uint64_t by = i.extra & 1 ? std::min<uint64_t>(c, 32) : c & 31;
      return (i.op == Op::FunnelLeft ? both << by >> 32 : both >> by) & m;
    }
    case Op::Lop3: {
      uint64_t d = 0;
      for (unsigned k = 0; k < 32; k++)
        d |= static_cast<uint64_t>(i.extra >> ((a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1)) & 1) << k;
      return d;
    }
    case Op::Selp: return predicate ? a : b;
    case Op::Mov: return a;
    case Op::Cvt:
      if (i.type == Type::F32) return to_integer(number(a), i.to, i.extra);
      if (i.to == Type::F32)
        return word(to_float(sign ? static_cast<long double>(sa) : static_cast<long double>(a), i.extra));
      return static_cast<uint64_t>(sign ? sa : static_cast<int64_t>(a)) & mask(bits_of(i.to));
    case Op::FAdd: return word(number(a) + number(b));
    case Op::FSub: return word(number(a) - number(b));
    case Op::FMul: return word(number(a) * number(b));
    case Op::FFma: return word(std::fma(number(a), number(b), number(c)));
    case Op::FDiv: return word(number(a) / number(b));
    case Op::FSqrt: return word(std::sqrt(number(a)));
    case Op::FMin: return word(smaller(number(a), number(b)));
    case Op::FMax: return word(-smaller(-number(a), -number(b)));
    case Op::FNeg: return a ^ 0x80000000;
    case Op::FAbs: return a & 0x7fffffff;
    default: return 0;
  }
}

class Evaluator {
 public:
  Evaluator(const Program& p, const std::vector<uint64_t>& input) : p_(p), input_(input) {}

  bool run(std::vector<uint8_t>& records) {
    std::vector<State> threads(kThreads);
    std::vector<char> ended(kThreads);
    std::vector<uint8_t> shared(kThreads * kSliceBytes);
    for (unsigned t = 0; t < kThreads; t++) {
      threads[t].shared = &shared[t * kSliceBytes];
      start(threads[t], t, t, word(static_cast<float>(t)), t & 0xffff);
    }
    for (const Function& phase : p_.phases) {
      before_ = shared;
      size_t first = 0;  // behind what the threads do together
      for (; first < phase.body.size() && is_collective(phase.body[first].instruction.op); first++) {
        const Instruction& i = phase.body[first].instruction;
        const std::vector<State> all = threads;
        for (unsigned t = 0; t < kThreads; t++) {
          thread_ = t;
          if (i.op == Op::LoadOther) execute(i, threads[t]);
          else threads[t].files[1][i.dst] = together(i, &all[t & ~31u], t & 31);
        }
      }
      const Body rest(phase.body.begin() + static_cast<ptrdiff_t>(first), phase.body.end());
      for (unsigned t = 0; t < kThreads; t++) {
        thread_ = t;
        ended[t] = static_cast<char>(body(rest, threads[t]) == Flow::Return);
      }
    }
    for (unsigned t = 0; t < kThreads; t++) {
      if (ended[t] && p_.silent_return) continue;
      uint8_t* record = &records[t * kRecordBytes];
      for (const File f : {File::H, File::W, File::D, File::F})
        for (unsigned r = 0; r < kRegisters[static_cast<int>(f)]; r++)
          std::memcpy(record + record_offset(f, r), &threads[t].files[static_cast<int>(f)][r],
                      f == File::H ? 2 : f == File::D ? 8 : 4);
    }
    return steps_ < kLimit;
  }

 private:
  static constexpr unsigned kLimit = 4'000'000;

  // The registers' first values; print.cc writes the same.
  static void start(State& s, uint64_t w, uint64_t d, uint64_t f, uint64_t h) {
    auto* files = s.files;
    for (unsigned k = 0; k < kRegisters[1]; k++) files[1][k] = (w * (2654435761u + 2 * k) + 77 * k) & mask(32);
    for (unsigned k = 0; k < kRegisters[2]; k++) files[2][k] = d * (0x9e3779b97f4a7c15 + 2 * k) + 1234567 * k;
    for (unsigned k = 0; k < kRegisters[3]; k++)
      files[3][k] = word(number(f) * std::ldexp(1.0f, static_cast<int>(k) - 2));
    for (unsigned k = 0; k < kRegisters[0]; k++) files[0][k] = (h * (40503 + 2 * k) + k) & mask(16);
    for (unsigned k = 0; k < kRegisters[4]; k++) files[4][k] = files[1][k] >> (k + 7) & 1;
  }

  static uint64_t read(const State& s, File f, const Value& v) {
    return v.immediate ? v.bits : s.files[static_cast<int>(f)][v.reg];
  }
  static bool holds(const State& s, const Guard& g) {
    return g.reg < 0 || (s.files[static_cast<int>(File::P)][g.reg] != 0) != g.negated;
  }

  static uint64_t load(const uint8_t* from, unsigned bytes) {
    uint64_t v = 0;
    std::memcpy(&v, from, bytes);
    return v;
  }

  void access(const Instruction& i, State& s) {
    const unsigned bytes = bits_of(i.type) / 8, words = std::max(1u, i.extra);
    const auto index = static_cast<unsigned>(read(s, File::W, i.a));
    const File file = file_of(i.type);
    uint64_t* regs = s.files[static_cast<int>(file)];
    const bool other = i.op == Op::LoadOther;
    const unsigned size = other ? bytes : bytes * words;
    unsigned at = index & (kSliceBytes / 2 - 1) & ~(size - 1);
    if (i.type == Type::F32) at += kSliceBytes / 2;
    const uint8_t* from = nullptr;
    uint8_t* to = nullptr;
    switch (i.op) {
      case Op::LoadInput:
        from = reinterpret_cast<const uint8_t*>(input_.data()) + (index & (kInputWords * 8 - 1) & ~(size - 1));
        break;
      case Op::LoadShared: from = s.shared + at; break;
      case Op::StoreShared: to = s.shared + at; break;
      case Op::LoadLocal: from = s.local + at; break;
      case Op::StoreLocal: to = s.local + at; break;
      default: from = &before_[(thread_ + i.extra) % kThreads * kSliceBytes + at]; break;
    }
    if (from) {
      const uint64_t first = load(from, bytes), second = !other && words == 2 ? load(from + bytes, bytes) : 0;
      regs[i.dst] = first;
      if (!other && words == 2) regs[i.dst2] = second;
    } else {
      const uint64_t first = read(s, file, i.b), second = read(s, file, i.c);
      std::memcpy(to, &first, bytes);
      if (words == 2) std::memcpy(to + bytes, &second, bytes);
    }
  }

  // What a warp instruction gives one of the 32 threads.
  static uint64_t together(const Instruction& i, const State* warp, unsigned lane) {
    const auto value = [&](unsigned l) { return warp[l].files[1][i.a.reg]; };
    switch (i.op) {
      case Op::Shuffle: {
        const unsigned size = 1u << (i.extra >> 4), base = lane & ~(size - 1), by = static_cast<unsigned>(i.b.bits);
        int from = static_cast<int>(lane);
        switch (i.extra & 3) {
          case 0: from = static_cast<int>(base | (by & (size - 1))); break;
          case 1: from -= static_cast<int>(by); break;
          case 2: from += static_cast<int>(by); break;
          default: from ^= static_cast<int>(by); break;
        }
        // .bfly may leave its segment downwards, .idx cannot leave it.
        const bool inside = (i.extra & 3) == 1 ? from >= static_cast<int>(base) : from < static_cast<int>(base + size);
        return value(inside ? static_cast<unsigned>(from) : lane);
      }
      case Op::Ballot: {
        uint64_t mask = 0;
        for (unsigned l = 0; l < 32; l++) mask |= uint64_t{holds(warp[l], i.predicate)} << l;
        return mask;
      }
      case Op::Match: {
        uint64_t mask = 0;
        for (unsigned l = 0; l < 32; l++) mask |= uint64_t{(value(l) & 3) == (value(lane) & 3)} << l;
        return mask;
      }
      default: {
        uint64_t r = value(0);
        for (unsigned l = 1; l < 32; l++) {
          const uint64_t v = value(l);
          const bool less = extend(v, 32) < extend(r, 32);
          switch (i.extra) {
            case 0: r = (r + v) & mask(32); break;
            case 1: r = std::min(r, v); break;
            case 2: r = std::max(r, v); break;
            case 3: r = less ? v : r; break;
            case 4: r = less ? r : v; break;
            case 5: r &= v; break;
            default: r ^= v; break;
          }
        }
        return r;
      }
    }
  }

  void execute(const Instruction& i, State& s) {
    if (!holds(s, i.guard)) return;
    if (i.op == Op::Table) {
      const Operation& operation = operations()[i.extra];
      const Value* const sources[] = {&i.a, &i.b, &i.c};
      uint64_t v[3] = {};
      for (size_t k = 1; k < std::string_view(operation.files).size(); k++)
        v[k - 1] = read(s, file_of(operation.files[k]), *sources[k - 1]);
      s.files[static_cast<int>(file_of(operation.files[0]))][i.dst] = operation.compute(v[0], v[1], v[2]);
      return;
    }
    uint64_t* predicates = s.files[static_cast<int>(File::P)];
    const File file = file_of(i.type);
    switch (i.op) {
      case Op::LoadInput:
      case Op::LoadShared:
      case Op::StoreShared:
      case Op::LoadLocal:
      case Op::StoreLocal:
      case Op::LoadOther:
        return access(i, s);
      case Op::Setp:
        predicates[i.dst] = compare(i.type, i.compare, read(s, file, i.a), read(s, file, i.b));
        return;
      case Op::SetpAnd: {
        const bool r = compare(i.type, i.compare, read(s, file, i.a), read(s, file, i.b));
        const bool with = holds(s, i.predicate);
        const auto join = [&](bool x) { return i.extra == 0 ? x && with : i.extra == 1 ? x || with : x != with; };
        predicates[i.dst] = join(r);
        if (i.extra != 2) predicates[i.dst2] = join(!r);
        return;
      }
      case Op::PAnd:
        predicates[i.dst] = predicates[i.predicate.reg] & predicates[i.extra];
        return;
      case Op::PXor:
        predicates[i.dst] = predicates[i.predicate.reg] ^ predicates[i.extra];
        return;
      case Op::PNot:
        predicates[i.dst] = predicates[i.predicate.reg] ^ 1;
        return;
      default:
        break;
    }
    const bool counts = i.op == Op::Shl || i.op == Op::Shr;
    const uint64_t a = read(s, file, i.a), b = read(s, counts || i.op == Op::Bfe ? File::W : file, i.b);
    File third = file;
    if (i.op == Op::Bfe) third = File::W;
    if (i.op == Op::MadWide) third = bits_of(i.type) == 16 ? File::W : File::D;
    const uint64_t c = read(s, third, i.c);
    if (i.op == Op::AddCarry) {
      uint64_t* w = s.files[static_cast<int>(File::W)];
      w[i.dst] = (a + b) & mask(32);
      w[(i.dst + 1) % kRegisters[1]] = (c + a + ((a + b) >> 32)) & mask(32);
      return;
    }
    File to = file;
    if (i.op == Op::Cvt) to = file_of(i.to);
    if (i.op == Op::Popc || i.op == Op::Clz) to = File::W;
    if (i.op == Op::MulWide || i.op == Op::MadWide) to = bits_of(i.type) == 16 ? File::W : File::D;
    s.files[static_cast<int>(to)][i.dst] = compute(i, a, b, c, i.predicate.reg >= 0 && predicates[i.predicate.reg]);
  }

  bool condition(const std::vector<Term>& terms, State& s) {
    bool result = false;
    for (size_t n = 0; n < terms.size(); n++) {
      if (n > 0 && result == terms[n].is_or) continue;  // decided by what is left of it
      body(terms[n].before, s);
      result = holds(s, terms[n].predicate);
    }
    return result;
  }

  Flow loop(const Statement& st, State& s) {
    const unsigned limit = std::min(static_cast<unsigned>(read(s, File::W, st.bound) & 7), st.trips);
    for (unsigned i = 0; st.test_at_end || i < limit;) {
      i++;
      const Flow flow = body(st.bodies[0], s);
      if (flow == Flow::Return) return flow;
      if (flow == Flow::Break) break;
      if (st.test_at_end && i >= limit) break;
    }
    return Flow::Next;
  }

  void call(const Statement& st, State& s) {
    const Function& f = p_.functions[st.callee];
    State inner;
    start(inner, read(s, File::W, st.arguments[0]), read(s, File::D, st.arguments[1]), read(s, File::F, st.arguments[2]),
          read(s, File::H, st.arguments[3]));
    body(f.body, inner);
    s.files[static_cast<int>(f.result)][st.dst] = inner.files[static_cast<int>(f.result)][0];
  }

  Flow body(const Body& statements, State& s) {
    for (const Statement& st : statements) {
      if (++steps_ >= kLimit) return Flow::Return;
      Flow flow = Flow::Next;
      switch (st.kind) {
        case Kind::Plain:
          execute(st.instruction, s);
          break;
        case Kind::If:
          if (condition(st.condition, s)) flow = body(st.bodies[0], s);
          else if (st.bodies.size() > 1) flow = body(st.bodies[1], s);
          break;
        case Kind::Loop:
          flow = loop(st, s);
          break;
        case Kind::Break:
          if (condition(st.condition, s)) return Flow::Break;
          break;
        case Kind::Continue:
          if (condition(st.condition, s)) return Flow::Continue;
          break;
        case Kind::Return:
          if (condition(st.condition, s)) return Flow::Return;
          break;
        case Kind::Call:
          call(st, s);
          break;
        case Kind::Switch:
          flow = body(st.bodies[s.files[1][st.counter] % st.bodies.size()], s);
          break;
      }
      if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
  }

  const Program& p_;
  const std::vector<uint64_t>& input_;
  std::vector<uint8_t> before_;  // shared memory when the phase began
  unsigned thread_ = 0;
  unsigned steps_ = 0;
};

}  // namespace

File file_of(Type t) {
  switch (t) {
    case Type::U16:
    case Type::S16:
      return File::H;
    case Type::U32:
    case Type::S32:
      return File::W;
    case Type::F32:
      return File::F;
    default:
      return File::D;
  }
}

File file_of(char letter) {
  switch (letter | 32) {
    case 'h': return File::H;
    case 'w': return File::W;
    case 'f': return File::F;
    default: return File::D;
  }
}

bool is_collective(Op op) { return op >= Op::LoadOther; }

unsigned bits_of(Type t) {
  const File f = file_of(t);
  return f == File::H ? 16 : f == File::D ? 64 : 32;
}

bool is_signed(Type t) { return t == Type::S16 || t == Type::S32 || t == Type::S64; }

unsigned record_offset(File file, unsigned reg) {
  constexpr unsigned kStart[] = {104, 48, 0, 80};  // D, W, F, H
  return kStart[static_cast<int>(file)] + reg * (file == File::H ? 2 : file == File::D ? 8 : 4);
}

bool evaluate(const Program& program, const std::vector<uint64_t>& input, std::vector<uint8_t>& records) {
  return Evaluator(program, input).run(records);
}

}  // namespace heddle::compiler::test
