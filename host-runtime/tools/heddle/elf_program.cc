// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/elf_program.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <sstream>
#include <string_view>

#include "heddle/files.h"
#include "host-runtime/formats/bytes.h"
#include "host-runtime/formats/elf.h"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

// Only Heddle's runtime has this text: it looks the name up in its core (runtime/connect.h).
constexpr const char* kOurMark = "heddle_runtime_connect";
constexpr const char* kRegister = "__cudaRegisterFatBinary";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) out.push_back(part);
  return out;
}

using Bytes = std::span<const uint8_t>;

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

std::vector<std::string> search_list(const std::string& text, const std::string& origin) {
  std::vector<std::string> out = split(text, ':');
  for (auto& folder : out)
    for (const char* name : {"${ORIGIN}", "$ORIGIN"})
      if (const size_t at = folder.find(name); at != std::string::npos) folder.replace(at, std::strlen(name), origin);
  return out;
}

void read_dynamic(const formats::ElfView& elf, const std::string& origin, ElfProgram& out) {
  for (const auto& part : elf.parts) {
    if (part.type != PT_DYNAMIC) continue;
    struct Entry {
      int64_t tag;
      uint64_t value;
    };
    std::vector<Entry> entries;
    Bytes strings;
    for (formats::ByteReader r(part.bytes);;) {
      const auto tag = r.get<int64_t>();
      const auto value = r.get<uint64_t>();
      if (!r.ok() || tag == DT_NULL) break;
      entries.push_back({tag, value});
      if (tag == DT_STRTAB) strings = elf.at(value);
    }
    if (strings.empty()) return;
    for (const auto& e : entries) {
      const std::string text(formats::elf_text(strings, e.value));
      if (e.tag == DT_NEEDED) out.needed.push_back(text);
      if (e.tag == DT_RPATH) out.rpath = search_list(text, origin);
      if (e.tag == DT_RUNPATH) out.runpath = search_list(text, origin);
    }
  }
}

// Whether a symbol table of the file defines the function that every program with kernels calls.
bool defines_register(const formats::ElfView& elf) {
  for (const auto& table : elf.sections) {
    if (table.type != SHT_SYMTAB && table.type != SHT_DYNSYM) continue;
    const auto* const strings = elf.linked(table);
    if (!strings) continue;
    for (formats::ByteReader r(table.bytes);;) {
      const auto name = r.get<uint32_t>();
      r.get<uint16_t>();
      const auto section = r.get<uint16_t>();
      r.get<uint64_t>(), r.get<uint64_t>();
      if (!r.ok()) break;
      if (section != SHN_UNDEF && formats::elf_text(strings->bytes, name) == kRegister) return true;
    }
  }
  return false;
}

// The path that the loader's cache has for a name; empty when it has none.
fs::path cached(const fs::path& cache, const std::string& soname) {
  constexpr size_t kCount = 20, kEntries = 48, kEntryBytes = 24;
  const auto file = read_file(cache);
  if (!file) return {};
  const size_t base = file->find("glibc-ld.so.cache1.1");
  if (base == std::string::npos) return {};
  const Bytes bytes = bytes_of(*file).subspan(base);
  if (bytes.size() < kEntries) return {};
  const auto count = formats::ByteReader(bytes.subspan(kCount)).get<uint32_t>();
  for (uint64_t i = 0; i < count && kEntries + (i + 1) * kEntryBytes <= bytes.size(); ++i) {
    formats::ByteReader entry(bytes.subspan(kEntries + i * kEntryBytes + 4));
    const auto key = entry.get<uint32_t>(), value = entry.get<uint32_t>();
    if (formats::elf_text(bytes, key) == soname) return formats::elf_text(bytes, value);
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
  if (!formats::is_elf(bytes_of(*bytes))) return Error(file.string() + " is no 64-bit ELF program");
  const auto elf = formats::read_any_elf(bytes_of(*bytes));
  if (!elf) return elf.error().context(file.string());
  ElfProgram out;
  std::error_code ec;
  read_dynamic(*elf, fs::weakly_canonical(file, ec).parent_path().string(), out);
  out.defines_cudart = defines_register(*elf);
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
