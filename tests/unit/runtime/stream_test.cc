// SPDX-License-Identifier: Apache-2.0
// Streams, events, host functions, devices, error texts. Codes are an H200's, see memory_test.cc.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "host-runtime/runtime/state.h"
#include "tests/unit/runtime/cudart_fixture.h"
#include "tests/unit/runtime/gate.h"

extern "C" {
cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id);
cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);
cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, size_t n, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync_ptsz(void* to, int value, size_t n, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* f, void** args);
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* f, dim3 grid, dim3 block, void** args, size_t shared,
                                             cudaStream_t stream);
unsigned __cudaPushCallConfiguration_ptsz(dim3 grid, dim3 block, size_t shared_bytes, void* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);
cudaError_t cudaMemset_ptds(void* to, int value, size_t n);
cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t n, cudaMemcpyKind kind);
}

// ThreadSanitizer asks which reports it is to leave out: there the test looks at memory that the device writes
// meanwhile.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:PinnedMemoryIsWrittenThoughNobodyWaits\n"; }

namespace heddle::test {
namespace {

TEST_F(Cudart, AStreamRunsItsWork) {
  cudaStream_t s = nullptr;
  ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess);
  Gate gate(s);
  int *d = device(32), out[32] = {};
  void* args[] = {&d};
  EXPECT_EQ(cudaLaunchKernel(&stubs.store, 1, 32, args, 0, s), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(s), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // not ready is no error to remember
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(s), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(s), cudaSuccess);
  int number = 7;
  EXPECT_EQ(cudaStreamGetDevice(s, &number), cudaSuccess);
  EXPECT_EQ(number, 0);
  ASSERT_EQ(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out[31], 31);
  EXPECT_EQ(cudaStreamDestroy(s), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
}

TEST_F(Cudart, PollingAloneFinishesTheWork) {
  int* d = device(32);
  EXPECT_EQ(launch(&stubs.store, 1, 32, d), cudaSuccess);
  int polls = 0;
  while (cudaStreamQuery(nullptr) == cudaErrorNotReady && polls < 100000) ++polls;
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
}

// Of programs that are built with a default stream a thread, no stream is the thread's.
TEST_F(Cudart, PerThreadFunctionsTakeTheThreadsStreamForNone) {
  unsigned long long id = 0, own = 1, legacy = 2, other = 0, later = 0;
  EXPECT_EQ(cudaStreamGetId_ptsz(nullptr, &id), cudaSuccess);
  EXPECT_EQ(cudaStreamGetId(cudaStreamPerThread, &own), cudaSuccess);
  EXPECT_EQ(cudaStreamGetId(nullptr, &legacy), cudaSuccess);
  std::thread([&] { EXPECT_EQ(cudaStreamGetId_ptsz(nullptr, &other), cudaSuccess); }).join();
  std::thread([&] { EXPECT_EQ(cudaStreamGetId_ptsz(nullptr, &later), cudaSuccess); }).join();
  EXPECT_EQ(id, own);
  EXPECT_NE(id, legacy);
  EXPECT_NE(id, other);
  EXPECT_NE(later, other);  // of threads after one another, which the system gives one id

  int *d = device(64), value = 5, out = 0;
  void* args[] = {&d, &value};
  // In the legacy stream it would be in the way of other threads' work.
  const auto pending = [&](auto&& submit) {
    Gate gate(cudaStreamPerThread);
    EXPECT_EQ(submit(), cudaSuccess);
    std::thread([&] {
      EXPECT_EQ(cudaMemsetAsync_ptsz(d + 63, 0, 4, nullptr), cudaSuccess);
      EXPECT_EQ(cudaStreamSynchronize_ptsz(nullptr), cudaSuccess);
    }).join();
    EXPECT_EQ(cudaStreamQuery_ptsz(nullptr), cudaErrorNotReady);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize_ptsz(nullptr), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaSuccess);
  };
  pending([&] { return cudaLaunchKernel_ptsz(&stubs.of_nvcc, 1, 1, args, 0, nullptr); });
  ASSERT_EQ(cudaMemcpyAsync_ptsz(&out, d, sizeof out, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize_ptsz(nullptr), cudaSuccess);
  EXPECT_EQ(out, 5);
  pending([&] { return cudaMemsetAsync_ptsz(d, 0, 128, nullptr); });
  cudaLaunchConfig_t config{};
  config.gridDim = 1, config.blockDim = 1;
  pending([&] { return cudaLaunchKernelExC_ptsz(&config, &stubs.of_nvcc, args); });
  EXPECT_EQ(cudaLaunchKernelExC_ptsz(nullptr, &stubs.of_nvcc, args), cudaErrorInvalidValue);
  pending([&] { return cudaLaunchCooperativeKernel_ptsz(&stubs.of_nvcc, 1, 1, args, 0, nullptr); });
  pending([&] {
    if (__cudaPushCallConfiguration_ptsz(1, 1, 0, nullptr)) return cudaErrorUnknown;
    dim3 grid, block;
    size_t shared = 0;
    cudaStream_t stream = nullptr;
    __cudaPopCallConfiguration(&grid, &block, &shared, &stream);
    return cudaLaunchKernel(&stubs.of_nvcc, grid, block, args, shared, stream);
  });
  // These return before their end, and have no stream to say.
  pending([&] { return cudaMemset_ptds(d, 1, 128); });
  pending([&] { return cudaMemcpy_ptds(d + 32, d, 128, cudaMemcpyDeviceToDevice); });
  EXPECT_EQ(cudaMemcpy_ptds(&out, d + 32, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, 0x01010101);
  EXPECT_EQ(cudaMemcpy_ptds(&out, d, sizeof out, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
}

TEST_F(Cudart, PerThreadFunctionsTakeAStreamThatIsGiven) {
  int *d = device(32), out = 1;
  cudaStream_t s = nullptr, other = nullptr;
  ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  for (cudaStream_t given : {s, cudaStreamLegacy}) {
    ASSERT_EQ(cudaMemset(d, 0, 128), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    Gate gate(given);
    EXPECT_EQ(cudaMemsetAsync_ptsz(d, 1, 128, given), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize_ptsz(nullptr), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(&out, d, 4, cudaMemcpyDeviceToHost, other), cudaSuccess);
    EXPECT_EQ(out, 0);
    EXPECT_EQ(cudaStreamQuery_ptsz(given), cudaErrorNotReady);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize_ptsz(given), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(&out, d, 4, cudaMemcpyDeviceToHost, other), cudaSuccess);
    EXPECT_EQ(out, 0x01010101);
  }
}

TEST_F(Cudart, BadStreamsAreRefused) {
  cudaStream_t s = nullptr;
  EXPECT_EQ(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamCreateWithFlags(&s, 7), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(cudaStreamLegacy), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(0x1234)), cudaErrorInvalidResourceHandle);
}

TEST_F(Cudart, EventsMeasureTimeBetweenThem) {
  cudaEvent_t a = nullptr, b = nullptr;
  ASSERT_EQ(cudaEventCreate(&a), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&b), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cudaEventQuery(a), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
  int* d = device(32);
  EXPECT_EQ(cudaEventRecord(a, nullptr), cudaSuccess);
  EXPECT_EQ(launch(&stubs.store, 1, 32, d), cudaSuccess);
  Gate gate(nullptr);
  EXPECT_EQ(cudaEventRecord(b, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(b), cudaErrorNotReady);
  EXPECT_EQ(cudaEventElapsedTime(&ms, a, b), cudaErrorNotReady);
  gate.open();
  EXPECT_EQ(cudaEventSynchronize(b), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(b), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, a, b), cudaSuccess);
  EXPECT_GT(ms, 0);
  EXPECT_EQ(cudaEventElapsedTime(nullptr, a, b), cudaErrorInvalidValue);
}

TEST_F(Cudart, BadEventsAreRefused) {
  cudaEvent_t a = nullptr, b = nullptr;
  float ms = 0;
  EXPECT_EQ(cudaEventCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventCreateWithFlags(&a, 99), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(nullptr, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, nullptr, 0), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaEventCreate(&a), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&b, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(a, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(b, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
}

TEST_F(Cudart, AHostFunctionRunsInOrderAndMayNotCallCuda) {
  struct Seen {
    int* d;
    cudaError_t inner = cudaSuccess;
    int calls = 0;
  } seen{device(1)};
  EXPECT_EQ(cudaLaunchHostFunc(
                nullptr,
                [](void* p) {
                  auto* s = static_cast<Seen*>(p);
                  s->inner = cudaFree(s->d);
                  ++s->calls;
                },
                &seen),
            cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.inner, cudaErrorNotPermitted);
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, nullptr, nullptr), cudaErrorInvalidValue);
}

TEST_F(Cudart, WhatAHostFunctionThrowsIsTheErrorUntilTheReset) {
  const cudaHostFn_t throwing[] = {[](void*) { throw std::runtime_error("no more room"); }, [](void*) { throw 5; }};
  for (const cudaHostFn_t function : throwing) {
    bool later = false;
    void* p = nullptr;
    ::testing::internal::CaptureStderr();
    Gate gate(nullptr);
    EXPECT_EQ(cudaLaunchHostFunc(nullptr, function, nullptr), cudaSuccess);
    EXPECT_EQ(cudaLaunchHostFunc(
                  nullptr, [](void* seen) { *static_cast<bool*>(seen) = true; }, &later),
              cudaSuccess);
    gate.open();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorUnknown);
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("a host function threw an exception"), std::string::npos) << text;
    EXPECT_EQ(text.find("no more room") != std::string::npos, function == throwing[0]) << text;
    EXPECT_EQ(text.find("not a std::exception") != std::string::npos, function == throwing[1]) << text;
    EXPECT_FALSE(later);
    EXPECT_EQ(cudaMalloc(&p, 4), cudaErrorUnknown);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&p, 4), cudaSuccess);
  }
}

TEST_F(Cudart, WhatAFunctionOfTheLibraryThrowsIsSaid) {
  const auto said = [](auto&& body, cudaError_t code) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(cudart::api(body), code);
    EXPECT_EQ(cudaGetLastError(), code);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said([](cudart::State&) -> cudaError_t { throw std::runtime_error("no key"); }, cudaErrorUnknown),
            "heddle: runtime: an exception: no key\n");
  EXPECT_EQ(said([](cudart::State&) -> cudaError_t { throw 5; }, cudaErrorUnknown),
            "heddle: runtime: an exception: not a std::exception\n");
  EXPECT_EQ(said([](cudart::State&) -> cudaError_t { throw std::bad_alloc(); }, cudaErrorMemoryAllocation), "");
}

