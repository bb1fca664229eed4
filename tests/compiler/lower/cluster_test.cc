// SPDX-License-Identifier: Apache-2.0
// Clusters: whose shared memory an address is in, and where a block is.
#include <gtest/gtest.h>

#include <cstring>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/lower/kernel.h"

namespace heddle::compiler::lower::test {
namespace {

using Words = std::vector<uint64_t>;
using R = isa::SpecialReg;

constexpr uint64_t kWindow = uint64_t{isa::kSharedWindow} << 32;
constexpr uint64_t kOwn = 3 << 24;  // the rank is 2

constexpr const char* kFrame =
    ".visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .shared .align 16 .b8 pad[16]; .shared .b32 s[4];\n"
    "ld.param.u64 %rd0, [out]; st.shared.u32 [pad], 0;\n";

// Runs `body` with the output's address in %rd0 in the block of rank 2 of a cluster of 2 x 3 blocks, and gives what it
// left in 8 words.
Words run(const std::string& body) {
  const Compiled compiled = compile_modules({".target sm_90\n.address_size 64\n" + (kFrame + body) + "\nret;\n}\n"});
  EXPECT_EQ(compiled.complaints, "");
  Words out(8);
  if (!compiled.complaints.empty()) return out;
  Thread thread;
  thread.registers = {{R::CtaidX, 4},         {R::CtaidY, 7},         {R::NctaidX, 10},        {R::NctaidY, 9},
                      {R::ClusterCtaidX, 0},  {R::ClusterCtaidY, 1},  {R::ClusterNctaidX, 2},  {R::ClusterNctaidY, 3},
                      {R::ClusterNctaidZ, 1}, {R::ClusterCtaRank, 2}, {R::ClusterNctaRank, 6}, {R::ClusterExplicit, 1}};
  thread.params.resize(8);
  void* pointer = out.data();
  std::memcpy(thread.params.data(), &pointer, 8);
  MirEval eval(compiled.module);
  EXPECT_EQ(eval.run("k", thread), "");
  return out;
}

TEST(Cluster, RegistersSayWhereTheBlockIs) {
  const Words out =
      run("mov.u32 %r0, %clusterid.x; mov.u32 %r1, %clusterid.y; st.global.v2.u32 [%rd0], {%r0, %r1};"
          "mov.u32 %r0, %nclusterid.x; mov.u32 %r1, %nclusterid.y; st.global.v2.u32 [%rd0+8], {%r0, %r1};"
          "mov.u32 %r0, %cluster_ctaid.y; mov.u32 %r1, %cluster_nctaid.y; st.global.v2.u32 [%rd0+16], {%r0, %r1};"
          "mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, %cluster_nctarank; st.global.v2.u32 [%rd0+24], {%r0, %r1};"
          "mov.pred %p0, %is_explicit_cluster; selp.u32 %r0, 5, 6, %p0; st.global.u32 [%rd0+32], %r0;");
  EXPECT_EQ(out[0], 2 | uint64_t{2} << 32);
  EXPECT_EQ(out[1], 5 | uint64_t{3} << 32);
  EXPECT_EQ(out[2], 1 | uint64_t{3} << 32);
  EXPECT_EQ(out[3], 2 | uint64_t{6} << 32);
  EXPECT_EQ(out[4], 5u);
}

TEST(Cluster, MapaPutsTheRankAboveTheAddress) {
  const Words out = run(
      "mapa.shared::cluster.u32 %r1, s+4, 0; cvt.u64.u32 %rd1, %r1; st.global.u64 [%rd0], %rd1;"
      "mov.u32 %r2, 15; mapa.shared::cluster.u32 %r1, %r1, %r2; cvt.u64.u32 %rd1, %r1; st.global.u64 [%rd0+8], %rd1;"
      "cvta.shared.u64 %rd2, s; mapa.u64 %rd1, %rd2, 5; st.global.u64 [%rd0+16], %rd1;"
      "mov.u32 %r2, %cluster_ctarank; mapa.u64 %rd1, %rd2, %r2; sub.u64 %rd1, %rd1, %rd2; st.global.u64 [%rd0+24], "
      "%rd1;"
      "mov.u64 %rd3, s; mapa.shared::cluster.u64 %rd3, %rd3, 5; cvta.shared::cluster.u64 %rd3, %rd3;"
      "st.global.u64 [%rd0+32], %rd3;");
  EXPECT_EQ(out[0], (1u << 24) + 20);
  EXPECT_EQ(out[1], (16u << 24) + 20);
  EXPECT_EQ(out[2], kWindow + (6u << 24) + 16);
  EXPECT_EQ(out[3], 0u);
  EXPECT_EQ(out[4], out[2]);
}

TEST(Cluster, GenericAddressesHaveTheOwnRankOnce) {
  const Words out =
      run("cvta.shared.u64 %rd1, s; st.global.u64 [%rd0], %rd1;"
          "cvta.to.shared.u64 %rd2, %rd1; st.global.u64 [%rd0+8], %rd2;"
          "cvta.shared.u64 %rd2, %rd2; st.global.u64 [%rd0+16], %rd2;"
          "mov.u64 %rd3, s; st.global.u64 [%rd0+24], %rd3; getctarank.shared::cluster.u32 %r1, s;");
  EXPECT_EQ(out[0], kWindow + kOwn + 16);
  EXPECT_EQ(out[1], kOwn + 16);
  EXPECT_EQ(out[2], out[0]);
  EXPECT_EQ(out[3], 16u);
}

TEST(Cluster, GetctarankReadsTheRank) {
  const Words out =
      run("getctarank.shared::cluster.u32 %r0, s; mov.u32 %r2, s; getctarank.shared::cluster.u32 %r1, %r2;"
          "st.global.v2.u32 [%rd0], {%r0, %r1};"
          "cvta.shared.u64 %rd1, s; getctarank.u64 %r0, %rd1; mapa.u64 %rd1, %rd1, 4; getctarank.u64 %r1, %rd1;"
          "st.global.v2.u32 [%rd0+8], {%r0, %r1};");
  EXPECT_EQ(out[0], 2 | uint64_t{2} << 32);
  EXPECT_EQ(out[1], 2 | uint64_t{4} << 32);
}

// Bits 0 to 2: shared, shared::cta, shared::cluster; from 0 on for a plain address, the own one, another block's, a
// global one.
TEST(Cluster, IsspacepTellsTheBlocksApart) {
  std::string body =
      "cvta.shared.u64 %rd2, s; and.b64 %rd1, %rd2, -4278190081; mapa.u64 %rd3, %rd2, 5; mov.u64 %rd4, %rd0;";
  for (int n = 1; n <= 4; n++) {
    body += "mov.u32 %r0, 0;";
    for (const auto& [space, bit] : {std::pair{"shared", "1"}, {"shared::cta", "2"}, {"shared::cluster", "4"}})
      body +=
          std::string("isspacep.") + space + " %p0, %rd" + std::to_string(n) + "; @%p0 or.b32 %r0, %r0, " + bit + ";";
    body += "st.global.u32 [%rd0+" + std::to_string(8 * n - 8) + "], %r0;";
  }
  const Words out = run(body);
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(out[1], 7u);
  EXPECT_EQ(out[2], 4u);
  EXPECT_EQ(out[3], 0u);
}

// What a cubin says of its kernels' clusters, and which instructions a program without any has.
TEST(Cluster, KernelsSayTheirClusters) {
  const auto built = compile({"k.ptx",
                              ".version 8.3\n.target sm_90\n.address_size 64\n"
                              ".entry a() .explicitcluster .reqnctapercluster 4, 2 { barrier.cluster.arrive; "
                              "barrier.cluster.wait; ret; }\n"
                              ".entry b() .maxclusterrank 8 { ret; }\n"
                              ".entry c() .explicitcluster { ret; }\n"});
  ASSERT_TRUE(built) << built.error().message();
  const formats::CubinKernel *a = built->cubin.find_kernel("a"), *b = built->cubin.find_kernel("b"),
                             *c = built->cubin.find_kernel("c");
  EXPECT_TRUE(a->explicit_cluster);
  EXPECT_EQ(a->required_cluster[0], 4u);
  EXPECT_EQ(a->required_cluster[1], 2u);
  EXPECT_EQ(a->required_cluster[2], 1u);
  EXPECT_EQ(a->max_cluster_blocks, 0u);
  EXPECT_FALSE(b->explicit_cluster);
  EXPECT_EQ(b->required_cluster[0], 0u);
  EXPECT_EQ(b->max_cluster_blocks, 8u);
  EXPECT_TRUE(c->explicit_cluster);
  EXPECT_EQ(c->required_cluster[0], 0u);
  EXPECT_TRUE(built->cubin.first_use(isa::Opcode::Cbar));
}

// No access crosses either part of the barrier, relaxed or not, and a guard stays one.
TEST(Cluster, AccessesStayOnTheirSideOfTheBarrier) {
  const auto built = compile(
      {"k.ptx",
       ".version 8.3\n.target sm_90\n.address_size 64\n" +
           (kFrame + std::string("st.shared.u32 [s], 1; barrier.cluster.arrive.relaxed; ld.global.u32 %r1, [%rd0];"
                                 "setp.eq.u32 %p0, %r1, 7; @%p0 barrier.cluster.wait; ld.shared.u32 %r2, [s];"
                                 "st.global.u32 [%rd0], %r2; ret;\n}\n"))});
  ASSERT_TRUE(built) << built.error().message();
  std::string order;
  for (const uint64_t word : built->cubin.code) {
    const isa::Instruction i = *isa::decode(word);
    if (i.op == isa::Opcode::Cbar) order += i.field("wait") ? (i.guard == isa::kPt ? "W" : "w") : "a";
    if (i.op == isa::Opcode::Sts) order += "S";
    if (i.op == isa::Opcode::Lds) order += "L";
    if (i.op == isa::Opcode::Ldg) order += "G";
  }
  EXPECT_EQ(order, "SSaGwL");
}

TEST(Cluster, GenericAddressesAreAsBeforeWithoutClusters) {
  const auto code = [](const std::string& more) {
    const auto built =
        compile({"k.ptx", ".version 8.3\n.target sm_90\n.address_size 64\n" +
                              (kFrame + std::string("cvta.shared.u64 %rd1, s; st.global.u64 [%rd0], %rd1;")) + more +
                              "ret;\n}\n"});
    EXPECT_TRUE(built) << built.error().message();
    return built ? built->cubin : formats::Cubin{};
  };
  EXPECT_FALSE(code("").first_use(isa::Opcode::S2r));
  EXPECT_TRUE(code("barrier.cluster.arrive; barrier.cluster.wait;").first_use(isa::Opcode::S2r));
}

}  // namespace
}  // namespace heddle::compiler::lower::test
