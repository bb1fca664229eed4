// SPDX-License-Identifier: Apache-2.0
// Makes the *.inc sources speak float: T the type, U its bits, API(x) the exported name, R(x) a helper
// of this precision, C(x) a constant.
#define T float
#define U u32
#define S int
#define API(name) __nv_##name##f
#define R(name) name##_f
#define C(x) x##f
#define MANTISSA_BITS 23
#define EXPONENT_BIAS 127
#define EXPONENT_MAX 255
#define EXPONENT_MASK 0x7f800000u
#define ABS_MASK 0x7fffffffu
#define SIGN_BIT 0x80000000u
#define BITS(x) float_bits(x)
#define REAL(x) bits_float(x)
#define INFINITE FLOAT_INF
#define NOT_A_NUMBER FLOAT_NAN
#define SINGLE 1
