# SPDX-License-Identifier: Apache-2.0
# nvcc's steps that makefiles use beside compiling and linking. TOOLKIT, WORK, CLANGXX are given.
set(NVCC ${TOOLKIT}/bin/nvcc)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/out)
file(WRITE ${WORK}/a.cu "#include \"a.h\"\n__global__ void first(float *p) { p[threadIdx.x] = SCALE * __expf(*p); }\n")
file(WRITE ${WORK}/a.h "#define SCALE 2.0f\n")
file(WRITE ${WORK}/b.cu "__global__ void second(int *p) { *p = 2; }\n")
file(WRITE ${WORK}/options.txt "-O1 -c \\\n -DSCALE='3.0f'")

set(EXPECT_IN ${WORK})
include(${CMAKE_CURRENT_LIST_DIR}/../../expect.cmake)
function(made)
  foreach(file ${ARGN})
    if(NOT EXISTS ${WORK}/${file})
      message(FATAL_ERROR "${file} was not made")
    endif()
    file(REMOVE ${WORK}/${file})
  endforeach()
endfunction()

# Several sources, each to its own file.
expect(0 "" ${NVCC} -ptx a.cu b.cu)
made(a.ptx b.ptx)
expect(0 "" ${NVCC} -cubin -odir out a.cu b.cu -Xptxas -dlcm=cg)
made(out/a.cubin out/b.cubin)
expect(0 "" ${NVCC} -dc -odir out --expt-relaxed-constexpr --extended-lambda -lto a.cu b.cu)
made(out/a.o out/b.o)
expect(1 "option '-o' names one file, and there are 2 inputs" ${NVCC} -c a.cu b.cu -o x.o)

# Fat binaries, of sources and of PTX: both kinds for every architecture.
expect(0 "" ${NVCC} -fatbin -gencode "arch=compute_80,code=[sm_80,compute_80]" -gencode arch=compute_75,code=sm_75 b.cu -o x.fatbin)
expect(0 "^elf sm_75 .*ptx sm_75 .*elf sm_80 .*ptx sm_80 [0-9]+ bytes\n$" ${TOOLKIT}/bin/fatbinary --list x.fatbin)
made(x.fatbin)
expect(0 "" ${NVCC} -ptx b.cu)
expect(0 "" ${NVCC} -fatbin b.ptx)
expect(0 "^elf sm_80 .*ptx sm_80 [0-9]+ bytes\n$" ${TOOLKIT}/bin/fatbinary --list b.fatbin)
expect(0 "" ${NVCC} -cubin b.ptx)
expect(1 "'b.cubin': machine code is compiled already" ${NVCC} -fatbin b.cubin)
expect(1 "'b.fatbin': device code is no part of a program" ${NVCC} b.fatbin)
made(b.ptx b.fatbin b.cubin)

# What ptxas says comes through, and what is for the host stays there.
expect(0 "Used [0-9]+ registers" ${NVCC} -c -res-usage -use_fast_math -Xcompiler "-march=native -Wall" a.cu)
made(a.o)
expect(0 "Used [0-9]+ registers" ${NVCC} -fatbin -Xptxas -v -maxrregcount 32 -G a.cu)
made(a.fatbin)

# The host's code is optimised as much as asked for; the device's is optimised unless -G or -O says otherwise.
file(WRITE ${WORK}/levels.cu "#if defined __CUDA_ARCH__ ? !defined __OPTIMIZE__ : OPTIMIZED != defined __OPTIMIZE__ + 0\n#error wrong\n#endif\n"
  "__global__ void k() {}\n")
file(WRITE ${WORK}/levels.cc "#if OPTIMIZED != defined __OPTIMIZE__ + 0\n#error wrong\n#endif\n")
foreach(source levels.cu levels.cc)
  expect(0 "" ${NVCC} -DOPTIMIZED=0 -c ${source})
  expect(0 "" ${NVCC} -DOPTIMIZED=1 -O2 -c ${source})
  expect(0 "" ${NVCC} -DOPTIMIZED=1 -Xcompiler -O1 -c ${source})
  expect(0 "" ${NVCC} -DOPTIMIZED=0 -Xcompiler -O0 -c ${source})
