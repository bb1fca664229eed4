// SPDX-License-Identifier: Apache-2.0
// FLAGS: -DN=1 -DT=2
// A program's own macros of one letter, which clang's headers use as template parameters, still hold.
__global__ void k(int* p) { p[0] = N + T; }
