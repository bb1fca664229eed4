// SPDX-License-Identifier: Apache-2.0
// libheddle_tlm.so: the C ABI's device "tlm". A SystemC simulation in this process, with one
// HeddleDevice an open device, a master in place of the host's CPU, and this process's memory
// behind the initiator socket.
//
//   "tlm"                         RTL in lockstep inside, loosely timed
//   "tlm:rtl", "tlm:model", "tlm:lockstep"   another backend
//   "tlm:rtl:at", "tlm:rtl:lt"    DMA approximately or loosely timed
//
// SystemC is one simulation a process and bound to a thread: it gets a thread of its own at the
// first open and keeps it. Calls of the C ABI are handed over and waited for; the simulation sleeps
// while there are none.
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <systemc>
#include <thread>
#include <tlm>

#include "host-runtime/device/installation.h"
#include "host-runtime/device/transport.h"
#include "presets/preset.h"
#include "sim/systemc/heddle_device.h"
#include "sim/systemc/process_memory.h"

// libsystemc's main() wants it; nobody calls that here.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char*[]) { return 0; }

namespace {

using heddle::systemc::DeviceConfig;
using heddle::systemc::HeddleDevice;
using heddle::systemc::ProcessMemory;
using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_US;
using sc_core::SC_ZERO_TIME;

constexpr size_t kSlots = 4;  // devices open at a time: modules cannot be made once the simulation began

// Other threads' way into the simulation.
class Wake : public sc_core::sc_prim_channel {
 public:
  Wake() : sc_prim_channel("wake") { async_attach_suspending(); }
  const sc_core::sc_event& event() const { return event_; }
  void post() { async_request_update(); }

 private:
  void update() override { event_.notify(SC_ZERO_TIME); }
  sc_core::sc_event event_;
};

// A call of the C ABI: runs in the slot's thread of the simulation.
struct Call {
  std::function<void()> work;
  bool done = false;
};

// A device with its surroundings. Functions without a note are called in the slot's own SystemC
// thread.
class Slot : public sc_core::sc_module {
 public:
  Slot(sc_core::sc_module_name name, Wake& wake)
      : sc_module(name), wake_(wake), memory_("memory", sc_time(200, SC_NS)), gpu_("gpu", {}), cpu_("cpu") {
    typedef Slot SC_CURRENT_USER_MODULE;
    cpu_.bind(gpu_.target);
    gpu_.initiator.bind(memory_.socket);
    gpu_.irq.bind(irq_);
    SC_THREAD(serve);
    set_stack_size(heddle::systemc::kStackBytes);
  }

  bool taken = false;  // by an open device; guarded by the host's mutex

  heddle::Status power_on(const DeviceConfig& config) {
    failure_.clear();
    period_ = config.clock_period;
    return gpu_.power_on(config);
  }
  void power_off() { gpu_.power_off(); }
  bool finish() { return gpu_.finish(); }

  uint32_t access(tlm::tlm_command command, uint32_t offset, uint32_t value) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(offset);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(4);
    p.set_streaming_width(4);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    cpu_->b_transport(p, local_);
    if (!p.is_response_ok() && failure_.empty())
      failure_ = "register " + std::to_string(offset) + ": " + p.get_response_string();
    if (local_ >= tlm::tlm_global_quantum::instance().get()) catch_up();
    return p.is_response_ok() ? value : 0;
  }

  int wait_irq(uint64_t max_cycles) {
    catch_up();
    if (!irq_.read() && failure().empty())
      wait(static_cast<double>(max_cycles) * period_, irq_.posedge_event() | gpu_.failed());
    return !failure().empty() ? -1 : irq_.read() ? 1 : 0;
  }

  const std::string& failure() const { return gpu_.failure().empty() ? failure_ : gpu_.failure(); }
  heddle_stats stats() { return gpu_.stats(); }

  // From any thread, with the simulation's mutex held.
  void put(Call* call) { calls_.push_back(call); }

 private:
  void serve();
  void catch_up() {
    if (local_ > SC_ZERO_TIME) wait(local_);
    local_ = SC_ZERO_TIME;
  }

