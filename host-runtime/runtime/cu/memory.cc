// SPDX-License-Identifier: Apache-2.0
// Allocation, and questions about pointers.
#include <algorithm>
#include <cstring>
#include <optional>

#include "host-runtime/runtime/cu/calls.h"

namespace heddle::cudart::cu {

namespace {

// What one attribute of a pointer is, in as many bytes as it has.
struct Answer {
  uint64_t value = 0;
  size_t bytes = 8;
};

struct Found {
  cudaMemoryType type = cudaMemoryTypeUnregistered;
  uint64_t device = 0, host = 0;  // its addresses
  uint64_t begin = 0, bytes = 0;  // of the allocation
  ContextHandle owner = nullptr;  // null: the primary one
};

Found look_up(State& state, driver::Context& c, CUdeviceptr p) {
  Found found;
  if (const auto range = c.memory().heap().find(p); range && c.memory().is_allocated(p, 1)) {
    found.type = c.memory().is_managed(p) ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
    found.device = p;
    found.host = found.type == cudaMemoryTypeManaged ? p : 0;
    found.begin = range->address, found.bytes = range->bytes;
    const auto owner = state.memory_owners.find(range->address);
    if (owner != state.memory_owners.end()) found.owner = owner->second;
  } else if (void* const place = state.device_pointer(pointer(p)); place != pointer(p)) {
    const auto variable = std::prev(state.managed.upper_bound(static_cast<const char*>(pointer(p))));
    found.type = cudaMemoryTypeManaged;
    found.device = found.host = p;
    found.begin = reinterpret_cast<uint64_t>(variable->first), found.bytes = variable->second;
  } else if (const auto host = state.host_at(pointer(p)); host != state.host_memory.end()) {
    found.type = cudaMemoryTypeHost;
    found.host = p;
    found.begin = reinterpret_cast<uint64_t>(host->first), found.bytes = host->second.bytes;
    found.owner = host->second.owner;
  }
  return found;
}

// None: a pointer of that kind has no such attribute.
std::optional<Answer> answer(State& state, const Found& f, CUpointer_attribute attribute, CUdeviceptr p) {
  const bool host = f.type == cudaMemoryTypeHost;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return Answer{reinterpret_cast<uint64_t>(f.owner ? f.owner : state.contexts.primary())};
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return Answer{host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE, 4};
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: {
      if (!host) return Answer{f.device};
      auto place = state.kernel_pointer(pointer(p));
      if (!place) return std::nullopt;
      return Answer{reinterpret_cast<uint64_t>(*place)};
    }
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!f.host) return std::nullopt;
      return Answer{f.host};
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return Answer{0, 1};
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return Answer{f.begin};
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return Answer{f.type == cudaMemoryTypeManaged, 1};
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return Answer{0, 4};
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: return Answer{0, 1};
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return Answer{f.begin};
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return Answer{f.bytes};
    case CU_POINTER_ATTRIBUTE_MAPPED: return Answer{1, 1};
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return Answer{0};
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return Answer{0, 1};
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return Answer{3, 4};  // to read and to write
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return Answer{0};
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: return Answer{f.bytes};
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: return Answer{f.begin};
    default: return std::nullopt;
  }
}

// What is left in the program's variable where there is no answer.
Answer nothing(CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return {0, 4};
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return {uint32_t(CU_DEVICE_INVALID), 4};
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return {0, 1};
    default: return {0, 8};
  }
}

bool known(CUpointer_attribute attribute) {
  return attribute >= CU_POINTER_ATTRIBUTE_CONTEXT && attribute <= CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID;
}

enum class Begins { No, Yes };

// Memory that this library allocated, or with Begins::Yes the middle of registered memory, is no argument.
CUresult not_allocated(void* p, Begins begins = Begins::No) {
  return call_in_context([&](State& state, driver::Context&) {
    const auto range = state.host_at(p);
    const bool wrong =
        range != state.host_memory.end() && (range->second.owned || (begins == Begins::Yes && range->first != p));
    return wrong ? cudaErrorInvalidValue : cudaSuccess;
  });
}

}  // namespace

namespace body {

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) { return result(runtime::cudaMemGetInfo(free, total)); }

