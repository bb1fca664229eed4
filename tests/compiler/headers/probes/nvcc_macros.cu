// SPDX-License-Identifier: Apache-2.0
// Programs ask for a value.
#if !__CUDACC__ || __CUDACC__ != 1
#error "__CUDACC__ is no 1"
#endif
#include <cuda_runtime.h>
#if !__CUDACC__
#error "__CUDACC__ is 1 no more"
#endif
