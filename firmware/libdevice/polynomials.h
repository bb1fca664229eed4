// SPDX-License-Identifier: Apache-2.0
// Made by fit_polynomials.py; do not edit. Polynomials by Horner's rule with fused steps.
#pragma once

#include "pair.h"

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

// erfinv(x)/x in w - 2.5, w = -log(1 - x^2) <= 5; error 2^-31.2
INLINE pair_f poly_erfinv_centre_f(pair_f x) {
  float p = 0x9209c2p-56f;
  p = fma_f(p, x.hi, 0xf01d4ep-55f);
  p = fma_f(p, x.hi, -0xbd5f15p-50f);
  p = fma_f(p, x.hi, 0x8d6629p-49f);
  p = fma_f(p, x.hi, 0x80c4a4p-44f);
  p = fma_f(p, x.hi, -0xe5eac3p-42f);
  p = fma_f(p, x.hi, -0xa7bb1p-37f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xe4ddbp-32f, -0x8d55p-60f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xa431cdp-33f, 0x972554p-59f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0x88e1fp-27f, -0xcd7c3ap-56f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xfc8f45p-26f, -0x8d31aap-51f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xc02e2ep-23f, 0xff6fb8p-48f));
  return s;
}

// erfinv(x)/x in w - 2.5, w = -log(1 - x^2) <= 5; error 2^-63.8
INLINE pair_d poly_erfinv_centre_d(pair_d x) {
  double p = 0x14a8970ef5243p-118;
  p = fma_d(p, x.hi, 0x1f3c4189f67b12p-121);
  p = fma_d(p, x.hi, -0x1ff992a3366759p-116);
  p = fma_d(p, x.hi, 0x1e00abe00498c5p-117);
  p = fma_d(p, x.hi, 0x197e07f7d34ec3p-110);
  p = fma_d(p, x.hi, -0x1cc64f8c5d0a7dp-108);
  p = fma_d(p, x.hi, -0x147c769b20ca83p-105);
  p = fma_d(p, x.hi, 0x10eefb9084b29p-97);
  p = fma_d(p, x.hi, -0x19aba7cf2060efp-101);
  p = fma_d(p, x.hi, -0x1566bbb27aab6dp-96);
  p = fma_d(p, x.hi, 0x12d78943e0a259p-93);
  p = fma_d(p, x.hi, 0x1007c6ef738dd3p-92);
  p = fma_d(p, x.hi, -0x11194a1062c1adp-87);
  p = fma_d(p, x.hi, 0x1070536ece5bc1p-85);
  p = fma_d(p, x.hi, 0x1f2cb93991b0f8p-83);
  p = fma_d(p, x.hi, -0x1752fdd126919p-75);
  p = fma_d(p, x.hi, 0x1ccff751df852p-75);
  p = fma_d(p, x.hi, 0x101037e4265a23p-73);
  p = fma_d(p, x.hi, -0x1ca9227cb79061p-71);
  p = fma_d(p, x.hi, -0x14f47fe73a373bp-70);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1c9b437ed2b5bp-61, 0x1ceea51f93c19ep-119));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x14863cdfb61493p-62, 0x15329525336a48p-117));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x111c3c302dfe47p-60, -0x1d2b00085e993p-113));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1f91e8993f0d14p-55, -0x15e62250ab86fp-105));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1805c5cfcedef5p-52, -0x12c541ac61f0b2p-106));
  return s;
}

// erfinv(x)/x in sqrt(w) - 3, 5 <= w <= 17; error 2^-30.1
INLINE pair_f poly_erfinv_tail_f(pair_f x) {
  float p = -0xe06a7dp-41f;
  p = fma_f(p, x.hi, -0xa32168p-39f);
  p = fma_f(p, x.hi, 0xb1e97fp-36f);
  p = fma_f(p, x.hi, -0x9a0ad2p-35f);
  p = fma_f(p, x.hi, -0x829835p-36f);
  p = fma_f(p, x.hi, 0xc29593p-33f);
  p = fma_f(p, x.hi, -0xe9b37dp-32f);
  p = fma_f(p, x.hi, 0xba4cddp-31f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xfa7172p-31f, -0xbe4f8p-54f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x9ac145p-30f, 0xc3951ap-55f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x8036e5p-23f, -0xbd264p-48f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xb54f7ep-22f, -0xa436dp-45f));
  return s;
}

