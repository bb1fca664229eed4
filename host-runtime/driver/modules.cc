// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/modules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/copy_command.h"

namespace heddle::driver {
namespace {

namespace c = contract;

constexpr uint64_t kFirstCodeBytes = 64 * 1024;

}  // namespace

Result<Module*> Modules::load(formats::Cubin cubin) {
  if (const auto missing = missing_hardware(cubin, preset_.structure)) {
    const std::string name = demangle(std::string(cubin.find_function(missing->pc))), what(missing->what);
    return Error("'" + name + "' needs " + what + " in hardware, which preset '" + preset_.name +
                     "' lacks, and there is no PTX beside it to compile for this device",
                 Code::NoKernelImageForDevice);
  }
  Placement placement;
  Task task;
  task.what = "module";
  Status placed = place(cubin, placement, task);
  if (placed) placed = work_.prepare(std::move(task));
  if (!placed) {
    release(placement, cubin);
    return placed.error();
  }
  modules_.push_back(std::make_unique<Module>(std::move(cubin), placement));
  return modules_.back().get();
}

Status Modules::unload(const Module& module) {
  if (auto idle = waits_.wait_idle(); !idle) return idle;
  release(module.placement(), module.cubin());
  std::erase_if(modules_, [&](const auto& m) { return m.get() == &module; });
  return {};
}

const Module* Modules::holding(uint32_t pc) const {
  const auto found = std::ranges::find_if(modules_, [&](const auto& m) { return m->holds(pc); });
  return found == modules_.end() ? nullptr : found->get();
}

// ---- placement -----------------------------------------------------------------------------------------

Status Modules::place(const formats::Cubin& cubin, Placement& placement, Task& task) {
  if (cubin.global_align > DeviceAllocator::kGranule)
    return Error("a variable's alignment of " + std::to_string(cubin.global_align) + " bytes is not supported",
                 Code::InvalidKernelImage);
  const auto pc = code_.add(cubin.code.size() * 8);
  if (!pc) return Error("the code of all modules exceeds 2 GiB", Code::InvalidKernelImage);
  placement.code_pc = *pc;
  if (auto ok = allocate(cubin.global_bytes, placement.globals); !ok) return ok.error().context("globals");
  if (auto ok = allocate(cubin.const_bytes, placement.constants); !ok) return ok.error().context("constants");
  auto linked = formats::link(cubin, {placement.code_pc, placement.globals, placement.constants, symbols_});
  if (!linked) return Error(linked.error().message(), Code::SymbolNotFound);
  const auto write = [&](uint64_t address, const std::vector<uint8_t>& bytes) {
    if (!bytes.empty()) task.items.push_back(write_item(address, bytes.data(), bytes.size()));
  };
  write(placement.globals, linked->global);
  write(placement.constants, linked->constant);
  return place_code(placement.code_pc, linked->code, task);
}

Status Modules::place_code(uint32_t pc, const std::vector<uint64_t>& code, Task& task) {
  code_.write(pc, code);
  uint64_t first = pc, bytes = code.size() * 8;
  const uint64_t used = code_.bytes();
  if (used > code_.capacity) {
    const uint64_t old = code_.address;
    uint64_t capacity = std::max(code_.capacity, kFirstCodeBytes);
    while (capacity < used) capacity *= 2;
    auto place = allocations_.heap().allocate(capacity);
    if (!place) return place.error().context("code");
    code_.address = *place;
    code_.capacity = capacity;
    first = 0, bytes = used;
    // Kernels that were launched run the code where it was.
    if (old) allocations_.free_behind_all(old);
  }
  if (bytes) task.items.push_back(write_item(code_.address + first, code_.words() + first / 8, bytes));
  task.begin = [this, address = code_.address, used](std::vector<Task::Item>&) {
    code_address_ = address;
    code_bytes_ = used;
    set_code_registers(backend_);
  };
  return {};
}

void Modules::set_code_registers(device::Backend& backend) const {
  backend.write64(c::kRegCodeBaseLo, code_address_);
  backend.write32(c::kRegCodeSize, static_cast<uint32_t>(code_bytes_));
}

Status Modules::allocate(uint64_t bytes, uint64_t& address) {
  if (bytes == 0) return {};
  auto place = allocations_.heap().allocate(bytes);
  if (!place) return place.error();
  address = *place;
  return {};
}

void Modules::release(const Placement& placement, const formats::Cubin& cubin) {
  if (placement.code_pc) code_.remove(placement.code_pc, cubin.code.size() * 8);
  for (const uint64_t address : {placement.globals, placement.constants})
    if (address) (void)allocations_.heap().release(address).ok();
}

}  // namespace heddle::driver
