// SPDX-License-Identifier: Apache-2.0
// ptxas: PTX to cubin, with the command line that clang, nvcc and CMake use. As NVIDIA's, it wants `--version` to name a
// CUDA release: ours is the one whose toolkit layout we follow.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <iostream>

#include "heddle/files.h"
#include "firmware/devrt/host/device_runtime.h"
#include "host-runtime/compiler/compile.h"

namespace {

constexpr const char* kVersion =
    "ptxas: Heddle PTX optimizing assembler\nCuda compilation tools, release 12.3, V12.3.0\n";

struct Arguments {
  std::string input;
  std::string output = "elf.o";
  std::string gpu = "sm_80";
  std::vector<std::string> libraries;
  unsigned optimization = 3;
  unsigned max_registers = 0;
  bool verbose = false, relocatable = false, verify = false, soft_f64 = false, soft_f16 = false;
  std::string dump;
};

heddle::Result<std::string> read_input(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  return heddle::read_file(path);
}

int fail(const std::string& message) {
  std::fprintf(stderr, "ptxas fatal   : %s\n", message.c_str());
  return 1;
}

int run(const Arguments& args) {
  heddle::compiler::PtxSource source{args.input, {}};
  auto text = read_input(args.input);
  if (!text) return fail(text.error().message());
  source.text = std::move(*text);
  heddle::compiler::CompileOptions options;
  options.optimization = args.optimization;
  options.max_registers = args.max_registers;
  options.relocatable = args.relocatable;
  options.verify = args.verify;
  if (!args.dump.empty())
    options.dump = [&](std::string_view pass, const heddle::compiler::mir::Function& f) {
      if (args.dump == "all" || args.dump == pass)
        std::printf("---- %s after %s\n%s", f.name.c_str(), std::string(pass).c_str(), to_string(f).c_str());
    };
  options.libraries.push_back({heddle::devrt::kDeviceRuntimeName, std::string(heddle::devrt::devrt_ptx())});
  if (args.soft_f64) {
    options.has_fp64 = false;
    options.libraries.push_back({heddle::devrt::kSoftF64Name, std::string(heddle::devrt::soft_f64_ptx())});
  }
  options.has_fp16 = !args.soft_f16;
  for (const std::string& path : args.libraries) {
    auto library = read_input(path);
    if (!library) return fail(library.error().message());
    options.libraries.push_back({path, std::move(*library)});
  }
  auto result = heddle::compiler::compile(source, options);
  if (!result) {
    std::fputs(result.error().message().c_str(), stderr);
    if (!result.error().message().ends_with('\n')) std::fputc('\n', stderr);
    return fail("Ptx assembly aborted due to errors");
  }
  std::fputs(result->warnings.c_str(), stderr);
  result->cubin.target = args.gpu;
  if (args.verbose) std::fputs(heddle::compiler::resource_usage(result->cubin).c_str(), stderr);
  const std::vector<uint8_t> bytes = heddle::compiler::serialize(result->cubin);
  if (auto written = heddle::write_file(args.output, bytes.data(), bytes.size()); !written)
    return fail(written.error().message());
  if (auto printed = heddle::flush_output(); !printed) return fail(printed.error().message());
  return 0;
}

// NVIDIA's tools take long options with one dash too, and `-maxrregcount=32`.
std::vector<std::string> normalise(int argc, char** argv) {
  std::vector<std::string> out;
  for (int n = 1; n < argc; n++) {
    std::string a = argv[n];
    if (a.size() > 2 && a[0] == '-' && a[1] != '-' && a[1] != 'O' && a[1] != 'm' && a[1] != 'l') a = "-" + a;
    if (a.rfind("-maxrregcount", 0) == 0 || a.rfind("-lineinfo", 0) == 0 || a.rfind("-lib", 0) == 0) a = "-" + a;
    out.push_back(a);
  }
  std::reverse(out.begin(), out.end());  // as CLI11 takes them
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compiles PTX for a Heddle device.", "ptxas");
  Arguments args;
  bool version = false, ignored = false;
  // The driver in front adds its own; the last word counts, as with NVIDIA's.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::string machine, ignored_text;
  app.add_option("input", args.input, "PTX file, - for standard input");
  app.add_option("-o,--output-file", args.output, "cubin to write")->capture_default_str();
  app.add_option("--gpu-name,--arch", args.gpu, "sm_XX, recorded in the cubin")->capture_default_str();
  app.add_option("-O,--opt-level", args.optimization, "0 to 3")->check(CLI::Range(0, 3))->capture_default_str();
  app.add_option("--maxrregcount", args.max_registers, "registers a thread, at most")->check(CLI::Range(0, 255));
  app.add_option("--library", args.libraries, "PTX of which what is needed is linked in")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("-v,--verbose", args.verbose, "print what each kernel uses");
  app.add_flag("-c,--compile-only", args.relocatable, "an object for nvlink: undefined functions and variables may be another's");
  app.add_flag("--soft-f16", args.soft_f16, "f16 and bf16 by f32 instructions, for machines without unit Fp16 (preset's fp16_lanes = 0)");
  app.add_flag("--soft-f64", args.soft_f64, "double precision by calls, for machines without it (preset's fp64_lanes = 0)");
  app.add_flag("--verify", args.verify, "check the compiler's own work after every pass");
  app.add_option("--dump", args.dump, "print machine IR after the pass of this name, or after all");
  app.add_option("-m,--machine", machine, "64")->check(CLI::IsMember({"64"}));
  app.add_flag("-V,--version", version, "print the version");
  // Taken and without meaning here: line information is always kept, blocks keep their order.
  app.add_flag("-g,--device-debug", ignored, "keep debug information (always done)");
  app.add_flag("--lineinfo,--generate-line-info", ignored, "keep line information (always done)");
  app.add_flag("--dont-merge-basicblocks,--return-at-end,--suppress-stack-size-warning,-w,--disable-warnings,--warn-on-spills,"
               "--warn-on-local-memory-usage,--suppress-double-demote-warning", ignored, "accepted");
  app.add_option("--fmad,--def-load-cache,--def-store-cache,--force-load-cache", ignored_text, "accepted");
  try {
    app.parse(normalise(argc, argv));
  } catch (const CLI::ParseError& e) {
    const int status = app.exit(e, std::cout, std::cerr);
    return status == 0 ? 0 : 1;
  }
  if (version) {
    std::fputs(kVersion, stdout);
    return 0;
  }
  if (args.input.empty()) return fail("no input file; see ptxas --help");
  return run(args);
}