// erfinv(x)/x in sqrt(w) - 3, 5 <= w <= 17; error 2^-60.3
INLINE pair_d poly_erfinv_tail_d(pair_d x) {
  double p = 0x1555816cdff1f6p-87;
  p = fma_d(p, x.hi, 0x1dc6578145ea46p-84);
  p = fma_d(p, x.hi, -0x11b5c13e72f54fp-80);
  p = fma_d(p, x.hi, 0x1776d4ff97c273p-79);
  p = fma_d(p, x.hi, -0x109e1cf735944ep-82);
  p = fma_d(p, x.hi, -0x1116d0669bdc9cp-76);
  p = fma_d(p, x.hi, 0x1615d547cdd2ffp-75);
  p = fma_d(p, x.hi, -0x159aff09c254cfp-76);
  p = fma_d(p, x.hi, -0x15813d0ce6000fp-73);
  p = fma_d(p, x.hi, 0x10c8ced86252a3p-71);
  p = fma_d(p, x.hi, -0x1bc2f05f618243p-72);
  p = fma_d(p, x.hi, -0x18f2ccfb4f182p-66);
  p = fma_d(p, x.hi, 0x17004dbb35bc8ep-68);
  p = fma_d(p, x.hi, -0x17fbeac89bd877p-68);
  p = fma_d(p, x.hi, -0x185bdbb99ea516p-67);
  p = fma_d(p, x.hi, 0x1aeffe000dc9dfp-65);
  p = fma_d(p, x.hi, -0x128e09dc4b6f16p-64);
  p = fma_d(p, x.hi, -0x138430f8b37158p-65);
  p = fma_d(p, x.hi, 0x184f3ed5e4699ep-62);
  p = fma_d(p, x.hi, -0x1d2754fd25a5bp-57);
  p = fma_d(p, x.hi, 0x17495888ecea66p-60);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x1f4f1c6f0bfdbcp-60, -0x1006303dbab62p-113));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x13582c8114bb93p-59, 0x19471975ddadcp-113));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1006dca7a9c22ap-52, 0x14bba7dd01cc92p-106));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x16a9efbd66eae6p-51, 0x15ea3fc4817cd6p-105));
  return s;
}

// erfinv(x)/x in sqrt(w) - 7, 17 <= w <= 104; error 2^-32.4
INLINE pair_f poly_erfinv_far_f(pair_f x) {
  float p = 0xbb508ap-60f;
  p = fma_f(p, x.hi, -0x8fd35p-53f);
  p = fma_f(p, x.hi, 0xc53279p-57f);
  p = fma_f(p, x.hi, -0xd7ddbfp-54f);
  p = fma_f(p, x.hi, 0xa25ff6p-50f);
  p = fma_f(p, x.hi, -0xf66b24p-48f);
  p = fma_f(p, x.hi, 0xa7149p-41f);
  p = fma_f(p, x.hi, -0xd7f9b3p-43f);
  p = fma_f(p, x.hi, 0xcb5a7cp-41f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xd2742fp-41f, -0xa30efcp-67f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0x8663f5p-34f, -0x8d5e38p-61f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x8119a9p-23f, 0xaa5eaep-48f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xdbcf02p-21f, 0x9ab8a6p-46f));
  return s;
}

// erfinv(x)/x in sqrt(w) - 7, 17 <= w <= 104; error 2^-58.7
INLINE pair_d poly_erfinv_far_d(pair_d x) {
  double p = 0x15b207a4be2b42p-129;
  p = fma_d(p, x.hi, 0x1f26f4dc24455dp-125);
  p = fma_d(p, x.hi, -0x1fd16c7a31e03dp-121);
  p = fma_d(p, x.hi, 0x13e185514eb631p-120);
  p = fma_d(p, x.hi, 0x10430ea33185f5p-115);
  p = fma_d(p, x.hi, -0x1c4a0b32f2aa29p-114);
  p = fma_d(p, x.hi, -0x1553000292945ep-112);
  p = fma_d(p, x.hi, 0x1b174bb9577b95p-110);
  p = fma_d(p, x.hi, 0x17ddb565caab1bp-109);
  p = fma_d(p, x.hi, -0x1322e48cb3c21cp-106);
  p = fma_d(p, x.hi, -0x177a3626e38026p-107);
  p = fma_d(p, x.hi, 0x1feb21b354a583p-104);
  p = fma_d(p, x.hi, 0x14f6fbb6e1d3b5p-105);
  p = fma_d(p, x.hi, -0x15e14a250e8882p-101);
  p = fma_d(p, x.hi, 0x1a5af7f972c713p-102);
  p = fma_d(p, x.hi, -0x19c55765159043p-101);
  p = fma_d(p, x.hi, 0x15c99f7dfa7162p-96);
  p = fma_d(p, x.hi, -0x14cfccad97f6c1p-93);
  p = fma_d(p, x.hi, 0x1209629c6a5ffep-90);
  p = fma_d(p, x.hi, -0x1f9e9df8a99422p-88);
  p = fma_d(p, x.hi, 0x1b3ae17a2068a9p-85);
  p = fma_d(p, x.hi, -0x16d9c9ccc93268p-82);
  p = fma_d(p, x.hi, 0x1294e4e985d125p-79);
  p = fma_d(p, x.hi, -0x1cf1a1a18a76f4p-77);
  p = fma_d(p, x.hi, 0x151660d951e13bp-74);
  p = fma_d(p, x.hi, -0x1b2ae72ddc638bp-72);
  p = fma_d(p, x.hi, 0x19653888077b5bp-70);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1a5be67482c373p-70, 0x131320a84ecf5p-120));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x10cc75708b093ep-63, 0x14f508ebe8ef36p-117));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1023352980a516p-52, -0x14cf18275b04cep-106));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1b79e049a17818p-50, 0x180a4c10f9dd1p-101));
  return s;
}

