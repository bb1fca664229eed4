// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/emit/backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host-runtime/compiler/emit/encode.h"
#include "host-runtime/compiler/emit/module_data.h"
#include "host-runtime/compiler/passes/allocate.h"
#include "host-runtime/compiler/passes/balance.h"
#include "host-runtime/compiler/passes/call_graph.h"
#include "host-runtime/compiler/passes/check_allocation.h"
#include "host-runtime/compiler/passes/collectives.h"
#include "host-runtime/compiler/passes/entry_zeros.h"
#include "host-runtime/compiler/passes/frame.h"
#include "host-runtime/compiler/passes/memory_layout.h"
#include "host-runtime/compiler/passes/pipeline.h"

namespace heddle::compiler {

using mir::kNone;
using mir::Module;

namespace {

constexpr unsigned kRegisterUnit = 8;
constexpr unsigned kLeastWithCalls = kFirstCalleeSaved;  // argument registers cannot be done without
constexpr unsigned kLeast = 16;

struct Compiled {
  EncodedFunction code;
  FrameInfo frame;
  SpillStats spills;
  unsigned barriers = isa::kNumConvergenceBarriers;  // convergence barriers, callees included; 16: unknown
  uint32_t stack_bytes = 0;                          // own frame and the deepest callee's
  bool unknown_depth = false;
  uint32_t entry = 0;
};

class Backend {
 public:
  Backend(Module& m, const BackendOptions& options)
      : m_(m), options_(options), graph_(m), compiled_(m.functions.size()) {}

  Result<formats::Cubin> run() {
    auto layout = lay_out_memory(m_, graph_);
    if (!layout) return layout.error();
    layout_ = std::move(*layout);
    find_limits();
    for (const bool kernels : {false, true})  // a kernel knows what all that it may call does
      for (uint32_t f : graph_.bottom_up)
        if (m_.functions[f].is_kernel == kernels)
          if (auto s = compile(f); !s) return s.error();
    place_code();
    if (auto s = code_relocs(); !s) return s.error();
    for (uint32_t f = 0; f < m_.functions.size(); f++) describe(f);
    std::vector<uint32_t> entries;
    for (const Compiled& c : compiled_) entries.push_back(c.entry);
    if (auto s = add_module_data(m_, layout_, entries, cubin_); !s) return s.error();
    cubin_.target = m_.target;
    return std::move(cubin_);
  }

 private:
  void find_limits() {
    limits_.assign(m_.functions.size(), kMaxRegisters);
    for (uint32_t k = 0; k < m_.functions.size(); k++) {
      if (!m_.functions[k].is_kernel) continue;
      const unsigned limit = register_limit(m_.functions[k].bounds, options_.max_registers, options_.registers_per_sm);
      const std::vector<char> reached = graph_.reachable(k);
      for (uint32_t f = 0; f < reached.size(); f++)
        if (reached[f]) limits_[f] = std::min(limits_[f], limit);
    }
    for (uint32_t f = 0; f < m_.functions.size(); f++) {
      const bool calls = !m_.functions[f].is_kernel || !m_.functions[f].calls.empty();
      limits_[f] = std::max(limits_[f], calls ? kLeastWithCalls : kLeast);
    }
  }

  Status compile(uint32_t index) {
    mir::Function& f = m_.functions[index];
    Compiled& out = compiled_[index];
    if (auto s = verify("lowering", f); !s) return s;
    PassContext context;
    context.optimization = options_.optimization;
    context.register_limit = limits_[index];
    context.callee_barriers = [&](const mir::Call& c) {
      const uint32_t callee = c.callee == kNone ? kNone : function_of(m_, c.callee);
      return callee == kNone || graph_.recursive[callee] ? unsigned{isa::kNumConvergenceBarriers}
                                                         : compiled_[callee].barriers;
    };
    context.symbol_align = [&](mir::SymbolId s) {
      const uint32_t v = variable_of(m_, s);
      return v == kNone || m_.variables[v].linkage == mir::Linkage::Extern ? 1u : std::max(m_.variables[v].align, 1u);
    };
    for (const Pass& pass : function_passes()) {
      if (pass.level > static_cast<int>(options_.optimization)) continue;
      pass.run(f, context);
      if (auto s = verify(pass.name, f); !s) return s;
    }
    auto allocation = allocate_registers(f, limits_[index]);
    if (!allocation) return allocation.error();
    if (options_.dump) options_.dump("allocate", f);
    if (options_.verify)
      if (auto wrong = check_allocation(f, *allocation, limits_[index])) return Error("register allocation: " + *wrong);
    auto frame = lay_out_frame(f, *allocation);
    if (!frame) return frame.error();
    zero_at_entry(f, *allocation, saved_by_callees(index));
    if (options_.dump) options_.dump("entry-zeros", f);
    if (options_.optimization > 0) balance_units(f, *allocation);
    if (options_.dump) options_.dump("balance", f);
    out.frame = *frame;
    out.spills = allocation->spills;
    auto code = encode_function(f, *allocation);
    if (!code) return code.error();
    out.code = std::move(*code);
    combine(index, context.convergence.barriers);
    return {};
  }

