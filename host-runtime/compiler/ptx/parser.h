// SPDX-License-Identifier: Apache-2.0
// Tokens -> Module: the whole grammar of the PTX ISA manual as compilers write it. Names are not
// resolved and instructions not checked; see check.h.
#pragma once

#include <memory>

#include "host-runtime/compiler/ptx/ast.h"
#include "host-runtime/compiler/ptx/source.h"

namespace heddle::compiler::ptx {

// Parses all of `source`. After an error the parser goes on at the next statement, so one run
// reports all syntax errors. The module is complete only when diagnostics.has_errors() is false.
std::unique_ptr<Module> parse(const SourcePtr& source, Diagnostics& diagnostics);

}  // namespace heddle::compiler::ptx
