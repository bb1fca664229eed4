// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/rtl/memory/memory_bench.h"

#include <algorithm>
#include <cstring>

namespace heddle::test {

using isa::MemSize;
using isa::Opcode;

namespace {

bool is_store(Opcode op) { return op == Opcode::Stg || op == Opcode::Sts || op == Opcode::Stl || op == Opcode::St; }
bool is_load(Opcode op) {
  return op == Opcode::Ldg || op == Opcode::Lds || op == Opcode::Ldl || op == Opcode::Ld || op == Opcode::Ldc;
}
bool is_atomic(Opcode op) { return op == Opcode::Atomg || op == Opcode::Atoms || op == Opcode::Atom; }
// An atomic that ends before it is performed: nobody reads what it finds, and no acquire waits for it.
bool reduces(const Instruction& in) {
  return is_atomic(in.op) && in.rd == 255 && (in.mod >> 10 & 3) != static_cast<unsigned>(isa::MemOrder::Acquire);
}
bool is_fence(const Instruction& in) {
  if (in.op == Opcode::Membar || in.op == Opcode::Cctl) return true;
  if (is_atomic(in.op)) return (in.mod >> 10 & 3) >= 2;
  if (in.op == Opcode::Ldgsts) return false;
  return (in.mod >> 6 & 3) >= 2;
}

Preset preset_with(uint64_t mem_bytes) {
  auto preset = load_preset(HEDDLE_PRESET_FILE);
  EXPECT_TRUE(preset) << preset.error().message();
  preset->runtime.mem_bytes = mem_bytes;
  return *preset;
}

// The register words of a load's bytes.
uint32_t word_of(const std::array<uint8_t, 16>& bytes, unsigned mod, unsigned index) {
  uint32_t w = 0;
  switch (static_cast<MemSize>(mod & 7)) {
    case MemSize::U8: return bytes[0];
    case MemSize::S8: return static_cast<uint32_t>(static_cast<int8_t>(bytes[0]));
    case MemSize::U16: return bytes[0] | uint32_t{bytes[1]} << 8;
    case MemSize::S16: return static_cast<uint32_t>(static_cast<int16_t>(bytes[0] | bytes[1] << 8));
    default: std::memcpy(&w, &bytes[4 * index], 4); return w;
  }
}

template <class Wide>
Sector sector_of(const Wide& wide) {
  Sector s;
  std::memcpy(s.data(), &wide, 32);
  return s;
}

}  // namespace

unsigned size_bytes(unsigned mod) {
  constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 8, 16, 4};
  return kBytes[mod & 7];
}

MemoryBench::MemoryBench(uint64_t seed, const KernelSettings& kernel, uint64_t mem_bytes)
    : RtlBench(seed),
      preset_(preset_with(mem_bytes)),
      kernel_(kernel),
      memory_(preset_),
      golden_(kBase, mem_bytes),
      sm_(static_cast<size_t>(preset_.structure.sms)) {
  for (Sm& s : sm_) {
    s.next_seq.resize(warps());
    s.fenced.resize(warps());
    s.shared.resize(static_cast<size_t>(preset_.structure.shared_bytes));
  }
  for (unsigned s = 0; s < sms(); s++) {
    top->req_valid_i[s] = 0;
    top->rsp_ready_i[s] = 1;
    top->fetch_valid_i[s] = 0;
  }
  top->mem_end_i = kBase + mem_bytes;
  top->l1_enable_i = kernel.l1_enable;
  top->shared_bytes_i = kernel.shared_bytes;
  top->local_bytes_i = kernel.local_bytes;
  top->local_base_i = kernel.local_base;
  top->param_base_i = kernel.param_base;
  top->param_bytes_i = kernel.param_bytes;
  top->const_base_i = kernel.const_base;
  top->kernel_start_i = 0;
  top->flush_i = 0;
  memory_.connect(*top);
  reset();
  // Shared memory and the reference begin alike.
  for (unsigned s = 0; s < sms(); s++) {
    for (uint32_t a = 0; a < sm_[s].shared.size(); a += 512) {
      Instruction in;
      in.op = Opcode::Sts;
      in.mod = memory_mod(MemSize::B128);
      in.shared_base = a;
      for (unsigned l = 0; l < 32; l++) in.address[l] = 16 * l;
      submit(s, in);
    }
  }
  run();
}

