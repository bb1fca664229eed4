# SPDX-License-Identifier: Apache-2.0
# Verilated models of single modules, from their sources or from a synthesized netlist of them.
#
# heddle_verilate(<target> TOP module [PRESET p] [SOURCES a.sv …] [PARAMS N=4 …] [NETLIST | SHARED])
#   Static library <target> with the class V<module> (header V<module>.h), assertions on, compiled by clang++
#   when there is one. SOURCES: the module and what it instantiates, as absolute paths, relative to rtl/, or
#   relative to the caller's folder; packages come by themselves, those that are imported; one that is listed replaces rtl's.
#   PRESET: default cc80. NETLIST: the model is that of the gates which Yosys makes of TOP (no assertions left); ports are then
#   plain vectors of the same width, which Verilator presents in the same way. A port may not be an unpacked array.
#   SHARED: the sub-partitions of an SM have their code once, as in models of the GPU.
#
# heddle_add_rtl_test(<name> TOP module SOURCES test.cc … RTL a.sv … [PRESET p] [PARAMS N=4 …] [NETLIST | SHARED]
#                     [NETLIST_PARAMS N=2 …] [LIBS …] [TIMEOUT s])
#   GoogleTest <name> on the module. With NETLIST also <name>_netlist: the same test on the gates, with
#   HEDDLE_NETLIST defined and NETLIST_PARAMS (default: PARAMS) as parameters.
#   PARAMS reach the test as macros HEDDLE_<NAME>, upper case: Lanes=4 is HEDDLE_LANES.
include_guard(GLOBAL)
include(HeddleTest)

find_program(VERILATOR verilator REQUIRED)
find_program(MODEL_CXX NAMES clang++-19 clang++ g++ REQUIRED)
if(NOT VERILATOR_ROOT)
  execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE verilator_root
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(VERILATOR_ROOT ${verilator_root} CACHE PATH "Verilator's installation")
endif()
option(HEDDLE_SYNTHESIS "Check synthesis and run unit tests on netlists (with tools that ./heddle setup fetches)" ON)

# The runtime library of all models.
add_library(heddle_verilated STATIC ${VERILATOR_ROOT}/include/verilated.cpp
            ${VERILATOR_ROOT}/include/verilated_threads.cpp)
target_include_directories(heddle_verilated SYSTEM PUBLIC ${VERILATOR_ROOT}/include
                           ${VERILATOR_ROOT}/include/vltstd)
target_compile_options(heddle_verilated PRIVATE -w)
find_package(Threads REQUIRED)
target_link_libraries(heddle_verilated PUBLIC Threads::Threads)

# Tools for netlists: HEDDLE_HAVE_SYNTHESIS says whether they are there, HEDDLE_SYNTHESIS_DIR where. `./heddle setup` fetches
# them; configuring only looks, and touches no network.
set(HEDDLE_HAVE_SYNTHESIS OFF)
if(HEDDLE_SYNTHESIS)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/sim/lint/setup_synthesis.sh --find RESULT_VARIABLE failed
                  ERROR_VARIABLE message OUTPUT_VARIABLE HEDDLE_SYNTHESIS_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    heddle_missing("Yosys with the slang front end" npm "synthesis checks and netlist tests.\n${message}")
  else()
    set(HEDDLE_HAVE_SYNTHESIS ON)
  endif()
  # Its absence must not wait for the day on which the fetched tools are gone or another version is needed.
  find_program(npm npm NO_CACHE NO_CMAKE_SYSTEM_PATH)
  if(HEDDLE_STRICT AND NOT npm)
    heddle_missing(npm npm "what fetches Yosys")
  endif()
endif()

# Tools that map to an FPGA: HEDDLE_HAVE_FPGA_TOOLS, and their folder HEDDLE_FPGA_TOOLS.
set(HEDDLE_HAVE_FPGA_TOOLS OFF)
if(HEDDLE_HAVE_SYNTHESIS)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/fpga/flow/flow.py --build ${CMAKE_BINARY_DIR} --find-tools
                  RESULT_VARIABLE failed ERROR_VARIABLE message OUTPUT_VARIABLE HEDDLE_FPGA_TOOLS OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    heddle_missing("ECP5 tools (Yosys, nextpnr-ecp5, ecppack)" patchelf
                   "area checks and the netlist of the GPU.\n${message}")
  else()
    set(HEDDLE_HAVE_FPGA_TOOLS ON)
  endif()
endif()

