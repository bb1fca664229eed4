// SPDX-License-Identifier: Apache-2.0
// The reader of litmus files, the kernels made of them, and what is judged to be right.
#include <gtest/gtest.h>

#include <filesystem>

#include "heddle/files.h"
#include "host-runtime/compiler/compile.h"
#include "host-runtime/tools/heddle/litmus/plan.h"
#include "host-runtime/tools/heddle/litmus/translate.h"
#include "host-runtime/tools/heddle/litmus/verdict.h"

namespace heddle::tools::litmus {
namespace {

constexpr const char* kTwo = " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n";

std::string file(const std::string& program, const std::string& condition = "exists (x == 1)") {
  return "PTX t\n{\nx=0; y=2; P1:r7=-3;\n}\n" + std::string(kTwo) + program + condition + "\n";
}

Test read(const std::string& text) {
  auto test = parse("f", text);
  EXPECT_TRUE(test) << test.error().message() << "\n" << text;
  return test ? std::move(*test) : Test();
}

std::string mistake(const std::string& text) {
  const auto test = parse("f", text);
  return test ? "none" : test.error().message();
}

std::string refusal(const std::string& text) {
  const auto ptx = translate(read(text), 100);
  return ptx ? "none" : ptx.error().message();
}

TEST(LitmusReader, AFileIsThreadsVariablesAndACondition) {
  const auto t = read(file(" st.weak x, 1 | LC00: ;\n | ld.acquire.gpu r1, y ;\n | bne r1, 0x2, LC00 ;\n",
                           "locations [y; P1:r7]\nforall (x == 1 \\/ 1:r1 != -1 /\\ ~(y < 3))"));
  EXPECT_EQ(t.name, "t");
  EXPECT_EQ(t.variables, (std::map<std::string, int32_t>{{"x", 0}, {"y", 2}}));
  ASSERT_EQ(t.threads.size(), 2u);
  EXPECT_EQ(t.ctas(), 2);
  EXPECT_EQ(t.threads[0].code.size(), 1u);
  EXPECT_EQ(t.threads[1].registers, (std::map<std::string, int32_t>{{"r1", 0}, {"r7", -3}}));
  ASSERT_EQ(t.threads[1].code.size(), 3u);
  EXPECT_EQ(t.threads[1].code[1].order, "acquire");
  EXPECT_EQ(t.threads[1].code[1].scope, "gpu");
  EXPECT_EQ(t.threads[1].code[2].values[1].constant, 2);
  EXPECT_EQ(t.quantifier, Quantifier::Forall);
  EXPECT_EQ(t.observed, (std::vector<Observed>{{-1, "y"}, {1, "r7"}, {-1, "x"}, {1, "r1"}}));
  EXPECT_EQ(t.refused, "");
}

TEST(LitmusReader, AndBindsMoreStronglyThanOr) {
  const auto t = read(file("", "exists (x == 1 \\/ y == 1 /\\ y == 2)"));
  EXPECT_TRUE(t.condition->holds({1, 0}));
  EXPECT_FALSE(t.condition->holds({0, 1}));
  const auto other = read(file("", "exists ((x == 1 \\/ y == 1) /\\ not (y = 2))"));
  EXPECT_TRUE(other.condition->holds({0, 1}));
  EXPECT_FALSE(other.condition->holds({1, 2}));
}

TEST(LitmusReader, ComparisonsAreOfSignedNumbers) {
  for (const auto& [text, holds] : std::map<std::string, bool>{{"x < y", true},
                                                               {"x <= -1", true},
                                                               {"x > y", false},
                                                               {"y >= 0", true},
                                                               {"x != -1", false},
                                                               {"0 == 0", true}}) {
    const auto t = read(file("", "exists (" + text + ")"));
    State state;
    for (const Observed& o : t.observed) state.push_back(o.name == "x" ? -1 : 0);
    EXPECT_EQ(t.condition->holds(state), holds) << text;
  }
}

TEST(LitmusReader, MistakesHaveAPlace) {
  EXPECT_EQ(mistake("C t\n{}"), "f:1: wanted PTX, there is 'C'");
  EXPECT_EQ(mistake("PTX t\n{ x=0;"), "f:2: wanted a variable, there is the end of the file");
  EXPECT_EQ(mistake("PTX t\n{ x=0; x=1; }"), "f:2: variable 'x' is there twice");
  EXPECT_EQ(mistake("PTX t\n\"no end\n{}"), "f:2: a description does not end");
  EXPECT_EQ(mistake("PTX t\n{ x=99999999999; }"), "f:2: wanted a number of 32 bits, there is '99999999999'");
  EXPECT_EQ(mistake("PTX t\n{}\n P1@cta 0,gpu 0 ;\n"), "f:3: threads are P0, P1 and so on, in this order");
  EXPECT_EQ(mistake("PTX t\n{ P2:r0=0; }\n P0@cta 0,gpu 0 ;\n"), "f:2: there is no thread P2");
  EXPECT_EQ(mistake(file(" frob x, 1 | ;\n")), "f:6: there is no instruction 'frob'");
  EXPECT_EQ(mistake(file(" st.acquire.gpu x, 1 | ;\n")), "f:6: 'st' has no order 'acquire'");
  EXPECT_EQ(mistake(file(" st.release x, 1 | ;\n")), "f:6: 'st.release' needs a scope: cta, gpu or sys");
  EXPECT_EQ(mistake(file(" st.weak.gpu x, 1 | ;\n")), "f:6: 'st' with 'gpu'");
  EXPECT_EQ(mistake(file(" st.weak x, y | ;\n")), "f:6: 'y' is a variable, wanted a number or register");
  EXPECT_EQ(mistake(file(" red.relaxed.gpu.cas x, 1 | ;\n")), "f:6: 'red' has no operation 'cas'");
  EXPECT_EQ(mistake(file(" bne r0, 1, LC09 | ;\n")), "f:6: there is no label 'LC09'");
  EXPECT_EQ(mistake(file(" LC09: | ;\n LC09: | ;\n")), "f:7: label 'LC09' is there twice");
  EXPECT_EQ(mistake(file(" | | st.weak x, 1 ;\n")),
            "f:6: wanted ';': there are no more threads than that, there is 'st'");
  EXPECT_EQ(mistake(file(" st.weak x 1 | ;\n")), "f:6: wanted ',', there is '1'");
  EXPECT_EQ(mistake(file("", "exists (z == 1)")), "f:6: there is no variable 'z'");
  EXPECT_EQ(mistake(file("", "exists (P0:r5 == 1)")), "f:6: thread P0 has no register 'r5'");
  EXPECT_EQ(mistake(file("", "exists (P4:r5 == 1)")), "f:6: there is no thread P4");
  EXPECT_EQ(mistake(file("", "exists (x == 1")), "f:7: wanted ')', there is the end of the file");
  EXPECT_EQ(mistake(file("", "exists (x 1)")), "f:6: wanted a comparison, there is '1'");
  EXPECT_EQ(mistake(file("", "exists (x == 1) y")), "f:6: wanted the end of the file, there is 'y'");
  EXPECT_EQ(mistake(file("", "")), "f:7: wanted exists, ~exists or forall, there is the end of the file");
}

TEST(LitmusReader, WhatTheMachineLacksIsRefusedByName) {
  EXPECT_EQ(refusal("PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 1 ;\nexists (x == 1)"), "f:3: more than one GPU");
  EXPECT_EQ(refusal("PTX t\n{ x=0; s @ surface aliases x; }\n P0@cta 0,gpu 0 ;\nexists (x == 1)"),
            "f:2: a second name of a place (surface alias)");
  EXPECT_EQ(refusal(file(" suld.weak r0, x | ;\n")), "f:6: suld: proxies of textures, surfaces and constants");
  EXPECT_EQ(refusal(file(" fence.proxy.texture | ;\n")), "f:6: fence.proxy.texture");
  EXPECT_EQ(refusal(file(" bar.cta.sync 16 | ;\n")), "f:6: barrier 16; there are 16");
  EXPECT_EQ(refusal(file(" bar.cta.sync 1, 1, 2 | ;\n")), "f:6: a barrier for 2 threads, of which the cta has 1");
  EXPECT_EQ(refusal(file(" ld.weak r0, x | ;\n bar.cta.sync 1, r0 | ;\n")),
            "f:7: a barrier whose number is computed needs its count of threads");
  EXPECT_EQ(refusal(file(" atom.relaxed.gpu.mul r0, x, 2 | ;\n")), "f:6: atomic mul, which PTX has not");
}

TEST(LitmusKernel, EveryInstructionCompiles) {
  const std::string all =
      " ld.weak r0, x | st.weak x, r7 ;\n ld.volatile r0, [x] | st.volatile x, 1 ;\n"
      " ld.acquire.cta r0, x | st.release.sys x, 1 ;\n ld.relaxed.sys r0, x | st.relaxed.cta x, 1 ;\n"
      " atom.acq_rel.sys.add r0, x, 1 | red.acq_rel.gpu.add x, 1 ;\n atom.relaxed.cta.cas r0, x, 1, r0 | "
      "red.relaxed.sys.sub x, 1 ;\n"
      " atom.acquire.gpu.exch r0, x, r0 | red.release.gpu.max x, r7 ;\n atom.release.gpu.sub r0, x, 1 | "
      "atom.relaxed.gpu.xor r0, y, 1 ;\n"
      " fence.sc.sys | fence.acq_rel.cta ;\n fence.proxy.alias | membar.gl ;\n bar.cta.sync 1 | bar.cta.arrive 1 ;\n"
      " mov r1, 3 | ld r1, r7 ;\n add r1, 1, r0 | sub r1, r1, 1 ;\n mul r1, r1, r1 | div r1, r1, 2 ;\n"
      " LC00: | LC10: ;\n blt r0, r1, LC00 | bge 1, 0, LC11 ;\n goto LC01 | goto LC10 ;\n LC01: | LC11: ;\n";
  const auto ptx = translate(read(file(all)), 100);
  ASSERT_TRUE(ptx) << ptx.error().message();
  const auto compiled = compiler::compile({"litmus", *ptx}, {});
  EXPECT_TRUE(compiled) << compiled.error().message();
}

TEST(LitmusKernel, ABlockMakesOneRunWhereABarrierMayKeepThreads) {
  EXPECT_EQ(rounds_of(read(file(" bar.cta.sync 1 | ;\n")), 8), 8u);
  EXPECT_EQ(rounds_of(read(file(" bar.cta.sync 1, 1, 1 | ;\n")), 8), 1u);
  EXPECT_EQ(rounds_of(read(file(" beq r0, 0, LC00 | ;\n bar.cta.sync 1 | ;\n LC00: | ;\n")), 8), 1u);
}

TEST(LitmusPlan, VariablesOfARunLieApartAndHoldTheirFirstValues) {
  Random random(1);
  const auto t = read(file(" st.weak x, 1 | ld.weak r0, y ;\n"));
  for (uint32_t number = 0; number < 6; ++number) {
    const Plan p = make_plan(t, 4, 8, number, random);
    EXPECT_EQ(p.spread, number % 2 == 1);
    std::set<uint32_t> places(p.place.begin(), p.place.end()), blocks(p.map.begin(), p.map.end());
    EXPECT_EQ(places.size(), 2u * 4 * 8);
    EXPECT_EQ(blocks.size(), 2u * 8);
    EXPECT_LT(*blocks.rbegin(), 2u * 8);
    for (size_t n = 0; n < p.place.size(); ++n) EXPECT_EQ(p.vars.at(p.place[n] / 4), n % 2 ? 2u : 0u);
  }
}

TEST(LitmusVerdict, TheQuantifierSaysWhatIsForbidden) {
  Counts counts;
  counts.runs = 5;
  counts.states = {{{0}, 2}, {{1}, 3}};
  const auto verdict = [&](const std::string& quantifier, bool holds) {
    return judge(read(file("", quantifier + " (x == 1)")), holds, counts);
  };
  EXPECT_EQ(verdict("exists", true).text, "ok: allowed, seen");
  EXPECT_EQ(verdict("exists", false).text, "FORBIDDEN OUTCOME SEEN 3 times");
  EXPECT_EQ(verdict("~exists", true).forbidden, 3u);
  EXPECT_EQ(verdict("~exists", false).text, "ok: allowed, seen");
  EXPECT_EQ(verdict("forall", true).forbidden, 2u);
  EXPECT_EQ(verdict("forall", true).held, 3u);
  EXPECT_EQ(verdict("forall", false).text, "ok: allowed, seen");
  counts.states.erase(State{0});
  EXPECT_EQ(verdict("forall", true).text, "ok: forbidden, never seen");
  counts = {};
  counts.unfinished = 4;
  EXPECT_EQ(verdict("forall", true).text, "no run ended");
}

TEST(LitmusVerdict, AListNamesFilesByTheirEnds) {
  const auto list = Expected::parse("l", "file\tresult\na/b.litmus\texists\t0\tFORBIDDEN\nc.litmus,1\n");
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_FALSE(list->holds("/tmp/a/b.litmus"));
  EXPECT_TRUE(list->holds("/tmp/x/b.litmus"));
  EXPECT_TRUE(list->holds("c.litmus"));
  EXPECT_FALSE(Expected::parse("l", "a.litmus\t1\nb.litmus\tyes\n"));
}

// Each has a verdict of its own, and nothing in it is refused.
TEST(Litmus, TheTestsHereAreWhole) {
  size_t tests = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LITMUS_DIR)) {
    if (entry.path().extension() != ".litmus") continue;
    const auto text = read_file(entry.path().string());
    ASSERT_TRUE(text);
    const auto test = parse(entry.path().string(), *text);
    ASSERT_TRUE(test) << test.error().message();
    EXPECT_EQ(test->name, entry.path().stem().string());
    EXPECT_TRUE(translate(*test, 100)) << entry.path();
    ++tests;
  }
  EXPECT_GE(tests, 25u);
}

}  // namespace
}  // namespace heddle::tools::litmus
