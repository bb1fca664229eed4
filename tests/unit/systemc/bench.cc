// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/systemc/bench.h"

#include <iostream>
#include <random>

// SystemC's library wants it; the tests' main() is GoogleTest's.
extern "C" int sc_main(int, char*[]) { return 0; }

namespace heddle::test {

// ---- Cpu
// -------------------------------------------------------------------------------------------------

Cpu::Cpu(sc_core::sc_module_name name) : sc_module(name) {
  typedef Cpu SC_CURRENT_USER_MODULE;
  socket.register_nb_transport_bw(this, &Cpu::nb_transport_bw);
  socket.register_invalidate_direct_mem_ptr(this, &Cpu::invalidate);
  SC_THREAD(thread);
  set_stack_size(systemc::kStackBytes);
}

void Cpu::thread() {
  for (;;) {
    if (done_) wait(begin_);
    work_();
    sync();
    done_ = true;
    sc_core::sc_pause();
    wait(SC_ZERO_TIME);
  }
}

bool Cpu::run(std::function<void()> work) {
  work_ = std::move(work);
  done_ = false;
  begin_.notify(SC_ZERO_TIME);
  sc_core::sc_start();
  return done_;
}

void Cpu::sync() {
  if (local > SC_ZERO_TIME) wait(local);
  local = SC_ZERO_TIME;
}

namespace {
void fill(tlm::tlm_generic_payload& p, const Cpu::Access& a) {
  p.set_command(a.command);
  p.set_address(a.address);
  p.set_data_ptr(static_cast<unsigned char*>(a.data));
  p.set_data_length(a.bytes);
  p.set_streaming_width(a.streaming_width ? a.streaming_width : a.bytes);
  if (a.enables) {
    p.set_byte_enable_ptr(const_cast<unsigned char*>(a.enables->data()));
    p.set_byte_enable_length(static_cast<unsigned>(a.enables->size()));
  }
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}
}  // namespace

tlm::tlm_response_status Cpu::access(const Access& a) {
  tlm::tlm_generic_payload p;
  fill(p, a);
  socket->b_transport(p, local);
  if (local >= tlm::tlm_global_quantum::instance().get()) sync();
  return p.get_response_status();
}

uint32_t Cpu::read32(uint64_t address) {
  uint32_t value = 0;
  EXPECT_EQ(read(address, &value, 4), tlm::TLM_OK_RESPONSE) << std::hex << address;
  return value;
}

void Cpu::write32(uint64_t address, uint32_t value) {
  EXPECT_EQ(write(address, &value, 4), tlm::TLM_OK_RESPONSE) << std::hex << address;
}

bool Cpu::dmi(tlm::tlm_command command, uint64_t address, tlm::tlm_dmi& dmi) {
  tlm::tlm_generic_payload p;
  p.set_command(command);
  p.set_address(address);
  return socket->get_direct_mem_ptr(p, dmi);
}

unsigned Cpu::debug(tlm::tlm_command command, uint64_t address, void* data, unsigned bytes) {
  tlm::tlm_generic_payload p;
  fill(p, {command, address, data, bytes, nullptr, 0});
  return socket->transport_dbg(p);
}

void Cpu::send(std::vector<Sent>& all, const sc_time& response_accept) {
  sync();
  std::vector<tlm::tlm_generic_payload*> payloads;
  unsigned answered = 0;
  const auto at = [&](tlm::tlm_generic_payload* p) -> Sent& {
    return all[static_cast<size_t>(std::find(payloads.begin(), payloads.end(), p) - payloads.begin())];
  };
  while (answered < all.size()) {
    if (!request_ && payloads.size() < all.size()) {
      auto* p = new tlm::tlm_generic_payload(this);
      p->acquire();  // and kept to the end: `at` finds it by its address
      p->acquire();
      Sent& s = all[payloads.size()];
      payloads.push_back(p);
      fill(*p, s.access);
      s.begun = sc_time_stamp();
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_time delay = SC_ZERO_TIME;
      request_ = p;
      const tlm::tlm_sync_enum sync = socket->nb_transport_fw(*p, phase, delay);
      if (sync == tlm::TLM_COMPLETED) {
        request_ = nullptr;
        s.accepted = s.answered = sc_time_stamp() + delay;
        s.status = p->get_response_status();
        s.order = answered++;
        p->release();
      } else {
        EXPECT_EQ(sync, tlm::TLM_ACCEPTED);
      }
      continue;
    }
    if (responses_.empty()) wait(phase_came_);
    if (!request_ && !payloads.empty() && at(payloads.back()).accepted == SC_ZERO_TIME)
      at(payloads.back()).accepted = sc_time_stamp();
    if (responses_.empty()) continue;
    tlm::tlm_generic_payload* p = responses_.front().first;
    responses_.erase(responses_.begin());
    Sent& s = at(p);
    s.answered = sc_time_stamp();
    s.status = p->get_response_status();
    s.order = answered++;
    if (response_accept > SC_ZERO_TIME) wait(response_accept);
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_time delay = SC_ZERO_TIME;
    socket->nb_transport_fw(*p, phase, delay);
    p->release();
  }
  for (auto* p : payloads) p->release();
}

tlm::tlm_sync_enum Cpu::nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_time&) {
  if (request_ == &p) request_ = nullptr;
  if (phase == tlm::BEGIN_RESP) {
    EXPECT_TRUE(responses_.empty()) << "a response before the last one ended";
    responses_.emplace_back(&p, sc_time_stamp());
  }
  phase_came_.notify(SC_ZERO_TIME);
  return tlm::TLM_ACCEPTED;
}

