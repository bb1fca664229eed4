// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/state.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/interrupt.h"
#include "host-runtime/driver/timeline.h"
#include "host-runtime/driver/wave.h"
#include "host-runtime/runtime/load.h"

namespace heddle::cudart {
namespace {

thread_local cudaError_t thread_error = cudaSuccess;
thread_local bool own_default_stream = false;
thread_local bool host_function_runs = false;
thread_local const char* driver_function = nullptr;
std::atomic<cudaError_t> sticky_error{cudaSuccess};

std::atomic<bool> is_forked{false};

void at_exit() { State::get().finish(); }

}  // namespace

State& State::get() {
  static State* state = new State;
  return *state;
}

State::State() {
  limits[cudaLimitStackSize] = 1024;
  limits[cudaLimitMallocHeapSize] = size_t{8} << 20;
}

void note(const char* function, const std::string& message) {
  std::fprintf(stderr, "heddle: %s: %s\n", function, message.c_str());
}

void note_exception(const char* where, const char* what) noexcept {
  std::fprintf(stderr, "heddle: %s: an exception: %s\n", where, what);
}

cudaError_t code(const Error& error) { return static_cast<cudaError_t>(error.code_or(Code::Unknown)); }

cudaError_t explained(const char* function, const Error& error) {
  note(driver_call() ? driver_call() : function, error.message());
  return code(error);
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady && !driver_call()) thread_error = error;
  return error;
}

cudaError_t last_sticky() { return sticky_error.load(std::memory_order_relaxed); }
void set_sticky(cudaError_t error) { sticky_error.store(error, std::memory_order_relaxed); }

cudaError_t last_error(bool clear) {
  if (const cudaError_t sticky = last_sticky(); sticky != cudaSuccess) return sticky;
  const cudaError_t error = thread_error;
  if (clear) thread_error = cudaSuccess;
  return error;
}

OwnDefaultStream::OwnDefaultStream() : before_(own_default_stream) { own_default_stream = true; }
OwnDefaultStream::~OwnDefaultStream() { own_default_stream = before_; }
cudaStream_t default_stream() { return own_default_stream ? cudaStreamPerThread : nullptr; }

DriverCall::DriverCall(const char* function) : before_(driver_function) { driver_function = function; }
DriverCall::~DriverCall() { driver_function = before_; }
const char* driver_call() { return driver_function; }

uint64_t thread_number() {
  static std::atomic<uint64_t> threads{0};
  static thread_local const uint64_t number = ++threads;
  return number;
}

InHostFunction::InHostFunction() { host_function_runs = true; }
InHostFunction::~InHostFunction() { host_function_runs = false; }
bool in_host_function() { return host_function_runs; }

bool forked() { return is_forked.load(std::memory_order_relaxed); }

// ---- context ---------------------------------------------------------------------------------------

Result<const Preset*> State::preset() {
  if (preset_) return &*preset_;
  if (open_failure_) return *open_failure_;
  const auto fail = [this](const Error& error) {
    note("device", error.message());
    open_failure_ = Error(error.message(), error.code_or(Code::NoDevice));
    return *open_failure_;
  };
  auto settings = driver::Settings::from_environment();
  if (!settings) return fail(settings.error());
  auto file = device::Installation::find().preset_file(settings->preset);
  if (!file) return fail(file.error());
  auto preset = load_preset(file->string());
  if (!preset) return fail(preset.error());
  settings_ = std::move(*settings);
  preset_file_ = file->string();
  preset_ = std::move(*preset);
  return &*preset_;
}

