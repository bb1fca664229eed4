// SPDX-License-Identifier: Apache-2.0
// Atomics on words of 8 to 128 bits, below <cuda/atomic>: what PTX has as one instruction, with its order and scope.
// The host has the compiler's built-in functions instead (cuda_atomic.h).
//
//   relaxed, acquire, release, acq_rel   the order that ld, st and atom have by name
//   consume                              acquire
//   seq_cst                              fence.sc, and then acquire, of a store relaxed
//
// The scope is one of barrier_words.h's. Words of 8 and 16 bits are parts of words of 32: but for loads and stores, all
// that is done to them is a compare-and-swap of the whole. Words of 128 bits need compute capability 9.0.
#if !defined(HEDDLE_ATOMIC_WORDS_H_)
#define HEDDLE_ATOMIC_WORDS_H_

#include "barrier_words.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "<cuda/atomic> needs compute capability 7.0"
#endif

namespace heddle {
namespace atomics {

using barriers::reach_block;
using barriers::reach_device;
using barriers::reach_system;
using barriers::reach_thread;

// The numbers that the host's built-in functions have for them.
enum order { relaxed = 0, consume = 1, acquire = 2, release = 3, acq_rel = 4, seq_cst = 5 };

typedef unsigned char word8;
typedef unsigned short word16;
typedef unsigned int word32;
typedef unsigned long long word64;
struct alignas(16) word128 {
  word64 low, high;
  __host__ __device__ __forceinline__ constexpr bool operator==(const word128& other) const {
    return low == other.low && high == other.high;
  }
};

// Both at once: of a compare-and-swap's two orders.
static __host__ __device__ __forceinline__ constexpr int both(int first, int second) {
  return first == seq_cst || second == seq_cst                                            ? seq_cst
         : first == relaxed                                                               ? second
         : second == relaxed                                                              ? first
         : first == second                                                                ? first
         : first == release || first == acq_rel || second == release || second == acq_rel ? acq_rel
                                                                                          : acquire;
}

#if defined(__CUDA_ARCH__)

#pragma push_macro("HEDDLE_DEVICE")
#pragma push_macro("HEDDLE_SCOPED")
#pragma push_macro("HEDDLE_ORDERED")
#pragma push_macro("HEDDLE_ATOM")
#pragma push_macro("HEDDLE_CAS")
#pragma push_macro("HEDDLE_ACCESS")
#undef HEDDLE_DEVICE
#undef HEDDLE_SCOPED
#undef HEDDLE_ORDERED
#undef HEDDLE_ATOM
#undef HEDDLE_CAS
#undef HEDDLE_ACCESS
#define HEDDLE_DEVICE static __device__ __forceinline__

// The instruction `before`.scope`after` with the operands that follow.
#define HEDDLE_SCOPED(before, after, ...)                                          \
  do {                                                                             \
    if (among == reach_block) asm volatile(before ".cta" after __VA_ARGS__);       \
    else if (among == reach_device) asm volatile(before ".gpu" after __VA_ARGS__); \
    else asm volatile(before ".sys" after __VA_ARGS__);                            \
  } while (false)

template <int among>
HEDDLE_DEVICE void fence_sc() {
  HEDDLE_SCOPED("fence.sc", ";", ::: "memory");
}
template <int among>
HEDDLE_DEVICE void fence_acq_rel() {
  HEDDLE_SCOPED("fence.acq_rel", ";", ::: "memory");
}
template <int among>
HEDDLE_DEVICE void fence(int order) {
  if (order == relaxed) return;
  if (among == reach_thread) asm volatile("" ::: "memory");
  else if (order == seq_cst) fence_sc<among>();
  else fence_acq_rel<among>();
}

// ---- loads and stores ----

#define HEDDLE_ACCESS(word, bits, constraint, register_type)                                                          \
  template <int among>                                                                                                \
  HEDDLE_DEVICE word load(const word* p, int order) {                                                                 \
    register_type value;                                                                                              \
    if (order == seq_cst) fence_sc<among>();                                                                          \
    if (order == relaxed)                                                                                             \
      HEDDLE_SCOPED("ld.relaxed", "." bits " %0, [%1];", : "=" constraint(value) : "l"(p) : "memory");                \
    else HEDDLE_SCOPED("ld.acquire", "." bits " %0, [%1];", : "=" constraint(value) : "l"(p) : "memory");             \
    return static_cast<word>(value);                                                                                  \
  }                                                                                                                   \
  template <int among>                                                                                                \
  HEDDLE_DEVICE void store(word* p, word given, int order) {                                                          \
    const register_type value = given;                                                                                \
    if (order == seq_cst) fence_sc<among>();                                                                          \
    if (order == release) HEDDLE_SCOPED("st.release", "." bits " [%0], %1;", ::"l"(p), constraint(value) : "memory"); \
    else HEDDLE_SCOPED("st.relaxed", "." bits " [%0], %1;", ::"l"(p), constraint(value) : "memory");                  \
  }
HEDDLE_ACCESS(word8, "u8", "h", unsigned short)
HEDDLE_ACCESS(word16, "u16", "h", unsigned short)
HEDDLE_ACCESS(word32, "u32", "r", unsigned int)
HEDDLE_ACCESS(word64, "u64", "l", unsigned long long)

// ---- one word read and written ----

#define HEDDLE_ORDERED(after, ...)                                                \
  do {                                                                            \
    if (order == seq_cst) fence_sc<among>();                                      \
    if (order == relaxed) HEDDLE_SCOPED("atom.relaxed", after, __VA_ARGS__);      \
    else if (order == release) HEDDLE_SCOPED("atom.release", after, __VA_ARGS__); \
    else if (order == acq_rel) HEDDLE_SCOPED("atom.acq_rel", after, __VA_ARGS__); \
    else HEDDLE_SCOPED("atom.acquire", after, __VA_ARGS__);                       \
  } while (false)

// What was there before.
#define HEDDLE_ATOM(function, type, operation, constraint)                                                        \
  template <int among>                                                                                            \
  HEDDLE_DEVICE type function(type* p, type value, int order) {                                                   \
    type old;                                                                                                     \
    HEDDLE_ORDERED("." operation " %0, [%1], %2;", : "=" constraint(old) : "l"(p), constraint(value) : "memory"); \
    return old;                                                                                                   \
  }
HEDDLE_ATOM(exchange, word32, "exch.b32", "r")
HEDDLE_ATOM(exchange, word64, "exch.b64", "l")
HEDDLE_ATOM(add, word32, "add.u32", "r")
HEDDLE_ATOM(add, word64, "add.u64", "l")
HEDDLE_ATOM(add, float, "add.f32", "f")
HEDDLE_ATOM(add, double, "add.f64", "d")
HEDDLE_ATOM(bit_and, word32, "and.b32", "r")
HEDDLE_ATOM(bit_and, word64, "and.b64", "l")
HEDDLE_ATOM(bit_or, word32, "or.b32", "r")
HEDDLE_ATOM(bit_or, word64, "or.b64", "l")
HEDDLE_ATOM(bit_xor, word32, "xor.b32", "r")
HEDDLE_ATOM(bit_xor, word64, "xor.b64", "l")
HEDDLE_ATOM(least, word32, "min.u32", "r")
HEDDLE_ATOM(least, word64, "min.u64", "l")
HEDDLE_ATOM(least, int, "min.s32", "r")
HEDDLE_ATOM(least, long long, "min.s64", "l")
HEDDLE_ATOM(most, word32, "max.u32", "r")
HEDDLE_ATOM(most, word64, "max.u64", "l")
HEDDLE_ATOM(most, int, "max.s32", "r")
HEDDLE_ATOM(most, long long, "max.s64", "l")

// Whether `expected` was there; else that becomes what was.
#define HEDDLE_CAS(word, bits, constraint)                                                \
  template <int among>                                                                    \
  HEDDLE_DEVICE bool compare_exchange(word* p, word& expected, word desired, int order) { \
    word old;                                                                             \
    HEDDLE_ORDERED(".cas." bits " %0, [%1], %2, %3;",                                     \
                   : "=" constraint(old)                                                  \
                   : "l"(p), constraint(expected), constraint(desired)                    \
                   : "memory");                                                           \
    const bool was = old == expected;                                                     \
    expected = old;                                                                       \
    return was;                                                                           \
  }
HEDDLE_CAS(word32, "b32", "r")
HEDDLE_CAS(word64, "b64", "l")

// ---- parts of a word of 32 bits ----

template <int among, typename Part>
HEDDLE_DEVICE bool compare_exchange_part(Part* p, Part& expected, Part desired, int order) {
  const word64 address = reinterpret_cast<word64>(p);
  word32* const whole = reinterpret_cast<word32*>(address & ~word64{3});
  const unsigned int shift = static_cast<unsigned int>(address & 3) * 8;
  const word32 mask = word32{static_cast<Part>(~Part{0})} << shift;
  word32 old = load<among>(whole, relaxed);
  do {
    const Part part = static_cast<Part>((old & mask) >> shift);
    if (part != expected) {
      expected = part;
      fence<among>(order);
      return false;
    }
  } while (!compare_exchange<among>(whole, old, (old & ~mask) | word32{desired} << shift, order));
  return true;
}
template <int among>
HEDDLE_DEVICE bool compare_exchange(word8* p, word8& expected, word8 desired, int order) {
  return compare_exchange_part<among>(p, expected, desired, order);
}
template <int among>
HEDDLE_DEVICE bool compare_exchange(word16* p, word16& expected, word16 desired, int order) {
  return compare_exchange_part<among>(p, expected, desired, order);
}
template <int among, typename Part>
HEDDLE_DEVICE Part exchange(Part* p, Part value, int order) {
  Part old = load<among>(p, relaxed);
  while (!compare_exchange<among>(p, old, value, order)) {
  }
  return old;
}

// ---- words of 128 bits ----

#if __CUDA_ARCH__ >= 900
template <int among>
HEDDLE_DEVICE word128 load(const word128* p, int order) {
  word128 value;
  if (order == seq_cst) fence_sc<among>();
  if (order == relaxed) {
    HEDDLE_SCOPED("{\n.reg .b128 q;\nld.relaxed", ".b128 q, [%2];\nmov.b128 {%0, %1}, q;\n}",
                  : "=l"(value.low), "=l"(value.high)
                  : "l"(p)
                  : "memory");
  } else {
    HEDDLE_SCOPED("{\n.reg .b128 q;\nld.acquire", ".b128 q, [%2];\nmov.b128 {%0, %1}, q;\n}",
                  : "=l"(value.low), "=l"(value.high)
                  : "l"(p)
                  : "memory");
  }
  return value;
}
template <int among>
HEDDLE_DEVICE void store(word128* p, word128 value, int order) {
  if (order == seq_cst) fence_sc<among>();
  if (order == release) {
    HEDDLE_SCOPED("{\n.reg .b128 q;\nmov.b128 q, {%1, %2};\nst.release", ".b128 [%0], q;\n}", ::"l"(p), "l"(value.low),
                  "l"(value.high)
                  : "memory");
  } else {
    HEDDLE_SCOPED("{\n.reg .b128 q;\nmov.b128 q, {%1, %2};\nst.relaxed", ".b128 [%0], q;\n}", ::"l"(p), "l"(value.low),
                  "l"(value.high)
                  : "memory");
  }
}
// Fences stand for the order.
template <int among>
HEDDLE_DEVICE bool compare_exchange(word128* p, word128& expected, word128 desired, int order) {
  word128 old;
  fence<among>(order);
  HEDDLE_SCOPED("{\n.reg .b128 q, e, d;\nmov.b128 e, {%3, %4};\nmov.b128 d, {%5, %6};\natom.relaxed",
                ".cas.b128 q, [%2], e, d;\nmov.b128 {%0, %1}, q;\n}",
                : "=l"(old.low), "=l"(old.high)
                : "l"(p), "l"(expected.low), "l"(expected.high), "l"(desired.low), "l"(desired.high)
                : "memory");
  fence<among>(order);
  const bool was = old == expected;
  expected = old;
  return was;
}
#endif

#pragma pop_macro("HEDDLE_DEVICE")
#pragma pop_macro("HEDDLE_SCOPED")
#pragma pop_macro("HEDDLE_ORDERED")
#pragma pop_macro("HEDDLE_ATOM")
#pragma pop_macro("HEDDLE_CAS")
#pragma pop_macro("HEDDLE_ACCESS")

#endif  // __CUDA_ARCH__

}  // namespace atomics
}  // namespace heddle

#endif  // __cplusplus && __CUDACC__

#endif  // HEDDLE_ATOMIC_WORDS_H_
