// SPDX-License-Identifier: Apache-2.0
// heddle timing: programs that time a multiprocessor, compiled and run here, their cycles beside a real GPU's.
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "heddle/files.h"
#include "host-runtime/device/installation.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/output_file.h"
#include "host-runtime/tools/heddle/timing.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

struct TimingOptions {
  std::string device = "rtl", preset = "cc80", filter, only, folder;
  std::vector<std::string> defines{"NO_TEXTURE", "NO_SM90"};
  bool json = false;
};

struct Part {
  std::string name, source, silicon;
  // Arguments that keep a simulation short.
  std::vector<std::string> (*arguments)(const std::string& filter);
};

const Part kParts[] = {
    {"kernels", "kernel_timing.cu", "h200_kernels.json",
     [](const std::string& filter) -> std::vector<std::string> {
       return {filter, "1"};
     }},
    {"instructions", "instruction_timing.cu", "h200_instructions.json", [](const std::string& filter) {
       std::vector<std::string> words = {"--launches", "1", "--spin", "1000", "--max-mb", "1"};
       if (!filter.empty()) words.insert(words.end(), {"--filter", filter});
       return words;
     }}};

struct Timed {
  const Part* part;
  TimingRun silicon, here;
  TimingComparison compared;
};

Status ended_well(int status, const std::string& what) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Error(what + (WIFSIGNALED(status) ? " was ended by signal " + std::to_string(WTERMSIG(status))
                                           : " ended with status " + std::to_string(exit_like(status))));
}

// Compiles and runs one program in `scratch`.
Result<TimingRun> measure(const Part& part, const TimingOptions& o, const fs::path& scratch) {
  const std::string source = (fs::path(o.folder) / part.source).string(), program = (scratch / part.name).string();
  std::vector<std::string> compile = {tool_file("nvcc"), "-O3", "-std=c++17", "-o", program, source};
  if (compile[0].empty()) return Error("'nvcc' is not built");
  for (const std::string& name : o.defines) compile.push_back("-D" + name);
  if (auto ok = ended_well(run_child(compile, {}), "the compiler, given " + source + ","); !ok) return ok.error();
  std::vector<std::string> command = part.arguments(o.filter);
  command.insert(command.begin(), program);
  const std::string output = program + ".json";
  const int status = run_child(command, {{"HEDDLE_DEVICE", o.device}, {"HEDDLE_PRESET", o.preset}}, output);
  const auto text = read_file(output);
  if (!text) return text.error();
  auto run = read_timing(*text, "what " + part.source + " printed");
  // A program that finds results wrong says so in its output, too.
  if (run && !run->wrong.empty()) return run;
  if (auto ok = ended_well(status, part.source); !ok) return ok.error();
  return run;
}

void print(const Timed& timed, const TimingOptions& o) {
  const TimingComparison& c = timed.compared;
  size_t width = 4;
  for (const TimingPair& p : c.pairs) width = std::max(width, p.name.size());
  const int w = static_cast<int>(width);
  std::printf("%s: cycles of %s, and here (%s, %s)\n", timed.part->name.c_str(), timed.silicon.device.c_str(),
              o.device.c_str(), o.preset.c_str());
  std::printf("%-*s %12s %12s %8s\n", w, "case", "silicon", "here", "ratio");
  for (const TimingPair& p : c.pairs)
    std::printf("%-*s %12.2f %12.2f %8.2f\n", w, p.name.c_str(), p.silicon, p.here, p.ratio());
  for (const std::string& name : c.missing) std::printf("not here: %s\n", name.c_str());
  for (const std::string& name : timed.here.wrong) std::printf("WRONG RESULT: %s\n", name.c_str());
  std::printf(
      "%s: %zu cases, %zu not here; mean absolute error %.1f%% of silicon's cycles, geometric mean of ratios %.3f, "
      "correlation of logarithms %.4f\n",
      timed.part->name.c_str(), c.pairs.size(), c.missing.size(), 100 * c.mean_absolute_error, c.geometric_mean,
      c.correlation);
}

