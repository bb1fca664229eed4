// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/counters.h"

#include <cstdio>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/profiles.h"

namespace heddle::driver {

namespace c = contract;

void Counters::begin(const LaunchInfo& launch) {
  if (profiles_) profiles_->begin(*device_, launch);
  begin_ = device_->stats();
  began_ = std::chrono::steady_clock::now();
  progress_.begin();
}

void Counters::record(const LaunchInfo& launch, bool completed) {
  progress_.clear();
  const heddle_stats now = device_->stats();
  KernelRun run = launch.run;
  run.completed = completed;
  run.cycles = device_->read64(c::kRegKernelCyclesLo);
  run.warp_instructions = device_->read64(c::kRegWarpInstructionsLo);
  run.thread_instructions = device_->read64(c::kRegThreadInstructionsLo);
  run.compared_instructions = now.compared_instructions - begin_.compared_instructions;
  run.compared_memory_events = now.compared_memory_events - begin_.compared_memory_events;
  run.trace_digest = now.trace_digest;
  run.cpu_seconds = now.cpu_seconds - begin_.cpu_seconds;
  run.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  report_.add(run);
  if (!profiles_) return;
  if (profiles_->tells(launch)) {
    const std::string did =
        now.cycles ? with_commas(run.cycles) + " cycles" : with_commas(run.warp_instructions) + " instructions";
    std::fprintf(stderr, "%s %s%s\n", profiling_text(run.name, launch.number).c_str(), did.c_str(),
                 completed ? "" : ", did not complete");
  }
  if (auto ok = profiles_->record(*device_, launch, completed, *modules_); !ok)
    std::fprintf(stderr, "heddle: %s\n", ok.error().message().c_str());
}

void Counters::show(const LaunchInfo& launch) {
  if (!progress_.due()) return;
  ProgressSample sample;
  sample.kernel = launch.run.name;
  if (profiles_ && profiles_->tells(launch)) sample.profiled = launch.number;
  sample.blocks_done = device_->read32(c::kRegBlocksDone);
  sample.blocks_total = device_->read32(c::kRegBlocksTotal);
  sample.cycles = device_->read64(c::kRegKernelCyclesLo);
  progress_.show(sample);
}

}  // namespace heddle::driver
