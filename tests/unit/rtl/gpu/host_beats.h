// SPDX-License-Identifier: Apache-2.0
// Lowest bits of the fields of mem_pkg::host_req_t and host_rsp_t in a verilated port, for set_beat and get_beat.
#pragma once

#include "tests/unit/rtl/memory/beats.h"

namespace heddle::test {

struct HostReqBits {
  unsigned pieces;
  constexpr unsigned data() const { return 0; }
  constexpr unsigned mask() const { return 256 / pieces; }
  constexpr unsigned last() const { return mask() + 32 / pieces; }
  constexpr unsigned piece() const { return last() + 1; }
  constexpr unsigned sector() const { return piece() + (pieces == 4 ? 2 : 1); }
  constexpr unsigned write() const { return sector() + 59; }
};
struct HostRspBits {
  unsigned pieces;
  constexpr unsigned data() const { return 0; }
  constexpr unsigned last() const { return 256 / pieces; }
  constexpr unsigned piece() const { return last() + 1; }
  constexpr unsigned error() const { return piece() + (pieces == 4 ? 2 : 1); }
  constexpr unsigned write() const { return error() + 1; }
};

}  // namespace heddle::test
