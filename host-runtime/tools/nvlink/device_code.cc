// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/nvlink/device_code.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "heddle/fatbinary.h"
#include "host-runtime/compiler/emit/elf.h"

namespace heddle::nvlink {
namespace {

using Bytes = std::span<const uint8_t>;

// An archive: a magic, then members with a header of text each, at even places.
constexpr std::string_view kArchive = "!<arch>\n", kThinArchive = "!<thin>\n";
constexpr size_t kMemberHeader = 60, kMemberSize = 48, kMemberSizeWidth = 10;

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

Error bad(const std::string& name, std::string_view why) { return Error(fmt::format("'{}': {}", name, why)); }

Status add_cubin(DeviceCode& code, const std::string& name, Bytes bytes) {
  auto cubin = compiler::parse_cubin(bytes);
  if (!cubin) return bad(name, cubin.error().message());
  if (!cubin->relocatable())
    return bad(name, "its device code is linked already, or was compiled whole (compile with -dc or -fgpu-rdc)");
  // The PTX was a temporary file: its lines are called by the object's name.
  for (auto& source : cubin->sources)
    code.modules.push_back({std::filesystem::path(name).filename(), std::move(source.text)});
  return {};
}

// One container: the version for the newest capability up to `sm`, machine code's object before PTX.
Status add_container(DeviceCode& code, const std::string& name, const std::vector<FatEntry>& entries, unsigned sm) {
  const FatEntry* best = nullptr;
  for (const FatEntry& e : entries) {
    if (e.sm > sm) continue;
    if (!best || e.sm > best->sm || (e.sm == best->sm && e.kind == FatKind::kElf)) best = &e;
  }
  if (!best) return bad(name, "it holds no device code for sm_" + std::to_string(sm) + " or older");
  if (best->kind == FatKind::kElf) return add_cubin(code, name, bytes_of(best->payload));
  code.modules.push_back({std::filesystem::path(name).filename(), std::string(best->payload)});
  return {};
}

// `ld -r` puts containers one behind the other, with room between for alignment.
Status add_containers(DeviceCode& code, const std::string& name, Bytes section, unsigned sm) {
  for (size_t at = 0; at + sizeof(FatHeader) <= section.size();) {
    if (!is_fat_binary(section.data() + at)) {
      if (section[at] != 0) return bad(name, "its device code was not packed by Heddle's fatbinary");
      ++at;
      continue;
    }
    const auto entries = read_fat_binary(section.data() + at, section.size() - at);
    if (!entries) return bad(name, entries.error().message());
    if (auto added = add_container(code, name, *entries, sm); !added) return added;
    FatHeader header;
    std::memcpy(&header, section.data() + at, sizeof header);
    at += header.total_bytes;
  }
  return {};
}

// The device code of a program or shared library is linked, and registered by it.
bool linked_by_host(Bytes elf) {
  constexpr size_t kType = 16;
  constexpr uint8_t kRelocatable = 1;
  return elf[kType] != kRelocatable;
}

Status add_host_object(DeviceCode& code, const std::string& name, Bytes bytes, unsigned sm) {
  if (linked_by_host(bytes)) return {};
  const auto elf = compiler::read_any_elf(bytes);
  if (!elf) return bad(name, elf.error().message());
  for (const auto& section : elf->sections) {
    if (section.name == "__nv_relfatbin") {
      if (auto added = add_containers(code, name, section.bytes, sm); !added) return added;
    } else if (section.name == "__nv_module_id") {
      std::string id;
      for (const uint8_t c : section.bytes) {
        if (c) id += static_cast<char>(c);
        else if (!id.empty()) code.registrations.push_back(std::exchange(id, {}));
      }
    }
  }
  return {};
}

Status add_archive(DeviceCode& code, const std::string& name, std::string_view text, unsigned sm) {
  for (size_t at = kArchive.size(); at < text.size();) {
    if (text.size() - at < kMemberHeader) return bad(name, "the archive is cut off");
    const std::string_view header = text.substr(at, kMemberHeader);
    const std::string digits(header.substr(kMemberSize, kMemberSizeWidth));
    char* end = nullptr;
    const unsigned long long size = std::strtoull(digits.c_str(), &end, 10);
    at += kMemberHeader;
    if (end == digits.c_str() || size > text.size() - at) return bad(name, "the archive is damaged");
    const std::string_view member = text.substr(at, size);
    at += size + size % 2;
    // Symbol and name tables are members, too; only objects matter here.
    if (!compiler::is_elf(bytes_of(member))) continue;
    const std::string_view title = header.substr(0, header.find_first_of("/ "));
    const std::string inner = fmt::format("{}({})", name, title.empty() ? "member" : title);
    if (auto added = add_device_code(code, inner, std::string(member), sm); !added) return added;
  }
  return {};
}

}  // namespace

Status add_device_code(DeviceCode& code, const std::string& name, const std::string& contents, unsigned sm) {
  const Bytes bytes = bytes_of(contents);
  if (contents.starts_with(kArchive)) return add_archive(code, name, contents, sm);
  if (contents.starts_with(kThinArchive)) return bad(name, "thin archives are not supported (ar without T)");
  if (compiler::looks_like_cubin(bytes)) return add_cubin(code, name, bytes);
  if (compiler::is_elf(bytes)) return add_host_object(code, name, bytes, sm);
  if (contents.size() >= sizeof(FatHeader) && is_fat_binary(contents.data()))
    return add_containers(code, name, bytes, sm);
  if (name.ends_with(".ptx")) {
    code.modules.push_back({name, contents});
    return {};
  }
  return bad(name, "neither an object nor an archive");
}

}  // namespace heddle::nvlink
