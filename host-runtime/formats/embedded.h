// SPDX-License-Identifier: Apache-2.0
// Where fat binaries lie: behind each other in a section of a host object or program, and in the members of archives.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/formats/fatbinary.h"

namespace heddle::formats {

// The section of whole programs, and that of code which is yet to be linked.
inline constexpr std::string_view kFatSection = ".nv_fatbin", kRelocatableFatSection = "__nv_relfatbin";

// The entries of each container in `section`, for a linker puts them one behind the other with room between for
// alignment. They point into it. Errors: a damaged container, or one of another toolkit.
Result<std::vector<std::vector<FatEntry>>> read_fat_section(std::span<const uint8_t> section);

struct ArchiveMember {
  std::string name;
  std::string_view bytes;  // of the archive
};
bool is_archive(std::string_view file);
// Its members, the tables of symbols and names among them. Errors: damaged, or a thin archive, which holds no members.
Result<std::vector<ArchiveMember>> read_archive(std::string_view file);

}  // namespace heddle::formats
