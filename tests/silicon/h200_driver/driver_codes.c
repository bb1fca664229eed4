// SPDX-License-Identifier: Apache-2.0
// What functions of the driver API return, for arguments right and wrong: a line each question, with its number's line
// here unseen: the question, a tab, the code or the value. A question that the library dies of is answered by "signal".
#include <cuda.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Under its symbol's name: newer headers mean another by the short one.
CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device);

static sigjmp_buf before_question;
static const char* part = "";

static void died(int signal_number) { siglongjmp(before_question, signal_number); }
static void say(const char* question, CUresult code) {
  const char* name = "unknown";
  cuGetErrorName(code, &name);
  printf("%s\t%s\t%s\n", part, question, name ? name : "unknown");
}
static void value(const char* question, long long v) { printf("%s\t%s\t%lld\n", part, question, v); }

#define ASK(call)                                                          \
  do {                                                                     \
    if (sigsetjmp(before_question, 1) == 0) say(#call, (call));            \
    else printf("%s\t%s\tsignal\n", part, #call);                          \
  } while (0)
#define VALUE(v)                                                           \
  do {                                                                     \
    if (sigsetjmp(before_question, 1) == 0) value(#v, (long long)(v));     \
    else printf("%s\t%s\tsignal\n", part, #v);                           \
  } while (0)

static const char ptx[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .global .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
    ".visible .global .attribute(.managed) .align 4 .u32 shared_number = 5;\n"
    ".visible .entry empty() { ret; }\n"
    ".visible .entry one(.param .u64 p) { ret; }\n"
    ".visible .entry mixed(.param .u32 a, .param .u64 b, .param .align 16 .b8 c[48]) { ret; }\n"
    ".visible .entry bounded() .maxntid 128, 1, 1 { ret; }\n"
    ".visible .entry exact() .reqntid 64, 1, 1 { ret; }\n"
    ".visible .entry wild() { .reg .b64 %a; .reg .b32 %x; mov.u64 %a, 8; mov.u32 %x, 1; st.global.u32 [%a], %x; ret; }\n"
    ".visible .entry trap() { trap; ret; }\n";
static const char clustered_ptx[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry pair() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }\n"
    ".visible .entry free_of() { ret; }\n";
static const char bad_ptx[] = ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry f() { nonsense; }\n";
static const char calls_ptx[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n.extern .func absent();\n"
    ".visible .entry caller() { call absent; ret; }\n";
static const char gives_ptx[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n.visible .func absent() { ret; }\n";
static const char new_ptx[] = ".version 99.9\n.target sm_52\n.address_size 64\n.visible .entry f() { ret; }\n";
static const char far_ptx[] = ".version 7.0\n.target sm_999\n.address_size 64\n.visible .entry f() { ret; }\n";

static CUdevice device;
static CUcontext a, b, c;
static CUmodule module, module_b;
static CUfunction empty, one, mixed, bounded, exact, function_b;
static CUdeviceptr p, q;
static CUstream stream, stream_b;
static CUevent event, plain, untimed, event_b;
static char text[64];
static int i, j;
static unsigned u;
static size_t bytes, offset;
static void* host;
static float ms;
static const char* name;
static unsigned long long id;

static void nothing(void* data) { (void)data; }
static void called(CUstream s, CUresult r, void* data) { (void)s, (void)r, (void)data; }

static void before(void) {
  part = "before cuInit";
  ASK(cuDeviceGet(&device, 0));
  ASK(cuDeviceGet(NULL, 0));
  ASK(cuDeviceGetCount(&i));
  ASK(cuCtxGetCurrent(&a));
  ASK(cuCtxGetCurrent(NULL));
  ASK(cuCtxCreate_v2(&a, 0, 0));
  ASK(cuCtxSynchronize());
  ASK(cuMemAlloc(&p, 4));
  ASK(cuMemFree(0));
  ASK(cuModuleLoadData(&module, ptx));
  ASK(cuStreamSynchronize(NULL));
  ASK(cuEventCreate(&event, 0));
  ASK(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  ASK(cuDriverGetVersion(&i));
  ASK(cuDriverGetVersion(NULL));
  ASK(cuGetErrorName(CUDA_SUCCESS, &name));
  ASK(cuGetErrorName((CUresult)12345, &name));
  ASK(cuGetErrorString((CUresult)12345, &name));
  ASK(cuGetErrorName(CUDA_SUCCESS, NULL));
  ASK(cuInit(1));
  ASK(cuInit(0));
  ASK(cuInit(0));
}

static void devices(void) {
  part = "devices";
  ASK(cuDeviceGet(&device, -1));
  ASK(cuDeviceGet(&device, 99));
  ASK(cuDeviceGet(NULL, 0));
  ASK(cuDeviceGet(NULL, 99));
  ASK(cuDeviceGetCount(NULL));
  ASK(cuDeviceGetName(NULL, 10, 0));
  ASK(cuDeviceGetName(text, 0, 0));
  ASK(cuDeviceGetName(text, -1, 0));
  ASK(cuDeviceGetName(text, 10, 99));
  ASK(cuDeviceGetName(text, 4, 0));
  VALUE(strlen(text));
  ASK(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  ASK(cuDeviceGetAttribute(&i, (CUdevice_attribute)0, 0));
  ASK(cuDeviceGetAttribute(&i, (CUdevice_attribute)-1, 0));
  ASK(cuDeviceGetAttribute(&i, (CUdevice_attribute)99999, 0));
  ASK(cuDeviceGetAttribute(&i, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99));
  ASK(cuDeviceGetAttribute(&i, CU_DEVICE_ATTRIBUTE_WARP_SIZE, -1));
  ASK(cuDeviceTotalMem(NULL, 0));
  ASK(cuDeviceTotalMem(&bytes, 99));
  ASK(cuDeviceGetByPCIBusId(&i, "zz"));
  ASK(cuDeviceGetByPCIBusId(&i, "00ff:ff:1f.0"));
  ASK(cuDeviceGetByPCIBusId(&i, NULL));
  ASK(cuDeviceGetByPCIBusId(NULL, "0000:00:00.0"));
  ASK(cuDeviceGetPCIBusId(text, 5, 0));
  ASK(cuDeviceGetPCIBusId(text, 0, 0));
  ASK(cuDeviceGetPCIBusId(NULL, 20, 0));
  ASK(cuDeviceGetPCIBusId(text, 20, 99));
  ASK(cuDeviceComputeCapability(NULL, &j, 0));
  ASK(cuDeviceComputeCapability(&i, NULL, 0));
  ASK(cuDeviceComputeCapability(&i, &j, 99));
  ASK(cuDeviceGetUuid(NULL, 0));
  ASK(cuDeviceGetProperties(NULL, 0));
  ASK(cuDeviceCanAccessPeer(&i, 0, 0));
  ASK(cuDeviceCanAccessPeer(&i, 0, 99));
  ASK(cuDeviceCanAccessPeer(NULL, 0, 0));
  ASK(cuDeviceGetP2PAttribute(&i, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
  ASK(cuDeviceGetP2PAttribute(&i, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 99));
  ASK(cuDeviceGetExecAffinitySupport(&i, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
  ASK(cuDeviceGetExecAffinitySupport(&i, (CUexecAffinityType)9, 0));
  ASK(cuDeviceGetExecAffinitySupport(NULL, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
}

static void without_context(void) {
  CUmemorytype type;
  part = "no context";
  ASK(cuCtxGetCurrent(NULL));
  ASK(cuCtxGetCurrent(&a));
  VALUE(a == NULL);
  ASK(cuCtxSynchronize());
  ASK(cuCtxGetDevice(&device));
  ASK(cuCtxGetDevice(NULL));
  ASK(cuCtxPopCurrent(&a));
  ASK(cuCtxPopCurrent(NULL));
  ASK(cuCtxPushCurrent(NULL));
  ASK(cuCtxSetCurrent(NULL));
  ASK(cuCtxDestroy(NULL));
  ASK(cuCtxDetach(NULL));
  ASK(cuCtxAttach(&a, 0));
  ASK(cuCtxGetFlags(&u));
  ASK(cuCtxGetApiVersion(NULL, &u));
  ASK(cuCtxGetId(NULL, &id));
  ASK(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
  ASK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
  ASK(cuCtxGetCacheConfig((CUfunc_cache*)&i));
  ASK(cuCtxGetStreamPriorityRange(&i, &j));
  ASK(cuCtxEnablePeerAccess(NULL, 0));
  ASK(cuCtxDisablePeerAccess(NULL));
  ASK(cuMemAlloc(&p, 4));
  ASK(cuMemAlloc(&p, 0));
  ASK(cuMemAlloc(NULL, 4));
  ASK(cuMemFree(0));
  ASK(cuMemFree(12345));
  ASK(cuMemGetInfo(&bytes, &offset));
  ASK(cuMemAllocHost(&host, 4));
  ASK(cuMemHostAlloc(&host, 4, 0));
  ASK(cuMemAllocManaged(&p, 4, CU_MEM_ATTACH_GLOBAL));
  ASK(cuMemcpyDtoH(text, 12345, 4));
  ASK(cuMemsetD8(12345, 0, 4));
  ASK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 12345));
  ASK(cuModuleLoadData(&module, ptx));
  ASK(cuModuleLoadData(NULL, NULL));
  ASK(cuModuleLoad(&module, "/none/such"));
  ASK(cuModuleGetLoadingMode((CUmoduleLoadingMode*)&i));
  ASK(cuModuleGetFunction(&empty, NULL, "empty"));
  ASK(cuModuleUnload(NULL));
  ASK(cuStreamCreate(&stream, 0));
  ASK(cuStreamSynchronize(NULL));
  ASK(cuStreamQuery(NULL));
  ASK(cuEventCreate(&event, 0));
  ASK(cuEventQuery(NULL));
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL));
  ASK(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  ASK(cuLaunchHostFunc(NULL, nothing, NULL));
  ASK(cuProfilerStart());
  ASK(cuDevicePrimaryCtxGetState(0, &u, &i));
  VALUE(i);
  ASK(cuDevicePrimaryCtxGetState(0, NULL, &i));
  ASK(cuDevicePrimaryCtxGetState(0, &u, NULL));
  ASK(cuDevicePrimaryCtxGetState(99, &u, &i));
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuDevicePrimaryCtxReset(0));
  ASK(cuDevicePrimaryCtxReset(99));
  ASK(cuDevicePrimaryCtxRetain(NULL, 0));
  ASK(cuDevicePrimaryCtxRetain(&a, 99));
  ASK(cuDevicePrimaryCtxSetFlags(0, 0xff00));
  ASK(cuDevicePrimaryCtxSetFlags(0, 3));
  ASK(cuDevicePrimaryCtxSetFlags(99, 0));
}

static void contexts(void) {
  CUcontext primary = NULL, same = NULL;
  part = "contexts";
  ASK(cuCtxCreate_v2(NULL, 0, 0));
  ASK(cuCtxCreate_v2(&a, 0xff00, 0));
  ASK(cuCtxCreate_v2(&a, 3, 0));
  ASK(cuCtxCreate_v2(&a, 0, 99));
  ASK(cuCtxCreate_v2(&a, 0, -1));
  ASK(cuCtxCreate_v2(&a, CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST, 0));
  ASK(cuCtxGetFlags(&u));
  VALUE(u);
  ASK(cuCtxGetFlags(NULL));
  ASK(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
  ASK(cuCtxSetFlags(3));
  ASK(cuCtxGetFlags(&u));
  VALUE(u);
  ASK(cuCtxGetApiVersion(a, &u));
  VALUE(u);
  ASK(cuCtxGetApiVersion(NULL, &u));
  ASK(cuCtxGetApiVersion(a, NULL));
  ASK(cuCtxGetId(a, NULL));
  ASK(cuCtxGetId(NULL, &id));
  ASK(cuCtxGetDevice(NULL));
  ASK(cuCtxGetCurrent(NULL));
  ASK(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
  ASK(cuCtxGetLimit(&bytes, (CUlimit)99));
  ASK(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
  VALUE(bytes);
  ASK(cuCtxGetLimit(&bytes, CU_LIMIT_PRINTF_FIFO_SIZE));
  VALUE(bytes);
  ASK(cuCtxGetLimit(&bytes, CU_LIMIT_MALLOC_HEAP_SIZE));
  VALUE(bytes);
  ASK(cuCtxGetLimit(&bytes, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
  ASK(cuCtxGetLimit(&bytes, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT));
  ASK(cuCtxGetLimit(&bytes, CU_LIMIT_MAX_L2_FETCH_GRANULARITY));
  ASK(cuCtxGetLimit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
  ASK(cuCtxSetLimit((CUlimit)99, 1));
  ASK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, (size_t)1 << 40));
  ASK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 0));
  ASK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
  ASK(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129));
  ASK(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 128));
  ASK(cuCtxGetCacheConfig(NULL));
  ASK(cuCtxSetCacheConfig((CUfunc_cache)9));
  ASK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  ASK(cuCtxSetSharedMemConfig((CUsharedconfig)9));
  ASK(cuCtxGetSharedMemConfig(NULL));
  ASK(cuCtxGetStreamPriorityRange(NULL, NULL));
  ASK(cuCtxGetStreamPriorityRange(&i, &j));
  VALUE(i);
  VALUE(j);
  ASK(cuCtxResetPersistingL2Cache());
  ASK(cuCtxEnablePeerAccess(a, 0));
  ASK(cuCtxEnablePeerAccess(NULL, 0));
  ASK(cuCtxDisablePeerAccess(a));
  ASK(cuCtxDisablePeerAccess(NULL));
  ASK(cuCtxAttach(NULL, 0));
  ASK(cuCtxAttach(&same, 1));
  ASK(cuCtxDetach(NULL));
  ASK(cuCtxPushCurrent(NULL));
  ASK(cuCtxGetCurrent(&same));
  VALUE(same == NULL);
  ASK(cuCtxPopCurrent(&same));
  VALUE(same == NULL);
  ASK(cuCtxCreate_v2(&b, 0, 0));
  ASK(cuCtxEnablePeerAccess(a, 0));
  ASK(cuCtxDisablePeerAccess(a));
  ASK(cuCtxSetCurrent(NULL));
  ASK(cuCtxGetCurrent(&same));
  VALUE(same == NULL);
  VALUE(same == a);
  ASK(cuCtxSetCurrent(a));
  ASK(cuDevicePrimaryCtxRetain(&primary, 0));
  ASK(cuDevicePrimaryCtxGetState(0, &u, &i));
  VALUE(i);
  ASK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
  ASK(cuCtxDestroy(primary));
  ASK(cuCtxPushCurrent(primary));
  ASK(cuCtxGetApiVersion(primary, &u));
  ASK(cuCtxDestroy(primary));
  ASK(cuCtxPopCurrent(NULL));
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuDevicePrimaryCtxRelease(0));
  ASK(cuDevicePrimaryCtxGetState(0, &u, &i));
  VALUE(i);
  ASK(cuCtxSetCurrent(primary));
  ASK(cuMemAlloc(&p, 4));
  ASK(cuCtxSetCurrent(a));
  ASK(cuCtxDestroy(b));
  ASK(cuCtxGetCurrent(&same));
  VALUE(same == a);
  ASK(cuCtxCreate_v2(&b, 0, 0));
  ASK(cuCtxPopCurrent(&same));
  VALUE(same == b);
  ASK(cuCtxGetCurrent(&same));
  VALUE(same == a);
}

static void memory(void) {
  static char own[8192];
  CUDA_MEMCPY2D box;
  CUDA_MEMCPY3D block;
  CUmemorytype type;
  CUpointer_attribute attributes[2] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* values[2] = {&type, &i};
  void* none[2] = {NULL, NULL};
  part = "memory";
  ASK(cuMemAlloc(NULL, 4));
  ASK(cuMemAlloc(&p, 0));
  ASK(cuMemAlloc(&p, (size_t)1 << 50));
  ASK(cuMemAlloc(&p, ~(size_t)0));
  ASK(cuMemAlloc(&p, 1000));
  ASK(cuMemAlloc(&q, 4096));
  ASK(cuMemFree(0));
  ASK(cuMemFree(12345));
  ASK(cuMemFree(p + 4));
  ASK(cuMemFree((CUdeviceptr)(uintptr_t)own));
  ASK(cuMemAllocPitch(NULL, &bytes, 100, 3, 4));
  ASK(cuMemAllocPitch(&q, NULL, 100, 3, 4));
  ASK(cuMemAllocPitch(&q, &bytes, 0, 3, 4));
  ASK(cuMemAllocPitch(&q, &bytes, 100, 0, 4));
  ASK(cuMemAllocPitch(&q, &bytes, 100, 3, 5));
  ASK(cuMemAllocPitch(&q, &bytes, 100, 3, 1));
  ASK(cuMemAllocPitch(&q, &bytes, (size_t)1 << 40, 1 << 20, 4));
  ASK(cuMemAllocPitch(&q, &bytes, 100, 3, 4));
  VALUE(bytes);
  ASK(cuMemGetAddressRange(&q, &bytes, 12345));
  ASK(cuMemGetAddressRange(&q, &bytes, 0));
  ASK(cuMemGetAddressRange(NULL, NULL, p));
  ASK(cuMemGetAddressRange(NULL, &bytes, p + 999));
  VALUE(bytes);
  ASK(cuMemGetAddressRange(NULL, &bytes, p + 1000));
  ASK(cuMemGetInfo(NULL, &bytes));
  ASK(cuMemGetInfo(&bytes, NULL));
  ASK(cuMemAllocHost(NULL, 4));
  ASK(cuMemAllocHost(&host, 0));
  ASK(cuMemHostAlloc(&host, 4, 0x100));
  ASK(cuMemHostAlloc(&host, 0, 0));
  ASK(cuMemHostAlloc(&host, (size_t)1 << 55, 0));
  ASK(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
  ASK(cuMemHostGetFlags(&u, host));
  VALUE(u);
  ASK(cuMemHostGetFlags(NULL, host));
  ASK(cuMemHostGetFlags(&u, own));
  ASK(cuMemHostGetDevicePointer(&q, own, 0));
  ASK(cuMemHostGetDevicePointer(&q, host, 1));
  ASK(cuMemHostGetDevicePointer(NULL, host, 0));
  ASK(cuMemHostGetDevicePointer(&q, (char*)host + 8, 0));
  VALUE(q == (CUdeviceptr)(uintptr_t)host + 8);
  ASK(cuMemFreeHost(NULL));
  ASK(cuMemFreeHost(own));
  ASK(cuMemFreeHost((char*)host + 8));
  ASK(cuMemFree((CUdeviceptr)(uintptr_t)host));
  ASK(cuMemHostRegister(NULL, 4096, 0));
  ASK(cuMemHostRegister(own, 0, 0));
  ASK(cuMemHostRegister(own, sizeof own, 0x100));
  ASK(cuMemHostRegister(host, 4096, 0));
  ASK(cuMemHostRegister(own, sizeof own, 0));
  ASK(cuMemHostRegister(own, sizeof own, 0));
  ASK(cuMemFreeHost(own));
  ASK(cuMemHostUnregister(host));
  ASK(cuMemHostUnregister(own + 8));
  ASK(cuMemHostUnregister(own));
  ASK(cuMemHostUnregister(own));
  ASK(cuMemHostUnregister(NULL));
  ASK(cuMemAllocManaged(&q, 4, 0));
  ASK(cuMemAllocManaged(&q, 4, 3));
  ASK(cuMemAllocManaged(&q, 4, CU_MEM_ATTACH_SINGLE));
  ASK(cuMemAllocManaged(&q, 0, CU_MEM_ATTACH_GLOBAL));
  ASK(cuMemAllocManaged(NULL, 4, CU_MEM_ATTACH_GLOBAL));
  ASK(cuMemAllocManaged(&q, 4096, CU_MEM_ATTACH_GLOBAL));
  ASK(cuMemFree(q));
  ASK(cuMemAllocAsync(&q, 0, NULL));
  ASK(cuMemAllocAsync(NULL, 4, NULL));
  ASK(cuMemAllocAsync(&q, 4096, NULL));
  ASK(cuMemFreeAsync(q + 8, NULL));
  ASK(cuMemFreeAsync(q, NULL));
  ASK(cuMemFreeAsync(0, NULL));
  ASK(cuMemFreeAsync(12345, NULL));

  part = "copies";
  ASK(cuMemcpyHtoD(0, own, 4));
  ASK(cuMemcpyHtoD(0, own, 0));
  ASK(cuMemcpyHtoD(p, NULL, 4));
  ASK(cuMemcpyHtoD(p, NULL, 0));
  ASK(cuMemcpyHtoD(12345, own, 4));
  ASK(cuMemcpyHtoD(p, own, 1000));
  ASK(cuMemcpyHtoD(p + 996, own, 8));
  ASK(cuMemcpyHtoD(p, own, (size_t)1 << 40));
  ASK(cuMemcpyDtoH(NULL, p, 4));
  ASK(cuMemcpyDtoH(own, 0, 4));
  ASK(cuMemcpyDtoH(own, 12345, 4));
  ASK(cuMemcpyDtoH(own, p, (size_t)1 << 40));
  ASK(cuMemcpyDtoD(p, 12345, 4));
  ASK(cuMemcpyDtoD(12345, p, 4));
  ASK(cuMemcpyDtoD(p, p, 4));
  ASK(cuMemcpyDtoD(p, p + 2, 16));
  ASK(cuMemcpy(p, 12345, 0));
  ASK(cuMemcpy(p, (CUdeviceptr)(uintptr_t)host, 16));
  ASK(cuMemcpyHtoDAsync(p, NULL, 4, NULL));
  ASK(cuMemcpyDtoHAsync(own, 12345, 4, NULL));
  ASK(cuMemcpyDtoDAsync(p, 12345, 4, NULL));
  ASK(cuMemcpyDtoDAsync(p, p, 4, (CUstream)0x3));
  ASK(cuMemcpyPeer(p, a, p + 16, a, 16));
  ASK(cuMemcpyPeer(p, NULL, p + 16, a, 16));
  ASK(cuMemsetD8(0, 1, 4));
  ASK(cuMemsetD8(0, 1, 0));
  ASK(cuMemsetD8(p, 1, 0));
  ASK(cuMemsetD8(12345, 1, 4));
  ASK(cuMemsetD8(p, 1, (size_t)1 << 40));
  ASK(cuMemsetD16(p + 1, 1, 1));
  ASK(cuMemsetD32(p + 2, 1, 1));
  ASK(cuMemsetD32(p + 1, 1, 0));
  ASK(cuMemsetD2D8(p, 8, 1, 16, 2));
  ASK(cuMemsetD2D8(p, 0, 1, 16, 1));
  ASK(cuMemsetD2D8(p, 16, 1, 0, 2));
  ASK(cuMemsetD2D8(p, 16, 1, 2, 0));
  ASK(cuMemsetD2D32(p, 18, 1, 2, 2));
  ASK(cuMemsetD2D32(p, 18, 1, 2, 1));
  ASK(cuMemcpy2D(NULL));
  memset(&box, 0, sizeof box);
  box.srcMemoryType = CU_MEMORYTYPE_HOST, box.srcHost = own, box.srcPitch = 16;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE, box.dstDevice = p, box.dstPitch = 16;
  box.WidthInBytes = 8, box.Height = 2;
  ASK(cuMemcpy2D(&box));
  box.srcMemoryType = (CUmemorytype)9;
  ASK(cuMemcpy2D(&box) /* type 9 */);
  box.srcMemoryType = (CUmemorytype)0;
  ASK(cuMemcpy2D(&box) /* type 0 */);
  box.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  ASK(cuMemcpy2D(&box) /* no array */);
  box.srcMemoryType = CU_MEMORYTYPE_HOST, box.srcPitch = 4;
  ASK(cuMemcpy2D(&box) /* pitch below width */);
  box.srcPitch = 0;
  ASK(cuMemcpy2D(&box) /* pitch 0 */);
  box.Height = 1;
  ASK(cuMemcpy2D(&box) /* pitch 0, one row */);
  box.Height = 0;
  ASK(cuMemcpy2D(&box) /* no rows */);
  box.Height = 2, box.srcPitch = 16, box.WidthInBytes = 0;
  ASK(cuMemcpy2D(&box) /* no width */);
  box.WidthInBytes = 8, box.dstDevice = 12345;
  ASK(cuMemcpy2D(&box) /* wild */);
  box.dstDevice = p, box.srcHost = NULL;
  ASK(cuMemcpy2D(&box) /* null */);
  ASK(cuMemcpy3D(NULL));
  memset(&block, 0, sizeof block);
  block.srcMemoryType = CU_MEMORYTYPE_HOST, block.srcHost = own, block.srcPitch = 16, block.srcHeight = 2;
  block.dstMemoryType = CU_MEMORYTYPE_DEVICE, block.dstDevice = p, block.dstPitch = 16, block.dstHeight = 2;
  block.WidthInBytes = 8, block.Height = 2, block.Depth = 2;
  ASK(cuMemcpy3D(&block));
  block.srcHeight = 1;
  ASK(cuMemcpy3D(&block) /* height below rows */);
  block.srcHeight = 2, block.Depth = 0;
  ASK(cuMemcpy3D(&block) /* no slices */);
  block.Depth = 2, block.srcLOD = 1;
  ASK(cuMemcpy3D(&block) /* level 1 */);

  part = "pointers";
  ASK(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  ASK(cuPointerGetAttribute(&type, (CUpointer_attribute)0, p));
  ASK(cuPointerGetAttribute(&type, (CUpointer_attribute)99, p));
  for (j = 1; j <= 20; ++j) {
    unsigned long long room[4] = {0};
    if (j == CU_POINTER_ATTRIBUTE_P2P_TOKENS) continue;
    value("attribute", j);
    ASK(cuPointerGetAttribute(room, (CUpointer_attribute)j, p));
    ASK(cuPointerGetAttribute(room, (CUpointer_attribute)j, (CUdeviceptr)(uintptr_t)host));
    ASK(cuPointerGetAttribute(room, (CUpointer_attribute)j, (CUdeviceptr)(uintptr_t)own));
    ASK(cuPointerGetAttribute(room, (CUpointer_attribute)j, 0));
  }
  ASK(cuPointerGetAttributes(0, attributes, values, p));
  ASK(cuPointerGetAttributes(2, NULL, values, p));
  ASK(cuPointerGetAttributes(2, attributes, NULL, p));
  ASK(cuPointerGetAttributes(2, attributes, none, p));
  ASK(cuPointerGetAttributes(2, attributes, values, p));
  ASK(cuPointerGetAttributes(2, attributes, values, 12345));
  VALUE(type);
  VALUE(i);
  i = 1;
  ASK(cuPointerSetAttribute(&i, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
  ASK(cuPointerSetAttribute(&i, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 12345));
  ASK(cuPointerSetAttribute(&i, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  ASK(cuPointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
  ASK(cuMemFreeHost(host));
}

static void modules(void) {
  static const char elf[256] = "\177ELF\2\1\1";
  static char log[512];
  CUjit_option strange = (CUjit_option)99, level = CU_JIT_OPTIMIZATION_LEVEL;
  CUjit_option logs[2] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* five[1] = {(void*)5};
  void* log_values[2] = {log, (void*)sizeof log};
  CUfunction functions[16];
  CUmodule other = NULL;
  part = "modules";
  ASK(cuModuleLoadData(NULL, ptx));
  ASK(cuModuleLoadData(&other, NULL));
  ASK(cuModuleLoadData(&other, ""));
  ASK(cuModuleLoadData(&other, "a text that is no module"));
  ASK(cuModuleLoadData(&other, elf));
  ASK(cuModuleLoadData(&other, bad_ptx));
  ASK(cuModuleLoadData(&other, calls_ptx));
  ASK(cuModuleLoadData(&other, new_ptx));
  ASK(cuModuleLoadData(&other, far_ptx));
  ASK(cuModuleLoadFatBinary(&other, NULL));
  ASK(cuModuleLoad(&other, "/none/such"));
  ASK(cuModuleLoad(&other, "/"));
  ASK(cuModuleLoad(&other, "/dev/null"));
  ASK(cuModuleLoad(&other, NULL));
  ASK(cuModuleLoad(NULL, "/none/such"));
  ASK(cuModuleLoadDataEx(&other, ptx, 1, NULL, NULL));
  ASK(cuModuleLoadDataEx(&other, ptx, 1, &strange, five));
  ASK(cuModuleLoadDataEx(&other, ptx, 1, &level, five));
  ASK(cuModuleLoadDataEx(&other, ptx, 1, &level, NULL));
  ASK(cuModuleLoadDataEx(&other, bad_ptx, 2, logs, log_values));
  VALUE(log[0] != 0);
  VALUE((size_t)log_values[1] == sizeof log);
  ASK(cuModuleLoadData(&module, ptx));
  ASK(cuModuleGetFunction(NULL, module, "empty"));
  ASK(cuModuleGetFunction(&empty, NULL, "empty"));
  ASK(cuModuleGetFunction(&empty, module, NULL));
  ASK(cuModuleGetFunction(&empty, module, "absent"));
  ASK(cuModuleGetFunction(&empty, module, ""));
  ASK(cuModuleGetFunction(&empty, module, "table"));
  ASK(cuModuleGetFunction(&empty, module, "empty"));
  cuModuleGetFunction(&one, module, "one");
  cuModuleGetFunction(&mixed, module, "mixed");
  cuModuleGetFunction(&bounded, module, "bounded");
  cuModuleGetFunction(&exact, module, "exact");
  ASK(cuModuleGetGlobal(&q, &bytes, NULL, "table"));
  ASK(cuModuleGetGlobal(&q, &bytes, module, NULL));
  ASK(cuModuleGetGlobal(&q, &bytes, module, "absent"));
  ASK(cuModuleGetGlobal(&q, &bytes, module, "empty"));
  ASK(cuModuleGetGlobal(NULL, NULL, module, "table"));
  ASK(cuModuleGetGlobal(NULL, &bytes, module, "table"));
  VALUE(bytes);
  ASK(cuModuleGetGlobal(&q, &bytes, module, "shared_number"));
  VALUE(bytes);
  VALUE(*(unsigned*)(uintptr_t)q);
  ASK(cuPointerGetAttribute(&i, CU_POINTER_ATTRIBUTE_IS_MANAGED, q));
  VALUE(i & 1);
  ASK(cuMemFree(q));
  ASK(cuModuleGetLoadingMode(NULL));
  ASK(cuModuleUnload(NULL));
#if CUDA_VERSION >= 12040 || defined(HEDDLE_CRT_DRIVER_API_CU_H)
  ASK(cuModuleGetFunctionCount(&u, module));
  VALUE(u);
  ASK(cuModuleGetFunctionCount(NULL, module));
  ASK(cuModuleGetFunctionCount(&u, NULL));
  ASK(cuModuleEnumerateFunctions(NULL, 1, module));
  ASK(cuModuleEnumerateFunctions(functions, 0, module));
  ASK(cuModuleEnumerateFunctions(functions, 16, module));
  ASK(cuModuleEnumerateFunctions(functions, 1, NULL));
#endif

  part = "functions";
  ASK(cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, empty));
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL));
  ASK(cuFuncGetAttribute(&i, (CUfunction_attribute)-1, empty));
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX, empty));
  ASK(cuFuncGetAttribute(&i, (CUfunction_attribute)99, empty));
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded));
  VALUE(i);
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, exact));
  VALUE(i);
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, empty));
  VALUE(i);
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, empty));
  VALUE(i);
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, empty));
  VALUE(i);
  ASK(cuFuncSetAttribute(NULL, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0));
  ASK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
  ASK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30));
  ASK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 16384));
  ASK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_NUM_REGS, 16));
  ASK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
  ASK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -2));
  ASK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
  ASK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 2));
  ASK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, -1));
  ASK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 9));
  ASK(cuFuncSetAttribute(empty, (CUfunction_attribute)99, 1));
  ASK(cuFuncSetCacheConfig(empty, (CUfunc_cache)9));
  ASK(cuFuncSetCacheConfig(NULL, CU_FUNC_CACHE_PREFER_L1));
  ASK(cuFuncSetSharedMemConfig(empty, (CUsharedconfig)9));
  ASK(cuFuncGetModule(NULL, empty));
  ASK(cuFuncGetModule(&other, NULL));
  ASK(cuFuncGetModule(&other, empty));
  VALUE(other == module);
