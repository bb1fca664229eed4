// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks in the runtime API, on a preset that has them. The codes are those of an H200's CUDA 13.
#include <cstdlib>

#include "host-runtime/formats/fatbinary.h"
#include "tests/unit/runtime/cudart_fixture.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
int __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                           int*);
}

namespace heddle::test {
namespace {

// Block i stores its rank and its cluster's size: p[i] = 100 * rank + size.
constexpr const char* kBody = R"({
  .reg .b64 %a, %t; .reg .b32 %i, %r, %n;
  ld.param.u64 %a, [p]; mov.u32 %i, %ctaid.x; mul.wide.u32 %t, %i, 4; add.u64 %a, %a, %t;
  mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; mad.lo.u32 %r, %r, 100, %n; st.global.u32 [%a], %r;
  ret;
}
)";

char any, pairs, must, few;

class Cluster : public Cudart {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_PRESET", "cc90", 1);
    Cudart::SetUpTestSuite();
    static const bool once = [] {
      std::string text = ".version 8.3\n.target sm_90\n.address_size 64\n";
      for (const auto& [name, directives] : {std::pair{"any", ""},
                                             {"pairs", ".explicitcluster .reqnctapercluster 2"},
                                             {"must", ".explicitcluster"},
                                             {"few", ".maxclusterrank 4"}})
        text += std::string(".visible .entry ") + name + "(.param .u64 p) " + directives + kBody;
      static const auto container = formats::write_fat_binary({{formats::FatKind::kPtx, 90, text}});
      static struct {
        int magic = 0x466243b1, version = 1;
        const void* data = container.data();
        void* filename = nullptr;
      } wrapper;
      void** module = __cudaRegisterFatBinary(&wrapper);
      for (const auto& [stub, name] : {std::pair{&any, "any"}, {&pairs, "pairs"}, {&must, "must"}, {&few, "few"}})
        __cudaRegisterFunction(module, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
      return true;
    }();
    (void)once;
  }
  void SetUp() override {
    Cudart::SetUp();
    out = device(64);
  }

  struct Configuration {
    cudaLaunchConfig_t config{};
    cudaLaunchAttribute attributes[3]{};
    Configuration(unsigned grid, dim3 cluster, dim3 block = 32, bool cooperative = false) {
      attributes[0].id = cudaLaunchAttributeClusterDimension;
      attributes[0].val.clusterDim = {cluster.x, cluster.y, cluster.z};
      attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
      attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
      attributes[2].id = cudaLaunchAttributeCooperative;
      attributes[2].val.cooperative = cooperative;
      config.gridDim = grid, config.blockDim = block, config.attrs = attributes, config.numAttrs = 3;
    }
  };
  cudaError_t run(const char* stub, const Configuration& c) {
    void* args[] = {&out, nullptr};
    return cudaLaunchKernelExC(&c.config, stub, args);
  }
  int clusters(const char* stub, const Configuration& c) {
    int n = -1;
    const cudaError_t e = cudaOccupancyMaxActiveClusters(&n, stub, &c.config);
    return e == cudaSuccess ? n : -e;
  }
  int size(const char* stub, const Configuration& c) {
    int n = -1;
    const cudaError_t e = cudaOccupancyMaxPotentialClusterSize(&n, stub, &c.config);
    return e == cudaSuccess ? n : -e;
  }
  std::vector<int> numbers(size_t n) {
    std::vector<int> got(n);
    EXPECT_EQ(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
    return got;
  }
  int* out = nullptr;
};

constexpr int kInvalid = -cudaErrorInvalidClusterSize;

TEST_F(Cluster, ALaunchSaysItsClusters) {
  ASSERT_EQ(run(&any, {6, 3}), cudaSuccess);
  EXPECT_EQ(numbers(6), (std::vector<int>{3, 103, 203, 3, 103, 203}));
  ASSERT_EQ(run(&any, {2, dim3(0, 0, 0)}), cudaSuccess);
  EXPECT_EQ(numbers(2), (std::vector<int>{1, 1}));
  for (const dim3& cluster : {dim3(0, 1, 1), dim3(4), dim3(1, 2), dim3(9), dim3(16), dim3(32)}) {
    EXPECT_EQ(run(&any, {6, cluster}), cudaErrorInvalidClusterSize) << cluster.x << " " << cluster.y;
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidClusterSize);
    EXPECT_EQ(clusters(&any, {6, cluster}), kInvalid);
  }
  EXPECT_EQ(run(&few, {8, 4}), cudaSuccess);
  EXPECT_EQ(run(&few, {8, 8}), cudaErrorInvalidClusterSize);
  EXPECT_EQ(run(&any, {6, 2, 2000}), cudaErrorInvalidValue);
}

