// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/device/board/frame.h"

#include <array>

namespace heddle::board {
namespace {

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t n = 0; n < 256; n++) {
    uint32_t c = n;
    for (int i = 0; i < 8; i++) c = c & 1 ? (c >> 1) ^ 0xedb88320u : c >> 1;
    table[n] = c;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = make_table();

void put(uint8_t byte, std::vector<uint8_t>& out) {
  if (byte == kFlag || byte == kEscape) {
    out.push_back(kEscape);
    byte ^= kEscapeXor;
  }
  out.push_back(byte);
}

}  // namespace

uint32_t crc32(const uint8_t* data, size_t bytes) {
  uint32_t c = 0xffffffffu;
  for (size_t i = 0; i < bytes; i++) c = kTable[(c ^ data[i]) & 0xff] ^ (c >> 8);
  return ~c;
}

void encode(const Frame& frame, std::vector<uint8_t>& out) {
  std::vector<uint8_t> plain = {frame.kind, static_cast<uint8_t>(frame.session),
                                static_cast<uint8_t>(frame.session >> 8), frame.sequence, frame.acknowledge};
  plain.insert(plain.end(), frame.payload.begin(), frame.payload.end());
  std::array<uint8_t, kCrcBytes> crc;
  put_little(crc.data(), crc32(plain.data(), plain.size()), crc.size());
  out.push_back(kFlag);
  for (const uint8_t b : plain) put(b, out);
  for (const uint8_t b : crc) put(b, out);
  out.push_back(kFlag);
}

void FrameReader::restart() {
  bytes_.clear();
  hunting_ = true;
  escaped_ = damaged_ = false;
}

FrameReader::Event FrameReader::take(uint8_t byte) {
  if (byte == kFlag) {
    const bool something = !hunting_ && (!bytes_.empty() || escaped_ || damaged_);
    const Event event = something ? end() : Event::None;
    bytes_.clear();
    hunting_ = escaped_ = damaged_ = false;
    return event;
  }
  if (hunting_) return Event::None;
  if (byte == kEscape) {
    damaged_ |= escaped_;  // two in a row are never sent
    escaped_ = true;
    return Event::None;
  }
  if (bytes_.size() < kFrameBytes) bytes_.push_back(escaped_ ? byte ^ kEscapeXor : byte);
  else damaged_ = true;  // too long
  escaped_ = false;
  return Event::None;
}

FrameReader::Event FrameReader::end() {
  if (damaged_ || escaped_ || bytes_.size() < kHeaderBytes + kCrcBytes) return Event::Damaged;
  const size_t bytes = bytes_.size() - kCrcBytes;
  if (get_little(&bytes_[bytes], kCrcBytes) != crc32(bytes_.data(), bytes)) return Event::Damaged;
  frame_.kind = bytes_[0];
  frame_.session = static_cast<uint16_t>(get_little(&bytes_[1], 2));
  frame_.sequence = bytes_[3];
  frame_.acknowledge = bytes_[4];
  frame_.payload.assign(bytes_.begin() + kHeaderBytes, bytes_.begin() + static_cast<long>(bytes));
  return Event::Frame;
}

}  // namespace heddle::board
