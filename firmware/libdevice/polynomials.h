// SPDX-License-Identifier: Apache-2.0
// Made by fit_polynomials.py; do not edit. Polynomials by Horner's rule with fused steps.
#pragma once

#include "types.h"

// e^x = 1 + x + x^2 P(x), |x| <= ln(2)/2; error 2^-31.0
INLINE float poly_exp_f(float x) {
  float p = 0xcf139dp-36f;
  p = fma_f(p, x, 0xb69f78p-33f);
  p = fma_f(p, x, 0x88897dp-30f);
  p = fma_f(p, x, 0xaaaa7ap-28f);
  p = fma_f(p, x, 0xaaaaaap-26f);
  p = fma_f(p, x, 0x8p-4f);
  return p;
}

// e^x = 1 + x + x^2 P(x), |x| <= ln(2)/2; error 2^-65.0
INLINE double poly_exp_d(double x) {
  double p = 0x1768e8c0a3d803p-85;
  p = fma_d(p, x, 0x11f63c534104b1p-81);
  p = fma_d(p, x, 0x1ae5448075ed68p-78);
  p = fma_d(p, x, 0x127e4e416bf303p-74);
  p = fma_d(p, x, 0x171de3ee6132b1p-71);
  p = fma_d(p, x, 0x1a01a01a373079p-68);
  p = fma_d(p, x, 0x1a01a019ee908fp-65);
  p = fma_d(p, x, 0x16c16c16c16b1ep-62);
  p = fma_d(p, x, 0x11111111111343p-59);
  p = fma_d(p, x, 0x15555555555555p-57);
  p = fma_d(p, x, 0x15555555555555p-55);
  p = fma_d(p, x, 0x1p-1);
  return p;
}

// 2^x = 1 + x P(x), |x| <= 1/2; error 2^-32.5
INLINE float poly_exp2_f(float x) {
  float p = 0xf62028p-40f;
  p = fma_f(p, x, 0xa20863p-36f);
  p = fma_f(p, x, 0xaece6ep-33f);
  p = fma_f(p, x, 0x9d952dp-30f);
  p = fma_f(p, x, 0xe3583ap-28f);
  p = fma_f(p, x, 0xf5fdfp-22f);
  p = fma_f(p, x, 0xb17218p-24f);
  return p;
}

// 2^x = 1 + x P(x), |x| <= 1/2; error 2^-59.9
INLINE double poly_exp2_d(double x) {
  double p = -0x1c3924f2e0ab76p-88;
  p = fma_d(p, x, 0x1bed0041c79046p-88);
  p = fma_d(p, x, 0x1008c20d25d6f1p-83);
  p = fma_d(p, x, 0x1e4d36c37b6ad7p-80);
  p = fma_d(p, x, 0x1b51d95d7abca6p-76);
  p = fma_d(p, x, 0x162c0210ab5f85p-72);
  p = fma_d(p, x, 0x1ffcbfeaa7600dp-69);
  p = fma_d(p, x, 0x1430912f8bb5c2p-65);
  p = fma_d(p, x, 0x15d87fe784e91ap-62);
  p = fma_d(p, x, 0x13b2ab6fba4d57p-59);
  p = fma_d(p, x, 0x1c6b08d704a227p-57);
  p = fma_d(p, x, 0x1ebfbdff82c58fp-55);
  p = fma_d(p, x, 0x162e42fefa39efp-53);
  return p;
}

// 10^x = 1 + x P(x), |x| <= log10(2)/2; error 2^-30.2
INLINE float poly_exp10_f(float x) {
  float p = 0xc74ab5p-28f;
  p = fma_f(p, x, 0xd45286p-26f);
  p = fma_f(p, x, 0x8a4b3ap-24f);
  p = fma_f(p, x, 0x95ebcep-23f);
  p = fma_f(p, x, 0x823802p-22f);
  p = fma_f(p, x, 0xa9a926p-22f);
  p = fma_f(p, x, 0x935d8ep-22f);
  return p;
}

// 10^x = 1 + x P(x), |x| <= log10(2)/2; error 2^-58.4
INLINE double poly_exp10_d(double x) {
  double p = 0x178efe44b177aep-66;
  p = fma_d(p, x, 0x1e143f013c0511p-64);
  p = fma_d(p, x, 0x145f954ecba2a9p-67);
  p = fma_d(p, x, 0x1b4a2f26c7125dp-65);
  p = fma_d(p, x, 0x12eb61293e7d82p-62);
  p = fma_d(p, x, 0x148a7d2c17c3acp-60);
  p = fma_d(p, x, 0x14116abda5a1e2p-58);
  p = fma_d(p, x, 0x116e4dc3a0dca3p-56);
  p = fma_d(p, x, 0x1a7ed7085bb729p-55);
  p = fma_d(p, x, 0x11429ffd297724p-53);
  p = fma_d(p, x, 0x12bd7609fd962cp-52);
  p = fma_d(p, x, 0x10470591de2a62p-51);
  p = fma_d(p, x, 0x153524c73cea69p-51);
  p = fma_d(p, x, 0x126bb1bbb55516p-51);
  return p;
}

// log(1 + x) = x - x^2/2 + x^3 P(x), from sqrt(1/2) to sqrt(2); error 2^-30.3
INLINE float poly_log1p_f(float x) {
  float p = 0x89d23p-23f;
  p = fma_f(p, x, -0xeec5adp-27f);
  p = fma_f(p, x, 0xf3701bp-27f);
  p = fma_f(p, x, -0xfe2028p-27f);
  p = fma_f(p, x, 0x919d76p-26f);
  p = fma_f(p, x, -0xaaadc1p-26f);
  p = fma_f(p, x, 0xccd23cp-26f);
  p = fma_f(p, x, -0x800004p-25f);
  p = fma_f(p, x, 0xaaaaa4p-25f);
  return p;
}

// log(1 + x) = x - x^2/2 + x^3 P(x), from sqrt(1/2) to sqrt(2); error 2^-61.8
INLINE double poly_log1p_d(double x) {
  double p = 0x16e40eaf15d8ecp-58;
  p = fma_d(p, x, -0x1b9d99788a5151p-57);
  p = fma_d(p, x, 0x1efd3822da111p-53);
  p = fma_d(p, x, -0x1a9a5b9cd0e1bcp-57);
  p = fma_d(p, x, 0x19c07373f82fe1p-57);
  p = fma_d(p, x, -0x1c0c86cf4612b4p-57);
  p = fma_d(p, x, 0x1e37f40424dc05p-57);
  p = fma_d(p, x, -0x1006dd938a4c4cp-56);
  p = fma_d(p, x, 0x11109962b3ec37p-56);
  p = fma_d(p, x, -0x1248a2a76c2352p-56);
  p = fma_d(p, x, 0x13b139f7c08b44p-56);
  p = fma_d(p, x, -0x15555b18ef84aep-56);
  p = fma_d(p, x, 0x1745d1b793527dp-56);
  p = fma_d(p, x, -0x19999971d3f215p-56);
  p = fma_d(p, x, 0x1c71c719fba2d1p-56);
  p = fma_d(p, x, -0x100000004feca8p-55);
  p = fma_d(p, x, 0x124924924e4c43p-55);
  p = fma_d(p, x, -0x1555555554aec8p-55);
  p = fma_d(p, x, 0x1999999999902dp-55);
  p = fma_d(p, x, -0x10000000000042p-54);
  p = fma_d(p, x, 0x15555555555558p-54);
  return p;
}

// log2((1+s)/(1-s)) = s (2/ln 2 + z 2/(3 ln 2) + z^2 P(z)), z = s^2; error 2^-42.3
INLINE float poly_log2_atanh_f(float x) {
  float p = 0x902521p-25f;
  p = fma_f(p, x, 0xa3d9a9p-25f);
  p = fma_f(p, x, 0xd30ca5p-25f);
  p = fma_f(p, x, 0x93bb62p-24f);
  return p;
}

// log2((1+s)/(1-s)) = s (2/ln 2 + z 2/(3 ln 2) + z^2 P(z)), z = s^2; error 2^-74.5
INLINE double poly_log2_atanh_d(double x) {
  double p = 0x17af53c7f5a796p-55;
  p = fma_d(p, x, 0x12c55e705ee9c3p-55);
  p = fma_d(p, x, 0x15c2de9ec7d384p-55);
  p = fma_d(p, x, 0x189ef250b9075cp-55);
  p = fma_d(p, x, 0x1c68f6c666921ep-55);
  p = fma_d(p, x, 0x10c9a84794a433p-54);
  p = fma_d(p, x, 0x1484b13d7f6c2bp-54);
  p = fma_d(p, x, 0x1a61762a7adbcep-54);
  p = fma_d(p, x, 0x12776c50ef9bffp-53);
  return p;
}

// sin x = x + x^3 P(x^2), |x| <= pi/4; error 2^-32.5
INLINE float poly_sin_f(float x) {
  float p = 0xbe22ddp-42f;
  p = fma_f(p, x, -0xd02cc4p-36f);
  p = fma_f(p, x, 0x8888bap-30f);
  p = fma_f(p, x, -0xaaaaabp-26f);
  return p;
}

// sin x = x + x^3 P(x^2), |x| <= pi/4; error 2^-63.2
INLINE double poly_sin_d(double x) {
  double p = -0x1a02add1a7d857p-93;
  p = fma_d(p, x, 0x1610a27e886199p-85);
  p = fma_d(p, x, -0x1ae642d0d867f1p-78);
  p = fma_d(p, x, 0x171de3a3440345p-71);
  p = fma_d(p, x, -0x1a01a019ffec78p-65);
  p = fma_d(p, x, 0x1111111111106bp-59);
  p = fma_d(p, x, -0x15555555555555p-55);
  return p;
}

// cos x = 1 - x^2/2 + x^4 P(x^2), |x| <= pi/4; error 2^-33.1
INLINE float poly_cos_f(float x) {
  float p = 0xccf4f7p-39f;
  p = fma_f(p, x, -0xb60616p-33f);
  p = fma_f(p, x, 0xaaaaa5p-28f);
  return p;
}

// cos x = 1 - x^2/2 + x^4 P(x^2), |x| <= pi/4; error 2^-69.1
INLINE double poly_cos_d(double x) {
  double p = 0x19cd43c28f86ap-93;
  p = fma_d(p, x, -0x193729383243cdp-89);
  p = fma_d(p, x, 0x11eed6e1fd5d34p-81);
  p = fma_d(p, x, -0x127e4fb591819cp-74);
  p = fma_d(p, x, 0x1a01a019ffbfe3p-68);
  p = fma_d(p, x, -0x16c16c16c16b2dp-62);
  p = fma_d(p, x, 0x15555555555555p-57);
  return p;
}

