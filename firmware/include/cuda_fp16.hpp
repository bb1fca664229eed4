// SPDX-License-Identifier: Apache-2.0
// The name by which some programs ask for cuda_fp16.h.
#include "cuda_fp16.h"