  Wake& wake_;
  ProcessMemory memory_;
  HeddleDevice gpu_;
  tlm_utils::simple_initiator_socket<Slot> cpu_;
  sc_core::sc_signal<bool> irq_;
  sc_time local_;
  sc_time period_{1, SC_NS};
  std::string failure_;
  std::deque<Call*> calls_;
};

// The process's one simulation. Never destroyed: its thread outlives static destructors.
class Simulation {
 public:
  static Simulation& get() {
    static auto* simulation = new Simulation;
    return *simulation;
  }

  // Runs `work` in the simulation's thread of `slot`; false: the simulation has died.
  bool run(Slot& slot, std::function<void()> work) {
    Call call{std::move(work)};
    std::unique_lock lock(mutex_);
    if (!failure_.empty()) return false;
    slot.put(&call);
    wake_->post();
    answered_.wait(lock, [&] { return call.done || !failure_.empty(); });
    return call.done;
  }

  // Null: none is free, or `error`.
  Slot* take(std::string& error) {
    std::unique_lock lock(mutex_);
    if (!started_) {
      started_ = true;
      std::thread([this] { simulate(); }).detach();
    }
    answered_.wait(lock, [&] { return ready_ || !failure_.empty(); });
    error = failure_;
    if (!error.empty()) return nullptr;
    for (auto& slot : slots_)
      if (!slot->taken) {
        slot->taken = true;
        return slot.get();
      }
    error = "at most " + std::to_string(kSlots) + " devices can be open in one SystemC simulation";
    return nullptr;
  }

  void give_back(Slot& slot) {
    const std::lock_guard lock(mutex_);
    slot.taken = false;
  }

  std::string failure() {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

  std::mutex& mutex() { return mutex_; }
  std::condition_variable& answered() { return answered_; }

 private:
  void simulate() {
    std::string why = "the SystemC simulation has ended";
    try {
      // Messages go where a program's own output is not.
      sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
      sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
      sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
      tlm::tlm_global_quantum::instance().set(sc_time(10, SC_US));
      {
        const std::lock_guard lock(mutex_);
        wake_ = std::make_unique<Wake>();
        for (size_t i = 0; i < kSlots; i++)
          slots_[i] = std::make_unique<Slot>(("slot" + std::to_string(i)).c_str(), *wake_);
      }
      sc_core::sc_start(SC_ZERO_TIME);
      {
        const std::lock_guard lock(mutex_);
        ready_ = true;
      }
      answered_.notify_all();
      sc_core::sc_start();
    } catch (const std::exception& e) {
      why = std::string("the SystemC simulation failed: ") + e.what();
    }
    const std::lock_guard lock(mutex_);
    failure_ = why;
    answered_.notify_all();
  }

  std::mutex mutex_;  // calls, flags
  std::condition_variable answered_;
  std::unique_ptr<Wake> wake_;
  std::array<std::unique_ptr<Slot>, kSlots> slots_;
  bool started_ = false, ready_ = false;
  std::string failure_;
};

void Slot::serve() {
  Simulation& simulation = Simulation::get();
  for (;;) {
    Call* call = nullptr;
    {
      const std::lock_guard lock(simulation.mutex());
      if (!calls_.empty()) {
        call = calls_.front();
        calls_.pop_front();
      }
    }
    if (!call) {
      wait(wake_.event());
      continue;
    }
    call->work();
    const std::lock_guard lock(simulation.mutex());
    call->done = true;
    simulation.answered().notify_all();
  }
}

}  // namespace

struct heddle_device {
  Slot* slot;
  std::string failure;  // as last asked for
};

