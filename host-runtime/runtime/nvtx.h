// SPDX-License-Identifier: Apache-2.0
// NVTX, version 3: the ranges, marks and names that a program gives go to the timeline (HEDDLE_TRACE).
//
// A program holds NVTX as headers, which load the library that NVTX_INJECTION64_PATH names and hand it a function that
// leads to tables of pointers; a pointer that is set is called from then on. That library is libheddle-nvtx.so, which
// hands the function on to the runtime in the process, linked statically or not: the runtime looks for the library when
// it is loaded, and tells it where its own function is. So names come from the thread that the calls come from.
#pragma once

#include <cstdint>

namespace heddle::cudart {

// As NVTX has it: `id` 1 is the table of callbacks.
using NvtxExportTable = const void* (*)(uint32_t id);

// Sets the pointers. 0: there is no timeline, or these are no tables that are known.
int attach_nvtx(NvtxExportTable tables);

}  // namespace heddle::cudart
