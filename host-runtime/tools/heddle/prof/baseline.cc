// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/prof/baseline.h"

#include <cmath>
#include <deque>
#include <map>

namespace heddle::tools::prof {

Baseline match(const std::vector<Profile>& launches, const std::vector<Profile>& earlier) {
  std::map<std::string, std::deque<const Profile*>> by_name;
  for (const Profile& p : earlier) by_name[p.text("name")].push_back(&p);
  Baseline found;
  for (const Profile& p : launches) {
    auto& here = by_name[p.text("name")];
    found.partners.push_back(here.empty() ? nullptr : here.front());
    if (!here.empty()) here.pop_front();
  }
  for (const Profile& p : earlier) {
    const auto& here = by_name[p.text("name")];
    if (!here.empty() && here.front() <= &p) found.left.push_back(&p);
  }
  return found;
}

std::optional<Change> change(const Metric& metric, const Profile& now, const Profile* before) {
  if (!before) return std::nullopt;
  const auto a = value_of(metric, *before), b = value_of(metric, now);
  if (!a || !b) return std::nullopt;
  Change c{*a, *b - *a, std::nullopt};
  if (*a != 0) c.percent = 100 * c.change / std::fabs(*a);
  else if (c.change == 0) c.percent = 0;
  return c;
}

std::string signed_text(double value, const std::string& unit) {
  const Shown shown = show(std::fabs(value), unit);
  if (value == 0) return "0";
  std::string text = std::string(value > 0 ? "+" : "-").append(shown.value);
  // In units of its own only where these differ from those of the value.
  if (shown.unit != unit) text += " " + shown.unit;
  return text;
}

}  // namespace heddle::tools::prof
