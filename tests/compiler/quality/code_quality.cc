// SPDX-License-Identifier: Apache-2.0
// code_quality FOLDER [--markdown FILE] compiles FOLDER/ptx/*.ptx, runs the launches of FOLDER/launches.txt on the
// golden model and lists registers, instructions and warp instructions executed beside those of FOLDER/recorded.json,
// what another vendor's compiler and GPU made of the same PTX. It fails when a kernel leaves other values in memory
// than that GPU did, or executes more instructions than `limit` times its own and FOLDER/exceptions.txt does not know
// the kernel.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/session.h"
#include "tests/compiler/quality/launches.h"

namespace heddle::quality {
namespace {

constexpr double kLimit = 1.5;

struct Counts {
  unsigned registers = 0, spilled = 0;
  uint64_t instructions = 0, executed = 0;
  std::string digest;
};

struct Row {
  std::string file, kernel;
  Counts ours, theirs;
};

uint64_t device_bytes(const Bytes& b) { return std::max<size_t>(b.size(), 4); }

Result<Counts> run(const Launch& l, driver::Context& c, const driver::Module& module) {
  const driver::Kernel* kernel = module.kernel(l.kernel);
  if (!kernel) return Error("no kernel '" + l.kernel + "'");
  Bytes params(kernel->info->param_bytes);
  std::vector<uint64_t> places;
  for (size_t i = 0; i < l.arguments.size(); ++i) {
    if (i >= kernel->info->params.size()) return Error("too many arguments for '" + l.kernel + "'");
    const formats::CubinParam& p = kernel->info->params[i];
    const Bytes& bytes = l.arguments[i].bytes;
    if (!l.arguments[i].buffer) {
      if (p.size != bytes.size()) return Error(fmt::format("'{}': parameter {} has {} bytes", l.kernel, i, p.size));
      std::memcpy(&params[p.offset], bytes.data(), p.size);
      continue;
    }
    auto place = c.memory().allocate(device_bytes(bytes));
    if (!place) return place.error();
    places.push_back(*place);
    std::memcpy(&params[p.offset], &*place, sizeof *place);
    if (auto s = c.copies().copy_in(*place, bytes.data(), bytes.size()); !s) return s.error();
  }
  const driver::LaunchShape shape{{l.grid[0], l.grid[1], l.grid[2]}, {l.block[0], l.block[1], l.block[2]}, 0};
  if (auto s = c.launcher().launch(*kernel, shape, 0, params.data()); !s) return s.error();
  std::vector<Bytes> out;
  for (const Argument& a : l.arguments)
    if (a.buffer) out.emplace_back(a.bytes.size());
  for (size_t i = 0; i < out.size(); ++i)
    if (auto s = c.copies().copy_out(out[i].data(), places[i], out[i].size()); !s) return s.error();
  if (auto s = c.waits().synchronize(); !s) return s.error();
  Counts counts;
  counts.registers = kernel->info->registers;
  counts.spilled = kernel->info->spill_stores + kernel->info->spill_loads;
  counts.instructions = kernel->info->bytes / isa::kInstructionBytes;
  counts.executed = c.report().kernels.back().warp_instructions;
  counts.digest = fmt::format("{:016x}", digest(out));
  for (uint64_t place : places)
    if (auto s = c.memory().release(place); !s) return s.error();
  return counts;
}

Counts recorded(const nlohmann::json& all, const Launch& l) {
  Counts counts;
  if (!all.contains(l.file) || !all[l.file].contains(l.kernel)) return counts;
  const nlohmann::json& k = all[l.file][l.kernel];
  counts.registers = k.value("registers", 0u);
  counts.spilled = k.value("spilled", 0u);
  counts.instructions = k.value("instructions", uint64_t{0});
  counts.executed = k.value("executed", uint64_t{0});
  counts.digest = k.value("digest", "");
  return counts;
}

double ratio(uint64_t ours, uint64_t theirs) { return theirs ? double(ours) / double(theirs) : 0; }

std::string table(const std::vector<Row>& rows) {
  std::string text =
      "| program | kernel | registers | ptxas | ratio | instructions | ptxas | executed | ptxas | ratio |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  double registers = 0, executed = 0;
  for (const Row& r : rows) {
    text += fmt::format("| {} | {} | {} | {} | {:.2f} | {} | {} | {} | {} | {:.2f} |\n", r.file, r.kernel,
                        r.ours.registers, r.theirs.registers, ratio(r.ours.registers, r.theirs.registers),
                        r.ours.instructions, r.theirs.instructions, r.ours.executed, r.theirs.executed,
                        ratio(r.ours.executed, r.theirs.executed));
    registers += std::log(std::max(ratio(r.ours.registers, r.theirs.registers), 1e-9));
    executed += std::log(std::max(ratio(r.ours.executed, r.theirs.executed), 1e-9));
  }
  const double n = double(rows.size());
  return text + fmt::format("| | geometric mean | | | {:.2f} | | | | | {:.2f} |\n", std::exp(registers / n),
                            std::exp(executed / n));
}

Result<std::string> text_of(const std::filesystem::path& file) {
  auto bytes = read_file(file.string());
  if (!bytes) return bytes.error();
  return std::string(bytes->begin(), bytes->end());
}

int fail(const std::string& message) { return std::fprintf(stderr, "code_quality: %s\n", message.c_str()), 1; }

int compare(const std::filesystem::path& folder, const char* markdown) {
  std::vector<Launch> launches;
  std::string wrong;
  if (!read_launches((folder / "launches.txt").string(), launches, wrong)) return fail(wrong);
  const auto record = text_of(folder / "recorded.json");
  if (!record) return fail(record.error().message());
  const auto exceptions = text_of(folder / "exceptions.txt");
  if (!exceptions) return fail(exceptions.error().message());
  const auto theirs = nlohmann::json::parse(*record, nullptr, false);
  if (theirs.is_discarded()) return fail("recorded.json is not JSON");
  auto context = tools::open_context("model", "cc80");
  if (!context) return fail(context.error().message());
  std::map<std::string, driver::Module*> modules;
  std::vector<Row> rows;
  int bad = 0;
  for (const Launch& l : launches) {
    driver::Module*& module = modules[l.file];
    if (!module) {
      const auto ptx = text_of(folder / "ptx" / (l.file + ".ptx"));
      if (!ptx) return fail(ptx.error().message());
      auto loaded = tools::load_ptx(**context, l.file, *ptx);
      if (!loaded) return fail(loaded.error().message());
      module = *loaded;
    }
    auto ours = run(l, **context, *module);
    if (!ours) return fail(l.kernel + ": " + ours.error().message());
    rows.push_back({l.file, l.kernel, *ours, recorded(theirs, l)});
    const Row& r = rows.back();
    if (!r.theirs.digest.empty() && r.theirs.digest != r.ours.digest)
      bad += fail(fmt::format("{} {}: other values in memory than silicon's", l.file, l.kernel));
    const bool known = exceptions->find("\n" + l.file + " " + l.kernel + ":") != std::string::npos;
    const bool more =
        ratio(r.ours.executed, r.theirs.executed) > kLimit || ratio(r.ours.registers, r.theirs.registers) > kLimit;
    if (more != known)
      bad += fail(fmt::format("{} {}: {} {} times ptxas's counts; exceptions.txt says otherwise", l.file, l.kernel,
                              more ? "above" : "within", kLimit));
  }
  const std::string text = table(rows);
  std::fputs(text.c_str(), stdout);
  if (markdown)
    if (auto s = write_file(markdown, text.data(), text.size()); !s) return fail(s.error().message());
  return bad != 0;
}

}  // namespace
}  // namespace heddle::quality

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: code_quality FOLDER [--markdown FILE]\n"), 2;
  const bool markdown = argc == 4 && std::string(argv[2]) == "--markdown";
  return heddle::quality::compare(argv[1], markdown ? argv[3] : nullptr);
}