uint64_t MemoryBench::local_address(unsigned sm, unsigned warp, unsigned lane, uint32_t offset) const {
  return kernel_.local_base + ((sm * uint64_t{warps()} + warp) * kernel_.local_bytes + (offset & ~15u)) * 32 +
         16 * lane + ((offset & 15) ^ (lane & 8));
}

MemoryBench::Place MemoryBench::place(unsigned sm, const Instruction& in, unsigned lane) const {
  const uint64_t a = in.address[lane];
  const auto low = static_cast<uint32_t>(a);
  const bool generic = in.op == Opcode::Ld || in.op == Opcode::St || in.op == Opcode::Atom;
  if (in.op == Opcode::Lds || in.op == Opcode::Sts || in.op == Opcode::Atoms || (generic && a >> 32 == 15))
    return {true, in.shared_base + low};
  if (in.op == Opcode::Ldl || in.op == Opcode::Stl || (generic && a >> 32 == 14))
    return {false, local_address(sm, in.warp, lane, low)};
  if (in.op == Opcode::Ldc) return {false, ((in.mod >> 10 & 3) == 0 ? kernel_.param_base : kernel_.const_base) + low};
  return {false, a};
}

void MemoryBench::submit(unsigned sm, Instruction in) {
  in.seq = sm_[sm].next_seq[in.warp]++;
  sm_[sm].queue.push_back(std::move(in));
}

void MemoryBench::fill_memory(uint64_t address, const std::vector<uint8_t>& bytes) {
  std::memcpy(memory_.dram().image().at(address, bytes.size()), bytes.data(), bytes.size());
  std::memcpy(golden_.at(address, bytes.size()), bytes.data(), bytes.size());
}

bool MemoryBench::idle() const {
  for (unsigned s = 0; s < sms(); s++)
    if (!sm_[s].queue.empty() || !sm_[s].flights.empty() || top->busy_o[s]) return false;
  return !top->l2_busy_o;
}

bool MemoryBench::run(uint64_t limit) {
  const uint64_t begin = cycle;
  do {
    step();
    if (cycle - begin > limit) {
      ADD_FAILURE() << "not idle after " << limit << " cycles\n" << state();
      return false;
    }
  } while (!idle() && faults.empty() && !::testing::Test::HasFatalFailure());
  return faults.empty();
}

std::string MemoryBench::state() const {
  std::string text = "L2 busy " + std::to_string(top->l2_busy_o) + "\n";
  for (unsigned s = 0; s < sms(); s++) {
    text += "SM " + std::to_string(s) + ": queued " + std::to_string(sm_[s].queue.size()) + ", offered " +
            std::to_string(top->req_valid_i[s]) + ", ready " + std::to_string(top->req_ready_o[s]) + ", busy " +
            std::to_string(top->busy_o[s]) + ", stores " + std::to_string(top->store_pending_o[s]) + "\n";
    for (const auto& [key, f] : sm_[s].flights)
      text += "  warp " + std::to_string(key >> 16) + " seq " + std::to_string(key & 0xffff) + " " +
              std::string(isa::info(f.in.op).mnemonic) + " mod " + std::to_string(f.in.mod) + " mask " +
              std::to_string(f.in.mask) + " read " + std::to_string(f.seen_lanes) + " rows " +
              std::to_string(f.next_row) + " bytes to come " + std::to_string(f.stores.size()) + "\n";
  }
  return text;
}

void MemoryBench::kernel_start() {
  top->kernel_start_i = 1;
  step();
  top->kernel_start_i = 0;
  step();
  step();
}

