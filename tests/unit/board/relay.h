// SPDX-License-Identifier: Apache-2.0
// A cable with faults: joins a serial port of its own, for a program, to a board's. A thread moves the bytes.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "host-runtime/device/board/port.h"
#include "sim/board/pty.h"

namespace heddle::test {

class Relay {
 public:
  // `board`: path of the board's port. `link`: where programs find ours.
  Relay(const std::string& board, std::string link, uint64_t seed);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  const std::string& error() const { return error_; }  // of the constructor

  // One in n bytes, each way; 0: none.
  std::atomic<unsigned> lose{0}, flip{0}, twice{0};
  // Bytes are dropped, but the port stays.
  std::atomic<bool> cut{false};
  // The port goes away, with what was on its way; and comes back.
  void pull();
  void put_back();

  uint64_t passed() const { return passed_; }  // bytes, both ways
  uint64_t hits() const { return hits_; }      // faults made

 private:
  void run();
  void spoil(const uint8_t* data, size_t bytes, std::basic_string<uint8_t>& out);

  std::string link_, error_;
  std::unique_ptr<board::Port> board_;
  std::mutex mutex_;  // pty_
  std::unique_ptr<board::Pty> pty_;
  std::mt19937_64 rng_;
  std::atomic<uint64_t> passed_{0}, hits_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace heddle::test
