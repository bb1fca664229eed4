// SPDX-License-Identifier: Apache-2.0
// Forgets the macros of real_float.h or real_double.h.
#undef T
#undef U
#undef S
#undef API
#undef R
#undef C
#undef MANTISSA_BITS
#undef EXPONENT_BIAS
#undef EXPONENT_MAX
#undef EXPONENT_MASK
#undef ABS_MASK
#undef SIGN_BIT
#undef BITS
#undef REAL
#undef INFINITE
#undef NOT_A_NUMBER
#undef SINGLE
