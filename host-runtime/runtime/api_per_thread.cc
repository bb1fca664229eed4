// SPDX-License-Identifier: Apache-2.0
// What programs call that were built with a default stream for each thread (CUDA_API_PER_THREAD_DEFAULT_STREAM, see
// crt/per_thread_stream.h): the functions of the other files, in which no stream means cudaStreamPerThread.
#include "host-runtime/runtime/abi_13.h"
#include "host-runtime/runtime/state.h"

extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared_bytes,
                               cudaStream_t stream);
}

using heddle::cudart::OwnDefaultStream;

extern "C" {

#define PER_THREAD(name, suffix, parameters, ...) \
  cudaError_t name##suffix parameters {           \
    const OwnDefaultStream own;                   \
    return name(__VA_ARGS__);                     \
  }
#define PTSZ(name, ...) PER_THREAD(name, _ptsz, __VA_ARGS__)
#define PTDS(name, ...) PER_THREAD(name, _ptds, __VA_ARGS__)

// ---- functions with a stream: name, parameters, arguments ----

PTSZ(cudaMemcpyAsync, (void* to, const void* from, size_t n, cudaMemcpyKind kind, cudaStream_t s), to, from, n, kind, s)
PTSZ(cudaMemcpyToSymbolAsync,
     (const void* symbol, const void* from, size_t n, size_t offset, cudaMemcpyKind kind, cudaStream_t s), symbol, from,
     n, offset, kind, s)
PTSZ(cudaMemcpyFromSymbolAsync,
     (void* to, const void* symbol, size_t n, size_t offset, cudaMemcpyKind kind, cudaStream_t s), to, symbol, n,
     offset, kind, s)
PTSZ(cudaMemcpy2DAsync,
     (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind,
      cudaStream_t s),
     to, to_pitch, from, from_pitch, width, height, kind, s)
PTSZ(cudaMemcpy3DAsync, (const cudaMemcpy3DParms* p, cudaStream_t s), p, s)
PTSZ(cudaMemcpy3DPeerAsync, (const cudaMemcpy3DPeerParms* p, cudaStream_t s), p, s)
PTSZ(cudaMemsetAsync, (void* to, int value, size_t n, cudaStream_t s), to, value, n, s)
PTSZ(cudaMemset2DAsync, (void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t s), to, pitch,
     value, width, height, s)
PTSZ(cudaMemset3DAsync, (cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t s), to, value, extent, s)
PTSZ(cudaMallocAsync, (void** out, size_t n, cudaStream_t s), out, n, s)
PTSZ(cudaFreeAsync, (void* p, cudaStream_t s), p, s)
HEDDLE_CHANGED_IN_13 PTSZ(cudaMemPrefetchAsync, (const void* p, size_t n, int device, cudaStream_t s), p, n, device, s)
    PTSZ(cudaMemPrefetchAsync_v2, (const void* p, size_t n, cudaMemLocation where, unsigned flags, cudaStream_t s), p,
         n, where, flags,
         s) PTSZ(cudaStreamAttachMemAsync, (cudaStream_t s, void* p, size_t n, unsigned flags), s, p, n, flags)

        PTSZ(cudaStreamGetPriority, (cudaStream_t s, int* priority), s,
             priority) PTSZ(cudaStreamGetFlags, (cudaStream_t s, unsigned* flags), s,
                            flags) PTSZ(cudaStreamGetId, (cudaStream_t s, unsigned long long* id), s,
                                        id) PTSZ(cudaStreamGetDevice, (cudaStream_t s, int* device), s,
                                                 device) PTSZ(cudaStreamQuery, (cudaStream_t s),
                                                              s) PTSZ(cudaStreamSynchronize, (cudaStream_t s), s)
            PTSZ(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t event, unsigned flags), s, event, flags)
                PTSZ(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t f, void* data, unsigned flags), s, f,
                     data, flags) PTSZ(cudaStreamIsCapturing, (cudaStream_t s, cudaStreamCaptureStatus* status), s,
                                       status) PTSZ(cudaEventRecord, (cudaEvent_t event, cudaStream_t s), event, s)
                    PTSZ(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t s, unsigned flags), event, s, flags)

                        PTSZ(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t f, void* data), s, f, data)
                            PTSZ(cudaLaunchKernel,
                                 (const void* f, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t s), f,
                                 grid, block, args, shared, s)
                                PTSZ(cudaLaunchCooperativeKernel,
                                     (const void* f, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t s),
                                     f, grid, block, args, shared, s) PTSZ(__cudaLaunchKernel,
                                                                           (cudaKernel_t f, dim3 grid, dim3 block,
                                                                            void** args, size_t shared, cudaStream_t s),
                                                                           f, grid, block, args, shared, s)

                                    PTSZ(cudaLaunchKernelExC,
                                         (const cudaLaunchConfig_t* config, const void* f, void** args), config, f,
                                         args)

    // What <<<>>> calls where clang's stubs know of one default stream only.
    unsigned __cudaPushCallConfiguration_ptsz(dim3 grid, dim3 block, size_t shared_bytes, void* stream) {
  return __cudaPushCallConfiguration(grid, block, shared_bytes, stream ? stream : cudaStreamPerThread);
}

// ---- functions without a stream ----
PTDS(cudaMemcpy, (void* to, const void* from, size_t n, cudaMemcpyKind kind), to, from, n, kind)
PTDS(cudaMemcpyToSymbol, (const void* symbol, const void* from, size_t n, size_t offset, cudaMemcpyKind kind), symbol,
     from, n, offset, kind)
PTDS(cudaMemcpyFromSymbol, (void* to, const void* symbol, size_t n, size_t offset, cudaMemcpyKind kind), to, symbol, n,
     offset, kind)
PTDS(cudaMemcpy2D,
     (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind),
     to, to_pitch, from, from_pitch, width, height, kind)
PTDS(cudaMemcpy3D, (const cudaMemcpy3DParms* p), p)
PTDS(cudaMemcpy3DPeer, (const cudaMemcpy3DPeerParms* p), p)

PTDS(cudaMemset, (void* to, int value, size_t n), to, value, n)
PTDS(cudaMemset2D, (void* to, size_t pitch, int value, size_t width, size_t height), to, pitch, value, width, height)
PTDS(cudaMemset3D, (cudaPitchedPtr to, int value, cudaExtent extent), to, value, extent)

}  // extern "C"
