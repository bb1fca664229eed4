// SPDX-License-Identifier: Apache-2.0
// The one reader of ELF files: what it writes itself, this program, and damaged files.
#include "host-runtime/formats/elf.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "heddle/files.h"

namespace heddle::formats {
namespace {

using Bytes = std::span<const uint8_t>;

Bytes bytes_of(const std::string& text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

// Of which the test looks for the place, for the address is the program's own.
__attribute__((section(".heddle.test"), used)) const char kMark[] = "the mark of elf_test";

std::string own_file() {
  auto text = read_file("/proc/self/exe");
  return text ? std::move(*text) : std::string();
}

TEST(Elf, ReadsWhatIsWritten) {
  const std::vector<ElfSection> sections = {{".text", 1, 6, 64, {1, 2, 3}}, {".data", 1, 3, 8, {4}}};
  const std::vector<ElfSymbol> symbols = {{"f", 2, true, 1, 0, 3}};
  const auto file = write_elf(sections, symbols);
  ASSERT_TRUE(is_our_elf(file));
  const auto elf = read_elf(file);
  ASSERT_TRUE(elf) << elf.error().message();
  ASSERT_NE(elf->find(".text"), nullptr);
  EXPECT_EQ(elf->find(".text")->size, 3u);
  EXPECT_EQ(elf->find(".data")->bytes[0], 4);
  EXPECT_EQ(elf->find(".bss"), nullptr);
  const auto* const table = elf->find(".symtab");
  ASSERT_NE(table, nullptr);
  ASSERT_NE(elf->linked(*table), nullptr);
  EXPECT_EQ(elf->linked(*table)->name, ".strtab");
  EXPECT_EQ(elf_text(elf->linked(*table)->bytes, 1), "f");
  EXPECT_EQ(elf->linked(*elf->find(".text")), nullptr);
}

TEST(Elf, ReadsAProgram) {
  const std::string file = own_file();
  EXPECT_FALSE(is_our_elf(bytes_of(file)));
  EXPECT_FALSE(is_elf_object(bytes_of(file)));
  EXPECT_FALSE(read_elf(bytes_of(file)));
  const auto elf = read_any_elf(bytes_of(file));
  ASSERT_TRUE(elf) << elf.error().message();
  const auto* const section = elf->find(".heddle.test");
  ASSERT_NE(section, nullptr);
  ASSERT_GE(section->size, sizeof kMark);  // AddressSanitizer lays something behind it
  EXPECT_EQ(std::memcmp(section->bytes.data(), kMark, sizeof kMark), 0);
  // The same bytes are where the program's headers place the section's address.
  const Bytes at = elf->at(section->address);
  ASSERT_GE(at.size(), sizeof kMark);
  EXPECT_EQ(at.data(), section->bytes.data());
  EXPECT_TRUE(elf->at(~uint64_t{0}).empty());
  const auto* const zeros = elf->find(".bss");
  ASSERT_NE(zeros, nullptr);
  EXPECT_TRUE(zeros->bytes.empty());
  EXPECT_GT(zeros->size, 0u);
}

TEST(Elf, AProgramWithoutSectionsHasParts) {
  std::string file = own_file();
  const uint64_t nothing = 0;
  std::memcpy(file.data() + offsetof(Elf64_Ehdr, e_shoff), &nothing, 8);
  std::memcpy(file.data() + offsetof(Elf64_Ehdr, e_shnum), &nothing, 2);
  const auto elf = read_any_elf(bytes_of(file));
  ASSERT_TRUE(elf) << elf.error().message();
  EXPECT_TRUE(elf->sections.empty());
  EXPECT_TRUE(std::any_of(elf->parts.begin(), elf->parts.end(), [](const auto& p) { return p.type == PT_DYNAMIC; }));
}

TEST(Elf, TextsEndInTheirTable) {
  const std::string table("a\0bc", 4);
  EXPECT_EQ(elf_text(bytes_of(table), 0), "a");
  EXPECT_EQ(elf_text(bytes_of(table), 1), "");
  EXPECT_EQ(elf_text(bytes_of(table), 2), "");  // no end
  EXPECT_EQ(elf_text(bytes_of(table), 4), "");
}

TEST(Elf, NoDamageMakesTheReaderLookOutside) {
  const std::string whole = own_file();
  // The headers, and the table of sections: each byte once, in files of exactly their size.
  Elf64_Ehdr header;
  std::memcpy(&header, whole.data(), sizeof header);
  std::string bad = whole;
  const auto damage = [&](size_t at) {
    for (const char bits : {'\xff', '\x80', '\x01'}) {
      bad[at] ^= bits;
      if (const auto elf = read_any_elf(bytes_of(bad)))
        for (const auto& s : elf->sections)
          if (!s.bytes.empty()) {
            EXPECT_LE(s.bytes.data() + s.bytes.size(), bytes_of(bad).data() + bad.size());
          }
      bad[at] ^= bits;
    }
  };
  for (size_t at = 0; at < sizeof header + header.e_phnum * sizeof(Elf64_Phdr); ++at) damage(at);
  for (size_t at = header.e_shoff; at < whole.size(); ++at) damage(at);
}

}  // namespace
}  // namespace heddle::formats
