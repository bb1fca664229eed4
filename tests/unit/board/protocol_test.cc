// SPDX-License-Identifier: Apache-2.0
// The protocol's numbers are the same in C++ and in SystemVerilog; frames survive the way through bytes.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <sstream>

#include "host-runtime/device/board/frame.h"

namespace heddle::board {
namespace {

uint64_t seed() {
  const char* text = std::getenv("HEDDLE_SEED");
  const uint64_t value = text ? std::strtoull(text, nullptr, 0) : 20;
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

TEST(Protocol, HardwareAndSoftwareHaveTheSameNumbers) {
  std::ifstream in(HEDDLE_LINK_PKG);
  std::stringstream text;
  text << in.rdbuf();
  const std::string sv = text.str();
  std::map<std::string, uint64_t> found;
  const std::regex constant("localparam [^=;]*?(\\w+) += (?:\\d+'([hd]))?([0-9a-f_]+);");
  for (std::sregex_iterator i(sv.begin(), sv.end(), constant), end; i != end; ++i)
    found[(*i)[1]] = std::stoull((*i)[3], nullptr, (*i)[2] == "h" ? 16 : 10);
  // clang-format off
  const std::map<std::string, uint64_t> expected = {
      {"Flag", kFlag},           {"Escape", kEscape},         {"EscapeXor", kEscapeXor},   {"HeaderBytes", kHeaderBytes},
      {"CrcBytes", kCrcBytes},   {"PayloadBytes", kPayloadBytes}, {"LinkVersion", kLinkVersion}, {"Window", kWindow},
      {"KindData", kKindData},   {"KindAck", kKindAck},       {"KindNak", kKindNak},       {"KindConnect", kKindConnect},
      {"KindHello", kKindHello}, {"KindUnknown", kKindUnknown}, {"KindPing", kKindPing},   {"KindBye", kKindBye},
      {"OpRegRead", kOpRegRead}, {"OpRegWrite", kOpRegWrite}, {"OpDmaData", kOpDmaData},   {"OpDmaDone", kOpDmaDone},
      {"OpRegData", kOpRegData}, {"OpDmaRead", kOpDmaRead},   {"OpDmaWrite", kOpDmaWrite}, {"OpIrq", kOpIrq},
      {"DmaReadBytes", kDmaReadBytes}, {"DmaWriteBytes", kDmaWriteBytes}, {"HelloBytes", kHelloBytes}};
  // clang-format on
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(found.count(name)) << name << " is not in link_pkg.sv";
    EXPECT_EQ(found[name], value) << name;
    found.erase(name);
  }
  for (const auto& [name, value] : found)
    EXPECT_FALSE(name.starts_with("Kind") || name.starts_with("Op")) << name << " is not in protocol.h";
}

TEST(Crc, IsThatOfEthernet) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32(reinterpret_cast<const uint8_t*>(text.data()), text.size()), 0xcbf43926u);
}

class Frames : public ::testing::Test {
 protected:
  Frames() : rng_(seed()) {}
  Frame random_frame() {
    Frame f;
    f.kind = static_cast<uint8_t>(rng_());
    f.session = static_cast<uint16_t>(rng_());
    f.sequence = static_cast<uint8_t>(rng_());
    f.acknowledge = static_cast<uint8_t>(rng_());
    f.payload.resize(rng_() % (kPayloadBytes + 1));
    for (uint8_t& b : f.payload) b = rng_() % 3 ? static_cast<uint8_t>(rng_()) : rng_() % 2 ? kFlag : kEscape;
    return f;
  }
  static bool same(const Frame& a, const Frame& b) {
    return a.kind == b.kind && a.session == b.session && a.sequence == b.sequence && a.acknowledge == b.acknowledge &&
           a.payload == b.payload;
  }
  std::mt19937_64 rng_;
};

TEST_F(Frames, ComeBackAsTheyWere) {
  FrameReader reader;
  for (int n = 0; n < 1000; n++) {
    const Frame f = random_frame();
    std::vector<uint8_t> bytes;
    encode(f, bytes);
    int whole = 0;
    for (const uint8_t b : bytes) {
      const auto event = reader.take(b);
      ASSERT_NE(event, FrameReader::Event::Damaged);
      whole += event == FrameReader::Event::Frame;
    }
    ASSERT_EQ(whole, 1);
    ASSERT_TRUE(same(f, reader.frame()));
  }
}

// No damage of up to three places is taken for a frame, and the frame after the next flag is whole again.
TEST_F(Frames, DamageIsSeen) {
  for (int n = 0; n < 20000; n++) {
    const Frame f = random_frame(), next = random_frame();
    std::vector<uint8_t> bytes;
    encode(f, bytes);
    const std::vector<uint8_t> whole = bytes;
    for (uint64_t hits = 1 + rng_() % 3; hits > 0 && !bytes.empty(); hits--) {
      const size_t at = rng_() % bytes.size();
      switch (rng_() % 3) {
        case 0: bytes.erase(bytes.begin() + static_cast<long>(at)); break;
        case 1: bytes[at] ^= static_cast<uint8_t>(1u << rng_() % 8); break;
        default: bytes.insert(bytes.begin() + static_cast<long>(at), bytes[at]); break;
      }
    }
    FrameReader reader;
    for (const uint8_t b : bytes)
      if (reader.take(b) == FrameReader::Event::Frame) {
        ASSERT_TRUE(same(reader.frame(), f)) << "only its flags were hit";
      }
    reader.take(kFlag);
    bytes.clear();
    encode(next, bytes);
    bool found = false;
    for (const uint8_t b : bytes) found |= reader.take(b) == FrameReader::Event::Frame && same(reader.frame(), next);
    ASSERT_TRUE(found);
  }
}

TEST_F(Frames, GarbageIsNoFrame) {
  FrameReader reader;
  int frames = 0;
  for (int n = 0; n < 1000000; n++) frames += reader.take(static_cast<uint8_t>(rng_())) == FrameReader::Event::Frame;
  EXPECT_EQ(frames, 0);
}

}  // namespace
}  // namespace heddle::board
