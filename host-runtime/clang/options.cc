// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/clang/options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "host-runtime/clang/words.h"

namespace heddle::nvcc {
namespace {

constexpr unsigned kOldest = 70, kDefault = 80;

// Lists' parts: between commas, and between blanks, for makefiles have several words in one value.
std::vector<std::string> split(const std::string& list) { return shell_words(list, ", \t\r\n"); }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

class Parser {
 public:
  explicit Parser(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

  // As nvcc has them: words for every command line, before and behind what is given.
  void add_environment() {
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
      if (const char* value = std::getenv(name)) {
        const auto words = shell_words(value);
        arguments_.insert(name[5] == 'P' ? arguments_.begin() : arguments_.end(), words.begin(), words.end());
      }
  }

  Result<Options> run() {
    for (at_ = 0; at_ < arguments_.size() && error_.empty(); ++at_) one(arguments_[at_]);
    if (!error_.empty()) return Error(error_);
    if (architectures_.empty()) architectures_.insert(kDefault);
    options_.architectures.assign(architectures_.begin(), architectures_.end());
    return options_;
  }

 private:
  using Handler = std::function<void(Parser&, const std::string&)>;

  void fail(const std::string& message) {
    if (error_.empty()) error_ = message;
  }

  // ---- architectures ----
  // "sm_80", "compute_80", "80", "sm_90a"; what only the machine or the toolkit knows is the default.
  void add_architecture(const std::string& option, const std::string& name) {
    if (name == "native" || name == "all" || name == "all-major") {
      architectures_.insert(kDefault);
      return;
    }
    std::string digits = name;
    for (const char* prefix : {"sm_", "compute_", "lto_"})
      if (digits.rfind(prefix, 0) == 0) digits = digits.substr(std::string(prefix).size());
    while (!digits.empty() && std::isalpha(static_cast<unsigned char>(digits.back()))) digits.pop_back();
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
      fail("Value '" + name + "' is not defined for option '" + option + "'");
      return;
    }
    unsigned sm = static_cast<unsigned>(std::stoul(digits));
    if (sm < kOldest) {
      options_.warnings.push_back("'" + name + "' of option '" + option + "' is older than sm_" +
                                  std::to_string(kOldest) + ", which is compiled instead");
      sm = kOldest;
    }
    const auto known = std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                                    [&](const Architecture& a) { return a.sm == sm; });
    if (known == std::end(kArchitectures))
      return fail("Unsupported gpu architecture '" + name + "' (the newest supported is sm_" +
                  std::to_string(std::rbegin(kArchitectures)->sm) + "; --list-gpu-arch lists all)");
    architectures_.insert(sm);
    if (name.ends_with('a') && known->oldest_exact) options_.exact.insert(sm);
  }

  // "arch=compute_80,code=[sm_80,compute_80]"
  void add_gencode(const std::string& value) {
    const size_t code = value.find("code=");
    std::string codes = code == std::string::npos ? "" : value.substr(code + 5);
    codes.erase(std::remove_if(codes.begin(), codes.end(), [](char c) { return c == '[' || c == ']' || c == '"'; }),
                codes.end());
    if (codes.empty()) {
      if (value.rfind("arch=", 0) != 0) {
        fail("Value '" + value + "' is not defined for option '-gencode'");
        return;
      }
      codes = value.substr(5);
    }
    for (const std::string& name : split(codes)) add_architecture("-gencode", name);
  }

  void boolean(const std::string& option, const std::string& value, const std::string& when_true,
               const std::string& when_false) {
    if (value != "true" && value != "false") {
      fail("Value '" + value + "' is not defined for option '" + option + "'");
      return;
    }
    const std::string& flag = value == "true" ? when_true : when_false;
    if (!flag.empty()) options_.cuda.push_back(flag);
  }

  void phase(Phase p) { options_.phase = p; }

  // -Xcompiler's: code generation is for the host alone, the rest (macros, warnings, …) for both sides. So is -O, of
  // which clang takes some levels only for both.
  void add_host(const std::string& word) {
    if (word == "-m64") return;
    for (const char* start : {"-m", "-ffast-math", "-funsafe-math", "-ffp-contract"})
      if (word.rfind(start, 0) == 0) return options_.host.push_back(word);
    options_.compiler.push_back(word);
  }

