// SPDX-License-Identifier: Apache-2.0
// The fat binary: the container of a program's device code, PTX text and machine code side by side,
// that the tool `fatbinary` writes and the runtime reads from the host program's data.
//
//   FatHeader                      32 bytes, at the container's start
//   FatEntryRecord x count         32 bytes each
//   payloads                       each at a multiple of 16 bytes from the start; one NUL follows each
//
// All numbers are little-endian. A reader refuses a version it does not know; new kinds of entries keep
// the version, for readers skip kinds they do not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle::formats {

inline constexpr char kFatMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'F', 'B'};
inline constexpr uint32_t kFatVersion = 1;

struct FatHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;  // of this struct; the entries follow it
  uint32_t count;         // of entries
  uint32_t checksum;      // CRC-32 of all that follows the header; 0: none was made
  uint64_t total_bytes;   // of the whole container
};
static_assert(sizeof(FatHeader) == 32);

enum class FatKind : uint32_t {
  kPtx = 1,  // text
  kElf = 2,  // cubin
};

struct FatEntryRecord {
  uint32_t kind;    // FatKind
  uint32_t sm;      // compute capability times ten: 80 for sm_80 or compute_80
  uint64_t offset;  // of the payload, from the container's start
  uint64_t bytes;   // of the payload, without its NUL
  uint64_t reserved;
};
static_assert(sizeof(FatEntryRecord) == 32);

// How a payload is packed; in Heddle's own containers none is.
enum class Packing { kNone, kLz4, kZstd };

struct FatEntry {
  FatKind kind;
  uint32_t sm;
  std::string_view payload;  // inside the container when read; borrowed when written
  Packing packing = Packing::kNone;
  uint64_t unpacked_bytes = 0;  // of a packed payload
};

// Whether `data` begins with the container's magic.
bool is_fat_binary(const void* data);

// The entries of a container, in its order; payloads point into `data`. `bytes` bounds the container; 0:
// its header is trusted for its length. Errors: no magic, unknown version, another checksum, an entry out of
// bounds.
Result<std::vector<FatEntry>> read_fat_binary(const void* data, size_t bytes = 0);

// Whether `data` begins as nvcc's containers do, and the PTX in such a one (its machine code is left out); `bytes` as
// above. Errors: an entry out of bounds.
bool is_nvcc_binary(const void* data);
Result<std::vector<FatEntry>> read_nvcc_binary(const void* data, size_t bytes = 0);

// An entry's contents; of nvcc's PTX without the NULs at its end. Errors: damaged packing.
Result<std::string> unpacked(const FatEntry& entry);

// A container of these entries.
std::vector<uint8_t> write_fat_binary(const std::vector<FatEntry>& entries);

}  // namespace heddle::formats
