// SPDX-License-Identifier: Apache-2.0
// The device at the other end of a link: its registers, its interrupt, and this process's memory
// for its DMA. As heddle_transport wants it. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/board/link.h"
#include "presets/preset.h"

namespace heddle::board {

// "board:PATH[,baud=N][,timeout=SECONDS][,bitstream=ID]"
struct Address {
  std::string path;
  unsigned baud = 3000000;
  LinkLimits limits;
  std::optional<uint32_t> bitstream;  // the board must hold this one
};
Result<Address> parse_address(const std::string& device);

// Bytes of this process. False: not all of them are mapped so that they can be read or written.
bool read_process(uint64_t address, void* data, size_t bytes);
bool write_process(uint64_t address, const void* data, size_t bytes);

class Board {
 public:
  // Connects, which resets the device, and checks that it is the one wanted: version, preset,
  // bitstream. `presets`: all that are known, to name a wrong one. `nonce`: new each time.
  static Result<std::unique_ptr<Board>> open(std::unique_ptr<Port> port, const Address& address, const Preset& preset,
                                             const std::vector<Preset>& presets, uint32_t nonce);

  const Identity& identity() const { return link_->identity(); }
  const LinkCounters& counters() const { return link_->counters(); }

  // After a failure 0 and nothing.
  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value);
  // As heddle_transport.wait; cycles are those of the board's own counter.
  int wait(uint64_t max_cycles);
  // Empty while the board works.
  const std::string& failure();
  // The device's cycle counter, or its last value that was read.
  uint64_t cycles();

 private:
  Board() = default;
  void take(const std::vector<uint8_t>& message);
  void dma_read(const std::vector<uint8_t>& message);
  void dma_write(const std::vector<uint8_t>& message);
  bool alive() { return link_->status().ok(); }
  void ask(uint32_t offset);

  std::unique_ptr<Link> link_;
  std::vector<uint32_t> answers_;  // of register reads, in order
  // The upper half of a pair, which came with its lower half: most reads are of both, and a round trip is long.
  struct Upper {
    uint32_t offset, value;
  };
  std::optional<Upper> upper_;
  bool irq_ = false;         // as last told
  bool irq_certain_ = true;  // no register was written since that could lower it
  uint64_t cycles_ = 0;
  std::string failure_;
};

}  // namespace heddle::board
