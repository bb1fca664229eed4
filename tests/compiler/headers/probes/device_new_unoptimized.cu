// SPDX-License-Identifier: Apache-2.0
// FLAGS: -O0 -std=c++14
#include <new>
__global__ void k(int* p) {
  int* one = new (std::nothrow) int(p[0]);
  p[1] = *one;
  delete one;
}
void host(char** p) { *p = new (std::nothrow) char[4]; }
