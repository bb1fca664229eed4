// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/exchange.h"

#include <utility>

#include "heddle/sizes.h"
#include "host-runtime/device/contract.h"
#include "host-runtime/driver/copy_command.h"

namespace heddle::driver {
namespace {

namespace c = contract;

// Bytes. A device may have to write its caches back before it can tell what was written: less is sooner fetched.
constexpr uint64_t kWorthAsking = 64 * 1024;

}  // namespace

Status Exchange::lend() {
  if (managed_.on_device || managed_.empty()) return {};
  // What is to be sent shows when its turn has come: before that some of it may be on its way home.
  return move(
      [this](std::vector<Task::Item>& items) {
        for (const ManagedMemory::Piece& piece : managed_.to_device())
          items.push_back(copy_item(piece.address, host_address(piece.memory.get()), piece.bytes, c::kFlagSourceHost,
                                    piece.memory));
      },
      true);
}

Status Exchange::bring_home() {
  if (!managed_.on_device) return {};
  return move(
      [this, changed = managed_.take_changed()](std::vector<Task::Item>& items) {
        for (ManagedMemory::Piece piece : written(changed)) {
          piece.memory = ManagedMemory::page_aligned(piece.bytes);
          Task::Item& item = items.emplace_back(copy_item(host_address(piece.memory.get()), piece.address, piece.bytes,
                                                          c::kFlagDestinationHost, piece.memory));
          item.done = [this, piece = std::move(piece)](const c::Completion&) { managed_.came_home(piece); };
        }
      },
      false);
}

std::vector<ManagedMemory::Piece> Exchange::written(std::vector<ManagedMemory::Piece> pieces) {
  uint64_t bytes = 0;
  for (const ManagedMemory::Piece& piece : pieces) bytes += piece.bytes;
  if (bytes < kWorthAsking) return pieces;
  static_assert(ManagedMemory::kPage == device::Backend::kWrittenPage);
  const uint64_t first = pieces.front().address / ManagedMemory::kPage * ManagedMemory::kPage;
  const uint64_t end = pieces.back().address + pieces.back().bytes;
  std::vector<uint8_t> pages(round_up(end - first, ManagedMemory::kPage) / ManagedMemory::kPage);
  return backend_.written(first, pages.size(), pages.data()) ? ManagedMemory::in_written(pieces, first, pages) : pieces;
}

Status Exchange::move(std::function<void(std::vector<Task::Item>&)> begin, bool to_device) {
  Task task;
  task.begin = std::move(begin);
  task.what = to_device ? "managed memory to device" : "managed memory to host";
  if (auto ok = work_.fence(std::move(task)); !ok) return ok;
  managed_.on_device = to_device;
  return {};
}

}  // namespace heddle::driver