// erfinv(x)/x in 1/sqrt(w), 104 <= w <= 745; error 2^-60.5
INLINE pair_d poly_erfinv_end_d(pair_d x) {
  double p = 0x1ef0b080a0df4cp+2;
  p = fma_d(p, x.hi, -0x14ef25f97c0087p+3);
  p = fma_d(p, x.hi, 0x1acad7049d5935p+2);
  p = fma_d(p, x.hi, -0x1590436a4634c3p+1);
  p = fma_d(p, x.hi, 0x187c4b67b44bd2p-1);
  p = fma_d(p, x.hi, -0x14dab9ba27a4f8p-3);
  p = fma_d(p, x.hi, 0x1ba878c3fa7a24p-6);
  p = fma_d(p, x.hi, -0x1d432c90971ed1p-9);
  p = fma_d(p, x.hi, 0x191af9303c1932p-12);
  p = fma_d(p, x.hi, -0x11a91bac12cad2p-15);
  p = fma_d(p, x.hi, 0x148625aa3166fbp-19);
  p = fma_d(p, x.hi, -0x13cc056909cbedp-23);
  p = fma_d(p, x.hi, 0x1fce5a4206f435p-28);
  p = fma_d(p, x.hi, -0x155c26d9247d6fp-32);
  p = fma_d(p, x.hi, 0x18338cdce93d7ap-37);
  p = fma_d(p, x.hi, -0x17d694ee3f693p-38);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x174eac155c4d18p-47, 0x138b93fc4c8f5cp-101));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x127d9ebb2ba113p-51, -0x184f34f29b6e4p-105));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x1b79e1f016ccb7p-61, 0x10391aabf4c344p-116));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1000058d033e5cp-52, 0x1f53e25f41093cp-107));
  return s;
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

// j0(x) = (x^2 - 5.783) P(x^2), x <= 4; error 2^-34.5
INLINE pair_f poly_j0_small_f(pair_f x) {
  float p = 0x86e448p-70f;
  p = fma_f(p, x.hi, -0xa21a88p-62f);
  p = fma_f(p, x.hi, 0xfb14f5p-55f);
  p = fma_f(p, x.hi, -0x8bf1c2p-47f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xd6e87ap-41f, -0xfccd9p-62f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xd022c9p-35f, 0xac70fp-56f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xda627ep-30f, -0xac1284p-55f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xb110a6p-26f, 0x98e068p-52f));
  return s;
}

// j0(x) = (x^2 - 5.783) P(x^2), x <= 4; error 2^-70.2
INLINE pair_d poly_j0_small_d(pair_d x) {
  double p = -0x1a5ca67761e8e1p-144;
  p = fma_d(p, x.hi, 0x13c10de6e3c30ep-134);
  p = fma_d(p, x.hi, -0x1660a5d90fa533p-125);
  p = fma_d(p, x.hi, 0x151f4775ee934cp-116);
  p = fma_d(p, x.hi, -0x1075fec494f073p-107);
  p = fma_d(p, x.hi, 0x14c371e6f96211p-99);
  p = fma_d(p, x.hi, -0x14aa900a577e47p-91);
  p = fma_d(p, x.hi, 0x1f6e02e3869b5fp-84);
  p = fma_d(p, x.hi, -0x117e92e43f7ed6p-76);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1add1569228b7ep-70, -0x177b732004f488p-126));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x1a04594c03394bp-64, 0x1aafeb7982324p-117));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1b4c4fb6b81b41p-59, 0x1ffda626c7b9p-112));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x162214bb3c7121p-55, 0x140aa47e8209fep-109));
  return s;
}

