// SPDX-License-Identifier: Apache-2.0
// libheddle_board.so: the C ABI's device "board:PATH", a Heddle bitstream behind a serial port.
#include "host-runtime/device/transport.h"

#include <cstdio>
#include <random>
#include <string>

#include "host-runtime/device/board/board.h"
#include "host-runtime/device/installation.h"

struct heddle_device {
  std::unique_ptr<heddle::board::Board> board;
};

namespace {

namespace board = heddle::board;
using heddle::Code;
using heddle::Error;
using heddle::Result;

// Every preset that is installed, to tell by name what a board holds.
std::vector<heddle::Preset> installed_presets() {
  std::vector<heddle::Preset> presets;
  const auto installation = heddle::device::Installation::find();
  for (const auto& name : installation.presets()) {
    const auto file = installation.preset_file(name);
    if (!file) continue;
    if (auto preset = heddle::load_preset(file->string())) presets.push_back(std::move(*preset));
  }
  return presets;
}

Result<std::unique_ptr<board::Board>> make(const heddle_open_options& options) {
  if (options.abi != HEDDLE_TRANSPORT_ABI)
    return Error("the driver speaks transport ABI " + std::to_string(options.abi) + ", this backend " +
                 std::to_string(HEDDLE_TRANSPORT_ABI));
  if (options.host) return Error("device board reaches this process's memory alone: it has no host port");
  if (options.wave_file) return Error("a board writes no waveform: run the program with HEDDLE_DEVICE=rtl");
  if (options.inject) return Error("a board has no planted bugs (HEDDLE_INJECT)");
  const auto address = board::parse_address(options.device);
  if (!address) return address.error();
  const auto preset = heddle::load_preset(options.preset_file);
  if (!preset) return preset.error();
  const auto unavailable = [](const Error& error) { return Error(error.message(), Code::DevicesUnavailable); };
  auto port = board::open_serial_port(address->path, address->baud);
  if (!port) return unavailable(port.error());
  auto opened = board::Board::open(std::move(*port), *address, *preset, installed_presets(), std::random_device{}());
  if (!opened) return unavailable(opened.error());
  return opened;
}

int open(const heddle_open_options* options, heddle_device** device, char* error, size_t error_size) {
  auto made = make(*options);
  if (!made) {
    std::snprintf(error, error_size, "%s", made.error().message().c_str());
    return made.error().code() == Code::DevicesUnavailable ? HEDDLE_UNAVAILABLE : -1;
  }
  *device = new heddle_device{std::move(*made)};
  return 0;
}

void close(heddle_device* device) { delete device; }
uint32_t read32(heddle_device* device, uint32_t offset) { return device->board->read32(offset); }
void write32(heddle_device* device, uint32_t offset, uint32_t value) { device->board->write32(offset, value); }
int wait(heddle_device* device, uint64_t max_cycles) {
  const int result = device->board->wait(max_cycles);
  return result < 0 ? HEDDLE_UNAVAILABLE : result;
}
const char* failure(heddle_device* device) { return device->board->failure().c_str(); }

void stats(heddle_device* device, heddle_stats* out) {
  *out = {};
  out->cycles = device->board->cycles();
}

uint64_t cycles(heddle_device* device) { return device->board->cycles(); }

constexpr heddle_transport kTransport = {HEDDLE_TRANSPORT_ABI,
                                         open,
                                         close,
                                         read32,
                                         write32,
                                         wait,
                                         failure,
                                         stats,
                                         cycles,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) const heddle_transport* heddle_transport_get(void) {
  return &kTransport;
}
