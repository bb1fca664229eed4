// SPDX-License-Identifier: Apache-2.0
// A small operating system's view: probe the bus, bind the driver core to what is found, take
// interrupts.
#include "examples/virtual_platform/host.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "examples/driver_core/vecadd.h"
#include "host-runtime/device/contract.h"
#include "host-runtime/device/transport.h"
#include "host-runtime/driver/context.h"
#include "presets/preset.h"

// A device of the driver core: its place on the bus and its line at the interrupt controller.
struct heddle_device {
  platform::Machine& machine;
  uint64_t base;
  unsigned line;
  double cycle_nanoseconds;
  std::string failure;
  uint64_t interrupts = 0;
};

namespace platform {
namespace {

namespace c = heddle::contract;

// ---- the driver's transport: loads, stores and interrupts of the platform
// --------------------------------

// What the next open() is to be bound to: the C ABI's open has no place for it.
struct Binding {
  Machine* machine;
  uint64_t base;
  unsigned line;
  double cycle_nanoseconds;
  heddle_device* device = nullptr;
};
Binding* binding = nullptr;

int open(const heddle_open_options*, heddle_device** device, char* error, size_t size) {
  if (!binding) {
    std::snprintf(error, size, "no device to open");
    return -1;
  }
  *device = new heddle_device{*binding->machine, binding->base, binding->line, binding->cycle_nanoseconds, "", 0};
  binding->device = *device;
  return 0;
}

void close(heddle_device* device) { delete device; }

uint32_t read32(heddle_device* d, uint32_t offset) {
  uint32_t value = 0;
  if (!d->machine.load(d->base + offset, value)) d->failure = "bus error at a load from the device";
  return value;
}

void write32(heddle_device* d, uint32_t offset, uint32_t value) {
  if (!d->machine.store(d->base + offset, value)) d->failure = "bus error at a store to the device";
}

// An interrupt of another device does not end the wait; the other's driver looks at its own later.
int wait(heddle_device* d, uint64_t max_cycles) {
  const double end = d->machine.now_nanoseconds() + static_cast<double>(max_cycles) * d->cycle_nanoseconds;
  d->machine.store(kInterruptController + 4, 1u << d->line);
  while (d->failure.empty()) {
    const double left = end - d->machine.now_nanoseconds();
    if (!d->machine.wait_interrupt(left > 0 ? left : 0)) return 0;
    uint32_t pending = 0;
    if (!d->machine.load(kInterruptController, pending)) d->failure = "bus error at the interrupt controller";
    if (pending >> d->line & 1) {
      d->interrupts++;
      return 1;
    }
  }
  return -1;
}

const char* failure(heddle_device* d) { return d->failure.c_str(); }
void stats(heddle_device*, heddle_stats* out) { *out = {}; }

constexpr heddle_transport kTransport = {HEDDLE_TRANSPORT_ABI,
                                         open,
                                         close,
                                         read32,
                                         write32,
                                         wait,
                                         failure,
                                         stats,
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
                                         nullptr,
                                         nullptr};

// ---- the program
// -------------------------------------------------------------------------------------------

heddle::Result<std::unique_ptr<heddle::driver::Context>> bind_driver(Binding& to, const heddle::Preset& preset,
                                                                     const std::string& preset_file) {
  binding = &to;
  heddle::driver::Settings settings;
  settings.device = "platform";
  settings.preset = preset.name;
  auto context =
      heddle::driver::Context::create(settings, preset, preset_file, &kTransport, "virtual_platform", stdout, stderr);
  binding = nullptr;
  return context;
}

heddle::Status vecadd(heddle::driver::Context& driver, int elements, int& wrong) {
  auto vecadd = driver_core::Vecadd::create(driver, elements, 1);
  if (!vecadd) return vecadd.error();
  if (auto ok = (*vecadd)->submit(); !ok) return ok;
  if (auto ok = driver.waits().synchronize(); !ok) return ok;
  wrong = (*vecadd)->wrong();
  return {};
}

}  // namespace

int host_main(Machine& machine, const std::string& preset_file, int elements) {
  const auto preset = heddle::load_preset(preset_file);
  if (!preset) return std::fprintf(stderr, "%s\n", preset.error().message().c_str()), 1;
  const auto stamp = [&] { return machine.now_nanoseconds() / 1000; };

  uint32_t lines = 0;
  if (!machine.load(kInterruptController + 8, lines)) return std::fprintf(stderr, "no interrupt controller\n"), 1;
  std::printf("%10.2f us  interrupt controller with %u lines\n", stamp(), lines);

  std::vector<Binding> found;
  for (unsigned slot = 0; slot < kDeviceSlots; slot++) {
    uint32_t id = 0, sms = 0, size = 0;
    if (!machine.load(device_slot(slot) + c::kRegId, id)) {
      std::printf("%10.2f us  slot %u: nobody answers\n", stamp(), slot);
      continue;
    }
    if (id != c::kIdMagic) {
      std::printf("%10.2f us  slot %u: an unknown device 0x%08x\n", stamp(), slot, id);
      continue;
    }
    machine.load(device_slot(slot) + c::kRegNumSms, sms);
    machine.load(device_slot(slot) + c::kRegMemSizeLo, size);
    std::printf("%10.2f us  slot %u: Heddle, %u SM, %u MiB\n", stamp(), slot, sms, size >> 20);
    found.push_back({&machine, device_slot(slot), slot, 1e6 / preset->runtime.clock_khz});
  }

  bool all_right = !found.empty();
  for (Binding& b : found) {
    auto driver = bind_driver(b, *preset, preset_file);
    if (!driver) return std::fprintf(stderr, "%s\n", driver.error().message().c_str()), 1;
    std::printf("%10.2f us  slot %u: driver bound\n", stamp(), b.line);
    int wrong = 0;
    if (auto ok = vecadd(**driver, elements, wrong); !ok)
      return std::fprintf(stderr, "%s\n", ok.error().message().c_str()), 1;
    std::printf("%10.2f us  slot %u: vecadd of %d elements, %d wrong, %llu interrupts\n", stamp(), b.line, elements,
                wrong, static_cast<unsigned long long>(b.device->interrupts));
    all_right = all_right && wrong == 0 && b.device->interrupts > 0;
  }
  return all_right ? 0 : 1;
}

}  // namespace platform
