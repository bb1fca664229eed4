// SPDX-License-Identifier: Apache-2.0
// Neighbouring loads of words or pairs from one base register, within a block of 8 or 16 bytes that is known to be
// aligned, become one access of 64 or 128 bits; so do stores. Clang writes such an access in pieces where it has lost
// sight of the alignment.
#pragma once

#include "host-runtime/compiler/mir/mir.h"
#include "host-runtime/compiler/passes/known_bits.h"

namespace heddle::compiler {

// How many accesses went. Leaves copies between the words of the wide registers and those that were there. Does nothing
// where `register_limit` leaves little room for wide registers: they need neighbours, and would drive others to memory.
unsigned merge_accesses(mir::Function& f, unsigned register_limit, KnownBits::SymbolAlign symbol_align);

}  // namespace heddle::compiler
