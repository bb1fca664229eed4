// SPDX-License-Identifier: Apache-2.0
// nvcc's container of device code, of which the PTX is taken: its machine code is for other machines.
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <string>

#include "host-runtime/formats/fatbinary.h"

namespace heddle::formats {
namespace {

constexpr uint32_t kMagic = 0xba55ed50;
constexpr uint16_t kPtxKind = 1;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;  // of an entry's flags

struct Header {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t entry_bytes;  // of all entries, behind the header
};
static_assert(sizeof(Header) == 16);

struct EntryHeader {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t bytes;         // behind this header, to the next one
  uint32_t packed_bytes;  // of a packed payload
  uint32_t options;
  uint32_t isa;
  uint32_t sm;
  uint32_t name_offset, name_bytes;
  uint64_t flags;
  uint64_t reserved;
  uint64_t unpacked_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

Error damaged(const std::string& what) {
  return Error("damaged fat binary of nvcc: " + what, Code::InvalidKernelImage);
}

Packing packing_of(uint64_t flags) {
  if (flags & kZstd) return Packing::kZstd;
  return flags & kLz4 ? Packing::kLz4 : Packing::kNone;
}

Result<std::string> unpack(const FatEntry& entry) {
  constexpr uint64_t kMostPacked = 64 << 20;  // of text in one entry, whatever it says
  if (entry.unpacked_bytes > kMostPacked)
    return damaged("an entry of " + std::to_string(entry.unpacked_bytes) + " bytes");
  std::string text(entry.unpacked_bytes, '\0');
  if (entry.packing == Packing::kZstd) {
    const size_t got = ZSTD_decompress(text.data(), text.size(), entry.payload.data(), entry.payload.size());
    if (ZSTD_isError(got)) return damaged(ZSTD_getErrorName(got));
    text.resize(got);
  } else {
    const int got = LZ4_decompress_safe(entry.payload.data(), text.data(), static_cast<int>(entry.payload.size()),
                                        static_cast<int>(text.size()));
    if (got < 0) return damaged("no LZ4 block");
    text.resize(static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

bool is_nvcc_binary(const void* data) { return std::memcmp(data, &kMagic, sizeof kMagic) == 0; }

Result<std::vector<FatEntry>> read_nvcc_binary(const void* data, size_t bytes) {
  Header header;
  if ((bytes && bytes < sizeof header) || !is_nvcc_binary(data)) return damaged("no header");
  std::memcpy(&header, data, sizeof header);
  if (header.header_bytes < sizeof header ||
      (bytes && (header.header_bytes > bytes || header.entry_bytes > bytes - header.header_bytes)))
    return damaged("cut off");
  std::string_view rest(static_cast<const char*>(data) + header.header_bytes, header.entry_bytes);
  std::vector<FatEntry> entries;
  while (!rest.empty()) {
    EntryHeader e;
    if (rest.size() < sizeof e) return damaged("an entry is cut off");
    std::memcpy(&e, rest.data(), sizeof e);
    if (e.header_bytes < sizeof e || e.header_bytes > rest.size() || e.bytes > rest.size() - e.header_bytes)
      return damaged("an entry lies outside");
    const Packing packing = packing_of(e.flags);
    const uint64_t payload = packing == Packing::kNone ? e.bytes : e.packed_bytes;
    if (payload > e.bytes) return damaged("a packed entry lies outside");
    if (e.kind == kPtxKind)
      entries.push_back({FatKind::kPtx, e.sm, rest.substr(e.header_bytes, payload), packing, e.unpacked_bytes});
    rest.remove_prefix(e.header_bytes + e.bytes);
  }
  return entries;
}

Result<std::string> unpacked(const FatEntry& entry) {
  auto text = entry.packing == Packing::kNone ? Result<std::string>(std::string(entry.payload)) : unpack(entry);
  if (!text) return text;
  if (entry.packing != Packing::kNone && text->size() != entry.unpacked_bytes)
    return damaged("fewer bytes than announced");
  text->erase(text->find_last_not_of('\0') + 1);  // nvcc fills up with NULs
  return text;
}

}  // namespace heddle::formats