// ---- what happens though the program does not wait for it ------------------------------------------------

TEST_F(Cudart, ACallbackComesThoughNobodyWaits) {
  std::atomic<int> calls{0};
  EXPECT_EQ(cudaStreamAddCallback(
                nullptr,
                [](cudaStream_t, cudaError_t error, void* p) {
                  EXPECT_EQ(error, cudaSuccess);
                  ++*static_cast<std::atomic<int>*>(p);
                },
                &calls, 0),
            cudaSuccess);
  for (int i = 0; i < 5000 && calls == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(calls, 1);
}

TEST_F(Cudart, PinnedMemoryIsWrittenThoughNobodyWaits) {
  int* d = device(32);
  volatile int* out = nullptr;
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(const_cast<int**>(&out)), 4), cudaSuccess);
  *out = 0;
  EXPECT_EQ(launch(&stubs.store, 1, 32, d), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(const_cast<int*>(out), d + 31, 4, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  for (int i = 0; i < 5000 && *out == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(*out, 31);
  EXPECT_EQ(cudaFreeHost(const_cast<int*>(out)), cudaSuccess);
}

TEST_F(Cudart, AThreadMayAskAndWorkWhileAnotherWaits) {
  cudaStream_t held = nullptr, own = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), cudaSuccess);
  int *d = device(32), device_number = -1, value = 5, out = 0;
  Gate gate(held);
  std::atomic<bool> ended{false};
  std::thread waiter([&] {
    EXPECT_EQ(cudaStreamSynchronize(held), cudaSuccess);
    ended = true;
  });
  void *args[] = {&d, &value}, *p = nullptr;
  size_t free_bytes = 0;
  cudaPointerAttributes attributes;
  EXPECT_EQ(cudaGetDevice(&device_number), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&p, 100), cudaSuccess);
  EXPECT_EQ(cudaMemGetInfo(&free_bytes, nullptr), cudaSuccess);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, p), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(&stubs.of_nvcc, 1, 1, args, 0, own), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(&out, d, 4, cudaMemcpyDeviceToHost, own), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(own), cudaSuccess);
  EXPECT_EQ(out, 5);
  EXPECT_FALSE(ended);
  gate.open();
  waiter.join();
  EXPECT_EQ(cudaFree(p), cudaSuccess);
}

