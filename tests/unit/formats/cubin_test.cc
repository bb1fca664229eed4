// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/formats/cubin.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace heddle::formats {
namespace {

Cubin example() {
  Cubin c;
  c.target = "sm_80";
  c.code.assign(32, 0x0000000000000f02);
  CubinKernel k;
  k.name = "kernel";
  k.entry = 0;
  k.bytes = 128;
  k.registers = 10;
  k.shared_bytes = 64;
  k.local_bytes = 32;
  k.needs_stack = true;
  k.param_bytes = 16;
  k.barriers = 1;
  k.max_threads[0] = 256;
  k.required_cluster[1] = 4;
  k.explicit_cluster = true;
  k.max_cluster_blocks = 8;
  k.params = {{"a", 0, 8}, {"b", 8, 4}};
  c.kernels.push_back(k);
  c.functions.push_back({"helper", 128, 128});
  c.variables.push_back(
      {.name = "g", .segment = Segment::Global, .visible = true, .offset = 0, .size = 40, .align = 8});
  c.variables.push_back({.name = "c", .segment = Segment::Const, .offset = 0, .size = 8, .align = 8});
  c.global_bytes = 64;
  c.global_align = 16;
  c.global_init = {1, 2, 3};
  c.const_bytes = 8;
  c.const_init = {9};
  // clang-format off
  c.relocs.push_back({.where = Segment::Code, .offset = 8, .kind = CubinReloc::Kind::Lo32, .target = Segment::Global, .value = 4, .addend = 2});
  c.relocs.push_back({.where = Segment::Code, .offset = 16, .kind = CubinReloc::Kind::Hi32, .target = Segment::Global, .value = 4});
  c.relocs.push_back({.where = Segment::Global, .offset = 8, .kind = CubinReloc::Kind::Abs, .size = 8, .target = Segment::Const, .value = 0, .addend = 4});
  c.relocs.push_back({.where = Segment::Global, .offset = 16, .kind = CubinReloc::Kind::Abs, .size = 1, .shift = 8, .target = Segment::Global, .value = 0});
  c.relocs.push_back({.where = Segment::Global, .offset = 24, .kind = CubinReloc::Kind::Abs, .size = 8, .target = Segment::Code, .value = 128});
  // clang-format on
  c.files = {"a.cu"};
  c.lines = {{0, 0, 3}, {16, 0, 4}, {128, 0, 0}, {136, 0, 9}, {256, 0, 0}};
  c.ptx_lines = {{8, 0, 12}, {24, 1, 5}, {128, 0, 0}, {136, 1, 7}, {256, 0, 0}};
  c.ptx = {{0, 12, "ret;"}, {1, 5, "add.s32 %r1, %r1, 1;"}};
  c.debug.push_back({".debug_info", {1, 2, 3, 4}});
  return c;
}

TEST(CubinFile, KeepsEverything) {
  const Cubin c = example();
  const auto back = parse_cubin(serialize(c));
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(serialize(*back), serialize(c));
  ASSERT_NE(back->find_kernel("kernel"), nullptr);
  EXPECT_EQ(back->find_kernel("kernel")->params[1].offset, 8u);
  EXPECT_TRUE(back->find_kernel("kernel")->needs_stack);
  EXPECT_EQ(back->find_kernel("kernel")->required_cluster[1], 4u);
  EXPECT_TRUE(back->find_kernel("kernel")->explicit_cluster);
  EXPECT_EQ(back->find_kernel("kernel")->max_cluster_blocks, 8u);
  EXPECT_EQ(back->find_variable("g")->size, 40u);
  EXPECT_EQ(back->find_variable("nothing"), nullptr);
  EXPECT_EQ(back->debug[0].bytes.size(), 4u);
  EXPECT_EQ(back->find_ptx(32)->text, "add.s32 %r1, %r1, 1;");
}

TEST(CubinFile, OfBeforeHasNoPtxLines) {
  Cubin c = example();
  c.ptx_lines.clear(), c.ptx.clear();
  const auto back = parse_cubin(serialize(c));
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(back->find_ptx(16), nullptr);
  EXPECT_EQ(back->find_line(16)->line, 4u);
}

TEST(CubinFile, FindsLinesAndFunctionsByPc) {
  const Cubin c = example();
  EXPECT_EQ(c.find_line(8)->line, 3u);
  EXPECT_EQ(c.find_line(16)->line, 4u);
  EXPECT_EQ(c.find_line(128), nullptr);
  EXPECT_EQ(c.find_line(144)->line, 9u);
  EXPECT_EQ(c.find_line(4096), nullptr);
  EXPECT_EQ(c.find_ptx(0), nullptr);
  EXPECT_EQ(c.find_ptx(16)->text, "ret;");
  EXPECT_EQ(c.find_ptx(24)->line, 5u);
  EXPECT_EQ(c.find_ptx(24)->module, 1u);
  EXPECT_EQ(c.find_ptx(128), nullptr);
  EXPECT_EQ(c.find_ptx(136), nullptr);  // without its text
  EXPECT_EQ(c.find_function(0), "kernel");
  EXPECT_EQ(c.find_function(136), "helper");
  EXPECT_EQ(c.find_function(256), "");
}

TEST(CubinLink, AppliesEveryKindOfRelocation) {
  const Cubin c = example();
  const auto image = link(c, {.code = 0x1000, .global = 0x1234567800, .constant = 0xabc0000000, .external = {}});
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->code[1] >> 32, 0x34567806u);
  EXPECT_EQ(image->code[2] >> 32, 0x12u);
  EXPECT_EQ(image->code[1] & 0xffffffff, c.code[1] & 0xffffffff);
  EXPECT_EQ(image->global.size(), 64u);
  const auto u64 = [&](size_t at) {
    uint64_t v = 0;
    for (size_t n = 0; n < 8; n++) v |= uint64_t{image->global[at + n]} << 8 * n;
    return v;
  };
  EXPECT_EQ(u64(8), 0xabc0000004u);
  EXPECT_EQ(image->global[16], 0x78);
  EXPECT_EQ(image->global[17], 0);
  EXPECT_EQ(u64(24), 0x1080u);
  EXPECT_EQ(image->constant[0], 9);
}

