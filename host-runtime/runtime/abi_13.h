// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA 13 changed under the same name: weak, for libcudart.so.13 has its own of them (abi_13.cc).
#pragma once

#define HEDDLE_CHANGED_IN_13 __attribute__((weak))
