// SPDX-License-Identifier: Apache-2.0
// Single instructions as PTX. Not for other folders.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {

inline constexpr char kLetter[] = {'h', 'w', 'd', 'f', 'p', 'a', 'x'};
inline constexpr const char* kBits[] = {"b16", "b32", "b64", "f32", "pred", "f32", "b128"};  // by file
inline constexpr const char* kSpaces[] = {".global", ".const", ".shared", ".local", ".global", ""};
std::string reg(File f, unsigned n);
std::string value(Type t, const Value& v);
// A register, or several in braces.
std::string vector(File f, unsigned first, unsigned words);

// Writes into out_. Uses the registers of print.cc's frames: those that operations.h names, and %tw %at as scratch,
// %me, %slice, %in, %far, %block, %given.
class InstructionPrinter {
 protected:
  template <typename... T>
  void line(fmt::format_string<T...> text, T&&... args) {
    out_ += "    " + fmt::format(text, std::forward<T>(args)...) + ";\n";
  }
  void instruction(const Instruction& i);
  std::string generic_slice(Space space);
  void first_values(std::string_view what);

  std::string out_;
  std::string members_ = "-1";  // of warp instructions

 private:
  std::string address(const Instruction& i, unsigned mask, unsigned offset);
  void access(const Instruction& i, const std::string& guard);
  void copy(const Instruction& i, const std::string& guard);
  void atomic(const Instruction& i, const std::string& guard);
  std::string of_all(std::string_view what, bool generic);
  void cell(const Instruction& i, const std::string& guard);
  void sum(const Instruction& i, const std::string& guard);
  void prefetch(const Instruction& i, const std::string& guard);
  void load_other(const Instruction& i);
  void lines(const std::string& guard, std::string text, std::string_view files, const Instruction& i,
             const std::string& after);
  void table(const Instruction& i, const std::string& guard);
  void together(const Instruction& i);
  void divide(const Instruction& i, const std::string& guard);
  void set_predicate(const Instruction& i, const std::string& guard);
  // print_matrix.cc
  void by_whole_warp(const Instruction& i);
  void numbers(const Instruction& i);
  void one_nan(const std::string& guard, const std::string& f64);
  void mma(const Instruction& i, const std::string& guard);
  std::string row_address(const Instruction& i);
  void move_matrix(const Instruction& i, const std::string& guard);
  std::string matrix_address(const MatrixPlace& place);
  void wmma(const Instruction& i, const std::string& guard);
};

}  // namespace heddle::compiler::test
