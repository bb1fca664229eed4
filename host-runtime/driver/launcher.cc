// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/launcher.h"

#include <string>
#include <utility>

#include "heddle/sizes.h"
#include "host-runtime/device/contract.h"
#include "host-runtime/driver/copy_command.h"
#include "host-runtime/driver/profiles.h"

namespace heddle::driver {
namespace {

namespace c = contract;

// Parameters of a kernel: what PTX allows at most (ISA 8.1).
constexpr uint64_t kParamBytes = 32764 / 256 * 256 + 256;
constexpr uint32_t kLocalStep = 16;

// By which the blocks of a cooperative launch wait for each other, as CUDA's headers know it.
struct GridWorkspace {
  uint32_t bytes = sizeof(GridWorkspace);
  uint32_t arrived = 0;
};

}  // namespace

Status Launcher::reserve() {
  auto place = parts_.allocations.heap().allocate(kParamBytes);
  if (!place) return place.error().context("parameters of kernels");
  parameters_ = *place;
  return {};
}

Status Launcher::check(const Kernel& kernel, const LaunchShape& shape, uint64_t max_dynamic_shared,
                       const void* params) const {
  const formats::CubinKernel& info = *kernel.info;
  const KernelLimits limits{info.registers,     info.shared_bytes,       max_dynamic_shared,
                            kernel.max_threads, info.max_cluster_blocks, info.explicit_cluster};
  if (auto ok = check_launch(preset_, limits, shape); !ok) return ok;
  if (info.param_bytes > kParamBytes)
    return Error("the kernel's parameters take " + std::to_string(info.param_bytes) + " bytes, at most " +
                     std::to_string(kParamBytes),
                 Code::InvalidValue);
  if (info.param_bytes && !params) return Error("no parameters given", Code::InvalidValue);
  return {};
}

std::shared_ptr<LaunchInfo> Launcher::info(const Kernel& kernel, const LaunchShape& shape) {
  auto launch = std::make_shared<LaunchInfo>();
  launch->module = kernel.module;
  launch->pc = kernel.pc;
  launch->number = grid_id_ + 1;
  launch->dynamic_shared = shape.dynamic_shared;
  launch->profiled = parts_.profiles && parts_.profiles->takes(kernel);
  launch->stack_bytes = kernel.info->needs_stack ? stack_bytes_ : 0;
  launch->local_bytes = static_cast<uint32_t>(round_up(kernel.info->local_bytes + launch->stack_bytes, kLocalStep));
  launch->run.symbol = kernel.info->name;
  launch->run.name = kernel.display_name;
  launch->run.grid = shape.grid;
  launch->run.block = shape.block;
  launch->run.registers = kernel.info->registers;
  launch->run.shared_bytes = kernel.info->shared_bytes + shape.dynamic_shared;
  return launch;
}

Result<Task::Item> Launcher::clear_workspace() {
  if (!workspace_) {
    auto place = parts_.allocations.heap().allocate(sizeof(GridWorkspace));
    if (!place) return place.error().context("workspace of a cooperative launch");
    workspace_ = *place;
  }
  const GridWorkspace fresh;
  return write_item(workspace_, &fresh, sizeof fresh);
}

Task::Item Launcher::command(const Kernel& kernel, const LaunchShape& shape, std::shared_ptr<const LaunchInfo> launch) {
  Task::Item item;
  auto& words = item.command.words;
  words[c::kWordOpcode] = c::kCommandLaunch;
  words[c::kWordEntryPc] = kernel.pc;
  words[c::kWordRegisters] = allocated_registers(preset_, kernel.info->registers);
  words[c::kWordSharedBytes] = static_cast<uint32_t>(allocated_shared(preset_, launch->run.shared_bytes));
  words[c::kWordDynamicShared] = static_cast<uint32_t>(shape.dynamic_shared);
  words[c::kWordLocalBytes] = static_cast<uint32_t>(launch->local_bytes);
  words[c::kWordGridX] = shape.grid.x;
  words[c::kWordGridY] = shape.grid.y;
  words[c::kWordGridZ] = shape.grid.z;
  words[c::kWordBlockX] = shape.block.x;
  words[c::kWordBlockY] = shape.block.y;
  words[c::kWordBlockZ] = shape.block.z;
  item.command.set64(c::kWordParamBase, parameters_);
  words[c::kWordParamBytes] = kernel.info->param_bytes;
  item.command.set64(c::kWordLocalBase, local_.address());
  item.command.set64(c::kWordConstBase, kernel.module->placement().constants);
  if (shape.cooperative) item.command.set64(c::kWordEnvreg0, workspace_);
  words[c::kWordGridId] = ++grid_id_;
  words[c::kWordClusterX] = shape.cluster.x;
  words[c::kWordClusterY] = shape.cluster.y;
  words[c::kWordClusterZ] = shape.cluster.z;
  item.launch = launch;
  item.begin = [this, launch] { parts_.counters.begin(*launch); };
  item.done = [this, launch](const c::Completion&) {
    parts_.counters.record(*launch, true);
    if (launch->module->prints()) parts_.runtime.take_output();
  };
  return item;
}

Result<Sequence> Launcher::launch(const Kernel& kernel, LaunchShape shape, uint64_t max_dynamic_shared,
                                  const void* params, Stream* stream) {
  if (const Status ok = parts_.outcome.status(); !ok) return ok.error();
  const auto cluster = choose_cluster(kernel.required_cluster, shape.cluster);
  if (!cluster) return cluster.error();
  shape.cluster = *cluster;
  if (auto ok = check(kernel, shape, max_dynamic_shared, params); !ok) return ok.error();
  auto launch = info(kernel, shape);
  if (auto ok = local_.reserve(resident_threads_ * launch->local_bytes); !ok) return ok.error();
  if (auto ok = parts_.runtime.place(*kernel.module); !ok) return ok.error();
  if (auto ok = parts_.exchange.lend(); !ok) return ok.error();
  parts_.exchange.managed().device_writes(parts_.allocations.base(), parts_.allocations.bytes());

  Task task;
  task.what = "kernel";
  if (shape.cooperative) {
    auto clear = clear_workspace();
    if (!clear) return clear.error();
    task.items.push_back(std::move(*clear));
  }
  if (const uint64_t bytes = kernel.info->param_bytes) task.items.push_back(write_item(parameters_, params, bytes));
  task.items.push_back(command(kernel, shape, std::move(launch)));
  if (parts_.chosen && parts_.chosen->takes(kernel)) task = parts_.chosen->move_over(std::move(task), stream);
  auto sequence = parts_.work.submit(std::move(task), stream);
  if (sequence && blocking_)
    if (auto ok = parts_.waits.synchronize(*sequence); !ok) return ok.error();
  return sequence;
}

}  // namespace heddle::driver
