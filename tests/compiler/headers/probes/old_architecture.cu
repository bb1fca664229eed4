// SPDX-License-Identifier: Apache-2.0
// ARCH: sm_52
// CMake tries clang with this architecture first.
// PTX: .target sm_52
__global__ void k(int* p) { atomicAdd(p, __popc(*p)); }
