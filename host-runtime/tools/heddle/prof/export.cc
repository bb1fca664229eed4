// SPDX-License-Identifier: Apache-2.0
// CSV and JSON.
#include <cstdio>
#include <cstring>
#include <sstream>

#include "host-runtime/tools/heddle/prof/advice.h"
#include "host-runtime/tools/heddle/prof/pages.h"

namespace heddle::tools::prof {
namespace {

using Json = nlohmann::ordered_json;

std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

class Csv {
 public:
  void row(const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); i++) {
      out_ += i ? ",\"" : "\"";
      for (const char c : cells[i]) out_ += c == '"' ? std::string("\"\"") : std::string(1, c);
      out_ += '"';
    }
    out_ += '\n';
  }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
};

std::vector<std::string> whose(const Profile& p) {
  return {std::to_string(uint64_t(p.number("launch"))),
          p.text("name"),
          p.extent("block"),
          p.extent("grid"),
          p.text("device"),
          p.preset(),
          p.completed() ? "1" : "0"};
}
const std::vector<std::string> kWhose = {"ID",     "Kernel Name", "Block Size", "Grid Size",
                                         "Device", "Preset",      "Completed"};

template <typename F>
void each_metric(const std::vector<Section>& chosen, F f) {
  for (const Section& s : chosen)
    for (const Metric& m : metrics())
      if (std::strcmp(m.section, s.id) == 0) f(s, m);
}

std::vector<std::string> with(std::vector<std::string> cells, std::initializer_list<std::string> more) {
  cells.insert(cells.end(), more);
  return cells;
}

// Value before, change, and that in percent.
std::vector<std::string> changed(const std::optional<Change>& c) {
  if (!c) return {"", "", ""};
  return {exact(c->before), exact(c->change), c->percent ? exact(*c->percent) : ""};
}

// A row a metric.
void details(Csv& csv, const std::vector<Profile>& profiles, const std::vector<Section>& chosen,
             const Baseline* baseline) {
  auto names = with(kWhose, {"Section Name", "Metric Name", "Metric Unit", "Metric Value"});
  csv.row(baseline ? with(names, {"Baseline Value", "Change", "Change %"}) : names);
  for (size_t i = 0; i < profiles.size(); i++)
    each_metric(chosen, [&](const Section& s, const Metric& m) {
      const Profile& p = profiles[i];
      const auto value = value_of(m, p);
      if (!value) return;
      auto cells = with(whose(p), {s.title, m.name, m.unit, exact(*value)});
      if (baseline)
        for (const std::string& cell : changed(change(m, p, baseline->partners[i]))) cells.push_back(cell);
      csv.row(cells);
    });
}

// A row a launch, below one of the units; with a baseline, rows of its values and of changes below the launch's.
void raw(Csv& csv, const std::vector<Profile>& profiles, const std::vector<Section>& chosen, const Baseline* baseline) {
  std::vector<std::string> names = kWhose;
  if (baseline) names.emplace_back("Row");
  std::vector<std::string> units(names.size());
  each_metric(chosen, [&](const Section&, const Metric& m) {
    names.push_back(m.raw);
    units.push_back(m.unit);
  });
  csv.row(names);
  csv.row(units);
  for (size_t i = 0; i < profiles.size(); i++) {
    const Profile& p = profiles[i];
    std::vector<std::vector<std::string>> rows(baseline ? 4 : 1, whose(p));
    if (baseline)
      for (size_t row = 0; row < rows.size(); row++)
        rows[row].emplace_back(
            std::initializer_list<const char*>{"value", "baseline", "change", "change %"}.begin()[row]);
    each_metric(chosen, [&](const Section&, const Metric& m) {
      const auto value = value_of(m, p);
      rows[0].push_back(value ? exact(*value) : "");
      if (!baseline) return;
      const auto cells = changed(change(m, p, baseline->partners[i]));
      for (size_t row = 1; row < rows.size(); row++) rows[row].push_back(cells[row - 1]);
    });
    for (const auto& row : rows) csv.row(row);
  }
}