endforeach()
made(levels.o)
expect(0 "\"-O3\"" ${NVCC} -dryrun -cubin -ewp b.cu)

# C and C++ are the host compiler's, gcc unless -ccbin names another: with what it takes, the runtime's headers, its own
# language standard, and code for this machine.
file(WRITE ${WORK}/host.c "#ifdef __clang__\n#error clang\n#endif\n#include <cuda_runtime_api.h>\n"
  "int twice(int n) {\n  int add(int k) { return n + k; }\n  return add(n) - (cudaSuccess != 0);\n}\n")
file(WRITE ${WORK}/host.cpp "#if defined __clang__ || __cplusplus != 201402L || !defined __AVX__ || !__NVCC__\n#error wrong\n#endif\n"
  "#include <cuda_runtime.h>\nextern \"C\" int twice(int);\nvoid launch();\nint main(int n, char**) { return n > 9 ? launch(), 1 : twice(n) - 2; }\n")
file(WRITE ${WORK}/other.cc "#ifndef __clang__\n#error not clang\n#endif\nint other = 1;\n")
file(WRITE ${WORK}/launch.cu "__global__ void k() {}\nvoid launch() { k<<<1, 1>>>(); }\n")
expect(0 "" ${NVCC} -std=c++14 -lineinfo -use_fast_math -Xcompiler "-mavx -Wall -Werror" launch.cu host.c host.cpp -o app)
expect(0 "" ./app)
made(app)
expect(0 "" ${NVCC} -c -o c.o host.c)
expect(0 "" ${NVCC} -rdc=true -std=c++14 -Xcompiler -mavx launch.cu c.o host.cpp -o app)
expect(0 "" ./app)
made(app c.o)
expect(0 "int twice" ${NVCC} -E host.c)
expect(0 "host.o: .*host.c.*cuda_runtime_api.h" ${NVCC} -M host.c)
expect(0 "" ${NVCC} -ccbin ${CLANGXX} -c other.cc)
made(other.o)
expect(1 "cannot start '/nonexistent/gcc'" ${NVCC} -ccbin /nonexistent/gcc -c host.c)

# The runtime is the static one unless another is asked for; the folder of the shared one is always known to the program.
expect(0 "-lcudart_static.*-rpath,.*/lib64" ${NVCC} -dryrun launch.cu)
expect(0 "\"-lcudart\".*-rpath,.*/lib64" ${NVCC} -dryrun -cudart shared launch.cu)
file(WRITE ${WORK}/main.cu "__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n")
expect(0 "" ${NVCC} main.cu -lcuda -lcudart -o app)
expect(0 "" ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH HEDDLE_DEVICE=model ./app)
made(app)

# Neighbouring bytes in turn at odd places: clang 19 makes one load of 16 bytes of them, if it may.
file(WRITE ${WORK}/odd.cu "__global__ void turn(unsigned char* data, const short* place, int rounds) {\n  __shared__ unsigned char all[32 * 19];\n"
  "  unsigned char own[19];\n#pragma unroll\n  for (int i = 0; i < 19; i++) own[i] = data[threadIdx.x * 19 + i];\n"
  "#pragma unroll 1\n  for (int round = 0; round < rounds; round++) {\n"
  "#pragma unroll\n    for (int i = 0; i < 19; i++) all[place[i * 32 + threadIdx.x]] = own[i];\n    __syncwarp();\n"
  "#pragma unroll\n    for (int i = 0; i < 19; i++) own[i] = all[threadIdx.x * 19 + i];\n    __syncwarp();\n  }\n"
  "#pragma unroll\n  for (int i = 0; i < 19; i++) data[i * 32 + threadIdx.x] = own[i];\n}\n"
  "int main() {\n  unsigned char* data;\n  short* place;\n  cudaMallocManaged(&data, 32 * 19);\n  cudaMallocManaged(&place, 64 * 19);\n"
  "  for (int i = 0; i < 32 * 19; i++) data[i] = i, place[i] = i;\n  turn<<<1, 32>>>(data, place, 1);\n  if (cudaDeviceSynchronize() != cudaSuccess) return 1;\n"
  "  for (int i = 0; i < 32 * 19; i++) {\n    const int from = i % 32 * 19 + i / 32;\n"
  "    if (data[i] != (unsigned char)(from % 32 * 19 + from / 32)) return 2;\n  }\n  return 0;\n}\n")
