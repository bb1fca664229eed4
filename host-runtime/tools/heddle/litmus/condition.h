// SPDX-License-Identifier: Apache-2.0
// The part of a litmus file below its program: locations, filter, condition.
#pragma once

#include "host-runtime/tools/heddle/litmus/lexer.h"
#include "host-runtime/tools/heddle/litmus/test.h"

namespace heddle::tools::litmus {

void parse_ending(Tokens& tokens, Test& test);

// P1 or 1.
int parse_thread(Tokens& tokens);

}  // namespace heddle::tools::litmus
