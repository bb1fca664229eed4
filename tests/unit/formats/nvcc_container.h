// SPDX-License-Identifier: Apache-2.0
// nvcc's container of device code, for tests: its entries are PTX (kind 1) or machine code (2), packed as the flags
// say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::test {

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline std::string nvcc_entry(uint16_t kind, uint32_t sm, uint64_t flags, std::string_view payload,
                              uint64_t unpacked_bytes) {
  const size_t padded = (payload.size() + 7) / 8 * 8;
  std::string out;
  put(out, kind);
  put(out, uint16_t{0x0101});
  put(out, uint32_t{64});
  put(out, uint64_t{padded});
  put(out, static_cast<uint32_t>(payload.size()));
  for (uint32_t word : {0u, 0x80000u, sm, 0u, 0u}) put(out, word);
  for (uint64_t number : {flags | 0x11, uint64_t{0}, unpacked_bytes}) put(out, number);
  out += payload;
  return out + std::string(padded - payload.size(), '\0');
}

inline std::string nvcc_container(const std::string& entries) {
  std::string out;
  put(out, 0xba55ed50u);
  put(out, uint16_t{1});
  put(out, uint16_t{16});
  put(out, uint64_t{entries.size()});
  return out + entries;
}

}  // namespace heddle::test
