// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/rtl/sm/sm_bench.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/isa.h"
#include "tests/unit/rtl/sm/packed.h"

namespace heddle::test {
namespace {

int index_width(int n) { return n <= 1 ? 1 : std::bit_width(static_cast<unsigned>(n - 1)); }

Preset read_preset() {
  auto preset = load_preset(HEDDLE_PRESET_FILE);
  if (!preset) {
    ADD_FAILURE() << preset.error().message();
    return {};
  }
  return *preset;
}

}  // namespace

SmBench::SmBench(std::uint64_t seed)
    : RtlBench<Vsm>(seed),
      preset(read_preset()),
      memory_(kEnd - kMemory),
      pieces_(256 / std::clamp(static_cast<unsigned>(preset.structure.axi_data_bits), 64u, 256u)),
      request_{pieces_} {
  drive_settings();
  top->sm_id_i = 0;
  top->cycle_i = 0;
  top->kernel_start_i = 0;
  top->block_valid_i = 0;
  top->mem_req_ready_i = 0;
  top->mem_rsp_valid_i = 0;
  reset();
}

void SmBench::drive_settings() {
  Pack p;
  p(1, 1)(kCode, 40)(code_size_, 32)(kEnd, 40)(policy, 2)(yield_branches, 16)(1, 1);
  p.to_words(top->settings_i);
}

void SmBench::load(const std::vector<std::string>& lines) {
  std::map<std::string, std::uint32_t> labels;
  std::uint32_t pc = 0;
  for (const std::string& line : lines) {
    if (line.back() == ':') labels[line.substr(0, line.size() - 1)] = pc;
    else pc += 8;
  }
  std::vector<std::uint64_t> words;
  for (std::string line : lines) {
    if (line.back() == ':') continue;
    for (const auto& [name, at] : labels) {
      const auto found = line.find("&" + name);
      if (found == std::string::npos) continue;
      char address[16];
      std::snprintf(address, sizeof address, "0x%x", at);
      line.replace(found, name.size() + 1, address);
    }
    const auto word = isa::assemble(line, static_cast<std::uint32_t>(8 * words.size()));
    ASSERT_TRUE(word.has_value()) << "cannot assemble: " << line;
    words.push_back(*word);
  }
  load_words(words);
}

void SmBench::load_words(const std::vector<std::uint64_t>& words) {
  code_size_ = static_cast<std::uint32_t>(8 * words.size());
  std::memcpy(&memory_[kCode - kMemory], words.data(), code_size_);
}

std::uint32_t SmBench::word(std::uint64_t address) {
  std::uint32_t value;
  std::memcpy(&value, &memory_.at(address - kMemory), 4);
  return value;
}

void SmBench::set_word(std::uint64_t address, std::uint32_t value) {
  std::memcpy(&memory_.at(address - kMemory), &value, 4);
}

void SmBench::begin(const Launch& launch) {
  launch_ = launch;
  for (std::size_t i = 0; i < launch.params.size(); i++) set_word(kParams + 4 * i, launch.params[i]);
  const unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  const unsigned warps = (threads + 31) / 32;
  Pack p;
  p(0, 32)(launch.registers, 8)(launch.shared_bytes, 18)(0, 18)(16, 32)(launch.grid[0], 32)(launch.grid[1], 16)(
      launch.grid[2], 16)(launch.block[0], 11)(launch.block[1], 11)(launch.block[2], 7)(threads, 11)(warps, 6)(0, 1)(
      1, 5)(1, 5)(1, 5)(1, 5)(kParams, 40)(4 * std::max<std::size_t>(launch.params.size(), 1), 17)(kConstants, 40)(
      kEnd - 0x10000, 40)(0, 32)(0, 32)(7, 32);
  EXPECT_EQ(p.width(), 472u);
  p.to_words(top->kernel_i);
  drive_settings();

  const auto& s = preset.structure;
  const unsigned rows = launch.registers + launch.registers % 2;
  unsigned by_warps = static_cast<unsigned>(s.warps_per_sm()) / warps;
  while ((by_warps * warps + static_cast<unsigned>(s.sub_partitions) - 1) / static_cast<unsigned>(s.sub_partitions) *
             rows >
         static_cast<unsigned>(s.register_rows))
    by_warps--;
  slots_ = std::min(by_warps, static_cast<unsigned>(s.blocks_per_sm));
  if (launch.shared_bytes != 0) slots_ = std::min(slots_, static_cast<unsigned>(s.shared_bytes) / launch.shared_bytes);
  EXPECT_GT(slots_, 0u) << "the block does not fit";
  slot_.assign(slots_, {});
  blocks_ = blocks_left_ = launch.grid[0] * launch.grid[1] * launch.grid[2];
  next_block_ = 0;
  offered_ = -1;
  warp_instructions = thread_instructions = kernel_cycles = 0;
  top->kernel_start_i = 1;
  step();
  top->kernel_start_i = 0;
}

void SmBench::offer_block() {
  if (offered_ < 0 && next_block_ < blocks_) {
    for (unsigned s = 0; s < slots_ && offered_ < 0; s++) {
      if (!slot_[s].busy) offered_ = static_cast<int>(s);
    }
    if (offered_ >= 0) {
      const auto& s = preset.structure;
      const auto slot = static_cast<unsigned>(offered_);
      const unsigned warps = (launch_.block[0] * launch_.block[1] * launch_.block[2] + 31) / 32;
      const auto b = static_cast<unsigned>(next_block_);
      Pack p;
      p(slot, index_width(s.blocks_per_sm))(slot * warps, index_width(s.warps_per_sm()))(
          slot * launch_.shared_bytes, index_width(s.shared_bytes))(b % launch_.grid[0], 32)(
          b / launch_.grid[0] % launch_.grid[1], 16)(b / launch_.grid[0] / launch_.grid[1], 16)(0, 16);
      p.to_words(top->block_i);
    }
  }
  top->block_valid_i = offered_ >= 0;
}

void SmBench::memory_request() {
  const ReqBits fields{pieces_, static_cast<unsigned>(index_width(preset.structure.warps_per_sm())),
                       preset.structure.float_atomics ? 3u : 1u, id_bits()};
  const auto field = [&](unsigned at, unsigned width) { return get_bits(top->mem_req_o, at, width); };
  Response r;
  r.kind = static_cast<unsigned>(field(fields.kind(), 2));
  r.id = static_cast<unsigned>(field(fields.id(), fields.id_bits));
  const std::uint64_t sector = field(fields.sector(), 35) * 32;
  const auto offset = static_cast<unsigned>(field(fields.offset(), 5));
  const bool wide = field(fields.wide(), 1) != 0;
  const auto op = static_cast<unsigned>(field(fields.atom_op(), 4));
  const auto same = std::tuple{r.kind, r.id, sector, offset, wide, op};
  ASSERT_TRUE(request_.next == 0 || request_.done || same == request_of_) << "a beat of another request comes between";
  request_of_ = same;
  ASSERT_TRUE(request_.take(beats_of_request(pieces_, r.kind), get_beat(top->mem_req_o, 0, fields)))
      << "beats out of order";
  if (!request_.done) return;
  const std::uint32_t mask = request_.mask;
  std::array<std::uint32_t, 8> data;
  std::memcpy(data.data(), request_.bytes.data(), 32);
  r.link = link_of(sector);
  r.due = cycle + latency + (stall_one_in != 0 ? rng() % latency : 0);
  ASSERT_GE(sector, kMemory);
  ASSERT_LT(sector, kEnd);
  std::uint8_t* bytes = &memory_[sector - kMemory];
  if (r.kind == kReqRead) {
    // Where sectors travel whole: further sectors of the line.
    for (unsigned s = 0; s < 4; s++) {
      if (pieces_ != 1 || !(mask >> s & 1)) continue;
      Response further = r;
      further.id = (r.id & ~3u) | s;
      std::memcpy(further.data.data(), &memory_[(sector & ~std::uint64_t{127}) + 32 * s - kMemory], 32);
      responses_.push_back(further);
    }
    std::memcpy(r.data.data(), bytes, 32);
  } else if (r.kind == kReqWrite) {
    for (unsigned i = 0; i < 32; i++) {
      if (mask >> i & 1) bytes[i] = request_.bytes[i];
    }
  } else {
    ASSERT_FALSE(wide);
    r.data = {};
    std::memcpy(r.data.data(), pieces_ == 1 ? bytes : bytes + offset, pieces_ == 1 ? 32 : 4);
    // Where sectors travel whole: words of the mask, their operands in place, a cas' new values in the other half.
    for (unsigned word = 0; word < 8; word++) {
      if (pieces_ != 1 ? word != offset / 4 : !(mask >> 4 * word & 1)) continue;
      const unsigned operand = pieces_ != 1 ? 0 : word, fresh = pieces_ != 1 ? 2 : word ^ 4;
      std::uint32_t old;
      std::memcpy(&old, bytes + 4 * word, 4);
      std::uint32_t now = data[operand];
      if (op == 0) now = old + data[operand];
      else if (op == 9) now = old == data[operand] ? data[fresh] : old;
      std::memcpy(bytes + 4 * word, &now, 4);
    }
  }
  responses_.push_back(r);
}

void SmBench::memory_response() {
  top->mem_rsp_valid_i = 0;
  if (responses_.empty() || (stall_one_in != 0 && one_in(stall_one_in))) return;
  if (answer_.empty()) {
    // Any answer that is due may come.
    std::size_t i = stall_one_in != 0 ? rng() % responses_.size() : 0;
    if (responses_[i].due > cycle) i = 0;
    if (responses_[i].due > cycle) return;
    std::swap(responses_[0], responses_[i]);
    const auto beats = split(pieces_, beats_of_answer(pieces_, responses_[0].kind), responses_[0].data);
    answer_.assign(beats.begin(), beats.end());
  }
  const RspBits fields{pieces_, id_bits()};
  const unsigned at = responses_.front().link * fields.bits();
  set_answer(top->mem_rsp_i, at, fields, responses_.front().kind, responses_.front().id, false);
  set_beat(top->mem_rsp_i, at, fields, answer_.front());
  top->mem_rsp_valid_i = static_cast<unsigned char>(1 << responses_.front().link);
}

void SmBench::step() {
  if (top->mem_rsp_valid_i == 0) memory_response();
  top->mem_req_ready_i = stall_one_in == 0 || !one_in(stall_one_in);
  offer_block();
  top->cycle_i = cycle;
  settle();
  const bool answered = (top->mem_rsp_valid_i & top->mem_rsp_ready_o) != 0;
  if (top->mem_req_valid_o != 0 && top->mem_req_ready_i != 0) memory_request();
  const bool taken = top->block_valid_i != 0 && top->block_ready_o != 0;
  tick();
  kernel_cycles++;
  if (answered) {
    answer_.pop_front();
    if (answer_.empty()) responses_.pop_front();
    top->mem_rsp_valid_i = 0;
  }
  if (taken) {
    slot_[static_cast<std::size_t>(offered_)].busy = true;
    offered_ = -1;
    next_block_++;
  }
  warp_instructions += top->count_warp_o;
  thread_instructions += top->count_thread_o;
  if (top->done_valid_o != 0) {
    EXPECT_TRUE(slot_.at(top->done_slot_o).busy) << "a block that did not run is done";
    slot_.at(top->done_slot_o).busy = false;
    blocks_left_--;
  }
}

void SmBench::launch(const Launch& launch) {
  begin(launch);
  while (!finished() && kernel_cycles < launch.max_cycles && top->fault_valid_o == 0) step();
  EXPECT_TRUE(finished()) << (top->fault_valid_o ? "fault"
                              : top->stuck_o     ? "deadlock"
                                                 : "does not end")
                          << " after " << kernel_cycles << " cycles, fault kind " << (fault() ? fault()->kind : 0)
                          << " pc " << (fault() ? fault()->pc : 0) << ", waiting " << std::hex << top->waiting_o;
}

std::optional<Fault> SmBench::fault() {
  if (top->fault_valid_o == 0) return std::nullopt;
  const int warp_width = index_width(preset.structure.warps_per_sm());
  Unpack u(top->fault_o, 4 + 32 + warp_width + 10 + 32 + 64 + 64);
  Fault f;
  f.kind = static_cast<unsigned>(u(4));
  f.code = static_cast<unsigned>(u(32));
  f.warp = static_cast<unsigned>(u(warp_width));
  f.thread = static_cast<unsigned>(u(10));
  f.pc = static_cast<unsigned>(u(32));
  f.address = u(64);
  f.ctaid_x = static_cast<unsigned>(u(32));
  return f;
}

}  // namespace heddle::test
