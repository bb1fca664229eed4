// SPDX-License-Identifier: Apache-2.0
// launches.txt, read. Standard C++ alone: the recorder that runs on another vendor's machine includes this file too.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::quality {

using Bytes = std::vector<unsigned char>;

struct Argument {
  bool buffer = false;
  Bytes bytes;  // of the buffer, or the value
};

struct Launch {
  std::string file, kernel;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::vector<Argument> arguments;
};

// The same values on every machine.
inline uint32_t random_bits(uint32_t& state) {
  state = state * 1664525u + 1013904223u;
  return state >> 16;
}

template <typename T>
void append(Bytes& bytes, T value) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(&bytes[at], &value, sizeof value);
}

inline bool parse_argument(const std::string& text, uint32_t seed, Argument& out) {
  std::istringstream fields(text);
  std::string kind, value, limit;
  std::getline(fields, kind, ':');
  std::getline(fields, value, ':');
  std::getline(fields, limit, ':');
  if (value.empty()) return false;
  if (kind == "i32" || kind == "u32") return append(out.bytes, static_cast<uint32_t>(std::stoll(value))), true;
  if (kind == "f32") return append(out.bytes, std::stof(value)), true;
  out.buffer = true;
  const size_t size = std::stoul(value);
  const uint32_t m = limit.empty() ? 0 : static_cast<uint32_t>(std::stoul(limit));
  for (uint32_t i = 0; out.bytes.size() < size; ++i) {
    const uint32_t bits = random_bits(seed), more = random_bits(seed);
    const double number = (static_cast<int>(bits & 255) - 128) / 16.0, positive = ((bits & 255) + 1) / 16.0;
    if (kind == "zeros") append(out.bytes, uint8_t{0});
    else if (kind == "bytes") append(out.bytes, static_cast<uint8_t>(m ? bits % m : bits));
    else if (kind == "ints") append(out.bytes, m ? bits % m + 1 : bits << 16 | more);
    else if (kind == "sorted") append(out.bytes, i * 4);
    else if (kind == "rows") append(out.bytes, i * m);
    else if (kind == "floats") append(out.bytes, static_cast<float>(number));
    else if (kind == "positive") append(out.bytes, static_cast<float>(positive));
    else if (kind == "doubles") append(out.bytes, number);
    else if (kind == "positive64") append(out.bytes, positive);
    else return false;
  }
  return true;
}

inline bool parse_shape(const std::string& text, uint32_t (&shape)[3]) {
  return std::sscanf(text.c_str(), "%u,%u,%u", &shape[0], &shape[1], &shape[2]) >= 1;
}

// False, with what is wrong, for a file that is not one of launches.
inline bool read_launches(const std::string& path, std::vector<Launch>& launches, std::string& wrong) {
  std::ifstream file(path);
  std::string line;
  int number = 0;
  if (!file) return wrong = path + ": not readable", false;
  while (std::getline(file, line)) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string grid, block, word;
    Launch l;
    words >> l.file >> l.kernel >> grid >> block;
    bool good = parse_shape(grid, l.grid) && parse_shape(block, l.block);
    for (uint32_t seed = 1; words >> word; ++seed) {
      l.arguments.emplace_back();
      good = good && parse_argument(word, seed, l.arguments.back());
    }
    if (!good) return wrong = path + ":" + std::to_string(number) + ": no launch: " + line, false;
    launches.push_back(std::move(l));
  }
  return true;
}

// FNV-1a, of all buffers after the launch.
inline uint64_t digest(const std::vector<Bytes>& buffers) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const Bytes& b : buffers)
    for (unsigned char c : b) hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

}  // namespace heddle::quality