  void add_library(const std::string& name) { options_.linker.push_back("-l" + name); }

  static const std::map<std::string, Handler>& flags();
  static const std::map<std::string, Handler>& valued();

  void one(const std::string& argument) {
    if (argument.size() < 2 || argument[0] != '-') {
      if (argument[0] == '@') return insert_file(argument.substr(1));
      if (argument == "__cmake_determine_cuda") {
        options_.version_probe = true;
        return;
      }
      options_.inputs.push_back(argument);
      return;
    }
    // -Idir, -DX, -Ldir, -lx, -UX, -O2: joined values.
    for (const char letter : {'I', 'D', 'U', 'L', 'l'})
      if (argument[1] == letter && argument.size() > 2 && !known(argument)) {
        if (letter == 'l') return add_library(argument.substr(2));
        (letter == 'L' ? options_.linker : options_.compiler).push_back(argument);
        return;
      }
    if (argument.rfind("-O", 0) == 0 && argument.size() == 3 &&
        std::string("0123s").find(argument[2]) != std::string::npos) {
      options_.optimization = argument;
      return;
    }
    const size_t equals = argument.find('=');
    const std::string name = strip(argument.substr(0, equals));
    if (const auto it = flags().find(name); it != flags().end() && equals == std::string::npos)
      return it->second(*this, "");
    if (const auto it = valued().find(name); it != valued().end()) {
      if (equals != std::string::npos) return it->second(*this, argument.substr(equals + 1));
      if (at_ + 1 >= arguments_.size()) return fail("option '" + argument + "' lacks its value");
      return it->second(*this, arguments_[++at_]);
    }
    if (forward_unknown_) {
      options_.compiler.push_back(argument);
      return;
    }
    fail("Unknown option '" + argument + "' (options for the host compiler go through -Xcompiler)");
  }

  // Long options are known with two dashes and with one.
  static std::string strip(const std::string& name) {
    return name.rfind("--", 0) == 0 ? name.substr(2) : name.substr(1);
  }
  static bool known(const std::string& argument) {
    const std::string name = strip(argument.substr(0, argument.find('=')));
    return flags().count(name) || valued().count(name);
  }

  void insert_file(const std::string& path) {
    std::ifstream in(path);
    if (!in) return fail("cannot read the options in '" + path + "'");
    const auto words = shell_words(std::string(std::istreambuf_iterator<char>(in), {}));
    arguments_.insert(arguments_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, words.begin(), words.end());
  }

