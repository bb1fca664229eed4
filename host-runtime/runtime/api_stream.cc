// SPDX-License-Identifier: Apache-2.0
// Streams, events and host functions.
#include <algorithm>
#include <optional>

#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/state.h"

namespace heddle::cudart {
using driver::Context;
using driver::Sequence;

namespace {

constexpr unsigned kEventFlags = cudaEventBlockingSync | cudaEventDisableTiming;

cudaError_t create_stream(cudaStream_t* out, unsigned flags, int priority) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!out || (flags & ~unsigned{cudaStreamNonBlocking})) return cudaErrorInvalidValue;
    *out = new_handle<cudaStream_t>();
    auto work = c.work().open_stream(!(flags & cudaStreamNonBlocking));
    work->set_priority(std::clamp(priority, kGreatestPriority, kLeastPriority));
    state.streams[*out] = {
        flags, reinterpret_cast<unsigned long long>(*out), std::move(work), {}, state.contexts.owner()};
    return cudaSuccess;
  });
}

template <typename F>
cudaError_t with_stream(cudaStream_t handle, F&& body) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    Stream* stream = state.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    return body(state, c, *stream);
  });
}

// An attribute that was never set, as an H100 answers; none where streams have no such attribute.
std::optional<cudaStreamAttrValue> unset_attribute(cudaStreamAttrID id) {
  cudaStreamAttrValue value{};
  switch (id) {
    case cudaStreamAttributeSynchronizationPolicy: value.syncPolicy = static_cast<cudaSynchronizationPolicy>(-1); break;
    case cudaStreamAttributeMemSyncDomainMap: value.memSyncDomainMap.remote = 1; break;
    case cudaStreamAttributeAccessPolicyWindow:
    case cudaStreamAttributePriority:
    case cudaStreamAttributeMemSyncDomain: break;
    default: return std::nullopt;
  }
  return value;
}

cudaError_t create_event(cudaEvent_t* out, unsigned flags) {
  return with_context([&](State& state, Context&) -> cudaError_t {
    if (flags & cudaEventInterprocess) return cudaErrorNotSupported;
    if (!out || (flags & ~kEventFlags)) return cudaErrorInvalidValue;
    *out = new_handle<cudaEvent_t>();
    state.events[*out] = {flags, nullptr, state.contexts.owner()};
    return cudaSuccess;
  });
}

template <typename F>
cudaError_t with_event(cudaEvent_t handle, F&& body) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    Event* event = state.event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    return body(state, c, *event);
  });
}

cudaError_t record(cudaEvent_t event, cudaStream_t handle) {
  return with_event(event, [&](State& state, Context& c, Event& e) -> cudaError_t {
    const auto work = state.work(handle);
    if (!work) return cudaErrorInvalidResourceHandle;
    auto mark = std::make_shared<EventRecord>();
    const auto done = [mark](uint64_t cycle) {
      mark->cycle = cycle;
      mark->time = std::chrono::steady_clock::now();
      mark->done = true;
    };
    auto sequence = c.work().mark(done, work.get());
    if (!sequence) return code(sequence.error());
    mark->sequence = *sequence;
    e.record = mark;
    return cudaSuccess;
  });
}

cudaError_t ready(const Result<bool>& done) {
  if (!done) return code(done.error());
  return *done ? cudaSuccess : cudaErrorNotReady;
}

// A function of the program, with CUDA calls refused meanwhile; told whether the device failed before its turn.
cudaError_t enqueue(cudaStream_t handle, std::function<void(bool dropped)> function, bool when_dropped) {
  return with_stream(handle, [&](State&, Context& c, Stream& stream) {
    const auto call = [function = std::move(function)](bool dropped) {
      const InHostFunction inside;
      function(dropped);
    };
    return code(c.work().host(call, when_dropped, stream.work.get()));
  });
}

}  // namespace

cudaError_t add_callback(cudaStream_t stream, const std::function<void(cudaError_t)>& callback) {
  return enqueue(
      stream, [=](bool dropped) { callback(dropped ? State::get().failure() : cudaSuccess); }, true);
}