TEST_F(Cluster, AKernelSaysItsClusters) {
  ASSERT_EQ(launch(&pairs, 4, 32, out), cudaSuccess);
  EXPECT_EQ(numbers(4), (std::vector<int>{2, 102, 2, 102}));
  EXPECT_EQ(launch(&pairs, 3, 32, out), cudaErrorInvalidClusterSize);
  EXPECT_EQ(run(&pairs, {4, 2}), cudaSuccess);
  EXPECT_EQ(run(&pairs, {4, dim3(0, 0, 0)}), cudaSuccess);
  EXPECT_EQ(run(&pairs, {4, 4}), cudaErrorInvalidClusterSize);
  EXPECT_EQ(run(&pairs, {4, 1}), cudaErrorInvalidClusterSize);
  EXPECT_EQ(launch(&must, 4, 32, out), cudaErrorInvalidClusterSize);
  EXPECT_EQ(run(&must, {4, 4}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaFuncAttributes a{};
  ASSERT_EQ(cudaFuncGetAttributes(&a, &pairs), cudaSuccess);
  EXPECT_EQ(a.clusterDimMustBeSet, 1);
  EXPECT_EQ(a.requiredClusterWidth, 2);
  EXPECT_EQ(a.requiredClusterHeight, 1);
  EXPECT_EQ(a.requiredClusterDepth, 1);
  EXPECT_EQ(cudaFuncSetAttribute(&pairs, cudaFuncAttributeRequiredClusterWidth, 2), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(&pairs, cudaFuncAttributeRequiredClusterHeight, 2), cudaErrorInvalidValue);
}

TEST_F(Cluster, AProgramSaysAKernelsClusters) {
  const auto set = [](cudaFuncAttribute attribute, int value) { return cudaFuncSetAttribute(&any, attribute, value); };
  EXPECT_EQ(set(cudaFuncAttributeClusterDimMustBeSet, 1), cudaErrorInvalidValue);
  EXPECT_EQ(set(cudaFuncAttributeRequiredClusterWidth, -1), cudaErrorInvalidValue);
  EXPECT_EQ(set(cudaFuncAttributeRequiredClusterWidth, 2), cudaSuccess);
  EXPECT_EQ(launch(&any, 4, 32, out), cudaErrorInvalidClusterSize);  // of which height?
  EXPECT_EQ(run(&any, {4, 2}), cudaSuccess);
  EXPECT_EQ(run(&any, {4, 4}), cudaErrorInvalidClusterSize);
  EXPECT_EQ(set(cudaFuncAttributeRequiredClusterHeight, 1), cudaSuccess);
  EXPECT_EQ(set(cudaFuncAttributeRequiredClusterDepth, 1), cudaSuccess);
  EXPECT_EQ(launch(&any, 4, 32, out), cudaSuccess);
  EXPECT_EQ(numbers(4), (std::vector<int>{2, 102, 2, 102}));
  EXPECT_EQ(set(cudaFuncAttributeClusterSchedulingPolicyPreference, 2), cudaSuccess);
  EXPECT_EQ(set(cudaFuncAttributeClusterSchedulingPolicyPreference, 3), cudaErrorInvalidValue);
  cudaFuncAttributes a{};
  ASSERT_EQ(cudaFuncGetAttributes(&a, &any), cudaSuccess);
  EXPECT_EQ(a.clusterDimMustBeSet, 0);
  EXPECT_EQ(a.requiredClusterWidth, 2);
  EXPECT_EQ(a.clusterSchedulingPolicyPreference, 2);
  EXPECT_EQ(a.nonPortableClusterSizeAllowed, 0);
}

TEST_F(Cluster, MoreThanEightBlocksMustBeAllowed) {
  EXPECT_EQ(run(&any, {16, 16}), cudaErrorInvalidClusterSize);
  EXPECT_EQ(size(&any, {16, 1}), 8);
  ASSERT_EQ(cudaFuncSetAttribute(&any, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), cudaSuccess);
  EXPECT_EQ(size(&any, {16, 1}), 16);
  ASSERT_EQ(run(&any, {16, 16}), cudaSuccess);
  EXPECT_EQ(numbers(16)[15], 1516);
  EXPECT_EQ(run(&any, {32, 32}), cudaErrorInvalidClusterSize);
}

TEST_F(Cluster, OccupancyCountsClustersOfAnSm) {
  EXPECT_EQ(clusters(&any, {8, 2}), 16);
  EXPECT_EQ(clusters(&any, {9, 3}), 10);
  EXPECT_EQ(clusters(&any, {8, 2, 1024}), 1);
  EXPECT_EQ(clusters(&any, {8, 4, 1024}), 0);
  EXPECT_EQ(run(&any, {8, 4, 1024}), cudaErrorInvalidClusterSize);
  EXPECT_EQ(clusters(&any, {8, dim3(0, 0, 0)}), 0);
  EXPECT_EQ(clusters(&pairs, {8, dim3(0, 0, 0)}), 16);
  EXPECT_EQ(size(&any, {8, dim3(0, 0, 0), 1024}), 2);
  EXPECT_EQ(cudaOccupancyMaxActiveClusters(nullptr, &any, nullptr), cudaErrorInvalidValue);
}

TEST_F(Cluster, ACooperativeGridIsResidentByClusters) {
  EXPECT_EQ(run(&any, {30, 3, 32, true}), cudaSuccess);
  EXPECT_EQ(run(&any, {33, 3, 32, true}), cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(Cluster, TheDeviceSaysThatItHasThem) {
  int value = -1;
  ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0), cudaSuccess);
  EXPECT_EQ(value, 1);
  cudaDeviceProp p{};
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_EQ(p.clusterLaunch, 1);
}

}  // namespace
}  // namespace heddle::test