// j0(x) = (x - 5.52008) P(x - 6), 4 <= x <= 8; error 2^-32.7
INLINE pair_f poly_j0_middle_f(pair_f x) {
  float p = 0xcae44dp-55f;
  p = fma_f(p, x.hi, -0xbcf519p-52f);
  p = fma_f(p, x.hi, -0xe668a2p-48f);
  p = fma_f(p, x.hi, 0xc9d339p-45f);
  p = fma_f(p, x.hi, 0xa953b4p-41f);
  p = fma_f(p, x.hi, -0x882363p-38f);
  p = fma_f(p, x.hi, -0x983fd8p-35f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xdd9af7p-33f, 0xc14c68p-58f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x8ab0c4p-30f, -0xf7c96p-55f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xb1e3b1p-28f, -0xbf7cbp-52f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0x9ecb81p-27f, -0x8be382p-52f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xa0b6e5p-25f, -0x925fc4p-50f));
  return s;
}

// j0(x) = (x - 5.52008) P(x - 6), 4 <= x <= 8; error 2^-60.6
INLINE pair_d poly_j0_middle_d(pair_d x) {
  double p = -0x14f68e48c71bc2p-113;
  p = fma_d(p, x.hi, -0x1be4e9f61e04e5p-108);
  p = fma_d(p, x.hi, 0x10fa071375ba54p-104);
  p = fma_d(p, x.hi, 0x123cb983e8224ap-99);
  p = fma_d(p, x.hi, -0x13f234e3da009cp-96);
  p = fma_d(p, x.hi, -0x11e6a8033874dp-87);
  p = fma_d(p, x.hi, 0x12469cb7b2688cp-88);
  p = fma_d(p, x.hi, 0x1aab887e4deafep-84);
  p = fma_d(p, x.hi, -0x1950ff53c245d9p-81);
  p = fma_d(p, x.hi, -0x1cd44e1428cccep-77);
  p = fma_d(p, x.hi, 0x1949f1598b4accp-74);
  p = fma_d(p, x.hi, 0x152a757fbd36d2p-70);
  p = fma_d(p, x.hi, -0x1104aed8474002p-67);
  p = fma_d(p, x.hi, -0x1307fa1bf6eeabp-64);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1bb360f4dac262p-62, 0x1ff08749f967a4p-117));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x115618767e6bc9p-59, -0x123614a140cdp-109));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x163c76276a6e67p-57, -0x1c3a1d14c8955ap-111));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x13d97028754e55p-56, -0x1e0813e3f3dee4p-110));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1416dc96e57c0ep-54, -0x1ac113b6626cf8p-108));
  return s;
}

// j1(x) = x (x^2 - 14.68) P(x^2), x <= 4.8; error 2^-32.5
INLINE pair_f poly_j1_small_f(pair_f x) {
  float p = 0xdc2d9fp-75f;
  p = fma_f(p, x.hi, -0x9bc025p-66f);
  p = fma_f(p, x.hi, 0x8a533ap-58f);
  p = fma_f(p, x.hi, -0xb23b9bp-51f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xa19842p-44f, -0x8b5b12p-69f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xbe7bfap-38f, -0xdbcbd4p-63f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xfdefd8p-33f, 0xc5a158p-60f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0x8b7da6p-28f, 0xb4108p-50f));
  return s;
}

// j1(x) = x (x^2 - 14.68) P(x^2), x <= 4.8; error 2^-73.0
INLINE pair_d poly_j1_small_d(pair_d x) {
  double p = 0x118d73c8f3eb7ep-158;
  p = fma_d(p, x.hi, -0x10dcea9f326cffp-148);
  p = fma_d(p, x.hi, 0x183a47a105ac46p-139);
  p = fma_d(p, x.hi, -0x1d73eeda1f783ep-130);
  p = fma_d(p, x.hi, 0x1e3f2e13d710f3p-121);
  p = fma_d(p, x.hi, -0x19da13ed7c0253p-112);
  p = fma_d(p, x.hi, 0x120bae5669f7abp-103);
  p = fma_d(p, x.hi, -0x1419b23a032953p-95);
  p = fma_d(p, x.hi, 0x115732c194960dp-87);
  p = fma_d(p, x.hi, -0x164898455a2cabp-80);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x143316b3af08bep-73, -0x110057f2156aap-127));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x17cf8005bc4cd8p-67, 0x1782b699fae6cp-117));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1fbdfb0a3d17bdp-62, 0x11801b3cffc468p-118));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x116fb4ba6b9f63p-57, -0x13f9da8ccd3a36p-111));
  return s;
}

