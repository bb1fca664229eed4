// SPDX-License-Identifier: Apache-2.0
// A PTX text with its name, places in it, and the list of complaints about it.
//
// A diagnostic is printed as file:line:column, the source line and a caret:
//
//   vecadd.ptx:9:15: error: Unknown symbol '%r9'
//    add.s32 %r1, %r9, 1;
//                 ^
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::compiler::ptx {

// A place in a Source: line and column count from 1, the column in bytes. Line 0: no place known.
struct Loc {
  uint32_t line = 0;
  uint32_t column = 0;

  friend bool operator==(const Loc&, const Loc&) = default;
};

// A named text. Immutable; the tokens and names of its module are views into it, so a Module keeps
// it alive.
class Source {
 public:
  Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  // Line `number` (from 1) without its end; empty past the last line. Linear in the text: meant for
  // diagnostics only.
  std::string_view line(uint32_t number) const;

 private:
  std::string name_;
  std::string text_;
};

using SourcePtr = std::shared_ptr<const Source>;

struct Diagnostic {
  enum class Severity : uint8_t { kError, kWarning };

  Severity severity = Severity::kError;
  SourcePtr source;
  Loc loc;
  std::string message;
};

// Collects what is wrong, in the order found; renders it for people. Not thread-safe.
class Diagnostics {
 public:
  // After this many errors the rest is counted, not kept: a wrong file should not flood a terminal.
  static constexpr size_t kLimit = 100;

  void error(const SourcePtr& source, Loc loc, std::string message);
  void warning(const SourcePtr& source, Loc loc, std::string message);

  bool has_errors() const { return errors_ != 0; }
  size_t errors() const { return errors_; }
  const std::vector<Diagnostic>& list() const { return list_; }
  // All diagnostics sorted by place within each source, each with its line and caret.
  std::string render() const;

 private:
  void add(Diagnostic::Severity severity, const SourcePtr& source, Loc loc, std::string message);

  std::vector<Diagnostic> list_;
  size_t errors_ = 0;
};

}  // namespace heddle::compiler::ptx
