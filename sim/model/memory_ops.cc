// SPDX-License-Identifier: Apache-2.0
#include "sim/model/memory_ops.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::model {
namespace {

// Where the lanes' bytes are in this process: one base for all when they are in one space.
class Pointers {
 public:
  Pointers(const Access& access, DeviceMemory& memory, uint8_t* shared)
      : access_(access), memory_(memory.at(DeviceMemory::kBase)), shared_(shared) {}
  uint8_t* operator[](int lane) const {
    return access_.shared >> lane & 1 ? shared_ + access_.address[lane]
                                      : memory_ + (access_.address[lane] - DeviceMemory::kBase);
  }

 private:
  const Access& access_;
  uint8_t* memory_;
  uint8_t* shared_;
};

// Lanes 0, 1, 2… lie side by side, 4 bytes each, in one space.
bool consecutive(const Access& access) {
  if (access.mask != kAllLanes || (access.shared != 0 && access.shared != kAllLanes)) return false;
  uint64_t off = 0;
  for (int i = 0; i < kLanes; i++) off |= access.address[i] ^ (access.address[0] + 4u * static_cast<unsigned>(i));
  return off == 0;
}

template <int kWords>
void load_words(const Decoded& d, const Access& access, Lanes& l, const Pointers& at) {
  Row* rd = &l.rows[d.rd];
  for (Mask left = access.mask; left; left &= left - 1) {
    const int i = std::countr_zero(left);
    uint32_t words[kWords];
    std::memcpy(words, at[i], sizeof words);
    const int half = kWords == 4 ? access.halves >> i & 1 : 0;
    for (int k = 0; k < kWords; k++) rd[k].lane[i] = words[k ^ 2 * half];
  }
}

void load(const Decoded& d, const Access& access, Lanes& l, const Pointers& at) {
  if (d.rd == isa::kRz) return;
  if (d.op == isa::Opcode::Ldsm) {
    for (Mask left = access.mask; left; left &= left - 1) {
      const int i = std::countr_zero(left);
      uint32_t words[4];
      std::memcpy(words, at[i], sizeof words);
      place_matrix_row(d, i, words, l.mask, &l.rows[d.rd]);
    }
    return;
  }
  switch (access.shape.bytes) {
    case 4:
      if (consecutive(access)) {
        std::memcpy(l.rows[d.rd].lane, at[0], sizeof(Row));
        return;
      }
      return load_words<1>(d, access, l, at);
    case 8: return load_words<2>(d, access, l, at);
    case 16: return load_words<4>(d, access, l, at);
    default:
      for (Mask left = access.mask; left; left &= left - 1) {
        const int i = std::countr_zero(left);
        uint32_t words[4];
        extend(access.shape, at[i], words);
        l.rows[d.rd].lane[i] = words[0];
      }
  }
}

void store(const Decoded& d, const Access& access, Lanes& l, const Pointers& at) {
  static constexpr Row kZeros[4]{};
  const Row* rc = d.rc == isa::kRz ? kZeros : &l.rows[d.rc];
  if (access.shape.bytes == 4 && consecutive(access)) {
    std::memcpy(at[0], rc->lane, sizeof(Row));
    return;
  }
  for (int n = 0; n < kLanes; n++) {
    const int i = storing_lane(access.shape.bytes, n);
    if (!(access.mask >> i & 1)) continue;
    uint32_t words[4] = {rc[0].lane[i], access.shape.bytes > 4 ? rc[1].lane[i] : 0,
                         access.shape.bytes > 8 ? rc[2].lane[i] : 0, access.shape.bytes > 8 ? rc[3].lane[i] : 0};
    if (access.halves >> i & 1) std::swap_ranges(words, words + 2, words + 2);
    std::memcpy(at[i], words, access.shape.bytes);
  }
}

// At once: what waits for it waits for nothing.
void copy(const Access& access, const Pointers& from, uint8_t* shared) {
  uint8_t bytes[kLanes][16];
  for (Mask left = access.mask; left; left &= left - 1) {
    const int i = std::countr_zero(left);
    std::memcpy(bytes[i], from[i], access.shape.bytes);
  }
  for (int n = 0; n < kLanes; n++) {
    const int i = storing_lane(access.shape.bytes, n);
    if (access.mask >> i & 1) std::memcpy(shared + access.copied_to[i], bytes[i], access.shape.bytes);
  }
}

// The lanes' pages; no access crosses one.
void note_written(const Access& access, DeviceMemory& memory) {
  for (Mask left = access.mask & ~access.shared; left; left &= left - 1)
    memory.written().add(access.address[std::countr_zero(left)] - DeviceMemory::kBase);
}

uint64_t operand(const Lanes& l, uint8_t r, bool wide, int lane) {
  if (r == isa::kRz) return 0;
  return l.rows[r].lane[lane] | (wide ? uint64_t{l.rows[r + 1].lane[lane]} << 32 : 0);
}

void atomics(const Decoded& d, const Access& access, Lanes& l, const Pointers& at) {
  const bool wide = access.shape.bytes == 8;
  const auto op = static_cast<isa::AtomOp>(d.get(field::Atomic_op));
  const auto type = static_cast<isa::AtomType>(d.get(field::Atomic_type));
  for (Mask left = access.mask; left; left &= left - 1) {
    const int i = std::countr_zero(left);
    uint64_t old = 0;
    std::memcpy(&old, at[i], access.shape.bytes);
    const uint64_t now =
        atomic(op, type, wide, access.shared >> i & 1, old, operand(l, d.rb, wide, i), operand(l, d.rc, wide, i));
    std::memcpy(at[i], &now, access.shape.bytes);
    if (d.rd == isa::kRz) continue;
    l.rows[d.rd].lane[i] = static_cast<uint32_t>(old);
    if (wide) l.rows[d.rd + 1].lane[i] = static_cast<uint32_t>(old >> 32);
  }
}

}  // namespace

