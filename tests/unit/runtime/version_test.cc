// SPDX-License-Identifier: Apache-2.0
// cudaRuntimeGetVersion says which libcudart a program was linked with; the driver is the same under each.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "cuda_runtime_api.h"

namespace heddle::test {
namespace {

using GetVersion = cudaError_t(int*);

class Version : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("HEDDLE_DEVICE", "model", 1);
    setenv("HEDDLE_HOME", HEDDLE_BUILD_DIR, 1);
  }
  // The library's runtime has this version.
  static void expect(const std::string& soname, int wanted) {
    void* library = dlopen((std::string(HEDDLE_BUILD_DIR "/lib/") + soname).c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto ask = [&](const char* name) {
      auto* get = reinterpret_cast<GetVersion*>(dlvsym(library, name, soname.c_str()));
      int version = 0;
      if (!get) {
        ADD_FAILURE() << name;
        return version;
      }
      EXPECT_EQ(get(nullptr), cudaErrorInvalidValue);
      EXPECT_EQ(get(&version), cudaSuccess);
      return version;
    };
    EXPECT_EQ(ask("cudaRuntimeGetVersion"), wanted);
    EXPECT_EQ(ask("cudaDriverGetVersion"), 13000);
    EXPECT_GE(ask("cudaDriverGetVersion"), ask("cudaRuntimeGetVersion"));
  }
};

TEST_F(Version, OfCuda11) { expect("libcudart.so.11.0", 11080); }
TEST_F(Version, OfCuda12) { expect("libcudart.so.12", CUDART_VERSION); }
TEST_F(Version, OfCuda13) { expect("libcudart.so.13", 13000); }

}  // namespace
}  // namespace heddle::test
