// SPDX-License-Identifier: Apache-2.0
#include <cuComplex.h>
__global__ void k(cuFloatComplex* p) {
  p[0] = cuCaddf(cuCmulf(p[1], p[2]), cuCdivf(p[3], cuConjf(p[4])));
  p[5].x = cuCabsf(p[6]);
}
