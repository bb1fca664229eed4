// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tests/compiler/random/generate_instruction.h"

namespace heddle::compiler::test {
namespace {

using Kind = Statement::Kind;

class Generator : InstructionGenerator {
 public:
  Generator(std::mt19937_64& random, const Shape& shape) : InstructionGenerator(random, shape), shape_(shape) {}

  Program run() {
    Program p;
    wide_ = chance(30);
    if (!wide_) p.unrecorded = uint64_t{255} << (8 * static_cast<unsigned>(File::X));
    for (unsigned n = 0; n < shape_.functions; n++) {
      Function f;
      constexpr File kResults[] = {File::W, File::D, File::F};
      f.result = kResults[below(3)];
      results_.push_back(f.result);
      p.functions.push_back(f);
    }
    p.depth = 2 + below(2);
    in_function_ = true;
    for (Function& f : p.functions) {
      fill(f, std::max(4u, shape_.statements / 2), std::max(1u, shape_.depth - 1));
      if (chance(70)) fill_together(f, 2, 1);
    }
    in_function_ = false;
    p.silent_return = chance(20);
    for (unsigned n = 0; n < shape_.phases; n++) {
      Function f;
      last_phase_ = n + 1 == shape_.phases;
      fill(f, shape_.statements, shape_.depth);
      if (n > 0)  // what other threads wrote
        for (int k = 0; k < 4; k++) f.reads.push_back(plain(block_instruction()));
      if (n > 0 || chance(30)) fill_together(f, 3, 2);
      p.phases.push_back(std::move(f));
    }
    return p;
  }

 private:
  void fill(Function& f, unsigned statements, unsigned depth) {
    loops_ = calls_ = 0;
    f.body = body(statements, depth, 0);
    f.loops = loops_;
  }

  void fill_together(Function& f, unsigned statements, unsigned depth) {
    masks_ = 0;
    f.together = together(statements, depth, 0, !in_function_);
    f.masks = masks_;
    f.loops = loops_;
  }

  static Statement plain(const Instruction& i) {
    Statement s;
    s.instruction = i;
    return s;
  }

  std::vector<Term> condition() {
    std::vector<Term> out;
    const unsigned terms = chance(65) ? 1 : 2 + below(2);
    for (unsigned n = 0; n < terms; n++) {
      Term t;
      if (chance(25)) t.before.push_back(plain(simple(10)));
      if (chance(80)) t.before.push_back(plain(predicate_instruction()));
      t.predicate = predicate();
      t.is_or = chance(50);
      out.push_back(std::move(t));
    }
    return out;
  }

  // By all lanes of a mask: warp instructions, what each does for itself, and, where lanes part, masks of those that
  // went there. `whole`: the mask has all lanes.
  Body together(unsigned statements, unsigned depth, unsigned masks, bool whole) {
    Body out;
    masks_ = std::max(masks_, masks);
    for (unsigned n = 1 + below(2 * statements); n > 0; n--) {
      if (whole && shape_.matrices && chance(60)) {
        for (const Instruction& i : matrix_instructions()) out.push_back(plain(i));
        continue;
      }
      Statement s;
      const unsigned kind = below(100);
      if (kind < 20 && depth > 0) {
        s.kind = Kind::Group;
        s.predicate = predicate();
        for (int k = 0; k < 2; k++) s.bodies.push_back(together(statements, depth - 1, masks + 1, false));
      } else if (kind < 30 && depth > 0) {
        s.kind = Kind::GroupLoop;
        s.counter = loops_++;
        s.trips = 1 + below(5);
        s.bound = value(Type::U32, shape_.matrices ? 60 : 20);
        s.bodies.push_back(together(statements, depth - 1, masks + 1, whole && s.bound.immediate));
      } else if (kind < 66) {
        s = plain(warp_instruction());
      } else if (kind < 74 && !results_.empty() && calls_ < (in_function_ ? 2u : 6u)) {
        s = call_together();
      } else {
        in_together_ = true;
        s = statement(2, 1, 0);
        in_together_ = false;
      }
      out.push_back(std::move(s));
    }
    return out;
  }

  Body body(unsigned statements, unsigned depth, unsigned loops_around) {
    Body out;
    const unsigned n = 1 + below(2 * statements);
    for (unsigned k = 0; k < n; k++) out.push_back(statement(statements, depth, loops_around));
    return out;
  }

