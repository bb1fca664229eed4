// SPDX-License-Identifier: Apache-2.0
// cuobjdump: what device code a host program, object, library, archive, fat binary or cubin holds, with the command
// line of NVIDIA's: lists it, prints PTX and machine code, extracts both into files.
#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "heddle/files.h"
#include "host-runtime/formats/cubin.h"
#include "host-runtime/formats/elf.h"
#include "host-runtime/tools/cuobjdump/images.h"
#include "host-runtime/tools/listing.h"

namespace {

using heddle::formats::Cubin;
using heddle::formats::FatKind;
using heddle::tools::DeviceImage;

constexpr const char* kVersion =
    "cuobjdump: Heddle's lister of device code in files\nCuda compilation tools, release 12.3, V12.3.0\n";

constexpr const char* kHelp =
    "Usage: cuobjdump [options] file\n"
    "  -lelf, -lptx, -ltext     list machine code, PTX, kernels and functions\n"
    "  -sass, -ptx, -elf        print instructions, PTX, sections\n"
    "  -symbols, -res-usage     print symbols, what each kernel needs\n"
    "  -xelf NAME, -xptx NAME   write what has NAME in its name, or all, into files of the current folder\n"
    "  -arch sm_80, -fun NAMES  only of this architecture, only these kernels and functions\n"
    "  -V, -h                   version, this text\n";

struct Arguments {
  std::string input, architecture, extract_elf, extract_ptx;
  std::vector<std::string> functions;
  std::set<std::string> actions;  // "-sass", "-lelf", …
};

int fail(const std::string& message) {
  std::fprintf(stderr, "cuobjdump fatal   : %s\n", message.c_str());
  return 1;
}

std::vector<std::string> parts(const std::string& list) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (end > at) out.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// The short name of an option, with one dash; empty when it is unknown.
std::string short_name(const std::string& key) {
  static const std::vector<std::pair<std::string, std::string>> kNames = {
      {"-all", "--all-fatbin"},       {"-elf", "--dump-elf"},     {"-symbols", "--dump-elf-symbols"},
      {"-ptx", "--dump-ptx"},         {"-sass", "--dump-sass"},   {"-lelf", "--list-elf"},
      {"-lptx", "--list-ptx"},        {"-ltext", "--list-text"},  {"-res-usage", "--dump-resource-usage"},
      {"-sort", "--sort-functions"},  {"-V", "--version"},        {"-h", "--help"},
      {"-xelf", "--extract-elf"},     {"-xptx", "--extract-ptx"}, {"-fun", "--function"},
      {"-arch", "--gpu-architecture"}};
  for (const auto& [brief, full] : kNames)
    if (key == brief || key == full || key == "-" + brief) return brief;
  return {};
}

// Empty when all was understood.
std::string parse(int argc, char** argv, Arguments& a) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.empty() || word[0] != '-') {
      if (!a.input.empty()) return "more than one file: '" + a.input + "' and '" + word + "'";
      a.input = word;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = short_name(word.substr(0, equals));
    if (name.empty()) return "Unknown option '" + word + "'";
    if (name != "-xelf" && name != "-xptx" && name != "-fun" && name != "-arch") {
      a.actions.insert(name);
      continue;
    }
    std::string value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    else if (i + 1 < argc) value = argv[++i];
    else return "option '" + word + "' lacks its value";
    if (name == "-xelf") a.extract_elf = value;
    else if (name == "-xptx") a.extract_ptx = value;
    else if (name == "-fun") a.functions = parts(value);
    else a.architecture = value;
  }
  return {};
}

void print_heading(const DeviceImage& image) {
  fmt::print("\nFatbin {} code:\n================\narch = sm_{}\nfile = {}\nhost = linux\ncompile_size = 64bit\n",
             image.kind == FatKind::kPtx ? "ptx" : "elf", image.sm, image.name);
}

void print_sections(const DeviceImage& image) {
  const auto elf =
      heddle::formats::read_elf({reinterpret_cast<const uint8_t*>(image.bytes.data()), image.bytes.size()});
  if (!elf) return;  // it was read as a cubin before
  fmt::print("\nSections:\n");
  for (const auto& section : elf->sections) fmt::print("  {:8} bytes  {}\n", section.bytes.size(), section.name);
}

void print_symbols(const Cubin& cubin) {
  fmt::print("\nsymbols:\n");
  for (const auto& k : cubin.kernels) fmt::print("STT_FUNC         STB_GLOBAL STO_ENTRY      {}\n", k.name);
  for (const auto& f : cubin.functions) fmt::print("STT_FUNC         STB_LOCAL  STV_DEFAULT    {}\n", f.name);
  for (const auto& v : cubin.variables)
    fmt::print("STT_OBJECT       {} STV_DEFAULT    {}\n", v.visible ? "STB_GLOBAL" : "STB_LOCAL ", v.name);
}

