// SPDX-License-Identifier: Apache-2.0
// Numbers, compression and output of FST files, for FstWriter.
#pragma once

#include <signal.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtkwave/lz4.h"

namespace heddle::rtl::fst_format {

// ---- where a block goes -----------------------------------------------------------------------------

struct MemorySink {
  std::string bytes;
  void put(const void* data, size_t n) { bytes.append(static_cast<const char*>(data), n); }
  uint64_t size() const { return bytes.size(); }
};

struct CountingSink {
  uint64_t count = 0;
  void put(const void*, size_t n) { count += n; }
  uint64_t size() const { return count; }
};

template <typename Sink>
void put_byte(Sink& out, unsigned value) {
  const uint8_t byte = static_cast<uint8_t>(value);
  out.put(&byte, 1);
}

inline void big_endian(uint64_t value, uint8_t* bytes) {
  for (int i = 7; i >= 0; i--, value >>= 8) bytes[i] = static_cast<uint8_t>(value);
}

template <typename Sink>
void put64(Sink& out, uint64_t value) {
  uint8_t bytes[8];
  big_endian(value, bytes);
  out.put(bytes, sizeof bytes);
}

// Seven bits a byte, low ones first.
inline size_t varint(uint64_t value, uint8_t* bytes) {
  size_t n = 0;
  for (; value >> 7; value >>= 7) bytes[n++] = static_cast<uint8_t>(value | 0x80);
  bytes[n++] = static_cast<uint8_t>(value);
  return n;
}

template <typename Sink>
void put_varint(Sink& out, uint64_t value) {
  uint8_t bytes[10];
  out.put(bytes, varint(value, bytes));
}

inline void append_varint(std::vector<uint8_t>& to, uint64_t value) {
  uint8_t bytes[10];
  to.insert(to.end(), bytes, bytes + varint(value, bytes));
}

inline void append_varint(std::string& to, uint64_t value) {
  uint8_t bytes[10];
  to.append(reinterpret_cast<const char*>(bytes), varint(value, bytes));
}

// Compressed where that is shorter; else empty.
inline std::string deflated(const void* data, size_t bytes) {
  uLongf n = compressBound(static_cast<uLong>(bytes));
  std::string out(n, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &n, static_cast<const Bytef*>(data), static_cast<uLong>(bytes),
                1) != Z_OK ||
      n >= bytes)
    return {};
  out.resize(n);
  return out;
}

inline std::string lz4(const void* data, size_t bytes) {
  std::string out(static_cast<size_t>(LZ4_compressBound(static_cast<int>(bytes))), '\0');
  const int n = LZ4_compress_default(static_cast<const char*>(data), out.data(), static_cast<int>(bytes),
                                     static_cast<int>(out.size()));
  out.resize(static_cast<size_t>(std::max(n, 0)));
  return out;
}

// A file beyond the process's limit is an error like a full disk, not the death by SIGXFSZ.
class NoSizeSignal {
 public:
  NoSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoSizeSignal() {
    if (!sigismember(&before_, SIGXFSZ)) {
      constexpr timespec kNow{};
      while (sigtimedwait(&signal_, nullptr, &kNow) == SIGXFSZ) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;

 private:
  sigset_t signal_, before_;
};

// 0 or errno.
inline int write_all(int descriptor, const void* data, size_t bytes, uint64_t at) {
  const NoSizeSignal no_signal;
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = pwrite(descriptor, from, bytes, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    from += n, bytes -= static_cast<size_t>(n), at += static_cast<uint64_t>(n);
  }
  return 0;
}

// Straight to the file, through a buffer of its own.
struct FileSink {
  int descriptor;
  uint64_t at, count = 0;
  int error = 0;
  size_t used = 0;
  std::array<char, 16384> buffer;
  void put(const void* data, size_t n) {
    count += n;
    for (const char* from = static_cast<const char*>(data); n > 0 && error == 0;) {
      const size_t part = std::min(n, buffer.size() - used);
      std::memcpy(buffer.data() + used, from, part);
      used += part, from += part, n -= part;
      if (used == buffer.size()) flush();
    }
  }
  void flush() {
    if (error == 0) error = write_all(descriptor, buffer.data(), used, at);
    at += used, used = 0;
  }
  uint64_t size() const { return count; }
};

}  // namespace heddle::rtl::fst_format
