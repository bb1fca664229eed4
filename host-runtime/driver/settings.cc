// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <regex>
#include <string_view>

namespace heddle::driver {
namespace {

bool parse(const char* begin, const char* end, uint64_t& out) {
  const auto [rest, error] = std::from_chars(begin, end, out);
  return error == std::errc{} && rest == end && begin != end;
}

Status number(const char* name, uint64_t& out) {
  const char* text = std::getenv(name);
  if (!text || !*text) return {};
  if (parse(text, text + std::strlen(text), out)) return {};
  return Error(std::string(name) + "='" + text + "': a whole number is expected");
}

void word(const char* name, std::string& out) {
  if (const char* text = std::getenv(name); text && *text) out = text;
}

void flag(const char* name, bool& out) {
  if (const char* text = std::getenv(name); text && *text) out = std::strcmp(text, "0") != 0;
}

Status range(const char* name, uint64_t& first, uint64_t& last) {
  std::string text;
  word(name, text);
  if (text.empty()) return {};
  const char* begin = text.data();
  const char* end = begin + text.size();
  const size_t colon = text.find(':');
  if (colon != std::string::npos && parse(begin, begin + colon, first) && parse(begin + colon + 1, end, last) &&
      first <= last)
    return {};
  return Error(std::string(name) + "='" + text + "': FIRST:LAST is expected");
}

Status expression(const char* name, const std::string& text) {
  try {
    const std::regex tried(text);
  } catch (const std::regex_error& e) {
    return Error(std::string(name) + "='" + text + "': no regular expression: " + e.what());
  }
  return {};
}

// Launches of some kernels, by these two variables: `first` is 0 where neither is given.
Status choice(const char* kernels_name, const char* launches_name, std::string& kernels, uint64_t& first,
              uint64_t& last) {
  if (auto ok = range(launches_name, first, last); !ok) return ok;
  word(kernels_name, kernels);
  const bool launches = last != 0;
  if (launches && first == 0) return Error(std::string(launches_name) + ": launches are counted from 1");
  if (!launches && kernels.empty()) return {};
  if (!launches) first = 1, last = ~uint64_t{0};
  return expression(kernels_name, kernels);
}

// Which launches are on the device, and which are profiled.
Status choices(Settings& s) {
  if (auto ok = choice("HEDDLE_RTL_KERNELS", "HEDDLE_RTL_LAUNCHES", s.rtl_kernels, s.rtl_first, s.rtl_last); !ok)
    return ok;
  if (s.chooses() && s.device == "model")
    return Error(
        "HEDDLE_RTL_KERNELS and HEDDLE_RTL_LAUNCHES choose launches for the device 'rtl' or 'lockstep', not the model");
  if (auto ok = choice("HEDDLE_PROFILE_KERNELS", "HEDDLE_PROFILE_LAUNCHES", s.profile_kernels, s.profile_first,
                       s.profile_last);
      !ok)
    return ok;
  if (s.profile_first == 0) s.profile_first = 1, s.profile_last = ~uint64_t{0};
  return {};
}

Status followed(Settings& s) {
  std::string window;
  word("HEDDLE_EVENTS_WINDOW", window);
  s.events_window = !window.empty();
  if (auto ok = range("HEDDLE_EVENTS_WINDOW", s.events_first, s.events_last); !ok) return ok;
  return number("HEDDLE_EVENTS_LIMIT", s.events_limit);
}

// What HEDDLE_LOG may name.
struct Log {
  std::string_view name;
  bool Settings::*wanted;
};
constexpr Log kLogs[] = {{"api", &Settings::log_api}};

Status logs(Settings& s) {
  std::string list;
  word("HEDDLE_LOG", list);
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string name = list.substr(at, end - at);
    const auto* log = std::find_if(std::begin(kLogs), std::end(kLogs), [&](const Log& l) { return l.name == name; });
    if (log == std::end(kLogs)) {
      std::string message = "HEDDLE_LOG='" + list + "': there is no log '" + name + "'; known:";
      for (const Log& l : kLogs) message += " " + std::string(l.name);
      return Error(message);
    }
    s.*log->wanted = true;
    at = end + 1;
  }
  return {};
}

}  // namespace

Result<Settings> Settings::from_environment() {
  Settings s;
  word("HEDDLE_DEVICE", s.device);
  word("HEDDLE_PRESET", s.preset);
  word("HEDDLE_REPORT", s.report);
  word("HEDDLE_TRACE", s.trace);
  word("HEDDLE_PROFILE", s.profile);
  word("HEDDLE_EVENTS", s.events);
  word("HEDDLE_WAVE", s.wave);
  word("HEDDLE_WAVE_SCOPE", s.wave_scopes);
  word("HEDDLE_WAVE_GROUP", s.wave_groups);
  word("HEDDLE_INJECT", s.inject);
  flag("HEDDLE_WAVE_LAUNCH", s.wave_launch);
  flag("HEDDLE_STATUS", s.status_line);
  flag("HEDDLE_PROFILE_STATUS", s.profile_status);
  flag("CUDA_LAUNCH_BLOCKING", s.blocking);
  if (auto ok = number("HEDDLE_CYCLE_LIMIT", s.cycle_limit); !ok) return ok.error();
  if (auto ok = number("HEDDLE_SEED", s.seed); !ok) return ok.error();
  if (auto ok = logs(s); !ok) return ok.error();
  if (auto ok = range("HEDDLE_WAVE_CYCLES", s.wave_begin, s.wave_end); !ok) return ok.error();
  if (auto ok = followed(s); !ok) return ok.error();
  if (auto ok = choices(s); !ok) return ok.error();
  return s;
}

}  // namespace heddle::driver
