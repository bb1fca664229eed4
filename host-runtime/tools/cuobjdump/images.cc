// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/cuobjdump/images.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <span>

#include "host-runtime/formats/cubin.h"
#include "host-runtime/formats/elf.h"
#include "host-runtime/formats/embedded.h"

namespace heddle::tools {
namespace {

using formats::FatEntry, formats::FatKind;

using Bytes = std::span<const uint8_t>;

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

class Finder {
 public:
  explicit Finder(const std::string& file) : title_(std::filesystem::path(file).filename().string()) {}

  Status add(std::string_view contents) {
    if (formats::is_archive(contents)) {
      const auto members = formats::read_archive(contents);
      if (!members) return members.error();
      for (const formats::ArchiveMember& member : *members)
        if (formats::is_elf(bytes_of(member.bytes)))
          if (auto added = add(member.bytes); !added) return added;
      return {};
    }
    if (formats::looks_like_cubin(bytes_of(contents))) return add_cubin(contents);
    if (formats::is_elf(bytes_of(contents))) return add_host(contents);
    if (contents.size() >= sizeof(formats::FatHeader) && formats::is_fat_binary(contents.data()))
      return add_section(bytes_of(contents));
    return Error("neither a cubin, a fat binary, an object, a program nor an archive");
  }

  std::vector<DeviceImage> images;

 private:
  Status add_cubin(std::string_view contents) {
    const auto cubin = formats::parse_cubin(bytes_of(contents));
    if (!cubin) return cubin.error();
    const size_t digits = cubin->target.find_first_of("0123456789");
    const unsigned long sm =
        digits == std::string::npos ? 0 : std::strtoul(cubin->target.c_str() + digits, nullptr, 10);
    images.push_back({title_, FatKind::kElf, static_cast<unsigned>(sm), contents});
    return {};
  }

  Status add_host(std::string_view contents) {
    // What a program still has of objects is linked into its other section.
    const bool object = formats::is_elf_object(bytes_of(contents));
    const auto elf = formats::read_any_elf(bytes_of(contents));
    if (!elf) return elf.error();
    for (const auto& section : elf->sections)
      if (section.name == formats::kFatSection || (section.name == formats::kRelocatableFatSection && object))
        if (auto added = add_section(section.bytes); !added) return added;
    return {};
  }

  Status add_section(Bytes section) {
    const auto containers = formats::read_fat_section(section);
    if (!containers) return containers.error();
    for (const auto& entries : *containers) {
      ++number_;
      for (const FatEntry& e : entries) {
        const char* ending = e.kind == FatKind::kPtx ? "ptx" : "cubin";
        images.push_back({fmt::format("{}.{}.sm_{}.{}", title_, number_, e.sm, ending), e.kind, e.sm, e.payload});
      }
    }
    return {};
  }

  std::string title_;
  unsigned number_ = 0;  // of the container
};

}  // namespace

Result<std::vector<DeviceImage>> find_images(const std::string& name, std::string_view contents) {
  Finder finder(name);
  if (auto added = finder.add(contents); !added) return Error(fmt::format("'{}': {}", name, added.error().message()));
  return std::move(finder.images);
}

}  // namespace heddle::tools
