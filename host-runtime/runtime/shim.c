/* SPDX-License-Identifier: Apache-2.0 */
/* All that libcudart.so.11.0, .12, .13, libcudart_static.a, libcuda.so.1 and libnvrtc.so.11.2, .12, .13 hold: for each function of the API's
 * functions.def a jump through a table. The first call finds libheddle.so.0, the core, and fills the table from it (connect.h). Without a core every
 * call says cudaErrorInitializationError, once it was told where it was looked for. Written in C, so that C programs
 * need no more.
 *
 * HEDDLE_SHIM is the library's name, HEDDLE_SHIM_VERSION its CUDA, HEDDLE_FUNCTIONS the file of its functions,
 * HEDDLE_PREFIX where Heddle is to be installed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-runtime/runtime/connect.h"

/* ---- the functions --------------------------------------------------------------------------------- */

/* A jump leaves arguments and result alone, whatever they are; refused functions have none that are known here. A slot
 * of the table leads at first to code that tells resolve() which slot it is. */
#if defined(__x86_64__)
#define STUB(symbol)                                                                                           \
  ".globl " #symbol "\n.type " #symbol ", @function\n.p2align 4\n" #symbol ": endbr64\n  jmp *.Lslot_" #symbol \
  "(%rip)\n.size " #symbol ", .-" #symbol                                                                      \
  "\n"                                                                                                         \
  ".Lfirst_" #symbol ": endbr64\n  lea .Lslot_" #symbol                                                        \
  "(%rip), %r11\n  jmp heddle_first_call\n"                                                                    \
  ".pushsection .data.heddle_slots, \"aw\", @progbits\n.Lslot_" #symbol ": .quad .Lfirst_" #symbol "\n.popsection\n"
#define FIRST_CALL                                              \
  "heddle_first_call:\n"                                        \
  "  push %rbp\n  .cfi_adjust_cfa_offset 8\n"                   \
  "  .cfi_rel_offset %rbp, 0\n"                                 \
  "  mov %rsp, %rbp\n  .cfi_def_cfa_register %rbp\n"            \
  "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n"        \
  "  push %r8\n  push %r9\n  push %r10\n  push %rax\n"          \
  "  sub $128, %rsp\n  and $-16, %rsp\n"                        \
  "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n"          \
  "  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"        \
  "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n"        \
  "  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"       \
  "  mov %r11, %rdi\n  call heddle_resolve\n  mov %rax, %r11\n" \
  "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n"          \
  "  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"        \
  "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n"        \
  "  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"       \
  "  lea -64(%rbp), %rsp\n"                                     \
  "  pop %rax\n  pop %r10\n  pop %r9\n  pop %r8\n"              \
  "  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n"            \
  "  pop %rbp\n  .cfi_def_cfa %rsp, 8\n  .cfi_restore %rbp\n"   \
  "  jmp *%r11\n"
#elif defined(__aarch64__)
#define STUB(symbol)                                                                                                 \
  ".globl " #symbol "\n.type " #symbol ", %function\n.p2align 4\n" #symbol ": hint #34\n  adrp x16, .Lslot_" #symbol \
  "\n  ldr x16, [x16, #:lo12:.Lslot_" #symbol "]\n  br x16\n.size " #symbol ", .-" #symbol                           \
  "\n"                                                                                                               \
  ".Lfirst_" #symbol ": hint #34\n  adrp x17, .Lslot_" #symbol "\n  add x17, x17, #:lo12:.Lslot_" #symbol            \
  "\n  b heddle_first_call\n"                                                                                        \
  ".pushsection .data.heddle_slots, \"aw\", %progbits\n.Lslot_" #symbol ": .xword .Lfirst_" #symbol "\n.popsection\n"
#define FIRST_CALL                                                              \
  "heddle_first_call:\n"                                                        \
  "  stp x29, x30, [sp, #-224]!\n  .cfi_def_cfa_offset 224\n"                   \
  "  .cfi_offset x29, -224\n  .cfi_offset x30, -216\n  mov x29, sp\n"           \
  "  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n" \
  "  stp x6, x7, [sp, #64]\n  str x8, [sp, #80]\n"                              \
  "  stp q0, q1, [sp, #96]\n  stp q2, q3, [sp, #128]\n"                         \
  "  stp q4, q5, [sp, #160]\n  stp q6, q7, [sp, #192]\n"                        \
  "  mov x0, x17\n  bl heddle_resolve\n  mov x16, x0\n"                         \
  "  ldp q0, q1, [sp, #96]\n  ldp q2, q3, [sp, #128]\n"                         \
  "  ldp q4, q5, [sp, #160]\n  ldp q6, q7, [sp, #192]\n"                        \
  "  ldp x0, x1, [sp, #16]\n  ldp x2, x3, [sp, #32]\n  ldp x4, x5, [sp, #48]\n" \
  "  ldp x6, x7, [sp, #64]\n  ldr x8, [sp, #80]\n"                              \
  "  ldp x29, x30, [sp], #224\n  .cfi_def_cfa_offset 0\n"                       \
  "  .cfi_restore x29\n  .cfi_restore x30\n"                                    \
  "  br x16\n"
