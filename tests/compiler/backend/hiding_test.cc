// SPDX-License-Identifier: Apache-2.0
// Registers that hide latencies: a kernel that has too many for a full multiprocessor anyhow takes some more and runs
// independent chains side by side; one that has few keeps to what a full multiprocessor has; none takes more than
// blocks of 1,024 threads have, unless it must.
#include <gtest/gtest.h>

#include <vector>

#include "host-runtime/compiler/compile.h"

namespace heddle::compiler::test {
namespace {

constexpr unsigned kChains = 4;

struct Compiled {
  unsigned registers = 0;
  std::vector<size_t> roots;  // where MUFU stands in its block, after scheduling
};

// Forces of `kChains` bodies, a root each, among `values` that live from the first instruction to the last.
Compiled build(unsigned values) {
  std::string body;
  for (unsigned n = 0; n < values; n++)
    body += "ld.global.f32 %v" + std::to_string(n) + ", [%rd1+" + std::to_string(4 * n) + "];\n";
  body += "mov.f32 %s0, 0f3f000000; mov.f32 %s1, %s0; mov.f32 %s2, %s0;\n";
  for (unsigned c = 0; c < kChains; c++) {
    std::string x = "%x" + std::to_string(c), chain;
    for (unsigned n = 0; n < 3; n++) {
      const std::string d = "%d" + std::to_string(3 * c + n), v = "%v" + std::to_string(c + n);
      body += "sub.f32 " + d + ", " + v + ", %v" + std::to_string(7 - n) + ";\n";
      body += (n == 0 ? "mul.f32 " + x : "fma.rn.f32 " + x) + ", " + d + ", " + d + (n == 0 ? ";\n" : ", " + x + ";\n");
      chain += "fma.rn.f32 %s" + std::to_string(n) + ", " + d + ", " + x + ", %s" + std::to_string(n) + ";\n";
    }
    body += "rsqrt.approx.ftz.f32 " + x + ", " + x + "; mul.f32 " + x + ", " + x + ", " + x + ";\n" + chain;
  }
  body += "add.f32 %s0, %s0, %s1; add.f32 %s0, %s0, %s2;\n";
  for (unsigned n = 0; n < values; n++) body += "fma.rn.f32 %s0, %s0, %s0, %v" + std::to_string(n) + ";\n";
  Compiled out;
  CompileOptions options;
  options.verify = true;
  options.dump = [&](std::string_view pass, const mir::Function& f) {
    if (pass != "schedule") return;
    for (const mir::Block& b : f.blocks)
      for (size_t n = 0; n < b.body.size(); n++)
        if (b.body[n].is(isa::Opcode::Mufu)) out.roots.push_back(n);
  };
  const auto compiled = compile({"test.ptx", R"(.version 8.3
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .f32 %v<80>, %x<8>, %d<16>, %s<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
)" + body + "st.global.f32 [%rd1], %s0;\n  ret;\n}\n"},
                                options);
  EXPECT_TRUE(compiled.ok()) << compiled.error().message();
  if (compiled) out.registers = compiled->cubin.kernels.at(0).registers;
  return out;
}

size_t between(const std::vector<size_t>& roots) { return roots.empty() ? 0 : roots.back() - roots.front(); }

TEST(HidingTest, ManyRegistersAnyhowTakeMoreForChainsSideBySide) {
  const Compiled c = build(28);
  ASSERT_EQ(c.roots.size(), kChains);
  EXPECT_LE(between(c.roots), 2 * kChains);
  EXPECT_GT(c.registers, 32u);
  EXPECT_LE(c.registers, 64u);
}

TEST(HidingTest, FewKeepToAFullMultiprocessors) {
  for (const unsigned values : {8u, 10u, 12u}) EXPECT_LE(build(values).registers, 32u) << values << " values";
}

TEST(HidingTest, NoneHasTooManyForALargeBlock) {
  for (unsigned values = 24; values <= 44; values += 4) EXPECT_LE(build(values).registers, 64u) << values << " values";
}

}  // namespace
}  // namespace heddle::compiler::test
