// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/board/relay.h"

#include <unistd.h>

#include <array>

namespace heddle::test {

Relay::Relay(const std::string& board, std::string link, uint64_t seed) : link_(std::move(link)), rng_(seed) {
  auto port = board::open_serial_port(board, 3000000);
  auto pty = board::Pty::open(link_);
  if (!port) error_ = port.error().message();
  if (!pty) error_ = pty.error().message();
  if (!error_.empty()) return;
  board_ = std::move(*port);
  pty_ = std::move(*pty);
  thread_ = std::thread([this] { run(); });
}

Relay::~Relay() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Relay::pull() {
  const std::lock_guard lock(mutex_);
  pty_.reset();
}

void Relay::put_back() {
  const std::lock_guard lock(mutex_);
  if (auto pty = board::Pty::open(link_)) pty_ = std::move(*pty);
}

void Relay::spoil(const uint8_t* data, size_t bytes, std::basic_string<uint8_t>& out) {
  const auto hit = [this](unsigned n) {
    if (n == 0 || rng_() % n != 0) return false;
    hits_++;
    return true;
  };
  passed_ += bytes;
  if (cut) return;
  for (size_t i = 0; i < bytes; i++) {
    if (hit(lose)) continue;
    const uint8_t byte = hit(flip) ? static_cast<uint8_t>(data[i] ^ (1u << rng_() % 8)) : data[i];
    out.push_back(byte);
    if (hit(twice)) out.push_back(byte);
  }
}

void Relay::run() {
  std::array<uint8_t, 1024> bytes;
  std::basic_string<uint8_t> to_board, to_program;
  while (!stop_) {
    bool idle = true;
    {
      const std::lock_guard lock(mutex_);
      if (!pty_) {
        to_board.clear();
        to_program.clear();
      } else {
        const size_t n = to_board.empty() ? pty_->read(bytes.data(), bytes.size()) : 0;
        if (n) {
          spoil(bytes.data(), n, to_board);
          idle = false;
        }
        to_program.erase(0, pty_->write(to_program.data(), to_program.size()));
      }
    }
    if (const auto n = board_->write(to_board.data(), to_board.size())) to_board.erase(0, *n);
    if (to_program.empty()) {
      const auto n = board_->read(bytes.data(), bytes.size());
      if (n && *n) {
        spoil(bytes.data(), *n, to_program);
        idle = false;
      }
    }
    if (idle) usleep(200);
  }
}

}  // namespace heddle::test
