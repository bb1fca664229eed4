// SPDX-License-Identifier: Apache-2.0
// PTX's fundamental types, state spaces and their sizes (PTX ISA, "State Spaces, Types, and
// Variables").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::compiler::ptx {

enum class Type : uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kU16x2,
  kS16x2,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kTf32,
  kF32,
  kF32x2,
  kF64,
  kE4m3,
  kE5m2,
  kE4m3x2,
  kE5m2x2,
  kB1,
  kU4,
  kS4,
  kTexref,
  kSamplerref,
  kSurfref,
};

enum class TypeClass : uint8_t { kNone, kPred, kBits, kUnsigned, kSigned, kFloat, kOpaque };

enum class Space : uint8_t { kNone, kReg, kConst, kGlobal, kLocal, kParam, kShared, kTex };

// "u32" (no dot) -> kU32; empty when it is no type's name.
std::optional<Type> type_by_name(std::string_view name);
std::string_view type_name(Type type);
// Bits of one value; 1 for predicates, 64 for texture handles.
int type_bits(Type type);
inline int type_bytes(Type type) { return (type_bits(type) + 7) / 8; }
TypeClass type_class(Type type);
inline bool is_float(Type type) { return type_class(type) == TypeClass::kFloat; }
inline bool is_signed(Type type) { return type_class(type) == TypeClass::kSigned; }
// Signed, unsigned or untyped bits: what integer instructions take.
bool is_integer_or_bits(Type type);
// The type of twice the width (u32 -> u64), for .wide instructions; kNone when there is none.
Type widened(Type type);

std::optional<Space> space_by_name(std::string_view name);
std::string_view space_name(Space space);

}  // namespace heddle::compiler::ptx
