// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/wave.h"

#include <sys/stat.h>

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
enum BlockType { kHeader = 0, kValues = 1, kValuesAlias = 5, kNames = 4, kNamesLz4 = 6, kNamesLz4Twice = 7, kValuesAlias2 = 8 };

bool is_whole(std::FILE* file, long size) {
  bool names = false, values = false;
  long at = 0;
  while (at < size) {
    unsigned char head[9];
    if (std::fseek(file, at, SEEK_SET) != 0 || std::fread(head, 1, sizeof head, file) != sizeof head) return false;
    uint64_t length = 0;
    for (int i = 1; i < 9; ++i) length = length << 8 | head[i];
    if (length < 8 || length > static_cast<uint64_t>(size - at - 1)) return false;
    names |= head[0] == kNames || head[0] == kNamesLz4 || head[0] == kNamesLz4Twice;
    values |= head[0] == kValues || head[0] == kValuesAlias || head[0] == kValuesAlias2;
    if ((at == 0) != (head[0] == kHeader)) return false;
    at += 1 + static_cast<long>(length);
  }
  return names && values;
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

Status check_wave(const std::string& file, uint64_t begin, uint64_t cycles) {
  const File f(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (!f)
    return refused(file, begin >= cycles ? "not written: the window begins at cycle " + std::to_string(begin) +
                                               ", the device ran " + std::to_string(cycles) + " cycles"
                                         : std::string("not written: ") + std::strerror(errno));
  if (std::fseek(f.get(), 0, SEEK_END) != 0 || !is_whole(f.get(), std::ftell(f.get())))
    return refused(file, "incomplete (is the disk full?)");
  return {};
}

std::string numbered_wave(const std::string& file, unsigned number) {
  const size_t slash = file.rfind('/'), dot = file.rfind('.');
  const bool ending = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
  const std::string mark = "-" + std::to_string(number);
  return ending ? file.substr(0, dot) + mark + file.substr(dot) : file + mark;
}

}  // namespace heddle::driver
