// SPDX-License-Identifier: Apache-2.0
// The device runtime: functions that compiled kernels call and no program defines. Compiled to PTX when
// Heddle is built, without any header of CUDA's, and linked into a module by what it calls.
#include "runtime_block.h"

#define DEVICE __attribute__((device))

// Of no module: the driver puts in its address.
extern "C" DEVICE RuntimeBlock runtime __asm__("$runtime");

namespace {

typedef unsigned int u32;
typedef unsigned long long u64;

DEVICE inline u32 atomic_add(u32* address, u32 value) {
  u32 old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(value) : "memory");
  return old;
}

DEVICE inline u32 atomic_and(u32* address, u32 value) {
  u32 old;
  asm volatile("atom.global.and.b32 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(value) : "memory");
  return old;
}

DEVICE inline u32 atomic_or(u32* address, u32 value) {
  u32 old;
  asm volatile("atom.global.or.b32 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(value) : "memory");
  return old;
}

DEVICE inline u32 atomic_exchange(u32* address, u32 value) {
  u32 old;
  asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(value) : "memory");
  return old;
}

DEVICE inline u32 atomic_cas(u32* address, u32 expected, u32 value) {
  u32 old;
  asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(address), "r"(expected), "r"(value) : "memory");
  return old;
}

DEVICE inline u32 active_lanes() {
  u32 lanes;
  asm volatile("activemask.b32 %0;" : "=r"(lanes));
  return lanes;
}

DEVICE inline void wait_for(u32 lanes) { asm volatile("bar.warp.sync %0;" ::"r"(lanes) : "memory"); }

DEVICE inline void fence() { asm volatile("membar.gl;" ::: "memory"); }

DEVICE inline u32 load_volatile(const u32* address) {
  u32 value;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

DEVICE inline void store_volatile(u32* address, u32 value) {
  asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

// Room for a record of `bytes` in the FIFO, or null.
DEVICE char* take_room(RuntimeBlock* block, u32 bytes) {
  // A full FIFO is not added to, so that the head cannot wrap around.
  if (load_volatile(&block->fifo_head) < block->fifo_bytes) {
    const u32 at = atomic_add(&block->fifo_head, bytes);
    char* const record = reinterpret_cast<char*>(block->fifo + at);
    if (at <= block->fifo_bytes && bytes <= block->fifo_bytes - at) return record;
    if (at < block->fifo_bytes) reinterpret_cast<RecordHeader*>(record)->bytes = 0;
  }
  atomic_add(&block->dropped, 1);
  return nullptr;
}

// What a format asks for: the bytes of its argument buffer, and the number of arguments.
struct Arguments {
  u32 bytes;
  int count;
};

DEVICE Arguments parse(const char* format) {
  Arguments a = {0, 0};
  for (char c = *format; c; c = *++format) {
    if (c != '%') continue;
    bool wide = false;
    for (c = *++format; c; c = *++format) {
      if (c == '*') {
        a.bytes += 4;
        ++a.count;
      } else if (c == 'l' || c == 'j' || c == 'z' || c == 't' || c == 'q') {
        wide = true;
      } else if (!(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '+' && c != ' ' && c != '#' &&
                 c != 'h' && c != 'L') {
        break;
      }
    }
    if (!c) break;
    if (c == '%') continue;
    u32 size = 0;
    switch (c) {
      case 'c':
        size = 4;
        break;
      case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
        size = wide ? 8 : 4;
        break;
      case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
      case 's': case 'p': case 'n':
        size = 8;
        break;
      default:
        break;
    }
    if (!size) continue;
    a.bytes = (a.bytes + size - 1) / size * size + size;
    ++a.count;
  }
  return a;
}

DEVICE inline u32 special_register(int which) {
  u32 v = 0;
  switch (which) {
    case 0: asm("mov.u32 %0, %%ctaid.x;" : "=r"(v)); break;
    case 1: asm("mov.u32 %0, %%ctaid.y;" : "=r"(v)); break;
    case 2: asm("mov.u32 %0, %%ctaid.z;" : "=r"(v)); break;
    case 3: asm("mov.u32 %0, %%tid.x;" : "=r"(v)); break;
    case 4: asm("mov.u32 %0, %%tid.y;" : "=r"(v)); break;
    case 5: asm("mov.u32 %0, %%tid.z;" : "=r"(v)); break;
  }
  return v;
}

}  // namespace

extern "C" {

// The number of arguments after the format; -1 without a format, -2 when nothing could be recorded.
DEVICE __attribute__((noinline)) int vprintf(const char* format, const char* arguments) {
  if (!format) return -1;
  const Arguments a = parse(format);
  const u32 bytes = (static_cast<u32>(sizeof(PrintfRecord)) + a.bytes + kRecordAlignment - 1) /
                    kRecordAlignment * kRecordAlignment;
  char* const room = take_room(&runtime, bytes);
  if (!room) return -2;
  PrintfRecord* const record = reinterpret_cast<PrintfRecord*>(room);
  record->header.bytes = bytes;
  record->header.kind = kRecordPrintf;
  record->format = reinterpret_cast<u64>(format);
  u32* const to = reinterpret_cast<u32*>(room + sizeof(PrintfRecord));
  const u32* const from = reinterpret_cast<const u32*>(arguments);
#pragma unroll 1
  for (u32 i = 0; i < a.bytes / 4; ++i) to[i] = from[i];
  return a.count;
}

// Records the failure and ends the thread.
DEVICE __attribute__((noinline)) void __assertfail(const char* message, const char* file, u32 line,
                                                   const char* function, u64) {
  atomic_add(&runtime.assert_count, 1);
  if (char* const room = take_room(&runtime, sizeof(AssertRecord))) {
    AssertRecord* const record = reinterpret_cast<AssertRecord*>(room);
    record->header.bytes = sizeof(AssertRecord);
    record->header.kind = kRecordAssert;
    record->message = reinterpret_cast<u64>(message);
    record->file = reinterpret_cast<u64>(file);
    record->function = reinterpret_cast<u64>(function);
    record->line = line;
    record->block[0] = special_register(0);
    record->block[1] = special_register(1);
    record->block[2] = special_register(2);
    record->thread[0] = special_register(3);
    record->thread[1] = special_register(4);
    record->thread[2] = special_register(5);
    record->reserved = 0;
  }
  asm volatile("exit;");
}

DEVICE __attribute__((noinline)) void __cxa_pure_virtual() { asm volatile("trap;"); }

}  // extern "C"

#include "heap.inc"