#if CUDA_VERSION >= 12040 || defined(HEDDLE_CRT_DRIVER_API_CU_H)
  ASK(cuFuncGetName(NULL, empty));
  ASK(cuFuncGetName(&name, NULL));
  ASK(cuFuncGetName(&name, empty));
  ASK(cuFuncGetParamInfo(mixed, 2, &offset, &bytes));
  VALUE(offset);
  VALUE(bytes);
  ASK(cuFuncGetParamInfo(mixed, 3, &offset, &bytes));
  ASK(cuFuncGetParamInfo(mixed, 1, NULL, &bytes));
  ASK(cuFuncGetParamInfo(mixed, 1, &offset, NULL));
  ASK(cuFuncGetParamInfo(NULL, 1, &offset, NULL));
  ASK(cuFuncIsLoaded(NULL, empty));
  ASK(cuFuncIsLoaded((CUfunctionLoadingState*)&i, NULL));
  ASK(cuFuncIsLoaded((CUfunctionLoadingState*)&i, empty));
  ASK(cuFuncLoad(NULL));
  ASK(cuFuncLoad(empty));
#endif

  part = "occupancy";
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, empty, 32, 0));
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, NULL, 32, 0));
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, empty, 0, 0));
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, empty, -1, 0));
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, empty, 2000, 0));
  VALUE(i);
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, empty, 32, (size_t)1 << 30));
  VALUE(i);
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, bounded, 256, 0));
  VALUE(i);
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&i, empty, 32, 0, 9));
  ASK(cuOccupancyMaxPotentialBlockSize(NULL, &j, empty, NULL, 0, 0));
  ASK(cuOccupancyMaxPotentialBlockSize(&i, NULL, empty, NULL, 0, 0));
  ASK(cuOccupancyMaxPotentialBlockSize(&i, &j, NULL, NULL, 0, 0));
  ASK(cuOccupancyMaxPotentialBlockSize(&i, &j, empty, NULL, 0, -1));
  ASK(cuOccupancyMaxPotentialBlockSize(&i, &j, empty, NULL, 0, 0));
  VALUE(j);
  ASK(cuOccupancyMaxPotentialBlockSize(&i, &j, bounded, NULL, 0, 0));
  VALUE(j);
  ASK(cuOccupancyAvailableDynamicSMemPerBlock(NULL, empty, 1, 32));
  ASK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, empty, 0, 32));
  ASK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, empty, 1, 0));
  ASK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, NULL, 1, 32));
  ASK(cuOccupancyMaxActiveClusters(&i, empty, NULL));
  ASK(cuOccupancyMaxPotentialClusterSize(&i, empty, NULL));
}