// tan x = x + x^3 P(x^2), |x| <= pi/4; error 2^-29.3
INLINE float poly_tan_f(float x) {
  float p = 0x90ec1bp-31f;
  p = fma_f(p, x, -0xa9d85fp-40f);
  p = fma_f(p, x, 0xb2e8b2p-30f);
  p = fma_f(p, x, 0xae0ec4p-29f);
  p = fma_f(p, x, 0xdd75afp-28f);
  p = fma_f(p, x, 0x888696p-26f);
  p = fma_f(p, x, 0xaaaab1p-25f);
  return p;
}

// tan x = x + x^3 P(x^2), |x| <= pi/4; error 2^-63.5
INLINE double poly_tan_d(double x) {
  double p = 0x12f0b2b7e19141p-70;
  p = fma_d(p, x, -0x1a2b1259442c5cp-69);
  p = fma_d(p, x, 0x1abd7755f0e93ap-68);
  p = fma_d(p, x, -0x12da2373d41727p-68);
  p = fma_d(p, x, 0x11c1b999924522p-67);
  p = fma_d(p, x, 0x1f4135370dd98dp-68);
  p = fma_d(p, x, 0x1a5de504477809p-66);
  p = fma_d(p, x, 0x1f34a7b9093d94p-65);
  p = fma_d(p, x, 0x13575d09bb2a0bp-63);
  p = fma_d(p, x, 0x17da11d965d5b2p-62);
  p = fma_d(p, x, 0x1d6d3f0a6b90fep-61);
  p = fma_d(p, x, 0x1226e34c6d33ddp-59);
  p = fma_d(p, x, 0x1664f488663054p-58);
  p = fma_d(p, x, 0x1ba1ba1ba0eb72p-57);
  p = fma_d(p, x, 0x111111111111cp-51);
  p = fma_d(p, x, 0x15555555555555p-54);
  return p;
}

// sin(pi x) = pi x + x^3 P(x^2), |x| <= 1/4; error 2^-31.8
INLINE float poly_sinpi_f(float x) {
  float p = 0xa21afp-23f;
  p = fma_f(p, x, -0x9956d1p-24f);
  p = fma_f(p, x, 0xa335bcp-22f);
  p = fma_f(p, x, -0xa55de7p-21f);
  return p;
}

// sin(pi x) = pi x + x^3 P(x^2), |x| <= 1/4; error 2^-61.9
INLINE double poly_sinpi_d(double x) {
  double p = -0x173ad396869fe5p-68;
  p = fma_d(p, x, 0x1e90849d812a4p-60);
  p = fma_d(p, x, -0x1e3076e07f393ep-60);
  p = fma_d(p, x, 0x15078349d22054p-56);
  p = fma_d(p, x, -0x132d2cce63aae1p-53);
  p = fma_d(p, x, 0x1466bc6775ab7ap-51);
  p = fma_d(p, x, -0x14abbce625be53p-50);
  return p;
}

// cos(pi x) = 1 + x^2 P(x^2), |x| <= 1/4; error 2^-31.2
INLINE float poly_cospi_f(float x) {
  float p = 0xea302dp-26f;
  p = fma_f(p, x, -0xaad88dp-23f);
  p = fma_f(p, x, 0x81e0d7p-21f);
  p = fma_f(p, x, -0x9de9e6p-21f);
  return p;
}

// cos(pi x) = 1 + x^2 P(x^2), |x| <= 1/4; error 2^-61.8
INLINE double poly_cospi_d(double x) {
  double p = -0x1a25208a00d87p-64;
  p = fma_d(p, x, -0x1986b7243f3714p-66);
  p = fma_d(p, x, 0x1f9a26df3c1043p-62);
  p = fma_d(p, x, -0x1a6d1c98c83cf5p-58);
  p = fma_d(p, x, 0x1e1f5066343b83p-55);
  p = fma_d(p, x, -0x155d3c7e3b94e4p-52);
  p = fma_d(p, x, 0x103c1f081b5a37p-50);
  p = fma_d(p, x, -0x13bd3cc9be45dep-50);
  return p;
}

// asin x = x + x^3 P(x^2), |x| <= 1/2; error 2^-31.7
INLINE float poly_asin_f(float x) {
  float p = 0x9a05efp-28f;
  p = fma_f(p, x, 0xeb7e8ep-30f);
  p = fma_f(p, x, 0x825c13p-28f);
  p = fma_f(p, x, 0xb654e8p-28f);
  p = fma_f(p, x, 0x999c51p-27f);
  p = fma_f(p, x, 0xaaaaa6p-26f);
  return p;
}

// asin x = x + x^3 P(x^2), |x| <= 1/2; error 2^-59.8
INLINE double poly_asin_d(double x) {
  double p = 0x10bcfde02f98fdp-57;
  p = fma_d(p, x, -0x159b4ff8ecdc0fp-58);
  p = fma_d(p, x, 0x164d3ecf4b727ap-58);
  p = fma_d(p, x, 0x1e1f194813b7d6p-61);
  p = fma_d(p, x, 0x16180e6ad9dd34p-59);
  p = fma_d(p, x, 0x1757945c88eca9p-59);
  p = fma_d(p, x, 0x1ca210fe74b0d5p-59);
  p = fma_d(p, x, 0x11c49e01a3b87bp-58);
  p = fma_d(p, x, 0x16e8bdfca90d59p-58);
  p = fma_d(p, x, 0x1f1c71a8c823d2p-58);
  p = fma_d(p, x, 0x16db6db7229683p-57);
  p = fma_d(p, x, 0x1333333332df32p-56);
  p = fma_d(p, x, 0x15555555555578p-55);
  return p;
}

// atan x = x + x^3 P(x^2), |x| <= 1; error 2^-28.7
INLINE float poly_atan_f(float x) {
  float p = -0xeeeeefp-33f;
  p = fma_f(p, x, 0xb4f7f8p-30f);
  p = fma_f(p, x, -0x80b31ap-28f);
  p = fma_f(p, x, 0xee6339p-28f);
  p = fma_f(p, x, -0xac63ep-23f);
  p = fma_f(p, x, 0xe065dp-23f);
  p = fma_f(p, x, -0x92132bp-26f);
  p = fma_f(p, x, 0xccc934p-26f);
  p = fma_f(p, x, -0xaaaaap-21f);
  return p;
}

// atan x = x + x^3 P(x^2), |x| <= 1; error 2^-60.3
INLINE double poly_atan_d(double x) {
  double p = -0x1281c814824268p-69;
  p = fma_d(p, x, 0x1bb323faa73973p-66);
  p = fma_d(p, x, -0x13b70ef2630da8p-63);
  p = fma_d(p, x, 0x11d785af306984p-61);
  p = fma_d(p, x, -0x1736726ce31bcbp-60);
  p = fma_d(p, x, 0x175957bb434a98p-59);
  p = fma_d(p, x, -0x1328b5750f24dfp-58);
  p = fma_d(p, x, 0x1addd9917fa212p-58);
  p = fma_d(p, x, -0x10d109b09e1306p-57);
  p = fma_d(p, x, 0x13948b063479bbp-57);
  p = fma_d(p, x, -0x15f41b98c2b5f3p-57);
  p = fma_d(p, x, 0x184be6047eb5d4p-57);
  p = fma_d(p, x, -0x1aedcfd1286a92p-57);
  p = fma_d(p, x, 0x1e1d512771837p-53);
  p = fma_d(p, x, -0x111103d24821d5p-56);
  p = fma_d(p, x, 0x13b139d059cd08p-56);
  p = fma_d(p, x, -0x1745d15e913252p-56);
  p = fma_d(p, x, 0x1c71c71b77d7a7p-56);
  p = fma_d(p, x, -0x1249249245c3bap-55);
  p = fma_d(p, x, 0x19999999998daep-55);
  p = fma_d(p, x, -0x1555555555554ep-54);
  return p;
}

// sinh x = x + x^3 P(x^2), |x| <= 1; error 2^-31.5
INLINE float poly_sinh_f(float x) {
  float p = 0xbaede8p-42f;
  p = fma_f(p, x, 0xd01003p-36f);
  p = fma_f(p, x, 0x888872p-30f);
  p = fma_f(p, x, 0xaaaaabp-26f);
  return p;
}

// sinh x = x + x^3 P(x^2), |x| <= 1; error 2^-62.9
INLINE double poly_sinh_d(double x) {
  double p = 0x1b43742e65803cp-100;
  p = fma_d(p, x, 0x1a747b60a7db6p-89);
  p = fma_d(p, x, 0x1612ffe921723dp-85);
  p = fma_d(p, x, 0x1ae6443145b60ep-78);
  p = fma_d(p, x, 0x171de3a674d996p-71);
  p = fma_d(p, x, 0x1a01a01a008589p-65);
  p = fma_d(p, x, 0x11111111111196p-59);
  p = fma_d(p, x, 0x15555555555555p-55);
  return p;
}

// tanh x = x + x^3 P(x^2), |x| <= 0.55; error 2^-29.8
INLINE float poly_tanh_f(float x) {
  float p = -0xce4b03p-31f;
  p = fma_f(p, x, 0xacc14fp-29f);
  p = fma_f(p, x, -0xdc98ffp-28f);
  p = fma_f(p, x, 0x8886b5p-26f);
  p = fma_f(p, x, -0xaaaaa6p-25f);
  return p;
}

// tanh x = x + x^3 P(x^2), |x| <= 0.55; error 2^-64.9
INLINE double poly_tanh_d(double x) {
  double p = 0x1ec660662c43dfp-70;
  p = fma_d(p, x, -0x112dc0bd4417fep-67);
  p = fma_d(p, x, 0x189779d5e36bd6p-66);
  p = fma_d(p, x, -0x1f36c03ed9aea9p-65);
  p = fma_d(p, x, 0x1353b4de67f439p-63);
  p = fma_d(p, x, -0x17da137162810ap-62);
  p = fma_d(p, x, 0x1d6d3b3ee33e2cp-61);
  p = fma_d(p, x, -0x1226e34dd02da8p-59);
  p = fma_d(p, x, 0x1664f487fd9f57p-58);
  p = fma_d(p, x, -0x1ba1ba1ba11c13p-57);
  p = fma_d(p, x, 0x11111111111088p-55);
  p = fma_d(p, x, -0x15555555555555p-54);
  return p;
}

