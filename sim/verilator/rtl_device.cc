// SPDX-License-Identifier: Apache-2.0
// Compiled once a preset, against that preset's verilated model.
#include "sim/verilator/rtl_device.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <random>

#include "Vgpu.h"
#include "host-runtime/device/contract.h"
#include "sim/cosim/checker.h"
#include "sim/verilator/host_memory.h"
#include "sim/verilator/inject.h"
#include "sim/verilator/memory_ports.h"
#include "sim/verilator/model_context.h"
#include "sim/verilator/profile.h"
#include "sim/verilator/trace.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "sim/verilator/waves.h"
#endif

namespace heddle::rtl {
namespace {

namespace contract = heddle::contract;

constexpr unsigned kHostLatencyCycles = 20;
constexpr int kResetCycles = 8;
constexpr size_t kSectorBytes = 32;
constexpr int kAddressBits = 40;  // gpu_pkg::AddrW

double thread_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

class VerilatedGpu final : public RtlDevice {
 public:
  VerilatedGpu(const Preset& preset, const RtlOptions& options, std::unique_ptr<cosim::Checker> checker)
      : options_(options),
        checker_(std::move(checker)),
        trace_(checker_.get()),
        profile_(cycle_, static_cast<unsigned>(preset.structure.sub_partitions)),
        host_(kHostLatencyCycles, options.host),
        memory_(preset) {
    context_ = std::make_unique<ModelContext>(options.seed);
    Trace::select(&trace_);
    Profile::select(&profile_);
    if (HEDDLE_MODEL_CHECKED)
      profile_.check(
          [this](const std::string& text) {
            context_->say("");
            context_->stop(text);
          },
          [this] {
            const dram::Counters c = memory_.dram().counters();
            return Profile::Moved{c.read_bytes, c.written_bytes};
          });
    select_bug(options.inject);
#if VM_TRACE_FST
    context_->traceEverOn(!options_.wave.file.empty());
#endif
    gpu_ = std::make_unique<Vgpu>(context_.get(), "gpu");
#if VM_TRACE_FST
    if (!options_.wave.file.empty()) {
      auto waves = Waves::open(options_.wave, [this](VerilatedFstC& trace) { gpu_->trace(&trace, 99); });
      if (waves) waves_ = std::move(*waves);
      else failure_ = waves.error().message();
    }
    if (waves_ && options_.wave.of_launch)
      profile_.on_start([this] {
        if (waves_) waves_->begin_at(cycle_);
      });
#endif
    reset();
    write32(contract::kRegMemSizeLo, static_cast<uint32_t>(preset.runtime.mem_bytes));
    write32(contract::kRegMemSizeHi, static_cast<uint32_t>(preset.runtime.mem_bytes >> 32));
    write32(contract::kRegSchedPolicy, preset.runtime.scheduler == "gto"   ? 1
                                       : preset.runtime.scheduler == "lrr" ? 0
                                                                           : 2);
    write32(contract::kRegYieldBranches, static_cast<uint32_t>(preset.runtime.yield_branches));
  }

  ~VerilatedGpu() override {
    // Verilator's clean-up asks the thread for the context: another device may have been the last here.
    Verilated::threadContextp(context_.get());
    Trace::select(&trace_);
    Profile::select(&profile_);
    if (!context_->stopped()) gpu_->final();
  }

  uint32_t read32(uint32_t offset) override {
    if (!failure_.empty()) return 0;
    const Work work(*this);
    gpu_->s_axil_arvalid_i = 1;
    gpu_->s_axil_araddr_i = static_cast<uint16_t>(offset);
    gpu_->s_axil_rready_i = 1;
    while (!cycle_with([&] { return gpu_->s_axil_arready_o; })) {
    }
    gpu_->s_axil_arvalid_i = 0;
    uint32_t value = 0;
    while (!cycle_with([&] {
      value = gpu_->s_axil_rdata_o;
      return gpu_->s_axil_rvalid_o;
    })) {
    }
    gpu_->s_axil_rready_i = 0;
    return value;
  }

  void write32(uint32_t offset, uint32_t value) override {
    if (!failure_.empty()) return;
    if (checker_) checker_->push(cosim::Event(cosim::RegisterWrite{offset, value}, cycle_));
    const Work work(*this);
    gpu_->s_axil_awvalid_i = 1;
    gpu_->s_axil_awaddr_i = static_cast<uint16_t>(offset);
    gpu_->s_axil_wvalid_i = 1;
    gpu_->s_axil_wdata_i = value;
    gpu_->s_axil_bready_i = 1;
    while (!cycle_with([&] { return gpu_->s_axil_awready_o && gpu_->s_axil_wready_o; })) {
    }
    gpu_->s_axil_awvalid_i = 0;
    gpu_->s_axil_wvalid_i = 0;
    while (!cycle_with([&] { return gpu_->s_axil_bvalid_o; })) {
    }
    gpu_->s_axil_bready_i = 0;
  }

