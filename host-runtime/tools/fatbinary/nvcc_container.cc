// SPDX-License-Identifier: Apache-2.0
// nvcc's container of device code, of which the PTX is taken: its machine code is for other machines.
#include <cstring>
#include <string>

#include "heddle/fatbinary.h"
#include "zstd.h"

namespace heddle {
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

Error damaged(const std::string& what) { return Error("damaged fat binary of nvcc: " + what, 200); }  // cudaErrorInvalidKernelImage

Packing packing_of(uint64_t flags) {
  if (flags & kZstd) return Packing::kZstd;
  return flags & kLz4 ? Packing::kLz4 : Packing::kNone;
}

// A length that goes on in further bytes while they are 255.
bool lengthen(std::string_view& in, size_t& length) {
  for (uint8_t more = 255; more == 255; length += more) {
    if (in.empty()) return false;
    more = static_cast<uint8_t>(in.front());
    in.remove_prefix(1);
  }
  return true;
}

// One LZ4 block: literals and matches in turn; the last has no match.
Result<std::string> unpack_lz4(std::string_view in, size_t max_bytes) {
  std::string out;
  while (!in.empty()) {
    const auto token = static_cast<uint8_t>(in.front());
    in.remove_prefix(1);
    size_t literals = token >> 4, match = token & 15;
    if ((literals == 15 && !lengthen(in, literals)) || literals > in.size() || literals > max_bytes - out.size())
      return damaged("literals");
    out += in.substr(0, literals);
    in.remove_prefix(literals);
    if (in.empty() || out.size() == max_bytes) break;
    if (in.size() < 2) return damaged("cut off");
    const size_t back = static_cast<uint8_t>(in[0]) | static_cast<uint8_t>(in[1]) << 8;
    in.remove_prefix(2);
    if ((match == 15 && !lengthen(in, match)) || back == 0 || back > out.size() || match + 4 > max_bytes - out.size())
      return damaged("a match");
    for (size_t from = out.size() - back, left = match + 4; left > 0; --left) out.push_back(out[from++]);
  }
  return out;
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
  auto text = entry.packing == Packing::kZstd  ? unpack_zstd(entry.payload, entry.unpacked_bytes)
              : entry.packing == Packing::kLz4 ? unpack_lz4(entry.payload, entry.unpacked_bytes)
                                               : Result<std::string>(std::string(entry.payload));
  if (!text) return damaged(text.error().message());
  if (entry.packing != Packing::kNone && text->size() != entry.unpacked_bytes) return damaged("fewer bytes than announced");
  text->erase(text->find_last_not_of('\0') + 1);  // nvcc fills up with NULs
  return text;
}

}  // namespace heddle
