// SPDX-License-Identifier: Apache-2.0
// What the runtime and the driver API know of this process: the registered fat binaries with their functions and
// variables, the driver context once it is open, streams, events and page-locked memory.
//
// One lock guards all of it; every API function holds it while it runs (api() below), but gives it up while it waits
// for the device or compiles. The object is never destroyed: programs call into the library from their own static
// destructors.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda_runtime_api.h"
#include "host-runtime/device/installation.h"
#include "host-runtime/driver/context.h"
#include "host-runtime/runtime/contexts.h"
#include "host-runtime/runtime/driver_call.h"
#include "host-runtime/runtime/libraries.h"

struct CUmod_st;
struct CUfunc_st;

namespace heddle::cudart {

// A fat binary that a translation unit registered; loaded when one of its parts is first used.
struct FatBinary {
  const void* data = nullptr;
  std::vector<const void*> linked;      // of a program whose device code nvcc linked: the containers of its objects
  std::optional<formats::Cubin> image;  // read, and not on the device yet
  bool reading = false;                 // by a thread that has given up the lock
  driver::Module* module = nullptr;     // on the device
  std::optional<Error> failure;         // of the first attempt to read it
  // A module of the driver API's.
  bool of_driver = false;
  bool of_library = false;  // a library's, which unloads it
  ContextHandle owner = nullptr;
};

struct Function {
  FatBinary* binary = nullptr;
  std::string name;  // as in the PTX
  const driver::Kernel* kernel = nullptr;
  std::optional<int> max_dynamic_shared;  // of cudaFuncSetAttribute
  int carveout = -1;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
  std::optional<driver::Dim3> marked_cluster;  // __cluster_dims__
  // Of cudaFuncSetAttribute.
  driver::Dim3 required_cluster{0, 0, 0};
  bool large_clusters = false;
  int cluster_policy = cudaClusterSchedulingPolicyDefault;
  // Of the driver API's oldest launches (cuFuncSetBlockShape, cuParamSet…).
  driver::Dim3 block;
  size_t dynamic_shared = 0;
  std::vector<uint8_t> parameters;
};

struct Symbol {
  FatBinary* binary = nullptr;
  std::string name;
  size_t bytes = 0;
  bool managed = false;
};

struct Stream {
  unsigned flags = 0;
  unsigned long long id = 0;
  std::shared_ptr<driver::Stream> work;  // what is in it
  // That are kept and change nothing, by cudaStreamAttrID.
  std::map<int, cudaStreamAttrValue> attributes;
  ContextHandle owner = nullptr;
};

// Of streams, as silicon has it: smaller ones go first.
constexpr int kLeastPriority = 0, kGreatestPriority = -5;

// What one cudaEventRecord is waiting for; shared with the mark in the queue.
struct EventRecord {
  driver::Sequence sequence = 0;
  bool done = false;
  uint64_t cycle = 0;
  std::chrono::steady_clock::time_point time;
};

struct Event {
  unsigned flags = 0;
  std::shared_ptr<EventRecord> record;  // null: never recorded
  ContextHandle owner = nullptr;
};

// Page-locked host memory: ours to free, or registered by the program. Kernels reach it by a copy in device memory,
// which is exchanged as managed memory is.
struct HostRange {
  size_t bytes = 0;
  unsigned flags = 0;
  bool owned = true;
  uint64_t device = 0;  // where the copy is; 0: no kernel has been given the memory
  ContextHandle owner = nullptr;
};

// Handles are numbers, never addresses: a stale one is found out, not followed.
template <typename Handle>
Handle new_handle() {
  static uint64_t next = 0x1000;
  return reinterpret_cast<Handle>(next += 0x10);
}

class State {
 public:
  using HostMemory = std::map<const char*, HostRange>;

  static State& get();

  // The context, opened on first use: settings, preset, backend. A failure is printed once, with what
  // is available, and returned as cudaErrorNoDevice (or CUDA's code, when it has one). The sticky error
  // is not looked at.
  Result<driver::Context*> open();
  // As open(), and the sticky error is returned.
  Result<driver::Context*> context();
  // Lets last_error() know whether the device has failed; after every call.
  void note_sticky() const;
  // The error of a failed device; takes the lock.
  cudaError_t failure();
  bool is_open() const { return context_ != nullptr; }
  // The preset alone: enough for properties, without opening a device.
  Result<const Preset*> preset();

