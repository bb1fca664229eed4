// SPDX-License-Identifier: Apache-2.0
// Which CUDA runtime an executable would load, found as the dynamic loader does it: DT_RPATH,
// LD_LIBRARY_PATH, DT_RUNPATH, /etc/ld.so.cache, the system's folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle::tools {

struct ElfProgram {
  std::vector<std::string> needed;          // DT_NEEDED
  std::vector<std::string> rpath, runpath;  // $ORIGIN replaced
  bool defines_cudart = false;              // __cudaRegisterFatBinary is in the file itself
  bool holds_heddle = false;                // the file carries Heddle's runtime
};

// Errors: not readable, not a 64-bit little-endian ELF file.
Result<ElfProgram> read_elf(const std::filesystem::path& file);

struct CudartChoice {
  enum class Kind : uint8_t { None, Static, Shared, Missing } kind = Kind::None;
  std::string soname;          // Shared, Missing: what the program asks for
  std::filesystem::path path;  // Shared: what the loader would take
  std::string found_by;        // Shared: "DT_RPATH", "LD_LIBRARY_PATH", …
  bool ours = false;
};

// `library_path`: as LD_LIBRARY_PATH will be. `cache`: /etc/ld.so.cache, or a test's own.
Result<CudartChoice> find_cudart(const std::filesystem::path& program, const std::string& library_path,
                                 const std::filesystem::path& cache = "/etc/ld.so.cache");

// One line for a person: "libcudart.so.12 => /usr/lib/… (another vendor's, by DT_RPATH)".
std::string describe(const CudartChoice& choice);

}  // namespace heddle::tools
