// SPDX-License-Identifier: Apache-2.0
// A default stream for each thread: what is given no stream is in that of the thread that calls.
// Compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "../../../examples/common/example.h"

__device__ int table[32];
__device__ int seen[32];

namespace {

__global__ void fill(int* out, int with) { out[threadIdx.x] = with + (int)threadIdx.x; }
__global__ void look() { seen[threadIdx.x] = table[threadIdx.x]; }

unsigned long long id_of(cudaStream_t stream) {
  unsigned long long id = 0;
  CHECK(cudaStreamGetId(stream, &id));
  return id;
}

// Work that a thread has submitted is pending for it alone: behind a host function that waits. In the legacy stream, it
// would make that one wait, too.
template <typename Submit>
int pending(const char* what, Submit submit) {
  std::atomic<bool> open{false};
  const auto wait = [](void* open) {
    while (!*static_cast<std::atomic<bool>*>(open)) std::this_thread::yield();
  };
  CHECK(cudaLaunchHostFunc(cudaStreamPerThread, wait, &open));
  CHECK(submit());
  // The legacy stream has done what all blocking streams have.
  int bad = cudaStreamQuery(cudaStreamLegacy) != cudaErrorNotReady;
  // Another thread's work would wait for the legacy stream's, which would wait for this thread's.
  std::thread([&] {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    look<<<1, 32, 0, cudaStreamPerThread>>>();
    while (cudaStreamQuery(0) == cudaErrorNotReady && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    bad += cudaStreamQuery(0) != cudaSuccess;
  }).join();
  bad += cudaStreamQuery(0) != cudaErrorNotReady;
  open = true;
  CHECK(cudaStreamSynchronize(0));
  bad += cudaStreamQuery(cudaStreamPerThread) != cudaSuccess;
  if (bad) printf("%s: %d wrong\n", what, bad);
  return bad;
}

int all_of(int* d) {
  int host[32], with = 7, bad = 0;
  for (int& h : host) h = 3;
  bad += pending("launch", [&] { return fill<<<1, 32>>>(d, with), cudaGetLastError(); });
  void* arguments[] = {&d, &with};
  bad += pending("cudaLaunchKernel", [&] { return cudaLaunchKernel(fill, dim3(1), dim3(32), arguments); });
  cudaLaunchConfig_t config{};
  config.gridDim = 1, config.blockDim = 32;
  bad += pending("cudaLaunchKernelEx", [&] { return cudaLaunchKernelEx(&config, fill, d, with); });
  bad += pending("cudaMemset", [&] { return cudaMemset(d, 0, 64); });
  bad += pending("cudaMemsetAsync", [&] { return cudaMemsetAsync(d, 0, 64); });
  bad += pending("cudaMemcpy", [&] { return cudaMemcpy(d + 32, d, 128, cudaMemcpyDeviceToDevice); });
  bad += pending("cudaMemcpyAsync", [&] { return cudaMemcpyAsync(d + 32, d, 128, cudaMemcpyDeviceToDevice); });
  bad += pending("cudaLaunchHostFunc", [&] { return cudaLaunchHostFunc(0, [](void* n) { ++*static_cast<int*>(n); }, &with); });
  bad += with != 8;
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  bad += pending("cudaEventRecord", [&] { return cudaEventRecord(event); });
  CHECK(cudaMemcpyToSymbol(table, host, sizeof host));
  look<<<1, 32>>>();
  CHECK(cudaMemcpyFromSymbol(host, seen, sizeof host));
  bad += host[0] != 3 || host[31] != 3;
  return bad;
}

}  // namespace

int main() {
  int *d = nullptr, bad = 0;
  CHECK(cudaMalloc(&d, 256));
  bad += id_of(0) != id_of(cudaStreamPerThread) || id_of(0) == id_of(cudaStreamLegacy);
  std::thread([&, here = id_of(0)] { bad += id_of(0) == here; }).join();
  bad += all_of(d);
  // Each thread's kernels and copies are in order.
  std::vector<std::thread> threads;
  std::vector<int> wrong(3);
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&wrong, t] {
      int *mine = nullptr, host[32];
      CHECK(cudaMalloc(&mine, 128));
      for (int round = 0; round < 4; ++round) {
        fill<<<1, 32>>>(mine, 100 * t + round);
        CHECK(cudaMemcpyAsync(host, mine, sizeof host, cudaMemcpyDeviceToHost));
        CHECK(cudaStreamSynchronize(0));
        for (int i = 0; i < 32; ++i) wrong[t] += host[i] != 100 * t + round + i;
      }
      CHECK(cudaFree(mine));
    });
  for (auto& t : threads) t.join();
  for (const int w : wrong) bad += w;
  printf("default streams of threads: %d wrong\n%s\n", bad, bad ? "FAIL" : "PASS");
  return bad ? 1 : 0;
}