TEST(CubinLink, NamesAnUndefinedSymbol) {
  Cubin c = example();
  c.relocs.push_back({.where = Segment::Code, .offset = 24, .name = "elsewhere"});
  const auto missing = link(c, {});
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message().find("elsewhere"), std::string::npos);
  const auto found = link(c, {.external = [](std::string_view) { return 0x77u; }});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->code[3] >> 32, 0x77u);
}

TEST(CubinFile, RefusesWhatIsNotACubin) {
  for (const std::string text : {"", "ELF", ".version 8.3\n.target sm_80\n"}) {
    const auto c = parse_cubin({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    ASSERT_FALSE(c.ok());
    EXPECT_NE(c.error().message().find("not a Heddle cubin"), std::string::npos);
  }
  std::vector<uint8_t> other = serialize(example());
  other[18] = 62;  // x86-64
  const auto c = parse_cubin(other);
  ASSERT_FALSE(c.ok());
  EXPECT_NE(c.error().message().find("another machine"), std::string::npos);
  EXPECT_FALSE(looks_like_cubin(other));
}

TEST(CubinFile, RefusesEveryTruncation) {
  const std::vector<uint8_t> whole = serialize(example());
  for (size_t n = 0; n < whole.size(); n++)
    ASSERT_FALSE(parse_cubin(std::span(whole).first(n)).ok()) << n << " of " << whole.size() << " bytes";
}

// Whatever bytes are flipped, reading ends with a cubin that is consistent or with an error: linking it is safe.
TEST(CubinFile, SurvivesRandomDamage) {
  const char* s = std::getenv("HEDDLE_SEED");
  const uint64_t seed = s ? std::strtoull(s, nullptr, 0) : std::random_device{}();
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  const std::vector<uint8_t> whole = serialize(example());
  int refused = 0;
  for (int n = 0; n < 20000; n++) {
    std::vector<uint8_t> bytes = whole;
    for (size_t k = 1 + random() % 3; k > 0; k--) bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    const auto c = parse_cubin(bytes);
    if (!c) {
      refused++;
      continue;
    }
    if (c->global_bytes < 1 << 20) (void)link(*c, {}).ok();
    for (uint32_t pc = 0; pc < 300; pc += 8) (void)c->find_line(pc), (void)c->find_ptx(pc);
  }
  EXPECT_GT(refused, 1000);
}

TEST(CubinFile, RefusesInconsistentContents) {
  const auto refuse = [](auto change) {
    Cubin c = example();
    change(c);
    const auto r = parse_cubin(serialize(c));
    EXPECT_FALSE(r.ok());
  };
  refuse([](Cubin& c) { c.kernels[0].entry = 4; });
  refuse([](Cubin& c) { c.kernels[0].bytes = 4096; });
  refuse([](Cubin& c) { c.kernels[0].registers = 256; });
  refuse([](Cubin& c) { c.kernels[0].params[1].offset = 14; });
  refuse([](Cubin& c) { c.functions[0].entry = 1 << 20; });
  refuse([](Cubin& c) { c.variables[0].size = 65; });
  refuse([](Cubin& c) { c.relocs[0].offset = 4; });
  refuse([](Cubin& c) { c.relocs[2].offset = 60; });
  refuse([](Cubin& c) { c.relocs[2].size = 3; });
  refuse([](Cubin& c) { c.lines[1].file = 7; });
  refuse([](Cubin& c) { c.lines[1].pc = 300; });
  refuse([](Cubin& c) { c.ptx_lines[1].pc = 0; });
  refuse([](Cubin& c) { c.ptx_lines[4].pc = 1 << 20; });
  refuse([](Cubin& c) { c.ptx[0].module = 2; });
  refuse([](Cubin& c) { c.const_bytes = 1 << 20; });
  refuse([](Cubin& c) { c.global_align = 3; });
}

}  // namespace
}  // namespace heddle::formats
