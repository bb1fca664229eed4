// SPDX-License-Identifier: Apache-2.0
// nvcc's container of device code, and the packings of PTX in it. The packed bytes were made with libzstd and liblz4.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "host-runtime/formats/fatbinary.h"
#include "tests/unit/formats/nvcc_container.h"

namespace heddle::formats {
namespace {

using test::nvcc_container, test::nvcc_entry, test::put;

const uint8_t kText60Zstd[] = {
    40,  181, 47,  253, 96,  110, 5,   221, 14,  0,   134, 92,  62,  21,  176, 167, 218, 112, 72,  31,  193, 128, 146,
    156, 72,  118, 247, 78,  153, 194, 154, 14,  134, 242, 24,  64,  0,   52,  0,   52,  0,   137, 100, 11,  105, 51,
    141, 26,  50,  197, 241, 15,  61,  88,  33,  181, 243, 45,  228, 90,  238, 147, 126, 175, 107, 8,   145, 11,  134,
    86,  237, 16,  234, 225, 32,  161, 96,  168, 95,  135, 140, 233, 160, 32,  160, 0,   193, 160, 96,  56,  225, 84,
    136, 29,  0,   66,  230, 0,   16,  245, 64,  0,   1,   129, 64,  54,  43,  91,  171, 246, 173, 111, 141, 228, 204,
    180, 180, 70,  206, 10,  213, 76,  237, 156, 231, 42,  41,  173, 36,  120, 53,  249, 187, 187, 85,  222, 45,  69,
    105, 118, 117, 194, 249, 153, 238, 200, 33,  88,  178, 175, 66,  200, 116, 31,  31,  146, 165, 33,  238, 243, 83,
    242, 169, 210, 231, 25,  157, 254, 122, 225, 171, 36,  209, 74,  56,  70,  63,  23,  211, 101, 37,  35,  215, 155,
    151, 123, 146, 236, 203, 172, 122, 156, 100, 75,  23,  141, 199, 120, 135, 96,  214, 176, 124, 193, 94,  43,  103,
    104, 15,  5,   195, 147, 210, 217, 91,  21,  150, 213, 239, 77,  150, 217, 208, 29,  87,  249, 206, 142, 70,  88,
    33,  118, 205, 219, 10,  105, 225, 77,  154, 42,  143, 200, 83,  189, 144, 230, 49,  211, 138, 127, 185, 119, 79,
    86,  237, 131, 246, 135, 156, 202, 213, 83,  120, 168, 33,  60,  15,  58,  45,  21,  77,  219, 1,   128, 78,  36,
    99,  100, 27,  16,  40,  66,  138, 5,   19,  208, 5,   234, 190, 65,  34,  94,  186, 106, 153, 34,  98,  205, 201,
    92,  25,  33,  35,  73,  197, 118, 146, 103, 193, 95,  86,  221, 195, 216, 19,  45,  188, 7,   91,  249, 28,  160,
    108, 243, 215, 76,  73,  161, 82,  166, 244, 63,  103, 171, 248, 118, 95,  252, 70,  36,  61,  144, 140, 153, 168,
    156, 247, 241, 178, 22,  78,  13,  128, 192, 77,  219, 170, 35,  190, 72,  141, 226, 203, 248, 13,  20,  11,  249,
    192, 121, 11,  188, 83,  36,  176, 209, 26,  80,  9,   197, 208, 84,  209, 205, 8,   162, 221, 108, 241, 7,   84,
    182, 247, 19,  60,  234, 238, 232, 8,   32,  198, 106, 146, 130, 174, 183, 164, 244, 125, 199, 173, 194, 45,  151,
    110, 119, 191, 151, 141, 76,  51,  109, 157, 101, 56,  73,  16,  128, 82,  132, 196, 76,  171, 248, 251, 98,  205,
    156, 73,  142, 69,  13,  50,  129, 202, 110, 4,   40,  214, 72,  136, 51,  86,  56,  142, 128, 37,  24,  120, 196,
    26,  150, 115, 50,  72,  5,   82,  115, 11,  236, 64,  44,  19,  237, 229, 74,  224, 211, 66,  47,  93,  221, 63,
    172, 42};
const uint8_t kRunsZstd[] = {40,  181, 47,  253, 96,  143, 30,  125, 2,  0,   164, 3,  97,  97, 100, 100, 46, 98,
                             51,  50,  32,  37,  114, 48,  44,  32,  37, 114, 54,  44, 32,  53, 48,  56,  49, 52,
                             59,  10,  109, 117, 108, 46,  108, 111, 49, 51,  48,  44, 32,  51, 50,  52,  51, 50,
                             59,  10,  120, 111, 114, 50,  49,  44,  32, 51,  51,  50, 53,  50, 59,  10,  6,  0,
                             181, 187, 158, 227, 8,   216, 213, 211, 21, 172, 235, 79, 215, 17, 78,  15,  176};
const uint8_t kText20Lz4[] = {
    31, 98,  1,  0,   255, 255, 70, 243, 16,  97,  100, 100, 46, 98,  51,  50, 32, 37,  114, 48,  44, 32,  37, 114, 54,
    44, 32,  53, 48,  56,  49,  52, 59,  10,  109, 117, 108, 46, 108, 111, 28, 0,  16,  49,  28,  0,  227, 51, 48,  44,
    32, 51,  50, 52,  51,  50,  59, 10,  120, 111, 114, 26,  0,  16,  50,  26, 0,  166, 49,  44,  32, 51,  51, 50,  53,
    50, 59,  10, 79,  0,   17,  51, 25,  0,   139, 49,  44,  32, 50,  55,  53, 52, 55,  80,  0,   20, 52,  29, 0,   88,
    49, 57,  52, 50,  51,  80,  0,  16,  53,  26,  0,   137, 50, 55,  44,  32, 54, 52,  51,  55,  81, 0,   17, 54,  26,
    0,  123, 44, 32,  53,  56,  48, 51,  56,  80,  0,   17,  55, 28,  0,   1,  54, 0,   56,  52,  51, 48,  80, 0,   17,
    56, 26,  0,  121, 48,  44,  32, 50,  49,  54,  57,  80,  0,  17,  57,  26, 0,  139, 50,  44,  32, 54,  51, 49,  56,
    57, 81,  0,  17,  49,  14,  1,  152, 50,  57,  44,  32,  52, 56,  52,  51, 52, 82,  0,   18,  49, 13,  1,  96,  49,
    44, 32,  53, 55,  51,  13,  1,  6,   244, 0,   17,  49,  14, 1,   140, 50, 56, 44,  32,  51,  49, 55,  55, 165, 0,
    17, 49,  19, 1,   0,   30,  0,  73,  55,  52,  48,  56,  83, 0,   2,   16, 1,  0,   82,  0,   57, 54,  54, 57,  82,
    0,  1,   16, 1,   140, 55,  44, 32,  51,  52,  55,  57,  53, 165, 0,   1,  19, 1,   105, 49,  44, 32,  52, 55,  55,
    79, 0,   1,  15,  1,   16,  51, 25,  0,   73,  57,  48,  53, 55,  80,  0,  1,  16,  1,   141, 49, 55,  44, 32,  49,
    50, 54,  57, 162, 0,   1,   20, 1,   176, 51,  48,  44,  32, 53,  55,  48, 51, 55,  59,  10};

// What the packed bytes are made of: lines as PTX has them.
std::string text(int lines) {
  uint32_t x = 1;
  std::string out;
  for (int i = 0; i < lines; ++i) {
    x = x * 1103515245 + 12345;
    constexpr const char* kNames[] = {"add", "mul.lo", "xor"};
    out += std::string(kNames[i % 3]) + ".b32 %r" + std::to_string(i) + ", %r" + std::to_string(x >> 16 & 31) + ", " +
           std::to_string(x >> 8 & 0xffff) + ";\n";
  }
  return out;
}

template <size_t N>
std::string_view view(const uint8_t (&bytes)[N]) {
  return {reinterpret_cast<const char*>(bytes), N};
}

constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;

std::string sample() {
  return nvcc_container(nvcc_entry(2, 80, 0,
                                   "\x7f"
                                   "ELF",
                                   0) +
                        nvcc_entry(1, 80, kZstd, view(kText60Zstd), text(60).size()) +
                        nvcc_entry(1, 70, kLz4, view(kText20Lz4), 600 + text(20).size()) +
                        nvcc_entry(1, 90, 0, text(3), 0) +
                        nvcc_entry(1, 60, kZstd, view(kRunsZstd), 8000 + text(3).size()));
}

TEST(NvccBinary, ItsPtxIsReadHoweverItIsPacked) {
  const std::string made = sample();
  ASSERT_TRUE(is_nvcc_binary(made.data()));
  for (size_t bytes : {made.size(), size_t{0}}) {
    const auto entries = read_nvcc_binary(made.data(), bytes);
    ASSERT_TRUE(entries.ok()) << entries.error().message();
    ASSERT_EQ(entries->size(), 4u);  // without the machine code
    const std::string wanted[] = {text(60), std::string(600, 'b') + text(20), text(3),
                                  std::string(5000, 'a') + text(3) + std::string(3000, 'a')};
    constexpr uint32_t kSm[] = {80, 70, 90, 60};
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ((*entries)[i].sm, kSm[i]);
      const auto got = unpacked((*entries)[i]);
      ASSERT_TRUE(got.ok()) << i << ": " << got.error().message();
      EXPECT_EQ(*got, wanted[i]);
    }
  }
}

TEST(NvccBinary, ItIsNoneOfHeddles) {
  const std::string made = sample();
  EXPECT_FALSE(is_fat_binary(made.data()));
  const auto own = write_fat_binary({{FatKind::kPtx, 80, "x"}});
  EXPECT_FALSE(is_nvcc_binary(own.data()));
  EXPECT_FALSE(read_nvcc_binary(own.data(), own.size()).ok());
}

// Every length a cut can leave, and bits damaged everywhere: an error or some text, never a read outside.
TEST(NvccBinary, DamageIsSurvived) {
  const std::string made = sample();
  const auto read_all = [](const std::string& bytes) {
    const std::vector<char> exact(bytes.begin(), bytes.end());
    const auto entries = read_nvcc_binary(exact.data(), exact.size());
    if (!entries) return;
    for (FatEntry e : *entries) {
      e.unpacked_bytes = std::min<uint64_t>(e.unpacked_bytes, 100000);
      const auto text = unpacked(e);
      EXPECT_TRUE(!text || text->size() <= 100000u);
    }
  };
  for (size_t cut = 1; cut < made.size(); ++cut) {
    EXPECT_FALSE(read_nvcc_binary(made.data(), cut).ok());
    std::string shorter = made.substr(0, cut);
    if (cut >= 16) {
      const uint64_t entry_bytes = cut - 16;
      std::memcpy(shorter.data() + 8, &entry_bytes, sizeof entry_bytes);
    }
    read_all(shorter);
  }
  for (size_t bit = 0; bit < made.size() * 8; bit += 5) {
    std::string damaged = made;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    read_all(damaged);
  }
}

TEST(NvccBinary, AFrameThatEndsEarlyIsRefused) {
  const std::string made = nvcc_container(nvcc_entry(1, 80, kZstd, view(kText60Zstd).substr(0, 100), text(60).size()) +
                                          nvcc_entry(1, 80, kZstd, view(kText60Zstd), text(60).size() - 1) +
                                          nvcc_entry(1, 80, kLz4, view(kText20Lz4), 100));
  const auto entries = read_nvcc_binary(made.data(), made.size());
  ASSERT_TRUE(entries.ok());
  for (const FatEntry& e : *entries) EXPECT_FALSE(unpacked(e).ok());
}

}  // namespace
}  // namespace heddle::formats
