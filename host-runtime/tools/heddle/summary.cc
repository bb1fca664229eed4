// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/summary.h"

#include <cstdio>
#include <vector>

#include "host-runtime/device/installation.h"
#include "host-runtime/driver/progress.h"

namespace heddle::tools {
namespace {

using driver::with_commas;

struct Row {
  std::string name;
  uint64_t launches = 0, cycles = 0, warp = 0, thread = 0, compared = 0;
  double wall = 0;
};

void add(Row& row, const nlohmann::json& k) {
  row.cycles += k.value("cycles", uint64_t{0});
  row.warp += k.value("warp_instructions", uint64_t{0});
  row.thread += k.value("thread_instructions", uint64_t{0});
  row.compared += k.value("compared_instructions", uint64_t{0});
  row.wall += k.value("wall_seconds", 0.0);
}

std::string line(const Row& r) {
  char text[256];
  const double ipc = r.cycles ? double(r.warp) / double(r.cycles) : 0;
  const double lanes = r.warp ? double(r.thread) / double(r.warp) : 0;
  const double khz = r.wall > 0 ? double(r.cycles) / r.wall / 1000 : 0;
  const double rate = r.wall > 0 ? double(r.thread) / r.wall : 0;
  std::snprintf(text, sizeof text, "  %-34.34s %8s %13s %14s %5.2f %6.1f %8.0f %9s/s %13s\n", r.name.c_str(),
                with_commas(r.launches).c_str(), with_commas(r.cycles).c_str(), with_commas(r.warp).c_str(), ipc, lanes,
                khz, short_number(rate).c_str(), with_commas(r.compared).c_str());
  return text;
}

}  // namespace

std::string short_number(double value) {
  const char* unit = "";
  for (const char* next : {" k", " M", " G"}) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.3g%s", value, unit);
  return text;
}

bool compared_nothing(const nlohmann::json& report) {
  return device::runs_in_lockstep(report.value("device", "")) && report.value("status", "") != "interrupted" &&
         report.at("totals").value("warp_instructions", uint64_t{0}) > 0 && !report.value("checked", false);
}

std::string summary(const nlohmann::json& report) {
  std::vector<Row> rows;
  for (const auto& k : report.at("kernels")) {
    const std::string name = k.value("name", "");
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
    if (row == rows.end()) row = rows.insert(rows.end(), Row{name});
    ++row->launches;
    add(*row, k);
  }
  const uint64_t launches = report.value("launches", uint64_t{0});
  std::string out = "heddle: device " + report.value("device", "") + ", preset " + report.value("preset", "") + ": " +
                    with_commas(launches) + (launches == 1 ? " launch" : " launches") + ", " +
                    report.value("status", "") + "\n";
  if (launches == 0) return out;
  char head[256];
  std::snprintf(head, sizeof head, "  %-34s %8s %13s %14s %5s %6s %8s %11s %13s\n", "kernel", "launches", "cycles",
                "instructions", "IPC", "lanes", "kHz", "thread-in.", "compared");
  out += head;
  for (const auto& row : rows) out += line(row);
  if (rows.size() > 1) {
    Row total{"all"};
    total.launches = launches;
    add(total, report.at("totals"));
    out += line(total);
  }
  if (device::runs_in_lockstep(report.value("device", ""))) {
    const auto& t = report.at("totals");
    out += compared_nothing(report)
               ? "  LOCKSTEP COMPARED NOTHING: this run proves nothing\n"
               : "  " + with_commas(t.value("compared_instructions", uint64_t{0})) + " instructions and " +
                     with_commas(t.value("compared_memory_events", uint64_t{0})) +
                     " memory effects compared with the golden model\n";
  }
  return out;
}

}  // namespace heddle::tools
