// SPDX-License-Identifier: Apache-2.0
// Ends the beginning of a program of NVRTC (cmath): what follows is the program's source. What NVRTC has built in
// beside CUDA's own: size_t, clock_t, va_list and the like, assert, and std::move and std::forward
// (--builtin-move-forward).
#undef __HEDDLE_NVRTC_BEGINNING__
#undef numeric_limits
#undef INT_MAX
#undef INT_MIN
#undef HUGE_VAL
#undef HUGE_VALF
#undef FP_NAN
#undef FP_INFINITE
#undef FP_ZERO
#undef FP_SUBNORMAL
#undef FP_NORMAL

#include <stdarg.h>
#include <stddef.h>

typedef long clock_t;

#if !defined(assert)
#if defined(NDEBUG)
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition) \
  ((condition) ? static_cast<void>(0) : __assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif

#if !defined(HEDDLE_NVRTC_NO_MOVE) && __cplusplus >= 201103L
namespace std {
template <typename T>
struct __heddle_no_reference {
  typedef T type;
};
template <typename T>
struct __heddle_no_reference<T&> {
  typedef T type;
};
template <typename T>
struct __heddle_no_reference<T&&> {
  typedef T type;
};
template <typename T>
__host__ __device__ constexpr typename __heddle_no_reference<T>::type&& move(T&& value) noexcept {
  return static_cast<typename __heddle_no_reference<T>::type&&>(value);
}
template <typename T>
__host__ __device__ constexpr T&& forward(typename __heddle_no_reference<T>::type& value) noexcept {
  return static_cast<T&&>(value);
}
template <typename T>
__host__ __device__ constexpr T&& forward(typename __heddle_no_reference<T>::type&& value) noexcept {
  return static_cast<T&&>(value);
}
}  // namespace std
#endif
