// SPDX-License-Identifier: Apache-2.0
// A reader of Zstandard frames (RFC 8878): what nvcc packs PTX with. No dictionaries; checksums are not compared.
#include "zstd.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace heddle {
namespace {

// Thrown inside this file only: the bytes are no frame.
struct Damaged {
  const char* what;
};

void need(bool good, const char* what) {
  if (!good) throw Damaged{what};
}

struct Input {
  const uint8_t* at;
  size_t left;

  uint64_t number(unsigned bytes) {
    need(left >= bytes, "cut off");
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= uint64_t{at[i]} << (8 * i);
    skip(bytes);
    return value;
  }
  void skip(size_t bytes) {
    need(left >= bytes, "cut off");
    at += bytes;
    left -= bytes;
  }
  Input part(size_t bytes) {
    const Input front{at, bytes};
    skip(bytes);
    return front;
  }
};

// Bits from the first byte on, lowest first: descriptions of FSE tables.
struct ForwardBits {
  Input in;
  size_t bit = 0;

  uint32_t peek(unsigned count) const {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i) {
      const size_t at = bit + i;
      if (at / 8 < in.left) value |= (uint32_t{in.at[at / 8]} >> at % 8 & 1) << i;
    }
    return value;
  }
  uint32_t take(unsigned count) {
    const uint32_t value = peek(count);
    bit += count;
    need(bit <= in.left * 8, "cut off");
    return value;
  }
};

// Bits from the last byte's highest set bit, which only marks the end, down: streams of codes.
class BackwardBits {
 public:
  explicit BackwardBits(Input in) : data_(in.at) {
    need(in.left > 0 && in.at[in.left - 1] != 0, "a stream of bits has no end");
    left_ = static_cast<int64_t>(in.left) * 8 - std::countl_zero(in.at[in.left - 1]) - 1;
  }
  // Zeros follow the last bit; left() tells that they were read.
  uint64_t take(unsigned count) {
    uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) {
      --left_;
      value = value << 1 | (left_ >= 0 ? data_[left_ / 8] >> (left_ % 8) & 1 : 0);
    }
    return value;
  }
  int64_t left() const { return left_; }

 private:
  const uint8_t* data_;
  int64_t left_;
};

// ---- finite state entropy ----------------------------------------------------------------------------

struct FseCell {
  uint8_t symbol, bits;
  uint16_t base;
};
struct FseTable {
  unsigned log = 0;
  std::vector<FseCell> cells;
};

FseTable fse_of(const std::vector<int>& counts, unsigned log) {
  FseTable table{log, std::vector<FseCell>(size_t{1} << log)};
  const size_t size = table.cells.size();
  std::vector<uint32_t> next(counts.size());
  size_t high = size;
  for (size_t s = 0; s < counts.size(); ++s) {
    next[s] = static_cast<uint32_t>(std::max(counts[s], 1));
    if (counts[s] < 0) table.cells[--high].symbol = static_cast<uint8_t>(s);
  }
  size_t place = 0;
  for (size_t s = 0; s < counts.size(); ++s) {
    for (int i = 0; i < counts[s]; ++i) {
      table.cells[place].symbol = static_cast<uint8_t>(s);
      do place = (place + (size >> 1) + (size >> 3) + 3) & (size - 1);
      while (place >= high);
    }
  }
  for (FseCell& cell : table.cells) {
    const uint32_t state = next[cell.symbol]++;
    cell.bits = static_cast<uint8_t>(log - (std::bit_width(state) - 1));
    cell.base = static_cast<uint16_t>((state << cell.bits) - size);
  }
  return table;
}

FseTable fse_of_one(uint8_t symbol) { return {0, {{symbol, 0, 0}}}; }