Result<std::unique_ptr<driver::Context>> State::create() {
  if (auto p = preset(); !p) return p.error();
  const auto load = [this](const std::string& device) -> Result<const heddle_transport*> {
    auto file = device::Installation::find().backend(device, preset_->name);
    if (!file) return file.error();
    return device::load_transport(file->string());
  };
  auto transport = load(settings_->device);
  if (!transport) return transport.error();
  const heddle_transport* chosen = nullptr;
  if (settings_->chooses()) {
    chosen = *transport;
    transport = load("model");
    if (!transport) return transport.error();
  }
  driver::Settings settings = *settings_;
  if (++opened_ > 1 && !settings.wave.empty()) {  // the first waveform stays
    settings.wave = driver::numbered_wave(settings.wave, opened_);
    note("device", "opened again after a reset: this waveform goes to " + settings.wave);
  }
  return driver::Context::create(settings, *preset_, preset_file_, *transport, program_invocation_name, stdout, stderr,
                                 &mutex, chosen);
}

Result<driver::Context*> State::open() {
  if (context_) return context_.get();
  if (open_failure_) return *open_failure_;
  auto created = create();
  if (!created) {
    const Error& error = created.error();
    if (!open_failure_) {
      note("device", error.message());
      open_failure_ = Error(error.message(), error.code_or(Code::NoDevice));
    }
    return *open_failure_;
  }
  context_ = std::move(*created);
  context_->launcher().set_stack_bytes(limits[cudaLimitStackSize]);
  if (auto ok = context_->runtime().set_heap_bytes(limits[cudaLimitMallocHeapSize]); !ok)
    note("device", ok.error().message());
  if (const auto it = limits.find(cudaLimitPrintfFifoSize); it != limits.end())
    if (auto ok = context_->runtime().set_printf_bytes(it->second); !ok) note("device", ok.error().message());
  // Should part of the window be taken already, the program runs without it, and without managed memory.
  static const bool reserved = driver::reserve_window(contract::kMemoryBase, preset_->runtime.mem_bytes);
  if (reserved) context_->memory().set_window(contract::kMemoryBase, preset_->runtime.mem_bytes);
  static bool once = [] {
    // After the backend was loaded: handlers run backwards, so this one still finds it alive.
    std::atexit(at_exit);
    pthread_atfork(nullptr, nullptr, [] { is_forked.store(true); });
    driver::watch_interrupt([] {
      State& state = State::get();
      const std::lock_guard lock(state.mutex);
      state.abandon();
    });
    return true;
  }();
  (void)once;
  return context_.get();
}

void State::note_sticky() const { set_sticky(context_ ? code(context_->outcome().status()) : cudaSuccess); }

cudaError_t State::failure() {
  const std::lock_guard lock(mutex);
  note_sticky();
  return last_sticky();
}

Result<driver::Context*> State::context() {
  auto opened = open();
  if (!opened) return opened;
  if (!(*opened)->outcome().status()) return (*opened)->outcome().tell().error();
  return opened;
}

// The first failure is what the report is about, whatever ran after a reset.
void State::keep_report() {
  driver::Report now = context_->report();
  past_.program = now.program;
  past_.device = now.device;
  past_.preset = now.preset;
  if (past_.status == "ok") past_.status = now.status;
  past_.merge(now);
}

void State::close_context() {
  if (!context_) return;
  if (auto ok = context_->check_lockstep(); !ok) note("lockstep", ok.error().message());
  keep_report();
  if (auto ok = context_->close(); !ok) {
    note("device", ok.error().message());
    past_.waveform = ok.error().message();
  }
}

void State::reset() {
  if (context_) {
    (void)context_->waits().wait_idle().ok();
    close_context();
    const std::unique_ptr<driver::Context> closed = std::move(context_);
    closed->stop(Error("another thread reset the device", Code::ContextIsDestroyed));
    // What failed is gone, also from this thread's memory.
    const cudaError_t failed = sticky_error.exchange(cudaSuccess);
    if (failed != cudaSuccess && thread_error == failed) thread_error = cudaSuccess;
  }
  for (auto& binary : binaries) {
    binary->module = nullptr;
    binary->failure.reset();
  }
  for (auto& [host, function] : functions) {
    function.kernel = nullptr;
    function.max_dynamic_shared.reset();
    function.required_cluster = {0, 0, 0};
    function.large_clusters = false;
    function.cluster_policy = cudaClusterSchedulingPolicyDefault;
  }
  streams.clear();
  events.clear();
  memory_owners.clear();
  contexts.clear();
  while (!modules.empty()) {
    const auto first = modules.begin();
    if (first->second->of_driver) forget(first->second);
    else modules.erase(first);
  }
  default_stream_ = {};
  thread_streams_.clear();
  for (const auto& [p, range] : host_memory)
    if (range.owned) std::free(const_cast<char*>(p));
  host_memory.clear();
}

