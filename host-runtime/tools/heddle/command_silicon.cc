// SPDX-License-Identifier: Apache-2.0
// heddle silicon: the same instructions on the same inputs as a real GPU, compared bit by bit.
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "host-runtime/compiler/compile.h"
#include "host-runtime/tools/heddle/commands.h"
#include "host-runtime/tools/heddle/session.h"
#include "host-runtime/tools/heddle/silicon.h"

namespace heddle::tools {
namespace {

struct SiliconOptions {
  std::string device = "model", preset = "cc80", pattern, folder;
  size_t limit = 20;
  bool require_all = false;
};

struct Score {
  size_t ops = 0, exact_ops = 0, vectors = 0, exact_vectors = 0, printed = 0;
  std::vector<std::string> not_run;  // "name: why"
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void print_mismatch(const SiliconOp& op, size_t row, const uint64_t* answer) {
  const uint64_t* words = op.rows.data() + row * op.columns();
  std::printf("%s row %zu:", op.name.c_str(), row);
  for (size_t i = 0; i < op.inputs.size(); ++i)
    std::printf(" %c(%s)=0x%" PRIx64, "abcd"[i], op.inputs[i].c_str(), words[i]);
  for (size_t k = 0; k < op.outputs.size(); ++k)
    std::printf("  %s(%s): silicon 0x%" PRIx64 ", here 0x%" PRIx64, k ? "o2" : "o", op.outputs[k].c_str(),
                words[op.inputs.size() + k], answer[k]);
  std::printf("\n");
}

void compare(const SiliconOp& op, const std::vector<uint64_t>& answers, size_t limit, Score& score) {
  size_t exact = 0;
  for (size_t row = 0; row < op.count; ++row) {
    const uint64_t* expected = op.rows.data() + row * op.columns() + op.inputs.size();
    const uint64_t* answer = answers.data() + row * op.outputs.size();
    if (std::equal(expected, expected + op.outputs.size(), answer)) ++exact;
    else if (score.printed++ < limit) print_mismatch(op, row, answer);
  }
  ++score.ops;
  score.vectors += op.count;
  score.exact_vectors += exact;
  if (exact == op.count) ++score.exact_ops;
  else std::printf("%s: %zu of %zu vectors differ\n", op.name.c_str(), op.count - exact, op.count);
}

int silicon(const SiliconOptions& o) {
  const auto ops = read_silicon(o.folder);
  if (!ops) return print_error(ops.error().message()), 2;
  std::unique_ptr<driver::Context> context;
  Score score;
  Status compared;
  const auto close = [&] {
    if (context && compared) compared = context->check_compared();
    context.reset();
  };
  for (const auto& op : *ops) {
    if (!matches(o.pattern, op.name)) continue;
    auto compiled = compiler::compile({op.name, silicon_ptx(op)});
    if (!compiled) {
      score.not_run.push_back(op.name + ": " + first_line(compiled.error().message()));
      continue;
    }
    if (!context) {
      auto opened = open_context(o.device, o.preset);
      if (!opened) return print_error(opened.error().message()), 2;
      context = std::move(*opened);
    }
    auto module = context->load(std::move(compiled->cubin));
    const driver::Kernel* kernel = module ? (*module)->kernel("op") : nullptr;
    Result<std::vector<uint64_t>> answers =
        kernel ? run_silicon(*context, *kernel, op)
               : Result<std::vector<uint64_t>>(module ? Error("the kernel is not in the module") : module.error());
    if (answers) {
      compare(op, *answers, o.limit, score);
      continue;
    }
    std::printf("%s: %s\n", op.name.c_str(), answers.error().message().c_str());
    ++score.ops;
    score.vectors += op.count;
    close();  // a fault stays until then
  }
  close();
  for (const auto& line : score.not_run) std::printf("not run: %s\n", line.c_str());
  if (!score.not_run.empty()) std::printf("not run: %zu ops that the compiler refuses\n", score.not_run.size());
  if (score.printed > o.limit) std::printf("%zu more vectors differ (--limit)\n", score.printed - o.limit);
  if (!compared) std::printf("%s\n", compared.error().message().c_str());
  std::printf("ops: %zu of %zu exact, %zu of %zu vectors exact\n", score.exact_ops, score.ops, score.exact_vectors,
              score.vectors);
  const bool complete = score.ops > 0 && (!o.require_all || score.not_run.empty());
  return complete && score.exact_ops == score.ops && compared ? 0 : 1;
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
  c->add_option("folder", o->folder, "holds ptx_ops.json and ptx_ops.bin")->required();
  c->callback([o, &status] { status = silicon(*o); });
}

}  // namespace heddle::tools
