// SPDX-License-Identifier: Apache-2.0
// The driver core without a thread: two streams of work on one device, which moves when this program asks and at no
// other time (docs/driver-core.md).
//
//   driver_core [lockstep|rtl|model] [preset] [elements]     default: lockstep tiny 2000
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>

#include "examples/driver_core/vecadd.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/device/installation.h"
#include "host-runtime/driver/context.h"
#include "presets/preset.h"

namespace {

using driver_core::Vecadd;
using heddle::Result;
using heddle::Status;
using heddle::driver::Context;

Result<std::unique_ptr<Context>> open(const std::string& device, const std::string& preset_name) {
  const auto installation = heddle::device::Installation::find();
  const auto file = installation.preset_file(preset_name);
  if (!file) return file.error();
  const auto preset = heddle::load_preset(file->string());
  if (!preset) return preset.error();
  const auto library = installation.backend(device, preset->name);
  if (!library) return library.error();
  const auto transport = heddle::device::load_transport(library->string());
  if (!transport) return transport.error();
  heddle::driver::Settings settings;
  settings.device = device;
  settings.preset = preset->name;
  // No lock: no threads.
  return Context::create(settings, *preset, file->string(), *transport, "driver_core", stdout, stderr);
}

// Of this process: the backend may have some of its own.
std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

Status run(Context& driver, int elements, int& wrong) {
  const auto first = driver.work().open_stream(false), second = driver.work().open_stream(false);
  auto a = Vecadd::create(driver, elements, 1), b = Vecadd::create(driver, elements, 2);
  if (!a) return a.error();
  if (!b) return b.error();
  // The second stream's work is submitted later and begins sooner.
  second->set_priority(-1);
  if (auto ok = (*a)->submit(first.get()); !ok) return ok;
  if (auto ok = (*b)->submit(second.get()); !ok) return ok;
  const auto say = [&](const char* text, heddle::driver::Stream* stream) -> Status {
    auto mark = driver.work().mark([text](uint64_t) { std::printf("%s\n", text); }, stream);
    return mark ? Status() : mark.error();
  };
  if (auto ok = say("the first stream has ended", first.get()); !ok) return ok;
  if (auto ok = say("the second stream has ended", second.get()); !ok) return ok;
  std::printf("all is submitted, and nothing has begun\n");
  // The pump: a query does a little work if any is left, whoever's it is.
  for (unsigned turns = 1;; turns++) {
    const auto first_done = driver.waits().query(*first), second_done = driver.waits().query(*second);
    if (!first_done) return first_done.error();
    if (!second_done) return second_done.error();
    if (*first_done && *second_done) {
      std::printf("%u turns, %td thread(s)\n", turns, threads());
      break;
    }
    // Here the program does what else it has to do.
  }
  wrong = (*a)->wrong() + (*b)->wrong();
  if (auto ok = driver.check_lockstep(); !ok) return ok;
  return driver.close();
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::string device = argc > 1 ? argv[1] : "lockstep", preset = argc > 2 ? argv[2] : "tiny";
  const int elements = argc > 3 ? std::atoi(argv[3]) : 2000;
  if (elements <= 0) return std::fprintf(stderr, "usage: driver_core [lockstep|rtl|model] [preset] [elements]\n"), 2;
  auto driver = open(device, preset);
  if (!driver) return std::fprintf(stderr, "driver_core: %s\n", driver.error().message().c_str()), 2;
  int wrong = 0;
  if (auto ok = run(**driver, elements, wrong); !ok)
    return std::fprintf(stderr, "driver_core: %s\n", ok.error().message().c_str()), std::puts("FAIL"), 1;
  std::printf("%d wrong\n%s\n", wrong, wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
