// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/formats/device_code.h"

#include <gtest/gtest.h>

#include <cstring>

#include "host-runtime/formats/elf.h"
#include "host-runtime/formats/fatbinary.h"

namespace heddle::formats {
namespace {

using formats::FatEntry, formats::FatKind;

std::string text(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

const std::string kPtx = ".version 8.3\n.target sm_80\n.address_size 64\n";

std::string relocatable(const std::string& name) {
  formats::Cubin c;
  c.target = "sm_80";
  c.sources.push_back({"/tmp/" + name + ".s", kPtx + "// " + name});
  return text(serialize(c));
}

std::string fat(const std::vector<FatEntry>& entries) { return text(formats::write_fat_binary(entries)); }

// An x86-64 object with these sections.
std::string host_object(const std::vector<std::pair<std::string, std::string>>& sections) {
  std::vector<formats::ElfSection> all;
  for (const auto& [name, bytes] : sections) all.push_back({name, 1, 0, 8, {bytes.begin(), bytes.end()}});
  std::string file = text(formats::write_elf(all, {}));
  file[16] = 1;
  file[18] = 62;
  return file;
}

std::string member(const std::string& name, const std::string& bytes) {
  std::string header(60, ' ');
  header.replace(0, name.size() + 1, name + "/");
  const std::string size = std::to_string(bytes.size());
  header.replace(48, size.size(), size);
  header.replace(58, 2, "`\n");
  return header + bytes + (bytes.size() % 2 ? "\n" : "");
}

std::string error_of(const std::string& name, const std::string& contents, unsigned sm = 80) {
  DeviceCode code;
  const auto added = add_device_code(code, name, contents, sm);
  return added ? "" : added.error().message();
}

TEST(DeviceCode, OfAnObjectOfPtxas) {
  DeviceCode code;
  ASSERT_TRUE(add_device_code(code, "dir/a.cubin", relocatable("a"), 80).ok());
  ASSERT_EQ(code.modules.size(), 1u);
  EXPECT_EQ(code.modules[0].name, "a.cubin");
  EXPECT_EQ(code.modules[0].text, kPtx + "// a");
}

TEST(DeviceCode, OfAHostObjectWithSeveralContainersAndNames) {
  const std::string one = relocatable("one"), two = relocatable("two"), newer = relocatable("newer");
  const std::string first = fat({{FatKind::kPtx, 80, kPtx}, {FatKind::kElf, 80, one}, {FatKind::kElf, 90, newer}});
  const std::string second = fat({{FatKind::kElf, 70, two}});
  const std::string object = host_object({{".text", "code"},
                                          {"__nv_relfatbin", first + std::string(24, '\0') + second},
                                          {"__nv_module_id", std::string("__nv_1\0\0\0__nv_2\0", 16)}});
  DeviceCode code;
  ASSERT_TRUE(add_device_code(code, "a.o", object, 80).ok());
  ASSERT_EQ(code.modules.size(), 2u);
  EXPECT_EQ(code.modules[0].text, kPtx + "// one");
  EXPECT_EQ(code.modules[1].text, kPtx + "// two");
  EXPECT_EQ(code.registrations, (std::vector<std::string>{"__nv_1", "__nv_2"}));
  DeviceCode for_new;
  ASSERT_TRUE(add_device_code(for_new, "a.o", object, 90).ok());
  EXPECT_EQ(for_new.modules[0].text, kPtx + "// newer");
  EXPECT_NE(error_of("a.o", object, 60).find("'a.o': it holds no device code for sm_60"), std::string::npos);
}

TEST(DeviceCode, OfAnArchive) {
  const std::string archive =
      "!<arch>\n" + member("", std::string(5, 'x')) +
      member("a.o", host_object({{"__nv_relfatbin", fat({{FatKind::kElf, 80, relocatable("a")}})}})) +
      member("plain.o", host_object({{".text", "code"}}));
  DeviceCode code;
  ASSERT_TRUE(add_device_code(code, "lib.a", archive, 80).ok());
  ASSERT_EQ(code.modules.size(), 1u);
  EXPECT_EQ(code.modules[0].name, "lib.a(a.o)");
  EXPECT_NE(error_of("lib.a", "!<thin>\n").find("thin"), std::string::npos);
}

TEST(DeviceCode, OfPlainPtxAndOfNothing) {
  DeviceCode code;
  EXPECT_TRUE(add_device_code(code, "a.ptx", kPtx, 80).ok());
  EXPECT_TRUE(add_device_code(code, "plain.o", host_object({{".text", "code"}}), 80).ok());
  EXPECT_EQ(code.modules.size(), 1u);
  EXPECT_NE(error_of("a.txt", "hello").find("'a.txt': neither an object nor an archive"), std::string::npos);
}

TEST(DeviceCode, OfASharedLibraryIsItsOwn) {
  std::string library = host_object({{"__nv_relfatbin", fat({{FatKind::kElf, 80, relocatable("a")}})}});
  library[16] = 3;
  DeviceCode code;
  EXPECT_TRUE(add_device_code(code, "liba.so", library, 80).ok());
  EXPECT_TRUE(code.modules.empty());
}

TEST(DeviceCode, ThatIsLinkedAlreadyIsRefused) {
  formats::Cubin c;
  c.code.push_back(0);
  EXPECT_NE(error_of("a.cubin", text(serialize(c))).find("linked already"), std::string::npos);
}

TEST(DeviceCode, NoDamageMakesTheReaderLookOutside) {
  const std::string archive =
      "!<arch>\n" + member("a.o", host_object({{"__nv_relfatbin", fat({{FatKind::kElf, 80, relocatable("a")}})}}));
  for (size_t size = 0; size < archive.size(); ++size) error_of("lib.a", archive.substr(0, size));
  for (size_t i = 8; i < archive.size(); ++i)
    for (const char value : {'\x00', '\x7f', '\xff'}) {
      std::string damaged = archive;
      damaged[i] = value;
      error_of("lib.a", damaged);
    }
}

}  // namespace
}  // namespace heddle::formats