void State::write_report_now() {
  if (!settings_ || settings_->report.empty()) return;
  if (auto ok = driver::write_report(past_, settings_->report); !ok) note("report", ok.error().message());
}

void State::end_timeline() {
  driver::Timeline* timeline = driver::Timeline::get();
  if (!timeline) return;
  if (auto ok = timeline->finish(); !ok) note("trace", ok.error().message());
}

void State::abandon() {
  if (finished_) return;
  finished_ = true;
  end_timeline();
  if (context_) {
    keep_report();
    write_report_now();  // first: closing may take a while
    if (auto ok = context_->close(); !ok) note("device", ok.error().message());
  } else {
    write_report_now();
  }
}

void State::finish() {
  if (forked()) return;
  std::unique_lock lock(mutex);
  if (finished_) return;
  ended_.wait(lock, [this] { return apart_ == 0; });
  finished_ = true;
  const bool alone = !context_ || context_->finish();
  close_context();
  if (!alone) left_ = context_.release();
  context_.reset();
  write_report_now();
  end_timeline();
  unloading = true;
}

// ---- modules ---------------------------------------------------------------------------------------

// Calls a function without the lock. With an open context that is the context's, which waits for it at its end.
void State::apart(const std::function<void()>& function) {
  if (context_) return context_->waits().apart(function);
  if (finished_) return function();  // it needs what the program's end takes away
  struct Apart {
    explicit Apart(State& s) : state(s) {
      ++state.apart_;
      state.mutex.unlock();
    }
    ~Apart() {
      state.mutex.lock();
      --state.apart_;
      state.ended_.notify_all();
    }
    State& state;
  } const apart(*this);
  function();
}

// Until no other thread reads it. A reset lets go whom it finds waiting.
Status State::until_read(const FatBinary& binary) {
  const auto reached = [&] { return !binary.reading; };
  if (reached()) return {};
  if (context_) return context_->waits().wait_until(reached);
  std::unique_lock lock(mutex, std::adopt_lock);
  ended_.wait(lock, reached);
  lock.release();
  return {};
}

// The first thread that needs it reads it, which may take a compiler's time.
Status State::read(FatBinary& binary) {
  if (auto ok = until_read(binary); !ok) return ok;
  if (binary.image || binary.module) return {};
  if (binary.failure) return *binary.failure;
  auto chosen = preset();
  if (!chosen) return chosen.error();
  std::optional<Result<formats::Cubin>> image;
  {
    struct Reading {
      Reading(State& s, FatBinary& b) : state(s), binary(b) { binary.reading = true; }
      ~Reading() {
        binary.reading = false;
        state.ended_.notify_all();
        if (state.context_) state.context_->waits().wake();
      }
      State& state;
      FatBinary& binary;
    } const reading(*this, binary);
    apart([&] {
      image = binary.linked.empty() ? load_fat_binary(binary.data, **chosen)
                                    : load_linked_binaries(binary.linked, **chosen);
    });
  }
  if (!*image) {
    note("module", image->error().message());
    binary.failure = image->error();
    return *binary.failure;
  }
  binary.image = std::move(**image);
  return {};
}

Status State::load(FatBinary& binary) {
  if (binary.module) return {};
  auto opened = context();
  if (!opened) return opened.error();
  if (auto ok = read(binary); !ok) return ok;
  return binary.module ? Status() : place(binary, **opened);
}

Status State::place(FatBinary& binary, driver::Context& context) {
  auto module = context.modules().load(std::move(*binary.image));
  binary.image.reset();
  if (!module) {
    note("module", module.error().message());
    return module.error();
  }
  binary.module = *module;
  for (const auto& [host, bytes] : managed) {
    const Symbol& symbol = symbols.at(host);
    if (symbol.binary != &binary) continue;
    if (auto ok = share(symbol, host, context); !ok) return ok;
  }
  return {};
}

