// SPDX-License-Identifier: Apache-2.0
// Single instructions as PTX. Not for other folders.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {

inline constexpr char kLetter[] = {'h', 'w', 'd', 'f', 'p'};
inline constexpr const char* kBits[] = {"b16", "b32", "b64", "f32"};  // by file
std::string reg(File f, unsigned n);
std::string value(Type t, const Value& v);

// Writes into out_. Uses the registers of print.cc's frames: %tw %tx %ty %th %td %at %q as scratch, %me, %slice, %in.
class InstructionPrinter {
 protected:
  template <typename... T>
  void line(fmt::format_string<T...> text, T&&... args) {
    out_ += "    " + fmt::format(text, std::forward<T>(args)...) + ";\n";
  }
  void instruction(const Instruction& i);

  std::string out_;

 private:
  void access(const Instruction& i, const std::string& guard);
  void access_byte(const Instruction& i, const std::string& guard);
  void table(const Instruction& i, const std::string& guard);
  void together(const Instruction& i);
  void divide(const Instruction& i, const std::string& guard);
  void set_predicate(const Instruction& i, const std::string& guard);
};

}  // namespace heddle::compiler::test
