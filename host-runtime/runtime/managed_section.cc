// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/managed_section.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "host-runtime/formats/elf.h"

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

// A file in memory, read where it is looked at; empty when it cannot be read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& name) {
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
      const auto size = static_cast<size_t>(status.st_size);
      if (void* const at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0); at != MAP_FAILED)
        bytes_ = {static_cast<const uint8_t*>(at), size};
    }
    close(file);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
  }
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const uint8_t> bytes_;
};

// Empty when the file has no such section, or cannot be read.
Range section_of(const Object& object) {
  const MappedFile file(object.file);
  const auto elf = formats::read_any_elf(file.bytes());
  const auto* const section = elf ? elf->find(kSection) : nullptr;
  if (!section) return {};
  const uintptr_t begin = object.base + section->address;
  return {begin, begin + section->size};
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
