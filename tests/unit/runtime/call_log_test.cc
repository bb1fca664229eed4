// SPDX-License-Identifier: Apache-2.0
// HEDDLE_LOG=api: what is said of each call.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/runtime/cudart_fixture.h"

extern "C" {
cudaError_t cudaMemsetAsync_ptsz(void* to, int value, size_t n, cudaStream_t stream);
void __cudaRegisterFatBinaryEnd(void** handle);
}

namespace heddle::test {
namespace {

using Lines = std::vector<std::string>;

class CallLog : public Cudart {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_LOG", "api", 1);  // before the first call
    Cudart::SetUpTestSuite();
  }
  // The lines of the calls that `body` makes, after "heddle: api ".
  template <typename F>
  static Lines log(F&& body) {
    ::testing::internal::CaptureStderr();
    body();
    std::istringstream all(::testing::internal::GetCapturedStderr());
    Lines lines;
    const std::string begin = "heddle: api ";
    for (std::string line; std::getline(all, line);)
      if (line.starts_with(begin)) lines.push_back(line.substr(begin.size()));
    return lines;
  }
  static std::string hex(const void* p) {
    std::ostringstream text;
    text << "0x" << std::hex << reinterpret_cast<uintptr_t>(p);
    return text.str();
  }
};

TEST_F(CallLog, ACallIsALineWithArgumentsByTheirTypesAndTheResultsName) {
  void* p = nullptr;
  const auto lines = log([&] {
    cudaMalloc(&p, 1024);
    cudaMemset(p, -1, 8);
    cudaMemset3D(cudaPitchedPtr{p, 512, 4, 2}, 3, cudaExtent{4, 2, 1});
    cudaMemcpy(p, p, 4, static_cast<cudaMemcpyKind>(9));
    cudaGetLastError();
    cudaGetErrorString(cudaErrorInvalidValue);
    int device = 0;
    cudaDeviceGetByPCIBusId(&device, "a\"b\\");
    __cudaRegisterFatBinaryEnd(nullptr);
    cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindUnsigned);
  });
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[0], "1 cudaMalloc(" + hex(&p) + ", 1024) = cudaSuccess");
  EXPECT_EQ(lines[1], "1 cudaMemset(" + hex(p) + ", -1, 8) = cudaSuccess");
  EXPECT_EQ(lines[2], "1 cudaMemset3D({" + hex(p) + ",512,4,2}, 3, {4,2,1}) = cudaSuccess");
  EXPECT_EQ(lines[3], "1 cudaMemcpy(" + hex(p) + ", " + hex(p) + ", 4, 9) = cudaErrorInvalidMemcpyDirection");
  EXPECT_EQ(lines[4], "1 cudaGetLastError() = cudaErrorInvalidMemcpyDirection");
  EXPECT_EQ(lines[5], "1 cudaGetErrorString(cudaErrorInvalidValue) = \"invalid argument\"");
  EXPECT_TRUE(lines[6].ends_with(R"(, "a\"b\\") = cudaErrorInvalidDevice)")) << lines[6];
  EXPECT_EQ(lines[7], "1 __cudaRegisterFatBinaryEnd(0x0)");
  EXPECT_EQ(lines[8], "1 cudaCreateChannelDesc(8, 8, 0, 0, 1) = {8,8,0,0,1}");
}

TEST_F(CallLog, KernelsAndVariablesHaveTheirNames) {
  int* d = device(32);
  void* args[] = {&d};
  const int value = 3;
  const auto lines = log([&] {
    cudaLaunchKernel(&stubs.store, dim3(2, 1, 1), dim3(32), args, 0, nullptr);
    cudaLaunchKernel(&value, 1, 1, args, 0, nullptr);
    cudaMemcpyToSymbol(&stubs.table, &value, sizeof value);
  });
  EXPECT_EQ(lines, (Lines{"1 cudaLaunchKernel(store, {2,1,1}, {32,1,1}, " + hex(args) + ", 0, 0x0) = cudaSuccess",
                          "1 cudaLaunchKernel(" + hex(&value) + ", {1,1,1}, {1,1,1}, " + hex(args) +
                              ", 0, 0x0) = cudaErrorInvalidResourceHandle",
                          "1 cudaMemcpyToSymbol(table, " + hex(&value) + ", 4, 0, 1) = cudaSuccess"}));
}

TEST_F(CallLog, ACallByTheLibraryItselfIsNoLine) {
  EXPECT_EQ(log([] { cudaThreadSetLimit(cudaLimitStackSize, 2048); }),
            (Lines{"1 cudaThreadSetLimit(0, 2048) = cudaSuccess"}));
}

TEST_F(CallLog, VariantsAndRefusalsHaveTheNamesByWhichTheyWereCalled) {
  int* d = device(32);
  EXPECT_EQ(log([&] { cudaMemsetAsync_ptsz(d, 0, 128, nullptr); }),
            (Lines{"1 cudaMemsetAsync_ptsz(" + hex(d) + ", 0, 128, 0x0) = cudaSuccess"}));
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(log([&] { cudaGraphCreate(&graph, 0); }), (Lines{"1 cudaGraphCreate(...) = cudaErrorNotSupported"}));
}

TEST_F(CallLog, ThreadsHaveNumbers) {
  EXPECT_EQ(log([] {
              std::thread([] { cudaPeekAtLastError(); }).join();
              std::thread([] { cudaPeekAtLastError(); }).join();
              cudaPeekAtLastError();
            }),
            (Lines{"2 cudaPeekAtLastError() = cudaSuccess", "3 cudaPeekAtLastError() = cudaSuccess",
                   "1 cudaPeekAtLastError() = cudaSuccess"}));
}

}  // namespace
}  // namespace heddle::test
