// SPDX-License-Identifier: Apache-2.0
// Frames of the serial link: to bytes and back.
#pragma once

#include <cstdint>
#include <vector>

#include "host-runtime/device/board/protocol.h"

namespace heddle::board {

struct Frame {
  uint8_t kind = 0;
  uint16_t session = 0;
  uint8_t sequence = 0, acknowledge = 0;
  std::vector<uint8_t> payload;  // at most kPayloadBytes
};

// CRC-32 of IEEE 802.3.
uint32_t crc32(const uint8_t* data, size_t bytes);

// Appends the frame as the line carries it, with a flag at both ends.
void encode(const Frame& frame, std::vector<uint8_t>& out);

// Cuts a stream of bytes into frames. Whatever comes, it finds the next whole frame.
class FrameReader {
 public:
  enum class Event {
    None,    // more bytes are needed
    Frame,   // frame() is whole
    Damaged  // something ended that was no frame
  };
  Event take(uint8_t byte);
  const Frame& frame() const { return frame_; }
  // Forgets a frame begun: the line was cut.
  void restart();

 private:
  Event end();

  std::vector<uint8_t> bytes_;
  bool hunting_ = true, escaped_ = false, damaged_ = false;
  Frame frame_;
};

}  // namespace heddle::board
