// SPDX-License-Identifier: Apache-2.0
// heddle-board-sim: the ULX3S with a preset of Heddle (tiny, if not said otherwise), clock by clock, its serial port a
// pseudo-terminal.
//
//   heddle-board-sim --link /tmp/board &
//   HEDDLE_DEVICE=board:/tmp/board HEDDLE_PRESET=tiny ./vecadd 1024
//
// SIGUSR1 presses the reset button. Ends with SIGINT or SIGTERM; the exit status is 1 when the
// SDRAM controller broke a rule of its chip.
#include <Vboard_sim.h>
#include <verilated.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <deque>
#include <memory>

#include "sim/board/pty.h"
#include "sim/board/uart.h"

namespace {

constexpr unsigned kClocksPerBit = 4;     // board_sim.sv: ClockKhz, Baud
constexpr unsigned kBatch = 256;          // clocks between looks at the terminal
constexpr uint64_t kRestAfter = 200'000;  // clocks without a session or bytes until we rest
constexpr unsigned kPress = 64;           // clocks that the button is held
constexpr size_t kInput = 4096, kOutput = 1 << 16;
constexpr uint8_t kLedSession = 2;

volatile std::sig_atomic_t stop = 0, press = 0;

void on_signal(int signal) {
  if (signal == SIGUSR1) press = 1;
  else stop = 1;
}

class Board {
 public:
  explicit Board(heddle::board::Pty& pty) : pty_(pty) {
    model_ = std::make_unique<Vboard_sim>(&context_);
    model_->rxd_i = 1;
    model_->button_i = 0;
  }
  ~Board() { model_->final(); }

  void run() {
    while (!stop) {
      exchange();
      if (press) {
        press = 0;
        pressed_ = kPress;
      }
      // Nobody is there, and nothing is to be done: wait for a program.
      if (cycle_ > kRestAfter && !pressed_ && to_board_.idle() && from_.empty() && resting()) {
        pty_.wait(20);
        if (!pty_.attached()) continue;
      }
      for (unsigned i = 0; i < kBatch; i++) clock();
    }
  }

  uint64_t cycle() const { return cycle_; }
  uint32_t violations() const { return model_->violations_o; }

 private:
  bool resting() {
    if (!pty_.attached()) return true;
    return !(model_->led_o & kLedSession) && cycle_ - last_byte_ > kRestAfter;
  }

  void clock() {
    model_->button_i = pressed_ != 0;
    if (pressed_) --pressed_;
    model_->rxd_i = to_board_.step();
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
    cycle_++;
    if (const auto byte = from_board_.step(model_->txd_o)) {
      last_byte_ = cycle_;
      // A program that does not read loses bytes, as with a real adapter.
      if (from_.size() < kOutput) from_.push_back(*byte);
    }
  }

  void exchange() {
    std::array<uint8_t, kInput> bytes;
    if (to_board_.queue().size() < kInput / 4) {
      const size_t n = pty_.read(bytes.data(), bytes.size());
      to_board_.queue().insert(to_board_.queue().end(), bytes.begin(), bytes.begin() + n);
      if (n) last_byte_ = cycle_;
    }
    while (!from_.empty()) {
      const size_t n = std::min(from_.size(), bytes.size());
      std::copy_n(from_.begin(), n, bytes.begin());
      const size_t written = pty_.write(bytes.data(), n);
      from_.erase(from_.begin(), from_.begin() + static_cast<long>(written));
      if (written < n) break;
    }
  }

  heddle::board::Pty& pty_;
  VerilatedContext context_;
  std::unique_ptr<Vboard_sim> model_;
  heddle::board::UartSender to_board_{kClocksPerBit};
  heddle::board::UartReceiver from_board_{kClocksPerBit};
  std::deque<uint8_t> from_;
  uint64_t cycle_ = 0, last_byte_ = 0;
  unsigned pressed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The ULX3S board with Heddle, simulated; programs reach it with HEDDLE_DEVICE=board:PATH.");
  std::string link;
  bool quiet = false;
  app.add_option("--link", link, "make this symbolic link to the serial port");
  app.add_flag("--quiet", quiet, "print the serial port's path and no more");
  CLI11_PARSE(app, argc, argv);

  auto pty = heddle::board::Pty::open(link);
  if (!pty) {
    std::fprintf(stderr, "heddle-board-sim: %s\n", pty.error().message().c_str());
    return 2;
  }
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaction(signal, &action, nullptr);
  std::printf("%s\n", link.empty() ? (*pty)->path().c_str() : link.c_str());
  std::fflush(stdout);

  Board board(**pty);
  board.run();
  if (!quiet) std::printf("%llu clocks\n", static_cast<unsigned long long>(board.cycle()));
  if (board.violations() == 0) return 0;
  std::fprintf(stderr, "heddle-board-sim: the SDRAM's rules were broken %u times\n", board.violations());
  return 1;
}
