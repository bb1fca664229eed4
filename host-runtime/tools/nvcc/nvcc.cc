// SPDX-License-Identifier: Apache-2.0
// nvcc: NVIDIA's compiler driver as far as makefiles and CMake use it, on top of clang. It translates the
// command line and becomes clang; it compiles nothing itself. Where device code of several objects is to be
// linked, it calls nvlink and fatbinary and compiles crt/link.stub on the way.
//
// The environment variable HEDDLE_CLANG names another clang++.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heddle/files.h"
#include "host-runtime/tools/nvcc/options.h"

namespace {

namespace fs = std::filesystem;
using heddle::nvcc::Cudart;
using heddle::nvcc::Options;
using heddle::nvcc::Phase;

constexpr int kOldestClang = 14;  // the first that compiles for sm_80 with our headers

int fatal(const std::string& message) {
  std::fprintf(stderr, "nvcc fatal   : %s\n", message.c_str());
  return 1;
}

// The toolkit that this program belongs to: its folder's parent, or the one of the build.
fs::path toolkit() {
  std::error_code ec;
  const fs::path own = fs::canonical("/proc/self/exe", ec).parent_path().parent_path();
  return fs::exists(own / "include/cuda.h", ec) ? own : fs::path(HEDDLE_TOOLKIT);
}

std::string clang() {
  if (const char* named = std::getenv("HEDDLE_CLANG")) return named;
  return HEDDLE_CLANGXX;
}

std::string stem(const std::string& input) { return fs::path(input).stem().string(); }

// clang's command line for these options.
std::vector<std::string> command(const Options& o, const fs::path& top) {
  bool any_cuda = false;
  for (const std::string& input : o.inputs) any_cuda |= is_cuda_source(o, input);
  const bool device_only = o.phase == Phase::kPtx || o.phase == Phase::kCubin;

  std::vector<std::string> c = {clang()};
  const auto add = [&](std::initializer_list<std::string> words) { c.insert(c.end(), words); };
  if (any_cuda) {
    add({"--cuda-path=" + top.string(), "-Wno-unknown-cuda-version"});
    // One file of PTX or machine code is for one target: the newest asked for.
    if (device_only) add({"--cuda-gpu-arch=sm_" + std::to_string(o.architectures.back())});
    else
      for (const unsigned sm : o.architectures) add({"--cuda-gpu-arch=sm_" + std::to_string(sm)});
    if (o.device_debug) add({"-g"});
    if (o.relocatable) add({"-fgpu-rdc"});
    for (const std::string& word : o.ptxas) add({"-Xcuda-ptxas", word});
  }
  // Host sources find the runtime's headers too; last, so that they hide nothing.
  add({"-idirafter", (top / "include").string()});
  add({"-D__NVCC__", "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=3", "-D__CUDACC_VER_BUILD__=0"});
  add({"-Wno-register"});  // nvcc's host compiler takes C++17 with `register`
  add({o.device_debug ? "-O0" : o.optimization});
  if (o.keep) add({"-save-temps"});

  switch (o.phase) {
    case Phase::kCompile: add({"-c"}); break;
    case Phase::kPtx: add({"-S", "--cuda-device-only"}); break;
    case Phase::kCubin: add({"-c", "--cuda-device-only"}); break;
    case Phase::kPreprocess: add({"-E", "--cuda-host-only"}); break;
    case Phase::kDepend: add({"--cuda-host-only"}); break;
    case Phase::kDeviceLink:
    case Phase::kLibrary:
    case Phase::kLink: break;
  }
  bool only_c = !o.inputs.empty();
  for (const std::string& input : o.inputs) only_c &= is_c_source(o, input);
  for (const std::string& word : o.compiler)  // a C++ standard is for the C++ sources
    if (!only_c || (word.rfind("-std=c++", 0) != 0 && word.rfind("-std=gnu++", 0) != 0)) c.push_back(word);

  std::string language;  // of -x in force
  for (const std::string& input : o.inputs) {
    const bool named = is_source(o, input) && !o.language.empty();
    const std::string wanted = is_c_source(o, input) ? "c"
                               : named               ? (o.language == "cu" ? "cuda" : o.language)
                                                     : "none";
    if (wanted != (language.empty() ? "none" : language)) add({"-x", wanted});
    language = wanted;
    add({input});
  }
  if (!o.output.empty()) add({"-o", o.output});
  else if (device_only && o.inputs.size() == 1)
    add({"-o", stem(o.inputs[0]) + (o.phase == Phase::kPtx ? ".ptx" : ".cubin")});

  if (o.phase == Phase::kLink) {
    const std::string lib = (top / "lib64").string();
    c.insert(c.end(), o.linker.begin(), o.linker.end());
    add({"-L" + lib});
    if (o.cudart == Cudart::kStatic) add({"-lcudart_static", "-lrt", "-lpthread", "-ldl"});
    if (o.cudart == Cudart::kShared) add({"-lcudart", "-Wl,-rpath," + lib});
  }
  return c;
}

// What `nvcc -v` tells about itself; CMake reads the toolkit's place and the link line from it.
void print_verbose(const Options& o, const fs::path& top, const std::vector<std::string>& words) {
  const std::string t = top.string();
  const char* path = std::getenv("PATH");
  std::string text = "#$ _NVVM_BRANCH_=nvvm\n#$ _SPACE_= \n#$ _CUDART_=cudart\n#$ _HERE_=" + t +
                     "/bin\n#$ _THERE_=" + t + "/bin\n#$ TOP=" + t + "\n#$ NVVMIR_LIBRARY_DIR=" + t +
                     "/nvvm/libdevice\n#$ PATH=" + (path ? path : "") + "\n#$ INCLUDES=\"-I" + t +
                     "/include\"  \n#$ LIBRARIES=  \"-L" + t +
                     "/lib64\"\n#$ CUDAFE_FLAGS=\n#$ PTXAS_FLAGS=\n";
  text += "#$ true";
  for (const unsigned sm : o.architectures) text += " -arch compute_" + std::to_string(sm);
  text += "\n#$ rm -f a_dlink.o\n#$ ";
  for (const std::string& word : words) text += "\"" + word + "\" ";
  std::fprintf(stderr, "%s\n", text.c_str());
}

// Build systems look for the words of the first line.
constexpr const char* kVersion =
    "nvcc: NVIDIA (R) Cuda compiler driver: these words for build systems; this is Heddle's driver, on clang\n"
    "Cuda compilation tools, release 12.3, V12.3.0\n";

constexpr const char* kHelp =
    "Usage: nvcc [options] file...\n"
    "  -o FILE  -c  -dc  -dlink  -lib  -rdc true|false  -ptx  -cubin  -E  -M  -MD  -x cu|c++|c  -shared\n"
    "  -arch=sm_80  -gencode arch=compute_80,code=sm_80  -std=c++17  -O0..-O3  -g  -G  -lineinfo\n"
    "  -I DIR  -D MACRO  -U MACRO  -include FILE  -L DIR  -l NAME  -cudart shared|static|none\n"
    "  -Xcompiler LIST  -Xptxas LIST  -Xlinker LIST  -maxrregcount N  -use_fast_math  -ftz -fmad\n"
    "  -keep  -v  --dryrun  --version\n"
    "Options are nvcc's; those that have no meaning with clang are accepted and do nothing.\n";

std::vector<char*> as_arguments(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return arguments;
}

int cannot_start(const std::string& program) {
  return fatal("cannot start '" + program + "': " + std::strerror(errno) +
               " (install clang-19, or name another clang++ in HEDDLE_CLANG)");
}

// The major version of a clang, from its --version; nothing when it cannot be run or says something else.
std::optional<int> clang_version(const std::string& program) {
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    dup2(pipes[1], STDOUT_FILENO);
    execlp(program.c_str(), program.c_str(), "--version", nullptr);
    _exit(127);
  }
  close(pipes[1]);
  std::string text;
  char part[512];
  for (ssize_t n; (n = read(pipes[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0) text.append(part, static_cast<size_t>(n));
  close(pipes[0]);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  const size_t at = text.find("clang version ");
  if (at == std::string::npos) return {};
  return std::atoi(text.c_str() + at + std::strlen("clang version "));
}

// Runs a command and waits; its exit status.
int run(std::vector<std::string> words) {
  const pid_t child = fork();
  if (child < 0) return cannot_start(words[0]);
  if (child == 0) {
    execvp(words[0].c_str(), as_arguments(words).data());
    _exit(cannot_start(words[0]));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// A folder that goes with this object, and all in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "heddle-nvcc-XXXXXX").string();
    if (mkdtemp(name.data())) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ec;
    if (!path_.empty()) fs::remove_all(path_, ec);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Compiles the sources among the inputs, or the C sources alone, each on its own: clang takes one language standard a
// command, and a device link needs objects. Objects replace their sources when linking follows. Returns an exit status.
int compile_sources(Options& o, const fs::path& top, const fs::path& folder, bool only_c) {
  std::vector<std::string> rest;
  for (const std::string& input : o.inputs) {
    if (only_c ? !is_c_source(o, input) : !is_source(o, input)) {
      rest.push_back(input);
      continue;
    }
    Options one = o;
    one.phase = Phase::kCompile;
    one.inputs = {input};
    one.output = o.phase == Phase::kCompile ? stem(input) + ".o"
                                            : (folder / (std::to_string(rest.size()) + "-" + stem(input) + ".o")).string();
    if (const int status = run(command(one, top)); status != 0) return status;
    if (o.phase != Phase::kCompile) rest.push_back(one.output);
  }
  o.inputs = rest;
  return 0;
}

// Some input is an object with device code to be linked, and none is what a device link made.
bool needs_device_link(const Options& o) {
  bool needed = false;
  for (const std::string& input : o.inputs) {
    if (is_source(o, input)) {
      needed |= o.relocatable && is_cuda_source(o, input);
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
int device_link(const Options& o, const fs::path& top, const fs::path& folder, const std::string& output) {
  const std::string sm = "sm_" + std::to_string(o.architectures.back()), cubin = folder / "linked.cubin";
  const std::string embedded = folder / "linked.h", registrations = folder / "registrations.h";
  std::vector<std::string> link = {top / "bin/nvlink", "-m64", "-arch=" + sm, "-o", cubin};
  link.push_back("--register-link-binaries=" + registrations);
  for (const std::string& word : o.ptxas)
    if (word == "-v" || word.starts_with("--maxrregcount=")) link.push_back(word);
  link.insert(link.end(), o.inputs.begin(), o.inputs.end());
  for (const std::string& word : o.linker)
    if (word.starts_with("-L") || word.starts_with("-l")) link.push_back(word);
  if (const int status = run(link); status != 0) return status;
  if (const int status = run({top / "bin/fatbinary", "-64", "--embedded-fatbin=" + embedded,
                              "--image=profile=" + sm + ",file=" + cubin});
      status != 0)
    return status;
  return run({clang(), "-x", "c++", "-fPIC", "-w", "-DFATBINFILE=\"" + embedded + "\"",
              "-DREGISTERLINKBINARYFILE=\"" + registrations + "\"", "-c", top / "bin/crt/link.stub", "-o", output});
}

// -lib: the objects, compiled and given, in a new archive.
int make_library(Options& o, const fs::path& top) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return fatal("cannot make a temporary folder");
  if (const int status = compile_sources(o, top, folder.path(), false); status != 0) return status;
  const std::string archive = o.output.empty() ? "a.a" : o.output;
  std::error_code ec;
  fs::remove(archive, ec);  // what is in an older one is not asked for
  std::vector<std::string> words = {"ar", "rcs", archive};
  words.insert(words.end(), o.inputs.begin(), o.inputs.end());
  return run(words);
}

// -dlink, and programs of objects that need it: with a folder for what lies between.
int link_separately_compiled(Options& o, const fs::path& top) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return fatal("cannot make a temporary folder");
  if (const int status = compile_sources(o, top, folder.path(), false); status != 0) return status;
  const bool only = o.phase == Phase::kDeviceLink;
  const std::string linked = !only ? (folder.path() / "linked.o").string() : o.output.empty() ? "a_dlink.o" : o.output;
  if (const int status = device_link(o, top, folder.path(), linked); status != 0 || only) return status;
  o.inputs.push_back(linked);
  return run(command(o, top));
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = heddle::nvcc::parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed) return fatal(parsed.error().message());
  Options o = *parsed;
  if (o.version || o.help) {
    std::fputs(o.version ? kVersion : kHelp, stdout);
    return 0;
  }
  for (const std::string& warning : o.warnings)
    std::fprintf(stderr, "nvcc warning : %s\n", warning.c_str());
  const fs::path top = toolkit();
  if (o.verbose || o.dry_run) print_verbose(o, top, command(o, top));
  if (o.version_probe || o.inputs.empty())
    return fatal("No input files specified; use option --help for more information");
  if (o.dry_run) return 0;

  if (const auto version = clang_version(clang()); version && *version < kOldestClang)
    return fatal("'" + clang() + "' is version " + std::to_string(*version) + ", too old: " +
                 std::to_string(kOldestClang) + " or later is needed (install clang-19, or name another clang++ in "
                 "HEDDLE_CLANG)");

  if (o.phase == Phase::kLibrary) return make_library(o, top);
  if (o.phase == Phase::kDeviceLink || (o.phase == Phase::kLink && needs_device_link(o)))
    return link_separately_compiled(o, top);
  bool any_c = false;
  for (const std::string& input : o.inputs) any_c |= is_c_source(o, input);
  if (any_c && o.inputs.size() > 1 && (o.phase == Phase::kLink || o.phase == Phase::kCompile)) {
    const TemporaryFolder folder;
    if (folder.path().empty()) return fatal("cannot make a temporary folder");
    if (const int status = compile_sources(o, top, folder.path(), true); status != 0) return status;
    return o.inputs.empty() ? 0 : run(command(o, top));
  }
  std::vector<std::string> words = command(o, top);
  execvp(words[0].c_str(), as_arguments(words).data());
  return cannot_start(words[0]);
}
