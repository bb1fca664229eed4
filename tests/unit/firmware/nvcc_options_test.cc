// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "host-runtime/clang/options.h"

namespace heddle::nvcc {
namespace {

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string error_of(const std::vector<std::string>& arguments) {
  const auto o = parse(arguments);
  return o ? "" : o.error().message();
}

TEST(NvccOptions, ACompileLineAsMakefilesHaveIt) {
  const auto o = parse({"-O2", "-arch=sm_80", "-I", "inc", "-DN=4", "-std=c++17", "-c", "a.cu", "-o", "a.o"});
  ASSERT_TRUE(o.ok());
  EXPECT_EQ(o->phase, Phase::kCompile);
  EXPECT_EQ(o->inputs, std::vector<std::string>{"a.cu"});
  EXPECT_EQ(o->output, "a.o");
  EXPECT_EQ(o->optimization, "-O2");
  EXPECT_EQ(o->architectures, std::vector<unsigned>{80});
  EXPECT_EQ(o->compiler, (std::vector<std::string>{"-Iinc", "-DN=4", "-std=c++17"}));
}

TEST(NvccOptions, LongNamesAndBothFormsOfValues) {
  const auto o =
      parse({"--gpu-architecture", "compute_90", "--output-file=x", "--include-path=d", "-std", "c++14", "a.cu"});
  ASSERT_TRUE(o.ok());
  EXPECT_EQ(o->architectures, std::vector<unsigned>{90});
  EXPECT_EQ(o->output, "x");
  EXPECT_TRUE(has(o->compiler, "-Id"));
  EXPECT_TRUE(has(o->compiler, "-std=c++14"));
}

TEST(NvccOptions, GencodeListsAreMerged) {
  const auto o = parse(
      {"-gencode", "arch=compute_70,code=sm_70", "--generate-code=arch=compute_80,code=[sm_80,compute_80]", "a.cu"});
  ASSERT_TRUE(o.ok());
  EXPECT_EQ(o->architectures, (std::vector<unsigned>{70, 80}));
}

TEST(NvccOptions, OldArchitecturesAreRaisedWithAWarning) {
  const auto o = parse({"-arch=sm_35", "a.cu"});
  ASSERT_TRUE(o.ok());
  EXPECT_EQ(o->architectures, std::vector<unsigned>{70});
  ASSERT_EQ(o->warnings.size(), 1u);
  EXPECT_NE(o->warnings[0].find("sm_35"), std::string::npos);
}

TEST(NvccOptions, WithoutAnArchitectureItIsTheDefault) {
  const auto o = parse({"a.cu"});
  ASSERT_TRUE(o.ok());
  EXPECT_EQ(o->architectures, std::vector<unsigned>{80});
}

TEST(NvccOptions, ListsForTheCompilerAndPtxas) {
  const auto o = parse({"-Xcompiler", "-Wall,-fPIC", "-Xptxas=-v,-O3", "-maxrregcount", "32", "a.cu"});
  ASSERT_TRUE(o.ok());
  EXPECT_EQ(o->compiler, (std::vector<std::string>{"-Wall", "-fPIC"}));
  EXPECT_EQ(o->ptxas, (std::vector<std::string>{"-v", "-O3", "--maxrregcount=32"}));
}

TEST(NvccOptions, LibrariesGoToTheLinker) {
  const auto o = parse({"a.o", "-L/opt/lib", "-lm", "-l", "foo", "-Xlinker", "-z,defs", "-cudart", "static"});
  ASSERT_TRUE(o.ok());
  EXPECT_EQ(o->linker, (std::vector<std::string>{"-L/opt/lib", "-lm", "-lfoo", "-Wl,-z,defs"}));
  EXPECT_EQ(o->cudart, Cudart::kStatic);
  EXPECT_EQ(parse({"a.o"})->cudart, Cudart::kStatic);
  EXPECT_EQ(parse({"a.o", "-cudart=shared"})->cudart, Cudart::kShared);
}

TEST(NvccOptions, TheDriversLibraryIsOneAsOthersAre) {
  for (const auto& words : {std::vector<std::string>{"a.o", "-lcuda", "-lm"}, {"a.o", "-l", "cuda,m"}}) {
    const auto o = parse(words);
    ASSERT_TRUE(o.ok());
    EXPECT_EQ(o->linker, (std::vector<std::string>{"-lcuda", "-lm"}));
    EXPECT_TRUE(o->warnings.empty());
  }
}

TEST(NvccOptions, DebugAndLineInformation) {
  EXPECT_TRUE(parse({"-G", "a.cu"})->device_debug);
  EXPECT_TRUE(has(parse({"-lineinfo", "a.cu"})->cuda, "-gline-tables-only"));
  EXPECT_TRUE(has(parse({"-g", "a.cu"})->compiler, "-g"));
}

TEST(NvccOptions, SeparateCompilation) {
  EXPECT_FALSE(parse({"-rdc=false", "a.cu"})->relocatable);
  EXPECT_TRUE(parse({"-rdc=true", "a.cu"})->relocatable);
  EXPECT_EQ(parse({"-rdc=true", "a.cu"})->phase, Phase::kLink);
  EXPECT_TRUE(parse({"-dc", "a.cu"})->relocatable);
  EXPECT_EQ(parse({"-dc", "a.cu"})->phase, Phase::kCompile);
  EXPECT_EQ(parse({"-dlink", "a.o"})->phase, Phase::kDeviceLink);
  EXPECT_NE(error_of({"-rdc=perhaps", "a.cu"}).find("perhaps"), std::string::npos);
}

TEST(NvccOptions, UnknownOptionsAreNamed) {
  EXPECT_NE(error_of({"-Wall", "a.cu"}).find("'-Wall'"), std::string::npos);
  EXPECT_NE(error_of({"--no-such-thing=3"}).find("--no-such-thing"), std::string::npos);
}

TEST(NvccOptions, UnknownOptionsAreForwardedWhenAsked) {
  const auto o = parse({"-forward-unknown-to-host-compiler", "-Wall", "a.cu"});
  ASSERT_TRUE(o.ok());
  EXPECT_TRUE(has(o->compiler, "-Wall"));
}

TEST(NvccOptions, AMissingValueIsNamed) { EXPECT_NE(error_of({"a.cu", "-o"}).find("'-o'"), std::string::npos); }

TEST(NvccOptions, BadArchitecturesAreNamed) { EXPECT_NE(error_of({"-arch=fast"}).find("'fast'"), std::string::npos); }

TEST(NvccOptions, ArchitecturesNewerThanAllAreRefusedByName) {
  EXPECT_NE(error_of({"-arch=sm_100", "a.cu"}).find("'sm_100' (the newest supported is sm_90"), std::string::npos);
  EXPECT_NE(error_of({"-gencode", "arch=compute_120a,code=sm_120a", "a.cu"}).find("'sm_120a'"), std::string::npos);
  EXPECT_NE(error_of({"-arch=sm_83", "a.cu"}).find("'sm_83'"), std::string::npos);
  EXPECT_EQ(parse({"-arch=sm_90a", "a.cu"})->architectures, std::vector<unsigned>{90});
}

TEST(NvccOptions, AnArchitectureOfItsOwnKeepsItsName) {
  const auto exact = parse({"-gencode", "arch=compute_80,code=sm_80", "-gencode=arch=compute_90a,code=sm_90a", "a.cu"});
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->architectures, (std::vector<unsigned>{80, 90}));
  EXPECT_EQ(name_of(*exact, 80), "80");
  EXPECT_EQ(name_of(*exact, 90), "90a");
  EXPECT_EQ(name_of(*parse({"-arch=sm_90", "a.cu"}), 90), "90");
}

TEST(NvccOptions, ArchitecturesOfThisMachineAndAllAreTheDefault) {
  for (const char* name : {"native", "all", "all-major"})
    EXPECT_EQ(parse({std::string("-arch=") + name, "a.cu"})->architectures, std::vector<unsigned>{80}) << name;
}

TEST(NvccOptions, LinkTimeOptimisationIsNoLibrary) {
  for (const char* option : {"-lto", "-dlto", "--dlink-time-opt"}) {
    const auto o = parse({option, "-gencode=arch=compute_80,code=lto_80", "a.cu"});
    ASSERT_TRUE(o.ok()) << option;
    EXPECT_TRUE(o->linker.empty()) << option;
  }
}

TEST(NvccOptions, CallsOfTheDeviceRuntimeInAWholeProgram) {
  for (const char* option : {"-ewp", "--extensible-whole-program"}) {
    const auto o = parse({option, "a.cu"});
    ASSERT_TRUE(o.ok()) << option;
    EXPECT_FALSE(o->relocatable) << option;
  }
}

TEST(NvccOptions, FatBinaries) {
  EXPECT_EQ(parse({"-fatbin", "-odir", "out", "a.cu"})->phase, Phase::kFatbin);
  EXPECT_EQ(parse({"-fatbin", "-odir", "out", "a.cu"})->folder, "out");
  EXPECT_TRUE(is_device_code("a.ptx"));
  EXPECT_FALSE(is_source(*parse({"-x", "cu", "a.ptx"}), "a.ptx"));
}

TEST(NvccOptions, SeveralWordsInOneValue) {
  EXPECT_EQ(parse({"-Xcompiler", "-Wall -fPIC", "a.cu"})->compiler, (std::vector<std::string>{"-Wall", "-fPIC"}));
  EXPECT_EQ(parse({"--compiler-options", "-Wall,'-DA=1, 2'", "a.cu"})->compiler,
            (std::vector<std::string>{"-Wall", "-DA=1, 2"}));
  EXPECT_EQ(parse({"-Xptxas", "-v -dlcm=cg", "a.cu"})->ptxas, (std::vector<std::string>{"-v", "-dlcm=cg"}));
  EXPECT_EQ(parse({"-Xlinker", "-rpath /lib", "a.o"})->linker, std::vector<std::string>{"-Wl,-rpath,/lib"});
}

TEST(NvccOptions, CodeGenerationForTheHostIsNotForTheDevice) {
  const auto o = parse({"-Xcompiler", "-march=native,-O2,-m64,-Wall", "a.cu"});
  EXPECT_EQ(o->compiler, (std::vector<std::string>{"-O2", "-Wall"}));
  EXPECT_EQ(o->host, std::vector<std::string>{"-march=native"});
}

TEST(NvccOptions, TheHostsCompilerIsGccUnlessNamedAndClangIsBoth) {
  EXPECT_EQ(parse({"a.cu"})->host_compiler, "gcc");
  EXPECT_EQ(parse({"-ccbin", "/usr/bin/clang++-16", "a.cu"})->clang, "/usr/bin/clang++-16");
  EXPECT_EQ(parse({"-ccbin", "/usr/bin/clang++-16", "a.cu"})->host_compiler, "/usr/bin/clang++-16");
  EXPECT_EQ(parse({"-ccbin=g++-12", "a.cu"})->clang, "");
  EXPECT_EQ(parse({"-ccbin=g++-12", "a.cu"})->host_compiler, "g++-12");
  EXPECT_EQ(parse({"-ccbin=/usr/bin", "a.cu"})->host_compiler, "/usr/bin/gcc");
}

TEST(NvccOptions, WhatCannotBeDoneIsRefusedByName) {
  for (const char* option : {"-cuda", "-ltoir", "-optix-ir", "-clean", "-m32", "-run"})
    EXPECT_NE(error_of({option, "a.cu"}).find(std::string("'") + option + "'"), std::string::npos) << option;
  EXPECT_NE(error_of({"-default-stream=mine", "a.cu"}).find("'mine'"), std::string::npos);
}

TEST(NvccOptions, ADefaultStreamAThreadIsAMacro) {
  const auto options = parse({"--default-stream", "per-thread", "a.cu"});
  EXPECT_EQ(options->compiler, std::vector<std::string>{"-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
  EXPECT_TRUE(options->warnings.empty());
  for (const char* shared : {"legacy", "null"})
    EXPECT_TRUE(parse({"-default-stream", shared, "a.cu"})->compiler.empty());
}

TEST(NvccOptions, VariablesOfTheEnvironmentHoldOptions) {
  setenv("NVCC_PREPEND_FLAGS", "-DA='x y' -O1", 1);
  setenv("NVCC_APPEND_FLAGS", "-O0", 1);
  const auto o = parse({"-O2", "a.cu"});
  unsetenv("NVCC_PREPEND_FLAGS");
  unsetenv("NVCC_APPEND_FLAGS");
  ASSERT_TRUE(o.ok());
  EXPECT_EQ(o->compiler, std::vector<std::string>{"-DA=x y"});
  EXPECT_EQ(o->optimization, "-O0");
}

TEST(NvccOptions, ResponseFilesAreRead) {
  const std::string path = testing::TempDir() + "nvcc_options.rsp";
  std::ofstream(path) << "-I\"a b\" -O1\n-c \\\n x.cu";
  const auto o = parse({"@" + path, "-o", "y"});
  ASSERT_TRUE(o.ok());
  EXPECT_TRUE(has(o->compiler, "-Ia b"));
  EXPECT_EQ(o->optimization, "-O1");
  EXPECT_EQ(o->inputs, std::vector<std::string>{"x.cu"});
  std::remove(path.c_str());
}

TEST(NvccOptions, KindsOfInputs) {
  const auto o = parse({"a.cu", "b.cpp", "c.o", "d.so.1"});
  ASSERT_TRUE(o.ok());
  EXPECT_TRUE(is_cuda_source(*o, "a.cu"));
  EXPECT_FALSE(is_cuda_source(*o, "b.cpp"));
  EXPECT_TRUE(is_source(*o, "b.cpp"));
  EXPECT_FALSE(is_source(*o, "c.o"));
  EXPECT_FALSE(is_source(*o, "d.so.1"));
  EXPECT_TRUE(is_cuda_source(*parse({"-x", "cu", "b.cpp"}), "b.cpp"));
}

}  // namespace
}  // namespace heddle::nvcc
