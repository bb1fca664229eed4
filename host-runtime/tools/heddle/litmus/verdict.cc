// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/litmus/verdict.h"

#include <optional>
#include <sstream>

namespace heddle::tools::litmus {

Result<Expected> Expected::parse(const std::string& file, const std::string& text) {
  Expected e;
  std::istringstream in(text);
  int number = 0;
  bool heading = true;  // may be what comes next
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> columns(1);
    for (const char c : line)
      if (c == '\t' || c == ',') columns.emplace_back();
      else columns.back() += c;
    std::optional<bool> holds;
    for (size_t i = 1; i < columns.size(); ++i)
      if (columns[i] == "0" || columns[i] == "1") holds = columns[i] == "1";
    if (!holds && heading) {
      heading = false;
      continue;
    }
    heading = false;
    if (!holds || columns[0].empty())
      return Error(file + ":" + std::to_string(number) + ": wanted a file's name and 0 or 1");
    e.entries_[columns[0]] = *holds;
  }
  return e;
}

const bool* Expected::find(const std::string& file) const {
  for (size_t from = 0;;) {
    const auto it = entries_.find(file.substr(from));
    if (it != entries_.end()) return &it->second;
    const size_t slash = file.find('/', from);
    if (slash == std::string::npos) return nullptr;
    from = slash + 1;
  }
}

bool Expected::holds(const std::string& file) const {
  const bool* entry = find(file);
  return !entry || *entry;
}

bool forbids(const Test& test, bool statement_holds) {
  return statement_holds != (test.quantifier == Quantifier::Exists);
}

bool is_forbidden(const Test& test, bool statement_holds, const State& state) {
  return forbids(test, statement_holds) && test.condition->holds(state) != (test.quantifier == Quantifier::Forall);
}

Verdict judge(const Test& test, bool statement_holds, const Counts& counts) {
  Verdict v;
  v.forbids = forbids(test, statement_holds);
  for (const auto& [state, runs] : counts.states) {
    if (test.condition->holds(state)) v.held += runs;
    if (is_forbidden(test, statement_holds, state)) v.forbidden += runs;
  }
  v.unfinished = counts.states.empty() && counts.unfinished > 0;
  const uint64_t weak = test.quantifier == Quantifier::Forall ? counts.runs - v.held : v.held;
  if (v.forbidden) v.text = "FORBIDDEN OUTCOME SEEN " + std::to_string(v.forbidden) + " times";
  else if (v.unfinished) v.text = "no run ended";
  else if (counts.runs == 0) v.text = "no run passed the filter";
  else if (v.forbids) v.text = "ok: forbidden, never seen";
  else v.text = weak ? "ok: allowed, seen" : "ok: allowed, not seen";
  return v;
}

}  // namespace heddle::tools::litmus
