// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/managed.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "host-runtime/driver/allocator.h"

namespace heddle::driver {
namespace {

char* host(uint64_t address) { return reinterpret_cast<char*>(address); }

uint64_t pages(uint64_t bytes) { return round_up(bytes, ManagedMemory::kPage); }

// AddressSanitizer's shadow of addresses that nobody has in 64-bit programs lies where device memory does. With
// protect_shadow_gap=0 it may be replaced.
bool sanitizer_has(uint64_t address) {
#ifdef HEDDLE_SANITIZED
  return address >= 0x8fff7000 && address < 0x4092000000;
#else
  return static_cast<void>(address), false;
#endif
}

// The window's own state: reserved, without contents.
void give_back(uint64_t address, uint64_t bytes) {
  mmap(host(address), pages(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

// Calls f(offset, bytes) for each row of neighbouring pages, of `bytes` bytes in all, for which is(page) holds.
template <typename Is, typename F>
void each_run(uint64_t bytes, Is&& is, F&& f) {
  const uint64_t all = pages(bytes) / ManagedMemory::kPage;
  for (uint64_t page = 0, first = 0; page <= all; ++page) {
    if (page < all && is(page)) continue;
    const uint64_t begin = first * ManagedMemory::kPage, end = std::min(bytes, page * ManagedMemory::kPage);
    if (first < page) f(begin, end - begin);
    first = page + 1;
  }
}

// Where `now` is not `before`, `there` becomes what `now` is. A whole word where nobody else has changed the word: who
// looks meanwhile sees the old number or the new one.
void merge(char* there, const char* before, const char* now, uint64_t bytes) {
  constexpr uint64_t kWord = 8;
  uint64_t i = 0;
  for (; i + kWord <= bytes; i += kWord) {
    if (std::memcmp(before + i, now + i, kWord) == 0) continue;
    if (std::memcmp(there + i, before + i, kWord) == 0) {
      std::memcpy(there + i, now + i, kWord);
      continue;
    }
    for (uint64_t b = i; b < i + kWord; ++b)
      if (before[b] != now[b]) there[b] = now[b];
  }
  for (; i < bytes; ++i)
    if (before[i] != now[i]) there[i] = now[i];
}

}  // namespace

bool reserve_window(uint64_t address, uint64_t bytes) {
  const int place = sanitizer_has(address) ? MAP_FIXED : MAP_FIXED_NOREPLACE;
  void* window = mmap(host(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | place, -1, 0);
  if (window == MAP_FAILED) return false;
  if (window == host(address)) return true;
  munmap(window, bytes);  // a kernel older than 4.17 takes the address for a wish
  return false;
}

ManagedMemory::~ManagedMemory() {
  for (const auto& [address, allocation] : allocations_)
    if (allocation.heap) give_back(address, allocation.bytes);
}

uint64_t ManagedMemory::heap_bytes(uint64_t bytes) {
  return add_sizes(pages(bytes), kPage - DeviceAllocator::kGranule);
}

Status ManagedMemory::add(uint64_t address, const Allocation& allocation) {
  const uint64_t bytes = pages(allocation.bytes), offset = address - window_;
  if (offset >= window_bytes_ || bytes > window_bytes_ - offset)
    return Error("the program uses addresses of device memory for something else: there is no managed memory",
                 Code::MemoryAllocation);
  if (mprotect(host(address), bytes, PROT_READ | PROT_WRITE) != 0)
    return Error("the host has no memory for so many pages", Code::MemoryAllocation);
  return keep(address, {bytes, allocation.heap, address});
}

Status ManagedMemory::add_variable(uint64_t address, uint64_t bytes, uint64_t host) {
  return keep(address, {bytes, 0, host});
}

Status ManagedMemory::keep(uint64_t address, Allocation allocation) {
  allocation.agreed = page_aligned(allocation.bytes);
  if (!allocation.agreed) {
    if (allocation.heap) give_back(address, allocation.bytes);
    return Error("the host has no memory for so many pages", Code::MemoryAllocation);
  }
  allocation.changed.resize(pages(allocation.bytes) / kPage);
  allocations_[address] = std::move(allocation);
  return {};
}

// Where it begins within a page may cost the device cycles, so it is always the same.
std::shared_ptr<char> ManagedMemory::page_aligned(uint64_t bytes) {
  constexpr std::align_val_t kAlignment{kPage};
  return {new (kAlignment, std::nothrow) char[bytes], [](char* p) { operator delete[](p, kAlignment); }};
}

uint64_t ManagedMemory::remove(uint64_t address) {
  const auto it = allocations_.find(address);
  if (it == allocations_.end() || !it->second.heap) return 0;
  const uint64_t heap = it->second.heap;
  give_back(address, it->second.bytes);
  allocations_.erase(it);
  return heap;
}

bool ManagedMemory::overlaps(uint64_t address, uint64_t bytes) const {
  auto next = allocations_.lower_bound(address);
  if (next != allocations_.end() && next->first - address < bytes) return true;
  if (next == allocations_.begin()) return false;
  --next;
  return address - next->first < next->second.bytes;
}

// ---- exchange ------------------------------------------------------------------------------------------

void ManagedMemory::device_writes(uint64_t address, uint64_t bytes) {
  const uint64_t end = add_sizes(address, bytes);
  auto it = allocations_.upper_bound(address);
  if (it != allocations_.begin()) --it;
  for (; it != allocations_.end() && it->first < end; ++it) {
    auto& [begin, a] = *it;
    const uint64_t from = std::max(address, begin), to = std::min(end, begin + a.bytes);
    if (from >= to) continue;
    const auto page = [first = begin](uint64_t at) { return static_cast<std::ptrdiff_t>((at - first) / kPage); };
    std::fill(a.changed.begin() + page(from), a.changed.begin() + page(to - 1) + 1, true);
  }
}

std::vector<ManagedMemory::Piece> ManagedMemory::take_changed() {
  std::vector<Piece> pieces;
  for (auto& [address, a] : allocations_) {
    each_run(
        a.bytes, [&](uint64_t page) { return a.changed[page]; },
        [&, first = address](uint64_t offset, uint64_t bytes) {
          pieces.push_back({first + offset, bytes, {}});
        });
    a.changed.assign(a.changed.size(), false);
  }
  return pieces;
}

std::vector<ManagedMemory::Piece> ManagedMemory::in_written(const std::vector<Piece>& pieces, uint64_t first,
                                                            const std::vector<uint8_t>& written) {
  std::vector<Piece> left;
  for (const Piece& piece : pieces) {
    // A variable's pages are counted from where it begins: each may lie in two of the device's.
    const auto is = [&](uint64_t page) {
      const uint64_t from = piece.address + page * kPage - first,
                     to = std::min(from + kPage, piece.address + piece.bytes - first);
      return written[from / kPage] || written[(to - 1) / kPage];
    };
    each_run(piece.bytes, is, [&](uint64_t offset, uint64_t bytes) {
      left.push_back({piece.address + offset, bytes, {}});
    });
  }
  return left;
}

std::vector<ManagedMemory::Piece> ManagedMemory::to_device() {
  std::vector<Piece> pieces;
  for (auto& [address, a] : allocations_) {
    const char* now = host(a.host);
    const auto differs = [&](uint64_t page) {
      const uint64_t at = page * kPage;
      return !a.known || std::memcmp(a.agreed.get() + at, now + at, std::min(kPage, a.bytes - at)) != 0;
    };
    // The copy is read later: what the host writes until then is for another time.
    each_run(a.bytes, differs, [&, first = address](uint64_t offset, uint64_t bytes) {
      char* to = a.agreed.get() + offset;
      std::memcpy(to, now + offset, bytes);
      pieces.push_back({first + offset, bytes, std::shared_ptr<char>(a.agreed, to)});
    });
    a.known = true;
  }
  return pieces;
}

void ManagedMemory::came_home(const Piece& piece) {
  // It may be gone meanwhile, and another one there that the device knows nothing of.
  auto it = allocations_.upper_bound(piece.address);
  if (it == allocations_.begin()) return;
  const auto& [address, a] = *--it;
  const uint64_t offset = piece.address - address;
  if (!a.known || offset >= a.bytes || piece.bytes > a.bytes - offset) return;
  for (uint64_t at = 0; at < piece.bytes; at += kPage) {
    const uint64_t bytes = std::min(kPage, piece.bytes - at);
    char* before = a.agreed.get() + offset + at;
    const char* now = piece.memory.get() + at;
    if (std::memcmp(before, now, bytes) == 0) continue;
    merge(host(a.host) + offset + at, before, now, bytes);
    std::memcpy(before, now, bytes);
  }
}

}  // namespace heddle::driver
