// SPDX-License-Identifier: Apache-2.0
// What a program means, in C++ (compiled without contraction of floating-point operations).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/compiler/random/compute.h"
#include "tests/compiler/random/execute.h"

namespace heddle::compiler::test {
namespace {

using Kind = Statement::Kind;
enum class Flow : uint8_t { Next, Break, Continue, Return, Goto };

class Evaluator {
 public:
  Evaluator(const Program& p, const std::vector<uint64_t>& input) : p_(p), memory_(input) {}

  bool run(Outcome& out) {
    std::vector<State> threads(kThreads);
    std::vector<char> ended(kThreads);
    for (unsigned t = 0; t < kThreads; t++) {
      State& s = threads[t];
      s.thread = t;
      s.depth = p_.depth;
      s.shared = {&memory_.shared[t * kSliceBytes], Space::Shared};
      s.global = {&memory_.global[t * kSliceBytes], Space::Global};
      start(s, t, t, word(static_cast<float>(t)), t & 0xffff);
    }
    for (const Function& phase : p_.phases) {
      memory_.shared_before = memory_.shared;
      memory_.global_before = memory_.global;
      for (const Statement& st : phase.reads) execute_by_block(st.instruction, threads, memory_);
      for (unsigned t = 0; t < kThreads; t += 32) together(phase.together, &threads[t], ~0u);
      for (unsigned t = 0; t < kThreads; t++)
        ended[t] = static_cast<char>(body(phase.body, threads[t]) == Flow::Return);
    }
    for (unsigned t = 0; t < kThreads; t++) {
      std::copy_n(threads[t].bounds, kRegisters[static_cast<int>(File::A)],
                  &out.bounds[t * kRegisters[static_cast<int>(File::A)]]);
      if (ended[t] && p_.silent_return) continue;
      for (const File f : {File::H, File::W, File::D, File::F, File::A, File::X})
        for (unsigned r = 0; r < kRegisters[static_cast<int>(f)]; r++)
          if (p_.records(f, r))
            std::memcpy(&out.records[t * kRecordBytes + record_offset(f, r)], &threads[t].reg(f, r), bytes_of(f));
    }
    out.slices = memory_.global;
    return steps_ < kLimit;
  }

 private:
  static constexpr unsigned kLimit = 1'000'000;

  // The registers' first values; print.cc writes the same.
  static void start(State& s, uint64_t w, uint64_t d, uint64_t f, uint64_t h) {
    auto* files = s.files;
    for (unsigned k = 0; k < kRegisters[1]; k++) files[1][k] = (w * (2654435761u + 2 * k) + 77 * k) & mask(32);
    for (unsigned k = 0; k < kRegisters[2]; k++) files[2][k] = d * (0x9e3779b97f4a7c15 + 2 * k) + 1234567 * k;
    for (unsigned k = 0; k < kRegisters[3]; k++)
      files[3][k] = word(number(f) * std::ldexp(1.0f, static_cast<int>(k) - 2));
    for (unsigned k = 0; k < kRegisters[0]; k++) files[0][k] = (h * (40503 + 2 * k) + k) & mask(16);
    for (unsigned k = 0; k < 2 * kRegisters[6]; k++) files[6][k] = d * (0xd1b54a32d192ed03 + 2 * k) + k;
    for (unsigned k = 0; k < kRegisters[4]; k++) files[4][k] = files[1][k] >> (k + 7) & 1;
  }

  bool condition(const std::vector<Term>& terms, State& s) {
    bool result = false;
    for (size_t n = 0; n < terms.size(); n++) {
      if (n > 0 && result == terms[n].is_or) continue;  // decided by what is left of it
      body(terms[n].before, s);
      result = s.holds(terms[n].predicate);
    }
    return result;
  }

  static unsigned trips(const Statement& st, const State& s) {
    return std::min(static_cast<unsigned>(s.read(File::W, st.bound) & 7), st.trips);
  }

  Flow loop(const Statement& st, State& s) {
    const unsigned limit = trips(st, s);
    for (unsigned i = 0; st.test_at_end || i < limit;) {
      i++;
      const Flow flow = body(st.bodies[0], s);
      if (flow == Flow::Return || flow == Flow::Goto) return flow;
      if (flow == Flow::Break) break;
      if (st.test_at_end && i >= limit) break;
    }
    return Flow::Next;
  }

  Flow graph(const Statement& st, State& s) {
    unsigned at = 0;
    for (unsigned fuel = st.trips; at < st.bodies.size() && fuel > 0; fuel--) {
      if (++steps_ >= kLimit) return Flow::Return;
      const Flow flow = body(st.bodies[at], s);
      if (flow == Flow::Goto) {
        at = target_;
      } else if (flow != Flow::Next) {
        return flow;
      } else {
        const Exit& exit = st.exits[at];
        const size_t n = exit.targets.size();
        at = exit.targets[n == 1                  ? 0
                          : n == 2 && !exit.table ? s.holds(exit.predicate)
                                                  : s.reg(File::W, exit.selector) % n];
      }
    }
    return Flow::Next;
  }

