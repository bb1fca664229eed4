// SPDX-License-Identifier: Apache-2.0
// The special function unit.
#include "sim/model/lanes.h"
#include "sim/model/mufu.h"
#include "sim/model/ops_families.h"

namespace heddle::model::HEDDLE_OPS {
namespace {

void special(const Decoded& d, Lanes& l) {
  const auto op = static_cast<isa::MufuOp>(d.get(field::Mufu_op));
  const uint32_t kept = d.get(field::Mufu_abs) ? 0x7fffffff : 0xffffffff, flipped = d.get(field::Mufu_neg) << 31;
  unary(d, l, [=](uint32_t b) { return mufu(op, (b & kept) ^ flipped); });
}

}  // namespace

void add_sfu(OpTable& table) { table[static_cast<uint8_t>(isa::Opcode::Mufu)] = special; }

}  // namespace heddle::model::HEDDLE_OPS
