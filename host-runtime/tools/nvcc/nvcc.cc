// SPDX-License-Identifier: Apache-2.0
// nvcc: NVIDIA's compiler driver as far as makefiles and CMake use it, on top of clang. It translates the command line
// and calls clang for CUDA sources and to link, the host's compiler for C and C++; it compiles nothing itself. Where
// clang has no such step (-fatbin, linking device code of several objects), it calls the toolkit's other programs:
// ptxas, fatbinary, nvlink, and compiles crt/link.stub on the way.
//
// The environment variable HEDDLE_CLANG names another clang++; NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS hold more
// options.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heddle/files.h"
#include "host-runtime/clang/command.h"
#include "host-runtime/clang/options.h"
#include "host-runtime/clang/process.h"

namespace {

namespace fs = std::filesystem;
using namespace heddle::nvcc;

constexpr int kOldestClang = 14;  // the first that compiles for sm_80 with our headers

std::string stem(const std::string& input) { return fs::path(input).stem().string(); }

std::string sm_name(const Options& o, unsigned sm) { return "sm_" + name_of(o, sm); }

// What `nvcc -v` tells about itself; CMake reads the toolkit's place and the link line from it.
void print_verbose(const Options& o, const fs::path& top) {
  const std::string t = top.string();
  const char* path = std::getenv("PATH");
  std::string text = "#$ _NVVM_BRANCH_=nvvm\n#$ _SPACE_= \n#$ _CUDART_=cudart\n#$ _HERE_=" + t +
                     "/bin\n#$ _THERE_=" + t + "/bin\n#$ TOP=" + t + "\n#$ NVVMIR_LIBRARY_DIR=" + t +
                     "/nvvm/libdevice\n#$ PATH=" + (path ? path : "") + "\n#$ INCLUDES=\"-I" + t +
                     "/include\"  \n#$ LIBRARIES=  \"-L" + t + "/lib64\"\n#$ CUDAFE_FLAGS=\n#$ PTXAS_FLAGS=\n";
  text += "#$ true";
  for (const unsigned sm : o.architectures) text += " -arch compute_" + name_of(o, sm);
  std::fprintf(stderr, "%s\n#$ rm -f a_dlink.o\n", text.c_str());
}

// Build systems look for the words of the first line.
constexpr const char* kVersion =
    "nvcc: NVIDIA (R) Cuda compiler driver: these words for build systems; this is Heddle's driver, on clang\n"
    "Cuda compilation tools, release 12.3, V12.3.0\n";

constexpr const char* kHelp =
    "Usage: nvcc [options] file...\n"
    "  -o FILE  -odir DIR  -c  -dc  -dlink  -lib  -rdc true|false  -ptx  -cubin  -fatbin  -E  -x cu|c++|c  -shared\n"
    "  -M  -MM  -MD  -MF FILE  -arch=sm_80  -gencode arch=compute_80,code=[sm_80,compute_80]  --list-gpu-arch\n"
    "  -std=c++17  -O0..-O3  -g  -G  -lineinfo  -maxrregcount N  -use_fast_math  -ftz  -fmad  -res-usage\n"
    "  -I DIR  -D MACRO  -U MACRO  -include FILE  -L DIR  -l NAME  -cudart static|shared|none\n"
    "  -Xcompiler LIST  -Xptxas LIST  -Xlinker LIST  -ccbin COMPILER  -optf FILE  -keep  -v  -dryrun  --version\n"
    "Options are nvcc's; those that have no meaning with clang are accepted and do nothing.\n"
    "NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS hold more options, HEDDLE_CLANG the name of another clang++.\n";

void list_architectures(const char* prefix) {
  for (const Architecture& a : kArchitectures) std::printf("%s%u\n", prefix, a.sm);
}

// One command line's work: its options, the toolkit, and what starts programs.
class Driver {
 public:
  Driver(Options options, fs::path toolkit)
      : o_(std::move(options)), top_(std::move(toolkit)), runner_{o_.verbose || o_.dry_run, o_.dry_run} {}
  // An exit status.
  int run();

