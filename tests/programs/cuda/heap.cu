// SPDX-License-Identifier: Apache-2.0
// The heap on the device: malloc and free, new and delete, objects with virtual destructors; blocks that outlive a kernel; a
// heap that is full, and whole again when all is freed; what is no block.
#include <new>
#include <vector>

#include "../../../examples/common/example.h"

extern "C" __device__ void* __nv_aligned_device_malloc(size_t bytes, size_t alignment);

namespace {

constexpr int kThreads = 32;
constexpr size_t kHeap = 96 * 1024;

// The compiler removes blocks that nobody looks at.
template <typename T>
__device__ T* seen(T* p) {
  asm volatile("" : "+l"(p));
  return p;
}

__host__ __device__ inline unsigned mix(unsigned x) {
  x = (x ^ (x >> 15)) * 0x2c1b3c6du;
  x = (x ^ (x >> 12)) * 0x297a2d39u;
  return x ^ (x >> 15);
}

// ---- blocks of all sizes ------------------------------------------------------------------------------------------------

// Every thread holds some blocks at a time, filled with what only it writes. 0: all was as it should be.
__global__ void sizes(unsigned* out) {
  const unsigned t = threadIdx.x + blockIdx.x * blockDim.x;
  unsigned* held[2] = {};
  unsigned words[2] = {}, bad = 0;
  for (unsigned i = 0; i < 4; i++) {
    const unsigned slot = mix(t + i) % 2, r = mix(t * 64 + i);
    if (held[slot]) {
      for (unsigned w = 0; w < words[slot]; w += 11) bad += held[slot][w] != mix(t * 8 + slot + w);
      free(held[slot]);
    }
    words[slot] = r % 8 == 0 ? 300 : r % 8 == 1 && t % 32 == 5 ? 1500 : 1 + (r >> 8) % (r & 8 ? 60 : 6);
    held[slot] = (unsigned*)malloc(words[slot] * sizeof(unsigned));
    if (!held[slot]) {
      bad += 1000;
      continue;
    }
    bad += (size_t)held[slot] % 16 != 0;
    for (unsigned w = 0; w < words[slot]; w += 11) held[slot][w] = mix(t * 8 + slot + w);
  }
  for (unsigned slot = 0; slot < 2; slot++) {
    for (unsigned w = 0; held[slot] && w < words[slot]; w += 11) bad += held[slot][w] != mix(t * 8 + slot + w);
    free(held[slot]);
  }
  out[t] = bad;
}

// ---- objects ------------------------------------------------------------------------------------------------------------

struct Base {
  unsigned* gone;
  __device__ explicit Base(unsigned* g) : gone(g) {}
  __device__ virtual ~Base() { *gone += 1; }
  __device__ virtual unsigned value() const = 0;
};
struct Tag {
  unsigned tag = 7;
  __device__ virtual ~Tag() { tag = 0; }
  __device__ virtual unsigned twice() const { return 2 * tag; }
};
struct Leaf : Base {
  unsigned v;
  __device__ Leaf(unsigned* g, unsigned x) : Base(g), v(x) {}
  __device__ unsigned value() const override { return v; }
};
// Owns another, and is two things at once.
struct Pair : Tag, Base {
  Base *left, *right;
  __device__ Pair(unsigned* g, Base* l, Base* r) : Base(g), left(l), right(r) {}
  __device__ ~Pair() override {
    delete left;
    delete right;
    *gone += 100;
  }
  __device__ unsigned value() const override { return left->value() * 3 + right->value() + twice(); }
  __device__ unsigned twice() const override { return 5 * tag; }
};
struct alignas(128) Wide {  // wants C++17's new and delete
  unsigned v[20];
};
struct alignas(64) Owner {  // its destructor makes new[] keep the number
  unsigned* gone;
  __device__ ~Owner() { *gone += 1; }
};
struct Counted {  // new[] keeps their number
  unsigned* gone;
  __device__ ~Counted() { *gone += 1; }
};

__device__ __noinline__ Base* build(unsigned* gone, unsigned x, unsigned depth) {
  if (depth == 0 || x % 5 == 0) return new Leaf(gone, x);
  return new Pair(gone, build(gone, mix(x) % 1000, depth - 1), build(gone, x + 1, depth - 1));
}
__global__ void objects(unsigned* out) {
  const unsigned t = threadIdx.x;
  unsigned gone = 0;
  Base* tree = build(&gone, t, t % 3);
  const unsigned value = tree->value();
  delete tree;
  Tag* other = new Pair(&gone, new Leaf(&gone, t), new Leaf(&gone, 1));
  const unsigned twice = other->twice();
  delete other;  // by a base that is not the first
  Counted* many = new Counted[t % 4 + 1];
  for (unsigned i = 0; i < t % 4 + 1; i++) many[i].gone = &gone;
  delete[] many;
  void* const none = seen(malloc(kHeap * 2));
  void* const aligned = __nv_aligned_device_malloc(t + 1, 512);
  bool good = !none && aligned && (size_t)aligned % 512 == 0 && !__nv_aligned_device_malloc(8, 24);
  free(aligned);
  Wide *const one = seen(new Wide), *const row = seen(new (std::nothrow_t{}) Wide[2]);
  one->v[19] = row[1].v[19] = t;
  good = good && (size_t)one % alignof(Wide) == 0 && (size_t)row % alignof(Wide) == 0 && one->v[19] + row[1].v[19] == 2 * t;
  delete one;
  delete[] row;
  Owner* const owners = seen(new Owner[3]);
  good = good && (size_t)owners % alignof(Owner) == 0;
  for (unsigned i = 0; i < 3; i++) owners[i].gone = &gone;
  delete[] owners;
  out[t] = value * 31 + twice + gone * 7 + (good ? 0 : 1);
}
struct Expected {
  unsigned value, gone;
};
Expected built(unsigned x, unsigned depth) {
  if (depth == 0 || x % 5 == 0) return {x, 1};
  const Expected l = built(mix(x) % 1000, depth - 1), r = built(x + 1, depth - 1);
  return {l.value * 3 + r.value + 35, l.gone + r.gone + 101};
}
unsigned objects_on_host(unsigned t) {
  const Expected e = built(t, t % 3);
  return e.value * 31 + 35 + (e.gone + 103 + t % 4 + 1 + 3) * 7;
}

// ---- blocks from kernel to kernel ---------------------------------------------------------------------------------------

struct Node {
  Node* next;
  unsigned value;
};
__global__ void push(Node** heads) {
  Node** head = &heads[threadIdx.x % 3];
  Node* const n = new Node{nullptr, threadIdx.x};
  unsigned long long old = *(volatile unsigned long long*)head, seen;
  for (;; old = seen) {
    n->next = (Node*)old;
    __threadfence();
    seen = atomicCAS((unsigned long long*)head, old, (unsigned long long)n);
    if (seen == old) break;
  }
}
__global__ void sum(Node** heads, unsigned* out) {
  for (const Node* n = heads[threadIdx.x]; n; n = n->next) out[threadIdx.x] += mix(n->value);
}
__global__ void drop(Node** heads) {
  for (Node *n = heads[threadIdx.x], *next; n; n = next) {
    next = n->next;
    delete n;
  }
}

// ---- the whole heap -------------------------------------------------------------------------------------------------------

// Blocks until there is no room, given back at the end; out[0]: how many.
__global__ void fill(size_t bytes, unsigned* out) {
  void* first = nullptr;
  for (void* p; (p = malloc(bytes)); first = p) {
    *(void**)p = first;
    atomicAdd(out, 1u);
  }
  __syncthreads();
  while (first) {
    void* const next = *(void**)first;
    free(first);
    first = next;
  }
}
// The block for all threads comes from one of them.
__global__ void shared_block(unsigned* out) {
  __shared__ unsigned* block;
  if (threadIdx.x == 13) block = (unsigned*)malloc(kHeap);
  __syncthreads();
  if (block) block[threadIdx.x * 700] = mix(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = block ? block[(kThreads - 1 - threadIdx.x) * 700] : 0;
  __syncthreads();
  if (threadIdx.x == 20) free(block);
}
__global__ void bad_free(int what) {
  char* p = seen((char*)malloc(what == 2 ? 6000 : 24));
  if (what == 0) free(p + 8);
  if (what == 1) free(p), free(p);
  if (what == 2) free(p + 4096);
  if (what == 3) free(seen(&what));
}

int check(const char* name, const std::vector<unsigned>& got, unsigned (*expected)(unsigned)) {
  int bad = 0;
  for (unsigned t = 0; t < got.size(); t++)
    if (got[t] != expected(t) && bad++ < 3) printf("%s, thread %u: %x, expected %x\n", name, t, got[t], expected(t));
  return bad;
}

}  // namespace

int main() {
  int bad = 0;
  size_t limit = 0;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  bad += limit != 8u << 20;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, kHeap - 5));  // rounded up
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  unsigned* d = nullptr;
  CHECK(cudaMalloc(&d, 4 * kThreads * sizeof *d));
  const auto words = [&](size_t n) {
    std::vector<unsigned> got(n);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(d, 0, 4 * kThreads * sizeof *d));
    return got;
  };

  const auto all = [&] {  // blocks of that size that the heap has
    std::vector<unsigned> counts;
    for (const size_t bytes : {200, 600, 4096, 5000}) {
      fill<<<1, 32>>>(bytes, d);
      counts.push_back(words(1)[0]);
    }
    return counts;
  };
  CHECK(cudaMemset(d, 0, 4 * kThreads * sizeof *d));
  bad += all() != std::vector<unsigned>{kHeap / 256, kHeap / 1024, kHeap / 4096, kHeap / 8192};
  if (bad) printf("the heap is not as large as it should be\n");
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  bad += limit != kHeap || cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20) != cudaErrorInvalidValue;
  (void)cudaGetLastError();

  sizes<<<2, 32>>>(d);
  bad += check("sizes", words(64), [](unsigned) { return 0u; });
  objects<<<1, kThreads>>>(d);
  bad += check("objects", words(kThreads), objects_on_host);

  Node** heads = nullptr;
  CHECK(cudaMalloc(&heads, 3 * sizeof *heads));
  CHECK(cudaMemset(heads, 0, 3 * sizeof *heads));
  push<<<1, kThreads>>>(heads);
  CHECK_LAUNCH();
  sum<<<1, 3>>>(heads, d);
  bad += check("lists", words(3), [](unsigned t) {
    unsigned s = 0;
    for (unsigned n = t; n < kThreads; n += 3) s += mix(n);
    return s;
  });
  drop<<<1, 3>>>(heads);
  CHECK_LAUNCH();

  // Nothing is lost: a block as large as the heap, and as many small ones as at first.
  shared_block<<<1, kThreads>>>(d);
  bad += check("whole heap", words(kThreads), [](unsigned t) { return mix(kThreads - 1 - t); });
  if (all() != std::vector<unsigned>{kHeap / 256, kHeap / 1024, kHeap / 4096, kHeap / 8192}) printf("blocks are lost\n"), bad++;

  for (int what = 0; what < 4; what++) {
    bad_free<<<1, 1>>>(what);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaErrorLaunchFailure) printf("bad free %d: %s\n", what, cudaGetErrorName(error)), bad++;
    CHECK(cudaDeviceReset());
  }
  return verdict(bad);
}
