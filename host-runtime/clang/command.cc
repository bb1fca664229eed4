// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/clang/command.h"

#include <algorithm>
#include <cstdlib>

namespace heddle::nvcc {

namespace fs = std::filesystem;

fs::path toolkit(const fs::path& file) {
  std::error_code ec;
  const fs::path own = fs::canonical(file, ec).parent_path().parent_path();
  if (fs::exists(own / "include/cuda.h", ec)) return own;
  for (fs::path folder = own; folder != folder.parent_path(); folder = folder.parent_path())
    if (fs::exists(folder / "toolkit/include/cuda.h", ec)) return folder / "toolkit";
  return own;
}

std::string clang(const Options& o) {
  if (const char* named = std::getenv("HEDDLE_CLANG")) return named;
  return o.clang.empty() ? HEDDLE_CLANGXX : o.clang;
}

namespace {

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// What both compilers are told of every source.
std::vector<std::string> common(const Options& o, const fs::path& top) {
  // Host sources find the runtime's headers too; last, so that they hide nothing.
  std::vector<std::string> words = {"-idirafter",
                                    (top / "include").string(),
                                    "-D__NVCC__",
                                    "-D__CUDACC_VER_MAJOR__=12",
                                    "-D__CUDACC_VER_MINOR__=3",
                                    "-D__CUDACC_VER_BUILD__=0"};
  if (o.device_debug) words.push_back("-O0");
  else if (!o.optimization.empty()) words.push_back(o.optimization);
  if (o.keep) words.push_back("-save-temps");
  return words;
}

}  // namespace

std::vector<std::string> host_command(const Options& o, const fs::path& top) {
  const std::string& source = o.inputs.front();
  const bool c = is_c_source(o, source);
  std::vector<std::string> words = {o.host_compiler};
  append(words, common(o, top));
  if (o.phase == Phase::kCompile) words.push_back("-c");
  if (o.phase == Phase::kPreprocess) words.push_back("-E");
  for (const std::string& word : o.compiler)  // a C++ standard is for the C++ sources
    if (!c || (word.rfind("-std=c++", 0) != 0 && word.rfind("-std=gnu++", 0) != 0)) words.push_back(word);
  append(words, o.host);
  append(words, {"-x", c ? "c" : "c++", source});
  if (!o.output.empty()) append(words, {"-o", o.output});
  return words;
}

std::vector<std::string> command(const Options& o, const fs::path& top) {
  bool any_cuda = false;
  for (const std::string& input : o.inputs) any_cuda |= is_cuda_source(o, input);
  const bool device_only = o.phase == Phase::kPtx || o.phase == Phase::kCubin;

  std::vector<std::string> c = {clang(o)};
  const auto add = [&](std::initializer_list<std::string> words) { c.insert(c.end(), words); };
  if (any_cuda) {
    add({"--cuda-path=" + top.string(), "-Wno-unknown-cuda-version"});
    // One file of PTX or machine code is for one target: the newest asked for.
    if (device_only) add({"--cuda-gpu-arch=sm_" + name_of(o, o.architectures.back())});
    else
      for (const unsigned sm : o.architectures) add({"--cuda-gpu-arch=sm_" + name_of(o, sm)});
    if (o.device_debug) add({"-g"});
    if (o.relocatable) add({"-fgpu-rdc"});
    for (const std::string& word : o.ptxas) add({"-Xcuda-ptxas", word});
  }
  append(c, common(o, top));
  add({"-Wno-register"});  // nvcc's host compiler takes C++17 with `register`

  switch (o.phase) {
    case Phase::kCompile: add({"-c"}); break;
    case Phase::kPtx: add({"-S", "--cuda-device-only"}); break;
    case Phase::kCubin: add({"-c", "--cuda-device-only"}); break;
    case Phase::kFatbin: break;  // made of PTX
    case Phase::kPreprocess: add({"-E", "--cuda-host-only"}); break;
    case Phase::kDepend: add({"--cuda-host-only"}); break;
    case Phase::kDeviceLink:
    case Phase::kLibrary:
    case Phase::kLink: break;
  }
  append(c, o.compiler);
  if (any_cuda) {
    if (!o.device_debug && o.optimization.empty()) add({"-Xarch_device", "-O3"});
    // What it makes of 16 bytes side by side clang 19 loads at once, wherever they lie. Behind -O, which would ask for
    // it.
    add({"-Xarch_device", "-fno-slp-vectorize"});
    for (const std::string& word : o.host) add({"-Xarch_host", word});
    append(c, o.cuda);
  }

  std::string language;  // of -x in force
  for (const std::string& input : o.inputs) {
    const bool named = is_source(o, input) && !o.language.empty();
    const std::string wanted = !named ? "none" : o.language == "cu" ? "cuda" : o.language;
    if (wanted != (language.empty() ? "none" : language)) add({"-x", wanted});
    language = wanted;
    add({input});
  }
  if (!o.output.empty()) add({"-o", o.output});

  if (o.phase == Phase::kLink) {
    const std::string lib = (top / "lib64").string();
    append(c, o.linker);
    add({"-L" + lib});
    if (o.cudart == Cudart::kStatic) add({"-lcudart_static", "-lrt", "-lpthread", "-ldl"});
    if (o.cudart == Cudart::kShared) add({"-lcudart"});
    const bool more = std::any_of(o.linker.begin(), o.linker.end(),
                                  [](const std::string& word) { return word == "-lcuda" || word == "-lnvrtc"; });
    if (o.cudart != Cudart::kNone || more)
      add({"-Wl,-rpath," + lib});  // with -cudart static for a -lcudart that is given
  }
  return c;
}

}  // namespace heddle::nvcc