  int wait(uint64_t max_cycles) override {
    if (!failure_.empty()) return -1;
    const Work work(*this);
    for (uint64_t i = 0; i < max_cycles; i++) {
      if (gpu_->irq_o) break;
      cycle();
      if (wrong()) break;
    }
    // Also without an interrupt: the host may find the completion in its memory before.
    if (!drain()) return -1;
    return gpu_->irq_o ? 1 : 0;
  }

  uint64_t cycles() const override { return cycle_; }

  int step(uint64_t max_cycles) override {
    if (!failure_.empty()) return -1;
    const Work work(*this);
    const bool level = gpu_->irq_o;
    const uint64_t started = host_.started();
    for (uint64_t i = 0; i < max_cycles; i++) {
      cycle();
      if (gpu_->irq_o != level || host_.started() != started || wrong()) break;
    }
    // Nobody hears of an interrupt before the checker has seen what led to it.
    if ((gpu_->irq_o != told_irq_ || wrong()) && !drain()) return -1;
    told_irq_ = gpu_->irq_o;
    return told_irq_ ? 1 : 0;
  }

  void host_done(uint64_t tag, bool error, uint64_t cycles) override { host_.done(tag, error, cycles); }

  bool memory_read(uint64_t address, uint8_t* data, size_t bytes) override {
    for (size_t done = 0; done < bytes;) {
      const size_t offset = (address + done) % kSectorBytes, n = std::min(kSectorBytes - offset, bytes - done);
      if (!window(address + done, false)) return false;
      std::memcpy(data + done, window_data_.data() + offset, n);
      done += n;
    }
    return true;
  }

  bool memory_write(uint64_t address, const uint8_t* data, const uint8_t* enables, size_t bytes) override {
    for (size_t done = 0; done < bytes;) {
      const size_t offset = (address + done) % kSectorBytes, n = std::min(kSectorBytes - offset, bytes - done);
      std::memcpy(reinterpret_cast<uint8_t*>(&gpu_->window_data_i) + offset, data + done, n);
      uint32_t mask = 0;
      for (size_t i = 0; i < n; i++)
        if (!enables || enables[done + i]) mask |= 1u << (offset + i);
      gpu_->window_mask_i = mask;
      if (!window(address + done, true)) return false;
      done += n;
    }
    return true;
  }

  void* memory_direct(uint64_t* bytes) override {
    if (!failure_.empty() || (read32(contract::kRegStatus) & contract::kStatusBitsBusy)) return nullptr;
    const Work work(*this);
    gpu_->window_flush_i = 1;
    while (!cycle_with([&] { return gpu_->window_flushed_o; })) {
    }
    gpu_->window_flush_i = 0;
    cycle();
    if (!failure_.empty()) return nullptr;
    *bytes = memory_.dram().image().size();
    return memory_.dram().image().at(memory_.dram().image().base(), memory_.dram().image().size());
  }

  bool memory_load(uint64_t address, const uint8_t* data, size_t bytes) override {
    if (!failure_.empty() || !memory_.dram().image().at(address, bytes)) return false;
    for (size_t done = 0; done < bytes;) {
      const size_t offset = (address + done) % kSectorBytes, n = std::min(kSectorBytes - offset, bytes - done);
      std::memcpy(memory_.dram().image().to_write(address + done, n), data + done, n);
      if (checker_) {
        cosim::MemoryLoad e{.sector = (address + done) / kSectorBytes,
                            .first = static_cast<uint32_t>(offset),
                            .count = static_cast<uint32_t>(n),
                            .data = {}};
        std::memcpy(reinterpret_cast<uint8_t*>(e.data.data()) + offset, data + done, n);
        checker_->push(cosim::Event(e, cycle_));
      }
      done += n;
    }
    return true;
  }

  bool memory_written(uint64_t address, size_t pages, uint8_t* written) override {
    uint64_t bytes = 0;
    if (!memory_direct(&bytes)) return false;
    memory_.dram().image().news().take((address - memory_.dram().image().base()) / PageSet::kPageBytes, pages, written);
    return true;
  }

  bool finish() override {
    uint64_t bytes = 0;
    if (!checker_ || !memory_direct(&bytes)) return failure_.empty();
    const Work work(*this);
    if (auto ok = checker_->compare_memory(memory_.dram().image().at(memory_.dram().image().base(), bytes),
                                           memory_.dram().image().written());
        !ok)
      failure_ = ok.error().message();
    return failure_.empty();
  }

  void profile(bool on) override { profile_.set_wanted(on); }
  const heddle_profile* profiled() override { return profile_.result(); }
  void events(const heddle_event_sink* sink) override {
    profile_.set_sink(sink ? *sink : heddle_event_sink{}, kResetCycles);
  }

