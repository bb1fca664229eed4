// SPDX-License-Identifier: Apache-2.0
// What waits for what: which work of one stream runs behind that of another, and which calls wait themselves. The table
// is what an H100 did (CUDA 13.0, driver 580), where a host function held one stream and the call came from another
// thread; CUDA's documents have it under "Implicit Synchronization" and "API synchronization behavior". Where these
// leave a choice the table is the H100's.
//
// Nothing here depends on time: what may run ahead is waited for while the other stream is held; of what may not, the
// effect is looked at when work that was submitted later has ended.
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/runtime/cudart_fixture.h"
#include "tests/unit/runtime/gate.h"

namespace heddle::test {
namespace {

enum Which { kLegacy, kBlocking, kNonBlocking, kPerThread };
constexpr const char* kNames[] = {"legacy", "blocking", "non-blocking", "per-thread"};

// By the stream of the work that comes second: whether it runs behind that of a legacy, blocking, non-blocking,
// per-thread stream. Its own stream is another one of the kind, and another thread's per-thread one.
constexpr bool kBehind[4][4] = {
    {true, true, false, true},     // legacy
    {true, false, false, false},   // blocking
    {false, false, false, false},  // non-blocking
    {true, false, false, false},   // per-thread
};

constexpr int kWord = 0x05050505;  // what each operation writes; 0 before
constexpr size_t kBytes = 64;

class Order : public Cudart {
 public:
  void SetUp() override {
    Cudart::SetUp();
    to_device = device(kBytes / 4);
    from_device = device(kBytes / 4);
    ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), kBytes), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&from_pinned), kBytes), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&held[kBlocking]), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&second[kBlocking]), cudaSuccess);
    for (cudaStream_t* s : {&held[kNonBlocking], &second[kNonBlocking], &apart})
      ASSERT_EQ(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    // Loads the module.
    ASSERT_EQ(write(cudaStreamLegacy), cudaSuccess);
  }

  // All that operations write is 0, and what they copy is not; one allocation each to be freed.
  void begin() {
    ASSERT_EQ(cudaMemset(to_device, 0, kBytes), cudaSuccess);
    ASSERT_EQ(cudaMemset(from_device, kWord & 0xff, kBytes), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::memset(pinned, 0, kBytes);
    std::memset(pageable, 0, kBytes);
    std::memset(from_pinned, kWord, kBytes);
    std::memset(from_pageable, kWord, kBytes);
  }

  cudaError_t write(cudaStream_t s) {
    int value = kWord;
    void* args[] = {&to_device, &value};
    return cudaLaunchKernel(&stubs.of_nvcc, 1, 1, args, 0, s);
  }

  // When this returns, all that was submitted before and may run has run: of tasks that could begin the oldest does.
  void let_run() {
    int word = 0;
    EXPECT_EQ(cudaMemcpyAsync(&word, to_device, 4, cudaMemcpyDeviceToHost, apart), cudaSuccess);
  }

  int* to_device = nullptr;
  int* from_device = nullptr;
  int *pinned = nullptr, *from_pinned = nullptr;
  int pageable[kBytes / 4] = {}, from_pageable[kBytes / 4] = {};
  cudaStream_t held[4] = {cudaStreamLegacy, nullptr, nullptr, cudaStreamPerThread};
  cudaStream_t second[4] = {cudaStreamLegacy, nullptr, nullptr, cudaStreamPerThread};
  cudaStream_t apart = nullptr;  // waits for nothing
  cudaEvent_t event = nullptr;
};

// ---- work in streams -----------------------------------------------------------------------------------

enum class Call { Returns, Waits };  // at once; until the work has ended
enum class Writes { Device, Pinned, Pageable };

struct Row {
  const char* name;
  Call call;
  Writes writes;
  bool has_stream;  // else it is the legacy one's
  cudaError_t (*submit)(Order& o, cudaStream_t s);
};

constexpr auto kToDevice = cudaMemcpyHostToDevice, kToHost = cudaMemcpyDeviceToHost,
               kOnDevice = cudaMemcpyDeviceToDevice, kOnHost = cudaMemcpyHostToHost;

