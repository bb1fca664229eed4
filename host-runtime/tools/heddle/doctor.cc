// SPDX-License-Identifier: Apache-2.0
// heddle doctor: what is installed, what is missing and how to get it, what was built, and which CUDA
// runtime a program would load.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <regex>

#include "host-runtime/device/installation.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/elf_program.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

struct Need {
  const char* what;                   // for what it is needed
  std::vector<std::string> programs;  // the first that is found counts
  const char* oldest;                 // that works, as its --version prints it
  const char* package;                // Debian's
  const char* why;
  bool to_build = true;  // not needed where Heddle is installed
};

const std::vector<Need> kNeeds = {
    {"CUDA compiler",
     {"clang++-19", "clang++-20", "clang++-21", "clang++-22", "clang++"},
     "19",
     "clang-19",
     "compiles .cu files",
     false},
    {"host compiler", {"g++"}, "12", "g++", "builds Heddle"},
    {"Verilator", {"verilator"}, "5.006", "verilator", "compiles the RTL"},
    {"CMake", {"cmake"}, "3.25", "cmake", "builds Heddle"},
    {"Ninja", {"ninja"}, "1.10", "ninja-build", "builds Heddle"},
};

struct Version {
  std::string text;
  int major = 0, minor = 0;
};

// The first number with a dot in the program's --version; empty text when it cannot be run.
Version version_of(const std::string& program) {
  Version v;
  const std::string command = "command -v '" + program + "' >/dev/null 2>&1 && '" + program + "' --version 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  if (!pipe) return v;
  std::string out;
  std::array<char, 512> part;
  while (std::fgets(part.data(), part.size(), pipe.get())) out += part.data();
  std::smatch match;
  if (!std::regex_search(out, match, std::regex(R"((\d+)\.(\d+)[\w.]*)"))) return v;
  v.text = match[0];
  v.major = std::stoi(match[1]);
  v.minor = std::stoi(match[2]);
  return v;
}

bool enough(const Version& v, const Need& need) {
  const int major = std::atoi(need.oldest);
  const char* dot = std::strchr(need.oldest, '.');
  return v.major > major || (v.major == major && v.minor >= (dot ? std::atoi(dot + 1) : 0));
}

// One line a tool; the packages that must be installed are added to `missing`.
void check(const Need& need, std::vector<std::string>& missing) {
  Version found;
  std::string program;
  for (const auto& name : need.programs) {
    const Version v = version_of(name);
    if (v.text.empty()) continue;
    found = v;
    program = name;
    if (enough(v, need)) break;
  }
  std::string state = found.text.empty() ? "MISSING" : program + " " + found.text;
  if (!found.text.empty() && !enough(found, need)) state += "  TOO OLD";
  const bool ok = !found.text.empty() && enough(found, need);
  std::printf("  %-14s %-32s needs %s, %s\n", need.what, state.c_str(), need.oldest, need.why);
  if (!ok) missing.push_back(need.package);
}

std::string library_path() {
  const char* text = std::getenv("LD_LIBRARY_PATH");
  return text ? text : "";
}

int doctor(const std::string& program) {
  std::vector<std::string> missing;
  std::error_code ec;
  const bool is_build = fs::exists(own_folder().parent_path() / "CMakeCache.txt", ec);
  std::printf("Tools\n");
  for (const auto& need : kNeeds)
    if (is_build || !need.to_build) check(need, missing);

  const auto installation = device::Installation::find();
  std::printf("Heddle\n");
  for (const auto& root : installation.roots()) std::printf("  %-14s %s\n", "found in", root.c_str());
  std::printf("  %-14s %s\n", "presets", device::join(installation.presets()).c_str());
  std::printf("  %-14s %s\n", "devices", device::join(installation.devices()).c_str());
  const fs::path runtime = library_folder() / "libcudart.so.12";
  std::printf(
      "  %-14s %s\n", "CUDA runtime",
      fs::exists(runtime, ec) && fs::exists(library_folder() / "libheddle.so.0", ec) ? runtime.c_str() : "not built");
  std::printf("  %-14s nvcc -L%s app.cu, or with a makefile: NVCC_PREPEND_FLAGS=-L%s make\n", "another nvcc",
              library_folder().c_str(), library_folder().c_str());
  const bool complete = !installation.presets().empty() && !installation.devices().empty();

  int status = missing.empty() && complete ? 0 : 1;
  if (!program.empty()) {
    std::printf("%s\n", program.c_str());
    const auto choice = find_cudart(program, library_path());
    if (!choice) {
      print_error(choice.error().message());
      return 1;
    }
    std::printf("  %s\n", describe(*choice).c_str());
    if (choice->kind == CudartChoice::Kind::Static && !choice->ours)
      std::printf("  it cannot run on Heddle: link it with -cudart shared, or with -L%s\n", library_folder().c_str());
    if ((choice->kind == CudartChoice::Kind::Shared && !choice->ours) || choice->kind == CudartChoice::Kind::Missing)
      std::printf("  start it with 'heddle run', or put %s first in LD_LIBRARY_PATH\n", library_folder().c_str());
    if (!choice->ours && choice->kind != CudartChoice::Kind::None) status = 1;
  }
  if (!missing.empty()) {
    std::string packages;
    for (const auto& p : missing) packages += " " + p;
    std::printf("Install what is missing or too old:\n  apt-get install%s\n", packages.c_str());
  }
  if (!complete) std::printf("Build Heddle:\n  ./heddle build\n");
  return status;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  auto program = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("doctor", "what is installed, missing, built; which libcudart a program loads");
  c->add_option("program", *program, "a program to look at");
  c->callback([program, &status] { status = doctor(*program); });
}

}  // namespace heddle::tools
