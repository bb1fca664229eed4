// SPDX-License-Identifier: Apache-2.0
#include "sim/model/processor.h"

#include <algorithm>
#include <cstring>

namespace heddle::model {

using namespace contract;  // NOLINT(google-build-using-namespace): the constants are this file's
                           // subject

Result<std::unique_ptr<Processor>> Processor::create(const Preset& preset, const heddle_host_port* host,
                                                     uint64_t seed) {
  auto memory = DeviceMemory::create(preset.runtime.mem_bytes);
  if (!memory) return memory.error();
  return std::unique_ptr<Processor>(new Processor(preset, std::move(*memory), host, seed));
}

Processor::Processor(const Preset& preset, DeviceMemory memory, const heddle_host_port* host, uint64_t seed)
    : preset_(preset),
      hosted_(host != nullptr),
      host_(host ? *host : heddle_host_port{}),
      memory_(std::move(memory)),
      machine_(preset_.structure, memory_),
      rings_(static_cast<size_t>(preset.structure.rings)),
      mem_size_(preset.runtime.mem_bytes),
      undefined_(static_cast<uint32_t>(seed * 0x9e3779b97f4a7c15 >> 32)),
      yield_branches_(static_cast<uint32_t>(preset.runtime.yield_branches)),
      max_warps_(static_cast<uint32_t>(preset.structure.warps_per_sm())),
      waiting_(static_cast<size_t>(preset.structure.sms)),
      resident_(static_cast<size_t>(preset.structure.sms)) {}

ProcessorStats Processor::stats() const {
  ProcessorStats s = finished_;
  if (machine_.state() == Machine::State::Running) {
    s.warp_instructions += machine_.counters().warp_instructions;
    s.thread_instructions += machine_.counters().thread_instructions;
  }
  return s;
}

bool Processor::wait(uint64_t max_cycles) {
  const uint64_t end = machine_.cycle() + max_cycles;
  while (!interrupt() && machine_.cycle() < end && advance(end)) {
  }
  return interrupt();
}

bool Processor::step(uint64_t max_cycles) {
  const uint64_t end = machine_.cycle() + max_cycles, started = transfers_;
  const bool level = interrupt();
  while (interrupt() == level && transfers_ == started && machine_.cycle() < end && advance(end)) {
  }
  return interrupt();
}

// A step of the command under way, or of the next; false: nothing to do, or the host has not answered.
bool Processor::advance(uint64_t end) {
  if (transfer_ != Transfer::None) return false;
  if (!executing_) return fetch();
  const Machine::State state = machine_.run(end - machine_.cycle());
  if (state != Machine::State::Running) finish_kernel(state);
  return true;
}

// Takes the next command of the rings, one after the other.
bool Processor::fetch() {
  for (size_t tries = 0; tries < rings_.size(); tries++) {
    const Ring& r = rings_[ring_];
    if (r.head != r.tail && r.entries != 0) {
      read_host(Transfer::Fetch, r.address + uint64_t{r.head % r.entries} * kCommandBytes, &command_, kCommandBytes);
      return true;
    }
    ring_ = (ring_ + 1) % rings_.size();
  }
  return false;
}

// ---- host memory: at once, or by the host port, whose answer goes on with the command ----------------

void Processor::read_host(Transfer what, uint64_t address, void* to, uint64_t bytes) {
  if (hosted_) {
    transfer_ = what;
    return host_.read(host_.context, ++transfers_, address, to, bytes);
  }
  std::memmove(to, reinterpret_cast<const uint8_t*>(address), bytes);
  transferred(what, false);
}

void Processor::write_host(Transfer what, uint64_t address, const void* from, uint64_t bytes) {
  if (hosted_) {
    transfer_ = what;
    return host_.write(host_.context, ++transfers_, address, from, nullptr, bytes);
  }
  std::memmove(reinterpret_cast<uint8_t*>(address), from, bytes);
  transferred(what, false);
}

void Processor::host_done(uint64_t tag, bool error, uint64_t cycles) {
  if (tag != transfers_ || transfer_ == Transfer::None) return;
  machine_.advance(cycles);
  const Transfer what = transfer_;
  transfer_ = Transfer::None;
  transferred(what, error);
  if (reset_wanted_ && transfer_ == Transfer::None && !executing_) finish_reset();
}

void Processor::transferred(Transfer what, bool error) {
  switch (what) {
    case Transfer::Fetch: return error ? refuse() : begin();
    case Transfer::CopyIn:
    case Transfer::CopyOut: return row_moved(what == Transfer::CopyIn, error);
    case Transfer::Record: return error ? refuse() : finish_command();
    case Transfer::None: return;
  }
}

// Host memory refused a command or its record: there is no place to write a record to.
void Processor::refuse() {
  faulted_ = true;
  irq_status_ |= kIrqFault;
  rings_[ring_].head++;
}

void Processor::begin() {
  machine_.advance(1);
  first_cycle_ = machine_.cycle();
  if (faulted_) return complete(kStatusAborted);
  switch (command_.words[kWordOpcode] & 0xff) {
    case kCommandNop: return complete(kStatusOk);
    case kCommandLaunch: return launch();
    case kCommandCopy:
    case kCommandFill: return copy();
    default: return complete(kStatusBadCommand);
  }
}

void Processor::launch() {
  const auto word = [this](uint64_t w) { return command_.words[w]; };
  Launch l;
  l.entry_pc = word(kWordEntryPc);
  l.registers = word(kWordRegisters);
  l.shared_bytes = word(kWordSharedBytes);
  l.dynamic_shared = word(kWordDynamicShared);
  l.local_bytes = word(kWordLocalBytes);
  for (uint64_t i = 0; i < 3; i++) {
    l.grid[i] = word(kWordGridX + i);
    l.block[i] = word(kWordBlockX + i);
    l.cluster[i] = std::max(word(kWordClusterX + i), 1u);
  }
  l.clusters = word(kWordClusterX) != 0;
  l.param_base = command_.get64(kWordParamBase);
  l.param_bytes = word(kWordParamBytes);
  l.const_base = command_.get64(kWordConstBase);
  l.local_base = command_.get64(kWordLocalBase);
  l.envreg0 = word(kWordEnvreg0);
  l.envreg1 = word(kWordEnvreg1);
  l.grid_id = word(kWordGridId);
  l.code_base = code_base_;
  l.code_size = code_size_;
  l.undefined = undefined_;
  l.mem_end = DeviceMemory::kBase + mem_size_;
  const bool bad_shape = l.grid[0] == 0 || l.grid[1] == 0 || l.grid[2] == 0 || l.grid[1] > 0xffff ||
                         l.grid[2] > 0xffff || l.block[0] > 1024 || l.block[1] > 1024 || l.block[2] > 64 ||
                         l.threads() == 0 || l.threads() > 1024 || l.registers > 255 || l.shared_bytes >> 18 != 0 ||
                         l.param_bytes >> 17 != 0 || l.grid[0] % l.cluster[0] != 0 || l.grid[1] % l.cluster[1] != 0 ||
                         l.grid[2] % l.cluster[2] != 0 || l.cluster[0] > 16 || l.cluster[1] > 16 || l.cluster[2] > 16;
  if (profiling_) profile_.begin(l);
  machine_.observe(profiling_ ? &profile_ : nullptr);
  if (bad_shape || !machine_.start(l, {max_warps_, yield_branches_, cycle_limit_})) return complete(kStatusBadCommand);
  blocks_total_ = static_cast<uint32_t>(l.blocks());
  executing_ = true;
}

void Processor::finish_kernel(Machine::State state) {
  executing_ = false;
  finished_.warp_instructions += machine_.counters().warp_instructions;
  finished_.thread_instructions += machine_.counters().thread_instructions;
  if (state == Machine::State::Done) {
    machine_.stop();
    return complete(kStatusOk);
  }
  for (uint32_t s = 0; s < waiting_.size(); s++) {
    waiting_[s] = machine_.waiting_warps(s);
    resident_[s] = machine_.resident_warps(s);
  }
  machine_.stop();
  faulted_ = true;
  irq_status_ |= kIrqFault;
  if (state == Machine::State::Fault) {
    fault_ = machine_.fault();
    return complete(kStatusFault);
  }
  complete(state == Machine::State::Deadlock ? kStatusDeadlock : kStatusTimeout);
}

void Processor::copy() {
  source_ = command_.get64(kWordSource);
  destination_ = command_.get64(kWordDestination);
  more_rows_ = command_.words[kWordMoreRows];
  const uint64_t bytes = command_.get64(kWordBytes);
  if (bytes == 0) return complete(kStatusOk);
  if (!copy_in_memory()) return complete(kStatusBadCommand);
  copy_rows();
}

// Whether all that the rows have in device memory is there.
bool Processor::copy_in_memory() const {
  const uint32_t op = command_.words[kWordOpcode];
  const bool fill = (op & 0xff) == kCommandFill;
  const auto there = [&](uint64_t first, uint64_t pitch) {
    const uint64_t bytes = command_.get64(kWordBytes), last = more_rows_ * pitch;
    return memory_.contains(first, bytes) && last < uint64_t{1} << 40 && memory_.contains(first + last, bytes);
  };
  return ((!fill && (op & kFlagDestinationHost)) || there(destination_, command_.words[kWordDestinationPitch])) &&
         (fill || (op & kFlagSourceHost) || there(source_, command_.words[kWordSourcePitch]));
}

// The rows from the one at source_ and destination_ on; the host port moves one, and its answer goes on with the next.
void Processor::copy_rows() {
  const uint32_t op = command_.words[kWordOpcode];
  const uint64_t bytes = command_.get64(kWordBytes);
  const bool fill = (op & 0xff) == kCommandFill;
  const bool from_host = !fill && (op & kFlagSourceHost), to_host = !fill && (op & kFlagDestinationHost);
  for (bool more = true; more; more = next_row()) {
    machine_.advance(bytes / 32);
    if (hosted_ && from_host) {
      bounce_.resize(to_host ? bytes : 0);
      return read_host(Transfer::CopyIn, source_, to_host ? bounce_.data() : memory_.to_write(destination_, bytes),
                       bytes);
    }
    if (hosted_ && to_host) return write_host(Transfer::CopyOut, destination_, memory_.at(source_), bytes);
    uint8_t* to = to_host ? reinterpret_cast<uint8_t*>(destination_) : memory_.to_write(destination_, bytes);
    if (fill) {
      for (uint64_t i = 0; i < bytes; i++)
        to[i] = static_cast<uint8_t>(command_.words[kWordPattern] >> (destination_ + i) % 4 * 8);
    } else {
      std::memmove(to, from_host ? reinterpret_cast<const uint8_t*>(source_) : memory_.at(source_), bytes);
    }
  }
  complete(kStatusOk);
}

bool Processor::next_row() {
  if (more_rows_ == 0) return false;
  more_rows_--;
  source_ += command_.words[kWordSourcePitch];
  destination_ += command_.words[kWordDestinationPitch];
  return true;
}

// What the host port has read or written of a row.
void Processor::row_moved(bool read, bool error) {
  if (error) return complete(kStatusBadCommand);
  if (read && (command_.words[kWordOpcode] & kFlagDestinationHost))
    return write_host(Transfer::CopyOut, destination_, bounce_.data(), bounce_.size());
  if (next_row()) return copy_rows();
  bounce_.clear();
  complete(kStatusOk);
}

void Processor::complete(uint32_t status) {
  const uint64_t address = command_.get64(kWordCompletion);
  if (!address) return finish_command();
  record_ = {command_.words[kWordTag], status, first_cycle_, machine_.cycle(), 0};
  if (hosted_) return write_host(Transfer::Record, address, &record_, sizeof record_);
  auto* record = reinterpret_cast<Completion*>(address);
  record->tag = record_.tag;
  record->first_cycle = record_.first_cycle;
  record->last_cycle = record_.last_cycle;
  record->reserved = 0;
  __atomic_store_n(&record->status, status, __ATOMIC_RELEASE);
  finish_command();
}

void Processor::finish_command() {
  if (command_.words[kWordOpcode] & kFlagIrq) irq_status_ |= kIrqCompletion;
  rings_[ring_].head++;
}

void Processor::reset() {
  reset_wanted_ = true;
  if (executing_) {
    finished_.warp_instructions += machine_.counters().warp_instructions;
    finished_.thread_instructions += machine_.counters().thread_instructions;
    machine_.stop();
    executing_ = false;
    complete(kStatusAborted);
  }
  if (transfer_ == Transfer::None) finish_reset();
}

void Processor::finish_reset() {
  reset_wanted_ = false;
  for (Ring& r : rings_) r.head = r.tail = 0;
  faulted_ = false;
  irq_status_ = 0;
  fault_ = {};
}

}  // namespace heddle::model
