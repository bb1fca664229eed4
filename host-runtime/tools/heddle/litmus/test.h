// SPDX-License-Identifier: Apache-2.0
// A litmus test: a few threads that access a few variables, and a condition on what registers and memory hold in the
// end. The format is that of Dat3M's tests of the PTX memory model (docs/litmus.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle::tools::litmus {

// A constant, or a register of the thread at hand.
struct Value {
  bool is_register = false;
  int32_t constant = 0;
  std::string name;
};

struct Instruction {
  enum class Kind { Load, Store, Atomic, Reduction, Fence, Barrier, Move, Arithmetic, Branch, Goto, Label };
  Kind kind = Kind::Move;
  int line = 0;
  std::string order, scope;  // as PTX has them; scope is empty for weak and volatile accesses
  std::string operation;  // of atomics and arithmetic; of a branch: what setp compares by; of a barrier: sync, arrive
  std::string target;     // register that is written
  std::string place;      // variable or label
  std::vector<Value> values;
  int instance = 0;  // of a barrier: its first operand
};

struct Thread {
  int cta = 0;
  int line = 0;
  std::map<std::string, int32_t> registers;  // all that are named, with what they hold at first
  std::vector<Instruction> code;
};

// What is looked at in the end: a register of a thread, or a variable.
struct Observed {
  int thread = -1;  // -1: a variable
  std::string name;

  auto operator<=>(const Observed&) const = default;
  std::string text() const { return thread < 0 ? name : "P" + std::to_string(thread) + ":" + name; }
};

using State = std::vector<int32_t>;  // values of what is observed, in that order

struct Condition {
  enum class Kind { Not, And, Or, Compare };
  struct Side {
    bool is_constant = true;
    int32_t constant = 0;
    size_t observed = 0;
  };
  Kind kind = Kind::Compare;
  std::unique_ptr<Condition> left, right;
  Side a, b;
  std::string compare;

  bool holds(const State& state) const;
};

enum class Quantifier { Exists, NotExists, Forall };

struct Test {
  std::string file, name;
  std::map<std::string, int32_t> variables;  // with what they hold at first
  std::vector<Thread> threads;
  std::vector<Observed> observed;
  Quantifier quantifier = Quantifier::Exists;
  std::unique_ptr<Condition> condition, filter;  // filter: states for which it does not hold are left out
  std::string condition_text;
  std::string refused;  // why it is not run, with file and line; empty: it can be

  int ctas() const;
  size_t observe(const Observed& what);
};

// Errors have file and line. What is right but cannot be run is in Test::refused.
Result<Test> parse(const std::string& file, const std::string& text);

const char* name_of(Quantifier quantifier);

}  // namespace heddle::tools::litmus
