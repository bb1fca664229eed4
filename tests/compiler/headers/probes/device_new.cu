// SPDX-License-Identifier: Apache-2.0
// NOT: nothrow
#include <new>
struct Node { int value; Node* next; };
__global__ void k(int* p) {
  Node* n = new Node{p[0], nullptr};
  p[1] = n->value;
  delete n;
  int* some = new (std::nothrow) int[4];
  Node* one = new (std::nothrow) Node{p[0], nullptr};
  if (some && one) p[2] = one->value;
  delete one;
  delete[] some;
}
