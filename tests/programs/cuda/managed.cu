// SPDX-License-Identifier: Apache-2.0
// Managed memory: host and kernels use one pointer in turn; a list that the host links and a kernel walks; several
// launches before the host looks; copies, fills, events and streams in between. Then the same with variables, and with
// so many pages that only those come home that the device says were written.
#include "../../../examples/common/example.h"

// Not in the unnamed namespace: clang 14 does not let the host reach what is in there.
struct Totals {
  long long sum;
  int* where;
};

__managed__ int launches = 7;
__device__ __managed__ float table[40] = {0.5f, 1.5f};
__managed__ Totals totals;
static __managed__ unsigned char odd[3] = {1, 2, 3};

namespace {

constexpr int kPage = 4096;

struct Node {
  int value;
  Node* next;
};

__global__ void add(int* to, const int* from, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) to[i] += from[i];
}

__global__ void walk(Node* head, int* sum) {
  for (Node* node = head; node; node = node->next) {
    *sum += node->value;
    node->value = -node->value;
  }
  sum[1] = 44;  // behind the allocation, in its page: public programs do so, unnoticed on silicon
}

__global__ void count(int* launches_too, Totals* all, Totals copy) {
  table[threadIdx.x] += (float)threadIdx.x;
  __syncwarp();
  if (threadIdx.x) return;
  launches += 1;
  *launches_too += 10;
  all->sum += table[1] + *copy.where;
  odd[1] += (unsigned char)all->sum;
}

// Stores of all widths, atomics and reductions, each in a page of its own.
__global__ void scatter(char* pages, int first, int turn) {
  char* at = pages + (first + 3 * (int)threadIdx.x) * kPage + 64 * threadIdx.x;
  switch (threadIdx.x) {
    case 0: *at += 1; break;
    case 1: *(short*)at += 2; break;
    case 2: *(int*)at += 3; break;
    case 3: *(double*)at += 4; break;
    case 4: *(int4*)at = make_int4(5 + turn, first, 7, 8); break;
    case 5: *(int*)at += atomicAdd((int*)(at + 4), 9); break;
    default: atomicMax((unsigned long long*)at, 10ull + turn);
  }
}

bool check(const char* what, bool right) {
  if (!right) printf("wrong: %s\n", what);
  return right;
}

bool scattered() {
  char* pages = nullptr;
  CHECK(cudaMallocManaged(&pages, 40 * kPage));
  bool right = true;
  for (int turn = 0; turn < 3; ++turn) {
    const int first = 7 * turn;
    const auto at = [&](int thread) { return pages + (first + 3 * thread) * kPage + 64 * thread; };
    for (int page = 0; page < 40; ++page) memset(pages + page * kPage, page + turn, page % 3 ? 16 : kPage);
    for (int thread = 0; thread < 7; ++thread) memset(at(thread), 0, 16);
    scatter<<<1, 7>>>(pages, first, 0);
    CHECK_LAUNCH();
    right &= *(unsigned long long*)at(6) == 10;
    scatter<<<1, 7>>>(pages, first, 1);  // of what the host has not changed
    CHECK_LAUNCH();
    const int *four = (int*)at(4), *five = (int*)at(5);
    right &= *at(0) == 2 && *(short*)at(1) == 4 && *(int*)at(2) == 6 && *(double*)at(3) == 8 && four[0] == 6 &&
             four[1] == first && four[3] == 8 && five[0] == 9 && five[1] == 18 &&
             *(unsigned long long*)at(6) == 11;
    for (int page = 0; page < 40; page += 3) right &= pages[page * kPage + 2000] == page + turn;  // the host's
    CHECK(cudaMemset(pages + 30 * kPage, 99, 2 * kPage));
    right &= pages[31 * kPage + 5] == 99;
  }
  CHECK(cudaFree(pages));
  return check("written here and there", right);
}

