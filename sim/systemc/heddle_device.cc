// SPDX-License-Identifier: Apache-2.0
// The device's thread: lets the backend work, slice after slice, and carries its DMA and interrupt.
#include "sim/systemc/heddle_device.h"

#include <algorithm>

#include "host-runtime/device/contract.h"

namespace heddle::systemc {

namespace c = contract;
using sc_core::sc_time;
using sc_core::sc_time_stamp;
using sc_core::SC_ZERO_TIME;

namespace {

// Looking whether the device is idle costs it cycles. It is done soon after what often is the last
// thing it does (an interrupt, a transfer, a register written to it), else seldom. A doorbell makes
// it busy in fewer cycles still.
constexpr uint64_t kFirstCheckCycles = 32, kIdleCheckCycles = 1024;

sc_time ahead(const sc_time& local, const sc_time& now) { return local > now ? local - now : SC_ZERO_TIME; }

}  // namespace

HeddleDevice::HeddleDevice(sc_core::sc_module_name name, const DeviceParameters& parameters)
    : sc_module(name),
      parameters_(parameters),
      phases_(this, &HeddleDevice::on_phase),
      dma_(initiator, parameters.dma_burst_bytes, parameters.dma_outstanding, [this](uint64_t tag, bool error) {
        transfers_--;
        host_done(tag, error, sc_time_stamp());
        kick_.notify();
      }) {
  typedef HeddleDevice SC_CURRENT_USER_MODULE;
  target.bind(*this);
  SC_THREAD(run);
  set_stack_size(kStackBytes);
  SC_THREAD(answer);
  set_stack_size(kStackBytes);
  SC_METHOD(update_irq);
  sensitive << level_changed_;
  dont_initialize();
}

HeddleDevice::~HeddleDevice() = default;

Status HeddleDevice::power_on(const DeviceConfig& config) {
  if (powered()) return Error(std::string(name()) + " is already on");
  if (config.clock_period == SC_ZERO_TIME) return Error(std::string(name()) + ": a clock period of 0");
  const heddle_host_port host = {this, read_host, write_host};
  if (auto opened = backend_.open(config, host); !opened) return opened.error().context(name());
  failure_.clear();
  timing_ = config.dma;
  period_ = config.clock_period;
  local_ = sc_time_stamp();
  working_ = false;
  return {};
}

void HeddleDevice::power_off() {
  if (!powered()) return;
  disturb();
  leaving_ = true;
  while (!parked_ || dma_.busy()) sc_core::wait(period_);
  leaving_ = working_ = false;
  posted_.clear();
  backend_.close();
  publish(false, SC_ZERO_TIME);
}

// ---- the clock
// -----------------------------------------------------------------------------------------

void HeddleDevice::run() {
  for (;;) {
    while (!working_ || leaving_) {
      parked_ = true;
      sc_core::wait(kick_);
      local_ = std::max(local_, sc_time_stamp());
    }
    parked_ = false;
    if (work() || !working_) continue;
    // Nothing moves until the host answers: the time passes, and the device's with it.
    catch_up();
    if (transfers_ > 0) sc_core::wait(kick_);
    else sc_core::wait(period_);
    local_ = std::max(local_, sc_time_stamp());
  }
}

// Cycles until the device has to let others go on.
uint64_t HeddleDevice::slice(const sc_time& now) const {
  if (transfers_ > 0) return 1;
  const sc_time quantum = tlm::tlm_global_quantum::instance().get();
  if (quantum == SC_ZERO_TIME) return 1;
  const uint64_t most = perhaps_idle_ ? kFirstCheckCycles : kIdleCheckCycles;
  const sc_time sync = now + tlm::tlm_global_quantum::instance().compute_local_quantum();
  if (local_ >= sync) return 1;
  return std::clamp<uint64_t>(static_cast<uint64_t>((sync - local_) / period_), 1, most);
}

// One slice. False: the device made no progress.
bool HeddleDevice::work() {
  disturb();
  const uint64_t before = backend_.cycles();
  const int level = backend_.step(slice(sc_time_stamp()));
  const uint64_t cycles = backend_.cycles() - before;
  local_ += cycles * period_;
  idle_check_ += cycles;
  if (level < 0) {
    fail();
    return true;
  }
  if (!posted_.empty() || (level > 0) != level_) perhaps_idle_ = true;
  const bool progress = cycles > 0 || !posted_.empty() || (level > 0) != level_;
  if ((level > 0) != level_) catch_up_and_publish();
  serve_dma();
  if (transfers_ == 0 && (cycles == 0 || idle_check_ >= (perhaps_idle_ ? kFirstCheckCycles : kIdleCheckCycles)))
    sleep_if_idle();
  const sc_time sync = sc_time_stamp() + tlm::tlm_global_quantum::instance().compute_local_quantum();
  if (transfers_ > 0 || local_ >= sync) catch_up();
  return progress;
}

void HeddleDevice::serve_dma() {
  if (timing_ == Timing::Approximate) {
    if (posted_.empty()) return;
    catch_up();
    while (!posted_.empty()) {
      dma_.start(posted_.front());
      posted_.pop_front();
      transfers_++;
    }
    dma_.issue();
    return;
  }
  while (!posted_.empty()) {
    const Dma::Transfer t = posted_.front();
    posted_.pop_front();
    transfers_++;  // the target may let others run
    sc_time delay = ahead(local_, sc_time_stamp());
    const bool ok = dma_.transfer(t, delay);
    transfers_--;
    host_done(t.tag, !ok, sc_time_stamp() + delay);
  }
}

// The transfer ends at `end`.
void HeddleDevice::host_done(uint64_t tag, bool error, const sc_time& end) {
  const uint64_t cycles = static_cast<uint64_t>(ahead(end, local_) / period_);
  const uint64_t before = backend_.cycles();
  backend_.host_done(tag, error, cycles);
  local_ += (backend_.cycles() - before) * period_;  // the golden model counts its waiting
}

void HeddleDevice::sleep_if_idle() {
  idle_check_ = 0;
  const uint64_t before = backend_.cycles();
  const bool busy =
      (backend_.read32(c::kRegStatus) & c::kStatusBitsBusy) || (backend_.read32(c::kRegControl) & c::kControlReset);
  local_ += (backend_.cycles() - before) * period_;
  perhaps_idle_ = false;
  if (busy || !posted_.empty()) return;
  working_ = false;
  catch_up_and_publish();
}

// Waits until SystemC has come to the device's time.
void HeddleDevice::catch_up() {
  const sc_time wait = ahead(local_, sc_time_stamp());
  if (wait > SC_ZERO_TIME) sc_core::wait(wait);
}

// The line as it is then: a register may be written meanwhile.
void HeddleDevice::catch_up_and_publish() {
  catch_up();
  const int level = backend_.step(0);
  if (level < 0) return fail();
  if ((level > 0) != level_) publish(level > 0, SC_ZERO_TIME);
}

void HeddleDevice::fail() {
  if (!failure_.empty()) return;
  failure_ = backend_.failure();
  working_ = false;
  SC_REPORT_WARNING("/heddle/device", (std::string(name()) + ": " + failure_).c_str());
  failed_.notify(SC_ZERO_TIME);
}

// ---- the interrupt line
// ----------------------------------------------------------------------------------

void HeddleDevice::publish(bool level, const sc_time& delay) {
  level_ = level;
  level_changed_.notify(delay);
}

void HeddleDevice::update_irq() { irq.write(level_); }

// ---- the host port: only noted down, the device's thread serves it
// ---------------------------------------

void HeddleDevice::post(const Dma::Transfer& t) {
  posted_.push_back(t);
  working_ = true;
  kick_.notify(SC_ZERO_TIME);
}

void HeddleDevice::read_host(void* self, uint64_t tag, uint64_t address, void* data, size_t bytes) {
  Dma::Transfer t;
  t.tag = tag;
  t.address = address;
  t.data = static_cast<uint8_t*>(data);
  t.bytes = bytes;
  static_cast<HeddleDevice*>(self)->post(t);
}

void HeddleDevice::write_host(void* self, uint64_t tag, uint64_t address, const void* data, const uint8_t* enables,
                              size_t bytes) {
  Dma::Transfer t;
  t.tag = tag;
  t.write = true;
  t.address = address;
  // The payload's pointers are not const; a target does not write through those of a write.
  t.data = const_cast<uint8_t*>(static_cast<const uint8_t*>(data));
  t.enables = const_cast<uint8_t*>(enables);
  t.bytes = bytes;
  static_cast<HeddleDevice*>(self)->post(t);
}

}  // namespace heddle::systemc
