// SPDX-License-Identifier: Apache-2.0
// nvcc's command line, read into what the driver must do.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle::nvcc {

enum class Phase {
  kLink,        // to a program or, with -shared, a library
  kCompile,     // -c, -dc
  kDeviceLink,  // -dlink
  kLibrary,     // -lib: an archive of objects
  kPtx,         // -ptx
  kCubin,       // -cubin
  kFatbin,      // -fatbin: both, for every architecture, in a container
  kPreprocess,  // -E
  kDepend,      // -M, -MM
};

enum class Cudart { kShared, kStatic, kNone };

struct Options {
  Phase phase = Phase::kLink;
  std::vector<std::string> inputs;                     // in order, sources and objects and libraries' files
  std::string language;                                // of -x: "cu", "c++", "c"; empty: by the name's ending
  std::string output;                                  // of -o
  std::string folder;                                  // of -odir: for what is made without -o
  std::string clang;                                   // of -ccbin, where that names a clang++
  std::string host_compiler = "gcc";                   // of -ccbin
  std::vector<unsigned> architectures;                 // compute capability times ten, ascending; never empty
  std::set<unsigned> exact;                            // those asked for as sm_90a, with what no later one need have
  std::string optimization;                            // of -O; empty: none for the host, the most for the device
  bool device_debug = false;                           // -G
  bool relocatable = false;                            // -rdc=true, -dc: device code is linked over all objects
  bool version = false, help = false;                  // --version, --help
  bool list_architectures = false, list_code = false;  // --list-gpu-arch, --list-gpu-code
  bool verbose = false, dry_run = false;
  bool keep = false;
  Cudart cudart = Cudart::kStatic;
  std::vector<std::string> compiler;  // for clang and the host's compiler as they are: -I, -D, -std, -Xcompiler's, …
  std::vector<std::string> host;      // for the host's code alone: -march=native
  std::vector<std::string> cuda;      // for clang and CUDA sources alone
  std::vector<std::string> ptxas;     // one word each
  std::vector<std::string> linker;    // for clang when it links: -L, -l, -Wl,…
  std::vector<std::string> warnings;  // to be printed: what was asked for and is done otherwise
  bool version_probe = false;         // CMake asks where the toolkit is
};

// What can be asked for, in ascending order, and the first clang that compiles for it.
struct Architecture {
  unsigned sm;
  int oldest_clang;
  int oldest_exact = 0;  // of sm_90a; 0: there is none
};
inline constexpr Architecture kArchitectures[] = {{70, 14}, {72, 14}, {75, 14}, {80, 14},
                                                  {86, 14}, {87, 16}, {89, 16}, {90, 16, 18}};

// "90" or "90a", as the options ask for it.
std::string name_of(const Options& options, unsigned sm);

// Reads the arguments (without the program's name; response files are opened) and what NVCC_PREPEND_FLAGS and
// NVCC_APPEND_FLAGS hold. An Error names the option that is unknown, refused, or lacks its value.
Result<Options> parse(const std::vector<std::string>& arguments);
// Without those variables: what is compiled in a program at run time is nobody's command line.
Result<Options> parse_alone(const std::vector<std::string>& arguments);

// Whether this input is CUDA source, as its name or -x says.
bool is_cuda_source(const Options& options, const std::string& input);
// Whether this input is C or C++, which the host's compiler takes; and whether it is C.
bool is_host_source(const Options& options, const std::string& input);
bool is_c_source(const Options& options, const std::string& input);
// Whether it is source of any kind, as opposed to an object or a library.
bool is_source(const Options& options, const std::string& input);
// Whether its name says that it is PTX, machine code or a container of them.
bool is_device_code(const std::string& input);

}  // namespace heddle::nvcc
