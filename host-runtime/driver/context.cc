// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/context.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "heddle/sizes.h"
#include "host-runtime/device/contract.h"
#include "host-runtime/device/installation.h"
#include "host-runtime/driver/interrupt.h"
#include "host-runtime/driver/wave.h"
#include "isa/isa.h"

namespace heddle::driver {
namespace {

namespace c = contract;

constexpr int kAssert = 710;
constexpr uint64_t kPage = uint64_t{2} << 20;  // what memory protection distinguishes
constexpr int kUnknown = 999;
// Parameters of a kernel: what PTX allows at most (ISA 8.1).
constexpr uint64_t kParamBytes = 32764 / 256 * 256 + 256;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

uint32_t scheduler_code(const std::string& name) { return name == "gto" ? 1 : name == "two_level" ? 2 : 0; }

}  // namespace

Context::Context(const Settings& settings, const Preset& preset, std::string program, std::FILE* out, std::FILE* err)
    : settings_(settings),
      preset_(preset),
      program_(std::move(program)),
      out_(out),
      err_(err),
      progress_(settings.status_line ? err : nullptr) {}

Context::~Context() = default;

Result<std::unique_ptr<Context>> Context::create(const Settings& settings, const Preset& preset,
                                                 const std::string& preset_file, const heddle_transport* transport,
                                                 std::string program, std::FILE* out, std::FILE* err) {
  std::unique_ptr<Context> context(new Context(settings, preset, std::move(program), out, err));
  if (auto opened = context->open(preset_file, transport); !opened) return opened.error();
  return context;
}

Status Context::open(const std::string& preset_file, const heddle_transport* transport) {
  device::OpenOptions options;
  options.device = settings_.device;
  options.preset_file = preset_file;
  options.wave_file = settings_.wave;
  options.wave_begin = settings_.wave_begin;
  options.wave_end = settings_.wave_end;
  options.wave_scopes = settings_.wave_scopes;
  options.wave_groups = settings_.wave_groups;
  options.inject = settings_.inject;
  options.seed = settings_.seed;
  if (!settings_.wave.empty() && settings_.device != "model")
    if (auto ok = prepare_wave(settings_.wave); !ok) return ok;
  auto backend = device::Backend::open(transport, options);
  if (!backend) return backend.error();
  backend_ = std::move(*backend);
  queue_ = std::make_unique<Queue>(*backend_);
  queue_->set_observer([this] { return observe(); });
  queue_->set_failure_handler([this](const Failure& failure, const Queue::Item* item) { fail(failure, item); });
  if (auto ok = configure(); !ok) return ok.error();

  memory_base_ = backend_->read64(c::kRegMemBaseLo);
  memory_bytes_ = backend_->read64(c::kRegMemSizeLo);
  sms_ = backend_->read32(c::kRegNumSms);
  warps_per_sm_ = backend_->read32(c::kRegWarpsPerSm);
  heap_ = DeviceAllocator(memory_base_, memory_bytes_ / DeviceAllocator::kGranule * DeviceAllocator::kGranule);
  auto params = heap_.allocate(kParamBytes);
  if (!params) return params.error().context("parameters of kernels");
  params_ = *params;
  params_bytes_ = kParamBytes;
  if (auto ok = printf_.reserve(heap_); !ok) return ok;
  code_ = std::make_unique<CodeSegment>();
  report_.program = program_;
  report_.device = settings_.device;
  report_.preset = preset_.name;
  return {};
}

Status Context::configure() {
  const uint32_t id = backend_->read32(c::kRegId), version = backend_->read32(c::kRegVersion);
  if (id != c::kIdMagic && backend_->wait(0) < 0)
    return Error(backend_->failure(), device::Backend::kDevicesUnavailable);
  if (id != c::kIdMagic) return Error("the backend is no Heddle device");
  if (version != c::kIdContractVersion)
    return Error("the device speaks version " + std::to_string(version) + " of the contract, " +
                 std::to_string(c::kIdContractVersion) + " is needed: rebuild it");
  if (backend_->read32(c::kRegPresetHash) != preset_.structure_hash())
    return Error("the device was built from another version of preset '" + preset_.name + "': rebuild it");
  if (backend_->read64(c::kRegMemSizeLo) == 0) backend_->write64(c::kRegMemSizeLo, preset_.runtime.mem_bytes);
  if (window_bytes_) backend_->write64(c::kRegMemSizeLo, window_bytes_);
  backend_->write32(c::kRegSchedPolicy, scheduler_code(preset_.runtime.scheduler));
  backend_->write32(c::kRegYieldBranches, static_cast<uint32_t>(preset_.runtime.yield_branches));
  backend_->write32(c::kRegL1Enable, 1);
  backend_->write64(c::kRegCycleLimitLo, settings_.cycle_limit);
  queue_->start();
  return {};
}

Status Context::status() const {
  if (sticky_) return *sticky_;
  return {};
}

bool Context::in_device_window(uint64_t address) const { return address - memory_base_ < memory_bytes_; }

bool Context::is_allocated(uint64_t address, uint64_t bytes) const {
  const auto range = heap_.find(address);
  return range && bytes <= range->bytes - (address - range->address);
}

Result<uint64_t> Context::allocate(uint64_t bytes) {
  if (sticky_) return *sticky_;
  return heap_.allocate(bytes);
}

Result<uint64_t> Context::allocate_managed(uint64_t bytes) {
  if (sticky_) return *sticky_;
  // What the other allocations hold is at home from now on, so the new one may be.
  if (auto idle = synchronize(); !idle) return idle.error();
  auto heap = heap_.allocate(ManagedMemory::heap_bytes(bytes));
  if (!heap) return heap;
  const uint64_t address = ManagedMemory::first_page(*heap);
  if (auto ok = managed_.add(address, {bytes, *heap}); !ok) {
    if (auto freed = heap_.release(*heap); !freed) return freed.error();
    return ok.error();
  }
  return address;
}

Status Context::share_variable(uint64_t address, uint64_t bytes, void* host) {
  if (auto idle = synchronize(); !idle) return idle;
  managed_.add_variable(address, bytes, reinterpret_cast<uint64_t>(host));
  return {};
}

Status Context::unshare_variable(uint64_t address) {
  const Status idle = synchronize();
  managed_.remove_variable(address);
  return idle;
}

void Context::limit_window() {
  const uint64_t used = heap_.high_water() - memory_base_;
  const uint64_t bytes = std::min(memory_bytes_, round_up(used, kPage));
  if (bytes == window_bytes_) return;
  window_bytes_ = bytes;
  backend_->write64(c::kRegMemSizeLo, bytes);
}

Status Context::release(uint64_t address) {
  if (auto ok = synchronize(); !ok) return ok;
  const uint64_t heap = managed_.remove(address);
  return heap_.release(heap ? heap : address);
}

// ---- waiting -------------------------------------------------------------------------------------

bool Context::observe() {
  const LaunchInfo* launch = queue_->launch_running();
  if (interrupt_requested()) {
    if (launch) record_launch(*launch, false);
    return false;
  }
  if (!launch || !progress_.due()) return true;
  ProgressSample sample;
  sample.kernel = launch->run.name;
  sample.blocks_done = backend_->read32(c::kRegBlocksDone);
  sample.blocks_total = backend_->read32(c::kRegBlocksTotal);
  sample.cycles = backend_->read64(c::kRegKernelCyclesLo);
  progress_.show(sample);
  return true;
}

Status Context::synchronize(Sequence s) {
  if (sticky_) return *sticky_;
  if (auto ok = bring_managed_home(); !ok) return ok;
  if (queue_->drain(std::max(s, home_))) return {};
  progress_.clear();
  if (queue_->interrupted()) finish_interrupt();
  recover();
  if (!sticky_) sticky_ = Error("the device stopped without a reason", kUnknown);
  if (sticky_->code() != kAssert) std::fprintf(err_, "heddle: %s\n", sticky_->message().c_str());
  return *sticky_;
}

Result<bool> Context::query(Sequence s) {
  if (sticky_) return *sticky_;
  if (auto ok = bring_managed_home(); !ok) return ok.error();
  s = std::max(s, home_);
  if (!queue_->done(s) && !queue_->poll()) return synchronize(s).error();
  if (!queue_->done(s)) return false;
  if (auto ok = synchronize(s); !ok) return ok.error();
  return true;
}

Result<Sequence> Context::mark(std::function<void(uint64_t)> done) {
  Queue::Item item;
  item.command.words[c::kWordOpcode] = c::kCommandNop;
  item.done = [done = std::move(done)](const c::Completion& record) { done(record.last_cycle); };
  return submit(std::move(item));
}

Result<Sequence> Context::host(std::function<void()> function) {
  Queue::Item item;
  item.host = [this, function = std::move(function)] { run_host(function); };
  return submit(std::move(item));
}

// Between the program's function and the call that waits is C: an exception has nowhere to go.
void Context::run_host(const std::function<void()>& function) {
  std::string thrown = "an exception";
  try {
    function();
    return;
  } catch (const std::exception& e) {
    thrown += std::string(": ") + e.what();
  } catch (...) {
    thrown += ": not a std::exception";
  }
  if (!sticky_) sticky_ = Error("a host function threw " + thrown, kUnknown);
  report_.status = first_line(sticky_->message());
  queue_->stop();
}

Result<Sequence> Context::submit(Queue::Item item) {
  if (sticky_) return *sticky_;
  limit_window();
  return queue_->push(std::move(item));
}

// ---- faults ----------------------------------------------------------------------------------------

std::string Context::neighbourhood(uint64_t address) const {
  if (heap_.find(address)) return {};
  const auto below = heap_.before(address);
  if (!below || address - below->address > below->bytes + (1 << 20)) return {};
  char text[120];
  std::snprintf(text, sizeof text, "the address is %llu bytes after the allocation at 0x%llx of %llu bytes",
                static_cast<unsigned long long>(address - below->address - below->bytes),
                static_cast<unsigned long long>(below->address), static_cast<unsigned long long>(below->bytes));
  return text;
}

void Context::fail(const Failure& failure, const Queue::Item* item) {
  progress_.clear();
  FailureContext where;
  where.cycle_limit = settings_.cycle_limit;
  const LaunchInfo* launch = item ? item->launch.get() : nullptr;
  if (launch) {
    record_launch(*launch, false);
    where.kernel = launch->run.name;
    where.grid = launch->run.grid;
    where.block_dim = launch->run.block;
    where.local_bytes = launch->local_bytes;
    where.stack_bytes = launch->stack_bytes;
    if (failure.kind != c::kFaultIllegalPc) {
      const uint64_t word = code_->instruction(failure.pc);
      if (word) where.instruction = isa::disassemble(word, failure.pc);
      for (const auto& module : modules_)
        if (module->holds(failure.pc)) {
          where.source = module->source(failure.pc);
          where.function = module->inner_function(failure.pc);
        }
    }
    if (failure.kind == c::kFaultIllegalAddress && (failure.code & 0xf) == c::kFaultSpaceGlobal)
      where.neighbourhood = neighbourhood(failure.address);
  }
  const Error error = describe(failure, where);
  sticky_ = error;
  report_.status = first_line(error.message());
}

void Context::recover() {
  const auto failure = queue_->failure();
  queue_->forget_failure();
  if (!failure || failure->status == 0) return;  // a failed assertion; a backend that is dead
  // What kernels printed before the fault is still in memory.
  backend_->write32(c::kRegControl, c::kControlReset);
  for (int i = 0; i < 1000 && (backend_->read32(c::kRegControl) & c::kControlReset); ++i)
    if (backend_->wait(64) < 0) return;
  if (configure()) take_output();
}

bool Context::copy_now(uint64_t destination, uint64_t source, uint64_t bytes, uint64_t flags) {
  c::Command command;
  command.words[c::kWordOpcode] = static_cast<uint32_t>(c::kCommandCopy | flags);
  command.set64(c::kWordSource, source);
  command.set64(c::kWordDestination, destination);
  command.set64(c::kWordBytes, bytes);
  limit_window();
  return queue_->run_now(command);
}

void Context::take_output() {
  const auto host = [](void* p) { return reinterpret_cast<uint64_t>(p); };
  auto output = printf_.take([&](uint64_t device, void* from,
                                 uint64_t bytes) { return copy_now(device, host(from), bytes, c::kFlagSourceHost); },
                             [&](uint64_t device, void* to, uint64_t bytes) {
                               return copy_now(host(to), device, bytes, c::kFlagDestinationHost);
                             },
                             memory_base_, memory_base_ + memory_bytes_);
  progress_.clear();
  if (!output) {
    if (!sticky_) sticky_ = output.error();
    queue_->stop();
    return;
  }
  std::fputs(output->standard_output.c_str(), out_);
  if (!output->standard_output.empty()) std::fflush(out_);
  std::fputs(output->standard_error.c_str(), err_);
  if (output->dropped)
    std::fprintf(err_,
                 "heddle: the printf buffer of %llu bytes overflowed: %u records are lost (cudaLimitPrintfFifoSize)\n",
                 static_cast<unsigned long long>(printf_.bytes()), output->dropped);
  if (output->asserts == 0) return;
  if (!sticky_) sticky_ = Error("a device-side assertion failed", kAssert);
  report_.status = sticky_->message();
  queue_->stop();
}

// ---- reporting --------------------------------------------------------------------------------------

Report Context::report() {
  Report r = report_;
  if (interrupt_requested()) r.status = "interrupted";
  if (backend_) r.device_stats = backend_->stats();
  return r;
}

Status Context::close() {
  if (!backend_) return {};
  report_.device_stats = backend_->stats();
  backend_.reset();
  if (settings_.wave.empty()) return {};
  return check_wave(settings_.wave, settings_.wave_begin, settings_.wave_end, report_.device_stats.cycles);
}

Status Context::check_lockstep() {
  if (backend_ && !sticky_ && !backend_->finish()) {
    sticky_ = Error(backend_->failure(), kUnknown);
    report_.status = first_line(sticky_->message());
    return *sticky_;
  }
  if (!device::runs_in_lockstep(settings_.device) || report_.total.warp_instructions == 0 || report_.compared())
    return {};
  return Error("lockstep compared no instruction with the golden model", kUnknown);
}

}  // namespace heddle::driver
