// SPDX-License-Identifier: Apache-2.0
// Whole programs from PTX to what they leave in memory: calls by every way, memory spaces, symbols, launch bounds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "host-runtime/compiler/compile.h"
#include "tests/compiler/backend/model_run.h"

namespace heddle::compiler::test {
namespace {

constexpr const char* kHead = ".version 8.3\n.target sm_80\n.address_size 64\n";
// Of every kernel here: %rd1 = address of this thread's word in the buffer, %r1 = thread index.
constexpr const char* kPrologue = R"(
  .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<8>; .reg .f32 %f<8>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
)";

struct Program {
  formats::Cubin cubin;
  std::vector<uint32_t> out;
};

Program run(const std::string& text, const RunOptions& options = {},
            const CompileOptions& compile_options = {.verify = true}) {
  Program p;
  auto compiled = compile({"test.ptx", kHead + text}, compile_options);
  EXPECT_TRUE(compiled.ok()) << compiled.error().message();
  if (!compiled) return p;
  // Through the file, as the driver does.
  auto cubin = formats::parse_cubin(serialize(compiled->cubin));
  EXPECT_TRUE(cubin.ok());
  if (!cubin) return p;
  p.cubin = std::move(*cubin);
  const auto result = run_on_model(p.cubin, "k", std::vector<uint8_t>(options.threads * 4), {}, options);
  EXPECT_TRUE(result.ok()) << result.error().message();
  if (!result) return p;
  p.out.resize(options.threads);
  std::memcpy(p.out.data(), result->buffer.data(), result->buffer.size());
  return p;
}

std::string kernel(const std::string& body) {
  return ".visible .entry k(.param .u64 out)\n{" + std::string(kPrologue) + body + "\n  ret;\n}\n";
}

TEST(Calls, PassScalarsInRegisters) {
  const Program p = run(R"(
.func (.param .b32 r) mix(.param .b32 a, .param .b64 b, .param .b32 c)
{ .reg .b32 %r<6>; .reg .b64 %rd<3>;
  ld.param.u32 %r1, [a]; ld.param.u64 %rd1, [b]; ld.param.u32 %r2, [c];
  cvt.u32.u64 %r3, %rd1; shr.u64 %rd2, %rd1, 32; cvt.u32.u64 %r4, %rd2;
  sub.u32 %r1, %r1, %r3; mad.lo.u32 %r5, %r4, %r2, %r1; st.param.b32 [r], %r5; ret; }
)" + kernel(R"(
  mov.u64 %rd3, 0x700000005;
  { .param .b32 p0; st.param.b32 [p0], %r1; .param .b64 p1; st.param.b64 [p1], %rd3; .param .b32 p2; st.param.b32 [p2], 100;
    .param .b32 r0; call.uni (r0), mix, (p0, p1, p2); ld.param.b32 %r2, [r0]; }
  st.global.u32 [%rd1], %r2;)"));
  for (uint32_t t = 0; t < p.out.size(); t++) EXPECT_EQ(p.out[t], t - 5 + 700);
}

TEST(Calls, PassAndReturnStructsInMemory) {
  const Program p = run(R"(
.func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16])
{ .reg .b64 %rd<4>;
  ld.param.b64 %rd1, [a]; ld.param.b64 %rd2, [a+8]; st.param.b64 [r], %rd2; st.param.b64 [r+8], %rd1; ret; }
)" + kernel(R"(
  cvt.u64.u32 %rd3, %r1; mov.u64 %rd4, 1000;
  { .param .align 8 .b8 p0[16]; st.param.b64 [p0], %rd3; st.param.b64 [p0+8], %rd4;
    .param .align 8 .b8 r0[16]; call.uni (r0), swap, (p0); ld.param.b64 %rd5, [r0]; ld.param.b64 %rd6, [r0+8]; }
  shl.b64 %rd6, %rd6, 1; add.s64 %rd5, %rd5, %rd6; cvt.u32.u64 %r2, %rd5; st.global.u32 [%rd1], %r2;)"));
  for (uint32_t t = 0; t < p.out.size(); t++) EXPECT_EQ(p.out[t], 1000 + 2 * t);
}

