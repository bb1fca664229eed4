// SPDX-License-Identifier: Apache-2.0
// What random programs expect of products of matrices, against what silicon gave; and that every form of an instruction
// of matrices which the compiler takes may stand in one.
#include "tests/compiler/random/matrix.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host-runtime/compiler/ptx/mma.h"
#include "tests/compiler/random/generate_instruction.h"
#include "tests/compiler/random/print_instruction.h"

namespace heddle::compiler::test {
namespace {

using Of = Product::Of;
using Size = Product::Size;

std::vector<std::string_view> split(std::string_view name) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at <= name.size(); at += out.back().size() + 1)
    out.push_back(name.substr(at, name.find('.', at) - at));
  return out;
}

// The product that an instruction's name means, as the compiler's parser reads it.
Product product_of(std::string_view name, unsigned selector) {
  const std::vector<std::string_view> words = split(name);
  ptx::Instruction instruction;
  instruction.modifiers.assign(words.begin() + 1, words.end());
  ptx::MmaForm form;
  EXPECT_EQ(ptx::parse_mma(instruction, form), "") << name;
  Product p;
  const bool half_d = form.d == ptx::Type::kF16;
  switch (form.a) {
    case ptx::Type::kF16: p.of = half_d ? Of::F16Sums : Of::F16; break;
    case ptx::Type::kBf16: p.of = Of::Bf16; break;
    case ptx::Type::kTf32: p.of = Of::Tf32; break;
    case ptx::Type::kF64: p.of = Of::F64; break;
    case ptx::Type::kE4m3:
    case ptx::Type::kE5m2: p.of = half_d ? Of::Float8Sums : Of::Float8; break;
    case ptx::Type::kU8:
    case ptx::Type::kS8: p.of = Of::Bytes; break;
    case ptx::Type::kU4:
    case ptx::Type::kS4: p.of = Of::Nibbles; break;
    default: p.of = Of::Bits;
  }
  const auto is_signed = [](ptx::Type t) {
    return t == ptx::Type::kE5m2 || t == ptx::Type::kS8 || t == ptx::Type::kS4;
  };
  p.sign_a = is_signed(form.a), p.sign_b = is_signed(form.b);
  p.sparse = form.sparse, p.clamps = form.satfinite, p.is_xor = form.is_xor, p.selector = selector;
  p.column_a = form.column_a, p.row_b = form.row_b, p.other_c = form.c != form.d;
  if (p.of == Of::F64) p.steps = static_cast<unsigned>(form.k) / 4;
  p.size = form.m == 8 ? Size::Small : p.of == Of::F64 || form.registers('a') == 4 ? Size::Full : Size::Half;
  EXPECT_EQ(columns_of_a(p), static_cast<unsigned>(form.k)) << name;
  return p;
}

uint64_t one_nan(uint64_t f64) { return (f64 & INT64_MAX) > 0x7ff0000000000000 ? 0x7ff8000000000000 : f64; }

// The registers of a lane stand side by side, A, B, C, metadata, D; lanes follow each other, then tiles.
class Records : public ::testing::TestWithParam<const char*> {};

TEST_P(Records, AreWhatProgramsExpect) {
  const std::string path = std::string(HEDDLE_MMA_RECORDS) + "/" + GetParam();
  std::ifstream json(path + ".json"), bin(path + ".bin", std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(bin)), {});
  const nlohmann::json index = nlohmann::json::parse(json);
  unsigned tiles = 0;
  std::set<Of> seen;
  for (const nlohmann::json& shape : index.at("shapes")) {
    const auto name = shape.at("instruction").get<std::string>();
    SCOPED_TRACE(name);
    const Product p = product_of(name, shape.value("selector", 0u));
    seen.insert(p.of);
    for (const char matrix : {'a', 'b', 'c', 'd'})
      ASSERT_EQ(registers_of(p, matrix), shape.at(std::string(1, matrix)).get<unsigned>()) << matrix;
    const size_t word = shape.at("word_bytes").get<size_t>();
    const char* at = bytes.data() + shape.at("offset").get<size_t>();
    for (unsigned n = shape.at("tiles").get<unsigned>(); n > 0; n--, tiles++) {
      MmaOperands o;
      Fragment d{};
      for (size_t lane = 0; lane < 32; lane++) {
        const auto take = [&](Fragment& to, char matrix) {
          for (size_t r = 0; r < registers_of(p, matrix); r++, at += word) std::memcpy(&to[r][lane], at, word);
        };
        take(o.a, 'a'), take(o.b, 'b'), take(o.c, 'c');
        if (p.sparse) std::memcpy(&o.metadata[lane], at, word), at += word;
        take(d, 'd');
      }
      ASSERT_LE(at, bytes.data() + bytes.size());
      const Fragment results = mma_results(p, o);
      for (size_t r = 0; r < d.size(); r++)
        for (size_t lane = 0; lane < 32; lane++)
          if (p.of == Of::F64) ASSERT_EQ(results[r][lane], one_nan(d[r][lane])) << "register " << r << " lane " << lane;
          else ASSERT_EQ(results[r][lane], d[r][lane]) << "register " << r << " lane " << lane;
    }
  }
  std::printf("%u tiles\n", tiles);
  EXPECT_GT(tiles, 100u);
  EXPECT_GE(seen.size(), 7u);
}

INSTANTIATE_TEST_SUITE_P(H200, Records, ::testing::Values("mma", "mma_sp"),
                         [](const auto& info) { return std::string(info.param); });

