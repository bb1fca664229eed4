// SPDX-License-Identifier: Apache-2.0
// Shared memory: a variable that several kernels reach must lie at one offset for all, so these come first, in an area
// that every kernel reaching any of them has; a kernel's own variables follow. Dynamic shared memory (size 0) begins
// after the static; kernels that meet in a device function using it get the same beginning.
//
// Constants that are too many: clang makes one of every constant array of the host's that other files see. Those that
// no code and no other variable names lie in global memory, where the host's copies find them, too.
#include "host-runtime/compiler/passes/memory_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::compiler {

using mir::kNone;
using mir::Module;
using mir::Operand;
using mir::Space;
using mir::SymbolPart;

namespace {

uint64_t align_up(uint64_t v, uint64_t align) { return align ? (v + align - 1) / align * align : v; }

class Layouter {
 public:
  Layouter(Module& m, const CallGraph& graph) : m_(m), graph_(graph) {}

  Result<MemoryLayout> run() {
    layout_.offset.assign(m_.variables.size(), 0);
    layout_.shared_bytes.assign(m_.functions.size(), 0);
    segment(Space::Const, layout_.const_bytes);
    if (layout_.const_bytes > mir::kConstBytes) {
      move_unnamed_constants();
      layout_.const_bytes = 0;
      segment(Space::Const, layout_.const_bytes);
    }
    segment(Space::Global, layout_.global_bytes);
    if (layout_.const_bytes > mir::kConstBytes)
      return Error(
          fmt::format("constant variables need {} bytes, {} are there", layout_.const_bytes, mir::kConstBytes));
    find_uses();
    shared();
    for (uint32_t f = 0; f < m_.functions.size(); f++) rewrite(f);
    return std::move(layout_);
  }

 private:
  void segment(Space space, uint64_t& bytes) {
    for (size_t v = 0; v < m_.variables.size(); v++) {
      const mir::Variable& variable = m_.variables[v];
      if (variable.space != space || variable.linkage == mir::Linkage::Extern) continue;
      if (variable.size == 0 && space == Space::Const) continue;  // names where the segment begins
      bytes = align_up(bytes, variable.align);
      layout_.offset[v] = bytes;
      bytes += variable.size;
      if (space == Space::Global) layout_.global_align = std::max(layout_.global_align, variable.align);
    }
  }

  void move_unnamed_constants() {
    std::vector<char> named(m_.variables.size());
    const auto name = [&](mir::SymbolId symbol) {
      if (const uint32_t v = variable_of(m_, symbol); v != kNone) named[v] = 1;
    };
    for (uint32_t f = 0; f < m_.functions.size(); f++) for_each_symbol(f, [&](Operand& o) { name(o.id); });
    for (const mir::Variable& variable : m_.variables)
      for (const mir::DataReloc& r : variable.relocs) name(r.symbol);
    for (size_t v = 0; v < m_.variables.size(); v++)
      if (m_.variables[v].space == Space::Const && !named[v]) m_.variables[v].space = Space::Global;
  }

  bool is_shared(uint32_t v) const { return v != kNone && m_.variables[v].space == Space::Shared; }
  bool is_dynamic(uint32_t v) const { return m_.variables[v].size == 0; }

  template <typename V>
  void for_each_symbol(uint32_t function, V visit) {
    mir::Function& f = m_.functions[function];
    for (mir::Block& b : f.blocks)
      for (mir::Instruction& i : b.body)
        for (Operand* o : {&i.a, &i.b, &i.c})
          if (o->is_symbol()) visit(*o);
    for (mir::Call& c : f.calls)
      for (mir::AbiValue& a : c.args)
        if (a.value.is_symbol()) visit(a.value);
  }

  void find_uses() {
    uses_.assign(m_.functions.size(), std::vector<char>(m_.variables.size()));
    for (uint32_t f = 0; f < m_.functions.size(); f++)
      for_each_symbol(f, [&](Operand& o) {
        if (const uint32_t v = variable_of(m_, o.id); is_shared(v)) uses_[f][v] = 1;
      });
    reach_.resize(m_.functions.size());
    for (uint32_t k = 0; k < m_.functions.size(); k++) {
      if (!m_.functions[k].is_kernel) continue;
      std::vector<char> all(m_.variables.size());
      const std::vector<char> reached = graph_.reachable(k);
      for (uint32_t f = 0; f < reached.size(); f++)
        for (size_t v = 0; reached[f] && v < all.size(); v++) all[v] = all[v] || uses_[f][v];
      reach_[k] = std::move(all);
    }
  }

