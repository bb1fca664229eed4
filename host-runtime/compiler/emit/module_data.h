// SPDX-License-Identifier: Apache-2.0
// Variables, their initial contents and relocations, and debug sections of a module, put into its cubin.
#pragma once

#include <functional>
#include <span>

#include "heddle/result.h"
#include "host-runtime/compiler/passes/memory_layout.h"
#include "host-runtime/formats/cubin.h"

namespace heddle::compiler {

// Fills in target, value and name of `reloc` for a symbol. `entry`: the code offset of a function.
Status resolve_target(const mir::Module& m, const MemoryLayout& layout, mir::SymbolId symbol,
                      const std::function<uint32_t(uint32_t)>& entry, formats::CubinReloc& reloc);

// `entries`: code offsets by function.
Status add_module_data(const mir::Module& m, const MemoryLayout& layout, std::span<const uint32_t> entries,
                       formats::Cubin& cubin);

}  // namespace heddle::compiler
