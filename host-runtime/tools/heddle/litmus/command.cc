// SPDX-License-Identifier: Apache-2.0
// heddle litmus: tests of the memory model, many runs of each with random delays and addresses.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/litmus/translate.h"
#include "host-runtime/tools/heddle/litmus/verdict.h"

namespace heddle::tools {
namespace {

using namespace litmus;

struct LitmusOptions {
  RunOptions run;
  std::vector<std::string> files;
  std::string expected;
  bool json = false, require_all = false, may_hang = false, ptx = false;
};

struct Tally {
  size_t tests = 0, refused = 0, failed = 0, unfinished = 0, weak_seen = 0;
  size_t errors = 0;  // of the device, lockstep's among them
};

std::string text_of(const Test& test, const State& state) {
  std::string text;
  for (size_t i = 0; i < state.size(); ++i) {
    if (i) text += ' ';
    text += test.observed[i].text();
    text += '=';
    text += std::to_string(state[i]);
  }
  return text;
}

void print_test(const Test& test, bool holds, const Counts& counts, const Verdict& v) {
  std::printf("%s: %s %s%s\n", test.file.c_str(), name_of(test.quantifier), test.condition_text.c_str(),
              holds ? "" : " (expected not to hold)");
  std::printf("  runs %" PRIu64 ", %" PRIu64 " of them over SMs; condition held %" PRIu64 " times", counts.runs,
              counts.across, v.held);
  if (counts.unfinished) std::printf("; %" PRIu64 " did not end", counts.unfinished);
  std::printf("\n");
  for (const auto& [state, runs] : counts.states)
    std::printf("  %8" PRIu64 " %c %s\n", runs,
                is_forbidden(test, holds, state) ? '!'
                : test.condition->holds(state)   ? '*'
                                                 : ' ',
                text_of(test, state).c_str());
  std::printf("  %s%s%s\n", v.text.c_str(), counts.hung ? "; a launch was stopped: " : "", counts.why.c_str());
}

nlohmann::ordered_json entry(const Test& test, bool holds, const Counts& counts, const Verdict& v) {
  auto states = nlohmann::ordered_json::array();
  for (const auto& [state, runs] : counts.states) {
    nlohmann::ordered_json values;
    for (size_t i = 0; i < state.size(); ++i) values[test.observed[i].text()] = state[i];
    states.push_back({{"state", values},
                      {"runs", runs},
                      {"condition", test.condition->holds(state)},
                      {"forbidden", is_forbidden(test, holds, state)}});
  }
  return {{"file", test.file},
          {"name", test.name},
          {"quantifier", name_of(test.quantifier)},
          {"condition", test.condition_text},
          {"forbids", v.forbids},
          {"runs", counts.runs},
          {"unfinished", counts.unfinished},
          {"over_sms", counts.across},
          {"held", v.held},
          {"forbidden_seen", v.forbidden},
          {"states", states},
          {"verdict", v.text},
          {"stopped", counts.why}};
}

// All are read before one runs: a mistake in the last one is found at once.
Result<std::vector<Test>> read_tests(const std::vector<std::string>& files) {
  std::vector<Test> tests;
  std::string wrong;
  for (const auto& file : files) {
    const auto text = read_file(file);
    if (!text) return text.error();
    auto test = parse(file, *text);
    if (test) tests.push_back(std::move(*test));
    else wrong += (wrong.empty() ? "" : "\n") + test.error().message();
  }
  if (!wrong.empty()) return Error(wrong);
  return tests;
}

Result<Expected> read_expected(const std::string& file) {
  if (file.empty()) return Expected();
  const auto text = read_file(file);
  return text ? Expected::parse(file, *text) : Result<Expected>(text.error());
}

int print_ptx(const std::vector<Test>& tests, const RunOptions& run) {
  for (const Test& test : tests) {
    const auto ptx = translate(test, run.turns);
    if (!ptx) return print_error(ptx.error().message()), 2;
    std::printf("%s", ptx->c_str());
  }
  return 0;
}

int litmus_tests(const LitmusOptions& o) {
  const auto tests = read_tests(o.files);
  if (!tests) return print_error(tests.error().message()), 2;
  const auto expected = read_expected(o.expected);
  if (!expected) return print_error(expected.error().message()), 2;
  if (o.ptx) return print_ptx(*tests, o.run);
  Device device(o.run);
  Tally tally;
  auto list = nlohmann::ordered_json::array();
  for (const Test& test : *tests) {
    ++tally.tests;
    if (const auto ptx = translate(test, o.run.turns); !ptx) {
      ++tally.refused;
      if (o.json) list.push_back({{"file", test.file}, {"name", test.name}, {"refused", ptx.error().message()}});
      else std::printf("refused: %s\n", ptx.error().message().c_str());
      continue;
    }
    const auto counts = device.run(test);
    if (!counts) {
      ++tally.errors;
      print_error(test.file + ": " + counts.error().message());
      if (o.json) list.push_back({{"file", test.file}, {"name", test.name}, {"error", counts.error().message()}});
      continue;
    }
    const bool holds = expected->holds(test.file);
    const Verdict v = judge(test, holds, *counts);
    tally.failed += v.forbidden > 0;
    tally.unfinished += v.unfinished;
    tally.weak_seen += !v.forbids && v.text == "ok: allowed, seen";
    if (o.json) list.push_back(entry(test, holds, *counts, v));
    else print_test(test, holds, *counts, v);
    std::fflush(stdout);
  }
  const Status compared = device.close();
  if (!compared) print_error(compared.error().message());
  const bool bad = tally.failed || tally.errors || (tally.unfinished && !o.may_hang) ||
                   (tally.refused && o.require_all) || !compared;
  if (o.json) std::printf("%s\n", list.dump(2).c_str());
  else
    std::printf(
        "%zu tests: %zu with a forbidden outcome, %zu allowed outcomes seen, %zu did not end, %zu refused%s\n%s\n",
        tally.tests, tally.failed, tally.weak_seen, tally.unfinished, tally.refused,
        tally.errors ? ("; " + std::to_string(tally.errors) + " stopped by an error").c_str() : "",
        bad ? "FAILED" : "PASSED");
  return bad ? 1 : 0;
}

}  // namespace

void add_litmus(CLI::App& app, int& status) {
  auto o = std::make_shared<LitmusOptions>();
  CLI::App* c = app.add_subcommand("litmus", "litmus tests of the memory model: states seen, and forbidden ones");
  c->add_option("--device", o->run.device, "model, rtl or lockstep")->capture_default_str();
  c->add_option("--preset", o->run.preset, "name of a preset, or a .toml file")->capture_default_str();
  c->add_option("--runs", o->run.runs, "runs of each test")->capture_default_str()->check(CLI::PositiveNumber);
  c->add_option("--seed", o->run.seed, "of delays, addresses and placement")->capture_default_str();
  c->add_option("--turns", o->run.turns, "ways back in its loops that a thread may take in a run")
      ->capture_default_str()
      ->check(CLI::Range(2u, 1000000u));
  c->add_option("--expected", o->expected,
                "a list of tests with 1 or 0: whether a test's statement holds in the model");
  c->add_flag("--json", o->json, "print a list in JSON");
  c->add_flag("--ptx", o->ptx, "print the kernels and run nothing");
  c->add_flag("--require-all", o->require_all, "a test that is refused fails the run");
  c->add_flag("--may-hang", o->may_hang, "a test of which no run ends does not fail the run");
  c->add_option("files", o->files, ".litmus files")->required();
  c->callback([o, &status] { status = litmus_tests(*o); });
}

}  // namespace heddle::tools
