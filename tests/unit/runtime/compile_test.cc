// SPDX-License-Identifier: Apache-2.0
// PTX is compiled without the runtime's lock: a thread is held up at that, and others call meanwhile.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "host-runtime/formats/fatbinary.h"
#include "host-runtime/runtime/state.h"
#include "tests/unit/runtime/cudart_fixture.h"

namespace {

thread_local const std::shared_future<void>* gate = nullptr;  // at which this thread is held up
std::atomic<int> held{0};                                     // such threads that have come there

}  // namespace

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaUnregisterFatBinary(void** handle);
int __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                           int*);
void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int, size_t bytes, int, int);
}

// ThreadSanitizer calls it before it can watch anything.
#ifdef __clang__
#define UNWATCHED __attribute__((disable_sanitizer_instrumentation))
#else
#define UNWATCHED
#endif

// The runtime asks where device code ends before it compiles it.
extern "C" UNWATCHED int dl_iterate_phdr(int (*each)(dl_phdr_info*, size_t, void*), void* argument) {
  if (gate) {
    ++held;
    held.notify_all();
    gate->wait();
  }
  const auto next = reinterpret_cast<decltype(&dl_iterate_phdr)>(dlsym(RTLD_NEXT, "dl_iterate_phdr"));
  return next(each, argument);
}

namespace heddle::test {
namespace {

class HeldUp : public Cudart {
 protected:
  void SetUp() override {
    Cudart::SetUp();
    held = 0;
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
};

class Compiling : public HeldUp {
 protected:
  void SetUp() override {
    HeldUp::SetUp();
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

// A module of two managed variables, which is read when the first of them is registered: before there is a device.
class Registering : public HeldUp {
 protected:
  void SetUp() override {
    HeldUp::SetUp();
    wrapper_.data = container_.data();
    handle_ = __cudaRegisterFatBinary(&wrapper_);
    __cudaRegisterFunction(handle_, &sum, nullptr, "sum", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  void TearDown() override {
    __cudaUnregisterFatBinary(handle_);
    HeldUp::TearDown();
  }
  int* variable(const char* name) {
    int* p = nullptr;
    __cudaRegisterManagedVar(handle_, reinterpret_cast<void**>(&p), nullptr, name, 0, sizeof *p, 0, 0);
    return p;
  }

  char sum = 0;  // stands for the kernel

 private:
  struct Wrapper {
    int magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    void* filename = nullptr;
  };
  const std::vector<uint8_t> container_ = formats::write_fat_binary({{formats::FatKind::kPtx, 80, R"(.version 8.3
.target sm_80
.address_size 64
.visible .global .attribute(.managed) .align 4 .b32 early = 42;
.visible .global .attribute(.managed) .align 4 .b32 late = 1000;
.visible .entry sum(.param .u64 p) {
  .reg .b64 %a; .reg .b32 %x, %y;
  ld.param.u64 %a, [p]; ld.global.u32 %x, [early]; ld.global.u32 %y, [late]; add.u32 %x, %x, %y; st.global.u32 [%a], %x;
  ret;
}
)"}});
  Wrapper wrapper_;
  void** handle_ = nullptr;
};

TEST_F(Registering, KeepsNobodyFromCalling) {
  std::future<int*> early = std::async(std::launch::async, [this] {
    gate = &opened;
    return variable("early");
  });
  held.wait(0);
  std::future<cudaError_t> launched;
  meanwhile([&] {
    int number = -1;
    EXPECT_EQ(cudaGetDevice(&number), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_FALSE(cudart::State::get().is_open());
    d = device(1);
    launched = std::async(std::launch::async, [this] { return launch(&sum, 1, 1, d); });
    EXPECT_EQ(cudaMemset(d, 1, 4), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  });
  EXPECT_EQ(*early.get(), 42);
  EXPECT_EQ(launched.get(), cudaSuccess);
  EXPECT_EQ(result(), 1042);
  EXPECT_EQ(held, 1);
}

TEST_F(Registering, AVariableOfAModuleThatIsLoadedIsExchanged) {
  d = device(1);
  EXPECT_EQ(launch(&sum, 1, 1, d), cudaSuccess);
  EXPECT_EQ(result(), 1042);
  int* const late = variable("late");
  EXPECT_EQ(*late, 1000);
  *late = 2000;
  EXPECT_EQ(launch(&sum, 1, 1, d), cudaSuccess);
  EXPECT_EQ(result(), 2042);
}

}  // namespace
}  // namespace heddle::test
