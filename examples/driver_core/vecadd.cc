// SPDX-License-Identifier: Apache-2.0
#include "examples/driver_core/vecadd.h"

#include <random>
#include <utility>

#include "host-runtime/compiler/compile.h"

namespace driver_core {
namespace {

using heddle::driver::Copies;

constexpr const char* kVecadd = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry vecadd(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %d<10>;
  ld.param.u64 %d1, [a];
  ld.param.u64 %d2, [b];
  ld.param.u64 %d3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.s32 %d4, %r5, 4;
  add.s64 %d5, %d1, %d4;
  add.s64 %d6, %d2, %d4;
  add.s64 %d7, %d3, %d4;
  ld.global.f32 %f1, [%d5];
  ld.global.f32 %f2, [%d6];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%d7], %f3;
DONE:
  ret;
}
)";

}  // namespace

Vecadd::Vecadd(heddle::driver::Context& driver, const heddle::driver::Kernel& kernel, int elements, unsigned seed)
    : driver_(driver),
      kernel_(kernel),
      a_(static_cast<size_t>(elements)),
      b_(static_cast<size_t>(elements)),
      sum_(static_cast<size_t>(elements)) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> real(-1, 1);
  for (size_t i = 0; i < a_.size(); i++) a_[i] = real(random), b_[i] = real(random);
}

heddle::Result<std::unique_ptr<Vecadd>> Vecadd::create(heddle::driver::Context& driver, int elements, unsigned seed) {
  auto compiled = heddle::compiler::compile({"vecadd.ptx", kVecadd});
  if (!compiled) return compiled.error();
  auto module = driver.modules().load(std::move(compiled->cubin));
  if (!module) return module.error();
  const auto* kernel = (*module)->kernel("vecadd");
  if (!kernel) return heddle::Error("the module lacks its kernel");
  std::unique_ptr<Vecadd> vecadd(new Vecadd(driver, *kernel, elements, seed));
  for (uint64_t& place : vecadd->place_) {
    auto range = driver.memory().allocate(vecadd->sum_.size() * sizeof(float));
    if (!range) return range.error();
    place = *range;
  }
  return vecadd;
}

heddle::Status Vecadd::submit(heddle::driver::Stream* stream) {
  const uint64_t bytes = sum_.size() * sizeof(float);
  const auto host = [](const std::vector<float>& v) { return reinterpret_cast<uint64_t>(v.data()); };
  const Copies::Piece in[] = {{place_[0], host(a_), bytes}, {place_[1], host(b_), bytes}};
  if (auto ok = driver_.copies().copy(Copies::Direction::In, in, {}, stream); !ok) return ok.error();
  struct {
    uint64_t a, b, c;
    uint32_t n;
  } const params = {place_[0], place_[1], place_[2], static_cast<uint32_t>(sum_.size())};
  heddle::driver::LaunchShape shape;
  shape.block.x = 128;
  shape.grid.x = (params.n + 127) / 128;
  if (auto ok = driver_.launcher().launch(kernel_, shape, 0, &params, stream); !ok) return ok.error();
  const Copies::Piece out[] = {{host(sum_), place_[2], bytes}};
  if (auto ok = driver_.copies().copy(Copies::Direction::Out, out, {}, stream); !ok) return ok.error();
  return {};
}

int Vecadd::wrong() const {
  int wrong = 0;
  for (size_t i = 0; i < sum_.size(); i++) wrong += sum_[i] != a_[i] + b_[i];
  return wrong;
}

}  // namespace driver_core
