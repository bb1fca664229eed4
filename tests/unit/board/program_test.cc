// SPDX-License-Identifier: Apache-2.0
// CUDA programs as users compile them, on the simulated board, through a cable with faults: they end right, or with
// an error that says why; never with wrong data, never not at all.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/board/process.h"
#include "tests/unit/board/relay.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr double kHang = 120;  // seconds: generous, machines are slow
const std::vector<std::string> kLongKernel = {"mandelbrot", "32", "32", "3000000"};

uint64_t seed() {
  const char* text = std::getenv("HEDDLE_SEED");
  const uint64_t value = text ? std::strtoull(text, nullptr, 0) : 20;
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

class BoardProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("heddle_board_" + name + "_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    board_ = std::make_unique<Process>(std::vector<std::string>{HEDDLE_BOARD_SIM, "--quiet", "--link", path("board")},
                                       std::map<std::string, std::string>{}, path("board.log"));
    for (int i = 0; i < 1000 && !fs::exists(path("board")); i++) usleep(10000);
    ASSERT_TRUE(fs::exists(path("board"))) << board_->output();
  }
  void TearDown() override {
    relay_.reset();
    board_->send(SIGTERM);
    EXPECT_EQ(board_->wait(30), 0) << board_->output();
    if (!HasFailure()) fs::remove_all(folder_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  void join_cable() {
    relay_ = std::make_unique<Relay>(path("board"), path("cable"), seed());
    ASSERT_EQ(relay_->error(), "");
  }

  std::unique_ptr<Process> start(std::vector<std::string> command, const std::string& options = "",
                                 std::map<std::string, std::string> environment = {}) {
    command[0] = HEDDLE_EXAMPLES "/" + command[0];
    environment.insert({"HEDDLE_HOME", HEDDLE_BUILD});
    environment.insert({"HEDDLE_PRESET", "tiny"});
    environment.insert({"HEDDLE_DEVICE", "board:" + path(relay_ ? "cable" : "board") + options});
    return std::make_unique<Process>(command, environment, path("out" + std::to_string(programs_++)));
  }

  void expect_pass(Process& program) {
    EXPECT_EQ(program.wait(kHang), 0) << program.output();
    EXPECT_NE(program.output().find("\nPASS"), std::string::npos) << program.output();
  }
  void expect_error(Process& program, const std::string& text, const std::string& code = "cudaError") {
    const int status = program.wait(kHang);
    EXPECT_TRUE(status > 0 && status < 128) << status << ": " << program.output();
    EXPECT_EQ(program.output().find("PASS"), std::string::npos) << program.output();
    EXPECT_NE(program.output().find(text), std::string::npos) << program.output();
    EXPECT_NE(program.output().find(code), std::string::npos) << program.output();
  }
  // Until so many bytes have crossed the cable.
  void bytes(uint64_t count) {
    for (int i = 0; i < 6000 && relay_->passed() < count; i++) usleep(10000);
    ASSERT_GE(relay_->passed(), count);
  }

  fs::path folder_;
  std::unique_ptr<Process> board_;
  std::unique_ptr<Relay> relay_;
  int programs_ = 0;
};

TEST_F(BoardProgram, ACableThatLosesFlipsAndDoublesBytesCostsOnlyTime) {
  join_cable();
  relay_->lose = relay_->flip = relay_->twice = 3000;
  expect_pass(*start({"vecadd", "256"}));
  expect_pass(*start({"sgemm", "16"}));
  EXPECT_GT(relay_->hits(), 10u);
}

TEST_F(BoardProgram, ACablePulledAndPutBackCostsOnlyTime) {
  join_cable();
  auto program = start({"vecadd", "512"});
  for (int n = 1; n <= 3; n++) {
    bytes(static_cast<uint64_t>(n) * 6000);
    relay_->pull();
    usleep(700000);
    relay_->put_back();
  }
  expect_pass(*program);
}

TEST_F(BoardProgram, ACableThatStaysAwayIsAnError) {
  join_cable();
  auto program = start({"vecadd", "2048"}, ",timeout=2");
  bytes(8000);
  relay_->pull();
  expect_error(*program, "gone for 2 s", "cudaErrorLaunchFailure");
}

TEST_F(BoardProgram, ALineThatFallsSilentIsAnErrorAndTheNextProgramRuns) {
  join_cable();
  auto program = start({"vecadd", "2048"}, ",timeout=2");
  bytes(8000);
  relay_->cut = true;
  expect_error(*program, "no answer for 2 s", "cudaErrorLaunchFailure");
  relay_->cut = false;
  expect_pass(*start({"vecadd", "256"}));
}

TEST_F(BoardProgram, TheResetButtonInMidKernelIsAnErrorAndTheNextProgramRuns) {
  auto program = start(kLongKernel);
  sleep(3);
  ASSERT_EQ(program->wait(0), -1) << "it should still run: " << program->output();
  board_->send(SIGUSR1);
  expect_error(*program, "no longer knows this session", "cudaErrorLaunchFailure");
  expect_pass(*start({"vecadd", "256"}));
}

TEST_F(BoardProgram, AProgramKilledInMidKernelLeavesNothingBehind) {
  auto program = start(kLongKernel);
  sleep(3);
  ASSERT_EQ(program->wait(0), -1) << "it should still run: " << program->output();
  program->send(SIGKILL);
  EXPECT_EQ(program->wait(kHang), 128 + SIGKILL);
  expect_pass(*start({"vecadd", "256"}));
}

TEST_F(BoardProgram, AKernelStoppedByItsLimitIsAnErrorOfItsOwn) {
  expect_error(*start(kLongKernel, "", {{"HEDDLE_CYCLE_LIMIT", "50000"}}), "ran longer than the limit of 50000 cycles");
  expect_pass(*start({"vecadd", "256"}));
}

TEST_F(BoardProgram, AnOccupiedPortIsRefusedByName) {
  auto first = start(kLongKernel);
  sleep(2);
  expect_error(*start({"vecadd", "256"}), path("board") + " is in use by another program",
               "cudaErrorDevicesUnavailable");
  EXPECT_EQ(first->wait(0), -1) << "undisturbed: " << first->output();
}

TEST_F(BoardProgram, AnotherPresetAndAnotherBitstreamAreRefusedByName) {
  expect_error(*start({"vecadd", "256"}, "", {{"HEDDLE_PRESET", "cc80"}}), "'tiny', preset 'cc80' is wanted");
  expect_error(*start({"vecadd", "256"}, ",bitstream=0x1"), "it holds bitstream 0x51b0a4d5, 0x1 is wanted");
}

}  // namespace
}  // namespace heddle::test
