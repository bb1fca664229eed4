// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/setup.h"

#include "host-runtime/device/contract.h"

namespace heddle::driver {
namespace {

namespace c = contract;

uint32_t scheduler_code(const std::string& name) { return name == "gto" ? 1 : name == "two_level" ? 2 : 0; }

}  // namespace

device::OpenOptions Setup::options(bool chosen) const {
  device::OpenOptions options;
  options.preset_file = preset_file_;
  options.seed = settings_.seed;
  const bool beside = chosen_ && !chosen;  // the golden model
  options.device = beside ? "model" : settings_.device;
  if (beside) return options;
  options.wave_file = settings_.wave;
  options.wave_begin = settings_.wave_begin;
  options.wave_end = settings_.wave_end;
  options.wave_launch = settings_.wave_launch;
  options.wave_scopes = settings_.wave_scopes;
  options.wave_groups = settings_.wave_groups;
  options.inject = settings_.inject;
  return options;
}

Status Setup::configure(device::Backend& backend, Queue& queue) const {
  const uint32_t id = backend.read32(c::kRegId), version = backend.read32(c::kRegVersion);
  if (id != c::kIdMagic && backend.wait(0) < 0) return Error(backend.failure(), Code::DevicesUnavailable);
  if (id != c::kIdMagic) return Error("the backend is no Heddle device");
  if (version != c::kIdContractVersion)
    return Error("the device speaks version " + std::to_string(version) + " of the contract, " +
                 std::to_string(c::kIdContractVersion) + " is needed: rebuild it");
  if (backend.read32(c::kRegPresetHash) != preset_.structure_hash())
    return Error("the device was built from another version of preset '" + preset_.name + "': rebuild it");
  if (backend.read64(c::kRegMemSizeLo) == 0) backend.write64(c::kRegMemSizeLo, preset_.runtime.mem_bytes);
  if (memory_bytes_) backend.write64(c::kRegMemSizeLo, memory_bytes_);
  backend.write32(c::kRegSchedPolicy, scheduler_code(preset_.runtime.scheduler));
  backend.write32(c::kRegYieldBranches, static_cast<uint32_t>(preset_.runtime.yield_branches));
  backend.write32(c::kRegL1Enable, 1);
  backend.write64(c::kRegCycleLimitLo, settings_.cycle_limit);
  queue.start();
  return {};
}

void Setup::limit_memory(device::Backend& backend, uint64_t bytes) {
  if (bytes == memory_bytes_) return;
  memory_bytes_ = bytes;
  backend.write64(c::kRegMemSizeLo, bytes);
}

}  // namespace heddle::driver
