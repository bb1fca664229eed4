// SPDX-License-Identifier: Apache-2.0
// An instruction between its issue and its last effect: what the model expects of it, and what has
// been seen.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cosim/events.h"
#include "sim/model/block.h"
#include "sim/model/lsu.h"

namespace heddle::cosim {

// Bytes of one sector of device memory that lanes of a store write together.
struct SectorWrite {
  uint64_t sector = 0;
  int part = 0;  // of the warp: lanes that store together
  uint32_t lanes = 0;
  uint32_t at_l2 = 0;  // bytes not yet visible at L2
  uint32_t bytes = 0;  // all
};

struct InFlight {
  uint16_t seq = 0;
  uint32_t pc = 0;
  const model::Decoded* d = nullptr;
  Mask active = 0, mask = 0;
  uint64_t issued_at = 0;  // event number

  bool retires = true;    // retire events come
  bool retired = false;   // the last has come
  bool known = true;      // `rows` and predicates are final (not so: a clock)
  uint8_t rows_seen = 0;  // a bit an index
  bool predicates_seen = false;
  model::Row rows[4];  // expected
  Mask p = 0, q = 0;   // expected

  // Memory instructions.
  model::MemoryClass memory = model::MemoryClass::Other;
  model::Access access{};
  Mask unwritten =
      0;  // lanes that read bytes of shared memory which nobody has written: the hardware's value is as good as any
  Mask to_do = 0;                   // load, copy: lanes not yet read; atomic: not yet performed; store: shared lanes
  Mask to_store = 0;                // copy: lanes whose bytes are not yet in shared memory
  uint64_t group = 0;               // copy: of its warp's groups
  model::Row data[4];               // store: rc on; atomic: b low, b high, c low, c high
  std::vector<SectorWrite> writes;  // store to device memory
  bool faults = false;
  model::FaultInfo fault{};
  uint64_t flushes_before = 0;  // fence: the SM's L1 invalidations at its issue

  bool visible() const {
    if (to_do | to_store) return false;
    for (const SectorWrite& w : writes)
      if (w.at_l2) return false;
    return true;
  }
  bool finished() const { return (retired || !retires) && visible() && !faults; }
};

// A warp's instructions in flight, oldest first. Places are used again, so that a long run
// allocates nothing.
class InFlightQueue {
 public:
  bool empty() const { return count_ == 0; }
  InFlight& front() { return (*this)[0]; }
  // Invalidates references to entries.
  InFlight& push() {
    if (count_ == items_.size()) grow();
    InFlight& i = items_[(first_ + count_++) % items_.size()];
    std::vector<SectorWrite> writes = std::move(i.writes);
    writes.clear();
    i = InFlight{};
    i.writes = std::move(writes);
    return i;
  }
  void pop_back() { count_--; }
  void pop_front() {
    first_ = (first_ + 1) % items_.size();
    count_--;
  }
  void clear() { count_ = 0; }
  size_t size() const { return count_; }
  InFlight& operator[](size_t i) { return items_[(first_ + i) % items_.size()]; }
  const InFlight& operator[](size_t i) const { return items_[(first_ + i) % items_.size()]; }

  template <typename Queue, typename Item>
  struct Iterator {
    Queue* queue;
    size_t index;
    Item& operator*() const { return (*queue)[index]; }
    Iterator& operator++() {
      index++;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return index != other.index; }
  };
  auto begin() { return Iterator<InFlightQueue, InFlight>{this, 0}; }
  auto end() { return Iterator<InFlightQueue, InFlight>{this, count_}; }
  auto begin() const { return Iterator<const InFlightQueue, const InFlight>{this, 0}; }
  auto end() const { return Iterator<const InFlightQueue, const InFlight>{this, count_}; }

 private:
  void grow() {
    std::vector<InFlight> larger(items_.empty() ? 8 : 2 * items_.size());
    for (size_t i = 0; i < count_; i++) larger[i] = std::move((*this)[i]);
    items_ = std::move(larger);
    first_ = 0;
  }

  std::vector<InFlight> items_;
  size_t first_ = 0, count_ = 0;
};

}  // namespace heddle::cosim
