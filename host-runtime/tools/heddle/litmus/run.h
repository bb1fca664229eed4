// SPDX-License-Identifier: Apache-2.0
// Runs a litmus test on a device and counts the states that it ends in.
#pragma once

#include <memory>

#include "heddle/result.h"
#include "host-runtime/driver/context.h"
#include "host-runtime/tools/heddle/litmus/test.h"

namespace heddle::tools::litmus {

struct RunOptions {
  std::string device = "model", preset = "cc80";
  uint64_t runs = 1024, seed = 1;
  uint32_t turns = 400;              // ways back that a thread may take in a run
  uint64_t cycle_limit = 5'000'000;  // of a launch, where HEDDLE_CYCLE_LIMIT has none
};

struct Counts {
  uint64_t runs = 0;        // that ended
  uint64_t unfinished = 0;  // a loop was out of turns, or the launch did not end
  uint64_t across = 0;      // of those that ended, with threads on more than one SM
  uint64_t launches = 0, cycles = 0;
  bool hung = false;  // a launch was stopped: a barrier that can never complete, or the limit of cycles
  std::string why;    // it was
  std::map<State, uint64_t> states;
};

// A device that is opened when it is needed, and again after a launch that did not end.
class Device {
 public:
  explicit Device(const RunOptions& options) : options_(options) {}

  // Error with a code: the device failed. Without: the test cannot be run.
  Result<Counts> run(const Test& test);
  // The last comparisons of lockstep.
  Status close();

 private:
  Status open();
  RunOptions options_;
  std::unique_ptr<driver::Context> context_;
};

}  // namespace heddle::tools::litmus