  const std::string& failure() const override { return failure_; }

  heddle_stats stats() const override {
    heddle_stats s{};
    s.cycles = cycle_;
    s.cpu_seconds = cpu_seconds_;
    s.trace_digest = trace_.digest();
    if (checker_) {
      const cosim::CheckerStats c = checker_->stats();
      s.compared_instructions = c.compared_instructions;
      s.compared_memory_events = c.compared_memory_events;
      s.cpu_seconds += c.cpu_seconds;
    }
    return s;
  }

 private:
  // While the device works in this thread: its DPI calls and its CPU time are its own.
  class Work {
   public:
    explicit Work(VerilatedGpu& gpu) : gpu_(gpu), began_(thread_cpu_seconds()) {
      Verilated::threadContextp(gpu.context_.get());
      Trace::select(&gpu.trace_);
      Profile::select(&gpu.profile_);
    }
    ~Work() { gpu_.cpu_seconds_ += thread_cpu_seconds() - began_; }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    VerilatedGpu& gpu_;
    double began_;
  };

  bool wrong() const { return !failure_.empty() || (checker_ && checker_->failed()); }

  // Waits for the checker; false when it found something, or the model stopped.
  bool drain() {
    if (checker_)
      if (auto status = checker_->drain(); !status)
        failure_ = status.error().message() + (failure_.empty() ? "" : "\n" + failure_);
    return failure_.empty();
  }

  // One sector through the window on device memory, with the payload as it stands; false: refused.
  bool window(uint64_t address, bool write) {
    if (!failure_.empty() || address >> kAddressBits) return false;
    if (checker_ && write) {
      cosim::WindowWrite e{.sector = address / kSectorBytes, .mask = gpu_->window_mask_i, .data = {}};
      std::memcpy(e.data.data(), &gpu_->window_data_i, sizeof e.data);
      checker_->push(cosim::Event(e, cycle_));
    }
    const Work work(*this);
    gpu_->window_valid_i = 1;
    gpu_->window_write_i = write;
    gpu_->window_sector_i = address / kSectorBytes;
    bool error = false;
    std::array<uint8_t, kSectorBytes> data;
    while (!cycle_with([&] {
      error = gpu_->window_error_o;
      std::memcpy(data.data(), &gpu_->window_data_o, data.size());
      return gpu_->window_done_o;
    })) {
    }
    gpu_->window_valid_i = 0;
    window_data_ = data;
    return !error && failure_.empty();
  }

  void eval() {
    try {
      if (!context_->stopped()) gpu_->eval();
    } catch (const ModelContext::Fatal&) {
    }
  }

  // One clock cycle; the answer of `sample`, asked just before the rising edge. A model that has stopped stands still
  // and says yes.
  template <typename Sample>
  bool cycle_with(Sample sample) {
    if (context_->stopped()) return true;
    gpu_->clk_i = 0;
    eval();
    const bool sampled = sample();
    if (gpu_->rst_ni) gather();
    gpu_->clk_i = 1;
    eval();
    cycle_++;
    if (context_->stopped())
      failure_ = "the hardware stopped in cycle " + std::to_string(cycle_) + ": " + context_->why();
    trace_.end_cycle(cycle_);
    surroundings();
#if VM_TRACE_FST
    if (waves_) waves_->cycle(cycle_);
#endif
    return sampled;
  }

  void cycle() {
    cycle_with([] { return true; });
  }

  // The wires as they stand before the rising edge.
  void gather() {
    host_wires_.awvalid = gpu_->h_axi_awvalid_o;
    host_wires_.wvalid = gpu_->h_axi_wvalid_o;
    host_wires_.arvalid = gpu_->h_axi_arvalid_o;
    host_wires_.bready = gpu_->h_axi_bready_o;
    host_wires_.rready = gpu_->h_axi_rready_o;
    if (host_wires_.awvalid) host_wires_.awaddr = gpu_->h_axi_awaddr_o;
    if (host_wires_.arvalid) host_wires_.araddr = gpu_->h_axi_araddr_o;
    if (host_wires_.wvalid) {
      std::memcpy(host_wires_.wdata.data(), &gpu_->h_axi_wdata_o, HostAxi::kBeatBytes);
      host_wires_.wstrb = gpu_->h_axi_wstrb_o;
    }
    memory_.gather(*gpu_);
  }

