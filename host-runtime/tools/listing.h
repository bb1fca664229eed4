// SPDX-License-Identifier: Apache-2.0
// The listing of a cubin, as heddle-disasm, nvdisasm and cuobjdump print it.
#pragma once

#include <string>
#include <vector>

#include "host-runtime/formats/cubin.h"

namespace heddle::tools {

struct Listing {
  bool hex = false;   // the instruction words too
  bool code = true;   // or only names and resources
  bool lines = true;  // where instructions come from
  bool variables = true;
  std::vector<std::string> only{};  // these kernels and functions; empty: all
};

// On standard output. Whether there was anything of what is asked for.
bool print_listing(const formats::Cubin& cubin, const Listing& how);

}  // namespace heddle::tools
