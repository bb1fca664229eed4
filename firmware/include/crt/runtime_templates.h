// SPDX-License-Identifier: Apache-2.0
// Typed C++ forms of runtime functions: allocation into T**, places of managed memory, launches and queries by kernel
// pointer, copies by symbol. Included by cuda_runtime.h.
#if !defined(HEDDLE_CRT_RUNTIME_TEMPLATES_H)
#define HEDDLE_CRT_RUNTIME_TEMPLATES_H

#include "../cuda_runtime_api.h"

#if defined(__CUDA__) && defined(__clang__)
#define HEDDLE_DEVICE_TOO __host__ __device__
#else
#define HEDDLE_DEVICE_TOO
#endif

// The program's types may have any qualifiers: pointers to them are given on without.
template <class T>
static __inline__ HEDDLE_DEVICE_TOO void** __heddle_place(T** pointer) {
  return static_cast<void**>(static_cast<void*>(pointer));
}
// A pointer to const: with another the templates below would be called again, for a symbol of pointer type.
static __inline__ HEDDLE_DEVICE_TOO const void* __heddle_plain(const volatile void* p) {
  return const_cast<const void*>(p);
}

// ---- allocation ----
template <class T>
static __inline__ HEDDLE_DEVICE_TOO cudaError_t cudaMalloc(T** devPtr, size_t size) {
  return ::cudaMalloc(__heddle_place(devPtr), size);
}

template <class T>
static __inline__ cudaError_t cudaMallocHost(T** ptr, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc(__heddle_place(ptr), size, flags);
}

template <class T>
static __inline__ cudaError_t cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(__heddle_place(ptr), size, flags);
}

template <class T>
static __inline__ cudaError_t cudaHostGetDevicePointer(T** pDevice, void* pHost, unsigned int flags) {
  return ::cudaHostGetDevicePointer(__heddle_place(pDevice), pHost, flags);
}

template <class T>
static __inline__ cudaError_t cudaMallocManaged(T** devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(__heddle_place(devPtr), size, flags);
}

// CUDA 13's forms, beside those with a device's number.
static __inline__ cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, cudaMemLocation location,
                                                   unsigned int flags, cudaStream_t stream = 0) {
  return ::cudaMemPrefetchAsync_v2(devPtr, count, location, flags, stream);
}
static __inline__ cudaError_t cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise advice,
                                            cudaMemLocation location) {
  return ::cudaMemAdvise_v2(devPtr, count, advice, location);
}

template <class T>
static __inline__ cudaError_t cudaMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(__heddle_place(devPtr), pitch, width, height);
}

template <class T>
static __inline__ cudaError_t cudaMallocAsync(T** devPtr, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync(__heddle_place(devPtr), size, stream);
}

// Names of allocation from a pool.
static __inline__ cudaError_t cudaMallocAsync(void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}
template <class T>
static __inline__ cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(__heddle_place(ptr), size, memPool, stream);
}
template <class T>
static __inline__ cudaError_t cudaMallocFromPoolAsync(T** ptr, size_t size, cudaMemPool_t memPool,
                                                      cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(__heddle_place(ptr), size, memPool, stream);
}

template <class T>
static __inline__ cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* devPtr, size_t length = 0,
                                                       unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, const_cast<void*>(__heddle_plain(devPtr)), length, flags);
}

// ---- symbols ----
template <class T>
static __inline__ cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* src, size_t count, size_t offset = 0,
                                                 enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(__heddle_plain(&symbol), src, count, offset, kind);
}

template <class T>
static __inline__ cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* src, size_t count, size_t offset = 0,
                                                      enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                      cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync(__heddle_plain(&symbol), src, count, offset, kind, stream);
}

template <class T>
static __inline__ cudaError_t cudaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                                   enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, __heddle_plain(&symbol), count, offset, kind);
}

template <class T>
static __inline__ cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                                        enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                        cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(dst, __heddle_plain(&symbol), count, offset, kind, stream);
}

template <class T>
static __inline__ cudaError_t cudaGetSymbolAddress(void** devPtr, const T& symbol) {
  return ::cudaGetSymbolAddress(devPtr, __heddle_plain(&symbol));
}

template <class T>
static __inline__ cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return ::cudaGetSymbolSize(size, __heddle_plain(&symbol));
}

