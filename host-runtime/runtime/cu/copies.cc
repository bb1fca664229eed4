// SPDX-License-Identifier: Apache-2.0
// Copies and fills. transfer.h holds the rules.
#include "heddle/sizes.h"
#include "host-runtime/runtime/cu/calls.h"
#include "host-runtime/runtime/transfer.h"

namespace heddle::cudart::cu {

namespace {

CUresult copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, CUstream stream, Wait wait) {
  return call_in_context([&](State& state, driver::Context& c) {
    return transfer(state, c, {to}, {const_cast<void*>(from)}, {bytes, 1, 1}, kind, stream, wait);
  });
}

// One side of a copy in two or three dimensions as its structure has it.
struct Place {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  size_t x, y, z, pitch, rows;
  CUarray array;
};

cudaError_t side_of(const Place& p, Side& side, bool& on_device) {
  switch (p.type) {
    case CU_MEMORYTYPE_HOST: side.pointer = const_cast<void*>(p.host); break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED: side.pointer = pointer(p.device); break;
    case CU_MEMORYTYPE_ARRAY:
      if (!p.array) return cudaErrorInvalidValue;
      note(driver_call(), "CUDA arrays are not supported");
      return cudaErrorNotSupported;
    default: return cudaErrorInvalidValue;
  }
  on_device = p.type == CU_MEMORYTYPE_DEVICE;
  side.pitch = p.pitch, side.slice_rows = p.rows;
  side.x = p.x, side.y = p.y, side.z = p.z;
  return cudaSuccess;
}

CUresult copy_box(const Place& to, const Place& from, const Box& box, CUstream stream, Wait wait) {
  return call_in_context([&](State& state, driver::Context& c) -> cudaError_t {
    Side destination, source;
    bool to_device = false, from_device = false;
    if (const cudaError_t e = side_of(to, destination, to_device); e != cudaSuccess) return e;
    if (const cudaError_t e = side_of(from, source, from_device); e != cudaSuccess) return e;
    for (Side* side : {&destination, &source})
      if (side->pitch == 0) side->pitch = box.width;
    const cudaMemcpyKind kind = to_device && from_device ? cudaMemcpyDeviceToDevice
                                : to_device              ? cudaMemcpyHostToDevice
                                : from_device            ? cudaMemcpyDeviceToHost
                                                         : cudaMemcpyDefault;
    return transfer(state, c, destination, source, box, kind, stream, wait);
  });
}

CUresult copy_2d(const CUDA_MEMCPY2D* p, CUstream stream, Wait wait) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  return copy_box({p->dstMemoryType, p->dstHost, p->dstDevice, p->dstXInBytes, p->dstY, 0, p->dstPitch, 0, p->dstArray},
                  {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcXInBytes, p->srcY, 0, p->srcPitch, 0, p->srcArray},
                  {p->WidthInBytes, p->Height, 1}, stream, wait);
}

template <typename Copy>
CUresult copy_3d(const Copy* p, CUstream stream, Wait wait) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;  // levels are of arrays alone
  return copy_box({p->dstMemoryType, p->dstHost, p->dstDevice, p->dstXInBytes, p->dstY, p->dstZ, p->dstPitch,
                   p->dstHeight, p->dstArray},
                  {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcXInBytes, p->srcY, p->srcZ, p->srcPitch,
                   p->srcHeight, p->srcArray},
                  {p->WidthInBytes, p->Height, p->Depth}, stream, wait);
}

CUresult copy_peer(CUdeviceptr to, CUcontext of_to, CUdeviceptr from, CUcontext of_from, size_t bytes, CUstream stream,
                   Wait wait) {
  const CUresult live = call([&](State& state) {
    const auto lives = [&](CUcontext c) { return !c || state.contexts.lives(c); };  // none: the current one
    return lives(of_to) && lives(of_from) ? cudaSuccess : cudaErrorDeviceUninitialized;
  });
  return live == CUDA_SUCCESS ? copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream, wait) : live;
}

// Elements of 1, 2 or 4 bytes, in rows.
template <typename Element>
CUresult set(CUdeviceptr to, size_t pitch, Element value, size_t width, size_t height, CUstream stream, Wait wait) {
  return call_in_context([&](State& state, driver::Context& c) -> cudaError_t {
    if (width == 0 || height == 0) return cudaSuccess;
    if (to % sizeof value || (height > 1 && pitch % sizeof value)) return cudaErrorInvalidValue;
    return fill(state, c, {pointer(to), pitch}, {multiply_sizes(width, sizeof value), height, 1}, Pattern(value),
                stream, wait);
  });
}

constexpr auto kToDevice = cudaMemcpyHostToDevice, kToHost = cudaMemcpyDeviceToHost,
               kOnDevice = cudaMemcpyDeviceToDevice, kAny = cudaMemcpyDefault;

}  // namespace

namespace body {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, kAny, nullptr, Wait::Yes);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(pointer(to), pointer(from), bytes, kAny, stream, Wait::No);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return copy(pointer(to), from, bytes, kToDevice, nullptr, Wait::Yes);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy(pointer(to), from, bytes, kToDevice, stream, Wait::No);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return copy(to, pointer(from), bytes, kToHost, nullptr, Wait::Yes);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(to, pointer(from), bytes, kToHost, stream, Wait::No);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, kOnDevice, nullptr, Wait::Yes);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(pointer(to), pointer(from), bytes, kOnDevice, stream, Wait::No);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext of_to, CUdeviceptr from, CUcontext of_from, size_t bytes) {
  return copy_peer(to, of_to, from, of_from, bytes, nullptr, Wait::Yes);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext of_to, CUdeviceptr from, CUcontext of_from, size_t bytes,
                           CUstream stream) {
  return copy_peer(to, of_to, from, of_from, bytes, stream, Wait::No);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* p) { return copy_2d(p, nullptr, Wait::Yes); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* p) { return copy_2d(p, nullptr, Wait::Yes); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* p, CUstream stream) { return copy_2d(p, stream, Wait::No); }
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* p) { return copy_3d(p, nullptr, Wait::Yes); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* p, CUstream stream) { return copy_3d(p, stream, Wait::No); }
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* p) { return copy_3d(p, nullptr, Wait::Yes); }
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* p, CUstream stream) { return copy_3d(p, stream, Wait::No); }

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n) {
  return set(to, 0, value, n, 1, nullptr, Wait::Yes);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n) {
  return set(to, 0, value, n, 1, nullptr, Wait::Yes);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t n) {
  return set(to, 0, value, n, 1, nullptr, Wait::Yes);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) {
  return set(to, 0, value, n, 1, stream, Wait::No);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream) {
  return set(to, 0, value, n, 1, stream, Wait::No);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream) {
  return set(to, 0, value, n, 1, stream, Wait::No);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return set(to, pitch, value, width, height, nullptr, Wait::Yes);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return set(to, pitch, value, width, height, nullptr, Wait::Yes);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return set(to, pitch, value, width, height, nullptr, Wait::Yes);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream) {
  return set(to, pitch, value, width, height, stream, Wait::No);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream) {
  return set(to, pitch, value, width, height, stream, Wait::No);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                            CUstream stream) {
  return set(to, pitch, value, width, height, stream, Wait::No);
}

}  // namespace body
}  // namespace heddle::cudart::cu
