// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/chosen_launches.h"

#include <optional>
#include <utility>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/trace.h"

namespace heddle::driver {

namespace c = contract;

Task ChosenLaunches::move_over(Task commands, const Stream* stream) {
  trace(commands, stream, counters_);
  Task task;
  task.what = commands.what;
  task.control = [this, commands = std::move(commands)] { run(commands); };
  return task;
}

Status ChosenLaunches::open() {
  auto opened = ChosenDevice::open(setup_.chosen_transport(), setup_.options(true));
  if (!opened) return opened.error();
  device_ = std::move(*opened);
  Queue& queue = device_->queue();
  queue.set_observer([this] {
    if (const LaunchInfo* launch = running()) counters_.show(*launch);
  });
  queue.set_failure_handler([this](const Failure& failure, const Task::Item* item) {
    // What was printed is there.
    if (failure.status != 0) (void)device_->give_memory(golden_, allocations_.heap()).ok();
    faults_.handle(failure, item);
  });
  engine_.serve(device_->backend(), queue);
  return {};
}

void ChosenLaunches::fail(const Error& error) {
  outcome_.fail(Error("a chosen launch: " + error.message(), error.code_or(Code::Unknown)));
}

void ChosenLaunches::run(Task commands) {
  if (!device_)
    if (auto ok = open(); !ok) return fail(ok.error());
  device::Backend& device = device_->backend();
  if (!reset(device)) return fail(Error(device.failure()));
  if (auto ok = setup_.configure(device, device_->queue()); !ok) return fail(ok.error());
  modules_.set_code_registers(device);
  if (auto ok = device_->take_memory(golden_, allocations_.heap()); !ok) return fail(ok.error());
  counters_.watch(device);
  // What happens at its end looks at memory: that has to be back.
  auto done = std::exchange(commands.items.back().done, nullptr);
  std::optional<c::Completion> record;
  commands.items.back().done = [&record](const c::Completion& r) { record = r; };
  device_->queue().push(std::move(commands));
  engine_.run_empty(device_->queue());
  if (record && !outcome_.failed()) {
    if (auto ok = device_->give_memory(golden_, allocations_.heap()); !ok) fail(ok.error());
    else done(*record);
  }
  counters_.watch(golden_);
}

}  // namespace heddle::driver
