// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/fst_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "sim/verilator/fst_format.h"

namespace heddle::rtl {
namespace {

using namespace fst_format;

// Blocks of the file: a type, the length of what follows (itself included), contents. Numbers are big-endian.
enum BlockType : uint8_t { kHeader = 0, kValues = 1, kGeometry = 3, kNamesLz4 = 6 };
// Entries of the names.
enum Entry : uint8_t { kAttribute = 252, kScope = 254, kUpScope = 255 };
constexpr unsigned kMiscAttribute = 0, kEnumTable = 7;  // FST_AT_MISC, FST_MT_ENUMTABLE
constexpr size_t kHeaderBytes = 330;
constexpr size_t kFirstBlockBytes = size_t{64} << 10;  // of changes

}  // namespace

FstWriter::FstWriter(std::string file, size_t block_bytes) : file_(std::move(file)), block_bytes_(block_bytes) {}

FstWriter::~FstWriter() { (void)close().ok(); }

// ---- names ------------------------------------------------------------------------------------------

void FstWriter::scope(unsigned type, std::string_view name) {
  names_ += static_cast<char>(kScope);
  names_ += static_cast<char>(type);
  names_ += name;
  names_.append(2, '\0');  // and no component
  scopes_++;
}

void FstWriter::up_scope() { names_ += static_cast<char>(kUpScope); }

void FstWriter::attribute(unsigned subtype, std::string_view name, uint64_t argument) {
  names_ += static_cast<char>(kAttribute);
  names_ += static_cast<char>(kMiscAttribute);
  names_ += static_cast<char>(subtype);
  names_ += name;
  names_ += '\0';
  append_varint(names_, argument);
}

uint32_t FstWriter::enumeration(std::string_view name, const std::vector<std::string>& names,
                                const std::vector<std::string>& values) {
  std::string text = std::string(name) + " " + std::to_string(names.size());
  for (const auto* list : {&names, &values})
    for (const std::string& word : *list) text += " " + word;
  attribute(kEnumTable, text, ++tables_);
  return static_cast<uint32_t>(tables_);
}

void FstWriter::enumeration_of_next(uint32_t table) { attribute(kEnumTable, "", table); }

uint32_t FstWriter::variable(unsigned type, unsigned direction, uint32_t bits, std::string_view name, uint32_t alias) {
  names_ += static_cast<char>(type);
  names_ += static_cast<char>(direction);
  names_ += name;
  names_ += '\0';
  append_varint(names_, bits);
  append_varint(names_, alias);
  names_count_++;
  if (alias) return alias;
  signals_.push_back({bits, values_.size(), 0, {}});
  values_.resize(values_.size() + (bits + 7) / 8);
  return variables();
}

// ---- the file ---------------------------------------------------------------------------------------

bool FstWriter::append(const void* data, size_t bytes) {
  const int error = write_all(descriptor_, data, bytes, end_);
  if (error == 0) {
    end_ += bytes;
    return true;
  }
  state_ = Error(std::strerror(error));
  if (ftruncate(descriptor_, static_cast<off_t>(end_)) != 0) state_ = Error(std::strerror(errno));
  return false;
}

void FstWriter::write_header() {
  MemorySink out;
  put_byte(out, kHeader);
  put64(out, kHeaderBytes - 1);
  put64(out, first_);
  put64(out, written_);
  const double endian = 2.7182818284590452354;  // as the host keeps it
  out.put(&endian, sizeof endian);
  put64(out, block_bytes_);
  put64(out, scopes_);
  put64(out, names_count_);
  put64(out, signals_.size());
  put64(out, blocks_);
  put_byte(out, static_cast<uint8_t>(-9));  // a nanosecond
  out.bytes += "Heddle";
  out.bytes.resize(202);
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  out.put(date, std::strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y\n", localtime_r(&now, &parts)));
  out.bytes.resize(kHeaderBytes);  // and: Verilog, time begins at 0
  (void)write_all(descriptor_, out.bytes.data(), out.bytes.size(), 0);
}

// What of the header changes: times at 9, number of blocks at 65.
void FstWriter::update_header() {
  uint8_t times[16], blocks[8];
  big_endian(first_, times);
  big_endian(written_, times + 8);
  big_endian(blocks_, blocks);
  (void)write_all(descriptor_, times, sizeof times, 9);
  (void)write_all(descriptor_, blocks, sizeof blocks, 65);
}

Status FstWriter::begin() {
  descriptor_ = open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return state_ = Error(std::string("cannot be created: ") + std::strerror(errno));

  std::string widths;
  for (const Signal& s : signals_) append_varint(widths, s.bits);
  std::string packed = deflated(widths.data(), widths.size());
  if (packed.empty()) packed = widths;
  MemorySink out;
  out.bytes.resize(kHeaderBytes);
  put_byte(out, kGeometry);
  put64(out, packed.size() + 24);
  put64(out, widths.size());
  put64(out, signals_.size());
  out.bytes += packed;
  const std::string names = lz4(names_.data(), names_.size());
  put_byte(out, kNamesLz4);
  put64(out, names.size() + 16);
  put64(out, names_.size());
  out.bytes += names;
  if (!append(out.bytes.data(), out.bytes.size())) {
    ::close(descriptor_);
    descriptor_ = -1;
    unlink(file_.c_str());
    return state_;
  }
  write_header();
  size_t bits = 0;
  for (const Signal& s : signals_) bits += s.bits;
  frame_.assign(bits, 'x');
  names_ = {};
  return {};
}

Status FstWriter::close() {
  if (descriptor_ >= 0) {
    if (open_block_) write_block(false);
    ::close(descriptor_);
    descriptor_ = -1;
    if (empty()) unlink(file_.c_str());
  }
  return state_;
}

void FstWriter::rescue() {
  if (descriptor_ >= 0 && open_block_) write_block(true);
}

// ---- values -----------------------------------------------------------------------------------------

void FstWriter::begin_block() {
  if (timed_) {
    size_t at = 0;
    for (const Signal& s : signals_) {
      for (uint32_t bit = 0; bit < s.bits; bit++)
        frame_[at++] = static_cast<char>('0' + (values_[s.value + bit / 8] >> (7 - bit % 8) & 1));
    }
  }
  for (Signal& s : signals_) s.changes.clear(), s.index = 0;
  times_.clear();
  changed_bytes_ = 0;
  open_block_ = true;
}

void FstWriter::time(uint64_t now) {
  if (descriptor_ < 0 || !state_) return;
  // Blocks grow from a small first one: a file that must stay short loses its last block, not all.
  const size_t enough = blocks_ < 10 ? std::min(block_bytes_, kFirstBlockBytes << blocks_) : block_bytes_;
  if (open_block_ && changed_bytes_ >= enough) write_block(false);
  if (!state_) return;
  if (!open_block_) {
    begin_block();
    // A later block begins with the time at which the one before it ended.
    block_begin_ = timed_ ? now_ : now;
    append_varint(times_, block_begin_);
    time_count_ = 1;
    if (!timed_) first_ = now_ = now;
    timed_ = true;
  }
  if (now > now_) {
    append_varint(times_, now - now_);
    time_count_++;
    now_ = now;
  }
}

// Two-valued changes: of one bit, the steps of time since the last one and the value in one number; of more, the steps
// and the bits from the most significant on.
void FstWriter::record(Signal& s, const uint8_t* value) {
  const uint32_t index = static_cast<uint32_t>(time_count_ - 1);
  const size_t before = s.changes.size();
  if (s.bits == 1) {
    append_varint(s.changes, uint64_t{index - s.index} << 2 | uint64_t{value[0]} >> 7 << 1);
    values_[s.value] = value[0];
  } else {
    const size_t bytes = (s.bits + 7) / 8;
    append_varint(s.changes, uint64_t{index - s.index} << 1);
    s.changes.insert(s.changes.end(), value, value + bytes);
    std::memcpy(values_.data() + s.value, value, bytes);
  }
  s.index = index;
  changed_bytes_ += s.changes.size() - before;
}

void FstWriter::change(uint32_t handle, uint64_t value) {
  if (!open_block_) return;
  Signal& s = signals_[handle - 1];
  const uint64_t left = s.bits == 0 ? 0 : value << (64 - s.bits);
  const uint64_t bytes = std::endian::native == std::endian::little ? __builtin_bswap64(left) : left;
  uint8_t out[8];
  std::memcpy(out, &bytes, sizeof out);
  record(s, out);
}

void FstWriter::change(uint32_t handle, const uint32_t* words) {
  if (!open_block_) return;
  Signal& s = signals_[handle - 1];
  if (s.bits <= 32) return change(handle, uint64_t{words[0]});
  if (s.bits <= 64) return change(handle, uint64_t{words[0]} | uint64_t{words[1]} << 32);
  const size_t bytes = (s.bits + 7) / 8;
  const unsigned shift = (8 - s.bits % 8) % 8;
  scratch_.resize(bytes);
  for (size_t i = 0; i < bytes; i++) {
    // Bits [low, low + 8) of the value moved up by `shift`.
    const size_t low = 8 * (bytes - 1 - i);
    const size_t word = low / 32, at = low % 32;
    uint64_t pair = words[word];
    if (word > 0) pair = pair << 32 | words[word - 1];
    else pair <<= 32;
    scratch_[i] = static_cast<uint8_t>(pair >> (32 + at - shift));
  }
  record(s, scratch_.data());
}

// ---- blocks -----------------------------------------------------------------------------------------

// `length` comes from a first pass, or is filled in later. Not compressed: nothing is allocated either.
template <typename Sink>
void FstWriter::block(Sink& out, uint64_t length, bool compress) {
  uint64_t memory = 0;
  for (const Signal& s : signals_) memory += s.changes.size();
  put_byte(out, kValues);
  put64(out, length);
  put64(out, block_begin_);
  put64(out, now_);
  put64(out, memory);
  const std::string frame = compress ? deflated(frame_.data(), frame_.size()) : std::string();
  put_varint(out, frame_.size());
  put_varint(out, frame.empty() ? frame_.size() : frame.size());
  put_varint(out, signals_.size());
  if (frame.empty()) out.put(frame_.data(), frame_.size());
  else out.put(frame.data(), frame.size());

  put_varint(out, signals_.size());
  put_byte(out, '4');  // LZ4
  const auto changes = [&](const Signal& s, auto& to) {
    const size_t n = s.changes.size();
    const std::string packed = compress && n > 32 ? lz4(s.changes.data(), n) : std::string();
    const bool shorter = !packed.empty() && packed.size() < n;
    put_varint(to, shorter ? n : 0);
    if (shorter) to.put(packed.data(), packed.size());
    else to.put(s.changes.data(), n);
  };
  // The index tells each signal's place, from the byte '4' on, as the distance from the one before.
  std::vector<uint32_t> sizes;
  if (compress) sizes.reserve(signals_.size());
  for (const Signal& s : signals_) {
    if (s.changes.empty()) continue;
    const uint64_t at = out.size();
    changes(s, out);
    if (compress) sizes.push_back(static_cast<uint32_t>(out.size() - at));
  }
  const uint64_t index = out.size();
  uint64_t place = 1, told = 0, silent = 0;
  size_t next = 0;
  for (const Signal& s : signals_) {
    if (s.changes.empty()) {
      silent++;
      continue;
    }
    if (silent) put_varint(out, silent << 1);
    silent = 0;
    put_varint(out, (place - told) << 1 | 1);
    told = place;
    place += compress ? sizes[next++] : 1 + s.changes.size();
  }
  if (silent) put_varint(out, silent << 1);
  put64(out, out.size() - index);

  const std::string times = compress ? deflated(times_.data(), times_.size()) : std::string();
  if (times.empty()) out.put(times_.data(), times_.size());
  else out.put(times.data(), times.size());
  put64(out, times_.size());
  put64(out, times.empty() ? times_.size() : times.size());
  put64(out, time_count_);
}

void FstWriter::write_block(bool dying) {
  open_block_ = false;
  if (dying) {
    CountingSink count;
    block(count, 0, false);
    FileSink out{descriptor_, end_, 0, 0, 0, {}};
    block(out, count.size() - 1, false);
    out.flush();
    if (out.error != 0) {
      (void)!ftruncate(descriptor_, static_cast<off_t>(end_));
      return;
    }
    end_ += count.size();
  } else {
    MemorySink out;
    block(out, 0, true);
    MemorySink length;
    put64(length, out.size() - 1);
    out.bytes.replace(1, 8, length.bytes);
    if (!append(out.bytes.data(), out.bytes.size())) return;
  }
  blocks_++;
  written_ = now_;
  update_header();
}

}  // namespace heddle::rtl
