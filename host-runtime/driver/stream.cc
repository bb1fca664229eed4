// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/stream.h"

#include <algorithm>

namespace heddle::driver {

std::vector<Sequence> Stream::pending() const {
  std::vector<Sequence> all = waits_;
  all.push_back(last_);
  return all;
}

std::shared_ptr<Stream> Streams::open(bool blocking) {
  auto stream = std::make_shared<Stream>(blocking, ++opened_);
  if (blocking) blocking_.insert(stream);
  return stream;
}

void Streams::close(const std::shared_ptr<Stream>& stream, const Queue& queue) {
  if (blocking_.erase(stream) == 0) return;
  for (const Sequence s : stream->pending()) legacy_->waits_.push_back(s);
  std::erase_if(legacy_->waits_, [&](Sequence s) { return queue.done(s); });
}

void Streams::wait_for(Stream& stream, Sequence s, const Queue& queue) {
  if (&stream == legacy_.get()) stream.waits_ = before(stream);
  stream.waits_.push_back(s);
  std::erase_if(stream.waits_, [&](Sequence w) { return queue.done(w); });
  std::sort(stream.waits_.begin(), stream.waits_.end());
  stream.waits_.erase(std::unique(stream.waits_.begin(), stream.waits_.end()), stream.waits_.end());
}

std::vector<Sequence> Streams::before(const Stream& stream) const {
  std::vector<Sequence> all = stream.pending();
  const auto add = [&](const Stream& other) {
    for (const Sequence s : other.pending()) all.push_back(s);
  };
  if (&stream == legacy_.get()) {
    for (const auto& other : blocking_) add(*other);
  } else if (stream.blocking()) {
    add(*legacy_);
  }
  return all;
}

std::vector<Sequence> Streams::pending(const Stream& stream) const {
  return &stream == legacy_.get() ? before(stream) : stream.pending();
}

void Streams::submitted(Stream& stream, Sequence s) {
  if (!stream.used_ && &stream != legacy_.get()) ++independent_;
  if (&stream == legacy_.get()) legacy_used_ = true;
  else if (!stream.blocking()) free_used_ = true;
  stream.used_ = true;
  stream.waits_.clear();
  stream.last_ = s;
}

}  // namespace heddle::driver
