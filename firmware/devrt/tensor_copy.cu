// SPDX-License-Identifier: Apache-2.0
// Copies of a tensor's box between global and shared memory, by one thread: what cp.async.bulk.tensor and
// cp.reduce.async.bulk.tensor call. Linked in by who calls it.
//
// In shared memory the box's rows, dimension 0, follow each other, each in its own 32, 64 or 128 bytes where those are exchanged:
// of an address bits 4 to 6 are then changed by bits 7 to 9. Where PTX leaves it open, as an H200 does:
// - what is beyond the tensor is loaded as zeros, or as 0x7ff7 in each 16 bits;
// - a store leaves out 16 bytes that begin beyond the tensor, and writes whole those that end there;
// - coordinate 0 in bytes is a multiple of 16, and a store's coordinates are not negative; else there it is no instruction, a trap here.
#include "tensor_map.h"

#define DEVICE __attribute__((device))

namespace {

using heddle::devrt::TensorMap;

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

constexpr u32 kUnit = 16;              // bytes that are copied at once
constexpr u32 kNan = 0x7ff77ff7;       // fills 16, 32 and 64 bits

struct Unit {
  u32 word[4];
};

DEVICE inline Unit load_global(u64 at) {
  Unit u;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(u.word[0]), "=r"(u.word[1]), "=r"(u.word[2]), "=r"(u.word[3]) : "l"(at) : "memory");
  return u;
}
DEVICE inline void store_global(u64 at, Unit u) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(u.word[0]), "r"(u.word[1]), "r"(u.word[2]), "r"(u.word[3]) : "memory");
}
DEVICE inline Unit load_shared(u32 at) {
  Unit u;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(u.word[0]), "=r"(u.word[1]), "=r"(u.word[2]), "=r"(u.word[3]) : "r"(at) : "memory");
  return u;
}
// Of any block of the cluster.
DEVICE inline void store_shared(u32 at, Unit u) {
  asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(u.word[0]), "r"(u.word[1]), "r"(u.word[2]), "r"(u.word[3]) : "memory");
}
DEVICE inline u32 of_block(u32 at, u32 rank) {
  u32 there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
  return there;
}
DEVICE inline u32 load_byte(u64 at) {
  u32 byte;
  asm volatile("ld.global.u8 %0, [%1];" : "=r"(byte) : "l"(at) : "memory");
  return byte;
}
DEVICE inline void complete(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Where a box lies: its rows one after the other.
struct Rows {
  const TensorMap* map;
  int at[5];
  u32 left[5];  // turns of dimensions 1 to 4
  int now[5];

  DEVICE Rows(const TensorMap* m, u32 rank, const int* first) : map(m) {
    if (m->rank != rank || first[0] * m->element % static_cast<int>(kUnit) != 0) __builtin_trap();
#pragma unroll
    for (u32 d = 0; d < 5; ++d) {
      at[d] = now[d] = d < rank ? first[d] : 0;
      left[d] = turns(d);
    }
  }
  DEVICE u32 turns(u32 d) const { return d > 0 && d < map->rank ? (map->box[d] + map->steps[d] - 1u) / map->steps[d] : 1; }
  DEVICE bool inside() const {
    bool in = true;
#pragma unroll
    for (u32 d = 1; d < 5; ++d) in = in && (d >= map->rank || static_cast<u32>(now[d]) < map->dims[d]);
    return in;
  }
  // Of coordinate 0 at 0.
  DEVICE u64 address() const {
    u64 a = map->address;
#pragma unroll
    for (u32 d = 1; d < 5; ++d) a += static_cast<u64>(static_cast<u32>(now[d])) * map->strides[d - 1];
    return a;
  }
  DEVICE bool next() {
#pragma unroll
    for (u32 d = 1; d < 5; ++d) {
      now[d] += map->steps[d];
      if (--left[d] != 0) return true;
      now[d] = at[d];
      left[d] = turns(d);
    }
    return false;
  }
  DEVICE u32 bytes() const { return map->box[0] * map->element; }
  DEVICE u32 pitch() const { return map->swizzle != 0 ? map->swizzle : bytes(); }
  DEVICE u32 swizzled(u32 address) const { return map->swizzle != 0 ? address ^ (address >> 3 & (map->swizzle - kUnit)) : address; }
};

// 16 bytes of which only so many are in the tensor.
DEVICE Unit load_part(u64 at, u32 bytes, u32 fill) {
  Unit u;
#pragma unroll
  for (u32 w = 0; w < 4; ++w) {
    u.word[w] = fill;
    for (u32 n = 4 * w; n < 4 * w + 4 && n < bytes; ++n) {
      const u32 shift = n % 4 * 8;
      u.word[w] = (u.word[w] & ~(255u << shift)) | load_byte(at + n) << shift;
    }
  }
  return u;
}

}  // namespace

