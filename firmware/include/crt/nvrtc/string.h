// SPDX-License-Identifier: Apache-2.0
// See cmath.
#if !defined(__HEDDLE_NVRTC_BEGINNING__)
#include_next <string.h>
#endif