expect(0 "" ${NVCC} odd.cu -o app)
expect(0 "" ${CMAKE_COMMAND} -E env HEDDLE_DEVICE=model ./app)
made(app)

# Constants of the host's in which the device reads nothing are no constants of the device, as long as there is no room.
file(WRITE ${WORK}/tables.cu "struct Row {\n  unsigned a[20];\n};\nextern const Row rows[];\nconst Row rows[10200] = {{{1}}, {{2}}};\n"
  "__constant__ int used[1000] = {5, 6}, unused[16000] = {7, 8};\n__device__ int* const place = &used[1];\n"
  "__global__ void k(int* p) { p[0] = used[threadIdx.x] + *place; }\n"
  "int main() {\n  int *p, v[3] = {}, w = 9;\n  if (cudaMallocManaged(&p, 4) != cudaSuccess) return 1;\n  k<<<1, 1>>>(p);\n"
  "  if (cudaDeviceSynchronize() != cudaSuccess || *p != 11) return 2;\n"
  "  if (cudaMemcpyToSymbol(unused, &w, 4, 4) != cudaSuccess || cudaMemcpyFromSymbol(v, unused, 12) != cudaSuccess) return 3;\n"
  "  if (v[0] != 7 || v[1] != 9 || v[2] != 0 || rows[1].a[0] != 2) return 4;\n"
  "  return cudaMemcpyFromSymbol(v, rows, 12) == cudaErrorInvalidSymbol ? 0 : 5;\n}\n")
expect(0 "" ${NVCC} tables.cu -o app)
expect(0 "" ${CMAKE_COMMAND} -E env HEDDLE_DEVICE=model ./app)
made(app)
file(WRITE ${WORK}/large.cu "__constant__ int all[16385];\n__global__ void k(int* p) { *p = all[*p]; }\n")
expect(1 "constant variables need 65540 bytes, 65536 are there" ${NVCC} -cubin large.cu)

# Graphs and pools are refused where they are called.
file(WRITE ${WORK}/graph.cu "int main() {\n  cudaGraph_t graph;\n  cudaGraphNode_t node;\n  cudaMemsetParams fill = {};\n  cudaMemPool_t pool;\n"
  "  cudaMemPoolProps properties = {};\n  return cudaGraphCreate(&graph, 0) == cudaErrorNotSupported &&\n"
  "    cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill) == cudaErrorNotSupported &&\n"
  "    cudaMemPoolCreate(&pool, &properties) == cudaErrorNotSupported ? 0 : 1;\n}\n")
expect(0 "" ${NVCC} graph.cu -o app)
expect(0 "cudaGraphCreate: graphs are not supported.*cudaGraphAddMemsetNode.*cudaMemPoolCreate: memory pools are not supported"
       ${CMAKE_COMMAND} -E env HEDDLE_DEVICE=model ./app)
made(app)

# A library with kernels comes and goes, and device memory stays as it was.
file(WRITE ${WORK}/plugin.cu "__device__ int table[1024];\n__global__ void put(int* p, int v) { table[7] = v; *p = table[7] + 1; }\n"
  "extern \"C\" int next(int v) {\n  int *p, r = 0;\n  cudaMalloc(&p, 4);\n  put<<<1, 1>>>(p, v);\n  cudaMemcpy(&r, p, 4, cudaMemcpyDeviceToHost);\n"
  "  cudaFree(p);\n  return cudaGetLastError() == cudaSuccess ? r : -1;\n}\n")
