// SPDX-License-Identifier: Apache-2.0
// The driver API on the golden model. Every test begins with a fresh device, with cuInit called and no context.
#pragma once

#include <gtest/gtest.h>

#include "cuda.h"

namespace heddle::test {

// add(a, b, c, n): c[i] = a[i] + b[i] in 32-bit integers; bump(p): p[0] += table[0], then table[0] += 1; empty; wild
// stores to address 8.
extern const char* const kPtx;

class CudaDriver : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  void SetUp() override;
  void TearDown() override;

  CUcontext create();
  CUmodule load(const char* ptx = kPtx);
  CUfunction function(const char* name, CUmodule module = nullptr);  // of load() where there is none
  CUdeviceptr memory(size_t bytes);
  int number(CUdeviceptr p);  // there
};

// In a context of its own.
class CudaDriverContext : public CudaDriver {
 protected:
  void SetUp() override;
  CUcontext context = nullptr;
};

}  // namespace heddle::test
