// SPDX-License-Identifier: Apache-2.0
// Gravity among n bodies, all pairs, positions staged through shared memory, a few time steps.
//   nbody [bodies = 128] [steps = 2]
#include <vector>

#include "../common/example.h"

constexpr int kTile = 64;
constexpr float kSoftening = 0.01f;
constexpr float kStep = 0.01f;

// Adds to `a` the pull of a body at `p` (mass in w) on a place `q`.
__host__ __device__ static void attract(const float4& q, const float4& p, float3& a) {
  const float dx = p.x - q.x;
  const float dy = p.y - q.y;
  const float dz = p.z - q.z;
  const float squared = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, kSoftening)));
  const float inverse = 1.0f / sqrtf(squared);
  const float pull = p.w * (inverse * inverse * inverse);
  a.x = fmaf(dx, pull, a.x);
  a.y = fmaf(dy, pull, a.y);
  a.z = fmaf(dz, pull, a.z);
}

__host__ __device__ static void advance(float4& q, float4& v, const float3& a) {
  v.x = fmaf(a.x, kStep, v.x);
  v.y = fmaf(a.y, kStep, v.y);
  v.z = fmaf(a.z, kStep, v.z);
  q.x = fmaf(v.x, kStep, q.x);
  q.y = fmaf(v.y, kStep, q.y);
  q.z = fmaf(v.z, kStep, q.z);
}

__global__ void step(const float4* in, float4* out, float4* velocity, int n) {
  __shared__ float4 tile[kTile];
  const int i = blockIdx.x * kTile + threadIdx.x;
  float4 q = in[i];
  float3 a = make_float3(0.0f, 0.0f, 0.0f);
  for (int j0 = 0; j0 < n; j0 += kTile) {
    tile[threadIdx.x] = in[j0 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < kTile; ++j) attract(q, tile[j], a);
    __syncthreads();
  }
  float4 v = velocity[i];
  advance(q, v, a);
  velocity[i] = v;
  out[i] = q;
}

int main(int argc, char** argv) {
  const int n = example_argument(argc, argv, 1, 128);
  const int steps = example_argument(argc, argv, 2, 2);
  if (n % kTile) {
    fprintf(stderr, "the number of bodies must be a multiple of %d\n", kTile);
    return 2;
  }
  const size_t bytes = n * sizeof(float4);
  std::vector<float4> q(n), v(n, make_float4(0, 0, 0, 0)), got(n);
  ExampleRandom random(6);
  for (float4& body : q) {
    body.x = random.real(-1, 1);
    body.y = random.real(-1, 1);
    body.z = random.real(-1, 1);
    body.w = random.real(0.5f, 1);
  }

  float4 *da, *db, *dv;
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  CHECK(cudaMalloc(&dv, bytes));
  CHECK(cudaMemcpy(da, q.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dv, 0, bytes));
  for (int s = 0; s < steps; ++s) {
    step<<<n / kTile, kTile>>>(da, db, dv, n);
    float4* t = da;
    da = db;
    db = t;
  }
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got.data(), da, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dv));

  for (int s = 0; s < steps; ++s) {
    std::vector<float4> next(q);
    for (int i = 0; i < n; ++i) {
      float3 a = make_float3(0.0f, 0.0f, 0.0f);
      for (int j = 0; j < n; ++j) attract(q[i], q[j], a);
      advance(next[i], v[i], a);
    }
    q = next;
  }
  // Every operation is IEEE's on both sides and every fused one is written: equal to the bit.
  printf("nbody of %d bodies, %d steps\n", n, steps);
  return verdict(count_mismatches("position", &got[0].x, &q[0].x, 4 * n, 0));
}