// erf x = x + x P(x^2), |x| <= 0.85; error 2^-30.0
INLINE float poly_erf_f(float x) {
  float p = 0xa04786p-37f;
  p = fma_f(p, x, -0xd162fp-30f);
  p = fma_f(p, x, 0xaa0516p-31f);
  p = fma_f(p, x, -0xdbfe97p-29f);
  p = fma_f(p, x, 0xe716a8p-27f);
  p = fma_f(p, x, -0xc093ap-21f);
  p = fma_f(p, x, 0x8375d4p-26f);
  return p;
}

// erf x = x + x P(x^2), |x| <= 0.85; error 2^-56.3
INLINE double poly_erf_d(double x) {
  double p = -0x155aa462f41c98p-78;
  p = fma_d(p, x, 0x192c381b35c1bp-72);
  p = fma_d(p, x, -0x1a61c29c4072b8p-75);
  p = fma_d(p, x, 0x10ea617ae0b33ep-74);
  p = fma_d(p, x, -0x1776a744b0e2a9p-74);
  p = fma_d(p, x, 0x1d4557fbf8c90ap-72);
  p = fma_d(p, x, -0x1f6060dc700819p-69);
  p = fma_d(p, x, 0x1f9acbd6b80303p-66);
  p = fma_d(p, x, -0x1c02de7581ba29p-63);
  p = fma_d(p, x, 0x1565bcdbf6e942p-60);
  p = fma_d(p, x, -0x1b82ce31562e66p-58);
  p = fma_d(p, x, 0x1ce2f21a048ebp-52);
  p = fma_d(p, x, -0x1812746b037a3dp-54);
  p = fma_d(p, x, 0x106eba8214db69p-55);
  return p;
}

// (1 + 2 x) e^(x^2) erfc(x), x >= 0, in t = (x-2)/(x+2); error 2^-27.2
INLINE float poly_erfcx_f(float x) {
  float p = -0xb0ee31p-39f;
  p = fma_f(p, x, 0x89905fp-37f);
  p = fma_f(p, x, 0xeba09bp-36f);
  p = fma_f(p, x, -0xbf1d99p-35f);
  p = fma_f(p, x, -0xc07f24p-33f);
  p = fma_f(p, x, 0xa08623p-33f);
  p = fma_f(p, x, 0x8eff1ep-30f);
  p = fma_f(p, x, -0x83714ap-30f);
  p = fma_f(p, x, -0xde173dp-28f);
  p = fma_f(p, x, 0xa7fccap-26f);
  p = fma_f(p, x, -0xaa03d3p-26f);
  p = fma_f(p, x, -0xbdfaf5p-27f);
  p = fma_f(p, x, 0xa37407p-23f);
  return p;
}

// (1 + 2 x) e^(x^2) erfc(x), x >= 0, in t = (x-2)/(x+2); error 2^-53.7
INLINE double poly_erfcx_d(double x) {
  double p = -0x1fe3af920c7cbap-80;
  p = fma_d(p, x, 0x17264b983edc8fp-81);
  p = fma_d(p, x, 0x1ea1ea915a3cc5p-77);
  p = fma_d(p, x, -0x135056441c142bp-78);
  p = fma_d(p, x, -0x1c277b480274dbp-75);
  p = fma_d(p, x, 0x1ec91e2dd2eca6p-78);
  p = fma_d(p, x, 0x1047218adf29dbp-73);
  p = fma_d(p, x, 0x12ba1ac27d04dcp-75);
  p = fma_d(p, x, -0x15b89d27f53c43p-73);
  p = fma_d(p, x, -0x1c1fcb2f869394p-73);
  p = fma_d(p, x, -0x1973087652bf12p-74);
  p = fma_d(p, x, 0x194838063da44fp-72);
  p = fma_d(p, x, 0x1523ce17b4bbd5p-70);
  p = fma_d(p, x, 0x1f1d1d7d927799p-71);
  p = fma_d(p, x, -0x1c234c1093e9fep-69);
  p = fma_d(p, x, -0x131892b3334426p-67);
  p = fma_d(p, x, -0x19b2963d3a7f5ap-72);
  p = fma_d(p, x, 0x13cc0743e0698ap-65);
  p = fma_d(p, x, 0x1b0cadc6a1ec3fp-65);
  p = fma_d(p, x, -0x1dc692e6a4285cp-64);
  p = fma_d(p, x, -0x17de52a7c52e63p-62);
  p = fma_d(p, x, 0x14d461d159ad7ap-62);
  p = fma_d(p, x, 0x11dd2eca8043efp-59);
  p = fma_d(p, x, -0x1074234046022fp-59);
  p = fma_d(p, x, -0x1bc2b9561d559ap-57);
  p = fma_d(p, x, 0x14ffa1e14e2712p-55);
  p = fma_d(p, x, -0x15407bebf32045p-55);
  p = fma_d(p, x, -0x17bf5ec1700631p-56);
  p = fma_d(p, x, 0x146e80e2277953p-52);
  return p;
}

// erfinv(x)/x in w - 2.5, w = -log(1 - x^2) <= 5; error 2^-24.6
INLINE float poly_erfinv_centre_f(float x) {
  float p = -0x9100eep-50f;
  p = fma_f(p, x, 0xe6da57p-49f);
  p = fma_f(p, x, 0xf83677p-45f);
  p = fma_f(p, x, -0xeb6cdbp-42f);
  p = fma_f(p, x, -0xa6279p-37f);
  p = fma_f(p, x, 0xe5231p-32f);
  p = fma_f(p, x, -0xa4333cp-33f);
  p = fma_f(p, x, -0x88e45cp-31f);
  p = fma_f(p, x, 0xfc8f45p-26f);
  p = fma_f(p, x, 0xc02e2fp-23f);
  return p;
}

// erfinv(x)/x in w - 2.5, w = -log(1 - x^2) <= 5; error 2^-54.4
INLINE double poly_erfinv_centre_d(double x) {
  double p = -0x1aba877ce6938fp-115;
  p = fma_d(p, x, 0x1fe155a71bbd8fp-115);
  p = fma_d(p, x, 0x148e8b7337b2aap-109);
  p = fma_d(p, x, -0x104494e6fd9c61p-107);
  p = fma_d(p, x, -0x1c99330c60f849p-105);
  p = fma_d(p, x, 0x113eb6adc8e252p-101);
  p = fma_d(p, x, -0x1516577d625f7ap-101);
  p = fma_d(p, x, -0x157697804ce754p-96);
  p = fma_d(p, x, 0x12be2500055068p-93);
  p = fma_d(p, x, 0x100bbc97603f0fp-92);
  p = fma_d(p, x, -0x1117e267cfab14p-87);
  p = fma_d(p, x, 0x10703f736be1a7p-85);
  p = fma_d(p, x, 0x1f2c862a4406d3p-83);
  p = fma_d(p, x, -0x1752fd54e77938p-79);
  p = fma_d(p, x, 0x1ccffbd88b6b22p-79);
  p = fma_d(p, x, 0x101037e2670e4p-69);
  p = fma_d(p, x, -0x1ca922807ab67ap-71);
  p = fma_d(p, x, -0x14f47fe72071f4p-70);
  p = fma_d(p, x, 0x1c9b437ed9312ep-65);
  p = fma_d(p, x, -0x14863cdfb61949p-62);
  p = fma_d(p, x, -0x111c3c302e073ap-60);
  p = fma_d(p, x, 0x1f91e8993f0d14p-55);
  p = fma_d(p, x, 0x1805c5cfcedef5p-52);
  return p;
}

// erfinv(x)/x in sqrt(w) - 3, 5 <= w <= 17; error 2^-25.9
INLINE float poly_erfinv_tail_f(float x) {
  float p = 0xe2ac55p-37f;
  p = fma_f(p, x, -0x9e48e5p-35f);
  p = fma_f(p, x, -0xc04ab2p-38f);
  p = fma_f(p, x, 0xc15808p-33f);
  p = fma_f(p, x, -0xec2114p-32f);
  p = fma_f(p, x, 0xba7c7p-27f);
  p = fma_f(p, x, -0xfa383bp-31f);
  p = fma_f(p, x, 0x9abe02p-30f);
  p = fma_f(p, x, 0x8036e2p-23f);
  p = fma_f(p, x, 0xb54f7ep-22f);
  return p;
}

// erfinv(x)/x in sqrt(w) - 3, 5 <= w <= 17; error 2^-54.1
INLINE double poly_erfinv_tail_d(double x) {
  double p = -0x111722d469cf99p-81;
  p = fma_d(p, x, 0x141630258a344ep-79);
  p = fma_d(p, x, -0x177539c0acb754p-80);
  p = fma_d(p, x, -0x1ed6f1c2e7864ap-77);
  p = fma_d(p, x, 0x1687bac555ec3p-71);
  p = fma_d(p, x, -0x17b92504a55f61p-76);
  p = fma_d(p, x, -0x1586de29bd4191p-73);
  p = fma_d(p, x, 0x10d3eec032caefp-71);
  p = fma_d(p, x, -0x1bc43a5e613cacp-72);
  p = fma_d(p, x, -0x18f4ed5295a0cdp-70);
  p = fma_d(p, x, 0x170053c82ba766p-68);
  p = fma_d(p, x, -0x17fbcb8e406a3dp-68);
  p = fma_d(p, x, -0x185bd9a452a2dap-67);
  p = fma_d(p, x, 0x1aeffd7917b28fp-65);
  p = fma_d(p, x, -0x128e0a03efdee6p-64);
  p = fma_d(p, x, -0x138430eeee6f52p-65);
  p = fma_d(p, x, 0x184f3ed7ed49f3p-62);
  p = fma_d(p, x, -0x1d2754fd29a209p-61);
  p = fma_d(p, x, 0x17495888e1380cp-60);
  p = fma_d(p, x, -0x1f4f1c6f0c0e05p-60);
  p = fma_d(p, x, 0x13582c8114ee4ep-59);
  p = fma_d(p, x, 0x1006dca7a9c22bp-52);
  p = fma_d(p, x, 0x16a9efbd66eae6p-51);
  return p;
}

// erfinv(x)/x in sqrt(w) - 7, 17 <= w <= 104; error 2^-25.5
INLINE float poly_erfinv_far_f(float x) {
  float p = -0x91390fp-52f;
  p = fma_f(p, x, 0xe95be1p-50f);
  p = fma_f(p, x, -0xc8a4f2p-48f);
  p = fma_f(p, x, 0x9967cdp-45f);
  p = fma_f(p, x, -0xddc648p-43f);
  p = fma_f(p, x, 0xcbb2acp-41f);
  p = fma_f(p, x, 0xd52d97p-41f);
  p = fma_f(p, x, -0x86587bp-34f);
  p = fma_f(p, x, 0x8119a9p-23f);
  p = fma_f(p, x, 0xdbcf02p-21f);
  return p;
}

