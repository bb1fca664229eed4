// SPDX-License-Identifier: Apache-2.0
// PTX: vprintf
// PTX: __assertfail
#include <cassert>
#include <cstdio>
__global__ void k(const char* s, int i, float f) {
  printf("%d %f %s %lld\n", i, f, s, (long long)i);
  assert(i == 1);
}
