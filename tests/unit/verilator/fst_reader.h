// SPDX-License-Identifier: Apache-2.0
// FST files as GTKWave's own reader sees them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {

struct FstContents {
  bool readable = false;
  uint64_t begin = 0, end = 0;
  std::map<std::string, std::pair<uint32_t, uint32_t>> names;  // path -> handle, bits
  // By handle: the values, binary digits, each from its time on.
  std::map<uint32_t, std::vector<std::pair<uint64_t, std::string>>> values;

  // The value of a signal at a time; empty: none.
  std::string at(const std::string& name, uint64_t time) const;
};

FstContents read_fst(const std::string& file);

}  // namespace heddle::test