  // The kernel behind a host stub, its fat binary loaded. Codes: InvalidDeviceFunction for an unknown
  // stub or a kernel that is not in the module; the codes of loading.
  Result<Function*> function(const void* host);
  Result<const driver::Variable*> variable(const void* host);
  // Runs it without the lock.
  void apart(const std::function<void()>& function);
  // Gives the program's copy of a managed variable its initial value, which is in the device code: that is read now.
  void begin_managed(Symbol& symbol, void* host);
  // What a pointer is for the device: into a managed variable of the program: into that on the device; else the same.
  void* device_pointer(void* p);
  // What a kernel is given for a pointer: the same, but into page-locked memory: into its copy on the device, which is
  // made now.
  Result<void*> kernel_pointer(void* p);
  // What a copy is given: the same for memory that has such a copy already.
  void* copied_pointer(void* p);
  // The device's address of page-locked memory.
  Result<uint64_t> map(const void* host);
  // Its copy goes, with its last contents at home. Waits.
  Status unmap(const void* host);
  // A library's fat binary goes: its managed variables stay behind with their last values.
  void forget(FatBinary* binary);

  // A module of the driver API's, for the current context: `read` makes the image, without the lock. Its handle.
  Result<CUmod_st*> load_module(const std::function<Result<formats::Cubin>(const Preset&)>& read);
  // Null: there is none of that handle.
  FatBinary* module(CUmod_st* handle) const;
  CUmod_st* module_handle(FatBinary& binary);
  // By its name in the module; null: it has none of that name. The same one each time.
  CUfunc_st* module_function(FatBinary& binary, const std::string& name);
  void unload_module(CUmod_st* handle);

  // Libraries of kernels. Null: there is none of that handle.
  Library* library(CUlib_st* handle);
  // Its module in the current context, which is loaded now.
  Result<FatBinary*> library_module(CUlib_st* handle);
  // Null: the image has none of that name. The same one each time.
  CUkern_st* library_kernel(CUlib_st* handle, const std::string& name);
  // The kernel as a function of the current context.
  Result<CUfunc_st*> kernel_function(const void* kernel);
  void unload_library(CUlib_st* handle);

  // Where the program has a managed variable of such a module; null: it is none.
  const void* managed_variable(const FatBinary& binary, const std::string& name) const;

  // What a context owns goes when all work has ended.
  void release_owned(ContextHandle owner);
  // The end of a context of the program's own, and of the primary one, whose own things alone go while there are
  // others.
  bool destroy_context(ContextHandle handle);
  void reset_primary();
  // It is retained once less; false: it was not. Nobody needs it any more: as reset_primary().
  bool release_primary();

  // Destroys the driver's context and all that hangs on it; fat binaries stay registered. What ran is kept for
  // the report.
  void reset();
  // At the program's end: finishes the work, writes the report, closes the device.
  void finish();
  // Before the process dies by a signal: writes the report, closes the device, so that its waveform is whole.
  void abandon();

  // nullptr and the two special handles are streams too; null when the handle is none. Of an open context.
  Stream* stream(cudaStream_t handle);
  // The context that it is of, the current one for those that every context has; null: the primary one.
  ContextHandle stream_owner(cudaStream_t handle) const;
  // What is in it; null when the handle is none.
  std::shared_ptr<driver::Stream> work(cudaStream_t handle);
  Event* event(cudaEvent_t handle);

  // The page-locked range that holds [p, p + bytes); the end, or null.
  HostMemory::const_iterator host_at(const void* p, size_t bytes = 1) const;
  const HostRange* host_range(const void* p, size_t bytes = 1) const;

  std::mutex mutex;
  std::set<std::unique_ptr<FatBinary>> binaries;
  std::unordered_map<const void*, Function> functions;
  std::unordered_map<const void*, Symbol> symbols;
  std::map<const char*, size_t> managed;                // symbols that are; their bytes
  std::vector<std::unique_ptr<char[]>> managed_places;  // of those that programs built by nvcc have by pointers
  std::map<cudaStream_t, Stream> streams;
  std::map<cudaEvent_t, Event> events;
  HostMemory host_memory;
  unsigned device_flags = 0;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
  std::set<std::string> refused;            // unsupported functions that were named already
  std::map<CUmod_st*, FatBinary*> modules;  // of which the driver API has handles
  std::map<CUlib_st*, Library> libraries;
  std::map<const void*, LibraryKernel> kernels;     // of libraries, by their handles
  std::map<uint64_t, ContextHandle> memory_owners;  // of device memory
  Contexts contexts;
  bool initialized = false;  // by cuInit or any call of the runtime
  bool unloading = false;
  std::map<int, size_t> limits;  // cudaLimit set before the context was opened, and the current ones