// j1(x) = (x - 7.01559) P(x - 6.375), 4.8 <= x <= 8; error 2^-34.8
INLINE pair_f poly_j1_middle_f(pair_f x) {
  float p = -0xaf231cp-51f;
  p = fma_f(p, x.hi, 0xc35ae3p-51f);
  p = fma_f(p, x.hi, 0xa8eda4p-44f);
  p = fma_f(p, x.hi, -0xc84e1dp-44f);
  p = fma_f(p, x.hi, -0xccc767p-38f);
  p = fma_f(p, x.hi, 0xf8d724p-38f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x913261p-32f, 0x9c35dp-54f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xa5fe09p-32f, -0xe91414p-57f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xc2edbap-28f, -0x989f26p-53f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xa54846p-28f, -0xa6a618p-55f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x969251p-25f, -0xade1c8p-51f));
  return s;
}

// j1(x) = (x - 7.01559) P(x - 6.375), 4.8 <= x <= 8; error 2^-62.0
INLINE pair_d poly_j1_middle_d(pair_d x) {
  double p = 0x104aa0ec4a94a2p-113;
  p = fma_d(p, x.hi, 0x11b8cc93f79beap-103);
  p = fma_d(p, x.hi, -0x19bc4731211761p-104);
  p = fma_d(p, x.hi, -0x1474d08b45999p-91);
  p = fma_d(p, x.hi, 0x117eb1f5b3b387p-95);
  p = fma_d(p, x.hi, 0x11c058131c276fp-87);
  p = fma_d(p, x.hi, -0x1189117c23bd8bp-87);
  p = fma_d(p, x.hi, -0x170022d1378782p-80);
  p = fma_d(p, x.hi, 0x19577896ed227cp-80);
  p = fma_d(p, x.hi, 0x15248c3e96910dp-73);
  p = fma_d(p, x.hi, -0x190e4f4284b6f7p-73);
  p = fma_d(p, x.hi, -0x1999149e31e10ap-67);
  p = fma_d(p, x.hi, 0x1f1af804418e75p-67);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x12264c8f7d585p-57, 0x18ab7cdf9e66dp-114));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x14bfc150716f9ep-61, 0x1f79a139f9008p-111));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x185db74b380ed4p-57, 0x11133e39b6bb14p-112));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x14a908bda67255p-57, 0x1282572c9a83f4p-111));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x12d24a1a933c25p-54, 0x1e77c791eb6278p-108));
  return s;
}

// y0(x) = (2/pi) log(x/0.8936) j0(x) + (x^2 - 0.7985) P(x^2), x <= 2.2; error 2^-32.4
INLINE pair_f poly_y0_small_f(pair_f x) {
  float p = -0xcae8b5p-54f;
  p = fma_f(p, x.hi, 0xe6c7ccp-47f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xa5fdc8p-40f, -0xe69848p-65f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x93453cp-34f, -0x89faeep-59f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0x892c1fp-29f, -0xcf8896p-54f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xba8409p-26f, -0x88112ap-51f));
  return s;
}

// y0(x) = (2/pi) log(x/0.8936) j0(x) + (x^2 - 0.7985) P(x^2), x <= 2.2; error 2^-64.9
INLINE pair_d poly_y0_small_d(pair_d x) {
  double p = -0x145b0675cf6f1cp-115;
  p = fma_d(p, x.hi, 0x1032533b7a263bp-106);
  p = fma_d(p, x.hi, -0x13c53d2df83a13p-98);
  p = fma_d(p, x.hi, 0x12eb3ed4e7ce21p-90);
  p = fma_d(p, x.hi, -0x1b797034e85f48p-83);
  p = fma_d(p, x.hi, 0x1cf0413da181b6p-76);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x14c030d99a7eap-65, 0x13ed55b994bf3p-121));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1268a9aaaeb0bbp-63, -0x1e79695802ba6p-114));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x112583f4a4abcfp-58, 0x1be5550dfe5c88p-112));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1750811790a13cp-55, 0x12c1542c756194p-110));
  return s;
}

// y0(x) = (x - 3.95768) P(x - 3.875), 2.2 <= x <= 5.5; error 2^-36.2
INLINE pair_f poly_y0_middle_f(pair_f x) {
  float p = 0x957054p-56f;
  p = fma_f(p, x.hi, -0x82d6ap-50f);
  p = fma_f(p, x.hi, 0x97c836p-54f);
  p = fma_f(p, x.hi, -0xeca8cdp-52f);
  p = fma_f(p, x.hi, 0xcd2d93p-49f);
  p = fma_f(p, x.hi, -0xb1f573p-48f);
  p = fma_f(p, x.hi, -0x9287aep-45f);
  p = fma_f(p, x.hi, -0x9dced4p-41f);
  p = fma_f(p, x.hi, 0xe13d92p-38f);
  p = fma_f(p, x.hi, 0xb1899ap-36f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0x940a79p-32f, -0xfe2a7p-55f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xc876d6p-31f, -0x92f75ap-56f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xf64de4p-28f, 0xa986ecp-53f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xa81cc2p-28f, -0xb348c8p-53f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xd00c43p-25f, 0xf21124p-50f));
  return s;
}

