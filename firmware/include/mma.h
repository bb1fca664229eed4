// SPDX-License-Identifier: Apache-2.0
// nvcuda::wmma: matrix products by a warp, D = A * B + C, of A's m x k and B's k x n numbers.
//
//   factors                            sums              m x n x k
//   __half                             __half, float     16 x 16 x 16, 32 x 8 x 16, 8 x 32 x 16
//   __nv_bfloat16                      float             the same
//   signed char, unsigned char         int               the same
//   precision::tf32 (held as float)    float             16 x 16 x 8
//   double                             double            8 x 8 x 4
//   experimental::precision::s4, u4    int               8 x 8 x 32; A by rows, B by columns
//   experimental::precision::b1        int               8 x 8 x 128; the same; bmma_sync
//
// A fragment is what one lane has of a matrix: x[]. Which numbers these are is the machine's choice; number i of two
// accumulators of one shape is the same place of the matrix. A program may change x[] as it likes. The compiler refuses
// what an architecture does not have, by the instruction's name.
#if !defined(__CUDA_MMA_H__)
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__cplusplus) && defined(__CUDACC__)

#pragma push_macro("HEDDLE_DEVICE")
#undef HEDDLE_DEVICE
#define HEDDLE_DEVICE __device__ __forceinline__

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;  // a register holds eight
struct s4;
struct b1;  // 32
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

namespace details {

#include "crt/mma_instructions.inc"

// How numbers of T are held in fragments and in memory; those of less than a byte several in one.
template <typename T>
struct whole {
  using element_type = T;
  using storage_element_type = T;
  using memory_type = T;
  enum { numbers_in_one = 1 };
  static HEDDLE_DEVICE T all(const T& v) { return v; }
};
template <typename T, int bits>
struct packed {
  using element_type = T;
  using storage_element_type = T;
  using memory_type = void;
  enum { numbers_in_one = 32 / bits };
  // The lowest bits as many times as fit.
  static HEDDLE_DEVICE T all(T v) {
    return static_cast<T>((static_cast<unsigned int>(v) & ((1u << bits) - 1)) * (~0u / ((1u << bits) - 1)));
  }
};
template <typename T>
struct number : whole<T> {};
template <>
struct number<precision::tf32> : whole<float> {};
template <>
struct number<experimental::precision::u4> : packed<unsigned int, 4> {};
template <>
struct number<experimental::precision::s4> : packed<int, 4> {};
template <>
struct number<experimental::precision::b1> : packed<unsigned int, 1> {};

template <typename Use, typename T, typename Layout>
struct is_layout {
  enum { value = false };
};
template <typename T>
struct is_layout<accumulator, T, void> {
  enum { value = true };
};
template <typename T>
struct is_layout<matrix_a, T, row_major> {
  enum { value = true };
};
template <typename T>
struct is_layout<matrix_b, T, col_major> {
  enum { value = true };
};
template <typename T>
struct is_layout<matrix_a, T, col_major> {
  enum { value = number<T>::numbers_in_one == 1 };
};
template <typename T>
struct is_layout<matrix_b, T, row_major> {
  enum { value = number<T>::numbers_in_one == 1 };
};

template <typename Layout>
struct is_by_columns {
  enum { value = false };
};
template <>
struct is_by_columns<col_major> {
  enum { value = true };
};

// Infinities and NaN to finite numbers; integers are such already.
HEDDLE_DEVICE void make_finite(int&) {}
HEDDLE_DEVICE void make_finite(float& v) { v = v != v ? 0.0f : fminf(fmaxf(v, -3.402823466e38f), 3.402823466e38f); }
HEDDLE_DEVICE void make_finite(double& v) {
  v = v != v ? 0.0 : fmin(fmax(v, -1.7976931348623157e308), 1.7976931348623157e308);
}
HEDDLE_DEVICE void make_finite(__half& v) {
  const unsigned short bits = __half_as_ushort(v), magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00)
    v = __ushort_as_half(magnitude > 0x7c00 ? 0 : static_cast<unsigned short>((bits & 0x8000) | 0x7bff));
}

}  // namespace details

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment {
  using registers = details::matrix<Use, m, n, k, T>;
  static_assert(details::is_layout<Use, T, Layout>::value,
                "an accumulator has no layout, a factor row_major or col_major; of less than a byte A has row_major "
                "and B col_major");

 public:
  using element_type = typename details::number<T>::element_type;
  using storage_element_type = typename details::number<T>::storage_element_type;
  enum { num_storage_elements = registers::words * sizeof(typename registers::word) / sizeof(storage_element_type) };
  enum { num_elements = num_storage_elements * details::number<T>::numbers_in_one };
  alignas(typename registers::word) storage_element_type x[num_storage_elements];
};

