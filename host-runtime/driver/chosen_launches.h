// SPDX-License-Identifier: Apache-2.0
// Runs the launches that the settings choose on a device of their own (chosen.h), each as one task of the other
// device's queue.
#pragma once

#include <memory>

#include "host-runtime/device/backend.h"
#include "host-runtime/driver/allocations.h"
#include "host-runtime/driver/choice.h"
#include "host-runtime/driver/chosen.h"
#include "host-runtime/driver/counters.h"
#include "host-runtime/driver/engine.h"
#include "host-runtime/driver/faults.h"
#include "host-runtime/driver/modules.h"
#include "host-runtime/driver/outcome.h"
#include "host-runtime/driver/setup.h"
#include "host-runtime/driver/stream.h"

namespace heddle::driver {

class ChosenLaunches {
 public:
  // `golden`: the device for all other launches.
  ChosenLaunches(const Setup& setup, device::Backend& golden, const Allocations& allocations, const Modules& modules,
                 Engine& engine, Counters& counters, Outcome& outcome, Faults& faults)
      : setup_(setup),
        golden_(golden),
        allocations_(allocations),
        modules_(modules),
        engine_(engine),
        counters_(counters),
        outcome_(outcome),
        faults_(faults),
        choice_(setup.settings().rtl_kernels, setup.settings().rtl_first, setup.settings().rtl_last) {}

  // Asked once a launch, in the order of submission.
  bool takes(const Kernel& kernel) { return choice_.takes(kernel.display_name, kernel.info->name); }
  // The task that runs these commands, which end with a launch, on the chosen device.
  Task move_over(Task commands, const Stream* stream);

  // Null until the first of them runs, and after close().
  device::Backend* backend() const { return device_ ? &device_->backend() : nullptr; }
  const LaunchInfo* running() const { return device_ ? device_->queue().launch_running() : nullptr; }
  void close() { device_.reset(); }

 private:
  Status open();
  void fail(const Error& error);
  // With the memory as it is; between tasks.
  void run(Task commands);

  const Setup& setup_;
  device::Backend& golden_;
  const Allocations& allocations_;
  const Modules& modules_;
  Engine& engine_;
  Counters& counters_;
  Outcome& outcome_;
  Faults& faults_;
  Choice choice_;
  std::unique_ptr<ChosenDevice> device_;  // opened for the first of its launches
};

}  // namespace heddle::driver
