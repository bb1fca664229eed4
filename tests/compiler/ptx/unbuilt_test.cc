// SPDX-License-Identifier: Apache-2.0
// What the PTX manual has and this version has not: each instruction and directive is refused by name and line. What
// gets built leaves the list: an entry that compiles fails here.
#include <gtest/gtest.h>

#include "host-runtime/compiler/compile.h"

namespace heddle::compiler {
namespace {

constexpr const char* kHead = ".version 8.6\n.target sm_90a\n.address_size 64\n";
constexpr const char* kFrame =
    "{\n"
    ".reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>; .reg .f32 %f<32>; .reg .f64 %fd<8>; .reg .pred %p<4>; .reg "
    ".b128 %q<2>;\n"
    ".shared .align 128 .b8 buf[1024]; .shared .align 8 .b64 bar;\n";

struct Unbuilt {
  const char* text;
  const char* name;  // what the message must name: the instruction, or a modifier that no instruction has
};

std::string message_of(const std::string& text) {
  const auto compiled = compile({"unbuilt.ptx", text});
  return compiled ? "" : compiled.error().message();
}

class Instructions : public testing::TestWithParam<Unbuilt> {};

TEST_P(Instructions, AreRefusedByNameAndLine) {
  const auto& [text, name] = GetParam();
  const std::string message = message_of(std::string(kHead) + ".entry k()\n" + kFrame + text + "\nret;\n}\n");
  EXPECT_NE(message.find("unbuilt.ptx:8:"), std::string::npos) << text << "\n" << message;
  EXPECT_NE(message.substr(0, message.find('\n')).find(name), std::string::npos) << text << "\n" << message;
}

constexpr Unbuilt kInstructions[] = {
    // ---- textures and surfaces
    {"tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, {%f4, %f5}];", "tex"},
    {"tex.level.3d.v4.s32.f32 {%r0, %r1, %r2, %r3}, [%rd0, %rd1, {%f4, %f5, %f6, %f7}], %f8;", "tex"},
    {"tex.grad.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, {%f4, %f5}], {%f6, %f7}, {%f8, %f9};", "tex"},
    {"tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd0, {%f4, %f5}];", "tld4"},
    {"txq.width.b32 %r0, [%rd0];", "txq"},
    {"istypep.texref %p0, %rd0;", "istypep"},
    {"suld.b.1d.b32.trap %r0, [%rd0, {%r1}];", "suld"},
    {"sust.b.2d.b32.clamp [%rd0, {%r0, %r1}], %r2;", "sust"},
    {"sust.p.1d.b32.trap [%rd0, {%r0}], %r2;", "sust"},
    {"sured.b.add.1d.u32.trap [%rd0, {%r1}], %r2;", "sured"},
    {"suq.width.b32 %r0, [%rd0];", "suq"},
    // ---- matrices
    {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%rd0];", "ldmatrix"},
    {"ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64 {%r0, %r1, %r2, %r3}, [%rd0];", "ldmatrix"},
    {"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%rd0], {%r0};", "stmatrix"},
    {"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 1, 1;", "wgmma"},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k64.f16.e5m2.e5m2 {%r0, %r1}, %rd0, %rd1, %r2, 0, 1, 1, 1;", "wgmma"},
    {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%rd0], 32;", "tcgen05"},
    {"tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, %r1, %p0;", "tcgen05"},
    {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd0];", "tcgen05"},
    // ---- asynchronous copies
    {"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd0], [%rd1], %r0, %h0;", "cp"},
    {"cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd0, {%r0, %r1, %r2}], {%h0};", "cp"},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%rd0], [%rd1, {%r0, %r1, "
     "%r2}], [bar], {%h0};",
     "cp"},
    {"cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group [%rd0, {%r0, %r1, %r2}], [%rd1];",
     "cp"},
    {"tensormap.replace.tile.global_address.global.b1024.b64 [%rd0], %rd1;", "tensormap"},
    {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd0], [%rd1], 128;",
     "tensormap"},
    {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", "fence"},
    {"st.async.mmio.release.sys.global.u32 [%rd0], %r0;", ".mmio"},
    {"st.bulk.shared::cta [%rd0], 64, 0;", ".bulk"},
    {"red.async.mmio.release.sys.global.add.u32 [%rd0], %r0;", "red"},
    // ---- clusters
    {"clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%rd0], [bar];", "clusterlaunchcontrol"},
    {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p0, %q0;", "clusterlaunchcontrol"},
    {"multimem.ld_reduce.global.add.u32 %r0, [%rd0];", "multimem"},
    {"multimem.st.global.u32 [%rd0], %r0;", "multimem"},
    {"multimem.red.global.add.u32 [%rd0], %r0;", "multimem"},
    // ---- forms of instructions that are built
    {"cvt.rs.f16x2.f32 %r0, %f0, %f1, %r1;", "cvt"},
    {"cvt.rn.satfinite.e2m1x2.f32 %h0, %f0, %f1;", ".e2m1x2"},
    {"cvt.rn.f16x2.e2m3x2 %r0, %h0;", ".e2m3x2"},
    {"add.rn.f32x2 %rd0, %rd1, %rd2;", "add"},
    {"mul.rn.f32x2 %rd0, %rd1, %rd2;", "mul"},
    {"fma.rn.f32x2 %rd0, %rd1, %rd2, %rd3;", "fma"},
    {"redux.sync.min.f32 %f0, %f1, -1;", "redux"},
    {"redux.sync.max.abs.NaN.f32 %f0, %f1, -1;", "redux"},
    {"nosuch.u32 %r0, %r1;", "nosuch"},
};
INSTANTIATE_TEST_SUITE_P(Ptx, Instructions, testing::ValuesIn(kInstructions));

class Directives : public testing::TestWithParam<Unbuilt> {};

// {}: a function.
TEST_P(Directives, AreRefusedByNameAndLine) {
  const auto& [text, name] = GetParam();
  const std::string message =
      message_of(std::string(kHead) + text + "\n" +
                 (std::string_view(text).starts_with(".entry") ? "" : ".entry k()\n") + "{ ret; }\n");
  EXPECT_NE(message.find("unbuilt.ptx:4:"), std::string::npos) << text << "\n" << message;
  EXPECT_NE(message.substr(0, message.find('\n')).find(name), std::string::npos) << text << "\n" << message;
}

constexpr Unbuilt kDirectives[] = {
    {".global .texref t;", "texref"},
    {".global .samplerref s;", "samplerref"},
    {".global .surfref s;", "surfref"},
    {".tex .u32 t;", "tex"},
    {".entry k(.param .texref t)", "texref"},
    {".entry k() .blocksareclusters", "blocksareclusters"},
    {".nosuch 5;", "nosuch"},
};
INSTANTIATE_TEST_SUITE_P(Ptx, Directives, testing::ValuesIn(kDirectives));

// Every directive of the manual that is not in the list above.
TEST(Ptx, TheOtherDirectivesAreTaken) {
  EXPECT_EQ(message_of(std::string(kHead) + R"(
.file 1 "a.cu"
.pragma "nounroll";
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.visible .const .align 8 .b32 c[2] = {1, 2};
.weak .global .attribute(.managed) .b32 w;
.common .global .align 4 .b32 shared_by_name;
.extern .shared .align 16 .b8 dynamic[];
.global .attribute(.unified(19, 95)) .b32 u;
.func (.reg .b32 r) twice (.reg .b32 a) .abi_preserve 8 .abi_preserve_control 2 { add.u32 r, a, a; ret; }
.weak .func stop () .noreturn { trap; }
.alias other, stop;
.visible .func other ();
.entry one (.param .u64 .ptr .global .align 4 p) .maxntid 64, 2, 1 .minnctapersm 2 .maxnreg 40 .maxclusterrank 4 .pragma "x"; {
  .reg .b32 %r<4>; .reg .pred %p; .reg .b64 %f;
  .local .align 16 .b8 depot[16]; .shared .b32 s; .param .b32 unused;
  .loc 1 5 2
  mov.u32 %r0, %tid.x; setp.gt.u32 %p, %r0, 3;
  targets: .branchtargets a, b;
  callees: .calltargets twice;
  proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
  mov.u64 %f, twice;
  call (%r1), %f, (%r0), proto;
  call (%r2), %f, (%r0), callees;
  brx.idx %r0, targets;
  a: ret;
  b: ret;
}
.entry two () .reqntid 32 .maxnctapersm 1 { ret; }
.entry three () .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }
.section .debug_str { info_string0: .b8 97, 0 }
)"),
            "");
}

}  // namespace
}  // namespace heddle::compiler
