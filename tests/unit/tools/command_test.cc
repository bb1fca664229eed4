// SPDX-License-Identifier: Apache-2.0
// The heddle command as a user meets it.
#include <sys/stat.h>

#include <map>

#include "tests/unit/tools/command_fixture.h"

namespace {

TEST_F(Command, RunGivesTheProgramsExitStatus) {
  EXPECT_EQ(run("run --device model -- /bin/sh -c 'exit 5'").exit(), 5);
}

TEST_F(Command, RunServesAProgramAndSummarises) {
  const fs::path report = scratch / "report.json";
  const auto e =
      run("run --device model --preset cc80 --report " + report.string() + " -- " + kPrograms + "/kernel once");
  EXPECT_EQ(e.exit(), 0) << e.text;
  EXPECT_TRUE(e.has("cudaSuccess")) << e.text;
  EXPECT_TRUE(e.has("device model, preset cc80: 1 launch, ok")) << e.text;
  const auto j = nlohmann::json::parse(slurp(report), nullptr, false);
  ASSERT_TRUE(j.is_object());
  EXPECT_EQ(j["kernels"][0]["name"], "once");
  EXPECT_EQ(j["kernels"][0]["grid"], (std::vector<int>{4, 1, 1}));
  EXPECT_GE(j["totals"]["warp_instructions"], 8);
}

TEST_F(Command, BenchChecksResultsAndKnowsTheLimits) {
  const fs::path table = scratch / "table.json";
  const auto e = run("bench --device model --preset cc80 --json " + table.string());
  EXPECT_EQ(e.exit(), 0) << e.text;
  const auto j = nlohmann::json::parse(slurp(table), nullptr, false);
  ASSERT_TRUE(j.is_array());
  // Of two SMs with 64 FP32 lanes, 32 banks and two links each, and of four slices, two of which are summed in; both
  // ways memory has 64 bytes a cycle, and half a mebibyte of what is written may stay in the L2.
  const std::map<std::string, double> limits = {
      {"fma_stream", 128}, {"copy4m", 64 * 8 / 7.5}, {"vecadd512k", 64 * 6 / 5.5}, {"transpose1024", 64 * 8 / 7.5},
      {"l2_reads", 128},   {"l1_reads", 256},        {"shared_reads", 256},        {"histogram256", 64},
      {"atomics64", 16}};
  size_t found = 0;
  for (const auto& w : j) {
    EXPECT_TRUE(w.value("checked", true)) << w;
    for (const char* name : {"sgemm512", "nbody8192", "gather256k"}) EXPECT_NE(w["name"], name);
    const auto limit = limits.find(w["name"].get<std::string>());
    if (limit == limits.end()) continue;
    ++found;
    EXPECT_NEAR(100 * w["amount_per_cycle"].get<double>() / limit->second, w["limit_percent"].get<double>(), 0.01) << w;
  }
  EXPECT_EQ(found, limits.size());
}

TEST_F(Command, BenchListsItsKernelsWhenTheNameIsUnknown) {
  const auto e = run("bench --device model --only nothing");
  EXPECT_EQ(e.exit(), 2);
  EXPECT_TRUE(e.has("no benchmark 'nothing'") && e.has("copy4m") && e.has("sgemm512")) << e.text;
}

TEST_F(Command, RunListsPresetsAndDevicesWhenTheNameIsUnknown) {
  const auto preset = run("run --device model --preset cc99 -- " + kPrograms + "/count_plain");
  EXPECT_EQ(preset.exit(), 2);
  EXPECT_TRUE(preset.has("unknown preset 'cc99'") && preset.has("cc80")) << preset.text;
  const auto device = run("run --device gpu -- " + kPrograms + "/count_plain");
  EXPECT_EQ(device.exit(), 2);
  EXPECT_TRUE(device.has("unknown device 'gpu'") && device.has("model")) << device.text;
}

TEST_F(Command, AProgramAloneListsThemToo) {
  const auto e = run("run -- true", "HEDDLE_DEVICE=model");
  EXPECT_EQ(e.exit(), 0);
  const fs::path out = scratch / "alone";
  const std::string command = "LD_LIBRARY_PATH=" HEDDLE_BUILD_DIR "/lib HEDDLE_PRESET=cc99 " + kPrograms +
                              "/count_plain >" + out.string() + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_NE(slurp(out).find("unknown preset 'cc99'"), std::string::npos) << slurp(out);
  EXPECT_NE(slurp(out).find("error 100"), std::string::npos) << slurp(out);
}

TEST_F(Command, RunNamesAMissingProgram) {
  const auto e = run("run --device model -- " + scratch.string() + "/none");
  EXPECT_EQ(e.exit(), 127);
  EXPECT_TRUE(e.has("no program")) << e.text;
}

TEST_F(Command, RunSaysWhenItReplacesAnotherVendorsRuntime) {
  const auto e = run("run --device model -- " + kPrograms + "/count_rpath");
  EXPECT_TRUE(e.has("another vendor's, by DT_RPATH")) << e.text;
  EXPECT_TRUE(e.has("served by")) << e.text;
  EXPECT_TRUE(e.has("1 devices, error 0")) << e.text;
}

TEST_F(Command, RunSaysThatAStaticRuntimeCannotBeServed) {
  const auto e = run("run --device model -- " + kPrograms + "/static_vendor");
  EXPECT_TRUE(e.has("linked in statically")) << e.text;
}

TEST_F(Command, ACycleLimitStopsAnEndlessKernel) {
  const auto e = run("run --device model --cycle-limit 50000 -- " + kPrograms + "/kernel endless");
  EXPECT_EQ(e.exit(), 3);
  EXPECT_TRUE(e.has("cudaErrorLaunchTimeout")) << e.text;
  EXPECT_TRUE(e.has("longer than the limit of 50000 cycles")) << e.text;
}

TEST_F(Command, CtrlCStillWritesTheReport) { stop_a_run(scratch, SIGINT, true, {"--device", "model"}); }
TEST_F(Command, AnInterruptSentToTheCommandReachesTheProgram) {
  stop_a_run(scratch, SIGINT, false, {"--device", "model"});
}
TEST_F(Command, ATerminatedRunStillWritesTheReport) { stop_a_run(scratch, SIGTERM, false, {"--device", "model"}); }

// Tools as scripts that print a version, to be alone on PATH with the shell's helpers. Verilator is too old, clang is
// not there.
void write_tools(const fs::path& folder) {
  const auto tool = [&](const char* name, const char* version) {
    std::ofstream(folder / name) << "#!/bin/sh\necho '" << version << "'\n";
    chmod((folder / name).c_str(), 0755);
  };
  tool("verilator", "Verilator 4.210 2021-07-07");
  tool("g++", "g++ (Debian 12.2.0-14) 12.2.0");
  tool("cmake", "cmake version 3.25.1");
  tool("ninja", "1.11.1");
}

TEST_F(Command, DoctorNamesWhatIsMissingOrTooOld) {
  write_tools(scratch);
  const auto e = run("doctor", "PATH=" + scratch.string());
  EXPECT_EQ(e.exit(), 1);
  EXPECT_TRUE(e.has("verilator 4.210") && e.has("TOO OLD")) << e.text;
  EXPECT_TRUE(e.has("MISSING")) << e.text;
  EXPECT_TRUE(e.has("apt-get install clang-19 verilator")) << e.text;
}

TEST_F(Command, DoctorTellsWhichRuntimeAProgramLoads) {
  const auto e = run("doctor " + kPrograms + "/count_rpath");
  EXPECT_TRUE(e.has("libcudart.so.12 => ") && e.has("another vendor's")) << e.text;
  EXPECT_TRUE(e.has("heddle run")) << e.text;
}

TEST_F(Command, DoctorTellsHowAnotherNvccsProgramsGetThisRuntime) {
  const std::string library = fs::canonical(HEDDLE_BUILD_DIR "/lib").string();
  EXPECT_TRUE(run("doctor").has("nvcc -L" + library));
  const auto e = run("doctor " + kPrograms + "/static_vendor");
  EXPECT_EQ(e.exit(), 1);
  EXPECT_TRUE(e.has("or with -L" + library)) << e.text;
}

TEST_F(Command, ToolsGetTheirOwnArguments) {
  const auto e = run("ptxas --version");
  EXPECT_EQ(e.exit(), 0);
  EXPECT_TRUE(e.has("release 12")) << e.text;
}

TEST_F(Command, RunRefusesWhatItDoesNotKnow) {
  for (const char* words : {"--bogus -- /bin/true", "--bogus /bin/true", "--wave-cycles 1:2 -- /bin/true"})
    EXPECT_EQ(run("run --device model " + std::string(words)).exit(), 2) << words;
}

// A simulation may take hours: what can be said before it is said before it.
TEST_F(Command, RunChecksItsOptionsBeforeTheProgramStarts) {
  const std::string program = " -- /bin/sh -c 'echo started'";
  const struct {
    const char *options, *text;
  } cases[] = {{"--report /nonexistent/r.json", "cannot write '/nonexistent/r.json'"},
               {"--cycle-limit many", "HEDDLE_CYCLE_LIMIT='many'"},
               {"--seed x", "HEDDLE_SEED='x'"},
               {"--wave w.fst", "the model has no waveforms"},
               {"--wave w.fst --wave-cycles 9:3", "HEDDLE_WAVE_CYCLES='9:3': FIRST:LAST"}};
  for (const auto& c : cases) {
    const auto e = run("run --device model --preset cc80 " + std::string(c.options) + program);
    EXPECT_EQ(e.exit(), 2) << c.options << e.text;
    EXPECT_TRUE(e.has(c.text)) << e.text;
    EXPECT_FALSE(e.has("started")) << c.options;
  }
}

TEST_F(Command, AReportThatIsNotWrittenFailsTheRun) {
  const auto none = run("run --device model --report " + (scratch / "r.json").string() + " -- /bin/true");
  EXPECT_EQ(none.exit(), 1);
  EXPECT_TRUE(none.has("no report was written")) << none.text;
  ASSERT_EQ(access("/dev/full", W_OK), 0);
  const auto full = run("run --device model --preset cc80 --report /dev/full -- " + kPrograms + "/kernel once");
  EXPECT_EQ(full.exit(), 1);
  EXPECT_TRUE(full.has("No space left on device")) << full.text;
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Command, RunSaysHowAProgramWasKilled) {
  const auto e = run("run --device model -- /bin/sh -c 'kill -KILL $$'");
  EXPECT_EQ(e.exit(), 128 + SIGKILL);
  EXPECT_TRUE(e.has("was ended by signal 9 (Killed)")) << e.text;
}

TEST_F(Command, TheReportIsAboutTheFirstFailureAlsoAfterAReset) {
  const fs::path report = scratch / "report.json";
  const auto e = run("run --device model --preset cc80 --cycle-limit 20000 --report " + report.string() + " -- " +
                     kPrograms + "/kernel endless reset");
  EXPECT_TRUE(e.has("after the reset: cudaSuccess")) << e.text;
  const auto j = nlohmann::json::parse(slurp(report), nullptr, false);
  ASSERT_TRUE(j.is_object());
  EXPECT_NE(j["status"].get<std::string>().find("longer than the limit"), std::string::npos) << j["status"];
  EXPECT_EQ(j["launches"], 2);
}

TEST_F(Command, PtxasTakesTheLastOfRepeatedOptions) {
  std::ofstream(scratch / "k.ptx") << ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";
  const auto e = run("ptxas -O3 -v -O2 -v --gpu-name sm_80 -arch sm_90 -o " + (scratch / "x").string() + " -o " +
                     (scratch / "k.cubin").string() + " " + (scratch / "k.ptx").string());
  EXPECT_EQ(e.exit(), 0) << e.text;
  EXPECT_TRUE(e.has("for 'sm_90'")) << e.text;
  EXPECT_TRUE(fs::exists(scratch / "k.cubin"));
}

TEST_F(Command, ToolsNameAFolderOrAFullDisk) {
  for (const char* tool : {"ptxas", "disasm", "fatbinary --list"}) {
    const auto e = run(std::string(tool) + " " + scratch.string());
    EXPECT_EQ(e.exit(), 1) << tool << e.text;
    EXPECT_TRUE(e.has("Is a directory")) << e.text;
  }
  ASSERT_EQ(access("/dev/full", W_OK), 0);
  std::ofstream(scratch / "k.ptx") << ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";
  const std::string ptx = (scratch / "k.ptx").string(), cubin = (scratch / "k.cubin").string();
  ASSERT_EQ(run("ptxas " + ptx + " -o " + cubin).exit(), 0);
  const auto full = run("ptxas " + ptx + " -o /dev/full");
  EXPECT_EQ(full.exit(), 1);
  EXPECT_TRUE(full.has("cannot write '/dev/full': No space left")) << full.text;
  const auto image = run("fatbinary --create=/dev/full --image=profile=sm_80,file=" + cubin);
  EXPECT_EQ(image.exit(), 1);
  EXPECT_TRUE(image.has("No space left")) << image.text;
  for (const std::string& words :
       {"disasm " + cubin, std::string("doctor"), std::string("silicon --op add.u32 " SILICON_DIR)})
    EXPECT_EQ(WEXITSTATUS(std::system((kHeddle + " " + words + " >/dev/full 2>/dev/null").c_str())), 1) << words;
}

TEST_F(Command, NvccNamesAClangThatIsMissingOrTooOld) {
  const std::string source = (scratch / "a.cu").string();
  std::ofstream(source) << "int main() {}\n";
  const auto missing = run("nvcc " + source, "HEDDLE_CLANG=/nonexistent/clang++");
  EXPECT_EQ(missing.exit(), 1);
  EXPECT_TRUE(missing.has("cannot start '/nonexistent/clang++'") && missing.has("install clang-19")) << missing.text;
  const std::string old = (scratch / "clang++").string();
  std::ofstream(old) << "#!/bin/sh\necho 'Debian clang version 11.0.1-2'\n";
  chmod(old.c_str(), 0755);
  const auto e = run("nvcc " + source, "HEDDLE_CLANG=" + old);
  EXPECT_EQ(e.exit(), 1);
  EXPECT_TRUE(e.has("is version 11, too old") && e.has("install clang-19")) << e.text;
}

// The options that makefiles give nvcc, all at work: what they ask for is in the program, or in the files beside it.
TEST_F(Command, NvccDoesWhatMakefilesAsk) {
  const std::string at = "cd " + scratch.string() + " && ";
  fs::create_directories(scratch / "inc");
  std::ofstream(scratch / "inc/value.h") << "constexpr int kValue = 41;\n";
  std::ofstream(scratch / "l.c") << "int seven(void) { int new = 7; return new; }\n";
  std::ofstream(scratch / "a.txt") << R"(#include "value.h"
#include <cstdio>
extern "C" int seven();
static_assert(__cplusplus == 201402L, "-std");
__global__ void k(int* p) { *p = kValue + PLUS; }
int main() {
  int *d, h = 0;
  cudaMalloc(&d, 4);
  k<<<1, 1>>>(d);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", h, seven());
}
)";
  const auto shell = [&](const std::string& words) {
    Ended e;
    const std::string out = (scratch / "output").string();
    e.status = std::system((at + words + " >" + out + " 2>&1").c_str());
    e.text = slurp(out);
    EXPECT_EQ(e.exit(), 0) << words << "\n" << e.text;
    return e;
  };
  const std::string nvcc = kHeddle + " nvcc ", common = " -I inc -DPLUS=1 -std=c++14 -x cu a.txt ";
  shell(nvcc + "-c l.c -o l.o && ar rcs libseven.a l.o");
  const auto e = shell(nvcc +
                       "-O2 -g -lineinfo -rdc=false -arch=sm_80 -gencode arch=compute_80,code=sm_80 "
                       "-Xcompiler -Wall,-O1 -Xptxas -v,-O3 -maxrregcount=32 -c" +
                       common + "-o a.o");
  EXPECT_TRUE(e.has("Used ")) << e.text;  // of -Xptxas -v
  shell(nvcc + "a.o -o app -L. -lseven");
  EXPECT_TRUE(shell("HEDDLE_DEVICE=model ./app").has("42 7"));
  shell(nvcc + "-G" + common + "-o debug -L . -l seven");
  EXPECT_TRUE(shell("HEDDLE_DEVICE=model ./debug").has("42 7"));
  shell(nvcc + "--ptx" + common);
  EXPECT_NE(slurp(scratch / "a.ptx").find(".entry"), std::string::npos);
  shell("mkdir kept && cd kept && " + nvcc +
        "-keep -I ../inc -DPLUS=1 -std=c++14 -x cu ../a.txt -c -o a.o && ls *.s *.fatbin");
}