void extend(const MemoryShape& shape, const uint8_t* bytes, uint32_t words[4]) {
  switch (shape.bytes) {
    case 1: words[0] = shape.sign ? static_cast<uint32_t>(int32_t{static_cast<int8_t>(*bytes)}) : *bytes; return;
    case 2: {
      uint16_t v;
      std::memcpy(&v, bytes, sizeof v);
      words[0] = shape.sign ? static_cast<uint32_t>(int32_t{static_cast<int16_t>(v)}) : v;
      return;
    }
    default: std::memcpy(words, bytes, shape.bytes);
  }
}

void place_matrix_row(const Decoded& d, int lane, const uint32_t words[4], Mask where, Row* rd) {
  const int r = lane % 8;
  Row& row = rd[lane / 8];
  const auto put = [&](int to, uint32_t value, uint32_t bits) {
    if (where >> to & 1) row.lane[to] = (row.lane[to] & ~bits) | (value & bits);
  };
  for (int w = 0; w < 4; w++) {
    if (!d.get(field::MatrixLoad_trans)) {
      put(4 * r + w, words[w], ~0u);
    } else if (r % 2) {
      put(8 * w + r / 2, words[w] << 16, 0xffff0000);
      put(8 * w + 4 + r / 2, words[w], 0xffff0000);
    } else {
      put(8 * w + r / 2, words[w], 0xffff);
      put(8 * w + 4 + r / 2, words[w] >> 16, 0xffff);
    }
  }
}

Mask matrix_row_lanes(const Decoded& d, int lane) {
  const int r = lane % 8;
  return d.get(field::MatrixLoad_trans) ? Mask{0x11111111} << r / 2 : Mask{15} << 4 * r;
}

bool constant_operand(const Decoded& d, const Launch& launch, const DeviceMemory& memory, uint32_t& word,
                      FaultInfo& fault) {
  const ConstantBank bank = constant_bank(launch, d.bank);
  if (d.imm >= bank.limit || !memory.contains(bank.base + d.imm, 4)) {
    fault.kind = contract::kFaultIllegalAddress;
    fault.code = contract::kFaultSpaceConst;
    fault.address = d.imm;
    return false;
  }
  std::memcpy(&word, memory.at(bank.base + d.imm), 4);
  return true;
}

bool execute_memory(const Decoded& d, const Access& access, Lanes& l, DeviceMemory& memory, uint8_t* shared) {
  const Mask global = access.mask & ~access.shared;
  const uint64_t first = global ? access.address[std::countr_zero(global)] : 0;
  uint64_t differ = 0;
  for (Mask left = global; left; left &= left - 1) {
    const uint64_t address = access.address[std::countr_zero(left)];
    if (!memory.contains(address, access.shape.bytes)) return false;
    differ |= address ^ first;
  }
  const Pointers at(access, memory, shared);
  const MemoryClass kind = memory_class(d.op);
  if (global && (kind == MemoryClass::Store || kind == MemoryClass::Atomic)) {
    if (differ < PageSet::kPageBytes) memory.written().add(first - DeviceMemory::kBase);
    else note_written(access, memory);
  }
  switch (kind) {
    case MemoryClass::Load: load(d, access, l, at); break;
    case MemoryClass::Store: store(d, access, l, at); break;
    case MemoryClass::Atomic: atomics(d, access, l, at); break;
    case MemoryClass::Copy: copy(access, at, shared); break;
    case MemoryClass::Other: break;
  }
  return true;
}

}  // namespace heddle::model
