// SPDX-License-Identifier: Apache-2.0
// mma.h: layouts and clamping reach the instructions; numbers stay in registers, also where a program forbids conversions and operators of f16.
// FLAGS: -D__CUDA_NO_HALF_OPERATORS__ -D__CUDA_NO_HALF_CONVERSIONS__ -D__CUDA_NO_BFLOAT16_CONVERSIONS__ -DM=16 -DC=2 -DD=3
// PTX: wmma.load.a.sync.aligned.col.m32n8k16.f16
// PTX: wmma.load.b.sync.aligned.row.m32n8k16.f16
// PTX: wmma.mma.sync.aligned.col.row.m32n8k16.f32.f32
// PTX: wmma.store.d.sync.aligned.col.m32n8k16.f32
// PTX: wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32.satfinite
// PTX: wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32
// NOT: .local
#include <mma.h>

#include <type_traits>

using namespace nvcuda;
using namespace nvcuda::wmma::experimental;

static_assert(std::is_same<wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major>::element_type, float>::value, "");
static_assert(wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major>::num_storage_elements == 1, "");

__global__ void k(const half* a, const half* b, float* c, float alpha, float beta, unsigned ldm) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::col_major> x;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> y;
  wmma::fragment<wmma::accumulator, 32, 8, 16, float> sum, old;
  wmma::load_matrix_sync(x, a, ldm);
  wmma::load_matrix_sync(y, b, ldm);
  wmma::fill_fragment(sum, 0.0f);
  wmma::mma_sync(sum, x, y, sum);
  wmma::load_matrix_sync(old, c, ldm, wmma::mem_row_major);
  for (int i = 0; i < old.num_elements; i++) old.x[i] = alpha * sum.x[i] + beta * old.x[i];
  wmma::store_matrix_sync(c, old, ldm, wmma::mem_col_major);
}
__global__ void nibbles_and_bits(const int* a, int* c) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::s4, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::s4, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
  wmma::load_matrix_sync(x, a, 32);
  wmma::fill_fragment(y, -1);
  wmma::fill_fragment(sum, 0);
  wmma::mma_sync(sum, x, y, sum, true);
  wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> p;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> q;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> ones;
  wmma::load_matrix_sync(p, a, 128);
  wmma::load_matrix_sync(q, a, 128);
  wmma::fill_fragment(ones, 0);
  bmma_sync(ones, p, q, ones, bmmaBitOpAND, bmmaAccumulateOpPOPC);
  wmma::store_matrix_sync(c + 64, ones, 8, wmma::mem_row_major);
}
