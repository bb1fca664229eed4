// SPDX-License-Identifier: Apache-2.0
// Copies and fills, plain, in two and three dimensions, and by symbol. transfer.h holds the rules.
#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/transfer.h"

namespace heddle::cudart {
using driver::Context;

namespace {

Side side(const void* p, size_t pitch = 0, size_t rows = 0) { return {const_cast<void*>(p), pitch, rows}; }

cudaError_t copy(void* dst, const void* src, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, Wait wait) {
  return with_context([&](State& state, Context& c) {
    return transfer(state, c, side(dst), side(src), {bytes, 1, 1}, kind, stream, wait);
  });
}

cudaError_t copy_2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                    cudaMemcpyKind kind, cudaStream_t stream, Wait wait) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (width && height && (dpitch < width || spitch < width))
      return height > 1 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue;
    return transfer(state, c, side(dst, dpitch), side(src, spitch), {width, height, 1}, kind, stream, wait);
  });
}

Side corner(const cudaPitchedPtr& p, const cudaPos& at) { return {p.ptr, p.pitch, p.ysize, at.x, at.y, at.z}; }

cudaError_t copy_3d(const cudaMemcpy3DParms* p, cudaStream_t stream, Wait wait) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!p) return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray) {
      note("cudaMemcpy3D", "CUDA arrays are not supported");
      return cudaErrorNotSupported;
    }
    if (!p->srcPtr.ptr || !p->dstPtr.ptr) return cudaErrorInvalidValue;
    return transfer(state, c, corner(p->dstPtr, p->dstPos), corner(p->srcPtr, p->srcPos),
                    {p->extent.width, p->extent.height, p->extent.depth}, p->kind, stream, wait);
  });
}

cudaError_t copy_3d_peer(const cudaMemcpy3DPeerParms* p, cudaStream_t stream, Wait wait) {
  if (!p) return remember(cudaErrorInvalidValue);
  if (p->srcDevice != 0 || p->dstDevice != 0) return remember(cudaErrorInvalidDevice);
  const cudaMemcpy3DParms same = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                  p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
  return copy_3d(&same, stream, wait);
}

cudaError_t fill_box(Side dst, Box box, int value, cudaStream_t stream, Wait wait) {
  return with_context([&](State& state, Context& c) {
    return fill(state, c, dst, box, Pattern(static_cast<uint8_t>(value)), stream, wait);
  });
}

cudaError_t fill_2d(void* dst, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream, Wait wait) {
  return fill_box(side(dst, pitch), {width, height, 1}, value, stream, wait);
}

cudaError_t fill_3d(const cudaPitchedPtr& p, int value, const cudaExtent& e, cudaStream_t stream, Wait wait) {
  return fill_box(side(p.ptr, p.pitch, p.ysize), {e.width, e.height, e.depth}, value, stream, wait);
}

// The device address of [offset, offset + bytes) of a symbol.
cudaError_t symbol_range(State& state, const void* symbol, size_t bytes, size_t offset, void** out) {
  auto variable = state.variable(symbol);
  if (!variable) return code(variable.error());
  if (offset > (*variable)->bytes || bytes > (*variable)->bytes - offset) return cudaErrorInvalidValue;
  *out = reinterpret_cast<void*>((*variable)->address + offset);
  return cudaSuccess;
}

cudaError_t to_symbol(const void* symbol, const void* src, size_t bytes, size_t offset, cudaMemcpyKind kind,
                      cudaStream_t stream, Wait wait) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    void* dst = nullptr;
    if (const cudaError_t e = symbol_range(state, symbol, bytes, offset, &dst); e != cudaSuccess) return e;
    return transfer(state, c, side(dst), side(src), {bytes, 1, 1}, kind, stream, wait);
  });
}

cudaError_t from_symbol(void* dst, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                        cudaStream_t stream, Wait wait) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    void* src = nullptr;
    if (const cudaError_t e = symbol_range(state, symbol, bytes, offset, &src); e != cudaSuccess) return e;
    return transfer(state, c, side(dst), side(src), {bytes, 1, 1}, kind, stream, wait);
  });
}

}  // namespace

namespace body {

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return copy(dst, src, count, kind, nullptr, Wait::Yes);
}
cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(dst, src, count, kind, stream, Wait::No);
}
cudaError_t cudaMemcpyPeer(void* dst, int to, const void* src, int from, size_t count) {
  if (to != 0 || from != 0) return remember(cudaErrorInvalidDevice);
  return copy(dst, src, count, cudaMemcpyDeviceToDevice, nullptr, Wait::Yes);
}
cudaError_t cudaMemcpyPeerAsync(void* dst, int to, const void* src, int from, size_t count, cudaStream_t stream) {
  if (to != 0 || from != 0) return remember(cudaErrorInvalidDevice);
  return copy(dst, src, count, cudaMemcpyDeviceToDevice, stream, Wait::No);
}
cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return copy_2d(dst, dpitch, src, spitch, width, height, kind, nullptr, Wait::Yes);
}
cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, Wait::No);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return copy_3d(p, nullptr, Wait::Yes); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) { return copy_3d(p, stream, Wait::No); }
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) { return copy_3d_peer(p, nullptr, Wait::Yes); }
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return copy_3d_peer(p, stream, Wait::No);
}

cudaError_t cudaMemset(void* p, int value, size_t count) {
  return fill_box(side(p), {count, 1, 1}, value, nullptr, Wait::Yes);
}
cudaError_t cudaMemsetAsync(void* p, int value, size_t count, cudaStream_t stream) {
  return fill_box(side(p), {count, 1, 1}, value, stream, Wait::No);
}
cudaError_t cudaMemset2D(void* p, size_t pitch, int value, size_t width, size_t height) {
  return fill_2d(p, pitch, value, width, height, nullptr, Wait::Yes);
}
cudaError_t cudaMemset2DAsync(void* p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return fill_2d(p, pitch, value, width, height, stream, Wait::No);
}
cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return fill_3d(p, value, extent, nullptr, Wait::Yes);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t stream) {
  return fill_3d(p, value, extent, stream, Wait::No);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset, cudaMemcpyKind kind) {
  return to_symbol(symbol, src, count, offset, kind, nullptr, Wait::Yes);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return to_symbol(symbol, src, count, offset, kind, stream, Wait::No);
}
cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return from_symbol(dst, symbol, count, offset, kind, nullptr, Wait::Yes);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return from_symbol(dst, symbol, count, offset, kind, stream, Wait::No);
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return with_context([&](State& state, Context&) -> cudaError_t {
    if (!address) return cudaErrorInvalidValue;
    const auto known = state.symbols.find(symbol);
    if (known != state.symbols.end() && known->second.managed) {  // one address for both
      *address = const_cast<void*>(symbol);
      return cudaSuccess;
    }
    return symbol_range(state, symbol, 0, 0, address);
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return with_context([&](State& state, Context&) -> cudaError_t {
    if (!size) return cudaErrorInvalidValue;
    auto variable = state.variable(symbol);
    if (!variable) return code(variable.error());
    *size = (*variable)->bytes;
    return cudaSuccess;
  });
}

}  // namespace body
}  // namespace heddle::cudart
