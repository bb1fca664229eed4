// SPDX-License-Identifier: Apache-2.0
// NVRTC's functions: programs, and what was made of them.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>

#include "host-runtime/clang/options.h"
#include "host-runtime/runtime/nvrtc/body.h"
#include "host-runtime/runtime/nvrtc/compile.h"

namespace heddle::cudart::nvrtc {
namespace {

struct Program {
  std::mutex mutex;
  Source source;
  bool compiled = false;  // whether or not that succeeded
  Compiled made;
  int (*callback)(void*, void*) = nullptr;
  void* payload = nullptr;
};

// All that there are: a handle that is none of theirs is an error, not a crash.
class Programs {
 public:
  static Programs& get() {
    static auto* const all = new Programs;
    return *all;
  }
  nvrtcProgram add(Source source) {
    auto program = std::make_shared<Program>();
    program->source = std::move(source);
    const std::lock_guard lock(mutex_);
    const auto handle = reinterpret_cast<nvrtcProgram>(program.get());
    all_.emplace(handle, std::move(program));
    return handle;
  }
  std::shared_ptr<Program> find(nvrtcProgram handle) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(handle);
    return found == all_.end() ? nullptr : found->second;
  }
  bool remove(nvrtcProgram handle) {
    const std::lock_guard lock(mutex_);
    return all_.erase(handle) != 0;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<nvrtcProgram, std::shared_ptr<Program>> all_;
};

// No exception leaves the library.
template <typename F>
nvrtcResult guarded(F&& f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return NVRTC_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
}

// f(Program&), one thread at a time. Who destroys it meanwhile takes only the handle.
template <typename F>
nvrtcResult with_program(nvrtcProgram handle, F&& f) noexcept {
  return guarded([&] {
    const auto program = Programs::get().find(handle);
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    const std::lock_guard lock(program->mutex);
    return f(*program);
  });
}

// What a program was made into: bytes(Program&) of them, copied by `copy`. Without any the size is 0.
template <typename Bytes>
nvrtcResult say_size(nvrtcProgram handle, size_t* size, Bytes&& bytes) {
  if (!size) return NVRTC_ERROR_INVALID_INPUT;
  return with_program(handle, [&](Program& p) {
    if (!p.compiled || p.made.result != NVRTC_SUCCESS) return NVRTC_ERROR_INVALID_PROGRAM;
    *size = bytes(p);
    return NVRTC_SUCCESS;
  });
}
template <typename Bytes>
nvrtcResult copy(nvrtcProgram handle, char* to, Bytes&& bytes) {
  if (!to) return NVRTC_ERROR_INVALID_INPUT;
  return with_program(handle, [&](Program& p) {
    if (!p.compiled || p.made.result != NVRTC_SUCCESS) return NVRTC_ERROR_INVALID_PROGRAM;
    const auto [from, count] = bytes(p);
    if (!count) return NVRTC_ERROR_INVALID_PROGRAM;
    std::memcpy(to, from, count);
    return NVRTC_SUCCESS;
  });
}

nvrtcResult never_made_size(nvrtcProgram handle, size_t* size) {
  return say_size(handle, size, [](Program&) { return size_t{0}; });
}
nvrtcResult never_made(nvrtcProgram handle, char* to) {
  return copy(handle, to, [](Program&) { return std::pair<const void*, size_t>(nullptr, 0); });
}

std::atomic<size_t> pch_heap_size{256 << 20};

}  // namespace

const char* error_name(nvrtcResult result) {
  switch (result) {
#define NAME(error) \
  case error: return #error
    NAME(NVRTC_SUCCESS);
    NAME(NVRTC_ERROR_OUT_OF_MEMORY);
    NAME(NVRTC_ERROR_PROGRAM_CREATION_FAILURE);
    NAME(NVRTC_ERROR_INVALID_INPUT);
    NAME(NVRTC_ERROR_INVALID_PROGRAM);
    NAME(NVRTC_ERROR_INVALID_OPTION);
    NAME(NVRTC_ERROR_COMPILATION);
    NAME(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
    NAME(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    NAME(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    NAME(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    NAME(NVRTC_ERROR_INTERNAL_ERROR);
    NAME(NVRTC_ERROR_TIME_FILE_WRITE_FAILED);
    NAME(NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
    NAME(NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED);
    NAME(NVRTC_ERROR_PCH_CREATE);
    NAME(NVRTC_ERROR_CANCELLED);
    NAME(NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED);
#undef NAME
  }
  return "NVRTC_ERROR unknown";
}

namespace body {

const char* nvrtcGetErrorString(nvrtcResult result) { return error_name(result); }

// The CUDA that libnvrtc.so.12 stands for; the others' are in versions.cc.
nvrtcResult nvrtcVersion(int* major, int* minor) {
  if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
  *major = 12;
  *minor = 3;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  if (!count) return NVRTC_ERROR_INVALID_INPUT;
  *count = static_cast<int>(std::size(nvcc::kArchitectures));
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  if (!architectures) return NVRTC_ERROR_INVALID_INPUT;
  for (const nvcc::Architecture& one : nvcc::kArchitectures) *architectures++ = static_cast<int>(one.sm);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* out, const char* text, const char* name, int count,
                               const char* const* headers, const char* const* names) {
  if (!out || !text || count < 0 || (count > 0 && (!headers || !names))) return NVRTC_ERROR_INVALID_INPUT;
  return guarded([&] {
    Source source;
    source.name = name && *name ? name : "default_program";
    source.text = text;
    for (int i = 0; i < count; ++i) {
      if (!headers[i] || !names[i] || !*names[i]) return NVRTC_ERROR_INVALID_INPUT;
      source.headers.push_back({names[i], headers[i]});
    }
    *out = Programs::get().add(std::move(source));
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  return guarded([&] {
    if (!program || !Programs::get().remove(*program)) return NVRTC_ERROR_INVALID_PROGRAM;
    *program = nullptr;
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram handle, int count, const char* const* options) {
  return with_program(handle, [&](Program& p) {
    if (count < 0 || (count > 0 && !options) || std::any_of(options, options + count, [](const char* o) { return !o; }))
      return NVRTC_ERROR_INVALID_INPUT;
    // An exception may end this, and then nothing was made.
    p.compiled = true;
    p.made = {};
    p.made.result = NVRTC_ERROR_INTERNAL_ERROR;
    p.made = compile(p.source, {options, options + count},
                     [&] { return !p.callback || p.callback(p.payload, nullptr) == 0; });
    return p.made.result;
  });
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram handle, size_t* size) {
  return say_size(handle, size, [](Program& p) { return p.made.ptx.size() + 1; });
}
nvrtcResult nvrtcGetPTX(nvrtcProgram handle, char* to) {
  return copy(handle, to, [](Program& p) { return std::pair(p.made.ptx.c_str(), p.made.ptx.size() + 1); });
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram handle, size_t* size) {
  return say_size(handle, size, [](Program& p) { return p.made.cubin.size(); });
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram handle, char* to) {
  return copy(handle, to, [](Program& p) { return std::pair(p.made.cubin.data(), p.made.cubin.size()); });
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram handle, size_t* size) {
  if (!size) return NVRTC_ERROR_INVALID_INPUT;
  return with_program(handle, [&](Program& p) {
    *size = p.made.log.size() + 1;
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram handle, char* to) {
  if (!to) return NVRTC_ERROR_INVALID_INPUT;
  return with_program(handle, [&](Program& p) {
    std::memcpy(to, p.made.log.c_str(), p.made.log.size() + 1);
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram handle, const char* expression) {
  if (!expression) return NVRTC_ERROR_INVALID_INPUT;
  return with_program(handle, [&](Program& p) {
    if (p.compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    auto& all = p.source.expressions;
    if (std::find(all.begin(), all.end(), expression) == all.end()) all.push_back(expression);
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram handle, const char* expression, const char** lowered) {
  if (!expression || !lowered) return NVRTC_ERROR_INVALID_INPUT;
  return with_program(handle, [&](Program& p) {
    if (!p.compiled || p.made.result != NVRTC_SUCCESS) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    const auto found = p.made.names.find(expression);
    if (found == p.made.names.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *lowered = found->second.c_str();
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcGetNVVMSize(nvrtcProgram handle, size_t* size) { return never_made_size(handle, size); }
nvrtcResult nvrtcGetNVVM(nvrtcProgram handle, char* to) { return never_made(handle, to); }
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram handle, size_t* size) { return never_made_size(handle, size); }
nvrtcResult nvrtcGetLTOIR(nvrtcProgram handle, char* to) { return never_made(handle, to); }
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram handle, size_t* size) { return never_made_size(handle, size); }
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram handle, char* to) { return never_made(handle, to); }

// A number that is kept.
nvrtcResult nvrtcGetPCHHeapSize(size_t* size) {
  if (!size) return NVRTC_ERROR_INVALID_INPUT;
  *size = pch_heap_size;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcSetPCHHeapSize(size_t size) {
  pch_heap_size = size;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram handle) {
  return with_program(handle, [](Program&) { return NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED; });
}
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram handle, size_t* size) {
  if (!size) return NVRTC_ERROR_INVALID_INPUT;
  return nvrtc::body::nvrtcGetPCHCreateStatus(handle);
}

nvrtcResult nvrtcSetFlowCallback(nvrtcProgram handle, int (*callback)(void*, void*), void* payload) {
  if (!callback) return NVRTC_ERROR_INVALID_INPUT;
  return with_program(handle, [&](Program& p) {
    p.callback = callback;
    p.payload = payload;
    return NVRTC_SUCCESS;
  });
}

}  // namespace body
}  // namespace heddle::cudart::nvrtc