  // Of a function: nothing, since its kernel has seen to it.
  RegMask saved_by_callees(uint32_t index) const {
    RegMask saved;
    if (!m_.functions[index].is_kernel || m_.functions[index].calls.empty()) return saved;
    const std::vector<char> reached = graph_.reachable(index);
    for (uint32_t f = 0; f < reached.size(); f++)
      if (reached[f]) saved |= compiled_[f].frame.saved;
    return saved;
  }

  Status verify(std::string_view pass, const mir::Function& f) {
    if (options_.dump) options_.dump(pass, f);
    if (!options_.verify) return {};
    if (auto wrong = mir::verify(m_, f)) return Error(fmt::format("after pass '{}': {}", pass, *wrong));
    return {};
  }

  // Adds what callees need to what the function needs.
  void combine(uint32_t index, unsigned own_barriers) {
    Compiled& out = compiled_[index];
    out.barriers = own_barriers;
    out.unknown_depth = graph_.calls_unknown[index] || graph_.recursive[index] || m_.functions[index].has_alloca;
    if (graph_.calls_unknown[index] || graph_.recursive[index]) out.barriers = isa::kNumConvergenceBarriers;
    uint32_t deepest = 0;
    for (uint32_t c : graph_.callees[index]) {
      out.barriers = std::max(out.barriers, compiled_[c].barriers);
      out.unknown_depth = out.unknown_depth || compiled_[c].unknown_depth;
      deepest = std::max(deepest, compiled_[c].stack_bytes);
    }
    out.stack_bytes = out.frame.bytes + deepest;
  }

  void place_code() {
    for (const bool kernels : {true, false})
      for (uint32_t f = 0; f < m_.functions.size(); f++) {
        if (m_.functions[f].is_kernel != kernels) continue;
        while (cubin_.code.size() * 8 % formats::kCodeAlign) cubin_.code.push_back(0);
        Compiled& c = compiled_[f];
        c.entry = static_cast<uint32_t>(cubin_.code.size() * 8);
        cubin_.code.insert(cubin_.code.end(), c.code.words.begin(), c.code.words.end());
        const auto end = static_cast<uint32_t>(cubin_.code.size() * 8);
        for (const CodeLine& l : c.code.lines)
          if (l.file < m_.files.size()) cubin_.lines.push_back({c.entry + l.offset, l.file, l.line});
        cubin_.lines.push_back({end, 0, 0});
        for (const CodeLine& l : c.code.ptx_lines) cubin_.ptx_lines.push_back({c.entry + l.offset, l.file, l.line});
        cubin_.ptx_lines.push_back({end, 0, 0});
      }
    cubin_.files = m_.files;
  }

  Status code_relocs() {
    for (const Compiled& c : compiled_)
      for (const CodeReloc& r : c.code.relocs) {
        const uint32_t at = c.entry + r.offset;
        if (r.relative) {
          const uint32_t callee = function_of(m_, r.symbol);
          if (callee == kNone) return Error(fmt::format("undefined function '{}'", m_.symbols[r.symbol].name));
          const int64_t distance = static_cast<int64_t>(compiled_[callee].entry) - at - isa::kInstructionBytes;
          uint64_t& word = cubin_.code[at / 8];
          word = (word & 0xffffffff) | static_cast<uint64_t>(static_cast<uint32_t>(distance)) << 32;
          continue;
        }
        formats::CubinReloc reloc;
        reloc.where = formats::Segment::Code;
        reloc.offset = at;
        reloc.kind = r.part == mir::SymbolPart::Hi ? formats::CubinReloc::Kind::Hi32 : formats::CubinReloc::Kind::Lo32;
        reloc.space = r.part == mir::SymbolPart::Space;
        reloc.addend = r.addend;
        if (r.symbol == kNone) {
          reloc.target = formats::Segment::Code;
          reloc.value = c.entry;
        } else if (auto s = resolve_target(
                       m_, layout_, r.symbol, [&](uint32_t f) { return compiled_[f].entry; }, reloc);
                   !s)
          return s;
        if (reloc.target == formats::Segment::Code && r.part == mir::SymbolPart::Hi) continue;  // 0 as encoded
        cubin_.relocs.push_back(std::move(reloc));
      }
    return {};
  }

