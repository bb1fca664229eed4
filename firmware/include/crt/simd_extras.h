// SPDX-License-Identifier: Apache-2.0
// CUDA's SIMD intrinsics that clang's headers lack: fused additions and three-way comparisons of one 32-bit or two
// 16-bit numbers, with clamping at zero (relu) or telling which operand won (vib). For host and device. Included by
// texture_indirect_functions.h.
#if !defined(HEDDLE_CRT_SIMD_EXTRAS_H)
#define HEDDLE_CRT_SIMD_EXTRAS_H

#pragma push_macro("HEDDLE_BOTH")
#define HEDDLE_BOTH static __host__ __device__ __forceinline__

namespace heddle_simd {

template <typename T>
HEDDLE_BOTH T larger(T a, T b) {
  return a >= b ? a : b;
}
template <typename T>
HEDDLE_BOTH T smaller(T a, T b) {
  return a <= b ? a : b;
}
template <typename T>
HEDDLE_BOTH T sum(T a, T b) {
  return static_cast<T>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b));
}

HEDDLE_BOTH unsigned int joined(int low, int high) {
  return (static_cast<unsigned int>(low) & 0xffffu) | static_cast<unsigned int>(high) << 16;
}

}  // namespace heddle_simd

// HEDDLE_SIMD(name, expression in a, b, c): name_s32 and _u32 for a whole word, _s16x2 and _u16x2 for its halves,
// _relu.
#define HEDDLE_SIMD_WORD(fn, T, expression)           \
  HEDDLE_BOTH T fn(const T a, const T b, const T c) { \
    using namespace heddle_simd;                      \
    return expression;                                \
  }
#define HEDDLE_SIMD_HALVES(fn, T, expression)                                                                    \
  HEDDLE_BOTH unsigned int fn(const unsigned int x, const unsigned int y, const unsigned int z) {                \
    using namespace heddle_simd;                                                                                 \
    T part[2];                                                                                                   \
    for (int i = 0; i < 2; ++i) {                                                                                \
      const T a = static_cast<T>(x >> 16 * i), b = static_cast<T>(y >> 16 * i), c = static_cast<T>(z >> 16 * i); \
      part[i] = expression;                                                                                      \
    }                                                                                                            \
    return joined(part[0], part[1]);                                                                             \
  }
#define HEDDLE_SIMD(fn, expression)                                \
  HEDDLE_SIMD_WORD(fn##_s32, int, expression)                      \
  HEDDLE_SIMD_WORD(fn##_u32, unsigned int, expression)             \
  HEDDLE_SIMD_HALVES(fn##_s16x2, short, expression)                \
  HEDDLE_SIMD_HALVES(fn##_u16x2, unsigned short, expression)       \
  HEDDLE_SIMD_WORD(fn##_s32_relu, int, larger<int>(expression, 0)) \
  HEDDLE_SIMD_HALVES(fn##_s16x2_relu, short, larger<short>(expression, 0))

HEDDLE_SIMD(__viaddmax, larger(sum(a, b), c))
HEDDLE_SIMD(__viaddmin, smaller(sum(a, b), c))
HEDDLE_SIMD(__vimax3, larger(larger(a, b), c))
HEDDLE_SIMD(__vimin3, smaller(smaller(a, b), c))

HEDDLE_BOTH int __vimax_s32_relu(const int a, const int b) { return __vimax3_s32(a, b, 0); }
HEDDLE_BOTH int __vimin_s32_relu(const int a, const int b) { return __vimin3_s32_relu(a, b, b); }
HEDDLE_BOTH unsigned int __vimax_s16x2_relu(const unsigned int a, const unsigned int b) {
  return __vimax3_s16x2(a, b, 0);
}
HEDDLE_BOTH unsigned int __vimin_s16x2_relu(const unsigned int a, const unsigned int b) {
  return __vimin3_s16x2_relu(a, b, b);
}

// The winner, and whether it is a; a wins a tie.
#define HEDDLE_SIMD_WINNER(fn, better, compare)                                                      \
  HEDDLE_BOTH int fn##_s32(const int a, const int b, bool* const first) {                            \
    *first = a compare b;                                                                            \
    return heddle_simd::better(a, b);                                                                \
  }                                                                                                  \
  HEDDLE_BOTH unsigned int fn##_u32(const unsigned int a, const unsigned int b, bool* const first) { \
    *first = a compare b;                                                                            \
    return heddle_simd::better(a, b);                                                                \
  }                                                                                                  \
  HEDDLE_SIMD_WINNERS(fn##_s16x2, short, better, compare)                                            \
  HEDDLE_SIMD_WINNERS(fn##_u16x2, unsigned short, better, compare)
#define HEDDLE_SIMD_WINNERS(fn, T, better, compare)                                                            \
  HEDDLE_BOTH unsigned int fn(const unsigned int a, const unsigned int b, bool* const high, bool* const low) { \
    const T a0 = static_cast<T>(a), b0 = static_cast<T>(b);                                                    \
    const T a1 = static_cast<T>(a >> 16), b1 = static_cast<T>(b >> 16);                                        \
    *low = a0 compare b0;                                                                                      \
    *high = a1 compare b1;                                                                                     \
    return heddle_simd::joined(heddle_simd::better(a0, b0), heddle_simd::better(a1, b1));                      \
  }
HEDDLE_SIMD_WINNER(__vibmax, larger, >=)
HEDDLE_SIMD_WINNER(__vibmin, smaller, <=)

#undef HEDDLE_SIMD
#undef HEDDLE_SIMD_WORD
#undef HEDDLE_SIMD_HALVES
#undef HEDDLE_SIMD_WINNER
#undef HEDDLE_SIMD_WINNERS
#pragma pop_macro("HEDDLE_BOTH")

#endif