// ---- Gpu
// -------------------------------------------------------------------------------------------------

Gpu::Gpu(Cpu& cpu, HeddleDevice& d, Memory& memory, const sc_core::sc_signal<bool>& irq, unsigned number)
    : device(d),
      base((number + 1) * (uint64_t{1} << 40)),
      window(base + d.window_base()),
      cpu_(cpu),
      memory_(memory),
      irq_(irq),
      place_(0x1000 * number) {}

void Gpu::reset(uint64_t ring_address) {
  set(contract::kRegControl, contract::kControlReset);
  cpu_.sync();
  for (int i = 0; i < 10000 && reg(contract::kRegControl) != 0; i++) wait(sc_time(1, SC_US));
  tail_ = 0;
  set64(contract::kRegRingBase + contract::kRingAddressLo, ring_address ? ring_address : kCommands + place_);
  set(contract::kRegRingBase + contract::kRingEntries, kEntries);
  set(contract::kRegIrqEnable, contract::kIrqCompletion | contract::kIrqFault);
  set64(contract::kRegCycleLimitLo, 0);
  set64(contract::kRegMemSizeLo, uint64_t{256} << 20);
  cpu_.sync();
  wait(sc_time(1, SC_US));
}

void Gpu::begin(contract::Command command) {
  command.words[contract::kWordOpcode] |= static_cast<uint32_t>(contract::kFlagIrq);
  command.words[contract::kWordTag] = 1000 + tail_;
  command.set64(contract::kWordCompletion, kCommands + place_ + 0x800);
  std::memset(memory_.data() + place_ + 0x800, 0, contract::kCompletionBytes);
  std::memcpy(memory_.data() + place_ + (tail_ % kEntries) * sizeof command, &command, sizeof command);
  set(contract::kRegRingBase + contract::kRingTail, ++tail_);
}

bool Gpu::wait_irq(const sc_time& limit) {
  cpu_.sync();
  if (!irq_.read()) sc_core::wait(limit, irq_.posedge_event());
  return irq_.read();
}

contract::Completion Gpu::finish(const sc_time& limit) {
  contract::Completion record;
  const sc_time end = sc_time_stamp() + limit;
  do {
    if (!wait_irq(limit)) break;
    set(contract::kRegIrqStatus, ~0u);
    cpu_.sync();
    sc_core::wait(sc_time(1, SC_US));
    std::memcpy(&record, memory_.data() + place_ + 0x800, sizeof record);
  } while (record.status == 0 && sc_time_stamp() < end);
  return record;
}

contract::Command Gpu::copy(uint32_t flags, uint64_t from, uint64_t to, uint64_t bytes) {
  contract::Command c;
  c.words[0] = static_cast<uint32_t>(contract::kCommandCopy) | flags;
  c.set64(contract::kWordSource, from);
  c.set64(contract::kWordDestination, to);
  c.set64(contract::kWordBytes, bytes);
  return c;
}