// ---- forms ---------------------------------------------------------------------------------------------------

class Generator : public InstructionGenerator {
 public:
  Generator(std::mt19937_64& random, const Shape& shape) : InstructionGenerator(random, shape) {}
  using InstructionGenerator::matrix_instructions;
};

class Printer : public InstructionPrinter {
 public:
  std::string text(const Instruction& i) {
    instruction(i);
    return std::exchange(out_, {});
  }
};

// Without the space of wmma's accesses: matrices with long lines lie in global memory.
std::string without_space(std::string name) {
  for (const char* space : {".shared::cta", ".shared", ".global"}) {
    const size_t at = name.find(space);
    if (name.starts_with("wmma.") && at != name.npos) return name.erase(at, std::strlen(space));
  }
  return name;
}

// Joins each of `names` with each of `more`.
std::vector<std::string> joined(const std::vector<std::string>& names, const std::vector<std::string>& more) {
  std::vector<std::string> out;
  for (const std::string& name : names)
    for (const std::string& m : more) out.push_back(name + m);
  return out;
}

// Of names those that a parser takes.
template <typename Form>
void add(std::set<std::string>& to, const std::vector<std::string>& names,
         std::string (*parse)(const ptx::Instruction&, Form&)) {
  for (const std::string& name : names) {
    const std::vector<std::string_view> words = split(name);
    ptx::Instruction instruction;
    instruction.modifiers.assign(words.begin() + 1, words.end());
    Form form;
    if (parse(instruction, form).empty()) to.insert(name);
  }
}

std::set<std::string> all_forms() {
  const std::vector<std::string> sums = {".f16", ".f32", ".f64", ".s32"}, layouts = {".row", ".col"}, one = {""};
  std::vector<std::string> factors = {".f16.f16", ".bf16.bf16", ".tf32.tf32", ".f64.f64", ".b1.b1"}, all = sums;
  for (const std::vector<std::string>& two :
       {std::vector<std::string>{".e4m3", ".e5m2"}, {".u8", ".s8"}, {".u4", ".s4"}})
    for (const std::string& pair : joined(two, two)) factors.push_back(pair);
  for (const char* more : {".bf16", ".tf32", ".e4m3", ".e5m2", ".u8", ".s8", ".u4", ".s4", ".b1"})
    all.emplace_back(more);
  const auto product = [&](const std::vector<std::string>& pairs) { return joined(joined(sums, pairs), sums); };
  const std::vector<std::string> types = product(factors), counts = {"", ".xor.popc", ".and.popc"};
  std::set<std::string> out;

  std::vector<std::string> names = joined({"mma", "mma.sp", "mma.sp::ordered_metadata"}, {".sync.aligned"});
  std::vector<std::string> shapes;
  for (const int m : {8, 16})
    for (int k = 4; k <= 256; k *= 2) shapes.push_back(".m" + std::to_string(m) + "n8k" + std::to_string(k));
  names = joined(joined(joined(names, shapes), layouts), layouts);
  add(out, joined(joined(joined(names, {"", ".satfinite"}), types), counts), ptx::parse_mma);

  shapes = {".m16n16k16", ".m32n8k16", ".m8n32k16", ".m16n16k8", ".m8n8k4", ".m8n8k16", ".m8n8k32", ".m8n8k128"};
  names = joined({"wmma.load.a", "wmma.load.b", "wmma.load.c", "wmma.store.d"}, {".sync.aligned"});
  add(out, joined(joined(joined(names, layouts), shapes), all), ptx::parse_wmma);
  names = joined(joined(joined({"wmma.mma"}, counts), {".sync.aligned"}), layouts);
  names = joined(joined(joined(names, layouts), shapes), {"", ".rn"});
  factors.erase(factors.begin());  // which wmma leaves unsaid
  add(out, joined(joined(names, product(factors)), {"", ".satfinite"}), ptx::parse_wmma);
  add(out, joined(names, product(one)), ptx::parse_wmma);

  for (const std::string& name : joined({"ldmatrix", "stmatrix"}, {".sync.aligned.m8n8"}))
    for (const std::string& more :
         joined(joined({".x1", ".x2", ".x4"}, {"", ".trans"}), {"", ".shared", ".shared::cta"}))
      out.insert(name + more + ".b16");
  out.insert("movmatrix.sync.aligned.m8n8.trans.b16");
  return out;
}

TEST(Matrices, OccurInEveryForm) {
  std::mt19937_64 random(1);
  const Shape shape;
  Generator generator(random, shape);
  Printer printer;
  const std::set<std::string> all = all_forms();
  EXPECT_GT(all.size(), 400u);
  std::set<std::string> missing = all;
  for (int n = 0; n < 400'000 && !missing.empty(); n++) {
    const std::string text = printer.text(generator.matrix_instructions().back());
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      size_t begin = text.find_first_not_of(' ', at);
      if (text[begin] == '@') begin = text.find(' ', begin) + 1;
      const std::string name = without_space(text.substr(begin, text.find(' ', begin) - begin));
      if (name.find("matrix") == name.npos && name.find("mma") == name.npos) continue;
      EXPECT_TRUE(all.contains(name)) << name;
      missing.erase(name);
    }
  }
  std::printf("%zu forms\n", all.size());
  for (const std::string& name : missing) ADD_FAILURE() << name;
}

}  // namespace
}  // namespace heddle::compiler::test