// The script of the source tree, before anything is built.
TEST_F(Command, TheScriptNamesToolsThatAreMissingOrTooOld) {
  write_tools(scratch);
  const fs::path out = scratch / "text";
  for (const char* command : {"doctor", "build"}) {
    const int status = std::system(("PATH=" + scratch.string() + " HEDDLE_BUILD=" + (scratch / "none").string() +
                                    " /bin/bash " HEDDLE_SCRIPT " " + command + " >" + out.string() + " 2>&1")
                                       .c_str());
    const std::string text = slurp(out);
    EXPECT_EQ(WEXITSTATUS(status), 1) << text;
    EXPECT_NE(text.find("verilator 4.210, TOO OLD"), std::string::npos) << text;
    EXPECT_NE(text.find("MISSING"), std::string::npos) << text;
    EXPECT_NE(text.find("apt-get install clang-19"), std::string::npos) << text;
  }
}

TEST_F(Command, SiliconCountsWhatRanAndFailsOnAMismatch) {
  fs::create_directories(scratch / "d");
  std::ofstream(scratch / "d/ptx_ops.json")
      << R"({"ops": [{"name": "add.u32", "body": "add.u32 %o, %a, %b;", "inputs": ["u32","u32"], "outputs": ["u32"],)"
      << R"( "offset": 0, "count": 2}]})";
  const uint64_t rows[] = {1, 2, 3, 4, 5, 10};
  std::ofstream(scratch / "d/ptx_ops.bin", std::ios::binary).write(reinterpret_cast<const char*>(rows), sizeof rows);
  const auto e = run("silicon --device model " + (scratch / "d").string());
  EXPECT_EQ(e.exit(), 1);
  EXPECT_TRUE(e.has("add.u32 row 1: a(u32)=0x4 b(u32)=0x5  o(u32): silicon 0xa, here 0x9")) << e.text;
  EXPECT_TRUE(e.has("ops: 0 of 1 exact, 1 of 2 vectors exact")) << e.text;
}

TEST_F(Command, SiliconThatRunsNothingFails) {
  const auto e = run("silicon --device model --op no_such_op " SILICON_DIR);
  EXPECT_EQ(e.exit(), 1);
  EXPECT_TRUE(e.has("ops: 0 of 0 exact")) << e.text;
}

}  // namespace
