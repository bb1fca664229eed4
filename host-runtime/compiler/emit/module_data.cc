// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/emit/module_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::compiler {

using mir::kNone;
using mir::Module;
using mir::Space;

namespace {

formats::Segment segment_of(Space s) { return s == Space::Const ? formats::Segment::Const : formats::Segment::Global; }

// Initial contents go as far as the last byte that is not zero.
void put_init(std::vector<uint8_t>& image, uint64_t at, const std::vector<uint8_t>& init) {
  size_t n = init.size();
  while (n > 0 && init[n - 1] == 0) n--;
  if (n == 0) return;
  if (image.size() < at + n) image.resize(at + n);
  std::copy(init.begin(), init.begin() + static_cast<ptrdiff_t>(n), image.begin() + static_cast<ptrdiff_t>(at));
}

}  // namespace

Status resolve_target(const Module& m, const MemoryLayout& layout, mir::SymbolId symbol,
                      const std::function<uint32_t(uint32_t)>& entry, formats::CubinReloc& reloc) {
  if (const uint32_t f = function_of(m, symbol); f != kNone) {
    reloc.target = formats::Segment::Code;
    reloc.value = entry(f);
    return {};
  }
  const uint32_t v = variable_of(m, symbol);
  const std::string& name = symbol < m.symbols.size() ? m.symbols[symbol].name : "?";
  if (v == kNone) return Error(fmt::format("undefined function '{}'", name));
  const mir::Variable& variable = m.variables[v];
  if (variable.space == Space::Shared)
    return Error(fmt::format("'{}' lies in shared memory: its address is not a constant", name));
  if (variable.linkage == mir::Linkage::Extern) {
    reloc.name = variable.name;
    return {};
  }
  reloc.target = segment_of(variable.space);
  reloc.value = layout.offset[v];
  return {};
}

Status add_module_data(const Module& m, const MemoryLayout& layout, std::span<const uint32_t> entries,
                       formats::Cubin& cubin) {
  cubin.global_bytes = layout.global_bytes;
  cubin.global_align = layout.global_align;
  cubin.const_bytes = layout.const_bytes;
  for (size_t n = 0; n < m.variables.size(); n++) {
    const mir::Variable& v = m.variables[n];
    if (v.space == Space::Shared || v.linkage == mir::Linkage::Extern) continue;
    const formats::Segment segment = segment_of(v.space);
    cubin.variables.push_back({.name = v.name,
                               .segment = segment,
                               .visible = v.linkage != mir::Linkage::Internal,
                               .managed = v.managed,
                               .offset = layout.offset[n],
                               .size = v.size,
                               .align = v.align});
    if (v.init.size() > v.size)
      return Error(fmt::format("the initialiser of '{}' is longer than the variable", v.name));
    put_init(segment == formats::Segment::Const ? cubin.const_init : cubin.global_init, layout.offset[n], v.init);
    for (const mir::DataReloc& r : v.relocs) {
      if (r.offset > v.size || v.size - r.offset < r.size)
        return Error(fmt::format("an address in the initialiser of '{}' lies outside it", v.name));
      formats::CubinReloc reloc;
      reloc.where = segment;
      reloc.offset = layout.offset[n] + r.offset;
      reloc.kind = formats::CubinReloc::Kind::Abs;
      reloc.size = r.size;
      reloc.shift = r.shift;
      reloc.space = r.space;
      reloc.addend = r.addend;
      if (auto s = resolve_target(
              m, layout, r.symbol, [&](uint32_t f) { return entries[f]; }, reloc);
          !s)
        return s;
      cubin.relocs.push_back(std::move(reloc));
    }
  }
  for (const mir::DebugSection& s : m.debug_sections) cubin.debug.push_back({s.name, s.bytes});
  return {};
}

}  // namespace heddle::compiler