static CUresult launch(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z,
                       unsigned shared) {
  return cuLaunchKernel(f, gx, gy, gz, x, y, z, shared, NULL, NULL, NULL);
}

static CUlaunchConfig shape(CUlaunchAttribute* attributes, unsigned count, unsigned blocks) {
  CUlaunchConfig config;
  memset(&config, 0, sizeof config);
  config.gridDimX = blocks, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32, config.blockDimY = config.blockDimZ = 1;
  config.attrs = attributes, config.numAttrs = count;
  return config;
}

static void launches(void) {
  CUlaunchAttribute attribute;
  CUlaunchConfig config;
  CUmodule clustered = NULL;
  CUfunction pair = NULL, free_of = NULL;
  unsigned long long place = 0, block[8] = {0};
  void* arguments[3] = {&place, &place, block};
  void* nulls[1] = {NULL};
  size_t size = 8;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  void* strange[] = {(void*)7, block, CU_LAUNCH_PARAM_END};
  void* no_size[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_END};
  void* nothing_said[] = {CU_LAUNCH_PARAM_END};
  part = "launches";
  ASK(launch(NULL, 1, 1, 1, 1, 1, 1, 0));
  ASK(launch(empty, 1, 1, 1, 1, 1, 1, 0));
  ASK(launch(empty, 0, 1, 1, 1, 1, 1, 0));
  ASK(launch(empty, 1, 0, 1, 1, 1, 1, 0));
  ASK(launch(empty, 1, 1, 1, 0, 1, 1, 0));
  ASK(launch(empty, 1, 1, 1, 1, 1, 0, 0));
  ASK(launch(empty, 1, 1, 1, 1025, 1, 1, 0));
  ASK(launch(empty, 1, 1, 1, 1, 1025, 1, 0));
  ASK(launch(empty, 1, 1, 1, 1, 1, 65, 0));
  ASK(launch(empty, 1, 1, 1, 32, 33, 1, 0));
  ASK(launch(empty, 1, 65536, 1, 1, 1, 1, 0));
  ASK(launch(empty, 1, 1, 65536, 1, 1, 1, 0));
  ASK(launch(empty, 0x80000000u, 1, 1, 1, 1, 1, 0));
  ASK(launch(empty, 1, 1, 1, 1, 1, 1, 16384));
  ASK(launch(empty, 1, 1, 1, 1, 1, 1, 16385));
  ASK(launch(empty, 1, 1, 1, 1, 1, 1, 1 << 30));
  ASK(launch(one, 1, 1, 1, 1, 1, 1, 0) /* no arguments */);
  ASK(launch(bounded, 1, 1, 1, 128, 1, 1, 0));
  ASK(launch(bounded, 1, 1, 1, 129, 1, 1, 0));
  ASK(launch(exact, 1, 1, 1, 64, 1, 1, 0));
  ASK(launch(exact, 1, 1, 1, 32, 1, 1, 0));
  ASK(launch(exact, 1, 1, 1, 8, 8, 1, 0));
  ASK(cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  ASK(cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, NULL, nulls, NULL));
  ASK(cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, extra));
  ASK(cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
  size = 4;
  ASK(cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra) /* 4 bytes */);
  size = 16;
  ASK(cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra) /* 16 bytes */);
  size = 0;
  ASK(cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra) /* 0 bytes */);
  ASK(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra) /* 0 bytes */);
  ASK(cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, strange));
  ASK(cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, no_size));
  ASK(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, nothing_said));
  ASK(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, (CUstream)0x3, NULL, NULL));
  ASK(cuLaunchCooperativeKernel(empty, 1, 1, 1, 32, 1, 1, 0, NULL, NULL));
  ASK(cuLaunchCooperativeKernel(empty, 1 << 20, 1, 1, 1024, 1, 1, 0, NULL, NULL));
  ASK(cuLaunchCooperativeKernel(NULL, 1, 1, 1, 32, 1, 1, 0, NULL, NULL));
  ASK(cuLaunchHostFunc(NULL, NULL, NULL));
  ASK(cuLaunchHostFunc(NULL, nothing, NULL));
  ASK(cuLaunchKernelEx(NULL, empty, NULL, NULL));
  config = shape(NULL, 0, 4);
  ASK(cuLaunchKernelEx(&config, NULL, NULL, NULL));
  ASK(cuLaunchKernelEx(&config, empty, NULL, NULL));
  config = shape(NULL, 1, 4);
  ASK(cuLaunchKernelEx(&config, empty, NULL, NULL) /* no attributes */);
  memset(&attribute, 0, sizeof attribute);
  config = shape(&attribute, 1, 4);
  attribute.id = (CUlaunchAttributeID)99;
  ASK(cuLaunchKernelEx(&config, empty, NULL, NULL) /* attribute 99 */);
  attribute.id = CU_LAUNCH_ATTRIBUTE_IGNORE;
  ASK(cuLaunchKernelEx(&config, empty, NULL, NULL) /* ignore */);
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, attribute.value.cooperative = 1;
  ASK(cuLaunchKernelEx(&config, empty, NULL, NULL) /* cooperative */);
  ASK(cuModuleLoadData(&clustered, clustered_ptx));
  cuModuleGetFunction(&pair, clustered, "pair");
  cuModuleGetFunction(&free_of, clustered, "free_of");
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, pair));
  VALUE(i);
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, pair));
  VALUE(i);
  ASK(launch(pair, 4, 1, 1, 32, 1, 1, 0));
  ASK(launch(pair, 3, 1, 1, 32, 1, 1, 0));
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  for (j = 0; j <= 17; ++j) {
    attribute.value.clusterDim.x = j, attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    config = shape(&attribute, 1, 16 * 17 * 6);
    value("cluster", j);
    ASK(cuLaunchKernelEx(&config, free_of, NULL, NULL));
    if (j < 4) ASK(cuLaunchKernelEx(&config, pair, NULL, NULL));
    if (j < 4) ASK(cuLaunchKernelEx(&config, empty, NULL, NULL));
  }
  attribute.value.clusterDim.x = 3;
  config = shape(&attribute, 1, 4);
  ASK(cuLaunchKernelEx(&config, free_of, NULL, NULL) /* 3 of 4 */);
  ASK(cuFuncSetAttribute(free_of, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  attribute.value.clusterDim.x = 16;
  config = shape(&attribute, 1, 16);
  ASK(cuLaunchKernelEx(&config, free_of, NULL, NULL) /* 16, allowed */);
  ASK(cuOccupancyMaxActiveClusters(&i, free_of, &config));
  ASK(cuOccupancyMaxPotentialClusterSize(&i, free_of, &config));
  ASK(cuOccupancyMaxActiveClusters(NULL, free_of, &config));
  ASK(cuCtxSynchronize());

  part = "steps";
  ASK(cuFuncSetBlockShape(empty, 0, 1, 1));
  ASK(cuFuncSetBlockShape(empty, -1, 1, 1));
  ASK(cuFuncSetBlockShape(empty, 1025, 1, 1));
  ASK(cuFuncSetBlockShape(NULL, 1, 1, 1));
  ASK(cuLaunch(NULL));
  ASK(cuLaunchGrid(empty, 0, 1));
  ASK(cuLaunchGrid(empty, 1, 65536));
  ASK(cuLaunchGrid(bounded, 1, 1) /* no shape */);
  ASK(cuFuncSetBlockShape(empty, 32, 1, 1));
  ASK(cuLaunchGrid(empty, 1, 1));
  ASK(cuFuncSetSharedSize(empty, 1 << 30));
  ASK(cuLaunchGrid(empty, 1, 1) /* 1 << 30 bytes */);
  ASK(cuParamSetSize(one, 4096));
  ASK(cuParamSetSize(one, 1 << 20));
  ASK(cuParamSeti(one, -4, 1));
  ASK(cuParamSeti(one, 8, 1));
  ASK(cuParamSeti(one, 1 << 20, 1));
  ASK(cuParamSetv(one, 0, NULL, 8));
  ASK(cuParamSetv(NULL, 0, block, 8));
  ASK(cuParamSetv(one, 0, block, 8));
}

static void streams(void) {
  CUstreamAttrValue attribute;
  CUcontext owner;
  part = "streams";
  ASK(cuStreamCreate(NULL, 0));
  ASK(cuStreamCreate(&stream, 9));
  ASK(cuStreamCreateWithPriority(&stream, 0, 99));
  ASK(cuStreamGetPriority(stream, &i));
  VALUE(i);
  ASK(cuStreamCreateWithPriority(&stream, 0, -99));
  ASK(cuStreamGetPriority(stream, &i));
  VALUE(i);
  ASK(cuStreamDestroy(NULL));
  ASK(cuStreamDestroy(CU_STREAM_LEGACY));
  ASK(cuStreamDestroy(CU_STREAM_PER_THREAD));
  ASK(cuStreamQuery(NULL));
  ASK(cuStreamSynchronize(NULL));
  ASK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  ASK(cuStreamSynchronize((CUstream)0x3));
  ASK(cuStreamWaitEvent(stream, NULL, 0));
  ASK(cuEventCreate(&plain, 0));
  ASK(cuStreamWaitEvent(stream, plain, 0));
  ASK(cuStreamWaitEvent(stream, plain, 9));
  ASK(cuStreamAddCallback(stream, NULL, NULL, 0));
  ASK(cuStreamAddCallback(stream, called, NULL, 1));
  ASK(cuStreamGetFlags(stream, NULL));
  ASK(cuStreamGetFlags(NULL, &u));
  VALUE(u);
  ASK(cuStreamGetFlags(CU_STREAM_PER_THREAD, &u));
  VALUE(u);
  ASK(cuStreamGetPriority(stream, NULL));
  ASK(cuStreamGetPriority(NULL, &i));
  ASK(cuStreamGetCtx(stream, NULL));
  ASK(cuStreamGetCtx(NULL, &owner));
  VALUE(owner == a);
  ASK(cuStreamGetId(stream, NULL));
  ASK(cuStreamGetId(NULL, &id));
  ASK(cuStreamIsCapturing(stream, NULL));
  ASK(cuStreamIsCapturing(NULL, (CUstreamCaptureStatus*)&i));
  VALUE(i);
  ASK(cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &attribute));
  ASK(cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &attribute));
  ASK(cuStreamGetAttribute(stream, (CUstreamAttrID)99, &attribute));
  ASK(cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
  ASK(cuStreamSetAttribute(stream, (CUstreamAttrID)99, &attribute));
  ASK(cuStreamCopyAttributes(stream, stream));
  ASK(cuStreamAttachMemAsync(stream, p, 0, CU_MEM_ATTACH_SINGLE));
  ASK(cuStreamAttachMemAsync(stream, 12345, 0, CU_MEM_ATTACH_SINGLE));

  part = "events";
  ASK(cuEventCreate(NULL, 0));
  ASK(cuEventCreate(&event, 0x80));
  ASK(cuEventCreate(&event, CU_EVENT_INTERPROCESS));
  ASK(cuEventCreate(&event, 0));
  ASK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  ASK(cuEventDestroy(NULL));
  ASK(cuEventQuery(NULL));
  ASK(cuEventQuery(event));
  ASK(cuEventSynchronize(NULL));
  ASK(cuEventSynchronize(event));
  ASK(cuEventRecord(NULL, NULL));
  ASK(cuEventRecord(NULL, stream));
  ASK(cuEventRecordWithFlags(event, stream, 9));
  ASK(cuEventElapsedTime(&ms, event, plain));
  ASK(cuEventRecord(event, stream));
  ASK(cuEventElapsedTime(&ms, event, plain) /* one recorded */);
  ASK(cuEventRecord(plain, stream));
  ASK(cuEventRecord(untimed, stream));
  ASK(cuStreamSynchronize(stream));
  ASK(cuEventElapsedTime(&ms, event, plain) /* both recorded */);
  ASK(cuEventElapsedTime(&ms, event, untimed));
  ASK(cuEventElapsedTime(NULL, event, plain));
  ASK(cuEventElapsedTime(&ms, NULL, plain));
}

