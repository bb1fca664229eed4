// SPDX-License-Identifier: Apache-2.0
// mma.json and mma.bin, mma_sp.json and mma_sp.bin (sparse matrices): what matrix instructions made of whole tiles. A
// tile is a warp, 32 rows of an op; a lane's row is its registers of A, B, C, of a sparse A's metadata, and of D, each
// a little-endian word of 32 bits, or of 64 (f64).
#include <nlohmann/json.hpp>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/silicon.h"

namespace heddle::tools {
namespace {

constexpr size_t kLanes = 32, kMaxRegisters = 32;

// "{%A0, %A1}"
std::string registers(char matrix, size_t count) {
  std::string t;
  for (size_t i = 0; i < count; ++i) t += (i ? ", %" : "{%") + std::string(1, matrix) + std::to_string(i);
  return t + "}";
}

SiliconOp tile_op(const nlohmann::json& entry, const std::string& bytes) {
  SiliconOp op;
  op.name = entry.at("instruction");
  const size_t word = entry.at("word_bytes"), offset = entry.at("offset"), tiles = entry.at("tiles");
  const size_t a = entry.at("a"), b = entry.at("b"), c = entry.at("c"), d = entry.at("d"),
               metadata = entry.value("e", size_t{0});
  op.input_names.clear(), op.output_names.clear();
  size_t columns = 0;
  for (const auto& [matrix, count] : {std::pair('A', a), {'B', b}, {'C', c}, {'E', metadata}, {'D', d}}) {
    if ((count == 0 && matrix != 'E') || count > kMaxRegisters)
      throw std::out_of_range(op.name + ": a lane has so many registers of no matrix");
    columns += count;
    auto& types = matrix == 'D' ? op.outputs : op.inputs;
    auto& names = matrix == 'D' ? op.output_names : op.input_names;
    for (size_t i = 0; i < count; ++i) {
      types.emplace_back(word == 8 ? "u64" : "u32");
      names.push_back(matrix + std::to_string(i));
    }
  }
  if (word != 4 && word != 8) throw std::out_of_range(op.name + ": a word has 4 bytes or 8");
  if (tiles == 0) throw std::out_of_range(op.name + ": it has no tiles");
  if (offset > bytes.size() || tiles > (bytes.size() - offset) / (kLanes * columns * word))
    throw std::out_of_range(op.name + ": its tiles lie outside mma.bin");
  op.count = kLanes * tiles;
  op.body = op.name + " " + registers('D', d) + ", " + registers('A', a) + ", " + registers('B', b) + ", " +
            registers('C', c);
  if (metadata) op.body += ", %E0, " + std::to_string(entry.at(entry.contains("sel") ? "sel" : "selector").get<int>());
  op.body += ";";
  op.rows.resize(op.count * columns);
  for (size_t i = 0; i < op.rows.size(); ++i)
    for (size_t byte = 0; byte < word; ++byte)
      op.rows[i] |= uint64_t{static_cast<unsigned char>(bytes[offset + i * word + byte])} << 8 * byte;
  return op;
}

}  // namespace

Result<std::vector<SiliconOp>> read_silicon_mma(const std::filesystem::path& folder, const std::string& name) {
  const auto index = read_file((folder / (name + ".json")).string());
  if (!index) return index.error();
  const auto bytes = read_file((folder / (name + ".bin")).string());
  if (!bytes) return bytes.error();
  std::vector<SiliconOp> ops;
  try {
    const auto document = nlohmann::json::parse(*index);
    for (const auto& entry : document.at("shapes")) ops.push_back(tile_op(entry, *bytes));
  } catch (const std::exception& e) {  // nlohmann's; a number that no recording has
    return Error(name + ".json: " + e.what());
  }
  return ops;
}

}  // namespace heddle::tools