const Row kRows[] = {
    {"a kernel", Call::Returns, Writes::Device, true, [](Order& o, cudaStream_t s) { return o.write(s); }},
    {"cudaMemsetAsync", Call::Returns, Writes::Device, true,
     [](Order& o, cudaStream_t s) { return cudaMemsetAsync(o.to_device, kWord, kBytes, s); }},
    {"cudaMemset2DAsync", Call::Returns, Writes::Device, true,
     [](Order& o, cudaStream_t s) { return cudaMemset2DAsync(o.to_device, 32, kWord, 16, 2, s); }},
    {"cudaMemsetAsync, pinned", Call::Returns, Writes::Pinned, true,
     [](Order& o, cudaStream_t s) { return cudaMemsetAsync(o.pinned, kWord, kBytes, s); }},
    {"cudaMemcpyAsync from pageable", Call::Returns, Writes::Device, true,
     [](Order& o, cudaStream_t s) { return cudaMemcpyAsync(o.to_device, o.from_pageable, kBytes, kToDevice, s); }},
    {"cudaMemcpyAsync from pinned", Call::Returns, Writes::Device, true,
     [](Order& o, cudaStream_t s) { return cudaMemcpyAsync(o.to_device, o.from_pinned, kBytes, kToDevice, s); }},
    {"cudaMemcpyAsync on the device", Call::Returns, Writes::Device, true,
     [](Order& o, cudaStream_t s) { return cudaMemcpyAsync(o.to_device, o.from_device, kBytes, kOnDevice, s); }},
    {"cudaMemcpyAsync to pinned", Call::Returns, Writes::Pinned, true,
     [](Order& o, cudaStream_t s) { return cudaMemcpyAsync(o.pinned, o.from_device, kBytes, kToHost, s); }},
    {"cudaMemcpyAsync to pageable", Call::Waits, Writes::Pageable, true,
     [](Order& o, cudaStream_t s) { return cudaMemcpyAsync(o.pageable, o.from_device, kBytes, kToHost, s); }},
    {"cudaMemcpyAsync on the host", Call::Waits, Writes::Pageable, true,
     [](Order& o, cudaStream_t s) { return cudaMemcpyAsync(o.pageable, o.from_pageable, kBytes, kOnHost, s); }},
    {"cudaMemcpyAsync on the host, to pinned", Call::Waits, Writes::Pinned, true,
     [](Order& o, cudaStream_t s) { return cudaMemcpyAsync(o.pinned, o.from_pageable, kBytes, kOnHost, s); }},
    {"cudaMemset", Call::Returns, Writes::Device, false,
     [](Order& o, cudaStream_t) { return cudaMemset(o.to_device, kWord, kBytes); }},
    {"cudaMemset, pinned", Call::Waits, Writes::Pinned, false,
     [](Order& o, cudaStream_t) { return cudaMemset(o.pinned, kWord, kBytes); }},
    {"cudaMemcpy from pageable", Call::Waits, Writes::Device, false,
     [](Order& o, cudaStream_t) { return cudaMemcpy(o.to_device, o.from_pageable, kBytes, kToDevice); }},
    {"cudaMemcpy from pinned", Call::Waits, Writes::Device, false,
     [](Order& o, cudaStream_t) { return cudaMemcpy(o.to_device, o.from_pinned, kBytes, kToDevice); }},
    {"cudaMemcpy on the device", Call::Returns, Writes::Device, false,
     [](Order& o, cudaStream_t) { return cudaMemcpy(o.to_device, o.from_device, kBytes, kOnDevice); }},
    {"cudaMemcpy to pageable", Call::Waits, Writes::Pageable, false,
     [](Order& o, cudaStream_t) { return cudaMemcpy(o.pageable, o.from_device, kBytes, kToHost); }},
    {"cudaMemcpy to pinned", Call::Waits, Writes::Pinned, false,
     [](Order& o, cudaStream_t) { return cudaMemcpy(o.pinned, o.from_device, kBytes, kToHost); }},
    {"cudaMemcpy on the host", Call::Waits, Writes::Pageable, false,
     [](Order& o, cudaStream_t) { return cudaMemcpy(o.pageable, o.from_pageable, kBytes, kOnHost); }},
};

class OrderOfWork : public Order, public ::testing::WithParamInterface<Row> {
 protected:
  // What the operation has written by now.
  int effect() {
    if (GetParam().writes == Writes::Pageable) return pageable[0];
    if (GetParam().writes == Writes::Pinned) return pinned[0];
    int word = 0;
    EXPECT_EQ(cudaMemcpyAsync(&word, to_device, 4, cudaMemcpyDeviceToHost, apart), cudaSuccess);
    return word;
  }

