// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tests/compiler/random/check.h"

namespace heddle::compiler::test {
namespace {

using Kind = Statement::Kind;

void collect(Body& body, std::vector<Body*>& out) {
  out.push_back(&body);
  for (Statement& s : body) {
    for (Body& b : s.bodies) collect(b, out);
    for (Term& t : s.condition) collect(t.before, out);
  }
}
std::vector<Body*> bodies_of(Program& program) {
  std::vector<Body*> out;
  for (Function& f : program.phases)
    for (Body* b : {&f.reads, &f.together, &f.body}) collect(*b, out);
  for (Function& f : program.functions)
    for (Body* b : {&f.together, &f.body}) collect(*b, out);
  return out;
}

// Breaks and continues of the loop, gotos of the graph around the body.
bool leaves(const Body& body, bool loop, bool graph) {
  return std::any_of(body.begin(), body.end(), [=](const Statement& s) {
    if (loop && (s.kind == Kind::Break || s.kind == Kind::Continue)) return true;
    if (graph && s.kind == Kind::Goto) return true;
    return std::any_of(s.bodies.begin(), s.bodies.end(), [&](const Body& b) {
      return leaves(b, loop && s.kind != Kind::Loop, graph && s.kind != Kind::Graph);
    });
  });
}

// Sets `what` to `to`; false when it is that already.
template <typename T>
bool set(T& what, const T& to) {
  if (what == to) return false;
  what = to;
  return true;
}
bool clear(Guard& g) { return std::exchange(g.reg, -1) >= 0; }

// One way after another to make a statement itself simpler. False: this one does not apply; nullopt: there are no more.
std::optional<bool> simplify(Statement& s, unsigned way) {
  Instruction& i = s.instruction;
  switch (way) {
    case 0: return s.kind == Kind::Plain && clear(i.guard);
    case 1: return set(i.generic, false);
    case 2: return set(i.variant, 0u);
    case 3: return set(i.words, 1u);
    case 4: return s.kind == Kind::Call && s.callees.size() > 1 && (s.callees.resize(1), true);
    case 5: return s.kind == Kind::Call && set(s.indirect, false);
    case 6: return s.kind == Kind::Call && (clear(s.predicate) || set(s.together, false));
    case 7: return s.kind == Kind::Graph && s.trips > 1 && s.trips--;
    case 8: return (s.kind == Kind::Loop || s.kind == Kind::GroupLoop) && set(s.trips, 1u);
    case 9: return s.condition.size() > 1 && (s.condition.pop_back(), true);
    case 10: return s.condition.size() > 1 && (s.condition.erase(s.condition.begin()), true);
    default: break;
  }
  const size_t block = way - 11;
  if (block >= s.exits.size()) return std::nullopt;
  const auto end = static_cast<unsigned>(s.bodies.size());
  return s.exits[block].targets.size() > 1 ? (s.exits[block].targets.pop_back(), true)
                                           : set(s.exits[block].targets[0], end);
}

// In its place stands one of its bodies.
bool unwrap(Body& body, size_t k, size_t which) {
  const Statement& s = body[k];
  if (leaves(s.bodies[which], s.kind == Kind::Loop, s.kind == Kind::Graph)) return false;
  Body inner = s.bodies[which];
  body.erase(body.begin() + static_cast<ptrdiff_t>(k));
  body.insert(body.begin() + static_cast<ptrdiff_t>(k), inner.begin(), inner.end());
  return true;
}

class Shrinker {
 public:
  Shrinker(Program program, const std::function<bool(const Program&)>& wrong)
      : program_(std::move(program)), wrong_(wrong) {}

  Program run() {
    while (phases() | pieces() | statements() | rest()) continue;
    return std::move(program_);
  }

 private:
  // Keeps what `change` makes of the program when it is wrong still.
  template <typename F>
  bool keeps(F change) {
    Program smaller = program_;
    if (!change(smaller) || !wrong_(smaller)) return false;
    program_ = std::move(smaller);
    return true;
  }

  bool phases() {
    bool changed = false;
    for (size_t n = program_.phases.size(); n-- > 0;)
      changed |= keeps([&](Program& p) {
        return p.phases.size() > 1 && (p.phases.erase(p.phases.begin() + static_cast<ptrdiff_t>(n)), true);
      });
    return changed;
  }

  // Runs of statements, long ones first.
  bool pieces() {
    bool changed = false;
    for (size_t n = 0; n < bodies_of(program_).size(); n++)
      for (size_t length = bodies_of(program_)[n]->size(); length > 0; length /= 2)
        for (size_t k = 0; n < bodies_of(program_).size() && k + length <= bodies_of(program_)[n]->size();) {
          const bool gone = keeps([&](Program& p) {
            Body& body = *bodies_of(p)[n];
            const auto at = body.begin() + static_cast<ptrdiff_t>(k);
            body.erase(at, at + static_cast<ptrdiff_t>(length));
            return true;
          });
          changed |= gone;
          if (!gone) k += length;
        }
    return changed;
  }

  bool statements() {
    bool changed = false;
    for (size_t n = 0; n < bodies_of(program_).size(); n++)
      for (size_t k = 0; n < bodies_of(program_).size() && k < bodies_of(program_)[n]->size(); k++) {
        const auto body = [=](Program& p) -> Body& { return *bodies_of(p)[n]; };
        for (size_t which = 0; k < body(program_).size() && which < body(program_)[k].bodies.size(); which++)
          if (keeps([&](Program& p) { return unwrap(body(p), k, which); }))
            changed = true, which = static_cast<size_t>(-1);
        for (unsigned way = 0; k < body(program_).size(); way++) {
          bool more = true;
          while (keeps([&](Program& p) {
            const auto applied = simplify(body(p)[k], way);
            more = applied.has_value();
            return applied.value_or(false);
          }))
            changed = true;
          if (!more) break;
        }
      }
    return changed;
  }

  bool rest() {
    bool changed = keeps([](Program& p) { return set(p.silent_return, false); });
    for (unsigned bit = 0; bit < 8 * kFiles; bit++)
      changed |= keeps(
          [&](Program& p) { return !(std::exchange(p.unrecorded, p.unrecorded | uint64_t{1} << bit) >> bit & 1); });
    changed |= keeps([](Program& p) { return p.depth > 1 && p.depth--; });
    // The last function, when nobody calls it.
    changed |= keeps([](Program& p) {
      for (const Body* b : bodies_of(p))
        for (const Statement& s : *b)
          if (std::find(s.callees.begin(), s.callees.end(), p.functions.size() - 1) != s.callees.end()) return false;
      return !p.functions.empty() && (p.functions.pop_back(), true);
    });
    return changed;
  }

  Program program_;
  const std::function<bool(const Program&)>& wrong_;
};

}  // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& wrong) {
  return Shrinker(std::move(program), wrong).run();
}

}  // namespace heddle::compiler::test
