// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/compile.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "host-runtime/compiler/lower/lower.h"
#include "host-runtime/compiler/ptx/check.h"
#include "host-runtime/compiler/ptx/parser.h"

namespace heddle::compiler {

Result<CompileResult> compile(const PtxSource& ptx, const CompileOptions& options) {
  ptx::Diagnostics diagnostics;
  std::vector<std::unique_ptr<ptx::Module>> modules;
  std::vector<lower::Input> inputs;
  const auto read = [&](const PtxSource& source, bool library) {
    auto text = std::make_shared<const ptx::Source>(source.name, source.text);
    modules.push_back(ptx::parse(text, diagnostics));
    if (!diagnostics.has_errors()) ptx::check(*modules.back(), diagnostics);
    inputs.push_back({modules.back().get(), library});
  };
  read(ptx, false);
  for (const PtxSource& other : options.more) read(other, false);
  for (const PtxSource& library : options.libraries) read(library, true);
  if (diagnostics.has_errors()) return Error(diagnostics.render(), Code::InvalidPtx);
  mir::Module module = lower::lower(inputs,
                                    {.relocatable = options.relocatable,
                                     .has_fp64 = options.has_fp64,
                                     .has_fp16 = options.has_fp16,
                                     .has_tensor = options.has_tensor,
                                     .has_matrix_load = options.has_matrix_load,
                                     .has_float_atomics = options.has_float_atomics},
                                    diagnostics);
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
