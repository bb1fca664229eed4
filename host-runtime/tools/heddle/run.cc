// SPDX-License-Identifier: Apache-2.0
// heddle run: a CUDA program on a chosen device, with a status line and a summary.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>

#include "host-runtime/device/installation.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/elf_program.h"
#include "host-runtime/tools/heddle/summary.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;
using Environment = std::vector<std::pair<std::string, std::string>>;

struct RunOptions {
  std::string device = "lockstep", preset = "cc80", report, wave, wave_cycles, cycle_limit, inject, seed;
  bool quiet = false;
};

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

// As execvp finds it; empty when there is none.
fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? fs::path(name) : fs::path{};
  std::string path = variable("PATH");
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    const fs::path file = fs::path(path.substr(at, end - at)) / name;
    if (access(file.c_str(), X_OK) == 0) return file;
    at = end + 1;
  }
  return {};
}

// Makes sure that our libcudart serves the program, and says so when another would have.
void choose_cudart(const fs::path& program, Environment& environment) {
  std::string path = library_folder().string();
  if (const std::string old = variable("LD_LIBRARY_PATH"); !old.empty()) path += ":" + old;
  environment.emplace_back("LD_LIBRARY_PATH", path);
  const auto choice = find_cudart(program, path);
  if (!choice || choice->ours) return;  // scripts are fine: what they start inherits the environment
  if (choice->kind == CudartChoice::Kind::Static) {
    print_error(program.string() + " " + describe(*choice) +
                ": it cannot run on Heddle; link it with -cudart shared, or with Heddle's libcudart_static.a");
    return;
  }
  const fs::path own = library_folder() / choice->soname;
  std::error_code ec;
  if (choice->kind == CudartChoice::Kind::Shared && fs::exists(own, ec)) {
    print_error(program.string() + " would load " + describe(*choice) + "; served by " + own.string() +
                " instead");
    const std::string old = variable("LD_PRELOAD");
    environment.emplace_back("LD_PRELOAD", own.string() + (old.empty() ? "" : ":" + old));
  } else if (choice->kind != CudartChoice::Kind::None) {
    print_error(program.string() + ": " + describe(*choice) + "; Heddle has " + (library_folder() / "libcudart.so.12").string());
  }
}

// The report of a run, printed; 1 when it fails the run.
int finish(const std::string& file, bool keep, bool quiet) {
  std::ifstream in(file);
  const auto report = nlohmann::json::parse(in, nullptr, false);
  in.close();
  if (!keep) std::remove(file.c_str());
  if (report.is_discarded() || !report.is_object()) return 0;  // the program never used the device
  if (!quiet) std::fputs(summary(report).c_str(), stderr);
  return compared_nothing(report) ? 1 : 0;
}

int run(const RunOptions& o, std::vector<std::string> command) {
  if (!command.empty() && command[0] == "--") command.erase(command.begin());
  if (command.empty()) {
    print_error("run: no program given: heddle run [options] -- ./app arguments");
    return 2;
  }
  const auto installation = device::Installation::find();
  const auto preset = installation.preset_file(o.preset);
  if (!preset) return print_error(preset.error().message()), 2;
  if (const auto backend = installation.backend(o.device, preset->stem().string()); !backend)
    return print_error(backend.error().message()), 2;
  const fs::path program = find_program(command[0]);
  if (program.empty()) return print_error("no program '" + command[0] + "'"), 127;

  Environment environment = {{"HEDDLE_DEVICE", o.device}, {"HEDDLE_PRESET", o.preset}};
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) environment.emplace_back(name, value);
  };
  set("HEDDLE_WAVE", o.wave);
  set("HEDDLE_WAVE_CYCLES", o.wave_cycles);
  set("HEDDLE_CYCLE_LIMIT", o.cycle_limit);
  set("HEDDLE_INJECT", o.inject);
  set("HEDDLE_SEED", o.seed);
  if (isatty(STDERR_FILENO) && !o.quiet) environment.emplace_back("HEDDLE_STATUS", "1");
  std::error_code ec;
  std::string report = o.report.empty() ? "" : fs::absolute(o.report, ec).string();
  if (report.empty()) {
    std::string pattern = (fs::temp_directory_path(ec) / "heddle-report-XXXXXX").string();
    const int file = mkstemp(pattern.data());
    if (file < 0) return print_error("cannot create a temporary file for the report"), 1;
    close(file);
    report = pattern;
  } else {
    std::remove(report.c_str());  // an old report must not pass for this run's
  }
  environment.emplace_back("HEDDLE_REPORT", report);
  choose_cudart(program, environment);
  const int wait_status = run_child(command, environment);
  const int failed = finish(report, !o.report.empty(), o.quiet);
  const int status = exit_like(wait_status);
  return status ? status : failed;
}

}  // namespace

void add_run(CLI::App& app, const std::vector<std::string>& program, int& status) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* c = app.add_subcommand("run", "run a CUDA program: heddle run [options] -- ./app arguments");
  c->add_option("--device", o->device, "lockstep, rtl or model")->envname("HEDDLE_DEVICE")->capture_default_str();
  c->add_option("--preset", o->preset, "name of a preset, or a .toml file")->envname("HEDDLE_PRESET")->capture_default_str();
  c->add_option("--report", o->report, "write the figures to this JSON file");
  c->add_option("--wave", o->wave, "write a waveform (FST) to this file");
  c->add_option("--wave-cycles", o->wave_cycles, "FIRST:LAST cycle of the waveform");
  c->add_option("--cycle-limit", o->cycle_limit, "stop a kernel after this many cycles")->check(CLI::NonNegativeNumber);
  c->add_option("--inject", o->inject, "switch on a planted bug, to see the checker find it");
  c->add_option("--seed", o->seed, "contents of undefined state")->check(CLI::NonNegativeNumber);
  c->add_flag("--quiet", o->quiet, "no status line, no summary");
  c->prefix_command();
  c->callback([c, o, program, &status] { status = run(*o, program.empty() ? c->remaining() : program); });
}

}  // namespace heddle::tools
