// SPDX-License-Identifier: Apache-2.0
// nvlink: the device linker, with the command line that clang, nvcc and CMake use. Objects hold checked PTX; linking
// compiles all of it as one program, so a call into another file costs what a call within one does.
//
// --register-link-binaries=FILE writes a line DEFINE_REGISTER_FUNC(id) for each host object: crt/link.stub makes of
// them what the host objects call to register their kernels.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "firmware/devrt/host/device_runtime.h"
#include "heddle/files.h"
#include "host-runtime/compiler/compile.h"
#include "host-runtime/formats/device_code.h"

namespace {

struct Arguments {
  std::vector<std::string> inputs, libraries, folders;
  std::string output = "a_dlink.cubin", registrations;
  unsigned sm = 0;
  unsigned max_registers = 0;
  bool verbose = false, version = false;
};

constexpr const char* kVersion = "nvlink: Heddle device linker\nCuda compilation tools, release 12.3, V12.3.0\n";

int fail(const std::string& message) {
  std::fprintf(stderr, "nvlink fatal   : %s\n", message.c_str());
  return 1;
}

// Each option in the forms -o V, -o=V and --long V; empty when all were understood.
std::string parse(int argc, char** argv, Arguments& a) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.empty() || word[0] != '-') {
      a.inputs.push_back(word);
      continue;
    }
    const size_t equals = word.find('=');
    std::string key = word.substr(0, equals);
    if (key.starts_with("--")) key.erase(0, 1);
    if (word.starts_with("-L") && word.size() > 2) {
      a.folders.push_back(word.substr(2));
      continue;
    }
    if (word.starts_with("-l") && word.size() > 2 && key != "-link" && key != "-lineinfo") {
      a.libraries.push_back(word.substr(2));
      continue;
    }
    if (key == "-version" || key == "-V") {
      a.version = true;
      continue;
    }
    if (key == "-v" || key == "-verbose") {
      a.verbose = true;
      continue;
    }
    // Line information is always kept, and only 64-bit hosts are linked for.
    if (key == "-m64" || key == "-g" || key == "-debug" || key == "-w" || key == "-disable-warnings" ||
        key == "-lineinfo" || key == "-suppress-stack-size-warning" || key == "-suppress-arch-warning" ||
        key == "-extra-warnings" || key == "-report-arch" || key == "-link")
      continue;
    std::string value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    else if (i + 1 < argc) value = argv[++i];
    else return "option '" + word + "' is unknown, or its value is missing";
    if (key == "-o" || key == "-output-file") a.output = value;
    else if (key == "-arch") {
      if (!value.starts_with("sm_") ||
          (a.sm = static_cast<unsigned>(std::strtoul(value.c_str() + 3, nullptr, 10))) == 0)
        return "Value '" + value + "' is not defined for option '-arch'";
    } else if (key == "-register-link-binaries") a.registrations = value;
    else if (key == "-L" || key == "-library-path") a.folders.push_back(value);
    else if (key == "-l" || key == "-library") a.libraries.push_back(value);
    else if (key == "-maxrregcount") a.max_registers = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    else if (key != "-m" && key != "-machine" && key != "-cpu-arch" && key != "-host-ccbin")
      return "unknown option '" + word + "'";
  }
  return {};
}

// Libraries' archives; those that are nowhere, or shared, hold host code alone for all that matters here. The device
// runtime (cudadevrt) is part of the compiler.
void find_libraries(Arguments& a) {
  for (const std::string& name : a.libraries)
    for (const std::string& folder : a.folders) {
      const std::string path = folder + "/lib" + name + ".a";
      if (name == "cudadevrt" || access(path.c_str(), R_OK) != 0) continue;
      a.inputs.push_back(path);
      break;
    }
}

heddle::Status write_registrations(const std::string& path, const std::vector<std::string>& ids) {
  std::string text = "#define NUM_PRELINKED_OBJECTS " + std::to_string(ids.size()) + "\n";
  for (const std::string& id : ids) text += "DEFINE_REGISTER_FUNC(" + id + ")\n";
  return heddle::write_file(path, text.data(), text.size());
}

int link(const Arguments& a) {
  heddle::formats::DeviceCode code;
  for (const std::string& input : a.inputs) {
    if (input.find("cudadevrt") != std::string::npos) continue;
    const auto contents = heddle::read_file(input);
    if (!contents) return fail(contents.error().message());
    if (auto added = add_device_code(code, input, *contents, a.sm ? a.sm : 80); !added)
      return fail(added.error().message());
  }
  if (!a.registrations.empty())
    if (auto written = write_registrations(a.registrations, code.registrations); !written)
      return fail(written.error().message());
  if (code.modules.empty()) {  // as CMake links targets without device code
    const auto written = heddle::write_file(a.output, "", 0);
    return written ? 0 : fail(written.error().message());
  }
  heddle::compiler::CompileOptions options;
  options.max_registers = a.max_registers;
  options.more.assign(code.modules.begin() + 1, code.modules.end());
  options.libraries = heddle::devrt::libraries<heddle::compiler::PtxSource>(true);
  auto result = heddle::compiler::compile(code.modules.front(), options);
  if (!result) {
    std::fputs(result.error().message().c_str(), stderr);
    if (!result.error().message().ends_with('\n')) std::fputc('\n', stderr);
    return fail("device link aborted due to errors");
  }
  std::fputs(result->warnings.c_str(), stderr);
  if (a.sm) result->cubin.target = "sm_" + std::to_string(a.sm);
  // Also one module alone keeps its PTX, as several do.
  if (result->cubin.sources.empty()) result->cubin.sources = code.modules;
  if (a.verbose) std::fputs(heddle::compiler::resource_usage(result->cubin).c_str(), stderr);
  const std::vector<uint8_t> bytes = heddle::formats::serialize(result->cubin);
  const auto written = heddle::write_file(a.output, bytes.data(), bytes.size());
  return written ? 0 : fail(written.error().message());
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  if (const std::string error = parse(argc, argv, a); !error.empty()) return fail(error);
  if (a.version) {
    std::fputs(kVersion, stdout);
    return 0;
  }
  find_libraries(a);
  if (a.inputs.empty() && a.output == "a_dlink.cubin") return fail("no input files");
  return link(a);
}
