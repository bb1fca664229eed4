// SPDX-License-Identifier: Apache-2.0
// Small programs in assembly for tests of the model and the checker.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/isa.h"

namespace heddle::test {

// One instruction a line, as the disassembler writes it; "name:" marks a place and $name stands for
// its PC. A '#' begins a comment. Throws std::runtime_error naming the line that is wrong.
inline std::vector<uint64_t> assemble(const std::string& text) {
  std::vector<std::string> lines;
  std::map<std::string, uint32_t> labels;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find('#'));
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    line = line.substr(first, line.find_last_not_of(" \t") - first + 1);
    if (line.back() == ':') {
      labels[line.substr(0, line.size() - 1)] = static_cast<uint32_t>(lines.size() * 8);
    } else {
      lines.push_back(line);
    }
  }
  std::vector<uint64_t> words;
  for (std::string line : lines) {
    const auto pc = static_cast<uint32_t>(words.size() * 8);
    if (const size_t at = line.find('$'); at != std::string::npos) {
      const std::string name = line.substr(at + 1);
      if (!labels.contains(name)) throw std::runtime_error("no label in: " + line);
      char target[16];
      std::snprintf(target, sizeof target, "0x%x", labels[name]);
      line = line.substr(0, at) + target;
    }
    const auto word = isa::assemble(line, pc);
    if (!word) throw std::runtime_error("cannot assemble: " + line);
    words.push_back(*word);
  }
  return words;
}

inline uint64_t random_seed() {
  const char* s = std::getenv("HEDDLE_SEED");
  const uint64_t value = s ? std::strtoull(s, nullptr, 0) : std::random_device{}();
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

}  // namespace heddle::test