// y0(x) = (x - 3.95768) P(x - 3.875), 2.2 <= x <= 5.5; error 2^-65.0
INLINE pair_d poly_y0_middle_d(pair_d x) {
  double p = -0x1fed7f697f5217p-111;
  p = fma_d(p, x.hi, 0x189fdd00ddffabp-109);
  p = fma_d(p, x.hi, 0x19d8e6f2101af9p-108);
  p = fma_d(p, x.hi, -0x12b2209d6ddfe7p-107);
  p = fma_d(p, x.hi, -0x1e56283b1ee64bp-104);
  p = fma_d(p, x.hi, 0x164ec1861b0d3dp-102);
  p = fma_d(p, x.hi, -0x145d4589a6b0ebp-101);
  p = fma_d(p, x.hi, 0x197f501090af4ep-99);
  p = fma_d(p, x.hi, -0x1eee9d47736121p-97);
  p = fma_d(p, x.hi, 0x1e8ae6f172bb54p-95);
  p = fma_d(p, x.hi, -0x1e6f5f397fefc8p-93);
  p = fma_d(p, x.hi, 0x1f3b4821c4ed6ap-91);
  p = fma_d(p, x.hi, -0x100d61d0656817p-88);
  p = fma_d(p, x.hi, 0x1087b2931c4174p-86);
  p = fma_d(p, x.hi, -0x10ecb321df9591p-84);
  p = fma_d(p, x.hi, 0x11240a8a8e3a19p-82);
  p = fma_d(p, x.hi, -0x13714334e26508p-80);
  p = fma_d(p, x.hi, 0x184d0df9d4cc4cp-78);
  p = fma_d(p, x.hi, -0x14ed50d29597ffp-77);
  p = fma_d(p, x.hi, -0x12308379780863p-74);
  p = fma_d(p, x.hi, -0x13bcfeccabe49bp-70);
  p = fma_d(p, x.hi, 0x1c277e082e6188p-67);
  p = fma_d(p, x.hi, 0x1631429284925fp-65);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x12814ed1f49398p-61, 0x17ee961359404ep-115));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x190edaea4796dep-60, 0x13740a21f10698p-114));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1ec9bc89d36f1cp-57, 0x1f36d6e5c56fep-111));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x150398351e8747p-57, 0x13f4d52ab86016p-111));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x1a018850de4dfcp-54, -0x1eec9f344b8bb4p-108));
  return s;
}

// y0(x) = (x - 7.08605) P(x - 6.75), 5.5 <= x <= 8; error 2^-31.4
INLINE pair_f poly_y0_upper_f(pair_f x) {
  float p = -0xe3ca21p-50f;
  p = fma_f(p, x.hi, 0xa72075p-44f);
  p = fma_f(p, x.hi, 0x8d0027p-43f);
  p = fma_f(p, x.hi, -0xd3481ep-38f);
  p = fma_f(p, x.hi, -0xb38dd8p-38f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x98c901p-32f, -0xde555p-56f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x8dd735p-35f, -0xf3c294p-61f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xcc3043p-28f, -0xa5cd8p-55f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xc2c5dbp-30f, -0xdf9768p-57f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x9a7772p-25f, 0xb117ccp-50f));
  return s;
}

// y0(x) = (x - 7.08605) P(x - 6.75), 5.5 <= x <= 8; error 2^-66.8
INLINE pair_d poly_y0_upper_d(pair_d x) {
  double p = -0x1e07c8b77b62bp-103;
  p = fma_d(p, x.hi, 0x1c6a5fc0e45716p-103);
  p = fma_d(p, x.hi, 0x1db8062683735ap-103);
  p = fma_d(p, x.hi, -0x1248a5b3d41658p-95);
  p = fma_d(p, x.hi, -0x1987f9773b8108p-93);
  p = fma_d(p, x.hi, 0x1200155e0b73adp-87);
  p = fma_d(p, x.hi, 0x1d404dacfa22cap-86);
  p = fma_d(p, x.hi, -0x16f50533adc78p-76);
  p = fma_d(p, x.hi, -0x1df488f4b02561p-79);
  p = fma_d(p, x.hi, 0x1596eaa533c701p-73);
  p = fma_d(p, x.hi, 0x11a6af67e0f3d9p-72);
  p = fma_d(p, x.hi, -0x1a6ce14e79c27fp-67);
  p = fma_d(p, x.hi, -0x1671ee28d47407p-67);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x131928eb7849cep-61, -0x1b20eb306e0a2p-114));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x11bae915955da2p-64, 0x121cb602c1552cp-118));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x1986087c7fc3b2p-57, -0x12ef555bdd3216p-111));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1858bb5a4fa6f3p-59, -0x10798d74d5833p-110));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x134eee4b2f27c7p-54, -0x136142a8ad807p-105));
  return s;
}

