// SPDX-License-Identifier: Apache-2.0
// Devices: there is one, number 0.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "host-runtime/runtime/cu/calls.h"
#include "host-runtime/runtime/properties.h"

namespace heddle::cudart::cu::body {

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!device && ordinal >= 0) return result(api([](State&) { return cudaErrorInvalidValue; }));
  return call_on(ordinal, [&](State&, const Preset&) {
    if (!device) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetCount(int* count) { return result(runtime::cudaGetDeviceCount(count)); }

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return call_on(device, [&](State&, const Preset& preset) {
    if (!name || length <= 0) return cudaErrorInvalidValue;
    const cudaDeviceProp p = device_properties(preset);
    const size_t kept = std::min(std::strlen(p.name), static_cast<size_t>(length) - 1);
    std::memcpy(name, p.name, kept);
    name[kept] = 0;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return call_on(device, [&](State&, const Preset& preset) {
    if (!uuid) return cudaErrorInvalidValue;
    const cudaDeviceProp p = device_properties(preset);
    std::memcpy(uuid->bytes, p.uuid.bytes, sizeof uuid->bytes);
    return cudaSuccess;
  });
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return body::cuDeviceGetUuid_v2(uuid, device); }

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  return call_on(device, [&](State&, const Preset& preset) {
    if (!bytes) return cudaErrorInvalidValue;
    *bytes = device_properties(preset).totalGlobalMem;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return result(runtime::cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}

CUresult cuDeviceGetProperties(CUdevprop* out, CUdevice device) {
  return call_on(device, [&](State&, const Preset& preset) {
    if (!out) return cudaErrorInvalidValue;
    const cudaDeviceProp p = device_properties(preset);
    out->maxThreadsPerBlock = p.maxThreadsPerBlock;
    std::copy(p.maxThreadsDim, p.maxThreadsDim + 3, out->maxThreadsDim);
    std::copy(p.maxGridSize, p.maxGridSize + 3, out->maxGridSize);
    out->sharedMemPerBlock = static_cast<int>(p.sharedMemPerBlock);
    out->totalConstantMemory = static_cast<int>(p.totalConstMem);
    out->SIMDWidth = p.warpSize;
    out->memPitch = static_cast<int>(p.memPitch);
    out->regsPerBlock = p.regsPerBlock;
    out->clockRate = p.clockRate;
    out->textureAlign = static_cast<int>(p.textureAlignment);
    return cudaSuccess;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return call_on(device, [&](State&, const Preset& preset) {
    if (!major || !minor) return cudaErrorInvalidValue;
    *major = preset.structure.compute_major;
    *minor = preset.structure.compute_minor;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  return result(runtime::cudaDeviceGetPCIBusId(id, length, device));
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  unsigned domain, bus, number, function;
  const bool read = id && (std::sscanf(id, "%x:%x:%x.%x", &domain, &bus, &number, &function) == 4 ||
                           std::sscanf(id, "%x:%x:%x", &domain, &bus, &number) == 3 ||
                           std::sscanf(id, "%x:%x.%x", &bus, &number, &function) == 3);
  if (!read) return call([](State&) { return cudaErrorInvalidValue; });
  return result(runtime::cudaDeviceGetByPCIBusId(device, id));
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return result(runtime::cudaDeviceCanAccessPeer(can, device, peer));
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
  return result(runtime::cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), from, to));
}

CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType type, CUdevice device) {
  return call_on(device, [&](State&, const Preset&) {
    if (!supported || type < 0 || type >= CU_EXEC_AFFINITY_TYPE_MAX) return cudaErrorInvalidValue;
    *supported = 0;
    return cudaSuccess;
  });
}

}  // namespace heddle::cudart::cu::body
