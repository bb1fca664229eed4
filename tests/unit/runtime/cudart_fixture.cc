// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/runtime/cudart_fixture.h"

#include <cstdlib>
#include <list>
#include <string>

#include "host-runtime/formats/fatbinary.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
int __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                           int*);
void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int, size_t bytes, int, int);
void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t bytes, int, int);
}

namespace heddle::test {

Stubs stubs;
int* counts = nullptr;
const char* cycle_limit = "200000";

namespace {

constexpr const char* kPtx = R"(.version 8.3
.target sm_80
.address_size 64
.visible .global .align 4 .b32 table[4] = {1, 2, 3, 4};
.visible .global .attribute(.managed) .align 8 .b32 counts[2] = {7, 8};
.visible .const .align 4 .b32 coefficients[2] = {5, 6};
.global .align 1 .b8 format[18] = {118, 97, 108, 117, 101, 32, 37, 100, 32, 111, 102, 32, 37, 115, 10, 0, 0, 0};
.global .align 1 .b8 word[6] = {103, 114, 97, 105, 110, 0};
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);

// p[i] = p[i] * k + table[i & 3] + coefficients[i & 1]
.visible .entry scale(.param .u64 p, .param .u32 k) {
  .reg .b64 %a, %t; .reg .b32 %i, %v, %k, %x, %y;
  mov.u32 %i, %tid.x; ld.param.u64 %a, [p]; ld.param.u32 %k, [k];
  mul.wide.u32 %t, %i, 4; add.u64 %a, %a, %t;
  and.b32 %x, %i, 3; mul.wide.u32 %t, %x, 4;
  .reg .b64 %g; mov.u64 %g, table; add.u64 %g, %g, %t; ld.global.u32 %x, [%g];
  and.b32 %y, %i, 1; mul.wide.u32 %t, %y, 4;
  mov.u64 %g, coefficients; add.u64 %g, %g, %t; ld.const.u32 %y, [%g];
  ld.global.u32 %v, [%a]; mad.lo.u32 %v, %v, %k, %x; add.u32 %v, %v, %y; st.global.u32 [%a], %v;
  ret;
}
.visible .entry store(.param .u64 p) {
  .reg .b64 %a, %t; .reg .b32 %i;
  mov.u32 %i, %tid.x; ld.param.u64 %a, [p]; mul.wide.u32 %t, %i, 4; add.u64 %a, %a, %t;
  st.global.u32 [%a], %i;
  ret;
}
.visible .entry load(.param .u64 p) {
  .reg .b64 %a; .reg .b32 %i;
  ld.param.u64 %a, [p]; ld.global.u32 %i, [%a]; st.global.u32 [%a+4], %i;
  ret;
}
.visible .entry atomic(.param .u64 p) {
  .reg .b64 %a; .reg .b32 %x;
  ld.param.u64 %a, [p]; mov.u32 %x, 1; red.global.add.u32 [%a], %x;
  ret;
}
// Counts, after so many turns of a loop, and stores the count.
.visible .entry stamp(.param .u64 counter, .param .u64 to, .param .u32 turns) {
  .reg .b64 %a; .reg .b32 %x; .reg .pred %p;
  ld.param.u32 %x, [turns];
L: sub.u32 %x, %x, 1; setp.gt.s32 %p, %x, 0; @%p bra L;
  ld.param.u64 %a, [counter]; atom.global.add.u32 %x, [%a], 1; add.u32 %x, %x, 1;
  ld.param.u64 %a, [to]; st.global.u32 [%a], %x;
  ret;
}
.visible .entry shared_store(.param .u32 at) {
  .reg .b32 %a;
  ld.param.u32 %a, [at]; st.shared.u32 [%a], %a;
  ret;
}
// Each of the numbers becomes one more.
.visible .entry count() {
  .reg .b32 %x, %y;
  ld.global.v2.u32 {%x, %y}, [counts]; add.u32 %x, %x, 1; add.u32 %y, %y, 1; st.global.v2.u32 [counts], {%x, %y};
  ret;
}
// Stores what it is given, and what an aggregate of three words holds, as it arrives.
.visible .entry keep(.param .u64 p, .param .u32 a, .param .u32 b, .param .align 8 .b8 three[24]) {
  .reg .b64 %p, %x; .reg .b32 %a;
  ld.param.u64 %p, [p]; ld.param.u32 %a, [a]; st.global.u32 [%p], %a; ld.param.u32 %a, [b]; st.global.u32 [%p+4], %a;
  ld.param.u64 %x, [three]; st.global.u64 [%p+8], %x; ld.param.u64 %x, [three+8]; st.global.u64 [%p+16], %x;
  ld.param.u64 %x, [three+16]; st.global.u64 [%p+24], %x;
  ret;
}
// Thread `which` of a block of 8 x n stores to address 8, the others to p.
.visible .entry one_thread(.param .u64 p, .param .u32 which) {
  .reg .b64 %a; .reg .b32 %i, %y, %w; .reg .pred %p;
  mov.u32 %i, %tid.x; mov.u32 %y, %tid.y; mad.lo.u32 %i, %y, 8, %i;
  ld.param.u64 %a, [p]; ld.param.u32 %w, [which]; setp.eq.u32 %p, %i, %w;
  @%p mov.u64 %a, 8;
  st.global.u32 [%a], %i;
  ret;
}
.visible .entry bounded() .maxntid 128, 1, 1 { ret; }
.visible .entry big_shared(.param .u64 p) {
  .shared .align 4 .b8 s[40000];
  .reg .b32 %x; .reg .b64 %a;
  ld.param.u64 %a, [p]; mov.u32 %x, 3; st.shared.u32 [s+39996], %x; ld.shared.u32 %x, [s+39996];
  st.global.u32 [%a], %x;
  ret;
}
.visible .entry spin() { L: bra L; }
.visible .entry trap() { trap; ret; }
.visible .entry null_call() {
  .reg .b64 %f; mov.u64 %f, 0;
  proto: .callprototype _ ();
  call %f, (), proto;
  ret;
}
.visible .entry wild_jump(.param .u64 to) {
  .reg .b64 %f; ld.param.u64 %f, [to];
  proto: .callprototype _ ();
  call %f, (), proto;
  ret;
}
.visible .entry dead() {
  .reg .b32 %i; .reg .pred %p;
  mov.u32 %i, %tid.x; setp.lt.u32 %p, %i, 32;
  @%p bra FIRST;
  bar.sync 2, 64;
  ret;
FIRST:
  bar.sync 1, 64;
  ret;
}
// Block i of n: p[i] = i + 1, a barrier of the grid as nvcc's headers have it, p[n + i] = p[(i + 1) % n]. Without a
// workspace: p[n + i] = 99. Prints p[n + i].
.visible .entry around(.param .u64 p) {
  .local .align 8 .b8 arguments[16];
  .reg .b64 %a, %l, %h, %ws, %b, %t, %f, %w; .reg .b32 %i, %n, %x, %one, %old, %now, %lo, %hi; .reg .pred %p;
  mov.u32 %lo, %envreg2; cvt.u64.u32 %l, %lo; mov.u32 %hi, %envreg1; cvt.u64.u32 %h, %hi;
  bfi.b64 %ws, %h, %l, 32, 32;
  ld.param.u64 %a, [p]; mov.u32 %i, %ctaid.x; mov.u32 %n, %nctaid.x;
  mov.u32 %x, 99; setp.eq.s64 %p, %ws, 0; @%p bra DONE;
  mul.wide.u32 %t, %i, 4; add.s64 %b, %a, %t; add.u32 %x, %i, 1; st.global.u32 [%b], %x;
  barrier.sync 0;
  setp.ne.u32 %p, %i, 0; mov.u32 %one, 1; @%p bra ADD;
  sub.u32 %one, 0x80000001, %n;
ADD:
  add.s64 %b, %ws, 4;
  atom.add.release.gpu.u32 %old, [%b], %one;
WAIT:
  ld.acquire.gpu.u32 %now, [%b];
  xor.b32 %now, %now, %old; setp.gt.s32 %p, %now, -1; @%p bra WAIT;
  barrier.sync 0;
  add.u32 %x, %i, 1; rem.u32 %x, %x, %n; mul.wide.u32 %t, %x, 4; add.s64 %b, %a, %t; ld.global.u32 %x, [%b];
DONE:
  add.u32 %i, %i, %n; mul.wide.u32 %t, %i, 4; add.s64 %b, %a, %t; st.global.u32 [%b], %x;
  mov.u64 %a, arguments; cvta.local.u64 %a, %a;
  st.u32 [%a], %x; mov.u64 %w, word; cvta.global.u64 %w, %w; st.u64 [%a+8], %w;
  mov.u64 %f, format; cvta.global.u64 %f, %f;
  { .param .b64 p0; .param .b64 p1; .param .b32 rv;
    st.param.b64 [p0], %f; st.param.b64 [p1], %a;
    call.uni (rv), vprintf, (p0, p1); ld.param.b32 %x, [rv]; }
  ret;
}
.visible .entry print(.param .u32 n) {
  .local .align 8 .b8 arguments[16];
  .reg .b32 %n, %r; .reg .b64 %a, %f, %w;
  ld.param.u32 %n, [n]; mov.u64 %a, arguments; cvta.local.u64 %a, %a;
  st.u32 [%a], %n; mov.u64 %w, word; cvta.global.u64 %w, %w; st.u64 [%a+8], %w;
  mov.u64 %f, format; cvta.global.u64 %f, %f;
  { .param .b64 p0; .param .b64 p1; .param .b32 rv;
    st.param.b64 [p0], %f; st.param.b64 [p1], %a;
    call.uni (rv), vprintf, (p0, p1); ld.param.b32 %r, [rv]; }
  ret;
}
.visible .entry check() {
  .reg .b64 %w, %s; .reg .b32 %l;
  mov.u64 %w, word; cvta.global.u64 %w, %w; mov.u32 %l, 42; mov.u64 %s, 1;
  { .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;
    st.param.b64 [p0], %w; st.param.b64 [p1], %w; st.param.b32 [p2], %l; st.param.b64 [p3], %w; st.param.b64 [p4], %s;
    call.uni __assertfail, (p0, p1, p2, p3, p4); }
  ret;
}
)";

