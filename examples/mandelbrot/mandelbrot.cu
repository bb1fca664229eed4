// SPDX-License-Identifier: Apache-2.0
// Escape counts of the Mandelbrot set: neighbouring threads leave their loops at different times, so
// warps diverge. Each fused operation is written, so host and device agree to the bit.
//   mandelbrot [width = 64] [height = 32] [iterations = 64] [out.ppm]
#include <vector>

#include "../common/example.h"

__host__ __device__ static int escape_count(float cx, float cy, int limit) {
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < limit) {
    if (fmaf(x, x, y * y) > 4.0f) break;
    const float next = fmaf(-y, y, fmaf(x, x, cx));
    y = fmaf(2.0f * x, y, cy);
    x = next;
    ++n;
  }
  return n;
}

__host__ __device__ static float coordinate(int i, int n, float low, float high) {
  return fmaf((float)i, (high - low) / (float)n, low);
}

__global__ void mandelbrot(int* counts, int width, int height, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    counts[y * width + x] = escape_count(coordinate(x, width, -2.0f, 0.6f),
                                         coordinate(y, height, -1.2f, 1.2f), limit);
}

static bool write_ppm(const char* path, const std::vector<int>& counts, int width, int height,
                      int limit) {
  FILE* file = fopen(path, "wb");
  if (!file) return false;
  fprintf(file, "P6\n%d %d\n255\n", width, height);
  for (int n : counts) {
    const unsigned char shade = (unsigned char)(n == limit ? 0 : 40 + 215 * n / limit);
    const unsigned char pixel[3] = {shade, (unsigned char)(shade / 2), (unsigned char)(255 - shade)};
    fwrite(pixel, 1, 3, file);
  }
  return fclose(file) == 0;
}

int main(int argc, char** argv) {
  const int width = example_argument(argc, argv, 1, 64);
  const int height = example_argument(argc, argv, 2, 32);
  const int limit = example_argument(argc, argv, 3, 64);
  std::vector<int> counts(width * height);

  int* dcounts;
  CHECK(cudaMalloc(&dcounts, counts.size() * sizeof(int)));
  const dim3 threads(16, 8);
  const dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
  mandelbrot<<<blocks, threads>>>(dcounts, width, height, limit);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(counts.data(), dcounts, counts.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dcounts));

  int bad = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int expected = escape_count(coordinate(x, width, -2.0f, 0.6f),
                                        coordinate(y, height, -1.2f, 1.2f), limit);
      const int got = counts[y * width + x];
      if (got != expected && bad++ < 5)
        printf("point (%d, %d): %d, expected %d\n", x, y, got, expected);
    }
  if (argc > 4 && !write_ppm(argv[4], counts, width, height, limit)) {
    fprintf(stderr, "cannot write %s\n", argv[4]);
    ++bad;
  }
  printf("mandelbrot %d x %d, %d iterations\n", width, height, limit);
  return verdict(bad);
}
