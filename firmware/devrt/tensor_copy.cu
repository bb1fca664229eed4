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

DEVICE inline void copy_async(u32 to, u64 from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory"); }
DEVICE inline void await_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// To each of these blocks of the cluster; none: where the address says.
DEVICE inline void to_blocks(u32 place, Unit u, u32 blocks) {
  if (blocks == 0) store_shared(place, u);
  for (; blocks != 0; blocks &= blocks - 1) store_shared(of_block(place, static_cast<u32>(__builtin_ctz(blocks))), u);
}
DEVICE inline void complete_in_blocks(u32 barrier, u32 bytes, u32 blocks) {
  if (blocks == 0) complete(barrier, bytes);
  for (; blocks != 0; blocks &= blocks - 1) complete(of_block(barrier, static_cast<u32>(__builtin_ctz(blocks))), bytes);
}

// Where 16 bytes lie in shared memory; the mask has the bits that are changed.
DEVICE inline u32 swizzled(u32 address, u32 mask) { return address ^ (address >> 3 & mask); }

// Where a box lies: its rows one after the other.
struct Rows {
  const TensorMap map;  // read once
  int at[5];
  u32 left[5];  // turns of dimensions 1 to 4
  int now[5];

  DEVICE Rows(const TensorMap* m, u32 rank, const int* first) : map(*m) {
    if (map.rank != rank || first[0] * map.element % static_cast<int>(kUnit) != 0) __builtin_trap();
#pragma unroll
    for (u32 d = 0; d < 5; ++d) {
      at[d] = now[d] = d < rank ? first[d] : 0;
      left[d] = turns(d);
    }
  }
  DEVICE u32 turns(u32 d) const { return d > 0 && d < map.rank ? (map.box[d] + map.steps[d] - 1u) / map.steps[d] : 1; }
  DEVICE bool inside() const {
    bool in = true;
#pragma unroll
    for (u32 d = 1; d < 5; ++d) in = in && (d >= map.rank || static_cast<u32>(now[d]) < map.dims[d]);
    return in;
  }
  // Of coordinate 0 at 0.
  DEVICE u64 address() const {
    u64 a = map.address;
#pragma unroll
    for (u32 d = 1; d < 5; ++d) a += static_cast<u64>(static_cast<u32>(now[d])) * map.strides[d - 1];
    return a;
  }
  DEVICE bool next() {
#pragma unroll
    for (u32 d = 1; d < 5; ++d) {
      now[d] += map.steps[d];
      if (--left[d] != 0) return true;
      now[d] = at[d];
      left[d] = turns(d);
    }
    return false;
  }
  DEVICE u32 bytes() const { return map.box[0] * map.element; }
  DEVICE u32 pitch() const { return map.swizzle != 0 ? map.swizzle : bytes(); }
  DEVICE u32 swizzle() const { return map.swizzle != 0 ? map.swizzle - kUnit : 0; }
};

// 16 bytes of which only so many are in the tensor.
__attribute__((device, noinline)) Unit load_part(u64 at, u32 bytes, u32 fill) {
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

// Units of 16 bytes from `begin` to `end` of a row, of a tensor to the block's own memory: asynchronously.
DEVICE inline void copy_units(u32 to, u32 mask, u64 from, u32 begin, u32 end) {
  u32 b = begin;
  for (; b + 4 * kUnit <= end; b += 4 * kUnit)
#pragma unroll
    for (u32 n = 0; n < 4; ++n) copy_async(swizzled(to + b + n * kUnit, mask), from + b + n * kUnit);
  for (; b < end; b += kUnit) copy_async(swizzled(to + b, mask), from + b);
}
DEVICE inline void fill_units(u32 to, u32 mask, u32 begin, u32 end, u32 fill, u32 blocks) {
  for (u32 b = begin; b < end; b += kUnit) to_blocks(swizzled(to + b, mask), {{fill, fill, fill, fill}}, blocks);
}
// A row of the box, of which bytes `begin` to `end` are in the tensor; `begin` is a multiple of 16.
DEVICE inline void load_row(u32 to, u32 mask, u64 from, u32 bytes, u32 begin, u32 end, u32 fill, u32 blocks) {
  const u32 whole = end / kUnit * kUnit;
  if (begin != 0) fill_units(to, mask, 0, begin, fill, blocks);
  if (blocks == 0 && to >> 24 == 0) copy_units(to, mask, from, begin, whole);
  else
    for (u32 b = begin; b < whole; b += kUnit) to_blocks(swizzled(to + b, mask), load_global(from + b), blocks);
  if (whole != end) to_blocks(swizzled(to + whole, mask), load_part(from + whole, end - whole, fill), blocks);
  if (end != bytes) fill_units(to, mask, whole != end ? whole + kUnit : whole, bytes, fill, blocks);
}

}  // namespace

// To shared memory; to the place with this address in each of the cluster's blocks in `blocks`, unless that is 0. The barrier, there
// too, learns how many bytes came.
extern "C" DEVICE void __heddle_tensor_load(const TensorMap* map, u32 rank, u32 to, u32 barrier, u32 blocks, int c0, int c1, int c2, int c3, int c4) {
  const int first[5] = {c0, c1, c2, c3, c4};
  Rows rows(map, rank, first);
  const u32 fill = rows.map.fill ? kNan : 0, row_bytes = rows.bytes(), mask = rows.swizzle();
  const s64 begin = static_cast<s64>(c0) * rows.map.element, end = static_cast<s64>(rows.map.dims[0]) * rows.map.element;
  const u32 from_byte = begin < 0 ? begin > -static_cast<s64>(row_bytes) ? static_cast<u32>(-begin) : row_bytes : 0;
  const u32 to_byte = end > begin ? end - begin < row_bytes ? static_cast<u32>(end - begin) : row_bytes : 0;
  const bool whole = from_byte == 0 && to_byte == row_bytes && blocks == 0 && to >> 24 == 0;  // and near: the rows that most boxes have
  u32 total = 0;
  do {
    const u64 from = rows.address() + static_cast<u64>(begin);
    const bool inside = rows.inside();
    if (inside && whole) copy_units(to, mask, from, 0, row_bytes);
    else if (inside && to_byte > from_byte) load_row(to, mask, from, row_bytes, from_byte, to_byte, fill, blocks);
    else fill_units(to, mask, 0, row_bytes, fill, blocks);
    to += rows.pitch();
    total += row_bytes;
  } while (rows.next());
  await_copies();
  complete_in_blocks(barrier, total, blocks);
}

namespace {

// What stands for CUtensorMapDataType.
enum Type { kU8, kU16, kU32, kS32, kU64, kS64, kF16, kF32, kF64, kBf16 };

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
    case kF32: REDUCE("add.f32"); break;
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

namespace {

DEVICE inline void store_row(u64 to, u32 from, u32 mask, u32 bytes) {
  u32 b = 0;
  for (; b + 4 * kUnit <= bytes; b += 4 * kUnit) {
    Unit u[4];
#pragma unroll
    for (u32 n = 0; n < 4; ++n) u[n] = load_shared(swizzled(from + b + n * kUnit, mask));
#pragma unroll
    for (u32 n = 0; n < 4; ++n) store_global(to + b + n * kUnit, u[n]);
  }
  for (; b < bytes; b += kUnit) store_global(to + b, load_shared(swizzled(from + b, mask)));
}

}  // namespace

// From shared memory, or the tensor's elements reduced by it.
extern "C" DEVICE void __heddle_tensor_store(const TensorMap* map, u32 rank, u32 from, u32 operation, int c0, int c1, int c2, int c3, int c4) {
  const int first[5] = {c0, c1, c2, c3, c4};
  Rows rows(map, rank, first);
#pragma unroll
  for (u32 d = 0; d < 5; ++d)
    if (d < rank && first[d] < 0) __builtin_trap();
  const u32 row_bytes = rows.bytes(), mask = rows.swizzle();
  const u64 row_end = static_cast<u64>(rows.map.dims[0]) * rows.map.element, begin = static_cast<u64>(c0) * rows.map.element;
  do {
    if (rows.inside()) {
      const u64 to = rows.address();
      const u32 there = row_end > begin ? static_cast<u32>(row_end - begin < row_bytes ? row_end - begin : row_bytes) : 0;
      if (operation == kStore) {
        store_row(to + begin, from, mask, there);
      } else {
        for (u32 b = 0; b < there; b += kUnit) reduce(to + begin + b, swizzled(from + b, mask), rows.map.type, operation);
      }
    }
    from += rows.pitch();
  } while (rows.next());
}

// 16 bytes a turn from global memory to the same place in each of the cluster's blocks in `blocks`.
extern "C" DEVICE void __heddle_multicast(u32 to, u64 from, u32 bytes, u32 barrier, u32 blocks) {
  for (u32 b = 0; b < bytes; b += 4 * kUnit) {
    Unit u[4];
#pragma unroll
    for (u32 n = 0; n < 4; ++n)
      if (b + n * kUnit < bytes) u[n] = load_global(from + b + n * kUnit);
#pragma unroll
    for (u32 n = 0; n < 4; ++n)
      if (b + n * kUnit < bytes) to_blocks(to + b + n * kUnit, u[n], blocks);
  }
  complete_in_blocks(barrier, bytes, blocks);
}
