// SPDX-License-Identifier: Apache-2.0
#pragma once

// A function of every file that uses it, one in the program.
template <typename T>
__device__ T maximum(T a, T b) {
  return a > b ? a : b;
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

// functions.cu
extern __constant__ int table[4];
__device__ int twice(int x);
__device__ int recursive(int n);
__device__ int (*pick(int i))(int);