// A table's description at the input's front, which moves behind it.
FseTable read_fse(Input& in, unsigned max_log, size_t max_symbols) {
  ForwardBits bits{in};
  const unsigned log = bits.take(4) + 5;
  need(log <= max_log, "an entropy table is too large");
  std::vector<int> counts;
  int remaining = (1 << log) + 1;
  while (remaining > 1) {
    need(counts.size() < max_symbols, "an entropy table has too many symbols");
    const auto width = static_cast<unsigned>(std::bit_width(static_cast<uint32_t>(remaining)));
    const auto spare = static_cast<uint32_t>((1 << width) - 1 - remaining);
    const uint32_t low = bits.peek(width - 1);
    uint32_t value = low;
    if (low < spare) {
      bits.take(width - 1);
    } else {
      value = bits.take(width);
      if (value >= 1u << (width - 1)) value -= spare;
    }
    const int count = static_cast<int>(value) - 1;
    counts.push_back(count);
    remaining -= std::abs(count);
    need(remaining >= 1, "an entropy table does not add up");
    for (uint32_t more = 3; count == 0 && more == 3;) {
      more = bits.take(2);
      counts.insert(counts.end(), more, 0);
    }
  }
  need(counts.size() <= max_symbols, "an entropy table has too many symbols");
  in.skip((bits.bit + 7) / 8);
  return fse_of(counts, log);
}

class FseState {
 public:
  FseState(const FseTable& table, BackwardBits& bits) : table_(table), state_(bits.take(table.log)) {}
  uint8_t symbol() const { return table_.cells[state_].symbol; }
  void advance(BackwardBits& bits) {
    const FseCell& cell = table_.cells[state_];
    state_ = cell.base + bits.take(cell.bits);
  }
  unsigned next_bits() const { return table_.cells[state_].bits; }

 private:
  const FseTable& table_;
  uint64_t state_;
};

// ---- Huffman codes of literals ------------------------------------------------------------------------

struct HuffmanTable {
  unsigned log = 0;
  std::vector<std::pair<uint8_t, uint8_t>> cells;  // symbol, bits
};

std::vector<uint8_t> read_weights(Input& in) {
  const auto head = static_cast<unsigned>(in.number(1));
  std::vector<uint8_t> weights;
  if (head >= 128) {
    const unsigned count = head - 127;
    Input packed = in.part((count + 1) / 2);
    for (unsigned i = 0; i < count; ++i) weights.push_back(i % 2 ? packed.at[i / 2] & 15 : packed.at[i / 2] >> 4);
    return weights;
  }
  Input packed = in.part(head);
  const FseTable table = read_fse(packed, 6, 256);
  BackwardBits bits(packed);
  FseState first(table, bits), second(table, bits);
  need(bits.left() >= 0, "cut off");
  // Two states in turn, until the bits do not suffice for the next.
  for (FseState *now = &first, *other = &second;; std::swap(now, other)) {
    need(weights.size() < 254, "too many Huffman weights");
    weights.push_back(now->symbol());
    const bool last = bits.left() < now->next_bits();
    now->advance(bits);
    if (!last) continue;
    weights.push_back(other->symbol());
    return weights;
  }
}

HuffmanTable read_huffman(Input& in) {
  std::vector<uint8_t> weights = read_weights(in);
  uint32_t sum = 0;
  for (uint8_t w : weights) {
    need(w <= 12, "a Huffman weight is too large");
    sum += w ? 1u << (w - 1) : 0;
  }
  need(sum > 0, "no Huffman weights");
  HuffmanTable table;
  table.log = static_cast<unsigned>(std::bit_width(sum));
  const uint32_t rest = (1u << table.log) - sum;
  need(table.log <= 11 && std::has_single_bit(rest), "Huffman weights do not add up");
  weights.push_back(static_cast<uint8_t>(std::bit_width(rest)));
  for (unsigned w = 1; w <= table.log; ++w)
    for (size_t s = 0; s < weights.size(); ++s)
      if (weights[s] == w)
        table.cells.insert(table.cells.end(), size_t{1} << (w - 1),
                           {static_cast<uint8_t>(s), static_cast<uint8_t>(table.log + 1 - w)});
  return table;
}

void huffman_stream(const HuffmanTable& table, Input in, size_t count, std::string& out) {
  BackwardBits bits(in);
  const uint64_t mask = (uint64_t{1} << table.log) - 1;
  uint64_t window = bits.take(table.log);
  for (size_t i = 0; i < count; ++i) {
    const auto [symbol, used] = table.cells[window];
    out.push_back(static_cast<char>(symbol));
    window = (window << used | bits.take(used)) & mask;
  }
  need(bits.left() == -static_cast<int64_t>(table.log), "a stream of literals does not end with its bits");
}