  void tell_of_host_memory() {
    const HostMemory::Seen& seen = host_.seen();
    if (seen.read) {
      cosim::HostRead e{.address = seen.read_at, .error = host_wires_.rresp != HostAxi::kOkay, .data = {}};
      std::memcpy(e.data.data(), host_wires_.rdata.data(), sizeof e.data);
      checker_->push(cosim::Event(e, cycle_));
    }
    if (seen.written) {
      cosim::HostWrite e{.address = seen.written_at, .mask = seen.strobe, .data = {}};
      std::memcpy(e.data.data(), seen.data.data(), sizeof e.data);
      checker_->push(cosim::Event(e, cycle_));
    }
  }

  // Lets what stands around the chip answer, after the rising edge.
  void surroundings() {
    if (!host_.quiet(host_wires_)) {
      host_.step(host_wires_);
      if (checker_) tell_of_host_memory();
      gpu_->h_axi_bvalid_i = host_wires_.bvalid;
      gpu_->h_axi_bresp_i = host_wires_.bresp;
      gpu_->h_axi_rvalid_i = host_wires_.rvalid;
      gpu_->h_axi_rresp_i = host_wires_.rresp;
      if (host_wires_.rvalid) std::memcpy(&gpu_->h_axi_rdata_i, host_wires_.rdata.data(), HostAxi::kBeatBytes);
    }
    memory_.answer(*gpu_);
  }

  // Inputs have a value from the start. Nobody listens to outputs in reset: before its first edge they are whatever
  // flip-flops begin with.
  void reset() {
    for (CData* input : {&gpu_->s_axil_awvalid_i, &gpu_->s_axil_wvalid_i, &gpu_->s_axil_bready_i,
                         &gpu_->s_axil_arvalid_i, &gpu_->s_axil_rready_i, &gpu_->h_axi_bvalid_i, &gpu_->h_axi_rvalid_i,
                         &gpu_->h_axi_bresp_i, &gpu_->h_axi_rresp_i, &gpu_->window_valid_i, &gpu_->window_flush_i})
      *input = 0;
    gpu_->h_axi_awready_i = 1;
    gpu_->h_axi_wready_i = 1;
    gpu_->h_axi_arready_i = 1;
    memory_.connect(*gpu_);
    gpu_->rst_ni = 1;
    gpu_->clk_i = 0;
    eval();
    gpu_->rst_ni = 0;
    context_->assertOn(false);
    for (int i = 0; i < kResetCycles; i++) cycle();
    context_->assertOn(true);
    gpu_->rst_ni = 1;
    trace_.listen();
    cycle();
  }

  RtlOptions options_;
  std::unique_ptr<cosim::Checker> checker_;
  Trace trace_;
  Profile profile_;
  HostMemory host_;
  HostAxi host_wires_;
  std::array<uint8_t, kSectorBytes> window_data_{};  // of the last read
  MemoryPorts memory_;
  std::unique_ptr<ModelContext> context_;
  std::unique_ptr<Vgpu> gpu_;
#if VM_TRACE_FST
  std::unique_ptr<Waves> waves_;
#endif
  uint64_t cycle_ = 0;     // since the model began
  bool told_irq_ = false;  // by step()
  double cpu_seconds_ = 0;
  std::string failure_;
};

}  // namespace

Result<std::unique_ptr<RtlDevice>> RtlDevice::open(const Preset& preset, const RtlOptions& options) {
#ifdef HEDDLE_MODEL_NEEDS_AVX2
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("fma"))
    return Error(
        "this model was built for processors with AVX2 (x86-64-v3), which this one lacks: configure with "
        "-DHEDDLE_MODEL_FLAGS=-O3 and build it again");
#endif
  if (!options.inject.empty() && !has_bug(options.inject))
    return Error("no planted bug '" + options.inject + "' in this build");
#if !VM_TRACE_FST
  if (!options.wave.file.empty()) return Error("this model was built without waveforms");
#endif
  std::unique_ptr<cosim::Checker> checker;
  if (options.lockstep) {
    auto made = cosim::make_checker(preset, {});
    if (!made) return made.error();
    checker = std::move(*made);
  }
  RtlOptions chosen = options;
#if HEDDLE_MODEL_CHECKED
  if (chosen.seed == 0) {
    chosen.seed = uint64_t{1} + std::random_device{}();
    std::fprintf(stderr, "heddle: %s with checks, HEDDLE_SEED=%" PRIu64 "\n", preset.name.c_str(), chosen.seed);
  }
#endif
  auto gpu = std::make_unique<VerilatedGpu>(preset, chosen, std::move(checker));
  if (!gpu->failure().empty()) return Error(gpu->failure());
  const uint32_t hash = gpu->read32(contract::kRegPresetHash);
  if (!gpu->failure().empty()) return Error(gpu->failure());
  if (hash != preset.structure_hash())
    return Error("preset '" + preset.name + "' has another structure than this verilated model (built from '" +
                 HEDDLE_MODEL_PRESET + "'): build it again");
  return std::unique_ptr<RtlDevice>(std::move(gpu));
}

}  // namespace heddle::rtl