#else
#error "these functions are written for x86-64 and AArch64"
#endif

/* All in the order of functions.def, with the variants behind their functions. */
#define EACH(row, name, variant, ...) row(name, __VA_ARGS__) EACH_##variant(row, name, __VA_ARGS__)
#define EACH_None(row, name, ...)
#define EACH_Ptsz(row, name, ...) row(name##_ptsz, __VA_ARGS__)
#define EACH_Ptds(row, name, ...) row(name##_ptds, __VA_ARGS__)

#define STUB_ROW(name, ...) STUB(name)
/* clang-format off */
__asm__(
  ".pushsection .data.heddle_slots, \"aw\"\n.balign 8\nheddle_slots:\n.popsection\n"
  ".text\n.cfi_startproc\n"
#define BUILT(name, variant, ...) EACH(STUB_ROW, name, variant, )
#define COMPILER BUILT
#define REFUSED BUILT
#include HEDDLE_FUNCTIONS
  FIRST_CALL ".cfi_endproc\n");
/* clang-format on */

#define NAME_ROW(name, ...) #name,
static const char* const names[] = {
#define BUILT(name, variant, ...) EACH(NAME_ROW, name, variant, )
#define COMPILER BUILT
#define REFUSED BUILT
#include HEDDLE_FUNCTIONS
};
enum { kCount = sizeof names / sizeof *names };

typedef void* Slot;
extern Slot slots[] __asm__("heddle_slots") __attribute__((visibility("hidden")));

/* ---- without a core -------------------------------------------------------------------------------- */

/* Results as functions.def writes them. */
typedef int cudaError_t;
typedef int CUresult;
typedef unsigned nvrtcResult; /* other than those of the result 3 */
typedef struct {
  int x, y, z, w, f;
} cudaChannelFormatDesc;

/* Also of what compilers' host code calls: a launch's configuration that was not taken leaves the kernel out. */
static int missing(void) { return 3; /* cudaErrorInitializationError */ }
static unsigned missing_compiler(void) { return 11; /* NVRTC_ERROR_INTERNAL_ERROR */ }
static void* missing_address(void) { return NULL; }
static const char* missing_text(void) { return "cudaErrorInitializationError: " HEDDLE_CORE " is missing"; }
/* Programs reach such a variable through the pointer, at any time. */
static void missing_managed(void** handle, void** pointer, char* name, const char* device_name, int external,
                            size_t size) {
  (void)handle, (void)name, (void)device_name, (void)external;
  *pointer = calloc(1, size);
}
static cudaChannelFormatDesc missing_channel(void) { return (cudaChannelFormatDesc){0, 0, 0, 0, 0}; }

#define MISSING_ROW(name, result) \
  _Generic((result*)0, void***: (Slot)missing_address, const char**: (Slot)missing_text,                \
      cudaChannelFormatDesc*: (Slot)missing_channel, nvrtcResult*: (Slot)missing_compiler, default: (Slot)missing),
static const Slot when_missing[] = {
#define BUILT(name, variant, result, ...) EACH(MISSING_ROW, name, variant, result)
#define COMPILER BUILT
#define REFUSED(name, variant, ...) EACH(MISSING_ROW, name, variant, int)
#include HEDDLE_FUNCTIONS
};

static Slot of_missing(int i) {
  return strcmp(names[i], "__cudaRegisterManagedVar") == 0 ? (Slot)missing_managed : when_missing[i];
}

/* ---- where the core is ----------------------------------------------------------------------------- */

/* The path of the toolkit's cuda_runtime.h, which defines it in every object that is compiled with it. */
extern char __cudaHeddleHeader[] __attribute__((weak));

typedef struct {
  void* core;
  char path[PATH_MAX]; /* of it */
  char tried[8192];    /* a line a place */
} Search;

static void note_place(Search* s, const char* path, const char* why, const char* outcome) {
  const size_t used = strlen(s->tried);
  snprintf(s->tried + used, sizeof s->tried - used, "heddle:   %s (%s): %s\n", path, why, outcome);
}

/* Once it is loaded it stays: threads of it may run, and other shims use it. */
static void* load(const char* file) { return dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE); }

static void try_folder(Search* s, const char* folder, const char* below, const char* why) {
  if (s->core) return;
  if (snprintf(s->path, sizeof s->path, "%s%s/" HEDDLE_CORE, folder, below) >= (int)sizeof s->path) return;
  char line[PATH_MAX + 8];
  snprintf(line, sizeof line, " %s (", s->path);
  if (strstr(s->tried, line)) return;
  if (access(s->path, F_OK) != 0) {
    note_place(s, s->path, why, "no such file");
    return;
  }
  s->core = load(s->path);
  if (!s->core) note_place(s, s->path, why, dlerror());
}

