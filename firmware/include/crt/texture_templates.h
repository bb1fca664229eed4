// SPDX-License-Identifier: Apache-2.0
// cudaCreateChannelDesc<T>, and typed forms of array and texture functions. Included by cuda_runtime.h.
#if !defined(HEDDLE_CRT_TEXTURE_TEMPLATES_H)
#define HEDDLE_CRT_TEXTURE_TEMPLATES_H

#include "../cuda_runtime_api.h"

template <class T>
static __inline__ cudaChannelFormatDesc cudaCreateChannelDesc() {
  return ::cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define HEDDLE_CHANNEL(type, x, y, z, w, kind)                               \
  template <>                                                                \
  __inline__ cudaChannelFormatDesc cudaCreateChannelDesc<type>() {           \
    return ::cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind); \
  }
#define HEDDLE_CHANNELS(name, bits, kind)         \
  HEDDLE_CHANNEL(name##1, bits, 0, 0, 0, kind)    \
  HEDDLE_CHANNEL(name##2, bits, bits, 0, 0, kind) \
  HEDDLE_CHANNEL(name##4, bits, bits, bits, bits, kind)

HEDDLE_CHANNEL(char, 8, 0, 0, 0, Signed)
HEDDLE_CHANNEL(signed char, 8, 0, 0, 0, Signed)
HEDDLE_CHANNEL(unsigned char, 8, 0, 0, 0, Unsigned)
HEDDLE_CHANNEL(short, 16, 0, 0, 0, Signed)
HEDDLE_CHANNEL(unsigned short, 16, 0, 0, 0, Unsigned)
HEDDLE_CHANNEL(int, 32, 0, 0, 0, Signed)
HEDDLE_CHANNEL(unsigned int, 32, 0, 0, 0, Unsigned)
HEDDLE_CHANNEL(float, 32, 0, 0, 0, Float)
HEDDLE_CHANNELS(char, 8, Signed)
HEDDLE_CHANNELS(uchar, 8, Unsigned)
HEDDLE_CHANNELS(short, 16, Signed)
HEDDLE_CHANNELS(ushort, 16, Unsigned)
HEDDLE_CHANNELS(int, 32, Signed)
HEDDLE_CHANNELS(uint, 32, Unsigned)
HEDDLE_CHANNELS(float, 32, Float)

#undef HEDDLE_CHANNELS
#undef HEDDLE_CHANNEL

static __inline__ cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return ::cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

#if defined(__CUDA__)
// Texture references left CUDA in version 12; the names remain because clang's wrapper mentions them.
template <class T, int texType = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {};

template <class T, int dim = 1>
struct __attribute__((device_builtin_surface_type)) surface;
template <int dim>
struct __attribute__((device_builtin_surface_type)) surface<void, dim> : public surfaceReference {};
#endif

#endif  // HEDDLE_CRT_TEXTURE_TEMPLATES_H