  void check(cudaStream_t holder, cudaStream_t stream, bool behind) {
    ASSERT_NO_FATAL_FAILURE(begin());
    Gate gate(holder);
    std::atomic<bool> returned{false};
    bool passed = false;
    std::thread other([&] {
      EXPECT_EQ(GetParam().submit(*this, stream), cudaSuccess);
      returned = true;
      passed = gate.passed();
      EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    });
    if (behind && GetParam().call == Call::Waits) {
      for (int i = 0; i < 20; ++i) let_run();
      EXPECT_FALSE(returned);
      gate.open();
      other.join();
      EXPECT_TRUE(passed);
      EXPECT_EQ(effect(), kWord);
      return;
    }
    other.join();
    if (behind) {
      let_run();
      EXPECT_EQ(effect(), 0);
      EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
      gate.open();
    }
    EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
    EXPECT_EQ(effect(), kWord);
  }
};

TEST_P(OrderOfWork, IsCudas) {
  for (int s = kLegacy; s <= (GetParam().has_stream ? kPerThread : kLegacy); ++s)
    for (int h = kLegacy; h <= kPerThread; ++h) {
      SCOPED_TRACE(std::string(kNames[s]) + " second, " + kNames[h] + " held");
      check(held[h], second[s], kBehind[s][h]);
    }
  for (cudaStream_t s : {held[kBlocking], held[kNonBlocking]}) {
    SCOPED_TRACE("in one stream");
    if (GetParam().has_stream) check(s, s, true);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OrderOfWork, ::testing::ValuesIn(kRows), [](const auto& row) {
  std::string name;
  for (const char c : std::string(row.param.name)) name += std::isalnum(c) ? c : '_';
  return name;
});

// ---- calls ---------------------------------------------------------------------------------------------

TEST_F(Order, AWaitForTheLegacyStreamIsOneForAllBlockingOnes) {
  for (int s = kLegacy; s <= kPerThread; ++s)
    for (int h = kLegacy; h <= kPerThread; ++h) {
      SCOPED_TRACE(std::string(kNames[s]) + " waited for, " + kNames[h] + " held");
      const bool waits = s == kLegacy && kBehind[s][h];  // others have nothing in them
      Gate gate(held[h]);
      std::atomic<bool> asked{false}, returned{false};
      bool passed = false;
      std::thread other([&] {
        EXPECT_EQ(cudaStreamQuery(second[s]), waits ? cudaErrorNotReady : cudaSuccess);
        asked = true;
        EXPECT_EQ(cudaStreamSynchronize(second[s]), cudaSuccess);
        returned = true;
        passed = gate.passed();
      });
      if (!waits) {
        other.join();
        continue;
      }
      while (!asked) std::this_thread::yield();
      for (int i = 0; i < 20; ++i) let_run();
      EXPECT_FALSE(returned);
      gate.open();
      other.join();
      EXPECT_TRUE(passed);
    }
}

// It waits for what blocking streams hold, and what they are given later waits for it.
TEST_F(Order, AWaitOfTheLegacyStreamForAnEventIsItsWork) {
  ASSERT_EQ(cudaEventRecord(event, apart), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(apart), cudaSuccess);
  for (int h = kLegacy; h <= kPerThread; ++h) {
    SCOPED_TRACE(std::string(kNames[h]) + " held");
    begin();
    const bool waits = h != kNonBlocking;
    Gate gate(held[h]);
    ASSERT_EQ(cudaStreamWaitEvent(cudaStreamLegacy, event), cudaSuccess);
    ASSERT_EQ(write(second[kBlocking]), cudaSuccess);
    for (int i = 0; i < 20; ++i) let_run();
    int word = 0;
    EXPECT_EQ(cudaMemcpyAsync(&word, to_device, 4, cudaMemcpyDeviceToHost, apart), cudaSuccess);
    EXPECT_EQ(word, waits ? 0 : kWord);
    gate.open();
  }
}

TEST_F(Order, AllocatingWaitsForNothing) {
  for (cudaStream_t h : held) {
    Gate gate(h);
    void *p = nullptr, *pool = nullptr, *host = nullptr;
    cudaStream_t s = nullptr;
    cudaEvent_t e = nullptr;
    EXPECT_EQ(cudaMalloc(&p, 4096), cudaSuccess);
    EXPECT_EQ(cudaMallocHost(&host, 4096), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&s), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&e), cudaSuccess);
    for (cudaStream_t in : {cudaStreamLegacy, h, s}) {
      EXPECT_EQ(cudaMallocAsync(&pool, 4096, in), cudaSuccess);
      EXPECT_EQ(cudaFreeAsync(pool, in), cudaSuccess);
    }
    EXPECT_EQ(cudaFreeAsync(p, h), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(e), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(s), cudaSuccess);
    EXPECT_FALSE(gate.passed());
  }
}

