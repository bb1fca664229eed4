// SPDX-License-Identifier: Apache-2.0
// Memory of the runtime API. Codes are those that an H200 with CUDA 13 answered to the same calls.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "tests/unit/runtime/cudart_fixture.h"

extern "C" cudaError_t cudaGraphLaunch_ptsz();  // refusals look at no argument

namespace heddle::test {
namespace {

TEST_F(Cudart, AllocationsOfNothingSucceedWithNull) {
  void* p = &p;
  EXPECT_EQ(cudaMalloc(&p, 0), cudaSuccess);
  EXPECT_EQ(p, nullptr);
  p = &p;
  EXPECT_EQ(cudaMallocHost(&p, 0), cudaSuccess);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(nullptr), cudaSuccess);
}

TEST_F(Cudart, BadAllocationsAreRefused) {
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(nullptr, 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc(&p, size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Cudart, BadFreesAreRefused) {
  int host[4];
  int* p = device(16);
  EXPECT_EQ(cudaFree(p + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);  // double free
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
}

TEST_F(Cudart, CopiesGoEveryWay) {
  std::vector<int> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 7);
  int *a = device(1000), *b = device(1000);
  EXPECT_EQ(cudaMemcpy(a, in.data(), 4000, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(b, a, 4000, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), b, 4000, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(out, in);
  std::vector<int> third(1000);
  EXPECT_EQ(cudaMemcpy(third.data(), in.data(), 4000, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_EQ(third, in);
}

TEST_F(Cudart, BadCopiesAreRefused) {
  int host[16] = {};
  int* d = device(256);
  EXPECT_EQ(cudaMemcpy(nullptr, host, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(d, nullptr, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d, host, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, d, 64, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, d, 64, static_cast<cudaMemcpyKind>(7)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(d + 250, host, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d + (1 << 22), host, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
}

TEST_F(Cudart, AnAsyncCopyFromPageableMemoryHasReadItsSourceOnReturn) {
  int *d = device(4), value = 5, back = 0;
  EXPECT_EQ(cudaMemcpyAsync(d, &value, 4, cudaMemcpyHostToDevice), cudaSuccess);
  value = 6;
  EXPECT_EQ(cudaMemcpyAsync(&back, d, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back, 5);
}

TEST_F(Cudart, FillsAndTheirErrors) {
  unsigned char out[16] = {};
  auto* d = device<unsigned char>(16);
  EXPECT_EQ(cudaMemset(d, 0, 16), cudaSuccess);
  EXPECT_EQ(cudaMemset(d + 3, 0x1ab, 5), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(out, d, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  const unsigned char expected[16] = {0, 0, 0, 0xab, 0xab, 0xab, 0xab, 0xab};
  EXPECT_EQ(std::memcmp(out, expected, 16), 0);
  EXPECT_EQ(cudaMemset(out, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 0), cudaSuccess);
  EXPECT_EQ(cudaMemset(d, 0, size_t{1} << 40), cudaErrorInvalidValue);
}

TEST_F(Cudart, PitchedMemoryKeepsRowsApart) {
  void* p = nullptr;
  size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&p, &pitch, 100, 10), cudaSuccess);
  EXPECT_EQ(pitch, 512u);
  std::vector<char> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 0);
  EXPECT_EQ(cudaMemset2D(p, pitch, 0, 100, 10), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(p, pitch, in.data(), 100, 100, 10, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(out.data(), 100, p, pitch, 100, 10, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, in);
  EXPECT_EQ(cudaMemcpy2D(p, 50, in.data(), 100, 64, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemset2D(p, 50, 0, 64, 2), cudaErrorInvalidValue);
}

// Rows and slices of any pitch and alignment, in every direction, against plain loops.
TEST_F(Cudart, BoxesOfAnyPitchArriveWhole) {
  constexpr size_t kBytes = 20000;
  std::mt19937 rng(5);
  std::vector<unsigned char> pageable(kBytes);
  unsigned char *locked = nullptr, *d = device<unsigned char>(kBytes);
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&locked), kBytes), cudaSuccess);
  std::vector<unsigned char> in_device(kBytes);
  for (auto& b : in_device) b = static_cast<unsigned char>(rng());
  ASSERT_EQ(cudaMemcpy(d, in_device.data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
  for (int i = 0; i < 100; i++) {
    const cudaExtent extent = {1 + rng() % 100, 1 + rng() % 9, 1 + rng() % 4};
    cudaMemcpy3DParms p{};
    const auto side = [&](unsigned char* memory, size_t from) {
      const size_t pitch = extent.width + rng() % 2 * (rng() % 60);
      return cudaPitchedPtr{memory + from + rng() % 70, pitch, pitch, extent.height + rng() % 2 * (rng() % 3)};
    };
    unsigned char* host = i % 2 ? pageable.data() : locked;
    for (size_t b = 0; b < kBytes; b++) host[b] = static_cast<unsigned char>(rng());
    const std::vector<unsigned char> before(host, host + kBytes);
    std::vector<unsigned char> expected_device = in_device, expected_host = before;
    const int direction = i % 3;  // to the device, to the host, within the device
    p.srcPtr = side(direction == 0 ? host : d, 0);
    p.dstPtr = side(direction == 1 ? host : d, kBytes / 2);
    p.extent = extent;
    p.kind = cudaMemcpyDefault;
    ASSERT_EQ(cudaMemcpy3D(&p), cudaSuccess);
    const auto at = [&](const cudaPitchedPtr& ptr, bool on_host, size_t x, size_t y, size_t z) {
      return static_cast<size_t>(static_cast<unsigned char*>(ptr.ptr) - (on_host ? host : d)) +
             (z * ptr.ysize + y) * ptr.pitch + x;
    };
    for (size_t z = 0; z < extent.depth; z++)
      for (size_t y = 0; y < extent.height; y++)
        for (size_t x = 0; x < extent.width; x++)
          (direction == 1 ? expected_host : expected_device)[at(p.dstPtr, direction == 1, x, y, z)] =
              (direction == 0 ? before : in_device)[at(p.srcPtr, direction == 0, x, y, z)];
    in_device.resize(kBytes);
    ASSERT_EQ(cudaMemcpy(in_device.data(), d, kBytes, cudaMemcpyDeviceToHost), cudaSuccess);
    ASSERT_EQ(in_device, expected_device) << i;
    ASSERT_EQ(std::vector<unsigned char>(host, host + kBytes), expected_host) << i;
  }
  EXPECT_EQ(cudaFreeHost(locked), cudaSuccess);
}

// Sizes and places that do not fit into 64 bits, or not into the memory.
TEST_F(Cudart, AllocationsWhoseSizeOverflowsAreRefused) {
  void* p = nullptr;
  size_t pitch = 0;
  cudaPitchedPtr box{};
  EXPECT_EQ(cudaMallocPitch(&p, &pitch, SIZE_MAX, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocPitch(&p, &pitch, SIZE_MAX, 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocPitch(&p, &pitch, SIZE_MAX - 511, 2), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocPitch(&p, &pitch, size_t{1} << 32, size_t{1} << 32), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocPitch(&p, &pitch, size_t{1} << 32, (size_t{1} << 32) + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc3D(&box, {SIZE_MAX, 1, 1}), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3D(&box, {16, size_t{1} << 32, size_t{1} << 32}), cudaErrorMemoryAllocation);
  for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 255, SIZE_MAX / 2 + 1}) {
    EXPECT_EQ(cudaMalloc(&p, bytes), cudaErrorMemoryAllocation) << bytes;
    EXPECT_EQ(cudaMallocHost(&p, bytes), cudaErrorMemoryAllocation) << bytes;
    EXPECT_EQ(cudaMallocManaged(&p, bytes, cudaMemAttachGlobal), cudaErrorMemoryAllocation) << bytes;
    EXPECT_EQ(cudaMallocAsync(&p, bytes, nullptr), cudaErrorMemoryAllocation) << bytes;
  }
  char host[64];
  EXPECT_EQ(cudaHostRegister(host, SIZE_MAX, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(host, sizeof host, 0), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host), cudaSuccess);
}

TEST_F(Cudart, RowsThatTheMemoryDoesNotHoldAreRefusedBeforeAnyMoves) {
  constexpr size_t kFar = size_t{1} << 62;
  auto* d = device<char>(4096);
  char host[64] = {};
  ASSERT_EQ(cudaMemset(d, 7, 4096), cudaSuccess);
  for (const size_t pitch : {kFar, kFar + 64, SIZE_MAX, SIZE_MAX - 15, size_t{0x80000000}}) {
    EXPECT_EQ(cudaMemcpy2D(d, pitch, host, 16, 16, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue) << pitch;
    EXPECT_EQ(cudaMemcpy2D(d, 16, host, pitch, 16, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue) << pitch;
    EXPECT_EQ(cudaMemcpy2D(host, pitch, d, 16, 16, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue) << pitch;
    EXPECT_EQ(cudaMemcpy2D(d, pitch, d + 2048, 16, 16, 5, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue) << pitch;
    EXPECT_EQ(cudaMemset2D(d, pitch, 0, 16, 5), cudaErrorInvalidValue) << pitch;
    EXPECT_EQ(cudaMemset3D({d, pitch, 16, 1}, 0, {16, 1, 5}), cudaErrorInvalidValue) << pitch;
  }
  EXPECT_EQ(cudaMemset2D(d, 64, 0, 16, 65), cudaErrorInvalidValue);  // a row too many
  EXPECT_EQ(cudaMemset2D(d, 64, 0, 16, kFar), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset3D({d, 64, 16, kFar}, 0, {16, 2, 5}), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset3D({d, 64, 16, 1}, 0, {16, 2, 2}), cudaErrorInvalidValue);  // slices of fewer rows than the box's
  EXPECT_EQ(cudaMemset(d, 0, SIZE_MAX), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d, host, SIZE_MAX, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  cudaMemcpy3DParms p{};
  p.srcPtr = {host, 16, 16, 4};
  p.extent = {16, 2, 1};
  p.kind = cudaMemcpyHostToDevice;
  for (const cudaPos at : {cudaPos{0, 0, kFar}, cudaPos{0, kFar, 0}, cudaPos{SIZE_MAX - 7, 0, 0}, cudaPos{kFar, 0, 0},
                           cudaPos{8, 0, 0}, cudaPos{0, 255, 0}}) {
    p.dstPtr = {d, 16, 16, 4};
    p.dstPos = at;
    EXPECT_EQ(cudaMemcpy3D(&p), cudaErrorInvalidValue) << at.x << ' ' << at.y << ' ' << at.z;
  }
  std::vector<char> out(4096);
  ASSERT_EQ(cudaMemcpy(out.data(), d, out.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, std::vector<char>(4096, 7));
}

// Between the rows of a matrix's part there may be nothing that can be read.
TEST_F(Cudart, AnAsyncCopyOfRowsReadsTheRowsAlone) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* rows = static_cast<char*>(mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(rows, MAP_FAILED);
  std::memset(rows, 1, 3 * page);
  ASSERT_EQ(mprotect(rows + page, page, PROT_NONE), 0);
  auto* d = device<char>(32);
  ASSERT_EQ(cudaMemcpy2DAsync(d, 16, rows, 2 * page, 16, 2, cudaMemcpyHostToDevice), cudaSuccess);
  std::memset(rows, 2, 16);
  char out[32] = {};
  ASSERT_EQ(cudaMemcpy(out, d, 32, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(std::string(out, 32), std::string(32, 1));
  munmap(rows, 3 * page);
}

TEST_F(Cudart, ABoxIsCopiedSliceBySlice) {
  cudaPitchedPtr box{};
  ASSERT_EQ(cudaMalloc3D(&box, {12, 3, 2}), cudaSuccess);
  char in[72], out[72] = {};
  std::iota(in, in + 72, 0);
  cudaMemcpy3DParms p{};
  p.srcPtr = {in, 12, 12, 3};
  p.dstPtr = box;
  p.extent = {12, 3, 2};
  p.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&p), cudaSuccess);
  p.srcPtr = box;
  p.dstPtr = {out, 12, 12, 3};
  p.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&p), cudaSuccess);
  EXPECT_EQ(std::memcmp(in, out, 72), 0);
  cudaMemcpy3DPeerParms peer{};
  peer.srcPtr = peer.dstPtr = box;
  peer.extent = {12, 3, 1};
  peer.dstPos = {0, 0, 1};
  EXPECT_EQ(cudaMemcpy3DPeerAsync(&peer, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemcpy3D(&p), cudaSuccess);
  EXPECT_EQ(std::memcmp(in, out + 36, 36), 0);
  peer.dstDevice = 1;
  EXPECT_EQ(cudaMemcpy3DPeerAsync(&peer, nullptr), cudaErrorInvalidDevice);
}

TEST_F(Cudart, SymbolsAreReadAndWritten) {
  int values[4] = {}, other[4] = {10, 20, 30, 40};
  EXPECT_EQ(cudaMemcpyFromSymbol(values, &stubs.table, 16, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(values[3], 4);
  EXPECT_EQ(cudaMemcpyToSymbol(&stubs.table, other, 8, 8, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(values, &stubs.table, 16, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(values[1], 2);
  EXPECT_EQ(values[2], 10);
  size_t size = 0;
  void* address = nullptr;
  EXPECT_EQ(cudaGetSymbolSize(&size, &stubs.coefficients), cudaSuccess);
  EXPECT_EQ(size, 8u);
  EXPECT_EQ(cudaGetSymbolAddress(&address, &stubs.coefficients), cudaSuccess);
  EXPECT_NE(address, nullptr);
}

TEST_F(Cudart, BadSymbolsAreRefused) {
  int host[8] = {};
  EXPECT_EQ(cudaMemcpyToSymbol(&stubs.table, host, 20, 0, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&stubs.table, host, 4, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(host, host, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyToSymbol(&stubs.table, host, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
}

TEST_F(Cudart, PointersAreToldApart) {
  int host = 0, *d = device(4);
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  cudaPointerAttributes a{};
  EXPECT_EQ(cudaPointerGetAttributes(&a, &host), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(a.device, -2);
  EXPECT_EQ(cudaPointerGetAttributes(&a, d + 3), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeDevice);
  EXPECT_EQ(a.devicePointer, d + 3);
  EXPECT_EQ(cudaPointerGetAttributes(&a, pinned), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeHost);
}

TEST_F(Cudart, HostMemoryIsRegisteredOnce) {
  alignas(64) char host[64];
  EXPECT_EQ(cudaHostRegister(host, 64, 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(host, 64, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostUnregister(host), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
}

TEST_F(Cudart, MemoryInfoCountsAllocations) {
  size_t before = 0, after = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  (void)device<char>(1 << 20);
  ASSERT_EQ(cudaMemGetInfo(&after, nullptr), cudaSuccess);
  EXPECT_EQ(before - after, 1u << 20);
  EXPECT_GT(total, before);
}

TEST_F(Cudart, ManagedMemoryIsReachedFromBothSides) {
  int *p = nullptr, *q = nullptr;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&p), 4000, cudaMemAttachGlobal), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&q), 12, cudaMemAttachHost), cudaSuccess);
  EXPECT_EQ(p[999], 0);
  std::iota(p, p + 1000, 5);
  q[2] = 77;
  std::vector<int> out(1000);
  EXPECT_EQ(cudaMemcpy(out.data(), p, 4000, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out[999], 1004);
  EXPECT_EQ(cudaMemcpy(p + 1, q + 2, 4, cudaMemcpyHostToHost), cudaSuccess);
  EXPECT_EQ(p[1], 77);
  EXPECT_EQ(cudaMemset(p + 2, 0xff, 4), cudaSuccess);
  EXPECT_EQ(p[2], -1);
  EXPECT_EQ(p[3], 8);
  int* d = device(1000);
  EXPECT_EQ(cudaMemcpy(d, p, 4000, cudaMemcpyHostToDevice), cudaSuccess);
  p[3] = 0;
  EXPECT_EQ(cudaMemcpyAsync(p, d, 4000, cudaMemcpyDefault, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(p[3], 8);
  EXPECT_EQ(q[2], 77);
  EXPECT_EQ(cudaMemPrefetchAsync(p, 4000, 0, nullptr), cudaSuccess);
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0}, nowhere{cudaMemLocationTypeDevice, 1};
  EXPECT_EQ(cudaMemPrefetchAsync_v2(p, 4000, here, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync_v2(p, 4000, nowhere, 0, nullptr), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemAdvise_v2(p, 4000, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeHost, 0}), cudaSuccess);
  EXPECT_EQ(cudaCtxResetPersistingL2Cache(), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(d, 4000, 0, nullptr), cudaErrorInvalidValue);
  cudaPointerAttributes attributes;
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, p + 7), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_EQ(attributes.hostPointer, p + 7);
  EXPECT_EQ(cudaFree(p + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
  EXPECT_EQ(q[2], 77);
  EXPECT_EQ(cudaFree(q), cudaSuccess);
}

TEST_F(Cudart, AManagedVariableOfNvccIsReachedThroughItsPointer) {
  ASSERT_NE(counts, nullptr);
  EXPECT_EQ(counts[0], 7);
  counts[1] = 40;
  EXPECT_EQ(launch(&stubs.count, 1, 1), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(counts[0], 8);
  EXPECT_EQ(counts[1], 41);
  int value = 5;
  ASSERT_EQ(cudaMemcpyFromSymbol(&value, counts, 4), cudaSuccess);
  EXPECT_EQ(value, 8);
}

// Their addresses are the host's: exchanged in pointers, wherever these stand in an argument, and nowhere else.
TEST_F(Cudart, OnlyPointersToManagedVariablesAreExchanged) {
  const auto address = reinterpret_cast<uint64_t>(counts);
  struct {
    uint32_t a = 1;
    uint64_t pointer;
    uint32_t halves[2];
  } three{1, address + 4, {static_cast<uint32_t>(address), 3}};
  static_assert(sizeof three == 24);
  uint64_t out[4] = {};
  auto* d = device<uint64_t>(4);
  EXPECT_EQ(launch(&stubs.keep, 1, 1, d, static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32), three),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out[0], address);  // two numbers, which look like the address together
  EXPECT_EQ(static_cast<uint32_t>(out[1]), 1u);
  EXPECT_NE(out[2], address + 4);
  EXPECT_EQ(out[2] % 8, 4u);
  EXPECT_EQ(out[3], static_cast<uint32_t>(address) | uint64_t{3} << 32);
}

// Kernels reach page-locked memory by a copy in device memory.
TEST_F(Cudart, KernelsReachPageLockedMemory) {
  int can = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&can, cudaDevAttrCanMapHostMemory, 0), cudaSuccess);
  EXPECT_EQ(can, 1);
  int *host = nullptr, *device_side = nullptr, *d = device(64);
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&host), 256, cudaHostAllocMapped), cudaSuccess);
  ASSERT_EQ(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_side), host + 8, 0), cudaSuccess);
  std::fill(host, host + 64, -1);
  EXPECT_EQ(launch(&stubs.store, 1, 32, device_side), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(host[i], i >= 8 && i < 40 ? i - 8 : -1) << i;

  // The host's own pointer is one that kernels take, and copies see what kernels wrote.
  std::vector<int> out(64);
  EXPECT_EQ(launch(&stubs.store, 1, 32, host + 32), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(d, host, 256, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), d, 256, cudaMemcpyDeviceToHost), cudaSuccess);
  for (int i = 32; i < 64; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], i - 32);
  EXPECT_EQ(cudaMemset(d, 0, 256), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host, d, 256, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host[40], 0);

  cudaPointerAttributes a;
  EXPECT_EQ(cudaPointerGetAttributes(&a, host + 8), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeHost);
  EXPECT_EQ(a.devicePointer, device_side);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
  EXPECT_EQ(cudaPointerGetAttributes(&a, device_side), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeUnregistered);
}

TEST_F(Cudart, KernelsReachRegisteredMemoryUntilItIsNot) {
  std::vector<int> host(64, -1);
  int* device_side = nullptr;
  EXPECT_EQ(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_side), host.data(), 0), cudaErrorInvalidValue);
  ASSERT_EQ(cudaHostRegister(host.data(), 256, cudaHostRegisterMapped), cudaSuccess);
  ASSERT_EQ(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_side), host.data(), 0), cudaSuccess);
  EXPECT_EQ(launch(&stubs.store, 1, 32, device_side), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaSuccess);  // waits, and what the kernel wrote is at home
  for (int i = 0; i < 64; ++i) EXPECT_EQ(host[static_cast<size_t>(i)], i < 32 ? i : -1) << i;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(launch(&stubs.store, 1, 32, host.data()), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  ::testing::internal::GetCapturedStderr();
}

TEST_F(Cudart, BadManagedAllocationsAreRefused) {
  void* p = nullptr;
  EXPECT_EQ(cudaMallocManaged(nullptr, 16, cudaMemAttachGlobal), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&p, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&p, 16, 0), cudaErrorInvalidValue);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMallocManaged(&p, size_t{1} << 60, cudaMemAttachGlobal), cudaErrorMemoryAllocation);
  (void)::testing::internal::GetCapturedStderr();
}

TEST_F(Cudart, RefusalsSayTheNameOnce) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphAddNode(nullptr, nullptr, nullptr, 0, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphLaunch_ptsz(), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphAddNode(nullptr, nullptr, nullptr, 0, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "heddle: cudaGraphAddNode: graphs are not supported\nheddle: cudaGraphLaunch: graphs are not supported\n");
}

TEST_F(Cudart, WhatIsNotSupportedSaysSo) {
  cudaGraph_t graph = nullptr;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaErrorNotSupported);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("cudaGraphCreate"), std::string::npos) << text;
}

}  // namespace
}  // namespace heddle::test
