// SPDX-License-Identifier: Apache-2.0
// NVRTC: CUDA C++ that is compiled at run time. Functions, types and numbers of CUDA 12, and what CUDA 13 added.
#if !defined(__NVRTC_H__)
#define __NVRTC_H__

#include <stdlib.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  NVRTC_ERROR_INTERNAL_ERROR = 11,
  NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
  NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
  NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
  NVRTC_ERROR_PCH_CREATE = 15,
  NVRTC_ERROR_CANCELLED = 16,
  NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;

typedef struct _nvrtcProgram* nvrtcProgram;

const char* nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int* major, int* minor);
nvrtcResult nvrtcGetNumSupportedArchs(int* numArchs);
nvrtcResult nvrtcGetSupportedArchs(int* supportedArchs);

nvrtcResult nvrtcCreateProgram(nvrtcProgram* prog, const char* src, const char* name, int numHeaders,
                               const char* const* headers, const char* const* includeNames);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* prog);
nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char* const* options);

nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t* ptxSizeRet);
nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char* ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t* cubinSizeRet);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char* cubin);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t* logSizeRet);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char* log);

nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char* const name_expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char* const name_expression, const char** lowered_name);

// None of these is ever made: their sizes are 0.
nvrtcResult nvrtcGetNVVMSize(nvrtcProgram prog, size_t* nvvmSizeRet);
nvrtcResult nvrtcGetNVVM(nvrtcProgram prog, char* nvvm);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t* LTOIRSizeRet);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram prog, char* LTOIR);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram prog, size_t* optixirSizeRet);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram prog, char* optixir);

// Headers are never compiled ahead.
nvrtcResult nvrtcGetPCHHeapSize(size_t* ret);
nvrtcResult nvrtcSetPCHHeapSize(size_t size);
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram prog);
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram prog, size_t* size);

// Asked during a compilation: other than 0 ends it.
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram prog, int (*callback)(void* payload, void* reserved), void* payload);

#if defined(__cplusplus)
}

// The name of a type as name expressions have it: only where a program asks for it by this macro.
#if defined(NVRTC_GET_TYPE_NAME)
#include <cxxabi.h>

#include <string>
#include <typeinfo>

inline nvrtcResult nvrtcGetTypeName(const std::type_info& type, std::string* result) {
  int status = 0;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  if (!name) return status == -1 ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_INTERNAL_ERROR;
  *result = name;
  free(name);
  return NVRTC_SUCCESS;
}

namespace __nvrtcGetTypeName_helper_ns {
template <typename T>
struct Wrapper {};
}  // namespace __nvrtcGetTypeName_helper_ns

// References and qualifiers stay, which typeid alone forgets.
template <typename T>
nvrtcResult nvrtcGetTypeName(std::string* result) {
  const nvrtcResult status = nvrtcGetTypeName(typeid(__nvrtcGetTypeName_helper_ns::Wrapper<T>), result);
  if (status != NVRTC_SUCCESS) return status;
  const std::string::size_type first = result->find('<') + 1;
  *result = result->substr(first, result->rfind('>') - first);
  while (!result->empty() && result->back() == ' ') result->pop_back();
  return status;
}
#endif
#endif

#endif  // __NVRTC_H__
