// SPDX-License-Identifier: Apache-2.0
// Allocation of device and page-locked memory, and questions about pointers.
#include <algorithm>
#include <cstdlib>

#include "heddle/sizes.h"
#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/state.h"

namespace heddle::cudart {
using driver::Context;

namespace {

constexpr size_t kPitch = 512;       // rows of cudaMallocPitch begin on a multiple of this
constexpr size_t kHostAlign = 4096;  // page-locked memory begins on a page
constexpr unsigned kHostFlags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned kRegisterFlags =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

// `stream`: of whose work the memory is; null: of all.
cudaError_t allocate(State& state, driver::Memory& memory, void** out, size_t bytes,
                     const driver::Stream* stream = nullptr) {
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  auto place = stream ? memory.allocate(bytes, *stream) : memory.allocate(bytes);
  if (!place) return code(place.error());
  state.memory_owners[*place] = state.contexts.owner();
  *out = reinterpret_cast<void*>(*place);
  return cudaSuccess;
}

cudaError_t allocate_pitched(void** out, size_t* pitch, size_t width, size_t rows) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!out || !pitch) return cudaErrorInvalidValue;
    *out = nullptr;
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    if (width == 0 || rows == 0) return cudaSuccess;
    // What is 0 modulo 2^64 is an invalid size on silicon, what is larger in any other way just too much.
    if (*pitch * rows == 0) return cudaErrorInvalidValue;
    return allocate(state, c.memory(), out, multiply_sizes(*pitch, rows));
  });
}

cudaError_t allocate_host(void** out, size_t bytes, unsigned flags) {
  return with_context([&](State& state, Context&) -> cudaError_t {
    if (!out || (flags & ~kHostFlags)) return cudaErrorInvalidValue;
    *out = nullptr;
    if (bytes == 0) return cudaSuccess;
    void* p = bytes > SIZE_MAX - kHostAlign ? nullptr : std::aligned_alloc(kHostAlign, round_up(bytes, kHostAlign));
    if (!p) return cudaErrorMemoryAllocation;
    state.host_memory[static_cast<const char*>(p)] = {bytes, flags, true, 0, state.contexts.owner()};
    *out = p;
    return cudaSuccess;
  });
}

cudaError_t hint(const void* p, size_t bytes, int device, cudaStream_t stream) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!state.stream(stream)) return cudaErrorInvalidResourceHandle;
    if (device != 0 && device != cudaCpuDeviceId) return cudaErrorInvalidDevice;
    return c.memory().is_managed(address(state.device_pointer(const_cast<void*>(p))), bytes) ? cudaSuccess
                                                                                             : cudaErrorInvalidValue;
  });
}

int device_of(cudaMemLocation location) {
  return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}

}  // namespace

namespace body {

cudaError_t cudaMalloc(void** out, size_t bytes) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!out) return cudaErrorInvalidValue;
    return allocate(state, c.memory(), out, bytes);
  });
}

cudaError_t cudaMallocManaged(void** out, size_t bytes, unsigned flags) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!out || bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
      return cudaErrorInvalidValue;
    *out = nullptr;
    auto place = c.memory().allocate_managed(bytes);
    if (!place) return c.outcome().status() ? explained("cudaMallocManaged", place.error()) : code(place.error());
    state.memory_owners[*place] = state.contexts.owner();
    *out = reinterpret_cast<void*>(*place);
    return cudaSuccess;
  });
}

// Where managed memory should be is a hint: here it goes where it is used. The plain names take a structure in CUDA 13.
cudaError_t cudaMemPrefetchAsync(const void* p, size_t bytes, int device, cudaStream_t stream) {
  return hint(p, bytes, device, stream);
}
cudaError_t cudaMemAdvise(const void* p, size_t bytes, cudaMemoryAdvise, int device) {
  return hint(p, bytes, device, nullptr);
}
cudaError_t cudaMemPrefetchAsync_v2(const void* p, size_t bytes, cudaMemLocation location, unsigned,
                                    cudaStream_t stream) {
  return hint(p, bytes, device_of(location), stream);
}
cudaError_t cudaMemAdvise_v2(const void* p, size_t bytes, cudaMemoryAdvise, cudaMemLocation location) {
  return hint(p, bytes, device_of(location), nullptr);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* p, size_t, unsigned) { return hint(p, 1, 0, stream); }

cudaError_t cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
  return allocate_pitched(out, pitch, width, height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
  if (!out) return remember(cudaErrorInvalidValue);
  out->xsize = extent.width;
  out->ysize = extent.height;
  return allocate_pitched(&out->ptr, &out->pitch, extent.width, multiply_sizes(extent.height, extent.depth));
}

