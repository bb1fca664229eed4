/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for an older core: one that refuses, or, with LACKS, one that has no function but cudaGetErrorString. */
#include <string.h>

#include "host-runtime/runtime/connect.h"

#ifdef LACKS
static const char* text(int error) { return error == 3 ? "said by the core" : ""; }
#endif

const char* heddle_runtime_connect(const struct heddle_connect_request* request) {
#ifdef LACKS
  for (unsigned i = 0; i < request->count; ++i)
    request->functions[i] = strcmp(request->names[i], "cudaGetErrorString") == 0 ? (void*)text : NULL;
  return NULL;
#else
  return request->interface ? "it is too old" : NULL;
#endif
}
