// SPDX-License-Identifier: Apache-2.0
// Context's copies, modules and launches.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "heddle/sizes.h"
#include "host-runtime/device/contract.h"
#include "host-runtime/driver/context.h"
#include "host-runtime/driver/timeline.h"
#include "isa/isa.h"

namespace heddle::driver {
namespace {

namespace c = contract;

constexpr uint64_t kFirstCodeBytes = 64 * 1024;
constexpr uint32_t kLocalStep = 16;
// Bytes. A device may have to write its caches back before it can tell what was written: less is sooner fetched.
constexpr uint64_t kWorthAsking = 64 * 1024;

// By which the blocks of a cooperative launch wait for each other, as CUDA's headers know it.
struct GridWorkspace {
  uint32_t bytes = sizeof(GridWorkspace);
  uint32_t arrived = 0;
};

uint64_t host_address(const void* p) { return reinterpret_cast<uint64_t>(p); }

Task::Item copy_item(uint64_t destination, uint64_t source, uint64_t bytes, uint64_t flags,
                     std::shared_ptr<const void> keep) {
  Task::Item item;
  item.command.words[c::kWordOpcode] = static_cast<uint32_t>(c::kCommandCopy | flags);
  item.command.set64(c::kWordSource, source);
  item.command.set64(c::kWordDestination, destination);
  item.command.set64(c::kWordBytes, bytes);
  item.keep = std::move(keep);
  return item;
}

}  // namespace

// ---- copies ------------------------------------------------------------------------------------------

std::shared_ptr<char[]> Context::staging(size_t bytes) {
  constexpr std::align_val_t kAlignment{64};
  return {new (kAlignment) char[bytes], [](char* p) { operator delete[](p, kAlignment); }};
}

Result<Sequence> Context::copy(Direction direction, std::span<const Piece> pieces, std::shared_ptr<const void> keep,
                               Stream* stream) {
  const bool from_device = direction != Direction::In, to_device = direction != Direction::Out;
  const uint64_t flags = !from_device ? c::kFlagSourceHost : !to_device ? c::kFlagDestinationHost : 0;
  Task task;
  task.what = !from_device ? "copy to device" : !to_device ? "copy to host" : "copy";
  task.items.reserve(pieces.size());
  bool managed = false;
  for (const Piece& piece : pieces) {
    managed = managed || (from_device && is_managed(piece.source, piece.bytes)) ||
              (to_device && is_managed(piece.destination, piece.bytes));
    task.items.push_back(copy_item(piece.destination, piece.source, piece.bytes, flags, keep));
  }
  if (managed)
    if (auto ok = lend_managed(); !ok) return ok.error();
  if (managed && to_device)
    for (const Piece& piece : pieces) managed_.device_writes(piece.destination, piece.bytes);
  return submit(std::move(task), stream);
}

Result<Sequence> Context::fill(std::span<const Piece> pieces, Stream* stream) {
  Task task;
  task.what = "fill";
  task.items.reserve(pieces.size());
  bool managed = false;
  for (const Piece& piece : pieces) {
    managed = managed || is_managed(piece.destination, piece.bytes);
    c::Command& command = task.items.emplace_back().command;
    command.words[c::kWordOpcode] = c::kCommandFill;
    command.set64(c::kWordDestination, piece.destination);
    command.set64(c::kWordBytes, piece.bytes);
    command.words[c::kWordPattern] = static_cast<uint32_t>(piece.source);
  }
  if (managed)
    if (auto ok = lend_managed(); !ok) return ok.error();
  if (managed)
    for (const Piece& piece : pieces) managed_.device_writes(piece.destination, piece.bytes);
  return submit(std::move(task), stream);
}

Result<Sequence> Context::copy_in(uint64_t destination, const void* source, uint64_t bytes,
                                  std::shared_ptr<const void> keep) {
  const Piece piece{destination, host_address(source), bytes};
  return copy(Direction::In, {&piece, 1}, std::move(keep));
}

Result<Sequence> Context::copy_out(void* destination, uint64_t source, uint64_t bytes) {
  const Piece piece{host_address(destination), source, bytes};
  return copy(Direction::Out, {&piece, 1});
}

Result<Sequence> Context::copy_device(uint64_t destination, uint64_t source, uint64_t bytes) {
  const Piece piece{destination, source, bytes};
  return copy(Direction::Device, {&piece, 1});
}

Result<Sequence> Context::fill(uint64_t destination, uint32_t pattern, uint64_t bytes) {
  const Piece piece{destination, pattern, bytes};
  return fill({&piece, 1});
}

Status Context::lend_managed() {
  if (managed_.on_device || managed_.empty()) return {};
  // What is to be sent shows when its turn has come: before that some of it may be on its way home.
  return exchange(
      [this](std::vector<Task::Item>& items) {
        for (const ManagedMemory::Piece& piece : managed_.to_device())
          items.push_back(copy_item(piece.address, host_address(piece.memory.get()), piece.bytes, c::kFlagSourceHost,
                                    piece.memory));
      },
      true);
}

Status Context::bring_managed_home() {
  if (!managed_.on_device) return {};
  return exchange(
      [this, changed = managed_.take_changed()](std::vector<Task::Item>& items) {
        for (ManagedMemory::Piece piece : written(changed)) {
          piece.memory = ManagedMemory::page_aligned(piece.bytes);
          Task::Item& item = items.emplace_back(copy_item(host_address(piece.memory.get()), piece.address, piece.bytes,
                                                          c::kFlagDestinationHost, piece.memory));
          item.done = [this, piece = std::move(piece)](const c::Completion&) { managed_.came_home(piece); };
        }
      },
      false);
}

std::vector<ManagedMemory::Piece> Context::written(std::vector<ManagedMemory::Piece> pieces) {
  uint64_t bytes = 0;
  for (const ManagedMemory::Piece& piece : pieces) bytes += piece.bytes;
  if (bytes < kWorthAsking) return pieces;
  static_assert(ManagedMemory::kPage == device::Backend::kWrittenPage);
  const uint64_t first = pieces.front().address / ManagedMemory::kPage * ManagedMemory::kPage;
  const uint64_t end = pieces.back().address + pieces.back().bytes;
  std::vector<uint8_t> pages(round_up(end - first, ManagedMemory::kPage) / ManagedMemory::kPage);
  return backend_->written(first, pages.size(), pages.data()) ? ManagedMemory::in_written(pieces, first, pages)
                                                              : pieces;
}

Status Context::exchange(std::function<void(std::vector<Task::Item>&)> begin, bool to_device) {
  Task task;
  task.begin = std::move(begin);
  task.what = to_device ? "managed memory to device" : "managed memory to host";
  auto moved = submit(std::move(task), nullptr);
  if (!moved) return moved.error();
  exchange_ = *moved;
  managed_.on_device = to_device;
  return {};
}

// ---- code --------------------------------------------------------------------------------------------

Status Context::place_code(uint32_t pc, const std::vector<uint64_t>& code) {
  code_->write(pc, code);
  uint64_t first = pc, bytes = code.size() * 8;
  const uint64_t used = code_->bytes();
  if (used > code_->capacity) {
    const uint64_t old = code_->address;
    uint64_t capacity = std::max(code_->capacity, kFirstCodeBytes);
    while (capacity < used) capacity *= 2;
    auto place = heap_.allocate(capacity);
    if (!place) return place.error().context("code");
    code_->address = *place;
    code_->capacity = capacity;
    first = 0, bytes = used;
    if (old)
      if (auto freed = heap_.release(old); !freed) return freed;
  }
  if (!copy_now(code_->address + first, host_address(code_->words() + first / 8), bytes, c::kFlagSourceHost))
    return outcome();
  code_bytes_ = used;
  place_code_registers(*backend_);
  return {};
}

void Context::place_code_registers(device::Backend& backend) {
  backend.write64(c::kRegCodeBaseLo, code_->address);
  backend.write32(c::kRegCodeSize, static_cast<uint32_t>(code_bytes_));
}

std::optional<uint64_t> Context::own_address(std::string_view symbol) const {
  if (symbol == formats::kParameterBlock) return params_;
  if (symbol == formats::kRuntimeBlock) return printf_.address();
  return std::nullopt;
}

Result<Module*> Context::load(formats::Cubin cubin) {
  if (const auto missing = missing_hardware(cubin, preset_.structure)) {
    const std::string name = demangle(std::string(cubin.find_function(missing->pc))), what(missing->what);
    return Error("'" + name + "' needs " + what + " in hardware, which preset '" + preset_.name +
                     "' lacks, and there is no PTX beside it to compile for this device",
                 Code::NoKernelImageForDevice);
  }
  // A kernel that runs does so with the code where it is now.
  if (auto ok = wait_between_tasks(); !ok) return ok.error();
  Placement placement;
  if (auto placed = place(cubin, placement); !placed) {
    release(placement, cubin);
    return placed.error();
  }
  modules_.push_back(std::make_unique<Module>(std::move(cubin), placement));
  return modules_.back().get();
}

Status Context::place(const formats::Cubin& cubin, Placement& placement) {
  const auto allocate = [&](uint64_t bytes, uint64_t& address) -> Status {
    if (bytes == 0) return {};
    auto range = heap_.allocate(bytes);
    if (!range) return range.error();
    address = *range;
    return {};
  };
  if (cubin.global_align > DeviceAllocator::kGranule)
    return Error("a variable's alignment of " + std::to_string(cubin.global_align) + " bytes is not supported",
                 Code::InvalidKernelImage);
  const auto pc = code_->add(cubin.code.size() * 8);
  if (!pc) return Error("the code of all modules exceeds 2 GiB", Code::InvalidKernelImage);
  placement.code_pc = *pc;
  if (auto ok = allocate(cubin.global_bytes, placement.globals); !ok) return ok.error().context("globals");
  if (auto ok = allocate(cubin.const_bytes, placement.constants); !ok) return ok.error().context("constants");
  auto linked = formats::link(cubin, {placement.code_pc, placement.globals, placement.constants,
                                      [this](std::string_view name) { return own_address(name); }});
  if (!linked) return Error(linked.error().message(), Code::SymbolNotFound);
  const auto fill_in = [&](uint64_t address, const std::vector<uint8_t>& bytes) -> Status {
    if (bytes.empty() || copy_now(address, host_address(bytes.data()), bytes.size(), c::kFlagSourceHost)) return {};
    return outcome();
  };
  if (auto ok = fill_in(placement.globals, linked->global); !ok) return ok.error();
  if (auto ok = fill_in(placement.constants, linked->constant); !ok) return ok.error();
  return place_code(placement.code_pc, linked->code);
}

void Context::release(const Placement& placement, const formats::Cubin& cubin) {
  if (placement.code_pc) code_->remove(placement.code_pc, cubin.code.size() * 8);
  for (const uint64_t address : {placement.globals, placement.constants})
    if (address) (void)heap_.release(address).ok();
}

Status Context::unload(const Module& module) {
  if (auto idle = wait_idle(); !idle) return idle;
  release(module.placement(), module.cubin());
  std::erase_if(modules_, [&](const auto& m) { return m.get() == &module; });
  return {};
}

// ---- launches ----------------------------------------------------------------------------------------

Status Context::reserve_local(uint64_t bytes) {
  if (bytes <= local_bytes_) return {};
  // Kernels that were launched use the old place.
  if (local_) old_local_[submitted()] = local_;
  local_ = local_bytes_ = 0;
  if (auto freed = free_old_local(); !freed) return freed;
  auto place = heap_.allocate(bytes);
  if (!place && !(old_local_.empty() && freed_.empty())) {
    if (auto idle = wait_idle(); !idle) return idle;
    if (auto freed = free_old_local(); !freed) return freed;
    place = heap_.allocate(bytes);
  }
  if (!place) return place.error().context("local memory");
  local_ = *place;
  local_bytes_ = bytes;
  return {};
}

Status Context::free_old_local() {
  while (!old_local_.empty() && queue_->done_through(old_local_.begin()->first)) {
    if (auto freed = heap_.release(old_local_.begin()->second); !freed) return freed;
    old_local_.erase(old_local_.begin());
  }
  return {};
}

Status Context::place_runtime(const Module& module) {
  const auto heap = [&] { return module.allocates() && !device_heap_.address(); };
  const auto printf = [&] { return module.prints() && !printf_.placed(); };
  if (!heap() && !printf()) return {};
  if (auto ok = wait_between_tasks(); !ok) return ok;
  const auto to_device = [this](uint64_t device, const void* from, uint64_t bytes) {
    return copy_now(device, host_address(from), bytes, c::kFlagSourceHost);
  };
  if (!printf_.placed())
    if (auto ok = printf_.place(heap_, to_device); !ok) return ok;
  if (!heap()) return {};
  if (auto ok = device_heap_.place(heap_, to_device); !ok) return ok;
  return printf_.set_heap(device_heap_.address(), device_heap_.bytes(), to_device);
}

Result<Task::Item> Context::clear_workspace() {
  if (!workspace_) {
    auto place = heap_.allocate(sizeof(GridWorkspace));
    if (!place) return place.error().context("workspace of a cooperative launch");
    workspace_ = *place;
  }
  auto fresh = staging(sizeof(GridWorkspace));
  new (fresh.get()) GridWorkspace;
  return copy_item(workspace_, host_address(fresh.get()), sizeof(GridWorkspace), c::kFlagSourceHost, fresh);
}

Result<Sequence> Context::launch(const Kernel& kernel, const LaunchShape& shape, uint64_t max_dynamic_shared,
                                 const void* params, Stream* stream) {
  if (sticky_) return *sticky_;
  const formats::CubinKernel& info = *kernel.info;
  const KernelLimits limits{info.registers, info.shared_bytes, max_dynamic_shared, kernel.max_threads};
  if (auto ok = check_launch(preset_, limits, shape); !ok) return ok.error();
  if (info.param_bytes > params_bytes_)
    return Error("the kernel's parameters take " + std::to_string(info.param_bytes) + " bytes, at most " +
                     std::to_string(params_bytes_),
                 Code::InvalidValue);
  if (info.param_bytes && !params) return Error("no parameters given", Code::InvalidValue);

  const uint64_t stack = info.needs_stack ? stack_bytes_ : 0;
  const auto local_bytes = static_cast<uint32_t>(round_up(info.local_bytes + stack, kLocalStep));
  const uint64_t threads = uint64_t{sms_} * warps_per_sm_ * isa::kWarpSize;
  if (auto ok = reserve_local(threads * local_bytes); !ok) return ok.error();

  if (auto ok = place_runtime(*kernel.module); !ok) return ok.error();
  if (auto ok = lend_managed(); !ok) return ok.error();
  managed_.device_writes(memory_base_, memory_bytes_);
  Task task;
  task.what = "kernel";
  if (shape.cooperative) {
    auto clear = clear_workspace();
    if (!clear) return clear.error();
    task.items.push_back(std::move(*clear));
  }
  if (info.param_bytes) {
    auto block = staging(info.param_bytes);
    std::memcpy(block.get(), params, info.param_bytes);
    task.items.push_back(copy_item(params_, host_address(block.get()), info.param_bytes, c::kFlagSourceHost, block));
  }

  auto launched = std::make_shared<LaunchInfo>();
  launched->module = kernel.module;
  launched->local_bytes = local_bytes;
  launched->stack_bytes = stack;
  launched->run.symbol = info.name;
  launched->run.name = kernel.display_name;
  launched->run.grid = shape.grid;
  launched->run.block = shape.block;
  launched->run.registers = info.registers;
  launched->run.shared_bytes = info.shared_bytes + shape.dynamic_shared;

  Task::Item& item = task.items.emplace_back();
  auto& words = item.command.words;
  words[c::kWordOpcode] = c::kCommandLaunch;
  words[c::kWordEntryPc] = kernel.pc;
  words[c::kWordRegisters] = allocated_registers(preset_, info.registers);
  words[c::kWordSharedBytes] = static_cast<uint32_t>(allocated_shared(preset_, launched->run.shared_bytes));
  words[c::kWordDynamicShared] = static_cast<uint32_t>(shape.dynamic_shared);
  words[c::kWordLocalBytes] = local_bytes;
  words[c::kWordGridX] = shape.grid.x;
  words[c::kWordGridY] = shape.grid.y;
  words[c::kWordGridZ] = shape.grid.z;
  words[c::kWordBlockX] = shape.block.x;
  words[c::kWordBlockY] = shape.block.y;
  words[c::kWordBlockZ] = shape.block.z;
  item.command.set64(c::kWordParamBase, params_);
  words[c::kWordParamBytes] = info.param_bytes;
  item.command.set64(c::kWordLocalBase, local_);
  item.command.set64(c::kWordConstBase, kernel.module->placement().constants);
  if (shape.cooperative) item.command.set64(c::kWordEnvreg0, workspace_);
  words[c::kWordGridId] = ++grid_id_;
  item.launch = launched;
  item.begin = [this] {
    launch_begin_ = launched_on_->stats();
    launch_began_ = std::chrono::steady_clock::now();
    progress_.begin();
  };
  item.done = [this, launched](const c::Completion&) {
    record_launch(*launched, true);
    if (launched->module->prints()) take_output();
  };
  if (choice_ && choice_->takes(kernel.display_name, info.name)) {
    Task commands = std::move(task);
    if (Timeline::get()) trace(commands, stream);
    task = {};
    task.what = commands.what;
    task.control = [this, commands = std::move(commands)] { run_chosen(commands); };
  }
  auto sequence = submit(std::move(task), stream);
  if (sequence && settings_.blocking)
    if (auto ok = synchronize(*sequence); !ok) return ok.error();
  return sequence;
}

void Context::run_chosen(Task commands) {
  const auto failed = [this](const Error& error) {
    set_sticky(Error("a chosen launch: " + error.message(), error.code_or(Code::Unknown)));
  };
  if (!chosen_) {
    auto opened = ChosenDevice::open(chosen_transport_, open_options(true));
    if (!opened) return failed(opened.error());
    chosen_ = std::move(*opened);
    Queue& queue = chosen_->queue();
    queue.set_observer([this] { observe(); });
    queue.set_failure_handler([this](const Failure& failure, const Task::Item* item) {
      if (failure.status != 0) (void)chosen_->give_memory(*backend_, heap_).ok();  // what was printed is there
      fail(failure, item);
    });
    engine_->serve(chosen_->backend(), queue);
  }
  device::Backend& device = chosen_->backend();
  if (!reset(device)) return failed(Error(device.failure()));
  if (auto ok = configure(device, chosen_->queue()); !ok) return failed(ok.error());
  place_code_registers(device);
  if (auto ok = chosen_->take_memory(*backend_, heap_); !ok) return failed(ok.error());
  launched_on_ = &device;
  // What happens at its end looks at memory: that has to be back.
  auto done = std::exchange(commands.items.back().done, nullptr);
  std::optional<c::Completion> record;
  commands.items.back().done = [&record](const c::Completion& r) { record = r; };
  chosen_->queue().push(std::move(commands));
  engine_->run_empty(chosen_->queue());
  if (record && !sticky_) {
    if (auto ok = chosen_->give_memory(*backend_, heap_); !ok) failed(ok.error());
    else done(*record);
  }
  launched_on_ = backend_.get();
}

void Context::record_launch(const LaunchInfo& info, bool completed) {
  progress_.clear();
  const heddle_stats now = launched_on_->stats();
  KernelRun run = info.run;
  run.completed = completed;
  run.cycles = launched_on_->read64(c::kRegKernelCyclesLo);
  run.warp_instructions = launched_on_->read64(c::kRegWarpInstructionsLo);
  run.thread_instructions = launched_on_->read64(c::kRegThreadInstructionsLo);
  run.compared_instructions = now.compared_instructions - launch_begin_.compared_instructions;
  run.compared_memory_events = now.compared_memory_events - launch_begin_.compared_memory_events;
  run.trace_digest = now.trace_digest;
  run.cpu_seconds = now.cpu_seconds - launch_begin_.cpu_seconds;
  run.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - launch_began_).count();
  report_.add(run);
}

}  // namespace heddle::driver
