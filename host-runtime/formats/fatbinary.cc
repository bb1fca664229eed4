// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/formats/fatbinary.h"

#include <array>
#include <cstring>
#include <string>

namespace heddle::formats {
namespace {

constexpr size_t kAlignment = 16;

size_t aligned(size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

Error damaged(const std::string& what) { return Error("damaged fat binary: " + what, Code::InvalidKernelImage); }

// CRC-32 as zlib and PNG have it; never 0, which means that there is none.
uint32_t checksum(const char* data, size_t bytes) {
  static const auto table = [] {
    std::array<uint32_t, 256> t{};
    for (uint32_t i = 0; i < t.size(); ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
      t[i] = value;
    }
    return t;
  }();
  uint32_t sum = ~0u;
  for (size_t i = 0; i < bytes; ++i) sum = table[(sum ^ static_cast<uint8_t>(data[i])) & 0xff] ^ sum >> 8;
  return sum == ~0u ? 1 : ~sum;
}

}  // namespace

bool is_fat_binary(const void* data) { return std::memcmp(data, kFatMagic, sizeof kFatMagic) == 0; }

Result<std::vector<FatEntry>> read_fat_binary(const void* data, size_t bytes) {
  if (!data) return damaged("no data");
  if (bytes && bytes < sizeof(FatHeader)) return damaged("shorter than its header");
  if (!is_fat_binary(data)) return damaged("its magic is not Heddle's (made by another toolkit?)");
  FatHeader header;
  std::memcpy(&header, data, sizeof header);
  if (header.version != kFatVersion)
    return damaged("version " + std::to_string(header.version) + ", this reader knows " + std::to_string(kFatVersion));
  if (bytes && header.total_bytes > bytes) return damaged("cut off");
  const uint64_t total = header.total_bytes;
  if (header.header_bytes < sizeof(FatHeader) || header.header_bytes > total ||
      header.count > (total - header.header_bytes) / sizeof(FatEntryRecord))
    return damaged("its table of entries does not fit");

  const char* base = static_cast<const char*>(data);
  if (header.checksum && header.checksum != checksum(base + sizeof header, total - sizeof header))
    return damaged("its contents do not match their checksum");
  std::vector<FatEntry> entries;
  for (uint32_t i = 0; i < header.count; ++i) {
    FatEntryRecord record;
    std::memcpy(&record, base + header.header_bytes + i * sizeof record, sizeof record);
    if (record.offset > total || record.bytes > total - record.offset)
      return damaged("entry " + std::to_string(i) + " lies outside");
    if (record.kind != static_cast<uint32_t>(FatKind::kPtx) && record.kind != static_cast<uint32_t>(FatKind::kElf))
      continue;
    entries.push_back(
        {static_cast<FatKind>(record.kind), record.sm, std::string_view(base + record.offset, record.bytes)});
  }
  return entries;
}

std::vector<uint8_t> write_fat_binary(const std::vector<FatEntry>& entries) {
  size_t size = aligned(sizeof(FatHeader) + entries.size() * sizeof(FatEntryRecord));
  std::vector<FatEntryRecord> records;
  for (const FatEntry& entry : entries) {
    records.push_back({static_cast<uint32_t>(entry.kind), entry.sm, size, entry.payload.size(), 0});
    size = aligned(size + entry.payload.size() + 1);
  }
  std::vector<uint8_t> container(size, 0);
  FatHeader header = {};
  std::memcpy(header.magic, kFatMagic, sizeof kFatMagic);
  header.version = kFatVersion;
  header.header_bytes = sizeof header;
  header.count = static_cast<uint32_t>(entries.size());
  header.total_bytes = size;
  for (size_t i = 0; i < entries.size(); ++i) {
    std::memcpy(container.data() + sizeof header + i * sizeof records[i], &records[i], sizeof records[i]);
    if (!entries[i].payload.empty())
      std::memcpy(container.data() + records[i].offset, entries[i].payload.data(), entries[i].payload.size());
  }
  header.checksum = checksum(reinterpret_cast<const char*>(container.data()) + sizeof header, size - sizeof header);
  std::memcpy(container.data(), &header, sizeof header);
  return container;
}

}  // namespace heddle::formats