void MemoryBench::offer(unsigned s) {
  top->req_valid_i[s] = 0;
  if (sm_[s].queue.empty()) return;
  const Instruction& in = sm_[s].queue.front();
  if (sm_[s].fenced[in.warp]) return;
  top->req_valid_i[s] = 1;
  top->req_warp_i[s] = in.warp;
  top->req_seq_i[s] = in.seq;
  top->req_rd_i[s] = in.rd;
  top->req_mask_i[s] = in.mask;
  top->req_op_i[s] = static_cast<uint8_t>(in.op);
  top->req_mod_i[s] = in.mod;
  top->req_pc_i[s] = in.seq * 8u;
  top->req_shared_base_i[s] = in.shared_base;
  for (unsigned l = 0; l < 32; l++) {
    top->req_addr_i[s][l] = static_cast<uint32_t>(in.address[l]);
    top->req_addr_hi_i[s][l] = static_cast<uint32_t>(in.address[l] >> 32);
    for (unsigned w = 0; w < 4; w++) top->req_data_i[s][32 * w + l] = in.data[w][l];
  }
}

void MemoryBench::step() {
  for (unsigned s = 0; s < sms(); s++) {
    if (!top->req_valid_i[s]) offer(s);
    top->rsp_ready_i[s] = rsp_stall == 0 || rng() % rsp_stall != 0;
  }
  settle();
  // The handshakes of this cycle, and the events of the cycle before: they are registers.
  for (unsigned s = 0; s < std::size(top->l2_valid_o); s++)
    if (top->l2_valid_o[s]) on_l2(s);
  for (unsigned s = 0; s < sms(); s++) {
    if (top->l1_valid_o[s]) on_l1(s);
    if (top->load_valid_o[s]) on_load(s);
    if (top->shared_valid_o[s]) top->shared_stores_o[s] ? on_shared_store(s) : on_shared_load(s);
    if (top->rsp_valid_o[s] && top->rsp_ready_i[s]) on_response(s);
    if (top->fault_valid_o[s])
      faults.push_back({s, top->fault_warp_o[s], top->fault_pc_o[s], top->fault_lane_o[s], top->fault_kind_o[s],
                        top->fault_code_o[s], top->fault_address_o[s]});
  }
  memory_.gather(*top);
  std::vector<bool> taken(sms());
  for (unsigned s = 0; s < sms(); s++) taken[s] = top->req_valid_i[s] && top->req_ready_o[s];
  tick();
  for (unsigned s = 0; s < sms(); s++) {
    if (!taken[s]) continue;
    Sm& sm = sm_[s];
    Flight f;
    f.in = std::move(sm.queue.front());
    sm.queue.pop_front();
    f.reduces = reduces(f.in);
    if (is_fence(f.in)) sm.fenced[f.in.warp] = true;
    if (is_store(f.in.op)) {
      const unsigned bytes = size_bytes(f.in.mod);
      const unsigned together = std::min(row_lanes(), store_group(bytes));
      for (unsigned n = 0; n < 32; n++) {
        const unsigned l = storing_lane(bytes, n);
        if (!(f.in.mask >> l & 1)) continue;
        const Place p = place(s, f.in, l);
        if (p.shared) continue;
        for (unsigned b = 0; b < bytes; b++)
          f.stores[n / together][p.address ^ b] = static_cast<uint8_t>(f.in.data[b / 4][l] >> (8 * (b % 4)));
      }
    }
    sm.flights.emplace(uint32_t{f.in.warp} << 16 | f.in.seq, std::move(f));
    top->req_valid_i[s] = 0;
  }
  memory_.answer(*top);
}

Sector MemoryBench::golden_sector(uint64_t sector) {
  Sector s{};
  const uint8_t* p = golden_.at(sector * 32, 32);
  EXPECT_NE(p, nullptr) << "sector outside memory";
  if (p) std::memcpy(s.data(), p, 32);
  return s;
}

