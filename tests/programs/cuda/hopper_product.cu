// SPDX-License-Identifier: Apache-2.0
// A product of f16 matrices as programs for compute capability 9.0 are written: one warpgroup has tiles of A and B copied to shared memory by
// tensor maps, as mbarriers say that a stage is free; another multiplies them by wgmma as they come, and its tile of C leaves by a tensor
// map, too. Sizes that no tile divides: what is beyond is zeros, and is not stored. The argument is of how many sizes.
#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <random>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr int kTile = 64, kStages = 3, kThreads = 256;  // a tile has 64 rows of 128 bytes of K
constexpr unsigned kTileBytes = kTile * kTile * sizeof(__half);

struct __align__(1024) Shared {
  __half a[kStages][kTile * kTile], b[kStages][kTile * kTile];
  float c[kTile * kTile];
  uint64_t full[kStages], empty[kStages];
};

__device__ unsigned place(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ void wait(uint64_t* barrier, unsigned parity) {
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(place(barrier)), "r"(parity)
               : "memory");
}
__device__ void load(const CUtensorMap* map, __half* to, uint64_t* barrier, int k, int row) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place(to)), "l"(map),
               "r"(k), "r"(row), "r"(place(barrier))
               : "memory");
}
// Rows of 128 bytes of K, swizzled.
__device__ uint64_t descriptor(const __half* tile) {
  return (place(tile) >> 4 & 0x3fff) | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
}

#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
__device__ void multiply(float* d, uint64_t a, uint64_t b, int adds) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
      "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0; }"
      : D16(0), D16(16)
      : "l"(a), "l"(b), "r"(adds)
      : "memory");
}

__global__ void __launch_bounds__(kThreads)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int steps) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int row = static_cast<int>(blockIdx.y) * kTile, column = static_cast<int>(blockIdx.x) * kTile;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&shared.full[s])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(place(&shared.empty[s])) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x != 128) return;
    asm volatile("prefetch.tensormap [%0];" ::"l"(&a) : "memory");
    for (int n = 0; n < steps; ++n) {
      const int s = n % kStages;
      wait(&shared.empty[s], n / kStages % 2 ^ 1);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&shared.full[s])), "r"(2 * kTileBytes) : "memory");
      load(&a, shared.a[s], &shared.full[s], n * kTile, row);
      load(&b, shared.b[s], &shared.full[s], n * kTile, column);
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[32];
  for (int n = 0; n < steps; ++n) {
    const int s = n % kStages;
    wait(&shared.full[s], n / kStages % 2);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 4; ++k) multiply(d, descriptor(shared.a[s]) + 2 * k, descriptor(shared.b[s]) + 2 * k, n + k);
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(&shared.empty[s])) : "memory");
  }
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int i = 0; i < 32; ++i) shared.c[(first + i / 2 % 2 * 8) * kTile + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
  asm volatile("fence.proxy.async;\nbar.sync 1, 128;" ::: "memory");
  if (threadIdx.x != 0) return;
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c), "r"(column), "r"(row), "r"(place(shared.c))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

CUtensorMap map_of(CUtensorMapDataType type, void* data, int columns, int rows, int bytes, CUtensorMapSwizzle swizzle) {
  CUtensorMap map;
  const cuuint64_t dims[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(columns) * bytes};
  const cuuint32_t box[] = {kTile, kTile}, steps[] = {1, 1};
  const CUresult error = cuTensorMapEncodeTiled(&map, type, 2, data, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS) {
    printf("cuTensorMapEncodeTiled: %d\nFAIL\n", static_cast<int>(error));
    exit(1);
  }
  return map;
}

// C of m x n from A of m x k and B of n x k: small whole numbers, so that every sum is exact.
int check(int m, int n, int k) {
  std::mt19937 rng(static_cast<unsigned>(m * n + k));
  std::vector<__half> a(static_cast<size_t>(m) * k), b(static_cast<size_t>(n) * k);
  const auto fill = [&](std::vector<__half>& v) {
    for (__half& x : v) x = __float2half(static_cast<float>(static_cast<int>(rng() % 15) - 7));
  };
  fill(a);
  fill(b);
  __half *da, *db;
  float* dc;
  std::vector<float> got(static_cast<size_t>(m) * n);
  CHECK(cudaMalloc(&da, a.size() * sizeof(__half)));
  CHECK(cudaMalloc(&db, b.size() * sizeof(__half)));
  CHECK(cudaMalloc(&dc, got.size() * sizeof(float)));
  CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(__half), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dc, 0xff, got.size() * sizeof(float)));
  const CUtensorMap map_a = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, da, k, m, 2, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap map_b = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, db, k, n, 2, CU_TENSOR_MAP_SWIZZLE_128B);
  const CUtensorMap map_c = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, dc, n, m, 4, CU_TENSOR_MAP_SWIZZLE_NONE);
  CHECK(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)));
  const dim3 grid(static_cast<unsigned>((n + kTile - 1) / kTile), static_cast<unsigned>((m + kTile - 1) / kTile));
  product<<<grid, kThreads, sizeof(Shared)>>>(map_a, map_b, map_c, (k + kTile - 1) / kTile);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got.data(), dc, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int mismatches = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float want = 0;
      for (int x = 0; x < k; ++x) want += __half2float(a[static_cast<size_t>(i) * k + x]) * __half2float(b[static_cast<size_t>(j) * k + x]);
      if (got[static_cast<size_t>(i) * n + j] != want && mismatches++ < 3)
        printf("%d x %d x %d: row %d, column %d: %g, expected %g\n", m, n, k, i, j, got[static_cast<size_t>(i) * n + j], want);
    }
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  return mismatches;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSizes[][3] = {{72, 64, 136}, {64, 64, 64}, {100, 72, 264}, {128, 200, 40}};
  const int count = example_argument(argc, argv, 1, 4);
  int mismatches = 0;
  for (int n = 0; n < count && n < 4; ++n) mismatches += check(kSizes[n][0], kSizes[n][1], kSizes[n][2]);
  return verdict(mismatches);
}