// To shared memory; to the place with this address in each of the cluster's blocks in `blocks`, unless that is 0. The barrier, there
// too, learns how many bytes came.
extern "C" DEVICE void __heddle_tensor_load(const TensorMap* map, u32 rank, u32 to, u32 barrier, u32 blocks, int c0, int c1, int c2, int c3, int c4) {
  const int first[5] = {c0, c1, c2, c3, c4};
  Rows rows(map, rank, first);
  const u32 fill = map->fill ? kNan : 0, row_bytes = rows.bytes();
  const s64 row_end = static_cast<s64>(map->dims[0]) * map->element, begin = static_cast<s64>(c0) * map->element;
  u32 total = 0;
  do {
    const bool inside = rows.inside();
    const u64 from = rows.address();
    for (u32 b = 0; b < row_bytes; b += kUnit) {
      const s64 x = begin + b;
      Unit u = {{fill, fill, fill, fill}};
      if (inside && x >= 0 && x < row_end) {
        const s64 there = row_end - x;
        u = there >= kUnit ? load_global(from + static_cast<u64>(x)) : load_part(from + static_cast<u64>(x), static_cast<u32>(there), fill);
      }
      const u32 place = rows.swizzled(to + b);
      if (blocks == 0) store_shared(place, u);
      for (u32 left = blocks; left != 0; left &= left - 1) store_shared(of_block(place, static_cast<u32>(__builtin_ctz(left))), u);
    }
    to += rows.pitch();
    total += row_bytes;
  } while (rows.next());
  if (blocks == 0) complete(barrier, total);
  for (u32 left = blocks; left != 0; left &= left - 1) complete(of_block(barrier, static_cast<u32>(__builtin_ctz(left))), total);
}

namespace {

// What stands for CUtensorMapDataType.
enum Type { kU8, kU16, kU32, kS32, kU64, kS64, kF16, kF32, kF64, kBf16, kF32Ftz, kTf32, kTf32Ftz };

// By the number that the compiler gives the instruction's modifier.
enum Operation { kStore, kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };

#define REDUCE(how) \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." how " [%0], [%1], 16;" ::"l"(to), "r"(from) : "memory")

DEVICE void add(u64 to, u32 from, u32 type) {
  switch (type) {
    case kU32: REDUCE("add.u32"); break;
    case kS32: REDUCE("add.s32"); break;
    case kU64: REDUCE("add.u64"); break;
    case kF16: REDUCE("add.noftz.f16"); break;
    case kBf16: REDUCE("add.noftz.bf16"); break;
    case kF64: REDUCE("add.f64"); break;
    case kF32:
    case kF32Ftz: REDUCE("add.f32"); break;
    default: __builtin_trap();
  }
}
DEVICE void take_least(u64 to, u32 from, u32 type) {
  switch (type) {
    case kU32: REDUCE("min.u32"); break;
    case kS32: REDUCE("min.s32"); break;
    case kU64: REDUCE("min.u64"); break;
    case kS64: REDUCE("min.s64"); break;
    case kF16: REDUCE("min.f16"); break;
    case kBf16: REDUCE("min.bf16"); break;
    default: __builtin_trap();
  }
}
DEVICE void take_greatest(u64 to, u32 from, u32 type) {
  switch (type) {
    case kU32: REDUCE("max.u32"); break;
    case kS32: REDUCE("max.s32"); break;
    case kU64: REDUCE("max.u64"); break;
    case kS64: REDUCE("max.s64"); break;
    case kF16: REDUCE("max.f16"); break;
    case kBf16: REDUCE("max.bf16"); break;
    default: __builtin_trap();
  }
}
DEVICE void count(u64 to, u32 from, u32 type, u32 operation) {
  if (type != kU32) __builtin_trap();
  if (operation == kInc) REDUCE("inc.u32");
  else REDUCE("dec.u32");
}
DEVICE void combine(u64 to, u32 from, u32 operation) {
  if (operation == kAnd) REDUCE("and.b64");
  else if (operation == kOr) REDUCE("or.b64");
  else REDUCE("xor.b64");
}
DEVICE void reduce(u64 to, u32 from, u32 type, u32 operation) {
  switch (operation) {
    case kAdd: return add(to, from, type);
    case kMin: return take_least(to, from, type);
    case kMax: return take_greatest(to, from, type);
    case kInc:
    case kDec: return count(to, from, type, operation);
    default: return combine(to, from, operation);
  }
}

}  // namespace

// From shared memory, or the tensor's elements reduced by it.
extern "C" DEVICE void __heddle_tensor_store(const TensorMap* map, u32 rank, u32 from, u32 operation, int c0, int c1, int c2, int c3, int c4) {
  const int first[5] = {c0, c1, c2, c3, c4};
  Rows rows(map, rank, first);
#pragma unroll
  for (u32 d = 0; d < 5; ++d)
    if (d < rank && first[d] < 0) __builtin_trap();
  const u32 row_bytes = rows.bytes();
  const u64 row_end = static_cast<u64>(map->dims[0]) * map->element, begin = static_cast<u64>(c0) * map->element;
  do {
    if (rows.inside()) {
      const u64 to = rows.address();
      for (u32 b = 0; b < row_bytes && begin + b < row_end; b += kUnit) {
        const u32 place = rows.swizzled(from + b);
        if (operation == kStore) store_global(to + begin + b, load_shared(place));
        else reduce(to + begin + b, place, map->type, operation);
      }
    }
    from += rows.pitch();
  } while (rows.next());
}

// 16 bytes a turn from global memory to the same place in each of the cluster's blocks in `blocks`.
extern "C" DEVICE void __heddle_multicast(u32 to, u64 from, u32 bytes, u32 barrier, u32 blocks) {
  for (u32 b = 0; b < bytes; b += kUnit) {
    const Unit u = load_global(from + b);
    for (u32 left = blocks; left != 0; left &= left - 1) store_shared(of_block(to + b, static_cast<u32>(__builtin_ctz(left))), u);
  }
  for (u32 left = blocks; left != 0; left &= left - 1) complete(of_block(barrier, static_cast<u32>(__builtin_ctz(left))), bytes);
}
