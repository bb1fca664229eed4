// SPDX-License-Identifier: Apache-2.0
// The C ABI of a verilated GPU: devices "rtl" and "lockstep".
#include "host-runtime/device/transport.h"

#include <cstdio>
#include <string>

#include "heddle/page_set.h"
#include "sim/verilator/rtl_device.h"

struct heddle_device {
  std::unique_ptr<heddle::rtl::RtlDevice> rtl;
};

namespace {

int open(const heddle_open_options* options, heddle_device** device, char* error, size_t error_size) {
  const auto fail = [&](const std::string& message) {
    std::snprintf(error, error_size, "%s", message.c_str());
    return -1;
  };
  if (options->abi != HEDDLE_TRANSPORT_ABI)
    return fail("the driver speaks transport ABI " + std::to_string(options->abi) + ", this backend " +
                std::to_string(HEDDLE_TRANSPORT_ABI));
  const std::string kind = options->device;
  if (kind != "rtl" && kind != "lockstep") return fail("no device '" + kind + "' in the RTL backend");
  const auto preset = heddle::load_preset(options->preset_file);
  if (!preset) return fail(preset.error().message());
  heddle::rtl::RtlOptions o;
  o.lockstep = kind == "lockstep";
  if (options->wave_file) {
    o.wave.file = options->wave_file;
    o.wave.begin = options->wave_begin;
    o.wave.end = options->wave_end;
    o.wave.of_launch = options->wave_launch != 0;
    if (options->wave_scopes) o.wave.scopes = options->wave_scopes;
    if (options->wave_groups) o.wave.groups = options->wave_groups;
  }
  if (options->inject) o.inject = options->inject;
  o.seed = options->seed;
  o.host = options->host;
  auto rtl = heddle::rtl::RtlDevice::open(*preset, o);
  if (!rtl) return fail(rtl.error().message());
  *device = new heddle_device{std::move(*rtl)};
  return 0;
}

void close(heddle_device* device) { delete device; }
uint32_t read32(heddle_device* device, uint32_t offset) { return device->rtl->read32(offset); }
void write32(heddle_device* device, uint32_t offset, uint32_t value) { device->rtl->write32(offset, value); }
int wait(heddle_device* device, uint64_t max_cycles) { return device->rtl->wait(max_cycles); }
const char* failure(heddle_device* device) { return device->rtl->failure().c_str(); }
void stats(heddle_device* device, heddle_stats* out) { *out = device->rtl->stats(); }

uint64_t cycles(heddle_device* device) { return device->rtl->cycles(); }
int step(heddle_device* device, uint64_t max_cycles) { return device->rtl->step(max_cycles); }
void host_done(heddle_device* device, uint64_t tag, int error, uint64_t cycles) {
  device->rtl->host_done(tag, error != 0, cycles);
}
int memory_read(heddle_device* device, uint64_t address, void* data, size_t bytes) {
  return device->rtl->memory_read(address, static_cast<uint8_t*>(data), bytes) ? 0 : -1;
}
int memory_write(heddle_device* device, uint64_t address, const void* data, const uint8_t* enables, size_t bytes) {
  return device->rtl->memory_write(address, static_cast<const uint8_t*>(data), enables, bytes) ? 0 : -1;
}
void* memory_direct(heddle_device* device, uint64_t* bytes, int* writable) {
  *writable = 0;
  return device->rtl->memory_direct(bytes);
}

int memory_load(heddle_device* device, uint64_t address, const void* data, size_t bytes) {
  return device->rtl->memory_load(address, static_cast<const uint8_t*>(data), bytes) ? 0 : -1;
}

int memory_written(heddle_device* device, uint64_t address, size_t pages, uint8_t* written) {
  return device->rtl->memory_written(address, pages, written) ? 0 : -1;
}

static_assert(heddle::PageSet::kPageBytes == HEDDLE_WRITTEN_PAGE);

int profile(heddle_device* device, int on) {
  device->rtl->profile(on != 0);
  return 0;
}

const heddle_profile* profiled(heddle_device* device) { return device->rtl->profiled(); }

int events(heddle_device* device, const heddle_event_sink* sink) {
  device->rtl->events(sink);
  return 0;
}

int finish(heddle_device* device) { return device->rtl->finish() ? 0 : -1; }

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
                                         finish,
                                         memory_load,
                                         memory_written,
                                         profile,
                                         profiled,
                                         events};

}  // namespace

extern "C" __attribute__((visibility("default"))) const heddle_transport* heddle_transport_get(void) {
  return &kTransport;
}
