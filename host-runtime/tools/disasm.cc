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
#include "host-runtime/formats/cubin.h"
#include "host-runtime/tools/listing.h"
#include "isa/isa.h"

namespace {

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
  CLI::App app(
      "Lists the kernels and instructions of a cubin; without one, disassembles instruction words from standard "
      "input, a line of hexadecimal digits each.",
      "heddle-disasm");
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
  const auto cubin = heddle::formats::parse_cubin(bytes);
  if (!cubin) {
    fmt::print(stderr, "heddle-disasm: {}: {}\n", input, cubin.error().message());
    return 1;
  }
  heddle::tools::Listing how;
  how.hex = hex;
  how.code = !list;
  if (!only.empty()) how.only = {only};
  const bool found = print_listing(*cubin, how);
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
