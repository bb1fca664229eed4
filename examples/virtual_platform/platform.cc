// SPDX-License-Identifier: Apache-2.0
// A virtual platform: CPU, bus, memory, interrupt controller, two GPUs.
//
//   cpu ----+             +---- memory (this process's)
//   gpu0 ---+---- bus ----+---- interrupt controller ---> cpu
//   gpu2 ---+             +---- gpu0 in slot 0, line 0; gpu2 in slot 2, line 2; slots 1 and 3 are
//   empty
//
//   virtual_platform [lockstep|rtl|model] [lt|at] [preset] [elements]     default: lockstep lt tiny
//   2000
//
// The CPU is a thread of the simulation that runs host.cc: the real driver core over loads, stores
// and interrupts. Its memory is this process's, so bus addresses of memory are pointers.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <systemc>
#include <tlm>

#include "examples/virtual_platform/host.h"
#include "examples/virtual_platform/interrupt_controller.h"
#include "host-runtime/device/installation.h"
#include "presets/preset.h"
#include "sim/systemc/heddle_device.h"
#include "sim/systemc/process_memory.h"
#include "sim/systemc/router.h"

namespace {

using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::sc_time_stamp;
using sc_core::SC_US;

class Cpu : public sc_core::sc_module, private platform::Machine {
 public:
  tlm_utils::simple_initiator_socket<Cpu> socket{"socket"};
  sc_core::sc_in<bool> interrupt{"interrupt"};

  Cpu(sc_core::sc_module_name name, std::string preset_file, int elements)
      : sc_module(name), preset_file_(std::move(preset_file)), elements_(elements) {
    typedef Cpu SC_CURRENT_USER_MODULE;
    SC_THREAD(run);
    set_stack_size(8 << 20);  // a compiler runs here
  }
  int result() const { return result_; }

 private:
  void run() {
    keeper_.reset();
    result_ = platform::host_main(*this, preset_file_, elements_);
    keeper_.sync();
    sc_core::sc_stop();
  }

  bool access(tlm::tlm_command command, uint64_t address, uint32_t& value) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(4);
    p.set_streaming_width(4);
    sc_time delay = keeper_.get_local_time();
    socket->b_transport(p, delay);
    keeper_.set_and_sync(delay);
    return p.is_response_ok();
  }
  bool load(uint64_t address, uint32_t& value) override { return access(tlm::TLM_READ_COMMAND, address, value); }
  bool store(uint64_t address, uint32_t value) override { return access(tlm::TLM_WRITE_COMMAND, address, value); }
  bool wait_interrupt(double nanoseconds) override {
    keeper_.sync();
    sc_core::wait(sc_core::SC_ZERO_TIME);  // the lines follow what was just stored
    sc_core::wait(sc_core::SC_ZERO_TIME);
    if (!interrupt.read() && nanoseconds > 0) {
      sc_core::wait(sc_time(nanoseconds, SC_NS), interrupt.posedge_event());
      keeper_.reset();
    }
    return interrupt.read();
  }
  double now_nanoseconds() override { return keeper_.get_current_time() / sc_time(1, SC_NS); }

  std::string preset_file_;
  int elements_;
  int result_ = 1;
  tlm_utils::tlm_quantumkeeper keeper_;
};

}  // namespace

extern "C" int sc_main(int argc, char* argv[]) {
  const std::string device = argc > 1 ? argv[1] : "lockstep", timing = argc > 2 ? argv[2] : "lt",
                    preset_name = argc > 3 ? argv[3] : "tiny";
  const int elements = argc > 4 ? std::atoi(argv[4]) : 2000;
  if (elements <= 0 || (timing != "lt" && timing != "at")) {
    std::fprintf(stderr, "usage: virtual_platform [lockstep|rtl|model] [lt|at] [preset] [elements]\n");
    return 2;
  }
  const auto installation = heddle::device::Installation::find();
  const auto preset_file = installation.preset_file(preset_name);
  if (!preset_file) return std::fprintf(stderr, "%s\n", preset_file.error().message().c_str()), 2;
  const auto preset = heddle::load_preset(preset_file->string());
  if (!preset) return std::fprintf(stderr, "%s\n", preset.error().message().c_str()), 2;
  const auto library = installation.backend(device, preset->name);
  if (!library) return std::fprintf(stderr, "%s\n", library.error().message().c_str()), 2;

  tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_time(10, SC_US));
  constexpr unsigned kUsedSlots[] = {0, 2};
  Cpu cpu("cpu", preset_file->string(), elements);
  heddle::systemc::Router bus("bus");
  heddle::systemc::ProcessMemory memory("memory", sc_time(100, SC_NS));
  platform::InterruptController controller("interrupts", platform::kDeviceSlots);
  heddle::systemc::HeddleDevice gpu0("gpu0", {}), gpu2("gpu2", {});
  heddle::systemc::HeddleDevice* const gpus[] = {&gpu0, &gpu2};
  sc_core::sc_signal<bool> lines[platform::kDeviceSlots], to_cpu;

  bus.add_initiator(cpu.socket);
  bus.add_target(controller.socket, platform::kInterruptController, platform::InterruptController::kBytes,
                 platform::kInterruptController);
  for (unsigned i = 0; i < platform::kDeviceSlots; i++) controller.lines[i]->bind(lines[i]);
  controller.cpu.bind(to_cpu);
  cpu.interrupt.bind(to_cpu);
  for (unsigned i = 0; i < 2; i++) {
    heddle::systemc::HeddleDevice& gpu = *gpus[i];
    const uint64_t base = platform::device_slot(kUsedSlots[i]);
    bus.add_target(gpu.target, base, uint64_t{1} << 38, base);
    bus.add_initiator(gpu.initiator);
    gpu.irq.bind(lines[kUsedSlots[i]]);
    heddle::systemc::DeviceConfig config(library->string(), device, preset_file->string());
    config.dma = timing == "at" ? heddle::systemc::Timing::Approximate : heddle::systemc::Timing::Loose;
    config.clock_period = sc_time(1e6 / preset->runtime.clock_khz, SC_NS);
    if (auto on = gpu.power_on(config); !on) return std::fprintf(stderr, "%s\n", on.error().message().c_str()), 2;
  }
  // Pointers of this process lie above all devices.
  constexpr uint64_t kMemory = uint64_t{16} << 40;
  bus.add_target(memory.socket, kMemory, (uint64_t{1} << 47) - kMemory, 0);

  sc_core::sc_start();
  for (auto* gpu : gpus) {
    const auto& dma = gpu->dma_counters();
    std::printf("%s: %llu DMA reads, %llu writes, %llu bytes; %llu instructions compared\n", gpu->name(),
                static_cast<unsigned long long>(dma.reads), static_cast<unsigned long long>(dma.writes),
                static_cast<unsigned long long>(dma.read_bytes + dma.written_bytes),
                static_cast<unsigned long long>(gpu->stats().compared_instructions));
  }
  std::printf("%s\n", cpu.result() == 0 ? "PASS" : "FAIL");
  return cpu.result();
}
