// SPDX-License-Identifier: Apache-2.0
// Programs from source to PTX and cubin, and what is said where there is none.
#include <dirent.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/unit/runtime/nvrtc/program.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScale = R"(extern "C" __global__ void scale(float* p, float f, size_t n) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= f;
}
)";

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

// An own folder for temporary files, which must be empty at the end; HEDDLE_CLANG and TMPDIR as they were.
class Nvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("nvrtc_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    setenv("TMPDIR", folder_.c_str(), 1);
    if (const char* clang = std::getenv("HEDDLE_CLANG")) clang_ = clang;
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    usual_compiler();
    EXPECT_TRUE(fs::is_empty(folder_)) << "what a compilation needs goes with it";
    fs::remove_all(folder_);
  }
  // HEDDLE_CLANG is this shell script, in a folder that goes with the test.
  void compiler_is(const std::string& script) {
    const fs::path file = folder_.string() + ".sh";
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    chmod(file.c_str(), 0755);
    setenv("HEDDLE_CLANG", file.c_str(), 1);
  }
  void usual_compiler() const { clang_.empty() ? unsetenv("HEDDLE_CLANG") : setenv("HEDDLE_CLANG", clang_.c_str(), 1); }

  fs::path folder_;

 private:
  std::string clang_;
};

