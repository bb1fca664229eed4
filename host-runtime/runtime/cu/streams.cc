// SPDX-License-Identifier: Apache-2.0
// Streams and events, whose handles are the runtime's.
#include "host-runtime/runtime/cu/calls.h"

namespace heddle::cudart::cu {

namespace {

// An event is recorded in streams of its context.
CUresult of_one_context(CUevent handle, CUstream stream) {
  return call_in_context([&](State& state, driver::Context&) {
    const Event* event = state.event(handle);
    return event && event->owner == state.stream_owner(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

}  // namespace

namespace body {

CUresult cuStreamCreate(CUstream* out, unsigned flags) {
  return result(runtime::cudaStreamCreateWithFlags(out, flags));
}
CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
  return result(runtime::cudaStreamCreateWithPriority(out, flags, priority));
}
CUresult cuStreamDestroy_v2(CUstream stream) { return result(runtime::cudaStreamDestroy(stream)); }
CUresult cuStreamDestroy(CUstream stream) { return body::cuStreamDestroy_v2(stream); }
CUresult cuStreamQuery(CUstream stream) { return result(runtime::cudaStreamQuery(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return result(runtime::cudaStreamSynchronize(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return result(runtime::cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  if (!callback || flags) return CUDA_ERROR_INVALID_VALUE;
  return result(add_callback(stream, [=](cudaError_t error) { callback(stream, result(error), data); }));
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr p, size_t bytes, unsigned flags) {
  return result(runtime::cudaStreamAttachMemAsync(stream, pointer(p), bytes, flags));
}

CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return result(runtime::cudaStreamGetFlags(stream, flags));
}
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) { return result(runtime::cudaStreamGetId(stream, id)); }
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return result(runtime::cudaStreamGetPriority(stream, priority));
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return result(runtime::cudaStreamGetDevice(stream, device));
}
CUresult cuStreamGetCtx(CUstream handle, CUcontext* out) {
  return call_in_context([&](State& state, driver::Context&) {
    if (!out) return cudaErrorInvalidValue;
    const Stream* stream = state.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    const bool shared = !state.streams.contains(handle);  // the default ones
    *out = shared ? state.contexts.current() : stream->owner ? stream->owner : state.contexts.primary();
    return cudaSuccess;
  });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return result(runtime::cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)));
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return result(runtime::cudaStreamCopyAttributes(to, from));
}
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  return result(runtime::cudaStreamGetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                                                reinterpret_cast<cudaStreamAttrValue*>(value)));
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue* value) {
  return result(runtime::cudaStreamSetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                                                reinterpret_cast<const cudaStreamAttrValue*>(value)));
}

CUresult cuEventCreate(CUevent* out, unsigned flags) {
  if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
  return result(runtime::cudaEventCreateWithFlags(out, flags));
}
CUresult cuEventDestroy_v2(CUevent event) { return result(runtime::cudaEventDestroy(event)); }
CUresult cuEventDestroy(CUevent event) { return body::cuEventDestroy_v2(event); }
CUresult cuEventRecord(CUevent event, CUstream stream) {
  const CUresult together = of_one_context(event, stream);
  return together == CUDA_SUCCESS ? result(runtime::cudaEventRecord(event, stream)) : together;
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  if (const CUresult together = of_one_context(event, stream); together != CUDA_SUCCESS) return together;
  return result(runtime::cudaEventRecordWithFlags(event, stream, flags));
}
CUresult cuEventQuery(CUevent event) {
  if (!event) return call([](State&) { return cudaErrorInvalidResourceHandle; });
  return result(runtime::cudaEventQuery(event));
}
CUresult cuEventSynchronize(CUevent event) { return result(runtime::cudaEventSynchronize(event)); }
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  return result(runtime::cudaEventElapsedTime(milliseconds, from, to));
}
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent from, CUevent to) {
  return body::cuEventElapsedTime(milliseconds, from, to);
}

}  // namespace body
}  // namespace heddle::cudart::cu
