// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/formats/printf_decoder.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "firmware/devrt/runtime_block.h"

namespace heddle::formats {
namespace {

constexpr size_t kLongestText = 1 << 20;

// The text at a device address: by 64 bytes where memory allows, else byte by byte, up to its NUL.
std::string read_text(uint64_t address, const ReadMemory& read) {
  if (!address) return "(null)";
  std::string text;
  char chunk[64];
  while (text.size() < kLongestText) {
    // No chunk crosses a 64-byte line, so none reaches into memory that the text does not touch.
    size_t n = sizeof chunk - (address + text.size()) % sizeof chunk;
    if (!read(address + text.size(), chunk, n)) {
      n = 1;
      if (!read(address + text.size(), chunk, n)) return text.empty() ? "(unreadable)" : text;
    }
    const void* const end = std::memchr(chunk, 0, n);
    if (end) return text.append(chunk, static_cast<size_t>(static_cast<const char*>(end) - chunk));
    text.append(chunk, n);
  }
  return text;
}

// Takes arguments from the packed buffer, each aligned to its size.
class ArgumentReader {
 public:
  explicit ArgumentReader(std::span<const uint8_t> buffer) : buffer_(buffer) {}

  template <typename T>
  std::optional<T> next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (at_ + sizeof(T) > buffer_.size()) return std::nullopt;
    T value;
    std::memcpy(&value, buffer_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

 private:
  std::span<const uint8_t> buffer_;
  size_t at_ = 0;
};

// One conversion: flags, width and precision ('*' already replaced), length letters, and the letter.
struct Conversion {
  std::string flags_width;
  std::string precision;  // with its dot; empty: none
  std::string length;
  char letter = 0;
};

template <typename T>
void append(std::string& out, const std::string& spec, T value) {
  const int n = std::snprintf(nullptr, 0, spec.c_str(), value);
  if (n <= 0) return;
  const size_t at = out.size();
  out.resize(at + static_cast<size_t>(n) + 1);
  std::snprintf(out.data() + at, static_cast<size_t>(n) + 1, spec.c_str(), value);
  out.pop_back();
}

bool is_wide(const std::string& length) { return length.find_first_of("ljztq") != std::string::npos; }

// Formats one conversion's argument. False: the letter is no conversion.
bool convert(std::string& out, const Conversion& c, ArgumentReader& arguments, const ReadMemory& read) {
  const std::string spec = "%" + c.flags_width + c.precision;
  const auto number = [&](const auto& value, const char* length) {
    if (value) append(out, spec + length + c.letter, *value);
    else out += '?';
  };
  switch (c.letter) {
    case 'd':
    case 'i':
      if (is_wide(c.length)) number(arguments.next<long long>(), "ll");
      else number(arguments.next<int>(), c.length.c_str());  // h and hh narrow as C does
      return true;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      if (is_wide(c.length)) number(arguments.next<unsigned long long>(), "ll");
      else number(arguments.next<unsigned>(), c.length.c_str());
      return true;
    case 'c': number(arguments.next<int>(), ""); return true;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': number(arguments.next<double>(), ""); return true;
    case 'p':
      if (const auto value = arguments.next<uint64_t>())
        append(out, "%" + c.flags_width + "p", reinterpret_cast<void*>(*value));
      else out += '?';
      return true;
    case 's':
      if (const auto address = arguments.next<uint64_t>()) append(out, spec + "s", read_text(*address, read).c_str());
      else out += '?';
      return true;
    case 'n':  // writes nothing on a device
      (void)arguments.next<uint64_t>();
      return true;
    default: return false;
  }
}

}  // namespace

std::string format_printf(const std::string& format, std::span<const uint8_t> buffer, const ReadMemory& read) {
  std::string out;
  ArgumentReader arguments(buffer);
  size_t i = 0;
  const auto star_or_digits = [&](std::string& into) {
    if (i < format.size() && format[i] == '*') {
      const auto value = arguments.next<int>();
      into += value ? std::to_string(*value) : "";
      ++i;
    }
    while (i < format.size() && format[i] >= '0' && format[i] <= '9') into += format[i++];
  };
  while (i < format.size()) {
    if (format[i] != '%') {
      out += format[i++];
      continue;
    }
    const size_t begin = i++;
    Conversion c;
    while (i < format.size() && std::strchr("-+ #0", format[i])) c.flags_width += format[i++];
    star_or_digits(c.flags_width);
    if (i < format.size() && format[i] == '.') {
      c.precision = format[i++];
      std::string digits;
      star_or_digits(digits);
      // A negative precision counts as none.
      if (!digits.empty() && digits[0] == '-') c.precision.clear();
      else c.precision += digits;
    }
    while (i < format.size() && std::strchr("hlLjztq", format[i])) c.length += format[i++];
    if (i >= format.size()) {
      out.append(format, begin);
      break;
    }
    c.letter = format[i++];
    if (c.letter == '%') out += '%';
    else if (!convert(out, c, arguments, read)) out.append(format, begin, i - begin);
  }
  return out;
}

namespace {

std::string format_assert(const AssertRecord& a, const ReadMemory& read) {
  const auto triple = [](const unsigned* v) {
    return "[" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + "]";
  };
  return read_text(a.file, read) + ":" + std::to_string(a.line) + ": " + read_text(a.function, read) +
         ": block: " + triple(a.block) + ", thread: " + triple(a.thread) + " Assertion `" + read_text(a.message, read) +
         "` failed.\n";
}

}  // namespace

Result<FifoOutput> decode_fifo(std::span<const uint8_t> fifo, const ReadMemory& read) {
  FifoOutput output;
  size_t at = 0;
  while (at + sizeof(RecordHeader) <= fifo.size()) {
    RecordHeader header;
    std::memcpy(&header, fifo.data() + at, sizeof header);
    if (header.bytes == 0) break;
    const auto bad = [&](const std::string& what) {
      return Error("printf FIFO, record at offset " + std::to_string(at) + ": " + what);
    };
    if (header.bytes % kRecordAlignment || header.bytes > fifo.size() - at)
      return bad("its size is " + std::to_string(header.bytes));
    const std::span<const uint8_t> record = fifo.subspan(at, header.bytes);
    if (header.kind == kRecordPrintf && record.size() >= sizeof(PrintfRecord)) {
      PrintfRecord printf;
      std::memcpy(&printf, record.data(), sizeof printf);
      output.standard_output += format_printf(read_text(printf.format, read), record.subspan(sizeof printf), read);
      ++output.printfs;
    } else if (header.kind == kRecordAssert && record.size() == sizeof(AssertRecord)) {
      AssertRecord failed;
      std::memcpy(&failed, record.data(), sizeof failed);
      output.standard_error += format_assert(failed, read);
      ++output.asserts;
    } else {
      return bad("kind " + std::to_string(header.kind) + " of " + std::to_string(header.bytes) + " bytes is unknown");
    }
    at += header.bytes;
  }
  return output;
}

}  // namespace heddle::formats