constexpr const char* kFibonacci = R"(
.func (.param .b32 r) fib(.param .b32 n)
{ .reg .b32 %r<8>; .reg .pred %p<2>;
  ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; @%p1 bra SMALL;
  sub.u32 %r2, %r1, 1; sub.u32 %r3, %r1, 2;
  { .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; call.uni (b), fib, (a); ld.param.b32 %r4, [b]; }
  { .param .b32 a; st.param.b32 [a], %r3; .param .b32 b; call.uni (b), fib, (a); ld.param.b32 %r5, [b]; }
  add.u32 %r1, %r4, %r5;
SMALL: st.param.b32 [r], %r1; ret; }
)";

TEST(Calls, RecurseWithLanesAtDifferentDepths) {
  const Program p = run(kFibonacci + kernel(R"(
  and.b32 %r2, %r1, 7;
  { .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; call.uni (b), fib, (a); ld.param.b32 %r3, [b]; }
  st.global.u32 [%rd1], %r3;)"));
  const uint32_t fib[8] = {0, 1, 1, 2, 3, 5, 8, 13};
  EXPECT_TRUE(p.cubin.find_kernel("k")->needs_stack);
  for (uint32_t t = 0; t < p.out.size(); t++) EXPECT_EQ(p.out[t], fib[t & 7]);
}

TEST(Calls, GoThroughATableOfFunctions) {
  const Program p = run(R"(
.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<3>; ld.param.u32 %r1, [a]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) square(.param .b32 a) { .reg .b32 %r<3>; ld.param.u32 %r1, [a]; mul.lo.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }
.global .align 8 .u64 table[2] = {twice, square};
)" + kernel(R"(
  and.b32 %r2, %r1, 1; mul.wide.u32 %rd3, %r2, 8; mov.u64 %rd4, table; add.s64 %rd4, %rd4, %rd3; ld.global.u64 %rd5, [%rd4];
  { .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), %rd5, (a), prototype_0; ld.param.b32 %r3, [b]; }
  st.global.u32 [%rd1], %r3;)"));
  EXPECT_TRUE(p.cubin.find_kernel("k")->needs_stack);
  for (uint32_t t = 0; t < p.out.size(); t++) EXPECT_EQ(p.out[t], t & 1 ? t * t : 2 * t);
}

TEST(Calls, KeepLiveValuesOfTheCaller) {
  std::string live, sum;
  for (int n = 0; n < 40; n++) {
    live += "  .reg .b32 %v" + std::to_string(n) + "; mul.lo.u32 %v" + std::to_string(n) + ", %r1, " +
            std::to_string(n + 3) + ";\n";
    sum += "  xor.b32 %r4, %r4, %v" + std::to_string(n) + ";\n";
  }
  const std::string text = kFibonacci + kernel(live + R"(
  and.b32 %r2, %r1, 3;
  { .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; call.uni (b), fib, (a); ld.param.b32 %r4, [b]; }
)" + sum + "  st.global.u32 [%rd1], %r4;");
  for (unsigned registers : {0u, 32u, 24u}) {
    const Program p = run(text, {}, {.max_registers = registers, .verify = true});
    const uint32_t fib[4] = {0, 1, 1, 2};
    for (uint32_t t = 0; t < p.out.size(); t++) {
      uint32_t want = fib[t & 3];
      for (uint32_t n = 0; n < 40; n++) want ^= t * (n + 3);
      ASSERT_EQ(p.out[t], want) << registers << " registers";
    }
  }
}

TEST(Memory, InitialisesGlobalsConstantsAndPointers) {
  const Program p = run(R"(
.const .align 4 .u32 scale[3] = {10, 20, 30};
.global .align 4 .u32 numbers[4] = {1, 2, 3};
.global .align 8 .u64 pointer = generic(numbers)+4;
)" + kernel(R"(
  ld.const.u32 %r2, [scale+8]; ld.global.u64 %rd3, [pointer]; ld.u32 %r3, [%rd3]; ld.global.u32 %r4, [numbers+12];
  mad.lo.u32 %r5, %r2, %r3, %r4; add.u32 %r5, %r5, %r1; st.global.u32 [%rd1], %r5;)"));
  for (uint32_t t = 0; t < p.out.size(); t++) EXPECT_EQ(p.out[t], 60 + t);
  EXPECT_EQ(p.cubin.const_bytes, 12u);
}

