// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, in child processes: gtest's own process stays whole.
#include "host-runtime/driver/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "host-runtime/driver/context.h"
#include "tests/unit/driver/fake_device.h"
#include "tests/unit/driver/test_preset.h"

namespace heddle::driver {
namespace {

// Runs `body` in a child; its wait status.
template <typename F>
int child_status(F&& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  for (int i = 0; i < 400; ++i) {  // a child that hangs fails its test, and ends
    if (waitpid(pid, &status, WNOHANG) == pid) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  return status;
}

void interrupt_soon() {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(getpid(), SIGINT);
  }).detach();
}

TEST(Interrupt, OutsideOfAWaitTheHookRunsAndTheProcessDiesBySigint) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const int status = child_status([&] {
    watch_interrupt([&] { EXPECT_EQ(write(pipes[1], "x", 1), 1); });
    interrupt_soon();
    std::this_thread::sleep_for(std::chrono::seconds(20));
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  char byte = 0;
  EXPECT_EQ(read(pipes[0], &byte, 1), 1);
}

TEST(Interrupt, AWaitForAnEndlessKernelEndsWithTheReportWritten) {
  const std::string file = ::testing::TempDir() + "heddle_interrupt.json";
  std::remove(file.c_str());
  const int status = child_status([&] {
    const Preset preset = test::preset();
    test::FakeTransport fake(preset);
    auto context = Context::create({}, preset, "x", fake.table(), "p", stdout, stderr);
    std::recursive_mutex mutex;  // as the runtime's: held by whoever waits
    watch_interrupt([&] {
      const std::lock_guard lock(mutex);
      (void)write_report((*context)->report(), file).ok();
    });
    const std::lock_guard lock(mutex);
    fake.device().stuck = true;
    (void)(*context)->work().mark([](uint64_t) {});
    interrupt_soon();
    (void)(*context)->waits().synchronize().ok();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  std::FILE* f = std::fopen(file.c_str(), "r");
  ASSERT_NE(f, nullptr);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), f));
  std::fclose(f);
  EXPECT_NE(text.find("\"status\": \"interrupted\""), std::string::npos) << text;
}

TEST(Interrupt, APoliteKillRunsTheHookToo) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const int status = child_status([&] {
    watch_interrupt([&] { EXPECT_EQ(write(pipes[1], "x", 1), 1); });
    kill(getpid(), SIGTERM);
    std::this_thread::sleep_for(std::chrono::seconds(20));
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  char byte = 0;
  EXPECT_EQ(read(pipes[0], &byte, 1), 1);
}

// A signal to the process and to its group comes twice.
TEST(Interrupt, TheSameSignalTwiceInARowLeavesTheHookItsTime) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const int status = child_status([&] {
    watch_interrupt([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      EXPECT_EQ(write(pipes[1], "x", 1), 1);
    });
    kill(getpid(), SIGINT);
    kill(getpid(), SIGINT);
    std::this_thread::sleep_for(std::chrono::seconds(20));
  });
  close(pipes[1]);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  char byte = 0;
  EXPECT_EQ(read(pipes[0], &byte, 1), 1);
}

TEST(Interrupt, ASecondSignalKillsAtOnce) {
  const int status = child_status([&] {
    watch_interrupt([] { std::this_thread::sleep_for(std::chrono::seconds(60)); });
    kill(getpid(), SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    kill(getpid(), SIGTERM);
    std::this_thread::sleep_for(std::chrono::seconds(60));
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST(Interrupt, AProgramsOwnHandlerIsLeftAlone) {
  const int status = child_status([] {
    signal(SIGINT, [](int) { _exit(7); });
    watch_interrupt([] { _exit(1); });
    kill(getpid(), SIGINT);
    std::this_thread::sleep_for(std::chrono::seconds(5));
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

}  // namespace
}  // namespace heddle::driver
