// SPDX-License-Identifier: Apache-2.0
// PTX is compiled without the runtime's lock: a thread is held up at that, and others call meanwhile.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "host-runtime/runtime/state.h"
#include "tests/unit/runtime/cudart_fixture.h"

namespace {

thread_local const std::shared_future<void>* gate = nullptr;  // at which this thread is held up
std::atomic<int> held{0};                                     // such threads that have come there

}  // namespace

// The runtime asks where device code ends before it compiles it.
extern "C" int dl_iterate_phdr(int (*each)(dl_phdr_info*, size_t, void*), void* argument) {
  if (gate) {
    ++held;
    held.notify_all();
    gate->wait();
  }
  static const auto next = reinterpret_cast<decltype(&dl_iterate_phdr)>(dlsym(RTLD_NEXT, "dl_iterate_phdr"));
  return next(each, argument);
}

namespace heddle::test {
namespace {

class Compiling : public Cudart {
 protected:
  void SetUp() override {
    Cudart::SetUp();
    held = 0;
    d = device(1);
    first = use(5);
    held.wait(0);
  }

  // A thread launches a kernel whose module is not loaded.
  std::future<cudaError_t> use(int value) {
    return std::async(std::launch::async, [this, value] {
      gate = &opened;
      return launch(&stubs.of_nvcc, 1, 1, d, value);
    });
  }
  // What is done before the thread goes on. That it takes long at all is the failure.
  void meanwhile(const std::function<void()>& calls) {
    std::future<void> others = std::async(std::launch::async, calls);
    EXPECT_EQ(others.wait_for(std::chrono::seconds(20)), std::future_status::ready) << "they wait for the compiler";
    open.set_value();
  }
  int result() {
    int out = 0;
    EXPECT_EQ(cudaMemcpy(&out, d, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
    return out;
  }

  std::promise<void> open;
  const std::shared_future<void> opened = open.get_future().share();
  int* d = nullptr;
  std::future<cudaError_t> first;
};

TEST_F(Compiling, KeepsNobodyFromCalling) {
  meanwhile([] {
    int number = -1, out = 0;
    void* p = nullptr;
    EXPECT_EQ(cudaGetDevice(&number), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&p, 4), cudaSuccess);
    EXPECT_EQ(cudaMemset(p, 1, 4), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(&out, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(out, 0x01010101);
  });
  EXPECT_EQ(first.get(), cudaSuccess);
  EXPECT_EQ(result(), 5);
}

TEST_F(Compiling, IsDoneOnceForAllThreads) {
  auto second = use(5), third = use(5);
  meanwhile([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess); });
  for (auto* launched : {&first, &second, &third}) EXPECT_EQ(launched->get(), cudaSuccess);
  EXPECT_EQ(result(), 5);
  EXPECT_EQ(held, 1);
}

TEST_F(Compiling, IsWaitedForByAReset) {
  auto reset = std::async(std::launch::async, cudaDeviceReset);
  meanwhile([] {
    cudart::State& state = cudart::State::get();
    const auto is_open = [&] {
      const std::lock_guard lock(state.mutex);
      return state.is_open();
    };
    while (is_open()) std::this_thread::yield();
  });
  EXPECT_EQ(first.get(), cudaErrorContextIsDestroyed);
  EXPECT_EQ(reset.get(), cudaSuccess);
  d = device(1);
  EXPECT_EQ(launch(&stubs.of_nvcc, 1, 1, d, 6), cudaSuccess);
  EXPECT_EQ(result(), 6);
}

}  // namespace
}  // namespace heddle::test
