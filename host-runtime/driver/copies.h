// SPDX-License-Identifier: Apache-2.0
// Copies and fills of device memory, as work.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "heddle/result.h"
#include "host-runtime/driver/exchange.h"
#include "host-runtime/driver/work.h"

namespace heddle::driver {

class Copies {
 public:
  Copies(Work& work, Exchange& exchange) : work_(work), exchange_(exchange) {}

  // Pieces of one copy or fill, which run as one task: rows of `bytes`, pitches in bytes from row to row, below 4 GiB.
  struct Piece {
    uint64_t destination, source, bytes;
    uint64_t rows = 1, destination_pitch = 0, source_pitch = 0;
  };
  enum class Direction { In, Out, Device };
  // `keep` holds the host memory alive until the copy ended; without it the caller does.
  Result<Sequence> copy(Direction direction, std::span<const Piece> pieces, std::shared_ptr<const void> keep = {},
                        Stream* stream = nullptr);
  // Each piece's `source` is the pattern, its source pitch 0.
  Result<Sequence> fill(std::span<const Piece> pieces, Stream* stream = nullptr);

  // Of one piece, behind everything submitted before.
  Result<Sequence> copy_in(uint64_t destination, const void* source, uint64_t bytes,
                           std::shared_ptr<const void> keep = {});
  Result<Sequence> copy_out(void* destination, uint64_t source, uint64_t bytes);
  Result<Sequence> copy_device(uint64_t destination, uint64_t source, uint64_t bytes);
  Result<Sequence> fill(uint64_t destination, uint32_t pattern, uint64_t bytes);

 private:
  Work& work_;
  Exchange& exchange_;
};

}  // namespace heddle::driver
