// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <functional>
#include <sstream>

#include "host-runtime/tools/heddle/prof/advice.h"
#include "host-runtime/tools/heddle/prof/pages.h"
#include "host-runtime/tools/heddle/prof/table.h"

namespace heddle::tools::prof {
namespace {

constexpr size_t kWidth = 120;
constexpr size_t kHottest = 10;
constexpr size_t kLongestStatement = 60;  // of PTX, in a table

// "    OPT   …", the words of later lines below the first one's.
std::string note(const char* kind, const std::string& text) {
  std::string out = "    " + std::string(kind) + "   ", line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (10 + line.size() + 1 + word.size() > kWidth) {
      out += line + "\n          ";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line + "\n";
}

bool starts(const std::string& name, const char* with) { return name.starts_with(with); }

// Columns of a metric, with those of a comparison.
class MetricTable {
 public:
  explicit MetricTable(const Profile* before)
      : before_(before),
        table_(names(before), before ? std::vector<int>{0, 1, 1, 1, 1, 1} : std::vector<int>{0, 1, 1}) {}
  // `raw`: by its raw name, in the unit in which it is counted.
  void add(const Profile& p, const Metric& m, double value, bool raw) {
    const std::string unit = raw ? "" : m.unit;
    const Shown shown = show(value, unit);
    std::vector<std::string> cells = {raw ? m.raw : m.name, raw ? m.unit : shown.unit, shown.value};
    if (before_) {
      const auto c = change(m, p, before_);
      const Shown then = c ? show(c->before, unit) : Shown{};
      cells.push_back(then.unit == shown.unit || !c ? then.value : then.value + " " + then.unit);
      cells.push_back(c ? signed_text(c->change, unit) : "");
      cells.push_back(c && c->percent ? signed_text(*c->percent, "") : "");
    }
    table_.add(cells);
  }
  std::string text() const { return table_.text(); }

 private:
  static std::vector<std::string> names(const Profile* before) {
    std::vector<std::string> all = {"Metric Name", "Metric Unit", "Metric Value"};
    if (before)
      for (const char* name : {"Baseline", "Change", "Change %"}) all.emplace_back(name);
    return all;
  }
  const Profile* before_;
  Table table_;
};

// Those that `wanted` names, and what has changed.
std::string metric_table(const Profile& p, const char* section, bool (*wanted)(const std::string& name),
                         const Profile* before) {
  MetricTable table(before);
  for (const Metric& m : metrics()) {
    if (std::strcmp(m.section, section) != 0) continue;
    const auto value = value_of(m, p);
    const auto c = change(m, p, before);
    if (value && (wanted(m.name) || (c && c->change != 0))) table.add(p, m, *value, false);
  }
  return table.text();
}

std::string memory_tables(const Profile& p) {
  Table table({"Memory", "Requests", "Sectors", "Sectors/Req", "Wavefronts", "Wavefronts/Req", "Bank Conflicts"},
              {0, 1, 1, 1, 1, 1, 1});
  for (const char* row : {"Global Load", "Global Store", "Global Atomic", "Local Load", "Local Store", "Shared Load",
                          "Shared Store", "Shared Atomic"}) {
    std::vector<std::string> cells = {row};
    for (const char* column :
         {"Requests", "Sectors", "Sectors/Request", "Wavefronts", "Wavefronts/Request", "Bank Conflicts"}) {
      const std::string name = std::string(row) + " " + column;
      const auto metric =
          std::find_if(metrics().begin(), metrics().end(), [&](const Metric& m) { return m.name == name; });
      const auto value = metric == metrics().end() ? std::nullopt : value_of(*metric, p);
      cells.push_back(value ? show(*value, "").value : "");
    }
    table.add(cells);
  }
  return table.text();
}

std::string share(uint64_t part, uint64_t all) { return all ? show(100 * double(part) / double(all), "").value : "0"; }

std::string stall_table(const Profile& p) {
  uint64_t sum = 0;
  std::vector<std::pair<uint64_t, const Stall*>> rows;
  for (const Stall& s : stalls()) {
    rows.emplace_back(p.stall(s.word), &s);
    sum += p.stall(s.word);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  Table table({"Warp State", "Cycles", "Cycles/Inst", "%", "A Warp's Cycles In Which"}, {0, 1, 1, 1, 0});
  const double issued = double(p.counter("IssueCycles"));
  for (const auto& [cycles, s] : rows)
    if (cycles)
      table.add({title(s->word), show(double(cycles), "").value,
                 issued > 0 ? show(double(cycles) / issued, "").value : "", share(cycles, sum), s->doc});
  return table.text();
}

std::string idle_table(const Profile& p) {
  uint64_t sum = 0;
  for (const Stall& s : stalls()) sum += p.idle(s.word);
  if (sum == 0) return {};
  Table table({"No Eligible: Nearest To Issue Was", "Cycles", "%"}, {0, 1, 1});
  for (const Stall& s : stalls())
    if (const uint64_t cycles = p.idle(s.word))
      table.add({title(s.word), show(double(cycles), "").value, share(cycles, sum)});
  return table.text();
}

std::string mix_table(const Profile& p) {
  Table table({"Unit", "Instructions", "%", "Pipe Utilization %"}, {0, 1, 1, 1});
  const auto all = p.counter("Instructions");
  for (const Metric& m : metrics()) {
    if (std::strcmp(m.section, "InstructionStats") != 0 || !starts(m.raw, "smsp__inst_executed_pipe_")) continue;
    const auto executed = static_cast<uint64_t>(value_of(m, p).value_or(0));
    if (executed == 0) continue;
    const std::string unit = m.name.substr(std::strlen("Executed "));
    const auto used = std::find_if(metrics().begin(), metrics().end(),
                                   [&](const Metric& u) { return u.name == "Pipe Utilization " + unit; });
    const auto value = used == metrics().end() ? std::nullopt : value_of(*used, p);
    table.add({unit, show(double(executed), "").value, share(executed, all), value ? show(*value, "").value : ""});
  }
  return table.text();
}

// "12: ld.param.u64 %rd1, [add_param_0];"
std::string statement(const Line& l) {
  if (l.ptx.empty()) return {};
  const std::string text = std::to_string(l.ptx_line) + ": " + l.ptx;
  return text.size() > kLongestStatement ? text.substr(0, kLongestStatement - 3) + "..." : text;
}

// What rows are of, by the column's name: instructions, PTX statements, lines of the program.
struct SourceColumn {
  std::string name;
  std::function<std::string(const Line&)> text;
};

std::string source_table(const Profile& p, const std::vector<const Line*>& lines, const std::vector<SourceColumn>& of) {
  std::vector<std::string> head = {"Location"};
  std::vector<int> right = {0};
  const auto column = [&](const std::string& name, int to_the_right) {
    head.push_back(name);
    right.push_back(to_the_right);
  };
  for (const SourceColumn& c : of) column(c.name, 0);
  for (const char* name : {"Executed", "Threads", "Divergent", "Sectors", "Wavefronts"}) column(name, 1);
  if (p.has_clock()) column("Stall Cycles", 1), column("%", 1), column("Top Stall", 0);
  uint64_t sum = 0;
  for (const Line& l : p.lines()) sum += l.stalled();
  Table table(head, right);
  for (const Line* l : lines) {
    std::vector<std::string> cells = {l->place(p.text("name"))};
    for (const SourceColumn& c : of) cells.push_back(c.text(*l));
    for (const uint64_t n : {l->executed, l->threads, l->divergent.value_or(0), l->sectors, l->wavefronts})
      cells.push_back(show(double(n), "").value);
    if (p.has_clock()) {
      cells.push_back(show(double(l->stalled()), "").value);
      cells.push_back(share(l->stalled(), sum));
      cells.push_back(top_stall(*l));
    }
    table.add(cells);
  }
  return table.text();
}

const SourceColumn kInstruction{"Instruction", [](const Line& l) { return l.text; }};
const SourceColumn kStatement{"PTX", statement};

std::string source_page(const Profile& p, Page page) {
  const std::vector<Line> rows = source_rows(p, page);
  const SourceText text = source_text(rows, 0);
  const SourceColumn program{"Source", [&](const Line& l) {
                               const auto file = text.find(l.file);
                               if (file == text.end() || !file->second.contains(l.line)) return std::string();
                               const std::string& line = file->second.at(l.line);
                               return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
                             }};
  std::vector<SourceColumn> of;
  if (page == Page::SourceCuda) of = {program};
  if (page == Page::SourcePtx) of = {kStatement};
  if (page == Page::Source) of = {kStatement, kInstruction};
  if (page == Page::Source && std::all_of(rows.begin(), rows.end(), [](const Line& l) { return l.ptx.empty(); }))
    of = {kInstruction};
  std::vector<const Line*> lines;
  for (const Line& l : rows) lines.push_back(&l);
  return source_table(p, lines, of);
}

bool plain(const std::string& name) {
  return !starts(name, "No Eligible: ") && !starts(name, "Stall ") && !starts(name, "Pipe Utilization ") &&
         (!starts(name, "Executed ") || starts(name, "Executed Ins") || starts(name, "Executed Ip") ||
          starts(name, "Executed Th"));
}

std::string section_text(const Profile& p, const Section& s, const Profile* before) {
  const std::string_view id = s.id;
  std::string out = "    Section: " + std::string(s.title) + "\n";
  if (id == "MemoryWorkloadAnalysis_Tables")
    out += memory_tables(p) + metric_table(
                                  p, s.id, [](const std::string&) { return false; }, before);
  else out += metric_table(p, s.id, plain, before);
  if (p.has_clock() && id == "SchedulerStats") out += idle_table(p);
  if (p.has_clock() && id == "WarpStateStats") out += stall_table(p);
  if (id == "InstructionStats") out += mix_table(p);
  if (id == "SourceCounters") out += source_table(p, hottest(p, kHottest), {kInstruction});
  std::string notes;
  if (!p.has_clock() && s.timed) notes += note("INF", kNoClock);
  for (const Advice& a : advice(p))
    if (id == a.section && std::strcmp(a.kind, "WRN") != 0) notes += note(a.kind, a.text);
  const bool table = out.ends_with("-\n");
  return out + (table && !notes.empty() ? "\n" : "") + notes + "\n";
}

}  // namespace

std::string heading(const Profile& p) {
  return p.shape() + ", Device " + p.text("device") + ", Preset " + p.preset() + ", CC " +
         std::to_string(int(p.machine("compute_major"))) + "." + std::to_string(int(p.machine("compute_minor")));
}

std::string text(const Profile& p, Page page, const std::vector<Section>& chosen, Partner partner) {
  std::string out = "  " + p.text("name") + " " + heading(p) + "\n";
  if (!p.completed()) out += note("WRN", "The launch did not complete: these are the counts up to its end.");
  const Profile* before = partner.value_or(nullptr);
  if (before) out += note("INF", "Beside the baseline's launch " + before->json().at("launch").dump() + ".");
  else if (partner) out += note("INF", "The baseline has no launch that goes with this one.");
  if (is_source(page)) return out + source_page(p, page) + "\n";
  if (page == Page::Details) {
    for (const Section& s : chosen) out += section_text(p, s, before);
    return out;
  }
  MetricTable table(before);
  for (const Section& s : chosen)
    for (const Metric& m : metrics())
      if (std::strcmp(m.section, s.id) == 0)
        if (const auto value = value_of(m, p)) table.add(p, m, *value, true);
  return out + table.text() + "\n";
}

std::vector<const Line*> hottest(const Profile& p, size_t most) {
  std::vector<const Line*> lines;
  for (const Line& l : p.lines()) lines.push_back(&l);
  const auto weight = [&](const Line* l) {
    return p.has_clock() ? l->stalled() : l->executed + l->sectors + l->wavefronts;
  };
  std::stable_sort(lines.begin(), lines.end(), [&](const Line* a, const Line* b) { return weight(a) > weight(b); });
  if (lines.size() > most) lines.resize(most);
  return lines;
}

std::string top_stall(const Line& l) {
  size_t top = stalls().size();
  for (size_t i = 0; i < l.stalls.size(); i++)
    if (std::strcmp(stalls()[i].word, "selected") != 0 && l.stalls[i] &&
        (top == stalls().size() || l.stalls[i] > l.stalls[top]))
      top = i;
  return top == stalls().size() ? "" : stalls()[top].word;
}

}  // namespace heddle::tools::prof
