// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/ptx/types.h"

#include <unordered_map>

namespace heddle::compiler::ptx {
namespace {

struct Row {
  Type type;
  std::string_view name;
  int bits;
  TypeClass cls;
};

// In the order of the enum, so that a type is its row's index.
constexpr Row kRows[] = {
    {Type::kNone, "", 0, TypeClass::kNone},
    {Type::kPred, "pred", 1, TypeClass::kPred},
    {Type::kB8, "b8", 8, TypeClass::kBits},
    {Type::kB16, "b16", 16, TypeClass::kBits},
    {Type::kB32, "b32", 32, TypeClass::kBits},
    {Type::kB64, "b64", 64, TypeClass::kBits},
    {Type::kB128, "b128", 128, TypeClass::kBits},
    {Type::kU8, "u8", 8, TypeClass::kUnsigned},
    {Type::kU16, "u16", 16, TypeClass::kUnsigned},
    {Type::kU32, "u32", 32, TypeClass::kUnsigned},
    {Type::kU64, "u64", 64, TypeClass::kUnsigned},
    {Type::kS8, "s8", 8, TypeClass::kSigned},
    {Type::kS16, "s16", 16, TypeClass::kSigned},
    {Type::kS32, "s32", 32, TypeClass::kSigned},
    {Type::kS64, "s64", 64, TypeClass::kSigned},
    {Type::kU16x2, "u16x2", 32, TypeClass::kUnsigned},
    {Type::kS16x2, "s16x2", 32, TypeClass::kSigned},
    {Type::kF16, "f16", 16, TypeClass::kFloat},
    {Type::kF16x2, "f16x2", 32, TypeClass::kFloat},
    {Type::kBf16, "bf16", 16, TypeClass::kFloat},
    {Type::kBf16x2, "bf16x2", 32, TypeClass::kFloat},
    {Type::kTf32, "tf32", 32, TypeClass::kFloat},
    {Type::kF32, "f32", 32, TypeClass::kFloat},
    {Type::kF32x2, "f32x2", 64, TypeClass::kFloat},
    {Type::kF64, "f64", 64, TypeClass::kFloat},
    {Type::kE4m3, "e4m3", 8, TypeClass::kFloat},
    {Type::kE5m2, "e5m2", 8, TypeClass::kFloat},
    {Type::kE4m3x2, "e4m3x2", 16, TypeClass::kFloat},
    {Type::kE5m2x2, "e5m2x2", 16, TypeClass::kFloat},
    {Type::kB1, "b1", 1, TypeClass::kBits},
    {Type::kU4, "u4", 4, TypeClass::kUnsigned},
    {Type::kS4, "s4", 4, TypeClass::kSigned},
    {Type::kTexref, "texref", 64, TypeClass::kOpaque},
    {Type::kSamplerref, "samplerref", 64, TypeClass::kOpaque},
    {Type::kSurfref, "surfref", 64, TypeClass::kOpaque},
};

const Row& row(Type type) { return kRows[static_cast<int>(type)]; }

struct SpaceRow {
  Space space;
  std::string_view name;
};

constexpr SpaceRow kSpaces[] = {
    {Space::kReg, "reg"},     {Space::kConst, "const"},   {Space::kGlobal, "global"}, {Space::kLocal, "local"},
    {Space::kParam, "param"}, {Space::kShared, "shared"}, {Space::kTex, "tex"},       {Space::kShared, "shared::cta"},
};

}  // namespace

std::optional<Type> type_by_name(std::string_view name) {
  static const std::unordered_map<std::string_view, Type> map = [] {
    std::unordered_map<std::string_view, Type> m;
    for (const Row& r : kRows) {
      if (r.type != Type::kNone) m.emplace(r.name, r.type);
    }
    return m;
  }();
  auto it = map.find(name);
  if (it == map.end()) return std::nullopt;
  return it->second;
}

std::string_view type_name(Type type) { return row(type).name; }
int type_bits(Type type) { return row(type).bits; }
TypeClass type_class(Type type) { return row(type).cls; }

bool is_integer_or_bits(Type type) {
  TypeClass c = type_class(type);
  return c == TypeClass::kBits || c == TypeClass::kUnsigned || c == TypeClass::kSigned;
}

Type widened(Type type) {
  switch (type) {
    case Type::kU8: return Type::kU16;
    case Type::kU16: return Type::kU32;
    case Type::kU32: return Type::kU64;
    case Type::kS8: return Type::kS16;
    case Type::kS16: return Type::kS32;
    case Type::kS32: return Type::kS64;
    case Type::kB16: return Type::kB32;
    case Type::kB32: return Type::kB64;
    default: return Type::kNone;
  }
}

std::optional<Space> space_by_name(std::string_view name) {
  for (const SpaceRow& r : kSpaces) {
    if (r.name == name) return r.space;
  }
  return std::nullopt;
}

std::string_view space_name(Space space) {
  for (const SpaceRow& r : kSpaces) {
    if (r.space == space) return r.name;
  }
  return "";
}

}  // namespace heddle::compiler::ptx
