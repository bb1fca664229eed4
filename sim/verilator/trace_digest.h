// SPDX-License-Identifier: Apache-2.0
// One number for all that the SMs issued and retired in a kernel, and when: two machines of the same preset that run
// the same kernel have the same digest, or they are not the same machine. Starts anew at a kernel's start. Only what
// has a meaning counts: of rows the lanes that are written, of destinations those that exist.
#pragma once

#include <cstdint>

#include "sim/cosim/events.h"

namespace heddle::rtl {

class TraceDigest {
 public:
  void add(const cosim::Event& event) {
    if (event.kind == cosim::EventKind::KernelStart) {
      value_ = kSeed;
      began_ = event.cycle;
    } else if (event.kind == cosim::EventKind::Issue) {
      const cosim::Issue& e = event.issue;
      mix(event, e.sm, e.warp, e.seq);
      mix(uint64_t{e.pc} << 32 | e.active);
    } else if (event.kind == cosim::EventKind::Retire) {
      const cosim::Retire& e = event.retire;
      mix(event, e.sm, e.warp, e.seq);
      mix(uint64_t{e.mask} << 32 | unsigned{e.row_we} << 2 | unsigned{e.p_we} << 1 | unsigned{e.last});
      if (e.row_we) {
        mix(uint64_t{e.rd} << 8 | e.index);
        for (unsigned lane = 0; lane < e.row.size(); lane++)
          if (e.mask >> lane & 1) mix(uint64_t{lane} << 32 | e.row[lane]);
      }
      if (e.p_we && e.pd != kNone) mix(uint64_t{e.pd} << 32 | (e.p & e.mask));
      if (e.p_we && e.pq != kNone) mix(uint64_t{e.pq} << 32 | (e.q & e.mask));
    }
  }

  uint64_t value() const { return value_; }  // 0: no kernel yet

 private:
  static constexpr uint64_t kSeed = 0x243f6a8885a308d3;
  static constexpr unsigned kNone = 7;  // no predicate

  void mix(uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 32;
  }

  // What both kinds begin with.
  void mix(const cosim::Event& event, unsigned sm, unsigned warp, unsigned seq) {
    mix((event.cycle - began_) << 4 | static_cast<unsigned>(event.kind));
    mix(uint64_t{sm} << 32 | warp << 16 | seq);
  }

  uint64_t value_ = 0;
  uint64_t began_ = 0;  // cycle of the kernel's start
};

}  // namespace heddle::rtl
