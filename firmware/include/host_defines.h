// SPDX-License-Identifier: Apache-2.0
// Execution-space and layout keywords of CUDA C++ as attributes of clang; empty for a plain host
// compiler, which may include the runtime's headers too.
//
// __managed__ and __cluster_dims__ have no attribute in clang's CUDA mode: they travel in the
// name of a section, which the runtime reads. Extents of a cluster that are not written as numbers
// are said by the launch.
#if !defined(__HOST_DEFINES_H__)
#define __HOST_DEFINES_H__

#if !defined(__has_feature)
#define HEDDLE_HAS_FEATURE(x) 0
#else
#define HEDDLE_HAS_FEATURE(x) __has_feature(x)
#endif

#if defined(__CUDA__) || defined(__CUDACC__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device)) __attribute__((section(".heddle.managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(n)
#define HEDDLE_TEXT(...) #__VA_ARGS__
#define __cluster_dims__(...) __attribute__((section(".heddle.cluster." HEDDLE_TEXT(__VA_ARGS__))))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __cluster_dims__(...)
#endif

#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
// Newer clang knows __noinline__ as a keyword; libstdc++ uses it inside __attribute__(( )), where a
// macro would break it, so a plain host compiler gets none.
#if (defined(__CUDA__) || defined(__CUDACC__)) && !HEDDLE_HAS_FEATURE(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif

#define __no_return__ __attribute__((noreturn))
#define __thread__ __thread
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __location__(a) __annotate__(a)
#define __annotate__(a) __attribute__((a))
#define __specialization_static
#define __cudart_builtin__
#define __device_builtin__
#define __nv_pure__ __attribute__((pure))
#define __import__
#define __export__
#define __storage_auto__
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define __dparm(x) = x

#endif  // __HOST_DEFINES_H__