void print_usage(const Cubin& cubin) {
  fmt::print("\nResource usage:\n Common:\n  GLOBAL:{} CONSTANT[3]:{}\n", cubin.global_bytes, cubin.const_bytes);
  for (const auto& k : cubin.kernels)
    fmt::print(" Function {}:\n  REG:{} STACK:{} SHARED:{} LOCAL:0 CONSTANT[0]:{} TEXTURE:0 SURFACE:0 SAMPLER:0\n",
               k.name, k.registers, k.local_bytes, k.shared_bytes, k.param_bytes);
}

// What the actions ask of one piece of machine code. Whether it had the functions that were asked for.
bool print_cubin(const Arguments& a, const DeviceImage& image, const Cubin& cubin) {
  bool found = a.functions.empty();
  if (a.actions.contains("-elf")) print_sections(image);
  if (a.actions.contains("-symbols")) print_symbols(cubin);
  if (a.actions.contains("-res-usage")) print_usage(cubin);
  heddle::tools::Listing how;
  how.variables = false;
  how.only = a.functions;
  if (a.actions.contains("-sass")) {
    fmt::print("\n\tcode for sm_{}\n", image.sm);
    if (cubin.relocatable()) fmt::print("\t(for the device linker: PTX, compiled when it is linked)\n");
    found |= print_listing(cubin, how);
  }
  how.code = false;
  if (a.actions.contains("-ltext")) found |= print_listing(cubin, how);
  return found;
}

bool has_name(const DeviceImage& image, const std::string& wanted) {
  return wanted == "all" || image.name.find(wanted) != std::string::npos;
}

// -lelf, -lptx, -xelf, -xptx of the kind's images.
heddle::Status list_and_extract(const Arguments& a, const std::vector<DeviceImage>& images, FatKind kind) {
  const bool elf = kind == FatKind::kElf;
  const std::string& wanted = elf ? a.extract_elf : a.extract_ptx;
  unsigned number = 0, written = 0;
  for (const DeviceImage& image : images) {
    if (image.kind != kind) continue;
    ++number;
    if (a.actions.contains(elf ? "-lelf" : "-lptx"))
      fmt::print("{} file {:4}: {}\n", elf ? "ELF" : "PTX", number, image.name);
    if (wanted.empty() || !has_name(image, wanted)) continue;
    fmt::print("Extracting {} file {:4}: {}\n", elf ? "ELF" : "PTX", number, image.name);
    if (auto done = heddle::write_file(image.name, image.bytes.data(), image.bytes.size()); !done) return done;
    ++written;
  }
  if (!wanted.empty() && written == 0)
    return heddle::Error(fmt::format("no {} has '{}' in its name", elf ? "machine code" : "PTX", wanted));
  return {};
}

int run(const Arguments& a) {
  const auto contents = heddle::read_file(a.input);
  if (!contents) return fail(contents.error().message());
  auto images = heddle::tools::find_images(a.input, *contents);
  if (!images) return fail(images.error().message());
  if (!a.architecture.empty())
    std::erase_if(*images, [&](const DeviceImage& i) { return a.architecture != "sm_" + std::to_string(i.sm); });
  if (images->empty()) {
    std::fprintf(stderr, "cuobjdump info    : File '%s' does not contain device code\n", a.input.c_str());
    return a.architecture.empty() ? 0 : 1;
  }
  for (const FatKind kind : {FatKind::kElf, FatKind::kPtx})
    if (auto done = list_and_extract(a, *images, kind); !done) return fail(done.error().message());

  const auto any = [&](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (a.actions.contains(name)) return true;
    return false;
  };
  const bool of_code = any({"-sass", "-elf", "-symbols", "-res-usage", "-ltext"}), of_ptx = any({"-ptx"});
  const bool headings =
      !of_code && !of_ptx && !any({"-lelf", "-lptx"}) && a.extract_elf.empty() && a.extract_ptx.empty();
  bool found = !of_code || a.functions.empty();
  for (const DeviceImage& image : *images) {
    const bool ptx = image.kind == FatKind::kPtx;
    if (headings || (ptx ? of_ptx : of_code)) print_heading(image);
    if (ptx && of_ptx) fmt::print("\n{}\n", image.bytes);
    if (ptx || !of_code) continue;
    const auto cubin =
        heddle::formats::parse_cubin({reinterpret_cast<const uint8_t*>(image.bytes.data()), image.bytes.size()});
    if (!cubin) return fail("'" + image.name + "': " + cubin.error().message());
    found |= print_cubin(a, image, *cubin);
  }
  if (!found) return fail("'" + a.input + "' has no kernel or function of these names");
  if (const auto printed = heddle::flush_output(); !printed) return fail(printed.error().message());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  if (const std::string error = parse(argc, argv, a); !error.empty()) return fail(error);
  if (a.actions.contains("-V") || a.actions.contains("-h")) {
    std::fputs(a.actions.contains("-V") ? kVersion : kHelp, stdout);
    return 0;
  }
  if (a.input.empty()) return fail("no input file; see cuobjdump --help");
  return run(a);
}
