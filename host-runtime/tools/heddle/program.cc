// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/program.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/elf_program.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

}  // namespace

void take_program(CLI::App& command, const std::vector<std::string>& program, int& status,
                  std::function<int(const std::vector<std::string>&)> run) {
  command.prefix_command();
  command.callback([&command, program, &status, run = std::move(run)] {
    const auto words = command.remaining();
    if (!words.empty() && (!program.empty() || words[0].starts_with("-"))) {
      const std::string name = command.get_name();
      print_error(name + ": unknown word '" + words[0] + "'; see heddle " + name + " --help");
      status = 2;
      return;
    }
    status = run(program.empty() ? words : program);
  });
}

fs::path find_program(const std::string& name) {
  const auto runs = [](const fs::path& file) {
    std::error_code ec;
    return fs::is_regular_file(file, ec) && access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return runs(name) ? fs::path(name) : fs::path{};
  std::string path = variable("PATH");
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    const fs::path file = fs::path(path.substr(at, end - at)) / name;
    if (runs(file)) return file;
    at = end + 1;
  }
  return {};
}

void choose_cudart(const fs::path& program, Environment& environment) {
  std::string path = library_folder().string();
  if (const std::string old = variable("LD_LIBRARY_PATH"); !old.empty()) path += ":" + old;
  environment.emplace_back("LD_LIBRARY_PATH", path);
  const auto choice = find_cudart(program, path);
  if (!choice || choice->ours) return;  // scripts are fine: what they start inherits the environment
  if (choice->kind == CudartChoice::Kind::Static) {
    print_error(program.string() + " " + describe(*choice) +
                ": it cannot run on Heddle; link it with -cudart shared, or with -L" + library_folder().string());
    return;
  }
  const fs::path own = library_folder() / choice->soname;
  std::error_code ec;
  if (choice->kind == CudartChoice::Kind::Shared && fs::exists(own, ec)) {
    print_error(program.string() + " would load " + describe(*choice) + "; served by " + own.string() + " instead");
    const std::string old = variable("LD_PRELOAD");
    environment.emplace_back("LD_PRELOAD", own.string() + (old.empty() ? "" : ":" + old));
  } else if (choice->kind != CudartChoice::Kind::None) {
    print_error(program.string() + ": " + describe(*choice) + "; Heddle has " +
                (library_folder() / "libcudart.so.12").string());
  }
}

std::string kernel_pattern(const std::string& name) {
  constexpr std::string_view kPrefix = "regex:";
  if (name.empty()) return name;
  if (name.starts_with(kPrefix)) return name.substr(kPrefix.size());
  std::string pattern = "(^|[^A-Za-z0-9_])";
  for (const char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') pattern += '\\';
    pattern += c;
  }
  return pattern + "($|[^A-Za-z0-9_])";
}

std::string launch_range(uint64_t skip, uint64_t count) {
  if (!skip && !count) return {};
  return std::to_string(skip + 1) + ":" + std::to_string(count ? skip + count : ~uint64_t{0});
}

}  // namespace heddle::tools
