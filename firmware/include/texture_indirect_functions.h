// SPDX-License-Identifier: Apache-2.0
// tex1D() and family by texture object, over clang's __nv_tex_surf_handler; then what else clang's
// headers lack and this late slot can define (crt/device_extras.h). Opened by clang's wrapper.
#if !defined(HEDDLE_TEXTURE_INDIRECT_FUNCTIONS_H)
#define HEDDLE_TEXTURE_INDIRECT_FUNCTIONS_H

#if __cplusplus >= 201103L
// One fetch, returned or stored through a pointer; `op` is the name that clang's handler knows.
#define HEDDLE_FETCH(name, op, parameters, ...)                \
  template <class T>                                           \
  static __device__ __forceinline__ T name parameters {        \
    T value;                                                   \
    __nv_tex_surf_handler(op, &value, texObject, __VA_ARGS__); \
    return value;                                              \
  }
#define HEDDLE_FETCH_TO(name, op, parameters, ...)          \
  template <class T>                                        \
  static __device__ __forceinline__ void name parameters {  \
    __nv_tex_surf_handler(op, ptr, texObject, __VA_ARGS__); \
  }
#define HEDDLE_P(...) (cudaTextureObject_t texObject, __VA_ARGS__)
#define HEDDLE_PTO(...) (T * ptr, cudaTextureObject_t texObject, __VA_ARGS__)
#define HEDDLE_BOTH(name, op, parameters, ...)             \
  HEDDLE_FETCH(name, op, HEDDLE_P parameters, __VA_ARGS__) \
  HEDDLE_FETCH_TO(name, op, HEDDLE_PTO parameters, __VA_ARGS__)

HEDDLE_BOTH(tex1Dfetch, "__itex1Dfetch", (int x), x)
HEDDLE_BOTH(tex1D, "__itex1D", (float x), x)
HEDDLE_BOTH(tex2D, "__itex2D", (float x, float y), x, y)
HEDDLE_BOTH(tex3D, "__itex3D", (float x, float y, float z), x, y, z)
HEDDLE_BOTH(tex1DLayered, "__itex1DLayered", (float x, int layer), x, layer)
HEDDLE_BOTH(tex2DLayered, "__itex2DLayered", (float x, float y, int layer), x, y, layer)
HEDDLE_BOTH(texCubemap, "__itexCubemap", (float x, float y, float z), x, y, z)
HEDDLE_BOTH(texCubemapLayered, "__itexCubemapLayered", (float x, float y, float z, int layer), x, y, z, layer)
HEDDLE_BOTH(tex1DLod, "__itex1DLod", (float x, float level), x, level)
HEDDLE_BOTH(tex2DLod, "__itex2DLod", (float x, float y, float level), x, y, level)
HEDDLE_BOTH(tex3DLod, "__itex3DLod", (float x, float y, float z, float level), x, y, z, level)
HEDDLE_BOTH(tex1DLayeredLod, "__itex1DLayeredLod", (float x, int layer, float level), x, layer, level)
HEDDLE_BOTH(tex2DLayeredLod, "__itex2DLayeredLod", (float x, float y, int layer, float level), x, y, layer, level)
HEDDLE_BOTH(texCubemapLod, "__itexCubemapLod", (float x, float y, float z, float level), x, y, z, level)
HEDDLE_BOTH(tex1DGrad, "__itex1DGrad", (float x, float dx, float dy), x, dx, dy)
HEDDLE_BOTH(tex2DGrad, "__itex2DGrad_v2", (float x, float y, float2 dx, float2 dy), x, y, &dx, &dy)
HEDDLE_BOTH(tex3DGrad, "__itex3DGrad_v2", (float x, float y, float z, float4 dx, float4 dy), x, y, z, &dx, &dy)
HEDDLE_BOTH(tex2Dgather, "__itex2Dgather", (float x, float y, int comp = 0), x, y, comp)

#undef HEDDLE_BOTH
#undef HEDDLE_PTO
#undef HEDDLE_P
#undef HEDDLE_FETCH_TO
#undef HEDDLE_FETCH
#endif

#include "crt/device_extras.h"
#include "crt/simd_extras.h"

#endif  // HEDDLE_TEXTURE_INDIRECT_FUNCTIONS_H