static void other_context(void) {
  CUcontext owner;
  part = "another context's";
  ASK(cuCtxPushCurrent(b));
  ASK(cuModuleLoadData(&module_b, ptx));
  ASK(cuModuleGetFunction(&function_b, module_b, "empty"));
  ASK(cuStreamCreate(&stream_b, 0));
  ASK(cuEventCreate(&event_b, 0));
  ASK(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  ASK(cuLaunchKernel(function_b, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
  ASK(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, empty));
  ASK(cuFuncSetCacheConfig(empty, CU_FUNC_CACHE_PREFER_L1));
  ASK(cuModuleGetFunction(&function_b, module, "empty"));
  ASK(cuModuleGetGlobal(&q, &bytes, module, "table"));
  ASK(cuMemcpyDtoH(text, p, 4));
  ASK(cuMemsetD8(p, 0, 4));
  ASK(cuMemsetD8Async(p, 0, 4, stream));
  ASK(cuMemcpyDtoDAsync(p, p + 16, 4, stream));
  ASK(cuStreamQuery(stream));
  ASK(cuStreamSynchronize(stream));
  ASK(cuStreamGetCtx(stream, &owner));
  VALUE(owner == a);
  ASK(cuStreamGetFlags(stream, &u));
  ASK(cuStreamWaitEvent(stream, event_b, 0));
  ASK(cuStreamWaitEvent(stream_b, event, 0));
  ASK(cuEventRecord(event, NULL));
  ASK(cuEventRecord(event, stream_b));
  ASK(cuEventRecord(event_b, stream));
  ASK(cuEventRecord(event, stream));
  ASK(cuEventQuery(event));
  ASK(cuEventSynchronize(event));
  ASK(cuEventElapsedTime(&ms, event, plain));
  ASK(cuLaunchHostFunc(stream, nothing, NULL));
  ASK(cuMemAllocAsync(&q, 64, stream));
  ASK(cuMemAlloc(&q, 64));
  ASK(cuMemFree(p));
  ASK(cuMemAlloc(&p, 1000));
  ASK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, empty, 32, 0));
  ASK(cuStreamDestroy(stream));
  ASK(cuEventDestroy(untimed));
  ASK(cuModuleUnload(module));
  ASK(cuCtxPopCurrent(NULL));
  ASK(cuMemFree(q));
  ASK(cuEventRecord(event_b, NULL));
}

