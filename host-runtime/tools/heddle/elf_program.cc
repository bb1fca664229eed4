// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/elf_program.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "heddle/files.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

// Only Heddle's runtime has this text: it looks the name up in a backend.
constexpr const char* kOurMark = "heddle_transport_get";
constexpr const char* kRegister = "__cudaRegisterFatBinary";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) out.push_back(part);
  return out;
}

// A view of the file in which every access is checked.
class Elf {
 public:
  explicit Elf(const std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  bool get(uint64_t offset, T& out) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return false;
    std::memcpy(&out, bytes_.data() + offset, sizeof(T));
    return true;
  }
  std::string text(uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const size_t end = bytes_.find('\0', offset);
    return bytes_.substr(offset, end == std::string::npos ? 0 : end - offset);
  }
  // File offset of a virtual address; ~0 when no segment holds it.
  uint64_t offset_of(uint64_t address, const Elf64_Ehdr& header) const {
    for (int i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr p;
      if (!get(header.e_phoff + uint64_t(i) * sizeof p, p)) break;
      if (p.p_type == PT_LOAD && address - p.p_vaddr < p.p_filesz) return p.p_offset + (address - p.p_vaddr);
    }
    return ~uint64_t{0};
  }

 private:
  const std::string& bytes_;
};

std::vector<std::string> search_list(const std::string& text, const std::string& origin) {
  std::vector<std::string> out = split(text, ':');
  for (auto& folder : out)
    for (const char* name : {"${ORIGIN}", "$ORIGIN"})
      if (const size_t at = folder.find(name); at != std::string::npos) folder.replace(at, std::strlen(name), origin);
  return out;
}

void read_dynamic(const Elf& elf, const Elf64_Ehdr& header, const std::string& origin, ElfProgram& out) {
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr p;
    if (!elf.get(header.e_phoff + uint64_t(i) * sizeof p, p) || p.p_type != PT_DYNAMIC) continue;
    std::vector<Elf64_Dyn> entries;
    Elf64_Dyn d;
    for (uint64_t at = p.p_offset; at < p.p_offset + p.p_filesz && elf.get(at, d) && d.d_tag != DT_NULL; at += sizeof d)
      entries.push_back(d);
    uint64_t strings = ~uint64_t{0};
    for (const auto& e : entries)
      if (e.d_tag == DT_STRTAB) strings = elf.offset_of(e.d_un.d_ptr, header);
    if (strings == ~uint64_t{0}) return;
    for (const auto& e : entries) {
      const std::string text = elf.text(strings + e.d_un.d_val);
      if (e.d_tag == DT_NEEDED) out.needed.push_back(text);
      if (e.d_tag == DT_RPATH) out.rpath = search_list(text, origin);
      if (e.d_tag == DT_RUNPATH) out.runpath = search_list(text, origin);
    }
  }
}

// Whether a symbol table of the file defines the function that every program with kernels calls.
bool defines_register(const Elf& elf, const Elf64_Ehdr& header) {
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table, strings;
    if (!elf.get(header.e_shoff + uint64_t(i) * sizeof table, table)) return false;
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    if (!elf.get(header.e_shoff + uint64_t{table.sh_link} * sizeof strings, strings)) continue;
    Elf64_Sym symbol;
    for (uint64_t at = 0; at + sizeof symbol <= table.sh_size && elf.get(table.sh_offset + at, symbol);
         at += sizeof symbol)
      if (symbol.st_shndx != SHN_UNDEF && elf.text(strings.sh_offset + symbol.st_name) == kRegister) return true;
  }
  return false;
}

// The path that the loader's cache has for a name; empty when it has none.
fs::path cached(const fs::path& cache, const std::string& soname) {
  const auto bytes = read_file(cache);
  if (!bytes) return {};
  constexpr const char* kMagic = "glibc-ld.so.cache1.1";
  const size_t base = bytes->find(kMagic);
  if (base == std::string::npos) return {};
  const std::string part = bytes->substr(base);
  const Elf view(part);
  uint32_t count = 0;
  if (!view.get(20, count)) return {};
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t entry = 48 + i * 24;
    uint32_t key = 0, value = 0;
    if (!view.get(entry + 4, key) || !view.get(entry + 8, value)) return {};
    if (view.text(key) == soname) return view.text(value);
  }
  return {};
}

bool is_ours(const fs::path& library) {
  const auto bytes = read_file(library);
  return bytes && bytes->find(kOurMark) != std::string::npos;
}

}  // namespace

Result<ElfProgram> read_elf(const fs::path& file) {
  const auto bytes = read_file(file);
  if (!bytes) return bytes.error();
  const Elf elf(*bytes);
  Elf64_Ehdr header;
  if (!elf.get(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return Error(file.string() + " is no 64-bit ELF program");
  ElfProgram out;
  std::error_code ec;
  read_dynamic(elf, header, fs::weakly_canonical(file, ec).parent_path().string(), out);
  out.defines_cudart = defines_register(elf, header);
  out.holds_heddle = bytes->find(kOurMark) != std::string::npos;
  return out;
}

Result<CudartChoice> find_cudart(const fs::path& program, const std::string& library_path, const fs::path& cache) {
  const auto elf = read_elf(program);
  if (!elf) return elf.error();
  CudartChoice choice;
  const auto asks = std::find_if(elf->needed.begin(), elf->needed.end(),
                                 [](const std::string& n) { return n.starts_with("libcudart.so"); });
  if (asks == elf->needed.end()) {
    if (elf->defines_cudart) choice.kind = CudartChoice::Kind::Static;
    choice.ours = elf->holds_heddle;
    return choice;
  }
  choice.soname = *asks;
  const auto try_folders = [&](const std::vector<std::string>& folders, const char* by) {
    std::error_code ec;
    for (const auto& folder : folders) {
      if (choice.kind == CudartChoice::Kind::Shared || !fs::exists(fs::path(folder) / *asks, ec)) continue;
      choice.kind = CudartChoice::Kind::Shared;
      choice.path = fs::path(folder) / *asks;
      choice.found_by = by;
    }
  };
  if (elf->runpath.empty()) try_folders(elf->rpath, "DT_RPATH");
  try_folders(split(library_path, ':'), "LD_LIBRARY_PATH");
  try_folders(elf->runpath, "DT_RUNPATH");
  if (choice.kind != CudartChoice::Kind::Shared)
    if (const fs::path p = cached(cache, *asks); !p.empty()) try_folders({p.parent_path().string()}, "ld.so.cache");
  try_folders({"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"}, "system folder");
  if (choice.kind != CudartChoice::Kind::Shared) choice.kind = CudartChoice::Kind::Missing;
  else choice.ours = is_ours(choice.path);
  return choice;
}

std::string describe(const CudartChoice& c) {
  const char* whose = c.ours ? "Heddle's" : "another vendor's";
  switch (c.kind) {
    case CudartChoice::Kind::None: return "uses no CUDA runtime";
    case CudartChoice::Kind::Static: return std::string("has ") + whose + " CUDA runtime linked in statically";
    case CudartChoice::Kind::Missing: return c.soname + " => not found";
    case CudartChoice::Kind::Shared: break;
  }
  return c.soname + " => " + c.path.string() + " (" + whose + ", by " + c.found_by + ")";
}

}  // namespace heddle::tools
