// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, for the tools: folders, full disks and pipes that nobody reads are errors with the
// system's own words, never half a file that looks whole.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "heddle/result.h"

namespace heddle {

// Error: "cannot read 'name': cause".
inline Result<std::string> read_file(const std::string& name) {
  const auto fail = [&] { return Error("cannot read '" + name + "': " + std::strerror(errno)); };
  std::FILE* file = std::fopen(name.c_str(), "rb");
  if (!file) return fail();
  std::string content;
  char part[1 << 16];
  for (size_t n; (n = std::fread(part, 1, sizeof part, file)) != 0;) content.append(part, n);
  const bool bad = std::ferror(file) != 0;
  const Error error = fail();
  std::fclose(file);
  if (bad) return error;
  return content;
}

// Error: "cannot write 'name': cause"; then a file that could be written in part only is removed. What is no
// regular file (a device, a pipe) is written to, and stays.
inline Status write_file(const std::string& name, const void* data, size_t bytes) {
  const auto fail = [&](int error) { return Error("cannot write '" + name + "': " + std::strerror(error)); };
  std::FILE* file = std::fopen(name.c_str(), "wb");
  if (!file) return fail(errno);
  struct stat info {};
  const bool regular = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
  int error = std::fwrite(data, 1, bytes, file) == bytes && std::fflush(file) == 0 ? 0 : errno;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error == 0) return {};
  if (regular) std::remove(name.c_str());
  return fail(error);
}

// Everything printed so far has arrived. Error: "cannot write standard output: cause".
inline Status flush_output() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return {};
  return Error(std::string("cannot write standard output: ") + std::strerror(errno ? errno : EIO));
}

}  // namespace heddle
