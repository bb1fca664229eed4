// SPDX-License-Identifier: Apache-2.0
// A pseudo-terminal that plays a serial adapter: programs open path(), we hold the other end. Never
// blocks. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "heddle/result.h"

namespace heddle::board {

class Pty {
 public:
  // Raw from the start: nothing that is written before a program opens it is echoed. `link`: a
  // symbolic link to make to it, replaced if it is one already; empty: none.
  static Result<std::unique_ptr<Pty>> open(const std::string& link);
  ~Pty();
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  const std::string& path() const { return path_; }
  // Whether a program has it open.
  bool attached();
  // Bytes moved; 0 when there are none, or no room.
  size_t read(uint8_t* data, size_t bytes);
  size_t write(const uint8_t* data, size_t bytes);
  // Waits for bytes from a program, at most so long.
  void wait(int milliseconds);

 private:
  Pty(int fd, std::string path, std::string link) : fd_(fd), path_(std::move(path)), link_(std::move(link)) {}

  int fd_;
  std::string path_, link_;
};

}  // namespace heddle::board