 private:
  int each_alone();
  int device_code(const Options& one);
  int assemble(const std::string& ptx, unsigned sm, const std::string& cubin);
  int make_fat_binary(const Options& one);
  int compile(const Options& one) const;
  int compile_sources(const fs::path& folder, bool only_host);
  bool needs_device_link() const;
  int device_link(const fs::path& folder, const std::string& output);
  int make_library();
  int link_separately_compiled();
  int link();
  int clang_alone() const { return run_clang(o_); }
  int run_clang(const Options& one) const;

  Options o_;
  fs::path top_;
  Runner runner_;
};

// Clang's OpenMP is a package of its own, of each version.
void explain_openmp(const Options& o) {
  if (std::find(o.compiler.begin(), o.compiler.end(), "-fopenmp") == o.compiler.end()) return;
  const std::string resources = output_of({clang(o), "-print-resource-dir"}).value_or("");
  const auto version = clang_version(clang(o));
  if (!version || fs::exists(fs::path(resources.substr(0, resources.find('\n'))) / "include/omp.h")) return;
  std::fprintf(
      stderr,
      "nvcc note    : '-fopenmp' takes the OpenMP of '%s', which is not installed: apt-get install libomp-%d-dev\n",
      clang(o).c_str(), *version);
}

int Driver::run_clang(const Options& one) const {
  const int status = runner_.run(command(one, top_));
  if (status != 0) explain_openmp(one);
  return status;
}

// One source, by the compiler that takes it.
int Driver::compile(const Options& one) const {
  const bool device_only = one.phase == Phase::kPtx || one.phase == Phase::kCubin;
  return is_host_source(one, one.inputs[0]) && !device_only ? runner_.run(host_command(one, top_)) : run_clang(one);
}

// -c, -ptx, -cubin, -fatbin: each input becomes a file of its own; -E, -M: each is written to the output.
int Driver::each_alone() {
  if (!o_.output.empty() && o_.inputs.size() > 1)
    return fatal("option '-o' names one file, and there are " + std::to_string(o_.inputs.size()) +
                 " inputs (-odir names a folder)");
  const bool to_file = o_.phase != Phase::kPreprocess && o_.phase != Phase::kDepend;
  const char* ending = o_.phase == Phase::kPtx      ? ".ptx"
                       : o_.phase == Phase::kCubin  ? ".cubin"
                       : o_.phase == Phase::kFatbin ? ".fatbin"
                                                    : ".o";
  for (const std::string& input : o_.inputs) {
    Options one = o_;
    one.inputs = {input};
    if (o_.output.empty() && to_file) one.output = (fs::path(o_.folder) / (stem(input) + ending)).string();
    const int status = is_device_code(input) || o_.phase == Phase::kFatbin ? device_code(one) : compile(one);
    if (status != 0) return status;
  }
  return 0;
}

// -cubin and -fatbin of PTX, and -fatbin of sources.
int Driver::device_code(const Options& one) {
  const std::string& input = one.inputs[0];
  if (is_device_code(input) && !input.ends_with(".ptx"))
    return fatal("'" + input + "': machine code is compiled already; -dlink and fatbinary take it");
  if (one.phase == Phase::kFatbin) return make_fat_binary(one);
  if (one.phase == Phase::kCubin) return assemble(input, one.architectures.back(), one.output);
  return fatal("'" + input + "': of PTX there is -cubin and -fatbin");
}

int Driver::assemble(const std::string& ptx, unsigned sm, const std::string& cubin) {
  std::vector<std::string> words = {top_ / "bin/ptxas", "-m64", "--gpu-name=" + sm_name(o_, sm), ptx, "-o", cubin};
  words.push_back(o_.device_debug || o_.optimization == "-O0" ? "-O0" : o_.optimization == "-O1" ? "-O1" : "-O3");
  if (o_.relocatable) words.push_back("-c");
  words.insert(words.end(), o_.ptxas.begin(), o_.ptxas.end());
  return runner_.run(words);
}

// PTX and machine code for each architecture, as clang puts them into programs.
int Driver::make_fat_binary(const Options& one) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return fatal("cannot make a temporary folder");
  std::vector<std::string> pack = {top_ / "bin/fatbinary", "-64", "--create", one.output};
  for (const unsigned sm : one.architectures) {
    Options part = one;
    std::string ptx = one.inputs[0];
    if (!is_device_code(ptx)) {
      part.phase = Phase::kPtx;
      part.architectures = {sm};
      part.output = ptx = folder.path() / (sm_name(one, sm) + ".ptx");
      if (const int status = runner_.run(command(part, top_)); status != 0) return status;
    }
    const std::string cubin = folder.path() / (sm_name(one, sm) + ".cubin");
    if (const int status = assemble(ptx, sm, cubin); status != 0) return status;
    pack.push_back("--image=profile=" + sm_name(one, sm) + ",file=" + cubin);
    pack.push_back("--image=profile=compute_" + name_of(one, sm) + ",file=" + ptx);
  }
  return runner_.run(pack);
}

