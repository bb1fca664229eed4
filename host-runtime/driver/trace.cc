// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/trace.h"

#include <memory>
#include <utility>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/timeline.h"

namespace heddle::driver {

namespace c = contract;

void trace(Task& task, const Stream* stream, Counters& counters) {
  if (!Timeline::get()) return;
  auto work = std::make_shared<Timeline::Work>();
  work->name = work->kind = task.what;
  work->stream = stream ? stream->number() : 0;
  work->submitted = Timeline::Clock::now();
  if (task.host) {
    task.host = [work, host = std::move(task.host)](bool dropped) {
      work->began = Timeline::Clock::now();
      host(dropped);
      work->ended = Timeline::Clock::now();
      Timeline::get()->work(*work);
    };
    return;
  }
  task.begin = [&counters, work, begin = std::move(task.begin)](std::vector<Task::Item>& items) {
    work->began = Timeline::Clock::now();
    if (begin) begin(items);
    if (items.empty()) return;
    for (const Task::Item& item : items)
      work->bytes += item.command.get64(c::kWordBytes) * (uint64_t{item.command.words[c::kWordMoreRows]} + 1);
    if (const LaunchInfo* launch = items.back().launch.get()) {
      work->name = launch->run.name;
      work->grid = to_string(launch->run.grid);
      work->block = to_string(launch->run.block);
      work->bytes = 0;
    }
    // In front of what else happens then: of a task of one command, first the one, then the other.
    items.back().done = [&counters, work, done = std::move(items.back().done)](const c::Completion& record) {
      work->ended = Timeline::Clock::now();
      work->last_cycle = record.last_cycle;
      counters.look_for_clock();
      if (counters.has_clock()) work->kilohertz = counters.clock_khz();
      if (work->first_cycle == 0) work->first_cycle = record.first_cycle;
      Timeline::get()->work(*work);
      if (done) done(record);
    };
    if (items.size() == 1) return;
    items.front().done = [work, done = std::move(items.front().done)](const c::Completion& record) {
      work->first_cycle = record.first_cycle;
      if (done) done(record);
    };
  };
}

}  // namespace heddle::driver
