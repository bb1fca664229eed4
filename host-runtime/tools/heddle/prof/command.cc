// SPDX-License-Identifier: Apache-2.0
// heddle prof: runs a program and shows what each of its launches did, or shows what a file has of an earlier run.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "heddle/files.h"
#include "host-runtime/device/installation.h"
#include "host-runtime/driver/settings.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/output_file.h"
#include "host-runtime/tools/heddle/prof/options.h"
#include "host-runtime/tools/heddle/program.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

int fail(const Error& error, int status = 2) {
  print_error("prof: " + error.message());
  return status;
}

// The launches of an earlier run; nothing where none is given.
Result<prof::Profiles> earlier(const prof::Options& o) {
  if (o.baseline.empty()) return prof::Profiles{};
  const auto text = read_file(o.baseline);
  if (!text) return text.error().context("--baseline");
  auto parsed = prof::parse(*text);
  if (!parsed) return parsed.error().context("--baseline " + o.baseline);
  if (parsed->launches.empty()) return Error("--baseline " + o.baseline + ": it has no launch");
  return parsed;
}

// Prints a file's launches; 1 when there is nothing to print.
int show(const std::string& file, const prof::Options& o, prof::Page page, const std::vector<prof::Section>& sections,
         bool choose, const std::string& none) {
  const auto text = read_file(file);
  if (!text) return fail(text.error());
  auto parsed = prof::parse(*text);
  if (!parsed) return fail(parsed.error().context(file));
  auto launches = std::move(parsed->launches);
  const auto before = earlier(o);
  if (!before) return fail(before.error());
  prof::Baseline baseline = prof::match(launches, before->launches);
  if (choose) {
    auto chosen = prof::choose(std::move(launches), o, &baseline.partners);
    if (!chosen) return fail(chosen.error());
    launches = std::move(*chosen);
  }
  if (parsed->partial) print_error("prof: the last launch's profile is cut off, and left out");
  if (launches.empty()) {
    print_error("prof: " + none);
    return 1;
  }
  const prof::Baseline* compared = o.baseline.empty() ? nullptr : &baseline;
  if (!o.html.empty()) {
    const std::string html = prof::html(launches, compared);
    if (auto ok = write_file(o.html, html.data(), html.size()); !ok) return fail(ok.error().context("--html"));
    std::fprintf(stderr, "==PROF== Report: %s\n", o.html.c_str());
  }
  std::fputs(prof::print(launches, o, page, sections, compared).c_str(), stdout);
  if (compared)
    for (const prof::Profile* p : baseline.left)
      print_error("prof: only in the baseline: " + p->text("name") + ", launch " + p->json().at("launch").dump());
  return 0;
}

Environment settings(const prof::Options& o, const std::string& profile, const std::string& report) {
  Environment environment = {
      {"HEDDLE_DEVICE", o.device}, {"HEDDLE_PRESET", o.preset}, {"HEDDLE_PROFILE", profile}, {"HEDDLE_REPORT", report}};
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) environment.emplace_back(name, value);
  };
  const std::string kernels = kernel_pattern(o.kernel_name), launches = launch_range(o.launch_skip, o.launch_count);
  set("HEDDLE_PROFILE_KERNELS", kernels);
  set("HEDDLE_PROFILE_LAUNCHES", launches);
  if (o.device == "rtl" || o.device == "lockstep") {  // nobody looks at the others: they may be fast
    set("HEDDLE_RTL_KERNELS", kernels);
    set("HEDDLE_RTL_LAUNCHES", launches);
  }
  set("HEDDLE_CYCLE_LIMIT", o.cycle_limit);
  set("HEDDLE_SEED", o.seed);
  environment.emplace_back("HEDDLE_PROFILE_STATUS", "1");
  if (isatty(STDERR_FILENO)) environment.emplace_back("HEDDLE_STATUS", "1");
  return environment;
}