static void linking(void) {
  CUlinkState state = NULL;
  void* cubin = NULL;
  CUfunction f;
  CUmodule linked = NULL;
  part = "linking";
  ASK(cuLinkCreate(0, NULL, NULL, NULL));
  ASK(cuLinkCreate(1, NULL, NULL, &state));
  ASK(cuLinkCreate(0, NULL, NULL, &state));
  ASK(cuLinkAddData(NULL, CU_JIT_INPUT_PTX, (void*)ptx, sizeof ptx, "x", 0, NULL, NULL));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, NULL, 5, "x", 0, NULL, NULL));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)ptx, 0, "x", 0, NULL, NULL));
  ASK(cuLinkAddData(state, (CUjitInputType)99, (void*)ptx, sizeof ptx, "x", 0, NULL, NULL));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, (void*)ptx, sizeof ptx, "x", 0, NULL, NULL));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)bad_ptx, sizeof bad_ptx, "x", 0, NULL, NULL));
  ASK(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/none/such", 0, NULL, NULL));
  ASK(cuLinkAddFile(state, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
  ASK(cuLinkComplete(NULL, &cubin, &bytes));
  ASK(cuLinkDestroy(NULL));
  ASK(cuLinkDestroy(state));
  ASK(cuLinkCreate(0, NULL, NULL, &state));
  ASK(cuLinkComplete(state, &cubin, &bytes) /* nothing */);
  ASK(cuLinkDestroy(state));
  ASK(cuLinkCreate(0, NULL, NULL, &state));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)calls_ptx, sizeof calls_ptx, "calls", 0, NULL, NULL));
  ASK(cuLinkComplete(state, &cubin, &bytes) /* undefined */);
  ASK(cuLinkDestroy(state));
  ASK(cuLinkCreate(0, NULL, NULL, &state));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)gives_ptx, sizeof gives_ptx, "gives", 0, NULL, NULL));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)gives_ptx, sizeof gives_ptx, "gives", 0, NULL, NULL));
  ASK(cuLinkComplete(state, &cubin, &bytes) /* twice */);
  ASK(cuLinkDestroy(state));
  ASK(cuLinkCreate(0, NULL, NULL, &state));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)calls_ptx, sizeof calls_ptx, NULL, 0, NULL, NULL));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)gives_ptx, sizeof gives_ptx, "gives", 0, NULL, NULL));
  ASK(cuLinkComplete(state, NULL, &bytes));
  ASK(cuLinkComplete(state, &cubin, &bytes));
  ASK(cuLinkComplete(state, &cubin, NULL));
  ASK(cuModuleLoadData(&linked, cubin));
  ASK(cuModuleGetFunction(&f, linked, "caller"));
  ASK(launch(f, 1, 1, 1, 1, 1, 1, 0));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)ptx, sizeof ptx, "late", 0, NULL, NULL));
  ASK(cuLinkDestroy(state));
}

