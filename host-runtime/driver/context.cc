// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/context.h"

#include <utility>

#include "host-runtime/device/contract.h"
#include "host-runtime/device/installation.h"
#include "host-runtime/driver/interrupt.h"
#include "host-runtime/driver/wave.h"
#include "isa/isa.h"

namespace heddle::driver {
namespace {

namespace c = contract;

Report empty_report(const Setup& setup, std::string program) {
  Report report;
  report.program = std::move(program);
  report.device = setup.settings().device;
  report.preset = setup.preset().name;
  return report;
}

uint64_t resident_threads(device::Backend& backend) {
  return uint64_t{backend.read32(c::kRegNumSms)} * backend.read32(c::kRegWarpsPerSm) * isa::kWarpSize;
}

}  // namespace

Result<std::unique_ptr<Context>> Context::create(const Settings& settings, const Preset& preset,
                                                 const std::string& preset_file, const heddle_transport* transport,
                                                 std::string program, std::FILE* out, std::FILE* err, std::mutex* lock,
                                                 const heddle_transport* chosen) {
  Setup setup(settings, preset, preset_file, chosen);
  if (!settings.wave.empty() && settings.device != "model")
    if (auto ok = prepare_wave(settings.wave); !ok) return ok.error();
  auto backend = device::Backend::open(transport, setup.options(false));
  if (!backend) return backend.error();
  auto queue = std::make_unique<Queue>(**backend);
  if (auto ok = setup.configure(**backend, *queue); !ok) return ok.error();
  auto profiles = Profiles::open(settings, preset, chosen ? chosen : transport);
  if (!profiles) return profiles.error();
  std::unique_ptr<Context> context(new Context(std::move(setup), std::move(*backend), std::move(queue),
                                               std::move(program), std::move(*profiles), out, err, lock));
  if (auto ok = context->launcher_.reserve(); !ok) return ok.error();
  if (auto ok = context->runtime_.reserve(); !ok) return ok.error();
  return context;
}

Context::Context(Setup setup, std::unique_ptr<device::Backend> backend, std::unique_ptr<Queue> queue,
                 std::string program, std::unique_ptr<Profiles> profiles, std::FILE* out, std::FILE* err,
                 std::mutex* lock)
    : setup_(std::move(setup)),
      backend_(std::move(backend)),
      queue_(std::move(queue)),
      progress_(setup_.settings().status_line ? err : nullptr),
      outcome_(*queue_, progress_, out, err),
      counters_(*backend_, progress_, empty_report(setup_, std::move(program)), preset().runtime.clock_khz),
      engine_(*backend_, *queue_, lock,
              [this](const std::string& thrown) {
                outcome_.fail(Error("a host function threw " + thrown, Code::Unknown));
              }),
      allocations_(backend_->read64(c::kRegMemBaseLo), backend_->read64(c::kRegMemSizeLo)),
      work_(*backend_, *queue_, engine_, setup_, allocations_, outcome_, counters_),
      exchange_(*backend_, work_),
      waits_(*queue_, engine_, work_, exchange_, allocations_, outcome_),
      memory_(allocations_, exchange_, waits_, outcome_),
      copies_(work_, exchange_),
      runtime_(allocations_, work_, outcome_),
      modules_(*backend_, preset(), allocations_, work_, waits_,
               [this](std::string_view symbol) { return own_address(symbol); }),
      faults_(setup_.settings().cycle_limit, allocations_, modules_, counters_, outcome_, [this] { recover(); }),
      profiles_(std::move(profiles)),
      chosen_(setup_.chosen_transport() ? std::optional<ChosenLaunches>(std::in_place, setup_, *backend_, allocations_,
                                                                        modules_, engine_, counters_, outcome_, faults_)
                                        : std::nullopt),
      launcher_({*queue_, allocations_, work_, exchange_, waits_, runtime_, counters_, outcome_,
                 chosen_ ? &*chosen_ : nullptr, profiles_.get()},
                preset(), resident_threads(*backend_), setup_.settings().blocking) {
  if (profiles_) counters_.profile(*profiles_, modules_);
  queue_->set_observer([this] {
    if (const LaunchInfo* launch = running_launch()) counters_.show(*launch);
  });
  queue_->set_failure_handler(
      [this](const Failure& failure, const Task::Item* item) { faults_.handle(failure, item); });
}

// Threads that move the device use what is destroyed before them.
Context::~Context() { engine_.stop(); }

std::optional<uint64_t> Context::own_address(std::string_view symbol) const {
  if (symbol == formats::kParameterBlock) return launcher_.parameters();
  if (symbol == formats::kRuntimeBlock) return runtime_.block();
  if (symbol == formats::kWideLocks) return runtime_.locks();
  return std::nullopt;
}

// What kernels printed before the fault is still in memory.
void Context::recover() {
  if (reset(*backend_) && setup_.configure(*backend_, *queue_)) runtime_.take_output();
}

const LaunchInfo* Context::running_launch() const {
  const LaunchInfo* launch = queue_->launch_running();
  return launch || !chosen_ ? launch : chosen_->running();
}

device::Backend* Context::watched() const {
  device::Backend* chosen = chosen_ ? chosen_->backend() : nullptr;
  return chosen ? chosen : backend_.get();
}

Report Context::report() {
  if (backend_) engine_.hold();
  if (interrupt_requested()) {
    // Nothing moves any more: who waits goes on waiting until the process ends.
    if (const LaunchInfo* launch = running_launch(); launch && backend_ && !interrupted_launch_) {
      interrupted_launch_ = true;
      counters_.record(*launch, false);
    }
  }
  Report r = counters_.report();
  r.deterministic = work_.one_order() && !setup_.settings().status_line;
  r.status = interrupt_requested() ? "interrupted" : outcome_.summary();
  r.device_stats = backend_ ? watched()->stats() : last_stats_;
  return r;
}

void Context::stop(const Error& why) {
  outcome_.end(why);
  engine_.stop();
}

bool Context::finish() {
  if (!outcome_.failed()) (void)exchange_.bring_home().ok();
  const bool alone = engine_.finish();
  (void)outcome_.tell().ok();
  return alone;
}

Status Context::close() {
  if (!backend_) return {};
  engine_.hold();
  (void)outcome_.tell().ok();
  last_stats_ = watched()->stats();
  if (chosen_) chosen_->close();
  backend_.reset();
  const Settings& settings = setup_.settings();
  if (settings.wave.empty() || settings.wave_launch) return {};  // when the launch was, who asked for it knows
  return check_wave(settings.wave, settings.wave_begin, settings.wave_end, last_stats_.cycles);
}

Status Context::check_lockstep() {
  device::Backend* device = watched();
  if (device && !outcome_.failed() && !device->finish()) {
    outcome_.note(Error(device->failure(), Code::Unknown));
    return outcome_.status();
  }
  const Report& report = counters_.report();
  if (!device::runs_in_lockstep(setup_.settings().device) || report.total.warp_instructions == 0 || report.compared())
    return {};
  return Error(chosen_ && !chosen_->backend()
                   ? "no launch was one that HEDDLE_RTL_KERNELS and HEDDLE_RTL_LAUNCHES choose"
                   : "lockstep compared no instruction with the golden model",
               Code::Unknown);
}

}  // namespace heddle::driver