// Compiles the sources among the inputs, or those alone that the host's compiler takes: a device link needs objects.
// Objects replace their sources. Returns an exit status.
int Driver::compile_sources(const fs::path& folder, bool only_host) {
  if (folder.empty()) return fatal("cannot make a temporary folder");
  std::vector<std::string> objects;
  for (const std::string& input : o_.inputs) {
    if (only_host ? !is_host_source(o_, input) : !is_source(o_, input)) {
      objects.push_back(input);
      continue;
    }
    Options one = o_;
    one.phase = Phase::kCompile;
    one.inputs = {input};
    one.output = (folder / (std::to_string(objects.size()) + "-" + stem(input) + ".o")).string();
    if (const int status = compile(one); status != 0) return status;
    objects.push_back(one.output);
  }
  o_.inputs = objects;
  return 0;
}

// Some input is an object with device code to be linked, and none is what a device link made.
bool Driver::needs_device_link() const {
  bool needed = false;
  for (const std::string& input : o_.inputs) {
    if (is_source(o_, input)) {
      needed |= o_.relocatable && is_cuda_source(o_, input);
      continue;
    }
    // A shared library's is linked, and registered by it; of a file that cannot be read clang will tell.
    if (input.find(".so") != std::string::npos) continue;
    const auto content = heddle::read_file(input);
    if (!content) continue;
    if (content->find("heddle: device link done") != std::string::npos) return false;
    needed |= content->find("__nv_relfatbin") != std::string::npos;
  }
  return needed;
}

// The inputs' device code, linked, and what registers it, as the object `output`. Returns an exit status.
int Driver::device_link(const fs::path& folder, const std::string& output) {
  const std::string sm = sm_name(o_, o_.architectures.back()), cubin = folder / "linked.cubin";
  const std::string embedded = folder / "linked.h", registrations = folder / "registrations.h";
  std::vector<std::string> words = {top_ / "bin/nvlink", "-m64", "-arch=" + sm, "-o", cubin};
  words.push_back("--register-link-binaries=" + registrations);
  for (const std::string& word : o_.ptxas)
    if (word == "-v" || word.starts_with("--maxrregcount=")) words.push_back(word);
  words.insert(words.end(), o_.inputs.begin(), o_.inputs.end());
  for (const std::string& word : o_.linker)
    if (word.starts_with("-L") || word.starts_with("-l")) words.push_back(word);
  if (const int status = runner_.run(words); status != 0) return status;
  if (const int status = runner_.run(
          {top_ / "bin/fatbinary", "-64", "--embedded-fatbin=" + embedded, "--image=profile=" + sm + ",file=" + cubin});
      status != 0)
    return status;
  return runner_.run({clang(o_), "-x", "c++", "-fPIC", "-w", "-DFATBINFILE=\"" + embedded + "\"",
                      "-DREGISTERLINKBINARYFILE=\"" + registrations + "\"", "-c", top_ / "bin/crt/link.stub", "-o",
                      output});
}

