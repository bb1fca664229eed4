// SPDX-License-Identifier: Apache-2.0
// Sectors in beats, as they travel on mem_pkg's links: cut into pieces, put together again, and where a beat's fields
// lie in the packed structs. `pieces` is a sector's: 4, 2 or 1, and 1 means that it travels whole.
//
//   for (const Beat& beat : split(4, beats_of_request(4, kind), bytes, mask)) ...   // drive it
//   Join answer{4};
//   ASSERT_TRUE(answer.take(beats_of_answer(4, kind), beat));   // beat after beat; then answer.done, answer.bytes
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tests/unit/rtl/gpu/bits.h"

namespace heddle::test {

using SectorBytes = std::array<uint8_t, 32>;
enum ReqKind : unsigned { kReqRead, kReqWrite, kReqAtomic, kReqReduce };

struct Beat {
  unsigned piece = 0;
  bool last = true;
  uint32_t mask = 0;    // of its own bytes
  SectorBytes bytes{};  // the first 32 / pieces
};

constexpr unsigned beats_of_request(unsigned pieces, unsigned kind) {
  return kind == kReqRead ? 1 : kind == kReqWrite ? pieces : pieces == 4 ? 2 : 1;
}
constexpr unsigned beats_of_answer(unsigned pieces, unsigned kind) { return kind == kReqRead ? pieces : 1; }

inline std::vector<Beat> split(unsigned pieces, unsigned beats, const SectorBytes& bytes, uint32_t mask = 0) {
  const unsigned size = 32 / pieces;
  std::vector<Beat> all(beats);
  for (unsigned p = 0; p < beats; p++) {
    Beat& b = all[p];
    b.piece = p;
    b.last = p + 1 == beats;
    b.mask = mask >> (p * size) & (size == 32 ? ~0u : (1u << size) - 1);
    std::copy_n(bytes.begin() + p * size, size, b.bytes.begin());
  }
  return all;
}

// Beats of one request or answer, in order.
struct Join {
  unsigned pieces;
  unsigned next = 0;  // the beat that comes
  bool done = false;  // its last beat has come
  uint32_t mask = 0;
  SectorBytes bytes{};

  // False: not the beat that follows, of `beats`. Where there is only one beat its `piece` says nothing.
  bool take(unsigned beats, const Beat& beat) {
    if (done) next = 0, mask = 0, bytes = {};
    if ((beats > 1 && beat.piece != next) || beat.last != (next + 1 == beats)) return false;
    const unsigned size = 32 / pieces;
    mask |= beat.mask << (next * size);
    std::copy_n(beat.bytes.begin(), size, bytes.begin() + next * size);
    done = beat.last;
    next++;
    return true;
  }
};

// mem_pkg::IdW of the preset.
#ifndef HEDDLE_ID_BITS
#define HEDDLE_ID_BITS 8
#endif
inline constexpr unsigned kIdBits = HEDDLE_ID_BITS;

// Lowest bits of the fields of mem_pkg::req_t and rsp_t (answer, and above it the acknowledgement) in a verilated port;
// presets whose warps have 3 bits (tiny, small) unless told.
struct ReqBits {
  // type_bits: of an atomic's numbers, 3 where memory adds floats.
  unsigned pieces, warp_bits = 3, type_bits = 1, id_bits = kIdBits;
  constexpr unsigned piece_bits() const { return 256 / pieces; }
  constexpr unsigned piece_w() const { return pieces == 4 ? 2 : 1; }
  constexpr unsigned lane() const { return 0; }
  constexpr unsigned seq() const { return 5; }
  constexpr unsigned warp() const { return 21; }
  constexpr unsigned atom_type() const { return warp() + warp_bits; }
  constexpr unsigned atom_op() const { return atom_type() + type_bits; }
  constexpr unsigned wide() const { return atom_op() + 4; }
  constexpr unsigned offset() const { return wide() + 1; }
  constexpr unsigned data() const { return offset() + 5; }
  constexpr unsigned mask() const { return data() + piece_bits(); }
  constexpr unsigned last() const { return mask() + piece_bits() / 8; }
  constexpr unsigned piece() const { return last() + 1; }
  constexpr unsigned sector() const { return piece() + piece_w(); }
  constexpr unsigned id() const { return sector() + 35; }
  constexpr unsigned kind() const { return id() + id_bits; }
  constexpr unsigned bits() const { return kind() + 2; }
};
struct RspBits {
  unsigned pieces, id_bits = kIdBits;
  constexpr unsigned data() const { return 0; }
  constexpr unsigned last() const { return 256 / pieces; }
  constexpr unsigned piece() const { return last() + 1; }
  constexpr unsigned error() const { return piece() + (pieces == 4 ? 2 : 1); }
  constexpr unsigned id() const { return error() + 1; }
  constexpr unsigned kind() const { return id() + id_bits; }
  constexpr unsigned ack_id() const { return kind() + 2; }
  constexpr unsigned ack_error() const { return ack_id() + id_bits; }
  constexpr unsigned ack_valid() const { return ack_error() + 1; }
  constexpr unsigned bits() const { return ack_valid() + 1; }
};

// The answer of one request, as it comes from where it is performed: an acknowledgement alone where it is a write.
template <typename Words>
void set_answer(Words& port, unsigned at, const RspBits& fields, unsigned kind, unsigned id, bool error) {
  set_bits(port, at + fields.kind(), 2, kind);
  set_bits(port, at + fields.id(), fields.id_bits, id);
  set_bits(port, at + fields.error(), 1, error);
  set_bits(port, at + fields.ack_valid(), 1, kind == kReqWrite);
  set_bits(port, at + fields.ack_id(), fields.id_bits, id);
  set_bits(port, at + fields.ack_error(), 1, error);
}

// A beat's piece, last, mask and data in a struct of the port that begins at bit `at`; `fields` is ReqBits, or has the
// same members. get_beat leaves the mask alone where the struct has none.
template <typename Words, typename Fields>
void set_beat(Words& port, unsigned at, const Fields& fields, const Beat& beat) {
  const unsigned size = 32 / fields.pieces;
  set_bits(port, at + fields.piece(), fields.pieces == 4 ? 2 : 1, beat.piece);
  set_bits(port, at + fields.last(), 1, beat.last);
  if constexpr (requires { fields.mask(); }) set_bits(port, at + fields.mask(), size, beat.mask);
  for (unsigned b = 0; b < size; b++) set_bits(port, at + fields.data() + 8 * b, 8, beat.bytes[b]);
}

template <typename Words, typename Fields>
Beat get_beat(const Words& port, unsigned at, const Fields& fields) {
  const unsigned size = 32 / fields.pieces;
  Beat beat;
  beat.piece = static_cast<unsigned>(get_bits(port, at + fields.piece(), fields.pieces == 4 ? 2 : 1));
  beat.last = get_bits(port, at + fields.last(), 1);
  if constexpr (requires { fields.mask(); })
    beat.mask = static_cast<uint32_t>(get_bits(port, at + fields.mask(), size));
  for (unsigned b = 0; b < size; b++)
    beat.bytes[b] = static_cast<uint8_t>(get_bits(port, at + fields.data() + 8 * b, 8));
  return beat;
}

}  // namespace heddle::test
