// SPDX-License-Identifier: Apache-2.0
// The primary context and those that programs make, and which of them is current.
#include "host-runtime/runtime/cu/calls.h"

namespace heddle::cudart::cu {

namespace {

constexpr unsigned kVersion = 3020, kFirstVersion = 3010;

bool possible(unsigned flags) {
  const unsigned schedule = flags & CU_CTX_SCHED_MASK;
  return !(flags & ~unsigned{CU_CTX_FLAGS_MASK}) && !(schedule & (schedule - 1));
}

CUresult create(CUcontext* out, unsigned flags, CUdevice device, unsigned version = kVersion) {
  return call_on(device, [&](State& state, const Preset&) -> cudaError_t {
    if (!out || !possible(flags)) return cudaErrorInvalidValue;
    if (auto opened = state.open(); !opened) return code(opened.error());
    *out = state.contexts.create(flags, version);
    state.contexts.push(*out);
    return cudaSuccess;
  });
}

cudaError_t destroy(State& state, CUcontext context) {
  if (!context) return cudaErrorInvalidValue;
  if (state.contexts.is_primary(context)) return cudaErrorDeviceUninitialized;
  if (state.contexts.was_destroyed(context)) return cudaErrorContextIsDestroyed;
  return state.destroy_context(context) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

// A context that may become current: one that was destroyed may, and each call in it says so.
cudaError_t check_current(State& state, CUcontext context) {
  return state.contexts.lives(context) || state.contexts.was_destroyed(context) || state.contexts.is_primary(context)
             ? cudaSuccess
             : cudaErrorDeviceUninitialized;
}

// A context that lives, as an argument.
cudaError_t check(State& state, CUcontext context) {
  if (state.contexts.lives(context)) return cudaSuccess;
  return context ? cudaErrorContextIsDestroyed : cudaErrorDeviceUninitialized;
}

unsigned& flags_of(State& state, CUcontext context) {
  OwnContext* own = state.contexts.own(context);
  return own ? own->flags : state.device_flags;
}
cudaFuncCache& cache_config_of(State& state, CUcontext context) {
  OwnContext* own = state.contexts.own(context);
  return own ? own->cache_config : state.cache_config;
}

}  // namespace

namespace body {

CUresult cuCtxCreate(CUcontext* out, unsigned flags, CUdevice device) {
  return create(out, flags, device, kFirstVersion);
}
CUresult cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice device) { return create(out, flags, device); }
CUresult cuCtxCreate_v3(CUcontext* out, CUexecAffinityParam* affinities, int count, unsigned flags, CUdevice device) {
  if (count < 0 || (count > 0 && !affinities)) return CUDA_ERROR_INVALID_VALUE;
  if (count > 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return create(out, flags, device);
}
CUresult cuCtxCreate_v4(CUcontext* out, CUctxCreateParams* more, unsigned flags, CUdevice device) {
  if (more && more->cigParams) return CUDA_ERROR_NOT_SUPPORTED;
  return body::cuCtxCreate_v3(out, more ? more->execAffinityParams : nullptr, more ? more->numExecAffinityParams : 0,
                              flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  return call([&](State& state) { return destroy(state, context); });
}
CUresult cuCtxDestroy(CUcontext context) { return body::cuCtxDestroy_v2(context); }

CUresult cuCtxAttach(CUcontext* out, unsigned flags) {
  return call_in_context([&](State& state, driver::Context&) -> cudaError_t {
    if (!out || flags) return cudaErrorInvalidValue;
    *out = state.contexts.current();
    if (OwnContext* own = state.contexts.own(*out)) ++own->users;
    return cudaSuccess;
  });
}
CUresult cuCtxDetach(CUcontext context) {
  return call([&](State& state) -> cudaError_t {
    OwnContext* own = state.contexts.own(context);
    if (!own || context != state.contexts.current()) return cudaErrorDeviceUninitialized;
    return --own->users ? cudaSuccess : destroy(state, context);
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return call([&](State& state) {
    if (!context) return cudaErrorInvalidValue;
    const cudaError_t error = check_current(state, context);
    if (error == cudaSuccess) state.contexts.push(context);
    return error;
  });
}
CUresult cuCtxPushCurrent(CUcontext context) { return body::cuCtxPushCurrent_v2(context); }

CUresult cuCtxPopCurrent_v2(CUcontext* out) {
  return call([&](State& state) -> cudaError_t {
    const auto top = state.contexts.pop();
    if (!top) return cudaErrorDeviceUninitialized;
    if (out) *out = *top;
    return cudaSuccess;
  });
}
CUresult cuCtxPopCurrent(CUcontext* out) { return body::cuCtxPopCurrent_v2(out); }

CUresult cuCtxSetCurrent(CUcontext context) {
  return call([&](State& state) -> cudaError_t {
    if (context)
      if (const cudaError_t error = check_current(state, context); error != cudaSuccess) return error;
    state.contexts.set_current(context);
    return cudaSuccess;
  });
}
CUresult cuCtxGetCurrent(CUcontext* out) {
  return call([&](State& state) -> cudaError_t {
    if (!out) return cudaErrorInvalidValue;
    *out = state.contexts.current();
    return cudaSuccess;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return call([&](State& state) -> cudaError_t {
    if (!device) return cudaErrorInvalidValue;
    if (const cudaError_t error = state.contexts.enter(); error != cudaSuccess) return error;
    *device = 0;
    return cudaSuccess;
  });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return call_in_context([&](State& state, driver::Context&) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = flags_of(state, state.contexts.current());
    return cudaSuccess;
  });
}
CUresult cuCtxSetFlags(unsigned flags) {
  return call_in_context([&](State& state, driver::Context&) {
    if (!possible(flags)) return cudaErrorInvalidValue;
    unsigned& now = flags_of(state, state.contexts.current());
    now = flags | (now & CU_CTX_MAP_HOST);
    return cudaSuccess;
  });
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return call([&](State& state) -> cudaError_t {
    if (!context) context = state.contexts.current();
    if (const cudaError_t error = check(state, context); error != cudaSuccess) return error;
    if (!id) return cudaErrorInvalidValue;
    *id = reinterpret_cast<unsigned long long>(context);
    return cudaSuccess;
  });
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  return call([&](State& state) -> cudaError_t {
    if (!context) context = state.contexts.current();
    if (const cudaError_t error = state.contexts.lives(context) ? cudaSuccess : cudaErrorDeviceUninitialized;
        error != cudaSuccess)
      return error;
    if (!version) return cudaErrorInvalidValue;
    const OwnContext* own = state.contexts.own(context);
    *version = own ? own->version : kVersion;
    return cudaSuccess;
  });
}

CUresult cuCtxSynchronize() { return result(runtime::cudaDeviceSynchronize()); }

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return result(runtime::cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)));
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return result(runtime::cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return call_in_context([&](State& state, driver::Context&) {
    if (!config) return cudaErrorInvalidValue;
    *config = static_cast<CUfunc_cache>(cache_config_of(state, state.contexts.current()));
    return cudaSuccess;
  });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return call_in_context([&](State& state, driver::Context&) {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) return cudaErrorInvalidValue;
    cache_config_of(state, state.contexts.current()) = static_cast<cudaFuncCache>(config);
    return cudaSuccess;
  });
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return call_in_context([&](State&, driver::Context&) {
    if (!config) return cudaErrorInvalidValue;
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return cudaSuccess;
  });
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return call_in_context([&](State&, driver::Context&) {
    return config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE && config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
               ? cudaSuccess
               : cudaErrorInvalidValue;
  });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return call_in_context([&](State&, driver::Context&) {
    if (least) *least = kLeastPriority;
    if (greatest) *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}
CUresult cuCtxResetPersistingL2Cache() { return result(runtime::cudaCtxResetPersistingL2Cache()); }

// No other device's context is there.
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return call_in_context([&](State& state, driver::Context&) -> cudaError_t {
    if (flags) return cudaErrorInvalidValue;
    return state.contexts.lives(peer) ? cudaErrorPeerAccessUnsupported : cudaErrorDeviceUninitialized;
  });
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return call_in_context([&](State& state, driver::Context&) {
    return state.contexts.lives(peer) ? cudaErrorPeerAccessNotEnabled : cudaErrorDeviceUninitialized;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  return call_on(device, [&](State& state, const Preset&) -> cudaError_t {
    if (!out) return cudaErrorInvalidValue;
    if (auto opened = state.open(); !opened) return code(opened.error());
    state.contexts.retain_primary();
    *out = state.contexts.primary();
    return cudaSuccess;
  });
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return call_on(device, [&](State& state, const Preset&) {
    return state.release_primary() ? cudaSuccess : cudaErrorDeviceUninitialized;
  });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return body::cuDevicePrimaryCtxRelease_v2(device); }

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return call_on(device, [&](State& state, const Preset&) {
    state.reset_primary();
    return cudaSuccess;
  });
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) { return body::cuDevicePrimaryCtxReset_v2(device); }

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return call_on(device, [&](State& state, const Preset&) {
    if (!possible(flags)) return cudaErrorInvalidValue;
    state.device_flags = flags;
    return cudaSuccess;
  });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return body::cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return call_on(device, [&](State& state, const Preset&) {
    if (!flags || !active) return cudaErrorInvalidValue;
    *flags = state.device_flags;
    *active = state.contexts.lives(state.contexts.primary());
    return cudaSuccess;
  });
}

}  // namespace body
}  // namespace heddle::cudart::cu
