# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` copies works where it was moved to: compilers, CMake projects and pkg-config use it, and programs find
# the golden model without a variable that says where. With PACKAGE the same of Debian's package, unpacked, and of its examples.
# SOURCE, CLANGXX and WORK are given, and the build's folder in the environment.
cmake_minimum_required(VERSION 3.25)
set(BUILD $ENV{HEDDLE_BUILD})
foreach(name CUDA_HOME CUDA_PATH CUDAToolkit_ROOT CUDACXX CUDAARCHS LIBRARY_PATH LD_LIBRARY_PATH CPATH HEDDLE_HOME HEDDLE_PRESET
             CMAKE_PREFIX_PATH DESTDIR NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS)
  unset(ENV{${name}})
endforeach()
set(ENV{HEDDLE_DEVICE} model)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(EXPECT_IN ${WORK})
include(${CMAKE_CURRENT_LIST_DIR}/expect.cmake)

if(PACKAGE)
  expect(0 "" cpack --config ${BUILD}/CPackConfig.cmake -G DEB -B ${WORK}/made -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
  file(GLOB package ${WORK}/made/*.deb)
  expect(0 "Depends: clang[-0-9]*, .*libc6.*Recommends: .*libthrust-dev" dpkg-deb --info ${package})
  expect(0 "" dpkg-deb -x ${package} ${WORK}/unpacked)
  file(RENAME ${WORK}/unpacked/opt/heddle ${WORK}/moved)
  file(CREATE_LINK ${WORK}/moved ${WORK}/unpacked/opt/heddle SYMBOLIC)
  set(command ${WORK}/unpacked/usr/bin/heddle)
  expect(0 "10 of 10 examples pass" ${command} demo --device model)
  # In lockstep, where the hardware is in it.
  expect(0 "2 of 2 examples pass" ${command} demo vecadd sgemm)
  foreach(package_config heddleConfig.cmake heddleConfigVersion.cmake)
    if(NOT EXISTS ${WORK}/unpacked/usr/lib/cmake/heddle/${package_config})
      message(FATAL_ERROR "/usr/lib/cmake/heddle leads to no ${package_config}")
    endif()
  endforeach()
else()
  expect(0 "" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
  file(RENAME ${WORK}/prefix ${WORK}/moved)
endif()
set(top ${WORK}/moved)

# Nothing in it names the folders that it came from, nor the one that it was installed to. (grep's status: 1, none found.)
expect(1 "^$" grep -rlaF -e ${BUILD}/ -e ${SOURCE}/host-runtime -e ${SOURCE}/sim/ -e ${SOURCE}/firmware -e ${SOURCE}/examples
       -e ${WORK}/prefix ${top})
foreach(part heddle nvcc ptxas fatbinary nvlink cuobjdump nvdisasm crt/link.stub)
  if(NOT EXISTS ${top}/bin/${part})
    message(FATAL_ERROR "bin/${part} is not installed")
  endif()
endforeach()
expect(0 "found in +${top}\n.*presets +cc20, cc80, cc80x16, cc80x8, cc90, tiny\n.*devices .*model" ${top}/bin/heddle doctor)

# A program, by nvcc and by clang, with either runtime.
file(WRITE ${WORK}/app.cu [[
#include <cstdio>
__global__ void triple(int* p) { p[threadIdx.x] *= 3; }
int main() {
  int numbers[32], *device;
  for (int i = 0; i < 32; ++i) numbers[i] = i;
  if (cudaMalloc(&device, sizeof numbers) || cudaMemcpy(device, numbers, sizeof numbers, cudaMemcpyHostToDevice)) return 1;
  triple<<<1, 32>>>(device);
  if (cudaMemcpy(numbers, device, sizeof numbers, cudaMemcpyDeviceToHost)) return 1;
  std::printf("%d\n", numbers[31]);
}
]])
expect(0 "" ${top}/bin/nvcc app.cu -o by_nvcc)
expect(0 "" ${top}/bin/nvcc -cudart shared app.cu -o by_nvcc_shared)
set(clang ${CLANGXX} --cuda-path=${top} --cuda-gpu-arch=sm_80 -L${top}/lib64 -Wl,-rpath,${top}/lib64 app.cu)
expect(0 "" ${clang} -lcudart -o by_clang_shared)
list(REMOVE_ITEM clang -Wl,-rpath,${top}/lib64)
expect(0 "" ${clang} -lcudart_static -ldl -lpthread -o by_clang)
foreach(program by_nvcc by_nvcc_shared by_clang by_clang_shared)
  expect(0 "^93\n$" ${WORK}/${program})
endforeach()
# What another toolkit's headers were in finds the `heddle` command in PATH: here a relative path to them stands for that.
expect(0 "" ${CLANGXX} --cuda-path=moved --cuda-gpu-arch=sm_80 -Lmoved/lib app.cu -lcudart_static -ldl -lpthread -o by_path)
expect(1 "" ${WORK}/by_path)
expect(0 "^93\n$" ${CMAKE_COMMAND} -E env PATH=${top}/bin:$ENV{PATH} ${WORK}/by_path)

# NVRTC finds the toolkit that it lies in.
file(WRITE ${WORK}/rtc.cpp [[
#include <nvrtc.h>
int main() {
  nvrtcProgram program;
  if (nvrtcCreateProgram(&program, "#include <cuda_fp16.h>\n__global__ void k(half* p) { *p = p[1] + p[2]; }\n", "k.cu", 0, 0, 0)) return 1;
  return nvrtcCompileProgram(program, 0, 0);
}
]])
expect(0 "" ${top}/bin/nvcc rtc.cpp -lnvrtc -o rtc)
expect(0 "" ${WORK}/rtc)

# Projects: CMake's CUDA language and find_package(CUDAToolkit); find_package(heddle).
set(project ${SOURCE}/tests/unit/firmware/programs)
expect(0 "" ${CMAKE_COMMAND} -DCOMPILER=${top}/bin/nvcc -DTOOLKIT=${top} -DSOURCE=${project}/cmake_language -DOUTPUT=${WORK}/language
       -P ${project}/run_cmake_language.cmake)
file(WRITE ${WORK}/project/main.cpp
  "#include <cuda_runtime.h>\nint main() { int n = 0; return cudaGetDeviceCount(&n) != cudaSuccess || n != 1; }\n")
file(WRITE ${WORK}/project/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(uses_heddle LANGUAGES CXX)
find_package(heddle 0.1 REQUIRED)
foreach(library cudart cudart_static)
  add_executable(with_${library} main.cpp)
  target_link_libraries(with_${library} PRIVATE heddle::${library})
endforeach()
]])
expect(0 "" ${CMAKE_COMMAND} -S project -B project/build -DCMAKE_PREFIX_PATH=${top})
expect(0 "" ${CMAKE_COMMAND} --build project/build)
foreach(library cudart cudart_static)
  expect(0 "" ${WORK}/project/build/with_${library})
endforeach()
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${top}/lib/pkgconfig)
  expect(0 "" sh -c "c++ project/main.cpp -o by_pkg_config $(${PKG_CONFIG} --cflags --libs heddle)")
  expect(0 "" ${WORK}/by_pkg_config)
endif()