# Sources of rtl/heddle.f: all packages, and all modules, in order, as absolute paths.
set(heddle_f ${PROJECT_SOURCE_DIR}/rtl/heddle.f)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${heddle_f})
file(STRINGS ${heddle_f} HEDDLE_RTL_FILES REGEX "^[^/ ].*\\.sv$")
list(TRANSFORM HEDDLE_RTL_FILES STRIP)
list(TRANSFORM HEDDLE_RTL_FILES PREPEND ${PROJECT_SOURCE_DIR}/rtl/)
set(HEDDLE_RTL_PACKAGES ${HEDDLE_RTL_FILES})
list(FILTER HEDDLE_RTL_PACKAGES INCLUDE REGEX "_pkg\\.sv$")
# Modules that the small presets' GPU does not have as they are: synthesis checks have them as tops beside it.
set(HEDDLE_RTL_LEFT_OUT bank_atomics constant_words copy_groups fp16_unit fp64_unit guard_lag host_window hub_reader icache_l0 l2_answers l2_distance
    l2_network l2_queues lsu_copy mma_f64 result_cycles result_lag row_collector skid_buffer tensor_unit
    write_combine)
list(JOIN HEDDLE_RTL_LEFT_OUT " " HEDDLE_RTL_LEFT_OUT)