  // Blocks that go on anywhere, mostly forward, where structure comes from.
  Statement graph(unsigned statements, unsigned depth, unsigned loops_around) {
    Statement s;
    s.kind = Kind::Graph;
    s.counter = loops_++;
    s.trips = 2 + below(loops_around == 0 ? 12 : 5);
    const unsigned blocks = 2 + below(5);
    const unsigned around = std::exchange(blocks_, blocks);
    for (unsigned n = 0; n < blocks; n++) {
      s.bodies.push_back(body(std::max(1u, statements / 3), depth - 1, loops_around + 1));
      Exit exit;
      for (unsigned k = pick({1u, 2u, 2u, 2u, 3u + below(3)}); k > 0; k--)
        exit.targets.push_back(chance(65) ? n + 1 + below(blocks - n) : below(blocks + 1));
      exit.predicate = predicate();
      exit.selector = reg(File::W);
      exit.table = chance(20);
      s.exits.push_back(std::move(exit));
    }
    blocks_ = around;
    return s;
  }

  Statement call_of(unsigned callee) {
    Statement s;
    s.kind = Kind::Call;
    s.callees = {callee};
    s.indirect = chance(40);
    s.arguments[0] = value(Type::U32);
    s.arguments[1] = value(Type::U64);
    s.arguments[2] = value(Type::F32);
    s.arguments[3] = only_register(File::H);
    s.given = in_function_ ? pick({Space::Local, Space::Given}) : pick({Space::Local, Space::Shared, Space::Global});
    s.dst = reg(results_[callee]);
    return s;
  }
  Statement call(unsigned loops_around) {
    Statement s = call_of(below(static_cast<unsigned>(results_.size())));
    for (unsigned n = 0; n < results_.size() && s.indirect; n++)
      if (n != s.callees[0] && results_[n] == results_[s.callees[0]] && chance(70)) s.callees.push_back(n);
    s.counter = reg(File::W);
    if (chance(20)) s.predicate = predicate();
    calls_ += 1 + loops_around;
    return s;
  }
  // By all lanes of a mask, to the same function.
  Statement call_together() {
    Statement s = call_of(below(static_cast<unsigned>(results_.size())));
    s.together = true;
    calls_ += 2;
    return s;
  }

  Statement statement(unsigned statements, unsigned depth, unsigned loops_around) {
    Statement s;
    const unsigned kind = below(100);
    const unsigned less = std::max(2u, statements / 2);
    // Functions call any function, themselves, too: few calls, so that the tree of calls stays small.
    const bool may_call =
        !results_.empty() && (in_function_ ? loops_around == 0 && calls_ < 2 : loops_around < 2 && calls_ < 5);
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
      const unsigned around = std::exchange(inner_, inner_ + 1);
      s.bodies.push_back(body(less, depth - 1, loops_around + 1));
      inner_ = around;
    } else if (kind >= 20 && kind < 25 && inner_ > 0) {
      s.kind = chance(60) ? Kind::Break : Kind::Continue;
      s.condition = condition();
    } else if (kind >= 25 && kind < 31 && may_call) {
      s = call(loops_around);
    } else if (kind >= 31 && kind < 33 && depth > 0) {
      s.kind = Kind::Switch;
      s.counter = reg(File::W);
      for (unsigned n = 2 + below(4); n-- > 0;) s.bodies.push_back(body(less / 2 + 1, depth - 1, loops_around));
    } else if (kind == 33 && (in_function_ || last_phase_) && !in_together_) {
      s.kind = Kind::Return;
      s.condition = condition();
      s.indirect = chance(50);
    } else if (kind >= 34 && kind < 38 && depth > 0 && loops_around < 2) {
      s = graph(statements, depth, loops_around);
    } else if (kind >= 38 && kind < 42 && blocks_ > 0) {
      s.kind = Kind::Goto;
      s.condition = condition();
      s.target = below(blocks_ + 1);
    } else {
      s = plain(simple(20));
    }
    return s;
  }

  const Shape& shape_;
  std::vector<File> results_;
  unsigned loops_ = 0, calls_ = 0, masks_ = 0;
  unsigned inner_ = 0;   // loops around that break and continue may mean
  unsigned blocks_ = 0;  // of the graph around
  bool last_phase_ = false, in_together_ = false;
};

}  // namespace

Program random_program(std::mt19937_64& random, const Shape& shape) { return Generator(random, shape).run(); }

}  // namespace heddle::compiler::test