static void libraries(void) {
  CUlibrary library = NULL, other = NULL;
  CUkernel kernel = NULL, kernel_mixed = NULL, kernels[16];
  CUfunction f = NULL;
  CUmodule m = NULL;
  part = "libraries";
  ASK(cuCtxPushCurrent(NULL));
  ASK(cuLibraryLoadData(NULL, ptx, NULL, NULL, 0, NULL, NULL, 0));
  ASK(cuLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
  ASK(cuLibraryLoadData(&other, "a text that is no module", NULL, NULL, 0, NULL, NULL, 0));
  ASK(cuLibraryLoadData(&other, bad_ptx, NULL, NULL, 0, NULL, NULL, 0));
  ASK(cuLibraryLoadData(&other, ptx, NULL, NULL, 1, NULL, NULL, 0));
  ASK(cuLibraryLoadData(&other, ptx, NULL, NULL, 0, NULL, NULL, 1));
  ASK(cuLibraryLoadFromFile(&other, "/none/such", NULL, NULL, 0, NULL, NULL, 0));
  ASK(cuLibraryLoadFromFile(&other, NULL, NULL, NULL, 0, NULL, NULL, 0));
  ASK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
  ASK(cuLibraryGetKernel(&kernel, library, "absent"));
  ASK(cuLibraryGetKernel(&kernel, library, NULL));
  ASK(cuLibraryGetKernel(NULL, library, "empty"));
  ASK(cuLibraryGetKernel(&kernel, NULL, "empty"));
  ASK(cuLibraryGetKernel(&kernel, library, "empty"));
  ASK(cuLibraryGetKernel(&kernel_mixed, library, "mixed"));
  ASK(cuLibraryGetModule(&m, library));
  ASK(cuLibraryGetGlobal(&q, &bytes, library, "table"));
  ASK(cuKernelGetFunction(&f, kernel));
  ASK(cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
  ASK(cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 99));
  ASK(cuCtxPopCurrent(NULL));
  ASK(cuLibraryGetModule(NULL, library));
  ASK(cuLibraryGetModule(&m, NULL));
  ASK(cuLibraryGetModule(&m, library));
  ASK(cuModuleUnload(m));
  ASK(cuLibraryGetGlobal(&q, &bytes, library, "table"));
  VALUE(bytes);
  ASK(cuLibraryGetGlobal(NULL, NULL, library, "table"));
  ASK(cuLibraryGetGlobal(&q, &bytes, library, "absent"));
  ASK(cuLibraryGetGlobal(&q, &bytes, library, NULL));
  ASK(cuLibraryGetGlobal(&q, &bytes, library, "shared_number"));
  ASK(cuLibraryGetManaged(&q, &bytes, library, "shared_number"));
  VALUE(bytes);
  ASK(cuLibraryGetManaged(&q, &bytes, library, "table"));
  ASK(cuLibraryGetManaged(&q, &bytes, library, "absent"));
  ASK(cuKernelGetFunction(NULL, kernel));
  ASK(cuKernelGetFunction(&f, NULL));
  ASK(cuKernelGetFunction(&f, kernel));
  ASK(launch(f, 1, 1, 1, 1, 1, 1, 0));
  ASK(launch((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0));
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, (CUfunction)kernel));
  ASK(cuFuncGetModule(&m, (CUfunction)kernel));
  ASK(cuKernelGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
  ASK(cuKernelGetAttribute(&i, (CUfunction_attribute)99, kernel, 0));
  ASK(cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL, 0));
  ASK(cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
  VALUE(i);
  ASK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 16384, kernel, 0));
  ASK(cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
  VALUE(i);
  ASK(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
  VALUE(i);
  ASK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30, kernel, 0));
  ASK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 8, kernel, 0));
  ASK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0, kernel, 99));
  ASK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
  ASK(cuKernelSetCacheConfig(kernel, (CUfunc_cache)9, 0));
