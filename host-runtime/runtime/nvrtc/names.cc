// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/nvrtc/names.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

namespace heddle::cudart::nvrtc {
namespace {

constexpr std::string_view kPointer = "__heddle_nvrtc_name_";

// Without the '&' that may stand before it: a pointer to a variable needs one, and a function takes one.
std::string_view object_of(std::string_view expression) {
  const size_t first = expression.find_first_not_of(" \t\r\n&");
  return first == expression.npos ? std::string_view() : expression.substr(first);
}

// "generic(symbol);", "symbol;"
std::string_view symbol_in(std::string_view value) {
  value = value.substr(0, value.find(';'));
  constexpr std::string_view kGeneric = "generic(";
  if (value.starts_with(kGeneric)) value = value.substr(kGeneric.size(), value.size() - kGeneric.size() - 1);
  return value;
}

// The name that a line declares a variable of its own by: ".global .align 4 .u32 name;", ".const .align 4 .b8 name[16]
// = …"
std::string_view private_variable(std::string_view line) {
  if (!line.starts_with(".global ") && !line.starts_with(".const ")) return {};
  line = line.substr(0, line.find_first_of("[=;"));
  while (line.ends_with(' ')) line.remove_suffix(1);
  return line.substr(line.rfind(' ') + 1);
}

}  // namespace

std::string pointers_to(const std::vector<std::string>& expressions) {
  std::string out;
  for (size_t i = 0; i < expressions.size(); ++i) {
    out += "\n#line 1 \"name expression\"\n__device__ __attribute__((used, nodebug)) auto ";
    out += kPointer;
    out += std::to_string(i) + " = &(" + std::string(object_of(expressions[i])) + ");\n";
  }
  return out;
}

std::map<std::string, std::string> take_names(std::string& ptx, const std::vector<std::string>& expressions) {
  std::map<std::string, std::string> names;
  if (expressions.empty()) return names;
  std::set<std::string, std::less<>> symbols;
  const auto each_line = [&](const auto& f) {
    std::string out;
    out.reserve(ptx.size());
    for (std::string_view rest = ptx; !rest.empty();) {
      const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
      rest.remove_prefix(line.size());
      f(line, out);
    }
    ptx = std::move(out);
  };
  each_line([&](std::string_view line, std::string& out) {
    const size_t at = line.find(kPointer), value = line.find(" = ");
    if (!line.starts_with('.') || at == line.npos || value == line.npos || value < at) {
      out += line;
      return;
    }
    const size_t i = std::strtoul(std::string(line.substr(at + kPointer.size(), 12)).c_str(), nullptr, 10);
    if (i < expressions.size()) symbols.insert(names[expressions[i]] = std::string(symbol_in(line.substr(value + 3))));
  });
  each_line([&](std::string_view line, std::string& out) {
    if (symbols.contains(private_variable(line))) out += ".visible ";
    out += line;
  });
  return names;
}

}  // namespace heddle::cudart::nvrtc
