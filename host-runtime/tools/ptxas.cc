// SPDX-License-Identifier: Apache-2.0
// ptxas: PTX to cubin, with the command line that clang, nvcc and CMake use. As NVIDIA's, it wants `--version` to name
// a CUDA release: ours is the one whose toolkit layout we follow.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "firmware/devrt/host/device_runtime.h"
#include "heddle/files.h"
#include "host-runtime/clang/words.h"
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
  bool verbose = false, relocatable = false, verify = false, soft_f64 = false, soft_f16 = false, no_tensor = false,
       no_matrix_load = false, no_async_copy = false, no_dmma = false, no_float_atomics = false;
  bool quiet = false, warnings_are_errors = false;  // -w, -Werror
  bool warn_spills = false, warn_local_memory = false, warn_doubles = false;
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

// What people ask to be warned of.
std::string asked_warnings(const Arguments& args, const heddle::formats::Cubin& cubin) {
  std::string out;
  for (const auto& k : cubin.kernels) {
    if (args.warn_spills && k.spill_stores + k.spill_loads > 0)
      out += fmt::format(
          "ptxas warning : Registers are spilled to local memory in function '{}', {} bytes spill stores, "
          "{} bytes spill loads\n",
          k.name, k.spill_stores, k.spill_loads);
    if (args.warn_local_memory && (k.local_bytes > 0 || k.needs_stack))
      out += fmt::format("ptxas warning : Local memory used for function '{}', size: {} bytes{}\n", k.name,
                         k.local_bytes, k.needs_stack ? " and a stack" : "");
  }
  if (const auto pc = cubin.first_use(heddle::isa::Unit::Fp64); args.warn_doubles && pc)
    out += fmt::format("ptxas warning : Double precision is used in function '{}'\n", cubin.find_function(*pc));
  return out;
}

// The number in "sm_80" or "sm_90a", 0 if it is unknown. Up to the newest that is known; older ones are recorded as
// they are.
unsigned known_target(const std::string& gpu) {
  constexpr unsigned long kNewest = 90;
  char* end = nullptr;
  const unsigned long sm = gpu.starts_with("sm_") ? std::strtoul(gpu.c_str() + 3, &end, 10) : 0;
  const bool known = sm > 0 && sm <= kNewest && (*end == '\0' || (*end == 'a' && end[1] == '\0'));
  return known ? static_cast<unsigned>(sm) : 0;
}

int run(const Arguments& args) {
  heddle::compiler::PtxSource source{args.input, {}};
  auto text = read_input(args.input);
  if (!text) return fail(text.error().message());
  source.text = std::move(*text);
  heddle::compiler::CompileOptions options;
  options.optimization = args.optimization;
  options.max_registers = args.max_registers;
  options.newest_target = known_target(args.gpu);
  options.relocatable = args.relocatable;
  options.verify = args.verify;
  if (!args.dump.empty())
    options.dump = [&](std::string_view pass, const heddle::compiler::mir::Function& f) {
      if (args.dump == "all" || args.dump == pass)
        std::printf("---- %s after %s\n%s", f.name.c_str(), std::string(pass).c_str(), to_string(f).c_str());
    };
  options.has.fp64 = !args.soft_f64;
  options.libraries = heddle::devrt::libraries<heddle::compiler::PtxSource>(options.has.fp64);
  options.has.fp16 = !args.soft_f16;
  options.has.tensor = !args.no_tensor;
  options.has.matrix_load = !args.no_matrix_load;
  options.has.async_copy = !args.no_async_copy;
  options.has.dmma = !args.no_dmma;
  options.has.float_atomics = !args.no_float_atomics;
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
  const std::string warnings = result->warnings + asked_warnings(args, result->cubin);
  if (!args.quiet) std::fputs(warnings.c_str(), stderr);
  if (args.warnings_are_errors && !warnings.empty())
    return fail("there are warnings, and they count as errors (-Werror)");
  result->cubin.target = args.gpu;
  if (args.verbose) std::fputs(heddle::compiler::resource_usage(result->cubin).c_str(), stderr);
  const std::vector<uint8_t> bytes = heddle::formats::serialize(result->cubin);
  if (auto written = heddle::write_file(args.output, bytes.data(), bytes.size()); !written)
    return fail(written.error().message());
  if (auto printed = heddle::flush_output(); !printed) return fail(printed.error().message());
  return 0;
}

// NVIDIA's tools take names of several letters with one dash, too (-maxrregcount=32); -O3 and -m64 are a letter and its
// value.
std::string with_two_dashes(const std::string& word) {
  const bool one_dash = word.size() > 2 && word[0] == '-' && word[1] != '-';
  const bool letter =
      one_dash && (word[1] == 'O' || word[1] == 'm') && std::isdigit(static_cast<unsigned char>(word[2]));
  return one_dash && !letter ? "-" + word : word;
}

// The command line's words, and those of the files that -optf names. A file that cannot be read is left to be named.
heddle::Result<std::vector<std::string>> normalise(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc), out;
  for (size_t i = 0; i < words.size() && i < 100000; ++i) {
    const std::string word = with_two_dashes(words[i]), key = word.substr(0, word.find('='));
    if (key != "--options-file" && key != "--optf") {
      out.push_back(word);
      continue;
    }
    if (key == word && i + 1 >= words.size()) return heddle::Error("option '" + words[i] + "' lacks its value");
    const auto text = heddle::read_file(key == word ? words[++i] : word.substr(key.size() + 1));
    if (!text) return text.error();
    const auto more = heddle::nvcc::shell_words(*text);
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, more.begin(), more.end());
  }
  std::reverse(out.begin(), out.end());  // as CLI11 takes them
  return out;
}

