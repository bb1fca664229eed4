// SPDX-License-Identifier: Apache-2.0
// What a program means, in C++ (compiled without contraction of floating-point operations).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/compiler/random/compute.h"
#include "tests/compiler/random/operations.h"

namespace heddle::compiler::test {
namespace {

using Kind = Statement::Kind;
enum class Flow : uint8_t { Next, Break, Continue, Return };

struct State {
  uint64_t files[kFiles][8] = {};
  uint8_t local[kSliceBytes] = {};
  uint8_t* shared = nullptr;
};

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

  void access_byte(const Instruction& i, State& s) {
    uint8_t* at = (i.extra & 4 ? s.shared : s.local) + (read(s, File::W, i.a) & (kSliceBytes / 2 - 1));
    if (i.op == Op::StoreByte) *at = static_cast<uint8_t>(read(s, File::W, i.b));
    else s.files[1][i.dst] = i.extra & 1 ? static_cast<uint64_t>(extend(*at, 8)) & mask(32) : *at;
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
      case Op::LoadByte:
      case Op::StoreByte:
        return access_byte(i, s);
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

unsigned record_offset(File file, unsigned reg) {
  constexpr unsigned kStart[] = {104, 48, 0, 80};  // D, W, F, H
  return kStart[static_cast<int>(file)] + reg * (file == File::H ? 2 : file == File::D ? 8 : 4);
}

bool evaluate(const Program& program, const std::vector<uint64_t>& input, std::vector<uint8_t>& records) {
  return Evaluator(program, input).run(records);
}

}  // namespace heddle::compiler::test
