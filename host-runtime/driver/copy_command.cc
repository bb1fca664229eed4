// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/copy_command.h"

#include <cstring>
#include <new>
#include <utility>

namespace heddle::driver {

namespace c = contract;

std::shared_ptr<char[]> staging(size_t bytes) {
  constexpr std::align_val_t kAlignment{64};
  return {new (kAlignment) char[bytes], [](char* p) { operator delete[](p, kAlignment); }};
}

c::Command copy_command(uint64_t destination, uint64_t source, uint64_t bytes, uint64_t flags) {
  c::Command command;
  command.words[c::kWordOpcode] = static_cast<uint32_t>(c::kCommandCopy | flags);
  command.set64(c::kWordSource, source);
  command.set64(c::kWordDestination, destination);
  command.set64(c::kWordBytes, bytes);
  return command;
}

Task::Item copy_item(uint64_t destination, uint64_t source, uint64_t bytes, uint64_t flags,
                     std::shared_ptr<const void> keep) {
  Task::Item item;
  item.command = copy_command(destination, source, bytes, flags);
  item.keep = std::move(keep);
  return item;
}

Task::Item write_item(uint64_t destination, const void* bytes, uint64_t size) {
  auto copy = staging(size);
  std::memcpy(copy.get(), bytes, size);
  return copy_item(destination, host_address(copy.get()), size, c::kFlagSourceHost, copy);
}

}  // namespace heddle::driver