// A kernel of more than 64 registers a thread: 100 values that are there at once.
std::string heavy() {
  std::string text =
      ".visible .entry heavy(.param .u64 p) {\n  .reg .b64 %a; .reg .b32 %v<100>;\n  ld.param.u64 %a, [p];\n";
  const auto line = [&](const char* operation, int value, int place, bool store) {
    const std::string v = "%v" + std::to_string(value), at = "[%a+" + std::to_string(4 * place) + "]";
    text += std::string("  ") + operation + (store ? at + ", " + v : v + ", " + at) + ";\n";
  };
  for (int i = 0; i < 100; ++i) line("ld.global.u32 ", i, i, false);
  for (int i = 0; i < 100; ++i) line("st.global.u32 ", i, 99 - i, true);
  return text + "  ret;\n}\n";
}

// As nvcc packs it: k(p, v) stores v to p, in PTX within a Zstandard frame.
alignas(8) constexpr uint8_t kOfNvcc[] = {
    80,  237, 85,  186, 1,   0,   16,  0,   240, 0,   0,   0,   0,   0,   0,   0,   1,   0,   1,   1,   64,  0,
    0,   0,   176, 0,   0,   0,   0,   0,   0,   0,   175, 0,   0,   0,   0,   0,   0,   0,   0,   0,   9,   0,
    80,  0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   17,  128, 0,   0,   0,   0,   0,   0,   0,   0,
    0,   0,   0,   0,   0,   0,   242, 0,   0,   0,   0,   0,   0,   0,   40,  181, 47,  253, 32,  242, 53,  5,
    0,   226, 137, 32,  29,  96,  169, 27,  216, 85,  10,  18,  23,  93,  61,  15,  194, 97,  104, 25,  132, 233,
    178, 14,  216, 99,  156, 148, 197, 82,  208, 97,  130, 35,  0,   109, 104, 147, 237, 218, 20,  167, 217, 197,
    228, 107, 67,  86,  116, 16,  21,  35,  166, 36,  59,  57,  15,  218, 156, 233, 84,  205, 34,  202, 243, 227,
    69,  63,  118, 177, 102, 96,  133, 231, 199, 46,  12,  196, 27,  181, 179, 50,  84,  48,  119, 177, 69,  170,
    93,  152, 4,   175, 228, 220, 85,  28,  64,  172, 194, 229, 212, 188, 29,  33,  248, 112, 178, 46,  204, 246,
    2,   254, 243, 223, 254, 158, 99,  77,  6,   143, 244, 43,  59,  114, 39,  89,  19,  38,  236, 68,  193, 247,
    158, 28,  13,  32,  16,  134, 242, 1,   31,  194, 7,   210, 22,  241, 46,  134, 81,  40,  97,  207, 21,  54,
    124, 135, 13,  100, 136, 169, 233, 202, 27,  141, 104, 47,  10,  0};

