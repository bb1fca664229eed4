// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/waits.h"

#include <algorithm>

#include "host-runtime/driver/interrupt.h"

namespace heddle::driver {

Status Waits::synchronize(const Stream& stream) {
  const uint64_t frees = allocations_.frees();
  if (auto ok = synchronize(work_.pending(stream)); !ok) return ok;
  return allocations_.reclaim(frees, &stream);
}

Status Waits::synchronize(const std::vector<Sequence>& all) {
  if (outcome_.failed()) return outcome_.tell();
  if (auto ok = exchange_.bring_home(); !ok) return ok;
  for (const Sequence s : all)
    if (!engine_.wait(s)) finish_interrupt();
  if (!engine_.wait(work_.last_fence())) finish_interrupt();
  return outcome_.tell();
}

Status Waits::synchronize() {
  if (outcome_.failed()) return outcome_.tell();
  if (auto ok = exchange_.bring_home(); !ok) return ok;
  const uint64_t frees = allocations_.frees();
  if (!engine_.wait_through(work_.submitted())) finish_interrupt();
  if (auto ok = outcome_.tell(); !ok) return ok;
  return allocations_.reclaim(frees, nullptr);
}

Status Waits::wait_idle() {
  uint64_t frees = 0;
  do {
    frees = allocations_.frees();
    if (outcome_.failed()) return outcome_.tell();
    if (auto ok = exchange_.bring_home(); !ok) return ok;
    if (!engine_.wait_idle()) finish_interrupt();
  } while (exchange_.managed().on_device);  // another thread's launch came and went
  if (auto ok = outcome_.tell(); !ok) return ok;
  return allocations_.reclaim(frees, nullptr);
}

Status Waits::wait_until(const std::function<bool()>& reached) {
  if (!engine_.wait_until(reached)) finish_interrupt();
  return outcome_.tell();
}

Result<bool> Waits::query(const std::vector<Sequence>& all) {
  const auto done = [&] {
    return queue_.done(work_.last_fence()) &&
           std::all_of(all.begin(), all.end(), [&](Sequence s) { return queue_.done(s); });
  };
  if (outcome_.failed()) return outcome_.tell().error();
  if (auto ok = exchange_.bring_home(); !ok) return ok.error();
  if (!done()) engine_.poll();
  if (interrupt_requested()) return done();
  if (auto ok = outcome_.tell(); !ok) return ok.error();
  return done();
}

}  // namespace heddle::driver
