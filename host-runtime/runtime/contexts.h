// SPDX-License-Identifier: Apache-2.0
// The contexts of the driver API, and which is current in which thread. All are of the one device and share what serves
// it (driver::Context): a context is the owner of streams, events, modules and memory, which go with it. The primary
// one is the runtime's. Handles are numbers, never addresses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "cuda_runtime_api.h"

struct CUctx_st;

namespace heddle::cudart {

using ContextHandle = CUctx_st*;

struct OwnContext {
  unsigned flags = 0;
  unsigned version = 0;  // of the API that made it, as cuCtxGetApiVersion says
  unsigned users = 1;    // cuCtxAttach and cuCtxDetach count them
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
};

class Contexts {
 public:
  // Whose is what is made now: the current one's. What belongs to nobody is the primary one's.
  ContextHandle owner() const;

  // At the beginning of a call that needs a context. The runtime takes the primary one where none is current; the
  // driver API has DeviceUninitialized (CUDA_ERROR_INVALID_CONTEXT) then. ContextIsDestroyed: the current one is gone.
  cudaError_t enter();

  ContextHandle create(unsigned flags, unsigned version);
  // It is gone, and no longer current in this thread. False: there is none of that handle, or it is the primary one.
  bool destroy(ContextHandle handle);
  // Null: there is none, or it is the primary one.
  OwnContext* own(ContextHandle handle);
  bool is_primary(ContextHandle handle) const { return handle == primary(); }
  // Of a context that there was.
  bool was_destroyed(ContextHandle handle) { return handle && handle <= last_ && !lives(handle); }
  bool lives(ContextHandle handle);
  bool some_own() const { return !own_.empty(); }
  // The device was closed: with it all contexts but the primary one, which is made again when it is used.
  void clear();

  // The primary one lives while it is retained, and from the runtime's first use on until it is reset.
  ContextHandle primary() const;
  void retain_primary() {
    ++retained_;
    reset_ = false;
  }
  // False: it was not retained.
  bool release_primary();
  bool primary_active() const { return retained_ > 0 || used_; }
  void primary_was_reset();

  // This thread's stack of them.
  ContextHandle current() const;
  void set_current(ContextHandle handle);
  void push(ContextHandle handle);
  std::optional<ContextHandle> pop();

 private:
  std::map<ContextHandle, OwnContext> own_;
  ContextHandle last_ = nullptr;  // that was made
  unsigned retained_ = 0;
  bool used_ = false;   // by the runtime
  bool reset_ = false;  // and not used since
};

}  // namespace heddle::cudart
