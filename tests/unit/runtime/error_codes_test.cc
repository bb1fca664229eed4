// SPDX-License-Identifier: Apache-2.0
// The codes that an H200 gave for calls that cannot be right, or are at the edge of it (CUDA 13.0, each call the first
// of a process). After each: cudaGetLastError gives the code once, cudaErrorNotReady excepted, which is an answer; and
// cudaDeviceSynchronize is well. Not here: a launch while its stream is captured, for capture is refused.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/runtime/cudart_fixture.h"

namespace heddle::test {
namespace {

constexpr size_t kHuge = size_t{1} << 62;
char host[4096];

struct Case {
  const char* name;
  cudaError_t code;
  cudaError_t (*call)();
};

char* memory(size_t bytes) {
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, bytes), cudaSuccess);
  return static_cast<char*>(p);
}

void* mallocs() {
  static void* const p = std::malloc(100);
  return p;
}

cudaError_t copy_2d(char* to, size_t to_pitch, const char* from, size_t from_pitch, size_t width, size_t rows,
                    cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, rows, kind);
}

// The pointer is null and the pitch is as told, whatever the code.
cudaError_t pitched(size_t width, size_t rows, size_t wanted, bool null = true) {
  void* p = host;
  size_t pitch = 77;
  const cudaError_t code = cudaMallocPitch(&p, &pitch, width, rows);
  EXPECT_EQ(pitch, wanted);
  EXPECT_EQ(p == nullptr, null);
  EXPECT_NE(p, host);
  return code;
}

cudaError_t plain(size_t bytes) {
  void* p = host;
  const cudaError_t code = cudaMalloc(&p, bytes);
  EXPECT_EQ(p, nullptr);
  return code;
}

cudaError_t start(const char* stub, dim3 grid, dim3 block, size_t shared = 0) {
  static char* p;
  p = memory(409600);
  void* arguments[] = {&p};
  return cudaLaunchKernel(stub, grid, block, arguments, shared, nullptr);
}

int opt_in_limit() {
  int bytes = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  return bytes;
}

cudaError_t opt_in(int bytes) {
  return cudaFuncSetAttribute(&stubs.store, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

cudaEvent_t event(unsigned flags = cudaEventDefault) {
  cudaEvent_t e = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&e, flags), cudaSuccess);
  return e;
}

cudaEvent_t recorded(unsigned flags = cudaEventDefault) {
  const cudaEvent_t e = event(flags);
  EXPECT_EQ(cudaEventRecord(e, nullptr), cudaSuccess);
  return e;
}

cudaError_t elapsed(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds = 0;
  return cudaEventElapsedTime(&milliseconds, from, to);
}

std::atomic<bool> let_go;  // what busy(true) waits for

// A stream with work that has not ended: for a while, or until let_go.
cudaStream_t busy(bool held = false) {
  static char* p;
  p = memory(128);
  void* arguments[] = {&p};
  cudaStream_t s = nullptr;
  EXPECT_EQ(cudaStreamCreate(&s), cudaSuccess);
  const auto pause = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  const auto wait = [](void*) { let_go.wait(false); };
  EXPECT_EQ(held ? cudaLaunchHostFunc(s, wait, nullptr) : cudaLaunchHostFunc(s, pause, nullptr), cudaSuccess);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(cudaLaunchKernel(&stubs.store, 1, 32, arguments, 0, s), cudaSuccess);
  return s;
}

#define CALL []() -> cudaError_t
constexpr auto H2D = cudaMemcpyHostToDevice, D2H = cudaMemcpyDeviceToHost, D2D = cudaMemcpyDeviceToDevice,
               H2H = cudaMemcpyHostToHost;
constexpr auto kNoKind = static_cast<cudaMemcpyKind>(7);