  void call(const Statement& st, State& s) {
    if (!s.holds(st.predicate) || s.depth == 0) return;
    const unsigned callee = st.callees[st.callees.size() == 1 ? 0 : s.reg(File::W, st.counter) % st.callees.size()];
    const Function& f = p_.functions[callee];
    State inner = entered(st, s);
    body(f.body, inner);
    s.reg(f.result, st.dst) = inner.reg(f.result, 0);
  }
  // What a function begins with.
  static State entered(const Statement& st, State& s) {
    State inner;
    inner.thread = s.thread;
    inner.depth = s.depth - 1;
    inner.given = s.slice(st.given);
    start(inner, s.read(File::W, st.arguments[0]), s.read(File::D, st.arguments[1]), s.read(File::F, st.arguments[2]),
          s.read(File::H, st.arguments[3]));
    return inner;
  }

  void call_together(const Statement& st, State* warp, uint32_t members) {
    const Function& f = p_.functions[st.callees[0]];
    std::vector<State> inner(32);
    for (unsigned l = 0; l < 32; l++) {
      if (!(members >> l & 1)) continue;
      if (warp[l].depth == 0) return;  // that of all
      inner[l] = entered(st, warp[l]);
    }
    together(f.together, inner.data(), members);
    for (unsigned l = 0; l < 32; l++) {
      if (!(members >> l & 1)) continue;
      body(f.body, inner[l]);
      warp[l].reg(f.result, st.dst) = inner[l].reg(f.result, 0);
    }
  }

  // By the lanes of a warp that `mask` names, all of which come here.
  void together(const Body& statements, State* warp, uint32_t members) {
    const auto lanes = [&](uint32_t which, auto f) {
      for (unsigned l = 0; l < 32; l++)
        if (which >> l & 1) f(warp[l], l);
    };
    if (members == 0) return;
    for (const Statement& st : statements) {
      if (++steps_ >= kLimit) return;
      if (st.kind == Kind::Group) {
        uint32_t those = 0;
        lanes(members, [&](const State& s, unsigned l) { those |= static_cast<uint32_t>(s.holds(st.predicate)) << l; });
        together(st.bodies[0], warp, those);
        together(st.bodies[1], warp, members & ~those);
      } else if (st.kind == Kind::GroupLoop) {
        unsigned limits[32] = {};
        lanes(members, [&](const State& s, unsigned l) { limits[l] = trips(st, s); });
        uint32_t those = members;
        for (unsigned n = 0; those != 0; n++) {
          lanes(those, [&](const State&, unsigned l) { those &= ~(static_cast<uint32_t>(n >= limits[l]) << l); });
          together(st.bodies[0], warp, those);
        }
      } else if (st.kind == Kind::Call && st.together) {
        call_together(st, warp, members);
      } else if (st.kind == Kind::Plain && st.instruction.op >= Op::Numbers) {
        execute_by_whole_warp(st.instruction, warp, memory_);
      } else if (st.kind == Kind::Plain && st.instruction.op >= Op::Shuffle) {
        execute_by_warp(st.instruction, warp, members);
      } else {
        lanes(members, [&](State& s, unsigned) { statement(st, s); });
      }
    }
  }

  Flow statement(const Statement& st, State& s) {
    switch (st.kind) {
      case Kind::Plain: execute(st.instruction, s, memory_); break;
      case Kind::If:
        if (condition(st.condition, s)) return body(st.bodies[0], s);
        if (st.bodies.size() > 1) return body(st.bodies[1], s);
        break;
      case Kind::Loop: return loop(st, s);
      case Kind::Break:
        if (condition(st.condition, s)) return Flow::Break;
        break;
      case Kind::Continue:
        if (condition(st.condition, s)) return Flow::Continue;
        break;
      case Kind::Return:
        if (condition(st.condition, s)) return Flow::Return;
        break;
      case Kind::Goto:
        if (!condition(st.condition, s)) break;
        target_ = st.target;
        return Flow::Goto;
      case Kind::Call: call(st, s); break;
      case Kind::Switch: return body(st.bodies[s.reg(File::W, st.counter) % st.bodies.size()], s);
      case Kind::Graph: return graph(st, s);
      case Kind::Group:
      case Kind::GroupLoop: break;
    }
    return Flow::Next;
  }

  Flow body(const Body& statements, State& s) {
    for (const Statement& st : statements) {
      if (++steps_ >= kLimit) return Flow::Return;
      if (const Flow flow = statement(st, s); flow != Flow::Next) return flow;
    }
    return Flow::Next;
  }

  const Program& p_;
  Memory memory_;
  unsigned target_ = 0;  // of a Goto on its way
  unsigned steps_ = 0;
};

}  // namespace

Outcome::Outcome() : records(kThreads * kRecordBytes, 0xcd), bounds(kThreads * kRegisters[static_cast<int>(File::A)]) {}

bool evaluate(const Program& program, const std::vector<uint64_t>& input, Outcome& outcome) {
  return Evaluator(program, input).run(outcome);
}

}  // namespace heddle::compiler::test
