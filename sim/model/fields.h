// SPDX-License-Identifier: Apache-2.0
// The modifier fields of isa.def as constants: field::Add_neg_b and so on.
#pragma once

#include <cstdint>

namespace heddle::model {

struct Field {
  uint8_t lsb;
  uint8_t width;

  constexpr uint32_t of(uint32_t mod) const { return mod >> lsb & ((1u << width) - 1); }
};

namespace field {
#define HEDDLE_FIELD(set, name, lsb, width, kind) inline constexpr Field set##_##name{lsb, width};
#include "isa/isa.def"
}  // namespace field

}  // namespace heddle::model
