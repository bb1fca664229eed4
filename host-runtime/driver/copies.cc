// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/copies.h"

#include <utility>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/copy_command.h"

namespace heddle::driver {

namespace c = contract;

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
    managed = managed || (from_device && memory.overlaps(piece.source, piece.bytes)) ||
              (to_device && memory.overlaps(piece.destination, piece.bytes));
    task.items.push_back(copy_item(piece.destination, piece.source, piece.bytes, flags, keep));
  }
  if (managed)
    if (auto ok = exchange_.lend(); !ok) return ok.error();
  if (managed && to_device)
    for (const Piece& piece : pieces) memory.device_writes(piece.destination, piece.bytes);
  return work_.submit(std::move(task), stream);
}

Result<Sequence> Copies::fill(std::span<const Piece> pieces, Stream* stream) {
  ManagedMemory& memory = exchange_.managed();
  Task task;
  task.what = "fill";
  task.items.reserve(pieces.size());
  bool managed = false;
  for (const Piece& piece : pieces) {
    managed = managed || memory.overlaps(piece.destination, piece.bytes);
    c::Command& command = task.items.emplace_back().command;
    command.words[c::kWordOpcode] = c::kCommandFill;
    command.set64(c::kWordDestination, piece.destination);
    command.set64(c::kWordBytes, piece.bytes);
    command.words[c::kWordPattern] = static_cast<uint32_t>(piece.source);
  }
  if (managed)
    if (auto ok = exchange_.lend(); !ok) return ok.error();
  if (managed)
    for (const Piece& piece : pieces) memory.device_writes(piece.destination, piece.bytes);
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
