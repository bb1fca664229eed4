// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "host-runtime/compiler/lower/lower.h"
#include "host-runtime/compiler/ptx/check.h"
#include "host-runtime/compiler/ptx/parser.h"

namespace heddle::compiler {
namespace {

constexpr size_t kLongestStatement = 400;

// The statement that begins in line `number` of a text's lines: up to the last semicolon of the line, or up to the
// first one behind it; one blank for each gap.
std::string statement(const std::vector<std::string_view>& lines, uint32_t number) {
  std::string text;
  for (size_t n = number - 1; n < lines.size() && text.size() < kLongestStatement; n++) {
    const size_t end = lines[n].rfind(';');
    for (const char c : lines[n].substr(0, end == std::string_view::npos ? end : end + 1)) {
      if (c != ' ' && c != '\t' && c != '\r') text += c;
      else if (!text.empty() && text.back() != ' ') text += ' ';
    }
    if (end != std::string_view::npos) break;
    if (!text.empty() && text.back() != ' ') text += ' ';
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text.substr(0, kLongestStatement);
}

// Those that instructions come from, by module and line.
std::vector<formats::CubinStatement> statements(const std::vector<formats::CubinLine>& used,
                                                const std::vector<const PtxSource*>& modules) {
  std::set<std::pair<uint32_t, uint32_t>> wanted;
  for (const formats::CubinLine& l : used)
    if (l.line) wanted.emplace(l.file, l.line);
  std::vector<formats::CubinStatement> all;
  uint32_t module = mir::kNone;
  std::vector<std::string_view> lines;
  for (const auto& [of, number] : wanted) {
    if (of != module) {
      lines.clear();
      const std::string_view text = modules[of]->text;
      for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
      }
      module = of;
    }
    all.push_back({of, number, statement(lines, number)});
  }
  return all;
}

}  // namespace

Result<CompileResult> compile(const PtxSource& ptx, const CompileOptions& options) {
  ptx::Diagnostics diagnostics;
  std::vector<std::unique_ptr<ptx::Module>> modules;
  std::vector<lower::Input> inputs;
  std::vector<const PtxSource*> sources;
  const auto read = [&](const PtxSource& source, bool library) {
    auto text = std::make_shared<const ptx::Source>(source.name, source.text);
    modules.push_back(ptx::parse(text, diagnostics));
    if (!diagnostics.has_errors()) ptx::check(*modules.back(), diagnostics);
    if (options.newest_target && !library && modules.back()->target > options.newest_target) {
      diagnostics.error(text, modules.back()->target_loc,
                        fmt::format("SM version specified by .target is higher than sm_{}, which it is compiled for",
                                    options.newest_target));
    }
    inputs.push_back({modules.back().get(), library});
    sources.push_back(&source);
  };
  read(ptx, false);
  for (const PtxSource& other : options.more) read(other, false);
  for (const PtxSource& library : options.libraries) read(library, true);
  if (diagnostics.has_errors()) return Error(diagnostics.render(), Code::InvalidPtx);
  mir::Module module = lower::lower(inputs, {.relocatable = options.relocatable, .has = options.has}, diagnostics);
  if (diagnostics.has_errors()) return Error(diagnostics.render(), Code::InvalidPtx);
  if (options.relocatable) {
    formats::Cubin object;
    object.target = module.target;
    object.sources.push_back(ptx);
    return CompileResult{std::move(object), diagnostics.render()};
  }
  Result<formats::Cubin> cubin = generate(std::move(module), {.optimization = options.optimization,
                                                              .max_registers = options.max_registers,
                                                              .registers_per_sm = options.registers_per_sm,
                                                              .verify = options.verify,
                                                              .dump = options.dump});
  if (!cubin) return cubin.error().context(ptx.name);
  cubin->ptx = statements(cubin->ptx_lines, sources);
  if (!options.more.empty()) {
    cubin->sources.push_back(ptx);
    cubin->sources.insert(cubin->sources.end(), options.more.begin(), options.more.end());
  }
  return CompileResult{std::move(*cubin), diagnostics.render()};
}

std::string resource_usage(const formats::Cubin& cubin) {
  std::string out;
  if (cubin.global_bytes || cubin.const_bytes)
    out += fmt::format("ptxas info    : {} bytes gmem{}\n", cubin.global_bytes,
                       cubin.const_bytes ? fmt::format(", {} bytes cmem[1]", cubin.const_bytes) : "");
  for (const formats::CubinKernel& k : cubin.kernels) {
    out += fmt::format("ptxas info    : Compiling entry function '{}' for '{}'\n", k.name, cubin.target);
    out += fmt::format("ptxas info    : Function properties for {}\n", k.name);
    out += fmt::format("    {} bytes stack frame, {} bytes spill stores, {} bytes spill loads\n", k.local_bytes,
                       k.spill_stores, k.spill_loads);
    out += fmt::format("ptxas info    : Used {} registers, used {} barriers", k.registers, k.barriers);
    if (k.shared_bytes) out += fmt::format(", {} bytes smem", k.shared_bytes);
    out += fmt::format(", {} bytes cmem[0]\n", k.param_bytes);
  }
  return out;
}

}  // namespace heddle::compiler
