// SPDX-License-Identifier: Apache-2.0
#include "sim/model/profile.h"

#include <algorithm>
#include <bit>

namespace heddle::model {
namespace {

constexpr unsigned kSectorBytes = 32;
constexpr unsigned kBanks = 32, kBankBytes = 4;

}  // namespace

uint32_t sectors(const Access& access, Mask mask) {
  uint64_t touched[kLanes];
  uint32_t count = 0;
  for (; mask; mask &= mask - 1) {  // an access is aligned: it crosses no sector
    const uint64_t sector = access.address[std::countr_zero(mask)] / kSectorBytes;
    if (std::find(touched, touched + count, sector) == touched + count) touched[count++] = sector;
  }
  return count;
}

uint32_t wavefronts(const Access& access, Mask mask) {
  const unsigned words = std::max(access.shape.bytes / kBankBytes, 1u);
  const int group = kLanes / static_cast<int>(words);
  uint32_t cycles = 0;
  for (int first = 0; first < kLanes; first += group) {
    uint64_t wanted[kLanes];  // distinct words
    uint32_t count = 0, most = 0;
    uint8_t of_bank[kBanks] = {};
    for (int i = first; i < first + group; i++) {
      if (!(mask >> i & 1)) continue;
      for (unsigned w = 0; w < words; w++) {
        const uint64_t word = access.address[i] / kBankBytes + w;
        if (std::find(wanted, wanted + count, word) != wanted + count) continue;
        wanted[count++] = word;
        most = std::max<uint32_t>(most, ++of_bank[word % kBanks]);
      }
    }
    cycles += most;
  }
  return cycles;
}

Mask local_lanes(isa::Opcode op, const Access& access, uint64_t base, uint64_t bytes) {
  const Mask device = access.mask & ~access.shared;
  if (op == isa::Opcode::Ldl || op == isa::Opcode::Stl) return device;
  if (op != isa::Opcode::Ld && op != isa::Opcode::St && op != isa::Opcode::Atom) return 0;
  Mask local = 0;
  for (Mask left = device; left; left &= left - 1) {
    const int i = std::countr_zero(left);
    if (access.address[i] - base < bytes) local |= Mask{1} << i;
  }
  return local;
}

void count_access(heddle_profile& profile, heddle_profile_line& line, MemoryClass kind, const Access& access,
                  Mask local) {
  const auto count = [&](Mask lanes, heddle_counter requests, heddle_counter amounts, uint32_t amount) {
    if (!lanes) return;
    profile.counters[requests]++;
    profile.counters[amounts] += amount;
  };
  const Mask global = access.mask & ~access.shared & ~local, shared = access.shared;
  const uint32_t of_global = sectors(access, global), of_local = sectors(access, local);
  line.sectors += of_global + of_local;
  if (kind == MemoryClass::Atomic) {
    count(global | local, HEDDLE_COUNTER_GlobalAtomics, HEDDLE_COUNTER_GlobalAtomicSectors, of_global + of_local);
    if (shared) profile.counters[HEDDLE_COUNTER_SharedAtomics]++;
    return;
  }
  const uint32_t of_shared = wavefronts(access, shared);
  line.wavefronts += of_shared;
  if (kind == MemoryClass::Load || kind == MemoryClass::Copy) {  // of a copy what it loads
    count(global, HEDDLE_COUNTER_GlobalLoads, HEDDLE_COUNTER_GlobalLoadSectors, of_global);
    count(local, HEDDLE_COUNTER_LocalLoads, HEDDLE_COUNTER_LocalLoadSectors, of_local);
    count(shared, HEDDLE_COUNTER_SharedLoads, HEDDLE_COUNTER_SharedLoadWavefronts, of_shared);
  } else {
    count(global, HEDDLE_COUNTER_GlobalStores, HEDDLE_COUNTER_GlobalStoreSectors, of_global);
    count(local, HEDDLE_COUNTER_LocalStores, HEDDLE_COUNTER_LocalStoreSectors, of_local);
    count(shared, HEDDLE_COUNTER_SharedStores, HEDDLE_COUNTER_SharedStoreWavefronts, of_shared);
  }
}

void count_issue(heddle_profile& profile, heddle_profile_line& line, isa::Opcode op, Mask active, Mask mask) {
  const auto here = static_cast<uint64_t>(std::popcount(active)), threads = static_cast<uint64_t>(std::popcount(mask));
  profile.counters[HEDDLE_COUNTER_Instructions]++;
  profile.counters[HEDDLE_COUNTER_ThreadInstructions] += threads;
  profile.counters[HEDDLE_COUNTER_ActiveThreads] += here;
  line.executed++;
  line.threads += threads;
  line.active_threads += here;
  if (op == isa::Opcode::Bra && threads != 0 && threads != here) line.divergent++;
}

void Profile::begin(const Launch& launch) {
  any_ = true;
  profile_ = {};
  lines_.assign(launch.code_size / isa::kInstructionBytes, {});
  line_ = nullptr;
}

const heddle_profile* Profile::take() {
  if (!any_) return nullptr;
  taken_.clear();
  for (size_t i = 0; i < lines_.size(); i++) {
    if (lines_[i].executed == 0) continue;
    taken_.push_back(lines_[i]);
    taken_.back().pc = static_cast<uint32_t>(i) * isa::kInstructionBytes;
  }
  profile_.lines = taken_.data();
  profile_.line_count = taken_.size();
  return &profile_;
}

void Profile::block_started(const Block& block) {
  add(HEDDLE_COUNTER_Blocks, 1);
  add(HEDDLE_COUNTER_Warps, block.warps);
}

void Profile::issued(const Warp&, const Decoded& d, uint32_t pc, Mask active, Mask mask) {
  line_ = &lines_[pc / isa::kInstructionBytes];
  count_issue(profile_, *line_, d.op, active, mask);
}

void Profile::executed(const Warp& warp, const Decoded& d, Mask, const Access* access) {
  if (!access || d.op == isa::Opcode::Ldc) return;
  const WarpView& view = warp.view;
  const uint64_t local = uint64_t{view.sms} * view.warps_per_sm * kLanes * view.launch->local_bytes;
  count_access(profile_, *line_, memory_class(d.op), *access,
               local_lanes(d.op, *access, view.launch->local_base, local));
}

}  // namespace heddle::model