 private:
  State();
  Result<std::unique_ptr<driver::Context>> create();
  Status until_read(const FatBinary& binary);
  Status read(FatBinary& binary);
  Status load(FatBinary& binary);
  Status place(FatBinary& binary, driver::Context& context);
  void begin_managed(FatBinary& binary);
  Status share(const Symbol& symbol, const char* host, driver::Context& context);
  void keep_report();
  void write_report_now();
  void end_timeline();
  void close_context();

  std::unique_ptr<driver::Context> context_;
  std::condition_variable ended_;  // something that ran apart
  int apart_ = 0;                  // that run without a context
  std::optional<Error> open_failure_;
  std::optional<driver::Settings> settings_;
  std::optional<Preset> preset_;
  std::string preset_file_;
  driver::Report past_;  // of contexts that were reset
  Stream default_stream_;
  std::map<uint64_t, Stream> thread_streams_;  // cudaStreamPerThread, by the number of the thread that calls
  driver::Context* left_ = nullptr;            // in which threads still wait at the program's end
  bool finished_ = false;
  unsigned opened_ = 0;  // contexts so far
};

// While there is one, no stream means cudaStreamPerThread in this thread's calls.
class OwnDefaultStream {
 public:
  OwnDefaultStream();
  ~OwnDefaultStream();

 private:
  bool before_;
};

// The stream that no stream means in this thread's calls.
cudaStream_t default_stream();

// This thread's: no other has it, before or after. A std::thread::id returns with another thread.
uint64_t thread_number();

// While there is one, this thread runs a host function: CUDA calls are not permitted.
class InHostFunction {
 public:
  InHostFunction();
  ~InHostFunction();
};
bool in_host_function();

// Whether this process was forked from one that used the device: its threads are not here, so no call can work.
bool forked();

// "heddle: cudaMalloc: …" on stderr.
void note(const char* function, const std::string& message);

// "heddle: runtime: an exception: …" on stderr; allocates nothing.
void note_exception(const char* where, const char* what) noexcept;

// CUDA's code of an error; cudaErrorUnknown when it has none.
cudaError_t code(const Error& error);
// The same, and the message on stderr: for errors whose cause the code does not tell.
cudaError_t explained(const char* function, const Error& error);

// Remembers a failure for cudaGetLastError of this thread, and returns it.
cudaError_t remember(cudaError_t error);
// A failed device's error stays until the reset, cleared or not.
cudaError_t last_error(bool clear);
// The error of a failed device, for last_error(), which takes no lock.
void set_sticky(cudaError_t error);
cudaError_t last_sticky();

// The callback is called with the device's error, or none, when what is in the stream so far is done.
cudaError_t add_callback(cudaStream_t stream, const std::function<void(cudaError_t)>& callback);

enum class Allow { Always, OutsideCallbacks };

// The body of an API function: under the lock, with nothing thrown across the C boundary.
template <typename F>
cudaError_t api(F&& body, Allow allow = Allow::OutsideCallbacks) noexcept {
  try {
    if (forked()) return remember(cudaErrorInitializationError);
    if (in_host_function() && allow == Allow::OutsideCallbacks) return remember(cudaErrorNotPermitted);
    State& state = State::get();
    const std::lock_guard lock(state.mutex);
    if (state.unloading) return remember(cudaErrorCudartUnloading);
    if (driver_call() && !state.initialized) return cudaErrorInitializationError;
    state.initialized = true;
    const cudaError_t result = body(state);
    state.note_sticky();
    return remember(result);
  } catch (const std::bad_alloc&) {
    return remember(cudaErrorMemoryAllocation);
  } catch (const std::exception& e) {
    note_exception("runtime", e.what());
    return remember(cudaErrorUnknown);
  } catch (...) {
    note_exception("runtime", "not a std::exception");
    return remember(cudaErrorUnknown);
  }
}

// The body of a function that needs a healthy context.
template <typename F>
cudaError_t with_context(F&& body) noexcept {
  return api([&](State& state) -> cudaError_t {
    if (const cudaError_t refused = state.contexts.enter(); refused != cudaSuccess) return refused;
    auto context = state.context();
    if (!context) return code(context.error());
    return body(state, **context);
  });
}

inline cudaError_t code(const Status& status) { return status ? cudaSuccess : code(status.error()); }
template <typename T>
cudaError_t code(const Result<T>& result) {
  return result ? cudaSuccess : code(result.error());
}

}  // namespace heddle::cudart