#if CUDA_VERSION >= 12050 || defined(HEDDLE_CRT_DRIVER_API_CU_H)
  ASK(cuKernelGetName(NULL, kernel));
  ASK(cuKernelGetName(&name, NULL));
  ASK(cuKernelGetName(&name, kernel));
  ASK(cuKernelGetLibrary(NULL, kernel));
  ASK(cuKernelGetLibrary(&other, kernel));
  VALUE(other == library);
  ASK(cuKernelGetParamInfo(kernel_mixed, 2, &offset, &bytes));
  VALUE(offset);
  VALUE(bytes);
  ASK(cuKernelGetParamInfo(kernel_mixed, 3, &offset, &bytes));
  ASK(cuKernelGetParamInfo(kernel_mixed, 1, &offset, NULL));
  ASK(cuKernelGetParamInfo(kernel_mixed, 1, NULL, &bytes));
  ASK(cuLibraryGetKernelCount(NULL, library));
  ASK(cuLibraryGetKernelCount(&u, NULL));
  ASK(cuLibraryGetKernelCount(&u, library));
  VALUE(u);
  ASK(cuLibraryEnumerateKernels(NULL, 1, library));
  ASK(cuLibraryEnumerateKernels(kernels, 0, library));
  ASK(cuLibraryEnumerateKernels(kernels, 16, library));
