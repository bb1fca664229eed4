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
  Stream(bool blocking, unsigned number) : blocking_(blocking), number_(number) {}

  bool blocking() const { return blocking_; }
  // Of two streams' tasks that could begin, that of the smaller number does.
  int priority() const { return priority_; }
  void set_priority(int priority) { priority_ = priority; }
  unsigned number() const { return number_; }  // of the device's; 0: the legacy one
  // Which tasks must end for all that was submitted to be done.
  std::vector<Sequence> pending() const;

 private:
  friend class Streams;
  bool blocking_;
  unsigned number_;
  int priority_ = 0;
  bool used_ = false;
  Sequence last_ = 0;
  std::vector<Sequence> waits_;  // for the next task
};

class Streams {
 public:
  Streams() : legacy_(std::make_shared<Stream>(true, 0)) {}

  std::shared_ptr<Stream> legacy() const { return legacy_; }
  std::shared_ptr<Stream> open(bool blocking);
  // Its work in the queue goes on.
  void close(const std::shared_ptr<Stream>& stream, const Queue& queue);

  // What is submitted to the stream from now on waits for that task, too. That is work of the stream: where it is the
  // legacy one it waits for what all blocking ones hold now, and what they are given later waits for it.
  void wait_for(Stream& stream, Sequence s, const Queue& queue);
  // What the stream's next task waits for; and that it was submitted.
  std::vector<Sequence> before(const Stream& stream) const;
  void submitted(Stream& stream, Sequence s);
  // Which tasks a wait for the stream waits for: its own, and as work of the legacy one those of all blocking ones,
  // too.
  std::vector<Sequence> pending(const Stream& stream) const;

  // Whether what was submitted so far could run in one order only.
  bool one_order() const { return independent_ <= (legacy_used_ && free_used_ ? 0 : 1); }

 private:
  std::shared_ptr<Stream> legacy_;
  std::set<std::shared_ptr<Stream>> blocking_;  // all but the legacy one
  unsigned opened_ = 0;
  unsigned independent_ = 0;  // streams that were used, but for the legacy one
  bool legacy_used_ = false, free_used_ = false;
};

}  // namespace heddle::driver
