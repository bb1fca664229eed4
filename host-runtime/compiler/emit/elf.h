// SPDX-License-Identifier: Apache-2.0
// The little of ELF64 that a cubin needs: named sections in, named sections out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle::compiler {

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
    std::span<const uint8_t> bytes;  // of the file
  };
  std::vector<Section> sections;
  const Section* find(std::string_view name) const;
};
// Views into `bytes`. Everything that is read is checked against the file's size. Sections that take no room in the
// file are left out.
Result<ElfView> read_elf(std::span<const uint8_t> bytes);
// The same of an object for any machine.
Result<ElfView> read_any_elf(std::span<const uint8_t> bytes);
bool is_elf(std::span<const uint8_t> bytes);
bool is_our_elf(std::span<const uint8_t> bytes);

}  // namespace heddle::compiler
