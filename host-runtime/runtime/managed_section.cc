// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/managed_section.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::cudart {
namespace {

constexpr char kSection[] = ".heddle.managed";

struct Object {
  uintptr_t base = 0;  // what its file's addresses are relative to
  std::string file;
};

struct Range {
  uintptr_t begin = 0, end = 0;
};

std::optional<Object> object_of(const void* address) {
  struct Search {
    uintptr_t address;
    std::optional<Object> found;
  } search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* argument) {
        auto& s = *static_cast<Search*>(argument);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || s.address - (object->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
          const bool library = object->dlpi_name && *object->dlpi_name;
          s.found = Object{object->dlpi_addr, library ? object->dlpi_name : "/proc/self/exe"};
          return 1;
        }
        return 0;
      },
      &search);
  return search.found;
}

// Empty when the file has no such section, or cannot be read.
Range section_of(const Object& object) {
  std::ifstream file(object.file, std::ios::binary);
  const auto read = [&](uint64_t at, void* to, size_t bytes) {
    return file.seekg(static_cast<std::streamoff>(at)) &&
           file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
  };
  Elf64_Ehdr header;
  if (!read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum) return {};
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!read(header.e_shoff, sections.data(), sections.size() * sizeof sections[0])) return {};
  std::string names(sections[header.e_shstrndx].sh_size, 0);
  if (!read(sections[header.e_shstrndx].sh_offset, names.data(), names.size())) return {};
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name >= names.size() ||
        names.compare(section.sh_name, sizeof kSection, kSection, sizeof kSection) != 0)
      continue;
    const uintptr_t begin = object.base + section.sh_addr;
    return {begin, begin + section.sh_size};
  }
  return {};
}

}  // namespace

bool in_managed_section(const void* address) {
  static std::map<std::pair<std::string, uintptr_t>, Range> known;  // callers hold the runtime's lock
  const auto at = reinterpret_cast<uintptr_t>(address);
  const auto object = object_of(address);
  if (!object) return false;
  const auto [it, fresh] = known.try_emplace({object->file, object->base});
  if (fresh) it->second = section_of(*object);
  return it->second.begin <= at && at < it->second.end;
}

}  // namespace heddle::cudart
