// SPDX-License-Identifier: Apache-2.0
// What is something else in CUDA 11 and 13 than under the same name in CUDA 12: OF_VERSION in functions.def.
#include <cstring>

#include "host-runtime/runtime/body.h"
#include "host-runtime/runtime/call_log.h"
#include "host-runtime/runtime/state.h"
#include "host-runtime/runtime/version.h"

namespace heddle::cudart {
namespace {

constexpr size_t kDevicePropBytes13 = 1008;

// What CUDA 13 left of cudaDeviceProp, and where. Between these parts were clock rates, the compute mode and others.
struct Part {
  size_t from, to, bytes;
};
#define FROM(member) offsetof(cudaDeviceProp, member)
constexpr Part kParts[] = {
    {0, 0, FROM(clockRate)},
    {FROM(totalConstMem), 352, FROM(deviceOverlap) - FROM(totalConstMem)},
    {FROM(multiProcessorCount), 384, sizeof(int)},
    {FROM(integrated), 388, FROM(computeMode) - FROM(integrated)},
    {FROM(maxTexture1D), 396, 39 * sizeof(int)},
    {FROM(surfaceAlignment), 552, FROM(memoryClockRate) - FROM(surfaceAlignment)},
    {FROM(memoryBusWidth), 592, FROM(sharedMemPerMultiprocessor) - FROM(memoryBusWidth)},
    {FROM(sharedMemPerMultiprocessor), 624, FROM(singleToDoublePrecisionPerfRatio) - FROM(sharedMemPerMultiprocessor)},
    {FROM(pageableMemoryAccess), 652, FROM(cooperativeMultiDeviceLaunch) - FROM(pageableMemoryAccess)},
    {FROM(sharedMemPerBlockOptin), 672, sizeof(cudaDeviceProp) - FROM(sharedMemPerBlockOptin)},
};
#undef FROM
static_assert(kParts[9].to + kParts[9].bytes == kDevicePropBytes13);

cudaError_t device_properties(void* properties, int device) {
  cudaDeviceProp all;
  const cudaError_t error = body::cudaGetDeviceProperties_v2(properties ? &all : nullptr, device);
  if (error != cudaSuccess) return error;
  auto* to = static_cast<char*>(properties);
  std::memset(to, 0, kDevicePropBytes13);
  for (const Part& part : kParts)
    std::memcpy(to + part.to, reinterpret_cast<const char*>(&all) + part.from, part.bytes);
  return cudaSuccess;
}

cudaError_t version_11(int* version) { return say_version(version, 11080); }
cudaError_t version_13(int* version) { return say_version(version, 13000); }

template <int Major, int Minor>
nvrtcResult compiler_version(int* major, int* minor) {
  const nvrtcResult result = nvrtc::body::nvrtcVersion(major, minor);
  if (result != NVRTC_SUCCESS) return result;
  *major = Major;
  *minor = Minor;
  return result;
}

}  // namespace
}  // namespace heddle::cudart

using heddle::cudart::call;
namespace body = heddle::cudart::body;

extern "C" {

cudaError_t cudaRuntimeGetVersion_of_11(int* version) {
  return call("cudaRuntimeGetVersion", heddle::cudart::version_11, version);
}
cudaError_t cudaRuntimeGetVersion_of_13(int* version) {
  return call("cudaRuntimeGetVersion", heddle::cudart::version_13, version);
}

nvrtcResult nvrtcVersion_of_11(int* major, int* minor) {
  return call("nvrtcVersion", heddle::cudart::compiler_version<11, 8>, major, minor);
}
nvrtcResult nvrtcVersion_of_13(int* major, int* minor) {
  return call("nvrtcVersion", heddle::cudart::compiler_version<13, 0>, major, minor);
}

cudaError_t cudaGetDeviceProperties_of_13(void* properties, int device) {
  return call("cudaGetDeviceProperties", heddle::cudart::device_properties, properties, device);
}

cudaError_t cudaMemPrefetchAsync_of_13(const void* p, size_t bytes, cudaMemLocation location, unsigned flags,
                                       cudaStream_t stream) {
  return call("cudaMemPrefetchAsync", body::cudaMemPrefetchAsync_v2, p, bytes, location, flags, stream);
}

cudaError_t cudaMemPrefetchAsync_ptsz_of_13(const void* p, size_t bytes, cudaMemLocation location, unsigned flags,
                                            cudaStream_t stream) {
  const heddle::cudart::OwnDefaultStream own;
  return call("cudaMemPrefetchAsync_ptsz", body::cudaMemPrefetchAsync_v2, p, bytes, location, flags, stream);
}

cudaError_t cudaMemAdvise_of_13(const void* p, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location) {
  return call("cudaMemAdvise", body::cudaMemAdvise_v2, p, bytes, advice, location);
}

}  // extern "C"
