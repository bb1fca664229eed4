// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/timing.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace heddle::tools {
namespace {

using Json = nlohmann::json;

// ", stride 4": what tells the cases of a name apart.
std::string told_apart(const Json& entry, std::initializer_list<const char*> keys) {
  std::string text;
  for (const char* key : keys)
    if (entry.contains(key)) text += std::string(", ") + key + " " + entry[key].dump();
  return text;
}

void add_kernel(const Json& entry, TimingRun& run) {
  const std::string kernel = entry.at("name");
  const std::string name = kernel + ", " + entry.at("variant").get<std::string>() + ", " +
                           std::to_string(entry.at("threads").get<int>()) + " threads";
  run.cases.push_back({kernel, name, entry.at("cycles_min")});
  if (entry.value("check", "ok") != "ok") run.wrong.push_back(name);
}

void add_instruction(const Json& entry, TimingRun& run) {
  const std::string name = entry.at("name");
  if (entry.contains("cases")) {
    for (const Json& c : entry["cases"])
      run.cases.push_back({name, name + told_apart(c, {"warps", "ways", "split", "body", "instructions", "kilobytes"}),
                           c.at("cycles")});
    return;
  }
  const char* what = entry.contains("interval_cycles") ? "interval_cycles" : "latency_cycles";
  run.cases.push_back({name, name + told_apart(entry, {"stride", "addresses"}), entry.at(what)});
}

// 0 where one of them does not vary.
double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) mean_x += x[i] / n, mean_y += y[i] / n;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace

Result<TimingRun> read_timing(const std::string& text, const std::string& file) {
  TimingRun run;
  try {
    const Json document = Json::parse(text);
    run.device = document.at("device");
    if (document.contains("kernels"))
      for (const Json& entry : document["kernels"]) add_kernel(entry, run);
    else
      for (const Json& entry : document.at("results")) add_instruction(entry, run);
  } catch (const Json::exception& e) {
    return Error(file + ": " + (run.cases.empty() ? std::string() : "after case '" + run.cases.back().name + "': ") +
                 e.what());
  }
  return run;
}

TimingComparison compare_timing(const TimingRun& silicon, const TimingRun& here, const std::string& filter) {
  std::map<std::string, double> cycles;
  for (const TimingCase& c : here.cases) cycles.emplace(c.name, c.cycles);
  TimingComparison out;
  std::vector<double> log_silicon, log_here;
  double error = 0, ratios = 0;
  for (const TimingCase& c : silicon.cases) {
    if (c.subject.find(filter) == std::string::npos) continue;
    const auto found = cycles.find(c.name);
    if (found == cycles.end() || !(c.cycles > 0) || !(found->second > 0)) {
      out.missing.push_back(c.name);
      continue;
    }
    out.pairs.push_back({c.name, c.cycles, found->second});
    log_silicon.push_back(std::log(c.cycles));
    log_here.push_back(std::log(found->second));
    error += std::abs(found->second - c.cycles) / c.cycles;
    ratios += log_here.back() - log_silicon.back();
  }
  if (out.pairs.empty()) return out;
  const auto n = static_cast<double>(out.pairs.size());
  out.mean_absolute_error = error / n;
  out.geometric_mean = std::exp(ratios / n);
  out.correlation = correlation(log_silicon, log_here);
  return out;
}

}  // namespace heddle::tools
