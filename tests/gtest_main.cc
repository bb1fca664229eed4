// SPDX-License-Identifier: Apache-2.0
// The main function of GoogleTest executables. Beside what GoogleTest's own does:
//   - a test that skips itself fails, unless skips.def names it;
//   - an executable with fewer cases than cases.def says fails: a case that got lost says nothing by itself.
// With HEDDLE_COUNT_CASES=FILE it adds its line of cases.def to the file and runs nothing (./heddle counts).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Cases {
  const char* executable;
  int least;
};
constexpr Cases kCases[] = {
#define HEDDLE_CASES(executable, count) {#executable, count},
#include "tests/cases.def"
    {nullptr, 0},
};
constexpr const char* kSkips[] = {
#define HEDDLE_SKIPS(test, why) #test,
#include "tests/skips.def"
    "",
};

// "Suite.Test" of "Presets/Suite.Test/2".
std::string plain_name(const testing::TestInfo& test) {
  const auto part = [](std::string name, bool last) {
    const size_t slash = name.find('/');
    return slash == std::string::npos ? name : last ? name.substr(slash + 1) : name.substr(0, slash);
  };
  const std::string suite = test.test_suite_name();
  // A suite's instance has its prefix before the slash, a typed suite its type's number behind it.
  const bool prefixed = suite.find('/') != std::string::npos && !std::isdigit(static_cast<unsigned char>(suite.back()));
  return part(suite, prefixed) + "." + part(test.name(), false);
}

class SkipsAreListed : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Skipped()) return;
    const std::string name = plain_name(test);
    for (const char* listed : kSkips)
      if (name == listed) return;
    std::fprintf(stderr, "%s skips itself, and tests/skips.def does not name it\n", name.c_str());
    unlisted = true;
  }

 public:
  bool unlisted = false;
};

// Whether all cases are there; said if not.
bool all_there(const char* executable, int count) {
  for (const Cases& c : kCases) {
    if (!c.executable || std::strcmp(c.executable, executable) != 0) continue;
    if (count >= c.least) return true;
    std::fprintf(stderr, "%s has %d cases, tests/cases.def asks for %d; if that is meant: ./heddle counts\n",
                 executable, count, c.least);
    return false;
  }
  std::fprintf(stderr, "tests/cases.def has no line for %s: ./heddle counts adds it\n", executable);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* slash = std::strrchr(argv[0], '/');
  const char* executable = slash ? slash + 1 : argv[0];
  const int count = testing::UnitTest::GetInstance()->total_test_count();
  if (const char* name = std::getenv("HEDDLE_COUNT_CASES")) {
    std::FILE* file = std::fopen(name, "a");
    if (!file) return 1;
    std::fprintf(file, "HEDDLE_CASES(%s, %d)\n", executable, count);
    return std::fclose(file) == 0 ? 0 : 1;
  }
  SkipsAreListed* skips = new SkipsAreListed;
  testing::UnitTest::GetInstance()->listeners().Append(skips);  // owns it
  const int status = RUN_ALL_TESTS();
  return status != 0 ? status : skips->unlisted || !all_there(executable, count) ? 1 : 0;
}
