// SPDX-License-Identifier: Apache-2.0
// What every example shares: error checks, arguments, a reproducible source of numbers, comparison in
// ulps, and the verdict in the last line (PASS or FAIL; the exit status says the same).
#pragma once

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Ends the program with the call, its place and CUDA's words when `call` fails.
#define CHECK(call)                                                                                 \
  do {                                                                                              \
    const cudaError_t status_ = (call);                                                             \
    if (status_ != cudaSuccess) {                                                                   \
      fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_), \
              cudaGetErrorString(status_));                                                         \
      printf("FAIL\n");                                                                             \
      exit(1);                                                                                      \
    }                                                                                               \
  } while (0)

// Checks a launch: its own error at once, the kernel's after it has run.
#define CHECK_LAUNCH()              \
  do {                              \
    CHECK(cudaGetLastError());      \
    CHECK(cudaDeviceSynchronize()); \
  } while (0)

// Argument `index` as a number of at least `least`, else `fallback`.
static inline int example_argument(int argc, char** argv, int index, int fallback, int least = 1) {
  if (argc <= index) return fallback;
  char* end = nullptr;
  const long value = strtol(argv[index], &end, 10);
  if (*end != '\0' || value < least || value > (1 << 28)) {
    fprintf(stderr, "%s: argument %d: '%s' is no number of at least %d\n", argv[0], index, argv[index], least);
    exit(2);
  }
  return (int)value;
}

// xorshift32: the same numbers on every machine.
struct ExampleRandom {
  uint32_t state;
  explicit ExampleRandom(uint32_t seed) : state(seed ? seed : 1u) {}
  uint32_t bits() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
  }
  // Uniform in [low, high).
  float real(float low, float high) { return low + (high - low) * (float)(bits() >> 8) * (1.0f / 16777216.0f); }
};

// Distance of two floats in units in the last place; NaNs equal each other only.
static inline int64_t ulp_distance(float a, float b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : INT64_MAX;
  int32_t ia, ib;
  memcpy(&ia, &a, 4);
  memcpy(&ib, &b, 4);
  const int64_t la = ia < 0 ? -(int64_t)(ia & 0x7fffffff) : ia;
  const int64_t lb = ib < 0 ? -(int64_t)(ib & 0x7fffffff) : ib;
  return la < lb ? lb - la : la - lb;
}

// Compares `n` floats; prints the first differences beyond `ulps`. Returns how many there are.
static inline int count_mismatches(const char* what, const float* got, const float* expected, int n, int64_t ulps) {
  int bad = 0;
  for (int i = 0; i < n; ++i) {
    if (ulp_distance(got[i], expected[i]) <= ulps) continue;
    if (bad++ < 5) printf("%s[%d] = %.9g, expected %.9g\n", what, i, got[i], expected[i]);
  }
  return bad;
}

// Prints the verdict and returns main's exit status.
static inline int verdict(int mismatches) {
  if (mismatches) printf("%d mismatches\n", mismatches);
  printf(mismatches ? "FAIL\n" : "PASS\n");
  return mismatches ? 1 : 0;
}
