// SPDX-License-Identifier: Apache-2.0
// Linking at run time: modules are checked when they are added, and compiled as one at the end.
#include <fstream>
#include <iterator>
#include <map>

#include "host-runtime/formats/device_code.h"
#include "host-runtime/runtime/cu/jit_options.h"

namespace heddle::cudart::cu {

namespace {

struct Link {
  JitOptions options;
  std::vector<formats::CubinSource> modules;
  std::optional<std::vector<uint8_t>> cubin;  // the outcome
};

// Under the state's lock.
std::map<CUlinkState, Link>& links() {
  static auto* const all = new std::map<CUlinkState, Link>;
  return *all;
}

// f(State&, Link&)
template <typename F>
CUresult with_link(CUlinkState handle, F&& f) {
  return call([&](State& state) -> cudaError_t {
    const auto found = links().find(handle);
    return found == links().end() ? cudaErrorInvalidResourceHandle : f(state, found->second);
  });
}

cudaError_t add(State& state, Link& link, CUjitInputType type, const std::string& name, std::string contents) {
  auto preset = state.preset();
  if (!preset) return code(preset.error());
  if (type == CU_JIT_INPUT_PTX) {
    formats::CubinSource source{name, contents.c_str()};  // a NUL may end it
    if (const Status good = check_ptx(source); !good) {
      link.options.error.put(good.error().message());
      return link.options.error.to ? code(good) : explained("cuLinkAddData", good.error());
    }
    link.modules.push_back(std::move(source));
    return cudaSuccess;
  }
  const int sm = (*preset)->structure.compute_major * 10 + (*preset)->structure.compute_minor;
  formats::DeviceCode found;
  if (const Status good = add_device_code(found, name, contents, static_cast<unsigned>(sm)); !good) {
    link.options.error.put(good.error().message());
    return explained("cuLinkAddData", Error(good.error().message(), Code::InvalidKernelImage));
  }
  for (auto& module : found.modules) link.modules.push_back(std::move(module));
  return cudaSuccess;
}

}  // namespace

namespace body {

CUresult cuLinkCreate_v2(unsigned count, CUjit_option* names, void** values, CUlinkState* out) {
  return call_in_context([&](State&, driver::Context&) -> cudaError_t {
    Link link;
    if (!out) return cudaErrorInvalidValue;
    if (const cudaError_t error = read_options(count, names, values, link.options); error != cudaSuccess) return error;
    *out = new_handle<CUlinkState>();
    links().emplace(*out, std::move(link));
    return cudaSuccess;
  });
}
CUresult cuLinkCreate(unsigned count, CUjit_option* names, void** values, CUlinkState* out) {
  return body::cuLinkCreate_v2(count, names, values, out);
}

// Options of one input change nothing.
CUresult cuLinkAddData_v2(CUlinkState handle, CUjitInputType type, void* data, size_t bytes, const char* name,
                          unsigned count, CUjit_option* names, void** values) {
  return with_link(handle, [&](State& state, Link& link) -> cudaError_t {
    if (!data || !bytes || link.cubin || type < 0 || type >= CU_JIT_NUM_INPUT_TYPES) return cudaErrorInvalidValue;
    JitOptions ignored;
    if (const cudaError_t error = read_options(count, names, values, ignored); error != cudaSuccess) return error;
    return add(state, link, type, name ? name : "input", {static_cast<const char*>(data), bytes});
  });
}
CUresult cuLinkAddData(CUlinkState handle, CUjitInputType type, void* data, size_t bytes, const char* name,
                       unsigned count, CUjit_option* names, void** values) {
  return body::cuLinkAddData_v2(handle, type, data, bytes, name, count, names, values);
}
CUresult cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type, const char* path, unsigned count,
                          CUjit_option* names, void** values) {
  std::string contents;
  const CUresult read = with_link(handle, [&](State&, Link&) -> cudaError_t {
    if (!path) return cudaErrorInvalidValue;
    std::ifstream in(path, std::ios::binary);
    if (!in) return cudaErrorFileNotFound;
    contents.assign(std::istreambuf_iterator<char>(in), {});
    return cudaSuccess;
  });
  if (read != CUDA_SUCCESS) return read;
  return body::cuLinkAddData_v2(handle, type, contents.data(), contents.size(), path, count, names, values);
}
CUresult cuLinkAddFile(CUlinkState handle, CUjitInputType type, const char* path, unsigned count, CUjit_option* names,
                       void** values) {
  return body::cuLinkAddFile_v2(handle, type, path, count, names, values);
}

// The cubin stays until the link is destroyed.
CUresult cuLinkComplete(CUlinkState handle, void** cubin, size_t* bytes) {
  return with_link(handle, [&](State& state, Link& link) -> cudaError_t {
    if (link.cubin) return cudaErrorInvalidResourceHandle;
    if (!cubin) return cudaErrorInvalidValue;
    auto preset = state.preset();
    if (!preset) return code(preset.error());
    JitOptions& options = link.options;
    formats::Cubin linked;
    linked.target =
        "sm_" + std::to_string((*preset)->structure.compute_major * 10 + (*preset)->structure.compute_minor);
    if (!link.modules.empty()) {
      auto compiled = compile_ptx(link.modules, **preset, &options.jit);
      options.info.put(options.jit.warnings);
      options.error.put(compiled ? "" : compiled.error().message());
      if (!compiled) {
        if (!options.error.to) note("cuLinkComplete", compiled.error().message());
        return cudaErrorUnknown;
      }
      linked = std::move(*compiled);
    }
    link.cubin = formats::serialize(linked);
    *cubin = link.cubin->data();
    if (bytes) *bytes = link.cubin->size();
    return cudaSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState handle) {
  return with_link(handle, [&](State&, Link&) {
    links().erase(handle);
    return cudaSuccess;
  });
}

}  // namespace body
}  // namespace heddle::cudart::cu
