// SPDX-License-Identifier: Apache-2.0
// Devices: there is one, number 0, the preset's.
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/properties.h"
#include "host-runtime/runtime/state.h"

namespace heddle::cudart {

namespace {

constexpr unsigned kKnownFlags =
    cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
constexpr size_t kMostLocalBytes = size_t{512} << 10;  // of a thread, as the guide has it
constexpr const char* kPciBusId = "0000:01:00.0";

// The body gets the preset; for functions that only ask what the device is.
template <typename F>
cudaError_t with_preset(int device, F&& body) {
  return api(
      [&](State& state) -> cudaError_t {
        auto preset = state.preset();
        if (!preset) return code(preset.error());
        if (device != 0) return cudaErrorInvalidDevice;
        return body(**preset);
      },
      Allow::Always);
}

cudaError_t synchronize() {
  return with_context([](State&, driver::Context& c) { return code(c.waits().synchronize()); });
}

cudaError_t reset() {
  return api([](State& state) {
    state.reset_primary();
    return cudaSuccess;
  });
}

bool known_limit(cudaLimit limit) {
  return limit == cudaLimitStackSize || limit == cudaLimitPrintfFifoSize || limit == cudaLimitMallocHeapSize;
}

cudaError_t unknown_limit(cudaLimit limit) {
  return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize ? cudaErrorUnsupportedLimit
                                                                                : cudaErrorInvalidValue;
}

}  // namespace

namespace body {

cudaError_t cudaGetDeviceCount(int* count) {
  return api(
      [&](State& state) -> cudaError_t {
        if (!count) return cudaErrorInvalidValue;
        *count = 0;
        auto preset = state.preset();
        if (!preset) return code(preset.error());
        *count = 1;
        return cudaSuccess;
      },
      Allow::Always);
}

cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return with_preset(device, [&](const Preset& preset) {
    if (!properties) return cudaErrorInvalidValue;
    *properties = device_properties(preset);
    return cudaSuccess;
  });
}

// The function of CUDA 11, whose structure ends where version 12 goes on.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return with_preset(device, [&](const Preset& preset) {
    if (!properties) return cudaErrorInvalidValue;
    const cudaDeviceProp p = device_properties(preset);
    std::memcpy(static_cast<void*>(properties), &p, offsetof(cudaDeviceProp, hostRegisterSupported));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return with_preset(device, [&](const Preset& preset) {
    const auto answer = device_attribute(preset, attribute);
    if (!value || !answer) return cudaErrorInvalidValue;
    *value = *answer;
    return cudaSuccess;
  });
}

// No lines of the L2 cache are ever set aside.
cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return with_context([](State&, driver::Context&) { return cudaSuccess; });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
  return with_preset(0, [&](const Preset&) {
    if (!device || !properties) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return with_preset(device, [](const Preset&) {
    Contexts& contexts = State::get().contexts;
    contexts.set_current(contexts.primary());
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return with_preset(0, [&](const Preset&) {
    if (!device) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  return with_context([](State&, driver::Context&) { return cudaSuccess; });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return with_preset(0, [&](const Preset&) {
    if (count < 0 || (count > 0 && !devices)) return cudaErrorInvalidValue;
    for (int i = 0; i < count; ++i)
      if (devices[i] != 0) return cudaErrorInvalidDevice;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return api([&](State& state) {
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    if ((flags & ~kKnownFlags) || (schedule & (schedule - 1))) return cudaErrorInvalidValue;
    state.device_flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api([&](State& state) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = state.device_flags;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset() { return reset(); }
cudaError_t cudaThreadExit() { return reset(); }
cudaError_t cudaDeviceSynchronize() { return synchronize(); }
cudaError_t cudaThreadSynchronize() { return synchronize(); }

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return with_context([&](State& state, driver::Context& c) -> cudaError_t {
    if (!known_limit(limit)) return unknown_limit(limit);
    if (limit == cudaLimitStackSize) {
      if (value > kMostLocalBytes) return cudaErrorInvalidValue;
      c.launcher().set_stack_bytes(value);
    }
    if (limit == cudaLimitMallocHeapSize)
      if (auto ok = c.runtime().set_heap_bytes(value); !ok) return explained("cudaDeviceSetLimit", ok.error());
    if (limit == cudaLimitPrintfFifoSize)
      if (auto ok = c.runtime().set_printf_bytes(value); !ok) return explained("cudaDeviceSetLimit", ok.error());
    state.limits[limit] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return with_context([&](State& state, driver::Context& c) -> cudaError_t {
    if (!value) return cudaErrorInvalidValue;
    if (!known_limit(limit)) return unknown_limit(limit);
    *value = limit == cudaLimitPrintfFifoSize   ? c.runtime().printf_bytes()
             : limit == cudaLimitMallocHeapSize ? c.runtime().heap_bytes()
                                                : state.limits[limit];
    return cudaSuccess;
  });
}

cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return body::cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) { return body::cudaDeviceGetLimit(value, limit); }

// L1 and shared memory are separate memories here: the preference is kept and changes nothing.
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api([&](State& state) {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    state.cache_config = config;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api([&](State& state) {
    if (!config) return cudaErrorInvalidValue;
    *config = state.cache_config;
    return cudaSuccess;
  });
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return body::cudaDeviceSetCacheConfig(config); }
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) { return body::cudaDeviceGetCacheConfig(config); }

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return api([](State&) { return cudaSuccess; });
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return api([&](State&) {
    if (!config) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&](State&) {
    if (least) *least = kLeastPriority;
    if (greatest) *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return with_preset(device, [&](const Preset&) {
    if (!id || length <= static_cast<int>(std::strlen(kPciBusId))) return cudaErrorInvalidValue;
    std::strcpy(id, kPciBusId);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return with_preset(0, [&](const Preset&) {
    if (!device || !id) return cudaErrorInvalidValue;
    if (std::strcmp(id, kPciBusId) != 0) return cudaErrorInvalidDevice;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return with_preset(device, [&](const Preset&) {
    if (!can_access) return cudaErrorInvalidValue;
    if (peer != 0) return cudaErrorInvalidDevice;
    *can_access = 0;  // a device is no peer of itself
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return api([](State&) { return cudaErrorInvalidDevice; });
}
cudaError_t cudaDeviceDisablePeerAccess(int) {
  return api([](State&) { return cudaErrorInvalidDevice; });
}
cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  return api([](State&) { return cudaErrorInvalidDevice; });
}

}  // namespace body
}  // namespace heddle::cudart