TEST(Memory, SharesStaticAndDynamicMemoryInABlock) {
  const Program p = run(R"(
.extern .shared .align 16 .b8 dynamic[];
)" + kernel(R"(
  .shared .align 4 .b8 fixed[256];
  mov.u32 %r2, fixed; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %r1;
  mov.u32 %r4, dynamic; add.u32 %r4, %r4, %r3; mul.lo.u32 %r5, %r1, 1000; st.shared.u32 [%r4], %r5;
  bar.sync 0;
  xor.b32 %r6, %r3, 252; mov.u32 %r7, fixed; add.u32 %r7, %r7, %r6; ld.shared.u32 %r8, [%r7];
  mov.u32 %r9, dynamic; add.u32 %r9, %r9, %r6; ld.shared.u32 %r10, [%r9];
  add.u32 %r8, %r8, %r10; st.global.u32 [%rd1], %r8;)"),
                        {.threads = 64, .dynamic_shared = 256});
  for (uint32_t t = 0; t < p.out.size(); t++) EXPECT_EQ(p.out[t], (t ^ 63) * 1001);
  EXPECT_EQ(p.cubin.find_kernel("k")->shared_bytes, 256u);
  EXPECT_TRUE(p.cubin.find_kernel("k")->dynamic_shared);
  EXPECT_EQ(p.cubin.find_kernel("k")->barriers, 1u);
}

TEST(Memory, GivesEachKernelItsOwnSharedVariables) {
  const Program p = run(R"(
.shared .align 4 .b8 first[512];
.shared .align 4 .b8 second[64];
.visible .entry other(.param .u64 out) { .reg .b32 %r<2>; mov.u32 %r1, first; st.shared.u32 [%r1], %r1; ret; }
)" + kernel("  mov.u32 %r2, second; st.shared.u32 [%r2+60], %r1; st.global.u32 [%rd1], %r2;"));
  EXPECT_EQ(p.cubin.find_kernel("k")->shared_bytes, 64u);
  EXPECT_EQ(p.cubin.find_kernel("other")->shared_bytes, 512u);
}

