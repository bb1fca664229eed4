// SPDX-License-Identifier: Apache-2.0
// The families of arithmetic instructions, each putting its handlers into the table. HEDDLE_OPS
// names the processor that this compilation is for: generic or avx2.
#pragma once

#include "sim/model/ops.h"

#ifndef HEDDLE_OPS
#define HEDDLE_OPS generic
#endif

namespace heddle::model::HEDDLE_OPS {

void add_int(OpTable& table);   // ops_int.cc
void add_bits(OpTable& table);  // ops_bits.cc
void add_f32(OpTable& table);   // ops_f32.cc
void add_cvt(OpTable& table);   // ops_cvt.cc
void add_f64(OpTable& table);   // ops_f64.cc
void add_f16(OpTable& table);   // ops_f16.cc
void add_sfu(OpTable& table);   // ops_sfu.cc
void add_mma(OpTable& table);   // ops_mma.cc

}  // namespace heddle::model::HEDDLE_OPS
