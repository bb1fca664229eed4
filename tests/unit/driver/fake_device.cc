// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/driver/fake_device.h"

#include <cstdio>
#include <cstring>
#include <memory>

namespace c = heddle::contract;

namespace {

heddle::test::FakeTransport* current = nullptr;
std::unique_ptr<heddle::Preset> preset_copy;
heddle_device* opened = nullptr;

}  // namespace

heddle_device::heddle_device(const heddle::Preset& preset) : bytes(kMemory, 0xcd) {
  const auto& s = preset.structure;
  registers[c::kRegId] = c::kIdMagic;
  registers[c::kRegVersion] = c::kIdContractVersion;
  registers[c::kRegPresetHash] = preset.structure_hash();
  registers[c::kRegNumSms] = static_cast<uint32_t>(s.sms);
  registers[c::kRegWarpsPerSm] = static_cast<uint32_t>(s.warps_per_sm());
  set64(c::kRegMemBaseLo, c::kMemoryBase);
  set64(c::kRegMemSizeLo, kMemory);
}

void heddle_device::set64(uint64_t offset, uint64_t value) {
  registers[offset] = static_cast<uint32_t>(value);
  registers[offset + 4] = static_cast<uint32_t>(value >> 32);
}

uint8_t* heddle_device::memory(uint64_t address) { return bytes.data() + (address - c::kMemoryBase); }

void heddle_device::fault(uint32_t kind, uint64_t address, uint32_t thread, uint32_t pc, uint32_t code) {
  registers[c::kRegFaultKind] = kind;
  set64(c::kRegFaultAddressLo, address);
  registers[c::kRegFaultThread] = thread;
  registers[c::kRegFaultPc] = pc;
  registers[c::kRegFaultCode] = code;
}

uint32_t heddle_device::read(uint64_t offset) {
  if (offset == c::kRegStatus) {
    const auto ring = c::kRegRingBase;
    const bool busy = registers[ring + c::kRingHead] != registers[ring + c::kRingTail];
    return (busy && !forgetful ? c::kStatusBitsBusy : 0) | (faulted ? c::kStatusBitsFaulted : 0);
  }
  return registers[offset];
}

void heddle_device::write(uint64_t offset, uint32_t value) {
  if (offset == c::kRegIrqStatus) {
    registers[offset] &= ~value;
  } else if (offset == c::kRegControl) {
    registers[c::kRegRingBase + c::kRingHead] = registers[c::kRegRingBase + c::kRingTail] = 0;
    faulted = false;
  } else {
    registers[offset] = value;
  }
}

void heddle_device::copy_row(const c::Command& command, uint64_t source, uint64_t destination) {
  const uint64_t bytes_moved = command.get64(c::kWordBytes);
  const uint32_t flags = command.words[c::kWordOpcode];
  if (written && !(flags & c::kFlagDestinationHost)) written->add(destination - c::kMemoryBase, bytes_moved);
  void* to = flags & c::kFlagDestinationHost ? reinterpret_cast<void*>(destination) : memory(destination);
  if ((flags & 0xff) == c::kCommandFill) {
    for (uint64_t i = 0; i < bytes_moved; ++i)
      static_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(command.words[c::kWordPattern] >> (i % 4 * 8));
  } else {
    std::memmove(to, flags & c::kFlagSourceHost ? reinterpret_cast<void*>(source) : memory(source), bytes_moved);
  }
}

uint32_t heddle_device::execute(const c::Command& command) {
  const uint64_t source = command.get64(c::kWordSource), destination = command.get64(c::kWordDestination);
  const uint32_t flags = command.words[c::kWordOpcode];
  switch (flags & 0xff) {
    case c::kCommandNop: return c::kStatusOk;
    case c::kCommandCopy:
    case c::kCommandFill:
      for (uint64_t row = 0; row <= command.words[c::kWordMoreRows]; row++)
        copy_row(command, source + row * command.words[c::kWordSourcePitch],
                 destination + row * command.words[c::kWordDestinationPitch]);
      return c::kStatusOk;
    case c::kCommandLaunch: return current->kernel ? current->kernel(*this, command) : c::kStatusOk;
    default: return c::kStatusBadCommand;
  }
}

int heddle_device::wait(uint64_t budget) {
  if (!failure_text.empty()) return failure_result;
  const auto ring = c::kRegRingBase;
  uint32_t& head = registers[ring + c::kRingHead];
  if (head == registers[ring + c::kRingTail] || stuck || forgetful) {
    cycles += budget;
    return 0;
  }
  const auto* commands = reinterpret_cast<const c::Command*>(registers[ring + c::kRingAddressLo] |
                                                             uint64_t{registers[ring + c::kRingAddressHi]} << 32);
  const c::Command command = commands[head % registers[ring + c::kRingEntries]];
  executed.push_back(command);
  auto* record = reinterpret_cast<c::Completion*>(command.get64(c::kWordCompletion));
  const uint64_t begin = cycles;
  const uint32_t status = faulted ? c::kStatusAborted : execute(command);
  cycles += step;
  faulted = faulted || (status != c::kStatusOk && status != c::kStatusBadCommand);
  if (!failure_text.empty()) return failure_result;
  if (record) *record = {command.words[c::kWordTag], status, begin, cycles, 0};
  ++head;
  registers[c::kRegIrqStatus] |= c::kIrqCompletion;
  return 1;
}

namespace heddle::test {

FakeTransport::FakeTransport(const Preset& preset) {
  current = this;
  preset_copy = std::make_unique<Preset>(preset);
}

FakeTransport::~FakeTransport() { current = nullptr; }

heddle_device& FakeTransport::device() const { return *opened; }

const heddle_transport* FakeTransport::table() const {
  static const heddle_transport table = {
      HEDDLE_TRANSPORT_ABI,
      [](const heddle_open_options* options, heddle_device** device, char* error, size_t size) {
        current->options = *options;
        if (!current->open_error.empty()) {
          std::snprintf(error, size, "%s", current->open_error.c_str());
          return current->open_result;
        }
        *device = opened = new heddle_device(*preset_copy);
        if (current->wrong_id) opened->registers[c::kRegId] = current->wrong_id;
        return 0;
      },
      [](heddle_device* device) { delete device; },
      [](heddle_device* device, uint32_t offset) { return device->read(offset); },
      [](heddle_device* device, uint32_t offset, uint32_t value) { device->write(offset, value); },
      [](heddle_device* device, uint64_t cycles) { return device->wait(cycles); },
      [](heddle_device* device) { return device->failure_text.c_str(); },
      [](heddle_device* device, heddle_stats* stats) {
        *stats = device->counts;
        stats->cycles = device->cycles;
      },
      nullptr,
      nullptr,
      nullptr,
      nullptr,
      nullptr,
      nullptr,  // what a transport may leave out
      [](heddle_device* device) { return device->failure_text.empty() ? 0 : -1; },
      nullptr,
      [](heddle_device* device, uint64_t address, size_t pages, uint8_t* written) {
        if (!device->written) return -1;
        device->written->take((address - c::kMemoryBase) / HEDDLE_WRITTEN_PAGE, pages, written);
        return 0;
      },
  };
  return &table;
}

}  // namespace heddle::test