#endif
  ASK(cuLibraryUnload(NULL));
  ASK(cuLibraryUnload(library));
}

static void names(void) {
  void* function = NULL;
  CUdriverProcAddressQueryResult status;
  part = "names";
  ASK(cuGetProcAddress("cuMemAlloc", &function, 12030, 0, &status));
  VALUE(status);
  ASK(cuGetProcAddress("cuMemAlloc", &function, 12030, 0, NULL));
  ASK(cuGetProcAddress("cuNone", &function, 12030, 0, &status));
  VALUE(status);
  VALUE(function == NULL);
  ASK(cuGetProcAddress("cuNone", &function, 12030, 0, NULL));
  ASK(cuGetProcAddress("cuLaunchKernelEx", &function, 11000, 0, &status));
  VALUE(status);
  ASK(cuGetProcAddress("cuLaunchKernelEx", &function, 11000, 0, NULL));
  ASK(cuGetProcAddress(NULL, &function, 12030, 0, &status));
  ASK(cuGetProcAddress("cuMemAlloc", NULL, 12030, 0, &status));
  ASK(cuGetProcAddress("cuMemAlloc", &function, 12030, 99, &status));
  ASK(cuGetProcAddress("cuMemAlloc", &function, 12030, 3, &status));
  ASK(cuGetProcAddress("cuMemAlloc", &function, 0, 0, &status));
  VALUE(status);
  ASK(cuGetProcAddress("cuMemAlloc", &function, -1, 0, &status));
  VALUE(status);
  ASK(cuGetProcAddress("cuMemAlloc", &function, 99990, 0, &status));
  VALUE(status);
  ASK(cuGetProcAddress("cuMemAlloc_v2", &function, 12030, 0, &status));
  VALUE(status);
  ASK(cuGetProcAddress("", &function, 12030, 0, &status));
  VALUE(status);
}

// The last questions, which spoil what they ask of.
static void ends(void) {
  CUfunction f = NULL;
  CUcontext same = NULL;
  part = "destroyed";
  ASK(cuCtxDestroy(b));
  ASK(cuCtxDestroy(b));
  ASK(cuCtxSetCurrent(b));
  ASK(cuCtxPushCurrent(b));
  ASK(cuCtxGetApiVersion(b, &u));
  ASK(cuCtxGetId(b, &id));
  ASK(cuLaunchKernel(function_b, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  ASK(cuStreamSynchronize(stream_b));
  ASK(cuStreamDestroy(stream_b));
  ASK(cuEventQuery(event_b));
  ASK(cuModuleGetFunction(&f, module_b, "empty"));

  part = "failed";
  ASK(cuCtxCreate_v2(&c, 0, 0));
  ASK(cuModuleLoadData(&module, ptx));
  ASK(cuModuleGetFunction(&f, module, "trap"));
  ASK(cuMemAlloc(&p, 64));
  ASK(launch(f, 1, 1, 1, 1, 1, 1, 0) /* trap */);
  ASK(cuCtxSynchronize());
  ASK(cuCtxSynchronize());
  ASK(cuMemAlloc(&q, 64));
  ASK(cuMemFree(p));
  ASK(cuMemcpyDtoH(text, p, 4));
  ASK(cuStreamQuery(NULL));
  ASK(cuModuleGetFunction(&f, module, "empty"));
  ASK(cuCtxGetDevice(&device));
  ASK(cuCtxGetCurrent(&same));
  ASK(cuModuleUnload(module));
  ASK(cuCtxDestroy(c));
  ASK(cuCtxCreate_v2(&c, 0, 0));
  ASK(cuModuleLoadData(&module, ptx));
  ASK(cuModuleGetFunction(&f, module, "wild"));
  ASK(launch(f, 1, 1, 1, 1, 1, 1, 0) /* wild */);
  ASK(cuCtxSynchronize());
  ASK(cuCtxDestroy(c));
  ASK(cuCtxDestroy(a));
}

int main(int argc, char** argv) {
  void (*const parts[])(void) = {before, devices, without_context, contexts, memory, modules, launches, streams, other_context, linking, libraries, names, ends};
  size_t k;
  (void)argc, (void)argv;
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGSEGV, died);
  signal(SIGBUS, died);
  signal(SIGABRT, died);
  for (k = 0; k < sizeof parts / sizeof parts[0]; ++k) parts[k]();
  return 0;
}
