// SPDX-License-Identifier: Apache-2.0
#pragma once

// A function of every file that uses it, one in the program.
template <typename T>
__device__ T maximum(T a, T b) {
  return a > b ? a : b;
}

// With a variable that is one in the program too.
inline __device__ int next_number() {
  static int given = 0;
  return atomicAdd(&given, 1);
}

struct Shape {
  __device__ virtual int area(int side) const;
};
struct Square : Shape {
  __device__ int area(int side) const override { return side * side; }
};

// shapes.cu
struct Triangle : Shape {
  __device__ int area(int side) const override;
};
extern __device__ Triangle triangle;
extern __device__ int counter;
extern __device__ double scale;
__device__ double average(double a, double b);
void add_one(int* values, int n);
extern __managed__ int visits;
__device__ int number_of_shapes();

// functions.cu
extern __constant__ int table[4];
__device__ int twice(int x);
__device__ int recursive(int n);
__device__ int (*pick(int i))(int);
extern __device__ int (*chosen)(int);
__device__ int sum_of_block(int x);  // in dynamic shared memory
