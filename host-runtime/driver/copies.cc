// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/copies.h"

#include <algorithm>
#include <utility>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/copy_command.h"

namespace heddle::driver {

namespace c = contract;

namespace {

constexpr uint64_t kMostRows = uint64_t{1} << 32;  // of a command

// Calls f(destination, source) for each row.
template <typename F>
void each_row(const Copies::Piece& piece, F&& f) {
  for (uint64_t row = 0; row < piece.rows; row++)
    f(piece.destination + row * piece.destination_pitch, piece.source + row * piece.source_pitch);
}

// Bytes from the first row's first to the last row's last.
uint64_t extent(uint64_t rows, uint64_t pitch, uint64_t bytes) { return (rows - 1) * pitch + bytes; }

// Calls f(part) for each part of the piece that a command takes.
template <typename F>
void each_part(Copies::Piece piece, F&& f) {
  for (uint64_t left = piece.rows; left; left -= piece.rows) {
    piece.rows = std::min(left, kMostRows);
    f(piece);
    piece.destination += piece.rows * piece.destination_pitch;
    piece.source += piece.rows * piece.source_pitch;
  }
}

void set_rows(c::Command& command, const Copies::Piece& piece) {
  command.words[c::kWordMoreRows] = static_cast<uint32_t>(piece.rows - 1);
  command.words[c::kWordSourcePitch] = static_cast<uint32_t>(piece.source_pitch);
  command.words[c::kWordDestinationPitch] = static_cast<uint32_t>(piece.destination_pitch);
}

}  // namespace

Result<Sequence> Copies::copy(Direction direction, std::span<const Piece> pieces, std::shared_ptr<const void> keep,
                              Stream* stream) {
  const bool from_device = direction != Direction::In, to_device = direction != Direction::Out;
  const uint64_t flags = !from_device ? c::kFlagSourceHost : !to_device ? c::kFlagDestinationHost : 0;
  ManagedMemory& memory = exchange_.managed();
  Task task;
  task.what = !from_device ? "copy to device" : !to_device ? "copy to host" : "copy";
  task.items.reserve(pieces.size());
  bool managed = false;
  for (const Piece& piece : pieces) {
    managed =
        managed ||
        (from_device && memory.overlaps(piece.source, extent(piece.rows, piece.source_pitch, piece.bytes))) ||
        (to_device && memory.overlaps(piece.destination, extent(piece.rows, piece.destination_pitch, piece.bytes)));
    each_part(piece, [&](const Piece& part) {
      task.items.push_back(copy_item(part.destination, part.source, part.bytes, flags, keep));
      set_rows(task.items.back().command, part);
    });
  }
  if (managed)
    if (auto ok = exchange_.lend(); !ok) return ok.error();
  if (managed && to_device)
    for (const Piece& piece : pieces)
      each_row(piece, [&](uint64_t to, uint64_t) { memory.device_writes(to, piece.bytes); });
  return work_.submit(std::move(task), stream);
}

Result<Sequence> Copies::fill(std::span<const Piece> pieces, Stream* stream) {
  ManagedMemory& memory = exchange_.managed();
  Task task;
  task.what = "fill";
  task.items.reserve(pieces.size());
  bool managed = false;
  for (const Piece& piece : pieces) {
    managed = managed || memory.overlaps(piece.destination, extent(piece.rows, piece.destination_pitch, piece.bytes));
    each_part(piece, [&](const Piece& part) {
      c::Command& command = task.items.emplace_back().command;
      command.words[c::kWordOpcode] = c::kCommandFill;
      command.set64(c::kWordDestination, part.destination);
      command.set64(c::kWordBytes, part.bytes);
      command.words[c::kWordPattern] = static_cast<uint32_t>(part.source);
      set_rows(command, part);
    });
  }
  if (managed)
    if (auto ok = exchange_.lend(); !ok) return ok.error();
  if (managed)
    for (const Piece& piece : pieces)
      each_row(piece, [&](uint64_t to, uint64_t) { memory.device_writes(to, piece.bytes); });
  return work_.submit(std::move(task), stream);
}

Result<Sequence> Copies::copy_in(uint64_t destination, const void* source, uint64_t bytes,
                                 std::shared_ptr<const void> keep) {
  const Piece piece{destination, host_address(source), bytes};
  return copy(Direction::In, {&piece, 1}, std::move(keep));
}

Result<Sequence> Copies::copy_out(void* destination, uint64_t source, uint64_t bytes) {
  const Piece piece{host_address(destination), source, bytes};
  return copy(Direction::Out, {&piece, 1});
}

Result<Sequence> Copies::copy_device(uint64_t destination, uint64_t source, uint64_t bytes) {
  const Piece piece{destination, source, bytes};
  return copy(Direction::Device, {&piece, 1});
}

Result<Sequence> Copies::fill(uint64_t destination, uint32_t pattern, uint64_t bytes) {
  const Piece piece{destination, pattern, bytes};
  return fill({&piece, 1});
}

}  // namespace heddle::driver