namespace {

// "tlm[:backend[:timing]]" -> backend and timing.
heddle::Status parse(const std::string& device, DeviceConfig& config) {
  const auto bad = [&] {
    return heddle::Error("device '" + device + "': tlm[:lockstep|:rtl|:model[:lt|:at]] is expected");
  };
  std::array<std::string, 3> parts = {"", "lockstep", "lt"};
  size_t begin = 0;
  for (size_t n = 0; begin != std::string::npos; n++) {
    if (n == parts.size()) return bad();
    const size_t colon = device.find(':', begin);
    parts[n] = device.substr(begin, colon == std::string::npos ? colon : colon - begin);
    begin = colon == std::string::npos ? colon : colon + 1;
  }
  config.device = parts[1];
  if (parts[0] != "tlm" || (config.device != "lockstep" && config.device != "rtl" && config.device != "model") ||
      (parts[2] != "lt" && parts[2] != "at"))
    return bad();
  config.dma = parts[2] == "at" ? heddle::systemc::Timing::Approximate : heddle::systemc::Timing::Loose;
  return {};
}

heddle::Status configure(const heddle_open_options& options, DeviceConfig& config) {
  if (options.abi != HEDDLE_TRANSPORT_ABI)
    return heddle::Error("the driver speaks transport ABI " + std::to_string(options.abi) + ", this backend " +
                         std::to_string(HEDDLE_TRANSPORT_ABI));
  if (options.host) return heddle::Error("device tlm brings its own host port");
  if (auto ok = parse(options.device, config); !ok) return ok;
  const auto preset = heddle::load_preset(options.preset_file);
  if (!preset) return preset.error();
  const auto library = heddle::device::Installation::find().backend(config.device, preset->name);
  if (!library) return library.error();
  config.library = library->string();
  config.preset_file = options.preset_file;
  if (options.wave_file) {
    config.wave_file = options.wave_file;
    config.wave_begin = options.wave_begin;
    config.wave_end = options.wave_end;
    if (options.wave_scopes) config.wave_scopes = options.wave_scopes;
    if (options.wave_groups) config.wave_groups = options.wave_groups;
  }
  if (options.inject) config.inject = options.inject;
  config.seed = options.seed;
  config.clock_period = sc_time(1e6 / std::max(preset->runtime.clock_khz, 1), SC_NS);
  return {};
}

int open(const heddle_open_options* options, heddle_device** device, char* error, size_t error_size) {
  const auto fail = [&](const std::string& message) {
    std::snprintf(error, error_size, "%s", message.c_str());
    return -1;
  };
  Simulation& simulation = Simulation::get();
  std::string why;
  Slot* slot = simulation.take(why);
  if (!slot) return fail(why);
  DeviceConfig config;
  heddle::Status status = configure(*options, config);
  if (status && !simulation.run(*slot, [&] { status = slot->power_on(config); }))
    status = heddle::Error(simulation.failure());
  if (!status) {
    simulation.give_back(*slot);
    return fail(status.error().message());
  }
  *device = new heddle_device{slot, ""};
  return 0;
}

void close(heddle_device* device) {
  Simulation& simulation = Simulation::get();
  simulation.run(*device->slot, [&] { device->slot->power_off(); });
  simulation.give_back(*device->slot);
  delete device;
}

uint32_t read32(heddle_device* device, uint32_t offset) {
  uint32_t value = 0;
  Simulation::get().run(*device->slot, [&] { value = device->slot->access(tlm::TLM_READ_COMMAND, offset, 0); });
  return value;
}

void write32(heddle_device* device, uint32_t offset, uint32_t value) {
  Simulation::get().run(*device->slot, [&] { device->slot->access(tlm::TLM_WRITE_COMMAND, offset, value); });
}

int wait(heddle_device* device, uint64_t max_cycles) {
  int result = -1;
  Simulation::get().run(*device->slot, [&] { result = device->slot->wait_irq(max_cycles); });
  return result;
}

const char* failure(heddle_device* device) {
  Simulation& simulation = Simulation::get();
  if (!simulation.run(*device->slot, [&] { device->failure = device->slot->failure(); }))
    device->failure = simulation.failure();
  return device->failure.c_str();
}

void stats(heddle_device* device, heddle_stats* out) {
  *out = {};
  Simulation::get().run(*device->slot, [&] { *out = device->slot->stats(); });
}

int finish(heddle_device* device) {
  bool right = false;
  Simulation::get().run(*device->slot, [&] { right = device->slot->finish(); });
  return right ? 0 : -1;
}

constexpr heddle_transport kTransport = {HEDDLE_TRANSPORT_ABI,
                                         open,
                                         close,
                                         read32,
                                         write32,
                                         wait,
                                         failure,
                                         stats,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         finish,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) const heddle_transport* heddle_transport_get(void) {
  return &kTransport;
}