contract::Completion Gpu::copy_in(uint64_t to, const void* from, size_t bytes, size_t offset) {
  std::memcpy(Bench::get().ram->data() + offset, from, bytes);
  return execute(copy(contract::kFlagSourceHost, kRam + offset, to, bytes));
}

contract::Completion Gpu::copy_out(void* to, uint64_t from, size_t bytes, size_t offset) {
  const contract::Completion c = execute(copy(contract::kFlagDestinationHost, from, kRam + offset, bytes));
  std::memcpy(to, Bench::get().ram->data() + offset, bytes);
  return c;
}

contract::Command Gpu::launch(const std::vector<uint64_t>& code, uint64_t argument, uint32_t grid, uint32_t block) {
  EXPECT_EQ(copy_in(kCode, code.data(), code.size() * 8).status, contract::kStatusOk);
  EXPECT_EQ(copy_in(kParams, &argument, 8).status, contract::kStatusOk);
  set64(contract::kRegCodeBaseLo, kCode);
  set(contract::kRegCodeSize, static_cast<uint32_t>(code.size() * 8));
  contract::Command c;
  c.words[0] = contract::kCommandLaunch;
  c.words[contract::kWordRegisters] = 32;
  for (uint64_t d = 0; d < 3; d++) {
    c.words[contract::kWordGridX + d] = d == 0 ? grid : 1;
    c.words[contract::kWordBlockX + d] = d == 0 ? block : 1;
  }
  c.set64(contract::kWordParamBase, kParams);
  c.words[contract::kWordParamBytes] = 8;
  c.set64(contract::kWordLocalBase, kData + 0x400000);
  c.set64(contract::kWordConstBase, kParams);
  return c;
}

// ---- Bench
// -------------------------------------------------------------------------------------------------

Bench& Bench::get() {
  static auto* bench = new Bench;  // SystemC's objects do not like to be destroyed after its kernel
  return *bench;
}

Bench::Bench() {
  // Warnings are what tests ask for; errors throw.
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  ram = std::make_unique<Memory>("ram", size_t{16} << 20);
  commands = std::make_unique<Memory>("commands", size_t{64} << 10);
  bus.add_target(ram->socket, Gpu::kRam, ram->size(), Gpu::kRam);
  bus.add_target(commands->socket, Gpu::kCommands, commands->size(), Gpu::kCommands);
  bus.add_initiator(cpu.socket);
  const std::string preset = HEDDLE_TEST_PRESET;
  for (unsigned i = 0; i < kDevices; i++) {
    devices.push_back(std::make_unique<HeddleDevice>(("gpu" + std::to_string(i)).c_str(), systemc::DeviceParameters{}));
    irqs.push_back(std::make_unique<sc_core::sc_signal<bool>>(("irq" + std::to_string(i)).c_str()));
    HeddleDevice& d = *devices.back();
    gpus.push_back(std::make_unique<Gpu>(cpu, d, *commands, *irqs.back(), i));
    bus.add_target(d.target, gpus.back()->base, uint64_t{1} << 40, gpus.back()->base);
    bus.add_initiator(d.initiator);
    d.irq.bind(*irqs.back());
    const bool rtl = i >= kRtlLoose;
    configs.emplace_back(rtl ? HEDDLE_TEST_RTL : HEDDLE_TEST_MODEL, rtl ? "lockstep" : "model", preset);
    configs.back().dma = i == kModelLoose || i == kRtlLoose ? Timing::Loose : Timing::Approximate;
    if (auto on = d.power_on(configs.back()); !on) {
      std::cerr << on.error().message() << "\n";
      std::abort();
    }
  }
  tlm::tlm_global_quantum::instance().set(sc_time(1, SC_US));
  sc_core::sc_start(SC_ZERO_TIME);
}

std::string device_name(const ::testing::TestParamInfo<DeviceNumber>& info) {
  static const char* const kNames[] = {"ModelLoose", "ModelApproximate", "RtlLoose", "RtlApproximate"};
  return kNames[info.param];
}

uint64_t seed() {
  const char* given = std::getenv("HEDDLE_SEED");
  const uint64_t value = given && *given ? std::strtoull(given, nullptr, 0) : std::random_device{}();
  std::cout << "HEDDLE_SEED=" << value << "\n";
  return value;
}

}  // namespace heddle::test
