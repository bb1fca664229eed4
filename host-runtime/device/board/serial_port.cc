// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/serial.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "host-runtime/device/board/port.h"

namespace heddle::board {
namespace {

constexpr std::array<std::pair<unsigned, speed_t>, 14> kSpeeds = {{{115200, B115200},
                                                                   {230400, B230400},
                                                                   {460800, B460800},
                                                                   {500000, B500000},
                                                                   {576000, B576000},
                                                                   {921600, B921600},
                                                                   {1000000, B1000000},
                                                                   {1152000, B1152000},
                                                                   {1500000, B1500000},
                                                                   {2000000, B2000000},
                                                                   {2500000, B2500000},
                                                                   {3000000, B3000000},
                                                                   {3500000, B3500000},
                                                                   {4000000, B4000000}}};

Error cannot_open(const std::string& path) {
  switch (errno) {
    case ENOENT:
    case ENXIO:
    case ENODEV: return Error("no serial port " + path + ": is the board plugged in?");
    case EACCES:
    case EPERM: return Error("serial port " + path + ": permission denied (on Debian, be a member of group dialout)");
    case EBUSY: return Error("serial port " + path + " is in use by another program");
    default: return Error("serial port " + path + ": " + std::strerror(errno));
  }
}

class SerialPort final : public Port {
 public:
  SerialPort(std::string path, speed_t speed) : path_(std::move(path)), speed_(speed) {}
  ~SerialPort() override { close_now(); }

  Status reopen() override {
    close_now();
    fd_ = open(path_.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd_ < 0) return cannot_open(path_);
    auto ok = configure();
    if (!ok) close_now();
    return ok;
  }

  Result<size_t> read(uint8_t* data, size_t bytes) override {
    const ssize_t n = ::read(fd_, data, bytes);
    if (n > 0) return static_cast<size_t>(n);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return size_t{0};
    return gone();
  }

  Result<size_t> write(const uint8_t* data, size_t bytes) override {
    const ssize_t n = ::write(fd_, data, bytes);
    if (n >= 0) return static_cast<size_t>(n);
    if (errno == EAGAIN || errno == EINTR) return size_t{0};
    return gone();
  }

  void wait(bool to_write, int milliseconds) override {
    if (fd_ < 0) {
      usleep(static_cast<useconds_t>(milliseconds) * 1000);
      return;
    }
    pollfd p{fd_, static_cast<short>(POLLIN | (to_write ? POLLOUT : 0)), 0};
    poll(&p, 1, milliseconds);
  }

  uint64_t now() override {
    using namespace std::chrono;
    return static_cast<uint64_t>(duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count());
  }

  const std::string& name() const override { return path_; }

 private:
  Error gone() {
    const Error error("serial port " + path_ + " is gone");
    close_now();
    return error;
  }

  void close_now() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

  Status configure() {
    termios t{};
    if (!isatty(fd_) || tcgetattr(fd_, &t) != 0) return Error(path_ + " is no serial port");
    // Both: the lock keeps out other Heddle programs, root's too; the exclusive mode everybody
    // else.
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0) return Error("serial port " + path_ + " is in use by another program");
    ioctl(fd_, TIOCEXCL);
    cfmakeraw(&t);
    t.c_cflag |= CLOCAL | CREAD;
    t.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | CRTSCTS);
    cfsetispeed(&t, speed_);
    cfsetospeed(&t, speed_);
    if (tcsetattr(fd_, TCSANOW, &t) != 0) return Error("serial port " + path_ + ": " + std::strerror(errno));
    tcflush(fd_, TCIOFLUSH);
    // USB adapters hold bytes back for up to 16 ms unless told; those that cannot be told are only
    // slower.
    serial_struct s{};
    if (ioctl(fd_, TIOCGSERIAL, &s) == 0) {
      s.flags |= ASYNC_LOW_LATENCY;
      ioctl(fd_, TIOCSSERIAL, &s);
    }
    return {};
  }

  std::string path_;
  speed_t speed_;
  int fd_ = -1;
};

}  // namespace

Result<std::unique_ptr<Port>> open_serial_port(const std::string& path, unsigned baud) {
  for (const auto& [rate, speed] : kSpeeds) {
    if (rate != baud) continue;
    auto port = std::make_unique<SerialPort>(path, speed);
    if (auto ok = port->reopen(); !ok) return ok.error();
    return std::unique_ptr<Port>(std::move(port));
  }
  std::string known;
  for (const auto& [rate, speed] : kSpeeds) known += (known.empty() ? "" : ", ") + std::to_string(rate);
  return Error("no serial port runs at " + std::to_string(baud) + " baud; known: " + known);
}

}  // namespace heddle::board