int run(prof::Options o, const std::vector<std::string>& command, prof::Page page,
        const std::vector<prof::Section>& sections) {
  const auto installation = device::Installation::find();
  const auto preset = installation.preset_file(o.preset);
  if (!preset) return fail(preset.error());
  if (o.device.empty()) o.device = default_device(installation, preset->stem().string(), "prof");
  if (const auto backend = installation.backend(o.device, preset->stem().string()); !backend)
    return fail(backend.error());
  const fs::path program = find_program(command[0]);
  if (program.empty()) return fail(Error("no program '" + command[0] + "' that can be run"), 127);
  const auto file = OutputFile::make(o.output, "profile");
  if (!file) return fail(file.error().context("-o"));
  const auto report = OutputFile::make("", "report");
  if (!report) return fail(report.error());
  Environment environment = settings(o, file->name(), report->name());
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  if (const auto checked = driver::Settings::from_environment(); !checked) return fail(checked.error());
  choose_cudart(program, environment);
  const int wait_status = run_child(command, environment);
  const auto [ran, interrupted] = what_ran(report->name());
  const std::string none = ran.empty()   ? "the program launched no kernel"
                           : o.chooses() ? "no launch is one that -k, -s and -c choose; these kernels ran:" + ran
                                         : "the device gave no profile; these kernels ran:" + ran;
  const int shown = show(file->name(), o, page, sections, false, none);
  if (interrupted || (wait_status != -1 && WIFSIGNALED(wait_status)))
    print_error(std::string("prof: the program was ") +
                (interrupted ? "interrupted" : "ended by signal " + std::to_string(WTERMSIG(wait_status))) +
                ": this is what its launches had done until then");
  (void)flush_output().ok();
  const int status = exit_like(wait_status);
  return status ? status : shown;
}

int prof_command(const prof::Options& o, const std::vector<std::string>& command) {
  const auto page = prof::page(o);
  if (!page) return fail(page.error());
  const auto sections = prof::sections(o);
  if (!sections) return fail(sections.error());
  if (o.csv && o.json) return fail(Error("--csv and --json: one of them"));
  if (const auto tried = prof::choose({}, o); !tried) return fail(tried.error());
  // Found out before a run, as all of this.
  if (const auto before = earlier(o); !before) return fail(before.error());
  if (!o.html.empty())
    if (const auto page_file = OutputFile::make(o.html, "page"); !page_file)
      return fail(page_file.error().context("--html"));
  if (o.import.empty() && command.empty())
    return fail(Error("no program given: heddle prof [options] -- ./app arguments, or heddle prof --import FILE"));
  if (o.import.empty()) return run(o, command, *page, *sections);
  if (!command.empty() || !o.output.empty())
    return fail(Error("--import shows a file: no program is run, and -o has no use"));
  return show(o.import, o, *page, *sections, true,
              "no launch in " + o.import + (o.chooses() ? " is one that -k, -s and -c choose" : ""));
}

}  // namespace

void add_prof(CLI::App& app, const std::vector<std::string>& program, int& status) {
  auto o = std::make_shared<prof::Options>();
  CLI::App* c =
      app.add_subcommand("prof", "profile a CUDA program's launches: heddle prof [options] -- ./app arguments");
  c->add_option("--device", o->device, "rtl, lockstep or model; rtl if it is built");
  c->add_option("--preset", o->preset, "name of a preset, or a .toml file")
      ->envname("HEDDLE_PRESET")
      ->capture_default_str();
  c->add_option("--section", o->section, "only this section, by name or regex:EXPRESSION; more than once")
      ->allow_extra_args(false);
  c->add_option("--set", o->set, "basic: speed of light, launch, occupancy; full: all sections")->capture_default_str();
  c->add_option("-k,--kernel-name", o->kernel_name, "only launches of this kernel, or regex:EXPRESSION");
  c->add_option("-s,--launch-skip", o->launch_skip, "of those, not the first so many");
  c->add_option("-c,--launch-count", o->launch_count, "then so many");
  c->add_option("--page", o->page, "details, raw (all metrics) or source (all instructions)")->capture_default_str();
  c->add_option("--print-source", o->print_source,
                "rows of the source page: sass (instructions), ptx (statements) or cuda (lines)")
      ->capture_default_str();
  c->add_flag("--csv", o->csv, "as comma-separated values");
  c->add_flag("--json", o->json, "as JSON");
  c->add_option("-o,--export", o->output, "keep the profiles in this file");
  c->add_option("--html", o->html, "write a page for a browser, too");
  c->add_option("--baseline", o->baseline, "compare with the launches of such a file");
  c->add_option("-i,--import", o->import, "show such a file, run nothing");
  c->add_option("--cycle-limit", o->cycle_limit, "stop a kernel after this many cycles");
  c->add_option("--seed", o->seed, "contents of undefined state");
  take_program(*c, program, status, [o](const auto& command) { return prof_command(*o, command); });
}

}  // namespace heddle::tools