TEST_F(Cudart, AHostFunctionMayWaitForAThreadThatCallsCuda) {
  std::atomic<bool> done{false};
  EXPECT_EQ(cudaLaunchHostFunc(
                nullptr,
                [](void* p) {
                  while (!*static_cast<std::atomic<bool>*>(p)) std::this_thread::yield();
                },
                &done),
            cudaSuccess);
  std::thread other([&] {
    void* p = nullptr;
    cudaStream_t own = nullptr;
    EXPECT_EQ(cudaMalloc(&p, 4), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(p, 0, 4, own), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(own), cudaSuccess);
    done = true;
  });
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  other.join();
}

// ---- streams -------------------------------------------------------------------------------------------

TEST_F(Cudart, ABlockingStreamAndTheLegacyOneTakeTurns) {
  cudaStream_t blocking = nullptr, free_stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking), cudaSuccess);
  int* d = device(32);
  {
    Gate gate(blocking);
    EXPECT_EQ(cudaMemsetAsync(d, 1, 4, nullptr), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(d + 1, 1, 4, free_stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(free_stream), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  }
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  {
    Gate gate(nullptr);
    EXPECT_EQ(cudaMemsetAsync(d, 1, 4, blocking), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(d + 1, 1, 4, free_stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(free_stream), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(blocking), cudaErrorNotReady);
  }
  EXPECT_EQ(cudaStreamSynchronize(blocking), cudaSuccess);
}

TEST_F(Cudart, AStreamWaitsForAnEventOfAnother) {
  cudaStream_t a = nullptr, b = nullptr;
  cudaEvent_t event = nullptr, never = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&never), cudaSuccess);
  int* d = device(32);
  EXPECT_EQ(cudaStreamWaitEvent(b, never, 0), cudaSuccess);  // not recorded: nothing to wait for
  EXPECT_EQ(cudaStreamQuery(b), cudaSuccess);
  Gate gate(a);
  EXPECT_EQ(cudaEventRecord(event, a), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(b, event, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(b), cudaErrorNotReady);  // though nothing was submitted since
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);   // which changes nothing
  EXPECT_EQ(cudaMemsetAsync(d, 1, 4, b), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(b), cudaErrorNotReady);
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
}