// ---- graphs ----
// Before CUDA 12.
static __inline__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                                   cudaGraphNode_t* pErrorNode, char* pLogBuffer, size_t bufferSize) {
  (void)pErrorNode, (void)pLogBuffer, (void)bufferSize;
  return ::cudaGraphInstantiate(pGraphExec, graph, 0);
}
static __inline__ cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                                  cudaGraphNode_t* hErrorNode_out,
                                                  enum cudaGraphExecUpdateResult* updateResult_out) {
  cudaGraphExecUpdateResultInfo info = {cudaGraphExecUpdateError, 0, 0};
  const cudaError_t result = ::cudaGraphExecUpdate(hGraphExec, hGraph, &info);
  if (hErrorNode_out) *hErrorNode_out = info.errorNode;
  if (updateResult_out) *updateResult_out = info.result;
  return result;
}

template <class T>
static __inline__ cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                             const cudaGraphNode_t* pDependencies,
                                                             size_t numDependencies, const T& symbol, const void* src,
                                                             size_t count, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(pGraphNode, graph, pDependencies, numDependencies, __heddle_plain(&symbol),
                                          src, count, offset, kind);
}
template <class T>
static __inline__ cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                               const cudaGraphNode_t* pDependencies,
                                                               size_t numDependencies, void* dst, const T& symbol,
                                                               size_t count, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(pGraphNode, graph, pDependencies, numDependencies, dst,
                                            __heddle_plain(&symbol), count, offset, kind);
}
template <class T>
static __inline__ cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T& symbol,
                                                                   const void* src, size_t count, size_t offset,
                                                                   cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, __heddle_plain(&symbol), src, count, offset, kind);
}
template <class T>
static __inline__ cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst, const T& symbol,
                                                                     size_t count, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, __heddle_plain(&symbol), count, offset, kind);
}
template <class T>
static __inline__ cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                                       const T& symbol, const void* src, size_t count,
                                                                       size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(hGraphExec, node, __heddle_plain(&symbol), src, count, offset,
                                                    kind);
}
template <class T>
static __inline__ cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                                         cudaGraphNode_t node, void* dst,
                                                                         const T& symbol, size_t count, size_t offset,
                                                                         cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(hGraphExec, node, dst, __heddle_plain(&symbol), count, offset,
                                                      kind);
}

#if __cplusplus >= 201103L
// An object that is deleted with the last reference to it.
template <class T>
static __inline__ cudaError_t cudaUserObjectCreate(cudaUserObject_t* object_out, T* objectToWrap,
                                                   unsigned int initialRefcount, unsigned int flags) {
  return ::cudaUserObjectCreate(
      object_out, objectToWrap, [](void* object) { delete static_cast<T*>(object); }, initialRefcount, flags);
}
#endif

// ---- kernels ----
template <class T>
static __inline__ cudaError_t cudaLaunchKernel(T* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem = 0,
                                               cudaStream_t stream = 0) {
  return ::cudaLaunchKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args, sharedMem, stream);
}

template <class T>
static __inline__ cudaError_t cudaLaunchCooperativeKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                                          size_t sharedMem = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args, sharedMem, stream);
}

#if __cplusplus >= 201103L
template <typename... ExpTypes, typename... ActTypes>
static __inline__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(ExpTypes...),
                                                 ActTypes&&... args) {
  return [&](ExpTypes... coerced) {
    void* pArgs[sizeof...(ExpTypes) + 1] = {
        const_cast<void*>(reinterpret_cast<const void*>(&reinterpret_cast<const char&>(coerced)))...};
    return ::cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), pArgs);
  }(static_cast<ActTypes&&>(args)...);
}
#endif

template <class T>
static __inline__ cudaError_t cudaFuncSetCacheConfig(T* func, enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(func), config);
}

template <class T>
static __inline__ cudaError_t cudaFuncSetSharedMemConfig(T* func, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(func), config);
}

template <class T>
static __inline__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attr, T* func) {
  return ::cudaFuncGetAttributes(attr, reinterpret_cast<const void*>(func));
}

template <class T>
static __inline__ cudaError_t cudaFuncSetAttribute(T* func, enum cudaFuncAttribute attr, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(func), attr, value);
}

template <class T>
static __inline__ cudaError_t cudaFuncGetName(const char** name, T* func) {
  return ::cudaFuncGetName(name, reinterpret_cast<const void*>(func));
}

static __inline__ cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

#include "occupancy_templates.h"

#undef HEDDLE_DEVICE_TOO

#endif  // HEDDLE_CRT_RUNTIME_TEMPLATES_H
