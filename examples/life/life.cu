// SPDX-License-Identifier: Apache-2.0
// Conway's game of life on a torus, one cell a thread, a tile with its rim in shared memory; can write
// the last generation as a picture.   life [width = 64] [height = 48] [generations = 8] [out.ppm]
#include <vector>

#include "../common/example.h"

constexpr int kTileX = 16;
constexpr int kTileY = 8;

__global__ void generation(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ unsigned char tile[kTileY + 2][kTileX + 2];
  const int x0 = blockIdx.x * kTileX - 1;
  const int y0 = blockIdx.y * kTileY - 1;
  for (int ty = threadIdx.y; ty < kTileY + 2; ty += kTileY)
    for (int tx = threadIdx.x; tx < kTileX + 2; tx += kTileX) {
      const int x = (x0 + tx + width) % width;
      const int y = (y0 + ty + height) % height;
      tile[ty][tx] = in[y * width + x];
    }
  __syncthreads();
  const int x = blockIdx.x * kTileX + threadIdx.x;
  const int y = blockIdx.y * kTileY + threadIdx.y;
  if (x >= width || y >= height) return;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) neighbours += tile[ty + dy][tx + dx];
  neighbours -= tile[ty][tx];
  out[y * width + x] = neighbours == 3 || (neighbours == 2 && tile[ty][tx]);
}

static void host_generation(const std::vector<unsigned char>& in, std::vector<unsigned char>& out,
                            int width, int height) {
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int neighbours = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (dx || dy)
            neighbours += in[(y + dy + height) % height * width + (x + dx + width) % width];
      out[y * width + x] = neighbours == 3 || (neighbours == 2 && in[y * width + x]);
    }
}

static bool write_ppm(const char* path, const std::vector<unsigned char>& cells, int width,
                      int height) {
  constexpr int kScale = 4;
  FILE* file = fopen(path, "wb");
  if (!file) return false;
  fprintf(file, "P6\n%d %d\n255\n", width * kScale, height * kScale);
  for (int y = 0; y < height * kScale; ++y)
    for (int x = 0; x < width * kScale; ++x) {
      const bool alive = cells[y / kScale * width + x / kScale];
      const unsigned char pixel[3] = {(unsigned char)(alive ? 20 : 245),
                                      (unsigned char)(alive ? 110 : 245),
                                      (unsigned char)(alive ? 90 : 240)};
      fwrite(pixel, 1, 3, file);
    }
  return fclose(file) == 0;
}

int main(int argc, char** argv) {
  const int width = example_argument(argc, argv, 1, 64, 2);
  const int height = example_argument(argc, argv, 2, 48, 2);
  const int generations = example_argument(argc, argv, 3, 8, 0);
  const int n = width * height;
  std::vector<unsigned char> cells(n), got(n), next(n);
  ExampleRandom random(8);
  for (unsigned char& cell : cells) cell = random.bits() % 10 < 3;

  unsigned char *da, *db;
  CHECK(cudaMalloc(&da, n));
  CHECK(cudaMalloc(&db, n));
  CHECK(cudaMemcpy(da, cells.data(), n, cudaMemcpyHostToDevice));
  const dim3 blocks((width + kTileX - 1) / kTileX, (height + kTileY - 1) / kTileY);
  for (int g = 0; g < generations; ++g) {
    generation<<<blocks, dim3(kTileX, kTileY)>>>(da, db, width, height);
    unsigned char* t = da;
    da = db;
    db = t;
    host_generation(cells, next, width, height);
    cells.swap(next);
  }
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(got.data(), da, n, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));

  int bad = 0, alive = 0;
  for (int i = 0; i < n; ++i) {
    alive += cells[i];
    if (got[i] != cells[i] && bad++ < 5)
      printf("cell (%d, %d): %d, expected %d\n", i % width, i / width, got[i], cells[i]);
  }
  if (argc > 4 && !write_ppm(argv[4], got, width, height)) {
    fprintf(stderr, "cannot write %s\n", argv[4]);
    ++bad;
  }
  printf("life %d x %d, %d generations, %d cells alive\n", width, height, generations, alive);
  return verdict(bad);
}