// A row an instruction, a statement or a line.
void source(Csv& csv, const std::vector<Profile>& profiles, Page page) {
  std::vector<std::string> names =
      with(kWhose, {"Function", "Address", "Source", "PTX Line", "PTX", "Instruction", "Unit", "Instructions Executed",
                    "Thread Instructions Executed", "Active Threads", "Divergent Branches", "Sectors", "Wavefronts"});
  for (const Stall& s : stalls()) names.push_back(std::string("stall_") + s.word);
  csv.row(names);
  for (const Profile& p : profiles)
    for (const Line& l : source_rows(p, page)) {
      auto cells =
          with(whose(p), {l.function, std::to_string(l.pc), l.file.empty() ? "" : l.file + ":" + std::to_string(l.line),
                          l.ptx_line ? std::to_string(l.ptx_line) : "", l.ptx, l.text, l.unit});
      for (const uint64_t n : {l.executed, l.threads, l.active_threads}) cells.push_back(std::to_string(n));
      cells.push_back(l.divergent ? std::to_string(*l.divergent) : "");
      for (const uint64_t n : {l.sectors, l.wavefronts}) cells.push_back(std::to_string(n));
      for (const uint64_t n : l.stalls) cells.push_back(std::to_string(n));
      csv.row(cells);
    }
}

// As the profile has lines: of a sum what all of its instructions have in common.
Json sum_json(const Line& l) {
  Json j;
  if (!l.function.empty()) j["function"] = l.function;
  if (!l.file.empty()) j["file"] = l.file, j["line"] = l.line;
  if (l.ptx_line) j["ptx_line"] = l.ptx_line, j["ptx"] = l.ptx;
  j["executed"] = l.executed, j["threads"] = l.threads, j["active_threads"] = l.active_threads;
  if (l.divergent) j["divergent"] = *l.divergent;
  j["sectors"] = l.sectors, j["wavefronts"] = l.wavefronts;
  j["stalls"] = Json::object();
  for (size_t i = 0; i < l.stalls.size(); i++)
    if (l.stalls[i]) j["stalls"][stalls()[i].word] = l.stalls[i];
  return j;
}

}  // namespace

std::string csv(const std::vector<Profile>& profiles, Page page, const std::vector<Section>& chosen,
                const Baseline* baseline) {
  Csv csv;
  if (page == Page::Details) details(csv, profiles, chosen, baseline);
  else if (page == Page::Raw) raw(csv, profiles, chosen, baseline);
  else source(csv, profiles, page);
  return csv.text();
}

std::string json(const std::vector<Profile>& profiles, Page page, const std::vector<Section>& chosen,
                 const Baseline* baseline) {
  Json all = Json::array();
  for (size_t i = 0; i < profiles.size(); i++) {
    const Profile& p = profiles[i];
    const Profile* before = baseline ? baseline->partners[i] : nullptr;
    Json j;
    for (const char* name : {"launch", "name", "symbol", "grid", "block", "device", "completed"})
      j[name] = p.json().at(name);
    j["preset"] = p.preset();
    if (baseline) j["baseline"] = before ? Json(before->json().at("launch")) : Json();
    if (page == Page::Source) {
      j["lines"] = p.json().at("lines");
    } else if (is_source(page)) {
      j["lines"] = Json::array();
      for (const Line& l : source_rows(p, page)) j["lines"].push_back(sum_json(l));
    } else {
      j["metrics"] = Json::object();
      each_metric(chosen, [&](const Section& s, const Metric& m) {
        const auto value = value_of(m, p);
        if (page == Page::Raw) j["metrics"][m.raw] = value ? Json(*value) : Json();
        else if (value) j["metrics"][s.title][m.name] = {{"value", *value}, {"unit", m.unit}};
        const auto c = change(m, p, before);
        if (!c) return;
        Json& to = page == Page::Raw ? j["changes"][m.raw] : j["metrics"][s.title][m.name];
        to["baseline"] = c->before, to["change"] = c->change;
        to["change_percent"] = c->percent ? Json(*c->percent) : Json();
      });
    }
    if (page == Page::Details) {
      j["advice"] = Json::array();
      for (const Advice& a : advice(p))
        for (const Section& s : chosen)
          if (std::strcmp(s.id, a.section) == 0)
            j["advice"].push_back({{"section", s.title}, {"kind", a.kind}, {"text", a.text}});
    }
    all.push_back(std::move(j));
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::tools::prof
