// SPDX-License-Identifier: Apache-2.0
// Profiles as a page that needs nothing else: page.html with the data in it.
#include "host-runtime/tools/heddle/prof/advice.h"
#include "host-runtime/tools/heddle/prof/page.h"
#include "host-runtime/tools/heddle/prof/pages.h"
#include "host-runtime/tools/heddle/prof/roofline.h"

namespace heddle::tools::prof {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kAround = 3;  // lines of a source that are shown around those with instructions

Json values(const Profile& p) {
  Json j = Json::object();
  for (const Metric& m : metrics()) {
    const auto value = value_of(m, p);
    j[m.raw] = value ? Json(*value) : Json();
  }
  return j;
}

Json launch(const Profile& p, const Baseline* baseline, size_t i) {
  Json j;
  j["profile"] = p.json();
  j["shape"] = p.shape();
  j["machine"] = "device " + p.text("device") + ", preset " + p.preset();
  j["metrics"] = values(p);
  j["advice"] = Json::array();
  for (const Advice& a : advice(p)) j["advice"].push_back({{"kind", a.kind}, {"section", a.section}, {"text", a.text}});
  if (const Profile* before = baseline ? baseline->partners[i] : nullptr)
    j["baseline"] = {{"launch", before->json().at("launch")},
                     {"metrics", values(*before)},
                     {"stalls", before->json().at("stalls")},
                     {"idle", before->json().at("idle")}};
  return j;
}

Json sources(const std::vector<Profile>& profiles) {
  std::vector<Line> lines;
  for (const Profile& p : profiles) lines.insert(lines.end(), p.lines().begin(), p.lines().end());
  Json j = Json::object();
  for (const auto& [file, text] : source_text(lines, kAround))
    for (const auto& [number, line] : text) j[file][std::to_string(number)] = line;
  return j;
}

}  // namespace

std::string html(const std::vector<Profile>& profiles, const Baseline* baseline) {
  Json data;
  for (const Section& s : sections()) data["sections"].push_back({{"id", s.id}, {"title", s.title}});
  for (const Metric& m : metrics())
    data["metrics"].push_back({{"section", m.section}, {"name", m.name}, {"raw", m.raw}, {"unit", m.unit}});
  for (const Stall& s : stalls())
    data["stalls"].push_back({{"word", s.word}, {"title", title(s.word)}, {"doc", s.doc}});
  for (const Kind& k : kinds()) data["kinds"].push_back({{"id", k.id}, {"name", k.name}});
  for (const Level& l : levels()) data["levels"].push_back({{"id", l.id}, {"name", l.name}});
  data["compared"] = baseline != nullptr;
  data["left"] = Json::array();
  if (baseline)
    for (const Profile* p : baseline->left) data["left"].push_back(p->text("name"));
  data["launches"] = Json::array();
  for (size_t i = 0; i < profiles.size(); i++) data["launches"].push_back(launch(profiles[i], baseline, i));
  data["sources"] = sources(profiles);
  // In a script element nothing may look like its end; a "<" is in strings only.
  std::string text;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') text += "\\u003c";
    else text += c;
  }
  std::string page = kPage;
  constexpr std::string_view kPlace = "{{DATA}}";
  return page.replace(page.find(kPlace), kPlace.size(), text);
}

}  // namespace heddle::tools::prof
