// SPDX-License-Identifier: Apache-2.0
struct Node { int value; Node* next; };
__global__ void k(int* p) {
  Node* n = new Node{p[0], nullptr};
  p[1] = n->value;
  delete n;
}
