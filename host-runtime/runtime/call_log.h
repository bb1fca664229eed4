// SPDX-License-Identifier: Apache-2.0
// HEDDLE_LOG=api: each call of the API is a line on stderr, when it returns:
//   heddle: api 1 cudaMalloc(0x7ffc5a0e1f48, 1024) = cudaSuccess
// The number is the calling thread's. HEDDLE_TRACE: it is in the timeline, too.
#pragma once

#include <atomic>
#include <initializer_list>
#include <new>
#include <string>
#include <type_traits>

#include "host-runtime/driver/timeline.h"
#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/cu/body.h"
#include "host-runtime/runtime/nvrtc/body.h"

namespace heddle::cudart {

// What stands for a kernel or a variable in the program: its name is in the log.
template <typename Pointer>
struct Named {
  Pointer pointer;
  operator Pointer() const { return pointer; }
};
template <typename Pointer>
Named<Pointer> named(Pointer pointer) {
  return {pointer};
}

enum class CallLog { Unknown, Off, On };
extern std::atomic<CallLog> call_log;  // unknown until the first call; on: for the log, the timeline, or both

// From the environment. Settings that are wrong log nothing: who uses the device first is told.
bool read_call_log() noexcept;
inline bool logs_calls() { return call_log.load(std::memory_order_relaxed) != CallLog::Off && read_call_log(); }

// The call that has returned, to whoever wants it, with an empty result for none.
using CallTime = driver::Timeline::Clock::time_point;
bool wants_arguments();
void log_call(const char* function, const std::string& arguments, const std::string& result, CallTime began);

std::string quoted(const char* text);
std::string address_text(const void* p);
std::string name_at(const void* p);  // of the kernel or variable there, else the address
std::string joined(const char* separator, std::initializer_list<std::string> texts);

template <typename T>
std::string text(const T& value) {
  if constexpr (std::is_same_v<T, const char*>) return quoted(value);
  else if constexpr (std::is_pointer_v<T>) return address_text(reinterpret_cast<const void*>(value));
  else return std::to_string(value);  // integers and enumerations
}
template <typename Pointer>
std::string text(const Named<Pointer>& n) {
  return name_at(n.pointer);
}
inline std::string text(const cudaError_t& e) { return body::cudaGetErrorName(e); }
inline std::string text(const CUresult& e) { return cu::error_name(e); }
inline std::string text(const nvrtcResult& e) { return nvrtc::error_name(e); }
inline std::string text(const CUdeviceptr& p) { return address_text(reinterpret_cast<const void*>(p)); }
template <typename... T>
std::string structure(const T&... members) {
  std::string all = "{";
  all += joined(",", {text(members)...});
  return all += "}";
}
inline std::string text(const dim3& d) { return structure(d.x, d.y, d.z); }
inline std::string text(const cudaExtent& e) { return structure(e.width, e.height, e.depth); }
inline std::string text(const cudaPitchedPtr& p) { return structure(p.ptr, p.pitch, p.xsize, p.ysize); }
inline std::string text(const cudaMemLocation& l) { return structure(l.type, l.id); }
inline std::string text(const CUmemLocation& l) { return structure(l.type, l.id); }
inline std::string text(const cudaChannelFormatDesc& d) { return structure(d.x, d.y, d.z, d.w, d.f); }

template <typename Result, typename... Parameters, typename... Arguments>
[[gnu::noinline]] Result logged_call(const char* name, Result (*function)(Parameters...), Arguments... arguments) {
  const CallTime began = driver::Timeline::Clock::now();
  const auto log = [&](const auto&... result) noexcept {
    try {
      log_call(name, wants_arguments() ? joined(", ", {text(arguments)...}) : "", joined("", {text(result)...}), began);
    } catch (const std::bad_alloc&) {  // no memory for the line
    }
  };
  if constexpr (std::is_void_v<Result>) {
    function(arguments...);
    log();
  } else {
    const Result result = function(arguments...);
    log(result);
    return result;
  }
}

// One call of a function of the API, by the program.
template <typename Result, typename... Parameters, typename... Arguments>
[[gnu::always_inline]] inline Result call(const char* name, Result (*function)(Parameters...), Arguments... arguments) {
  if (logs_calls()) [[unlikely]]
    return logged_call(name, function, arguments...);
  return function(arguments...);
}

}  // namespace heddle::cudart
