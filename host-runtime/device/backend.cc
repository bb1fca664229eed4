// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/device/backend.h"

#include <dlfcn.h>

namespace heddle::device {
namespace {

const char* or_null(const std::string& s) { return s.empty() ? nullptr : s.c_str(); }

}  // namespace

Result<const heddle_transport*> load_transport(const std::string& shared_object) {
  void* handle = dlopen(shared_object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    return Error("cannot load backend: " + std::string(why ? why : shared_object));
  }
  const auto get = reinterpret_cast<heddle_transport_get_fn>(dlsym(handle, "heddle_transport_get"));
  if (!get) return Error(shared_object + " is no Heddle backend: it lacks heddle_transport_get");
  const heddle_transport* transport = get();
  if (!transport || transport->abi != HEDDLE_TRANSPORT_ABI)
    return Error(shared_object + " speaks version " + std::to_string(transport ? transport->abi : 0) +
                 " of the transport interface, " + std::to_string(HEDDLE_TRANSPORT_ABI) + " is needed: rebuild it");
  return transport;
}

Result<std::unique_ptr<Backend>> Backend::open(const heddle_transport* transport, const OpenOptions& options) {
  heddle_open_options c{};
  c.abi = HEDDLE_TRANSPORT_ABI;
  c.device = options.device.c_str();
  c.preset_file = options.preset_file.c_str();
  c.wave_file = or_null(options.wave_file);
  c.wave_begin = options.wave_begin;
  c.wave_end = options.wave_end;
  c.wave_launch = options.wave_launch ? 1 : 0;
  c.wave_scopes = or_null(options.wave_scopes);
  c.wave_groups = or_null(options.wave_groups);
  c.inject = or_null(options.inject);
  c.seed = options.seed;
  heddle_device* device = nullptr;
  char message[2048] = "";
  const int opened = transport->open(&c, &device, message, sizeof message);
  if (opened != 0 || !device)
    return Error(*message ? std::string(message) : "device '" + options.device + "' did not open and gave no reason",
                 opened == HEDDLE_UNAVAILABLE ? Code::DevicesUnavailable : Code::Success);
  return std::unique_ptr<Backend>(new Backend(transport, device));
}

Backend::~Backend() { transport_->close(device_); }

std::string Backend::failure() {
  const char* text = transport_->failure(device_);
  return text && *text ? text : "the backend failed without a message";
}

heddle_stats Backend::stats() {
  heddle_stats s{};
  transport_->stats(device_, &s);
  return s;
}

}  // namespace heddle::device
