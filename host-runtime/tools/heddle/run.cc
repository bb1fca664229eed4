// SPDX-License-Identifier: Apache-2.0
// heddle run: a CUDA program on a chosen device, with a status line and a summary.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "heddle/files.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/device/installation.h"
#include "host-runtime/driver/settings.h"
#include "host-runtime/driver/wave.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/output_file.h"
#include "host-runtime/tools/heddle/program.h"
#include "host-runtime/tools/heddle/summary.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  std::string device = "lockstep", preset = "cc80", report, trace, wave, wave_cycles, wave_scope, wave_group,
              cycle_limit, inject, seed, kernel_name;
  uint64_t launch_skip = 0, launch_count = 0;
  bool checked = false, quiet = false;
};

// Where the program writes its report: the file that was asked for, or one of our own, when none was or it is a
// device or a pipe.
struct ReportFile {
  std::string asked, written;
  bool own() const { return asked != written; }
};

// Found out before the run, which may take hours. An old report must not pass for this run's.
Result<ReportFile> prepare_report(const std::string& asked) {
  ReportFile file{asked, asked};
  std::error_code ec;
  if (!asked.empty() && (!fs::exists(asked, ec) || fs::is_regular_file(asked, ec))) {
    file.asked = file.written = fs::absolute(asked, ec).string();
    if (auto ok = write_file(file.written, "", 0); !ok) return ok.error().context("--report");
    std::remove(file.written.c_str());
    return file;
  }
  auto made = temporary_file("report");
  if (!made) return made.error();
  file.written = std::move(*made);
  return file;
}

// An old timeline must not pass for this run's; the program may work in another folder.
Status prepare_trace(std::string& file) {
  if (file.empty()) return {};
  std::error_code ec;
  file = fs::absolute(file, ec).string();
  if (auto ok = write_file(file, "", 0); !ok) return ok.error().context("--trace");
  return {};
}

bool whole_trace(const std::string& file) {
  const auto text = read_file(file);
  if (text && text->ends_with("]\n")) return true;
  print_error("the timeline in " + file +
              (text && text->empty() ? " is empty: the program called nothing" : " is not whole"));
  return false;
}

// Prints the summary and leaves the report where it was asked for; 1 when either fails the run.
int finish(const ReportFile& file, bool quiet) {
  const auto text = read_file(file.written);
  if (file.own()) std::remove(file.written.c_str());
  const auto report = nlohmann::json::parse(text ? *text : "", nullptr, false);
  if (!report.is_object()) {
    if (file.asked.empty()) return 0;  // the program never used the device
    print_error("no report was written to " + file.asked);
    return 1;
  }
  if (!quiet) std::fputs(summary(report).c_str(), stderr);
  // It was said why; also what only showed when the program had ended.
  const bool mismatch = report.value("status", "").starts_with("lockstep mismatch");
  int status = mismatch || compared_nothing(report) || report.contains("waveform") ? 1 : 0;
  if (file.own() && !file.asked.empty())
    if (auto ok = write_file(file.asked, text->data(), text->size()); !ok)
      print_error("--report: " + ok.error().message()), status = 1;
  return status;
}

// Scopes and groups are known to the device alone: it is opened once, with a window that never comes.
Status try_wave(const driver::Settings& settings, const fs::path& backend, const fs::path& preset_file) {
  if (settings.wave_scopes.empty() && settings.wave_groups.empty()) return {};
  const auto transport = device::load_transport(backend.string());
  if (!transport) return transport.error();
  device::OpenOptions options;
  options.device = settings.device;
  options.preset_file = preset_file.string();
  options.wave_file = settings.wave;
  options.wave_scopes = settings.wave_scopes;
  options.wave_groups = settings.wave_groups;
  options.wave_begin = options.wave_end = ~uint64_t{0};
  const auto opened = device::Backend::open(*transport, options);
  if (!opened) return opened.error();
  return {};
}

// The settings as the program will read them, checked before it starts.
Status check_settings(const Environment& environment, const fs::path& backend, const fs::path& preset_file) {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  const auto settings = driver::Settings::from_environment();
  if (!settings) return settings.error();
  if (settings->wave.empty()) return {};
  if (settings->device == "model") return Error("the model has no waveforms; use --device rtl or lockstep");
  if (auto ok = driver::prepare_wave(settings->wave); !ok) return ok;
  return try_wave(*settings, backend, preset_file);
}