  std::vector<std::string> arguments_;
  size_t at_ = 0;
  Options options_;
  std::set<unsigned> architectures_;
  bool forward_unknown_ = false;
  std::string error_;
};

const std::map<std::string, Parser::Handler>& Parser::flags() {
  using P = Parser;
  using V = const std::string&;
  const auto nothing = [](P&, V) {};
  const auto pass = [](const char* flag) { return [flag](P& p, V) { p.options_.compiler.push_back(flag); }; };
  static const std::map<std::string, Handler> table = [&] {
    std::map<std::string, Handler> t;
    const auto add = [&](std::initializer_list<const char*> names, const Handler& handler) {
      for (const char* name : names) t[name] = handler;
    };
    add({"V", "version"}, [](P& p, V) { p.options_.version = true; });
    add({"h", "help"}, [](P& p, V) { p.options_.help = true; });
    add({"v", "verbose"}, [](P& p, V) { p.options_.verbose = true; });
    add({"dryrun"}, [](P& p, V) { p.options_.dry_run = true; });
    add({"keep", "save-temps"}, [](P& p, V) { p.options_.keep = true; });
    add({"c", "compile"}, [](P& p, V) { p.phase(Phase::kCompile); });
    add({"link"}, [](P& p, V) { p.phase(Phase::kLink); });
    add({"ptx"}, [](P& p, V) { p.phase(Phase::kPtx); });
    add({"cubin"}, [](P& p, V) { p.phase(Phase::kCubin); });
    add({"E", "preprocess"}, [](P& p, V) { p.phase(Phase::kPreprocess); });
    add({"M", "generate-dependencies"}, [](P& p, V) {
      p.phase(Phase::kDepend);
      p.options_.compiler.push_back("-M");
    });
    add({"MM", "generate-nonsystem-dependencies"}, [](P& p, V) {
      p.phase(Phase::kDepend);
      p.options_.compiler.push_back("-MM");
    });
    add({"MD", "generate-dependencies-with-compile"}, pass("-MD"));
    add({"MMD", "generate-nonsystem-dependencies-with-compile"}, pass("-MMD"));
    add({"MP", "generate-dependency-targets"}, pass("-MP"));
    add({"g", "debug"}, pass("-g"));
    add({"pg", "profile"}, pass("-pg"));
    add({"w", "disable-warnings"}, pass("-w"));
    add({"m64"}, nothing);
    add({"G", "device-debug"}, [](P& p, V) { p.options_.device_debug = true; });
    add({"lineinfo", "generate-line-info"}, [](P& p, V) { p.options_.cuda.push_back("-gline-tables-only"); });
    add({"use_fast_math"}, [](P& p, V) {
      p.options_.cuda.insert(p.options_.cuda.end(), {"-fcuda-approx-transcendentals", "-fgpu-flush-denormals-to-zero"});
    });
    add({"shared"}, [](P& p, V) { p.options_.linker.push_back("-shared"); });
    add({"dc", "device-c"}, [](P& p, V) {
      p.phase(Phase::kCompile);
      p.options_.relocatable = true;
    });
    add({"dw", "device-w"}, [](P& p, V) { p.phase(Phase::kCompile); });
    add({"dlink", "device-link"}, [](P& p, V) { p.phase(Phase::kDeviceLink); });
    add({"fatbin"}, [](P& p, V) { p.phase(Phase::kFatbin); });
    add({"list-gpu-arch", "arch-ls"}, [](P& p, V) { p.options_.list_architectures = true; });
    add({"list-gpu-code", "code-ls"}, [](P& p, V) { p.options_.list_code = true; });
    add({"lib"}, [](P& p, V) { p.phase(Phase::kLibrary); });
    const auto refused = [&](std::initializer_list<const char*> names, const std::string& why) {
      for (const char* name : names)
        t[name] = [name = std::string(name), why](P& p, V) { p.fail("option '-" + name + "': " + why); };
    };
    refused({"run"}, "is not supported; start the program itself");
    refused({"m32"}, "only 64-bit programs are supported");
    refused({"cuda"}, "there is no step of CUDA to C++; clang compiles CUDA itself (-c, -ptx)");
    refused({"ltoir", "optix-ir"}, "there is no such output; -ptx, -cubin and -fatbin are");
    refused({"clean", "clean-targets"}, "is not supported; remove the files yourself");
    add({"forward-unknown-to-host-compiler", "forward-unknown-opts"}, [](P& p, V) { p.forward_unknown_ = true; });
    // What clang does anyhow (lambdas, constexpr), what device linking does anyhow (-lto: it compiles all as one
    // program), and what has no meaning here.
    add({"forward-unknown-to-host-linker",
         "forward-unknown-to-host-opts",
         "extended-lambda",
         "expt-extended-lambda",
         "expt-relaxed-constexpr",
         "restrict",
         "use-local-env",
         "extra-device-vectorization",
         "Wno-deprecated-gpu-targets",
         "Wreorder",
         "Wdefault-stream-launch",
         "Wmissing-launch-bounds",
         "Wext-lambda-captures-this",
         "display-error-number",
         "no-display-error-number",
         "no-compress",
         "allow-unsupported-compiler",
         "source-in-ptx",
         "src-in-ptx",
         "lto",
         "dlto",
         "dlink-time-opt",
         "gen-opt-lto",
         "no-device-link",
         "nodlink",
         "objtemp",
         "objdir-as-tempdir",
         "noprof",
         "no-align-double",
         "nohdinitlist",
         "no-host-device-initializer-list",
         "nohdmoveforward",
         "no-host-device-move-forward",
         "static-global-template-stub",
         "device-entity-has-hidden-visibility",
         "brief-diagnostics",
         "minimal",
         "keep-device-functions",
         "relocatable-ptx",
         "ewp",
         "extensible-whole-program"},
        nothing);
    for (const char* name : {"res-usage", "resource-usage"})
      t[name] = [](P& p, V) { p.options_.ptxas.push_back("-v"); };
    return t;
  }();
  return table;
}

const std::map<std::string, Parser::Handler>& Parser::valued() {
  using P = Parser;
  using V = const std::string&;
  const auto nothing = [](P&, V) {};
  const auto two = [](const char* flag) {
    return [flag](P& p, V v) {
      p.options_.compiler.push_back(flag);
      p.options_.compiler.push_back(v);
    };
  };
  const auto joined = [](const char* flag) { return [flag](P& p, V v) { p.options_.compiler.push_back(flag + v); }; };
  static const std::map<std::string, Handler> table = [&] {
    std::map<std::string, Handler> t;
    const auto add = [&](std::initializer_list<const char*> names, const Handler& handler) {
      for (const char* name : names) t[name] = handler;
    };
    add({"o", "output-file"}, [](P& p, V v) { p.options_.output = v; });
    add({"x"}, [](P& p, V v) {
      if (v != "cu" && v != "c++" && v != "c") p.fail("Value '" + v + "' is not defined for option '-x'");
      p.options_.language = v;
    });
    add({"arch", "gpu-architecture"}, [](P& p, V v) { p.add_architecture("-arch", v); });
    add({"code", "gpu-code"}, [](P& p, V v) {
      for (const std::string& name : split(v)) p.add_architecture("-code", name);
    });
    add({"gencode", "generate-code"}, [](P& p, V v) { p.add_gencode(v); });
    add({"O", "optimize"}, [](P& p, V v) { p.options_.optimization = "-O" + v; });
    add({"std"}, joined("-std="));
    add({"I", "include-path"}, joined("-I"));
    add({"D", "define-macro"}, joined("-D"));
    add({"U", "undefine-macro"}, joined("-U"));
    add({"isystem", "system-include"}, two("-isystem"));
    add({"include", "pre-include"}, two("-include"));
    add({"MF", "dependency-output"}, two("-MF"));
    add({"MT", "dependency-target-name"}, two("-MT"));
    add({"MQ"}, two("-MQ"));
    add({"L", "library-path"}, [](P& p, V v) { p.options_.linker.push_back("-L" + v); });
    add({"l", "library"}, [](P& p, V v) {
      for (const std::string& name : split(v)) p.add_library(name);
    });
    add({"Xcompiler", "compiler-options"}, [](P& p, V v) {
      for (const std::string& word : split(v)) p.add_host(word);
    });
    add({"Xlinker", "linker-options"}, [](P& p, V v) {
      std::string words = "-Wl";
      for (const std::string& word : split(v)) words += "," + word;
      p.options_.linker.push_back(words);
    });
    add({"Xptxas", "ptxas-options"}, [](P& p, V v) {
      for (const std::string& word : split(v)) p.options_.ptxas.push_back(word);
    });
    add({"maxrregcount"}, [](P& p, V v) { p.options_.ptxas.push_back("--maxrregcount=" + v); });
    add({"cudart"}, [](P& p, V v) {
      if (v == "shared") p.options_.cudart = Cudart::kShared;
      else if (v == "static") p.options_.cudart = Cudart::kStatic;
      else if (v == "none") p.options_.cudart = Cudart::kNone;
      else p.fail("Value '" + v + "' is not defined for option '-cudart'");
    });
    add({"rdc", "relocatable-device-code"}, [](P& p, V v) {
      if (v == "true" || v == "false") p.options_.relocatable = v == "true";
      else p.fail("Value '" + v + "' is not defined for option '-rdc'");
    });
    add({"ftz"}, [](P& p, V v) { p.boolean("-ftz", v, "-fgpu-flush-denormals-to-zero", ""); });
    add({"fmad"}, [](P& p, V v) { p.boolean("-fmad", v, "-ffp-contract=fast", "-ffp-contract=off"); });
    // Division and root are exact always; "false" would allow less.
    add({"prec-div"}, [](P& p, V v) { p.boolean("-prec-div", v, "", ""); });
    add({"prec-sqrt"}, [](P& p, V v) { p.boolean("-prec-sqrt", v, "", ""); });
    add({"Werror"}, [](P& p, V v) {
      if (v.find("all-warnings") != std::string::npos) p.options_.compiler.push_back("-Werror");
    });
    add({"options-file", "optf"}, [](P& p, V v) { p.insert_file(v); });
    add({"m", "machine"}, [](P& p, V v) {
      if (v != "64") p.fail("option '-m': only 64-bit programs are supported");
    });
    add({"odir", "output-directory"}, [](P& p, V v) { p.options_.folder = v; });
    // Of host sources, or the folder where a gcc is. Where it is a clang, CUDA sources are its own, too.
    add({"ccbin", "compiler-bindir"}, [](P& p, V v) {
      std::error_code ec;
      p.options_.host_compiler = std::filesystem::is_directory(v, ec) ? (std::filesystem::path(v) / "gcc").string() : v;
      const std::string name = v.substr(v.rfind('/') + 1);
      p.options_.clang = name.rfind("clang++", 0) == 0 ? v : "";
    });
    add({"default-stream"}, [](P& p, V v) {
      if (v == "per-thread") p.options_.compiler.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
      else if (v != "legacy" && v != "null") p.fail("Value '" + v + "' is not defined for option '-default-stream'");
    });
    add({"keep-dir"}, [](P& p, V v) {
      p.options_.warnings.push_back("option '-keep-dir " + v + "': what lies between is kept in the current folder");
    });
    // What has no meaning here: clang's warnings have other names, and its steps other programs.
    add({"diag-suppress",
         "diag-error",
         "diag-warn",
         "Xcudafe",
         "Xfatbin",
         "fatbin-options",
         "Xnvlink",
         "nvlink-options",
         "t",
         "threads",
         "split-compile",
         "split-compile-extended",
         "cudadevrt",
         "idp",
         "input-drive-prefix",
         "dependency-drive-prefix",
         "ddp",
         "drive-prefix",
         "dp",
         "ldir",
         "libdevice-directory",
         "target-dir",
         "target-directory",
         "dopt",
         "objdir",
         "arbin",
         "archiver-binary",
         "time",
         "run-args",
         "compress-mode",
         "jump-table-density",
         "fdevice-time-trace",
         "frandom-seed",
         "Ofast-compile",
         "Ofc"},
        nothing);
    return t;
  }();
  return table;
}

}  // namespace