const Case kPitchedCopies[] = {
    // clang-format off
    {"both pitches 2^62", cudaErrorInvalidValue, CALL { return copy_2d(memory(64), kHuge, host, kHuge, 4, 2); }},
    {"both 2^62, one row", cudaSuccess, CALL { return copy_2d(memory(64), kHuge, host, kHuge, 4, 1); }},
    {"both 2^62, to the host", cudaErrorInvalidValue, CALL { return copy_2d(host, kHuge, memory(64), kHuge, 4, 2, D2H); }},
    {"both 2^62, on the device", cudaErrorInvalidValue, CALL { return copy_2d(memory(64), kHuge, memory(64), kHuge, 4, 2, D2D); }},
    {"dpitch 2^62", cudaErrorInvalidValue, CALL { return copy_2d(memory(256), kHuge, host, 64, 4, 2); }},
    {"dpitch 2^31", cudaErrorInvalidValue, CALL { return copy_2d(memory(256), size_t{1} << 31, host, 64, 4, 2); }},
    // These two fault on silicon, for the host's pitch is not looked at there.
    {"both 2^62, on the host", cudaErrorInvalidValue, CALL { return copy_2d(host, kHuge, host + 64, kHuge, 4, 2, H2H); }},
    {"spitch 2^62", cudaErrorInvalidValue, CALL { return copy_2d(memory(256), 64, host, kHuge, 4, 2); }},
    {"width > dpitch", cudaErrorInvalidPitchValue, CALL { return copy_2d(memory(1024), 64, host, 128, 65, 2); }},
    {"width > spitch", cudaErrorInvalidPitchValue, CALL { return copy_2d(memory(1024), 128, host, 64, 65, 2); }},
    {"width > both", cudaErrorInvalidPitchValue, CALL { return copy_2d(memory(1024), 64, host, 64, 65, 2); }},
    {"width > both, one row", cudaErrorInvalidValue, CALL { return copy_2d(memory(1024), 64, host, 64, 65, 1); }},
    {"width > dpitch, one row", cudaErrorInvalidValue, CALL { return copy_2d(memory(1024), 64, host, 128, 65, 1); }},
    {"width > both, to the host", cudaErrorInvalidPitchValue, CALL { return copy_2d(host, 64, memory(1024), 64, 65, 2, D2H); }},
    {"width > both, device", cudaErrorInvalidPitchValue, CALL { return copy_2d(memory(1024), 64, memory(1024), 64, 65, 2, D2D); }},
    {"width > both, host", cudaErrorInvalidPitchValue, CALL { return copy_2d(host, 64, host + 1024, 64, 65, 2, H2H); }},
    {"width > both, default", cudaErrorInvalidPitchValue, CALL { return copy_2d(memory(1024), 64, host, 64, 65, 2, cudaMemcpyDefault); }},
    {"no kind", cudaErrorInvalidMemcpyDirection, CALL { return copy_2d(memory(1024), 64, host, 64, 4, 2, kNoKind); }},
    {"width > both, async", cudaErrorInvalidPitchValue, CALL { return cudaMemcpy2DAsync(memory(1024), 64, host, 64, 65, 2, H2D, nullptr); }},
    {"width 0", cudaSuccess, CALL { return copy_2d(memory(1024), 64, host, 64, 0, 2); }},
    {"height 0, width > both", cudaSuccess, CALL { return copy_2d(memory(1024), 64, host, 64, 65, 0); }},
    {"fill, pitch 2^62", cudaErrorInvalidValue, CALL { return cudaMemset2D(memory(64), kHuge, 0, 4, 2); }},
    {"fill, width > pitch", cudaErrorInvalidValue, CALL { return cudaMemset2D(memory(1024), 64, 0, 65, 2); }},
};

const Case kAllocations[] = {
    {"pitched, SIZE_MAX x 5", cudaErrorInvalidValue, CALL { return pitched(SIZE_MAX, 5, 0); }},
    {"pitched, SIZE_MAX - 1023 x 5", cudaErrorMemoryAllocation, CALL { return pitched(SIZE_MAX - 1023, 5, SIZE_MAX - 1023); }},
    {"pitched, 5 x SIZE_MAX", cudaErrorMemoryAllocation, CALL { return pitched(5, SIZE_MAX, 512); }},
    {"pitched, 2^40 x 2^30", cudaErrorInvalidValue, CALL { return pitched(size_t{1} << 40, size_t{1} << 30, size_t{1} << 40); }},
    {"pitched, 0 x 5", cudaSuccess, CALL { return pitched(0, 5, 0); }},
    {"pitched, 5 x 0", cudaSuccess, CALL { return pitched(5, 0, 512); }},
    {"pitched, 100 x 5", cudaSuccess, CALL { return pitched(100, 5, 512, false); }},
    {"SIZE_MAX", cudaErrorMemoryAllocation, CALL { return plain(SIZE_MAX); }},
    {"2^62", cudaErrorMemoryAllocation, CALL { return plain(kHuge); }},
    {"2^40", cudaErrorMemoryAllocation, CALL { return plain(size_t{1} << 40); }},
    {"nothing", cudaSuccess, CALL { return plain(0); }},
    {"to no pointer", cudaErrorInvalidValue, CALL { return cudaMalloc(nullptr, 4); }},
};