int run(RunOptions o, const std::vector<std::string>& command) {
  if (command.empty()) {
    print_error("run: no program given: heddle run [options] -- ./app arguments");
    return 2;
  }
  if (o.checked) setenv("HEDDLE_CHECKED", "1", 1);
  const auto installation = device::Installation::find();
  const auto preset = installation.preset_file(o.preset);
  if (!preset) return print_error(preset.error().message()), 2;
  const auto backend = installation.backend(o.device, preset->stem().string());
  if (!backend) return print_error(backend.error().message()), 2;
  const fs::path program = find_program(command[0]);
  if (program.empty()) return print_error("no program '" + command[0] + "' that can be run"), 127;

  if (auto ok = prepare_trace(o.trace); !ok) return print_error(ok.error().message()), 2;

  Environment environment = {{"HEDDLE_DEVICE", o.device}, {"HEDDLE_PRESET", o.preset}};
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) environment.emplace_back(name, value);
  };
  set("HEDDLE_TRACE", o.trace);
  for (const fs::path& root : installation.roots())
    if (const fs::path nvtx = root / "lib/libheddle-nvtx.so"; !o.trace.empty() && fs::exists(nvtx)) {
      set("NVTX_INJECTION64_PATH", fs::absolute(nvtx).string());
      break;
    }
  set("HEDDLE_WAVE", o.wave);
  set("HEDDLE_WAVE_CYCLES", o.wave_cycles);
  set("HEDDLE_WAVE_SCOPE", o.wave_scope);
  set("HEDDLE_WAVE_GROUP", o.wave_group);
  set("HEDDLE_CYCLE_LIMIT", o.cycle_limit);
  set("HEDDLE_INJECT", o.inject);
  set("HEDDLE_SEED", o.seed);
  set("HEDDLE_RTL_KERNELS", kernel_pattern(o.kernel_name));
  set("HEDDLE_RTL_LAUNCHES", launch_range(o.launch_skip, o.launch_count));
  if (isatty(STDERR_FILENO) && !o.quiet) environment.emplace_back("HEDDLE_STATUS", "1");
  if (auto ok = check_settings(environment, *backend, *preset); !ok) return print_error(ok.error().message()), 2;
  const auto report = prepare_report(o.report);
  if (!report) return print_error(report.error().message()), 2;
  environment.emplace_back("HEDDLE_REPORT", report->written);
  choose_cudart(program, environment);
  const int wait_status = run_child(command, environment);
  if (wait_status != -1 && WIFSIGNALED(wait_status) && WTERMSIG(wait_status) != SIGINT)
    print_error(command[0] + " was ended by signal " + std::to_string(WTERMSIG(wait_status)) + " (" +
                strsignal(WTERMSIG(wait_status)) + ")");
  int failed = finish(*report, o.quiet);
  std::error_code ec;
  if (!o.wave.empty() && !fs::exists(o.wave, ec)) failed = 1;  // the program has said why
  if (!o.trace.empty() && !whole_trace(o.trace)) failed = 1;
  const int status = exit_like(wait_status);
  return status ? status : failed;
}

}  // namespace

void add_run(CLI::App& app, const std::vector<std::string>& program, int& status) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* c = app.add_subcommand("run", "run a CUDA program: heddle run [options] -- ./app arguments");
  c->add_option("--device", o->device, "lockstep, rtl or model")->envname("HEDDLE_DEVICE")->capture_default_str();
  c->add_option("--preset", o->preset, "name of a preset, or a .toml file")
      ->envname("HEDDLE_PRESET")
      ->capture_default_str();
  c->add_option("--report", o->report, "write the figures to this JSON file");
  c->add_option("--trace", o->trace, "write a timeline of calls, streams and device (Chrome's and Perfetto's JSON)");
  CLI::Option* wave = c->add_option("--wave", o->wave, "write a waveform (FST) to this file");
  c->add_option("--wave-cycles", o->wave_cycles, "FIRST:LAST cycle of the waveform")->needs(wave);
  c->add_option("--wave-scope", o->wave_scope, "only these parts of the GPU, with commas: sm0,sm1.part2,l2")
      ->needs(wave);
  c->add_option("--wave-group", o->wave_group, "only these signals: frontend,schedule,operands,memory,retirement")
      ->needs(wave);
  c->add_option("--kernel-name", o->kernel_name,
                "only launches of this kernel (or regex:EXPRESSION) on the device, all else on the golden model");
  c->add_option("--launch-skip", o->launch_skip, "of those, this many more on the golden model first");
  c->add_option("--launch-count", o->launch_count, "then so many on the device, and the rest on the golden model");
  c->add_option("--cycle-limit", o->cycle_limit, "stop a kernel after this many cycles");
  c->add_option("--inject", o->inject, "switch on a planted bug, to see the checker find it");
  c->add_option("--seed", o->seed, "contents of undefined state");
  c->add_flag("--checked", o->checked, "hardware with assertions and random contents of undefined state");
  c->add_flag("--quiet", o->quiet, "no status line, no summary");
  take_program(*c, program, status, [o](const auto& command) { return run(*o, command); });
}

}  // namespace heddle::tools