// y1(x) = (2/pi) (log(x) j1(x) - 1/x) + x P(x^2), x <= 1.5; error 2^-38.0
INLINE pair_f poly_y1_small_f(pair_f x) {
  float p = 0x93005p-46f;
  p = fma_f(p, x.hi, -0x851b77p-43f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x963e48p-37f, -0xa9483p-61f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xc1adc9p-32f, -0x83edep-53f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xde9cbbp-28f, -0x9059fcp-54f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xc8c331p-26f, 0xbc535cp-51f));
  return s;
}

// y1(x) = (2/pi) (log(x) j1(x) - 1/x) + x P(x^2), x <= 1.5; error 2^-64.8
INLINE pair_d poly_y1_small_d(pair_d x) {
  double p = -0x10c792c4666772p-102;
  p = fma_d(p, x.hi, 0x12a2c7099c2e6ap-94);
  p = fma_d(p, x.hi, -0x1f0cd9b55d9bfdp-87);
  p = fma_d(p, x.hi, 0x132e5a411d47e7p-79);
  p = fma_d(p, x.hi, -0x10a780ac637e95p-72);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x12c7dbffcdc678p-66, 0x10a8986f96850cp-120));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x1835b97894be1dp-61, -0x18581fdfae2e68p-116));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1bd3975c75b4a7p-57, -0x19f24720940744p-112));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x191866143cbc8ap-55, -0x11c54a27667bb2p-109));
  return s;
}

// y1(x) = (x - 2.19714) P(x - 2.625), 1.5 <= x <= 3.8; error 2^-32.8
INLINE pair_f poly_y1_middle_f(pair_f x) {
  float p = 0x957536p-45f;
  p = fma_f(p, x.hi, -0xde6c81p-44f);
  p = fma_f(p, x.hi, 0xd52e4ap-44f);
  p = fma_f(p, x.hi, -0xdd5f8ap-43f);
  p = fma_f(p, x.hi, 0xebe378p-41f);
  p = fma_f(p, x.hi, -0xa06a59p-39f);
  p = fma_f(p, x.hi, 0xc69322p-38f);
  p = fma_f(p, x.hi, -0xf42409p-37f);
  p = fma_f(p, x.hi, 0x9326ap-31f);
  p = fma_f(p, x.hi, -0x90f0cbp-33f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xf9b34dp-32f, -0xdcaa0cp-57f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x8f545ap-31f, -0x8e93b8p-58f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0x850a4dp-28f, 0x9a725p-49f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0x96d635p-26f, -0xe7996p-49f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xed84f9p-25f, 0x8d5da6p-50f));
  return s;
}

// y1(x) = (x - 2.19714) P(x - 2.625), 1.5 <= x <= 3.8; error 2^-66.9
INLINE pair_d poly_y1_middle_d(pair_d x) {
  double p = 0x1e2c6a3cc23567p-96;
  p = fma_d(p, x.hi, -0x19816e4204e5fdp-94);
  p = fma_d(p, x.hi, -0x113c310b9aa847p-95);
  p = fma_d(p, x.hi, 0x1342af474c0846p-92);
  p = fma_d(p, x.hi, 0x118586c458381p-87);
  p = fma_d(p, x.hi, -0x12c9cc5a51c75ap-89);
  p = fma_d(p, x.hi, 0x144e8593f39718p-89);
  p = fma_d(p, x.hi, -0x1158cf46d66ce9p-88);
  p = fma_d(p, x.hi, 0x11eb557a3eab46p-86);
  p = fma_d(p, x.hi, -0x19760d7df44177p-85);
  p = fma_d(p, x.hi, 0x1f5244fbb9737fp-84);
  p = fma_d(p, x.hi, -0x144044ccf3108cp-82);
  p = fma_d(p, x.hi, 0x1aca76f8751387p-81);
  p = fma_d(p, x.hi, -0x119784acb389a5p-79);
  p = fma_d(p, x.hi, 0x170a098751ffc4p-78);
  p = fma_d(p, x.hi, -0x1e2fde24dd7b27p-77);
  p = fma_d(p, x.hi, 0x13c62274ad3dep-71);
  p = fma_d(p, x.hi, -0x19e4dd46c32d39p-74);
  p = fma_d(p, x.hi, 0x10f1e5f6986f29p-72);
  p = fma_d(p, x.hi, -0x162863427d9abp-67);
  p = fma_d(p, x.hi, 0x1cf0c5492616d1p-70);
  p = fma_d(p, x.hi, -0x12f18d47fc36abp-68);
  p = fma_d(p, x.hi, 0x18d229a38a1adep-67);
  p = fma_d(p, x.hi, -0x1eabfdc0591f79p-66);
  p = fma_d(p, x.hi, 0x12655d15801fc7p-64);
  p = fma_d(p, x.hi, -0x121d66addeebfp-58);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1f36639f13566ap-61, 0x14abfef4c940e2p-115));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x11ea85b063d95p-56, -0x17b09a7764fd28p-115));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x10a1498cd19fabp-57, 0x13b99c782cb57ap-111));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x12dac6a2056da7p-55, -0x17bb63565f845ap-109));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x1db09f28d17cd1p-54, 0x11874f89190c1p-105));
  return s;
}

