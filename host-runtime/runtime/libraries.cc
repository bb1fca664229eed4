// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/libraries.h"

#include "host-runtime/runtime/state.h"

namespace heddle::cudart {

Library* State::library(CUlib_st* handle) {
  const auto found = libraries.find(handle);
  return found == libraries.end() ? nullptr : &found->second;
}

Result<FatBinary*> State::library_module(CUlib_st* handle) {
  Library* library = this->library(handle);
  if (!library) return Error("no library has this handle", Code::InvalidResourceHandle);
  if (library->failure) return *library->failure;
  CUmod_st*& known = library->modules[contexts.owner()];
  if (FatBinary* binary = module(known)) return binary;
  auto loaded = load_module([&](const Preset&) -> Result<formats::Cubin> { return *library->image; });
  if (!loaded) return loaded.error();
  known = *loaded;
  FatBinary* binary = module(known);
  binary->of_library = true;
  return binary;
}

CUkern_st* State::library_kernel(CUlib_st* handle, const std::string& name) {
  const Library* library = this->library(handle);
  if (!library || !library->image || !library->image->find_kernel(name)) return nullptr;
  for (const auto& [kernel, known] : kernels)
    if (known.library == handle && known.name == name) return static_cast<CUkern_st*>(const_cast<void*>(kernel));
  // No address of a stub's has the two highest bits, nor a function's handle.
  static uint64_t next = uint64_t{3} << 62;
  auto* const kernel = reinterpret_cast<CUkern_st*>(next += 0x10);
  kernels[kernel] = {handle, name};
  return kernel;
}

Result<CUfunc_st*> State::kernel_function(const void* kernel) {
  const auto found = kernels.find(kernel);
  if (found == kernels.end()) return Error("no kernel has this handle", Code::InvalidResourceHandle);
  auto binary = library_module(found->second.library);
  if (!binary) return binary.error();
  return module_function(**binary, found->second.name);
}

void State::unload_library(CUlib_st* handle) {
  std::erase_if(kernels, [&](const auto& k) { return k.second.library == handle; });
  const auto modules_of = std::move(libraries.at(handle).modules);
  libraries.erase(handle);
  for (const auto& [context, module] : modules_of) unload_module(module);
}

}  // namespace heddle::cudart
