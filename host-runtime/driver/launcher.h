// SPDX-License-Identifier: Apache-2.0
// Launches kernels: checks the shape, provides the memory that a launch needs besides its data, makes the commands.
#pragma once

#include <cstdint>
#include <memory>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/allocations.h"
#include "host-runtime/driver/chosen_launches.h"
#include "host-runtime/driver/counters.h"
#include "host-runtime/driver/device_runtime.h"
#include "host-runtime/driver/exchange.h"
#include "host-runtime/driver/local_memory.h"
#include "host-runtime/driver/module.h"
#include "host-runtime/driver/occupancy.h"
#include "host-runtime/driver/outcome.h"
#include "host-runtime/driver/waits.h"
#include "host-runtime/driver/work.h"

namespace heddle::driver {

class Launcher {
 public:
  // What launches use of the context's.
  struct Parts {
    Queue& queue;
    Allocations& allocations;
    Work& work;
    Exchange& exchange;
    Waits& waits;
    DeviceRuntime& runtime;
    Counters& counters;
    const Outcome& outcome;
    ChosenLaunches* chosen;  // null: none
    Profiles* profiles;      // null: none is wanted
  };
  // `blocking`: launch() waits for the kernel.
  Launcher(const Parts& parts, const Preset& preset, uint64_t resident_threads, bool blocking)
      : parts_(parts),
        preset_(preset),
        resident_threads_(resident_threads),
        blocking_(blocking),
        local_(parts.allocations, parts.queue, parts.waits) {}

  // Takes memory for the parameters; before code is loaded.
  Status reserve();
  // Where bank 0 of the launch that runs lies.
  uint64_t parameters() const { return parameters_; }

  // Bytes of stack for a kernel whose need is unknown (recursion, indirect calls, alloca).
  void set_stack_bytes(uint64_t bytes) { stack_bytes_ = bytes; }

  // `params`: the kernel's parameter block, info->param_bytes long, copied before this returns. A kernel that requires
  // clusters has them whether or not the shape says so.
  Result<Sequence> launch(const Kernel& kernel, LaunchShape shape, uint64_t max_dynamic_shared, const void* params,
                          Stream* stream = nullptr);

 private:
  Status check(const Kernel& kernel, const LaunchShape& shape, uint64_t max_dynamic_shared, const void* params) const;
  std::shared_ptr<LaunchInfo> info(const Kernel& kernel, const LaunchShape& shape);
  // The copy that gives a cooperative launch its workspace, as if no block had arrived at the grid's barrier.
  Result<Task::Item> clear_workspace();
  Task::Item command(const Kernel& kernel, const LaunchShape& shape, std::shared_ptr<const LaunchInfo> launch);

  Parts parts_;
  const Preset& preset_;
  uint64_t resident_threads_;
  bool blocking_;
  LocalMemory local_;
  uint64_t parameters_ = 0;
  uint64_t workspace_ = 0;  // of cooperative launches
  uint64_t stack_bytes_ = 1024;
  uint32_t grid_id_ = 0;
};

}  // namespace heddle::driver
