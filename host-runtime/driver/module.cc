// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/module.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace heddle::driver {
namespace {

// The product of the extents given; 0: none.
uint32_t product(const uint32_t (&extent)[3]) {
  if (!extent[0] && !extent[1] && !extent[2]) return 0;
  uint32_t all = 1;
  for (const uint32_t e : extent) all *= e ? e : 1;
  return all;
}

}  // namespace

std::optional<MissingHardware> missing_hardware(const formats::Cubin& cubin, const Preset::Structure& structure) {
  const auto missing = [&](bool there, auto used, std::string_view what) -> std::optional<MissingHardware> {
    if (there) return std::nullopt;
    const auto pc = cubin.first_use(used);
    return pc ? std::optional(MissingHardware{*pc, what}) : std::nullopt;
  };
  const Features has = structure.features();
  if (auto m = missing(has.fp64, isa::Unit::Fp64, "double precision")) return m;
  if (auto m = missing(has.fp16, isa::Unit::Fp16, "half precision")) return m;
  if (auto m = missing(has.tensor, isa::Unit::Tensor, "a tensor unit")) return m;
  if (const auto pc = cubin.first_float_atomic(); pc && !has.float_atomics)
    return MissingHardware{*pc, "atomics of floating-point numbers"};
  if (auto m = missing(has.dmma, isa::Opcode::Dmma, "matrix products in double precision (row_lanes = 32)")) return m;
  if (auto m = missing(has.async_copy, isa::Opcode::Ldgsts, "asynchronous copies (row_lanes = 32)")) return m;
  if (auto m = missing(has.clusters, isa::Opcode::Cbar, "clusters of blocks (cluster_blocks = 1)")) return m;
  return missing(has.matrix_load, isa::Opcode::Ldsm, "loads of matrices (row_lanes = 32)");
}

std::string demangle(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      ::abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

Module::Module(formats::Cubin cubin, const Placement& placement) : cubin_(std::move(cubin)), placement_(placement) {
  for (const auto& k : cubin_.kernels) {
    const uint32_t required = product(k.required_threads);
    kernels_.emplace(k.name, Kernel{&k,
                                    this,
                                    placement.code_pc + k.entry,
                                    demangle(k.name),
                                    required ? required : product(k.max_threads),
                                    {k.required_cluster[0], k.required_cluster[1], k.required_cluster[2]}});
  }
  for (const auto& f : cubin_.functions) {
    prints_ = prints_ || f.name == "vprintf" || f.name == "__assertfail";
    allocates_ = allocates_ || f.name == "malloc" || f.name == "free";
  }
  for (const auto& r : cubin_.relocs) locks_ = locks_ || r.name == formats::kWideLocks;
  for (const auto& v : cubin_.variables) {
    const bool constant = v.segment == formats::Segment::Const;
    const uint64_t base = constant ? placement.constants : placement.globals;
    variables_.emplace(v.name, Variable{base + v.offset, v.size, constant});
  }
}

const Kernel* Module::kernel(const std::string& name) const {
  const auto it = kernels_.find(name);
  return it == kernels_.end() ? nullptr : &it->second;
}

const Variable* Module::variable(const std::string& name) const {
  const auto it = variables_.find(name);
  return it == variables_.end() ? nullptr : &it->second;
}

std::string Module::source(uint32_t pc) const {
  if (!holds(pc)) return {};
  const auto* line = cubin_.find_line(pc - placement_.code_pc);
  if (!line || line->file >= cubin_.files.size()) return {};
  return cubin_.files[line->file] + ":" + std::to_string(line->line);
}

std::string Module::inner_function(uint32_t pc) const {
  if (!holds(pc)) return {};
  const std::string name(cubin_.find_function(pc - placement_.code_pc));
  return name.empty() || cubin_.find_kernel(name) ? std::string() : demangle(name);
}

}  // namespace heddle::driver
