// SPDX-License-Identifier: Apache-2.0
// As CUB has it, in a project's own copy.
struct Value {
  template <typename T = int>
  __device__ T get() const { return T(7); }
};
template <typename T>
__device__ int twice(const T& t) { return 2 * t.template get(); }
__global__ void k(int* p) { p[0] = twice(Value()); }
