// SPDX-License-Identifier: Apache-2.0
// A serial port as the link needs it: bytes, a clock, and a cable that may be pulled and put back.
// Tests have ports of their own. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "heddle/result.h"

namespace heddle::board {

class Port {
 public:
  virtual ~Port() = default;
  // Bytes moved without waiting, 0: none now. An Error: the port is gone (unplugged); then only
  // reopen() may be called.
  virtual Result<size_t> read(uint8_t* data, size_t bytes) = 0;
  virtual Result<size_t> write(const uint8_t* data, size_t bytes) = 0;
  // Returns when there are bytes to read (or, with `to_write`, room to write), or after so many
  // milliseconds.
  virtual void wait(bool to_write, int milliseconds) = 0;
  // Opens the same port anew. An Error: it is not back yet.
  virtual Status reopen() = 0;
  // Milliseconds since some moment.
  virtual uint64_t now() = 0;
  // As the user named it, for messages.
  virtual const std::string& name() const = 0;
};

// A terminal device, raw, 8N1, no flow control, for this process alone. Errors say what to do: no
// such path, no serial port, no permission, in use by another program, a rate that the system does
// not know.
Result<std::unique_ptr<Port>> open_serial_port(const std::string& path, unsigned baud);

}  // namespace heddle::board
