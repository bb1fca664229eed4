// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/marks.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host-runtime/formats/elf.h"

namespace heddle::cudart {
namespace {

constexpr std::string_view kMarks = ".heddle.", kManaged = "managed", kCluster = "cluster.";

struct Object {
  uintptr_t base = 0;  // what its file's addresses are relative to
  std::string file;
};

struct Mark {
  uintptr_t begin, bytes;
  std::string name;
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

// Empty when the file has none, or cannot be read.
std::vector<Mark> marks_of(const Object& object) {
  const MappedFile file(object.file);
  std::vector<Mark> marks;
  if (const auto elf = formats::read_any_elf(file.bytes()))
    for (const auto& s : elf->sections)
      if (s.name.starts_with(kMarks)) marks.push_back({object.base + s.address, s.size, s.name.substr(kMarks.size())});
  return marks;
}

// The name of the section that holds the address, without what all of them begin with; empty when none does.
std::string_view mark_of(const void* address) {
  static std::map<std::pair<std::string, uintptr_t>, std::vector<Mark>> known;  // callers hold the runtime's lock
  const auto object = object_of(address);
  if (!object) return {};
  const auto [it, fresh] = known.try_emplace({object->file, object->base});
  if (fresh) it->second = marks_of(*object);
  for (const Mark& m : it->second)
    if (reinterpret_cast<uintptr_t>(address) - m.begin < m.bytes) return m.name;
  return {};
}

// Takes a number, or whatever stands before the next comma: then 0.
uint32_t take_extent(std::string_view& text) {
  const size_t end = std::min(text.find(','), text.size());
  std::string_view one = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
  uint32_t value = 0;
  const auto [rest, failed] = std::from_chars(one.data(), one.data() + one.size(), value);
  const bool whole = std::string_view(rest, one.data() + one.size()).find_first_not_of(" uU") == std::string_view::npos;
  return failed == std::errc() && whole ? value : 0;
}

}  // namespace

bool is_marked_managed(const void* variable) { return mark_of(variable) == kManaged; }

std::optional<driver::Dim3> marked_cluster(const void* stub) {
  std::string_view text = mark_of(stub);
  if (!text.starts_with(kCluster)) return std::nullopt;
  text.remove_prefix(kCluster.size());
  driver::Dim3 cluster;
  for (uint32_t* extent : {&cluster.x, &cluster.y, &cluster.z})
    if (!text.empty()) *extent = take_extent(text);
  return cluster;
}

}  // namespace heddle::cudart