// ---- sequences ----------------------------------------------------------------------------------------

// A code stands for base + that many more bits.
struct Code {
  uint32_t base;
  uint8_t bits;
};

// Codes of lengths: one a value up to `plain`, then with the bits of the list.
std::vector<Code> length_codes(uint32_t first, unsigned plain, std::initializer_list<uint8_t> bits) {
  std::vector<Code> codes;
  for (unsigned i = 0; i < plain; ++i) codes.push_back({first++, 0});
  for (uint8_t b : bits) {
    codes.push_back({first, b});
    first += 1u << b;
  }
  return codes;
}

const std::vector<Code>& literal_length_codes() {
  static const auto codes = length_codes(0, 16, {1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  return codes;
}
const std::vector<Code>& match_length_codes() {
  static const auto codes =
      length_codes(3, 32, {1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  return codes;
}

struct SequenceKind {
  unsigned max_log, default_log;
  size_t symbols;
  std::vector<int> default_counts;
};

const std::array<SequenceKind, 3>& sequence_kinds() {  // literal lengths, offsets, match lengths: in the frame's order
  static const std::array<SequenceKind, 3> kinds{{
      {9, 6, 36, {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}},
      {8, 5, 32, {1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}},
      {9, 6, 53, {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1}},
  }};
  return kinds;
}

// ---- a frame ------------------------------------------------------------------------------------------

class Frame {
 public:
  Frame(Input in, size_t max_bytes) : in_(in), max_bytes_(max_bytes) {}

  std::string read() {
    read_header();
    for (bool last = false; !last;) {
      const auto head = static_cast<uint32_t>(in_.number(3));
      last = head & 1;
      block(head >> 1 & 3, head >> 3);
      need(out_.size() <= max_bytes_, "more bytes than announced");
    }
    return std::move(out_);
  }

 private:
  void read_header() {
    need(in_.number(4) == 0xfd2fb528, "no Zstandard frame");
    const auto flags = static_cast<unsigned>(in_.number(1));
    const bool single = flags >> 5 & 1;
    constexpr unsigned kSizeBytes[] = {0, 2, 4, 8};
    if (!single) in_.skip(1);
    need((flags & 3) == 0, "a dictionary is asked for");
    const unsigned size_bytes = kSizeBytes[flags >> 6];
    in_.skip(size_bytes ? size_bytes : single);
  }

  void block(unsigned type, size_t bytes) {
    if (type == 0) {
      const Input raw = in_.part(bytes);
      out_.append(reinterpret_cast<const char*>(raw.at), bytes);
    } else if (type == 1) {
      need(bytes <= max_bytes_, "more bytes than announced");
      out_.append(bytes, static_cast<char>(in_.number(1)));
    } else {
      need(type == 2, "a block of an unknown kind");
      Input body = in_.part(bytes);
      literals(body);
      sequences(body);
    }
  }

  void literals(Input& in) {
    literals_.clear();
    need(in.left > 0, "cut off");
    const unsigned type = in.at[0] & 3, format = in.at[0] >> 2 & 3;
    if (type < 2) {
      constexpr unsigned kBytes[] = {1, 2, 1, 3};
      const size_t count = in.number(kBytes[format]) >> (format & 1 ? 4 : 3);
      need(count <= max_bytes_, "more bytes than announced");
      if (type == 1) return void(literals_.assign(count, static_cast<char>(in.number(1))));
      const Input raw = in.part(count);
      return void(literals_.assign(reinterpret_cast<const char*>(raw.at), count));
    }
    constexpr unsigned kBytes[] = {3, 3, 4, 5}, kBits[] = {10, 10, 14, 18};
    const uint64_t head = in.number(kBytes[format]) >> 4, mask = (uint64_t{1} << kBits[format]) - 1;
    const size_t count = head & mask;
    need(count <= max_bytes_, "more bytes than announced");
    Input body = in.part(head >> kBits[format] & mask);
    if (type == 2) huffman_ = read_huffman(body);
    need(!huffman_.cells.empty(), "literals without a Huffman table");
    if (format == 0) return huffman_stream(huffman_, body, count, literals_);
    const size_t sizes[] = {body.number(2), body.number(2), body.number(2)}, part = (count + 3) / 4;
    need(3 * part <= count, "four streams for few literals");
    for (size_t size : sizes) huffman_stream(huffman_, body.part(size), part, literals_);
    huffman_stream(huffman_, body, count - 3 * part, literals_);
  }

  void sequences(Input& in) {
    size_t count = in.number(1);
    if (count == 255)
      count = in.number(2) + 0x7f00;
    else if (count >= 128)
      count = (count - 128) << 8 | in.number(1);
    if (count == 0) return void(out_ += literals_);
    const auto modes = static_cast<unsigned>(in.number(1));
    for (unsigned i = 0; i < 3; ++i) read_table(i, modes >> (6 - 2 * i) & 3, in);
    BackwardBits bits(in);
    FseState literal(tables_[0], bits), offset(tables_[1], bits), match(tables_[2], bits);
    size_t literals_used = 0;
    for (size_t i = 0; i < count; ++i) {
      const unsigned offset_code = offset.symbol();
      need(offset_code < 32, "an offset is too large");
      const uint64_t offset_value = (uint64_t{1} << offset_code) + bits.take(offset_code);
      const size_t match_length = length(match_length_codes(), match.symbol(), bits);
      const size_t literal_length = length(literal_length_codes(), literal.symbol(), bits);
      need(literal_length <= literals_.size() - literals_used, "more literals than there are");
      out_.append(literals_, literals_used, literal_length);
      literals_used += literal_length;
      copy(distance(offset_value, literal_length == 0), match_length);
      if (i + 1 == count) break;
      literal.advance(bits);
      match.advance(bits);
      offset.advance(bits);
    }
    need(bits.left() == 0, "sequences do not end with their bits");
    out_.append(literals_, literals_used);
  }

  void read_table(unsigned which, unsigned mode, Input& in) {
    const SequenceKind& kind = sequence_kinds()[which];
    FseTable& table = tables_[which];
    if (mode == 0) table = fse_of(kind.default_counts, kind.default_log);
    if (mode == 1) table = fse_of_one(static_cast<uint8_t>(in.number(1)));
    if (mode == 2) table = read_fse(in, kind.max_log, kind.symbols);
    need(!table.cells.empty(), "a table of an earlier block that is not there");
  }

  static size_t length(const std::vector<Code>& codes, unsigned symbol, BackwardBits& bits) {
    need(symbol < codes.size(), "a length of an unknown code");
    return codes[symbol].base + bits.take(codes[symbol].bits);
  }

  // Of a match: values up to three ask for one of the last three distances.
  uint64_t distance(uint64_t value, bool no_literals) {
    const uint64_t which = value > 3 ? 3 : value - 1 + no_literals;
    const uint64_t chosen = value > 3 ? value - 3 : which == 3 ? last_[0] - 1 : last_[which];
    if (which > 1) last_[2] = last_[1];
    if (which > 0) last_[1] = last_[0];
    return last_[0] = chosen;
  }

  void copy(uint64_t back, size_t bytes) {
    need(back > 0 && back <= out_.size(), "a match before the beginning");
    need(bytes <= max_bytes_ && out_.size() <= max_bytes_ - bytes, "more bytes than announced");
    for (size_t from = out_.size() - back; bytes > 0; --bytes) out_.push_back(out_[from++]);
  }

  Input in_;
  size_t max_bytes_;
  std::string out_, literals_;
  HuffmanTable huffman_;
  std::array<FseTable, 3> tables_;
  std::array<uint64_t, 3> last_{1, 4, 8};
};

}  // namespace

Result<std::string> unpack_zstd(std::string_view packed, size_t max_bytes) {
  try {
    return Frame({reinterpret_cast<const uint8_t*>(packed.data()), packed.size()}, max_bytes).read();
  } catch (const Damaged& damage) {
    return Error(std::string("damaged Zstandard frame: ") + damage.what);
  }
}

}  // namespace heddle