MemoryBench::Flight* MemoryBench::flight(unsigned sm, unsigned warp, unsigned seq) {
  auto it = sm_[sm].flights.find(warp << 16 | seq);
  if (it == sm_[sm].flights.end()) {
    ADD_FAILURE() << "cycle " << cycle << ": event of no instruction, sm " << sm << " warp " << warp << " seq " << seq;
    return nullptr;
  }
  return &it->second;
}

void MemoryBench::on_l2(unsigned slice) {
  l2_requests++;
  const unsigned client = top->l2_client_o[slice];
  ASSERT_LT(client, sms());
  Sm& sm = sm_[client];
  const uint64_t sector = top->l2_sector_o[slice];
  const Sector before = golden_sector(sector);
  if (top->l2_kind_o[slice] == 0) {
    EXPECT_EQ(sector_of(top->l2_read_o[slice]), before) << "cycle " << cycle << " sector " << std::hex << sector * 32;
    if (top->l2_id_o[slice] < top->fill_ids_o) {
      EXPECT_EQ(sm.fills.count(top->l2_id_o[slice]), 0u) << "fill id used twice";
      sm.fills[top->l2_id_o[slice]] = {sector, before};
    }
    return;
  }
  const Sector data = sector_of(top->l2_data_o[slice]);
  uint8_t* to = golden_.at(sector * 32, 32);
  Flight* f = flight(client, top->l2_warp_o[slice], top->l2_seq_o[slice]);
  ASSERT_NE(f, nullptr);
  if (top->l2_kind_o[slice] == 1) {
    // A flight stays until its last byte is visible. Earlier stores of the warp to the sector come with it, if there
    // are any.
    const uint32_t key = uint32_t{f->in.warp} << 16 | f->in.seq;
    std::vector<std::pair<uint32_t, Flight*>> joined;  // the latest first
    for (auto it = sm.flights.find(key); it != sm.flights.begin();) {
      --it;
      if (it->first >> 16 != f->in.warp) break;
      joined.emplace_back(it->first, &it->second);
    }
    // The value of a byte that the store, or of the earlier ones the last, has left.
    auto earlier = [&](uint64_t at) -> const uint8_t* {
      for (const auto& [k, e] : joined)
        for (auto bytes = e->stores.rbegin(); bytes != e->stores.rend(); ++bytes)
          if (const auto found = bytes->find(at); found != bytes->end()) return &found->second;
      return nullptr;
    };
    // The first lanes that store together and have all of these bytes left, but for those.
    auto fits = [&](const std::map<uint64_t, uint8_t>& bytes) {
      bool any = false;
      for (uint64_t b = 0; b < 32; b++) {
        if (!(top->l2_mask_o[slice] >> b & 1)) continue;
        const bool mine = bytes.count(sector * 32 + b) != 0;
        if (!mine && !earlier(sector * 32 + b)) return false;
        any |= mine;
      }
      return any;
    };
    const auto found = std::find_if(f->stores.begin(), f->stores.end(), fits);
    auto& stores = found == f->stores.end() ? f->stores[0] : *found;
    for (unsigned b = 0; b < 32; b++) {
      const uint64_t at = sector * 32 + b;
      const auto it = stores.find(at);
      const uint8_t* before_it = earlier(at);
      if (!(top->l2_mask_o[slice] >> b & 1)) {
        EXPECT_EQ(before_it, nullptr) << "overtakes an earlier store of its warp: " << std::hex << at;
        continue;
      }
      ASSERT_TRUE(it != stores.end() || before_it)
          << "cycle " << cycle << ": byte made visible that was not stored, or twice: " << std::hex << at;
      EXPECT_EQ(it != stores.end() ? it->second : *before_it, data[b]) << std::hex << at;
      if (it != stores.end()) {
        for (auto first = f->stores.begin(); &*first != &stores; ++first)
          EXPECT_EQ(first->count(at), 0u) << "lanes that store first still have this byte: " << std::hex << at;
        stores.erase(it);
      }
      joins += before_it != nullptr;
      for (const auto& [k, e] : joined)
        for (auto& bytes : e->stores) bytes.erase(at);
      to[b] = data[b];
    }
    for (const auto& [k, e] : joined)
      if (is_store(e->in.op) && e->answered && e->performed()) sm.flights.erase(k);
    if (f->answered && f->performed()) sm.flights.erase(uint32_t{f->in.warp} << 16 | f->in.seq);
    return;
  }
  const bool wide = top->l2_wide_o[slice], whole = preset().structure.axi_data_bits == 256;
  const unsigned size = wide ? 8 : 4;
  for (const AtomicWord& w : atomic_words(whole, top->l2_mask_o[slice], top->l2_offset_o[slice], wide)) {
    uint64_t old = 0, b = 0, c = 0, found = 0;
    std::memcpy(&old, to + w.at, size);
    std::memcpy(&b, data.data() + w.operand, size);
    std::memcpy(&c, data.data() + w.fresh, size);
    std::memcpy(&found, reinterpret_cast<const uint8_t*>(&top->l2_old_o[slice]) + w.operand, size);
    EXPECT_EQ(found, old) << "cycle " << cycle << ": atomic at " << std::hex << sector * 32 + w.at;
    const uint64_t now =
        atomic_reference(static_cast<isa::AtomOp>(top->l2_atom_op_o[slice]),
                         static_cast<isa::AtomType>(top->l2_atom_type_o[slice]), wide, false, old, b, c);
    std::memcpy(to + w.at, &now, size);
    // Of a sector's words each is the lowest lane's that has not had its turn there.
    unsigned lane = top->l2_lane_o[slice];
    if (whole)
      for (lane = 0; lane < 32; lane++)
        if (f->in.mask >> lane & 1 && !(f->seen_lanes >> lane & 1) && !place(client, f->in, lane).shared &&
            place(client, f->in, lane).address == sector * 32 + w.at)
          break;
    ASSERT_LT(lane, 32u) << "an atomic of no lane";
    const Place p = place(client, f->in, lane);
    EXPECT_FALSE(p.shared);
    EXPECT_EQ(p.address, sector * 32 + w.at);
    EXPECT_EQ(f->seen_lanes >> lane & 1, 0u) << "lane's atomic performed twice";
    f->seen_lanes |= 1u << lane;
    f->seen[lane] = {};
    std::memcpy(f->seen[lane].data(), &old, size);
  }
  EXPECT_EQ(top->l2_kind_o[slice], f->reduces ? 3 : 2);
  if (f->answered && f->performed()) sm.flights.erase(uint32_t{f->in.warp} << 16 | f->in.seq);
}

