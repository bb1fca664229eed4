// SPDX-License-Identifier: Apache-2.0
// What travels between host and board over the serial line; the board's side is
// fpga/rtl/link_pkg.sv, and a test compares the two. The protocol: docs/board.md.
//
//   kFlag, then with escapes: kind, session (2, low first), sequence, acknowledge, payload, CRC-32
//   (4, low first), kFlag
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::board {

inline constexpr uint8_t kFlag = 0x7e, kEscape = 0x7d, kEscapeXor = 0x20;

inline constexpr size_t kHeaderBytes = 5, kCrcBytes = 4;
inline constexpr size_t kPayloadBytes = 45;  // at most
inline constexpr size_t kFrameBytes = kHeaderBytes + kPayloadBytes + kCrcBytes;
inline constexpr uint8_t kLinkVersion = 1;
inline constexpr uint8_t kWindow = 16;  // data frames sent and not yet acknowledged, each way

enum Kind : uint8_t {
  kKindData = 1,
  kKindAck = 2,
  kKindNak = 3,
  kKindConnect = 4,
  kKindHello = 5,
  kKindUnknown = 6,
  kKindPing = 7,
  kKindBye = 8
};

enum Op : uint8_t {
  // Host to board.
  kOpRegRead = 0x10,   // offset (2)
  kOpRegWrite = 0x11,  // offset (2), value (4); no answer
  kOpDmaData = 0x12,   // 0 or error (1), data (32): answers the oldest kOpDmaRead
  kOpDmaDone = 0x13,   // 0 or error (1): answers the oldest kOpDmaWrite
  // Board to host.
  kOpRegData = 0x20,   // value (4)
  kOpDmaRead = 0x21,   // host address (8), a multiple of 32
  kOpDmaWrite = 0x22,  // host address (8), byte enables (4), data (32)
  kOpIrq = 0x23        // level of the interrupt line (1)
};

inline constexpr size_t kSectorBytes = 32;
inline constexpr size_t kDmaReadBytes = 9, kDmaWriteBytes = 45, kHelloBytes = 24;

// A little-endian number of `bytes` bytes.
inline uint64_t get_little(const uint8_t* p, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; i++) value |= uint64_t{p[i]} << (8 * i);
  return value;
}
inline void put_little(uint8_t* p, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) p[i] = static_cast<uint8_t>(value >> (8 * i));
}

}  // namespace heddle::board
