// SPDX-License-Identifier: Apache-2.0
// record LAUNCHES CUBINS [FIRST] runs the launches on a machine with CUDA's driver and prints of each the digest of its
// buffers. record.sh compiles it there and counts instructions with the profiler; nothing here builds it.
#include <cuda.h>

#include "launches.h"

using namespace heddle::quality;

#define CHECK(call)                                                                       \
  if (const CUresult r = (call); r != CUDA_SUCCESS) {                                     \
    const char* name = "?";                                                               \
    cuGetErrorName(r, &name);                                                             \
    std::printf("%s %s error %s in %s\n", l.file.c_str(), l.kernel.c_str(), name, #call); \
    return 1;                                                                             \
  }

static int run(const Launch& l, const std::string& cubins) {
  CUmodule module;
  CUfunction kernel;
  CHECK(cuModuleLoad(&module, (cubins + "/" + l.file + ".cubin").c_str()));
  CHECK(cuModuleGetFunction(&kernel, module, l.kernel.c_str()));
  std::vector<CUdeviceptr> places(l.arguments.size());
  std::vector<Bytes> values;
  std::vector<void*> params;
  for (size_t i = 0; i < places.size(); ++i) {
    const Argument& a = l.arguments[i];
    if (a.buffer) {
      CHECK(cuMemAlloc(&places[i], a.bytes.size()));
      CHECK(cuMemcpyHtoD(places[i], a.bytes.data(), a.bytes.size()));
    }
    params.push_back(a.buffer ? static_cast<void*>(&places[i]) : const_cast<unsigned char*>(a.bytes.data()));
  }
  CHECK(cuLaunchKernel(kernel, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2], 0, nullptr,
                       params.data(), nullptr));
  CHECK(cuCtxSynchronize());
  for (size_t i = 0; i < places.size(); ++i)
    if (l.arguments[i].buffer) {
      values.emplace_back(l.arguments[i].bytes.size());
      CHECK(cuMemcpyDtoH(values.back().data(), places[i], values.back().size()));
    }
  std::printf("%s %s digest %016llx\n", l.file.c_str(), l.kernel.c_str(),
              static_cast<unsigned long long>(digest(values)));
  return 0;
}

int main(int, char** argv) {
  std::vector<Launch> launches;
  std::string wrong;
  CUdevice device;
  CUcontext context;
  if (!read_launches(argv[1], launches, wrong)) return std::fprintf(stderr, "%s\n", wrong.c_str()), 2;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context))
    return std::fprintf(stderr, "no device\n"), 2;
  int bad = 0;
  for (const Launch& l : launches) bad += run(l, argv[2]);
  return bad != 0;
}
