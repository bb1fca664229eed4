// SPDX-License-Identifier: Apache-2.0
// Streams: orders of work. Work of one stream runs in the order of its submission; work of two streams in any order,
// but for the legacy stream, which takes turns with all blocking ones: it waits for what they hold, and they for what
// it holds.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "host-runtime/driver/queue.h"

namespace heddle::driver {

class Stream {
 public:
  explicit Stream(bool blocking) : blocking_(blocking) {}

  bool blocking() const { return blocking_; }
  // What is submitted from now on waits for that task, too.
  void wait_for(Sequence s) { waits_.push_back(s); }
  // Which tasks must end for all that was submitted to be done.
  std::vector<Sequence> pending() const;

 private:
  friend class Streams;
  bool blocking_;
  Sequence last_ = 0;
  std::vector<Sequence> waits_;  // for the next task
};

class Streams {
 public:
  Streams() : legacy_(std::make_shared<Stream>(true)) {}

  std::shared_ptr<Stream> legacy() const { return legacy_; }
  std::shared_ptr<Stream> open(bool blocking);
  // Its work in the queue goes on.
  void close(const std::shared_ptr<Stream>& stream, const Queue& queue);

  // What the stream's next task waits for; and that it was submitted.
  std::vector<Sequence> before(const Stream& stream) const;
  void submitted(Stream& stream, Sequence s) const;

 private:
  std::shared_ptr<Stream> legacy_;
  std::set<std::shared_ptr<Stream>> blocking_;  // all but the legacy one
};

}  // namespace heddle::driver
