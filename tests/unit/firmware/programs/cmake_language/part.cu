// SPDX-License-Identifier: Apache-2.0
__device__ int base = 40;
__device__ int plus(int a, int b) { return a + b; }
