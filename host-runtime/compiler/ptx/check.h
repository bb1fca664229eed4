// SPDX-License-Identifier: Apache-2.0
// Names and types: resolves every name of a parsed module (Operand::ref, InitValue::ref), numbers
// its registers, chooses each instruction's form and checks operands against it by PTX's rules.
//
// What is accepted here is PTX; whether this version can translate it is the lowering's to say.
#pragma once

#include "host-runtime/compiler/ptx/ast.h"
#include "host-runtime/compiler/ptx/source.h"

namespace heddle::compiler::ptx {

// Checks all of `module`, collecting every error. On success (no errors added) the fields of ast.h
// that are marked "set by the check" are filled in.
void check(Module& module, Diagnostics& diagnostics);

}  // namespace heddle::compiler::ptx