// erfinv(x)/x in sqrt(w) - 7, 17 <= w <= 104; error 2^-51.6
INLINE double poly_erfinv_far_d(double x) {
  double p = -0x16ead9fab6ee28p-117;
  p = fma_d(p, x, 0x115d34549c437p-110);
  p = fma_d(p, x, 0x1f132da4ec1398p-112);
  p = fma_d(p, x, -0x1e7364899f59a1p-109);
  p = fma_d(p, x, -0x1338303b4d75b6p-108);
  p = fma_d(p, x, 0x11b6b970ab8d62p-104);
  p = fma_d(p, x, 0x1c664437bd8962p-107);
  p = fma_d(p, x, -0x1909330f7d9977p-101);
  p = fma_d(p, x, 0x10646c79561deep-102);
  p = fma_d(p, x, 0x16864200d94ad6p-98);
  p = fma_d(p, x, -0x15deba2ec6d26fp-99);
  p = fma_d(p, x, -0x1f49a1d0781423p-96);
  p = fma_d(p, x, 0x1443d1b9d40acap-95);
  p = fma_d(p, x, -0x1ffbac6cc6f364p-95);
  p = fma_d(p, x, 0x110220004a4c56p-90);
  p = fma_d(p, x, -0x1045e7d346a7bfp-87);
  p = fma_d(p, x, 0x1b4ceed4019afap-85);
  p = fma_d(p, x, -0x16d413d0ecf90fp-82);
  p = fma_d(p, x, 0x1294833a3c6eep-75);
  p = fma_d(p, x, -0x1cf1cddf2c255bp-77);
  p = fma_d(p, x, 0x1516633e51648cp-74);
  p = fma_d(p, x, -0x1b2ae66b4e0eb2p-72);
  p = fma_d(p, x, 0x19653878a877edp-70);
  p = fma_d(p, x, 0x1a5be667fbcda9p-70);
  p = fma_d(p, x, -0x10cc7570862b78p-63);
  p = fma_d(p, x, 0x1023352980a553p-52);
  p = fma_d(p, x, 0x1b79e049a17817p-50);
  return p;
}

// erfinv(x)/x in 1/sqrt(w), 104 <= w <= 745; error 2^-53.8
INLINE double poly_erfinv_end_d(double x) {
  double p = -0x1c54fc2d0384f2p-9;
  p = fma_d(p, x, 0x10587da48a3402p-8);
  p = fma_d(p, x, -0x11ab5149425c85p-9);
  p = fma_d(p, x, 0x17c5f51708792fp-11);
  p = fma_d(p, x, -0x164ea145df51d5p-13);
  p = fma_d(p, x, 0x1f020bf2491625p-16);
  p = fma_d(p, x, -0x108cd720f374cp-14);
  p = fma_d(p, x, 0x1bc4ad99cf4f11p-22);
  p = fma_d(p, x, -0x129721d62af227p-25);
  p = fma_d(p, x, 0x1414818aed4d32p-29);
  p = fma_d(p, x, -0x11a8c56c8285c9p-33);
  p = fma_d(p, x, 0x199f54056b9bbp-34);
  p = fma_d(p, x, -0x1fb40c59886ebp-39);
  p = fma_d(p, x, 0x13247dc5c9cc1dp-47);
  p = fma_d(p, x, -0x11bb0efaebd42ep-51);
  p = fma_d(p, x, -0x108226873deacbp-60);
  p = fma_d(p, x, 0x100007ec0131ccp-52);
  return p;
}

// gamma(1.5 + x), |x| <= 1/2; error 2^-24.8
INLINE float poly_gamma_f(float x) {
  float p = -0xc7c2ffp-29f;
  p = fma_f(p, x, 0x8d6a5ap-28f);
  p = fma_f(p, x, -0x930d8ep-28f);
  p = fma_f(p, x, 0xe7ddaep-28f);
  p = fma_f(p, x, -0x9f4eacp-27f);
  p = fma_f(p, x, 0x944d97p-26f);
  p = fma_f(p, x, -0xdbb643p-27f);
  p = fma_f(p, x, 0xd461bp-21f);
  p = fma_f(p, x, 0x84750fp-28f);
  p = fma_f(p, x, 0xe2dfc5p-24f);
  return p;
}

// gamma(1.5 + x), |x| <= 1/2; error 2^-54.4
INLINE double poly_gamma_d(double x) {
  double p = -0x113a86472ab2d3p-64;
  p = fma_d(p, x, 0x18ee621bf7913ep-64);
  p = fma_d(p, x, -0x1b59dd3d1861ddp-65);
  p = fma_d(p, x, 0x15b04d8adfb1b7p-64);
  p = fma_d(p, x, -0x175248af91bf05p-63);
  p = fma_d(p, x, 0x1153f4d3d5606cp-62);
  p = fma_d(p, x, -0x18cd5560e471f7p-62);
  p = fma_d(p, x, 0x129f783c20d6f4p-61);
  p = fma_d(p, x, -0x1c0cb8505fc92p-57);
  p = fma_d(p, x, 0x150642e1a3996ep-60);
  p = fma_d(p, x, -0x1f7fa5508a6743p-60);
  p = fma_d(p, x, 0x17990ea6f405cep-59);
  p = fma_d(p, x, -0x11a2c315a90eb1p-58);
  p = fma_d(p, x, 0x1a752cd62296d9p-58);
  p = fma_d(p, x, -0x1374fd5a7bb807p-57);
  p = fma_d(p, x, 0x1e022b7277fe2cp-57);
  p = fma_d(p, x, -0x13d88cfe56144cp-56);
  p = fma_d(p, x, 0x1283bd3750962ep-55);
  p = fma_d(p, x, -0x1b77ac1ca2e025p-56);
  p = fma_d(p, x, 0x1a8c4dba620ba3p-54);
  p = fma_d(p, x, 0x108ea88ee561aap-57);
  p = fma_d(p, x, 0x1c5bf891b4ef6bp-53);
  return p;
}

// (log gamma(x) - (x - 1/2) log x + x - log(2 pi)/2) x, in 1/x^2, x >= 3; error 2^-28.6
INLINE float poly_stirling_f(float x) {
  float p = 0x851617p-32f;
  p = fma_f(p, x, -0xef51c5p-34f);
  p = fma_f(p, x, 0xd6451fp-34f);
  p = fma_f(p, x, -0xb614f4p-32f);
  p = fma_f(p, x, 0xaaaaabp-27f);
  return p;
}

// (log gamma(x) - (x - 1/2) log x + x - log(2 pi)/2) x, in 1/x^2, x >= 3; error 2^-57.7
INLINE double poly_stirling_d(double x) {
  double p = -0x18290c1b7193b7p-29;
  p = fma_d(p, x, 0x158ac2236b2c41p-29);
  p = fma_d(p, x, -0x11690413365ca6p-30);
  p = fma_d(p, x, 0x10de4adf5bf797p-32);
  p = fma_d(p, x, -0x15d57031b460ccp-35);
  p = fma_d(p, x, 0x13e9079d2261bp-34);
  p = fma_d(p, x, -0x1a4800a85cb4cap-42);
  p = fma_d(p, x, 0x1957b907ac294fp-46);
  p = fma_d(p, x, -0x1197716a08f8d8p-50);
  p = fma_d(p, x, 0x1e757955cde09p-52);
  p = fma_d(p, x, 0x184bff0808ff3ap-61);
  p = fma_d(p, x, -0x1e82c8e2f7fa84p-62);
  p = fma_d(p, x, 0x1b9037503c0db2p-63);
  p = fma_d(p, x, -0x1381300421548ep-63);
  p = fma_d(p, x, 0x1a01a012fa536ep-63);
  p = fma_d(p, x, -0x16c16c16c0cd1ep-61);
  p = fma_d(p, x, 0x15555555555555p-56);
  return p;
}

// log gamma(1 + x) = x P(x), |x| <= 1/2; error 2^-24.6
INLINE float poly_lgamma1_f(float x) {
  float p = 0xa06125p-26f;
  p = fma_f(p, x, -0xb84dep-22f);
  p = fma_f(p, x, 0xa5cdbep-27f);
  p = fma_f(p, x, -0xaba9c9p-27f);
  p = fma_f(p, x, 0x82535p-22f);
  p = fma_f(p, x, -0x9729a3p-26f);
  p = fma_f(p, x, 0xad9b56p-26f);
  p = fma_f(p, x, -0xd42a62p-26f);
  p = fma_f(p, x, 0x8a8921p-25f);
  p = fma_f(p, x, -0xcd2712p-25f);
  p = fma_f(p, x, 0xd28d34p-24f);
  p = fma_f(p, x, -0x93c468p-24f);
  return p;
}

// log gamma(1 + x) = x P(x), |x| <= 1/2; error 2^-56.7
INLINE double poly_lgamma1_d(double x) {
  double p = -0x1b63dbec75cd32p-55;
  p = fma_d(p, x, 0x1bab08eab8f927p-55);
  p = fma_d(p, x, 0x1389c4a9af82bcp-55);
  p = fma_d(p, x, -0x12ab12a84040d5p-55);
  p = fma_d(p, x, -0x128031995fe5b8p-55);
  p = fma_d(p, x, 0x11a614ba413e1ep-55);
  p = fma_d(p, x, -0x1bc2095baabfd9p-60);
  p = fma_d(p, x, 0x1d8055368f784fp-59);
  p = fma_d(p, x, -0x1cf6fdcd4520a7p-57);
  p = fma_d(p, x, 0x1d043492986beep-57);
  p = fma_d(p, x, -0x1a222b1b8a86d7p-57);
  p = fma_d(p, x, 0x1bf0a8b39c8a7bp-57);
  p = fma_d(p, x, -0x1e39c8315c04edp-57);
  p = fma_d(p, x, 0x1006a9e169c416p-56);
  p = fma_d(p, x, -0x110fd389183825p-56);
  p = fma_d(p, x, 0x1248f7a4cbf21ep-56);
  p = fma_d(p, x, -0x13b1f3784e1175p-56);
  p = fma_d(p, x, 0x1556b2e6c10d1cp-56);
  p = fma_d(p, x, -0x1748c1cdbe8d34p-56);
  p = fma_d(p, x, 0x19a01e0ec7a185p-56);
  p = fma_d(p, x, -0x1c806713c93ffp-52);
  p = fma_d(p, x, 0x1010b36b53a016p-55);
  p = fma_d(p, x, -0x12703a1da8ad6ep-55);
  p = fma_d(p, x, 0x15b40cb0fff465p-55);
  p = fma_d(p, x, -0x1a8b9c17aadbp-47);
  p = fma_d(p, x, 0x1151322ac7d8b8p-54);
  p = fma_d(p, x, -0x19a4d55beab285p-54);
  p = fma_d(p, x, 0x1a51a6625307d3p-53);
  p = fma_d(p, x, -0x12788cfc6fb619p-53);
  return p;
}

