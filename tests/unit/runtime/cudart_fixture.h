// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime on the golden model, with a module of PTX registered as a compiler's host code does it.
// Every test begins with a fresh device.
#pragma once

#include <gtest/gtest.h>

#include "cuda_runtime_api.h"

namespace heddle::test {

// Host addresses that stand for kernels and variables, as stubs and shadows do.
struct Stubs {
  char scale, store, load, bounded, big_shared, spin, trap, null_call, wild_jump, dead, print, check, missing, atomic,
      shared_store, one_thread, damaged, cut, foreign, bad_ptx, of_nvcc, count, around, keep, heavy, stamp;
  char table, coefficients;
};
extern Stubs stubs;
extern const char* cycle_limit;  // of a kernel; may be another before the first test
extern int* counts;              // a managed variable, two numbers, as nvcc's host code has it

class Cudart : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  void SetUp() override;
  void TearDown() override;

  // Launches with these arguments; the launch's own result.
  template <typename... Args>
  cudaError_t launch(const char* stub, dim3 grid, dim3 block, Args... args) {
    void* list[] = {&args..., nullptr};
    return cudaLaunchKernel(stub, grid, block, list, 0, nullptr);
  }
  template <typename T = int>
  T* device(size_t count) {
    void* p = nullptr;
    EXPECT_EQ(cudaMalloc(&p, count * sizeof(T)), cudaSuccess);
    return static_cast<T*>(p);
  }
};

}  // namespace heddle::test
