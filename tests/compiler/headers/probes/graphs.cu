// SPDX-License-Identifier: Apache-2.0
// Graphs and pools as programs write them; all of it is refused at run time.
#include <cuda_runtime.h>

__device__ int value;
__global__ void k(cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, 0); }

cudaError_t nodes(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphNode_t first = nullptr, second = nullptr;
  cudaGraphExec_t exec = nullptr;
  int word = 0;
  void* arguments[] = {&word};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)k;
  kernel.gridDim = dim3(2);
  kernel.kernelParams = arguments;
  cudaMemsetParams fill = {};
  fill.elementSize = sizeof(word);
  cudaHostNodeParams host = {};
  host.fn = [](void*) {};
  cudaMemcpy3DParms copy = {};
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  cudaGraphConditionalHandle handle;
  cudaGraphNodeParams any = {cudaGraphNodeTypeConditional};
  any.conditional.type = cudaGraphCondTypeWhile;
  any.kernel.blockDim = dim3(1);
  cudaGraphExecUpdateResultInfo result;
  cudaGraphInstantiateParams how = {};
  cudaStreamCaptureStatus status;
  cudaKernelNodeAttrValue attribute = {};
  attribute.priority = 1;
  return cudaError_t(
      cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel) | cudaGraphAddMemsetNode(&second, graph, &first, 1, &fill) |
      cudaGraphAddHostNode(&second, graph, &first, 1, &host) | cudaGraphAddMemcpyNode(&second, graph, &first, 1, &copy) |
      cudaGraphAddMemcpyNodeToSymbol(&second, graph, &first, 1, value, &word, 4, 0, cudaMemcpyHostToDevice) |
      cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, second, &word, value, 4, 0, cudaMemcpyDeviceToHost) |
      cudaGraphAddMemAllocNode(&first, graph, nullptr, 0, &memory) | cudaGraphAddMemFreeNode(&second, graph, &first, 1, memory.dptr) |
      cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault) | cudaGraphAddNode(&first, graph, nullptr, 0, &any) |
      cudaGraphKernelNodeSetAttribute(first, cudaKernelNodeAttributePriority, &attribute) |
      cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0) | cudaGraphInstantiate(&exec, graph) |
      cudaGraphInstantiateWithParams(&exec, graph, &how) | cudaGraphExecUpdate(exec, graph, &result) | cudaGraphExecUpdate(exec, graph, &second, &result.result) | cudaGraphUpload(exec, stream) |
      cudaGraphDebugDotPrint(graph, "graph.dot", cudaGraphDebugDotFlagsVerbose) | cudaStreamGetCaptureInfo(stream, &status));
}

cudaError_t pools(int device, cudaStream_t stream) {
  cudaMemPool_t pool = nullptr;
  cudaMemPoolProps properties = {};
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  cudaMemAccessDesc access = {};
  access.flags = cudaMemAccessFlagsProtReadWrite;
  access.location.id = device;
  cudaMemPoolPtrExportData data;
  float* p = nullptr;
  unsigned long long bytes;
  return cudaError_t(cudaMemPoolCreate(&pool, &properties) | cudaMemPoolSetAccess(pool, &access, 1) | cudaMallocAsync(&p, 4, pool, stream) |
                     cudaMallocFromPoolAsync(&p, 4, pool, stream) | cudaMemPoolExportPointer(&data, p) | cudaMemPoolDestroy(pool) |
                     cudaDeviceGetGraphMemAttribute(device, cudaGraphMemAttrUsedMemCurrent, &bytes));
}
