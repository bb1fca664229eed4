// SPDX-License-Identifier: Apache-2.0
// Options, logs and names, each by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "host-runtime/runtime/nvrtc/diagnostics.h"
#include "host-runtime/runtime/nvrtc/names.h"
#include "host-runtime/runtime/nvrtc/options.h"

namespace heddle::cudart::nvrtc {
namespace {

using Words = std::vector<std::string>;

Request good(const Words& options) {
  auto request = read_options(options);
  EXPECT_TRUE(request.ok()) << (request ? "" : request.error().message());
  return request ? *request : Request{};
}
std::string error_of(const Words& options) {
  const auto request = read_options(options);
  return request ? "" : request.error().message();
}
bool has(const Words& words, const std::string& word) { return std::count(words.begin(), words.end(), word) == 1; }

TEST(NvrtcOptions, ArchitecturesInAllForms) {
  for (const Words& words :
       {Words{"--gpu-architecture=compute_86"}, Words{"-arch=compute_86"}, Words{"-arch", "compute_86"},
        Words{"--gpu-architecture compute_86"}, Words{"-arch=sm_90", " -arch=compute_86 "}}) {
    const Request r = good(words);
    EXPECT_EQ(r.options.architectures, std::vector<unsigned>{86});
    EXPECT_FALSE(r.machine_code);
  }
  EXPECT_TRUE(good({"-arch=sm_90"}).machine_code);
  EXPECT_EQ(good({"-arch=sm_90a"}).options.exact.count(90), 1u);
  EXPECT_EQ(good({}).options.architectures, std::vector<unsigned>{80});
  EXPECT_EQ(good({"-arch=compute_52"}).options.architectures, std::vector<unsigned>{70});
  for (const char* wrong :
       {"-arch=native", "-arch=80", "-arch=sm_", "-arch=sm_100", "-arch=lto_80", "-arch=compute_x", "-arch="})
    EXPECT_EQ(error_of({wrong}), "nvrtc: error: invalid value for --gpu-architecture (-arch)") << wrong;
}

TEST(NvrtcOptions, MacrosAndFoldersInAllForms) {
  for (const Words& words :
       {Words{"-DN=4"}, Words{"-D", "N=4"}, Words{"-D N=4"}, Words{"--define-macro=N=4"}, Words{"-D=N=4"}})
    EXPECT_TRUE(has(good(words).options.compiler, "-DN=4"));
  EXPECT_TRUE(has(good({"-DTEXT=\"a b\""}).options.compiler, "-DTEXT=\"a b\""));
  for (const Words& words : {Words{"-I/a/b"}, Words{"-I", "/a/b"}, Words{"-I /a/b"}, Words{"--include-path=/a/b"}})
    EXPECT_TRUE(has(good(words).options.compiler, "-I/a/b"));
  EXPECT_TRUE(has(good({"-UN"}).options.compiler, "-UN"));
  EXPECT_TRUE(has(good({"--pre-include=x.h"}).options.compiler, "x.h"));
}

TEST(NvrtcOptions, WhatTheyMeanToClang) {
  EXPECT_TRUE(has(good({}).options.compiler, "-std=c++17"));
  EXPECT_TRUE(has(good({"--std=c++20"}).options.compiler, "-std=c++20"));
  EXPECT_FALSE(has(good({"-std=c++14"}).options.compiler, "-std=c++17"));
  EXPECT_TRUE(has(good({"-use_fast_math"}).options.cuda, "-fgpu-flush-denormals-to-zero"));
  EXPECT_TRUE(has(good({"--ftz=true"}).options.cuda, "-fgpu-flush-denormals-to-zero"));
  EXPECT_TRUE(has(good({"-fmad=false"}).options.cuda, "-ffp-contract=off"));
  EXPECT_TRUE(has(good({"-lineinfo"}).options.cuda, "-gline-tables-only"));
  EXPECT_TRUE(has(good({"--maxrregcount=32"}).options.ptxas, "--maxrregcount=32"));
  EXPECT_TRUE(good({"-G"}).options.device_debug);
  EXPECT_TRUE(good({"-dc"}).options.relocatable);
  EXPECT_TRUE(good({"--device-c"}).options.relocatable);
  EXPECT_TRUE(good({"--relocatable-device-code=true"}).options.relocatable);
  EXPECT_FALSE(good({"-rdc=false"}).options.relocatable);
  EXPECT_TRUE(has(good({"-w"}).options.compiler, "-w"));
  EXPECT_TRUE(has(good({"-Werror=all-warnings"}).options.compiler, "-Werror"));
  EXPECT_TRUE(good({"-default-device"}).device_by_default);
  EXPECT_TRUE(good({"--device-as-default-execution-space"}).device_by_default);
  EXPECT_FALSE(good({"--builtin-move-forward=false"}).move_forward);
  EXPECT_FALSE(good({"--no-source-include"}).source_folder);
  good({"", "--restrict", "-dopt=on", "--split-compile", "0", "--diag-suppress=20012", "-pch", "--minimal"});
}

TEST(NvrtcOptions, WhatIsWrongIsNamed) {
  EXPECT_EQ(error_of({"--nothing"}), "nvrtc: error: unrecognized option --nothing found");
  for (const char* unknown : {"x", "-", "-O3", "--Dx", "-Xcompiler=-O2", "--restrict=true", "-o=x", "--version"})
    EXPECT_NE(error_of({unknown}), "") << unknown;
  EXPECT_EQ(error_of({"-D"}), "nvrtc: error: option -D lacks its value");
  EXPECT_EQ(error_of({"--maxrregcount=many"}), "nvrtc: error: invalid value for --maxrregcount");
  EXPECT_NE(error_of({"--ftz=maybe"}), "");
  EXPECT_NE(error_of({"-dlto"}).find("LTO-IR"), std::string::npos);
  EXPECT_NE(error_of({"--optix-ir"}).find("OptiX-IR"), std::string::npos);
}

TEST(NvrtcOptions, NvccsVariablesAreNothingToThem) {
  setenv("NVCC_APPEND_FLAGS", "-DFROM_NVCC", 1);
  EXPECT_FALSE(has(good({}).options.compiler, "-DFROM_NVCC"));
  unsetenv("NVCC_APPEND_FLAGS");
}

TEST(NvrtcLog, LinesAreThoseOfNvrtc) {
  const std::string log = rewritten(
      "a.cu:3:7: error: no member named 'x: error: y' in 'S'\n   12 |   s.x\n      |     ^\n/t/in/b.h:2: note: here\n"
      "a.cu:1:10: fatal error: 'c.h' file not found\nC:1: 2: warning: odd\nclang++-19: error: no place\n2 errors "
      "generated when compiling for sm_80.\n",
      "a.cu", {"/t/in"});
  EXPECT_EQ(log,
            "a.cu(3): error: no member named 'x: error: y' in 'S'\n  s.x\n    ^\nb.h(2): note: here\n"
            "a.cu(1): catastrophic error: could not open source file \"c.h\"\nC:1: 2: warning: odd\nclang++-19: error: "
            "no place\n"
            "2 errors detected in the compilation of \"a.cu\".\n");
  EXPECT_TRUE(has_error(log));
  EXPECT_FALSE(has_error("clang++-19: error: no place\n"));
  EXPECT_EQ(rewritten("", "a.cu", {"/t"}), "");
  EXPECT_EQ(rewritten("a.cu:3:7: warning: w", "a.cu", {"/t"}), "a.cu(3): warning: w\n");
}

TEST(NvrtcNames, PointersAreTakenOut) {
  EXPECT_EQ(pointers_to({}), "");
  EXPECT_NE(pointers_to({"&N::x", " f<1>"}).find("_1 = &(f<1>);"), std::string::npos);
  std::string ptx =
      ".visible .entry f()\n;\n.global .align 4 .u32 x;\n.const .align 4 .b8 x2[16] = {1};\n"
      ".visible .global .align 8 .u64 __heddle_nvrtc_name_0 = generic(x);\n"
      ".visible .global .align 8 .u64 __heddle_nvrtc_name_1 = f;\n.global .align 4 .u32 y";
  const auto names = take_names(ptx, {"&N::x", "f"});
  EXPECT_EQ(names.at("&N::x"), "x");
  EXPECT_EQ(names.at("f"), "f");
  EXPECT_EQ(ptx,
            ".visible .entry f()\n;\n.visible .global .align 4 .u32 x;\n.const .align 4 .b8 x2[16] = {1};\n"
            ".global .align 4 .u32 y");
}

}  // namespace
}  // namespace heddle::cudart::nvrtc