// A managed variable of a module that is loaded: from now on it is exchanged.
Status State::share(const Symbol& symbol, const char* host, driver::Context& context) {
  const auto* variable = symbol.binary->module->variable(symbol.name);
  return variable ? context.memory().share_variable(variable->address, variable->bytes, const_cast<char*>(host))
                  : Status();
}

Result<Function*> State::function(const void* host) {
  if (kernels.contains(host)) {
    auto function = kernel_function(host);
    if (!function) return function.error();
    host = *function;
  }
  const auto it = functions.find(host);
  if (it == functions.end()) return Error("no kernel was registered for this address", Code::InvalidDeviceFunction);
  Function& f = it->second;
  if (f.kernel) return &f;
  if (auto ok = load(*f.binary); !ok) return ok.error();
  f.kernel = f.binary->module->kernel(f.name);
  if (!f.kernel) return Error("kernel '" + f.name + "' is not in the module", Code::InvalidDeviceFunction);
  return &f;
}

Result<const driver::Variable*> State::variable(const void* host) {
  const auto it = symbols.find(host);
  if (it == symbols.end()) return Error("no variable was registered for this address", Code::InvalidSymbol);
  const Symbol& symbol = it->second;
  if (auto ok = load(*symbol.binary); !ok) return ok.error();
  const auto* variable = symbol.binary->module->variable(symbol.name);
  if (!variable) return Error("variable '" + symbol.name + "' is not in the module", Code::InvalidSymbol);
  return variable;
}

// ---- modules of the driver API ---------------------------------------------------------------------

Result<CUmod_st*> State::load_module(const std::function<Result<formats::Cubin>(const Preset&)>& read) {
  auto chosen = preset();
  if (!chosen) return chosen.error();
  std::optional<Result<formats::Cubin>> image;
  apart([&] { image = read(**chosen); });
  if (!*image) return image->error();
  auto opened = context();
  if (!opened) return opened.error();
  FatBinary* binary = binaries.insert(std::make_unique<FatBinary>()).first->get();
  binary->image = std::move(**image);
  binary->of_driver = true;
  binary->owner = contexts.owner();
  begin_managed(*binary);
  if (auto ok = place(*binary, **opened); !ok) {
    forget(binary);
    return ok.error();
  }
  return module_handle(*binary);
}

FatBinary* State::module(CUmod_st* handle) const {
  const auto found = modules.find(handle);
  return found == modules.end() ? nullptr : found->second;
}

CUmod_st* State::module_handle(FatBinary& binary) {
  for (const auto& [handle, known] : modules)
    if (known == &binary) return handle;
  auto* const handle = new_handle<CUmod_st*>();
  modules[handle] = &binary;
  return handle;
}

CUfunc_st* State::module_function(FatBinary& binary, const std::string& name) {
  for (const auto& [handle, function] : functions)
    if (function.binary == &binary && function.name == name) return static_cast<CUfunc_st*>(const_cast<void*>(handle));
  const driver::Kernel* kernel = binary.module ? binary.module->kernel(name) : nullptr;
  if (!kernel) return nullptr;
  // No address of a stub's has the highest bit.
  static uint64_t next = uint64_t{1} << 63;
  auto* const handle = reinterpret_cast<CUfunc_st*>(next += 0x10);
  Function& f = functions[handle];
  f.binary = &binary;
  f.name = name;
  f.kernel = kernel;
  return handle;
}

void State::unload_module(CUmod_st* handle) {
  if (FatBinary* binary = module(handle)) forget(binary);
}

// ---- what contexts own -----------------------------------------------------------------------------

