// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/printf_fifo.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "host-runtime/driver/copy_command.h"
#include "host-runtime/formats/printf_decoder.h"

namespace heddle::driver {
namespace {

constexpr uint64_t kLine = 256;  // texts are fetched in pieces of this size, and each piece once

}  // namespace

Status PrintfFifo::resize(uint64_t bytes) {
  if (fifo_)
    return Error("the printf buffer is in use: its size was fixed by the first kernel that prints", Code::InvalidValue);
  bytes_ = std::clamp<uint64_t>(bytes / kRecordAlignment * kRecordAlignment, 4096, uint64_t{1} << 30);
  return {};
}

RuntimeBlock PrintfFifo::empty_block() const {
  RuntimeBlock block{};
  block.version = kRuntimeBlockVersion;
  block.fifo_bytes = static_cast<unsigned>(bytes_);
  block.fifo = fifo_;
  block.heap = heap_;
  block.heap_bytes = heap_bytes_;
  return block;
}

Status PrintfFifo::reserve(DeviceAllocator& heap) {
  auto place = heap.allocate(sizeof(RuntimeBlock));
  if (!place) return place.error().context("runtime block");
  address_ = *place;
  return {};
}

Status PrintfFifo::place(DeviceAllocator& heap, Task& task) {
  if (fifo_) return {};
  auto place = heap.allocate(bytes_);
  if (!place) return place.error().context("printf buffer");
  fifo_ = *place;
  const RuntimeBlock block = empty_block();
  task.items.push_back(write_item(address_, &block, sizeof block));
  return {};
}

void PrintfFifo::set_heap(uint64_t address, uint64_t bytes, Task& task) {
  heap_ = address;
  heap_bytes_ = bytes;
  const RuntimeBlock block = empty_block();
  task.items.push_back(write_item(address_, &block, sizeof block));
}

Result<PrintfFifo::Output> PrintfFifo::take(const Copy& to_device, const Copy& from_device, uint64_t first,
                                            uint64_t last) {
  Output out;
  if (!fifo_) return out;
  const Error unreadable("the printf buffer cannot be read", Code::LaunchFailure);
  RuntimeBlock block{};
  if (!from_device(address_, &block, sizeof block)) return unreadable;
  if (block.fifo_head == 0 && block.assert_count == 0 && block.dropped == 0) return out;

  std::vector<uint8_t> fifo(std::min<uint64_t>(block.fifo_head, bytes_));
  if (!fifo.empty() && !from_device(block.fifo, fifo.data(), fifo.size())) return unreadable;
  std::map<uint64_t, std::vector<uint8_t>> lines;
  const auto read = [&](uint64_t address, void* to, size_t bytes) {
    auto* at = static_cast<uint8_t*>(to);
    while (bytes) {
      const uint64_t base = address / kLine * kLine;
      if (base < first || base + kLine > last) return false;
      auto& line = lines[base];
      if (line.empty()) {
        line.resize(kLine);
        if (!from_device(base, line.data(), kLine)) return false;
      }
      const uint64_t n = std::min<uint64_t>(bytes, base + kLine - address);
      std::memcpy(at, line.data() + (address - base), n);
      at += n;
      address += n;
      bytes -= n;
    }
    return true;
  };
  const auto text = formats::decode_fifo(fifo, read);
  const RuntimeBlock empty = empty_block();
  RuntimeBlock fresh = empty;
  if (!to_device(address_, &fresh, sizeof fresh))
    return Error("the printf buffer cannot be written", Code::LaunchFailure);
  if (!text) return text.error().context("printf buffer");
  out.standard_output = text->standard_output;
  out.standard_error = text->standard_error;
  out.asserts = block.assert_count;
  out.dropped = block.dropped;
  return out;
}

}  // namespace heddle::driver
