// SPDX-License-Identifier: Apache-2.0
// Who wants to see a functional machine work, instruction by instruction.
#pragma once

#include "sim/model/block.h"
#include "sim/model/lsu.h"

namespace heddle::model {

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void block_started(const Block& block) = 0;
  virtual void block_ended(const Block& block) = 0;
  // Before execution: `active` lanes stand at `pc`, the guard lets `mask` through.
  virtual void issued(const Warp& warp, const Decoded& d, uint32_t pc, Mask active, Mask mask) = 0;
  // After execution: registers, predicates and memory hold the results. `access`: of a memory
  // instruction.
  virtual void executed(const Warp& warp, const Decoded& d, Mask mask, const Access* access) = 0;
  // A block barrier let these lanes go; a reduction's result is written.
  virtual void released(const Released& lanes) = 0;
};

}  // namespace heddle::model