namespace body {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create_stream(stream, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) { return create_stream(stream, flags, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create_stream(stream, flags, priority);
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return with_stream(handle, [&](State&, Context&, Stream& s) {
    if (!priority) return cudaErrorInvalidValue;
    *priority = s.work->priority();
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID id, cudaStreamAttrValue* value) {
  return with_stream(handle, [&](State&, Context&, Stream& s) {
    const auto unset = unset_attribute(id);
    if (!value || !unset) return cudaErrorInvalidValue;
    const auto set = s.attributes.find(id);
    *value = set == s.attributes.end() ? *unset : set->second;
    if (id == cudaStreamAttributePriority) value->priority = s.work->priority();
    return cudaSuccess;
  });
}
cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID id, const cudaStreamAttrValue* value) {
  return with_stream(handle, [&](State&, Context&, Stream& s) {
    if (!value || !unset_attribute(id)) return cudaErrorInvalidValue;
    if (id == cudaStreamAttributeSynchronizationPolicy &&
        (value->syncPolicy < cudaSyncPolicyAuto || value->syncPolicy > cudaSyncPolicyBlockingSync))
      return cudaErrorInvalidValue;
    if (id == cudaStreamAttributePriority)
      s.work->set_priority(std::clamp(value->priority, kGreatestPriority, kLeastPriority));
    else s.attributes[id] = *value;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return with_stream(to, [&](State& state, Context&, Stream& s) {
    const Stream* source = state.stream(from);
    if (!source) return cudaErrorInvalidResourceHandle;
    s.attributes = source->attributes;
    s.work->set_priority(source->work->priority());
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return with_stream(handle, [&](State&, Context&, Stream& s) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = s.flags;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return with_stream(handle, [&](State&, Context&, Stream& s) {
    if (!id) return cudaErrorInvalidValue;
    *id = s.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return with_stream(handle, [&](State&, Context&, Stream&) {
    if (!device) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

// Returns at once; work that is queued still runs.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return with_context([&](State& state, Context& c) {
    const auto it = state.streams.find(handle);
    if (it == state.streams.end()) return cudaErrorInvalidResourceHandle;
    c.work().close_stream(it->second.work);
    state.streams.erase(it);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return with_stream(handle, [](State&, Context& c, Stream& s) { return code(c.waits().synchronize(*s.work)); });
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return with_stream(handle, [](State&, Context& c, Stream& s) { return ready(c.waits().query(*s.work)); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
  return with_stream(handle, [&](State& state, Context& c, Stream& stream) -> cudaError_t {
    if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
    const Event* e = state.event(event);
    if (!e) return cudaErrorInvalidResourceHandle;
    if (e->record) c.work().wait_for(*stream.work, e->record->sequence);
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (!function) return remember(cudaErrorInvalidValue);
  return enqueue(
      stream, [=](bool) { function(data); }, false);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags) {
  if (!callback || flags) return remember(cudaErrorInvalidValue);
  return add_callback(stream, [=](cudaError_t error) { callback(stream, error, data); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return with_stream(handle, [&](State&, Context&, Stream&) {
    if (!status) return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return create_event(event, cudaEventDefault); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) { return create_event(event, flags); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return record(event, stream); }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (flags > cudaEventRecordExternal) return remember(cudaErrorInvalidValue);
  return record(event, stream);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return with_context(
      [&](State& state, Context&) { return state.events.erase(event) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return with_event(event, [](State&, Context& c, Event& e) {
    return e.record ? ready(c.waits().query(e.record->sequence)) : cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_event(event, [](State&, Context& c, Event& e) {
    return e.record ? code(c.waits().synchronize(e.record->sequence)) : cudaSuccess;
  });
}

// Device time where the device has a clock (cycles at the preset's rate); the golden model has none, so
// there it is the host's time.
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return with_context([&](State& state, Context& c) -> cudaError_t {
    if (!ms) return cudaErrorInvalidValue;
    const Event* a = state.event(start);
    const Event* b = state.event(end);
    if (!a || !b || !a->record || !b->record || ((a->flags | b->flags) & cudaEventDisableTiming))
      return cudaErrorInvalidResourceHandle;
    if (!a->record->done || !b->record->done) return cudaErrorNotReady;
    if (c.counters().has_clock()) {
      const double cycles = double(b->record->cycle) - double(a->record->cycle);
      *ms = static_cast<float>(c.counters().milliseconds(cycles));
    } else {
      *ms = std::chrono::duration<float, std::milli>(b->record->time - a->record->time).count();
    }
    return cudaSuccess;
  });
}

}  // namespace body
}  // namespace heddle::cudart