// -lib: the objects, compiled and given, in a new archive.
int Driver::make_library() {
  const TemporaryFolder folder;
  if (const int status = compile_sources(folder.path(), false); status != 0) return status;
  const std::string archive = o_.output.empty() ? "a.a" : o_.output;
  std::error_code ec;
  if (!o_.dry_run) fs::remove(archive, ec);  // what is in an older one is not asked for
  std::vector<std::string> words = {"ar", "rcs", archive};
  words.insert(words.end(), o_.inputs.begin(), o_.inputs.end());
  return runner_.run(words);
}

// -dlink, and programs of objects that need it: with a folder for what lies between.
int Driver::link_separately_compiled() {
  const TemporaryFolder folder;
  if (const int status = compile_sources(folder.path(), false); status != 0) return status;
  const bool only = o_.phase == Phase::kDeviceLink;
  const std::string linked = !only               ? (folder.path() / "linked.o").string()
                             : o_.output.empty() ? "a_dlink.o"
                                                 : o_.output;
  if (const int status = device_link(folder.path(), linked); status != 0 || only) return status;
  o_.inputs.push_back(linked);
  return clang_alone();
}

int Driver::link() {
  for (const std::string& input : o_.inputs)
    if (is_device_code(input))
      return fatal("'" + input + "': device code is no part of a program by itself; -dlink takes it, or cuModuleLoad");
  if (needs_device_link()) return link_separately_compiled();
  const TemporaryFolder folder;
  if (const int status = compile_sources(folder.path(), true); status != 0) return status;
  return clang_alone();
}

int Driver::run() {
  switch (o_.phase) {
    case Phase::kLibrary: return make_library();
    case Phase::kDeviceLink: return link_separately_compiled();
    case Phase::kCompile:
    case Phase::kPtx:
    case Phase::kCubin:
    case Phase::kFatbin:
    case Phase::kPreprocess:
    case Phase::kDepend: return each_alone();
    case Phase::kLink: break;
  }
  return link();
}

// Why this clang cannot do it; nothing when it can, or cannot be asked.
std::string unfit(const Options& o) {
  const auto version = clang_version(clang(o));
  if (!version) return {};
  const std::string found = "'" + clang(o) + "' is version " + std::to_string(*version);
  const auto advice = [](int wanted) {
    return ": " + std::to_string(wanted) +
           " or later is needed (install clang-19, or name another clang++ in HEDDLE_CLANG)";
  };
  if (*version < kOldestClang) return found + ", too old" + advice(kOldestClang);
  for (const Architecture& a : kArchitectures)
    for (const unsigned sm : o.architectures)
      if (const int oldest = o.exact.contains(sm) ? a.oldest_exact : a.oldest_clang; a.sm == sm && *version < oldest)
        return found + ", too old for " + sm_name(o, sm) + advice(oldest);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed) return fatal(parsed.error().message());
  const Options& o = *parsed;
  if (o.version || o.help) {
    std::fputs(o.version ? kVersion : kHelp, stdout);
    return 0;
  }
  if (o.list_architectures || o.list_code) {
    list_architectures(o.list_code ? "sm_" : "compute_");
    return 0;
  }
  for (const std::string& warning : o.warnings) std::fprintf(stderr, "nvcc warning : %s\n", warning.c_str());
  const fs::path top = toolkit("/proc/self/exe");
  if (o.verbose || o.dry_run) print_verbose(o, top);
  if (o.version_probe || o.inputs.empty()) {
    if (o.verbose) Runner{true, true}.run(command(o, top));
    return fatal("No input files specified; use option --help for more information");
  }
  if (const std::string why = unfit(o); !why.empty()) return fatal(why);
  return Driver(o, top).run();
}