void MemoryBench::on_l1(unsigned s) {
  Sm& sm = sm_[s];
  const uint64_t line = top->l1_line_o[s];
  const unsigned kind = top->l1_kind_o[s];
  if (kind > 1) {
    if (kind == 2)
      for (unsigned i = 0; i < 4; i++) sm.l1.erase(line * 4 + i);
    else sm.l1.clear();
    return;
  }
  EXPECT_NE(top->l1_sectors_o[s], 0u) << "an event of no sector";
  for (unsigned i = 0; i < 4; i++) {
    if (!(top->l1_sectors_o[s] >> i & 1)) continue;
    const uint64_t sector = line * 4 + i;
    const Sector data = sector_of(top->l1_data_o[s][8 * i]);
    if (kind == 0) {
      const unsigned id = top->l1_id_o[s] + i;
      fills++;
      auto it = sm.fills.find(id);
      ASSERT_NE(it, sm.fills.end()) << "fill of an id that L2 has not read";
      EXPECT_EQ(it->second.first, sector);
      EXPECT_EQ(data, it->second.second);
      if (top->l1_installed_o[s]) sm.l1[sector] = it->second.second;
      // The id may be used again once its waiters are served; keep its data for them.
      sm.fills[512 + id] = it->second;
      sm.fills.erase(id);
    } else {
      auto it = sm.l1.find(sector);
      ASSERT_NE(it, sm.l1.end()) << "update of a sector that is not there";
      for (unsigned b = 0; b < 32; b++)
        if (top->l1_mask_o[s][i] >> b & 1) it->second[b] = data[b];
    }
  }
}