void State::release_owned(ContextHandle owner) {
  if (!context_) return;
  (void)context_->waits().wait_idle().ok();
  if (!context_) return;  // another thread reset the device meanwhile
  std::erase_if(streams, [&](const auto& entry) {
    if (entry.second.owner != owner) return false;
    context_->work().close_stream(entry.second.work);
    return true;
  });
  std::erase_if(events, [&](const auto& entry) { return entry.second.owner == owner; });
  std::vector<FatBinary*> loaded;
  for (const auto& binary : binaries)
    if (binary->of_driver && binary->owner == owner) loaded.push_back(binary.get());
  for (FatBinary* binary : loaded) forget(binary);
  std::vector<const char*> pages;
  for (const auto& [p, range] : host_memory)
    if (range.owner == owner) pages.push_back(p);
  for (const char* p : pages) {
    (void)unmap(p).ok();
    const auto it = host_memory.find(p);
    if (it == host_memory.end()) continue;
    if (it->second.owned) std::free(const_cast<char*>(p));
    host_memory.erase(it);
  }
  std::vector<uint64_t> places;
  for (const auto& [address, of] : memory_owners)
    if (of == owner) places.push_back(address);
  for (const uint64_t address : places)
    if (memory_owners.erase(address)) (void)context_->memory().release(address).ok();
}

bool State::destroy_context(ContextHandle handle) {
  if (!contexts.own(handle)) return false;
  release_owned(handle);
  if (!contexts.destroy(handle)) return false;
  // With the last one goes what failed.
  if (context_ && !context_->outcome().status() && !contexts.some_own() && !contexts.primary_active()) reset();
  return true;
}

void State::reset_primary() {
  const bool failed = context_ && !context_->outcome().status();
  if (contexts.some_own() && !failed) release_owned(nullptr);
  else reset();
  contexts.primary_was_reset();
}

bool State::release_primary() {
  if (!contexts.release_primary()) return false;
  if (contexts.primary_active()) return true;
  const bool failed = context_ && !context_->outcome().status();
  if (failed && !contexts.some_own()) reset();
  else release_owned(nullptr);
  return true;
}

// ---- managed variables -----------------------------------------------------------------------------

// The compiler gives the program's copy no value: that is in the device code.
void State::begin_managed(Symbol& symbol, void* host) {
  const FatBinary& binary = *symbol.binary;
  const auto known = read(*symbol.binary);
  managed[static_cast<const char*>(host)] = symbol.bytes;
  if (!known) return;  // said; a launch will fail
  const formats::Cubin& image = binary.image ? *binary.image : binary.module->cubin();
  for (const formats::CubinVariable& v : image.variables) {
    if (v.name != symbol.name || v.segment != formats::Segment::Global) continue;
    const size_t given = v.offset < image.global_init.size() ? image.global_init.size() - v.offset : 0;
    std::memset(host, 0, symbol.bytes);
    std::memcpy(host, image.global_init.data() + v.offset, std::min<size_t>(given, symbol.bytes));
  }
  if (binary.module)
    if (auto ok = share(symbol, static_cast<const char*>(host), *context_); !ok) note("module", ok.error().message());
}

// Those of a module that the program loads: in memory of ours.
void State::begin_managed(FatBinary& binary) {
  for (const formats::CubinVariable& v : binary.image->variables) {
    if (!v.managed) continue;
    char* const host = managed_places.emplace_back(new char[v.size]).get();
    begin_managed(symbols[host] = Symbol{&binary, v.name, v.size, true}, host);
  }
}

const void* State::managed_variable(const FatBinary& binary, const std::string& name) const {
  for (const auto& [host, bytes] : managed)
    if (const Symbol& s = symbols.at(host); s.binary == &binary && s.name == name) return host;
  return nullptr;
}

void* State::device_pointer(void* p) {
  auto* at = static_cast<char*>(p);
  auto it = managed.upper_bound(at);
  if (it == managed.begin()) return p;
  --it;
  const auto offset = static_cast<uint64_t>(at - it->first);
  if (offset >= it->second) return p;
  auto place = variable(it->first);
  return place ? reinterpret_cast<void*>((*place)->address + offset) : p;
}

