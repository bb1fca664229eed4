// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/nvrtc/diagnostics.h"

#include <algorithm>
#include <cctype>

namespace heddle::cudart::nvrtc {
namespace {

struct Severity {
  std::string_view clang, nvrtc;
};
constexpr Severity kSeverities[] = {
    {": fatal error: ", ": catastrophic error: "},
    {": error: ", ": error: "},
    {": warning: ", ": warning: "},
    {": note: ", ": note: "},
};

// Takes ":12" from the end; empty: there is none.
std::string_view take_number(std::string_view& text) {
  size_t begin = text.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1]))) --begin;
  if (begin == text.size() || begin == 0 || text[begin - 1] != ':') return {};
  const std::string_view number = text.substr(begin);
  text = text.substr(0, begin - 1);
  return number;
}

std::string message_of(std::string_view text) {
  constexpr std::string_view kMissing = "' file not found";
  if (text.starts_with('\'') && text.ends_with(kMissing))
    return "could not open source file \"" + std::string(text.substr(1, text.size() - 1 - kMissing.size())) + "\"";
  return std::string(text);
}

// Of a line of the source the number that newer clangs put before it: "   12 | ".
std::string_view without_number(std::string_view line) {
  const size_t bar = line.find_first_not_of(" 0123456789");
  const bool numbered = bar != line.npos && bar > 1 && line[bar] == '|' && line[bar - 1] == ' ';
  return numbered ? line.substr(std::min(bar + 2, line.size())) : line;
}

std::string line_of(std::string_view line) {
  line = without_number(line);
  for (const Severity& severity : kSeverities) {
    const size_t at = line.find(severity.clang);
    if (at == line.npos) continue;
    std::string_view place = line.substr(0, at);
    const std::string_view last = take_number(place);
    if (last.empty()) continue;
    const std::string_view first = take_number(place);
    const std::string_view row = first.empty() ? last : first;
    return std::string(place) + "(" + std::string(row) + ")" + std::string(severity.nvrtc) +
           message_of(line.substr(at + severity.clang.size()));
  }
  return std::string(line);
}

void remove_all(std::string& text, const std::string& part) {
  for (size_t at = 0; (at = text.find(part, at)) != text.npos;) text.erase(at, part.size());
}

// "2 warnings and 1 error generated when compiling for sm_80."
bool is_count(std::string_view line) {
  return !line.empty() && std::isdigit(static_cast<unsigned char>(line[0])) && line.find(" generated") != line.npos &&
         line.ends_with('.');
}

}  // namespace

std::string rewritten(std::string_view log, const std::string& name, const std::vector<std::string>& folders) {
  std::string out;
  size_t errors = 0;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    std::string line = line_of(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
    if (is_count(line)) continue;
    for (const std::string& folder : folders) remove_all(line, folder + "/");
    errors += has_error(line);
    out += line + "\n";
  }
  if (errors)
    out += std::to_string(errors) + (errors == 1 ? " error" : " errors") + " detected in the compilation of \"" + name +
           "\".\n";
  return out;
}

bool has_error(std::string_view text) {
  return text.find("): error: ") != text.npos || text.find("): catastrophic error: ") != text.npos;
}

}  // namespace heddle::cudart::nvrtc
