// SPDX-License-Identifier: Apache-2.0
// Gives libcudadevrt.a a member: link lines of separable compilation name the archive, and the functions
// that device code calls come with the compiler.
extern const int heddle_cudadevrt;
const int heddle_cudadevrt = 1;
