# SPDX-License-Identifier: Apache-2.0
# cuobjdump and nvdisasm on all that can hold device code. TOOLKIT, WORK are given.
set(NVCC ${TOOLKIT}/bin/nvcc)
set(DUMP ${TOOLKIT}/bin/cuobjdump)
set(DISASM ${TOOLKIT}/bin/nvdisasm)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/a.cu "__device__ int counter;\n__global__ void first(int *p) { __shared__ int s[32]; s[threadIdx.x] = *p; __syncthreads(); p[threadIdx.x] = s[31 - threadIdx.x] + counter; }\n")
file(WRITE ${WORK}/b.cu "__global__ void second(float *p) { *p += 1; }\nint main() { return 0; }\n")
file(WRITE ${WORK}/host.cc "int answer() { return 42; }\n")
file(WRITE ${WORK}/text.o "this is no object")

set(EXPECT_IN ${WORK})
include(${CMAKE_CURRENT_LIST_DIR}/../../expect.cmake)

expect(0 "" ${NVCC} -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 -c a.cu)
expect(0 "" ${NVCC} -c b.cu)
expect(0 "" ${NVCC} a.o b.o -o program)
expect(0 "" ${NVCC} -lib a.o b.o -o library.a)
expect(0 "" ${NVCC} -c host.cc)
expect(0 "" ${NVCC} -fatbin b.cu)
expect(0 "" ${NVCC} -cubin -lineinfo a.cu)
expect(0 "" ${NVCC} -rdc=true a.cu b.cu -o linked)

# A program's machine code and PTX, one container of each source.
expect(0 "ELF file    1: program\\.1\\.sm_75\\.cubin\n.*program\\.1\\.sm_80\\.cubin\n.*ELF file    3: program\\.2\\.sm_80\\.cubin\n$"
       ${DUMP} -lelf program)
expect(0 "PTX file    1: program\\.1\\.sm_75\\.ptx\n.*program\\.2\\.sm_80\\.ptx\n$" ${DUMP} --list-ptx program)
expect(0 "Fatbin elf code:\n=+\narch = sm_80\n.*code for sm_80\n.*kernel _Z6secondPf .*FADD.*EXIT" ${DUMP} -sass program)
expect(0 "Fatbin ptx code:.*\\.target sm_80.*\\.entry _Z6secondPf" ${DUMP} -ptx program)
expect(0 "kernel _Z6secondPf" ${DUMP} -ltext program)
expect(0 "Function _Z5firstPi:\n  REG:[1-9][0-9]* STACK:0 SHARED:128 " ${DUMP} -res-usage -arch sm_75 program)
expect(0 "STO_ENTRY +_Z5firstPi\n.*STT_OBJECT .*counter" ${DUMP} -symbols a.o)
expect(0 "bytes +\\.text" ${DUMP} -elf a.cubin)
expect(0 "Fatbin elf code:.*Fatbin ptx code:" ${DUMP} b.o)
expect(0 "code for sm_80\nkernel _Z6secondPf" ${DUMP} -sass -fun _Z6secondPf program)
expect(1 "no kernel or function of these names" ${DUMP} -sass -fun third program)

# The same in an archive, a fat binary, a cubin, a program linked by nvlink.
expect(0 "library\\.a\\.2\\.sm_80\\.cubin" ${DUMP} -lelf library.a)
expect(0 "b\\.fatbin\\.1\\.sm_80\\.cubin" ${DUMP} -lelf b.fatbin)
expect(0 "kernel _Z5firstPi" ${DUMP} -sass a.cubin)
expect(0 "^ELF file    1: linked\\.1\\.sm_80\\.cubin\n$" ${DUMP} -lelf linked)
expect(0 "_Z5firstPi.*_Z6secondPf" ${DUMP} -ltext linked)

# Extracted pieces are whole.
expect(0 "Extracting ELF file    3: program\\.2\\.sm_80\\.cubin\n$" ${DUMP} -xelf program.2 program)
expect(0 "kernel _Z6secondPf" ${DISASM} program.2.sm_80.cubin)
expect(0 "Extracting PTX file    2: program\\.1\\.sm_80\\.ptx" ${DUMP} -xptx all program)
expect(0 "" ${TOOLKIT}/bin/ptxas program.1.sm_80.ptx -o again.cubin)

# nvdisasm: a cubin alone.
expect(0 "a\\.cu:2.*variable counter" ${DISASM} a.cubin)
expect(0 "  [0-9a-f]+  [0-9a-f]+  [A-Z]" ${DISASM} -c -hex -g a.cubin)
expect(0 "kernel _Z5firstPi" ${DISASM} -fun _Z5firstPi a.cubin)
expect(1 "no kernel or function 'third'" ${DISASM} -fun third a.cubin)
expect(1 "not a Heddle cubin.*cuobjdump takes programs" ${DISASM} program)
expect(1 "option '-cfg' is not supported" ${DISASM} -cfg a.cubin)
expect(0 "Heddle.*V12\\.3\\.0" ${DISASM} --version)

# What holds nothing, and what is refused.
expect(0 "does not contain device code" ${DUMP} -sass host.o)
expect(1 "'text.o': neither a cubin" ${DUMP} text.o)
expect(1 "no machine code has 'nothing' in its name" ${DUMP} -xelf nothing program)
expect(1 "Unknown option '-no-such'" ${DUMP} -no-such program)
expect(1 "cannot read" ${DUMP} nowhere)
expect(0 "Heddle.*V12\\.3\\.0" ${DUMP} --version)