TEST_F(Nvrtc, VersionArchitecturesAndErrors) {
  int major = 0, minor = 0, count = 0;
  EXPECT_EQ(nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
  EXPECT_EQ(major * 10 + minor, 123);
  EXPECT_EQ(nvrtcVersion(nullptr, &minor), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcGetNumSupportedArchs(nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcGetSupportedArchs(nullptr), NVRTC_ERROR_INVALID_INPUT);
  ASSERT_EQ(nvrtcGetNumSupportedArchs(&count), NVRTC_SUCCESS);
  std::vector<int> all(static_cast<size_t>(count));
  EXPECT_EQ(nvrtcGetSupportedArchs(all.data()), NVRTC_SUCCESS);
  EXPECT_EQ(all.front(), 70);
  EXPECT_EQ(all.back(), 90);
  EXPECT_STREQ(nvrtcGetErrorString(NVRTC_SUCCESS), "NVRTC_SUCCESS");
  EXPECT_STREQ(nvrtcGetErrorString(static_cast<nvrtcResult>(6)), "NVRTC_ERROR_COMPILATION");
  EXPECT_STREQ(nvrtcGetErrorString(static_cast<nvrtcResult>(16)), "NVRTC_ERROR_CANCELLED");
  EXPECT_STREQ(nvrtcGetErrorString(static_cast<nvrtcResult>(99)), "NVRTC_ERROR unknown");
}

TEST_F(Nvrtc, NullsAndStrangersAreErrors) {
  nvrtcProgram p = nullptr;
  size_t size = 0;
  char byte = 0;
  const char* text = nullptr;
  EXPECT_EQ(nvrtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcCreateProgram(&p, nullptr, "", 0, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcCreateProgram(&p, "", "", 1, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcCreateProgram(&p, "", "", -1, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcCreateProgram(&p, "", "", 1, &text, &text), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcDestroyProgram(nullptr), NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(nvrtcDestroyProgram(&p), NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(nvrtcCompileProgram(nullptr, 0, nullptr), NVRTC_ERROR_INVALID_PROGRAM);
  for (nvrtcProgram stranger : {nvrtcProgram{}, reinterpret_cast<nvrtcProgram>(&size)}) {
    EXPECT_EQ(nvrtcGetPTXSize(stranger, &size), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(nvrtcGetPTX(stranger, &byte), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(nvrtcGetCUBINSize(stranger, &size), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(nvrtcGetProgramLogSize(stranger, &size), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(nvrtcGetProgramLog(stranger, &byte), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(nvrtcAddNameExpression(stranger, "x"), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(nvrtcGetLoweredName(stranger, "x", &text), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(nvrtcGetPCHCreateStatus(stranger), NVRTC_ERROR_INVALID_PROGRAM);
  }
  RtcProgram program(kScale);
  EXPECT_EQ(nvrtcGetPTXSize(program.handle, &size), NVRTC_ERROR_INVALID_PROGRAM);  // not compiled yet
  EXPECT_EQ(program.log(), "");
  EXPECT_EQ(nvrtcCompileProgram(program.handle, -1, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcCompileProgram(program.handle, 1, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(program.compile({nullptr}), NVRTC_ERROR_INVALID_INPUT);
  program.ptx();
  EXPECT_EQ(nvrtcGetPTXSize(program.handle, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcGetPTX(program.handle, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcGetProgramLog(program.handle, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcAddNameExpression(program.handle, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcGetLoweredName(program.handle, "x", nullptr), NVRTC_ERROR_INVALID_INPUT);
  nvrtcProgram gone = program.handle;
  EXPECT_EQ(nvrtcDestroyProgram(&program.handle), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcDestroyProgram(&gone), NVRTC_ERROR_INVALID_PROGRAM);
}

TEST_F(Nvrtc, PtxAndMachineCode) {
  RtcProgram program(kScale);
  const std::string ptx = program.ptx();
  EXPECT_TRUE(contains(ptx, ".visible .entry scale("));
  EXPECT_TRUE(contains(ptx, ".target sm_80"));
  EXPECT_EQ(program.log(), "");
  EXPECT_EQ(program.cubin(), "");
  RtcProgram machine(kScale);
  EXPECT_TRUE(contains(machine.ptx({"-arch=sm_86"}), ".target sm_86"));
  EXPECT_EQ(machine.cubin().substr(0, 4), "\177ELF");
  // The same each time.
  RtcProgram again(kScale);
  EXPECT_EQ(again.ptx({"-lineinfo"}), RtcProgram(kScale).ptx({"-lineinfo"}));
}

TEST_F(Nvrtc, WhatIsNeverMadeHasNoSize) {
  RtcProgram program(kScale);
  program.ptx();
  size_t size = 1;
  char byte = 0;
  EXPECT_EQ(nvrtcGetLTOIRSize(program.handle, &size), NVRTC_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(nvrtcGetOptiXIRSize(program.handle, &size), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcGetNVVMSize(program.handle, &size), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcGetLTOIR(program.handle, &byte), NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(nvrtcGetOptiXIR(program.handle, &byte), NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(nvrtcGetNVVM(program.handle, &byte), NVRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(nvrtcGetPCHCreateStatus(program.handle), NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
  EXPECT_EQ(nvrtcGetPCHHeapSizeRequired(program.handle, &size), NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
  EXPECT_EQ(nvrtcSetPCHHeapSize(4096), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcGetPCHHeapSize(&size), NVRTC_SUCCESS);
  EXPECT_EQ(size, 4096u);
  EXPECT_EQ(program.compile({"-dlto"}), NVRTC_ERROR_INVALID_OPTION);
}

TEST_F(Nvrtc, LogsHaveTheProgramsNameAndLine) {
  RtcProgram program("__global__ void k(int* p) {\n  p[0] = nothing;\n}\n", "folder/my \"program\".cu");
  EXPECT_EQ(program.compile(), NVRTC_ERROR_COMPILATION);
  EXPECT_EQ(program.log().find("folder/my \"program\".cu(2): error: use of undeclared identifier 'nothing'\n"), 0u)
      << program.log();
  EXPECT_TRUE(contains(program.log(), "1 error detected in the compilation of \"folder/my \"program\".cu\".\n"));
  size_t size = 0;
  EXPECT_EQ(nvrtcGetPTXSize(program.handle, &size), NVRTC_ERROR_INVALID_PROGRAM);
  RtcProgram missing("#include <nowhere.h>\n", nullptr);
  EXPECT_EQ(missing.compile(), NVRTC_ERROR_COMPILATION);
  EXPECT_EQ(missing.log().find("default_program(1): catastrophic error: could not open source file \"nowhere.h\"\n"),
            0u)
      << missing.log();
  RtcProgram unknown(kScale);
  EXPECT_EQ(unknown.compile({"-arch=compute_80", "--wrong"}), NVRTC_ERROR_INVALID_OPTION);
  EXPECT_EQ(unknown.log(), "nvrtc: error: unrecognized option --wrong found\n");
  EXPECT_TRUE(contains(unknown.ptx({"-arch=compute_80"}), "scale"));  // it may be tried again
}

TEST_F(Nvrtc, WarningsAreErrorsWhereAsked) {
  constexpr const char* kWarned = "__device__ int f(int x) { if (x = 3) return 1; return 2; }\n";
  RtcProgram program(kWarned);
  program.ptx();
  EXPECT_EQ(program.log().find("program.cu(1): warning: "), 0u) << program.log();
  RtcProgram quiet(kWarned), strict(kWarned);
  quiet.ptx({"-w"});
  EXPECT_EQ(quiet.log(), "");
  EXPECT_EQ(strict.compile({"--warning-as-error=all-warnings"}), NVRTC_ERROR_COMPILATION);
}

// What NVRTC has built in, without one #include; and names that are the program's own, which the host's headers have.
TEST_F(Nvrtc, WhatIsBuiltIn) {
  RtcProgram program(R"(
#if !defined(__CUDACC_RTC__) || !defined(__CUDACC__) || __CUDACC_VER_MAJOR__ != 12 || __cplusplus < 201703L
#error "macros"
#endif
#ifdef INT_MAX
#error "of the host"
#endif
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned long long uint64_t;
namespace std { template <typename T> struct numeric_limits { static const int digits = 3; }; }
struct Node { int value; __device__ Node(int v) : value(v) {} };
template <typename T> __global__ void all(T* p, size_t n, float4 v, dim3 d) {
  __shared__ T shared[32];
  extern __shared__ char more[];
  shared[threadIdx.x] = sinf(p[0]) + sqrt(2.0) + pow(p[1], T(2)) + fminf(1.f, v.x) + max(3, int(n)) + min(1u, d.x);
  __syncthreads();
  atomicAdd(p, shared[31 - threadIdx.x]);
  atomicCAS((int*)p, 1, 2);
  p[2] = __shfl_xor_sync(~0u, p[2], 1) + __ldg(p + 3) + rsqrtf(v.y) + abs(v.z) + isnan(v.w) + std::numeric_limits<T>::digits;
  p[3] = std::move(p[4]) + __popc(n) + clock() + make_int2(1, 2).y + warpSize;
  Node* node = new Node(2);
  p[5] = node->value + more[0];
  delete node;
  printf("%d\n", int(n));
  assert(n > 2);
  ptrdiff_t between = p - shared;
  p[between] = INFINITE_LOOP;
}
template __global__ void all<float>(float*, size_t, float4, dim3);
)");
  program.ptx({"-DINFINITE_LOOP=1"});
}

TEST_F(Nvrtc, HeadersOfTheToolkit) {
  for (const char* options :
       {"-arch=compute_80", "-arch=compute_90", "-default-device", "-G", "-std=c++20", "-std=c++14"}) {
    RtcProgram program(R"(
#include <cuda_runtime.h>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuComplex.h>
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <vector_types.h>
#include <math_constants.h>
extern "C" __global__ void k(half* a, half2* b, float* f, cuFloatComplex* c) {
  cooperative_groups::this_thread_block().sync();
  a[0] = a[1] + a[2];
  *b = __hadd2(b[0], b[1]);
  f[0] = tanhf(f[1]) + CUDART_INF_F + __bfloat162float(__float2bfloat16(f[2]));
  c[0] = cuCmulf(c[1], c[2]);
}
)");
    EXPECT_TRUE(contains(program.ptx({options}), ".entry k(")) << options;
  }
}

// What they need of the standard library is there, and may be the program's own.
TEST_F(Nvrtc, HeadersOfTheToolkitInCxx) {
  constexpr const char* kSource = R"(
typedef long long int64_t;
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda_awbarrier.h>
extern "C" __global__ void k(int* p) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(*p).fetch_add(1, cuda::memory_order_relaxed);
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  auto token = barrier.arrive();
  const auto begin = cuda::std::chrono::system_clock::now();
  while (!barrier.try_wait_for(std::move(token), cuda::std::chrono::microseconds(3))) {}
  p[1] = (cuda::std::chrono::system_clock::now() - begin).count();
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
}
)";
  for (const char* option : {"-arch=compute_80", "-arch=compute_90", "-std=c++20"})
    EXPECT_TRUE(contains(RtcProgram(kSource).ptx({option}), "mbarrier")) << option;
  RtcProgram own("#include <cstdint>\n#include <cuda/atomic>\n__device__ std::mine m;\n", "program.cu",
                 {{"cstdint",
                   "namespace std { typedef int mine; typedef signed char int8_t; typedef short int16_t; typedef int "
                   "int32_t; typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t; "
                   "typedef unsigned uint32_t; typedef unsigned long uint64_t; }\n"}});
  own.ptx();
}

TEST_F(Nvrtc, HeadersInMemory) {
  RtcProgram program(
      "#include \"first.h\"\n#include <deep/second.h>\n#include \"../up.h\"\n#include <limits>\n#include <cmath>\n"
      "extern \"C\" __global__ void k(int* p) { *p = FIRST + second() + UP + LIMITS + CMATH; }\n",
      "program.cu",
      {{"first.h", "#define FIRST 1\n"},
       {"deep/second.h", "#include \"third.h\"\n__device__ int second() { return THIRD; }\n"},
       {"deep/third.h", "#define THIRD 3\n"},
       {"../up.h", "#define UP 4\n"},
       {"limits", "#define LIMITS 5\n"},
       {"cmath", "#define CMATH 6\n"}});
  EXPECT_TRUE(contains(program.ptx(), ", 19;"));
  RtcProgram wrong("#include \"first.h\"\n", "program.cu", {{"first.h", "\nwrong;\n"}});
  EXPECT_EQ(wrong.compile(), NVRTC_ERROR_COMPILATION);
  EXPECT_TRUE(contains(wrong.log(), "\nfirst.h(2): error: ")) << wrong.log();
  RtcProgram rooted("\n", "program.cu", {{"/etc/first.h", "\n"}});
  EXPECT_EQ(rooted.compile(), NVRTC_ERROR_INVALID_INPUT);
}

TEST_F(Nvrtc, HeadersInFolders) {
  const fs::path folder = folder_.string() + "_headers";
  fs::create_directories(folder);
  std::ofstream(folder / "disk.h") << "#define DISK 77\n";
  constexpr const char* kSource = "#include \"disk.h\"\nextern \"C\" __global__ void k(int* p) { *p = DISK; }\n";
  const std::string joined = "-I" + folder.string(), blank = "-I " + folder.string();
  EXPECT_TRUE(contains(RtcProgram(kSource).ptx({joined.c_str()}), ", 77;"));
  EXPECT_TRUE(contains(RtcProgram(kSource).ptx({blank.c_str()}), ", 77;"));
  EXPECT_TRUE(contains(RtcProgram(kSource).ptx({"-I", folder.c_str()}), ", 77;"));
  // Beside the source, by its name.
  const std::string name = (folder / "program.cu").string();
  EXPECT_TRUE(contains(RtcProgram(kSource, name.c_str()).ptx(), ", 77;"));
  RtcProgram none(kSource, name.c_str());
  EXPECT_EQ(none.compile({"--no-source-include"}), NVRTC_ERROR_COMPILATION);
  // Another toolkit's comes behind Heddle's.
  for (const char* header : {"cuda.h", "cuda_runtime.h", "cuda_fp16.h"})
    std::ofstream(folder / header) << "#error other\n";
  constexpr const char* kHalf = "#include <cuda_fp16.h>\n#include \"disk.h\"\n__device__ half h;\n";
  RtcProgram(kHalf).ptx({joined.c_str()});
  fs::remove_all(folder);
}

// What clang takes and PTX does not.
TEST_F(Nvrtc, WrongAssembly) {
  RtcProgram program("__global__ void k() { asm volatile(\"wrong;\"); }\n");
  program.ptx();
  EXPECT_EQ(program.compile({"-arch=sm_80"}), NVRTC_ERROR_COMPILATION);
  EXPECT_EQ(program.log().find("program.cu.ptx("), 0u) << program.log();
  EXPECT_TRUE(contains(program.log(), "): error: ")) << program.log();
}

TEST_F(Nvrtc, OptionsChangeTheCode) {
  constexpr const char* kSource =
      "extern \"C\" __global__ void k(float* p) { p[0] = p[1] * p[2] + p[3]; p[4] = sinf(p[5]); }\n";
  EXPECT_TRUE(contains(RtcProgram(kSource).ptx({"--fmad=true"}), "fma.rn.f32"));
  EXPECT_FALSE(contains(RtcProgram(kSource).ptx({"--fmad=false", "-use_fast_math"}), "fma.rn"));
  EXPECT_TRUE(contains(RtcProgram(kSource).ptx({"-use_fast_math"}), "sin.approx.ftz.f32"));
  EXPECT_TRUE(contains(RtcProgram(kSource).ptx({"--ftz=true"}), "fma.rn.ftz.f32"));
  EXPECT_TRUE(contains(RtcProgram(kSource).ptx({"-lineinfo"}), ".loc"));
  EXPECT_TRUE(contains(RtcProgram(kSource).ptx({"-G"}), ".section\t.debug_info"));
  RtcProgram linked("extern __device__ int other(int);\nextern \"C\" __global__ void k(int* p) { *p = other(*p); }\n");
  EXPECT_TRUE(contains(linked.ptx({"-dc"}), ".extern .func"));
  RtcProgram plain("int twice(int x) { return 2 * x; }\nextern \"C\" __global__ void k(int* p) { *p = twice(*p); }\n");
  EXPECT_EQ(plain.compile(), NVRTC_ERROR_COMPILATION);
  plain.ptx({"-default-device", "-Werror=all-warnings"});
  EXPECT_EQ(plain.log(), "");
}

TEST_F(Nvrtc, NameExpressions) {
  RtcProgram program(R"(
namespace N1 {
__constant__ int constant;
static __device__ float own[4];
template <typename T> __device__ T variable;
}
template <typename T, int N> __global__ void kernel(T* p) { *p += N + N1::own[N]; }
static __global__ void quiet(int* p) { *p = N1::constant; }
namespace { __global__ void inner() {} }
extern "C" __global__ void plain() {}
)");
  for (const char* e : {"kernel<float, 3>", "kernel<double,1+1>", "&N1::constant", "N1::own", "N1::variable<int>",
                        "quiet", "inner", "&plain", "plain"})
    program.add(e);
  const char* name = nullptr;
  EXPECT_EQ(nvrtcGetLoweredName(program.handle, "quiet", &name), NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  const std::string ptx = program.ptx({"-G"});
  EXPECT_EQ(program.lowered("kernel<float, 3>"), "_Z6kernelIfLi3EEvPT_");
  EXPECT_EQ(program.lowered("kernel<double,1+1>"), "_Z6kernelIdLi2EEvPT_");
  EXPECT_EQ(program.lowered("&N1::constant"), "_ZN2N18constantE");
  EXPECT_EQ(program.lowered("&plain"), "plain");
  EXPECT_EQ(program.lowered("plain"), "plain");
  for (const char* e : {"N1::own", "N1::variable<int>", "quiet", "inner"})
    EXPECT_TRUE(contains(ptx, program.lowered(e))) << e;
  EXPECT_FALSE(contains(ptx, "__heddle_nvrtc_name"));
  EXPECT_EQ(nvrtcGetLoweredName(program.handle, "other", &name), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  EXPECT_EQ(nvrtcAddNameExpression(program.handle, "other"), NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);

  RtcProgram wrong("template <typename T> __global__ void kernel() {}\n");
  wrong.add("kernel<nothing>");
  EXPECT_EQ(wrong.compile(), NVRTC_ERROR_COMPILATION);
  EXPECT_TRUE(contains(wrong.log(), "name expression(1): error: use of undeclared identifier 'nothing'"))
      << wrong.log();
}

TEST_F(Nvrtc, CompilersThatFail) {
  RtcProgram program(kScale);
  setenv("HEDDLE_CLANG", "/nowhere/clang++", 1);
  EXPECT_EQ(program.compile(), NVRTC_ERROR_INTERNAL_ERROR);
  EXPECT_TRUE(contains(program.log(), "cannot start '/nowhere/clang++': No such file or directory")) << program.log();
  compiler_is("kill -9 $$");
  EXPECT_EQ(program.compile(), NVRTC_ERROR_INTERNAL_ERROR);
  EXPECT_TRUE(contains(program.log(), "was killed by signal 9 (Killed)")) << program.log();
  compiler_is("echo 'error: No space left on device'; exit 3");
  EXPECT_EQ(program.compile(), NVRTC_ERROR_INTERNAL_ERROR);
  EXPECT_TRUE(contains(program.log(), "No space left on device\n")) << program.log();
  EXPECT_TRUE(contains(program.log(), "ended with status 3")) << program.log();
  compiler_is("exit 0");
  EXPECT_EQ(program.compile(), NVRTC_ERROR_INTERNAL_ERROR);
  usual_compiler();
  fs::remove(folder_.string() + ".sh");
  setenv("TMPDIR", "/nowhere", 1);
  EXPECT_EQ(program.compile(), NVRTC_ERROR_INTERNAL_ERROR);
  EXPECT_TRUE(contains(program.log(), "temporary folder")) << program.log();
  setenv("TMPDIR", folder_.c_str(), 1);
  program.ptx();
}

TEST_F(Nvrtc, ACallbackEndsIt) {
  RtcProgram program(kScale);
  int calls = 0;
  const auto count = [](void* payload, void*) { return ++*static_cast<int*>(payload) > 1 ? 1 : 0; };
  EXPECT_EQ(nvrtcSetFlowCallback(program.handle, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(nvrtcSetFlowCallback(program.handle, count, &calls), NVRTC_SUCCESS);
  EXPECT_EQ(program.compile(), NVRTC_ERROR_CANCELLED);
  EXPECT_GE(calls, 2);
}

TEST_F(Nvrtc, ManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      const std::string source = "extern \"C\" __global__ void k" + std::to_string(i) + "() {}\n";
      RtcProgram program(source.c_str());
      EXPECT_TRUE(contains(program.ptx(), ".entry k" + std::to_string(i)));
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace heddle::test
