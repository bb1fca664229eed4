// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram.h"

#include <algorithm>
#include <cstring>

#include "host-runtime/device/contract.h"

namespace heddle::dram {

namespace {
constexpr uint64_t kLine = 128;             // bytes; those of a channel are whole lines
constexpr uint64_t kWriteAnswerCycles = 4;  // a write is answered once the controller holds it
}  // namespace

Dram::Dram(const Preset& preset)
    : image_(contract::kMemoryBase, preset.runtime.mem_bytes),
      channels_(static_cast<size_t>(preset.structure.memory_channels), Channel(preset, image_)) {}

Channel::Channel(const Preset& preset, Image& image)
    : image_(image),
      beat_bytes_(preset.structure.axi_data_bits / 8),
      channels_(static_cast<uint64_t>(preset.structure.memory_channels)),
      timing_(preset.dram) {
  timing_.banks /= preset.structure.memory_channels;
  timing_.bytes_per_cycle /= preset.structure.memory_channels;
  timing_.queue /= preset.structure.memory_channels;
  banks_.resize(static_cast<size_t>(timing_.banks));
}

Counters Dram::counters() const {
  Counters sum;
  for (const Channel& channel : channels_) {
    const Counters& c = channel.counters();
    sum.reads += c.reads, sum.writes += c.writes;
    sum.read_bytes += c.read_bytes, sum.written_bytes += c.written_bytes;
    sum.row_hits += c.row_hits, sum.row_misses += c.row_misses;
  }
  return sum;
}

// Takes bank and bus for an access; the cycle in which its data can begin to flow.
uint64_t Channel::schedule(uint64_t address, uint64_t bytes) {
  const uint64_t offset = address - image_.base(), of_channel = offset / kLine / channels_ * kLine;
  const uint64_t row_number = of_channel / static_cast<uint64_t>(timing_.row_bytes);
  const uint64_t row = row_number / banks_.size();
  // Rows are spread over the banks by a hash, as memory controllers do: arrays whose distance is a power
  // of two would else fight for one bank.
  Bank& bank = banks_[(row_number + row + row / banks_.size()) % banks_.size()];
  while (bank.size() > 1 && bank.front().end < cycle_) bank.pop_front();
  const uint64_t per_cycle = static_cast<uint64_t>(timing_.bytes_per_cycle),
                 moving = (bytes + per_cycle - 1) / per_cycle;
  auto opening = std::find_if(bank.begin(), bank.end(), [row](const Opening& o) { return o.row == row; });
  const bool hit = opening != bank.end();
  const uint64_t start = std::max(cycle_, hit ? opening->end : bank.empty() ? 0 : bank.back().end);
  const int latency = hit ? timing_.row_hit_cycles : timing_.row_miss_cycles;
  if (hit) {
    opening->end = start + moving;
    // Those after it give way; when their data flow stays as it was told.
    while (++opening != bank.end()) opening->end += moving;
  } else {
    bank.push_back({row, start + static_cast<uint64_t>(latency - timing_.row_hit_cycles) + moving});
  }
  (hit ? counters_.row_hits : counters_.row_misses)++;
  return take_bus(start + static_cast<uint64_t>(latency), bytes);
}

// Gives the access the bus' first free bytes from cycle `from` on, so that one which waits for a row keeps no other off
// the bus; the cycle of its first.
uint64_t Channel::take_bus(uint64_t from, uint64_t bytes) {
  for (uint64_t n = 0; bus_from_ < cycle_ && n < kHorizon; n++) bus_[bus_from_++ % kHorizon] = 0;
  bus_from_ = cycle_;
  uint64_t first = 0;
  for (uint64_t at = from; bytes != 0; at++) {
    if (at - cycle_ >= kHorizon) return first != 0 ? first : at;  // so far ahead nobody competes
    uint32_t& given = bus_[at % kHorizon];
    const uint64_t now = std::min(bytes, static_cast<uint64_t>(timing_.bytes_per_cycle) - given);
    if (now != 0 && first == 0) first = at;
    given += static_cast<uint32_t>(now);
    bytes -= now;
  }
  return first;
}

void Channel::accept(const Axi& axi) {
  if (axi.arvalid && axi.arready) {
    const uint64_t bytes = (axi.arlen + uint64_t{1}) * static_cast<uint64_t>(beat_bytes_);
    Burst b{axi.araddr, 0, axi.arid, static_cast<uint8_t>(axi.arlen + 1), 0, image_.at(axi.araddr, bytes) == nullptr};
    const uint64_t due = b.error ? cycle_ + 1 : schedule(axi.araddr, bytes);
    b.due = std::max(due, last_due_[axi.arid]);
    last_due_[axi.arid] = b.due;
    counters_.reads++;
    // By due time, equals in order; a burst that has begun stays in front.
    auto at = reads_.end();
    while (at != reads_.begin() && std::prev(at)->due > b.due && std::prev(at)->beat == 0) --at;
    reads_.insert(at, b);
  }
  if (axi.awvalid && axi.awready)
    writes_.push_back({axi.awaddr, 0, axi.awid, static_cast<uint8_t>(axi.awlen + 1), 0, false});
  if (axi.wvalid && axi.wready) {
    beats_.push_back({axi.wdata, axi.wstrb});
    counters_.written_bytes += static_cast<uint64_t>(beat_bytes_);
  }
}

// Puts data that have an address into memory; the answer follows the last beat.
void Channel::absorb_writes() {
  while (!beats_.empty() && !writes_.empty()) {
    Burst& b = writes_.front();
    const Beat& beat = beats_.front();
    const auto width = static_cast<uint64_t>(beat_bytes_);
    uint8_t* to = image_.to_write(b.address + b.beat * width, width);
    if (to) {
      for (int i = 0; i < beat_bytes_; i++)
        if (beat.strobe >> i & 1) to[i] = beat.data[static_cast<size_t>(i)];
    } else {
      b.error = true;
    }
    beats_.pop_front();
    if (++b.beat < b.beats) continue;
    if (!b.error) schedule(b.address, b.beats * width);
    counters_.writes++;
    b.due = cycle_ + kWriteAnswerCycles;
    answers_.push_back(b);
    writes_.pop_front();
  }
}

void Channel::answer(Axi& axi) {
  if (!axi.rvalid && !reads_.empty() && reads_.front().due <= cycle_) {
    Burst& b = reads_.front();
    const auto width = static_cast<uint64_t>(beat_bytes_);
    const uint8_t* from = image_.at(b.address + b.beat * width, width);
    if (from) std::memcpy(axi.rdata.data(), from, width);
    else axi.rdata.fill(0);
    axi.rvalid = true;
    axi.rid = b.id;
    axi.rresp = b.error ? kDecErr : kOkay;
    axi.rlast = ++b.beat == b.beats;
    if (axi.rlast) reads_.pop_front();
  }
  if (!axi.bvalid && !answers_.empty() && answers_.front().due <= cycle_) {
    axi.bvalid = true;
    axi.bid = answers_.front().id;
    axi.bresp = answers_.front().error ? kDecErr : kOkay;
    answers_.pop_front();
  }
}

void Channel::step(Axi& axi) {
  cycle_++;
  if (axi.rvalid && axi.rready) {
    axi.rvalid = false;
    counters_.read_bytes += static_cast<uint64_t>(beat_bytes_);
  }
  if (axi.bvalid && axi.bready) axi.bvalid = false;
  accept(axi);
  absorb_writes();
  answer(axi);
  const size_t under_way = reads_.size() + writes_.size() + answers_.size();
  const bool room = under_way < static_cast<size_t>(timing_.queue);
  axi.arready = room;
  axi.awready = room;
  // Data may run ahead of their address by a few beats.
  axi.wready = beats_.size() < 16;
  idle_ = under_way == 0 && beats_.empty();
}

}  // namespace heddle::dram
