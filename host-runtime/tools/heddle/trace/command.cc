// SPDX-License-Identifier: Apache-2.0
// heddle trace: runs a program and leaves what its host and its device did, and when.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "heddle/files.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/settings.h"
#include "host-runtime/driver/wave.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/output_file.h"
#include "host-runtime/tools/heddle/program.h"
#include "host-runtime/tools/heddle/trace/outputs.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

struct TraceOptions {
  std::string device, preset = "cc80", output = "trace.json", konata, waves, window, kernel_name, cycle_limit, seed;
  uint64_t launch_skip = 0, launch_count = 0, limit = 1000000;

  bool chooses() const { return !kernel_name.empty() || launch_skip || launch_count; }
};

int fail(const Error& error, int status = 2) {
  print_error("trace: " + error.message());
  return status;
}

Result<trace::Window> parse_window(const TraceOptions& o) {
  trace::Window window;
  if (o.window.empty()) return window;
  if (o.konata.empty() && o.waves.empty()) return Error("--window is of --konata and --waves: give one of them");
  const char* const begin = o.window.data();
  const char* const end = begin + o.window.size();
  const auto first = std::from_chars(begin, end, window.first);
  if (first.ec == std::errc{} && first.ptr != end && *first.ptr == ':') {
    const auto last = std::from_chars(first.ptr + 1, end, window.last);
    if (last.ec == std::errc{} && last.ptr == end && window.first <= window.last) return window;
  }
  return Error("--window '" + o.window + "': FIRST:LAST is expected, cycles of the launch");
}

std::string to_string(const trace::Window& w) { return std::to_string(w.first) + ":" + std::to_string(w.last); }

Environment environment_of(const TraceOptions& o, const trace::Window& window, const device::Installation& installation,
                           const std::string& timeline, const std::string& events, const std::string& report) {
  Environment environment = {
      {"HEDDLE_DEVICE", o.device}, {"HEDDLE_PRESET", o.preset}, {"HEDDLE_TRACE", timeline}, {"HEDDLE_REPORT", report}};
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) environment.emplace_back(name, value);
  };
  for (const fs::path& root : installation.roots())
    if (const fs::path nvtx = root / "lib/libheddle-nvtx.so"; fs::exists(nvtx)) {
      set("NVTX_INJECTION64_PATH", fs::absolute(nvtx).string());
      break;
    }
  if (!events.empty()) {
    set("HEDDLE_EVENTS", events);
    set("HEDDLE_EVENTS_LIMIT", std::to_string(o.limit));
    if (!o.konata.empty()) set("HEDDLE_EVENTS_WINDOW", to_string(window));
    if (!o.waves.empty()) {
      set("HEDDLE_WAVE", o.waves);
      set("HEDDLE_WAVE_LAUNCH", "1");
      set("HEDDLE_WAVE_CYCLES", to_string(window));
    }
    const std::string kernels = kernel_pattern(o.kernel_name), launches = launch_range(o.launch_skip, o.launch_count);
    for (const std::string what : {"PROFILE", "RTL"}) {  // nobody looks at the others: they may be fast
      set(("HEDDLE_" + what + "_KERNELS").c_str(), kernels);
      set(("HEDDLE_" + what + "_LAUNCHES").c_str(), launches);
    }
  }
  set("HEDDLE_CYCLE_LIMIT", o.cycle_limit);
  set("HEDDLE_SEED", o.seed);
  if (isatty(STDERR_FILENO)) environment.emplace_back("HEDDLE_STATUS", "1");
  return environment;
}

// The files of the window; 1 when one could not be written.
int write_window(const TraceOptions& o, const trace::Window& window, const trace::Launch& launch) {
  const bool beyond = window.first >= launch.cycles;
  if (beyond) {
    if (!o.konata.empty()) std::remove(o.konata.c_str());
    return fail(Error("--window " + to_string(window) + " lies beyond the launch of " + launch.name + ", which took " +
                      std::to_string(launch.cycles) + " cycles"),
                1);
  }
  int status = 0;
  if (!o.konata.empty())
    if (auto ok = trace::write_konata(o.konata, launch, window); !ok) status = fail(ok.error().context("--konata"), 1);
  if (!o.waves.empty())
    if (auto ok = driver::check_wave(o.waves, 0, 0, 1); !ok) status = fail(ok.error(), 1);
  return status;
}

int write_files(const TraceOptions& o, const trace::Window& window, const std::string& timeline,
                const std::string& events, const Ran& ran, std::vector<std::string> notes) {
  const auto host = read_file(timeline);
  std::vector<trace::Launch> launches;
  int status = 0;
  if (!events.empty()) {
    const auto text = read_file(events);
    auto parsed = trace::parse_events(text ? *text : "");
    if (!parsed) return fail(parsed.error().context("events of the device"), 1);
    launches = std::move(*parsed);
    if (launches.empty()) {
      const std::string none = ran.names.empty() ? "the program launched no kernel"
                               : o.chooses()
                                   ? "no launch is one that -k, -s and -c choose; these kernels ran:" + ran.names
                                   : "the device told nothing; these kernels ran:" + ran.names;
      notes.push_back(none);
      status = 1;
    }
  }
  for (const trace::Launch& l : launches) {
    if (!l.completed) notes.push_back("launch " + std::to_string(l.number) + " of " + l.name + " did not complete");
    if (l.limited)
      notes.push_back("launch " + std::to_string(l.number) + " of " + l.name + ": only as far as --limit " +
                      std::to_string(l.limit) + " goes");
  }
  if (auto ok = trace::write_chrome(o.output, host ? *host : "", launches, notes); !ok)
    status = fail(ok.error().context("-o"), 1);
  for (const std::string& note : notes) print_error("trace: " + note);
  if (!launches.empty() && (!o.konata.empty() || !o.waves.empty()))
    if (const int wrote = write_window(o, window, launches.front())) status = wrote;
  return status;
}

