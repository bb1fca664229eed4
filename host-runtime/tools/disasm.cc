// SPDX-License-Identifier: Apache-2.0
// heddle-disasm: kernels of a cubin, their resources and their instructions with source lines. Without a cubin:
// instruction words from standard input, a line of hexadecimal digits each, answered by a line each at once (a filter
// process for GTKWave).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "heddle/files.h"
#include "host-runtime/compiler/compile.h"
#include "isa/isa.h"

namespace {

using heddle::compiler::Cubin;
using heddle::compiler::CubinLine;
using heddle::compiler::CubinReloc;

std::string target_name(const Cubin& cubin, const CubinReloc& r) {
  static constexpr const char* kParts[] = {"lo", "hi", "address"};
  std::string name = r.name;
  if (name.empty() && r.target == heddle::compiler::Segment::Code)
    name = std::string(cubin.find_function(static_cast<uint32_t>(r.value)));
  for (const auto& v : cubin.variables)
    if (name.empty() && v.segment == r.target && r.value >= v.offset && r.value < v.offset + std::max<uint64_t>(v.size, 1))
      name = v.name;
  return fmt::format("{}({}{})", kParts[static_cast<size_t>(r.kind)], name, r.addend ? fmt::format("{:+}", r.addend) : "");
}

void print_code(const Cubin& cubin, uint32_t entry, uint32_t bytes, bool hex) {
  const CubinLine* last = nullptr;
  for (uint32_t pc = entry; pc < entry + bytes; pc += 8) {
    const CubinLine* line = cubin.find_line(pc);
    if (line && (!last || last->file != line->file || last->line != line->line))
      fmt::print("    // {}:{}\n", cubin.files[line->file], line->line);
    last = line;
    const uint64_t word = cubin.code[pc / 8];
    std::string note;
    for (const CubinReloc& r : cubin.relocs)
      if (r.where == heddle::compiler::Segment::Code && r.offset == pc) note = "  // " + target_name(cubin, r);
    fmt::print("  {:06x}  {}{}{}\n", pc, hex ? fmt::format("{:016x}  ", word) : "", heddle::isa::disassemble(word, pc), note);
  }
}

void print_kernel(const heddle::compiler::CubinKernel& k) {
  fmt::print("kernel {}  // {} registers, {} B shared{}, {} B local{}, {} B parameters, {} barriers\n", k.name, k.registers,
             k.shared_bytes, k.dynamic_shared ? " + dynamic" : "", k.local_bytes, k.needs_stack ? " + stack" : "",
             k.param_bytes, k.barriers);
}

// What is no word (a value with x, a blank line) comes back as it is: each line has its answer.
int filter() {
  for (std::string line; std::getline(std::cin, line);) {
    uint64_t word = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), word, 16);
    const bool whole = error == std::errc{} && end == line.data() + line.size();
    fmt::print("{}\n", whole ? heddle::isa::disassemble(word, 0) : line);
    if (const auto printed = heddle::flush_output(); !printed) {
      fmt::print(stderr, "heddle-disasm: {}\n", printed.error().message());
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Lists the kernels and instructions of a cubin; without one, disassembles instruction words from standard "
               "input, a line of hexadecimal digits each.", "heddle-disasm");
  std::string input, only;
  bool hex = false, list = false;
  CLI::Option* file = app.add_option("cubin", input, "file made by ptxas");
  app.add_option("-k,--kernel", only, "only this kernel or function")->needs(file);
  app.add_flag("-x,--hex", hex, "print the instruction words too")->needs(file);
  app.add_flag("-l,--list", list, "only list kernels, functions and variables")->needs(file);
  CLI11_PARSE(app, argc, argv);
  if (!*file) return filter();
  const auto content = heddle::read_file(input);
  if (!content) {
    fmt::print(stderr, "heddle-disasm: {}\n", content.error().message());
    return 1;
  }
  const std::vector<uint8_t> bytes(content->begin(), content->end());
  const auto cubin = heddle::compiler::parse_cubin(bytes);
  if (!cubin) {
    fmt::print(stderr, "heddle-disasm: {}: {}\n", input, cubin.error().message());
    return 1;
  }
  bool found = only.empty();
  for (const auto& k : cubin->kernels) {
    if (!only.empty() && only != k.name) continue;
    found = true;
    print_kernel(k);
    if (!list) print_code(*cubin, k.entry, k.bytes, hex);
  }
  for (const auto& f : cubin->functions) {
    if (!only.empty() && only != f.name) continue;
    found = true;
    fmt::print("function {}\n", f.name);
    if (!list) print_code(*cubin, f.entry, f.bytes, hex);
  }
  if (only.empty())
    for (const auto& v : cubin->variables)
      fmt::print("variable {}  // {} bytes at {} of the {} segment\n", v.name, v.size, v.offset,
                 v.segment == heddle::compiler::Segment::Const ? "constant" : "global");
  if (!found) {
    fmt::print(stderr, "heddle-disasm: {} has no kernel or function '{}'\n", input, only);
    return 1;
  }
  if (const auto printed = heddle::flush_output(); !printed) {
    fmt::print(stderr, "heddle-disasm: {}\n", printed.error().message());
    return 1;
  }
  return 0;
}
