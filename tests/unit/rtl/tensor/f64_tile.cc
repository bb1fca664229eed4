// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/rtl/tensor/f64_tile.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/unit/rtl/execute/float_reference.h"

namespace heddle::test {

std::uint64_t fused(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  Request r;
  r.op = static_cast<std::uint8_t>(isa::Opcode::Dfma);
  const auto put = [](Row& low, Row& high, std::uint64_t v) {
    low[0] = static_cast<std::uint32_t>(v), high[0] = static_cast<std::uint32_t>(v >> 32);
  };
  put(r.a, r.a_hi, a), put(r.b, r.b_hi, b), put(r.c, r.c_hi, c);
  return fp64_reference(r).lane(r, 0).d;
}

// Lane 4 r + k has A's element (r, k), lane 4 j + k B's (k, j), lane 4 r + j / 2 C's (r, j).
void multiply(F64Tile& t) {
  for (std::size_t row = 0; row < 8; row++) {
    for (std::size_t column = 0; column < 8; column++) {
      const std::size_t lane = 4 * row + column / 2;
      std::uint64_t sum = t.c[column % 2][lane];
      for (std::size_t k = 0; k < 4; k++) sum = fused(t.a[4 * row + k], t.b[4 * column + k], sum);
      t.d[column % 2][lane] = sum;
    }
  }
}

F64Tile random_f64_tile(std::mt19937_64& random) {
  F64Tile t;
  for (auto& x : t.a) x = random_double(random, std::bit_cast<std::uint64_t>(1.0));
  for (std::size_t i = 0; i < 32; i++) t.b[i] = random_double(random, 0x7fe0000000000000 - t.a[i]);
  for (auto& row : t.c) {
    for (std::size_t i = 0; i < 32; i++) {
      const double product = std::bit_cast<double>(t.a[4 * (i / 4)]) * std::bit_cast<double>(t.b[8 * (i % 4)]);
      row[i] = random() % 8 ? random_double(random, std::bit_cast<std::uint64_t>(product))
                            : std::bit_cast<std::uint64_t>(-product);
    }
  }
  if (random() % 3 == 0) t.mask = static_cast<std::uint32_t>(random());
  multiply(t);
  return t;
}

std::vector<F64Tile> recorded_f64_tiles(const std::string& path) {
  std::ifstream json(path + ".json"), bin(path + ".bin", std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(bin)), {});
  const nlohmann::json index = nlohmann::json::parse(json);
  std::vector<F64Tile> tiles;
  for (const nlohmann::json& shape : index.at("shapes")) {
    if (shape.at("instruction").get<std::string>().find("m8n8k4.row.col.f64") == std::string::npos) continue;
    const auto count = [&](const char* key) { return shape.at(key).get<std::size_t>(); };
    for (std::size_t n = 0; n < count("tiles"); n++) {
      F64Tile& tile = tiles.emplace_back();
      for (std::size_t lane = 0; lane < 32; lane++) {
        std::array<std::uint64_t, 6> words;  // A, B, C, D
        std::memcpy(words.data(), bytes.data() + count("offset") + 48 * (n * 32 + lane), 48);
        tile.a[lane] = words[0], tile.b[lane] = words[1];
        for (std::size_t e = 0; e < 2; e++) tile.c[e][lane] = words[2 + e], tile.d[e][lane] = words[4 + e];
      }
    }
  }
  return tiles;
}

}  // namespace heddle::test