const Case kLaunches[] = {
    {"1025 threads", cudaErrorInvalidValue, CALL { return start(&stubs.store, 1, 1025); }},
    {"1024 x 2 threads", cudaErrorInvalidValue, CALL { return start(&stubs.store, 1, dim3(1024, 2)); }},
    {"65 threads in z", cudaErrorInvalidValue, CALL { return start(&stubs.store, 1, dim3(1, 1, 65)); }},
    {"a thread above the launch bounds", cudaErrorInvalidValue, CALL { return start(&stubs.bounded, 1, 129); }},
    {"1024 threads of more than 64 registers", cudaErrorLaunchOutOfResources, CALL { return start(&stubs.heavy, 1, 1024); }},
    {"0 threads", cudaErrorInvalidValue, CALL { return start(&stubs.store, 1, 0); }},
    {"0 blocks", cudaErrorInvalidValue, CALL { return start(&stubs.store, 0, 1); }},
    {"65536 blocks in y", cudaErrorInvalidValue, CALL { return start(&stubs.store, dim3(1, 65536), 1); }},
    {"65535 blocks in y", cudaSuccess, CALL { return start(&stubs.bounded, dim3(1, 65535), 1); }},
    {"65536 blocks in z", cudaErrorInvalidValue, CALL { return start(&stubs.store, dim3(1, 1, 65536), 1); }},
    {"2^31 blocks in x", cudaErrorInvalidValue, CALL { return start(&stubs.store, dim3(1u << 31), 1); }},
    {"48 KiB of shared memory", cudaSuccess, CALL { return start(&stubs.store, 1, 32, 49152); }},
    {"a byte more, no opt-in", cudaErrorInvalidValue, CALL { return start(&stubs.store, 1, 32, 49153); }},
    {"above the limit, no opt-in", cudaErrorInvalidValue, CALL { return start(&stubs.store, 1, 32, size_t(opt_in_limit()) + 1); }},
    {"above the limit, opted in", cudaErrorInvalidValue, CALL {
       EXPECT_EQ(opt_in(opt_in_limit()), cudaSuccess);
       return start(&stubs.store, 1, 32, size_t(opt_in_limit()) + 1);
     }},
    {"at the limit, opted in", cudaSuccess, CALL {
       EXPECT_EQ(opt_in(opt_in_limit()), cudaSuccess);
       return start(&stubs.store, 1, 32, size_t(opt_in_limit()));
     }},
    {"opt-in above the limit", cudaErrorInvalidValue, CALL { return opt_in(opt_in_limit() + 1); }},
    {"opt-in of -1", cudaErrorInvalidValue, CALL { return opt_in(-1); }},
    {"no kernel", cudaErrorInvalidResourceHandle, CALL { return start(host, 1, 1); }},
};

const Case kFrees[] = {
    {"a host pointer", cudaErrorInvalidValue, CALL { return cudaFree(host); }},
    {"malloc's", cudaErrorInvalidValue, CALL { return cudaFree(mallocs()); }},
    {"null", cudaSuccess, CALL { return cudaFree(nullptr); }},
    {"twice", cudaErrorInvalidValue, CALL {
       char* p = memory(64);
       EXPECT_EQ(cudaFree(p), cudaSuccess);
       return cudaFree(p);
     }},
    {"inside an allocation", cudaErrorInvalidValue, CALL { return cudaFree(memory(4096) + 256); }},
    {"page-locked memory", cudaErrorInvalidValue, CALL {
       void* p = nullptr;
       EXPECT_EQ(cudaMallocHost(&p, 64), cudaSuccess);
       return cudaFree(p);
     }},
    {"device memory, as host memory", cudaErrorInvalidValue, CALL { return cudaFreeHost(memory(64)); }},
    {"malloc's, as host memory", cudaErrorInvalidValue, CALL { return cudaFreeHost(mallocs()); }},
    {"null, as host memory", cudaSuccess, CALL { return cudaFreeHost(nullptr); }},
};