cudaError_t cudaFree(void* p) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!p) return cudaSuccess;
    auto released = c.memory().release(address(p));
    if (released) state.memory_owners.erase(address(p));
    if (released || !c.outcome().status()) return code(released);
    return explained("cudaFree", released.error());
  });
}

cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t stream) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    const auto work = state.work(stream);
    if (!work) return cudaErrorInvalidResourceHandle;
    if (!out) return cudaErrorInvalidValue;
    return allocate(state, c.memory(), out, bytes, work.get());
  });
}

cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    const auto work = state.work(stream);
    if (!work) return cudaErrorInvalidResourceHandle;
    if (!p || !c.memory().is_allocated(address(p), 1)) return cudaErrorInvalidValue;
    auto released = c.memory().release(address(p), *work);
    if (released) state.memory_owners.erase(address(p));
    return code(released);
  });
}

cudaError_t cudaMallocHost(void** out, size_t bytes) { return allocate_host(out, bytes, 0); }
cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned flags) { return allocate_host(out, bytes, flags); }

cudaError_t cudaFreeHost(void* p) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!p) return cudaSuccess;
    const auto it = state.host_memory.find(static_cast<const char*>(p));
    if (it == state.host_memory.end() || !it->second.owned) return cudaErrorInvalidValue;
    if (auto idle = c.waits().synchronize(); !idle) return code(idle.error());
    if (auto ok = state.unmap(p); !ok) return code(ok);
    // Unless another thread was faster.
    if (state.host_memory.erase(static_cast<const char*>(p)) == 0) return cudaErrorInvalidValue;
    std::free(p);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* p, size_t bytes, unsigned flags) {
  return with_context([&](State& state, Context&) -> cudaError_t {
    if (!p || bytes == 0 || (flags & ~kRegisterFlags)) return cudaErrorInvalidValue;
    const uint64_t end = add_sizes(address(p), bytes);
    if (end == kTooLarge) return cudaErrorInvalidValue;
    const auto* begin = static_cast<const char*>(p);
    const auto next = state.host_memory.lower_bound(begin);
    const bool above = next != state.host_memory.end() && address(next->first) < end;
    if (above || state.host_range(p)) return cudaErrorHostMemoryAlreadyRegistered;
    state.host_memory[begin] = {bytes, flags, false, 0, state.contexts.owner()};
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* p) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!p) return cudaErrorInvalidValue;
    const auto it = state.host_memory.find(static_cast<const char*>(p));
    if (it == state.host_memory.end() || it->second.owned) return cudaErrorHostMemoryNotRegistered;
    if (auto idle = c.waits().synchronize(); !idle) return code(idle.error());
    if (auto ok = state.unmap(p); !ok) return code(ok);
    return state.host_memory.erase(static_cast<const char*>(p)) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* p) {
  return with_context([&](State& state, Context&) -> cudaError_t {
    const HostRange* range = state.host_range(p);
    if (!flags || !range) return cudaErrorInvalidValue;
    *flags = cudaHostAllocMapped;  // of every kind, as silicon says
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* p, unsigned flags) {
  return with_context([&](State& state, Context&) -> cudaError_t {
    if (!device || !p || flags) return cudaErrorInvalidValue;
    *device = nullptr;
    if (!state.host_range(p)) return cudaErrorInvalidValue;
    auto place = state.kernel_pointer(p);
    if (!place) return explained("cudaHostGetDevicePointer", place.error());
    *device = *place;
    return cudaSuccess;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  return with_context([&](State&, Context& c) {
    if (free_bytes) *free_bytes = c.memory().heap().free();
    if (total) *total = c.memory().heap().total();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* p) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!out) return cudaErrorInvalidValue;
    *out = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, const_cast<void*>(p)};
    const auto* host = state.host_range(p);
    const bool copy = std::any_of(state.host_memory.begin(), state.host_memory.end(), [&](const auto& m) {
      return m.second.device && address(p) - m.second.device < m.second.bytes;
    });
    if (!host && !copy && c.memory().is_managed(address(state.device_pointer(const_cast<void*>(p))))) {
      *out = {cudaMemoryTypeManaged, 0, const_cast<void*>(p), const_cast<void*>(p)};
    } else if (c.memory().is_allocated(address(p), 1)) {
      *out = {cudaMemoryTypeDevice, 0, const_cast<void*>(p), nullptr};
    } else if (host) {
      out->type = cudaMemoryTypeHost;
      out->device = 0;
      if (host->device) out->devicePointer = state.copied_pointer(const_cast<void*>(p));
    }
    return cudaSuccess;
  });
}

}  // namespace body
}  // namespace heddle::cudart
