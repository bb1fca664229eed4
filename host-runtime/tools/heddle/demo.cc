// SPDX-License-Identifier: Apache-2.0
// heddle demo: every example on the RTL in lockstep with the golden model, or on the model where there is no RTL; one
// line each.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "host-runtime/device/installation.h"
#include "host-runtime/driver/progress.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/output_file.h"
#include "host-runtime/tools/heddle/summary.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;
using driver::with_commas;

struct DemoOptions {
  std::string device, preset = "cc80", folder;
  std::vector<std::string> only;
};

// Programs in the folder, sorted by name.
std::vector<fs::path> find_examples(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (auto it = fs::directory_iterator(folder, ec); !ec && it != fs::directory_iterator(); it.increment(ec))
    if (it->is_regular_file(ec) && !it->path().has_extension() && access(it->path().c_str(), X_OK) == 0)
      out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Runs one example; its row is printed. False when it failed, or when nothing was compared.
bool run_example(const fs::path& program, const DemoOptions& o, const fs::path& scratch) {
  const fs::path report_file = scratch / "report.json", output = scratch / "output.txt";
  std::error_code ec;
  fs::remove(report_file, ec);
  const std::string name = program.filename().string();
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r\033[K%s ...", name.c_str());
  // The shell only redirects: the program's own output is shown when it fails.
  const int status = run_child(
      {"/bin/sh", "-c", "cd \"$1\" && exec \"$0\" >\"$2\" 2>&1", program.string(), scratch.string(), output.string()},
      {{"HEDDLE_DEVICE", o.device},
       {"HEDDLE_PRESET", o.preset},
       {"HEDDLE_REPORT", report_file.string()},
       {"LD_LIBRARY_PATH", library_folder().string()}});
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r\033[K");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) raise(SIGINT);
  const auto report = nlohmann::json::parse(slurp(report_file), nullptr, false);
  const bool ran = report.is_object();
  const bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0 && ran && !compared_nothing(report);
  const auto total = ran ? report.at("totals") : nlohmann::json::object();
  std::printf("%-14s %-6s %12s %12s %6.2f %6.1f %7.0f %10s %14s\n", name.c_str(), ok ? "PASS" : "FAIL",
              with_commas(total.value("cycles", uint64_t{0})).c_str(),
              with_commas(total.value("warp_instructions", uint64_t{0})).c_str(), total.value("ipc", 0.0),
              total.value("active_lanes", 0.0), total.value("khz", 0.0),
              short_number(total.value("thread_instructions_per_second", 0.0)).c_str(),
              with_commas(total.value("compared_instructions", uint64_t{0})).c_str());
  std::fflush(stdout);
  if (!ok) std::fprintf(stderr, "%s", slurp(output).c_str());
  return ok;
}

int demo(DemoOptions o) {
  const fs::path folder = o.folder.empty() ? own_folder().parent_path() / "examples" : fs::path(o.folder);
  auto programs = find_examples(folder);
  if (!o.only.empty())
    std::erase_if(programs, [&](const fs::path& p) {
      return std::find(o.only.begin(), o.only.end(), p.filename().string()) == o.only.end();
    });
  if (programs.empty()) return print_error("no examples in " + folder.string()), 1;
  if (o.device.empty()) {
    const auto hardware = device::Installation::find().backend("lockstep", o.preset);
    o.device = hardware ? "lockstep" : "model";
    if (!hardware) print_error(hardware.error().message() + "\nOn the golden model alone:");
  }
  const auto scratch = TemporaryFolder::make("demo");
  if (!scratch) return print_error(scratch.error().message()), 1;
  std::printf("device %s, preset %s\n", o.device.c_str(), o.preset.c_str());
  std::printf("%-14s %-6s %12s %12s %6s %6s %7s %10s %14s\n", "example", "result", "cycles", "instructions", "IPC",
              "lanes", "kHz", "thread-i/s", "compared");
  size_t passed = 0;
  for (const auto& p : programs) passed += run_example(p, o, scratch->name());
  std::printf("%zu of %zu examples pass\n", passed, programs.size());
  return passed == programs.size() ? 0 : 1;
}

}  // namespace

void add_demo(CLI::App& app, int& status) {
  auto o = std::make_shared<DemoOptions>();
  CLI::App* c = app.add_subcommand("demo", "run the examples on the RTL in lockstep with the golden model");
  c->add_option("--device", o->device,
                "lockstep, rtl or model; by default lockstep where the preset's hardware is there");
  c->add_option("--preset", o->preset, "name of a preset, or a .toml file")->capture_default_str();
  c->add_option("--examples", o->folder, "folder of the programs");
  c->add_option("examples", o->only, "run only these");
  c->callback([o, &status] { status = demo(*o); });
}

}  // namespace heddle::tools