// As an H100 answers.
TEST_F(Cudart, PrioritiesAreClampedAndAttributesKept) {
  int least = 9, greatest = 9, priority = 9;
  EXPECT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_EQ(least, 0);
  EXPECT_EQ(greatest, -5);
  cudaStream_t s = nullptr, copy = nullptr;
  for (const auto& [asked, given] : {std::pair{3, 0}, {-1, -1}, {-5, -5}, {-9, -5}}) {
    EXPECT_EQ(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, asked), cudaSuccess);
    EXPECT_EQ(cudaStreamGetPriority(s, &priority), cudaSuccess);
    EXPECT_EQ(priority, given);
  }
  ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&copy), cudaSuccess);
  cudaStreamAttrValue v{};
  for (int id = 0; id < 16; ++id) {
    const bool there = id == 1 || id == 3 || (id >= 8 && id <= 10);
    EXPECT_EQ(cudaStreamGetAttribute(s, static_cast<cudaStreamAttrID>(id), &v),
              there ? cudaSuccess : cudaErrorInvalidValue)
        << id;
  }
  v.syncPolicy = cudaSyncPolicySpin;
  EXPECT_EQ(cudaStreamSetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &v), cudaSuccess);
  v.syncPolicy = static_cast<cudaSynchronizationPolicy>(9);
  EXPECT_EQ(cudaStreamSetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &v), cudaErrorInvalidValue);
  v.priority = -2;
  EXPECT_EQ(cudaStreamSetAttribute(s, cudaStreamAttributePriority, &v), cudaSuccess);
  EXPECT_EQ(cudaStreamCopyAttributes(copy, s), cudaSuccess);
  EXPECT_EQ(cudaStreamGetAttribute(copy, cudaStreamAttributeSynchronizationPolicy, &v), cudaSuccess);
  EXPECT_EQ(v.syncPolicy, cudaSyncPolicySpin);
  EXPECT_EQ(cudaStreamGetPriority(copy, &priority), cudaSuccess);
  EXPECT_EQ(priority, -2);
}

TEST_F(Cudart, ADestroyedStreamsWorkIsStillDone) {
  cudaStream_t s = nullptr;
  ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess);
  int *d = device(32), out = 0;
  Gate gate(s);
  EXPECT_EQ(cudaMemsetAsync(d, 1, 4, s), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(s), cudaSuccess);
  std::thread opener([&] { gate.open(); });
  EXPECT_EQ(cudaMemcpy(&out, d, 4, cudaMemcpyDeviceToHost), cudaSuccess);  // the legacy stream waits for it
  EXPECT_EQ(out, 0x01010101);
  opener.join();
}

