// SPDX-License-Identifier: Apache-2.0
// Compiled with -frounding-math: the host's own arithmetic, in all four modes.
#include "tests/compiler/random/operations.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <utility>

namespace heddle::compiler::test {
namespace {

using U = uint64_t;
__extension__ typedef __int128 Wide;

int64_t s32(U v) { return static_cast<int32_t>(v); }
U cut(Wide v) { return static_cast<uint32_t>(v); }
// Bits first … first + n - 1 of v as a number.
int64_t part(U v, unsigned first, unsigned n, bool sign) {
  const U field = v >> first & ((U{1} << n) - 1);
  return sign && field >> (n - 1) & 1 ? static_cast<int64_t>(field) - (int64_t{1} << n) : static_cast<int64_t>(field);
}
int64_t clamp(Wide v, unsigned n, bool sign) {
  const Wide low = sign ? -(Wide{1} << (n - 1)) : 0, high = (Wide{1} << (sign ? n - 1 : n)) - 1;
  return static_cast<int64_t>(std::clamp(v, low, high));
}

template <bool kA, bool kB>
U dot4(U a, U b, U c) {
  for (unsigned k = 0; k < 32; k += 8) c += static_cast<U>(part(a, k, 8, kA) * part(b, k, 8, kB));
  return cut(static_cast<Wide>(c));
}
template <bool kHigh, bool kA, bool kB>
U dot2(U a, U b, U c) {
  for (unsigned k = 0; k < 2; k++) c += static_cast<U>(part(a, 16 * k, 16, kA) * part(b, 8 * k + (kHigh ? 16 : 0), 8, kB));
  return cut(static_cast<Wide>(c));
}

// SIMD video with full masks: lanes of n bits; kAdd: c plus all results.
template <unsigned kBits, bool kD, bool kS, bool kSat, bool kAdd, typename F>
U lanes(U a, U b, U c, F f) {
  U out = kAdd ? c : 0;
  for (unsigned k = 0; k < 32; k += kBits) {
    int64_t v = f(part(a, k, kBits, kS), part(b, k, kBits, kS));
    if (kSat) v = clamp(v, kBits, kD);
    if (kAdd) out += static_cast<U>(v);
    else out |= (static_cast<U>(v) & ((U{1} << kBits) - 1)) << k;
  }
  return cut(static_cast<Wide>(out));
}
int64_t add(int64_t x, int64_t y) { return x + y; }
int64_t sub(int64_t x, int64_t y) { return x - y; }
int64_t average(int64_t x, int64_t y) { return (x + y + (x + y >= 0)) >> 1; }
int64_t distance(int64_t x, int64_t y) { return x > y ? x - y : y - x; }
int64_t least(int64_t x, int64_t y) { return std::min(x, y); }
int64_t greater(int64_t x, int64_t y) { return x > y; }

template <bool kMinus>
U find(U v, unsigned bits, bool sign) {  // bfind; kMinus: .shiftamt
  if (sign && v >> (bits - 1) & 1) v = ~v & (bits == 64 ? ~U{0} : U{0xffffffff});
  if (v == 0) return 0xffffffff;
  const U at = 63 - static_cast<U>(std::countl_zero(v));
  return kMinus ? bits - 1 - at : at;
}

float f32(U v) { return std::bit_cast<float>(static_cast<uint32_t>(v)); }
double f64(U v) { return std::bit_cast<double>(v); }
U bits(float v) { return std::bit_cast<uint32_t>(v); }
U bits(double v) { return std::isnan(v) ? 0x7ff8000000000000 : std::bit_cast<U>(v); }

// The operands and the result pass through memory, so that nothing is computed before or after the mode changes.
template <int kMode, typename T, typename F>
U rounded(F f, T a, T b, T c = 0) {
  volatile T x = a, y = b, z = c, result;
  std::fesetround(kMode);
  result = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  const T out = result;
  return bits(out);
}
template <int kMode>
U sum32(U a, U b, U) { return rounded<kMode, float>([](float x, float y, float) { return x + y; }, f32(a), f32(b)); }
template <int kMode>
U product32(U a, U b, U) { return rounded<kMode, float>([](float x, float y, float) { return x * y; }, f32(a), f32(b)); }
template <int kMode>
U fused32(U a, U b, U c) { return rounded<kMode, float>([](float x, float y, float z) { return std::fma(x, y, z); }, f32(a), f32(b), f32(c)); }
template <int kMode>
U quotient32(U a, U b, U) { return rounded<kMode, float>([](float x, float y, float) { return x / y; }, f32(a), f32(b)); }
template <int kMode>
U root32(U a, U, U) { return rounded<kMode, float>([](float x, float, float) { return std::sqrt(x); }, f32(a), 0.0f); }
template <int kMode>
U sum64(U a, U b, U) { return rounded<kMode, double>([](double x, double y, double) { return x + y; }, f64(a), f64(b)); }
template <int kMode>
U difference64(U a, U b, U) { return rounded<kMode, double>([](double x, double y, double) { return x - y; }, f64(a), f64(b)); }
template <int kMode>
U product64(U a, U b, U) { return rounded<kMode, double>([](double x, double y, double) { return x * y; }, f64(a), f64(b)); }
template <int kMode>
U fused64(U a, U b, U c) { return rounded<kMode, double>([](double x, double y, double z) { return std::fma(x, y, z); }, f64(a), f64(b), f64(c)); }
template <int kMode>
U quotient64(U a, U b, U) { return rounded<kMode, double>([](double x, double y, double) { return x / y; }, f64(a), f64(b)); }
template <int kMode>
U root64(U a, U, U) { return rounded<kMode, double>([](double x, double, double) { return std::sqrt(x); }, f64(a), 0.0); }
template <int kMode>
U narrow(U a, U, U) {
  volatile double x = f64(a);
  std::fesetround(kMode);
  volatile float result = static_cast<float>(x);
  std::fesetround(FE_TONEAREST);
  return bits(result);
}
template <int kMode>
U whole32(U a, U, U) { return rounded<kMode, float>([](float x, float, float) { return std::nearbyint(x); }, f32(a), 0.0f); }
template <int kMode>
U whole64(U a, U, U) { return rounded<kMode, double>([](double x, double, double) { return std::nearbyint(x); }, f64(a), 0.0); }

U saturated(U v) {  // NaN gives 0
  const float x = f32(v);
  return x > 0 ? bits(std::min(x, 1.0f)) : 0;
}
template <bool kMax>
U extreme64(U a, U b, U) {
  const double x = f64(a), y = f64(b);
  if (std::isnan(x)) return bits(y);
  if (std::isnan(y)) return bits(x);
  if (x == y) return std::signbit(x) != kMax ? bits(x) : bits(y);
  return bits((x < y) != kMax ? x : y);
}
// f64 to an integer toward zero, as silicon clamps; NaN: the top bit alone.
template <unsigned kBits, bool kSign>
U integer(U a, U, U) {
  const double x = std::trunc(f64(a));
  const U mask = kBits == 64 ? ~U{0} : (U{1} << kBits) - 1;
  if (std::isnan(x)) return U{1} << (kBits - 1);
  const double limit = std::ldexp(1.0, kSign ? kBits - 1 : kBits);
  if (x >= limit) return kSign ? mask >> 1 : mask;
  if (kSign) return x < -limit ? U{1} << (kBits - 1) : static_cast<U>(static_cast<int64_t>(x)) & mask;
  return x < 0 ? 0 : static_cast<U>(x);
}

constexpr Operation kOperations[] = {
    // ---- integers
    {"add.sat.s32", "www", [](U a, U b, U) { return cut(clamp(Wide{s32(a)} + s32(b), 32, true)); }},
    {"sub.sat.s32", "www", [](U a, U b, U) { return cut(clamp(Wide{s32(a)} - s32(b), 32, true)); }},
    {"mad.hi.u32", "wwww", [](U a, U b, U c) { return cut(static_cast<Wide>((a * b >> 32) + c)); }},
    {"mad.hi.s32", "wwww", [](U a, U b, U c) { return cut((Wide{s32(a)} * s32(b) >> 32) + s32(c)); }},
    {"mad.hi.sat.s32", "wwww", [](U a, U b, U c) { return cut(clamp((Wide{s32(a)} * s32(b) >> 32) + s32(c), 32, true)); }},
    {"mul24.lo.u32", "www", [](U a, U b, U) { return cut(static_cast<Wide>((a & 0xffffff) * (b & 0xffffff))); }},
    {"mul24.hi.u32", "www", [](U a, U b, U) { return cut(static_cast<Wide>((a & 0xffffff) * (b & 0xffffff) >> 16)); }},
    {"mul24.lo.s32", "www", [](U a, U b, U) { return cut(part(a, 0, 24, true) * part(b, 0, 24, true)); }},
    {"mul24.hi.s32", "www", [](U a, U b, U) { return cut(part(a, 0, 24, true) * part(b, 0, 24, true) >> 16); }},
    {"sad.u32", "wwww", [](U a, U b, U c) { return cut(static_cast<Wide>((a > b ? a - b : b - a) + c)); }},
    {"sad.s32", "wwww", [](U a, U b, U c) { return cut(Wide{distance(s32(a), s32(b))} + s32(c)); }},
    {"sad.u64", "dddd", [](U a, U b, U c) { return (a > b ? a - b : b - a) + c; }},
    {"mad.hi.u64", "dddd", [](U a, U b, U c) { return static_cast<U>(static_cast<unsigned __int128>(a) * b >> 64) + c; }},
    {"dp4a.u32.u32", "wwww", dot4<false, false>},
    {"dp4a.s32.s32", "wwww", dot4<true, true>},
    {"dp4a.u32.s32", "wwww", dot4<false, true>},
    {"dp2a.lo.u32.s32", "wwww", dot2<false, false, true>},
    {"dp2a.hi.s32.u32", "wwww", dot2<true, true, false>},
    {"bfind.u32", "ww", [](U a, U, U) { return find<false>(a, 32, false); }},
    {"bfind.s32", "ww", [](U a, U, U) { return find<false>(a, 32, true); }},
    {"bfind.shiftamt.s32", "ww", [](U a, U, U) { return find<true>(a, 32, true); }},
    {"bfind.u64", "wD", [](U a, U, U) { return find<false>(a, 64, false); }},
    {"bfind.shiftamt.s64", "wD", [](U a, U, U) { return find<true>(a, 64, true); }},
    {"cnot.b32", "wW", [](U a, U, U) { return U{a == 0}; }},
    {"cnot.b64", "dD", [](U a, U, U) { return U{a == 0}; }},
    {"slct.u32.s32", "wwwW", [](U a, U b, U c) { return s32(c) >= 0 ? a : b; }},
    {"slct.b64.s32", "dddW", [](U a, U b, U c) { return s32(c) >= 0 ? a : b; }},
    {"set.lt.u32.s32", "wWw", [](U a, U b, U) { return s32(a) < s32(b) ? U{0xffffffff} : 0; }},
    {"set.ge.s32.u64", "wDd", [](U a, U b, U) { return a >= b ? U{0xffffffff} : 0; }},
    {"cvt.sat.s16.s32", "hW", [](U a, U, U) { return static_cast<U>(clamp(s32(a), 16, true)) & 0xffff; }},
    {"cvt.sat.u16.s64", "hD", [](U a, U, U) { return static_cast<U>(clamp(static_cast<int64_t>(a), 16, false)); }},
    {"cvt.sat.u32.s64", "wD", [](U a, U, U) { return static_cast<U>(clamp(static_cast<int64_t>(a), 32, false)); }},
    {"cvt.sat.s32.u64", "wD", [](U a, U, U) { return static_cast<U>(clamp(static_cast<Wide>(a), 32, true)); }},
    {"cvt.s32.s8", "wW", [](U a, U, U) { return cut(part(a, 0, 8, true)); }},
    {"cvt.u64.u8", "dW", [](U a, U, U) { return a & 255; }},
    // ---- video
    {"vadd4.u32.u32.u32", "wwww", [](U a, U b, U c) { return lanes<8, false, false, false, false>(a, b, c, add); }},
    {"vadd4.s32.s32.s32.sat", "wwww", [](U a, U b, U c) { return lanes<8, true, true, true, false>(a, b, c, add); }},
    {"vsub4.u32.u32.u32.sat", "wwww", [](U a, U b, U c) { return lanes<8, false, false, true, false>(a, b, c, sub); }},
    {"vsub2.s32.s32.s32.add", "wwww", [](U a, U b, U c) { return lanes<16, true, true, false, true>(a, b, c, sub); }},
    {"vavrg2.s32.s32.s32", "wwww", [](U a, U b, U c) { return lanes<16, true, true, false, false>(a, b, c, average); }},
    {"vavrg4.u32.u32.u32", "wwww", [](U a, U b, U c) { return lanes<8, false, false, false, false>(a, b, c, average); }},
    {"vabsdiff4.u32.u32.u32.add", "wwww", [](U a, U b, U c) { return lanes<8, false, false, false, true>(a, b, c, distance); }},
    {"vmin2.s32.s32.s32", "wwww", [](U a, U b, U c) { return lanes<16, true, true, false, false>(a, b, c, least); }},
    {"vset4.s32.s32.gt", "wwww", [](U a, U b, U c) { return lanes<8, false, true, false, false>(a, b, c, greater); }},
    {"vadd.s32.u32.s32.sat", "www", [](U a, U b, U) { return cut(clamp(Wide{static_cast<int64_t>(a)} + s32(b), 32, true)); }},
    {"vabsdiff.u32.s32.s32 {d}, {a}.b3, {b}.h1", "wWW", [](U a, U b, U) { return cut(distance(part(a, 24, 8, true), part(b, 16, 16, true))); }},
    {"vmax.s32.s32.s32 {d}.h1, {a}.h0, {b}, {c}", "wWww", [](U a, U b, U c) { return cut(std::max(part(a, 0, 16, true), s32(b)) << 16) | (c & 0xffff); }},
    {"vshr.u32.s32.u32.wrap.add", "wwww", [](U a, U b, U c) { return cut((s32(a) >> (b & 31)) + s32(c)); }},
    {"vmad.s32.u32.s32.shr7 {d}, -{a}, {b}.b1, {c}", "wWWw", [](U a, U b, U c) { return cut((Wide{s32(c)} - Wide{static_cast<int64_t>(a)} * part(b, 8, 8, true)) >> 7); }},
    // ---- f32
    {"add.rz.f32", "fff", sum32<FE_TOWARDZERO>},
    {"add.rm.f32", "fff", sum32<FE_DOWNWARD>},
    {"add.rp.f32", "fff", sum32<FE_UPWARD>},
    {"mul.rz.f32", "fff", product32<FE_TOWARDZERO>},
    {"mul.rp.f32", "fff", product32<FE_UPWARD>},
    {"fma.rz.f32", "ffff", fused32<FE_TOWARDZERO>},
    {"fma.rm.f32", "ffff", fused32<FE_DOWNWARD>},
    {"fma.rp.f32", "ffff", fused32<FE_UPWARD>},
    {"div.rz.f32", "fff", quotient32<FE_TOWARDZERO>},
    {"div.rp.f32", "fff", quotient32<FE_UPWARD>},
    {"sqrt.rm.f32", "fF", root32<FE_DOWNWARD>},
    {"rcp.rn.f32", "fF", [](U a, U, U) { return bits(1.0f / f32(a)); }},
    {"add.sat.f32", "fff", [](U a, U b, U c) { return saturated(sum32<FE_TONEAREST>(a, b, c)); }},
    {"fma.rn.sat.f32", "ffff", [](U a, U b, U c) { return saturated(fused32<FE_TONEAREST>(a, b, c)); }},
    {"cvt.rni.f32.f32", "fF", whole32<FE_TONEAREST>},
    {"cvt.rpi.f32.f32", "fF", whole32<FE_UPWARD>},
    {"cvt.sat.f32.f32", "fF", [](U a, U, U) { return saturated(a); }},
    {"testp.subnormal.f32 %q, {a};selp.u32 {d}, 1, 0, %q", "wF", [](U a, U, U) { return U{std::fpclassify(f32(a)) == FP_SUBNORMAL}; }},
    // ---- f64
    {"add.rn.f64", "eee", sum64<FE_TONEAREST>},
    {"add.rz.f64", "eee", sum64<FE_TOWARDZERO>},
    {"sub.rm.f64", "eee", difference64<FE_DOWNWARD>},
    {"mul.rn.f64", "eee", product64<FE_TONEAREST>},
    {"mul.rp.f64", "eee", product64<FE_UPWARD>},
    {"fma.rn.f64", "eeee", fused64<FE_TONEAREST>},
    {"fma.rz.f64", "eeee", fused64<FE_TOWARDZERO>},
    {"fma.rm.f64", "eeee", fused64<FE_DOWNWARD>},
    {"div.rn.f64", "eee", quotient64<FE_TONEAREST>},
    {"div.rz.f64", "eee", quotient64<FE_TOWARDZERO>},
    {"sqrt.rn.f64", "eE", root64<FE_TONEAREST>},
    {"sqrt.rp.f64", "eE", root64<FE_UPWARD>},
    {"min.f64", "eee", extreme64<false>},
    {"max.f64", "eee", extreme64<true>},
    {"cvt.f64.f32", "eF", [](U a, U, U) { return bits(static_cast<double>(f32(a))); }},
    {"cvt.rn.f32.f64", "fE", narrow<FE_TONEAREST>},
    {"cvt.rz.f32.f64", "fE", narrow<FE_TOWARDZERO>},
    {"cvt.rni.f64.f64", "eE", whole64<FE_TONEAREST>},
    {"cvt.rmi.f64.f64", "eE", whole64<FE_DOWNWARD>},
    {"cvt.rn.f64.s32", "eW", [](U a, U, U) { return bits(static_cast<double>(s32(a))); }},
    {"cvt.rn.f64.u64", "eD", [](U a, U, U) { return bits(static_cast<double>(a)); }},
    {"cvt.rzi.s32.f64", "wE", integer<32, true>},
    {"cvt.rzi.u64.f64", "dE", integer<64, false>},
    {"setp.lt.f64 %q, {a}, {b};selp.u32 {d}, 1, 0, %q", "wEe", [](U a, U b, U) { return U{f64(a) < f64(b)}; }},
    {"setp.geu.f64 %q, {a}, {b};selp.u32 {d}, 1, 0, %q", "wEe", [](U a, U b, U) { return U{!(f64(a) < f64(b))}; }},
};

}  // namespace

std::span<const Operation> operations() { return kOperations; }

bool uses_f64(const Operation& operation) { return std::strpbrk(operation.files, "eE") != nullptr; }

}  // namespace heddle::compiler::test
