// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/allocations.h"

#include <algorithm>
#include <cstdio>

#include "heddle/sizes.h"

namespace heddle::driver {
namespace {

constexpr uint64_t kPage = uint64_t{2} << 20;  // what memory protection distinguishes

}  // namespace

Allocations::Allocations(uint64_t base, uint64_t bytes)
    : base_(base), bytes_(bytes), heap_(base, bytes / DeviceAllocator::kGranule * DeviceAllocator::kGranule) {}

uint64_t Allocations::in_use() const { return std::min(bytes_, round_up(heap_.high_water() - base_, kPage)); }

bool Allocations::contains(uint64_t address, uint64_t bytes) const {
  const auto range = heap_.find(address);
  return range && bytes <= range->bytes - (address - range->address) && !freed_.contains(range->address);
}

bool Allocations::begins_at(uint64_t address) const {
  const auto range = heap_.find(address);
  return range && range->address == address;
}

std::string Allocations::neighbourhood(uint64_t address) const {
  if (heap_.find(address)) return {};
  const auto below = heap_.before(address);
  if (!below || address - below->address > below->bytes + (1 << 20)) return {};
  char text[120];
  std::snprintf(text, sizeof text, "the address is %llu bytes after the allocation at 0x%llx of %llu bytes",
                static_cast<unsigned long long>(address - below->address - below->bytes),
                static_cast<unsigned long long>(below->address), static_cast<unsigned long long>(below->bytes));
  return text;
}

Status Allocations::free_in(const Stream& stream, uint64_t address) {
  if (freed_.contains(address)) return Error("freed twice", Code::InvalidValue);
  freed_[address] = {++frees_, heap_.find(address)->bytes, stream.number(), stream.blocking()};
  return {};
}

void Allocations::free_behind_all(uint64_t address) {
  freed_[address] = {++frees_, heap_.find(address)->bytes, kNone, false};
}

std::optional<uint64_t> Allocations::take_again(uint64_t bytes, const Stream& stream) {
  const auto again = std::find_if(freed_.begin(), freed_.end(), [&](const auto& f) {
    return f.second.bytes == bytes && f.second.stream == stream.number();
  });
  if (again == freed_.end()) return std::nullopt;
  const uint64_t address = again->first;
  freed_.erase(again);
  return address;
}

Status Allocations::reclaim(uint64_t frees, const Stream* stream) {
  const bool all_blocking = stream && stream->number() == 0;  // the legacy one waits for them
  for (auto it = freed_.begin(); it != freed_.end();) {
    const Freed& f = it->second;
    const bool waited = !stream || f.stream == stream->number() || (all_blocking && f.blocking);
    if (f.count > frees || !waited) {
      ++it;
      continue;
    }
    if (auto ok = heap_.release(it->first); !ok) return ok;
    it = freed_.erase(it);
  }
  return {};
}

}  // namespace heddle::driver
