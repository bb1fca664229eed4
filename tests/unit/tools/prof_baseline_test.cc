// SPDX-License-Identifier: Apache-2.0
// Launches beside those of an earlier run, and the page that has both.
#include <gtest/gtest.h>

#include "host-runtime/tools/heddle/prof/options.h"
#include "tests/unit/tools/prof_profile.h"

namespace heddle::tools::prof {
namespace {

Profile launch(const char* name, uint64_t number, uint64_t cycles) {
  auto j = made();
  j["name"] = name, j["launch"] = number, j["counters"]["Cycles"] = cycles;
  return Profile(std::move(j));
}

const Metric& cycles() {
  for (const Metric& m : metrics())
    if (m.raw == "gpc__cycles_elapsed.max") return m;
  throw std::runtime_error("no cycles");
}

TEST(ProfBaseline, LaunchesGoTogetherByNameAndOrder) {
  const std::vector<Profile> now = {launch("b", 1, 10), launch("a", 2, 20), launch("b", 3, 30), launch("b", 4, 40)};
  const std::vector<Profile> before = {launch("a", 1, 1), launch("b", 2, 2), launch("c", 3, 3), launch("a", 4, 4),
                                       launch("b", 5, 5)};
  const Baseline b = match(now, before);
  const std::vector<const Profile*> partners = {&before[1], &before[0], &before[4], nullptr};
  EXPECT_EQ(b.partners, partners);
  const std::vector<const Profile*> left = {&before[2], &before[3]};
  EXPECT_EQ(b.left, left);
}

TEST(ProfBaseline, ChangesAreAbsoluteAndInPercent) {
  const Profile now = launch("a", 1, 900), before = launch("a", 1, 1200), none = launch("a", 1, 0);
  const auto c = change(cycles(), now, &before);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->before, 1200);
  EXPECT_EQ(c->change, -300);
  EXPECT_EQ(c->percent, -25);
  EXPECT_FALSE(change(cycles(), now, &none)->percent);  // of nothing
  EXPECT_EQ(change(cycles(), none, &none)->percent, 0);
  EXPECT_FALSE(change(cycles(), now, nullptr));
  const Profile still(made(false));
  EXPECT_FALSE(change(cycles(), now, &still));
  EXPECT_EQ(signed_text(-300, "cycle"), "-300");
  EXPECT_EQ(signed_text(2.5, ""), "+2.50");
  EXPECT_EQ(signed_text(0, ""), "0");
  EXPECT_EQ(signed_text(-3e-7, "second"), "-300 ns");
}

TEST(ProfBaseline, EachFormShowsTheChange) {
  const std::vector<Profile> now = {launch("a", 1, 900), launch("new", 2, 5)}, before = {launch("a", 7, 1200)};
  const Baseline b = match(now, before);
  const Options text;
  const std::string page = print(now, text, Page::Details, sections(), &b);
  EXPECT_NE(page.find("Beside the baseline's launch 7."), std::string::npos);
  EXPECT_NE(page.find("The baseline has no launch that goes with this one."), std::string::npos);
  const size_t at = page.find("    Elapsed Cycles");
  const std::string row = page.substr(at, page.find('\n', at) - at);
  EXPECT_NE(row.find("1,200 "), std::string::npos) << row;
  EXPECT_NE(row.find(" -300 "), std::string::npos) << row;
  EXPECT_NE(row.find(" -25"), std::string::npos) << row;
  Options o;
  o.csv = true;
  EXPECT_NE(print(now, o, Page::Details, sections(), &b)
                .find("\"Elapsed Cycles\",\"cycle\",\"900\",\"1200\",\"-300\",\"-25\"\n"),
            std::string::npos);
  const std::string raw = print(now, o, Page::Raw, sections(), &b);
  for (const char* kind : {"\"value\"", "\"baseline\"", "\"change\"", "\"change %\""})
    EXPECT_NE(raw.find(kind), std::string::npos) << kind;
  o.csv = false, o.json = true;
  const auto j = nlohmann::json::parse(print(now, o, Page::Raw, sections(), &b));
  EXPECT_EQ(j[0]["baseline"], 7);
  EXPECT_EQ(j[0]["changes"]["gpc__cycles_elapsed.max"]["change_percent"], -25);
  EXPECT_TRUE(j[1]["baseline"].is_null() && !j[1].contains("changes"));
  const auto details = nlohmann::json::parse(print(now, o, Page::Details, sections(), &b));
  EXPECT_EQ(details[0]["metrics"]["GPU Speed Of Light Throughput"]["Elapsed Cycles"]["change"], -300);
}

TEST(ProfBaseline, PartnersStayWithTheLaunchesThatAreChosen) {
  const std::vector<Profile> now = {launch("a", 1, 1), launch("a", 2, 2)},
                             before = {launch("a", 1, 10), launch("a", 2, 20)};
  Baseline b = match(now, before);
  Options o;
  o.launch_skip = 1;
  ASSERT_EQ(choose(now, o, &b.partners)->size(), 1u);
  ASSERT_EQ(b.partners.size(), 1u);
  EXPECT_EQ(b.partners[0], &before[1]);
}

TEST(ProfHtml, NothingInTheDataEndsTheScriptThatHoldsThem) {
  const std::vector<Profile> one = {launch("evil</script><b>\xff", 1, 5)};
  const std::string page = html(one);
  EXPECT_EQ(page.find("evil</script>"), std::string::npos);
  EXPECT_NE(page.find("evil\\u003c/script>"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
}

}  // namespace
}  // namespace heddle::tools::prof
