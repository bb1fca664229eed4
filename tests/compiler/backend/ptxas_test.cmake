# SPDX-License-Identifier: Apache-2.0
# The command lines that clang, nvcc and people give ptxas and heddle-disasm. PTXAS, DISASM, WORK are given.
file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/k.ptx [[
.version 8.3
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r1;
  ret;
}
]])
file(WRITE ${WORK}/newer.ptx ".version 8.7\n.target sm_120a\n.address_size 64\n.visible .entry k() { ret; }\n")
file(WRITE ${WORK}/bad.ptx ".version 8.3\n.target sm_80\n.address_size 64\n.entry k()\n{\n  frobnicate.u32 %r1;\n}\n")
# Forty values that are alive at a time, and doubles.
set(loads "")
set(stores "")
foreach(n RANGE 1 40)
  string(APPEND loads "  ld.volatile.global.u32 %r${n}, [%rd1];\n")
  string(PREPEND stores "  st.volatile.global.u32 [%rd1], %r${n};\n")
endforeach()
file(WRITE ${WORK}/spills.ptx ".version 8.3
.target sm_80
.address_size 64
.visible .entry spills(.param .u64 out)
{
  .reg .b32 %r<41>; .reg .b64 %rd<2>; .reg .f64 %d<2>;
  ld.param.u64 %rd1, [out];
${loads}${stores}
  ld.global.f64 %d1, [%rd1];
  add.f64 %d1, %d1, %d1;
  st.global.f64 [%rd1], %d1;
  ret;
}
")
file(WRITE ${WORK}/options.txt "--maxrregcount=16 --warn-on-spills\n-v")
file(WRITE ${WORK}/damaged.cubin "this is no cubin")

include(${CMAKE_CURRENT_LIST_DIR}/../../expect.cmake)

expect(0 "" ${PTXAS} -m64 -O2 --gpu-name sm_80 --output-file ${WORK}/k.o ${WORK}/k.ptx)
expect(0 "" ${PTXAS} -m64 -g --dont-merge-basicblocks --return-at-end --gpu-name sm_80 --output-file ${WORK}/k.o ${WORK}/k.ptx)
expect(0 "" ${PTXAS} -m64 -O3 -lineinfo --gpu-name sm_80 --output-file ${WORK}/k.o ${WORK}/k.ptx)
expect(0 "" ${PTXAS} -arch=sm_90 -maxrregcount=32 -o ${WORK}/k.o ${WORK}/k.ptx)
expect(0 "" ${PTXAS} -arch sm_90a -maxrregcount 32 ${WORK}/k.ptx -o ${WORK}/k.o)
expect(1 "k\\.ptx:2:9: error: SM version specified by .target is higher than sm_75, .*\\^" ${PTXAS} -arch=sm_75 ${WORK}/k.ptx -o ${WORK}/k.o)
expect(1 "higher than sm_80" ${PTXAS} ${WORK}/newer.ptx -o ${WORK}/k.o)
expect(1 "higher than sm_89" ${PTXAS} -arch=sm_89 ${WORK}/newer.ptx -o ${WORK}/k.o)
expect(0 "for 'sm_80'.*Function properties for kernel.*0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads.*Used [0-9]+ registers"
       ${PTXAS} -v --maxrregcount 64 --gpu-name sm_80 -o ${WORK}/k.o ${WORK}/k.ptx)
# NVIDIA's other options, as makefiles have them behind -Xptxas.
expect(0 "" ${PTXAS} -dlcm=cg -dscm wb --allow-expensive-optimizations=true -fmad=false --return-at-end -O3 -w -m64
       -machine 64 --suppress-stack-size-warning -e kernel -o ${WORK}/k.o ${WORK}/k.ptx)
expect(0 "spilled to local memory in function 'spills', [1-9][0-9]* bytes spill stores, [1-9].*Used [0-9]+ registers"
       ${PTXAS} -optf ${WORK}/options.txt -o ${WORK}/spills.o ${WORK}/spills.ptx)
expect(0 "Local memory used for function 'spills', size: [1-9]"
       ${PTXAS} -warn-lmem-usage -maxrregcount=16 -o ${WORK}/spills.o ${WORK}/spills.ptx)
expect(0 "Double precision is used in function 'spills'" ${PTXAS} -warn-double-usage -o ${WORK}/spills.o ${WORK}/spills.ptx)
expect(1 "Double precision.*warnings, and they count as errors"
       ${PTXAS} -Werror -warn-double-usage -o ${WORK}/spills.o ${WORK}/spills.ptx)
expect(0 "^$" ${PTXAS} --warn-on-spills --warn-on-double-precision-use -o ${WORK}/k.o ${WORK}/k.ptx)
expect(0 "^$" ${PTXAS} -w -warn-double-usage -o ${WORK}/spills.o ${WORK}/spills.ptx)
expect(1 "'sm_100' is not defined for option 'gpu-name' .the newest is sm_90" ${PTXAS} -arch=sm_100 ${WORK}/k.ptx)
expect(1 "option '--input-as-string' is not supported" ${PTXAS} --input-as-string ${WORK}/k.ptx)
expect(1 "option '--maxntid=64' is not supported" ${PTXAS} -maxntid=64 ${WORK}/k.ptx)
expect(1 "def-load-cache: never not in" ${PTXAS} -dlcm=never ${WORK}/k.ptx)
expect(1 "no-such-option" ${PTXAS} --no-such-option ${WORK}/k.ptx)
expect(1 "cannot read '.*nowhere'" ${PTXAS} -optf ${WORK}/nowhere ${WORK}/k.ptx)
expect(0 "V12\\.3\\.0" ${PTXAS} --version)
expect(1 "bad\\.ptx:6:3: error.*frobnicate.*\\^" ${PTXAS} -o ${WORK}/bad.o ${WORK}/bad.ptx)
expect(1 "cannot read" ${PTXAS} -o ${WORK}/none.o ${WORK}/none.ptx)
expect(1 "cannot write" ${PTXAS} -o ${WORK}/no/such/folder/k.o ${WORK}/k.ptx)
expect(0 "kernel kernel .*STG\\.32 .*EXIT" ${DISASM} ${WORK}/k.o)
expect(0 "kernel kernel" ${DISASM} --list ${WORK}/k.o)
expect(1 "no kernel or function 'other'" ${DISASM} -k other ${WORK}/k.o)
expect(1 "not a Heddle cubin" ${DISASM} ${WORK}/damaged.cubin)