function(heddle_rtl_paths out)
  set(paths "")
  foreach(source ${ARGN})
    if(IS_ABSOLUTE ${source})
      list(APPEND paths ${source})
    elseif(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      list(APPEND paths ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    else()
      list(APPEND paths ${PROJECT_SOURCE_DIR}/rtl/${source})
    endif()
  endforeach()
  set(${out} ${paths} PARENT_SCOPE)
endfunction()

# heddle_from_rtl(<output> TOP m SOURCES … RUN command … [--run command …]… COMMENT text [ALSO file …] [FILES file …]
#                 [DEPENDS …] [OUTPUTS …] [BYPRODUCTS …])
# A command that makes output, OUTPUTS and BYPRODUCTS of what m and ALSO need of the sources: @SOURCES@ in the commands, and what
# output depends on, besides ALSO, FILES and DEPENDS. What has been made of the same SOURCES, ALSO and FILES is not made again
# (from_rtl.py); DEPENDS is what must be there first.
function(heddle_from_rtl output)
  cmake_parse_arguments(ARG "" "TOP;COMMENT" "SOURCES;RUN;ALSO;FILES;DEPENDS;OUTPUTS;BYPRODUCTS" ${ARGN})
  set(script ${PROJECT_SOURCE_DIR}/cmake/from_rtl.py)
  list(TRANSFORM ARG_ALSO PREPEND "--also;" OUTPUT_VARIABLE also)
  list(TRANSFORM ARG_FILES PREPEND "--file;" OUTPUT_VARIABLE files)
  set(byproducts "")
  if(ARG_BYPRODUCTS)
    set(byproducts BYPRODUCTS ${ARG_BYPRODUCTS})
  endif()
  add_custom_command(
    OUTPUT ${output} ${ARG_OUTPUTS}
    ${byproducts}
    COMMAND ${script} --root ${PROJECT_SOURCE_DIR} --build ${CMAKE_BINARY_DIR} --top ${ARG_TOP} --depfile ${output}.d ${also} ${files}
            --tool ${VERILATOR} --tool ${MODEL_CXX} --sources ${ARG_SOURCES} --output ${output} ${ARG_OUTPUTS} ${ARG_BYPRODUCTS}
            --run ${ARG_RUN}
    DEPENDS ${script} ${PROJECT_SOURCE_DIR}/cmake/model_cache.py ${ARG_ALSO} ${ARG_FILES} ${ARG_DEPENDS} preset_packages
    DEPFILE ${output}.d
    COMMENT "${ARG_COMMENT}"
    VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

# heddle_netlist(<out.v> TOP m SOURCES … [PARAMS …]): a command that makes the gates of TOP.
function(heddle_netlist netlist)
  cmake_parse_arguments(ARG "" "TOP" "SOURCES;PARAMS" ${ARGN})
  set(params "")
  foreach(param ${ARG_PARAMS})
    string(APPEND params " -G ${param}")
  endforeach()
  get_filename_component(out ${netlist} NAME)
  set(kept "t:$*dff* %d t:$mem* %d")
  foreach(cell and or xor xnor not mux shiftx logic_and logic_or logic_not reduce_and reduce_or reduce_xor reduce_xnor
               reduce_bool)
    string(APPEND kept " t:$${cell} %d")
  endforeach()
  set(map "select -set rest t:* ${kept}\ntechmap @rest\n")
  file(WRITE ${netlist}.ys.in
    "read_slang --threads 1 --top ${ARG_TOP}${params} @SOURCES@\n"
    "hierarchy -check -top ${ARG_TOP}\n"
    "chformal -remove\n"
    "synth -flatten -noabc -noshare -run begin:fine -top ${ARG_TOP}\n"
    # opt_expr, not opt, which repeats until nothing changes: minutes, where multiplexers are many.
    # Part selects of the source may lie outside their vector, which a simulator answers in its own way: gates.
    # Memories of 128 words and more stay what they are, block RAM on a chip; smaller ones become registers.
    "techmap t:$shiftx\nbwmuxmap\ntechmap -map words.v\nbmuxmap\ndemuxmap\nmemory_map t:$mem* r:SIZE>=128 %d\nopt_expr -undriven -fine\nopt_clean\n"
    # Everything but registers, multiplexers and bitwise logic becomes gates, in rounds (a multiplier becomes
    # adders, those become carries). Those three are gates side by side: as words they simulate ten times faster.
    "${map}${map}${map}${map}"
    "select -assert-none t:* ${kept} t:$_* %d\n"
    "opt -fast\nopt_clean -purge\n"
    "check -assert\n"
    # A word whose bits feed each other (a carry chain, a chain of multiplexers) is a loop to Verilator, and 5.006
    # settles such loops wrongly: words that feed themselves become gates, and no part of a net has a driver of
    # its own. opt_clean after that would join nets to words again.
    "scc -select\nsimplemap\nselect -clear\nopt_clean -purge\n"
    "splitnets -driver\n"
    "write_verilog -noattr ${out}\n")
  configure_file(${netlist}.ys.in ${netlist}.ys COPYONLY)  # yosys.mjs fills in the sources
  set(lint ${PROJECT_SOURCE_DIR}/sim/lint)
  heddle_from_rtl(${netlist} TOP ${ARG_TOP} SOURCES ${ARG_SOURCES} FILES ${netlist}.ys ${lint}/yosys.mjs ${lint}/words.v
    COMMENT "Synthesizing ${ARG_TOP}"
    RUN ${HEDDLE_SYNTHESIS_DIR}/node --experimental-wasm-exnref --no-warnings ${lint}/yosys.mjs ${HEDDLE_SYNTHESIS_DIR}
        ${netlist}.ys ${lint}/words.v @SOURCES@ -- ${netlist})
endfunction()

function(heddle_verilate target)
  cmake_parse_arguments(ARG "NETLIST;SHARED" "TOP;PRESET" "SOURCES;PARAMS" ${ARGN})
  if(NOT ARG_PRESET)
    set(ARG_PRESET cc80)
  endif()
  set(obj ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  file(MAKE_DIRECTORY ${obj})
  heddle_rtl_paths(sources ${ARG_SOURCES})
  set(sources ${CMAKE_BINARY_DIR}/presets/${ARG_PRESET}/config_pkg.sv ${HEDDLE_RTL_PACKAGES} ${sources})
  list(REMOVE_DUPLICATES sources)
  set(params "")
  set(netlist "")
  if(ARG_NETLIST)
    set(netlist ${obj}/${ARG_TOP}.v)
    heddle_netlist(${netlist} TOP ${ARG_TOP} SOURCES ${sources} PARAMS ${ARG_PARAMS})
    set(sources ${netlist})
  else()
    list(TRANSFORM ARG_PARAMS PREPEND -G OUTPUT_VARIABLE params)
  endif()
  set(optimize -O1)  # of what a test runs for seconds, -O2 would take longer to compile than it saves
  set(flags "")
  if(ARG_NETLIST)
    # Long straight code: -O2 takes minutes, and word by word (expand) a wide multiplexer is megabytes of C++.
    set(optimize -O0)
    set(flags -Werror-UNOPTFLAT -fno-expand)
  endif()
  set(also "")
  set(files ${PROJECT_SOURCE_DIR}/cmake/few_units.py)
  set(rewrite "")
  if(ARG_SHARED)
    set(also ALSO ${PROJECT_SOURCE_DIR}/sim/verilator/sharing.vlt)
    list(APPEND flags ${PROJECT_SOURCE_DIR}/sim/verilator/sharing.vlt)
    list(APPEND files $<TARGET_FILE:heddle_share>)
    set(rewrite --run $<TARGET_FILE:heddle_share> ${obj}/cpp V${ARG_TOP})
  endif()
  set(archive ${obj}/V${ARG_TOP}__ALL.a)
  heddle_from_rtl(${archive} TOP ${ARG_TOP} SOURCES ${sources} ${also} DEPENDS ${netlist}
    BYPRODUCTS ${obj}/cpp/V${ARG_TOP}.h  # what includes it is compiled anew
    FILES ${files}
    COMMENT "Verilating ${target}"
    RUN ${CMAKE_COMMAND} -E rm -rf ${obj}/cpp
    --run ${VERILATOR} --cc --assert --top-module ${ARG_TOP} --prefix V${ARG_TOP} --Mdir ${obj}/cpp -O3
          --x-assign unique --x-initial unique -fno-localize --unroll-count 1024 --output-split 20000
          -Wno-fatal -Wno-lint -Wno-style ${flags} ${params} @SOURCES@
    ${rewrite}
    --run ${PROJECT_SOURCE_DIR}/cmake/few_units.py ${obj}/cpp V${ARG_TOP}
    --run make -s -C ${obj}/cpp -f V${ARG_TOP}.mk CXX=${MODEL_CXX} "OBJCACHE=${CCACHE}" OPT_FAST=${optimize}
          OPT_SLOW=-O0 "USER_CPPFLAGS=-fPIC -w" V${ARG_TOP}__ALL.a
    --run ${CMAKE_COMMAND} -E copy ${obj}/cpp/V${ARG_TOP}__ALL.a ${archive})
  add_custom_target(${target}_model DEPENDS ${archive})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_model)
  target_include_directories(${target} SYSTEM INTERFACE ${obj}/cpp)
  target_link_libraries(${target} INTERFACE ${archive} heddle_verilated)
endfunction()

function(heddle_rtl_test_target name)
  cmake_parse_arguments(ARG "NETLIST;SHARED" "TOP;PRESET;TIMEOUT" "SOURCES;RTL;PARAMS;LIBS" ${ARGN})
  set(flag "")
  if(ARG_NETLIST)
    set(flag NETLIST)
  elseif(ARG_SHARED)
    set(flag SHARED)
  endif()
  heddle_verilate(${name}_verilated TOP ${ARG_TOP} PRESET ${ARG_PRESET} SOURCES ${ARG_RTL}
                  PARAMS ${ARG_PARAMS} ${flag})
  heddle_add_test(${name} SOURCES ${ARG_SOURCES} LIBS ${name}_verilated ${ARG_LIBS} LABELS rtl
                  TIMEOUT ${ARG_TIMEOUT})
  add_dependencies(${name} ${name}_verilated_model)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  foreach(param ${ARG_PARAMS})
    string(TOUPPER ${param} macro)
    target_compile_definitions(${name} PRIVATE HEDDLE_${macro})
  endforeach()
  if(ARG_NETLIST)
    target_compile_definitions(${name} PRIVATE HEDDLE_NETLIST)
  endif()
  # mem_pkg::IdW, where it is not 8.
  if(ARG_PRESET AND EXISTS ${PROJECT_SOURCE_DIR}/presets/${ARG_PRESET}.toml)
    foreach(key l1_mshrs lsu_entries row_lanes axi_data_bits)
      file(STRINGS ${PROJECT_SOURCE_DIR}/presets/${ARG_PRESET}.toml ${key} REGEX "^${key} = ")
      string(REGEX REPLACE "^${key} = ([0-9]+).*" "\\1" ${key} "${${key}}")
    endforeach()
    set(ids "${l1_mshrs}")   # each with four sectors, or each memory instruction with 32 lanes
    if(row_lanes EQUAL 32 AND axi_data_bits EQUAL 256)
      math(EXPR atomics "8 * ${lsu_entries}")
      if(atomics GREATER "0${ids}")
        set(ids ${atomics})
      endif()
    endif()
    set(id_bits 8)
    while(ids AND ids GREATER 32)
      math(EXPR id_bits "${id_bits} + 1")
      math(EXPR ids "${ids} / 2")
    endwhile()
    target_compile_definitions(${name} PRIVATE HEDDLE_ID_BITS=${id_bits})
  endif()
endfunction()

function(heddle_add_rtl_test name)
  cmake_parse_arguments(ARG "NETLIST;SHARED" "TOP;PRESET;TIMEOUT" "SOURCES;RTL;PARAMS;NETLIST_PARAMS;LIBS" ${ARGN})
  set(common TOP ${ARG_TOP} SOURCES ${ARG_SOURCES} RTL ${ARG_RTL} LIBS ${ARG_LIBS})
  if(ARG_PRESET)
    list(APPEND common PRESET ${ARG_PRESET})
  endif()
  if(ARG_TIMEOUT)
    list(APPEND common TIMEOUT ${ARG_TIMEOUT})
  endif()
  set(shared "")
  if(ARG_SHARED)
    set(shared SHARED)
  endif()
  heddle_rtl_test_target(${name} ${common} PARAMS ${ARG_PARAMS} ${shared})
  if(ARG_NETLIST AND HEDDLE_HAVE_SYNTHESIS)
    if(NOT ARG_NETLIST_PARAMS)
      set(ARG_NETLIST_PARAMS ${ARG_PARAMS})
    endif()
    heddle_rtl_test_target(${name}_netlist ${common} PARAMS ${ARG_NETLIST_PARAMS} NETLIST)
  endif()
endfunction()
