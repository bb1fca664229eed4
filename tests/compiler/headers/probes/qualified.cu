// SPDX-License-Identifier: Apache-2.0
// Symbols and pointers of every qualification, arrays and structures among them.
struct Pair {
  int a, b;
};
__device__ volatile int flag;
__device__ volatile unsigned counts[4];
__device__ const volatile float scale = 2.0f;
__device__ int table[2][3];
__device__ volatile Pair pairs[2];
__constant__ Pair pair;
__device__ int* volatile place;

template <class T>
cudaError_t every_way(const T& symbol) {
  char host[64] = {};
  void* address = nullptr;
  size_t bytes = 0;
  cudaGetSymbolAddress(&address, symbol);
  cudaGetSymbolSize(&bytes, symbol);
  cudaMemcpyToSymbol(symbol, host, bytes);
  cudaMemcpyToSymbol(symbol, host, bytes, 0, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbolAsync(symbol, host, bytes, 0, cudaMemcpyHostToDevice, cudaStreamPerThread);
  cudaMemcpyFromSymbol(host, symbol, bytes);
  cudaMemcpyFromSymbol(host, symbol, bytes, 0, cudaMemcpyDeviceToHost);
  return cudaMemcpyFromSymbolAsync(host, symbol, bytes, 0, cudaMemcpyDeviceToHost, cudaStreamPerThread);
}

template <class T>
cudaError_t allocate() {
  T* p = nullptr;
  size_t pitch = 0;
  cudaMalloc(&p, 16);
  cudaMallocHost(&p, 16);
  cudaHostAlloc(&p, 16, cudaHostAllocDefault);
  cudaHostGetDevicePointer(&p, nullptr, 0);
  cudaMallocManaged(&p, 16);
  cudaMallocPitch(&p, &pitch, 16, 2);
  cudaMallocAsync(&p, 16, nullptr);
  return cudaStreamAttachMemAsync(nullptr, p);
}

int main() {
  int v = 0;
  cudaMemcpyFromSymbol(&v, flag, sizeof v);
  return every_way(flag) | every_way(counts) | every_way(scale) | every_way(table) | every_way(pairs) | every_way(pair) |
         every_way(place) | allocate<int>() | allocate<const int>() | allocate<volatile int>() | allocate<const volatile Pair>() |
         allocate<void>();
}