/* Leaves the folder that the file or folder is in; 0: in none. */
static int go_up(char* path) {
  char* const slash = strrchr(path, '/');
  if (!slash || slash == path) return 0;
  *slash = 0;
  return 1;
}

/* lib/ beside the file, and up to three folders above. */
static void try_above(Search* s, const char* file, const char* why) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", file);
  for (int level = 0; level < 4 && go_up(folder); ++level) try_folder(s, folder, "/lib", why);
}

static void try_commands(Search* s) {
  const char* path = getenv("PATH");
  while (path && *path) {
    const size_t length = strcspn(path, ":");
    char command[PATH_MAX], file[PATH_MAX];
    if (*path == '/' && snprintf(command, sizeof command, "%.*s/heddle", (int)length, path) < (int)sizeof command &&
        realpath(command, file) && go_up(file) && go_up(file))
      try_folder(s, file, "/lib", "of the heddle command in PATH");
    path += length + (path[length] == ':');
  }
}

static void find_core(Search* s) {
  /* Another shim of this process has it: one core, one device. */
  s->core = dlopen(HEDDLE_CORE, RTLD_LAZY | RTLD_NOLOAD);
  if (s->core) return;
  char own[PATH_MAX], folder[PATH_MAX];
  Dl_info info;
  memset(&info, 0, sizeof info);
  if (!dladdr(names, &info) || !info.dli_fname || !realpath(info.dli_fname, own))
    if (!realpath("/proc/self/exe", own)) *own = 0; /* a program started through PATH */
  snprintf(folder, sizeof folder, "%s", own);
  if (go_up(folder)) try_folder(s, folder, "", "beside what holds " HEDDLE_SHIM);
  const char* home = getenv("HEDDLE_HOME");
  if (home && *home) try_folder(s, home, "/lib", "HEDDLE_HOME");
  if (!s->core) {
    snprintf(s->path, sizeof s->path, HEDDLE_CORE);
    s->core = load(s->path);
    if (!s->core) note_place(s, "run path, LD_LIBRARY_PATH, the system's folders", "of the program", dlerror());
  }
  try_above(s, own, "above what holds " HEDDLE_SHIM);
  char header[PATH_MAX];
  if (!s->core && __cudaHeddleHeader && *__cudaHeddleHeader == '/' && realpath(__cudaHeddleHeader, header))
    try_above(s, header, "above the cuda_runtime.h of the program");
  try_commands(s);
  try_folder(s, HEDDLE_PREFIX, "/lib", "the prefix that Heddle was built for");
}

/* ---- the first call -------------------------------------------------------------------------------- */

/* Fills the table, and `functions` with what the core has; null: it lacks that. No lock is held: the loader's own would
 * be taken under it, and a thread that loads a library with kernels comes here under that. Two threads find the same,
 * and write the same. */
static void fill(Slot* functions) {
  static int told;
  Search s;
  s.core = NULL;
  *s.path = *s.tried = 0;
  find_core(&s);
  const char* failure = NULL;
  if (s.core) {
    heddle_connect* const ask = (heddle_connect*)dlsym(s.core, HEDDLE_CONNECT_NAME);
    const struct heddle_connect_request request = {
        HEDDLE_CONNECT_INTERFACE, sizeof request, HEDDLE_SHIM_VERSION, kCount, names, functions};
    failure = ask ? ask(&request) : "it has no " HEDDLE_CONNECT_NAME;
  }
  const int missing = !s.core || failure;
  if (missing && !__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED)) {
    if (failure)
      fprintf(stderr, "heddle: %s cannot be used, so that calls of CUDA fail: %s\n", *s.path ? s.path : HEDDLE_CORE,
              failure);
    else
      fprintf(stderr,
              "heddle: " HEDDLE_CORE
              ", which holds the CUDA runtime, was not found, so that calls of CUDA fail. "
              "HEDDLE_HOME says where Heddle is. Tried:\n%s",
              s.tried);
  }
  for (int i = 0; i < kCount; ++i) {
    if (missing) functions[i] = of_missing(i);
    if (functions[i]) __atomic_store_n(&slots[i], functions[i], __ATOMIC_RELEASE);
  }
}

/* Called by the code above, with the slot that was empty. What it leads to now. */
static void* resolve(Slot* slot) __asm__("heddle_resolve");
__attribute__((used)) static void* resolve(Slot* slot) {
  Slot functions[kCount] = {NULL};
  fill(functions);
  const ptrdiff_t i = slot - slots;
  if (functions[i]) return functions[i];
  fprintf(stderr, "heddle: %s: " HEDDLE_CORE " is older than the program's " HEDDLE_SHIM " and lacks it\n", names[i]);
  void* const instead = of_missing((int)i);
  __atomic_store_n(slot, instead, __ATOMIC_RELEASE);
  return instead;
}

/* NVTX's ranges are to be seen in programs that call no CUDA, too. */
__attribute__((constructor)) static void begin(void) {
  Slot functions[kCount] = {NULL};
  if (getenv("NVTX_INJECTION64_PATH") && getenv("HEDDLE_TRACE")) fill(functions);
}