// log gamma(2 + x) = x P(x), -1/2 <= x <= 1; error 2^-25.9
INLINE float poly_lgamma2_f(float x) {
  float p = -0x89a549p-37f;
  p = fma_f(p, x, 0xd642cep-36f);
  p = fma_f(p, x, -0x98dc68p-35f);
  p = fma_f(p, x, 0xf6081ep-35f);
  p = fma_f(p, x, -0x96c0efp-33f);
  p = fma_f(p, x, 0xbdad5dp-32f);
  p = fma_f(p, x, -0xf24775p-31f);
  p = fma_f(p, x, 0xa8992dp-29f);
  p = fma_f(p, x, -0x89efb8p-27f);
  p = fma_f(p, x, 0xa51a66p-25f);
  p = fma_f(p, x, 0xd8773p-21f);
  return p;
}

// log gamma(2 + x) = x P(x), -1/2 <= x <= 1; error 2^-56.2
INLINE double poly_lgamma2_d(double x) {
  double p = 0x164af611df1dadp-76;
  p = fma_d(p, x, -0x10dffa87e25996p-73);
  p = fma_d(p, x, 0x1398bff74c889cp-72);
  p = fma_d(p, x, -0x1221b498beb5a2p-72);
  p = fma_d(p, x, -0x1227bd05a66075p-74);
  p = fma_d(p, x, 0x1693c43fd0f186p-72);
  p = fma_d(p, x, -0x1743fd0a9a86adp-73);
  p = fma_d(p, x, -0x12b4e7b93901a3p-73);
  p = fma_d(p, x, 0x1aacbc94e03c8dp-73);
  p = fma_d(p, x, -0x1f5fa8985024ccp-74);
  p = fma_d(p, x, 0x198684902f998fp-73);
  p = fma_d(p, x, -0x10ad6105bfcd7cp-71);
  p = fma_d(p, x, 0x127f7545d3d998p-70);
  p = fma_d(p, x, -0x13d3fa41b45059p-69);
  p = fma_d(p, x, 0x157fe2d951d984p-68);
  p = fma_d(p, x, -0x178d96ada88d23p-67);
  p = fma_d(p, x, 0x1a127e6cc86d22p-66);
  p = fma_d(p, x, -0x1d3fd67d3acc8p-61);
  p = fma_d(p, x, 0x10b36af6532ef1p-63);
  p = fma_d(p, x, -0x138ac5c00ebc59p-62);
  p = fma_d(p, x, 0x17add6ead8e618p-61);
  p = fma_d(p, x, -0x1e404fc21d530cp-60);
  p = fma_d(p, x, 0x151322ac7d87cdp-58);
  p = fma_d(p, x, -0x113e001a55755p-52);
  p = fma_d(p, x, 0x14a34cc4a60fa6p-54);
  p = fma_d(p, x, 0x1b0ee6072093cep-54);
  return p;
}

// j0(x) = (x^2 - 5.783) P(x^2), x <= 4; error 2^-26.2
INLINE float poly_j0_small_f(float x) {
  float p = -0x885721p-62f;
  p = fma_f(p, x, 0xf7982dp-55f);
  p = fma_f(p, x, -0x8bdb6fp-47f);
  p = fma_f(p, x, 0xd6e8c5p-41f);
  p = fma_f(p, x, -0xd022f7p-35f);
  p = fma_f(p, x, 0xda6282p-30f);
  p = fma_f(p, x, -0xb110a6p-26f);
  return p;
}

// j0(x) = (x^2 - 5.783) P(x^2), x <= 4; error 2^-54.2
INLINE double poly_j0_small_d(double x) {
  double p = 0x1bc49171f114c3p-138;
  p = fma_d(p, x, -0x174825362fb9a7p-131);
  p = fma_d(p, x, 0x1159775b28a223p-125);
  p = fma_d(p, x, -0x1f79401955092ep-121);
  p = fma_d(p, x, 0x13042d5ec7f23cp-115);
  p = fma_d(p, x, -0x10dd1b6664de1bp-107);
  p = fma_d(p, x, 0x14c6d53c9c1308p-99);
  p = fma_d(p, x, -0x14aaa3a8a7b15cp-91);
  p = fma_d(p, x, 0x1f6e037cdf4c2dp-84);
  p = fma_d(p, x, -0x117e92e5c3cd1fp-76);
  p = fma_d(p, x, 0x1add15692bce56p-70);
  p = fma_d(p, x, -0x1a04594c03573fp-64);
  p = fma_d(p, x, 0x1b4c4fb6b81b9p-55);
  p = fma_d(p, x, -0x162214bb3c7121p-55);
  return p;
}

// j0(x) = (x - 5.52008) P(x - 6), 4 <= x <= 8; error 2^-23.8
INLINE float poly_j0_middle_f(float x) {
  float p = -0xcdf148p-48f;
  p = fma_f(p, x, 0xb88557p-45f);
  p = fma_f(p, x, 0xa855f2p-41f);
  p = fma_f(p, x, -0x87928fp-38f);
  p = fma_f(p, x, -0x98376ap-35f);
  p = fma_f(p, x, 0xdd92fcp-33f);
  p = fma_f(p, x, 0x8ab08ep-30f);
  p = fma_f(p, x, -0xb1e387p-28f);
  p = fma_f(p, x, -0x9ecb8p-23f);
  p = fma_f(p, x, 0xa0b6e4p-25f);
  return p;
}

// j0(x) = (x - 5.52008) P(x - 6), 4 <= x <= 8; error 2^-53.6
INLINE double poly_j0_middle_d(double x) {
  double p = -0x104d6d2509736dp-110;
  p = fma_d(p, x, -0x1e43d38e218133p-108);
  p = fma_d(p, x, 0x15371b44391f2ap-104);
  p = fma_d(p, x, 0x124fdd6f279d54p-99);
  p = fma_d(p, x, -0x14155d78fc1a7ap-96);
  p = fma_d(p, x, -0x11e725e2075f67p-91);
  p = fma_d(p, x, 0x12473acbace39p-84);
  p = fma_d(p, x, 0x1aab8bdf7f860bp-84);
  p = fma_d(p, x, -0x19510295b5a061p-81);
  p = fma_d(p, x, -0x1cd44e211a1f2ep-77);
  p = fma_d(p, x, 0x1949f163ba6f81p-74);
  p = fma_d(p, x, 0x152a757fd863fap-70);
  p = fma_d(p, x, -0x1104aed8595b52p-67);
  p = fma_d(p, x, -0x1307fa1bf727c9p-64);
  p = fma_d(p, x, 0x1bb360f4db0426p-62);
  p = fma_d(p, x, 0x115618767e6c29p-59);
  p = fma_d(p, x, -0x163c76276a6ec7p-57);
  p = fma_d(p, x, -0x13d97028754e56p-56);
  p = fma_d(p, x, 0x1416dc96e57c0ep-54);
  return p;
}

// j1(x) = x (x^2 - 14.68) P(x^2), x <= 4.8; error 2^-25.7
INLINE float poly_j1_small_f(float x) {
  float p = 0x823a41p-73f;
  p = fma_f(p, x, -0xce2084p-66f);
  p = fma_f(p, x, 0x910849p-58f);
  p = fma_f(p, x, -0xb321ep-47f);
  p = fma_f(p, x, 0xa1a876p-44f);
  p = fma_f(p, x, -0xbe7d1ap-38f);
  p = fma_f(p, x, 0xfdefe8p-33f);
  p = fma_f(p, x, -0x8b7da6p-28f);
  return p;
}

// j1(x) = x (x^2 - 14.68) P(x^2), x <= 4.8; error 2^-53.9
INLINE double poly_j1_small_d(double x) {
  double p = 0x150913756f17fep-149;
  p = fma_d(p, x, -0x1b4faaccf67149p-142);
  p = fma_d(p, x, 0x1fbb94e55e4db2p-136);
  p = fma_d(p, x, -0x15b9fcf19639c2p-130);
  p = fma_d(p, x, 0x12ad20dd5dd421p-125);
  p = fma_d(p, x, 0x17c215c0cce6ecp-123);
  p = fma_d(p, x, -0x193026ec343896p-112);
  p = fma_d(p, x, 0x120865929246cep-103);
  p = fma_d(p, x, -0x14199b72e399f7p-95);
  p = fma_d(p, x, 0x11573255977d0bp-87);
  p = fma_d(p, x, -0x16489842bcc6f4p-80);
  p = fma_d(p, x, 0x143316b3a5346dp-73);
  p = fma_d(p, x, -0x17cf8005bc259p-63);
  p = fma_d(p, x, 0x1fbdfb0a3d173dp-62);
  p = fma_d(p, x, -0x116fb4ba6b9f63p-57);
  return p;
}

// j1(x) = (x - 7.01559) P(x - 6.4), 4.8 <= x <= 8; error 2^-24.9
INLINE float poly_j1_middle_f(float x) {
  float p = 0x916254p-52f;
  p = fma_f(p, x, 0x9bec4dp-44f);
  p = fma_f(p, x, -0xa3502ep-44f);
  p = fma_f(p, x, -0xcc99fp-34f);
  p = fma_f(p, x, 0xda0146p-38f);
  p = fma_f(p, x, 0x91a385p-32f);
  p = fma_f(p, x, -0x9772dfp-32f);
  p = fma_f(p, x, -0xc3ac17p-28f);
  p = fma_f(p, x, 0x9b845ap-28f);
  p = fma_f(p, x, 0x9712a3p-25f);
  return p;
}

