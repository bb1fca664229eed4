// SPDX-License-Identifier: Apache-2.0
// The device math library: every __nv_* function that clang's CUDA headers call. One translation unit,
// so that functions call each other's inner parts without exporting them.
#include "types.h"
#include "special.h"
#include "two_over_pi.h"
#include "pair.h"
#include "polynomials.h"

#include "real_float.h"
#include "basic.inc"
#include "exponential.inc"
#include "logarithm.inc"
#include "trigonometric.inc"
#include "power.inc"
#include "error_function.inc"
#include "gamma.inc"
#include "bessel.inc"
#include "real_end.h"

#include "real_double.h"
#include "basic.inc"
#include "exponential.inc"
#include "logarithm.inc"
#include "trigonometric.inc"
#include "power.inc"
#include "error_function.inc"
#include "gamma.inc"
#include "bessel.inc"
#include "real_end.h"

#include "integer.inc"
#include "simd.inc"
#include "fast.inc"
#if HEDDLE_ON_DEVICE
#include "convert.inc"
#endif
