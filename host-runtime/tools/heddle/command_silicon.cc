// SPDX-License-Identifier: Apache-2.0
// heddle silicon: the same instructions on the same inputs as a real GPU, compared bit by bit; approximations
// by the error that PTX allows.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "host-runtime/compiler/compile.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/session.h"
#include "host-runtime/tools/heddle/silicon.h"
#include "host-runtime/tools/heddle/silicon_bounds.h"

namespace heddle::tools {
namespace {

struct SiliconOptions {
  std::string device = "model", preset = "cc80", pattern, folder;
  size_t limit = 20;
  bool require_all = false, exact = false;
};

// Vectors: rows, or cases of a warp or a grid.
struct Tally {
  size_t ops = 0, right_ops = 0, vectors = 0, exact_vectors = 0;
};

struct Score {
  Tally exact[4], approximate;  // ops whose bits are defined, by their kind; those with an error bound
  size_t printed = 0;
  std::vector<std::string> not_run;  // "name: why"

  Tally& of(const SiliconOp& op) { return ErrorBound::of(op.name) ? approximate : exact[static_cast<size_t>(op.kind)]; }
  size_t ops() const {
    size_t n = approximate.ops;
    for (const Tally& t : exact) n += t.ops;
    return n;
  }
  size_t wrong_ops() const {
    size_t n = approximate.ops - approximate.right_ops;
    for (const Tally& t : exact) n += t.ops - t.right_ops;
    return n;
  }
};

const char* unit(const SiliconOp& op) { return op.case_rows > 1 ? "cases" : "vectors"; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void print_mismatch(const SiliconOp& op, size_t row, const uint64_t* answer) {
  const uint64_t* words = op.rows.data() + row * op.columns();
  if (op.case_rows > 1) std::printf("%s case %zu, lane %zu:", op.name.c_str(), row / op.case_rows, row % op.case_rows);
  else std::printf("%s row %zu:", op.name.c_str(), row);
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (!op.inputs[i].empty())
      std::printf(" %s(%s)=0x%" PRIx64, op.input_names[i].c_str(), op.inputs[i].c_str(), words[i]);
  for (size_t k = 0; k < op.outputs.size(); ++k)
    if (!op.outputs[k].empty() || words[op.inputs.size() + k] != answer[k])
      std::printf("  %s(%s): silicon 0x%" PRIx64 ", here 0x%" PRIx64, op.output_names[k].c_str(), op.outputs[k].c_str(),
                  words[op.inputs.size() + k], answer[k]);
  std::printf("\n");
}

void compare(const SiliconOp& op, const std::vector<uint64_t>& answers, size_t limit, Score& score) {
  const std::optional<ErrorBound> bound = ErrorBound::of(op.name);
  size_t exact = 0, right = 0;
  double worst = 0;
  const size_t cases = op.count / op.case_rows;
  for (size_t c = 0; c < cases; ++c) {
    bool equal = true, within = true;
    for (size_t row = c * op.case_rows; row < (c + 1) * op.case_rows; ++row) {
      const uint64_t* inputs = op.rows.data() + row * op.columns();
      const uint64_t* expected = inputs + op.inputs.size();
      const uint64_t* answer = answers.data() + row * op.outputs.size();
      const bool row_equal = std::equal(expected, expected + op.outputs.size(), answer);
      ErrorBound::Verdict verdict{row_equal, 0};
      if (bound) verdict = bound->judge(inputs, *answer, *expected);
      worst = std::max(worst, verdict.ulps);
      // Of a case, the first row that is wrong.
      if (!verdict.within && within && score.printed++ < limit) print_mismatch(op, row, answer);
      equal &= row_equal;
      within &= verdict.within;
    }
    exact += equal;
    right += within;
  }
  Tally& tally = score.of(op);
  ++tally.ops;
  tally.right_ops += right == cases;
  tally.vectors += cases;
  tally.exact_vectors += exact;
  if (bound)
    std::printf("%s: worst error %.2f ulp, %zu of %zu vectors bit-equal\n", op.name.c_str(), worst, exact, cases);
  if (right != cases)
    std::printf("%s: %zu of %zu %s %s\n", op.name.c_str(), cases - right, cases, unit(op),
                bound ? "exceed PTX's error bound" : "differ");
}

void print_totals(const Score& score) {
  const Tally& a = score.approximate;
  if (a.ops)
    std::printf("approximate ops: %zu of %zu within PTX's error bounds, %zu of %zu vectors bit-equal\n", a.right_ops,
                a.ops, a.exact_vectors, a.vectors);
  static constexpr const char* kLines[][2] = {{"ops", "vectors"},
                                              {"forms of atomics", "vectors"},
                                              {"atomics of a warp", "cases"},
                                              {"atomics of many warps", "cases"}};
  for (size_t i = std::size(kLines); i-- > 0;) {
    const Tally& e = score.exact[i];
    if (e.ops || (i == 0 && score.ops() == a.ops))
      std::printf("%s: %zu of %zu exact, %zu of %zu %s exact\n", kLines[i][0], e.right_ops, e.ops, e.exact_vectors,
                  e.vectors, kLines[i][1]);
  }
}

// The last line: whether the exit status is 0, and why not.
bool verdict(const Score& score, bool require_all, bool exact, const Status& compared) {
  std::vector<std::string> wrong;
  const size_t bad = score.wrong_ops(), refused = score.not_run.size();
  if (score.ops() == 0) wrong.emplace_back("no op was run");
  if (bad) wrong.push_back(std::to_string(bad) + " ops answer wrongly");
  if (require_all && refused)
    wrong.push_back(std::to_string(refused) + " ops are refused by the compiler (--require-all)");
  const size_t near = score.approximate.vectors - score.approximate.exact_vectors;
  if (exact && near) wrong.push_back(std::to_string(near) + " approximate vectors are not bit-equal (--exact)");
  if (!compared) wrong.push_back(compared.error().message());
  std::string text = wrong.empty() ? "PASSED" : "FAILED";
  for (const std::string& w : wrong) text += (&w == wrong.data() ? ": " : "; ") + w;
  if (wrong.empty() && refused) text += "; " + std::to_string(refused) + " ops are refused by the compiler (see above)";
  std::printf("%s\n", text.c_str());
  return wrong.empty();
}

int silicon(const SiliconOptions& o) {
  const auto ops = read_silicon(o.folder);
  if (!ops) return print_error(ops.error().message()), 2;
  std::unique_ptr<driver::Context> context;
  Score score;
  Status compared;
  const auto close = [&] {
    if (context && compared) compared = context->check_lockstep();
    context.reset();
  };
  for (const auto& op : *ops) {
    if (!matches(o.pattern, op.name)) continue;
    if (!context) {
      auto opened = open_context(o.device, o.preset);
      if (!opened) return print_error(opened.error().message()), 2;
      context = std::move(*opened);
    }
    auto compiled = compiler::compile({op.name, silicon_ptx(op)}, options_for(context->preset()));
    if (!compiled) {
      score.not_run.push_back(op.name + ": " + first_line(compiled.error().message()));
      continue;
    }
    auto module = context->modules().load(std::move(compiled->cubin));
    const driver::Kernel* kernel = module ? (*module)->kernel(op.entry) : nullptr;
    Result<std::vector<uint64_t>> answers =
        kernel ? run_silicon(*context, *kernel, op)
               : Result<std::vector<uint64_t>>(module ? Error("the kernel is not in the module") : module.error());
    if (answers) {
      compare(op, *answers, o.limit, score);
      continue;
    }
    std::printf("%s: %s\n", op.name.c_str(), answers.error().message().c_str());
    Tally& tally = score.of(op);
    ++tally.ops;
    tally.vectors += op.count / op.case_rows;
    close();  // a fault stays until then
  }
  close();
  for (const auto& line : score.not_run) std::printf("not run: %s\n", line.c_str());
  if (score.printed > o.limit) std::printf("%zu more vectors are wrong (--limit)\n", score.printed - o.limit);
  print_totals(score);
  return verdict(score, o.require_all, o.exact, compared) ? 0 : 1;
}

}  // namespace

void add_silicon(CLI::App& app, int& status) {
  auto o = std::make_shared<SiliconOptions>();
  CLI::App* c = app.add_subcommand("silicon", "compare instructions with a real GPU's recorded answers");
  c->add_option("--device", o->device, "model, rtl or lockstep")->capture_default_str();
  c->add_option("--preset", o->preset, "name of a preset, or a .toml file")->capture_default_str();
  c->add_option("--op", o->pattern, "ops to run: parts of names, or shell patterns, separated by commas");
  c->add_option("--limit", o->limit, "vectors printed at most")->capture_default_str();
  c->add_flag("--require-all", o->require_all, "an op that the compiler refuses fails the run");
  c->add_flag("--exact", o->exact, "an approximate result that is not bit-equal fails the run");
  c->add_option("folder", o->folder,
                "holds ptx_ops.json and ptx_ops.bin, order.json, mma.json and mma.bin, mma_sp.json and mma_sp.bin, "
                "atomics.json, atomics.bin and atomics.ptx, or several of these")
      ->required();
  c->callback([o, &status] { status = silicon(*o); });
}

}  // namespace heddle::tools