// j1(x) = (x - 7.01559) P(x - 6.4), 4.8 <= x <= 8; error 2^-54.6
INLINE double poly_j1_middle_d(double x) {
  double p = 0x13fe8fdac98df9p-105;
  p = fma_d(p, x, -0x13136f11ceeb8ap-108);
  p = fma_d(p, x, -0x150ebf9a4f4648p-102);
  p = fma_d(p, x, 0x19d514c94c3143p-109);
  p = fma_d(p, x, -0x134ccd3d1c336ap-95);
  p = fma_d(p, x, 0x14773ee4dc57e4p-96);
  p = fma_d(p, x, 0x11c1b209667591p-87);
  p = fma_d(p, x, -0x1869a00c452f99p-88);
  p = fma_d(p, x, -0x170846afb632ffp-80);
  p = fma_d(p, x, 0x139659fc39116bp-80);
  p = fma_d(p, x, 0x152ea82864d354p-73);
  p = fma_d(p, x, -0x14d2bef5fee1f7p-73);
  p = fma_d(p, x, -0x19a92381356f1dp-67);
  p = fma_d(p, x, 0x1b42c3ed153fe9p-67);
  p = fma_d(p, x, 0x1234e4182af77dp-61);
  p = fma_d(p, x, -0x12ee612e3c393p-57);
  p = fma_d(p, x, -0x1875865212482ep-57);
  p = fma_d(p, x, 0x13708b46087cbap-57);
  p = fma_d(p, x, 0x12e2546a1905cfp-54);
  return p;
}

// y0(x) = (2/pi) log(x/0.8936) j0(x) + (x^2 - 0.7985) P(x^2), x <= 2.2; error 2^-25.5
INLINE float poly_y0_small_f(float x) {
  float p = -0xa1c5bdp-53f;
  p = fma_f(p, x, 0xf2a0c8p-47f);
  p = fma_f(p, x, -0xa6674fp-40f);
  p = fma_f(p, x, 0x93484bp-34f);
  p = fma_f(p, x, -0x892c3p-25f);
  p = fma_f(p, x, 0xba8409p-26f);
  return p;
}

// y0(x) = (2/pi) log(x/0.8936) j0(x) + (x^2 - 0.7985) P(x^2), x <= 2.2; error 2^-55.4
INLINE double poly_y0_small_d(double x) {
  double p = 0x14447ae4131eb6p-115;
  p = fma_d(p, x, -0x1124e05e29978fp-110);
  p = fma_d(p, x, 0x19037002da602cp-107);
  p = fma_d(p, x, -0x10bfe46971570ep-104);
  p = fma_d(p, x, -0x126dce54486122p-98);
  p = fma_d(p, x, 0x12e7ad258c865fp-90);
  p = fma_d(p, x, -0x1b7963f573b929p-83);
  p = fma_d(p, x, 0x1cf041234697ecp-76);
  p = fma_d(p, x, -0x14c030d979208fp-69);
  p = fma_d(p, x, 0x1268a9aaae84c7p-63);
  p = fma_d(p, x, -0x112583f4a4abap-54);
  p = fma_d(p, x, 0x1750811790a13cp-55);
  return p;
}

// y0(x) = (x - 3.95768) P(x - 3.85), 2.2 <= x <= 5.5; error 2^-25.3
INLINE float poly_y0_middle_f(float x) {
  float p = 0x943d75p-52f;
  p = fma_f(p, x, -0xe0547fp-49f);
  p = fma_f(p, x, -0xe1aeaap-49f);
  p = fma_f(p, x, 0x899998p-45f);
  p = fma_f(p, x, 0xd56e0ep-49f);
  p = fma_f(p, x, -0x86bc6bp-43f);
  p = fma_f(p, x, -0x9fa3eap-41f);
  p = fma_f(p, x, 0xe94a19p-38f);
  p = fma_f(p, x, 0xa91af2p-36f);
  p = fma_f(p, x, -0x9571acp-32f);
  p = fma_f(p, x, -0xc10759p-31f);
  p = fma_f(p, x, 0xf8264dp-28f);
  p = fma_f(p, x, 0x9bc02fp-28f);
  p = fma_f(p, x, -0xd08ddp-21f);
  return p;
}

// y0(x) = (x - 3.95768) P(x - 3.85), 2.2 <= x <= 5.5; error 2^-56.0
INLINE double poly_y0_middle_d(double x) {
  double p = 0x19c184efa2c33dp-108;
  p = fma_d(p, x, -0x10b15d6c457c28p-104);
  p = fma_d(p, x, -0x104704cc73ee1cp-103);
  p = fma_d(p, x, 0x13891b3814f8a1p-100);
  p = fma_d(p, x, 0x1e1c6549e3cf32p-101);
  p = fma_d(p, x, -0x12bbae3fdaad45p-97);
  p = fma_d(p, x, -0x171d33337af6dbp-98);
  p = fma_d(p, x, 0x18669ff1c67d62p-95);
  p = fma_d(p, x, -0x1189b3a92e4e64p-99);
  p = fma_d(p, x, -0x10908cba883aa4p-94);
  p = fma_d(p, x, -0x12f767e159842bp-92);
  p = fma_d(p, x, 0x15972b0a2f6605p-90);
  p = fma_d(p, x, -0x1186e0b7f517c4p-88);
  p = fma_d(p, x, 0x11bd98b8869938p-86);
  p = fma_d(p, x, -0x1273132ba36cc4p-84);
  p = fma_d(p, x, 0x12993adbdb41c4p-82);
  p = fma_d(p, x, -0x14c7d6f987e356p-80);
  p = fma_d(p, x, 0x19aea31c16214cp-78);
  p = fma_d(p, x, -0x180cd240ae58f8p-77);
  p = fma_d(p, x, -0x118eb1a39a8f2cp-74);
  p = fma_d(p, x, -0x1383c6dbe995f1p-70);
  p = fma_d(p, x, 0x1c9565a5ae31bcp-67);
  p = fma_d(p, x, 0x1520ea1a148cedp-65);
  p = fma_d(p, x, -0x12aca1ae797a4dp-61);
  p = fma_d(p, x, -0x1820e5d5436533p-60);
  p = fma_d(p, x, 0x1f04c3133bd755p-57);
  p = fma_d(p, x, 0x137805d66adab6p-57);
  p = fma_d(p, x, -0x1a11b9f5a7b7cap-54);
  return p;
}

// y0(x) = (x - 7.08605) P(x - 6.75), 5.5 <= x <= 8; error 2^-24.8
INLINE float poly_y0_upper_f(float x) {
  float p = 0x83e516p-44f;
  p = fma_f(p, x, 0x87a5a2p-43f);
  p = fma_f(p, x, -0xd17b5ep-38f);
  p = fma_f(p, x, -0xb366a4p-38f);
  p = fma_f(p, x, 0x98c17ep-32f);
  p = fma_f(p, x, 0x8dd5e4p-35f);
  p = fma_f(p, x, -0xcc3019p-28f);
  p = fma_f(p, x, 0xc2c5dbp-30f);
  p = fma_f(p, x, 0x9a7772p-25f);
  return p;
}

// y0(x) = (x - 7.08605) P(x - 6.75), 5.5 <= x <= 8; error 2^-55.0
INLINE double poly_y0_upper_d(double x) {
  double p = 0x17c8b5afba801bp-105;
  p = fma_d(p, x, 0x192c2c429e5d69p-100);
  p = fma_d(p, x, -0x133fa89c06d94ep-103);
  p = fma_d(p, x, -0x1691bf61324938p-95);
  p = fma_d(p, x, -0x1968d6456f295fp-93);
  p = fma_d(p, x, 0x120b285e03fc9ep-87);
  p = fma_d(p, x, 0x1d3ffb2c24859ap-86);
  p = fma_d(p, x, -0x16f5231e30fcdfp-80);
  p = fma_d(p, x, -0x1df4887b8b2eafp-79);
  p = fma_d(p, x, 0x1596ead2376507p-73);
  p = fma_d(p, x, 0x11a6af67805232p-72);
  p = fma_d(p, x, -0x1a6ce14ec3efd4p-67);
  p = fma_d(p, x, -0x1671ee28d3dc9fp-67);
  p = fma_d(p, x, 0x131928eb7886b5p-61);
  p = fma_d(p, x, 0x11bae915955c3ap-64);
  p = fma_d(p, x, -0x1986087c7fc401p-57);
  p = fma_d(p, x, 0x1858bb5a4fa6f3p-59);
  p = fma_d(p, x, 0x134eee4b2f27c7p-54);
  return p;
}

// y1(x) = (2/pi) (log(x) j1(x) - 1/x) + x P(x^2), x <= 1.5; error 2^-27.5
INLINE float poly_y1_small_f(float x) {
  float p = 0xb5d85bp-48f;
  p = fma_f(p, x, -0x9f0e9dp-43f);
  p = fma_f(p, x, 0x970f73p-37f);
  p = fma_f(p, x, -0xc1b33ap-32f);
  p = fma_f(p, x, 0xde9cd5p-28f);
  p = fma_f(p, x, -0xc8c331p-26f);
  return p;
}

// y1(x) = (2/pi) (log(x) j1(x) - 1/x) + x P(x^2), x <= 1.5; error 2^-56.9
INLINE double poly_y1_small_d(double x) {
  double p = 0x1d9a5ed508b06p-99;
  p = fma_d(p, x, -0x14ff3e24247616p-99);
  p = fma_d(p, x, 0x18d084cb18c6a7p-97);
  p = fma_d(p, x, 0x1452e4985bd935p-95);
  p = fma_d(p, x, -0x1ef168a2bad92cp-87);
  p = fma_d(p, x, 0x132e3eb1df76a3p-79);
  p = fma_d(p, x, -0x10a7808a93dee1p-72);
  p = fma_d(p, x, 0x12c7dbff9ddc3cp-66);
  p = fma_d(p, x, -0x1835b978947869p-61);
  p = fma_d(p, x, 0x1bd3975c75b456p-57);
  p = fma_d(p, x, -0x191866143cbc8ap-55);
  return p;
}

// y1(x) = (x - 2.19714) P(x - 2.65), 1.5 <= x <= 3.8; error 2^-29.4
INLINE float poly_y1_middle_f(float x) {
  float p = -0xdd86d4p-45f;
  p = fma_f(p, x, 0xf69001p-43f);
  p = fma_f(p, x, -0xbe6b01p-42f);
  p = fma_f(p, x, 0x8deb4fp-41f);
  p = fma_f(p, x, -0xfd1cd1p-40f);
  p = fma_f(p, x, 0xbe6d0fp-38f);
  p = fma_f(p, x, -0xe520e3p-37f);
  p = fma_f(p, x, 0x885b5ep-35f);
  p = fma_f(p, x, -0x8b84c8p-33f);
  p = fma_f(p, x, 0xf0d338p-32f);
  p = fma_f(p, x, 0x9b962bp-31f);
  p = fma_f(p, x, -0x83a387p-28f);
  p = fma_f(p, x, -0x987db9p-26f);
  p = fma_f(p, x, 0xeb9fa5p-25f);
  return p;
}

