// SPDX-License-Identifier: Apache-2.0
// ARCH: sm_70
// PTX: atom.relaxed.gpu.add.u32
// PTX: atom.acq_rel.cta.max.s32
// PTX: atom.release.sys.exch.b64
// PTX: atom.relaxed.gpu.add.f32
// PTX: atom.acquire.sys.cas.b64
// PTX: fence.sc.sys
// PTX: fence.acq_rel.cta
// PTX: ld.acquire.gpu.u32
// PTX: ld.relaxed.cta.u8
// PTX: st.release.gpu.u32
// PTX: st.relaxed.cta.u16
// NOT: __local_depot
// NOT: call
// Atomics of CUDA C++ are instructions of their order and scope, and variables in shared memory as they are.
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda/std/latch>
#include <cuda/std/semaphore>

struct Pair {
  int a;
  float b;
};

__global__ void k(cuda::atomic<unsigned, cuda::thread_scope_device>* n, int* plain, float* sum, Pair* pair, long long* far,
                  cuda::std::atomic<int>* standard, unsigned* out) {
  __shared__ cuda::atomic<unsigned char, cuda::thread_scope_block> byte;
  __shared__ cuda::atomic<short, cuda::thread_scope_block> half;
  static_assert(sizeof byte == 1 && sizeof(cuda::atomic<Pair>) == 8 && alignof(cuda::atomic<Pair>) == 8, "");
  static_assert(cuda::atomic<Pair>::is_always_lock_free, "");
  n->fetch_add(3, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_block>(*plain).fetch_max(7, cuda::std::memory_order_acq_rel);
  cuda::atomic_ref<long long, cuda::thread_scope_system>(*far).exchange(5, cuda::memory_order_release);
  cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(0.5f, cuda::memory_order_relaxed);
  const cuda::atomic_ref<Pair> both(*pair);
  Pair old = both.load();
  while (!both.compare_exchange_weak(old, Pair{old.a + 1, old.b})) {
  }
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
  half.store(3, cuda::memory_order_relaxed);
  *standard = 1 + standard->load(cuda::std::memory_order::relaxed);
  n->store(n->load(cuda::memory_order_acquire) + 1, cuda::memory_order_release);
  cuda::atomic<unsigned, cuda::thread_scope_thread> own(2);
  out[threadIdx.x] = byte.load(cuda::memory_order_relaxed) + ++own;
}
