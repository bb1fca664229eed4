// SPDX-License-Identifier: Apache-2.0
#include "sim/model/ops.h"
#include "sim/model/ops_special.h"

namespace heddle::model {

#define HEDDLE_FAMILIES(processor) \
  namespace processor {            \
  void add_int(OpTable& table);    \
  void add_bits(OpTable& table);   \
  void add_f32(OpTable& table);    \
  void add_cvt(OpTable& table);    \
  void add_f64(OpTable& table);    \
  void add_f16(OpTable& table);    \
  void add_sfu(OpTable& table);    \
  void add_mma(OpTable& table);    \
  static OpTable make() {          \
    OpTable table{};               \
    add_int(table);                \
    add_bits(table);               \
    add_f32(table);                \
    add_cvt(table);                \
    add_f64(table);                \
    add_f16(table);                \
    add_sfu(table);                \
    add_special(table);            \
    add_warp(table);               \
    add_mma(table);                \
    return table;                  \
  }                                \
  }
HEDDLE_FAMILIES(generic)
#ifdef HEDDLE_HAVE_AVX2
HEDDLE_FAMILIES(avx2)
#endif

const OpTable& op_table() {
#ifdef HEDDLE_HAVE_AVX2
  static const OpTable table =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? avx2::make() : generic::make();
#else
  static const OpTable table = generic::make();
#endif
  return table;
}

const OpTable& generic_op_table() {
  static const OpTable table = generic::make();
  return table;
}

}  // namespace heddle::model
