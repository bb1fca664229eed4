// SPDX-License-Identifier: Apache-2.0
#include "sim/board/pty.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace heddle::board {
namespace {

Error system_error(const std::string& what) { return Error(what + ": " + std::strerror(errno)); }

Status make_link(const std::string& target, const std::string& link) {
  struct stat s {};
  if (lstat(link.c_str(), &s) == 0) {
    if (!S_ISLNK(s.st_mode)) return Error(link + " exists and is no symbolic link");
    if (unlink(link.c_str()) != 0) return system_error("cannot replace " + link);
  }
  if (symlink(target.c_str(), link.c_str()) != 0) return system_error("cannot link " + link);
  return {};
}

}  // namespace

Result<std::unique_ptr<Pty>> Pty::open(const std::string& link) {
  const int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return system_error("no pseudo-terminal");
  std::unique_ptr<Pty> pty(new Pty(fd, "", ""));
  char name[128];
  if (grantpt(fd) != 0 || unlockpt(fd) != 0 || ptsname_r(fd, name, sizeof name) != 0)
    return system_error("no pseudo-terminal");
  pty->path_ = name;
  // The settings outlive this opening, as long as our end is there.
  const int other = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios t{};
  if (other < 0 || tcgetattr(other, &t) != 0) return system_error(name);
  cfmakeraw(&t);
  const bool set = tcsetattr(other, TCSANOW, &t) == 0;
  close(other);
  if (!set) return system_error(name);
  if (!link.empty()) {
    if (auto ok = make_link(name, link); !ok) return ok.error();
    pty->link_ = link;
  }
  return pty;
}

Pty::~Pty() {
  // Only our own link: another board may have taken the name.
  char target[128];
  const ssize_t n = link_.empty() ? -1 : readlink(link_.c_str(), target, sizeof target);
  if (n > 0 && std::string(target, static_cast<size_t>(n)) == path_) unlink(link_.c_str());
  close(fd_);
}

bool Pty::attached() {
  pollfd p{fd_, 0, 0};
  return poll(&p, 1, 0) >= 0 && !(p.revents & POLLHUP);
}

size_t Pty::read(uint8_t* data, size_t bytes) {
  const ssize_t n = ::read(fd_, data, bytes);
  return n > 0 ? static_cast<size_t>(n) : 0;
}

size_t Pty::write(const uint8_t* data, size_t bytes) {
  const ssize_t n = ::write(fd_, data, bytes);
  return n > 0 ? static_cast<size_t>(n) : 0;
}

void Pty::wait(int milliseconds) {
  pollfd p{fd_, POLLIN, 0};
  poll(&p, 1, milliseconds);
  // A hang-up is there at once and always.
  if (p.revents & POLLHUP) usleep(static_cast<useconds_t>(milliseconds) * 1000);
}

}  // namespace heddle::board
