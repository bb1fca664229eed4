// SPDX-License-Identifier: Apache-2.0
// What the compiler's host code calls: registration of fat binaries, kernels and variables before
// main(), and the launch configuration that <<<>>> leaves for the kernel's stub.
#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/load.h"
#include "host-runtime/runtime/marks.h"
#include "host-runtime/runtime/state.h"

namespace heddle::cudart {

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  void* stream;
};

std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> stack;
  return stack;
}

FatBinary* binary(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

// For registrations, which cannot report: no exception may leave them.
template <typename F>
void registering(F&& body) noexcept {
  try {
    if (forked()) return;
    State& state = State::get();
    const std::lock_guard lock(state.mutex);
    body(state);
  } catch (const std::bad_alloc&) {
    remember(cudaErrorMemoryAllocation);
  } catch (const std::exception& e) {
    note_exception("registration", e.what());
    remember(cudaErrorUnknown);
  } catch (...) {
    note_exception("registration", "not a std::exception");
    remember(cudaErrorUnknown);
  }
}

}  // namespace

namespace body {

void** __cudaRegisterFatBinary(void* wrapper) {
  void** handle = nullptr;
  registering([&](State& state) {
    const FatWrapper* w = wrapper ? wrapper_of(wrapper) : nullptr;
    auto entry = std::make_unique<FatBinary>();
    if (w) {
      entry->data = w->data;
      if (w->version == kLinkedVersion)
        for (auto part = w->linked; part && *part; ++part) entry->linked.push_back(*part);
    }
    handle = reinterpret_cast<void**>(entry.get());
    state.binaries.insert(std::move(entry));
  });
  return handle;
}

void __cudaRegisterFatBinaryEnd(void**) {}

// A library is unloaded, or the program ends.
void __cudaUnregisterFatBinary(void** handle) {
  registering([&](State& state) { state.forget(binary(handle)); });
}

int __cudaRegisterFunction(void** handle, const void* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                           int*) {
  registering([&](State& state) {
    Function f;
    f.binary = binary(handle);
    f.name = name;
    f.marked_cluster = marked_cluster(host);
    state.functions[host] = std::move(f);
  });
  return 0;
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t bytes, int, int) {
  registering([&](State& state) {
    Symbol& symbol = state.symbols[host] = Symbol{binary(handle), name, bytes, is_marked_managed(host)};
    if (symbol.managed) state.begin_managed(symbol, host);
  });
}

// Of nvcc's own host code, in which the program reaches the variable through a pointer that this sets.
void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int, size_t bytes, int, int) {
  registering([&](State& state) {
    char* host = state.managed_places.emplace_back(new char[bytes]).get();
    *pointer = host;
    state.begin_managed(state.symbols[host] = Symbol{binary(handle), name, bytes, true}, host);
  });
}

void __cudaRegisterTexture(void**, const void*, const void**, const char* name, int, int, int) {
  registering([&](State&) { note("texture", std::string(name) + ": textures are not supported"); });
}

void __cudaRegisterSurface(void**, const void*, const void**, const char* name, int, int) {
  registering([&](State&) { note("surface", std::string(name) + ": surfaces are not supported"); });
}

char __cudaInitModule(void**) { return 1; }

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream) {
  try {
    configurations().push_back({grid, block, shared_bytes, stream ? stream : default_stream()});
    return 0;
  } catch (const std::exception& e) {  // no memory for it
    note_exception("launch configuration", e.what());
    return 1;
  }
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  auto& stack = configurations();
  if (stack.empty()) return remember(cudaErrorMissingConfiguration);
  const Configuration c = stack.back();
  stack.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared_bytes = c.shared_bytes;
  *static_cast<void**>(stream) = c.stream;
  return cudaSuccess;
}

}  // namespace body
}  // namespace heddle::cudart
