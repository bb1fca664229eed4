// SPDX-License-Identifier: Apache-2.0
// What the first use of a module needs comes to the device between two kernels, and no call waits for that.
#include "tests/unit/runtime/cudart_fixture.h"

namespace heddle::test {
namespace {

class Beside : public Cudart {
 protected:
  static void SetUpTestSuite() {
    cycle_limit = "50000000";  // longer than what is done beside the kernel takes
    Cudart::SetUpTestSuite();
  }
  void SetUp() override {
    Cudart::SetUp();
    d = device(1);
    ASSERT_EQ(launch(&stubs.spin, 1, 1), cudaSuccess);
  }
  // The kernel spins, and nobody has waited for it.
  void TearDown() override {
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
    Cudart::TearDown();
  }
  int* d = nullptr;
};

TEST_F(Beside, AModuleIsLoaded) { EXPECT_EQ(launch(&stubs.of_nvcc, 1, 1, d, 5), cudaSuccess); }

}  // namespace
}  // namespace heddle::test
