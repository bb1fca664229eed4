// SPDX-License-Identifier: Apache-2.0
#include "sim/systemc/powered_backend.h"

#include <cstring>

#include "host-runtime/device/backend.h"
#include "host-runtime/device/contract.h"

namespace heddle::systemc {
namespace {

namespace c = contract;

struct Entry {
  const char* group;
  const char* name;
  uint64_t value;
};

constexpr Entry kContract[] = {
#define HEDDLE_DEVICE(group, name, value, doc) {#group, #name, value},
#include "host-runtime/device/contract.def"
};

// Offsets of a group; of the registers only those that are none of an array.
bool listed(const char* group, uint64_t offset) {
  for (const Entry& e : kContract) {
    if (std::strcmp(e.group, group) != 0 || e.value != offset) continue;
    const size_t length = std::strlen(e.name);
    const bool array = length > 6 && std::strcmp(e.name + length - 6, "Stride") == 0;
    if (!array) return true;
  }
  return false;
}

const char* or_null(const std::string& s) { return s.empty() ? nullptr : s.c_str(); }

}  // namespace

Status PoweredBackend::open(const BackendConfig& config, const heddle_host_port& host) {
  close();
  auto transport = device::load_transport(config.library);
  if (!transport) return transport.error();
  const heddle_transport* t = *transport;
  if (!t->cycles || !t->step || !t->host_done || !t->memory_read || !t->memory_write || !t->memory_direct)
    return Error(config.library + " cannot be part of a system simulation: it has no host port");
  heddle_open_options o{};
  o.abi = HEDDLE_TRANSPORT_ABI;
  o.device = config.device.c_str();
  o.preset_file = config.preset_file.c_str();
  o.wave_file = or_null(config.wave_file);
  o.wave_begin = config.wave_begin;
  o.wave_end = config.wave_end;
  o.wave_scopes = or_null(config.wave_scopes);
  o.wave_groups = or_null(config.wave_groups);
  o.inject = or_null(config.inject);
  o.seed = config.seed;
  o.host = &host;
  char message[2048] = "";
  heddle_device* opened = nullptr;
  if (t->open(&o, &opened, message, sizeof message) != 0 || !opened)
    return Error(*message ? std::string(message) : config.library + " did not open and gave no reason");
  transport_ = t;
  device_ = opened;
  memory_base_ = read64(c::kRegMemBaseLo);
  memory_bytes_ = read64(c::kRegMemSizeLo);
  rings_ = read32(c::kRegNumRings);
  sms_ = read32(c::kRegNumSms);
  return {};
}

void PoweredBackend::close() {
  if (device_) transport_->close(device_);
  device_ = nullptr;
}

std::string PoweredBackend::failure() {
  const char* text = transport_->failure(device_);
  return text && *text ? text : "the backend failed without a message";
}

heddle_stats PoweredBackend::stats() {
  heddle_stats s{};
  if (device_) transport_->stats(device_, &s);
  return s;
}

bool PoweredBackend::has_register(uint64_t offset) const {
  if (offset >= c::kRegSmBase)
    return (offset - c::kRegSmBase) / c::kRegSmStride < sms_ &&
           listed("Sm", (offset - c::kRegSmBase) % c::kRegSmStride);
  if (offset >= c::kRegRingBase)
    return (offset - c::kRegRingBase) / c::kRegRingStride < rings_ &&
           listed("Ring", (offset - c::kRegRingBase) % c::kRegRingStride);
  return listed("Reg", offset);
}

}  // namespace heddle::systemc
