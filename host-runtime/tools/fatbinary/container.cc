// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "heddle/fatbinary.h"

namespace heddle {
namespace {

constexpr size_t kAlignment = 16;

size_t aligned(size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

Error damaged(const std::string& what) {
  return Error("damaged fat binary: " + what, 200);  // cudaErrorInvalidKernelImage
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
    return damaged("version " + std::to_string(header.version) + ", this reader knows " +
                   std::to_string(kFatVersion));
  if (bytes && header.total_bytes > bytes) return damaged("cut off");
  const uint64_t total = header.total_bytes;
  if (header.header_bytes < sizeof(FatHeader) || header.header_bytes > total ||
      header.count > (total - header.header_bytes) / sizeof(FatEntryRecord))
    return damaged("its table of entries does not fit");

  const char* base = static_cast<const char*>(data);
  std::vector<FatEntry> entries;
  for (uint32_t i = 0; i < header.count; ++i) {
    FatEntryRecord record;
    std::memcpy(&record, base + header.header_bytes + i * sizeof record, sizeof record);
    if (record.offset > total || record.bytes > total - record.offset)
      return damaged("entry " + std::to_string(i) + " lies outside");
    if (record.kind != static_cast<uint32_t>(FatKind::kPtx) &&
        record.kind != static_cast<uint32_t>(FatKind::kElf))
      continue;
    entries.push_back({static_cast<FatKind>(record.kind), record.sm,
                       std::string_view(base + record.offset, record.bytes)});
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
  std::memcpy(container.data(), &header, sizeof header);
  for (size_t i = 0; i < entries.size(); ++i) {
    std::memcpy(container.data() + sizeof header + i * sizeof records[i], &records[i],
                sizeof records[i]);
    if (!entries[i].payload.empty())
      std::memcpy(container.data() + records[i].offset, entries[i].payload.data(),
                  entries[i].payload.size());
  }
  return container;
}

}  // namespace heddle