namespace details {

// A fragment's numbers as registers.
template <typename Use, int m, int n, int k, typename T>
struct words_of {
  using registers = matrix<Use, m, n, k, T>;
  typename registers::word words[registers::words];
  words_of() = default;
  template <typename Layout>
  HEDDLE_DEVICE explicit words_of(const fragment<Use, m, n, k, T, Layout>& f) {
    __builtin_memcpy(words, f.x, sizeof words);
  }
  template <typename Layout>
  HEDDLE_DEVICE void put(fragment<Use, m, n, k, T, Layout>& f) const {
    __builtin_memcpy(f.x, words, sizeof words);
  }
};

}  // namespace details

// `ldm`: numbers from one row in memory to the next, or from one column.
template <typename Use, int m, int n, int k, typename T, typename Layout>
HEDDLE_DEVICE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& a,
                                    const typename details::number<T>::memory_type* mptr, unsigned int ldm) {
  details::words_of<Use, m, n, k, T> to;
  details::matrix<Use, m, n, k, T>::load(to.words, mptr, ldm, details::is_by_columns<Layout>::value);
  to.put(a);
}
template <int m, int n, int k, typename T>
void load_matrix_sync(fragment<accumulator, m, n, k, T>&, const T*, unsigned int) = delete;  // wants a layout
template <int m, int n, int k, typename T>
HEDDLE_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T>& a,
                                    const typename details::number<T>::memory_type* mptr, unsigned int ldm,
                                    layout_t layout) {
  details::words_of<accumulator, m, n, k, T> to;
  details::matrix<accumulator, m, n, k, T>::load(to.words, mptr, ldm, layout == mem_col_major);
  to.put(a);
}
template <int m, int n, int k, typename T>
HEDDLE_DEVICE void store_matrix_sync(typename details::number<T>::memory_type* mptr,
                                     const fragment<accumulator, m, n, k, T>& a, unsigned int ldm, layout_t layout) {
  const details::words_of<accumulator, m, n, k, T> from(a);
  details::matrix<accumulator, m, n, k, T>::store(from.words, mptr, ldm, layout == mem_col_major);
}

template <typename Use, int m, int n, int k, typename T, typename Layout>
HEDDLE_DEVICE void fill_fragment(fragment<Use, m, n, k, T, Layout>& a,
                                 const typename details::number<T>::storage_element_type& v) {
  const auto one = details::number<T>::all(v);
  for (auto& x : a.x) x = one;
}

// `satf`: integers are clamped instead of wrapped, infinities become the largest finite numbers, NaN zero.
template <int m, int n, int k, typename T, typename LayoutA, typename LayoutB, typename Addend, typename Result>
HEDDLE_DEVICE void mma_sync(fragment<accumulator, m, n, k, Result>& d, const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                            const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                            const fragment<accumulator, m, n, k, Addend>& c, bool satf = false) {
  const details::words_of<matrix_a, m, n, k, T> of_a(a);
  const details::words_of<matrix_b, m, n, k, T> of_b(b);
  const details::words_of<accumulator, m, n, k, Addend> of_c(c);
  details::words_of<accumulator, m, n, k, Result> to;
  details::product<m, n, k, T, Addend, Result>::run(to.words, of_a.words, of_b.words, of_c.words,
                                                    details::is_by_columns<LayoutA>::value,
                                                    details::is_by_columns<LayoutB>::value, satf);
  to.put(d);
  if (satf)
    for (auto& x : d.x) details::make_finite(x);
}

// To C the number of ones in each row of A and column of B is added, after `op` of their bits.
HEDDLE_DEVICE void bmma_sync(fragment<accumulator, 8, 8, 128, int>& d,
                             const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>& a,
                             const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>& b,
                             const fragment<accumulator, 8, 8, 128, int>& c,
                             experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                             experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  const details::words_of<matrix_a, 8, 8, 128, experimental::precision::b1> of_a(a);
  const details::words_of<matrix_b, 8, 8, 128, experimental::precision::b1> of_b(b);
  const details::words_of<accumulator, 8, 8, 128, int> of_c(c);
  details::words_of<accumulator, 8, 8, 128, int> to;
  details::count_ones(to.words, of_a.words, of_b.words, of_c.words, op == experimental::bmmaBitOpAND);
  to.put(d);
}
namespace experimental {
using wmma::bmma_sync;
}

// Rounded to the nearest number of tf32, ties away from zero.
HEDDLE_DEVICE float __float_to_tf32(float v) {
  unsigned int bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
  return __uint_as_float(bits);
}

}  // namespace wmma
}  // namespace nvcuda

#pragma pop_macro("HEDDLE_DEVICE")

#endif  // __cplusplus && __CUDACC__

#endif
