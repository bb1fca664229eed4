// SPDX-License-Identifier: Apache-2.0
// Instructions whose results depend on other lanes: votes, matches, shuffles, reductions. They are
// over the lanes that execute; waiting for lanes is WARPSYNC's business.
#include <bit>

#include "sim/model/lanes.h"
#include "sim/model/ops_special.h"

namespace heddle::model {
namespace {

uint32_t first(Mask lanes) { return static_cast<uint32_t>(std::countr_zero(lanes)); }

void vote(const Decoded& d, Lanes& l) {
  const Mask ones = predicate(l.predicates, d.get(field::Vote_p)) & l.mask;
  bool holds = false;
  switch (static_cast<isa::VoteMode>(d.get(field::Vote_mode))) {
    case isa::VoteMode::All: holds = ones == l.mask; break;
    case isa::VoteMode::Any: holds = ones != 0; break;
    default: holds = ones == 0 || ones == l.mask; break;
  }
  write_predicate(l, d.pq, holds ? 0 : kAllLanes);
  write_predicate(l, d.pd, holds ? kAllLanes : 0);
}

void write_same(Lanes& l, uint8_t rd, uint32_t value) {
  Row r;
  for (uint32_t& lane : r.lane) lane = value;
  write(l, rd, r);
}

void ballot(const Decoded& d, Lanes& l) {
  write_same(l, d.rd, predicate(l.predicates, d.get(field::Ballot_p)) & l.mask);
}

void match(const Decoded& d, Lanes& l) {
  const uint32_t* a = source(l, d.ra);
  Row r{};
  for (Mask left = l.mask; left;) {
    const uint32_t value = a[first(left)];
    Mask same = 0;
    for (int i = 0; i < kLanes; i++) same |= static_cast<Mask>(a[i] == value) << i;
    same &= l.mask;
    for (int i = 0; i < kLanes; i++)
      if (same >> i & 1) r.lane[i] = same;
    left &= ~same;
  }
  const bool all = r.lane[first(l.mask)] == l.mask;
  if (d.get(field::Match_all) && !all) r = {};
  write(l, d.rd, r);
  write_predicate(l, d.pd, all ? kAllLanes : 0);
}

// The words of the PTX manual: which lane, and whether it lies in the segment.
void shfl(const Decoded& d, Lanes& l) {
  const uint32_t* a = source(l, d.ra);
  const uint32_t* c = source(l, d.rc);
  // What the modifiers invert of c.
  const uint32_t narrow = d.get(field::Shuffle_narrow), clamp_flips = d.get(field::Shuffle_clamp) ? 31 : 0;
  const uint32_t flips = (0x1f00u & ~(0x1f00u >> narrow)) | clamp_flips;
  Row r;
  Mask inside = 0;
  for (uint32_t i = 0; i < kLanes; i++) {
    const int lane = static_cast<int>(i);
    const int b = static_cast<int>(l.b->lane[i] & 31);
    const uint32_t bounds = c[i] ^ flips;
    const int segment = static_cast<int>(bounds >> 8 & 31), clamp = static_cast<int>(bounds & 31);
    const int last = (lane & segment) | (clamp & ~segment);
    int j = lane;
    bool in = false;
    switch (static_cast<isa::ShflMode>(d.get(field::Shuffle_mode))) {
      case isa::ShflMode::Up:
        j = lane - b;
        in = j >= last;
        break;
      case isa::ShflMode::Down:
        j = lane + b;
        in = j <= last;
        break;
      case isa::ShflMode::Bfly:
        j = lane ^ b;
        in = j <= last;
        break;
      case isa::ShflMode::Idx:
        j = (lane & segment) | (b & ~segment);
        in = j <= last;
        break;
    }
    if (!in) j = lane;
    r.lane[i] = l.mask >> j & 1 ? a[j] : 0;
    inside |= static_cast<Mask>(in) << i;
  }
  write(l, d.rd, r);
  write_predicate(l, d.pd, inside);
}

uint32_t reduce(isa::ReduxOp op, bool sign, uint32_t x, uint32_t y) {
  const bool less = sign ? static_cast<int32_t>(x) < static_cast<int32_t>(y) : x < y;
  switch (op) {
    case isa::ReduxOp::Min: return less ? x : y;
    case isa::ReduxOp::Max: return less ? y : x;
    case isa::ReduxOp::And: return x & y;
    case isa::ReduxOp::Or: return x | y;
    case isa::ReduxOp::Xor: return x ^ y;
    default: return x + y;
  }
}

void redux(const Decoded& d, Lanes& l) {
  const uint32_t* a = source(l, d.ra);
  uint32_t value = a[first(l.mask)];
  for (Mask left = l.mask & (l.mask - 1); left; left &= left - 1)
    value = reduce(static_cast<isa::ReduxOp>(d.get(field::Redux_op)), d.get(field::Redux_sign), value, a[first(left)]);
  write_same(l, d.rd, value);
}

}  // namespace

void add_warp(OpTable& table) {
  table[static_cast<uint8_t>(isa::Opcode::Vote)] = vote;
  table[static_cast<uint8_t>(isa::Opcode::Ballot)] = ballot;
  table[static_cast<uint8_t>(isa::Opcode::Match)] = match;
  table[static_cast<uint8_t>(isa::Opcode::Shfl)] = shfl;
  table[static_cast<uint8_t>(isa::Opcode::Redux)] = redux;
}

}  // namespace heddle::model