// y1(x) = (x - 2.19714) P(x - 2.65), 1.5 <= x <= 3.8; error 2^-53.9
INLINE double poly_y1_middle_d(double x) {
  double p = 0x11a5ed05149221p-90;
  p = fma_d(p, x, -0x19c6f6f6e9b549p-89);
  p = fma_d(p, x, -0x1912d2f0e3f309p-87);
  p = fma_d(p, x, 0x11dadf4edc6b0dp-85);
  p = fma_d(p, x, 0x14d0656ba4325bp-85);
  p = fma_d(p, x, -0x1dd923410761c4p-84);
  p = fma_d(p, x, -0x125649c77ec8f6p-83);
  p = fma_d(p, x, 0x197a661d1ae8bep-82);
  p = fma_d(p, x, -0x1bf263f34e1a9ap-84);
  p = fma_d(p, x, 0x10e7b691adf28ap-82);
  p = fma_d(p, x, -0x100b22b22365eap-79);
  p = fma_d(p, x, 0x1550c57eef3eaep-78);
  p = fma_d(p, x, -0x19b9dcacf67093p-77);
  p = fma_d(p, x, 0x11013212f09689p-75);
  p = fma_d(p, x, -0x16ae5f74cfe288p-74);
  p = fma_d(p, x, 0x1df785db2fb072p-73);
  p = fma_d(p, x, -0x13c43d3b690adep-71);
  p = fma_d(p, x, 0x1a0f98bb25e50ep-70);
  p = fma_d(p, x, -0x1139f9ff89005bp-68);
  p = fma_d(p, x, 0x16c9c00b11e677p-67);
  p = fma_d(p, x, -0x1c4b01f904ac73p-66);
  p = fma_d(p, x, 0x111b59a35bac6bp-64);
  p = fma_d(p, x, -0x1173122a1c05c2p-62);
  p = fma_d(p, x, 0x1e19f0580b3d62p-61);
  p = fma_d(p, x, 0x1372e2d57be216p-60);
  p = fma_d(p, x, -0x107470373b48b5p-57);
  p = fma_d(p, x, -0x130fb72cc0f2cap-55);
  p = fma_d(p, x, 0x1d73f49fa72831p-54);
  return p;
}

// y1(x) = (x - 5.42968) P(x - 5.9), 3.8 <= x <= 8; error 2^-25.9
INLINE float poly_y1_upper_f(float x) {
  float p = 0xba4c06p-55f;
  p = fma_f(p, x, -0xb8af82p-56f);
  p = fma_f(p, x, -0xec890dp-53f);
  p = fma_f(p, x, 0xbe3885p-48f);
  p = fma_f(p, x, -0xc0a101p-45f);
  p = fma_f(p, x, -0x9bc2d5p-41f);
  p = fma_f(p, x, 0x8dedc2p-38f);
  p = fma_f(p, x, 0x890d56p-35f);
  p = fma_f(p, x, -0xdc176p-29f);
  p = fma_f(p, x, -0x801d84p-30f);
  p = fma_f(p, x, 0xad9f96p-28f);
  p = fma_f(p, x, 0x9aea57p-27f);
  p = fma_f(p, x, -0xa1333fp-25f);
  return p;
}

// y1(x) = (x - 5.42968) P(x - 5.9), 3.8 <= x <= 8; error 2^-54.1
INLINE double poly_y1_upper_d(double x) {
  double p = 0x1addc93189eafap-114;
  p = fma_d(p, x, -0x17ac50bf2af368p-112);
  p = fma_d(p, x, -0x16d3e4daa0409dp-109);
  p = fma_d(p, x, 0x14334cc11c838bp-107);
  p = fma_d(p, x, 0x10a51bdf3b71fbp-105);
  p = fma_d(p, x, -0x1d2262760563a7p-104);
  p = fma_d(p, x, -0x1e39d01dce3fc6p-103);
  p = fma_d(p, x, 0x1b7e63274ae657p-101);
  p = fma_d(p, x, 0x11f799ff08b23p-97);
  p = fma_d(p, x, -0x108bfee7e43748p-100);
  p = fma_d(p, x, -0x134091e0866769p-96);
  p = fma_d(p, x, 0x1d096fd5093d4p-90);
  p = fma_d(p, x, 0x15cbca019fa9fbp-95);
  p = fma_d(p, x, -0x12618d4a9001dcp-89);
  p = fma_d(p, x, -0x1c8c154a66e3d8p-84);
  p = fma_d(p, x, 0x1e801fbfd92e3dp-81);
  p = fma_d(p, x, 0x194748a1a6f504p-77);
  p = fma_d(p, x, -0x1a223651831116p-74);
  p = fma_d(p, x, -0x138444ff7ab597p-70);
  p = fma_d(p, x, 0x11c8f03c7dbd3fp-67);
  p = fma_d(p, x, 0x1121f8dc067283p-64);
  p = fma_d(p, x, -0x1b835ddba84a5ep-62);
  p = fma_d(p, x, -0x1003b1f0e89c57p-59);
  p = fma_d(p, x, 0x15b3f47d032b6fp-57);
  p = fma_d(p, x, 0x135d4ae4e9ee37p-56);
  p = fma_d(p, x, -0x142667e54d7a82p-54);
  return p;
}

// sqrt(pi x/2 (j0^2 + y0^2)) in 1/x^2, x >= 8; error 2^-29.0
INLINE float poly_bessel_modulus0_f(float x) {
  float p = -0xd42db7p-25f;
  p = fma_f(p, x, 0xd1ddf4p-27f);
  p = fma_f(p, x, -0xfffd5ap-28f);
  p = fma_f(p, x, 0x8p-3f);
  return p;
}

// sqrt(pi x/2 (j0^2 + y0^2)) in 1/x^2, x >= 8; error 2^-58.1
INLINE double poly_bessel_modulus0_d(double x) {
  double p = 0x13782d0c525687p-13;
  p = fma_d(p, x, -0x1228601bd2a5b2p-16);
  p = fma_d(p, x, 0x1fed970d9b9a61p-21);
  p = fma_d(p, x, -0x122911aa70b45ap-25);
  p = fma_d(p, x, 0x1fe6da1ddaab37p-31);
  p = fma_d(p, x, -0x19a4dca417e40cp-36);
  p = fma_d(p, x, 0x16cc5476b1406dp-41);
  p = fma_d(p, x, -0x1aaf0059dd560cp-46);
  p = fma_d(p, x, 0x1764c177120d8ep-50);
  p = fma_d(p, x, -0x115eff3bb49edfp-53);
  p = fma_d(p, x, 0x1a7fffff0b808dp-56);
  p = fma_d(p, x, -0x1fffffffffe53ep-57);
  p = fma_d(p, x, 0x1p+0);
  return p;
}

// x (phase of order 0 - x + pi/4...) in 1/x^2, x >= 8; error 2^-27.0
INLINE float poly_bessel_phase0_f(float x) {
  float p = 0x914e98p-23f;
  p = fma_f(p, x, -0xd223aep-26f);
  p = fma_f(p, x, 0x854e69p-27f);
  p = fma_f(p, x, -0xffffffp-27f);
  return p;
}

// x (phase of order 0 - x + pi/4...) in 1/x^2, x >= 8; error 2^-55.1
INLINE double poly_bessel_phase0_d(double x) {
  double p = -0x1390e51bc45c19p-10;
  p = fma_d(p, x, 0x12185427c0f211p-13);
  p = fma_d(p, x, -0x1f5cd6dff3e13dp-18);
  p = fma_d(p, x, 0x1163a8b9ee362bp-22);
  p = fma_d(p, x, -0x1d2d1996e94a9ap-28);
  p = fma_d(p, x, 0x15a5eb341a20bcp-33);
  p = fma_d(p, x, -0x10f70865b94639p-38);
  p = fma_d(p, x, 0x10b1b2d08151cfp-43);
  p = fma_d(p, x, -0x1778e2fdd940dp-44);
  p = fma_d(p, x, 0x1a3580c70c76b5p-52);
  p = fma_d(p, x, -0x1ad3332e1ca801p-55);
  p = fma_d(p, x, 0x10aaaaaaa9fcdap-56);
  p = fma_d(p, x, -0x1ffffffffffffep-56);
  return p;
}

// sqrt(pi x/2 (j1^2 + y1^2)) in 1/x^2, x >= 8; error 2^-28.5
INLINE float poly_bessel_modulus1_f(float x) {
  float p = 0xa1dc1ap-24f;
  p = fma_f(p, x, -0xc48d8ap-26f);
  p = fma_f(p, x, 0xbfff19p-26f);
  p = fma_f(p, x, 0x8p-3f);
  return p;
}

// sqrt(pi x/2 (j1^2 + y1^2)) in 1/x^2, x >= 8; error 2^-57.9
INLINE double poly_bessel_modulus1_d(double x) {
  double p = -0x16084b42125852p-13;
  p = fma_d(p, x, 0x1494e7d79545fbp-16);
  p = fma_d(p, x, -0x1224605752942ep-20);
  p = fma_d(p, x, 0x14ba8e7eac6c61p-25);
  p = fma_d(p, x, -0x12597038ed3f11p-30);
  p = fma_d(p, x, 0x1deadabedfc85bp-36);
  p = fma_d(p, x, -0x1b3eb8c01fb42ap-41);
  p = fma_d(p, x, 0x1092e9d60e71d9p-45);
  p = fma_d(p, x, -0x1ef55cbc49a57bp-50);
  p = fma_d(p, x, 0x19c4ff23b21d96p-53);
  p = fma_d(p, x, -0x18bfffff76b8b3p-55);
  p = fma_d(p, x, 0x17fffffffff87cp-55);
  p = fma_d(p, x, 0x1p+0);
  return p;
}

// x (phase of order 1 - x + pi/4...) in 1/x^2, x >= 8; error 2^-26.7
INLINE float poly_bessel_phase1_f(float x) {
  float p = -0xdd0e0fp-23f;
  p = fma_f(p, x, 0xbb4719p-25f);
  p = fma_f(p, x, -0xa7fcc6p-26f);
  p = fma_f(p, x, 0xcp-5f);
  return p;
}

// x (phase of order 1 - x + pi/4...) in 1/x^2, x >= 8; error 2^-54.1
INLINE double poly_bessel_phase1_d(double x) {
  double p = 0x15af714b196931p-10;
  p = fma_d(p, x, -0x142718c951f1b4p-13);
  p = fma_d(p, x, 0x119205e73ce062p-17);
  p = fma_d(p, x, -0x13a32eb05c6135p-22);
  p = fma_d(p, x, 0x10a6e6dbf4ca1dp-27);
  p = fma_d(p, x, -0x191973bb4c9cefp-33);
  p = fma_d(p, x, 0x14237731a7bd5dp-38);
  p = fma_d(p, x, -0x148c261e488de2p-43);
  p = fma_d(p, x, 0x1e9edba0e37c39p-48);
  p = fma_d(p, x, -0x12f4848659d225p-51);
  p = fma_d(p, x, 0x17bcccc98224dap-54);
  p = fma_d(p, x, -0x14ffffffff8393p-55);
  p = fma_d(p, x, 0x17ffffffffffffp-54);
  return p;
}

