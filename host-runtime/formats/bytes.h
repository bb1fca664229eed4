// SPDX-License-Identifier: Apache-2.0
// Little-endian writing to and checked reading from byte strings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::formats {

class ByteWriter {
 public:
  template <typename T>
  void put(T value) {
    const auto v = static_cast<uint64_t>(value);
    for (size_t n = 0; n < sizeof(T); n++) bytes_.push_back(static_cast<uint8_t>(v >> 8 * n));
  }
  void put_string(std::string_view s) {
    put(static_cast<uint32_t>(s.size()));
    bytes_.insert(bytes_.end(), s.begin(), s.end());
  }
  void put_bytes(std::span<const uint8_t> b) { bytes_.insert(bytes_.end(), b.begin(), b.end()); }
  void align(size_t to) {
    while (bytes_.size() % to) bytes_.push_back(0);
  }
  size_t size() const { return bytes_.size(); }
  std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
};

// After the first read beyond the end, ok() is false and all reads give zero.
class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  template <typename T>
  T get() {
    if (bytes_.size() - at_ < sizeof(T)) {
      fail();
      return T{};
    }
    uint64_t v = 0;
    for (size_t n = 0; n < sizeof(T); n++) v |= uint64_t{bytes_[at_ + n]} << 8 * n;
    at_ += sizeof(T);
    return static_cast<T>(v);
  }
  template <typename T>
  void get(T& value) {
    value = get<T>();
  }
  std::string get_string() {
    const auto n = get<uint32_t>();
    if (bytes_.size() - at_ < n) {
      fail();
      return {};
    }
    std::string s(bytes_.begin() + static_cast<ptrdiff_t>(at_), bytes_.begin() + static_cast<ptrdiff_t>(at_ + n));
    at_ += n;
    return s;
  }
  // A count of things that take at least `each` bytes: never more than the bytes left could hold.
  uint32_t get_count(size_t each) {
    const auto n = get<uint32_t>();
    if (n > (bytes_.size() - at_) / each) {
      fail();
      return 0;
    }
    return n;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }
  size_t position() const { return at_; }

 private:
  void fail() {
    ok_ = false;
    at_ = bytes_.size();
  }
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace heddle::formats
