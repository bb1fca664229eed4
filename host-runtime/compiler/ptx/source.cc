// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/ptx/source.h"

#include <algorithm>

namespace heddle::compiler::ptx {

std::string_view Source::line(uint32_t number) const {
  std::string_view rest = text_;
  for (uint32_t at = 1; at < number; ++at) {
    size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

void Diagnostics::add(Diagnostic::Severity severity, const SourcePtr& source, Loc loc, std::string message) {
  if (severity == Diagnostic::Severity::kError) ++errors_;
  if (list_.size() >= kLimit) return;
  // One mistake is often met twice (a name is looked up by two rules): say it once.
  for (const Diagnostic& d : list_) {
    if (d.loc == loc && d.source == source && d.message == message) return;
  }
  list_.push_back({severity, source, loc, std::move(message)});
}

void Diagnostics::error(const SourcePtr& source, Loc loc, std::string message) {
  add(Diagnostic::Severity::kError, source, loc, std::move(message));
}

void Diagnostics::warning(const SourcePtr& source, Loc loc, std::string message) {
  add(Diagnostic::Severity::kWarning, source, loc, std::move(message));
}

std::string Diagnostics::render() const {
  // Sources keep the order in which they were first complained about; within one, by place.
  std::vector<SourcePtr> order;
  for (const Diagnostic& d : list_) {
    if (std::find(order.begin(), order.end(), d.source) == order.end()) order.push_back(d.source);
  }
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& d : list_) sorted.push_back(&d);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Diagnostic* a, const Diagnostic* b) {
    auto rank = [&](const Diagnostic* d) { return std::find(order.begin(), order.end(), d->source) - order.begin(); };
    if (a->source != b->source) return rank(a) < rank(b);
    if (a->loc.line != b->loc.line) return a->loc.line < b->loc.line;
    return a->loc.column < b->loc.column;
  });

  std::string out;
  for (const Diagnostic* d : sorted) {
    if (d->source) {
      out += d->source->name() + ":";
      if (d->loc.line != 0) {
        out += std::to_string(d->loc.line) + ":" + std::to_string(d->loc.column) + ":";
      }
      out += " ";
    }
    out += d->severity == Diagnostic::Severity::kError ? "error: " : "warning: ";
    out += d->message + "\n";
    if (!d->source || d->loc.line == 0) continue;
    std::string_view line = d->source->line(d->loc.line);
    out += std::string(line) + "\n";
    for (uint32_t i = 0; i + 1 < d->loc.column; ++i) {
      // Tabs are kept so that the caret stands under its character at any tab width.
      out += i < line.size() && line[i] == '\t' ? '\t' : ' ';
    }
    out += "^\n";
  }
  size_t kept = 0;
  for (const Diagnostic& d : list_) kept += d.severity == Diagnostic::Severity::kError;
  if (list_.size() >= kLimit && errors_ > kept) {
    out += "… " + std::to_string(errors_ - kept) + " more errors\n";
  }
  return out;
}

}  // namespace heddle::compiler::ptx
