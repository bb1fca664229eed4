// SPDX-License-Identifier: Apache-2.0
// ELF64: the view of a file through which all of Heddle reads cubins, objects, programs and libraries, and what writes
// cubins.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle::formats {

inline constexpr uint16_t kElfMachine = 190;  // EM_CUDA

struct ElfSection {
  std::string name;
  uint32_t type = 1;  // SHT_PROGBITS
  uint64_t flags = 0;
  uint32_t align = 1;
  std::vector<uint8_t> bytes;
};

struct ElfSymbol {
  std::string name;
  uint8_t type = 0;  // STT_OBJECT 1, STT_FUNC 2
  bool global = false;
  uint16_t section = 0;  // 1-based index into the sections written
  uint64_t value = 0;
  uint64_t size = 0;
};

std::vector<uint8_t> write_elf(std::span<const ElfSection> sections, std::span<const ElfSymbol> symbols);

struct ElfView {
  struct Section {
    std::string name;
    std::span<const uint8_t> bytes;  // of the file; empty when the section takes no room there
    uint32_t type = 0;               // SHT_
    uint32_t link = 0;               // of a symbol table: the index of its texts
    uint64_t address = 0, size = 0;  // in memory
  };
  struct LoadedPart {   // a program header
    uint32_t type = 0;  // PT_
    uint64_t address = 0;
    std::span<const uint8_t> bytes;  // what the file has of it
  };
  std::vector<Section> sections;  // without the empty first one
  std::vector<LoadedPart> parts;
  const Section* find(std::string_view name) const;
  // The section that this one links to; nullptr when there is none.
  const Section* linked(const Section& section) const;
  // What the file has in memory from the address to the end of the loaded part; empty when none holds it.
  std::span<const uint8_t> at(uint64_t address) const;
};
// Views into `bytes`. Everything that is read is checked against the file's size.
Result<ElfView> read_elf(std::span<const uint8_t> bytes);
// The same of a file for any machine.
Result<ElfView> read_any_elf(std::span<const uint8_t> bytes);
bool is_elf(std::span<const uint8_t> bytes);
// Of a file whose end nobody knows: as long as its headers say it is; 0: it is no ELF64 file, or its headers lead to
// where nothing can be read. `read` copies bytes of the file, and is false where there are none.
using ReadFile = std::function<bool(uint64_t offset, void* to, size_t bytes)>;
uint64_t elf_bytes(const ReadFile& read);
bool is_our_elf(std::span<const uint8_t> bytes);
// Of an ELF file: an object that is yet to be linked.
bool is_elf_object(std::span<const uint8_t> bytes);
// The text at an offset of a table of texts; empty when it lies outside or has no end.
std::string_view elf_text(std::span<const uint8_t> table, uint64_t offset);

}  // namespace heddle::formats