file(WRITE ${WORK}/rounds.cu "#include <dlfcn.h>\n__global__ void own(int* p) { *p = 5; }\nint main() {\n  int* p;\n  size_t first = 0, now = 0, all;\n"
  "  if (cudaMallocManaged(&p, 4) != cudaSuccess) return 1;\n  for (int round = 0; round < 300; round++) {\n"
  "    void* library = dlopen(\"./plugin.so\", RTLD_NOW);\n    if (!library) return 2;\n    auto next = (int (*)(int))dlsym(library, \"next\");\n"
  "    if (next(round) != round + 1) return 3;\n    if (dlclose(library) != 0 || dlopen(\"./plugin.so\", RTLD_NOW | RTLD_NOLOAD)) return 4;\n"
  "    cudaMemGetInfo(&now, &all);\n    if (round == 2) first = now;\n    if (round > 2 && now != first) return 5;\n  }\n"
  "  own<<<1, 1>>>(p);\n  return cudaDeviceSynchronize() == cudaSuccess && *p == 5 ? 0 : 6;\n}\n")
expect(0 "" ${NVCC} -shared -cudart shared -Xcompiler -fPIC plugin.cu -o plugin.so)
expect(0 "" ${NVCC} -cudart shared rounds.cu -ldl -o app)
expect(0 "" ${CMAKE_COMMAND} -E env HEDDLE_DEVICE=model ./app)
made(app plugin.so)

# OpenMP is clang's, and a package of its own.
file(WRITE ${WORK}/openmp.cu "#include <omp.h>\n__global__ void k(int *p) { atomicAdd(p, 1); }\n"
  "int main() {\n  int *p, sum = 0;\n  cudaMallocManaged(&p, 4);\n#pragma omp parallel for reduction(+ : sum)\n"
  "  for (int i = 0; i < 100; ++i) sum += i;\n  k<<<1, 32>>>(p);\n"
  "  return cudaDeviceSynchronize() || sum != 4950 || *p != 32 || omp_get_max_threads() < 1;\n}\n")
execute_process(COMMAND ${CLANGXX} -print-resource-dir OUTPUT_VARIABLE resources OUTPUT_STRIP_TRAILING_WHITESPACE)
if(EXISTS ${resources}/include/omp.h)
  expect(0 "" ${NVCC} -Xcompiler -fopenmp -c openmp.cu)
  expect(0 "" ${NVCC} -Xcompiler -fopenmp openmp.o -o app)
  expect(0 "" ${CMAKE_COMMAND} -E env HEDDLE_DEVICE=model ./app)
  made(app openmp.o)
else()
  expect(1 "apt-get install libomp-[0-9]+-dev" ${NVCC} -Xcompiler -fopenmp openmp.cu)
endif()

# Dependencies.
expect(0 "a.o: .*a.cu.*a.h" ${NVCC} -MM a.cu)
expect(0 "" ${NVCC} -MD -MF deps -c a.cu)
made(a.o deps)

# Options from elsewhere.
expect(0 "redefined" ${NVCC} --options-file options.txt a.cu)
made(a.o)
expect(0 "" ${CMAKE_COMMAND} -E env NVCC_APPEND_FLAGS=-ptx ${NVCC} b.cu)
made(b.ptx)

# -dryrun names every step and does none.
expect(0 "-S.*b.cu.*bin/ptxas.*bin/fatbinary" ${NVCC} -dryrun -fatbin b.cu)
if(EXISTS ${WORK}/b.fatbin)
  message(FATAL_ERROR "-dryrun compiles")
endif()
expect(0 "compute_70\n.*compute_80\n.*compute_90\n$" ${NVCC} --list-gpu-arch)
expect(1 "Unsupported gpu architecture 'sm_100' .the newest supported is sm_90" ${NVCC} -arch=sm_100 -c a.cu)