TEST(Memory, IndexesALocalArrayDifferentlyInEachLane) {
  const Program p = run(kernel(R"(
  .local .align 4 .b8 depot[64];
  mov.u32 %r2, 0; mov.u32 %r3, depot;
LOOP: mul.lo.u32 %r4, %r2, %r1; st.local.u32 [%r3], %r4; add.u32 %r3, %r3, 4; add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 16; @%p1 bra LOOP;
  and.b32 %r5, %r1, 15; shl.b32 %r5, %r5, 2; mov.u64 %rd3, depot; cvta.local.u64 %rd3, %rd3; cvt.u64.u32 %rd4, %r5;
  add.s64 %rd3, %rd3, %rd4; ld.u32 %r6, [%rd3]; st.global.u32 [%rd1], %r6;)"));
  for (uint32_t t = 0; t < p.out.size(); t++) EXPECT_EQ(p.out[t], (t & 15) * t);
  EXPECT_GE(p.cubin.find_kernel("k")->local_bytes, 64u);
}

TEST(LaunchBounds, LimitRegisters) {
  EXPECT_EQ(register_limit({}, 0, 65536), 254u);
  EXPECT_EQ(register_limit({}, 40, 65536), 40u);
  mir::LaunchBounds bounds;
  bounds.maxntid[0] = 1024;
  EXPECT_EQ(register_limit(bounds, 0, 65536), 64u);
  bounds.min_blocks_per_sm = 2;
  EXPECT_EQ(register_limit(bounds, 0, 65536), 32u);
  EXPECT_EQ(register_limit(bounds, 0, 131072), 64u);
  bounds.max_registers = 24;
  EXPECT_EQ(register_limit(bounds, 0, 65536), 24u);
  EXPECT_EQ(register_limit(bounds, 0, 16384), 16u);  // fewer cannot be
}

// 48 values at a time: as many registers where nothing limits them; spilled where a directive or the option does.
TEST(LaunchBounds, SpillWhatDoesNotFit) {
  std::string body, sum;
  for (int n = 0; n < 48; n++) {
    body += fmt::format("  .reg .b32 %v{0}; ld.volatile.global.u32 %v{0}, [%rd1]; mad.lo.u32 %v{0}, %v{0}, {1}, %r1;\n",
                        n, n + 3);
    sum += fmt::format("  mad.lo.u32 %r4, %r4, 5, %v{};\n", n);
  }
  body += "  membar.cta;\n  mov.u32 %r4, 1;\n" + sum + "  st.global.u32 [%rd1], %r4;\n";
  struct Case {
    const char* directives;
    unsigned option, most;
  };
  for (const Case& c : {Case{"", 0, 254}, Case{".maxntid 1024, 1, 1\n.minnctapersm 2", 0, 32},
                        Case{".reqntid 1024\n.minnctapersm 2", 0, 32}, Case{".maxnreg 24", 0, 24}, Case{"", 20, 20},
                        Case{".maxnreg 24", 40, 24}, Case{".maxnreg 40", 20, 20}}) {
    const uint32_t threads = std::string(c.directives).starts_with(".req") ? 1024 : 64;
    const Program p = run(
        ".visible .entry k(.param .u64 out)\n" + std::string(c.directives) + "\n{" + kPrologue + body + "  ret;\n}\n",
        {.threads = threads}, {.max_registers = c.option, .verify = true});
    ASSERT_EQ(p.out.size(), threads) << c.directives;
    const formats::CubinKernel& k = *p.cubin.find_kernel("k");
    EXPECT_LE(k.registers, c.most) << c.directives << ' ' << c.option;
    EXPECT_EQ(k.spill_stores > 0 && k.spill_loads > 0, c.most < 48) << c.directives << ' ' << c.option;
    EXPECT_EQ(k.local_bytes > 0, c.most < 48) << c.directives;
    for (uint32_t t = 0; t < threads; t++) {
      uint32_t want = 1;
      for (uint32_t n = 0; n < 48; n++) want = want * 5 + t;  // memory holds zeros
      ASSERT_EQ(p.out[t], want) << c.directives << ' ' << c.option << ", thread " << t;
    }
  }
}

TEST(Compile, MapsInstructionsToSourceLines) {
  const Program p =
      run(".file 1 \"a.cu\"\n" +
          kernel("  .loc 1 42 3\n  mul.lo.u32 %r2, %r1, 3;\n  .loc 1 43 3\n  st.global.u32 [%rd1], %r2;"));
  const formats::CubinKernel& k = *p.cubin.find_kernel("k");
  bool found = false;
  for (uint32_t pc = k.entry; pc < k.entry + k.bytes; pc += 8)
    if (const formats::CubinLine* l = p.cubin.find_line(pc))
      found |= l->line == 43 && p.cubin.files[l->file].ends_with("a.cu");
  EXPECT_TRUE(found);
}

TEST(Compile, ReportsErrorsWithPlaceAndCaret) {
  const auto r = compile({"bad.ptx", std::string(kHead) + kernel("  add.s32 %r2, %nothing, 1;")});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().code(), Code::InvalidPtx);
  EXPECT_NE(r.error().message().find("bad.ptx:"), std::string::npos);
  EXPECT_NE(r.error().message().find('^'), std::string::npos);
}

TEST(Compile, PrintsResourceUsageInPtxasWords) {
  const Program p = run(kernel("  st.global.u32 [%rd1], %r1;"));
  const std::string text = resource_usage(p.cubin);
  EXPECT_NE(text.find("ptxas info    : Compiling entry function 'k' for 'sm_80'"), std::string::npos) << text;
  EXPECT_NE(text.find("ptxas info    : Function properties for k"), std::string::npos) << text;
  EXPECT_NE(text.find("    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"), std::string::npos) << text;
  EXPECT_NE(text.find("ptxas info    : Used "), std::string::npos) << text;
}

// ---- several modules -------------------------------------------------------------------------

