// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/context.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "heddle/sizes.h"
#include "host-runtime/device/contract.h"
#include "host-runtime/device/installation.h"
#include "host-runtime/driver/interrupt.h"
#include "host-runtime/driver/timeline.h"
#include "host-runtime/driver/wave.h"
#include "isa/isa.h"

namespace heddle::driver {
namespace {

namespace c = contract;

constexpr uint64_t kPage = uint64_t{2} << 20;  // what memory protection distinguishes
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
                                                 std::string program, std::FILE* out, std::FILE* err, std::mutex* lock,
                                                 const heddle_transport* chosen) {
  std::unique_ptr<Context> context(new Context(settings, preset, std::move(program), out, err));
  context->chosen_transport_ = chosen;
  if (auto opened = context->open(preset_file, transport, lock); !opened) return opened.error();
  return context;
}

Status Context::open(const std::string& preset_file, const heddle_transport* transport, std::mutex* lock) {
  preset_file_ = preset_file;
  if (chosen_transport_) choice_.emplace(settings_);
  if (!settings_.wave.empty() && settings_.device != "model")
    if (auto ok = prepare_wave(settings_.wave); !ok) return ok;
  auto backend = device::Backend::open(transport, open_options(false));
  if (!backend) return backend.error();
  backend_ = std::move(*backend);
  launched_on_ = backend_.get();
  queue_ = std::make_unique<Queue>(*backend_);
  queue_->set_observer([this] { observe(); });
  queue_->set_failure_handler([this](const Failure& failure, const Task::Item* item) { fail(failure, item); });
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
  engine_ = std::make_unique<Engine>(*backend_, *queue_, lock, [this](const std::string& thrown) {
    set_sticky(Error("a host function threw " + thrown, Code::Unknown));
  });
  return {};
}

device::OpenOptions Context::open_options(bool chosen) const {
  device::OpenOptions options;
  options.preset_file = preset_file_;
  options.seed = settings_.seed;
  const bool beside = chosen_transport_ && !chosen;  // the golden model
  options.device = beside ? "model" : settings_.device;
  if (beside) return options;
  options.wave_file = settings_.wave;
  options.wave_begin = settings_.wave_begin;
  options.wave_end = settings_.wave_end;
  options.wave_scopes = settings_.wave_scopes;
  options.wave_groups = settings_.wave_groups;
  options.inject = settings_.inject;
  return options;
}

Status Context::configure(device::Backend& backend, Queue& queue) {
  const uint32_t id = backend.read32(c::kRegId), version = backend.read32(c::kRegVersion);
  if (id != c::kIdMagic && backend.wait(0) < 0) return Error(backend.failure(), Code::DevicesUnavailable);
  if (id != c::kIdMagic) return Error("the backend is no Heddle device");
  if (version != c::kIdContractVersion)
    return Error("the device speaks version " + std::to_string(version) + " of the contract, " +
                 std::to_string(c::kIdContractVersion) + " is needed: rebuild it");
  if (backend.read32(c::kRegPresetHash) != preset_.structure_hash())
    return Error("the device was built from another version of preset '" + preset_.name + "': rebuild it");
  if (backend.read64(c::kRegMemSizeLo) == 0) backend.write64(c::kRegMemSizeLo, preset_.runtime.mem_bytes);
  if (window_bytes_) backend.write64(c::kRegMemSizeLo, window_bytes_);
  backend.write32(c::kRegSchedPolicy, scheduler_code(preset_.runtime.scheduler));
  backend.write32(c::kRegYieldBranches, static_cast<uint32_t>(preset_.runtime.yield_branches));
  backend.write32(c::kRegL1Enable, 1);
  backend.write64(c::kRegCycleLimitLo, settings_.cycle_limit);
  queue.start();
  return {};
}

Status Context::status() const {
  if (sticky_) return *sticky_;
  return {};
}

bool Context::in_device_window(uint64_t address) const { return address - memory_base_ < memory_bytes_; }

bool Context::is_allocated(uint64_t address, uint64_t bytes) const {
  const auto range = heap_.find(address);
  return range && bytes <= range->bytes - (address - range->address) && !freed_.contains(range->address);
}

Result<uint64_t> Context::allocate(uint64_t bytes) {
  if (sticky_) return *sticky_;
  auto place = heap_.allocate(bytes);
  if (place || freed_.empty()) return place;
  if (auto ok = synchronize(); !ok) return ok.error();
  return heap_.allocate(bytes);
}

Result<uint64_t> Context::allocate_managed(uint64_t bytes) {
  if (sticky_) return *sticky_;
  // What the other allocations hold is at home from now on, so the new one may be.
  if (auto ok = bring_managed_home(); !ok) return ok.error();
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
  if (auto ok = bring_managed_home(); !ok) return ok;
  return managed_.add_variable(address, bytes, reinterpret_cast<uint64_t>(host));
}

Status Context::unshare_variable(uint64_t address) {
  const Status idle = wait_idle();
  managed_.remove_variable(address);
  return idle;
}

uint64_t Context::window_in_use() const {
  return std::min(memory_bytes_, round_up(heap_.high_water() - memory_base_, kPage));
}

void Context::limit_window(uint64_t bytes) {
  if (bytes == window_bytes_) return;
  window_bytes_ = bytes;
  backend_->write64(c::kRegMemSizeLo, bytes);
}

Status Context::release(uint64_t address) {
  if (auto ok = synchronize(); !ok) return ok;
  const uint64_t heap = managed_.remove(address);
  return heap_.release(heap ? heap : address);
}

Status Context::release(uint64_t address, const Stream& stream) {
  const auto range = heap_.find(address);
  if (!range || range->address != address || is_managed(address)) return release(address);
  if (freed_.contains(address)) return Error("freed twice", Code::InvalidValue);
  freed_[address] = {++frees_, range->bytes, stream.number(), stream.blocking()};
  return {};
}

Status Context::reclaim(uint64_t frees, const Stream* stream) {
  const bool all_blocking = stream == streams_.legacy().get();
  for (auto it = freed_.begin(); it != freed_.end();) {
    const Freed& f = it->second;
    const bool waited = !stream || f.stream == stream->number() || (all_blocking && f.blocking);
    if (f.count > frees || !waited) {
      ++it;
      continue;
    }
    if (auto ok = heap_.release(it->first); !ok) return ok;
    it = freed_.erase(it);
  }
  return {};
}

Result<uint64_t> Context::allocate(uint64_t bytes, const Stream& stream) {
  const auto again = std::find_if(freed_.begin(), freed_.end(), [&](const auto& f) {
    return f.second.bytes == bytes && f.second.stream == stream.number();
  });
  if (again == freed_.end()) return allocate(bytes);
  const uint64_t address = again->first;
  freed_.erase(again);
  return address;
}

// ---- waiting -------------------------------------------------------------------------------------

const LaunchInfo* Context::running_launch() const {
  const LaunchInfo* launch = queue_->launch_running();
  return launch || !chosen_ ? launch : chosen_->queue().launch_running();
}

void Context::observe() {
  const LaunchInfo* launch = running_launch();
  if (!launch || !progress_.due()) return;
  ProgressSample sample;
  sample.kernel = launch->run.name;
  sample.blocks_done = launched_on_->read32(c::kRegBlocksDone);
  sample.blocks_total = launched_on_->read32(c::kRegBlocksTotal);
  sample.cycles = launched_on_->read64(c::kRegKernelCyclesLo);
  progress_.show(sample);
}

Status Context::outcome() {
  if (!printed_out_.empty() || !printed_err_.empty()) progress_.clear();
  for (auto [text, file] : {std::pair(&printed_out_, out_), std::pair(&printed_err_, err_)}) {
    if (text->empty()) continue;
    std::fwrite(text->data(), 1, text->size(), file);
    std::fflush(file);
    text->clear();
  }
  if (!sticky_) return {};
  if (!told_ && sticky_->code() != Code::Assert) std::fprintf(err_, "heddle: %s\n", sticky_->message().c_str());
  told_ = true;
  return *sticky_;
}

Status Context::synchronize(Sequence s) { return synchronize(std::vector{s}); }
Status Context::synchronize(const Stream& stream) {
  const uint64_t frees = frees_;
  if (auto ok = synchronize(streams_.pending(stream)); !ok) return ok;
  return reclaim(frees, &stream);
}

Status Context::synchronize_before(const Stream& stream) { return synchronize(streams_.before(stream)); }

Status Context::synchronize(const std::vector<Sequence>& all) {
  if (sticky_) return outcome();
  if (auto ok = bring_managed_home(); !ok) return ok;
  for (const Sequence s : all)
    if (!engine_->wait(s)) finish_interrupt();
  if (!engine_->wait(exchange_)) finish_interrupt();
  return outcome();
}

Status Context::synchronize() {
  if (sticky_) return outcome();
  if (auto ok = bring_managed_home(); !ok) return ok;
  const uint64_t frees = frees_;
  if (!engine_->wait_through(submitted())) finish_interrupt();
  if (auto ok = outcome(); !ok) return ok;
  return reclaim(frees, nullptr);
}

Status Context::wait_idle() {
  uint64_t frees = 0;
  do {
    frees = frees_;
    if (sticky_) return outcome();
    if (auto ok = bring_managed_home(); !ok) return ok;
    if (!engine_->wait_idle()) finish_interrupt();
  } while (managed_.on_device);  // another thread's launch came and went
  if (auto ok = outcome(); !ok) return ok;
  return reclaim(frees, nullptr);
}

Status Context::wait_between_tasks() {
  if (sticky_) return outcome();
  if (!engine_->wait_between_tasks()) finish_interrupt();
  return outcome();
}

Result<bool> Context::query(const std::vector<Sequence>& all) {
  const auto done = [&] {
    return queue_->done(exchange_) && std::all_of(all.begin(), all.end(), [&](Sequence s) { return queue_->done(s); });
  };
  if (sticky_) return outcome().error();
  if (auto ok = bring_managed_home(); !ok) return ok.error();
  if (!done()) engine_->poll();
  if (interrupt_requested()) return done();
  if (auto ok = outcome(); !ok) return ok.error();
  return done();
}

void Context::look_for_clock() { has_clock_ = launched_on_->stats().cycles != 0; }

Result<Sequence> Context::mark(std::function<void(uint64_t)> done, Stream* stream, const char* what) {
  Task task;
  Task::Item& item = task.items.emplace_back();
  task.what = what;
  item.command.words[c::kWordOpcode] = c::kCommandNop;
  item.done = [this, done = std::move(done)](const c::Completion& record) {
    look_for_clock();
    done(record.last_cycle);
  };
  return submit(std::move(task), stream);
}

Result<Sequence> Context::host(Task::Host function, bool when_dropped, Stream* stream) {
  Task task;
  task.what = "host function";
  task.host = std::move(function);
  task.host_when_dropped = when_dropped;
  return submit(std::move(task), stream);
}

Result<Sequence> Context::submit(Task task, Stream* stream) {
  if (sticky_) return *sticky_;
  task.after_all = !stream;
  if (stream) {
    task.after = streams_.before(*stream);
    task.priority = stream->priority();
    task.after.push_back(exchange_);
  }
  if (!task.host)
    task.begin = [this, bytes = window_in_use(), begin = std::move(task.begin)](std::vector<Task::Item>& items) {
      limit_window(bytes);
      if (begin) begin(items);
    };
  if (Timeline::get() && !task.control) trace(task, stream);
  if (!submitter_) submitter_ = std::this_thread::get_id();
  one_thread_ = one_thread_ && submitter_ == std::this_thread::get_id();
  const Sequence s = queue_->push(std::move(task));
  if (stream) streams_.submitted(*stream, s);
  engine_->wake();
  return s;
}

void Context::trace(Task& task, const Stream* stream) {
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
  task.begin = [this, work, begin = std::move(task.begin)](std::vector<Task::Item>& items) {
    work->began = Timeline::Clock::now();
    if (begin) begin(items);
    if (items.empty()) return;
    for (const Task::Item& item : items) work->bytes += item.command.get64(c::kWordBytes);
    if (const LaunchInfo* launch = items.back().launch.get()) {
      work->name = launch->run.name;
      work->grid = to_string(launch->run.grid);
      work->block = to_string(launch->run.block);
      work->bytes = 0;
    }
    // In front of what else happens then: of a task of one command, first the one, then the other.
    items.back().done = [this, work, done = std::move(items.back().done)](const c::Completion& record) {
      work->ended = Timeline::Clock::now();
      work->last_cycle = record.last_cycle;
      look_for_clock();
      if (has_clock_) work->kilohertz = preset_.runtime.clock_khz;
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

void Context::fail(const Failure& failure, const Task::Item* item) {
  progress_.clear();
  if (recovering_) return;
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
  set_sticky(describe(failure, where));
  if (failure.status == 0) return;  // a backend that is dead
  recovering_ = true;
  recover();
  recovering_ = false;
}

void Context::set_sticky(const Error& error) {
  if (!sticky_) {
    sticky_ = error;
    report_.status = first_line(error.message());
  }
  queue_->drop_all();
}

// What kernels printed before the fault is still in memory.
void Context::recover() {
  if (reset(*backend_) && configure()) take_output();
}

bool Context::copy_now(uint64_t destination, uint64_t source, uint64_t bytes, uint64_t flags) {
  c::Command command;
  command.words[c::kWordOpcode] = static_cast<uint32_t>(c::kCommandCopy | flags);
  command.set64(c::kWordSource, source);
  command.set64(c::kWordDestination, destination);
  command.set64(c::kWordBytes, bytes);
  limit_window(window_in_use());
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
  if (!output) {
    set_sticky(output.error());
    return;
  }
  printed_out_ += output->standard_output;
  printed_err_ += output->standard_error;
  if (output->dropped)
    printed_err_ += "heddle: the printf buffer of " + std::to_string(printf_.bytes()) +
                    " bytes overflowed: " + std::to_string(output->dropped) +
                    " records are lost (cudaLimitPrintfFifoSize)\n";
  if (output->asserts == 0) return;
  set_sticky(Error("a device-side assertion failed", Code::Assert));
}

// ---- reporting --------------------------------------------------------------------------------------

Report Context::report() {
  if (backend_) engine_->hold();
  if (interrupt_requested()) {
    // Nothing moves any more: who waits goes on waiting until the process ends.
    if (const LaunchInfo* launch = running_launch(); launch && backend_ && !interrupted_launch_) {
      interrupted_launch_ = true;
      record_launch(*launch, false);
    }
  }
  Report r = report_;
  r.deterministic = streams_.one_order() && one_thread_ && !settings_.status_line;
  if (interrupt_requested()) r.status = "interrupted";
  if (backend_) r.device_stats = (chosen_ ? chosen_->backend() : *backend_).stats();
  return r;
}

void Context::stop(const Error& why) {
  if (!sticky_) sticky_ = why;
  told_ = true;
  queue_->drop_all();
  engine_->stop();
}

bool Context::finish() {
  if (!sticky_) (void)bring_managed_home().ok();
  const bool alone = engine_->finish();
  (void)outcome().ok();
  return alone;
}

Status Context::close() {
  if (!backend_) return {};
  engine_->hold();
  (void)outcome().ok();
  report_.device_stats = (chosen_ ? chosen_->backend() : *backend_).stats();
  chosen_.reset();
  backend_.reset();
  if (settings_.wave.empty()) return {};
  return check_wave(settings_.wave, settings_.wave_begin, settings_.wave_end, report_.device_stats.cycles);
}

Status Context::check_lockstep() {
  device::Backend* watched = chosen_ ? &chosen_->backend() : backend_.get();
  if (watched && !sticky_ && !watched->finish()) {
    sticky_ = Error(watched->failure(), Code::Unknown);
    report_.status = first_line(sticky_->message());
    return *sticky_;
  }
  if (!device::runs_in_lockstep(settings_.device) || report_.total.warp_instructions == 0 || report_.compared())
    return {};
  return Error(choice_ && !chosen_ ? "no launch was one that HEDDLE_RTL_KERNELS and HEDDLE_RTL_LAUNCHES choose"
                                   : "lockstep compared no instruction with the golden model",
               Code::Unknown);
}

}  // namespace heddle::driver