// Whether the device tells of its launches.
Result<bool> tells(const fs::path& backend) {
  const auto transport = device::load_transport(backend.string());
  if (!transport) return transport.error();
  return (*transport)->events != nullptr;
}

int trace_command(TraceOptions o, const std::vector<std::string>& command) {
  if (command.empty()) return fail(Error("no program given: heddle trace [options] -- ./app arguments"));
  const auto window = parse_window(o);
  if (!window) return fail(window.error());
  const auto installation = device::Installation::find();
  const auto preset = installation.preset_file(o.preset);
  if (!preset) return fail(preset.error());
  if (o.device.empty()) o.device = default_device(installation, preset->stem().string(), "trace");
  const auto backend = installation.backend(o.device, preset->stem().string());
  if (!backend) return fail(backend.error());
  const auto telling = tells(*backend);
  if (!telling) return fail(telling.error());
  if (!*telling && (!o.konata.empty() || !o.waves.empty()))
    return fail(Error("--konata and --waves: the device '" + o.device + "' has no clock, or does not tell"));
  const fs::path program = find_program(command[0]);
  if (program.empty()) return fail(Error("no program '" + command[0] + "' that can be run"), 127);

  for (std::string* file : {&o.output, &o.konata}) {
    if (file->empty()) continue;
    const auto made = OutputFile::make(*file, "");
    if (!made) return fail(made.error().context(file == &o.output ? "-o" : "--konata"));
    *file = made->name();
  }
  if (!o.waves.empty()) {
    o.waves = fs::absolute(o.waves).string();
    if (auto ok = driver::prepare_wave(o.waves); !ok) return fail(ok.error());
  }
  const auto timeline = OutputFile::make("", "timeline"), events = OutputFile::make("", "events"),
             report = OutputFile::make("", "report");
  for (const auto* file : {&timeline, &events, &report})
    if (!*file) return fail(file->error());
  const std::string told = *telling ? events->name() : "";
  Environment environment = environment_of(o, *window, installation, timeline->name(), told, report->name());
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  if (const auto checked = driver::Settings::from_environment(); !checked) return fail(checked.error());
  choose_cudart(program, environment);

  const int wait_status = run_child(command, environment);
  const Ran ran = what_ran(report->name());
  std::vector<std::string> notes;
  if (!*telling)
    notes.push_back("the device '" + o.device + "' has no clock, or does not tell: the host's timeline only");
  const bool killed = wait_status != -1 && WIFSIGNALED(wait_status);
  if (ran.interrupted || killed)
    notes.push_back(std::string("the program was ") +
                    (ran.interrupted ? "interrupted" : "ended by signal " + std::to_string(WTERMSIG(wait_status))) +
                    ": this is what had happened until then");
  const int wrote = write_files(o, *window, timeline->name(), told, ran, std::move(notes));
  const int status = exit_like(wait_status);
  return status ? status : wrote;
}

}  // namespace

void add_trace(CLI::App& app, const std::vector<std::string>& program, int& status) {
  auto o = std::make_shared<TraceOptions>();
  CLI::App* c = app.add_subcommand(
      "trace", "what a program and the device's SMs do, and when: heddle trace [options] -- ./app arguments");
  c->add_option("--device", o->device, "rtl, lockstep or model; rtl if it is built");
  c->add_option("--preset", o->preset, "name of a preset, or a .toml file")
      ->envname("HEDDLE_PRESET")
      ->capture_default_str();
  c->add_option("-o,--output", o->output, "the timeline (Chrome's and Perfetto's JSON)")->capture_default_str();
  c->add_option("-k,--kernel-name", o->kernel_name, "only launches of this kernel, or regex:EXPRESSION");
  c->add_option("-s,--launch-skip", o->launch_skip, "of those, not the first so many");
  c->add_option("-c,--launch-count", o->launch_count, "then so many");
  c->add_option("--limit", o->limit, "events of the device to keep")->capture_default_str();
  c->add_option("--konata", o->konata, "write the pipeline of the first launch to this file, for Konata");
  c->add_option("--waves", o->waves, "write a waveform (FST) of the same cycles to this file");
  c->add_option("--window", o->window, "FIRST:LAST cycle of that launch for both; the first 2,000");
  c->add_option("--cycle-limit", o->cycle_limit, "stop a kernel after this many cycles");
  c->add_option("--seed", o->seed, "contents of undefined state");
  take_program(*c, program, status, [o](const auto& command) { return trace_command(*o, command); });
}

}  // namespace heddle::tools