// i0(x) in x^2, x <= 8; error 2^-36.3
INLINE float poly_i0_small_f(float x) {
  float p = 0xc75309p-105f;
  p = fma_f(p, x, 0xc3f96fp-96f);
  p = fma_f(p, x, 0xa1fd11p-87f);
  p = fma_f(p, x, 0x8779a2p-78f);
  p = fma_f(p, x, 0xa8a834p-70f);
  p = fma_f(p, x, 0xa923dcp-62f);
  p = fma_f(p, x, 0x8172fap-54f);
  p = fma_f(p, x, 0x91a2d1p-47f);
  p = fma_f(p, x, 0xe38e36p-41f);
  p = fma_f(p, x, 0xe38e39p-35f);
  p = fma_f(p, x, 0x8p-9f);
  p = fma_f(p, x, 0x8p-5f);
  p = fma_f(p, x, 0x8p-3f);
  return p;
}

// i0(x) in x^2, x <= 8; error 2^-67.9
INLINE double poly_i0_small_d(double x) {
  double p = 0x16182f6eeecae4p-205;
  p = fma_d(p, x, -0x1c03ccf1da535ep-196);
  p = fma_d(p, x, 0x10767c4a0e4dcp-183);
  p = fma_d(p, x, -0x17cd408f6573ddp-180);
  p = fma_d(p, x, 0x17b0342e2c3295p-173);
  p = fma_d(p, x, -0x11358a392467fep-166);
  p = fma_d(p, x, 0x12e3ed90a57fd5p-160);
  p = fma_d(p, x, -0x1fe14cc0611208p-155);
  p = fma_d(p, x, 0x165a9278e5980ep-149);
  p = fma_d(p, x, 0x1122363628e72fp-145);
  p = fma_d(p, x, 0x14a7e858da0781p-134);
  p = fma_d(p, x, 0x16970006fe8826p-125);
  p = fma_d(p, x, 0x156045309fa38p-112);
  p = fma_d(p, x, 0x10b3121b8dc068p-107);
  p = fma_d(p, x, 0x1522a448dc46f3p-99);
  p = fma_d(p, x, 0x1522a43f278537p-91);
  p = fma_d(p, x, 0x102e85c08aa24cp-83);
  p = fma_d(p, x, 0x123456789ab68bp-76);
  p = fma_d(p, x, 0x1c71c71c71c746p-70);
  p = fma_d(p, x, 0x1c71c71c71c71cp-64);
  p = fma_d(p, x, 0x1p-6);
  p = fma_d(p, x, 0x1p-2);
  p = fma_d(p, x, 0x1p+0);
  return p;
}

// i1(x)/x in x^2, x <= 8; error 2^-33.2
INLINE float poly_i1_small_f(float x) {
  float p = 0xf723afp-104f;
  p = fma_f(p, x, -0x9e5fd8p-95f);
  p = fma_f(p, x, 0xc9d4ccp-88f);
  p = fma_f(p, x, -0x86e399p-82f);
  p = fma_f(p, x, 0xc6fb32p-74f);
  p = fma_f(p, x, 0xa2c86cp-66f);
  p = fma_f(p, x, 0x9478bbp-58f);
  p = fma_f(p, x, 0xc22048p-51f);
  p = fma_f(p, x, 0xb60c3cp-44f);
  p = fma_f(p, x, 0xe38e2bp-38f);
  p = fma_f(p, x, 0xaaaaabp-32f);
  p = fma_f(p, x, 0x8p-7f);
  p = fma_f(p, x, 0x8p-4f);
  return p;
}

// i1(x)/x in x^2, x <= 8; error 2^-65.2
INLINE double poly_i1_small_d(double x) {
  double p = -0x10b5ed19c92164p-204;
  p = fma_d(p, x, 0x15b07e99ae34abp-195);
  p = fma_d(p, x, -0x1a24989a1b52b8p-187);
  p = fma_d(p, x, 0x136c277a7e5b49p-179);
  p = fma_d(p, x, -0x13e9d37ce9aa3bp-172);
  p = fma_d(p, x, 0x1de39a2ed101f9p-166);
  p = fma_d(p, x, -0x10ff49b58518a3p-159);
  p = fma_d(p, x, 0x1decb579453f09p-154);
  p = fma_d(p, x, -0x149f3d204ee6c4p-148);
  p = fma_d(p, x, 0x1702544e9ae5c4p-143);
  p = fma_d(p, x, -0x1bc946c63ccfbp-136);
  p = fma_d(p, x, 0x1fc8ea2bf5a90bp-130);
  p = fma_d(p, x, 0x1f098b29910256p-121);
  p = fma_d(p, x, 0x1ab879966929p-104);
  p = fma_d(p, x, 0x12c973c88895f2p-103);
  p = fma_d(p, x, 0x1522a44c7a6b89p-95);
  p = fma_d(p, x, 0x127e4fb73362cbp-87);
  p = fma_d(p, x, 0x1845c8a0d043cp-76);
  p = fma_d(p, x, 0x16c16c16c16347p-73);
  p = fma_d(p, x, 0x1c71c71c71c748p-67);
  p = fma_d(p, x, 0x15555555555555p-61);
  p = fma_d(p, x, 0x1p-4);
  p = fma_d(p, x, 0x1p-1);
  return p;
}

// i0(x) sqrt(x) e^-x in 1/x, x >= 8; error 2^-26.0
INLINE float poly_i0_large_f(float x) {
  float p = -0xb80c21p-17f;
  p = fma_f(p, x, 0xaa6e6bp-18f);
  p = fma_f(p, x, -0xede924p-21f);
  p = fma_f(p, x, 0xb50c7fp-24f);
  p = fma_f(p, x, -0xf6a32ap-34f);
  p = fma_f(p, x, 0xeb4164p-29f);
  p = fma_f(p, x, 0xcc3c05p-28f);
  p = fma_f(p, x, 0xcc422ap-25f);
  return p;
}

// i0(x) sqrt(x) e^-x in 1/x, x >= 8; error 2^-55.1
INLINE double poly_i0_large_d(double x) {
  double p = 0x189c2da01a723ap+2;
  p = fma_d(p, x, -0x1093a595b015b7p+3);
  p = fma_d(p, x, 0x149e1025d5681p+6);
  p = fma_d(p, x, -0x1f64c334ba01b2p+0);
  p = fma_d(p, x, 0x105ca75c5a9ce3p-1);
  p = fma_d(p, x, -0x18bfef9524a01fp-4);
  p = fma_d(p, x, 0x1c1a83c47af0b5p-7);
  p = fma_d(p, x, -0x187584dc707da7p-10);
  p = fma_d(p, x, 0x108500dc49654dp-13);
  p = fma_d(p, x, -0x116cf0bc275b04p-17);
  p = fma_d(p, x, 0x1cbcaadb162fdp-18);
  p = fma_d(p, x, -0x12719a90d389c6p-26);
  p = fma_d(p, x, 0x123c9946177eaap-31);
  p = fma_d(p, x, -0x1b3f8ec5898b0ap-37);
  p = fma_d(p, x, 0x1dd4bb18dbabfp-39);
  p = fma_d(p, x, -0x14d40de8763f16p-49);
  p = fma_d(p, x, 0x135a7b466a8fadp-54);
  p = fma_d(p, x, 0x172f5247ab266fp-56);
  p = fma_d(p, x, 0x16e7eae7b67b0ep-57);
  p = fma_d(p, x, 0x1debb380d00cc7p-58);
  p = fma_d(p, x, 0x1cb94dd7efcf76p-58);
  p = fma_d(p, x, 0x19884533d4bcc9p-57);
  p = fma_d(p, x, 0x19884533d4364ep-54);
  return p;
}

// i1(x) sqrt(x) e^-x in 1/x, x >= 8; error 2^-26.0
INLINE float poly_i1_large_f(float x) {
  float p = -0xd6483ap-17f;
  p = fma_f(p, x, 0xb5abafp-18f);
  p = fma_f(p, x, -0xfee7a5p-21f);
  p = fma_f(p, x, 0x9ef21ap-24f);
  p = fma_f(p, x, -0x924cacp-27f);
  p = fma_f(p, x, -0xbcbeddp-28f);
  p = fma_f(p, x, -0x993329p-26f);
  p = fma_f(p, x, 0xcc422ap-25f);
  return p;
}

// i1(x) sqrt(x) e^-x in 1/x, x >= 8; error 2^-54.9
INLINE double poly_i1_large_d(double x) {
  double p = -0x191b4baf289d2p+6;
  p = fma_d(p, x, 0x10ee703a56f814p+3);
  p = fma_d(p, x, -0x1514d7f9431423p+2);
  p = fma_d(p, x, 0x10109d26a4b795p+1);
  p = fma_d(p, x, -0x10c1d563ae17c4p-1);
  p = fma_d(p, x, 0x195b44f1b5d683p-4);
  p = fma_d(p, x, -0x1cc9fbd96e9761p-7);
  p = fma_d(p, x, 0x190922c0a944abp-10);
  p = fma_d(p, x, -0x10e12279e34a98p-13);
  p = fma_d(p, x, 0x11bfd7b8594dccp-17);
  p = fma_d(p, x, -0x1d1e57d9a477dcp-22);
  p = fma_d(p, x, 0x1287c6c57f263p-22);
  p = fma_d(p, x, -0x12114b318556bcp-31);
  p = fma_d(p, x, 0x1a59e9d63345bap-37);
  p = fma_d(p, x, -0x1b94289f15028ep-43);
  p = fma_d(p, x, 0x10e34e60ac0b31p-49);
  p = fma_d(p, x, -0x13e2ffed055324p-54);
  p = fma_d(p, x, -0x1c71a38d826bb5p-56);
  p = fma_d(p, x, -0x1d730797e4c608p-57);
  p = fma_d(p, x, -0x14f1ca93a1daecp-57);
  p = fma_d(p, x, -0x17efc0deebfb3ep-57);
  p = fma_d(p, x, -0x132633e6df56b9p-55);
  p = fma_d(p, x, 0x19884533d43654p-54);
  return p;
}