Result<Options> parse(const std::vector<std::string>& arguments) {
  Parser parser(arguments);
  parser.add_environment();
  return parser.run();
}

Result<Options> parse_alone(const std::vector<std::string>& arguments) { return Parser(arguments).run(); }

std::string name_of(const Options& options, unsigned sm) {
  return std::to_string(sm) + (options.exact.contains(sm) ? "a" : "");
}

bool is_cuda_source(const Options& options, const std::string& input) {
  return is_source(options, input) && (options.language.empty() ? ends_with(input, ".cu") : options.language == "cu");
}

bool is_host_source(const Options& options, const std::string& input) {
  return is_source(options, input) && !is_cuda_source(options, input);
}

bool is_c_source(const Options& options, const std::string& input) {
  return is_source(options, input) && (options.language.empty() ? ends_with(input, ".c") : options.language == "c");
}

bool is_source(const Options& options, const std::string& input) {
  if (is_device_code(input)) return false;
  for (const char* ending : {".o", ".a", ".so", ".obj"})
    if (ends_with(input, ending)) return false;
  if (input.find(".so.") != std::string::npos) return false;
  if (!options.language.empty()) return true;
  for (const char* ending : {".cu", ".c", ".cc", ".cpp", ".cxx", ".c++"})
    if (ends_with(input, ending)) return true;
  return false;
}

bool is_device_code(const std::string& input) {
  return ends_with(input, ".ptx") || ends_with(input, ".cubin") || ends_with(input, ".fatbin");
}

}  // namespace heddle::nvcc
