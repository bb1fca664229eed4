// SPDX-License-Identifier: Apache-2.0
// nvdisasm: the listing of a cubin, under the name and with the options that people know; heddle-disasm has ours.
#include <cstdio>
#include <string>

#include "heddle/files.h"
#include "host-runtime/tools/listing.h"

namespace {

constexpr const char* kVersion = "nvdisasm: Heddle disassembler\nCuda compilation tools, release 12.3, V12.3.0\n";
constexpr const char* kHelp =
    "Usage: nvdisasm [options] file.cubin\n"
    "  -c    only code      -hex  instruction words, too      -g  source lines (as always)      -fun NAME  only this "
    "one\n"
    "  -V    version        -h    this text\n";

int fail(const std::string& message) {
  std::fprintf(stderr, "nvdisasm fatal   : %s\n", message.c_str());
  return 1;
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (word == name) return true;
  return false;
}

int list(const std::string& input, const heddle::tools::Listing& how) {
  const auto content = heddle::read_file(input);
  if (!content) return fail(content.error().message());
  const auto cubin = heddle::formats::parse_cubin({reinterpret_cast<const uint8_t*>(content->data()), content->size()});
  if (!cubin)
    return fail("'" + input + "': " + cubin.error().message() + " (cuobjdump takes programs and fat binaries)");
  if (!print_listing(*cubin, how)) return fail("'" + input + "' has no kernel or function '" + how.only[0] + "'");
  if (const auto printed = heddle::flush_output(); !printed) return fail(printed.error().message());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  heddle::tools::Listing how;
  std::string input;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string key = word.substr(0, word.find('='));
    if (is_one_of(word, {"-V", "--version"})) return std::fputs(kVersion, stdout), 0;
    if (is_one_of(word, {"-h", "--help"})) return std::fputs(kHelp, stdout), 0;
    if (is_one_of(word, {"-c", "--print-code"})) how.variables = false;
    else if (is_one_of(word, {"-hex", "--print-instruction-encoding"})) how.hex = true;
    else if (is_one_of(key, {"-fun", "--cuda-function-index", "--function"})) {
      if (key == word && i + 1 >= argc) return fail("option '" + word + "' lacks its value");
      how.only = {key == word ? argv[++i] : word.substr(key.size() + 1)};
    } else if (is_one_of(word, {"-cfg", "--output-control-flow-graph", "-bbcfg",
                                "--output-control-flow-graph-with-basic-blocks", "-plr", "--print-life-ranges", "-json",
                                "--emit-json"}))
      return fail("option '" + word + "' is not supported: there is the listing alone");
    else if (is_one_of(key, {"-b", "--binary"}))
      return fail("option '" + key +
                  "': only cubins are read (heddle-disasm takes instruction words from standard input)");
    // Lines are always printed, functions always apart and in the file's order.
    else if (!word.starts_with("-")) {
      if (!input.empty()) return fail("more than one file: '" + input + "' and '" + word + "'");
      input = word;
    } else if (!is_one_of(word, {"-g", "--print-line-info", "-gi", "--print-line-info-inline", "-gp",
                                 "--print-line-info-ptx", "-raw", "--print-raw", "-ndf", "--no-dataflow", "-novliw",
                                 "--no-vliw", "-sf", "--separate-functions"}))
      return fail("Unknown option '" + word + "'");
  }
  if (input.empty()) return fail("no input file; see nvdisasm --help");
  return list(input, how);
}