const Case kEventsAndStreams[] = {
    {"time, neither recorded", cudaErrorInvalidResourceHandle, CALL { return elapsed(event(), event()); }},
    {"time, end not recorded", cudaErrorInvalidResourceHandle, CALL {
       const cudaEvent_t begin = recorded();
       EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
       return elapsed(begin, event());
     }},
    {"time, end still running", cudaErrorNotReady, CALL {
       const cudaEvent_t begin = recorded();
       busy(true);
       return elapsed(begin, recorded());
     }},
    {"time, events without", cudaErrorInvalidResourceHandle, CALL {
       const cudaEvent_t a = recorded(cudaEventDisableTiming), b = recorded(cudaEventDisableTiming);
       EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
       return elapsed(a, b);
     }},
    {"time of no events", cudaErrorInvalidResourceHandle, CALL { return elapsed(nullptr, nullptr); }},
    {"query, never recorded", cudaSuccess, CALL { return cudaEventQuery(event()); }},
    {"wait, never recorded", cudaSuccess, CALL { return cudaEventSynchronize(event()); }},
    {"event query while busy", cudaErrorNotReady, CALL { busy(true); return cudaEventQuery(recorded()); }},
    {"stream query while busy", cudaErrorNotReady, CALL { return cudaStreamQuery(busy(true)); }},
    {"stream query while busy, then a launch", cudaErrorNotReady, CALL {
       const cudaError_t answer = cudaStreamQuery(busy(true));
       EXPECT_EQ(start(&stubs.store, 1, 1), cudaSuccess);
       EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
       return answer;
     }},
    {"stream query idle", cudaSuccess, CALL {
       const cudaStream_t s = busy();
       EXPECT_EQ(cudaStreamSynchronize(s), cudaSuccess);
       return cudaStreamQuery(s);
     }},
    {"destroying no stream", cudaErrorInvalidResourceHandle, CALL { return cudaStreamDestroy(nullptr); }},
};

const Case kOthers[] = {
    {"no kind", cudaErrorInvalidMemcpyDirection, CALL { return cudaMemcpy(memory(64), host, 4, kNoKind); }},
    {"to null", cudaErrorInvalidValue, CALL { return cudaMemcpy(nullptr, host, 4, H2D); }},
    {"nothing to null", cudaSuccess, CALL { return cudaMemcpy(nullptr, host, 0, H2D); }},
    {"of device memory, as the host's", cudaSuccess, CALL { return cudaMemcpy(memory(64), memory(64), 4, H2D); }},
    {"of host memory, as the device's", cudaErrorInvalidValue, CALL { return cudaMemcpy(memory(64), host, 4, D2D); }},
    {"past the end", cudaErrorInvalidValue, CALL {
       static const std::vector<char> much(64 << 20);
       return cudaMemcpy(memory(4096), much.data(), much.size(), H2D);
     }},
    {"fill of null", cudaErrorInvalidValue, CALL { return cudaMemset(nullptr, 0, 4); }},
    {"fill of host memory", cudaErrorInvalidValue, CALL { return cudaMemset(host, 0, 4); }},
    {"device 99", cudaErrorInvalidDevice, CALL { return cudaSetDevice(99); }},
    {"properties of device 99", cudaErrorInvalidDevice, CALL {
       cudaDeviceProp properties;
       return cudaGetDeviceProperties(&properties, 99);
     }},
    {"no symbol", cudaErrorInvalidSymbol, CALL {
       const int x = 0;
       return cudaMemcpyToSymbol(host, &x, 4, 0, H2D);
     }},
};
// clang-format on
#undef CALL

class ErrorCodes : public Cudart {
 protected:
  template <size_t N>
  void check(const Case (&cases)[N]) {
    for (const Case& c : cases) {
      SCOPED_TRACE(c.name);
      ::testing::internal::CaptureStderr();
      let_go = false;
      EXPECT_EQ(c.call(), c.code);
      let_go = true;
      let_go.notify_all();
      const cudaError_t kept = c.code == cudaErrorNotReady ? cudaSuccess : c.code;
      EXPECT_EQ(cudaGetLastError(), kept);
      EXPECT_EQ(cudaGetLastError(), cudaSuccess);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      (void)::testing::internal::GetCapturedStderr();
      EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    }
  }
};

TEST_F(ErrorCodes, OfPitchedCopies) { check(kPitchedCopies); }
TEST_F(ErrorCodes, OfAllocations) { check(kAllocations); }
TEST_F(ErrorCodes, OfLaunches) { check(kLaunches); }
TEST_F(ErrorCodes, OfFrees) { check(kFrees); }
TEST_F(ErrorCodes, OfEventsAndStreams) { check(kEventsAndStreams); }
TEST_F(ErrorCodes, OfTheRest) { check(kOthers); }

}  // namespace
}  // namespace heddle::test
