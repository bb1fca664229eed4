// SPDX-License-Identifier: Apache-2.0
// Memory effects, in the order in which they became visible.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "sim/cosim/lockstep.h"
#include "sim/model/memory_ops.h"

namespace heddle::cosim {

namespace {

int lowest(Mask m) { return std::countr_zero(m); }

uint8_t byte_of(const Sector& s, uint32_t i) { return static_cast<uint8_t>(s[i / 4] >> i % 4 * 8); }

void merge(Sector& s, const Sector& data, uint32_t mask) {
  auto* to = reinterpret_cast<uint8_t*>(s.data());
  for (Mask left = mask; left; left &= left - 1) to[lowest(left)] = byte_of(data, static_cast<uint32_t>(lowest(left)));
}

// The byte that lane `lane` of a store writes at byte `k` of its access.
uint8_t stored_byte(const InFlight& s, int lane, uint32_t k) {
  if (s.access.halves >> lane & 1) k ^= 8;
  const model::Row* data = s.memory == model::MemoryClass::Copy ? s.rows : s.data;  // what it has read
  return static_cast<uint8_t>(data[k / 4].lane[lane] >> k % 4 * 8);
}

// -1 when every byte of `mask` is what the lowest lane that writes it there writes; else the first that is not.
int wrong_byte(const InFlight& s, const SectorWrite& w, uint32_t mask, const Sector& data) {
  const uint64_t base = w.sector * 32;
  uint32_t right = 0, written = 0;
  for (Mask left = w.lanes; left; left &= left - 1) {
    const int lane = lowest(left);
    const uint64_t a = s.access.address[lane];
    for (uint32_t k = 0; k < s.access.shape.bytes; k++) {
      const auto at = static_cast<uint32_t>(a - base) + k;
      if (!(written >> at & 1) && byte_of(data, at) == stored_byte(s, lane, k)) right |= 1u << at;
      written |= 1u << at;
    }
  }
  const uint32_t wrong = mask & ~right;
  return wrong ? lowest(wrong) : -1;
}

// The lane that stores byte `at` of the sector.
int lane_that_stores(const InFlight& s, const SectorWrite& w, uint32_t at) {
  for (Mask left = w.lanes; left; left &= left - 1) {
    const uint64_t a = s.access.address[lowest(left)];
    if (w.sector * 32 + at >= a && w.sector * 32 + at < a + s.access.shape.bytes) return lowest(left);
  }
  return -1;
}

// Where a lane stores in shared memory, or performs an atomic.
uint64_t stores_at(const InFlight& i, int lane) {
  return i.memory == model::MemoryClass::Copy ? i.access.copied_to[lane] : i.access.address[lane];
}

// A lane with an access to `lane`'s address, of those given; -1 when none.
int lane_there(const InFlight& i, Mask lanes, int lane) {
  for (Mask left = lanes; left; left &= left - 1)
    if (stores_at(i, lowest(left)) == stores_at(i, lane)) return lowest(left);
  return -1;
}

// What an atomic does for one of its lanes.
struct AtomicOf {
  AtomicOf(const InFlight& i, int lane)
      : op(static_cast<isa::AtomOp>(i.d->get(model::field::Atomic_op))),
        type(static_cast<isa::AtomType>(i.d->get(model::field::Atomic_type))),
        wide(i.access.shape.bytes == 8),
        b(operand(i, 0, lane)),
        c(operand(i, 2, lane)) {}
  uint64_t operand(const InFlight& i, int k, int lane) const {
    return i.data[k].lane[lane] | (wide ? uint64_t{i.data[k + 1].lane[lane]} << 32 : 0);
  }
  isa::AtomOp op;
  isa::AtomType type;
  bool wide;
  uint64_t b, c;
};

// Performs it on the word at `at`; the value found there, which is its result.
uint64_t perform(InFlight& i, int lane, uint8_t* at) {
  const AtomicOf atomic(i, lane);
  uint64_t old = 0;
  std::memcpy(&old, at, i.access.shape.bytes);
  const bool shared = i.access.shared >> lane & 1;
  const uint64_t now = model::atomic(atomic.op, atomic.type, atomic.wide, shared, old, atomic.b, atomic.c);
  std::memcpy(at, &now, i.access.shape.bytes);
  i.rows[0].lane[lane] = static_cast<uint32_t>(old);
  i.rows[1].lane[lane] = static_cast<uint32_t>(old >> 32);
  i.to_do &= ~(1u << lane);
  return old;
}

std::string hex(const Sector& s) {
  std::string out;
  for (uint32_t w : s) out += fmt::format("{:08x} ", w);
  out.pop_back();
  return out;
}

}  // namespace

// ---- L2
// -----------------------------------------------------------------------------------------------------

bool Lockstep::l2(const L2& e) {
  if (e.client >= fills_.size())
    return mismatch({}, fmt::format("an L2 request of client {}, which does not exist", e.client));
  const uint64_t address = e.sector * 32;
  const Place place{e.client < sms_.size() ? e.client : -1};
  if (!memory_.contains(address, 32)) {
    // A read ahead of a fault may go astray; it is answered with an error and must serve nobody.
    if (e.kind == RequestKind::Read) {
      if (e.client == sms_.size()) commands_.device_read_refused();
      fills_[e.client][e.id].valid = false;
      return true;
    }
    return mismatch(place, fmt::format("L2 changes address {:#x}, which is not device memory", address));
  }
  compared_memory_++;
  if (e.kind == RequestKind::Write) return l2_write(e);
  if (e.kind == RequestKind::Atomic || e.kind == RequestKind::Reduce) return l2_atomic(e);
  Fill& fill = fills_[e.client][e.id];
  fill.valid = true;
  fill.sector = e.sector;
  std::memcpy(fill.data.data(), memory_.at(address), 32);
  if (fill.data != e.data)
    return mismatch(place, fmt::format("L2 reads address {:#x} for client {}\n  hardware {}\n  model    {}", address,
                                       e.client, hex(e.data), hex(fill.data)));
  if (e.client == sms_.size()) commands_.device_read(e.sector, e.data);
  return true;
}

uint8_t* Lockstep::to_write(uint64_t sector) {
  const uint64_t address = sector * 32;
  written_.add(address - model::DeviceMemory::kBase);
  return memory_.at(address);
}

bool Lockstep::l2_write(const L2& e) {
  uint8_t* to = to_write(e.sector);
  if (e.client == sms_.size()) {  // the copy engine, or the host's window
    if (!right(commands_.device_write(e.sector, e.mask, e.data))) return false;
    for (Mask left = e.mask; left; left &= left - 1)
      to[lowest(left)] = byte_of(e.data, static_cast<uint32_t>(lowest(left)));
    return true;
  }
  if (!place_exists(e.client, e.warp, "an L2 write")) return false;
  Place place{e.client, e.warp};
  WarpTrack& track = tracks_[e.client].warps[e.warp];
  InFlightQueue& flights = track.in_flight;
  const auto stores = [](const InFlight& s) { return s.memory == model::MemoryClass::Store && !s.faults; };
  size_t own = 0;  // the store, or the last of those that come joined
  while (own < flights.size() && !(flights[own].seq == e.seq && stores(flights[own]))) own++;
  uint32_t earlier = 0;  // bytes of its warp's earlier stores: they come with it
  for (size_t n = 0; n < own; n++)
    for (const SectorWrite& w : flights[n].writes)
      if (w.sector == e.sector && stores(flights[n])) earlier |= w.at_l2;
  if (own == flights.size())
    return mismatch(
        place, fmt::format("L2 writes bytes {:08x} of sector {:#x} for instruction {}, which is no store under way",
                           e.mask, e.sector * 32, e.seq));
  place.pc = flights[own].pc;
  if (const uint32_t left = earlier & ~e.mask)
    return mismatch(place, fmt::format("L2 writes sector {:#x} for instruction {} before byte {} of an earlier store",
                                       e.sector * 32, e.seq, lowest(left)));
  // What these lanes write in these bytes.
  const auto right_bytes = [&](const InFlight& s, const SectorWrite& w, uint32_t mask) {
    const int at = wrong_byte(s, w, mask, e.data);
    if (at < 0) return true;
    place.pc = s.pc;
    place.lane = lane_that_stores(s, w, static_cast<uint32_t>(at));
    const uint64_t a = e.sector * 32 + static_cast<uint32_t>(at);
    return mismatch(place,
                    fmt::format("store of byte {:#x}: hardware {:#04x}, model {:#04x}", a,
                                byte_of(e.data, static_cast<uint32_t>(at)),
                                stored_byte(s, place.lane, static_cast<uint32_t>(a - s.access.address[place.lane]))));
  };
  uint32_t before = 0;  // bytes that other lanes have to write first
  for (SectorWrite& w : flights[own].writes) {
    if (w.sector != e.sector) continue;
    const uint32_t mine = e.mask & w.at_l2 & ~before;
    before |= w.at_l2;
    if (mine == 0 || (e.mask & ~(mine | earlier)) != 0) continue;
    if (!right_bytes(flights[own], w, mine)) return false;
    w.at_l2 &= ~mine;
    // Of the others each byte is the last one's that writes it.
    uint32_t rest = e.mask & ~mine;
    for (size_t n = own; n-- > 0;) {
      if (!stores(flights[n])) continue;
      for (size_t k = flights[n].writes.size(); k-- > 0;) {
        SectorWrite& old = flights[n].writes[k];
        if (old.sector != e.sector) continue;
        if (!right_bytes(flights[n], old, rest & old.at_l2)) return false;
        rest &= ~old.at_l2;
        old.at_l2 = 0;
      }
    }
    for (Mask left = e.mask; left; left &= left - 1)
      to[lowest(left)] = byte_of(e.data, static_cast<uint32_t>(lowest(left)));
    if (!own_l1_follows(e, place)) return false;
    sweep(track);
    return true;
  }
  return mismatch(place,
                  fmt::format("L2 writes bytes {:08x} of sector {:#x} for instruction {}, which does not store there, "
                              "or has done so before",
                              e.mask, e.sector * 32, e.seq));
}

// An SM sees its own stores: where its L1 holds the sector, it holds the stored bytes, or those of
// a later store.
bool Lockstep::own_l1_follows(const L2& e, const Place& place) {
  const SmTrack& sm = tracks_[e.client];
  const auto line = sm.l1.find(e.sector);
  if (line == sm.l1.end()) return true;
  uint32_t stale = 0;
  for (Mask left = e.mask; left; left &= left - 1) {
    const auto at = static_cast<uint32_t>(lowest(left));
    if (byte_of(line->second, at) != byte_of(e.data, at)) stale |= 1u << at;
  }
  if (stale == 0) return true;
  for (const WarpTrack& warp : sm.warps)
    for (const InFlight& s : warp.in_flight)
      for (const SectorWrite& w : s.writes)
        if (w.sector == e.sector) stale &= ~w.at_l2;
  if (stale == 0) return true;
  return mismatch(place, fmt::format("the store is visible at L2, but the SM's L1 keeps the old byte at {:#x}",
                                     e.sector * 32 + static_cast<uint32_t>(lowest(stale))));
}

// A warp's atomics on one word are performed from its lowest lane to its highest.
bool Lockstep::in_order(const InFlight& atomic, const Place& place) {
  const Mask lower = atomic.to_do & ((Mask{1} << place.lane) - 1);
  const int first = lane_there(atomic, lower, place.lane);
  if (first < 0) return true;
  return mismatch(place, fmt::format("an atomic on the word of lane {}, which comes first", first));
}

bool Lockstep::l2_atomic(const L2& e) {
  if (e.mask == 0) return l2_atomic(e, e.lane % model::kLanes, e.offset, 0, 2, 0);
  // Of each word's lanes the lowest comes first; a cas' new values lie in the other half.
  const InFlight* now = find(e.client, e.warp, e.seq);
  const unsigned bytes = e.wide ? 8 : 4;
  for (unsigned at = 0; at < 32; at += bytes) {
    if (!(e.mask >> at & 1)) continue;
    int lane = e.lane % model::kLanes;
    if (now)
      for (Mask left = now->to_do & ~now->access.shared; left; left &= left - 1)
        if (now->access.address[lowest(left)] == e.sector * 32 + at) {
          lane = lowest(left);
          break;
        }
    if (!l2_atomic(e, lane, at, at / 4, at / 4 ^ 4, at / 4)) return false;
  }
  return true;
}

// Of one word: at that byte of its sector; its operand, a cas' new value and what was found stand from these words on.
bool Lockstep::l2_atomic(const L2& e, int lane, unsigned offset, size_t operand, size_t fresh, size_t found) {
  if (!place_exists(e.client, e.warp, "an L2 atomic")) return false;
  Place place{e.client, e.warp, lane};
  InFlight* now = find(e.client, e.warp, e.seq);
  if (now) place.pc = now->pc;
  if (!now || now->memory != model::MemoryClass::Atomic || now->faults ||
      !((now->to_do & ~now->access.shared) >> place.lane & 1))
    return mismatch(place,
                    fmt::format("L2 performs an atomic for instruction {}, which has none to do for this lane", e.seq));
  if (e.kind == RequestKind::Reduce && now->d->rd != isa::kRz)
    return mismatch(place, fmt::format("L2 keeps the value of an atomic to itself that R{} waits for", now->d->rd));
  const AtomicOf atomic(*now, place.lane);
  const auto given = [&](size_t k) { return e.data[k] | (atomic.wide ? uint64_t{e.data[k + 1]} << 32 : 0); };
  if (!in_order(*now, place)) return false;
  const uint64_t address = now->access.address[place.lane];
  if (e.sector * 32 + offset != address || e.wide != atomic.wide || e.atom_op != static_cast<uint8_t>(atomic.op))
    return mismatch(place, fmt::format("atomic at {:#x} ({} bits, operation {}), model {:#x} ({} bits, operation {})",
                                       e.sector * 32 + offset, e.wide ? 64 : 32, e.atom_op, address,
                                       atomic.wide ? 64 : 32, static_cast<int>(atomic.op)));
  const bool typed = atomic.op == isa::AtomOp::Add || atomic.op == isa::AtomOp::Min || atomic.op == isa::AtomOp::Max;
  if (given(operand) != atomic.b || (atomic.op == isa::AtomOp::Cas && given(fresh) != atomic.c) ||
      (typed && e.atom_type != static_cast<uint8_t>(atomic.type)))
    return mismatch(place, fmt::format("atomic operand or type: hardware {:#x}, {:#x}, model {:#x}, {:#x}",
                                       given(operand), given(fresh), atomic.b, atomic.c));
  const uint64_t old = perform(*now, place.lane, to_write(e.sector) + offset);
  const uint64_t seen = e.old[found] | (atomic.wide ? uint64_t{e.old[found + 1]} << 32 : 0);
  if (seen != old)
    return mismatch(place, fmt::format("atomic at {:#x} found: hardware {:#x}, model {:#x}", address, seen, old));
  return true;
}

// ---- L1
// -----------------------------------------------------------------------------------------------------

bool Lockstep::l1(const L1& e) {
  if (!place_exists(e.sm, 0, "an L1 event")) return false;
  SmTrack& track = tracks_[e.sm];
  const Place place{e.sm};
  compared_memory_++;
  switch (e.kind) {
    case L1Kind::Fill: {
      const Fill& fill = fills_[e.sm][e.id];
      if (!fill.valid || fill.sector != e.sector)
        return mismatch(place,
                        fmt::format("fill {} brings sector {:#x}, which L2 did not read for it", e.id, e.sector * 32));
      if (fill.data != e.data)
        return mismatch(place, fmt::format("fill of sector {:#x}\n  hardware {}\n  model    {}", e.sector * 32,
                                           hex(e.data), hex(fill.data)));
      if (e.installed) track.l1[e.sector] = fill.data;
      return true;
    }
    case L1Kind::Write: {
      bool explained = false;
      for (size_t w = 0; w < track.warps.size() && !explained; w++) {
        for (const InFlight& s : track.warps[w].in_flight) {
          if (s.memory != model::MemoryClass::Store || s.faults) continue;
          for (const SectorWrite& write : s.writes)
            explained = explained || (write.sector == e.sector && (e.mask & ~write.bytes) == 0 &&
                                      wrong_byte(s, write, e.mask, e.data) < 0);
        }
      }
      if (!explained)
        return mismatch(
            place, fmt::format("the L1 takes bytes {:08x} of sector {:#x} = {} that no store under way writes", e.mask,
                               e.sector * 32, hex(e.data)));
      if (const auto line = track.l1.find(e.sector); line != track.l1.end()) merge(line->second, e.data, e.mask);
      return true;
    }
    case L1Kind::Evict:
      for (uint64_t k = 0; k < 4; k++) track.l1.erase((e.sector & ~uint64_t{3}) + k);
      return true;
    case L1Kind::InvalidateAll:
      track.l1.clear();
      track.l1_flushes++;
      return true;
  }
  return mismatch(place, "an L1 event of unknown kind");
}

// ---- loads and shared memory
// -----------------------------------------------------------------------------------

bool Lockstep::load(const Load& e) {
  if (!place_exists(e.sm, e.warp, "a load")) return false;
  InFlight* now = find(e.sm, e.warp, e.seq);
  Place place{e.sm, e.warp, -1, now ? int64_t{now->pc} : -1};
  if (!now || (now->memory != model::MemoryClass::Load && now->memory != model::MemoryClass::Copy) || now->faults)
    return mismatch(place, fmt::format("bytes are read for instruction {}, which is no load under way", e.seq));
  const Mask foreign = e.lanes & ~now->to_do;
  const Mask wrong_space = e.lanes & (e.source == LoadSource::Shared ? ~now->access.shared : now->access.shared);
  if (foreign || wrong_space) {
    place.lane = lowest(foreign ? foreign : wrong_space);
    return mismatch(place, foreign ? "this lane has nothing to read, or has read before"
                                   : "this lane is served from the wrong memory");
  }
  compared_memory_++;
  model::Sm& sm = sms_[e.sm];
  const bool matrix = now->d->op == isa::Opcode::Ldsm;
  for (Mask left = e.lanes; left; left &= left - 1) {
    const int lane = lowest(left);
    place.lane = lane;
    const uint64_t a = now->access.address[lane];
    const uint8_t* bytes = nullptr;
    if (e.source == LoadSource::Shared) {
      bytes = &sm.shared[a];
      if (unwritten(e.sm, *now, lane))
        now->unwritten |= matrix ? model::matrix_row_lanes(*now->d, lane) : Mask{1} << lane;
    } else if (e.source == LoadSource::Const) {
      if (!memory_.contains(a, now->access.shape.bytes))
        return mismatch(place, "a constant outside device memory is read");
      bytes = memory_.at(a);
    } else if (e.source == LoadSource::Fill) {
      const auto id = static_cast<uint16_t>(e.id + a / 32 % 4);
      const Fill& fill = fills_[e.sm][id];
      if (!fill.valid || fill.sector != a / 32)
        return mismatch(place, fmt::format("address {:#x} is served by fill {}, which does not hold it", a, id));
      bytes = reinterpret_cast<const uint8_t*>(fill.data.data()) + a % 32;
    } else {
      const auto line = tracks_[e.sm].l1.find(a / 32);
      if (line == tracks_[e.sm].l1.end())
        return mismatch(place, fmt::format("address {:#x} is served by the L1, which does not hold it", a));
      bytes = reinterpret_cast<const uint8_t*>(line->second.data()) + a % 32;
    }
    uint32_t words[4] = {};
    model::extend(now->access.shape, bytes, words);
    if (matrix) model::place_matrix_row(*now->d, lane, words, model::kAllLanes, now->rows);
    else
      for (uint8_t k = 0; k < now->access.shape.registers; k++)
        now->rows[k].lane[lane] = words[k ^ (now->access.halves >> lane & 1 ? 2 : 0)];
  }
  now->to_do &= ~e.lanes;
  return true;
}

// Some byte that the lane accesses in shared memory was never written, since the device was there.
bool Lockstep::unwritten(unsigned sm, const InFlight& now, int lane) const {
  const uint64_t a = now.access.address[lane];
  for (uint64_t k = 0; k < now.access.shape.bytes; k++)
    if (!tracks_[sm].shared_written[a + k]) return true;
  return false;
}

// What a load's register says of bytes that nobody had written: the next to read them gets the same.
void Lockstep::learn_shared(const Retire& e, const InFlight& now, int lane) {
  if (now.d->op == isa::Opcode::Ldsm) return;  // another lane has the address
  const uint32_t word = e.row[static_cast<size_t>(lane)], first = 4u * e.index;
  for (uint32_t k = first; k < std::min(first + 4, uint32_t{now.access.shape.bytes}); k++) {
    const uint64_t a = now.access.address[lane] + k;
    if (tracks_[e.sm].shared_written[a]) continue;
    tracks_[e.sm].shared_written[a] = true;
    sms_[e.sm].shared[a] = static_cast<uint8_t>(word >> 8 * (k - first));
  }
}

bool Lockstep::shared_store(const SharedStore& e) {
  if (!place_exists(e.sm, e.warp, "a shared store")) return false;
  InFlight* now = find(e.sm, e.warp, e.seq);
  Place place{e.sm, e.warp, -1, now ? int64_t{now->pc} : -1};
  const bool atomic = now && now->memory == model::MemoryClass::Atomic;
  const bool copy = now && now->memory == model::MemoryClass::Copy;
  if (!now || (now->memory != model::MemoryClass::Store && !atomic && !copy) || now->faults)
    return mismatch(place,
                    fmt::format("shared memory is written for instruction {}, which is no store under way", e.seq));
  Mask& to_do = copy ? now->to_store : now->to_do;
  const Mask stores = copy ? now->access.mask & ~now->to_do : now->access.shared;  // of a copy what has been read
  if (const Mask foreign = e.lanes & ~(to_do & stores)) {
    place.lane = lowest(foreign);
    return mismatch(place, "this lane stores nothing in shared memory, or has done so before");
  }
  compared_memory_++;
  Mask earlier = 0;  // lanes still to store
  if (atomic) {
    for (Mask left = e.lanes; left; left &= left - 1) {
      place.lane = lowest(left);
      if (!in_order(*now, place)) return false;
      if (unwritten(e.sm, *now, place.lane)) now->unwritten |= Mask{1} << place.lane;
      perform(*now, place.lane, &sms_[e.sm].shared[now->access.address[place.lane]]);
    }
    return true;
  }
  for (int n = 0; n < model::kLanes; n++) {
    const int lane = model::storing_lane(now->access.shape.bytes, n);
    if (!(e.lanes >> lane & 1)) {
      earlier |= to_do & Mask{1} << lane;
      continue;
    }
    if (const int first = lane_there(*now, copy ? earlier : earlier & now->access.shared, lane); first >= 0) {
      place.lane = lane;
      return mismatch(place, fmt::format("it stores where lane {} stores, which comes first", first));
    }
    const uint64_t to = stores_at(*now, lane);
    for (uint32_t k = 0; k < now->access.shape.bytes; k++) {
      sms_[e.sm].shared[to + k] = stored_byte(*now, lane, k);
      tracks_[e.sm].shared_written[to + k] = true;
    }
  }
  to_do &= ~e.lanes;
  sweep(tracks_[e.sm].warps[e.warp]);
  return true;
}

}  // namespace heddle::cosim
