// SPDX-License-Identifier: Apache-2.0
// The C ABI of the golden model: device "model".
#include "host-runtime/device/transport.h"

#include <time.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "sim/model/processor.h"

struct heddle_device {
  std::unique_ptr<heddle::model::Processor> processor;
  double cpu_seconds = 0;
};

namespace {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

int open(const heddle_open_options* options, heddle_device** device, char* error, size_t error_size) {
  const auto fail = [&](const std::string& message) {
    std::snprintf(error, error_size, "%s", message.c_str());
    return -1;
  };
  if (options->abi != HEDDLE_TRANSPORT_ABI) {
    return fail("the driver speaks transport ABI " + std::to_string(options->abi) + ", this backend " +
                std::to_string(HEDDLE_TRANSPORT_ABI));
  }
  if (std::string(options->device) != "model")
    return fail("no device '" + std::string(options->device) + "' in the model backend");
  if (options->wave_file) return fail("the model has no waveforms; use device rtl or lockstep");
  if (options->inject) return fail("the model has no planted bugs; use device rtl or lockstep");
  const auto preset = heddle::load_preset(options->preset_file);
  if (!preset) return fail(preset.error().message());
  auto processor = heddle::model::Processor::create(*preset, options->host, options->seed);
  if (!processor) return fail(processor.error().message());
  *device = new heddle_device{std::move(*processor)};
  return 0;
}

void close(heddle_device* device) { delete device; }
uint32_t read32(heddle_device* device, uint32_t offset) { return device->processor->read32(offset); }
void write32(heddle_device* device, uint32_t offset, uint32_t value) { device->processor->write32(offset, value); }

int wait(heddle_device* device, uint64_t max_cycles) {
  const double before = thread_seconds();
  const bool interrupt = device->processor->wait(max_cycles);
  device->cpu_seconds += thread_seconds() - before;
  return interrupt ? 1 : 0;
}

const char* failure(heddle_device*) { return ""; }

void stats(heddle_device* device, heddle_stats* out) {
  const heddle::model::ProcessorStats s = device->processor->stats();
  *out = {};
  out->warp_instructions = s.warp_instructions;
  out->thread_instructions = s.thread_instructions;
  out->cpu_seconds = device->cpu_seconds;
}

uint64_t cycles(heddle_device* device) { return device->processor->machine().cycle(); }

int step(heddle_device* device, uint64_t max_cycles) {
  const double before = thread_seconds();
  const bool interrupt = device->processor->step(max_cycles);
  device->cpu_seconds += thread_seconds() - before;
  return interrupt ? 1 : 0;
}

void host_done(heddle_device* device, uint64_t tag, int error, uint64_t cycles) {
  device->processor->host_done(tag, error != 0, cycles);
}

int memory_read(heddle_device* device, uint64_t address, void* data, size_t bytes) {
  auto& memory = device->processor->memory();
  if (!device->processor->in_memory(address, bytes)) return -1;
  std::memcpy(data, memory.at(address), bytes);
  return 0;
}

int memory_write(heddle_device* device, uint64_t address, const void* data, const uint8_t* enables, size_t bytes) {
  auto& memory = device->processor->memory();
  if (!device->processor->in_memory(address, bytes)) return -1;
  uint8_t* to = memory.to_write(address, bytes);
  for (size_t i = 0; i < bytes; i++)
    if (!enables || enables[i]) to[i] = static_cast<const uint8_t*>(data)[i];
  return 0;
}

int memory_load(heddle_device* device, uint64_t address, const void* data, size_t bytes) {
  return memory_write(device, address, data, nullptr, bytes);
}

void* memory_direct(heddle_device* device, uint64_t* bytes, int* writable) {
  auto& memory = device->processor->memory();
  *bytes = memory.size();
  *writable = 1;
  return memory.at(memory.kBase);
}

int memory_written(heddle_device* device, uint64_t address, size_t pages, uint8_t* written) {
  auto& memory = device->processor->memory();
  memory.written().take((address - memory.kBase) / HEDDLE_WRITTEN_PAGE, pages, written);
  return 0;
}

int profile(heddle_device* device, int on) {
  device->processor->profile(on != 0);
  return 0;
}

const heddle_profile* profiled(heddle_device* device) { return device->processor->profiled(); }

static_assert(heddle::PageSet::kPageBytes == HEDDLE_WRITTEN_PAGE);

constexpr heddle_transport kTransport = {HEDDLE_TRANSPORT_ABI,
                                         open,
                                         close,
                                         read32,
                                         write32,
                                         wait,
                                         failure,
                                         stats,
                                         cycles,
                                         step,
                                         host_done,
                                         memory_read,
                                         memory_write,
                                         memory_direct,
                                         nullptr,
                                         memory_load,
                                         memory_written,
                                         profile,
                                         profiled,
                                         nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) const heddle_transport* heddle_transport_get(void) {
  return &kTransport;
}