nlohmann::json as_json(const Timed& timed) {
  const TimingComparison& c = timed.compared;
  nlohmann::json cases = nlohmann::json::array();
  for (const TimingPair& p : c.pairs)
    cases.push_back({{"name", p.name}, {"silicon", p.silicon}, {"here", p.here}, {"ratio", p.ratio()}});
  return {{"part", timed.part->name},
          {"silicon", timed.silicon.device},
          {"cases", cases},
          {"not_here", c.missing},
          {"wrong_results", timed.here.wrong},
          {"mean_absolute_error", c.mean_absolute_error},
          {"geometric_mean_of_ratios", c.geometric_mean},
          {"correlation_of_logarithms", c.correlation}};
}

// What is recorded in the folder and was asked for.
Result<std::vector<Timed>> read_folder(const TimingOptions& o) {
  std::vector<Timed> found;
  for (const Part& part : kParts) {
    if (!o.only.empty() && o.only != part.name) continue;
    if (!fs::exists(fs::path(o.folder) / part.source)) continue;
    const std::string file = (fs::path(o.folder) / part.silicon).string();
    const auto text = read_file(file);
    if (!text) return text.error();
    auto silicon = read_timing(*text, file);
    if (!silicon) return silicon.error();
    found.push_back({&part, std::move(*silicon), {}, {}});
  }
  if (found.empty()) {
    std::string names;
    for (const Part& part : kParts)
      if (o.only.empty() || o.only == part.name) names += (names.empty() ? "" : " or ") + part.source;
    return Error(o.folder + " has no " + names);
  }
  return found;
}

int timing(const TimingOptions& o) {
  const auto installation = device::Installation::find();
  const auto preset = installation.preset_file(o.preset);
  if (!preset) return print_error(preset.error().message()), 2;
  const auto backend = installation.backend(o.device, preset->stem().string());
  if (!backend) return print_error(backend.error().message()), 2;
  auto parts = read_folder(o);
  if (!parts) return print_error(parts.error().message()), 2;
  std::erase_if(*parts, [&](const Timed& timed) {
    return std::none_of(timed.silicon.cases.begin(), timed.silicon.cases.end(),
                        [&](const TimingCase& c) { return c.subject.find(o.filter) != std::string::npos; });
  });
  const auto scratch = TemporaryFolder::make("timing");
  if (!scratch) return print_error(scratch.error().message()), 1;
  int status = 0;
  size_t compared = 0;
  nlohmann::json document = {{"device", o.device}, {"preset", o.preset}, {"parts", nlohmann::json::array()}};
  for (Timed& timed : *parts) {
    auto here = measure(*timed.part, o, scratch->name());
    if (!here) {
      print_error(here.error().message());
      status = 1;
      continue;
    }
    timed.here = std::move(*here);
    timed.compared = compare_timing(timed.silicon, timed.here, o.filter);
    compared += timed.compared.pairs.size();
    if (!timed.here.wrong.empty()) status = 1;
    if (o.json) document["parts"].push_back(as_json(timed));
    else print(timed, o);
  }
  if (o.json) std::printf("%s\n", document.dump(2).c_str());
  if (compared == 0) print_error("no case was compared"), status = 1;
  return status;
}

}  // namespace

void add_timing(CLI::App& app, int& status) {
  auto o = std::make_shared<TimingOptions>();
  CLI::App* c = app.add_subcommand("timing", "compare cycles of kernels and instructions with a real GPU's");
  c->add_option("--device", o->device, "rtl, lockstep or model (whose cycles are no time)")->capture_default_str();
  c->add_option("--preset", o->preset, "name of a preset, or a .toml file")->capture_default_str();
  c->add_option("--filter", o->filter,
                "only kernels and instructions whose name holds this text (an instruction takes seconds on the RTL)");
  c->add_option("--only", o->only, "only this part")->check(CLI::IsMember({"kernels", "instructions"}));
  c->add_option("--define", o->defines, "what is defined where the programs are compiled (NO_TENSOR, …)")
      ->capture_default_str()
      ->delimiter(',');
  c->add_flag("--json", o->json, "print JSON");
  c->add_option(
       "folder", o->folder,
       "holds kernel_timing.cu and h200_kernels.json, instruction_timing.cu and h200_instructions.json, or both")
      ->required();
  c->callback([o, &status] { status = timing(*o); });
}

}  // namespace heddle::tools