TEST_F(Cudart, CallbacksHearOfAFailureHostFunctionsDoNot) {
  struct Seen {
    std::atomic<int> callbacks{0}, functions{0};
    cudaError_t error = cudaSuccess;
  } seen;
  ::testing::internal::CaptureStderr();
  Gate gate(nullptr);
  EXPECT_EQ(launch(&stubs.trap, 1, 1), cudaSuccess);
  EXPECT_EQ(cudaLaunchHostFunc(
                nullptr, [](void* p) { ++static_cast<Seen*>(p)->functions; }, &seen),
            cudaSuccess);
  EXPECT_EQ(cudaStreamAddCallback(
                nullptr,
                [](cudaStream_t, cudaError_t error, void* p) {
                  auto* s = static_cast<Seen*>(p);
                  s->error = error;
                  ++s->callbacks;
                },
                &seen, 0),
            cudaSuccess);
  gate.open();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  for (int i = 0; i < 5000 && seen.callbacks == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(seen.callbacks, 1);
  EXPECT_EQ(seen.functions, 0);
  EXPECT_EQ(seen.error, cudaErrorLaunchFailure);
  ::testing::internal::GetCapturedStderr();
}

TEST_F(Cudart, AForkedProcessIsRefused) {
  device(1);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    void* p = nullptr;
    _exit(cudaMalloc(&p, 4) == cudaErrorInitializationError && cudaDeviceSynchronize() == cudaErrorInitializationError
              ? 0
              : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(Cudart, AHostFunctionMayEndTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a forked process has no device
#ifdef HEDDLE_SANITIZED
  const char* said = "";  // by the leak check of a process that was forked among threads
#else
  const char* said = "^$";
#endif
  int* d = device(32);
  EXPECT_EXIT(
      {
        (void)cudaLaunchHostFunc(
            nullptr, [](void*) { std::exit(3); }, nullptr);
        (void)launch(&stubs.store, 1, 32, d);
        (void)cudaDeviceSynchronize();
        std::this_thread::sleep_for(std::chrono::seconds(20));
      },
      ::testing::ExitedWithCode(3), said);
}

TEST_F(Cudart, PropertiesAreThePresets) {
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_STREQ(p.name, "Heddle cc80");
  EXPECT_EQ(p.major, 8);
  EXPECT_EQ(p.multiProcessorCount, 2);
  EXPECT_EQ(p.maxThreadsPerBlock, 1024);
  EXPECT_EQ(p.sharedMemPerBlock, 49152u);
  EXPECT_EQ(p.warpSize, 32);
  int v = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(v, 2);
  EXPECT_EQ(cudaDeviceGetAttribute(&v, static_cast<cudaDeviceAttr>(9999), 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 3), cudaErrorInvalidDevice);
}

TEST_F(Cudart, ThereIsOneDevice) {
  int n = 0;
  EXPECT_EQ(cudaGetDeviceCount(&n), cudaSuccess);
  EXPECT_EQ(n, 1);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(5), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDevice(nullptr), cudaErrorInvalidValue);
}

TEST_F(Cudart, Limits) {
  size_t v = 0;
  EXPECT_EQ(cudaDeviceGetLimit(&v, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(v, 1024u);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 4096), cudaSuccess);
  for (const size_t bytes : {SIZE_MAX, size_t{1} << 32, (size_t{512} << 10) + 1})  // no thread's local memory
    EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, bytes), cudaErrorInvalidValue) << bytes;
  EXPECT_EQ(cudaDeviceGetLimit(&v, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(v, 4096u);
  EXPECT_EQ(cudaDeviceGetLimit(&v, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(v, 8u << 20);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 5000), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&v, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(v, 8192u);  // whole pages
  EXPECT_EQ(cudaDeviceGetLimit(&v, static_cast<cudaLimit>(99)), cudaErrorInvalidValue);
}

TEST_F(Cudart, ErrorsHaveCudasNamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMisalignedAddress), "misaligned address");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorAssert), "device-side assert triggered");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorLaunchTimeout), "the launch timed out and was terminated");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(-1)), "unrecognized error code");
}

TEST_F(Cudart, EachThreadHasItsOwnLastError) {
  EXPECT_EQ(cudaMalloc(nullptr, 1), cudaErrorInvalidValue);
  cudaError_t other = cudaErrorUnknown;
  std::thread([&] { other = cudaGetLastError(); }).join();
  EXPECT_EQ(other, cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Cudart, ThreadsMayWorkAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        void* p = nullptr;
        int in = t * 1000 + i, out = 0;
        ASSERT_EQ(cudaMalloc(&p, 4), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(p, &in, 4, cudaMemcpyHostToDevice), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(&out, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
        ASSERT_EQ(out, in);
        ASSERT_EQ(cudaFree(p), cudaSuccess);
      }
    });
  for (auto& t : threads) t.join();
}

}  // namespace
}  // namespace heddle::test
