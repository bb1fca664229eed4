// SPDX-License-Identifier: Apache-2.0
// Serial ports, with pseudo-terminals in their place.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "host-runtime/device/board/port.h"
#include "sim/board/pty.h"

namespace heddle::board {
namespace {

namespace fs = std::filesystem;

class SerialPortTest : public ::testing::Test {
 protected:
  SerialPortTest() {
    link_ = fs::temp_directory_path() / ("heddle_port_" + std::to_string(getpid()));
    pty_ = std::move(*Pty::open(link_.string()));
  }
  std::string refusal(const std::string& path, unsigned baud = 3000000) {
    const auto port = open_serial_port(path, baud);
    return port ? "" : port.error().message();
  }
  fs::path link_;
  std::unique_ptr<Pty> pty_;
};

TEST_F(SerialPortTest, BytesPassUnchanged) {
  auto port = open_serial_port(link_.string(), 3000000);
  ASSERT_TRUE(port) << port.error().message();
  EXPECT_TRUE(pty_->attached());
  std::array<uint8_t, 256> all, got{};
  for (size_t i = 0; i < all.size(); i++) all[i] = static_cast<uint8_t>(i);
  ASSERT_EQ(*(*port)->write(all.data(), all.size()), all.size());
  ASSERT_EQ(pty_->read(got.data(), got.size()), got.size());
  EXPECT_EQ(got, all);
  ASSERT_EQ(pty_->write(all.data(), all.size()), all.size());
  (*port)->wait(false, 1000);
  got = {};
  ASSERT_EQ(*(*port)->read(got.data(), got.size()), got.size());
  EXPECT_EQ(got, all);
  EXPECT_EQ(*(*port)->read(got.data(), got.size()), 0u) << "nothing there is no error";
}

TEST_F(SerialPortTest, AnOccupiedPortIsRefused) {
  const auto first = open_serial_port(link_.string(), 3000000);
  ASSERT_TRUE(first);
  EXPECT_EQ(refusal(link_.string()), "serial port " + link_.string() + " is in use by another program");
}

TEST_F(SerialPortTest, WhatIsNoSerialPortIsRefused) {
  EXPECT_EQ(refusal("/dev/ttyNONE7"), "no serial port /dev/ttyNONE7: is the board plugged in?");
  EXPECT_EQ(refusal("/dev/null"), "/dev/null is no serial port");
  const std::string file = link_.string() + ".txt";
  std::ofstream(file) << "text";
  EXPECT_EQ(refusal(file), file + " is no serial port");
  fs::remove(file);
  EXPECT_NE(refusal(link_.string(), 12345).find("12345 baud; known: 115200"), std::string::npos);
}

TEST_F(SerialPortTest, APulledCableIsToldAndThePortOpensAgain) {
  auto port = open_serial_port(link_.string(), 3000000);
  ASSERT_TRUE(port);
  pty_.reset();
  uint8_t byte = 0;
  EXPECT_FALSE((*port)->read(&byte, 1));
  EXPECT_FALSE((*port)->reopen());
  pty_ = std::move(*Pty::open(link_.string()));
  ASSERT_TRUE((*port)->reopen());
  ASSERT_EQ(pty_->write(&byte, 1), 1u);
  (*port)->wait(false, 1000);
  EXPECT_EQ(*(*port)->read(&byte, 1), 1u);
}

}  // namespace
}  // namespace heddle::board
