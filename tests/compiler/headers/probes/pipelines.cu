// SPDX-License-Identifier: Apache-2.0
// PTX: cp.async.cg.shared.global
// PTX: cp.async.ca.shared.global
// PTX: cp.async.commit_group
// PTX: cp.async.wait_all
// NOT: trap
#include <cuda_pipeline.h>
struct Pair {
  float x, y;
};
__global__ void k(const float4* a, const int* b, const Pair* c, float* out) {
  __shared__ float4 wide;
  __shared__ int word;
  __shared__ Pair pair;
  nvcuda::experimental::pipeline pipe;
  __pipeline_memcpy_async(&wide, a, sizeof wide);
  __pipeline_memcpy_async(&word, b, sizeof word, 1);
  __pipeline_commit();
  nvcuda::experimental::memcpy_async(pair, *c, pipe);
  pipe.commit_and_wait();
  __pipeline_wait_prior(0);
  *out = wide.x + pair.y + static_cast<float>(word);
}