struct Wrapper {
  int magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  void* filename = nullptr;
};

}  // namespace

void Cudart::SetUpTestSuite() {
  static const bool once = [] {
    setenv("HEDDLE_DEVICE", "model", 1);
    setenv("HEDDLE_CYCLE_LIMIT", cycle_limit, 1);
    setenv("HEDDLE_HOME", HEDDLE_BUILD_DIR, 1);
    static const auto container = formats::write_fat_binary({{formats::FatKind::kPtx, 80, kPtx + heavy()}});
    static Wrapper wrapper;
    wrapper.data = container.data();
    void** module = __cudaRegisterFatBinary(&wrapper);
    const auto kernel = [&](char& stub, const char* name) {
      __cudaRegisterFunction(module, &stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    };
    kernel(stubs.scale, "scale");
    kernel(stubs.store, "store");
    kernel(stubs.load, "load");
    kernel(stubs.bounded, "bounded");
    kernel(stubs.big_shared, "big_shared");
    kernel(stubs.spin, "spin");
    kernel(stubs.trap, "trap");
    kernel(stubs.null_call, "null_call");
    kernel(stubs.wild_jump, "wild_jump");
    kernel(stubs.dead, "dead");
    kernel(stubs.print, "print");
    kernel(stubs.check, "check");
    kernel(stubs.missing, "not_in_the_module");
    kernel(stubs.atomic, "atomic");
    kernel(stubs.shared_store, "shared_store");
    kernel(stubs.one_thread, "one_thread");
    kernel(stubs.count, "count");
    kernel(stubs.around, "around");
    kernel(stubs.keep, "keep");
    kernel(stubs.heavy, "heavy");
    kernel(stubs.stamp, "stamp");
    __cudaRegisterManagedVar(module, reinterpret_cast<void**>(&counts), nullptr, "counts", 0, 8, 0, 0);
    __cudaRegisterVar(module, &stubs.table, nullptr, "table", 0, 16, 0, 0);
    __cudaRegisterVar(module, &stubs.coefficients, nullptr, "coefficients", 0, 8, 1, 0);
    // Modules that cannot be loaded, each with one kernel.
    const auto bad_module = [](std::vector<uint8_t>& image, char& stub) {
      static std::list<Wrapper> wrappers;
      wrappers.emplace_back().data = image.data();
      __cudaRegisterFunction(__cudaRegisterFatBinary(&wrappers.back()), &stub, nullptr, "k", -1, nullptr, nullptr,
                             nullptr, nullptr, nullptr);
    };
    static auto damaged = container;
    damaged[damaged.size() / 2] ^= 1;
    bad_module(damaged, stubs.damaged);
    static auto cut = formats::write_fat_binary({{formats::FatKind::kElf, 80,
                                                  std::string_view("\x7f"
                                                                   "ELF\2\1\1\0",
                                                                   8)}});
    bad_module(cut, stubs.cut);
    static std::vector<uint8_t> foreign(64, 0x50);
    bad_module(foreign, stubs.foreign);
    static auto bad_ptx = formats::write_fat_binary(
        {{formats::FatKind::kPtx, 80,
          ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k() { frobnicate; ret; }\n"}});
    bad_module(bad_ptx, stubs.bad_ptx);
    static Wrapper of_nvcc;
    of_nvcc.data = kOfNvcc;
    __cudaRegisterFunction(__cudaRegisterFatBinary(&of_nvcc), &stubs.of_nvcc, nullptr, "k", -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
    return true;
  }();
  (void)once;
}

void Cudart::SetUp() {
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  cudaGetLastError();
}

void Cudart::TearDown() { cudaDeviceReset(); }

}  // namespace heddle::test
