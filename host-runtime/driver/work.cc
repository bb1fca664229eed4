// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/work.h"

#include <utility>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/copy_command.h"
#include "host-runtime/driver/trace.h"

namespace heddle::driver {

namespace c = contract;

Result<Sequence> Work::submit(Task task, Stream* stream) {
  task.after_all = !stream;
  if (stream) {
    task.after = streams_.before(*stream);
    task.priority = stream->priority();
    task.after.push_back(fence_);
    if (!task.host) task.after.push_back(prepared_);
  }
  return push(std::move(task), stream);
}

Result<Sequence> Work::push(Task task, Stream* stream) {
  if (const Status ok = outcome_.status(); !ok) return ok.error();
  if (!task.host)
    task.begin = [this, bytes = allocations_.in_use(), begin = std::move(task.begin)](std::vector<Task::Item>& items) {
      setup_.limit_memory(backend_, bytes);
      if (begin) begin(items);
    };
  if (!task.control) trace(task, stream, counters_);
  if (!submitter_) submitter_ = std::this_thread::get_id();
  one_thread_ = one_thread_ && submitter_ == std::this_thread::get_id();
  const Sequence s = queue_.push(std::move(task));
  if (stream) streams_.submitted(*stream, s);
  engine_.wake();
  return s;
}

Status Work::fence(Task task) {
  auto submitted = submit(std::move(task), nullptr);
  if (!submitted) return submitted.error();
  fence_ = *submitted;
  return {};
}

Status Work::prepare(Task task) {
  task.after = {prepared_};
  auto pushed = push(std::move(task), nullptr);
  if (!pushed) return pushed.error();
  prepared_ = *pushed;
  return {};
}

Result<Sequence> Work::mark(std::function<void(uint64_t)> done, Stream* stream, const char* what) {
  Task task;
  Task::Item& item = task.items.emplace_back();
  task.what = what;
  item.command.words[c::kWordOpcode] = c::kCommandNop;
  item.done = [this, done = std::move(done)](const c::Completion& record) {
    counters_.look_for_clock();
    done(record.last_cycle);
  };
  return submit(std::move(task), stream);
}

Result<Sequence> Work::host(Task::Host function, bool when_dropped, Stream* stream) {
  Task task;
  task.what = "host function";
  task.host = std::move(function);
  task.host_when_dropped = when_dropped;
  return submit(std::move(task), stream);
}

bool Work::copy_now(uint64_t destination, uint64_t source, uint64_t bytes, uint64_t flags) {
  setup_.limit_memory(backend_, allocations_.in_use());
  return queue_.run_now(copy_command(destination, source, bytes, flags));
}

}  // namespace heddle::driver
