// SPDX-License-Identifier: Apache-2.0
// The driver core: one device with its memory, code and work, each an object of its own that the context owns.
// Everything that the CUDA API layers need is here; nothing here knows their types, but errors carry CUDA's codes.
//
// Errors of the device are sticky: once one came, every call returns it until the context is destroyed.
// Calls that only submit work return a sequence number; waits().synchronize() waits for it. They say their stream;
// without one the work waits for everything submitted before.
//
// Not thread-safe: the owner locks around every call. An owner who gives create() that lock has a device that moves by
// itself; then calls that wait give it up meanwhile, and host functions run without it (engine.h).
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/allocations.h"
#include "host-runtime/driver/chosen_launches.h"
#include "host-runtime/driver/copies.h"
#include "host-runtime/driver/counters.h"
#include "host-runtime/driver/device_runtime.h"
#include "host-runtime/driver/engine.h"
#include "host-runtime/driver/exchange.h"
#include "host-runtime/driver/faults.h"
#include "host-runtime/driver/launcher.h"
#include "host-runtime/driver/memory.h"
#include "host-runtime/driver/modules.h"
#include "host-runtime/driver/outcome.h"
#include "host-runtime/driver/profiles.h"
#include "host-runtime/driver/progress.h"
#include "host-runtime/driver/queue.h"
#include "host-runtime/driver/report.h"
#include "host-runtime/driver/settings.h"
#include "host-runtime/driver/setup.h"
#include "host-runtime/driver/waits.h"
#include "host-runtime/driver/work.h"
#include "presets/preset.h"

namespace heddle::driver {

class Context {
 public:
  // Opens the device that the settings name. `transport`: the backend, already loaded. `program`: its
  // name, for the report. Output of kernels' printf goes to `out`, messages to `err` (not owned). `chosen`: the backend
  // of the launches that the settings choose; the other one is the golden model then.
  static Result<std::unique_ptr<Context>> create(const Settings& settings, const Preset& preset,
                                                 const std::string& preset_file, const heddle_transport* transport,
                                                 std::string program, std::FILE* out, std::FILE* err,
                                                 std::mutex* lock = nullptr, const heddle_transport* chosen = nullptr);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Preset& preset() const { return setup_.preset(); }

  Memory& memory() { return memory_; }
  Copies& copies() { return copies_; }
  Modules& modules() { return modules_; }
  Launcher& launcher() { return launcher_; }
  DeviceRuntime& runtime() { return runtime_; }
  Work& work() { return work_; }
  Waits& waits() { return waits_; }
  Outcome& outcome() { return outcome_; }
  const Counters& counters() const { return counters_; }

  // What ran so far, with the device's own counts.
  Report report();
  // Nothing moves any more; what is left of the work is dropped, and calls say `why`.
  void stop(const Error& why);
  // At the program's end: the work is finished first, but for a host function that calls here or does not end. False:
  // other threads wait in here, and the object must stay.
  bool finish();
  // Closes the device; only report() may be called afterwards. Error: the waveform that was asked for is not
  // there or not whole.
  Status close();
  // The last comparisons with the golden model, before close(). An Error when one fails, device memory as a whole among
  // them, and when a lockstep run retired instructions and compared none.
  Status check_lockstep();

 private:
  Context(Setup setup, std::unique_ptr<device::Backend> backend, std::unique_ptr<Queue> queue, std::string program,
          std::unique_ptr<Profiles> profiles, std::FILE* out, std::FILE* err, std::mutex* lock);
  // Where a link-time symbol of the driver's lies.
  std::optional<uint64_t> own_address(std::string_view symbol) const;
  // After a failed command: resets the device and fetches what was printed before.
  void recover();
  const LaunchInfo* running_launch() const;
  // The one that runs chosen launches, if it was opened, else the only one.
  device::Backend* watched() const;

  // The parts refer to those above them.
  Setup setup_;
  std::unique_ptr<device::Backend> backend_;
  std::unique_ptr<Queue> queue_;
  Progress progress_;
  Outcome outcome_;
  Counters counters_;
  Engine engine_;
  Allocations allocations_;
  Work work_;
  Exchange exchange_;
  Waits waits_;
  Memory memory_;
  Copies copies_;
  DeviceRuntime runtime_;
  Modules modules_;
  Faults faults_;
  std::unique_ptr<Profiles> profiles_;
  std::optional<ChosenLaunches> chosen_;
  Launcher launcher_;
  heddle_stats last_stats_{};        // when it was closed
  bool interrupted_launch_ = false;  // is in the report
};

}  // namespace heddle::driver
