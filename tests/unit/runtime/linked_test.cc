// SPDX-License-Identifier: Apache-2.0
// What nvcc -rdc=true makes: host code registers the machine code that nvcc linked, in a wrapper of version 2, and with
// it the containers of the objects, whose PTX is linked anew.
#include <cstring>
#include <list>

#include "tests/unit/formats/nvcc_container.h"
#include "tests/unit/runtime/cudart_fixture.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaUnregisterFatBinary(void** handle);
int __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                           int*);
void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int, size_t bytes, int, int);
void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t bytes, int, int);
}

namespace heddle::test {
namespace {

constexpr std::string_view kHead = ".version 9.0\n.target sm_80\n.address_size 64\n";
// k(p) and l(p) store helper(*p) to p; each object has a function `own` for itself.
constexpr const char* kMain = R"(
.extern .func (.param .b32 r) helper(.param .b32 x);
.func (.param .b32 r) own(.param .b32 x) {
  .reg .b32 %x; ld.param.b32 %x, [x]; add.s32 %x, %x, 1; st.param.b32 [r], %x; ret;
}
.visible .entry k(.param .u64 p) {
  .reg .b64 %a; .reg .b32 %x;
  ld.param.u64 %a, [p]; ld.global.u32 %x, [%a];
  { .param .b32 in; .param .b32 out; st.param.b32 [in], %x; call.uni (out), helper, (in); ld.param.b32 %x, [out]; }
  { .param .b32 in; .param .b32 out; st.param.b32 [in], %x; call.uni (out), own, (in); ld.param.b32 %x, [out]; }
  st.global.u32 [%a], %x; ret;
}
)";
constexpr const char* kHelper = R"(
.visible .global .align 4 .u32 factor = 10;
.visible .global .attribute(.managed) .align 4 .u32 shared = 7;
.func (.param .b32 r) own(.param .b32 x) {
  .reg .b32 %x, %f; ld.param.b32 %x, [x]; ld.global.u32 %f, [factor]; mul.lo.s32 %x, %x, %f; st.param.b32 [r], %x; ret;
}
.visible .func (.param .b32 r) helper(.param .b32 x) {
  .reg .b32 %x, %s; ld.param.b32 %x, [x];
  { .param .b32 in; .param .b32 out; st.param.b32 [in], %x; call.uni (out), own, (in); ld.param.b32 %x, [out]; }
  ld.global.u32 %s, [shared]; add.s32 %x, %x, %s; st.param.b32 [r], %x; ret;
}
)";

std::string machine_code() {
  return nvcc_entry(2, 80, 0,
                    "\x7f"
                    "ELF",
                    0);
}
std::string ptx(const char* text, uint32_t sm = 80) { return nvcc_entry(1, sm, 0, std::string(kHead) + text, 0); }

// A program of these objects with the kernel `k`.
class Linked {
 public:
  explicit Linked(const std::vector<std::string>& objects) : whole_(nvcc_container(machine_code())) {
    for (const std::string& entries : objects) {
      containers_.push_back(nvcc_container(entries));
      wrapper_.list.push_back(containers_.back().data());
    }
    wrapper_.list.push_back(nullptr);
    wrapper_.data = whole_.data();
    wrapper_.linked = wrapper_.list.data();
    module = __cudaRegisterFatBinary(&wrapper_);
    __cudaRegisterFunction(module, &kernel, nullptr, "k", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  ~Linked() { __cudaUnregisterFatBinary(module); }

  void** module = nullptr;
  char kernel = 0;

 private:
  struct Wrapper {
    int magic = 0x466243b1, version = 2;
    const void* data = nullptr;
    const void* const* linked = nullptr;
    std::vector<const void*> list;
  } wrapper_;
  std::string whole_;
  std::list<std::string> containers_;
};

class LinkedByNvcc : public Cudart {
 protected:
  int run(Linked& program, int value) {
    int* d = device(1);
    EXPECT_EQ(cudaMemcpy(d, &value, sizeof value, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(launch(&program.kernel, 1, 1, d), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
  }
  void expect_refused(Linked& program, cudaError_t error, const std::string& words) {
    int* d = device(1);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(launch(&program.kernel, 1, 1, d), error);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find(words), std::string::npos) << said;
    cudaGetLastError();
  }
};

TEST_F(LinkedByNvcc, ThePtxOfAllObjectsIsOneProgram) {
  Linked program({machine_code() + ptx(kMain), ptx(kHelper) + machine_code()});
  char factor = 0;
  int *shared = nullptr, value = 100;
  __cudaRegisterVar(program.module, &factor, nullptr, "factor", 0, 4, 0, 0);
  __cudaRegisterManagedVar(program.module, reinterpret_cast<void**>(&shared), nullptr, "shared", 0, 4, 0, 0);
  EXPECT_EQ(*shared, 7);
  EXPECT_EQ(run(program, 3), 3 * 10 + 7 + 1);
  EXPECT_EQ(cudaMemcpyToSymbol(&factor, &value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  *shared = 5;
  EXPECT_EQ(run(program, 3), 3 * 100 + 5 + 1);
}

TEST_F(LinkedByNvcc, OfEachObjectTheNewestPtxThatFitsIsTaken) {
  Linked program({ptx(kMain), ptx("", 70) + ptx(kHelper, 80) + ptx("", 90)});
  EXPECT_EQ(run(program, 1), 1 * 10 + 7 + 1);
}

TEST_F(LinkedByNvcc, AnObjectWithoutPtxIsNamed) {
  Linked program({ptx(kMain), machine_code()});
  expect_refused(program, cudaErrorNoKernelImageForDevice, "object 2 of 2 whose device code nvcc linked holds no PTX");
}

TEST_F(LinkedByNvcc, WhatNoObjectDefinesIsNamed) {
  Linked program({ptx(kMain), ptx("")});
  expect_refused(program, cudaErrorInvalidPtx,
                 "object 1 of 2, compute_80.ptx:12:77: error: Unresolved extern function 'helper'");
}

TEST_F(LinkedByNvcc, ADamagedObjectIsNamed) {
  std::string cut = ptx(kHelper);
  cut[8] = 1;  // its length
  Linked program({ptx(kMain), cut});
  expect_refused(program, cudaErrorInvalidKernelImage, "object 2 of 2: damaged fat binary of nvcc");
}

}  // namespace
}  // namespace heddle::test