// What the kernel "k" of the first module leaves; each module goes through its relocatable file, as nvlink takes it.
std::vector<uint32_t> linked(const std::vector<std::string>& texts, std::string* error = nullptr) {
  std::vector<PtxSource> modules;
  for (const std::string& text : texts) {
    auto object =
        compile({std::string(1, static_cast<char>('a' + modules.size())) + ".o", kHead + text}, {.relocatable = true});
    EXPECT_TRUE(object.ok()) << object.error().message();
    if (!object) return {};
    const auto read = formats::parse_cubin(serialize(object->cubin));
    EXPECT_TRUE(read.ok() && read->relocatable());
    modules.push_back(read->sources.front());
  }
  auto program = compile(modules.front(), {.verify = true, .more = {modules.begin() + 1, modules.end()}});
  if (error) *error = program ? "" : program.error().message();
  else EXPECT_TRUE(program.ok()) << program.error().message();
  if (!program) return {};
  // A linked program keeps what it was made of.
  const auto file = formats::parse_cubin(serialize(program->cubin));
  EXPECT_TRUE(file.ok() && !file->relocatable() && file->sources.size() == texts.size());
  const auto result = run_on_model(*file, "k", std::vector<uint8_t>(128), {}, {.threads = 32});
  EXPECT_TRUE(result.ok()) << result.error().message();
  std::vector<uint32_t> out(32);
  if (result) std::memcpy(out.data(), result->buffer.data(), 128);
  return out;
}

// A call of int f(int), and functions f that add a number.
constexpr const char* kCall = R"(
  { .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call.uni (b), f, (a); ld.param.b32 %r2, [b]; }
  st.global.u32 [%rd1], %r2;)";
constexpr const char* kDeclaration = ".extern .func (.param .b32 r) f(.param .b32 x);\n";
std::string adder(const std::string& linkage, const std::string& name, int n) {
  return linkage + " .func (.param .b32 r) " + name +
         "(.param .b32 x)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.s32 %r2, %r1, " + std::to_string(n) +
         "; st.param.b32 [r], %r2; ret; }\n";
}

TEST(Modules, CallEachOther) {
  const auto out = linked({kDeclaration + kernel(kCall), adder(".visible", "f", 7)});
  for (uint32_t t = 0; t < out.size(); t++) EXPECT_EQ(out[t], t + 7);
}

TEST(Modules, ShareVariablesAndTheirAddresses) {
  const auto out =
      linked({".extern .global .align 4 .u32 value;\n.extern .const .align 4 .b8 table[8];\n"
              ".global .align 8 .u64 pointer = value;\n" +
                  kernel(R"(
  ld.global.u64 %rd3, [pointer]; ld.global.u32 %r2, [%rd3]; ld.const.u32 %r3, [table+4]; add.s32 %r2, %r2, %r3;
  st.global.u32 [%rd1], %r2;)"),
              ".visible .global .align 4 .u32 value = 5;\n.visible .const .align 4 .b8 table[8] = {0, 0, 0, 0, 9, 0, "
              "0, 0};\n"});
  for (uint32_t value : out) EXPECT_EQ(value, 14u);
}

TEST(Modules, KeepFunctionsOfTheirOwnApart) {
  // Both have a function g of their own.
  const auto out = linked({kDeclaration + adder("", "g", 1) +
                               kernel(R"(
  { .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call.uni (b), g, (a); ld.param.b32 %r3, [b]; })" +
                                      std::string(R"(
  { .param .b32 a; st.param.b32 [a], %r3; .param .b32 b; call.uni (b), f, (a); ld.param.b32 %r2, [b]; }
  st.global.u32 [%rd1], %r2;)")),
                           adder("", "g", 100) + R"(
.visible .func (.param .b32 r) f(.param .b32 x)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [x];
  { .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call.uni (b), g, (a); ld.param.b32 %r2, [b]; }
  st.param.b32 [r], %r2; ret; }
)"});
  for (uint32_t t = 0; t < out.size(); t++) EXPECT_EQ(out[t], t + 101);
}

TEST(Modules, TakeTheStrongDefinitionBeforeWeakOnes) {
  const std::string main = adder(".weak", "f", 1) + kernel(kCall);
  EXPECT_EQ(linked({main, adder(".weak", "f", 2)})[0], 1u);
  EXPECT_EQ(linked({main, adder(".visible", "f", 3), adder(".weak", "f", 2)})[0], 3u);
}

TEST(Modules, KnowAnotherNameOfAFunction) {
  EXPECT_EQ(linked({kDeclaration + kernel(kCall),
                    adder(".visible", "g", 4) + ".visible .func (.param .b32 r) f(.param .b32 x);\n.alias f, g;\n"})[2],
            6u);
}

