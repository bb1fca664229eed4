// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/formats/embedded.h"

#include <cstdlib>
#include <cstring>

namespace heddle::formats {
namespace {

// An archive: a magic, then members with a header of text each, at even places.
constexpr std::string_view kArchive = "!<arch>\n", kThinArchive = "!<thin>\n";
constexpr size_t kMemberHeader = 60, kMemberSize = 48, kMemberSizeWidth = 10;

}  // namespace

Result<std::vector<std::vector<FatEntry>>> read_fat_section(std::span<const uint8_t> section) {
  std::vector<std::vector<FatEntry>> containers;
  for (size_t at = 0; at + sizeof(FatHeader) <= section.size();) {
    if (!is_fat_binary(section.data() + at)) {
      if (section[at] != 0) return Error("its device code was not packed by Heddle's fatbinary");
      ++at;
      continue;
    }
    auto entries = read_fat_binary(section.data() + at, section.size() - at);
    if (!entries) return entries.error();
    containers.push_back(std::move(*entries));
    FatHeader header;
    std::memcpy(&header, section.data() + at, sizeof header);
    at += header.total_bytes;
  }
  return containers;
}

bool is_archive(std::string_view file) { return file.starts_with(kArchive) || file.starts_with(kThinArchive); }

Result<std::vector<ArchiveMember>> read_archive(std::string_view file) {
  if (file.starts_with(kThinArchive)) return Error("thin archives are not supported (ar without T)");
  std::vector<ArchiveMember> members;
  for (size_t at = kArchive.size(); at < file.size();) {
    if (file.size() - at < kMemberHeader) return Error("the archive is cut off");
    const std::string_view header = file.substr(at, kMemberHeader);
    const std::string digits(header.substr(kMemberSize, kMemberSizeWidth));
    char* end = nullptr;
    const unsigned long long size = std::strtoull(digits.c_str(), &end, 10);
    at += kMemberHeader;
    if (end == digits.c_str() || size > file.size() - at) return Error("the archive is damaged");
    const std::string_view title = header.substr(0, header.find_first_of("/ "));
    members.push_back({std::string(title.empty() ? "member" : title), file.substr(at, size)});
    at += size + size % 2;
  }
  return members;
}

}  // namespace heddle::formats