void MemoryBench::read_now(unsigned s, Flight* f, uint32_t lanes,
                           const std::function<const uint8_t*(const Place&)>& from) {
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(lanes & f->seen_lanes, 0u) << "lanes read twice";
  EXPECT_EQ(lanes & ~f->in.mask, 0u) << "lanes read that do not execute";
  f->seen_lanes |= lanes;
  for (unsigned l = 0; l < 32; l++) {
    if (!(lanes >> l & 1)) continue;
    const uint8_t* at = from(place(s, f->in, l));
    ASSERT_NE(at, nullptr);
    const uint64_t first = place(s, f->in, l).address & 15;
    for (unsigned b = 0; b < size_bytes(f->in.mod); b++) f->seen[l][b] = (at - first)[first ^ b];
  }
}

void MemoryBench::on_shared_load(unsigned s) {
  read_now(s, flight(s, top->shared_warp_o[s], top->shared_seq_o[s]), top->shared_lanes_o[s], [&](const Place& p) {
    EXPECT_TRUE(p.shared);
    return p.shared ? &sm_[s].shared.at(p.address) : nullptr;
  });
}

void MemoryBench::on_load(unsigned s) {
  Sm& sm = sm_[s];
  Flight* f = flight(s, top->load_warp_o[s], top->load_seq_o[s]);
  read_now(s, f, top->load_lanes_o[s], [&](const Place& p) -> const uint8_t* {
    if (top->load_source_o[s] == 1) {
      l1_hits++;
      auto it = sm.l1.find(p.address / 32);
      EXPECT_NE(it, sm.l1.end()) << "hit of a sector that is not there";
      return it == sm.l1.end() ? nullptr : it->second.data() + p.address % 32;
    }
    EXPECT_EQ(top->load_source_o[s], 2);
    auto it = sm.fills.find(512 + top->load_id_o[s] + p.address / 32 % 4);
    if (it == sm.fills.end()) return nullptr;
    EXPECT_EQ(it->second.first, p.address / 32) << "fill of another sector";
    return it->second.second.data() + p.address % 32;
  });
}

void MemoryBench::on_shared_store(unsigned s) {
  Flight* f = flight(s, top->shared_warp_o[s], top->shared_seq_o[s]);
  ASSERT_NE(f, nullptr);
  const uint32_t lanes = top->shared_lanes_o[s];
  EXPECT_EQ(lanes & f->stored_lanes, 0u);
  f->stored_lanes |= lanes;
  const unsigned bytes = size_bytes(f->in.mod);
  for (unsigned n = 0; n < 32; n++) {
    const unsigned l = storing_lane(bytes, n);
    if (!(lanes >> l & 1)) continue;
    if (f->in.op == Opcode::Ldgsts) {
      EXPECT_TRUE(f->seen_lanes >> l & 1) << "a copy stores what it has not loaded";
      std::memcpy(&sm_[s].shared.at(f->in.shared_base + f->in.data[0][l]), f->seen[l].data(), bytes);
      continue;
    }
    const Place p = place(s, f->in, l);
    ASSERT_TRUE(p.shared);
    if (is_atomic(f->in.op)) {
      // Lanes of one word go one after the other, from the lowest on.
      for (unsigned m = 0; m < l; m++) {
        const bool same = (f->in.mask >> m & 1) && place(s, f->in, m).shared && place(s, f->in, m).address == p.address;
        EXPECT_TRUE(!same || (f->seen_lanes & ~lanes) >> m & 1) << "lane " << l << " before lane " << m;
      }
      EXPECT_EQ(f->seen_lanes >> l & 1, 0u) << "lane's atomic performed twice";
      f->seen_lanes |= 1u << l;
      const auto operand = [&](unsigned k) { return f->in.data[k][l] | uint64_t{f->in.data[k + 1][l]} << 32; };
      uint64_t old = 0;
      std::memcpy(&old, &sm_[s].shared.at(p.address), bytes);
      const uint64_t now = atomic_reference(static_cast<isa::AtomOp>(f->in.mod >> 3 & 15),
                                            static_cast<isa::AtomType>(f->in.mod >> 7 & 7), bytes == 8, true, old,
                                            operand(0), operand(2));
      std::memcpy(&sm_[s].shared.at(p.address), &now, bytes);
      std::memcpy(f->seen[l].data(), &old, 8);
      continue;
    }
    for (unsigned b = 0; b < bytes; b++)
      sm_[s].shared.at(p.address + b) = static_cast<uint8_t>(f->in.data[b / 4][l] >> (8 * (b % 4)));
  }
}