// y1(x) = (x - 5.42968) P(x - 5.875), 3.8 <= x <= 8; error 2^-37.7
INLINE pair_f poly_y1_upper_f(pair_f x) {
  float p = 0xa43049p-64f;
  p = fma_f(p, x.hi, -0xc929acp-63f);
  p = fma_f(p, x.hi, -0xa49f01p-60f);
  p = fma_f(p, x.hi, -0xdd1a63p-55f);
  p = fma_f(p, x.hi, 0xfbf48ap-52f);
  p = fma_f(p, x.hi, 0xc62fd7p-48f);
  p = fma_f(p, x.hi, -0xd6b385p-45f);
  p = fma_f(p, x.hi, -0x997b76p-41f);
  p = fma_f(p, x.hi, 0x91aa75p-38f);
  p = fma_f(p, x.hi, 0x865cadp-35f);
  pair_f s = pair_of_f(p, 0.0f);
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xe058abp-33f, -0xd7cfb2p-58f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xfaacd5p-31f, 0x817b4ap-56f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0xaffff3p-28f, -0xfb84p-47f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(0x968b85p-27f, -0xe2f016p-52f));
  s = pair_add_f(pair_mul_f(s, x), pair_of_f(-0xa2279fp-25f, -0xf5c336p-50f));
  return s;
}

// y1(x) = (x - 5.42968) P(x - 5.875), 3.8 <= x <= 8; error 2^-65.9
INLINE pair_d poly_y1_upper_d(pair_d x) {
  double p = -0x1686e0f45b14dap-121;
  p = fma_d(p, x.hi, 0x132ca9a2152278p-118);
  p = fma_d(p, x.hi, -0x1f6d208cd1ba44p-118);
  p = fma_d(p, x.hi, 0x1bfaf1a2cf3433p-116);
  p = fma_d(p, x.hi, -0x1a5bfbd5f75d13p-112);
  p = fma_d(p, x.hi, 0x14f966a17cd9f6p-109);
  p = fma_d(p, x.hi, -0x1afc1c97f3724cp-107);
  p = fma_d(p, x.hi, 0x13659a1663e5f6p-104);
  p = fma_d(p, x.hi, -0x1c68398295c5ffp-102);
  p = fma_d(p, x.hi, 0x14768afb057508p-99);
  p = fma_d(p, x.hi, -0x11700c335a66eap-96);
  p = fma_d(p, x.hi, 0x1c2f2ad6ca372bp-94);
  p = fma_d(p, x.hi, -0x149030fbb4dcadp-103);
  p = fma_d(p, x.hi, -0x12489a073aae2p-85);
  p = fma_d(p, x.hi, -0x1c5fce6d45971dp-84);
  p = fma_d(p, x.hi, 0x1f7a62c7dd11d2p-81);
  p = fma_d(p, x.hi, 0x18cb52c2b6d422p-77);
  p = fma_d(p, x.hi, -0x1ad67b576becd4p-74);
  p = fma_d(p, x.hi, -0x132f82f4fc4c2bp-70);
  p = fma_d(p, x.hi, 0x12354f12e00e2ep-67);
  p = fma_d(p, x.hi, 0x10cb95ec9f1079p-64);
  pair_d s = pair_of_d(p, 0.0);
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x1c0b1571940955p-62, 0x115315bfea2418p-117));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x1f559a99ddfab8p-60, -0x1464d87840f028p-115));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x15fffe5c1c8682p-57, 0x1a18ae4e32563cp-111));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(0x12d17091d4f74dp-56, -0x1414128e56c72ap-110));
  s = pair_add_d(pair_mul_d(s, x), pair_of_d(-0x1444f3ef5c4495p-54, -0x13f7ee6e0a73bap-108));
  return s;
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
