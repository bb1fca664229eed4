// SPDX-License-Identifier: Apache-2.0
// Pairs of float and of double.
#pragma once

#include "types.h"

// clang-format off
#include "real_float.h"
#include "pair.inc"
#include "real_end.h"

#include "real_double.h"
#include "pair.inc"
#include "real_end.h"
// clang-format on
