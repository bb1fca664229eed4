// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/device/bench_device.h"

#include <cstdlib>
#include <stdexcept>

namespace heddle::test {

namespace {

device::OpenOptions open_options(const std::string& device, const std::string& preset_file, const std::string& inject) {
  device::OpenOptions options;
  options.device = device;
  options.preset_file = preset_file;
  options.inject = inject;
  if (const char* seed = std::getenv("HEDDLE_SEED")) options.seed = std::strtoull(seed, nullptr, 0);
  return options;
}

}  // namespace

BenchDevice::BenchDevice(const std::string& shared_object, const std::string& device, const std::string& preset_file,
                         const std::string& inject)
    : BenchDevice(shared_object, open_options(device, preset_file, inject)) {}

BenchDevice::BenchDevice(const std::string& shared_object, const device::OpenOptions& options) {
  auto transport = device::load_transport(shared_object);
  if (!transport) {
    error_ = transport.error().message();
    return;
  }
  auto backend = device::Backend::open(*transport, options);
  if (!backend) {
    error_ = backend.error().message();
    return;
  }
  backend_ = std::move(*backend);
  reset();
}

void BenchDevice::reset() {
  backend_->write32(contract::kRegControl, contract::kControlReset);
  for (int i = 0; i < 1000 && backend_->read32(contract::kRegControl) != 0; i++) backend_->wait(100);
  tail_ = 0;
  backend_->write64(contract::kRegRingBase + contract::kRingAddressLo, reinterpret_cast<uint64_t>(ring_));
  backend_->write32(contract::kRegRingBase + contract::kRingEntries, std::size(ring_));
  backend_->write32(contract::kRegIrqEnable, contract::kIrqCompletion | contract::kIrqFault);
}

contract::Completion BenchDevice::execute(contract::Command command, uint64_t max_cycles) {
  completion_ = {};
  command.words[contract::kWordOpcode] |= contract::kFlagIrq;
  command.words[contract::kWordTag] = tail_ + 1000;
  command.set64(contract::kWordCompletion, reinterpret_cast<uint64_t>(&completion_));
  ring_[tail_ % std::size(ring_)] = command;
  backend_->write32(contract::kRegRingBase + contract::kRingTail, ++tail_);
  for (uint64_t cycles = 0; cycles < max_cycles; cycles += slice) {
    const int result = backend_->wait(slice);
    if (result != 0) backend_->write32(contract::kRegIrqStatus, ~0u);
    if (result < 0) {
      completion_ = {};
      break;
    }
    // The fault interrupt comes before the record.
    if (completion_.status != 0 && eager) break;
    if (completion_.status != 0 && backend_->read32(contract::kRegRingBase + contract::kRingHead) == tail_) break;
  }
  return completion_;
}

void BenchDevice::copy_in(uint64_t to, const void* from, size_t bytes) {
  contract::Command c;
  c.words[0] = contract::kCommandCopy | contract::kFlagSourceHost;
  c.set64(contract::kWordSource, reinterpret_cast<uint64_t>(from));
  c.set64(contract::kWordDestination, to);
  c.set64(contract::kWordBytes, bytes);
  if (execute(c).status != contract::kStatusOk) throw std::runtime_error("copy to the device failed");
}

void BenchDevice::copy_out(void* to, uint64_t from, size_t bytes) {
  contract::Command c;
  c.words[0] = contract::kCommandCopy | contract::kFlagDestinationHost;
  c.set64(contract::kWordSource, from);
  c.set64(contract::kWordDestination, reinterpret_cast<uint64_t>(to));
  c.set64(contract::kWordBytes, bytes);
  if (execute(c).status != contract::kStatusOk) throw std::runtime_error("copy from the device failed");
}

void BenchDevice::load(const std::vector<uint64_t>& program) {
  write(kCode, program);
  backend_->write64(contract::kRegCodeBaseLo, kCode);
  backend_->write32(contract::kRegCodeSize, static_cast<uint32_t>(program.size() * isa::kInstructionBytes));
}

contract::Completion BenchDevice::launch(const Launch& launch, uint64_t max_cycles) {
  if (!launch.params.empty()) write(kParams, launch.params);
  contract::Command c;
  c.words[0] = contract::kCommandLaunch;
  c.words[contract::kWordEntryPc] = 0;
  c.words[contract::kWordRegisters] = launch.registers;
  c.words[contract::kWordSharedBytes] = launch.shared;
  c.words[contract::kWordLocalBytes] = launch.local;
  for (uint64_t d = 0; d < 3; d++) {
    c.words[contract::kWordGridX + d] = launch.grid[d];
    c.words[contract::kWordBlockX + d] = launch.block[d];
    c.words[contract::kWordClusterX + d] = launch.cluster[d];
  }
  c.set64(contract::kWordParamBase, kParams);
  c.words[contract::kWordParamBytes] = static_cast<uint32_t>(launch.params.size() * 4);
  c.set64(contract::kWordLocalBase, kLocal);
  c.set64(contract::kWordConstBase, kParams);
  return execute(c, max_cycles);
}

namespace code {
namespace {

uint64_t finish(isa::Instruction i, const std::vector<Fields>& mods, unsigned guard, bool negated) {
  i.guard = static_cast<uint8_t>(guard);
  i.guard_negated = negated;
  for (const Fields& f : mods)
    if (!i.set_field(f.name, f.value)) throw std::logic_error("no field " + f.name);
  const auto word = isa::encode(i);
  if (!word) throw std::logic_error("cannot encode " + std::string(isa::info(i.op).mnemonic));
  return *word;
}

}  // namespace

uint64_t reg(Opcode op, unsigned rd, unsigned ra, unsigned rb, unsigned rc, const std::vector<Fields>& mods,
             unsigned guard, bool negated) {
  isa::Instruction i;
  i.op = op;
  i.rd = static_cast<uint8_t>(rd);
  i.ra = static_cast<uint8_t>(ra);
  i.rb = static_cast<uint8_t>(rb);
  i.rc = static_cast<uint8_t>(rc);
  return finish(i, mods, guard, negated);
}

uint64_t imm16(Opcode op, unsigned rd, unsigned ra, int imm, unsigned rc, const std::vector<Fields>& mods,
               unsigned guard, bool negated) {
  isa::Instruction i;
  i.op = op;
  i.form = isa::Form::S;
  i.rd = static_cast<uint8_t>(rd);
  i.ra = static_cast<uint8_t>(ra);
  i.rc = static_cast<uint8_t>(rc);
  i.imm = imm;
  return finish(i, mods, guard, negated);
}

uint64_t imm32(Opcode op, unsigned rd, unsigned ra, int32_t imm, const std::vector<Fields>& mods, unsigned guard,
               bool negated) {
  isa::Instruction i;
  i.op = op;
  i.form = isa::Form::L;
  i.rd = static_cast<uint8_t>(rd);
  i.ra = static_cast<uint8_t>(ra);
  i.imm = imm;
  return finish(i, mods, guard, negated);
}

uint64_t constant(Opcode op, unsigned rd, unsigned ra, unsigned byte_offset, unsigned rc,
                  const std::vector<Fields>& mods) {
  isa::Instruction i;
  i.op = op;
  i.form = isa::Form::C;
  i.rd = static_cast<uint8_t>(rd);
  i.ra = static_cast<uint8_t>(ra);
  i.rc = static_cast<uint8_t>(rc);
  i.imm = static_cast<int32_t>(byte_offset / 4);
  return finish(i, mods, isa::kPt, false);
}

}  // namespace code
}  // namespace heddle::test
