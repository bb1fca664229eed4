// SPDX-License-Identifier: Apache-2.0
// Copies of tensors' boxes between global and shared memory (cp.async.bulk.tensor) against the host's own: random ranks, element types,
// sizes, strides, boxes that reach beyond the tensor, and swizzles; loads, stores and reductions; several blocks at once, and copies to
// several blocks of a cluster. Arguments: rounds, seed.
#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "../../../examples/common/example.h"

namespace {

constexpr int kThreads = 64, kMostBytes = 16384;

struct Box {
  int at[5];
};

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ void begin(unsigned bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ void wait(unsigned bar) {
  asm volatile(
      "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" ::"r"(bar)
      : "memory");
}

#define COORDINATES1 "{%2}"
#define COORDINATES2 "{%2, %3}"
#define COORDINATES3 "{%2, %3, %4}"
#define COORDINATES4 "{%2, %3, %4, %5}"
#define COORDINATES5 "{%2, %3, %4, %5, %6}"
#define OPERANDS "r"(box.at[0]), "r"(box.at[1]), "r"(box.at[2]), "r"(box.at[3]), "r"(box.at[4])

#define LOAD(n)                                                                                                      \
  if (rank == n)                                                                                                     \
  asm volatile("cp.async.bulk.tensor." #n                                                                            \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " COORDINATES##n "], [%7];" :: \
                   "r"(to), "l"(map), OPERANDS, "r"(bar)                                                             \
               : "memory")
#define STORE(n)                                                                                                     \
  if (rank == n)                                                                                                     \
  asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.tile.bulk_group [%1, " COORDINATES##n "], [%0];" ::  \
                   "r"(from), "l"(map), OPERANDS                                                                     \
               : "memory")
#define REDUCE(n, op)                                                                                                \
  if (rank == n)                                                                                                     \
  asm volatile("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." #op ".tile.bulk_group [%1, " COORDINATES##n \
               "], [%0];" ::"r"(from), "l"(map), OPERANDS                                                            \
               : "memory")
#define EACH_RANK(what) \
  what(1);              \
  what(2);              \
  what(3);              \
  what(4);              \
  what(5)

// Block b loads its box and writes out what came.
__global__ void load(const __grid_constant__ CUtensorMap tensor, int rank, const Box* boxes, unsigned bytes, unsigned char* out) {
  extern __shared__ __align__(1024) unsigned char buffer[];
  __shared__ uint64_t barrier;
  const unsigned to = shared_address(buffer), bar = shared_address(&barrier);
  const CUtensorMap* map = &tensor;
  for (unsigned i = threadIdx.x; i < kMostBytes; i += kThreads) buffer[i] = 0xcd;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const Box box = boxes[blockIdx.x];
    begin(bar, bytes);
    EACH_RANK(LOAD);
  }
  wait(bar);
  for (unsigned i = threadIdx.x; i < kMostBytes; i += kThreads) out[blockIdx.x * kMostBytes + i] = buffer[i];
}

enum Operation { Store, Add, Min, Max, Inc, Dec, And, Or, Xor, kOperations };

#define REDUCE_ADD(n) REDUCE(n, add)
#define REDUCE_MIN(n) REDUCE(n, min)
#define REDUCE_MAX(n) REDUCE(n, max)
#define REDUCE_INC(n) REDUCE(n, inc)
#define REDUCE_DEC(n) REDUCE(n, dec)
#define REDUCE_AND(n) REDUCE(n, and)
#define REDUCE_OR(n) REDUCE(n, or)
#define REDUCE_XOR(n) REDUCE(n, xor)

// One block stores its box, or reduces the tensor's elements by it.
__global__ void store(const __grid_constant__ CUtensorMap tensor, int rank, Box box, int operation, const unsigned char* in) {
  extern __shared__ __align__(1024) unsigned char buffer[];
  for (unsigned i = threadIdx.x; i < kMostBytes; i += kThreads) buffer[i] = in[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const unsigned from = shared_address(buffer);
  const CUtensorMap* map = &tensor;
  if (threadIdx.x != 0) return;
  if (operation == Store) { EACH_RANK(STORE); }
  if (operation == Add) { EACH_RANK(REDUCE_ADD); }
  if (operation == Min) { EACH_RANK(REDUCE_MIN); }
  if (operation == Max) { EACH_RANK(REDUCE_MAX); }
  if (operation == Inc) { EACH_RANK(REDUCE_INC); }
  if (operation == Dec) { EACH_RANK(REDUCE_DEC); }
  if (operation == And) { EACH_RANK(REDUCE_AND); }
  if (operation == Or) { EACH_RANK(REDUCE_OR); }
  if (operation == Xor) { EACH_RANK(REDUCE_XOR); }
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

struct Type {
  CUtensorMapDataType type;
  unsigned bytes;
  bool real;
};
constexpr Type kTypes[] = {{CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, false},  {CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, false},
                           {CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, false}, {CU_TENSOR_MAP_DATA_TYPE_INT32, 4, false},
                           {CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, false}, {CU_TENSOR_MAP_DATA_TYPE_INT64, 8, false},
                           {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, true}, {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, true},
                           {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, true}, {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, true}};

struct Tensor {
  Type type;
  unsigned rank;
  cuuint64_t dims[5], strides[5];  // strides[0]: an element; in bytes
  cuuint32_t box[5], steps[5];
  unsigned swizzle;  // 0, 32, 64, 128
  bool nan;
  size_t bytes() const { return rank == 1 ? (dims[0] * strides[0] + 15) / 16 * 16 : strides[rank - 1] * dims[rank - 1]; }
  unsigned count(unsigned d) const { return (box[d] + steps[d] - 1) / steps[d]; }
  unsigned elements() const {
    unsigned n = 1;
    for (unsigned d = 0; d < rank; ++d) n *= count(d);
    return n;
  }
};

// Where an element of the box lies in shared memory: a row has as many bytes as are swizzled.
unsigned place(const Tensor& t, unsigned index) {
  const unsigned row = t.box[0] * t.type.bytes, byte = index * t.type.bytes;
  const unsigned at = t.swizzle ? byte / row * t.swizzle + byte % row : byte;
  const unsigned mask = t.swizzle ? t.swizzle - 16 : 0;
  return at ^ (at >> 3 & mask);
}

// Its place in the tensor; false: it is beyond. A store writes 16 bytes whole that begin in the tensor.
bool find(const Tensor& t, const Box& box, unsigned index, bool stores, size_t* at) {
  *at = 0;
  bool in = true;
  for (unsigned d = 0; d < t.rank; ++d) {
    const int64_t c = box.at[d] + static_cast<int64_t>(index % t.count(d)) * t.steps[d];
    index /= t.count(d);
    const int64_t unit = stores && d == 0 ? 16 / t.type.bytes : 1;
    in = in && c >= 0 && c / unit * unit < static_cast<int64_t>(t.dims[d]);
    *at += static_cast<size_t>(c) * t.strides[d];
  }
  return in;
}

std::mt19937_64 rng(1);
unsigned below(unsigned n) { return static_cast<unsigned>(rng() % n); }

Tensor any_tensor(bool stores) {
  for (;;) {
    Tensor t{};
    t.type = kTypes[below(sizeof kTypes / sizeof *kTypes)];
    t.rank = 1 + below(5);
    t.swizzle = below(2) ? 0 : 32u << below(3);
    t.nan = !stores && t.type.real && below(2);
    const unsigned unit = 16 / t.type.bytes;
    t.dims[0] = 1 + below(100);
    t.strides[0] = t.type.bytes;
    for (unsigned d = 1; d < t.rank; ++d) {
      t.strides[d] = ((d == 1 ? t.dims[0] * t.type.bytes : t.strides[d - 1] * t.dims[d - 1]) + 15) / 16 * 16 + 16 * below(2);
      t.dims[d] = 1 + below(d == 1 ? 30 : 6);
    }
    for (unsigned d = 0; d < t.rank; ++d) {
      t.box[d] = d == 0 ? unit * (1 + below(t.swizzle ? t.swizzle / 16 : 12)) : 1 + below(d == 1 ? 24 : 4);
      t.steps[d] = d == 0 || stores || below(3) ? 1 : 1 + below(3);
      if (t.steps[d] > t.box[d]) t.steps[d] = 1;
    }
    if (t.box[0] > 256 || t.elements() / t.box[0] * std::max(t.swizzle, t.box[0] * t.type.bytes) > kMostBytes || t.bytes() > 1 << 20) continue;
    return t;
  }
}

int encode(const Tensor& t, void* data, CUtensorMap* map) {
  const CUtensorMapSwizzle swizzle = t.swizzle == 0    ? CU_TENSOR_MAP_SWIZZLE_NONE
                                     : t.swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                     : t.swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                       : CU_TENSOR_MAP_SWIZZLE_128B;
  return cuTensorMapEncodeTiled(map, t.type.type, t.rank, data, t.dims, t.strides + 1, t.box, t.steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                t.nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

Box any_box(const Tensor& t, bool stores) {
  Box box{};
  for (unsigned d = 0; d < t.rank; ++d)
    box.at[d] = stores ? static_cast<int>(below(static_cast<unsigned>(t.dims[d]) + 2))
                       : static_cast<int>(below(static_cast<unsigned>(t.dims[d]) + t.box[d] + 4)) - static_cast<int>(t.box[d]) - 2;
  box.at[0] &= -static_cast<int>(16 / t.type.bytes);  // whole 16 bytes, or it is no instruction
  return box;
}

int mismatches = 0;

void describe(const char* what, const Tensor& t, const Box& box) {
  std::printf("%s: type %d, rank %u, swizzle %u, nan %d:", what, static_cast<int>(t.type.type), t.rank, t.swizzle, t.nan);
  for (unsigned d = 0; d < t.rank; ++d)
    std::printf(" [%u of %llu, stride %llu, step %u, at %d]", t.box[d], static_cast<unsigned long long>(t.dims[d]),
                static_cast<unsigned long long>(t.strides[d]), t.steps[d], box.at[d]);
  std::printf("\n");
}

bool is_encoded(const Tensor& t, void* data, CUtensorMap* map) {
  const int error = encode(t, data, map);
  if (!error) return true;
  describe("encode", t, {});
  std::printf("  error %d\n", error);
  mismatches++;
  return false;
}

void check_loads(int rounds) {
  constexpr unsigned kBlocks = 4;
  unsigned char *data, *out;
  Box* boxes;
  CHECK(cudaMalloc(&data, 1 << 20));
  CHECK(cudaMalloc(&out, kBlocks * kMostBytes));
  CHECK(cudaMalloc(&boxes, kBlocks * sizeof(Box)));
  for (int round = 0; round < rounds; ++round) {
    const Tensor t = any_tensor(false);
    std::vector<unsigned char> host(t.bytes()), got(kBlocks * kMostBytes), want(got.size(), 0xcd);
    for (unsigned char& c : host) c = static_cast<unsigned char>(rng());
    CHECK(cudaMemcpy(data, host.data(), host.size(), cudaMemcpyHostToDevice));
    CUtensorMap map;
    if (!is_encoded(t, data, &map)) continue;
    Box all[kBlocks];
    for (unsigned b = 0; b < kBlocks; ++b) {
      all[b] = any_box(t, false);
      for (unsigned n = 0; n < t.elements(); ++n) {
        size_t at;
        unsigned char* to = &want[b * kMostBytes + place(t, n)];
        if (find(t, all[b], n, false, &at)) {
          std::memcpy(to, &host[at], t.type.bytes);
        } else {
          for (unsigned k = 0; k < t.type.bytes; ++k) to[k] = t.nan ? k % 2 ? 0x7f : 0xf7 : 0;
        }
      }
    }
    CHECK(cudaMemcpy(boxes, all, sizeof all, cudaMemcpyHostToDevice));
    load<<<kBlocks, kThreads, kMostBytes>>>(map, static_cast<int>(t.rank), boxes, t.elements() * t.type.bytes, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), out, got.size(), cudaMemcpyDeviceToHost));
    for (unsigned b = 0; b < kBlocks; ++b) {
      const auto first = want.begin() + b * kMostBytes, end = first + kMostBytes;
      const auto [w, g] = std::mismatch(first, end, got.begin() + b * kMostBytes);
      if (w == end) continue;
      describe("load", t, all[b]);
      std::printf("  byte %td: %02x, expected %02x\n", w - first, *g, *w);
      mismatches++;
    }
  }
  CHECK(cudaFree(data));
  CHECK(cudaFree(out));
  CHECK(cudaFree(boxes));
}

template <class T>
void reduce(int operation, unsigned char* to, const unsigned char* by) {
  T a, b;
  std::memcpy(&a, to, sizeof a);
  std::memcpy(&b, by, sizeof b);
  switch (operation) {
    case Store: a = b; break;
    case Add: a = static_cast<T>(a + b); break;
    case Min: a = std::min(a, b); break;
    case Max: a = std::max(a, b); break;
    case Inc: a = a >= b ? 0 : static_cast<T>(a + 1); break;
    case Dec: a = a == 0 || a > b ? b : static_cast<T>(a - 1); break;
    default: {
      for (size_t n = 0; n < sizeof a; ++n)
        to[n] = static_cast<unsigned char>(operation == And ? to[n] & by[n] : operation == Or ? to[n] | by[n] : to[n] ^ by[n]);
      return;
    }
  }
  std::memcpy(to, &a, sizeof a);
}

bool has(const Type& type, int operation) {
  switch (operation) {
    case Store: return true;
    case Inc:
    case Dec: return type.type == CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case Add: return type.type != CU_TENSOR_MAP_DATA_TYPE_INT64 && (type.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 || (!type.real && type.bytes >= 4));
    case Min:
    case Max: return !type.real && type.bytes >= 4;
    default: return !type.real && type.bytes >= 4;
  }
}

void check_stores(int rounds) {
  unsigned char *data, *in;
  CHECK(cudaMalloc(&data, 1 << 20));
  CHECK(cudaMalloc(&in, kMostBytes));
  for (int round = 0; round < rounds; ++round) {
    Tensor t = any_tensor(true);
    int operation = static_cast<int>(below(kOperations));
    if (!has(t.type, operation)) operation = Store;
    std::vector<unsigned char> host(t.bytes()), box_data(kMostBytes);
    // Small numbers, so that sums of floats are exact.
    const auto fill = [&](unsigned char* at) {
      if (t.type.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32) {
        const float v = static_cast<float>(static_cast<int>(below(2001)) - 1000);
        std::memcpy(at, &v, 4);
      } else {
        for (unsigned n = 0; n < t.type.bytes; ++n) at[n] = static_cast<unsigned char>(rng());
      }
    };
    for (size_t n = 0; n + t.type.bytes <= host.size(); n += t.type.bytes) fill(&host[n]);
    for (size_t n = 0; n < box_data.size(); n += t.type.bytes) fill(&box_data[n]);
    CHECK(cudaMemcpy(data, host.data(), host.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(in, box_data.data(), box_data.size(), cudaMemcpyHostToDevice));
    CUtensorMap map;
    if (!is_encoded(t, data, &map)) continue;
    const Box box = any_box(t, true);
    store<<<1, kThreads, kMostBytes>>>(map, static_cast<int>(t.rank), box, operation, in);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned char> got(host.size());
    CHECK(cudaMemcpy(got.data(), data, got.size(), cudaMemcpyDeviceToHost));
    for (unsigned n = 0; n < t.elements(); ++n) {
      size_t at;
      if (!find(t, box, n, true, &at)) continue;
      const unsigned char* by = &box_data[place(t, n)];
      if (operation == Store) std::memcpy(&host[at], by, t.type.bytes);
      else if (t.type.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32) reduce<float>(operation, &host[at], by);
      else if (t.type.type == CU_TENSOR_MAP_DATA_TYPE_INT32) reduce<int32_t>(operation, &host[at], by);
      else if (t.type.type == CU_TENSOR_MAP_DATA_TYPE_INT64) reduce<int64_t>(operation, &host[at], by);
      else if (t.type.bytes == 4) reduce<uint32_t>(operation, &host[at], by);
      else reduce<uint64_t>(operation, &host[at], by);
    }
    const auto [w, g] = std::mismatch(host.begin(), host.end(), got.begin());
    if (w == host.end()) continue;
    describe("store", t, box);
    std::printf("  operation %d, byte %td: %02x, expected %02x\n", operation, w - host.begin(), *g, *w);
    mismatches++;
  }
  CHECK(cudaFree(data));
  CHECK(cudaFree(in));
}

// The first block of a cluster copies to each that `blocks` names: a box of two rows of 16 words, then the 64 bytes in bulk.
__global__ void __cluster_dims__(4) multicast(const __grid_constant__ CUtensorMap tensor, const unsigned* words, unsigned short blocks, unsigned* out) {
  __shared__ __align__(128) unsigned buffer[64];
  __shared__ uint64_t barrier;
  const unsigned to = shared_address(buffer), bar = shared_address(&barrier), block = blockIdx.x % 4;
  const CUtensorMap* map = &tensor;
  buffer[threadIdx.x] = 0xcdcdcdcd;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    begin(bar, 192);
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (block == 0 && threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
            to),
        "l"(map), "r"(16), "r"(3), "r"(bar), "h"(blocks)
        : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 64, [%2], %3;" ::"r"(to + 128),
                 "l"(words), "r"(bar), "h"(blocks)
                 : "memory");
  }
  if (blocks >> block & 1) wait(bar);
  out[blockIdx.x * 64 + threadIdx.x] = buffer[threadIdx.x];
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

void check_multicasts() {
  constexpr unsigned kWords = 64 * 8;
  unsigned *data, *out;
  CHECK(cudaMalloc(&data, kWords * 4));
  CHECK(cudaMalloc(&out, 4 * 64 * 4));
  std::vector<unsigned> host(kWords), got(4 * 64);
  for (unsigned& w : host) w = static_cast<unsigned>(rng());
  CHECK(cudaMemcpy(data, host.data(), kWords * 4, cudaMemcpyHostToDevice));
  Tensor t{};
  t.type = kTypes[2], t.rank = 2, t.dims[0] = 64, t.dims[1] = 8, t.strides[0] = 4, t.strides[1] = 256;
  t.box[0] = 16, t.box[1] = 2, t.steps[0] = t.steps[1] = 1;
  CUtensorMap map;
  mismatches += encode(t, data, &map) != 0;
  for (unsigned blocks = 1; blocks < 16; ++blocks) {
    multicast<<<4, 64>>>(map, data, static_cast<unsigned short>(blocks), out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    for (unsigned n = 0; n < got.size(); ++n) {
      const unsigned w = n % 64;
      unsigned want = 0xcdcdcdcd;
      if (blocks >> n / 64 & 1 && w < 32) want = host[(3 + w / 16) * 64 + 16 + w % 16];
      if (blocks >> n / 64 & 1 && w >= 32 && w < 48) want = host[w - 32];
      if (got[n] == want) continue;
      std::printf("multicast to %x: word %u of block %u: %08x, expected %08x\n", blocks, w, n / 64, got[n], want);
      mismatches++;
      break;
    }
  }
  CHECK(cudaFree(data));
  CHECK(cudaFree(out));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = example_argument(argc, argv, 1, 20);
  if (argc > 2) rng.seed(std::strtoull(argv[2], nullptr, 0));
  check_loads(rounds);
  check_stores(rounds);
  check_multicasts();
  std::printf("tensor copies: %d mismatches\n", mismatches);
  return verdict(mismatches);
}
