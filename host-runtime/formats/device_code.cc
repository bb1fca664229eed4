// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/formats/device_code.h"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "host-runtime/formats/elf.h"
#include "host-runtime/formats/embedded.h"
#include "host-runtime/formats/fatbinary.h"

namespace heddle::formats {
namespace {

using Bytes = std::span<const uint8_t>;

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

Error bad(const std::string& name, std::string_view why) { return Error(fmt::format("'{}': {}", name, why)); }

Status add_cubin(DeviceCode& code, const std::string& name, Bytes bytes) {
  auto cubin = parse_cubin(bytes);
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

Status add_containers(DeviceCode& code, const std::string& name, Bytes section, unsigned sm) {
  const auto containers = read_fat_section(section);
  if (!containers) return bad(name, containers.error().message());
  for (const auto& entries : *containers)
    if (auto added = add_container(code, name, entries, sm); !added) return added;
  return {};
}

Status add_host_object(DeviceCode& code, const std::string& name, Bytes bytes, unsigned sm) {
  // The device code of a program or shared library is linked, and registered by it.
  if (!is_elf_object(bytes)) return {};
  const auto elf = read_any_elf(bytes);
  if (!elf) return bad(name, elf.error().message());
  for (const auto& section : elf->sections) {
    if (section.name == kRelocatableFatSection) {
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
  const auto members = read_archive(text);
  if (!members) return bad(name, members.error().message());
  for (const ArchiveMember& member : *members) {
    // Symbol and name tables are members, too; only objects matter here.
    if (!is_elf(bytes_of(member.bytes))) continue;
    const std::string inner = fmt::format("{}({})", name, member.name);
    if (auto added = add_device_code(code, inner, std::string(member.bytes), sm); !added) return added;
  }
  return {};
}

}  // namespace

Status add_device_code(DeviceCode& code, const std::string& name, const std::string& contents, unsigned sm) {
  const Bytes bytes = bytes_of(contents);
  if (is_archive(contents)) return add_archive(code, name, contents, sm);
  if (looks_like_cubin(bytes)) return add_cubin(code, name, bytes);
  if (is_elf(bytes)) return add_host_object(code, name, bytes, sm);
  if (contents.size() >= sizeof(FatHeader) && is_fat_binary(contents.data()))
    return add_containers(code, name, bytes, sm);
  if (name.ends_with(".ptx")) {
    code.modules.push_back({name, contents});
    return {};
  }
  return bad(name, "neither an object nor an archive");
}

}  // namespace heddle::formats