  // Block barriers by number; a number in a register may be any.
  unsigned block_barriers(const std::vector<char>& reached) const {
    unsigned most = 0;
    for (uint32_t n = 0; n < reached.size(); n++) {
      if (!reached[n]) continue;
      for (const mir::Block& b : m_.functions[n].blocks)
        for (const mir::Instruction& i : b.body) {
          if (!i.is(isa::Opcode::Bar)) continue;
          const bool known = i.b.is_imm() || i.b.is_none();
          most = std::max(most, known ? static_cast<unsigned>(i.b.imm & 15) + 1 : unsigned{isa::kNumBlockBarriers});
        }
    }
    return most;
  }

  bool uses_dynamic_shared(const std::vector<char>& reached) const {
    for (uint32_t n = 0; n < reached.size(); n++)
      if (reached[n] && layout_.dynamic_shared[n]) return true;
    return false;
  }

  void describe(uint32_t index) {
    const mir::Function& f = m_.functions[index];
    const Compiled& c = compiled_[index];
    const auto bytes = static_cast<uint32_t>(c.code.words.size() * 8);
    if (!f.is_kernel) {
      cubin_.functions.push_back({f.name, c.entry, bytes});
      return;
    }
    const std::vector<char> reached = graph_.reachable(index);
    formats::CubinKernel k;
    k.name = f.name;
    k.entry = c.entry;
    k.bytes = bytes;
    for (uint32_t n = 0; n < reached.size(); n++)
      if (reached[n]) k.registers = std::max(k.registers, compiled_[n].frame.registers);
    k.registers = std::max(k.registers, 1u);
    k.shared_bytes = layout_.shared_bytes[index];
    k.dynamic_shared = uses_dynamic_shared(reached);
    k.local_bytes = c.stack_bytes;
    k.needs_stack = c.unknown_depth;
    k.param_bytes = f.param_bytes;
    k.barriers = block_barriers(reached);
    std::copy(std::begin(f.bounds.maxntid), std::end(f.bounds.maxntid), k.max_threads);
    std::copy(std::begin(f.bounds.reqntid), std::end(f.bounds.reqntid), k.required_threads);
    std::copy(std::begin(f.bounds.required_cluster), std::end(f.bounds.required_cluster), k.required_cluster);
    k.explicit_cluster = f.bounds.explicit_cluster;
    k.max_cluster_blocks = f.bounds.max_cluster_blocks;
    k.min_blocks_per_sm = f.bounds.min_blocks_per_sm;
    k.spill_stores = c.spills.store_bytes;
    k.spill_loads = c.spills.load_bytes;
    for (const mir::KernelParam& p : f.kernel_params) k.params.push_back({p.name, p.offset, p.size});
    cubin_.kernels.push_back(std::move(k));
  }

  Module& m_;
  const BackendOptions& options_;
  CallGraph graph_;
  MemoryLayout layout_;
  std::vector<unsigned> limits_;
  std::vector<Compiled> compiled_;
  formats::Cubin cubin_;
};

}  // namespace

unsigned register_limit(const mir::LaunchBounds& bounds, unsigned max_registers, unsigned registers_per_sm) {
  unsigned limit = kMaxRegisters;
  if (max_registers) limit = std::min(limit, max_registers);
  if (bounds.max_registers) limit = std::min(limit, bounds.max_registers);
  const uint32_t* n = bounds.reqntid[0] ? bounds.reqntid : bounds.maxntid;
  const uint64_t threads = uint64_t{std::max(1u, n[0])} * std::max(1u, n[1]) * std::max(1u, n[2]);
  if (n[0]) {
    const uint64_t warps = (threads + isa::kWarpSize - 1) / isa::kWarpSize * std::max(1u, bounds.min_blocks_per_sm);
    const uint64_t each = registers_per_sm / (warps * isa::kWarpSize) / kRegisterUnit * kRegisterUnit;
    limit = static_cast<unsigned>(std::min<uint64_t>(limit, std::max<uint64_t>(each, kLeast)));
  }
  return limit;
}

Result<formats::Cubin> generate(Module module, const BackendOptions& options) {
  remove_unreached_functions(module);
  join_collectives(module);
  return Backend(module, options).run();
}

}  // namespace heddle::compiler
