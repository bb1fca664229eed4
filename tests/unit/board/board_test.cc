// SPDX-License-Identifier: Apache-2.0
// The driver's side of a board: what is refused and how it is said, registers, DMA, interrupt, and a link that fails.
#include "host-runtime/device/board/board.h"

#include <gtest/gtest.h>

#include <cstring>

#include "host-runtime/device/contract.h"
#include "tests/unit/board/fake_board.h"

namespace heddle::test {
namespace {

using board::Board;
using Bytes = std::vector<uint8_t>;

class BoardTest : public ::testing::Test {
 protected:
  BoardTest() {
    preset_ = *load_preset(HEDDLE_TEST_PRESETS "/tiny.toml");
    presets_ = {preset_, *load_preset(HEDDLE_TEST_PRESETS "/cc80.toml")};
    fake_.preset_hash = preset_.structure_hash();
    fake_.registers[contract::kRegPresetHash] = preset_.structure_hash();
    address_ = *board::parse_address("board:/dev/ttyFAKE0");
  }
  Status open() {
    auto opened = Board::open(std::make_unique<FakePort>(fake_), address_, preset_, presets_, nonce_++);
    if (!opened) return opened.error();
    board_ = std::move(*opened);
    return {};
  }
  std::string refusal() {
    const Status status = open();
    return status ? "" : status.error().message();
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
  static Bytes dma_read(uint64_t address) {
    Bytes m(board::kDmaReadBytes);
    m[0] = board::kOpDmaRead;
    board::put_little(&m[1], address, 8);
    return m;
  }
  static Bytes dma_write(uint64_t address, uint32_t enables, uint8_t first) {
    Bytes m(board::kDmaWriteBytes);
    m[0] = board::kOpDmaWrite;
    board::put_little(&m[1], address, 8);
    board::put_little(&m[9], enables, 4);
    for (size_t i = 0; i < 32; i++) m[13 + i] = static_cast<uint8_t>(first + i);
    return m;
  }

  FakeBoard fake_;
  Preset preset_;
  std::vector<Preset> presets_;
  board::Address address_;
  std::unique_ptr<Board> board_;
  uint32_t nonce_ = 0x10001;
};

TEST_F(BoardTest, NamesOfDevicesAreUnderstood) {
  const auto a = board::parse_address("board:/dev/ttyUSB0,baud=115200,timeout=7,bitstream=0xabc");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->path, "/dev/ttyUSB0");
  EXPECT_EQ(a->baud, 115200u);
  EXPECT_EQ(a->limits.silence_ms, 7000u);
  EXPECT_EQ(a->bitstream, 0xabcu);
  for (const char* bad : {"board", "board:", "board:,baud=9600", "board:/dev/x,baud=fast", "board:/dev/x,colour=3",
                          "board:/dev/x,timeout=0", "board:/dev/x,baud="}) {
    const auto r = board::parse_address(bad);
    ASSERT_FALSE(r) << bad;
    EXPECT_TRUE(has(r.error().message(), bad)) << r.error().message();
    EXPECT_TRUE(has(r.error().message(), "board:PATH")) << r.error().message();
  }
}

TEST_F(BoardTest, TheRightBoardIsTaken) {
  ASSERT_TRUE(open());
  EXPECT_EQ(fake_.registers[contract::kRegMemSizeLo], 32u << 20) << "the board's, which is less than the preset's";
  EXPECT_EQ(board_->identity().bitstream_id, 0x77u);
  board_.reset();
  EXPECT_GT(fake_.byes, 0u);
}

TEST_F(BoardTest, AnotherPresetIsRefusedByName) {
  fake_.preset_hash = presets_[1].structure_hash();
  const std::string text = refusal();
  EXPECT_TRUE(has(text, "preset 'cc80'") && has(text, "preset 'tiny' is wanted") && has(text, "/dev/ttyFAKE0")) << text;
  presets_.push_back(presets_[1]);
  presets_.back().name = "alike";
  EXPECT_TRUE(has(refusal(), "of preset 'cc80' or 'alike', preset 'tiny' is wanted")) << refusal();
  fake_.preset_hash = 0x5555;
  EXPECT_TRUE(has(refusal(), "not installed here (hash 0x5555)"));
}

TEST_F(BoardTest, AnotherBitstreamIsRefusedByNumber) {
  address_.bitstream = 0x78;
  const std::string text = refusal();
  EXPECT_TRUE(has(text, "holds bitstream 0x77, 0x78 is wanted")) << text;
  address_.bitstream = 0x77;
  EXPECT_TRUE(open());
}

TEST_F(BoardTest, AnotherVersionOfTheLinkIsRefused) {
  fake_.version = 9;
  EXPECT_TRUE(has(refusal(), "version 9 of the link"));
}

TEST_F(BoardTest, NoAnswerIsSaidSo) {
  fake_.silent = true;
  const std::string text = refusal();
  EXPECT_TRUE(has(text, "/dev/ttyFAKE0: nothing answers")) << text;
  EXPECT_GE(fake_.now, address_.limits.connect_ms);
  EXPECT_LE(fake_.now, address_.limits.connect_ms + 200);
}

TEST_F(BoardTest, ForeignBytesAreSaidSo) {
  fake_.silent = true;
  fake_.to_host.assign(500, 'x');
  const std::string text = refusal();
  EXPECT_TRUE(has(text, "bytes come (500)") && has(text, "baud")) << text;
}

TEST_F(BoardTest, RegistersAreReadAndWritten) {
  ASSERT_TRUE(open());
  board_->write32(0x200, 0x7e7d1234);
  EXPECT_EQ(board_->read32(0x200), 0x7e7d1234u);
  EXPECT_EQ(fake_.writes.back(), std::make_pair(uint16_t{0x200}, 0x7e7d1234u));
}

TEST_F(BoardTest, APairOfRegistersIsOneRoundTrip) {
  ASSERT_TRUE(open());
  fake_.registers[contract::kRegKernelCyclesLo] = 7;
  fake_.registers[contract::kRegKernelCyclesHi] = 8;
  fake_.reads.clear();
  EXPECT_EQ(board_->read32(contract::kRegKernelCyclesLo), 7u);
  EXPECT_EQ(fake_.reads.size(), 2u);
  EXPECT_EQ(board_->read32(contract::kRegKernelCyclesHi), 8u);
  EXPECT_EQ(fake_.reads.size(), 2u);
  // Only at once, and only once.
  fake_.registers[contract::kRegKernelCyclesHi] = 9;
  EXPECT_EQ(board_->read32(contract::kRegKernelCyclesHi), 9u);
  EXPECT_EQ(board_->read32(contract::kRegKernelCyclesLo), 7u);
  board_->write32(contract::kRegIrqStatus, 1);
  fake_.registers[contract::kRegKernelCyclesHi] = 10;
  EXPECT_EQ(board_->read32(contract::kRegKernelCyclesHi), 10u);
}

TEST_F(BoardTest, DmaReachesThisProcess) {
  ASSERT_TRUE(open());
  alignas(32) uint8_t memory[64];
  for (size_t i = 0; i < 64; i++) memory[i] = static_cast<uint8_t>(100 + i);
  const auto address = reinterpret_cast<uint64_t>(memory);
  fake_.say(dma_read(address));
  fake_.say(dma_write(address + 32, 0x0ff000f1, 7));
  for (int i = 0; i < 3; i++) board_->wait(0);
  ASSERT_EQ(fake_.answers.size(), 2u);
  EXPECT_EQ(fake_.answers[0][0], board::kOpDmaData);
  EXPECT_EQ(fake_.answers[0][1], 0);
  EXPECT_EQ(std::memcmp(&fake_.answers[0][2], memory, 32), 0);
  EXPECT_EQ(fake_.answers[1], (Bytes{board::kOpDmaDone, 0}));
  for (size_t i = 0; i < 32; i++) EXPECT_EQ(memory[32 + i], 0x0ff000f1u >> i & 1 ? 7 + i : 132 + i) << i;
}

TEST_F(BoardTest, DmaToNowhereIsRefusedAndHarmsNobody) {
  ASSERT_TRUE(open());
  fake_.say(dma_read(0));
  fake_.say(dma_write(0x20, ~0u, 1));
  for (int i = 0; i < 3; i++) board_->wait(0);
  ASSERT_EQ(fake_.answers.size(), 2u);
  EXPECT_NE(fake_.answers[0][1], 0);
  EXPECT_NE(fake_.answers[1][1], 0);
}

TEST_F(BoardTest, AMessageSaidTwiceIsTakenOnce) {
  ASSERT_TRUE(open());
  alignas(32) uint8_t memory[32] = {};
  fake_.say(dma_write(reinterpret_cast<uint64_t>(memory), ~0u, 1));
  fake_.say_again();
  fake_.say_out_of_turn(dma_write(reinterpret_cast<uint64_t>(memory), ~0u, 99));
  for (int i = 0; i < 3; i++) board_->wait(0);
  EXPECT_EQ(fake_.answers.size(), 1u);
  EXPECT_EQ(memory[0], 1);
}

TEST_F(BoardTest, TheInterruptEndsAWait) {
  ASSERT_TRUE(open());
  uint64_t before = fake_.now;
  EXPECT_EQ(board_->wait(5'000'000), 0);
  EXPECT_NEAR(static_cast<double>(fake_.now - before), 100, 10) << "as long as so many clocks take at 50 MHz";
  fake_.say({board::kOpIrq, 1});
  before = fake_.now;
  EXPECT_EQ(board_->wait(5'000'000), 1);
  EXPECT_LT(fake_.now - before, 60u);
  fake_.say({board::kOpIrq, 0});
  EXPECT_EQ(board_->wait(0), 0);
}

TEST_F(BoardTest, AWaitCountsTheBoardsOwnCycles) {
  ASSERT_TRUE(open());
  fake_.slowness = 50;  // a simulation
  const uint64_t before = fake_.now;
  EXPECT_EQ(board_->wait(5'000'000), 0);
  EXPECT_NEAR(static_cast<double>(fake_.now - before), 5000, 500);
}

TEST_F(BoardTest, AForgottenSessionEndsInAnError) {
  ASSERT_TRUE(open());
  fake_.forgotten = true;
  EXPECT_EQ(board_->wait(1'000'000'000), -1) << "found out by itself, by asking";
  EXPECT_TRUE(has(board_->failure(), "no longer knows this session")) << board_->failure();
  EXPECT_EQ(board_->read32(0), 0u);
}

TEST_F(BoardTest, ABoardThatFallsSilentEndsInAnError) {
  ASSERT_TRUE(open());
  fake_.silent = true;
  const uint64_t before = fake_.now;
  EXPECT_EQ(board_->read32(0x200), 0u);
  EXPECT_TRUE(has(board_->failure(), "no answer for 10 s")) << board_->failure();
  EXPECT_LT(fake_.now - before, 12000u);
  EXPECT_EQ(board_->wait(1000), -1);
}

TEST_F(BoardTest, ARegisterThatIsNeverAnsweredEndsInAnError) {
  ASSERT_TRUE(open());
  fake_.deaf_to_reads = true;
  EXPECT_EQ(board_->read32(0x208), 0u);
  EXPECT_TRUE(has(board_->failure(), "register 0x208 is never answered")) << board_->failure();
}

TEST_F(BoardTest, AnUnpluggedPortThatComesBackIsUsedAgain) {
  ASSERT_TRUE(open());
  fake_.unplugged = true;
  fake_.back_at = fake_.now + 5000;
  board_->write32(0x84, 5);
  EXPECT_EQ(board_->wait(50'000'000), 0);
  EXPECT_EQ(board_->read32(0x84), 5u);
  EXPECT_EQ(board_->counters().reopened, 1u);
}

TEST_F(BoardTest, AnUnpluggedPortThatStaysAwayEndsInAnError) {
  ASSERT_TRUE(open());
  fake_.unplugged = true;
  EXPECT_EQ(board_->wait(uint64_t{50'000'000} * 60), -1);
  EXPECT_TRUE(has(board_->failure(), "gone for 10 s")) << board_->failure();
}

TEST_F(BoardTest, AMessageOfAnotherVersionEndsInAnError) {
  ASSERT_TRUE(open());
  fake_.say({0x77, 1, 2});
  EXPECT_EQ(board_->wait(1'000'000), -1);
  EXPECT_TRUE(has(board_->failure(), "message 119")) << board_->failure();
}

}  // namespace
}  // namespace heddle::test
