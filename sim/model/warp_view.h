// SPDX-License-Identifier: Apache-2.0
// A kernel launch and a warp's place in it: what special registers and addresses are made of.
#pragma once

#include <cstdint>

#include "sim/model/row.h"

namespace heddle::model {

// A launch command and the device settings that it runs under.
struct Launch {
  uint32_t entry_pc = 0;
  uint32_t registers = 0;  // a thread
  uint32_t shared_bytes = 0, dynamic_shared = 0;
  uint32_t local_bytes = 0;  // a thread, multiple of 16
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t cluster[3] = {1, 1, 1};  // blocks, of which the grid is a multiple
  bool clusters = false;            // whether the launch asked for them
  uint64_t param_base = 0;
  uint32_t param_bytes = 0;
  uint64_t const_base = 0, local_base = 0;
  uint32_t envreg0 = 0, envreg1 = 0, grid_id = 0;
  uint64_t code_base = 0;
  uint32_t code_size = 0;
  uint64_t mem_end = 0;    // first address past device memory
  uint32_t undefined = 0;  // what registers and predicates hold before they are written

  uint32_t threads() const { return block[0] * block[1] * block[2]; }
  uint32_t warps() const { return (threads() + kLanes - 1) / kLanes; }
  // Rows of the register file that a warp takes.
  uint32_t rows() const { return registers + (registers & 1); }
  uint64_t blocks() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
  uint32_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
  // Of the block at `ctaid` in its cluster.
  uint32_t rank(const uint32_t ctaid[3]) const {
    return ctaid[0] % cluster[0] + cluster[0] * (ctaid[1] % cluster[1] + cluster[1] * (ctaid[2] % cluster[2]));
  }
};

struct WarpView {
  const Launch* launch = nullptr;
  uint32_t ctaid[3] = {};
  uint32_t warp_in_block = 0;
  uint32_t sm = 0;
  uint32_t slot = 0;         // warp slot in the SM
  uint32_t shared_base = 0;  // of the block in the SM's shared memory
  uint32_t rank = 0;         // of the block in its cluster
  uint32_t sms = 1;
  uint32_t warps_per_sm = 1;
  const uint64_t* clock = nullptr;  // cycles
};

}  // namespace heddle::model
