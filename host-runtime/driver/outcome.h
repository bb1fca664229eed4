// SPDX-License-Identifier: Apache-2.0
// How the work went: the first error, which stays, and what kernels printed, kept until the program waits.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "heddle/result.h"
#include "host-runtime/driver/progress.h"
#include "host-runtime/driver/queue.h"

namespace heddle::driver {

class Outcome {
 public:
  // What kernels print goes to `out`, messages to `err` (not owned).
  Outcome(Queue& queue, Progress& progress, std::FILE* out, std::FILE* err)
      : queue_(queue), progress_(progress), out_(out), err_(err) {}

  // The sticky error, if there is one.
  Status status() const;
  bool failed() const { return sticky_.has_value(); }
  // The same for a call that waited, or that returns that error: it is said, once. What kernels printed goes out here,
  // not when they end: between the program's own lines it has its place.
  Status tell();
  // For the report: "ok", or the first line of the error.
  const std::string& summary() const { return summary_; }

  // The first one stays.
  void note(const Error& error);
  // The same, and drops what is queued.
  void fail(const Error& error);
  // What is queued is dropped and calls say `why`, which is no failure of the run.
  void end(const Error& why);
  void print(const std::string& to_out, const std::string& to_err);

 private:
  Queue& queue_;
  Progress& progress_;
  std::FILE* out_;
  std::FILE* err_;
  std::optional<Error> sticky_;
  bool told_ = false;  // sticky_ was printed
  std::string summary_ = "ok";
  std::string printed_out_, printed_err_;
};

}  // namespace heddle::driver