// What is taken and has no meaning here, and why.
void add_ignored(CLI::App& app, bool& flag, std::string& text) {
  app.add_flag("-g,--device-debug", flag, "keep debug information (always done)");
  app.add_flag("--generate-line-info,--lineinfo", flag, "keep line information (always done)");
  app.add_flag("--dont-merge-basicblocks,--no-bb-merge,--return-at-end,--ret-end", flag, "for debuggers: ignored");
  app.add_flag(
      "--suppress-stack-size-warning,--suppress-double-demote-warning,--suppress-async-bulk-multicast-advisory-warning",
      flag, "there are no such warnings");
  app.add_flag("--extensible-whole-program,--ewp,--position-independent-code,--pic,--preserve-relocs", flag,
               "code may lie anywhere, and keeps its relocations");
  app.add_flag("--sp-bounds-check", flag, "a stack that overflows is a fault always");
  app.add_flag("--disable-optimizer-constants,--disable-optimizer-consts,--optimize-float-atomics", flag, "ignored");
  app.add_option("--fmad", text, "products and sums are fused where the PTX says so");
  app.add_option("--allow-expensive-optimizations", text, "ignored");
  app.add_option("--def-load-cache,--dlcm,--force-load-cache,--flcm", text,
                 "ignored: caches are coherent and have no modes")
      ->check(CLI::IsMember({"ca", "cg", "cs", "lu", "cv"}));
  app.add_option("--def-store-cache,--dscm,--force-store-cache,--fscm", text, "ignored, too")
      ->check(CLI::IsMember({"wb", "cg", "cs", "wt"}));
  app.add_option("-e,--entry", text, "ignored: all kernels are compiled");
  app.add_option("--device-function-maxrregcount,--func-maxrregcount", text,
                 "ignored: functions have what their kernels have");
  app.add_option("--split-compile,--jobserver", text, "ignored: compilation is one thread's");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compiles PTX for a Heddle device.", "ptxas");
  Arguments args;
  bool version = false, ignored = false, refused = false;
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
  app.add_flag("-w,--disable-warnings", args.quiet, "print no warnings");
  app.add_flag("--warning-as-error,--Werror", args.warnings_are_errors, "warnings are errors");
  app.add_flag("--warn-on-spills,--warn-spills", args.warn_spills, "name kernels that spill registers");
  app.add_flag("--warn-on-local-memory-usage,--warn-lmem-usage", args.warn_local_memory,
               "name kernels that use local memory");
  app.add_flag("--warn-on-double-precision-use,--warn-double-usage", args.warn_doubles,
               "name a function that uses doubles");
  app.add_flag("-c,--compile-only", args.relocatable,
               "an object for nvlink: undefined functions and variables may be another's");
  app.add_flag("--soft-f16", args.soft_f16,
               "f16 and bf16 by f32 instructions, for machines without unit Fp16 (preset's fp16_lanes = 0)");
  app.add_flag("--soft-f64", args.soft_f64,
               "double precision by calls, for machines without it (preset's fp64_lanes = 0)");
  app.add_flag("--no-tensor", args.no_tensor,
               "refuse mma, as for machines without a tensor unit (preset's tensor_fma = 0)");
  app.add_flag("--no-matrix-load", args.no_matrix_load,
               "ldmatrix by shuffles, for machines whose register rows move in slices (preset's row_lanes below 32)");
  app.add_flag("--no-async-copy", args.no_async_copy,
               "cp.async by a load and a store at once, for machines whose register rows move in slices");
  app.add_flag(
      "--no-dmma", args.no_dmma,
      "mma of f64 by shuffles and DFMA, for machines without a tensor unit or whose register rows move in slices");
  app.add_flag("--no-float-atomics", args.no_float_atomics,
               "atomics of floating-point numbers by compare and swap, for machines whose memory does not add them "
               "(preset's float_atomics = 0)");
  app.add_flag("--verify", args.verify, "check the compiler's own work after every pass");
  app.add_option("--dump", args.dump, "print machine IR after the pass of this name, or after all");
  app.add_option("-m,--machine", machine, "64")->check(CLI::IsMember({"64"}));
  app.add_flag("-V,--version", version, "print the version");
  app.add_option("--options-file,--optf", ignored_text, "more options are in this file");
  add_ignored(app, ignored, ignored_text);
  CLI::Option* none = app.add_flag(
      "--input-as-string,--ias,--maxntid,--minnctapersm,--override-directive-values,"
      "--g-tensor-memory-access-check,--device-stack-protector",
      refused, "not supported");
  try {
    auto words = normalise(argc, argv);
    if (!words) return fail(words.error().message());
    for (const std::string& word : *words)
      if (word.starts_with("--") && none->check_name(word.substr(0, word.find('='))))
        return fail("option '" + word + "' is not supported");
    app.parse(std::move(*words));
  } catch (const CLI::ParseError& e) {
    const int status = app.exit(e, std::cout, std::cerr);
    return status == 0 ? 0 : 1;
  }
  if (version) {
    std::fputs(kVersion, stdout);
    return 0;
  }
  if (!known_target(args.gpu))
    return fail("Value '" + args.gpu + "' is not defined for option 'gpu-name' (the newest is sm_90)");
  if (args.input.empty()) return fail("no input file; see ptxas --help");
  return run(args);
}