void MemoryBench::on_response(unsigned s) {
  Flight* f = flight(s, top->rsp_warp_o[s], top->rsp_seq_o[s]);
  ASSERT_NE(f, nullptr);
  const Instruction& in = f->in;
  const bool reads = is_load(in.op) || (is_atomic(in.op) && !f->reduces);
  EXPECT_EQ(top->rsp_we_o[s], reads);
  EXPECT_EQ(top->rsp_index_o[s], f->next_row);
  EXPECT_EQ(top->rsp_mask_o[s], in.mask);
  EXPECT_FALSE(f->answered);
  f->next_row++;
  responses++;
  if (reads) {
    EXPECT_EQ(f->seen_lanes, in.mask) << "answered before all lanes were read";
    for (unsigned l = 0; l < 32; l++) {
      if (!(in.mask >> l & 1)) continue;
      EXPECT_EQ(top->rsp_row_o[s][l], word_of(f->seen[l], in.mod, f->next_row - 1))
          << "cycle " << cycle << " sm " << s << " warp " << unsigned{in.warp} << " seq " << in.seq << " lane " << l
          << " " << isa::info(in.op).mnemonic << " address " << std::hex << in.address[l];
    }
  }
  if (reads && in.check) {
    Row row;
    for (unsigned l = 0; l < 32; l++) row[l] = top->rsp_row_o[s][l];
    in.check(f->next_row - 1, row);
  }
  if (!top->rsp_last_o[s]) return;
  const unsigned bytes = size_bytes(in.mod);
  if (reads) {
    EXPECT_EQ(f->next_row, bytes <= 4 ? 1 : bytes / 4);
  }
  if (is_store(in.op) || is_atomic(in.op)) {
    for (unsigned l = 0; l < 32; l++)
      EXPECT_TRUE(!(in.mask >> l & 1) || !place(s, in, l).shared || f->stored_lanes >> l & 1)
          << "ends before all of it is performed in shared memory";
  }
  if (in.op == Opcode::Ldgsts) {
    EXPECT_EQ(f->stored_lanes, in.mask) << "a copy ends before all of it is in shared memory";
  }
  if (is_fence(in)) sm_[s].fenced[in.warp] = false;
  f->answered = true;
  if (f->performed()) sm_[s].flights.erase(uint32_t{in.warp} << 16 | in.seq);
}

void MemoryBench::flush_and_compare() {
  top->flush_i = 1;
  for (int i = 0; i < 100000 && !top->flush_done_o; i++) step();
  EXPECT_TRUE(top->flush_done_o);
  top->flush_i = 0;
  step();
  EXPECT_EQ(
      std::memcmp(memory_.dram().image().at(kBase, golden_.size()), golden_.at(kBase, golden_.size()), golden_.size()),
      0)
      << "memory differs from the reference";
}

}  // namespace heddle::test
