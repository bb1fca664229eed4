// SPDX-License-Identifier: Apache-2.0
// What counts as right: by a test's quantifier, or by a list of results.
#pragma once

#include <map>
#include <string>

#include "host-runtime/tools/heddle/litmus/run.h"

namespace heddle::tools::litmus {

// Whether the statement at the end of a test is true in the model, by the test's file.
class Expected {
 public:
  // Lines of columns with tabs or commas between them: the file's name first, then 1 or 0 in one of the next columns.
  // A first line without either is a heading. Errors have file and line.
  static Result<Expected> parse(const std::string& file, const std::string& text);

  // The entry whose name ends the file's path. Without one: true.
  bool holds(const std::string& file) const;
  bool has(const std::string& file) const { return find(file) != nullptr; }

 private:
  const bool* find(const std::string& file) const;
  std::map<std::string, bool> entries_;
};

struct Verdict {
  bool forbids = false;     // the test has states that must not be seen
  uint64_t held = 0;        // runs for which the condition held
  uint64_t forbidden = 0;   // runs that ended in such a state
  bool unfinished = false;  // no run ended
  std::string text;
};

// Of a state of a test whose statement is or is not true in the model.
bool forbids(const Test& test, bool statement_holds);
bool is_forbidden(const Test& test, bool statement_holds, const State& state);
Verdict judge(const Test& test, bool statement_holds, const Counts& counts);

}  // namespace heddle::tools::litmus
