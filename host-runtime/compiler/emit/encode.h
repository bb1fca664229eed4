// SPDX-License-Identifier: Apache-2.0
// Allocated machine IR -> 64-bit words: block order, branches, operand fields, and a list of what the linker must fill
// in.
#pragma once

#include <vector>

#include "heddle/result.h"
#include "host-runtime/compiler/passes/allocate.h"

namespace heddle::compiler {

struct CodeReloc {
  uint32_t offset = 0;                // of the instruction, in bytes from the function's start
  bool relative = false;              // CALL: distance from the next instruction; else Lo or Hi of the address
  mir::SymbolId symbol = mir::kNone;  // none: the function itself
  mir::SymbolPart part = mir::SymbolPart::Lo;
  int64_t addend = 0;
};

struct CodeLine {
  uint32_t offset = 0;
  uint32_t file = mir::kNone;  // of the PTX: the module
  uint32_t line = 0;
};

struct EncodedFunction {
  std::vector<uint64_t> words;
  std::vector<CodeReloc> relocs;
  std::vector<CodeLine> lines;      // where the source's line changes
  std::vector<CodeLine> ptx_lines;  // where the PTX's does
};

// After lay_out_frame. Fails naming the instruction when one has no encoding.
Result<EncodedFunction> encode_function(const mir::Function& f, const Allocation& allocation);

// The order in which blocks are laid out: as numbered, a sync block in front of the block where it leads.
std::vector<mir::BlockId> block_order(const mir::Function& f);

}  // namespace heddle::compiler
