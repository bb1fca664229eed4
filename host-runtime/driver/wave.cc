// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/wave.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace heddle::driver {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Error refused(const std::string& file, const std::string& why) { return Error("waveform " + file + ": " + why); }

// An FST file is a chain of blocks: a type, the length of the rest, big-endian. Names and values come in blocks
// of their own, and the chain ends with the file.
enum BlockType {
  kHeader = 0,
  kValues = 1,
  kValuesAlias = 5,
  kNames = 4,
  kNamesLz4 = 6,
  kNamesLz4Twice = 7,
  kValuesAlias2 = 8
};

uint64_t number(const unsigned char* bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

bool is_whole(std::FILE* file, long size) {
  bool names = false, values = false;
  long at = 0;
  while (at < size) {
    unsigned char head[9];
    if (std::fseek(file, at, SEEK_SET) != 0 || std::fread(head, 1, sizeof head, file) != sizeof head) return false;
    const uint64_t length = number(head + 1);
    if (length < 8 || length > static_cast<uint64_t>(size - at - 1)) return false;
    names |= head[0] == kNames || head[0] == kNamesLz4 || head[0] == kNamesLz4Twice;
    values |= head[0] == kValues || head[0] == kValuesAlias || head[0] == kValuesAlias2;
    if ((at == 0) != (head[0] == kHeader)) return false;
    at += 1 + static_cast<long>(length);
  }
  return names && values;
}

// The last cycle in the file: the header's end time, behind type, length and begin.
uint64_t last_cycle(std::FILE* file) {
  unsigned char end[8];
  if (std::fseek(file, 17, SEEK_SET) != 0 || std::fread(end, 1, sizeof end, file) != sizeof end) return 0;
  return number(end);
}

}  // namespace

Status prepare_wave(const std::string& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) return refused(file, "not a regular file");
  const File made(std::fopen(file.c_str(), "wb"), &std::fclose);
  if (!made) return refused(file, std::string("cannot be created: ") + std::strerror(errno));
  std::remove(file.c_str());
  return {};
}

Status check_wave(const std::string& file, uint64_t begin, uint64_t end, uint64_t cycles) {
  const File f(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (!f)
    return refused(file, begin >= cycles ? "not written: the window begins at cycle " + std::to_string(begin) +
                                               ", the device ran " + std::to_string(cycles) + " cycles"
                                         : std::string("not written: ") + std::strerror(errno));
  if (std::fseek(f.get(), 0, SEEK_END) != 0 || !is_whole(f.get(), std::ftell(f.get()))) return refused(file, "damaged");
  if (const uint64_t last = last_cycle(f.get()), wanted = std::min(end, cycles); last < wanted)
    return refused(
        file, "ends at cycle " + std::to_string(last) + ", not at " + std::to_string(wanted) + " (is the disk full?)");
  return {};
}

std::string numbered_wave(const std::string& file, unsigned number) {
  const size_t slash = file.rfind('/'), dot = file.rfind('.');
  const bool ending = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
  const std::string mark = "-" + std::to_string(number);
  return ending ? file.substr(0, dot) + mark + file.substr(dot) : file + mark;
}

}  // namespace heddle::driver