Result<uint64_t> State::map(const void* host) {
  HostRange& range = host_memory.at(static_cast<const char*>(host));
  if (range.device) return range.device;
  auto place = context_->memory().allocate(range.bytes);
  if (!place) return place;
  if (auto ok = context_->memory().share_variable(*place, range.bytes, const_cast<void*>(host)); !ok) return ok.error();
  return range.device = *place;
}

Status State::unmap(const void* host) {
  const auto it = host_memory.find(static_cast<const char*>(host));
  if (it == host_memory.end() || !it->second.device) return {};
  const uint64_t device = std::exchange(it->second.device, 0);
  if (auto ok = context_->memory().unshare_variable(device); !ok) return ok;
  return context_->memory().release(device);
}

Result<void*> State::kernel_pointer(void* p) {
  const auto found = host_at(p);
  if (found != host_memory.end())
    if (auto device = map(found->first); !device) return device.error();
  return copied_pointer(p);
}

void* State::copied_pointer(void* p) {
  const auto found = host_at(p);
  if (found == host_memory.end()) return device_pointer(p);
  if (!found->second.device) return p;
  return reinterpret_cast<void*>(found->second.device + static_cast<uint64_t>(static_cast<char*>(p) - found->first));
}

void State::forget(FatBinary* binary) {
  (void)until_read(*binary).ok();
  std::erase_if(managed, [&](const auto& entry) {
    const Symbol& symbol = symbols.at(entry.first);
    if (symbol.binary != binary) return false;
    const auto* variable = context_ && binary->module ? binary->module->variable(symbol.name) : nullptr;
    if (variable) (void)context_->memory().unshare_variable(variable->address).ok();
    if (binary->of_driver) std::erase_if(managed_places, [&](const auto& p) { return p.get() == entry.first; });
    return true;
  });
  std::erase_if(modules, [&](const auto& m) { return m.second == binary; });
  std::erase_if(functions, [&](const auto& f) { return f.second.binary == binary; });
  std::erase_if(symbols, [&](const auto& s) { return s.second.binary == binary; });
  // At the program's end the device is gone by now.
  if (context_ && binary->module) (void)context_->modules().unload(*binary->module).ok();
  std::erase_if(binaries, [&](const auto& b) { return b.get() == binary; });
}

// ---- handles ---------------------------------------------------------------------------------------

Stream* State::stream(cudaStream_t handle) {
  if (handle == nullptr) handle = default_stream();
  if (handle == nullptr || handle == cudaStreamLegacy) {
    default_stream_.work = context_->work().legacy_stream();
    return &default_stream_;
  }
  if (handle == cudaStreamPerThread) {
    const uint64_t thread = thread_number();
    auto [it, fresh] = thread_streams_.try_emplace(thread);
    if (fresh) it->second.id = ~thread;  // other than any handle
    if (fresh) it->second.work = context_->work().open_stream(true);
    return &it->second;
  }
  const auto it = streams.find(handle);
  return it == streams.end() ? nullptr : &it->second;
}

ContextHandle State::stream_owner(cudaStream_t handle) const {
  const auto found = streams.find(handle);
  return found == streams.end() ? contexts.owner() : found->second.owner;
}

std::shared_ptr<driver::Stream> State::work(cudaStream_t handle) {
  const Stream* found = stream(handle);
  return found ? found->work : nullptr;
}

Event* State::event(cudaEvent_t handle) {
  const auto it = events.find(handle);
  return it == events.end() ? nullptr : &it->second;
}

State::HostMemory::const_iterator State::host_at(const void* p, size_t bytes) const {
  const auto* at = static_cast<const char*>(p);
  auto it = host_memory.upper_bound(at);
  if (it == host_memory.begin()) return host_memory.end();
  --it;
  const size_t offset = static_cast<size_t>(at - it->first);
  return offset < it->second.bytes && bytes <= it->second.bytes - offset ? it : host_memory.end();
}

const HostRange* State::host_range(const void* p, size_t bytes) const {
  const auto found = host_at(p, bytes);
  return found == host_memory.end() ? nullptr : &found->second;
}

}  // namespace heddle::cudart
