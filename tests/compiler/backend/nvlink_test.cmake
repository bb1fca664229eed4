# SPDX-License-Identifier: Apache-2.0
# The command lines that clang, nvcc and CMake give nvlink, and what it refuses. PTXAS, NVLINK, DISASM, WORK are given.
file(MAKE_DIRECTORY ${WORK})
set(head ".version 8.3\n.target sm_80\n.address_size 64\n")
file(WRITE ${WORK}/main.ptx "${head}.extern .func helper(.param .b64 p);
.visible .entry kernel(.param .u64 out)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  { .param .b64 a; st.param.b64 [a], %rd1; call.uni helper, (a); }
  ret;
}
")
file(WRITE ${WORK}/helper.ptx "${head}.visible .func helper(.param .b64 p)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  st.global.u64 [%rd1], %rd1;
  ret;
}
")
file(WRITE ${WORK}/bad.ptx "${head}.visible .func helper(.param .b64 p)\n{\n  frobnicate.u32 %r1;\n}\n")
file(WRITE ${WORK}/text.o "this is no object")

include(${CMAKE_CURRENT_LIST_DIR}/../../expect.cmake)

expect(0 "" ${PTXAS} -m64 -O2 --gpu-name sm_80 --output-file ${WORK}/main.o ${WORK}/main.ptx -c)
expect(0 "" ${PTXAS} -m64 -c --gpu-name sm_80 -o ${WORK}/helper.o ${WORK}/helper.ptx)
expect(1 "bad\\.ptx:6:3: error.*frobnicate" ${PTXAS} -c -o ${WORK}/bad.o ${WORK}/bad.ptx)
expect(1 "Unresolved extern function 'helper'" ${PTXAS} -o ${WORK}/x.o ${WORK}/main.ptx)

expect(0 "" ${NVLINK} -arch=sm_80 -m64 ${WORK}/main.o ${WORK}/helper.o -o ${WORK}/linked.cubin)
expect(0 "kernel.*STG" ${DISASM} ${WORK}/linked.cubin)
expect(0 "Compiling entry function 'kernel' for 'sm_90'"
       ${NVLINK} --arch sm_90 -v --register-link-binaries=${WORK}/names.h -L${WORK} -lcudadevrt -lnowhere --cpu-arch=X86_64
       ${WORK}/main.o ${WORK}/helper.o -o=${WORK}/linked.cubin)
file(READ ${WORK}/names.h names)
if(NOT names MATCHES "NUM_PRELINKED_OBJECTS 0")
  message(FATAL_ERROR "registrations: ${names}")
endif()
expect(0 "" ${NVLINK} -o ${WORK}/empty.cubin -arch=sm_80 libcudadevrt.a)
expect(0 "V12\\.3\\.0" ${NVLINK} --version)

expect(1 "main\\.o:[0-9]+:[0-9]+: error: Unresolved extern function 'helper'.*\\^" ${NVLINK} ${WORK}/main.o -o ${WORK}/x.cubin)
expect(1 "Multiple definition of 'helper'" ${NVLINK} ${WORK}/main.o ${WORK}/helper.o ${WORK}/helper.o -o ${WORK}/x.cubin)
expect(1 "text\\.o': neither an object nor an archive" ${NVLINK} ${WORK}/text.o -o ${WORK}/x.cubin)
expect(1 "linked\\.cubin': its device code is linked already" ${NVLINK} ${WORK}/linked.cubin -o ${WORK}/x.cubin)
expect(1 "cannot read '.*nothing\\.o'" ${NVLINK} ${WORK}/nothing.o -o ${WORK}/x.cubin)
expect(1 "cannot write '/proc/x.cubin'" ${NVLINK} ${WORK}/main.o ${WORK}/helper.o -o /proc/x.cubin)
expect(1 "Value 'fast' is not defined for option '-arch'" ${NVLINK} -arch=fast ${WORK}/main.o)
expect(1 "unknown option '--no-such=1'" ${NVLINK} --no-such=1 ${WORK}/main.o)
expect(1 "'-o' is unknown, or its value is missing" ${NVLINK} ${WORK}/main.o -o)
expect(1 "no input files" ${NVLINK})