TEST(Modules, ComplainOfWhatDoesNotFit) {
  std::string error;
  linked({kDeclaration + kernel(kCall)}, &error);
  EXPECT_NE(error.find("Unresolved extern function 'f'"), std::string::npos) << error;
  EXPECT_NE(error.find("a.o:"), std::string::npos) << error;
  linked({kDeclaration + kernel(kCall), adder(".visible", "f", 1), adder(".visible", "f", 2)}, &error);
  EXPECT_NE(error.find("Multiple definition of 'f'"), std::string::npos) << error;
  EXPECT_NE(error.find("c.o:"), std::string::npos) << error;
  linked({kDeclaration + kernel(kCall), ".visible .func f(.param .b64 x) { ret; }"}, &error);
  EXPECT_NE(error.find("Function 'f' is defined otherwise in 'b.o'"), std::string::npos) << error;
  linked({".extern .global .align 4 .b8 v[8];\n" + kernel("ld.global.u32 %r2, [v]; st.global.u32 [%rd1], %r2;"),
          ".visible .global .align 4 .u32 v;\n"},
         &error);
  EXPECT_NE(error.find("Variable 'v' is defined otherwise in 'b.o'"), std::string::npos) << error;
}

TEST(Modules, AreRefusedOneByOneWhenTheyAreWrong) {
  EXPECT_FALSE(compile({"a.ptx", std::string(kHead) + kernel("frobnicate.u32 %r1;")}, {.relocatable = true}).ok());
}

// The PTX statement of each instruction, by its text.
std::map<std::string, uint32_t> statements(const formats::Cubin& cubin) {
  std::map<std::string, uint32_t> found;
  for (uint32_t pc = 0; pc < cubin.code.size() * 8; pc += 8)
    if (const auto* s = cubin.find_ptx(pc)) found[s->text] = s->line;
  return found;
}

TEST(PtxLines, AreThoseOfTheStatementsThatInstructionsComeFrom) {
  const std::string text = std::string(kHead) + R"(.file 1 "a.cu"
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
	mov.u32 	%r1, %tid.x;  // the thread
  .loc 1 7 1
  mul.lo.s32 %r2,
      %r1,
      %r1;
  st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r1;
  ret;
}
)";
  const auto compiled = compile({"test.ptx", text}, {.verify = true});
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  const auto cubin = formats::parse_cubin(serialize(compiled->cubin));
  ASSERT_TRUE(cubin.ok());
  const std::map<std::string, uint32_t> expected = {{"ld.param.u64 %rd1, [out];", 8},
                                                    {"mov.u32 %r1, %tid.x;", 9},
                                                    {"mul.lo.s32 %r2, %r1, %r1;", 11},
                                                    {"st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r1;", 14},
                                                    {"ret;", 15}};
  EXPECT_EQ(statements(*cubin), expected);
  for (uint32_t pc = 0; pc < cubin->code.size() * 8; pc += 8) {
    const auto* line = cubin->find_line(pc);
    if (const auto* s = cubin->find_ptx(pc); s && s->line >= 11 && line) EXPECT_EQ(line->line, 7u);
  }
}

// Of files that are compiled together each has its own lines; so has a library.
TEST(PtxLines, BelongToTheirModule) {
  const std::string head = kHead;
  const std::string callee = R"(.visible .func (.param .b32 r) f(.param .b32 a)
{ .reg .b32 %r<3>;
ld.param.u32 %r1, [a];
xor.b32 %r2, %r1, 0x1234;
st.param.b32 [r], %r2;
ret; }
)";
  const std::string caller = ".extern .func (.param .b32 r) f(.param .b32 a);\n" + kernel(R"(
{ .param .b32 p; st.param.b32 [p], %r1; .param .b32 q;
call.uni (q), f, (p); ld.param.b32 %r2, [q]; }
st.global.u32 [%rd1], %r2;)");
  for (const bool library : {false, true}) {
    CompileOptions options{.verify = true};
    (library ? options.libraries : options.more) = {{"callee.ptx", head + callee}};
    const auto compiled = compile({"caller.ptx", head + caller}, options);
    ASSERT_TRUE(compiled.ok()) << compiled.error().message();
    const auto found = statements(compiled->cubin);
    EXPECT_EQ(found.at("xor.b32 %r2, %r1, 0x1234;"), 7u);
    EXPECT_EQ(found.at("st.global.u32 [%rd1], %r2;"), 12u);
  }
}

}  // namespace
}  // namespace heddle::compiler::test