TEST_F(Order, FreeingWaitsForAllStreams) {
  void* calls[2] = {};
  for (cudaStream_t h : held)
    for (const bool host : {false, true}) {
      ASSERT_EQ(host ? cudaMallocHost(&calls[host], 64) : cudaMalloc(&calls[host], 64), cudaSuccess);
      Gate gate(h);
      std::atomic<bool> returned{false};
      bool passed = false;
      std::thread other([&] {
        EXPECT_EQ(host ? cudaFreeHost(calls[host]) : cudaFree(calls[host]), cudaSuccess);
        returned = true;
        passed = gate.passed();
      });
      for (int i = 0; i < 20; ++i) let_run();
      EXPECT_FALSE(returned);
      gate.open();
      other.join();
      EXPECT_TRUE(passed);
    }
}

TEST_F(Order, AFillOfManagedMemoryReturnsInItsAsynchronousFormAlone) {
  int* p = nullptr;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&p), kBytes, cudaMemAttachGlobal), cudaSuccess);
  {
    Gate gate(cudaStreamLegacy);
    EXPECT_EQ(cudaMemsetAsync(p, kWord, kBytes, cudaStreamLegacy), cudaSuccess);
    EXPECT_FALSE(gate.passed());
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*p, kWord);
  EXPECT_EQ(cudaMemset(p, 1, kBytes), cudaSuccess);
  EXPECT_EQ(*p, 0x01010101);
}

// ---- memory that is freed in a stream ------------------------------------------------------------------

TEST_F(Order, MemoryFreedInAStreamIsFreeWhenSomebodyWaitedForThat) {
  size_t before = 0, now = 0, total = 0;
  void *p = nullptr, *q = nullptr;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  {
    Gate gate(held[kBlocking]);
    ASSERT_EQ(cudaMallocAsync(&p, 1 << 20, held[kBlocking]), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(p, 1, 1 << 20, held[kBlocking]), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(p, held[kBlocking]), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(p, held[kBlocking]), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemsetAsync(p, 1, 64, held[kBlocking]), cudaErrorInvalidValue);
    // The stream's own work may have it, others' may not.
    EXPECT_EQ(cudaMallocAsync(&q, 1 << 20, second[kBlocking]), cudaSuccess);
    EXPECT_NE(q, p);
    EXPECT_EQ(cudaFreeAsync(q, second[kBlocking]), cudaSuccess);
    EXPECT_EQ(cudaMallocAsync(&q, 1 << 20, held[kBlocking]), cudaSuccess);
    EXPECT_EQ(q, p);
    EXPECT_EQ(cudaFreeAsync(q, held[kBlocking]), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(second[kBlocking]), cudaSuccess);
    EXPECT_EQ(cudaMemGetInfo(&now, &total), cudaSuccess);
    EXPECT_EQ(now, before - (1 << 20));
  }
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);  // which waits for the blocking one
  EXPECT_EQ(cudaMemGetInfo(&now, &total), cudaSuccess);
  EXPECT_EQ(now, before);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
}

TEST_F(Order, WhereThereIsNoOtherMemoryFreedMemoryIsWaitedFor) {
  size_t left = 0;
  void* p = nullptr;
  ASSERT_EQ(cudaMemGetInfo(&left, nullptr), cudaSuccess);
  const size_t most = left / 4 * 3;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaMallocAsync(&p, most - static_cast<size_t>(i) * 4096, held[i % 2 ? kBlocking : kNonBlocking]),
              cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(p, held[i % 2 ? kBlocking : kNonBlocking]), cudaSuccess);
  }
  EXPECT_EQ(cudaMalloc(&p, most), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
}

}  // namespace
}  // namespace heddle::test
