// SPDX-License-Identifier: Apache-2.0
// Puts together rows that retire slice by slice: the checker's Retire is one whole row. Slices of a row come in
// order; rows of other instructions, and the upper row of a pair, may come between them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/cosim/events.h"

namespace heddle::rtl {

class RetireSlices {
 public:
  // `part` has the slice's row and predicates in its lowest `lanes` lanes; gives the row with its last slice. The
  // end of an instruction without rows (a store) is one part, `last` in slice 0.
  std::optional<cosim::Retire> add(const cosim::Retire& part, unsigned slice, unsigned lanes) {
    const unsigned first = slice * lanes;
    const bool complete = part.last || first + lanes == part.row.size();
    if (first == 0 && complete) return part;
    auto row = rows_.begin();
    while (row != rows_.end() &&
           !(row->sm == part.sm && row->warp == part.warp && row->seq == part.seq && row->index == part.index)) {
      ++row;
    }
    if (row == rows_.end()) {
      row = rows_.insert(row, part);
    } else {
      for (unsigned lane = 0; lane < lanes; lane++) row->row[first + lane] = part.row[lane];
      row->p |= part.p << first;
      row->q |= part.q << first;
      row->last = part.last;
    }
    if (!complete) return std::nullopt;
    const cosim::Retire whole = *row;
    rows_.erase(row);
    return whole;
  }

 private:
  std::vector<cosim::Retire> rows_;  // with slices still to come
};

}  // namespace heddle::rtl
