// SPDX-License-Identifier: Apache-2.0
// A program that had pages where device memory lies before it called CUDA: they stay its own.
#include <sys/mman.h>

#include <cstring>

#include "host-runtime/device/contract.h"
#include "tests/unit/runtime/cudart_fixture.h"

namespace heddle::test {
namespace {

constexpr size_t kBytes = size_t{1} << 20;

class TakenWindow : public Cudart {
 protected:
  static void SetUpTestSuite() {
    void* taken = mmap(reinterpret_cast<void*>(contract::kMemoryBase), kBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT_NE(taken, MAP_FAILED);
    own = static_cast<unsigned char*>(taken);
    std::memset(own, 0x5a, kBytes);
    Cudart::SetUpTestSuite();
  }
  static bool untouched() {
    for (size_t i = 0; i < kBytes; ++i)
      if (own[i] != 0x5a) return false;
    return true;
  }
  static unsigned char* own;
};
unsigned char* TakenWindow::own = nullptr;

TEST_F(TakenWindow, ManagedMemoryIsRefusedAndSaysWhy) {
  void* p = &p;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMallocManaged(&p, 4000, cudaMemAttachGlobal), cudaErrorMemoryAllocation);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("uses addresses of device memory"), std::string::npos) << text;
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_TRUE(untouched());
}

TEST_F(TakenWindow, TheRestWorks) {
  int *d = device(32), out[32] = {};
  EXPECT_EQ(launch(&stubs.store, 1, 32, d), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out[31], 31);
  const int before = counts[0];
  EXPECT_EQ(launch(&stubs.count, 1, 1), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(counts[0], before + 1);
  EXPECT_TRUE(untouched());
}

}  // namespace
}  // namespace heddle::test
