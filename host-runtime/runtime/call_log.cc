// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/call_log.h"

#include <cinttypes>
#include <cstdio>

#include "host-runtime/runtime/state.h"

namespace heddle::cudart {

std::atomic<CallLog> call_log{CallLog::Unknown};

namespace {

std::atomic<bool> lines{false};  // on stderr

}  // namespace

bool read_call_log() noexcept {
  if (call_log == CallLog::Unknown) {
    const auto settings = driver::Settings::from_environment();
    lines = settings && settings->log_api;
    call_log = lines || driver::Timeline::get() ? CallLog::On : CallLog::Off;
  }
  return call_log == CallLog::On;
}

bool wants_arguments() { return lines; }

void log_call(const char* function, const std::string& arguments, const std::string& result, CallTime began) {
  if (driver::Timeline* timeline = driver::Timeline::get())
    timeline->call(thread_number(), function, result, began, driver::Timeline::Clock::now());
  if (!lines) return;
  std::string line = "heddle: api " + std::to_string(thread_number()) + " " + function + "(" + arguments + ")";
  if (!result.empty()) line += " = " + result;
  line += "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);  // at once: threads do not mix
}

std::string quoted(const char* text) {
  constexpr size_t kMost = 1000;  // a program's source (NVRTC) may be as long as it likes
  if (!text) return address_text(text);
  std::string all = "\"";
  for (; *text && all.size() < kMost; ++text) {
    if (*text == '"' || *text == '\\') all += '\\';
    if (*text == '\n') all += "\\n";
    else all += *text;
  }
  return all + (*text ? "…\"" : "\"");
}

std::string address_text(const void* p) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "0x%" PRIxPTR, reinterpret_cast<uintptr_t>(p));
  return digits;
}

std::string name_at(const void* p) {
  State& state = State::get();
  const std::lock_guard lock(state.mutex);
  if (const auto f = state.functions.find(p); f != state.functions.end())
    return f->second.kernel ? f->second.kernel->display_name : f->second.name;
  if (const auto s = state.symbols.find(p); s != state.symbols.end()) return s->second.name;
  return address_text(p);
}

std::string joined(const char* separator, std::initializer_list<std::string> texts) {
  std::string all;
  for (const std::string& text : texts) {
    if (!all.empty()) all += separator;
    all += text;
  }
  return all;
}

}  // namespace heddle::cudart