// What the host writes to a variable the kernels see, and the other way round, by name and by address.
bool variables(int* plain) {
  bool right = check("variables' first values", launches == 7 && table[0] == 0.5f && table[1] == 1.5f && table[2] == 0 &&
                     totals.sum == 0 && odd[2] == 3);
  launches = 100;
  table[39] = 3;
  int* mine = nullptr;
  CHECK(cudaGetSymbolAddress((void**)&mine, launches));
  right &= check("a symbol's address", mine == &launches);
  Totals copy = {0, &launches};
  count<<<1, 40>>>(mine, &totals, copy);
  count<<<1, 40>>>(&launches, &totals, copy);
  CHECK_LAUNCH();
  right &= check("written by kernels", launches == 122 && table[0] == 0.5f && table[1] == 3.5f && table[39] == 81 &&
                 totals.sum == 2 + 111 + 3 + 122 && odd[0] == 1 && odd[1] == (unsigned char)(2 + 113 + 238) && odd[2] == 3);
  totals.sum = -1;
  launches = 0;
  count<<<1, 40>>>(mine, &totals, copy);
  CHECK(cudaMemcpy(plain, &totals, sizeof(long long), cudaMemcpyHostToDevice));  // after the kernel, as the stream says
  CHECK(cudaMemcpy(&totals.sum, plain, sizeof(long long), cudaMemcpyDeviceToHost));
  right &= check("copied", totals.sum == 14 && launches == 11);
  CHECK(cudaMemset(table, 0, sizeof(float)));
  CHECK(cudaMemcpyToSymbol(launches, odd, sizeof(int) - 1));
  CHECK(cudaMemPrefetchAsync(table, sizeof table, 0, nullptr));
  right &= check("filled", table[0] == 0 && table[1] == 4.5f);
  cudaPointerAttributes of;
  CHECK(cudaPointerGetAttributes(&of, &table[3]));
  right &= check("its kind", of.type == cudaMemoryTypeManaged && of.devicePointer == &table[3] && of.hostPointer == &table[3]);
  CHECK(cudaDeviceSynchronize());
  return right & check("a symbol copied to", (launches & 0xffffff) == (odd[0] | odd[1] << 8 | odd[2] << 16));
}

}  // namespace

int main() {
  constexpr int n = 3000;
  int *a = nullptr, *b = nullptr, *sum = nullptr, *plain = nullptr;
  CHECK(cudaMallocManaged(&a, n * sizeof(int)));
  CHECK(cudaMallocManaged(&b, n * sizeof(int)));
  CHECK(cudaMallocManaged(&sum, sizeof(int)));
  CHECK(cudaMalloc(&plain, n * sizeof(int)));
  bool right = check("zeros at first", a[0] == 0 && a[n - 1] == 0);
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 7 * i;
  CHECK(cudaMemPrefetchAsync(a, n * sizeof(int), 0, nullptr));
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemAdvise(b, n * sizeof(int), cudaMemAdviseSetPreferredLocation, here));
  CHECK(cudaMemPrefetchAsync(b, n * sizeof(int), here, 0));
  for (int turn = 0; turn < 3; ++turn) add<<<(n + 127) / 128, 128>>>(a, b, n);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) right &= a[i] == 22 * i && b[i] == 7 * i;
  check("three launches", right);

  // The host changes what kernels have written, and the other way round.
  for (int i = 0; i < n; ++i) a[i] = 1;
  cudaEvent_t end;
  CHECK(cudaEventCreate(&end));
  add<<<(n + 127) / 128, 128>>>(b, a, n);
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  right &= check("after an event", b[n - 1] == 7 * (n - 1) + 1 && a[5] == 1);
  CHECK(cudaMemcpy(plain, b, n * sizeof(int), cudaMemcpyHostToDevice));
  b[5] = 0;
  add<<<(n + 127) / 128, 128>>>(plain, a, n);
  CHECK(cudaMemcpy(b, plain, n * sizeof(int), cudaMemcpyDefault));
  right &= check("by way of device memory", b[5] == 37 && b[n - 1] == 7 * (n - 1) + 2);
  CHECK(cudaMemset(b, 0, sizeof(int) * 2));
  right &= check("filled", b[0] == 0 && b[1] == 0 && b[2] == 16);

  // Pointers mean the same on both sides.
  Node* nodes = nullptr;
  CHECK(cudaMallocManaged(&nodes, 20 * sizeof(Node)));
  for (int i = 0; i < 20; ++i) nodes[i] = {i + 1, i ? &nodes[i - 1] : nullptr};
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  walk<<<1, 1, 0, stream>>>(&nodes[19], sum);
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
  }
  right &= check("a list", *sum == 210 && sum[1] == 44 && nodes[0].value == -1 && nodes[19].value == -20 && nodes[1].next == &nodes[0]);
  CHECK(cudaFree(b));
  right &= check("after a free", a[n - 1] == 1 && *sum == 210);
  right &= variables(plain);
  right &= scattered();
  CHECK(cudaGetLastError());
  printf("managed memory on both sides\n%s\n", right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}
