// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/nvcc/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

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
  const auto o = parse({"--gpu-architecture", "compute_90", "--output-file=x", "--include-path=d", "-std", "c++14", "a.cu"});
  ASSERT_TRUE(o.ok());
  EXPECT_EQ(o->architectures, std::vector<unsigned>{90});
  EXPECT_EQ(o->output, "x");
  EXPECT_TRUE(has(o->compiler, "-Id"));
  EXPECT_TRUE(has(o->compiler, "-std=c++14"));
}

TEST(NvccOptions, GencodeListsAreMerged) {
  const auto o = parse({"-gencode", "arch=compute_70,code=sm_70", "--generate-code=arch=compute_80,code=[sm_80,compute_80]", "a.cu"});
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
}

TEST(NvccOptions, DebugAndLineInformation) {
  EXPECT_TRUE(parse({"-G", "a.cu"})->device_debug);
  EXPECT_TRUE(has(parse({"-lineinfo", "a.cu"})->compiler, "-gline-tables-only"));
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

TEST(NvccOptions, AMissingValueIsNamed) {
  EXPECT_NE(error_of({"a.cu", "-o"}).find("'-o'"), std::string::npos);
}

TEST(NvccOptions, BadArchitecturesAreNamed) {
  EXPECT_NE(error_of({"-arch=fast"}).find("'fast'"), std::string::npos);
}

TEST(NvccOptions, ResponseFilesAreRead) {
  const std::string path = testing::TempDir() + "nvcc_options.rsp";
  std::ofstream(path) << "-I\"a b\" -O1\n-c x.cu";
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