CUresult cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) {
  if (!bytes) return call_in_context([](State&, driver::Context&) { return cudaErrorInvalidValue; });
  return result(runtime::cudaMalloc(pointer(out), bytes));
}
CUresult cuMemAllocPitch_v2(CUdeviceptr* out, size_t* pitch, size_t width, size_t height, unsigned element) {
  if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
  if (width == 0 || height == 0) return CUDA_ERROR_INVALID_VALUE;
  return result(runtime::cudaMallocPitch(pointer(out), pitch, width, height));
}
CUresult cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned flags) {
  return result(runtime::cudaMallocManaged(pointer(out), bytes, flags));
}
// What memory a thread without a context has is none.
CUresult cuMemFree_v2(CUdeviceptr p) {
  bool in_context = true;
  const CUresult known = call([&](State& state) {
    in_context = state.contexts.current() != nullptr;
    return in_context || !p ? cudaSuccess : cudaErrorInvalidValue;
  });
  return known == CUDA_SUCCESS && in_context ? result(runtime::cudaFree(pointer(p))) : known;
}
CUresult cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
  return result(runtime::cudaMallocAsync(pointer(out), bytes, stream));
}
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream) {
  if (!p) return call_in_context([](State&, driver::Context&) { return cudaSuccess; });
  return result(runtime::cudaFreeAsync(pointer(p), stream));
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr p) {
  return call_in_context([&](State& state, driver::Context& c) -> cudaError_t {
    const Found found = look_up(state, c, p);
    if (found.type == cudaMemoryTypeUnregistered) return cudaErrorSymbolNotFound;
    if (base) *base = found.begin;
    if (bytes) *bytes = found.bytes;
    return cudaSuccess;
  });
}

CUresult cuMemAllocHost_v2(void** out, size_t bytes) { return result(runtime::cudaMallocHost(out, bytes)); }
CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
  return result(runtime::cudaHostAlloc(out, bytes, flags));
}
CUresult cuMemFreeHost(void* p) { return result(runtime::cudaFreeHost(p)); }
CUresult cuMemHostRegister_v2(void* p, size_t bytes, unsigned flags) {
  const CUresult ours = not_allocated(p);
  return ours == CUDA_SUCCESS ? result(runtime::cudaHostRegister(p, bytes, flags)) : ours;
}
CUresult cuMemHostUnregister(void* p) {
  const CUresult ours = not_allocated(p, Begins::Yes);
  return ours == CUDA_SUCCESS ? result(runtime::cudaHostUnregister(p)) : ours;
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* out, void* p, unsigned flags) {
  return result(runtime::cudaHostGetDevicePointer(pointer(out), p, flags));
}
CUresult cuMemHostGetFlags(unsigned* flags, void* p) { return result(runtime::cudaHostGetFlags(flags, p)); }

CUresult cuMemAdvise(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUdevice device) {
  return result(runtime::cudaMemAdvise(pointer(p), bytes, static_cast<cudaMemoryAdvise>(advice), device));
}
CUresult cuMemAdvise_v2(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUmemLocation l) {
  return result(runtime::cudaMemAdvise_v2(pointer(p), bytes, static_cast<cudaMemoryAdvise>(advice),
                                          {static_cast<cudaMemLocationType>(l.type), l.id}));
}
CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice device, CUstream stream) {
  return result(runtime::cudaMemPrefetchAsync(pointer(p), bytes, device, stream));
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t bytes, CUmemLocation l, unsigned flags, CUstream stream) {
  return result(runtime::cudaMemPrefetchAsync_v2(pointer(p), bytes, {static_cast<cudaMemLocationType>(l.type), l.id},
                                                 flags, stream));
}

CUresult cuPointerGetAttribute(void* out, CUpointer_attribute attribute, CUdeviceptr p) {
  const CUresult asked =
      call([&](State& state) { return state.contexts.current() ? cudaSuccess : cudaErrorInvalidValue; });
  if (asked != CUDA_SUCCESS) return asked;
  return call_in_context([&](State& state, driver::Context& c) -> cudaError_t {
    if (!out || !known(attribute)) return cudaErrorInvalidValue;
    const Found found = look_up(state, c, p);
    if (found.type == cudaMemoryTypeUnregistered) return cudaErrorInvalidValue;
    const auto said = answer(state, found, attribute, p);
    if (!said) return cudaErrorInvalidValue;
    std::memcpy(out, &said->value, said->bytes);
    return cudaSuccess;
  });
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** out, CUdeviceptr p) {
  return call_in_context([&](State& state, driver::Context& c) -> cudaError_t {
    if (!count || !attributes || !out) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i)
      if (!known(attributes[i]) || !out[i]) return cudaErrorInvalidValue;
    const Found found = look_up(state, c, p);
    for (unsigned i = 0; i < count; ++i) {
      std::optional<Answer> said;
      if (found.type != cudaMemoryTypeUnregistered) said = answer(state, found, attributes[i], p);
      const Answer written = said.value_or(nothing(attributes[i]));
      std::memcpy(out[i], &written.value, written.bytes);
    }
    return cudaSuccess;
  });
}

// Copies of all memory wait as much as CU_POINTER_ATTRIBUTE_SYNC_MEMOPS asks for.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr p) {
  return call_in_context([&](State& state, driver::Context& c) -> cudaError_t {
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return cudaErrorInvalidValue;
    return look_up(state, c, p).type == cudaMemoryTypeUnregistered ? cudaErrorInvalidValue : cudaSuccess;
  });
}

}  // namespace body
}  // namespace heddle::cudart::cu