  void shared() {
    std::vector<unsigned> kernels(m_.variables.size());
    for (const std::vector<char>& r : reach_)
      for (size_t v = 0; v < r.size(); v++) kernels[v] += r[v] != 0;
    uint64_t common = 0;
    for (size_t v = 0; v < m_.variables.size(); v++)
      if (kernels[v] > 1 && !is_dynamic(static_cast<uint32_t>(v))) place(v, common);
    for (uint32_t k = 0; k < reach_.size(); k++) {
      if (reach_[k].empty()) continue;
      uint64_t bytes = 0;
      for (size_t v = 0; v < m_.variables.size(); v++)
        if (reach_[k][v] && kernels[v] > 1 && !is_dynamic(static_cast<uint32_t>(v))) bytes = common;
      for (size_t v = 0; v < m_.variables.size(); v++)
        if (reach_[k][v] && kernels[v] == 1 && !is_dynamic(static_cast<uint32_t>(v))) place(v, bytes);
      for (size_t v = 0; v < m_.variables.size(); v++)
        if (reach_[k][v] && is_dynamic(static_cast<uint32_t>(v))) bytes = align_up(bytes, m_.variables[v].align);
      layout_.shared_bytes[k] = static_cast<uint32_t>(bytes);
    }
    dynamic_in_functions();
  }

  void place(size_t v, uint64_t& bytes) {
    bytes = align_up(bytes, m_.variables[v].align);
    layout_.offset[v] = bytes;
    bytes += m_.variables[v].size;
  }

  // The beginning of dynamic memory as device functions see it: the largest of all kernels that get there.
  void dynamic_in_functions() {
    auto uses_dynamic = [&](uint32_t f) {
      for (uint32_t v = 0; v < m_.variables.size(); v++)
        if (uses_[f][v] && is_dynamic(v)) return true;
      return false;
    };
    std::vector<std::vector<char>> reached(m_.functions.size());
    uint32_t most = 0;
    std::vector<uint32_t> affected;
    for (uint32_t f = 0; f < m_.functions.size(); f++) layout_.dynamic_shared.push_back(uses_dynamic(f));
    for (uint32_t k = 0; k < m_.functions.size(); k++) {
      if (!m_.functions[k].is_kernel) continue;
      reached[k] = graph_.reachable(k);
      for (uint32_t f = 0; f < m_.functions.size(); f++)
        if (reached[k][f] && !m_.functions[f].is_kernel && uses_dynamic(f)) {
          affected.push_back(k);
          most = std::max(most, layout_.shared_bytes[k]);
          break;
        }
    }
    for (uint32_t k : affected) layout_.shared_bytes[k] = most;
    for (uint32_t f = 0; f < m_.functions.size(); f++)
      if (!m_.functions[f].is_kernel) layout_.shared_bytes[f] = most;
  }

  // LDC names its variable as c[bank][offset].
  void rewrite_constant_loads(mir::Function& f) {
    for (mir::Block& b : f.blocks)
      for (mir::Instruction& i : b.body) {
        if (!i.is(isa::Opcode::Ldc) || !i.b.is_symbol()) continue;
        const uint32_t v = variable_of(m_, i.b.id);
        if (v != kNone)
          i.b =
              mir::constant(mir::kConstBank, static_cast<uint32_t>(layout_.offset[v] + static_cast<uint64_t>(i.b.imm)));
      }
  }

  void rewrite(uint32_t function) {
    rewrite_constant_loads(m_.functions[function]);
    for_each_symbol(function, [&](Operand& o) {
      const uint32_t v = variable_of(m_, o.id);
      if (v == kNone) return;
      const Space space = m_.variables[v].space;
      if (space == Space::Shared) {
        const uint64_t base = is_dynamic(v) ? layout_.shared_bytes[function] : layout_.offset[v];
        o = mir::imm(o.part() == SymbolPart::Hi ? static_cast<int64_t>(isa::kSharedWindow)
                                                : static_cast<int64_t>(base) + o.imm);
      } else if (space == Space::Const && o.part() == SymbolPart::Space &&
                 m_.variables[v].linkage != mir::Linkage::Extern) {
        o = mir::imm(static_cast<int64_t>(layout_.offset[v]) + o.imm);
      }
    });
  }

  Module& m_;
  const CallGraph& graph_;
  MemoryLayout layout_;
  std::vector<std::vector<char>> uses_;   // [function][variable]: named in it
  std::vector<std::vector<char>> reach_;  // [kernel][variable]: named in it or what it calls
};

}  // namespace

Result<MemoryLayout> lay_out_memory(Module& m, const CallGraph& graph) { return Layouter(m, graph).run(); }

}  // namespace heddle::compiler
