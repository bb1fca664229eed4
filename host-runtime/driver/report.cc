// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/report.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "heddle/files.h"

namespace heddle::driver {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json dim(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

// Text: a JSON number of 64 bits loses its last ones in many readers.
std::string hexadecimal(uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016" PRIx64, value);
  return text;
}

double rate(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

void figures(Json& j, const KernelRun& k) {
  j["cycles"] = k.cycles;
  j["warp_instructions"] = k.warp_instructions;
  j["thread_instructions"] = k.thread_instructions;
  j["ipc"] = k.ipc();
  j["active_lanes"] = k.active_lanes();
  j["compared_instructions"] = k.compared_instructions;
  j["compared_memory_events"] = k.compared_memory_events;
  j["cpu_seconds"] = k.cpu_seconds;
  j["wall_seconds"] = k.wall_seconds;
  j["khz"] = rate(double(k.cycles), k.wall_seconds) / 1000;
  j["thread_instructions_per_second"] = rate(double(k.thread_instructions), k.wall_seconds);
}

void add_figures(KernelRun& sum, const KernelRun& run) {
  sum.cycles += run.cycles;
  sum.warp_instructions += run.warp_instructions;
  sum.thread_instructions += run.thread_instructions;
  sum.compared_instructions += run.compared_instructions;
  sum.compared_memory_events += run.compared_memory_events;
  sum.cpu_seconds += run.cpu_seconds;
  sum.wall_seconds += run.wall_seconds;
}

}  // namespace

void Report::add(const KernelRun& run) {
  ++launches;
  add_figures(total, run);
  if (kernels.size() < kMaxKernels) kernels.push_back(run);
}

void Report::merge(const Report& other) {
  launches += other.launches;
  deterministic = deterministic && other.deterministic;
  add_figures(total, other.total);
  for (const auto& run : other.kernels)
    if (kernels.size() < kMaxKernels) kernels.push_back(run);
  device_stats.cycles += other.device_stats.cycles;
  device_stats.cpu_seconds += other.device_stats.cpu_seconds;
}

std::string to_json(const Report& r) {
  Json j;
  j["program"] = r.program;
  j["device"] = r.device;
  j["preset"] = r.preset;
  j["status"] = r.status;
  j["checked"] = r.compared();
  j["deterministic"] = r.deterministic;
  j["launches"] = r.launches;
  j["kernels"] = Json::array();
  for (const auto& k : r.kernels) {
    Json e;
    e["name"] = k.name;
    e["symbol"] = k.symbol;
    e["grid"] = dim(k.grid);
    e["block"] = dim(k.block);
    e["completed"] = k.completed;
    e["registers"] = k.registers;
    e["shared_bytes"] = k.shared_bytes;
    figures(e, k);
    if (k.trace_digest) e["trace_digest"] = hexadecimal(k.trace_digest);
    j["kernels"].push_back(std::move(e));
  }
  Json totals;
  figures(totals, r.total);
  j["totals"] = std::move(totals);
  if (!r.waveform.empty()) j["waveform"] = r.waveform;
  j["device_cycles"] = r.device_stats.cycles;
  j["device_cpu_seconds"] = r.device_stats.cpu_seconds;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status write_report(const Report& report, const std::string& file) {
  const std::string text = to_json(report);
  std::error_code ec;
  // A device, a pipe: written to, never replaced. A link keeps pointing to what it points to.
  if (fs::exists(file, ec) && !fs::is_regular_file(file, ec)) return write_file(file, text.data(), text.size());
  const fs::path target = fs::is_symlink(file, ec) ? fs::weakly_canonical(file, ec) : fs::path(file);
  const std::string temporary = target.string() + "." + std::to_string(getpid()) + ".tmp";
  if (auto written = write_file(temporary, text.data(), text.size()); !written) return written;
  fs::rename(temporary, target, ec);
  if (!ec) return {};
  const Error error("cannot write '" + file + "': " + ec.message());
  fs::remove(temporary, ec);
  return error;
}

}  // namespace heddle::driver
