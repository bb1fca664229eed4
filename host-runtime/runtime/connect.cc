// SPDX-License-Identifier: Apache-2.0
// The core's side of connect.h: the addresses of all functions of the three APIs, by name and version of CUDA.
// No header of CUDA's here: what is refused is defined without its parameters, so all functions are declared so.
#include "host-runtime/runtime/connect.h"

#include <new>
#include <string_view>
#include <unordered_map>

#include "host-runtime/runtime/symbols.h"

using Function = void();

#define DECLARE(symbol) extern "C" Function symbol;
#define DECLARE_None(name)
#define DECLARE_Ptsz(name) DECLARE(name##_ptsz)
#define DECLARE_Ptds(name) DECLARE(name##_ptds)
#define BUILT(name, variant, ...) DECLARE(name) DECLARE_##variant(name)
#define COMPILER BUILT
#define REFUSED BUILT
#define OF_VERSION(major, symbol) DECLARE(symbol##_of_##major)
#include "host-runtime/runtime/functions.def"
#define BUILT(name, variant, ...) DECLARE(name) DECLARE_##variant(name)
#define REFUSED BUILT
#include "host-runtime/runtime/cu/functions.def"
#define BUILT(name, variant, ...) DECLARE(name)
#define OF_VERSION(major, symbol) DECLARE(symbol##_of_##major)
#include "host-runtime/runtime/nvrtc/functions.def"

namespace heddle::cudart {
namespace {

struct OfVersion {
  unsigned major;
  std::string_view name;
  Function* function;
};
constexpr OfVersion kOfVersion[] = {
#define OF_VERSION(major, symbol) {major, #symbol, &symbol##_of_##major},
#include "host-runtime/runtime/functions.def"
#define OF_VERSION(major, symbol) {major, #symbol, &symbol##_of_##major},
#include "host-runtime/runtime/nvrtc/functions.def"
};

std::unordered_map<std::string_view, Function*> functions_of(unsigned major) {
  std::unordered_map<std::string_view, Function*> all = {
#define ROW(symbol) {#symbol, &symbol},
#define ROW_None(name)
#define ROW_Ptsz(name) ROW(name##_ptsz)
#define ROW_Ptds(name) ROW(name##_ptds)
#define BUILT(name, variant, ...) ROW(name) ROW_##variant(name)
#define COMPILER BUILT
#define REFUSED BUILT
#include "host-runtime/runtime/functions.def"
#define BUILT(name, variant, ...) ROW(name) ROW_##variant(name)
#define REFUSED BUILT
#include "host-runtime/runtime/cu/functions.def"
#define BUILT(name, variant, ...) ROW(name)
#include "host-runtime/runtime/nvrtc/functions.def"
  };
  for (const OfVersion& of : kOfVersion)
    if (of.major == major) all[of.name] = of.function;
  return all;
}

}  // namespace

void* exported_function(std::string_view symbol) {
  static const auto all = functions_of(0);
  const auto found = all.find(symbol);
  return found == all.end() ? nullptr : reinterpret_cast<void*>(found->second);
}

}  // namespace heddle::cudart

extern "C" __attribute__((visibility("default"))) const char* HEDDLE_CONNECT(const heddle_connect_request* request) {
  if (request->interface > HEDDLE_CONNECT_INTERFACE || request->bytes < sizeof *request)
    return "it is older than the program's CUDA runtime, and does not know how to serve it";
  try {
    const auto all = heddle::cudart::functions_of(request->runtime / 1000);
    for (unsigned i = 0; i < request->count; ++i) {
      const auto found = all.find(request->names[i]);
      request->functions[i] = found == all.end() ? nullptr : reinterpret_cast<void*>(found->second);
    }
  } catch (const std::bad_alloc&) {
    return "there is no memory left";
  }
  return nullptr;
}
