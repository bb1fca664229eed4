// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/ptx/mma.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace heddle::compiler::ptx {
namespace {

// Types of elements that go together: each of `ab` with each.
struct Family {
  std::string_view name;
  std::array<Type, 2> ab;
  std::array<Type, 2> cd;
};
constexpr Family kFamilies[] = {
    {"f16", {Type::kF16, Type::kF16}, {Type::kF16, Type::kF32}},
    {"bf16", {Type::kBf16, Type::kBf16}, {Type::kF32, Type::kF32}},
    {"tf32", {Type::kTf32, Type::kTf32}, {Type::kF32, Type::kF32}},
    {"f64", {Type::kF64, Type::kF64}, {Type::kF64, Type::kF64}},
    {"fp8", {Type::kE4m3, Type::kE5m2}, {Type::kF16, Type::kF32}},
    {"int8", {Type::kU8, Type::kS8}, {Type::kS32, Type::kS32}},
    {"int4", {Type::kU4, Type::kS4}, {Type::kS32, Type::kS32}},
    {"b1", {Type::kB1, Type::kB1}, {Type::kS32, Type::kS32}},
};

struct Shape {
  std::string_view family;
  int m, n, k;
  unsigned target;
};
constexpr Shape kShapes[] = {
    {"f16", 8, 8, 4, 70},    {"f16", 16, 8, 8, 75},   {"f16", 16, 8, 16, 80},  {"bf16", 16, 8, 8, 80},
    {"bf16", 16, 8, 16, 80}, {"tf32", 16, 8, 4, 80},  {"tf32", 16, 8, 8, 80},  {"f64", 8, 8, 4, 80},
    {"f64", 16, 8, 4, 90},   {"f64", 16, 8, 8, 90},   {"f64", 16, 8, 16, 90},  {"fp8", 16, 8, 16, 89},
    {"fp8", 16, 8, 32, 89},  {"int8", 8, 8, 16, 75},  {"int8", 16, 8, 16, 80}, {"int8", 16, 8, 32, 80},
    {"int4", 8, 8, 32, 75},  {"int4", 16, 8, 32, 80}, {"int4", 16, 8, 64, 80}, {"b1", 8, 8, 128, 75},
    {"b1", 16, 8, 128, 80},  {"b1", 16, 8, 256, 80},
};

constexpr Shape kWmmaShapes[] = {
    {"f16", 16, 16, 16, 70},  {"f16", 32, 8, 16, 70},  {"f16", 8, 32, 16, 70},  {"bf16", 16, 16, 16, 80},
    {"bf16", 32, 8, 16, 80},  {"bf16", 8, 32, 16, 80}, {"tf32", 16, 16, 8, 80}, {"f64", 8, 8, 4, 80},
    {"int8", 16, 16, 16, 72}, {"int8", 32, 8, 16, 72}, {"int8", 8, 32, 16, 72}, {"int4", 8, 8, 32, 75},
    {"b1", 8, 8, 128, 75},
};

bool is_one_of(const std::array<Type, 2>& types, Type type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// … where there is one.
bool fits(const std::array<Type, 2>& types, Type type) { return type == Type::kNone || is_one_of(types, type); }

bool has_types(const Family& f, const MmaForm& form) {
  return fits(f.ab, form.a) && fits(f.ab, form.b) && fits(f.cd, form.c) && fits(f.cd, form.d);
}

std::string shape_name(int m, int n, int k) {
  return ".m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
}

// Of 8-bit floating point the larger alone.
bool may_be_sparse(const Shape& s) {
  return s.m == 16 && s.family != "f64" && s.family != "b1" && (s.family != "fp8" || s.k == 32);
}

// Modifiers one after the other.
class Words {
 public:
  explicit Words(const std::vector<std::string_view>& words) : words_(words) {}

  bool take(std::string_view word) {
    const bool found = next() == word;
    at_ += found;
    return found;
  }
  Type type() {
    const auto type = type_by_name(next());
    at_ += type.has_value();
    return type.value_or(Type::kNone);
  }
  bool shape(int& m, int& n, int& k) {
    int length = 0;
    const std::string word(next());
    const bool good = std::sscanf(word.c_str(), "m%dn%dk%d%n", &m, &n, &k, &length) == 3 &&
                      static_cast<size_t>(length) == word.size();
    at_ += good;
    return good;
  }
  std::string_view next() const { return at_ < words_.size() ? words_[at_] : std::string_view{}; }

 private:
  const std::vector<std::string_view>& words_;
  size_t at_ = 0;
};

}  // namespace

int MmaForm::registers(char matrix) const {
  const int elements = matrix == 'a' ? m * k / (sparse ? 2 : 1) : matrix == 'b' ? k * n : m * n;
  const int bits = type_bits(type(matrix)), products = is_quad_pairs() ? 4 : 1;
  return elements * products * bits / 32 / (bits == 64 ? 64 : 32);
}

Type MmaForm::register_type(char matrix) const {
  const Type of = type(matrix);
  if (of == Type::kF64) return of;
  return (matrix == 'c' || matrix == 'd') && type_bits(of) == 32 ? of : Type::kB32;
}

std::string parse_mma(const Instruction& instruction, MmaForm& form) {
  const std::string name = " for instruction 'mma'";
  Words words(instruction.modifiers);
  form.sparse = words.take("sp") || words.take("sp::ordered_metadata");
  for (const char* word : {"sync", "aligned"})
    if (!words.take(word)) return "Modifier required" + name + ": ." + word;
  if (!words.shape(form.m, form.n, form.k)) return "Shape required" + name + ": .m16n8k16 or another";
  for (bool* other : {&form.column_a, &form.row_b}) {
    const bool column = words.take("col");
    if (!column && !words.take("row")) return "Layouts required" + name + ": .row.col";
    *other = column == (other == &form.column_a);
  }
  form.satfinite = words.take("satfinite");
  form.d = words.type(), form.a = words.type(), form.b = words.type(), form.c = words.type();
  const bool bits = form.a == Type::kB1;
  if (bits) {
    form.is_xor = words.take("xor");
    if (!form.is_xor && !words.take("and")) return "Modifier required" + name + ": .and, .xor";
    if (!words.take("popc")) return "Modifier required" + name + ": .popc";
  }
  if (!words.next().empty()) return "Illegal modifier '." + std::string(words.next()) + "'" + name;
  for (const Family& f : kFamilies) {
    if (form.a == Type::kNone || form.b == Type::kNone || form.c == Type::kNone || form.d == Type::kNone ||
        !has_types(f, form))
      continue;
    std::string shapes;
    for (const Shape& s : kShapes) {
      if (s.family != f.name || (form.sparse && !may_be_sparse(s))) continue;
      const int k = form.sparse ? 2 * s.k : s.k;
      if (s.m == form.m && s.n == form.n && k == form.k) {
        form.target = form.sparse || (bits && !form.is_xor) ? std::max(s.target, 80u) : s.target;
        break;
      }
      shapes += (shapes.empty() ? "" : ", ") + shape_name(s.m, s.n, k);
    }
    if (shapes.empty() && form.target == 0) break;  // none is sparse
    if (form.target == 0) return "Illegal shape" + name + " with these types, which has " + shapes;
    if (form.satfinite && f.name != "int8" && f.name != "int4") return "Illegal modifier '.satfinite'" + name;
    if ((form.column_a || form.row_b) && !form.is_quad_pairs()) return "Layouts required" + name + ": .row.col";
    if (form.c != form.d && !(form.is_quad_pairs() && form.d == Type::kF32)) break;
    return "";
  }
  return "Unexpected instruction types specified" + name;
}

int WmmaForm::registers(char matrix) const {
  constexpr int kHalves = 8;  // registers of f16 A or B
  const bool factor = matrix == 'a' || matrix == 'b';
  return factor && product.type(matrix) == Type::kF16 ? kHalves : product.registers(matrix);
}

std::string parse_wmma(const Instruction& instruction, WmmaForm& form) {
  const std::string name = " for instruction 'wmma'";
  MmaForm& product = form.product;
  Words words(instruction.modifiers);
  bool counts = false, rounds = false;  // ones of bits; as f64 may say
  if (words.take("load")) {
    for (const char* matrix : {"a", "b", "c"})
      if (words.take(matrix)) form.matrix = matrix[0];
    if (!form.matrix) return "Modifier required" + name + ": .a, .b, .c";
  } else if (words.take("store")) {
    if (!words.take("d")) return "Modifier required" + name + ": .d";
    form.matrix = 'd';
  } else if (words.take("mma")) {
    product.is_xor = words.take("xor");
    counts = product.is_xor || words.take("and");
    if (counts && !words.take("popc")) return "Modifier required" + name + ": .popc";
  } else {
    return "Modifier required" + name + ": .load, .store, .mma";
  }
  for (const char* word : {"sync", "aligned"})
    if (!words.take(word)) return "Modifier required" + name + ": ." + word;
  for (bool* column : {form.matrix ? &form.column : &product.column_a, &product.row_b}) {
    const bool taken = words.take("col");
    if (!taken && !words.take("row")) return "Layouts required" + name + ": .row, .col";
    *column = taken == (column != &product.row_b);
    if (form.matrix) break;
  }
  if (!words.shape(product.m, product.n, product.k)) return "Shape required" + name + ": .m16n16k16 or another";
  if (form.matrix) {
    if (!words.take("global") && !words.take("shared")) words.take("shared::cta");
    (form.matrix == 'a'   ? product.a
     : form.matrix == 'b' ? product.b
     : form.matrix == 'c' ? product.c
                          : product.d) = words.type();
  } else {
    rounds = words.take("rn");
    product.d = words.type(), product.a = words.type(), product.b = words.type(), product.c = words.type();
    if (product.b == Type::kNone) product.c = product.a, product.a = product.b = Type::kF16;  // .dtype.ctype
    product.satfinite = words.take("satfinite");
  }
  if (!words.next().empty()) return "Illegal modifier '." + std::string(words.next()) + "'" + name;
  if (product.type(form.matrix ? form.matrix : 'c') == Type::kNone)
    return "Unexpected instruction types specified" + name;
  if (rounds && product.a != Type::kF64) return "Illegal modifier '.rn'" + name;
  std::string shapes;
  for (const Family& f : kFamilies) {
    if (!has_types(f, product)) continue;
    for (const Shape& s : kWmmaShapes) {
      if (s.family != f.name) continue;
      const bool found = s.m == product.m && s.n == product.n && s.k == product.k;
      if (found && product.target == 0) product.target = s.target;
      const std::string shape = shape_name(s.m, s.n, s.k);
      if (shapes.find(shape) == shapes.npos) shapes += (shapes.empty() ? "" : ", ") + shape;
    }
  }
  if (shapes.empty()) return "Unexpected instruction types specified" + name;
  if (product.target == 0) return "Illegal shape" + name + " with these types, which has " + shapes;
  const Type factor = form.matrix ? product.type(form.matrix) : product.a;
  const bool bits = factor == Type::kB1, nibbles = factor == Type::kU4 || factor == Type::kS4;
  const bool column_a = form.matrix == 'a' ? form.column : product.column_a,
             row_b = form.matrix == 'b' ? !form.column : product.row_b;
  if ((bits || nibbles) && (column_a || row_b)) return "Layouts required" + name + ": .row of A, .col of B";
  if (form.matrix) return "";
  if (counts != bits) return counts ? "Illegal modifier '.popc'" + name : "Modifier required" + name + ": .and, .xor";
  if (counts && !product.is_xor) product.target = 80;
  if (product.satfinite && (bits || product.d != Type::kS32)) return "Illegal modifier '.satfinite'" + name;
  return "";
}

// The shape and types of a warp's part are one of mma's.
std::string parse_wgmma(const Instruction& instruction, WgmmaForm& form) {
  constexpr int kRows = 64, kMostColumns = 256, kTile = 8;
  const std::string name = " for instruction 'wgmma.mma_async'";
  MmaForm& product = form.product;
  product.metadata = 3;
  Words words(instruction.modifiers);
  if (!words.take("mma_async")) return "Modifier required" + name + ": .mma_async";
  product.sparse = words.take("sp");
  for (const char* word : {"sync", "aligned"})
    if (!words.take(word)) return "Modifier required" + name + ": ." + word;
  int rows = 0;
  if (!words.shape(rows, form.n, product.k)) return "Shape required" + name + ": .m64n8k16 or another";
  product.m = 16, product.n = kTile;
  product.satfinite = words.take("satfinite");
  product.c = product.d = words.type(), product.a = words.type(), product.b = words.type();
  product.satfinite |= words.take("satfinite");
  const bool bits = product.a == Type::kB1, bytes = product.a == Type::kU8 || product.a == Type::kS8;
  if (bits && !(words.take("and") && words.take("popc"))) return "Modifier required" + name + ": .and.popc";
  if (!words.next().empty()) return "Illegal modifier '." + std::string(words.next()) + "'" + name;
  const auto family = std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& f) {
    return is_one_of(f.ab, product.a) && is_one_of(f.ab, product.b) && is_one_of(f.cd, product.d);
  });
  if (family == std::end(kFamilies)) return "Unexpected instruction types specified" + name;
  // The largest of the shapes that mma has, of 32 bytes of K.
  const auto shape = std::find_if(std::begin(kShapes), std::end(kShapes), [&](const Shape& s) {
    return s.family == family->name && s.m == product.m && s.k * type_bits(product.a) == 256;
  });
  if (shape == std::end(kShapes) || (product.sparse && !may_be_sparse(*shape)))
    return "Unexpected instruction types specified" + name;
  // Of integers the columns are a multiple of 16, or few.
  const bool columns = form.n > 0 && form.n <= kMostColumns && form.n % kTile == 0 &&
                       (!(bits || bytes) || form.n % 16 == 0 || form.n == 8 || form.n == 24);
  const int k = product.sparse ? 2 * shape->k : shape->k;
  if (rows != kRows || product.k != k || !columns)
    return "Illegal shape" + name + " with these types, which has " + shape_name(kRows, 8, k) + " to " +
           shape_name(kRows, kMostColumns, k) + ", N a multiple of " + (bits || bytes ? "16, or 8 or 24" : "8");
  if (product.satfinite && !bytes) return "Illegal modifier '.satfinite'" + name;
  return "";
}

}  // namespace heddle::compiler::ptx
